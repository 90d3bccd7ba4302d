"""What one linear inequality does not rule out: cases of rules that are in or out, each with multipliers of its own."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from ..certificate import CertificateError
from ..linear_solver import LinearSolver
from .formula import Formula

MOST_CASES = 2000
_GRID = 1 << 24  # parts of the objective's unit that multipliers are whole numbers of
_WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Of the constraints: whole numbers of at least 0.

    Attributes
    ----------
    objective : int
        Of the constraint that the objective is below the optimum.
    patterns : list of int, length n_patterns
    complexity : int
    """

    objective: int
    patterns: list[int]
    complexity: int

    def left(self, formula: Formula, kept: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """Coefficients of patterns and rules, and the right side, of what the constraints add up to.

        ``kept``: of these rules only.
        """
        total = sum(self.patterns)
        right = total - self.complexity * formula.max_complexity - self.objective * (formula.optimum - 1)
        largest = total + self.complexity * formula.max_complexity + self.objective * formula.largest_cost
        kind = np.int64 if largest < 1 << 62 else object
        rules = np.arange(len(formula.rules)) if kept is None else kept
        taken = np.array(self.patterns, dtype=kind)
        gained = formula.covers[rules] @ taken if len(taken) else np.zeros(len(rules), dtype=kind)
        costs = self.objective * formula.rule_cost[rules].astype(kind)
        patterns = taken - self.objective * formula.pattern_cost.astype(kind)
        return patterns, gained - self.complexity * formula.complexity[rules].astype(kind) - costs, right


class Cases:
    """Linear programs over some rules, of which some are in or out.

    Parameters
    ----------
    formula : Formula
    kept : int64 array
        The rules that a better set may have.
    """

    def __init__(self, formula: Formula, kept: np.ndarray) -> None:
        self.formula, self.kept = formula, kept
        self.solved = 0
        self._inside: set[int] = set()
        self._outside: set[int] = set()
        n, m = formula.n_patterns, len(kept)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = n + m, n + 1
        lp.col_cost_ = np.concatenate([formula.pattern_cost, formula.rule_cost[kept]]).astype(float)
        lp.col_lower_, lp.col_upper_ = np.zeros(n + m), np.ones(n + m)
        lp.row_lower_ = np.append(np.ones(n), -float(formula.max_complexity))
        lp.row_upper_ = np.full(n + 1, np.inf)
        cells = np.vstack([np.eye(n, dtype=bool), formula.covers[kept]])
        start, index, value = [0], [], []
        for k, row in enumerate(cells):
            rows = np.flatnonzero(row).tolist()
            index += rows
            value += [1.0] * len(rows)
            if k >= n:
                index.append(n)
                value.append(-float(formula.complexity[kept[k - n]]))
            start.append(len(index))
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = np.array(start, dtype=np.int32), np.array(index, dtype=np.int32)
        lp.a_matrix_.value_ = np.array(value)
        self._highs = LinearSolver(solver="simplex")
        self._highs.passModel(lp)

    def solve(self, inside: set[int], outside: set[int]) -> tuple[Multipliers | None, int | None]:
        """Multipliers that leave nothing of a case, or the rule to branch on; both are None where no set fits.

        Parameters
        ----------
        inside, outside : set of int
            Places in ``kept``.
        """
        self.solved += 1
        if self.solved > MOST_CASES:
            raise CertificateError(f"the proof needs more than {MOST_CASES:,} cases: too large to be written out")
        n = self.formula.n_patterns
        for k in (inside ^ self._inside) | (outside ^ self._outside):
            self._highs.changeColBounds(n + k, float(k in inside), float(k not in outside))
        self._inside, self._outside = inside, outside
        self._highs.run()
        if self._highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return Multipliers(0, [0] * n, 1), None
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            raise CertificateError(f"a linear program of the proof was not solved: {status}")
        found = self._highs.getSolution()
        dual = np.maximum(np.array(found.row_dual), 0.0)
        taken = [int(x) for x in np.minimum(np.rint(dual[:n] * _GRID), _GRID * self.formula.pattern_cost).tolist()]
        multipliers = Multipliers(_GRID, taken, int(np.rint(dual[n] * _GRID)))
        if self._excluded(multipliers, inside, outside):
            return multipliers, None
        use = np.array(found.col_value)[n:]
        part = np.minimum(use, 1 - use)
        if part.max(initial=0.0) < _WHOLE:
            raise CertificateError("a case of the proof could not be ruled out in whole numbers")
        return None, int(part.argmax())

    def _excluded(self, multipliers: Multipliers, inside: set[int], outside: set[int]) -> bool:
        patterns, rules, right = multipliers.left(self.formula, self.kept)
        most = sum(x for x in patterns.tolist() if x > 0)
        for k, x in enumerate(rules.tolist()):
            most += x if k in inside else 0 if k in outside else max(0, x)
        return bool(most < right)
