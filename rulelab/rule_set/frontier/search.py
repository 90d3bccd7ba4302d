"""What fairness costs: the best rule sets over a grid of criteria, tolerances and complexities, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ...arguments import is_whole
from ...data.exact_weights import rounded_down
from ...data.fairness import (
    Criterion,
    EqualizedOdds,
    EqualOpportunity,
    compared,
    emptied_rates,
    groups_of,
    left_out,
    true_gaps,
)
from ...data.problem import Problem
from ...models import Model, RuleSet
from ...search import Search, check_limits
from ...snapshot import Incumbent, Snapshot, Status
from ..arguments import check
from ..program import Cost, make_program
from ..search import RuleSetSearch
from .cells import Cell, Found, counted_gaps
from .grid import Grid
from .result import FairCell

TOLERANCES = (0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0)
"""Of the experiment on COMPAS in Lawless et al., JMLR 24 (2023), table 14."""

COMPLEXITIES = (5, 10, 15, 20, 30)
"""Of the same experiment, table 15."""

MOST_TREES = 1000
"""Of the forest whose rules the pool may begin with."""

_COLUMNS = [
    *("criterion", "tolerance", "max_complexity", "status", "objective", "lower_bound", "gap", "errors"),
    *("complexity", "proxy_gap", "true_gap", "selected_errors"),
]


class FairFrontierSearch(Search):
    """Step-wise search for the best rule set of every cell of a grid of criteria, tolerances and complexities.

    Rules are pooled over all cells: column generation runs for one cell after another, the looser ones first, on one
    pool of columns, and every rule set found is offered to every cell. Bounds go from a cell to all cells that allow no
    more (a smaller tolerance, a smaller complexity, one criterion that contains the other), so that a proven set which
    meets a tighter cell proves that cell, too. What is open then is closed in rounds, each of twice the work. A
    tolerance of 0 is split into the few values that equal rates can take. The rules of a set cover different rows, as
    those of a `RuleSetSearch`.

    The incumbent and the lower bound are the least of all cells: those of the loosest one, of its criterion; the cells
    are in `cells` and `frame`. A unit of work is a slice of a cell's search, up to ten units of a `RuleSetSearch`,
    which `units` counts. The status is OPTIMAL when every cell is proven, or proven to be infeasible (INFEASIBLE when
    all of them are), and LIMIT, with the limit "columns", when nothing can go on.

    Parameters
    ----------
    problem : Problem
        With groups.
    criteria : sequence of callables
        Each makes a criterion from a tolerance, such as the class `rulelab.EqualOpportunity`.
    tolerances : sequence of float
        eps; 1 stands for no constraint with rates of errors.
    complexities : sequence of int
        C.
    max_conditions : int, optional
        D: most conditions of a rule; any number by default.
    loss, form : str
        As for `rulelab.RuleSetSearch`.
    trees : int
        Trees of a random forest whose rules the pool begins with, at most `MOST_TREES`; 0 for none.
    column_limit : int
        Most rules that the closing step of a cell enumerates.
    random_state : int
        Seed of the heuristics.
    memory_limit : int, optional
        Bytes that the search may take. When they are used up it stops with status LIMIT and valid bounds; raise
        ``memory_limit`` and call `advance` again to go on.
    min_group_size : int
        As for `rulelab.RuleSetSearch`; `left_out` says which groups are concerned.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that a criterion could be measured on.

    References
    ----------
    Lawless, Dash, Günlük and Wei, "Interpretable and fair Boolean rule sets via column generation", JMLR 24 (2023),
    appendix O: rules are pooled over several parameters, then the integer program is solved on the grid.
    """

    family: ClassVar[str] = "rule_set"
    kind: ClassVar[str] = "fair_frontier"

    def __init__(
        self,
        problem: Problem,
        criteria: Sequence[Callable[[float], Criterion]] = (EqualOpportunity, EqualizedOdds),
        tolerances: Sequence[float] = TOLERANCES,
        complexities: Sequence[int] = COMPLEXITIES,
        max_conditions: int | None = None,
        loss: str = "hamming",
        form: str = "dnf",
        trees: int = 0,
        column_limit: int = 20_000,
        random_state: int = 0,
        memory_limit: int | None = None,
        min_group_size: int = 0,
    ) -> None:
        for name, value in (("criteria", criteria), ("tolerances", tolerances), ("complexities", complexities)):
            if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
                raise ValueError(f"{name} must be a sequence, not {value!r}")
        if not all(map(callable, criteria)):
            raise ValueError(
                f"criteria must be classes of criteria, such as rulelab.EqualOpportunity, not {criteria!r}"
            )
        made = [make(tolerance) for make in criteria for tolerance in tolerances]
        if not made or not len(complexities):
            raise ValueError("the grid is empty: give at least one criterion, one tolerance and one complexity")
        for criterion in made:
            for complexity in complexities:
                check(
                    problem,
                    complexity,
                    max_conditions,
                    loss,
                    form,
                    criterion,
                    min_group_size,
                    0.0,
                    column_limit,
                    memory_limit,
                    random_state,
                )
        if not is_whole(trees, 0) or trees > MOST_TREES:
            raise ValueError(f"trees must be an integer from 0 to {MOST_TREES}, not {trees!r}")
        super().__init__(problem)
        self.criteria, self.tolerances, self.complexities = tuple(criteria), tuple(tolerances), tuple(complexities)
        self.max_conditions, self.loss, self.form, self.trees = max_conditions, loss, form, trees
        self.column_limit, self.random_state = column_limit, random_state
        self.min_group_size = int(min_group_size)
        self._order = [
            Cell(criterion, make_program(problem, complexity, loss, form, criterion, min_group_size=min_group_size))
            for criterion in made
            for complexity in complexities
        ]
        self._grid = Grid(problem, self._order, max_conditions, form, trees, column_limit, memory_limit, random_state)
        self._shown: dict[Cell, tuple[tuple[Found | None, Found | None, Cost], FairCell]] = {}
        self._found_at = (0.0, 0)

    @property
    def parameters(self) -> dict[str, Any]:
        names = ("criteria", "tolerances", "complexities", "max_conditions", "loss", "form", "trees", "column_limit")
        own = {name: getattr(self, name) for name in names}
        more = {name: getattr(self, name) for name in ("random_state", "memory_limit", "min_group_size")}
        return {**own, **more}

    @property
    def left_out(self) -> str:
        """Which groups are too small for the criteria, in words; empty when none is."""
        made = [make(self.tolerances[0]) for make in self.criteria]
        said = [left_out(each, groups_of(self.problem, each), self.min_group_size) for each in made]
        return ". ".join(dict.fromkeys(filter(None, said)))

    @property
    def memory_limit(self) -> int | None:
        """Bytes that the search may take."""
        return self._grid.memory_limit

    @memory_limit.setter
    def memory_limit(self, limit: int | None) -> None:
        self._grid.memory_limit = limit

    @property
    def compiled(self) -> bool:
        return RuleSetSearch(self.problem).compiled

    def _rehearse(self) -> None:
        RuleSetSearch(self.problem).compile()

    @property
    def units(self) -> int:
        """Units of work of all searches of rule sets."""
        return self._grid.units

    @property
    def cells(self) -> tuple[FairCell, ...]:
        """The cells as they stand, by criterion, tolerance and complexity; none before the first `advance`."""
        return tuple(self._show(cell) for cell in self._order) if self._steps else ()

    def given(self, after: int = 0) -> Iterator[FairCell]:
        """The cells that are closed, in the order in which they were, but for the first ones.

        Parameters
        ----------
        after : int
            How many of the first ones to leave out.
        """
        return (self._show(cell) for cell in self._grid.given[after:])

    def open(self) -> Iterator[FairCell]:
        """The other cells."""
        return (self._show(cell) for cell in self._grid.open)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per cell; none before the first `advance`.

        Returns
        -------
        DataFrame
            criterion, tolerance, max_complexity, status (see `FairCell`), objective, lower_bound, gap, errors,
            complexity, proxy_gap and true_gap (the largest, over the criterion's rates), selected_errors.
        """
        rows = []
        for cell in self.cells:
            model, selected = cell.model, cell.selected
            rows.append(
                (
                    *(type(cell.criterion).__name__, max(rate.tolerance for rate in cell.criterion.rates())),
                    *(cell.max_complexity, cell.status, cell.objective, cell.lower_bound),
                    *(0.0 if cell.status == "infeasible" else cell.gap, cell.errors),
                    None if model is None else model.complexity,
                    *(max(gaps.values(), default=None) for gaps in (cell.proxy_gaps, cell.true_gaps)),
                    None if selected is None else selected.errors,
                )
            )
        return pd.DataFrame(rows, columns=_COLUMNS)

    def _models(self) -> list[Model | None]:
        return [cell.model for cell in self.cells]

    def _within(self) -> Search | None:
        return self._grid.at_work

    def _advance(self, max_work: int) -> None:
        target, pace = self.work + max_work, self.pace
        while self.work < target and self.pace == pace and not self._grid.ended and not self._grid.is_out_of_memory:
            before = [cell.found for cell in self._grid.loosest]
            self._grid.unit()
            self.work += 1
            if any(cell.found is not found for cell, found in zip(self._grid.loosest, before, strict=True)):
                self._found_at = (self._seconds, self.work)

    def _snapshot(self) -> Snapshot:
        grid = self._grid
        loosest = min(map(self._show, grid.loosest), key=lambda cell: cell.objective)
        incumbent = None
        if loosest.model is not None:
            assert loosest.errors is not None
            incumbent = Incumbent(
                model=loosest.model,
                objective=loosest.objective,
                errors=loosest.errors,
                complexity=loosest.model.complexity,
                found_at=self._found_at,
            )
        closed = sum(cell.closed for cell in grid.cells)
        done = closed == len(grid.cells)
        status, limit = Status.RUNNING, None
        if done:
            status = Status.INFEASIBLE if incumbent is None else Status.OPTIMAL
        elif grid.is_out_of_memory or grid.ended:
            status, limit = Status.LIMIT, "memory" if grid.is_out_of_memory else "columns"
        return Snapshot(
            step=0,
            work=self.work,
            seconds=0.0,
            status=status,
            incumbent=incumbent,
            lower_bound=min(self._show(cell).lower_bound for cell in grid.loosest),
            counts={"cells": len(grid.cells), "closed": closed, "units": grid.units, "queued": 0},
            log10_remaining=0.0 if done else math.inf,
            memory_bytes=grid.memory_bytes,
            phase="finished" if done else "searching",
            limit=limit,
            detail={"left_out": self.left_out},
        )

    def _show(self, cell: Cell) -> FairCell:
        """The cell as it stands; made anew when it has changed."""
        now = (cell.found, cell.selected, self._grid.lower(cell))
        known = self._shown.get(cell)
        if known is None or known[0] != now:
            known = self._shown[cell] = (now, self._make(cell, now[2]))
        return known[1]

    def _make(self, cell: Cell, cost: Cost) -> FairCell:
        program, found = cell.program, cell.found
        model = selected = None
        proxy: dict[str, float] = {}
        true: dict[str, float] = {}
        empty = ""
        if found is not None:
            assert cell.selected is not None
            model = RuleSet.from_problem(self.problem, found.rules, form=self.form)
            selected = RuleSet.from_problem(self.problem, cell.selected.rules, form=self.form)
            groups = groups_of(self.problem, cell.criterion)
            among = compared(cell.criterion, groups, self.min_group_size)
            proxy = counted_gaps(cell.criterion, program, found, self.loss, self.form, len(groups.names), among)
            predicted = model.predicts_positive(self.problem.matrix())
            true = true_gaps(cell.criterion, groups, predicted, self.min_group_size)
            empty = emptied_rates(cell.criterion, groups, predicted, self.min_group_size)
        objective = np.inf if model is None else model.hamming_loss if self.loss == "hamming" else model.errors
        lower = rounded_down(program.bound(min(cost, cell.upper)))
        proven = cost >= cell.upper
        status = "gap" if cost > program.least else "heuristic"
        if proven:
            status = "infeasible" if model is None else "proven"
        return FairCell(
            criterion=cell.criterion,
            max_complexity=program.max_complexity,
            status=status,
            model=model,
            objective=objective,
            lower_bound=objective if proven else min(lower, objective),
            conditions=self._grid.conditions(program),
            errors=None if model is None else model.errors,
            proxy_gaps=proxy,
            true_gaps=true,
            emptied=empty,
            selected=selected,
        )


