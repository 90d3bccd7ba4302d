"""Fair falling lists as a certificate's checker sees them: prefixes, and which of their children need a proof.

All rules are above the threshold and the else is not, so that a list is fair, or not, by the patterns that its rules
capture: for every constraint the sum of ``d`` over them lies between ``low`` and ``high``. The list without rules is
the only other one. Costs are those of `states.FallingStates`, in units of ``2 ** -DIGITS``. Where these round weights
down, every rule is looked at that may be above the threshold and fall; what it leads to is judged by whole weights.

Let S be what a prefix leaves, v its sums, and a a rule that may come next. Lists that go on after a gain at most

    min(sum over S minus a of g, sum of g over the r rules for which it is largest) - r R + sum of max(mu (low - v_a),
    mu (high - v_a)),    g = max(0, A p - B q - mu d - l (p - c n)),

by r further rules, for any multipliers mu and any l >= 0, where c is the largest proportion of the rules that may come
next: further rules have no larger one. Of rounded weights they exceed it by e units at most, and gain l c e more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError
from ..parts import unique_rows
from ..rule_list.constrained.space import LinearRow, in_digits, rows_of
from ..rule_set.parity import Parity, Sides, parities, read_sides, read_tolerances
from ..whole_weights import in_whole_weights_by_group
from .states import FallingStates, at_most, falling_space

_MOST_DIGITS, _FINE = 20, 40
_LARGEST, LARGEST_COST, _DIGITS = 1 << 61, 1 << 60, 57
_NEAR = 1 - 2.0**-50
LONGEST = 12  # further rules that are told apart
MAX_LENGTH = "max_length"


class Prefix(NamedTuple):
    """What a prefix leaves (bool, of the patterns), its last rule's proportion in whole weights, and its length."""

    left: np.ndarray
    p: int
    n: int
    length: int


