"""Fair falling lists as a certificate's checker sees them: prefixes, and which of their children need a proof.

All rules are above the threshold and the else is not, so that a list is fair, or not, by the patterns that its rules
capture: for every constraint the sum of ``d`` over them lies between ``low`` and ``high``. The list without rules is
the only other one. Costs are those of `states.FallingStates`, in units of ``2 ** -DIGITS``.

Let S be what a prefix leaves, v its sums, and a a rule that may come next. Lists that go on after a gain at most

    min(sum over S minus a of g, sum of g over the r rules for which it is largest) - r R + sum of max(mu (low - v_a),
    mu (high - v_a)),    g = max(0, A p - B q - mu d - l (p - c n)),

by r further rules, for any multipliers mu and any l >= 0, where c is the largest proportion of the rules that may come
next: further rules have no larger one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError
from ..parts import unique_rows
from ..rule_list.constrained.space import LinearRow, in_digits, rows_of
from ..rule_set.parity import Parity, Sides, parities, read_sides, read_tolerances
from .states import FallingStates, at_most, falling_states

_MOST_DIGITS = 20
_LARGEST, _LARGEST_COST, _DIGITS = 1 << 61, 1 << 60, 57
_NEAR = 1 - 2.0**-50
LONGEST = 12
"""Further rules that are told apart."""
MAX_LENGTH = "max_length"


class Prefix(NamedTuple):
    """What a prefix leaves (bool, of the patterns), the proportion of its last rule, and its length."""

    left: np.ndarray
    p: int
    n: int
    length: int


class Open(NamedTuple):
    """A child that needs a proof of its own: the antecedent, and the prefix."""

    antecedent: int
    prefix: Prefix


@dataclass(frozen=True, eq=False)
class Rows:
    """``low <= sum of d over the patterns that are predicted positive <= high`` for every constraint.

    Attributes
    ----------
    d : array of integers, shape (n_constraints, n_patterns)
        int64, or Python's integers where sums need them.
    low, high : array of integers, shape (n_constraints,)
    """

    d: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[LinearRow], n_patterns: int) -> Rows:
        """Those of some constraints."""
        kind = np.int64 if all(sum(map(abs, row.d)) < _LARGEST for row in rows) else object
        d = np.array([row.d for row in rows], dtype=kind).reshape(len(rows), n_patterns)
        return cls(d, np.array([row.low for row in rows], dtype=kind), np.array([row.high for row in rows], dtype=kind))

    def sums(self, left: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """Of the patterns that are not left, and of those that each rule captures of the left ones."""
        return self.d[:, ~left].sum(axis=1)[:, None] + self.d[:, left] @ inside

    def holds(self, sums: np.ndarray) -> np.ndarray:
        """Of each list whether its sums, shape (n_constraints, n), are between the ends."""
        return np.all((self.low[:, None] <= sums) & (sums <= self.high[:, None]), axis=0)


@dataclass(frozen=True, eq=False)
class FairFallingSpace:
    """The problem and its constraints.

    Attributes
    ----------
    costs : FallingStates
    inside : bool array, shape (n_patterns, m)
        Of the distinct antecedents.
    antecedents : int64 array, shape (m,)
    positives, negatives : int64 array, shape (n_patterns,)
    exactly : Rows
        The constraints.
    relaxed : Rows
        The same, or where weights have many digits rounded ones that every fair list meets, too.
    shifts : list of int
        By how many binary digits each of these is rounded.
    sides : Sides
    constraints : list of Parity
    digits : int
    least : int
        What all costs are multiples of.
    longest : int or None
        Most rules of a list.
    """

    costs: FallingStates
    inside: np.ndarray
    antecedents: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    exactly: Rows
    relaxed: Rows
    shifts: list[int]
    sides: Sides
    constraints: list[Parity]
    digits: int
    least: int
    longest: int | None

    @property
    def everything(self) -> Prefix:
        """The empty prefix."""
        return Prefix(np.ones(len(self.positives), dtype=bool), 1, 1, 0)

    def look(self, prefix: Prefix, multipliers: np.ndarray, value: int) -> list[Open]:
        """The children of a prefix that may lead to fair lists that cost less than ``value``.

        Parameters
        ----------
        prefix : Prefix
        multipliers : float64 array, shape (n_constraints + 1,)
            In units of the objective; the last one is that of the proportion.
        value : int

        Raises
        ------
        CertificateError
            When a fair list costs less.
        """
        if prefix.length == self.longest:
            return []
        a, b, rule = self.costs.per_positive, self.costs.per_negative, self.costs.per_rule
        left = prefix.left
        inside, p_u, q_u = self.inside[left], self.positives[left], self.negatives[left]
        total_p, total_q = int(p_u.sum()), int(q_u.sum())
        p, q = p_u @ inside, q_u @ inside
        n, everything = p + q, total_p + total_q
        rest_p, rest_q = total_p - p, total_q - q
        look = (n > 0) & (n < everything) & (a * p > b * q)
        look &= at_most(p, n, prefix.p, prefix.n, self.costs.total)
        look &= at_most(rest_p, everything - n, p, n, self.costs.total)
        chosen = np.flatnonzero(look)
        if not len(chosen):
            return []
        cost = a * total_p + b * int(self.negatives[~left].sum()) + rule * prefix.length
        stopped = cost + rule - (a * p[chosen] - b * q[chosen])
        ends = a * rest_p[chosen] <= b * rest_q[chosen]
        better = chosen[ends & (stopped < value)]
        if len(better) and self.exactly.holds(self.exactly.sums(left, inside[:, better])).any():
            raise CertificateError("the model is not optimal for these parameters: a fair list that costs less exists")
        share = p[chosen] / n[chosen]
        near = chosen[share >= share.max() * _NEAR]
        c = max(zip(p[near].tolist(), n[near].tolist(), strict=True), key=lambda pair: Fraction(*pair))
        rows = self.relaxed
        d_u, sums = rows.d[:, left], rows.sums(left, inside[:, chosen])
        gains, mu = self._gains(p_u, q_u, d_u, multipliers, c)
        gained, total = gains @ inside, int(gains.sum())
        ordered = np.concatenate([[0], -np.sort(-gained)[:LONGEST]]).cumsum()
        ordered = np.append(ordered, [total] * (LONGEST + 2 - len(ordered)))
        further = np.arange(len(ordered))
        left_over = (total - gained[chosen])[:, None]
        net = (np.minimum(left_over, ordered) - further * (rule << self.digits))[:, 1:].max(axis=1)
        allowed = np.maximum(mu[:, None] * (rows.low[:, None] - sums), mu[:, None] * (rows.high[:, None] - sums))
        least = (stopped << self.digits) - net - allowed.sum(axis=0)
        rising = np.where(d_u > 0, d_u, 0), np.where(d_u < 0, d_u, 0)
        highest, lowest = (sums + (x.sum(axis=1)[:, None] - x @ inside[:, chosen]) for x in rising)
        reached = ((highest >= rows.low[:, None]) & (lowest <= rows.high[:, None])).all(axis=0)
        needed = reached & (rest_p[chosen] > 0) & (least <= value - self.least << self.digits)
        return [
            Open(int(j), Prefix(left & ~self.inside[:, j], int(p[j]), int(n[j]), prefix.length + 1))
            for j in chosen[needed]
        ]

    def _gains(
        self, p: np.ndarray, q: np.ndarray, d: np.ndarray, multipliers: np.ndarray, c: tuple[int, int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """What capturing each pattern gains at most, and the multipliers in whole numbers."""
        unit = (1 << self.digits) / float(self.costs.unit)
        with np.errstate(over="ignore"):
            mu = np.rint(np.ldexp(multipliers[:-1], self.shifts) * unit)
            price = np.rint(max(0.0, multipliers[-1]) * unit / c[1])
        a, b = self.costs.per_positive << self.digits, self.costs.per_negative << self.digits
        rows = self.relaxed
        width = rows.high.astype(float) - rows.low + np.abs(rows.d.astype(float)).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(np.abs(mu) @ width) + 2 * price * c[1] * float(p.sum() + q.sum())
        if not largest < _LARGEST:
            raise CertificateError("a multiplier of the certificate is too large for exact sums")
        whole, falling = mu.astype(np.int64), int(price)
        gains = a * p - b * q - whole @ d - falling * (p * c[1] - c[0] * (p + q))
        return np.maximum(gains, 0), whole


def fair_falling_space(problem: Problem, parameters: Mapping[str, float]) -> FairFallingSpace:
    """The space of a certificate's parameters; raises CertificateError where they are of no use."""
    costs = falling_states(problem, parameters["regularization"], parameters["positive_weight"], LONGEST)
    smallest = parameters.get("min_group_size", 0)
    if smallest != int(smallest) or smallest < 0:
        raise CertificateError("the least group of the certificate must be a whole number")
    longest = parameters.get(MAX_LENGTH)
    if longest is not None and not (longest == int(longest) and longest >= 0):
        raise CertificateError("the most rules of the certificate must be a whole number")
    sides = read_sides(problem, "dnf", True)
    constraints = parities(sides, "dnf", read_tolerances(parameters), int(smallest))
    rows = rows_of(sides, constraints)
    fitted = [in_digits(row) for row in rows]
    inside = problem.matrix()
    antecedents = np.sort(unique_rows(inside.T)[1])
    a, b, rule = costs.per_positive, costs.per_negative, costs.per_rule
    weight = int(problem.positives.sum()) * a + int(problem.negatives.sum()) * b
    most = weight + rule * LONGEST
    if most >= _LARGEST_COST:
        raise CertificateError("the weights have too many digits for a certificate of a fair list; round them to six")
    return FairFallingSpace(
        costs=costs,
        inside=inside[:, antecedents],
        antecedents=antecedents,
        positives=problem.positives,
        negatives=problem.negatives,
        exactly=Rows.of(rows, problem.n_patterns),
        relaxed=Rows.of([row for row, _ in fitted], problem.n_patterns),
        shifts=[shift for _, shift in fitted],
        sides=sides,
        constraints=constraints,
        digits=max(0, min(_MOST_DIGITS, _DIGITS - most.bit_length())),
        least=gcd(a, b, rule),
        longest=None if longest is None else int(longest),
    )
