"""The rule list problem as a certificate's checker sees it, made from the definition and without any engine.

A list costs its errors plus a fixed amount per rule. On any set of patterns the lighter class is wrong, and
``min(P, N) = sum of min(P_u, N_u) + min(W+, W-)``, with the net weights ``W+ = sum of max(P_u - N_u, 0)`` and
``W- = sum of max(N_u - P_u, 0)``. The first sum is the same for every list, so only net weights matter (equivalent
points, Thm 20), and patterns of net weight zero do not. "Thm" is Angelino et al., JMLR 18 (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError
from ..parts import column_sums, packed_outside, product, select, unique_rows, weighted

_LARGEST_COST = 1 << 61
_GRID_TOTAL = 1 << 50


@dataclass(frozen=True, eq=False)
class Grid:
    """Weights and costs as integers; all lists are compared on this grid.

    With integer weights of sum n and a regularization P / Q in lowest terms an error costs Q and a rule P n, both
    divided by their common factor: exactly the objective. Where a cost would exceed 2^61 the cost of a rule is rounded
    down to a grid of at least 2^50 units; weights that are not integers are rounded to multiples of 2^-50 of their sum.

    Attributes
    ----------
    positives, negatives : int64 array, shape (n_patterns,)
    per_error, per_rule : int
    unit : Fraction
        What one unit of cost is worth in the objective.
    overestimate : Fraction
        By how much the cost of any list on the grid can exceed its objective; 0 when the weights are integers.
    tolerance : Fraction
        By how much rounding of weights, near-ties included, can separate an optimal list's objective from the bound.
    """

    positives: np.ndarray
    negatives: np.ndarray
    per_error: int
    per_rule: int
    unit: Fraction
    overestimate: Fraction
    tolerance: Fraction


def grid(problem: Problem, regularization: float) -> Grid:
    """The grid of a problem.

    Raises
    ------
    CertificateError
        When a rule costs less than the grid can tell.
    """
    found = _grid(problem, regularization)
    if found.per_rule < 1:
        raise CertificateError(f"the regularization {regularization!r} is too small for exact sums")
    return found


def _grid(problem: Problem, regularization: float) -> Grid:
    rule, positives, negatives = Fraction(repr(float(regularization))), problem.positives, problem.negatives
    if problem.integral:
        total = int(positives.sum()) + int(negatives.sum())
        per_error = (rule * total).denominator
        if per_error * total >= _LARGEST_COST:
            per_error = max(1, _GRID_TOTAL // total)
        per_rule, unit = int(rule * total * per_error), Fraction(1, per_error * total)
        return Grid(positives, negatives, per_error, per_rule, unit, overestimate=Fraction(0), tolerance=Fraction(0))
    scale = _GRID_TOTAL / float(positives.sum() + negatives.sum())
    rounded = [np.rint(weight * scale).astype(np.int64) for weight in (positives, negatives)]
    unit, exact_total = Fraction(1, _GRID_TOTAL), exact_sum(positives) + exact_sum(negatives)
    differences = [
        int(on_grid) * unit - Fraction(weight) / exact_total
        for on_grid, weight in zip(
            np.concatenate(rounded), np.concatenate([positives, negatives]).tolist(), strict=True
        )
        if weight
    ]
    return Grid(
        positives=rounded[0],
        negatives=rounded[1],
        per_error=1,
        per_rule=int(rule * _GRID_TOTAL),
        unit=unit,
        overestimate=sum((d for d in differences if d > 0), Fraction(0)),
        tolerance=sum((abs(d) for d in differences), len(positives) * unit),
    )


def exact_sum(weights: np.ndarray) -> Fraction:
    """The sum without rounding."""
    if weights.dtype.kind == "i":
        return Fraction(int(weights.sum()))
    return sum(map(Fraction, weights.tolist()), Fraction(0))


class Dropped(NamedTuple):
    """An antecedent that cannot matter for an optimal list, as of the patterns and antecedents left then.

    Attributes
    ----------
    antecedent : int
        Index among the problem's.
    kind : str
        "equal" (to an earlier one, which is ``instead``), "everything" (it holds for all patterns) or "unpaid" (its
        larger net weight does not pay for a rule).
    instead : int or None
    """

    antecedent: int
    kind: str
    instead: int | None = None


@dataclass(frozen=True, eq=False)
class States:
    """Patterns of net weight over the antecedents that an optimal list can use, in an order of their own.

    Attributes
    ----------
    inside : bool array, shape (n_patterns, n_antecedents)
        Which antecedents hold for which patterns; the ``n_positive`` patterns of positive net weight come first, each
        part in lexicographic order.
    weights : int64 array, shape (n_patterns,)
        Absolute net weights.
    n_positive : int
    antecedents : int64 array, shape (n_antecedents,)
        Indices among the problem's.
    per_error, per_rule : int
    constant : int
        Weight that every list gets wrong.
    dropped : tuple of Dropped
        The problem's other antecedents, in the order in which they were dropped.
    """

    inside: np.ndarray
    weights: np.ndarray
    n_positive: int
    antecedents: np.ndarray
    per_error: int
    per_rule: int
    constant: int
    dropped: tuple[Dropped, ...] = ()

    @property
    def n_bytes(self) -> int:
        """Bytes of a packed set of patterns."""
        return -(-len(self.weights) // 8)

    @cached_property
    def total(self) -> int:
        return int(self.weights.sum())

    @cached_property
    def dtype(self) -> type:
        """A float type in which sums of weights are exact, so that matrix products may compute them."""
        if self.total >= 1 << 53:
            raise CertificateError(f"the weights add up to {self.total}; certificates need less than 2^53")
        return np.float32 if self.total < 1 << 24 else np.float64

    @cached_property
    def outside(self) -> np.ndarray:
        """Packed patterns that each antecedent leaves."""
        return packed_outside(self.inside)

    @cached_property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Weight of each pattern in each antecedent and, last, in all: of positive and of negative patterns."""
        products = weighted(self.inside, np.ones((len(self.inside), 1), dtype=bool), self.weights, self.dtype)
        return products[: self.n_positive], products[self.n_positive :]

    def pack(self, sets: np.ndarray) -> np.ndarray:
        return np.packbits(sets, axis=1)

    def unpack(self, sets: np.ndarray) -> np.ndarray:
        return np.unpackbits(sets, axis=1, count=len(self.weights)).astype(bool)

    @cached_property
    def everything(self) -> np.ndarray:
        """The packed set of all patterns, shape (1, n_bytes)."""
        return self.pack(np.ones((1, len(self.weights)), dtype=bool))

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
