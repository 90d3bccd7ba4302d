"""The rule list problem as a certificate's checker sees it, made from the definition and without any engine.

A list costs its errors plus a fixed amount per rule. On any set of patterns the lighter class is wrong, and
``min(P, N) = sum of min(P_u, N_u) + min(W+, W-)``, with the net weights ``W+ = sum of max(P_u - N_u, 0)`` and
``W- = sum of max(N_u - P_u, 0)``. The first sum is the same for every list, so only net weights matter (equivalent
points, Thm 20), and patterns of net weight zero do not. "Thm" is Angelino et al., JMLR 18 (2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...data.exact_weights import order_preserving
from ...data.problem import Problem
from ..certificate import CertificateError
from ..parts import PatternSets, column_sums, product, select, unique_rows, weighted

_LARGEST_COST = 1 << 61
_GRID_TOTAL = 1 << 50


@dataclass(frozen=True, eq=False)
class Grid:
    """Weights and costs as integers; all lists are compared on this grid.

    With weights that add up to n units and a regularization P / Q in lowest terms an error costs Q and a rule P n, both
    divided by their common factor: exactly the objective. Where costs would be too large, a simpler fraction takes the
    place of P n / Q that compares all lists that matter as it does, see `rulelab.data.exact_weights`. Where there is
    none, the cost of a rule is rounded down to a grid of at least 2^50 units, and weights that have no common unit to
    multiples of 2^-50 of their sum.
    """

    positives: np.ndarray  # int64, shape (n_patterns,)
    negatives: np.ndarray  # int64, shape (n_patterns,)
    per_error: int
    per_rule: int
    rule: Fraction  # the regularization
    unit: Fraction  # what one unit of cost is worth in the objective
    overestimate: Fraction = Fraction(0)  # by how much the cost of any list on the grid can exceed its objective
    tolerance: Fraction = Fraction(0)
    """By how much rounding of weights, near-ties included, can separate an optimal list's objective from the bound."""
    hidden: int = 0  # by how many units a list can cost more on the grid than one that is no better; 0 when exact

    @property
    def exact(self) -> bool:
        """Whether costs put all lists that matter into the order of their objectives."""
        return not self.hidden


def read_table(sets: np.ndarray, values: np.ndarray, n_patterns: int, largest: int) -> dict[bytes, int]:
    """The values of a certificate's table by packed sets, none above the largest; raises CertificateError."""
    if sets.dtype != np.uint8 or sets.ndim != 2 or values.dtype != np.int64 or values.shape != sets.shape[:1]:
        raise CertificateError("'sets' and 'values' of the certificate must be bytes and one integer for each set")
    everything = np.packbits(np.ones(n_patterns, dtype=bool))
    if sets.shape[1] != len(everything) or (sets & ~everything).any():
        raise CertificateError(f"the sets of the certificate are not of the {n_patterns} patterns of this problem")
    if (values < 0).any() or (values > largest).any():
        raise CertificateError("a value of the table is negative or exceeds all costs")
    table = dict(zip(map(bytes, sets), values.tolist(), strict=True))
    if len(table) < len(sets):
        raise CertificateError("a set is in the table twice")
    return table


def grid(problem: Problem, regularization: float, longest: int | None = None) -> Grid:
    """The grid of a problem; raises CertificateError when a rule costs less than it can tell.

    ``longest``: most rules of a list that matters; by default, of one that may cost less than the default rule.
    """
    found = _grid(problem, Fraction(repr(float(regularization))), longest)
    if found.per_rule < 1:
        raise CertificateError(f"the regularization {regularization!r} is too small for exact sums")
    return found


