"""Every rule that a better rule set could use, found by a plain enumeration of conjunctions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .certificate import CertificateError

MOST_COLUMNS = 20_000
EXACT = 2**49
"""Sums of weights stay below it, so that floating-point sums of integers, and 16 times these, are exact."""
_LONGEST = 16
"""Conditions more than this are bounded by the weights that help alone."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Rules of different covered sets, for each set one of the fewest conditions.

    Attributes
    ----------
    covered : bool array, shape (n_columns, n_patterns)
    complexity : int64 array, shape (n_columns,)
        One plus the number of conditions.
    counted : int
        Conjunctions whose sums were computed.
    """

    covered: np.ndarray
    complexity: np.ndarray
    counted: int


def columns(matrix: np.ndarray, weight: np.ndarray, price: int, slack: int, max_conditions: int) -> Columns:
    """All rules of at most D conditions whose reduced cost price * (1 + conditions) - weight is at most the slack.

    Parameters
    ----------
    matrix : bool array, shape (n_patterns, n_conditions)
    weight : int64 array, shape (n_patterns,)
    price, slack : int
    max_conditions : int
        D.

    Raises
    ------
    CertificateError
        When there are more than `MOST_COLUMNS`, or the sums are too large to be exact.

    Notes
    -----
    A conjunction is extended by a condition while some rule with both could be cheap enough, see `_promising`. Sums of
    all pairs of further conditions are one product of matrices.
    """
    if sum(map(abs, weight.tolist())) >= EXACT or (max_conditions + 1) * price + abs(slack) >= EXACT:
        raise CertificateError("the dual values are too large to be summed exactly; use a coarser grid")
    useful = np.flatnonzero(matrix.any(axis=0))
    _, first = np.unique(matrix[:, useful], axis=1, return_index=True)
    kept = useful[np.sort(first)]
    search = _Enumeration(matrix, weight, price, slack, max_conditions)
    values = matrix[:, kept].astype(np.float64)
    search.extend(np.arange(len(matrix)), values, kept, ())
    found = sorted(search.found.values(), key=lambda rule: (len(rule), rule))
    covered = np.zeros((len(found), len(matrix)), dtype=bool)
    for k, rule in enumerate(found):
        covered[k] = matrix[:, list(rule)].all(axis=1)
    return Columns(covered, np.array([1 + len(rule) for rule in found], dtype=np.int64), search.counted)


class _Enumeration:
    def __init__(self, matrix: np.ndarray, weight: np.ndarray, price: int, slack: int, max_conditions: int) -> None:
        self.matrix = matrix
        self.weight = weight.astype(np.float64)
        self.needed = [float(price * (1 + s) - slack) for s in range(max_conditions + 2)]
        self.max_conditions = max_conditions
        self.found: dict[bytes, tuple[int, ...]] = {}
        self.counted = 0

    def extend(self, rows: np.ndarray, values: np.ndarray, conditions: np.ndarray, rule: tuple[int, ...]) -> None:
        """Try all sets of the given conditions together with a rule; ``values`` is the matrix of its rows."""
        weight, size = self.weight[rows], len(rule)
        signed = np.vstack([np.maximum(weight, 0), weight])
        helping, total = signed @ values
        self.counted += len(conditions)
        for c in np.flatnonzero(total >= self.needed[size + 1]):
            self._keep((*rule, int(conditions[c])))
        if size + 2 > self.max_conditions:
            return
        longer = self._promising(size, float(signed[0].sum()), float(signed[1].sum()), helping, total)
        if rule:
            longer &= ~values.all(axis=0)  # a condition that removes nothing only makes the rule longer
        values, conditions, helping = values[:, longer], conditions[longer], helping[longer]
        order = np.argsort(helping, kind="stable")
        values, conditions = values[:, order], conditions[order]
        if size + 2 == self.max_conditions:
            self._pairs(weight, values, conditions, rule)
            return
        for i in range(len(conditions) - 1):
            inside = values[:, i] > 0
            self.extend(rows[inside], values[inside, i + 1 :], conditions[i + 1 :], (*rule, int(conditions[i])))

    def _promising(
        self, size: int, helping: float, total: float, left_helping: np.ndarray, left_total: np.ndarray
    ) -> np.ndarray:
        """Which conditions can be part of a rule of two or more conditions more that is cheap enough.

        Such a rule of e conditions more covers no weight that helps beyond what the condition leaves; its conditions
        remove at most all that hurts in each of them, and at least the mean of what helps in each.
        """
        gone = helping - left_helping
        relieved = (left_total - total) + gone
        out = np.zeros(len(left_total), dtype=bool)
        most = min(self.max_conditions - size, len(left_total))
        for e in range(2, min(most, _LONGEST) + 1):
            needed = self.needed[size + e]
            loose = left_total + np.sort(relieved)[1 - e :].sum()
            spread = e * relieved - gone
            even = e * total + spread + np.sort(spread)[1 - e :].sum()
            out |= (left_helping >= needed) & (loose >= needed) & (even >= e * needed)
        if most > _LONGEST:
            out |= left_helping >= self.needed[size + _LONGEST + 1]
        return out

    def _pairs(self, weight: np.ndarray, values: np.ndarray, conditions: np.ndarray, rule: tuple[int, ...]) -> None:
        """The rules with two more conditions, when no more are allowed."""
        sums = (values * weight[:, None]).T @ values
        self.counted += len(conditions) ** 2 // 2
        for i, j in np.argwhere(np.triu(sums >= self.needed[len(rule) + 2], 1)):
            self._keep((*rule, int(conditions[i]), int(conditions[j])))

    def _keep(self, rule: tuple[int, ...]) -> None:
        covered = self.matrix[:, list(rule)].all(axis=1)
        if not covered.any():
            return
        packed = np.packbits(covered).tobytes()
        if packed not in self.found or len(rule) < len(self.found[packed]):
            self.found[packed] = tuple(sorted(rule))
        if len(self.found) > MOST_COLUMNS:
            raise CertificateError(
                f"more than {MOST_COLUMNS} rules could be part of a better rule set: the dual values prove too little"
            )
