"""The restricted master LP: the dual of the program's relaxation over given columns, solved by HiGHS.

    maximise    sum mass_q u_q - most_rules sum_k alpha_k mass_k - sum_r gamma_r bound_r - room * lambda
    subject to  sum over covered q of mass_q u_q - ... - lambda c_S <= cost of the rule S    (one row per column),
                0 <= u_q <= L of the class's kind

Watched entities of one kind that the columns do not tell apart are one class q, with one dual value. Columns are rows
here, so that the simplex basis has their number and the dual simplex method goes on from the last basis when more are
added. Without constraints ``L`` is a number and the rows of the columns are all there are; with them L depends on the
prices: ``L_k = leave_k + sum gamma_r leave_rk + M alpha_k`` is a variable, and ``u_q <= L_k`` a row per class.

Every solve builds the model anew and hands over the basis, and is done in slices of simplex iterations: the result
does not depend on what was solved before in this process, so that a search can be pickled at any point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from ...linear_solver import LinearSolver
from ..pool import Columns, classes
from ..program import Cost, Program

_LARGEST_MASS = 1 << 20
_WAYS: tuple[dict[str, Any], ...] = (
    {"presolve": "off", "simplex_scale_strategy": 0},
    {"presolve": "on"},
    {"presolve": "off", "simplex_strategy": 4},  # the primal simplex method
    {"solver": "ipm", "run_crossover": "on"},  # an interior point method, which ends in a basis, too
)
"""Options of HiGHS: the quickest, and what linear programs of badly scaled numbers may need."""
_PRICE_LIMIT = 1e3  # times the worst cost: what meeting a constraint may be worth
_STATUS = (
    highspy.HighsBasisStatus.kLower,
    highspy.HighsBasisStatus.kBasic,
    highspy.HighsBasisStatus.kUpper,
    highspy.HighsBasisStatus.kZero,
    highspy.HighsBasisStatus.kNonbasic,
)
_LOWER, _BASIC = 0, 1
_SLICE = 180_000_000  # nanoseconds of simplex iterations, as estimated
_LEAST_ITERATIONS = 60  # of a slice: each of them begins with some work
_MANY = 3  # iterations per row and column, after which slices become longer
_PER_CELL = 150  # nanoseconds of making a model
_MODEL_BYTES = 40  # per cell


class MasterError(RuntimeError):
    """The solver could not solve a linear program; the message holds its own words."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Where a solve ended, in terms that survive a change of classes and columns."""

    columns: np.ndarray  # pool indices of the columns in the model
    group: np.ndarray  # class of each watched entity, -1 for those left out
    col_status: np.ndarray  # of the classes, then of the prices: L and alpha per kind, gamma per constraint, lambda
    row_status: np.ndarray  # of the columns, and with constraints of the kinds and of the rows ``u_q <= L_k``

    @property
    def nbytes(self) -> int:
        return self.columns.nbytes + self.group.nbytes + self.col_status.nbytes + self.row_status.nbytes


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """A solution of the restricted master."""

    value: float  # the LP value in scaled cost, with the program's constant
    share: np.ndarray  # float, shape (n_entities,): dual value per unit of mass; 0 for entities without one
    gamma: np.ndarray  # float, shape (n_constraints,)
    price: float  # dual value of the complexity bound, per unit
    use: np.ndarray  # float, shape (n_columns,): primal value of each column of the model
    iterations: int
    basis: Basis


@dataclass(frozen=True, eq=False)
class Fixed:
    """What is decided already at a node of the branch and bound: rules that are in."""

    alive: np.ndarray  # bool, shape (n_entities,): entities of the columns that no chosen rule covers
    room: int  # complexity left
    cost: Cost  # of the chosen rules: their cover costs and penalty, and the program's constant
    used: tuple[float, ...]  # what the chosen rules' cover terms take of each constraint's bound


def nothing_fixed(program: Program, n_entities: int) -> Fixed:
    """The root."""
    return Fixed(
        np.ones(n_entities, dtype=bool), program.max_complexity, program.constant, (0.0,) * len(program.constraints)
    )