def _grid(problem: Problem, rule: Fraction, longest: int | None) -> Grid:
    masses = problem.masses if problem.integral else problem.masses.divided()
    if masses.fits:
        total = masses.total
        # a list of more rules costs more than the default rule, or has one that captures nothing
        most = min(problem.n_antecedents, int(1 / (2 * rule)) + 2) if longest is None else longest
        largest = total if longest is None else int(total * (1 + rule * longest)) + 1
        simple = order_preserving(rule * total, most, total, (_LARGEST_COST - 1) // largest)
        if simple is not None:
            over = max(Fraction(0), simple / total - rule) * most
            unit = Fraction(1, simple.denominator * total)
            return Grid(masses.positives, masses.negatives, simple.denominator, simple.numerator, rule, unit, over)
        if problem.integral:
            per_error = max(1, _GRID_TOTAL // total)
            per_rule, unit = int(rule * total * per_error), Fraction(1, per_error * total)
            hidden = most + 1  # the price of each rule is rounded down by less than a unit
            return Grid(masses.positives, masses.negatives, per_error, per_rule, rule, unit, hidden=hidden)
    return _rounded(problem, rule)


def _rounded(problem: Problem, rule: Fraction) -> Grid:
    """Weights as multiples of 2^-50 of their sum."""
    positives, negatives, masses = problem.positives, problem.negatives, problem.masses
    scale = _GRID_TOTAL / float(positives.sum() + negatives.sum())
    rounded = [np.rint(weight * scale).astype(np.int64) for weight in (positives, negatives)]
    unit, total = Fraction(1, _GRID_TOTAL), masses.total
    differences: list[Fraction] = [
        int(on_grid) * unit - Fraction(int(weight), total)
        for on_grid, weight in zip(
            np.concatenate(rounded), np.concatenate([masses.positives, masses.negatives]).tolist(), strict=True
        )
        if weight
    ]
    misplaced = sum(map(abs, differences), Fraction(0))
    return Grid(
        positives=rounded[0],
        negatives=rounded[1],
        per_error=1,
        per_rule=int(rule * _GRID_TOTAL),
        rule=rule,
        unit=unit,
        overestimate=sum((d for d in differences if d > 0), Fraction(0)),
        tolerance=misplaced + len(positives) * unit,
        hidden=math.ceil(misplaced / unit) + problem.n_antecedents + 1,
    )


class Dropped(NamedTuple):
    """An antecedent that cannot matter for an optimal list, as of the patterns and antecedents left then.

    ``antecedent``: index among the problem's. ``kind``: "equal" (to an earlier one, which is ``instead``), "everything"
    (it holds for all patterns) or "unpaid" (its larger net weight does not pay for a rule).
    """

    antecedent: int
    kind: str
    instead: int | None = None


@dataclass(frozen=True, eq=False)
class States(PatternSets):
    """Patterns of net weight over the antecedents that an optimal list can use, in an order of their own."""

    inside: np.ndarray
    """bool, shape (n_patterns, n_antecedents): which antecedents hold for which patterns; the ``n_positive`` patterns
    of positive net weight come first, each part in lexicographic order."""
    weights: np.ndarray  # int64, shape (n_patterns,): absolute net weights
    n_positive: int
    antecedents: np.ndarray  # int64, shape (n_antecedents,): indices among the problem's
    per_error: int
    per_rule: int
    constant: int  # weight that every list gets wrong
    dropped: tuple[Dropped, ...] = ()  # the problem's other antecedents, in the order in which they were dropped

    @cached_property
    def total(self) -> int:  # type: ignore[override]
        return int(self.weights.sum())

    @cached_property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Weight of each pattern in each antecedent and, last, in all: of positive and of negative patterns."""
        products = weighted(self.inside, np.ones((len(self.inside), 1), dtype=bool), self.weights, self.dtype)
        return products[: self.n_positive], products[self.n_positive :]

    def net_weights(self, sets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """W+ and W- of every antecedent, shape (n, n_antecedents), and in all, shape (n, 1), on packed sets."""
        members: np.ndarray = self.unpack(sets).astype(self.dtype)
        positive = product(members[:, : self.n_positive], self._weighted[0])
        negative = product(members[:, self.n_positive :], self._weighted[1])
        return positive[:, :-1], negative[:, :-1], positive[:, -1:], negative[:, -1:]

    def weight_for(self, cost: np.ndarray) -> np.ndarray:
        """The least weight that costs at least so much, in `dtype`; more than all weight where none does."""
        return (-(-cost // self.per_error)).clip(0, self.total + 1).astype(self.dtype)

    def cost_of(self, weight: np.ndarray) -> np.ndarray:
        return weight.astype(np.int64) * self.per_error


def states(problem: Problem, costs: Grid) -> States:
    """Merge and drop to a fixpoint what cannot matter for an optimal list.

    Patterns that the antecedents left do not tell apart are merged (what cancels is wrong in every list). Dropped are
    antecedents equal to an earlier one; those that hold for every pattern left, which is a default rule that costs a
    rule; and those whose larger net weight does not pay for a rule (Thm 11: dropping the rule never costs more).
    """
    inside, net = problem.matrix(), costs.positives - costs.negatives
    price = costs.per_rule // costs.per_error
    antecedents, dropped = np.arange(problem.n_antecedents), []
    while True:
        _, first, group = unique_rows(inside)
        merged = np.zeros(len(first), dtype=np.int64)
        np.add.at(merged, group, net)
        inside, net = select(inside, first[merged != 0]), merged[merged != 0]
        _, first, group = unique_rows(inside.T)
        everything: np.ndarray = inside.all(axis=0)  # type: ignore[assignment]
        earliest = first[group]
        larger = np.maximum(column_sums(inside, np.maximum(net, 0)), column_sums(inside, np.maximum(-net, 0)))
        keep = (earliest == np.arange(len(antecedents))) & ~everything & (larger > price)
        if keep.all():
            break
        for i in np.flatnonzero(~keep).tolist():
            equal = not everything[i] and bool(larger[i] > price)
            kind = "everything" if everything[i] else "equal" if equal else "unpaid"
            dropped.append(Dropped(int(antecedents[i]), kind, int(antecedents[earliest[i]]) if equal else None))
        inside, antecedents = select(inside, np.arange(len(inside)), np.flatnonzero(keep)), antecedents[keep]
    total = int(costs.positives.sum()) + int(costs.negatives.sum())
    order = np.argsort(net < 0, kind="stable")
    return States(
        inside=select(inside, order),
        weights=np.abs(net[order]),
        n_positive=int((net > 0).sum()),
        antecedents=antecedents,
        per_error=costs.per_error,
        per_rule=costs.per_rule,
        constant=(total - int(np.abs(net).sum())) // 2,
        dropped=tuple(dropped),
    )