def fair_frontier(
    problem: Problem,
    criteria: Sequence[Callable[[float], Criterion]] = (EqualOpportunity, EqualizedOdds),
    tolerances: Sequence[float] = TOLERANCES,
    complexities: Sequence[int] = COMPLEXITIES,
    max_conditions: int | None = None,
    loss: str = "hamming",
    form: str = "dnf",
    trees: int = 0,
    column_limit: int = 20_000,
    time_limit: float | None = None,
    work_limit: int | None = None,
    random_state: int = 0,
    min_group_size: int = 0,
) -> Iterator[FairCell]:
    """The best rule set of every cell of a grid, each yielded as soon as it is proven or given up.

    It drains a `FairFrontierSearch`, which explains the arguments.

    Parameters
    ----------
    problem, criteria, tolerances, complexities, max_conditions, loss, form, trees, column_limit, random_state
        See `FairFrontierSearch`.
    time_limit : float, optional
        Wall-clock seconds of search for the whole grid; what is open then is yielded with its gap. None: until all
        is proven, or until nothing can go on.
    work_limit : int, optional
        Units of work of the searches of rule sets, for the whole grid, which end it at the same cells and bounds on
        every machine.
    min_group_size : int
        See `FairFrontierSearch`.

    Yields
    ------
    FairCell
        One for each cell. The work is done between two of them: an iteration that is left and taken up again goes on
        where it was, and ends with the same cells.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that a criterion could be measured on.
    """
    check_limits(None, time_limit, 0.0, work_limit)
    search = FairFrontierSearch(
        problem,
        criteria,
        tolerances,
        complexities,
        max_conditions,
        loss,
        form,
        trees,
        column_limit,
        random_state,
        min_group_size=min_group_size,
    )
    return _drained(search, time_limit, work_limit)


def _drained(search: FairFrontierSearch, time_limit: float | None, work_limit: int | None) -> Iterator[FairCell]:
    """The cells; only the time inside the search counts."""
    if time_limit is not None:
        search.compile()
    given, running = 0, True
    while running:
        snapshot = search.advance(1)
        running = snapshot.status is Status.RUNNING
        for cell in search.given(given):
            given += 1
            yield cell
        if time_limit is not None and snapshot.seconds >= time_limit:
            break
        if work_limit is not None and search.units >= work_limit:
            break
    yield from search.open()
