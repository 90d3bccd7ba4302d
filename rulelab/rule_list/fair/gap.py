"""The gap of a criterion and the errors of a list in exact numbers, and the constraints that bound them."""

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
from ...linear_solver import LinearSolver

_PRICE = 1e-3  # of all rules together, in the gap: the relaxation needs some
_STEEPEST = 1e4  # gap for a share of errors


@dataclass
class GapDual:
    """Cutting planes as in `rulelab.rule_list.fair.relaxation.Dual`, with the gap in the place of the cost.

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
        for price in (1.0, _STEEPEST, *(_PRICE * k for k in self.rules)):  # the gap, errors too many, shares of lists
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
