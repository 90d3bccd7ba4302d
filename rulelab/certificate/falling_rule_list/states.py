"""The falling rule list problem as a certificate's checker sees it, made from the definition and without any engine.

A rule, or the else, that captures p positives and q negatives costs ``min(A p, B q)``, A / B being the weight of the
positive class, and is above the threshold tau when A p > B q; every rule costs R. All are integers, so that the cost of
a list is exactly a multiple of its objective. "Thm", "Prop" and "Cor" refer to Chen and Rudin, AISTATS 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError
from ..parts import packed_outside, product, select, unique_rows, weighted

_LARGEST_COST = 1 << 61
_LARGEST_TOTAL = 1 << 26  # so that different proportions are different floats
_KNOTS = 96


@dataclass(frozen=True, eq=False)
class FallingStates:
    """Patterns in falling order of their proportion of positives, and the distinct antecedents.

    Attributes
    ----------
    inside : bool array, shape (n_patterns, n_antecedents)
        Which antecedents hold for which patterns.
    positives, negatives : int64 array, shape (n_patterns,)
    antecedents : int64 array, shape (n_antecedents,)
        Indices among the problem's.
    per_positive, per_negative, per_rule : int
        A, B and R.
    unit : Fraction
        What one unit of cost is worth in the objective.
    patterns : int64 array, shape (n_patterns,)
        Their indices among the problem's; empty where they are merged.
    """

    inside: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    antecedents: np.ndarray
    per_positive: int
    per_negative: int
    per_rule: int
    unit: Fraction
    patterns: np.ndarray

    @property
    def n_bytes(self) -> int:
        """Bytes of a packed set of patterns."""
        return -(-len(self.positives) // 8)

    @cached_property
    def dtype(self) -> type:
        """A float type in which sums of weights are exact, so that matrix products may compute them."""
        return np.float32 if int((self.positives + self.negatives).sum()) < 1 << 24 else np.float64

    @cached_property
    def knots(self) -> np.ndarray:
        """Numbers of first patterns: those above tau, and some more up to all that have positives."""
        above = int(np.count_nonzero(self.per_positive * self.positives > self.per_negative * self.negatives))
        head = int(np.count_nonzero(self.positives))
        return np.unique(np.linspace(above, head, _KNOTS).astype(np.int64))

    @cached_property
    def thresholds(self) -> tuple[np.ndarray, np.ndarray]:
        """Positives and size of the first pattern after each knot, 0 and 1 after all with positives."""
        last = self.knots >= np.count_nonzero(self.positives)
        i = np.where(last, 0, np.minimum(self.knots, len(self.positives) - 1))
        return np.where(last, 0, self.positives[i]), np.where(last, 1, self.positives[i] + self.negatives[i])

    @cached_property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Positives and negatives in the antecedents, in everything, and in the patterns before each knot."""
        n = len(self.positives)
        beside = np.column_stack([np.ones(n, dtype=bool), np.arange(n)[:, None] < self.knots])
        positive, negative = (weighted(self.inside, beside, w, self.dtype) for w in (self.positives, self.negatives))
        return positive, negative

    def pack(self, sets: np.ndarray) -> np.ndarray:
        return np.packbits(sets, axis=1)

    @cached_property
    def outside(self) -> np.ndarray:
        """Packed patterns that each antecedent leaves."""
        return packed_outside(self.inside)

    @cached_property
    def everything(self) -> np.ndarray:
        """The packed set of all patterns, shape (1, n_bytes)."""
        return self.pack(np.ones((1, len(self.positives)), dtype=bool))

    def weights(self, sets: np.ndarray) -> tuple[Counted, Counted]:
        """Positives and negatives in packed sets."""
        m = self.inside.shape[1]
        positive, negative = (Counted(each[:, :m], each[:, m], each[:, m + 1 :]) for each in self._sums(sets, 0))
        return positive, negative

    def totals(self, sets: np.ndarray) -> tuple[Counted, Counted]:
        """As `weights`, without the antecedents."""
        none = np.zeros((len(sets), 0), dtype=np.int64)
        positive, negative = (Counted(none, each[:, 0], each[:, 1:]) for each in self._sums(sets, self.inside.shape[1]))
        return positive, negative

    def _sums(self, sets: np.ndarray, first: int) -> list[np.ndarray]:
        """Positives and negatives in packed sets, for the columns from the first on."""
        members: np.ndarray = np.unpackbits(sets, axis=1, count=len(self.positives)).astype(self.dtype)
        return [product(members, each[:, first:]).astype(np.int64) for each in self._weighted]


@dataclass(frozen=True, eq=False)
class Counted:
    """Weights in n sets: of each antecedent, shape (n, n_antecedents), in all, (n,), before each knot, (n, n_knots)."""

    captured: np.ndarray
    total: np.ndarray
    first: np.ndarray


def falling_states(problem: Problem, regularization: float, positive_weight: float) -> FallingStates:
    """Costs as integers, patterns in order, equal antecedents once.

    Raises
    ------
    CertificateError
        When a parameter is out of range, or the costs are not integers that fit.
    """
    if not 0 <= regularization < 1:
        raise CertificateError(f"the regularization must be at least 0 and below 1, not {regularization!r}")
    if not 0 < positive_weight < float("inf"):
        raise CertificateError(f"the positive weight must be above 0, not {positive_weight!r}")
    total = int(problem.positives.sum()) + int(problem.negatives.sum())
    if not problem.integral or total >= _LARGEST_TOTAL:
        raise CertificateError("certificates of falling rule lists need whole weights of less than 2^26 together")
    w, rule = Fraction(repr(float(positive_weight))), Fraction(repr(float(regularization))) * total
    scale = lcm(w.denominator, rule.denominator)
    per_positive, per_negative, per_rule = int(w * scale), scale, int(rule * scale)
    if max(per_positive, per_negative, per_rule) * total >= _LARGEST_COST:
        raise CertificateError("the parameters have too many digits for a certificate: costs exceed 2^61")
    positives, negatives = problem.positives, problem.negatives
    order = np.argsort(-positives / (positives + negatives), kind="stable")
    inside = select(problem.matrix(), order)
    antecedents = np.sort(unique_rows(inside.T)[1])
    return FallingStates(
        inside=select(inside, np.arange(len(inside)), antecedents),
        positives=positives[order].copy(),
        negatives=negatives[order].copy(),
        antecedents=antecedents,
        per_positive=per_positive,
        per_negative=per_negative,
        per_rule=per_rule,
        unit=Fraction(1, scale * total),
        patterns=order,
    )


def in_order(
    states: FallingStates, inside: np.ndarray, positives: np.ndarray, negatives: np.ndarray, antecedents: np.ndarray
) -> FallingStates:
    """The same costs for other patterns and antecedents; the patterns are brought into falling order."""
    order = np.argsort(-positives / (positives + negatives), kind="stable")
    return replace(
        states,
        inside=select(inside, order),
        positives=positives[order].copy(),
        negatives=negatives[order].copy(),
        antecedents=antecedents,
        patterns=order[:0],
    )