def shares(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """What a unit of ``mass`` takes of each constraint, left and covered: float, shape (n_constraints, n_kinds)."""
    n, sides = program.n_kinds, [(c.leave, c.cover) for c in program.constraints]
    left, covered = (
        np.array([[float(x / program.scale) for x in pair[k]] for pair in sides]).reshape(len(sides), n) for k in (0, 1)
    )
    return left, covered


class MasterSolve:
    """A solve of the restricted master in slices, from the ``basis`` of an earlier solve where there is one.

    The solver's own state cannot be pickled: a copy goes through the same slices again when it is advanced. ``effort``
    (int): estimate of the time spent, in nanoseconds: the same on every machine.
    """

    def __init__(self, program: Program, columns: Columns, fixed: Fixed, basis: Basis | None = None) -> None:
        self.program, self.columns, self.fixed, self.basis = program, columns, fixed, basis
        self.effort = 0
        self._way = 0
        self._slices = 0
        self._solver: tuple[_Build, highspy.Highs] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_solver": None}

    @property
    def nbytes(self) -> int:
        """Bytes of the columns, and of the model while it is there."""
        out = self.columns.hits.nbytes
        return out if self._solver is None else out + _MODEL_BYTES * self._solver[1].getNumNz()

    def advance(self) -> MasterSolution | None:
        """One slice: the model, or some simplex iterations; returns the solution when it is there."""
        if self._solver is None and self._slices:
            self._repeat()
        self._slices += 1
        return self._advance()

    def _repeat(self) -> None:
        """What this solve has done before it was pickled."""
        effort = self.effort
        for _ in range(self._slices):
            self._advance()
        self.effort = effort

    def _advance(self) -> MasterSolution | None:
        if self._solver is None:
            self._begin()
            return None
        build, highs = self._solver
        highs.run()
        status = highs.getModelStatus()
        done = int(highs.getInfo().simplex_iteration_count)
        self._iterations += done
        self.effort += done * self._per_iteration
        if status == highspy.HighsModelStatus.kIterationLimit:
            self._limit_iterations()
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            if self.basis is not None or self._way + 1 < len(_WAYS):
                self._way += self.basis is None
                self.basis, self._slices = None, 1
                self._begin()
                return None
            raise MasterError(
                f"the restricted master of {len(self.columns)} columns: {highs.modelStatusToString(status)}"
            )
        return build.solution(highs, self._iterations)

    def _begin(self) -> None:
        build = _Build(self.program, self.columns, self.fixed)
        highs = LinearSolver(**({"solver": "simplex"} | _WAYS[self._way]))
        highs.passModel(build.model())
        if self.basis is not None:
            start = build.start(self.basis)
            if start is not None:
                highs.setBasis(start)
        self._solver, self._iterations = (build, highs), 0
        self._per_iteration = 1000 + 3 * highs.getNumNz() // 2 + 200 * highs.getNumRow()
        self.effort += _PER_CELL * highs.getNumNz()
        self._limit_iterations()

    def _limit_iterations(self) -> None:
        """So many that a slice is short; more where very many were not enough, so that every solve ends."""
        _, highs = self._solver  # type: ignore[misc]
        usual = _MANY * max(1, highs.getNumRow() + highs.getNumCol())
        most = max(_LEAST_ITERATIONS, _SLICE // self._per_iteration)
        highs.setOptionValue("simplex_iteration_limit", most * (1 + self._iterations // usual))


class _Build:
    """One model: classes, coefficients, and how its variables and rows are numbered."""

    def __init__(self, program: Program, columns: Columns, fixed: Fixed) -> None:
        self.program, self.fixed, self.columns = program, fixed, columns
        self.n_prices = len(program.constraints)
        self.scale = max(1.0, program.total / _LARGEST_MASS)
        self.cost_scale = float(max(np.abs(program.leave).max(), program.cover.max(), 1))
        self.group, self.first = classes(columns.kind, columns.hits, columns.rules, self._with_dual())
        inside = self.group >= 0
        mass = np.bincount(self.group[inside], weights=columns.mass[inside], minlength=len(self.first))
        self.mass = mass / self.scale
        self.class_kind = columns.kind[self.first]
        self.hits = columns.hits[:, self.first]
        self.complexity = columns.complexity.astype(float)
        self.covered_mass = columns.kind_mass / self.scale
        self.alive_mass = np.zeros(program.n_kinds)
        self.forced_mass = np.zeros((len(columns), program.n_kinds))
        alive_mass = np.where(fixed.alive, columns.mass / self.scale, 0.0)
        for k in np.unique(columns.kind[fixed.alive]):
            mass = np.where(columns.kind == k, alive_mass, 0.0)
            self.alive_mass[k] = mass.sum()
            if self.n_prices or program.leave[k] < 0:
                self.forced_mass[:, k] = columns.hits @ mass

    def _with_dual(self) -> np.ndarray:
        """Entities that have a dual value of their own: not those whose leaving is paid for."""
        alive = self.fixed.alive
        return alive if self.n_prices else alive & (self.program.leave[self.columns.kind] > 0)

    def model(self) -> highspy.HighsLp:
        """Minimise the negative of the dual objective."""
        program, room = self.program, self.fixed.room
        n_classes, n_columns, kinds, prices = len(self.first), len(self.columns), program.n_kinds, self.n_prices
        most = max(1, room // 2)
        leave, cover = program.leave / self.cost_scale, program.cover / self.cost_scale
        rows, cols = np.nonzero(self.hits)
        values = self.mass[cols]
        blocks = [(rows, cols, values)]
        ids = np.arange(n_columns)
        own_cost = self.covered_mass @ cover + program.scaled_penalty * self.complexity / self.scale / self.cost_scale
        cost, lower, upper = [-self.mass], [np.zeros(n_classes)], [leave[self.class_kind]]
        row_upper, row_lower = [own_cost], [np.full(n_columns, -np.inf)]
        at = n_classes
        if prices:
            upper = [np.full(n_classes, np.inf)]
            alpha, gamma = at + kinds, at + 2 * kinds
            leave_r, cover_r = (self.scale * side for side in shares(program))
            bounds = np.array([float(c.bound) for c in program.constraints]) - np.array(self.fixed.used)
            cost += [np.zeros(kinds), most * self.alive_mass, bounds]
            limit = _PRICE_LIMIT * (float(program.worst * program.scale) / self.cost_scale / self.scale + 1.0)
            lower += [np.zeros(2 * kinds + prices)]
            upper += [np.full(2 * kinds, np.inf), np.full(prices, limit)]
            blocks += [(ids, np.full(n_columns, alpha + k), -self.forced_mass[:, k]) for k in range(kinds)]
            blocks += [(ids, np.full(n_columns, gamma + r), -(self.covered_mass @ cover_r[r])) for r in range(prices)]
            kind_rows = n_columns + np.arange(kinds)
            blocks.append((kind_rows, at + np.arange(kinds), np.ones(kinds)))
            blocks.append((kind_rows, alpha + np.arange(kinds), np.full(kinds, -float(most))))
            blocks += [(kind_rows, np.full(kinds, gamma + r), -leave_r[r]) for r in range(prices)]
            class_rows = n_columns + kinds + np.arange(n_classes)
            blocks.append((class_rows, np.arange(n_classes), np.ones(n_classes)))
            blocks.append((class_rows, at + self.class_kind, -np.ones(n_classes)))
            row_upper += [leave, np.zeros(n_classes)]
            row_lower += [leave, np.full(n_classes, -np.inf)]
            at = gamma + prices
        else:
            forced = np.maximum(-leave, 0) / most
            row_upper = [own_cost + self.forced_mass @ forced]
        blocks.append((ids, np.full(n_columns, at), -self.complexity))
        cost += [np.array([float(room)])]
        lower += [np.zeros(1)]
        upper += [np.full(1, np.inf)]
        self.offset = 0.0 if prices else float((np.minimum(leave, 0) * self.alive_mass).sum())
        return _lp(blocks, cost, lower, upper, row_lower, row_upper)

    def start(self, basis: Basis) -> highspy.HighsBasis | None:
        """The old basis in this model's numbering, if it fits; of a split class the heaviest part is in it."""
        parent = basis.group[self.first]
        if (parent < 0).any():
            return None
        n_columns, n_classes = len(basis.columns), int(basis.group.max(initial=-1)) + 1
        of_columns, of_kinds, rows = np.split(basis.row_status, [n_columns, n_columns + self.program.n_kinds])
        status, rows = basis.col_status[parent], rows[parent] if self.n_prices else rows
        basic = np.flatnonzero(status == _BASIC)
        order = basic[np.lexsort((-self.mass[basic], parent[basic]))]
        again = np.zeros(len(order), dtype=bool)
        again[1:] = parent[order][1:] == parent[order][:-1]
        twins = order[again]
        if self.n_prices:
            twins = twins[rows[twins] == _BASIC]
        status[twins] = _LOWER
        known = dict(zip(basis.columns.tolist(), of_columns.tolist(), strict=True))
        columns = np.array([known.get(rule, _BASIC) for rule in self.columns.rules.tolist()], dtype=np.int8)
        row_status = np.concatenate([columns, of_kinds, rows])
        col_status = np.concatenate([status, basis.col_status[n_classes:]])
        surplus = np.count_nonzero(row_status == _BASIC) + np.count_nonzero(col_status == _BASIC) - len(row_status)
        if surplus > 0:  # columns in use have gone: as many dual values go to a bound
            col_status[np.flatnonzero(col_status == _BASIC)[:surplus]] = _LOWER
        if surplus < 0:  # dual values have gone with what a chosen rule covers
            row_status[np.flatnonzero(row_status != _BASIC)[:-surplus]] = _BASIC
        out = highspy.HighsBasis()
        out.col_status = [_STATUS[s] for s in col_status.tolist()]
        out.row_status = [_STATUS[s] for s in row_status.tolist()]
        out.valid = True
        return out

    def solution(self, highs: highspy.Highs, iterations: int) -> MasterSolution:
        found, info, basis = highs.getSolution(), highs.getInfo(), highs.getBasis()
        n_classes, n_columns, kinds = len(self.first), len(self.columns), self.program.n_kinds
        values = np.array(found.col_value)
        col_status = np.array([int(s) for s in basis.col_status], dtype=np.int8)
        row_status = np.array([int(s) for s in basis.row_status], dtype=np.int8)
        share = np.zeros(len(self.group))
        share[self.group >= 0] = values[self.group[self.group >= 0]] * self.cost_scale
        at = n_classes + 2 * kinds if self.n_prices else n_classes
        value = (self.offset - info.objective_function_value) * self.cost_scale * self.scale
        return MasterSolution(
            value=float(self.fixed.cost * self.program.scale) + value,
            share=share,
            gamma=values[at : at + self.n_prices] * self.cost_scale * self.scale,
            price=float(values[-1]) * self.cost_scale * self.scale,
            use=-np.array(found.row_dual)[:n_columns],
            iterations=iterations,
            basis=Basis(self.columns.rules, self.group, col_status, row_status),
        )


def _lp(
    blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray]],
    cost: list[np.ndarray],
    lower: list[np.ndarray],
    upper: list[np.ndarray],
    row_lower: list[np.ndarray],
    row_upper: list[np.ndarray],
) -> highspy.HighsLp:
    rows, cols, values = (np.concatenate([block[i] for block in blocks]) for i in range(3))
    order = np.argsort(rows, kind="stable")
    lp = highspy.HighsLp()
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = (np.concatenate(x) for x in (cost, lower, upper))
    lp.row_lower_, lp.row_upper_ = np.concatenate(row_lower), np.concatenate(row_upper)
    lp.num_col_, lp.num_row_ = len(lp.col_cost_), len(lp.row_lower_)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=lp.num_row_))]).astype(np.int32)
    lp.a_matrix_.index_ = cols[order].astype(np.int32)
    lp.a_matrix_.value_ = values[order]
    return lp
