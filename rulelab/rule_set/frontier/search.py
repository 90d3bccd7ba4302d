"""What fairness costs: the best rule sets over a grid of criteria, tolerances and complexities, cell by cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...arguments import is_whole
from ...data.exact_weights import rounded_down
from ...data.problem import Problem
from ...models import RuleSet
from ..arguments import check
from ..fairness import Criterion, EqualizedOdds, EqualOpportunity, true_gaps
from ..features import Features
from ..heuristics.greedy import Greedy
from ..heuristics.random_forest import forest_rules
from ..pool import Pool
from ..program import Cost, Program, make_program
from ..search import RuleSetSearch
from . import two_rules
from .cells import Cell, Found, PartSearch, counted_gaps

TOLERANCES = (0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0)
"""Of the experiment on COMPAS in Lawless et al., JMLR 24 (2023), table 14."""

COMPLEXITIES = (5, 10, 15, 20, 30)
"""Of the same experiment, table 15."""

_FIRST_UNITS = 60  # of the closing step of a cell, in the first round; then doubled
_FIRST_LIMIT = 4000  # of columns in a cell's closing step, in the first round
_SLICE = 10


@dataclass(frozen=True)
class FairCell:
    """One cell of a frontier, as it was left.

    Attributes
    ----------
    criterion : Criterion
        With its tolerances.
    max_complexity : int
        C.
    status : str
        "proven": no set that meets the criterion costs less, for rules of at most ``conditions`` conditions.
        "gap": ``lower_bound`` is certified and below the objective. "heuristic": nothing but the trivial bound is
        known. "infeasible": proven that no set meets the criterion.
    model : RuleSet or None
        The best set found.
    objective, lower_bound : float
        Training loss; with status "infeasible" and no model, the objective is infinite.
    conditions : int
        D: the most conditions of a rule that the bound speaks of.
    errors : int or float or None
        Training errors of the model.
    proxy_gaps, true_gaps : dict of str to float
        The largest difference between two groups in each rate on the training data: as the criterion's constraints
        count it (with the Hamming loss a negative counts once for every rule that covers it), and as the model
        predicts.
    selected : RuleSet or None
        Of the sets met that meet the criterion, one of fewest training errors ("pool select").
    """

    criterion: Criterion
    max_complexity: int
    status: str
    model: RuleSet | None
    objective: float
    lower_bound: float
    conditions: int
    errors: int | float | None
    proxy_gaps: dict[str, float]
    true_gaps: dict[str, float]
    selected: RuleSet | None

    @property
    def gap(self) -> float:
        """Objective minus lower bound."""
        return self.objective - self.lower_bound


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
) -> Iterator[FairCell]:
    """The best rule set of every cell of a grid, each yielded as soon as it is proven or given up.

    Rules are pooled over all cells: column generation runs for one cell after another, the looser ones first, on one
    pool of columns, and every rule set found is offered to every cell. Bounds go from a cell to all cells that allow no
    more (a smaller tolerance, a smaller complexity, one criterion that contains the other), so that a proven set which
    meets a tighter cell proves that cell, too. What is open then is closed in rounds, each of twice the work. A
    tolerance of 0 is split into the few values that equal rates can take.

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
        Trees of a random forest whose rules the pool begins with; 0 for none.
    column_limit : int
        Most rules that the closing step of a cell enumerates.
    time_limit : float, optional
        Wall-clock seconds of search for the whole grid; what is open then is yielded with its gap. None: until all
        is proven, or until nothing can go on.
    work_limit : int, optional
        Units of work for the whole grid, which end it at the same cells and bounds on every machine.
    random_state : int
        Seed of the heuristics.

    Yields
    ------
    FairCell
        One for each cell. The work is done between two of them: an iteration that is left and taken up again goes on
        where it was, and ends with the same cells.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that a criterion could be measured on.

    References
    ----------
    Lawless, Dash, Günlük and Wei, "Interpretable and fair Boolean rule sets via column generation", JMLR 24 (2023),
    appendix O: rules are pooled over several parameters, then the integer program is solved on the grid.
    """
    made = [make(tolerance) for make in criteria for tolerance in tolerances]
    if not made or not complexities:
        raise ValueError("the grid is empty: give at least one criterion, one tolerance and one complexity")
    for criterion in made:
        for complexity in complexities:
            check(problem, complexity, max_conditions, loss, form, criterion, 0.0, column_limit, None, random_state)
    for name, value, least in (("trees", trees, 0), ("work_limit", work_limit, 1)):
        if value is not None and not is_whole(value, least):
            raise ValueError(f"{name} must be an integer >= {least}, not {value!r}")
    cells = [
        Cell(criterion, make_program(problem, complexity, loss, form, criterion))
        for criterion in made
        for complexity in complexities
    ]
    grid = _Grid(problem, cells, max_conditions, loss, form, column_limit, random_state, time_limit, work_limit)
    return grid.run(trees)


class _Grid:
    """The cells, their common columns, and whose bound holds for whom."""

    def __init__(
        self,
        problem: Problem,
        cells: list[Cell],
        max_conditions: int | None,
        loss: str,
        form: str,
        column_limit: int,
        seed: int,
        time_limit: float | None,
        work_limit: int | None,
    ) -> None:
        self.problem, self.max_conditions, self.loss, self.form = problem, max_conditions, loss, form
        self.column_limit, self.seed = column_limit, seed
        self.columns = min(column_limit, _FIRST_LIMIT)
        self.time_limit, self.work_limit = time_limit, work_limit
        self.seconds, self.work = 0.0, 0
        tighter = {cell: [other for other in cells if other is not cell and cell.is_looser(other)] for cell in cells}
        self.cells = sorted(cells, key=lambda cell: -len(tighter[cell]))
        self.tighter = tighter
        self.features = Features.from_problem(problem, form)
        self.pools: dict[bytes, Pool] = {}
        self._last: dict[Pool, PartSearch] = {}
        self._began = 0.0

    def run(self, trees: int) -> Iterator[FairCell]:
        """Yield the cells."""
        if self.time_limit is not None:
            RuleSetSearch(self.problem).compile()
        self._began = time.perf_counter()
        self._start(trees)
        open_cells, units = list(self.cells), 0
        while open_cells:
            left, before, limit = [], self.work, self.columns
            for cell in sorted(open_cells, key=_hardness) if units else open_cells:
                if not cell.closed and not self.out_of_time:
                    self._work_on(cell, units)
                if cell.closed:
                    yield from self._give(cell)
                else:
                    left.append(cell)
            open_cells, units = left, max(_FIRST_UNITS, 2 * units)
            self.columns = min(self.column_limit, 2 * self.columns)
            if self.out_of_time or (self.work == before and self.columns == limit):
                break
        for cell in open_cells:
            yield from self._give(cell)

    @property
    def out_of_time(self) -> bool:
        """Whether a limit is used up; time counts only inside the search."""
        if self.work_limit is not None and self.work >= self.work_limit:
            return True
        return self.time_limit is not None and self.seconds + time.perf_counter() - self._began >= self.time_limit

    def pool_of(self, program: Program) -> Pool:
        """The pool of all programs that watch the same entities."""
        key = program.watched.tobytes()
        if key not in self.pools:
            self.pools[key] = Pool(program, self.features)
        return self.pools[key]

    def _start(self, trees: int) -> None:
        """The set without rules, that of the greedy heuristic, the rules of a forest."""
        for cell in self.cells:
            self._spread(Found.measured(cell.program, self.pool_of(cell.program), ()))
        widest = max((cell.program for cell in self.cells), key=lambda program: program.max_complexity)
        if not self.features.n_used:
            for cell in self.cells:
                cell.raise_to(cell.upper)
            return
        for pool in self.pools.values():
            greedy = Greedy(widest, self.features, pool, self._conditions(widest))
            while not greedy.done:
                greedy.advance()
            for rules in (greedy.rules[:k] for k in range(1, len(greedy.rules) + 1)):
                self._spread(Found.measured(widest, pool, tuple(rules)))
            self._close_small(pool)
            if trees:
                most = self._conditions(widest)
                pool.add(forest_rules(widest, self.features, trees, most, self.seed))

    def _close_small(self, pool: Pool) -> None:
        """Look at all sets of the cells that have room for two rules only."""
        small = [cell for cell in self.cells if cell.program.max_complexity <= two_rules.LARGEST]
        small = [cell for cell in small if self.pool_of(cell.program) is pool]
        if not small or self.out_of_time:
            return
        most = max(cell.program.max_complexity for cell in small)
        sets = two_rules.TwoRules(pool, most, max(self._conditions(cell.program) for cell in small))
        for cell in small if sets.complete else ():
            found = sets.best(pool, cell.program.constraints, cell.program.max_complexity)
            if found is not None:
                self._spread(found)
            cell.raise_to(cell.upper)

    def _conditions(self, program: Program) -> int:
        widest = min(program.max_complexity - 1, self.problem.n_antecedents)
        return widest if self.max_conditions is None else min(widest, self.max_conditions)

    def _spread(self, found: Found) -> None:
        """Offer a set to every cell."""
        for cell in self.cells:
            cell.offer(found)

    def _raise(self, cell: Cell) -> None:
        """Hand a cell's bound to those that allow no more."""
        for other in self.tighter[cell]:
            other.raise_to(cell.lower)

    def _work_on(self, cell: Cell, units: int) -> None:
        """Column generation where it is lacking, then so many units of closing."""
        while not cell.closed and cell.prepare() and not self.out_of_time:
            self._begin(cell)
        for search in cell.searches if units else ():
            search.column_limit = self.columns
            if search.is_closing and not search.is_stuck:
                search.search_again()
                self._take(cell, search)
            self._advance(cell, search, units)
        if cell.settle():
            self._raise(cell)

    def _begin(self, cell: Cell) -> None:
        """Column generation of the cell's next part."""
        part = cell.prepare()[0]
        pool = self.pool_of(cell.program)
        last = self._last.get(pool)
        search = PartSearch(
            self.problem,
            part.program,
            pool,
            cell.upper,
            np.arange(len(pool)) if last is None else last.start,
            self.max_conditions,
            self.form,
            self.column_limit,
            self.seed,
        )
        self._last[pool] = search
        cell.begin(search)
        while not (search.has_ended or search.is_closing or self.out_of_time):
            self._slice(cell, search, _SLICE)

    def _advance(self, cell: Cell, search: PartSearch, units: int) -> None:
        """Some units of work on one search; a stuck one does nothing."""
        done = 1
        while units > 0 and done and not search.has_ended and not self.out_of_time:
            done = self._slice(cell, search, min(units, _SLICE))
            units -= done

    def _slice(self, cell: Cell, search: PartSearch, units: int) -> int:
        """Work until the search's phase ends, at most so many units; returns those done."""
        search.undercut(cell.upper, cell.lower)
        done = search.work_on(units)
        self.work += done
        self._take(cell, search)
        return done

    def _take(self, cell: Cell, search: PartSearch) -> None:
        """What a search has found goes to all cells."""
        if search.best is not None and (cell.found is None or search.best != cell.found.rules):
            found = Found.measured(cell.program, self.pool_of(cell.program), search.best)
            if found.cost < cell.upper:
                self._spread(found)

    def _give(self, cell: Cell) -> Iterator[FairCell]:
        """Yield the cell as it stands; the time that its reader takes is not counted."""
        shown = self._show(cell)
        self.seconds += time.perf_counter() - self._began
        yield shown
        self._began = time.perf_counter()

    def _show(self, cell: Cell) -> FairCell:
        program, found = cell.program, cell.found
        model = selected = None
        proxy: dict[str, float] = {}
        true: dict[str, float] = {}
        if found is not None:
            assert cell.selected is not None
            model = RuleSet.from_problem(self.problem, found.rules, form=self.form)
            selected = RuleSet.from_problem(self.problem, cell.selected.rules, form=self.form)
            assert self.problem.groups is not None
            n_groups = len(self.problem.groups.names)
            proxy = counted_gaps(cell.criterion, program, found, self.loss, self.form, n_groups)
            true = true_gaps(cell.criterion, self.problem.groups, model.predicts_positive(self.problem.matrix()))
        objective = np.inf if model is None else model.hamming_loss if self.loss == "hamming" else model.errors
        lower = rounded_down(program.bound(min(cell.lower, cell.upper)))
        proven = cell.closed
        status = "gap" if cell.lower > program.least else "heuristic"
        if proven:
            status = "infeasible" if model is None else "proven"
        return FairCell(
            criterion=cell.criterion,
            max_complexity=program.max_complexity,
            status=status,
            model=model,
            objective=objective,
            lower_bound=objective if proven else min(lower, objective),
            conditions=self._conditions(program),
            errors=None if model is None else model.errors,
            proxy_gaps=proxy,
            true_gaps=true,
            selected=selected,
        )


def _hardness(cell: Cell) -> Cost:
    """Cells of small gaps are closed soonest, and those of few rules."""
    return (cell.upper - cell.lower) * cell.program.max_complexity