@dataclass(frozen=True, eq=False)
class Rows:
    """``low <= sum of d over the patterns that are predicted positive <= high`` for every constraint.

    ``d`` (array of integers, shape (n_constraints, n_patterns)): int64, or Python's integers where sums need them.
    ``low``, ``high`` (array of integers, shape (n_constraints,)).
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
    """The problem and its constraints."""

    costs: FallingStates
    inside: np.ndarray  # bool, shape (n_patterns, m): of the distinct antecedents
    antecedents: np.ndarray  # int64, shape (m,)
    # grid, whole: in the weights that costs are counted in, and in weights that are not rounded
    grid: Problem
    whole: Problem
    worth: Fraction  # the weight of the positive class
    exactly: Rows  # the constraints
    relaxed: Rows  # the same, or where weights have many digits rounded ones that every fair list meets, too
    shifts: list[int]  # by how many binary digits each of these is rounded
    sides: Sides
    constraints: list[Parity]
    digits: int
    least: int  # what all costs are multiples of
    longest: int | None  # most rules of a list

    @property
    def everything(self) -> Prefix:
        """The empty prefix."""
        return Prefix(np.ones(self.grid.n_patterns, dtype=bool), 1, 1, 0)

    def after(self, prefix: Prefix, antecedent: int) -> Prefix | None:
        """The prefix with one more rule; None where this captures nothing or rises."""
        hit = prefix.left & self.inside[:, antecedent]
        p, n = self.share(hit)
        return Prefix(prefix.left & ~hit, p, n, prefix.length + 1) if n and p * prefix.n <= prefix.p * n else None

    def _stops(self, prefix: Prefix) -> bool:
        """Whether the else can follow a prefix, at or below the threshold."""
        p, n = self.share(prefix.left)
        return p * prefix.n <= prefix.p * n and p * self.worth <= n - p

    def share(self, chosen: np.ndarray) -> tuple[int, int]:
        """Positives and all of some patterns, in whole weights."""
        p = int(self.whole.positives[chosen].sum())
        return p, p + int(self.whole.negatives[chosen].sum())

    def _above(self, p: Any, q: Any) -> np.ndarray:
        """Whether so many positives and negatives are above the threshold."""
        a, b = self.worth.numerator, self.worth.denominator
        return ~at_most(a, b, q, p, max(a, b, self.costs.total + self.costs.misplaced))

    def look(self, prefix: Prefix, multipliers: np.ndarray, value: int) -> list[tuple[int, Prefix]]:
        """The antecedents, and what comes of them, that may lead a prefix to fair lists that cost less than ``value``.

        ``multipliers`` (float64 array, shape (n_constraints + 1,)): in units of the objective; the last one is that of
        the proportion. Raises CertificateError when a fair list costs less.
        """
        a, b, rule = self.costs.per_positive, self.costs.per_negative, self.costs.per_rule
        left, e = prefix.left, self.costs.misplaced
        paid = b * int(self.grid.negatives[~left].sum()) + rule * prefix.length
        if prefix.length == self.longest or paid + rule >= value:
            return []
        inside, p_u, q_u = self.inside[left], self.grid.positives[left], self.grid.negatives[left]
        total_p, total_q = int(p_u.sum()), int(q_u.sum())
        p, q = p_u @ inside, q_u @ inside
        n, everything = p + q, total_p + total_q
        rest_p, rest_q = total_p - p, total_q - q
        look = (n + e > 0) & (n < everything + e) & self._above(p + e, q)
        look &= at_most(p, n + e, prefix.p, prefix.n, self.costs.total + e)
        look &= at_most(rest_p, everything - n + e, p + e, n + e, self.costs.total + e)
        chosen = np.flatnonzero(look)
        if not len(chosen):
            return []
        stopped = paid + rule + a * rest_p[chosen] + b * q[chosen]
        ends = ~self._above(rest_p, rest_q + e)[chosen]
        better = chosen[ends & (stopped < value)]
        better = better[self.exactly.holds(self.exactly.sums(left, inside[:, better]))] if len(better) else better
        if any(map(self._stops, filter(None, (self.after(prefix, j) for j in better.tolist())))):
            raise CertificateError("the model is not optimal for these parameters: a fair list that costs less exists")
        share = (p[chosen] + e) / (n[chosen] + e)
        near = chosen[share >= share.max() * _NEAR]
        c = max(zip((p[near] + e).tolist(), (n[near] + e).tolist(), strict=True), key=lambda pair: Fraction(*pair))
        rows = self.relaxed
        d_u, sums = rows.d[:, left], rows.sums(left, inside[:, chosen])
        gains, mu, more = self._gains(p_u, q_u, d_u, multipliers, c)
        gained, total = gains @ inside, int(gains.sum())
        largest = (-np.sort(-gained)[:LONGEST]).tolist()
        ordered = list(accumulate(largest, lambda x, y: min(x + y, total), initial=0))
        ordered += [total] * (LONGEST + 2 - len(ordered))
        prices = np.array([min(r * rule, LARGEST_COST) << self.digits for r in range(len(ordered))])
        left_over = (total - gained[chosen])[:, None]
        net = (np.minimum(left_over, ordered) - prices)[:, 1:].max(axis=1) + more
        allowed = np.maximum(mu[:, None] * (rows.low[:, None] - sums), mu[:, None] * (rows.high[:, None] - sums))
        least = (stopped << self.digits) - net - allowed.sum(axis=0)
        rising = np.where(d_u > 0, d_u, 0), np.where(d_u < 0, d_u, 0)
        highest, lowest = (sums + (x.sum(axis=1)[:, None] - x @ inside[:, chosen]) for x in rising)
        reached = ((highest >= rows.low[:, None]) & (lowest <= rows.high[:, None])).all(axis=0)
        most = (value - 1) // self.least * self.least  # of what costs less
        needed = chosen[reached & (rest_p[chosen] + e > 0) & (least <= most << self.digits)].tolist()
        return [(j, after) for j in needed if (after := self.after(prefix, j)) is not None]

    def _gains(
        self, p: np.ndarray, q: np.ndarray, d: np.ndarray, multipliers: np.ndarray, c: tuple[int, int]
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """What capturing each pattern gains at most, the multipliers in whole numbers, and l c e."""
        unit, e = (1 << self.digits) / float(self.costs.unit), self.costs.misplaced
        fine = _FINE if e else 0  # digits more of the price, for weights that are many units
        with np.errstate(over="ignore"):
            mu = np.rint(np.ldexp(multipliers[:-1], self.shifts) * unit)
            price = np.rint(max(0.0, multipliers[-1]) * unit * 2.0**fine / c[1])
        a, b = self.costs.per_positive << self.digits, self.costs.per_negative << self.digits
        rows = self.relaxed
        width = rows.high.astype(float) - rows.low + np.abs(rows.d.astype(float)).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(np.abs(mu) @ width) + 2 * price * c[1] * 2.0**-fine * float(p.sum() + q.sum() + e)
        if not largest < np.inf:
            raise CertificateError("a multiplier of the certificate is too large for exact sums")
        part = min(1.0, _LARGEST / max(largest, 1.0))  # any multipliers will do: those whose sums fit
        whole, falling = (mu * part).astype(np.int64), int(price * part)
        x, n = (each.astype(object) if e else each for each in (p, p + q))
        lost = falling * (x * c[1] - c[0] * n) >> fine
        gains = a * p - b * q - whole @ d - lost.astype(np.int64)
        return np.maximum(gains, 0), whole, -(-falling * c[0] * e >> fine)


def fair_falling_space(problem: Problem, parameters: Mapping[str, float]) -> FairFallingSpace:
    """The space of a certificate's parameters; raises CertificateError where they are of no use."""
    worth = parameters["positive_weight"]
    costs, grid, whole = falling_space(problem, parameters["regularization"], worth)
    smallest = parameters.get("min_group_size", 0)
    if smallest != int(smallest) or smallest < 0:
        raise CertificateError("the least group of the certificate must be a whole number")
    longest = parameters.get(MAX_LENGTH)
    if longest is not None and not (longest == int(longest) and longest >= 0):
        raise CertificateError("the most rules of the certificate must be a whole number")
    sides = read_sides(in_whole_weights_by_group(problem, True), "dnf", True)
    constraints = parities(sides, "dnf", read_tolerances(parameters), int(smallest))
    rows = rows_of(sides, constraints)
    fitted = [in_digits(row) for row in rows]
    inside = problem.matrix()
    antecedents = np.sort(unique_rows(inside.T)[1])
    a, b, rule = costs.per_positive, costs.per_negative, costs.per_rule
    most = int(grid.positives.sum()) * a + int(grid.negatives.sum()) * b + rule * LONGEST
    return FairFallingSpace(
        costs=costs,
        inside=inside[:, antecedents],
        antecedents=antecedents,
        grid=grid,
        whole=whole,
        worth=Fraction(repr(float(worth))),
        exactly=Rows.of(rows, problem.n_patterns),
        relaxed=Rows.of([row for row, _ in fitted], problem.n_patterns),
        shifts=[shift for _, shift in fitted],
        sides=sides,
        constraints=constraints,
        digits=max(0, min(_MOST_DIGITS, _DIGITS - most.bit_length())),
        least=gcd(a, b, rule),
        longest=None if longest is None else int(longest),
    )
