"""The Lagrangian relaxation of fair rule lists: multiples of the constraints are added to the cost.

For multipliers ``mu`` the relaxed cost of a list with sums v is ``cost + sum of mu v - sum of max(mu low, mu high)``. A
fair list costs at least that, so the least relaxed cost of any list is a lower bound. The relaxed problem is one of
ordinary rule lists, whose patterns have net weights that depend on the multipliers.

Relaxed costs are whole numbers of units of ``2 ** -shift``; everything is rounded down, so that no relaxed cost exceeds
what it stands for.

Where the gap of a criterion is looked for, it and the errors of a list are exact numbers that constraints bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any

import highspy
import numpy as np

from ...data.exact_weights import Masses
from ...data.fairness import Criterion, compared, groups_of
from ...data.problem import Problem
from ...data.rate_constraints import Constraints, Row, assembled, parities_of
from ...kernels import bits
from ...kernels.bit_words import transposed
from ...linear_solver import LinearSolver

WRONG_NEGATIVE, WRONG_POSITIVE, FIRST_RATE = range(3)
"""Rows of ``Reduced.amounts``: the cost of predicting a pattern negative, of predicting it positive, and ``d``."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """Patterns over some antecedents with all that is added up along a list."""

    antecedents: np.ndarray  # int64, shape (m,): as indices of the problem's
    patterns: np.ndarray  # uint64, shape (n_patterns, bits.n_words(m))
    amounts: np.ndarray
    """int64, shape (2 + n_constraints, n_patterns): cost of predicting each pattern negative and positive, and its part
    in each constraint."""

    def only(self, kept: np.ndarray) -> Reduced:
        """Over a selection of the antecedents (indices, in this order)."""
        columns = transposed(self.patterns, len(self.antecedents))[kept]
        return _merged(self.antecedents[kept], transposed(columns, len(self.patterns)), self.amounts)


def reduced(problem: Problem, wrong: np.ndarray, constraints: Constraints) -> Reduced:
    """All patterns, which cost ``wrong`` where predicted negative or positive, without needless antecedents."""
    columns = transposed(problem.words, problem.n_antecedents)
    held = bits.counts(columns)
    first = np.zeros(len(columns), dtype=bool)
    first[bits.group_equal_rows(columns)[1]] = True
    kept = np.flatnonzero(first & (held > 0) & (held < problem.n_patterns))
    words = transposed(columns[kept], problem.n_patterns)
    return _merged(kept, words, np.concatenate([wrong, constraints.d]))


def _merged(antecedents: np.ndarray, patterns: np.ndarray, amounts: np.ndarray) -> Reduced:
    if not len(antecedents):
        return Reduced(antecedents, np.zeros((1, 0), dtype=np.uint64), amounts.sum(axis=1, keepdims=True))
    group, first = bits.group_equal_rows(patterns)
    merged = np.zeros((len(amounts), len(first)), dtype=np.int64)
    for row, values in zip(merged, amounts, strict=True):
        np.add.at(row, group, values)
    return Reduced(antecedents, patterns[first], merged)


_LARGEST_COST = 1 << 48
_FINEST = 30
_DIGITS = 40  # of a multiplier
_STEEPEST = 20.0  # multiplier: all errors, for the largest difference that the patterns can make


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The relaxed problem for one vector of multipliers."""

    wrong: np.ndarray
    """int64, shape (2, n_patterns): relaxed cost of predicting each pattern negative, and positive, above the smaller
    of the two."""
    base: int  # relaxed cost of a list without rules that predicts each pattern as is cheapest


def shift_of(most: int) -> int:
    """Binary digits that relaxed costs have more than costs, of which the largest is ``most``; negative: fewer."""
    return min(_FINEST, _LARGEST_COST.bit_length() - most.bit_length())


def scaled(value: int, shift: int) -> int:
    """A cost in units of relaxed costs, rounded down."""
    return value << shift if shift >= 0 else value >> -shift


def relaxed(problem: Reduced, low: np.ndarray, high: np.ndarray, multipliers: np.ndarray, shift: int) -> Relaxed:
    """The relaxed problem, in whole numbers, for ends of the constraints and ``multipliers`` in units of cost."""
    digits = _DIGITS + max(0, -shift)
    amounts = problem.amounts.astype(object)
    sides = [amounts[k] * (1 << (digits + shift)) for k in (WRONG_NEGATIVE, WRONG_POSITIVE)]
    for whole, d in zip(_whole(multipliers, digits + shift), amounts[FIRST_RATE:], strict=True):
        sides[1] = sides[1] + whole * d
    negative, positive = ((side >> digits).astype(np.int64) for side in sides)
    least = np.minimum(negative, positive)
    base = int(least.astype(object).sum()) + allowance(low, high, multipliers, shift)
    return Relaxed(np.stack([negative - least, positive - least]), base)


