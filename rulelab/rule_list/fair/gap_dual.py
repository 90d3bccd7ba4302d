"""The multipliers that bound the gap between groups best, among lists of so many errors and rules."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import highspy
import numpy as np

from ...linear_solver import LinearSolver

_PRICE = 1e-3  # of all rules together, in the gap: the relaxation needs some
_STEEPEST = 1e4  # gap for a share of errors


@dataclass
class GapDual:
    """Cutting planes as in `rulelab.rule_list.fair.relaxation.Dual`, with the gap in the place of the cost.

    The lists that were met, mixed as is best, have a least gap within the allowed rules and errors. Its dual prices
    bound the gap of every list that costs no less than these in the relaxation.

    Attributes
    ----------
    most_rules : int
        K > 0.
    most_wrong : float
        Largest sum of the first constraint, which counts the errors.
    size : float
        Of that constraint's sums.
    middle, gap_per_sum : float64 array, shape (n_constraints - 1,)
        Of the others: the sum of no gap, and the gap that a unit more makes.
    """

    most_rules: int
    most_wrong: float
    size: float
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
