"""The Lagrangian relaxation of fair rule lists: multiples of the constraints are added to the cost.

For multipliers ``mu`` the relaxed cost of a list with sums v is ``cost + sum of mu v - sum of max(mu low, mu high)``. A
fair list costs at least that, so the least relaxed cost of any list is a lower bound. The relaxed problem is one of
ordinary rule lists, whose patterns have net weights that depend on the multipliers.

Relaxed costs are whole numbers of units of ``2 ** -shift``; everything is rounded down, so that no relaxed cost exceeds
what it stands for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import highspy
import numpy as np

from ...data.problem import Problem
from ...data.rate_constraints import Constraints
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