def allowance(low: np.ndarray, high: np.ndarray, multipliers: np.ndarray, shift: int) -> int:
    """What the relaxed cost of every list contains on account of the constraints' ends."""
    digits = _DIGITS + max(0, -shift)
    ends = zip(_whole(multipliers, digits + shift), low.tolist(), high.tolist(), strict=True)
    return -sum(max(whole * least, whole * most) for whole, least, most in ends) >> digits


def _whole(multipliers: np.ndarray, digits: int) -> list[int]:
    return [(p << digits) // q for p, q in map(float.as_integer_ratio, multipliers.tolist())]


@dataclass
class Dual:
    """Kelley's cutting planes for the best multipliers: every list that was met bounds what they can achieve."""

    cost_unit: float  # a cost that makes costs comparable to 1
    size: np.ndarray  # float64, shape (n_constraints,): the same for the constraints' sums
    low: np.ndarray  # float64
    high: np.ndarray  # float64
    near: float  # how far the bound may be from the best
    costs: list[float] = field(default_factory=list)
    sums: list[np.ndarray] = field(default_factory=list)

    def add(self, cost: float, sums: np.ndarray) -> None:
        """A list of this cost and these sums."""
        self.costs.append(cost / self.cost_unit)
        self.sums.append(sums / self.size)

    def worth(self, value: float, multipliers: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
        """What a least relaxed cost of ``value``, at these ends of the constraints, bounds: itself."""
        return value

    def best(self) -> tuple[np.ndarray, float]:
        """The multipliers that the lists met allow most, and the bound that they allow, in units of cost."""
        n = len(self.size)
        solver = LinearSolver()
        infinity = highspy.kHighsInf
        for j in range(n):
            for bound in (self.high[j], -self.low[j]):
                solver.addVar(0.0, _STEEPEST)
                solver.changeColCost(solver.getNumCol() - 1, bound / self.size[j])
        solver.addVar(-infinity, infinity)
        solver.changeColCost(2 * n, -1.0)
        for cost, sums in zip(self.costs, self.sums, strict=True):
            row = np.append(np.stack([-sums, sums], axis=1).ravel(), 1.0)
            solver.addRow(-infinity, cost, 2 * n + 1, np.arange(2 * n + 1, dtype=np.int32), row)
        solver.run()
        found = np.array(solver.getSolution().col_value)
        t = found[0 : 2 * n : 2] - found[1 : 2 * n : 2]
        return t * self.cost_unit / self.size, -solver.getInfo().objective_function_value * self.cost_unit


_PRICE = 1e-3  # of all rules together, in the gap: the relaxation needs some
_PER_ERROR = 1e4  # gap for a share of errors


@dataclass
class GapDual:
    """Cutting planes as in `Dual`, with the gap in the place of the cost.

    The lists that were met, mixed as is best, have a least gap within the allowed rules and errors. Its dual prices
    bound the gap of every list that costs no less than these in the relaxation.
    """

    most_rules: int  # K > 0
    most_wrong: float  # largest sum of the first constraint, which counts the errors
    size: float  # of that constraint's sums
    # middle, gap_per_sum (float64, shape (n_constraints - 1,)): of the others: the sum of no gap, and the gap that a
    # unit more makes
    middle: np.ndarray
    gap_per_sum: np.ndarray
    near: float = _PRICE + 1e-5
    rules: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    gaps: list[np.ndarray] = field(default_factory=list)

    def add(self, cost: float, sums: np.ndarray) -> None:
        """A list of so many rules and these sums."""
        self.rules.append(cost / self.most_rules)
        self.wrong.append((sums[0] - self.most_wrong) / self.size)
        self.gaps.append((sums[1:] - self.middle) * self.gap_per_sum)

    def worth(self, value: float, multipliers: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
        """The gap below which no list is, when none costs less than ``value`` at these ends of the constraints."""
        whole = value + np.maximum(multipliers * low, multipliers * high).sum()
        excess = whole - self.most_rules - multipliers[0] * self.most_wrong - multipliers[1:] @ self.middle
        per_gap = np.abs(multipliers[1:] / self.gap_per_sum).sum()
        return float(excess / per_gap) if per_gap else math.copysign(math.inf, excess)

    def best(self) -> tuple[np.ndarray, float]:
        """The multipliers of the best mixture of the lists met, in rules, and its gap."""
        solver = LinearSolver()
        infinity, n = highspy.kHighsInf, len(self.rules)
        for price in (1.0, _PER_ERROR, *(_PRICE * k for k in self.rules)):  # the gap, errors too many, shares of lists
            solver.addVar(0.0, infinity)
            solver.changeColCost(solver.getNumCol() - 1, price)
        at = np.arange(n + 2, dtype=np.int32)
        gaps = np.stack(self.gaps, axis=1) if n else np.zeros((0, 0))
        rows: list[tuple[Any, float, float, float]] = [(self.rules, 0.0, 0.0, 1.0), (self.wrong, 0.0, -1.0, 0.0)]
        rows += [(sign * gap, -1.0, 0.0, 0.0) for gap in gaps for sign in (1.0, -1.0)]
        solver.addRow(1.0, 1.0, n, at[2:], np.ones(n))
        for row, of_gap, of_errors, most in rows:
            solver.addRow(-infinity, most, n + 2, at, np.concatenate([[of_gap, of_errors], row]))
        solver.run()
        prices = -np.array(solver.getSolution().row_dual)[1:]
        per_rule = (prices[0] + _PRICE) / self.most_rules
        on_gaps = (prices[2::2] - prices[3::2]) * self.gap_per_sum
        multipliers = np.append(prices[1] / self.size, on_gaps) / per_rule
        return multipliers, solver.getInfo().objective_function_value


@dataclass(frozen=True, eq=False)
class Gaps:
    """What is measured of a list, for given predictions."""

    masses: Masses  # weights of all patterns; `errors` are in their unit
    rows: list[Row]
    """The first one counts errors, less those of predicting all negative; an error more moves its upper end by ``per``.
    The others are differences of rates, which are 0 at both ends."""
    names: list[tuple[str, int, int]]  # of the others: the rate and the two groups
    _unbound: Constraints
    _ordered: list[str]

    def gap(self, predicted: np.ndarray) -> Fraction:
        """The largest difference of a rate between two groups, when these patterns are predicted positive."""
        return max(self.by_rate(predicted).values())

    def by_rate(self, predicted: np.ndarray) -> dict[str, Fraction]:
        """The same of each rate."""
        found: dict[str, Fraction] = {}
        for name, difference in zip(self._ordered, self._unbound.excesses(predicted), strict=True):
            found[name] = max(found.get(name, difference), difference)
        return found

    def errors(self, predicted: np.ndarray) -> int:
        """The weight of the wrong predictions."""
        return _sum(self.masses.positives[~predicted]) + _sum(self.masses.negatives[predicted])

    def constraints(self, gap: Fraction, strictly: bool, most_errors: int) -> Constraints:
        """What all lists of at most this gap (``strictly``: less) and so many errors meet, and maybe some others."""
        errors, *differences = self.rows
        ends = [(errors.low, errors.high + most_errors * errors.per)]
        for row in differences:
            low, high = row.low - gap * row.per, row.high + gap * row.per
            if strictly:
                low, high = Fraction(math.floor(low) + 1), Fraction(math.ceil(high) - 1)
            ends.append((low, high))
        return assembled(
            self.rows, ends, len(errors.d), self._unbound.parities, self._masses, [("errors", 0, 0), *self.names]
        )

    @property
    def _masses(self) -> Masses:
        return Masses(self._unbound.positives, self._unbound.negatives, Fraction(1))

    def dual(self, most_rules: int, most_errors: int) -> GapDual:
        """Cutting planes for the multipliers of these constraints."""
        errors, *differences = self.rows
        return GapDual(
            most_rules=most_rules,
            most_wrong=float((errors.high + most_errors * errors.per) / (1 << errors.shift)),
            size=float(max(1, errors.span[1] - errors.span[0]) / (1 << errors.shift)),
            middle=np.array([float(row.low / (1 << row.shift)) for row in differences]),
            gap_per_sum=np.array([float((1 << row.shift) / row.per) for row in differences]),
        )


def gaps_of(problem: Problem, criterion: type[Criterion], min_group_size: int) -> Gaps:
    """What a criterion compares over the problem's groups; raises ValueError without two groups that have its rates."""
    exact = criterion(0.0)  # type: ignore[call-arg]
    groups = groups_of(problem, exact)
    of_groups, masses = groups.masses.divided(), problem.masses.divided()
    found, between = parities_of(exact, groups, of_groups, min_group_size)
    wrong = tuple(n - p for p, n in zip(masses.positives.tolist(), masses.negatives.tolist(), strict=True))
    all_negative = _sum(masses.positives)
    common = math.gcd(*wrong) or 1
    least = sum(x for x in wrong if x < 0)
    errors = Row(
        tuple(x // common for x in wrong),
        Fraction(least, common) - 1,
        -Fraction(all_negative, common),
        Fraction(1, common),
    )
    rows = [errors, *(row for row, _ in between)]
    unbound = assembled([], [], problem.n_patterns, found, of_groups, [])
    among = zip(exact.rates(), compared(exact, groups, min_group_size), strict=True)
    ordered = [rate.name for rate, of in among for _ in permutations(of, 2)]
    return Gaps(masses, rows, [name for _, name in between], unbound, ordered)


def _sum(weights: np.ndarray) -> int:
    return sum(weights.tolist())
