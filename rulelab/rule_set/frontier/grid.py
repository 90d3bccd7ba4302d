"""The cells of a frontier, their common columns, and whose bound holds for whom; worked on slice by slice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...data.problem import Problem
from ..features import Features
from ..heuristics.greedy import Greedy
from ..heuristics.random_forest import forest_rules
from ..pool import Pool
from ..program import Cost, Program
from . import two_rules
from .cells import Cell, Found, PartSearch

_FIRST_UNITS = 60  # of the closing step of a cell, in the first round; then doubled
_FIRST_LIMIT = 4000  # of columns in a cell's closing step, in the first round
_SLICE = 10
_GROVE = 25  # trees of a forest that are grown at once
_SEEDS = 1 << 32


@dataclass(eq=False)
class _Visit:
    """Work on one cell: column generation for its parts, then for each of its searches so many units of closing.

    ``left`` are the units that the first of the searches in ``closing`` may still do; None before it has begun.
    """

    cell: Cell
    generation: PartSearch | None = None
    closing: list[PartSearch] | None = None
    left: int | None = None


@dataclass(eq=False)
class _Round:
    """Cells that are worked on one after another; ``units`` and ``columns`` are as it began."""

    waiting: list[Cell]
    closing: int
    units: int
    columns: int
    left: list[Cell] = field(default_factory=list)


class Grid:
    """The cells of a frontier, their common columns, and whose bound holds for whom.

    Attributes
    ----------
    cells : list of Cell
        The looser ones first.
    loosest : list of Cell
        Those that no other cell is looser than, except for its equals.
    given : list of Cell
        Those that were closed when their turn was over.
    units : int
        Units of work of all searches.
    ended : bool
        Whether nothing can go on.
    memory_limit : int or None
        Bytes that all may take.
    """

    def __init__(
        self,
        problem: Problem,
        cells: list[Cell],
        max_conditions: int | None,
        form: str,
        trees: int,
        column_limit: int,
        memory_limit: int | None,
        seed: int,
    ) -> None:
        self.memory_limit = memory_limit
        self._problem, self._max_conditions, self._form, self._trees = problem, max_conditions, form, trees
        self._column_limit, self._seed = column_limit, seed
        self._columns = min(column_limit, _FIRST_LIMIT)
        self._tighter = {
            cell: [other for other in cells if other is not cell and cell.is_looser(other)] for cell in cells
        }
        self.cells = sorted(cells, key=lambda cell: -len(self._tighter[cell]))
        looser = {(cell, other) for cell, others in self._tighter.items() for other in others}
        self.loosest = [b for b in self.cells if all((b, a) in looser for a in self.cells if (a, b) in looser)]
        self.given: list[Cell] = []
        self.units = 0
        self.ended = False
        self._features = Features.from_problem(problem, form)
        self._pools: dict[bytes, Pool] = {}
        self._last: dict[Pool, PartSearch] = {}
        self._unstarted: list[Callable[[], None]] | None = None
        self._round: _Round | None = None
        self._visit: _Visit | None = None

    def unit(self) -> None:
        """A part of the beginning, or a slice of a cell's search."""
        if self._unstarted is None:
            self._begin()
        elif self._unstarted:
            self._unstarted.pop(0)()
        else:
            while not self.ended and not self._slice_of(self._visit):
                self._visit = self._next()

    @property
    def at_work(self) -> PartSearch | None:
        """The search of the cell that is worked on."""
        visit = self._visit
        if visit is None:
            return None
        return visit.closing[0] if visit.closing else visit.generation

    @property
    def open(self) -> list[Cell]:
        """The cells that are not in ``given``, closed ones first."""
        given = set(self.given)
        return sorted((cell for cell in self.cells if cell not in given), key=lambda cell: not cell.closed)

    def pool_of(self, program: Program) -> Pool:
        """The pool of all programs that watch the same entities."""
        key = program.watched.tobytes()
        if key not in self._pools:
            self._pools[key] = Pool(program, self._features)
        return self._pools[key]

    def lower(self, cell: Cell) -> Cost:
        """The cell's bound, with what the searches of the cell that is worked on prove by now."""
        if self._visit is None or not self._visit.cell.searches:
            return cell.lower
        visited = self._visit.cell
        if cell is not visited and cell not in self._tighter[visited]:
            return cell.lower
        return max(cell.lower, min(visited.bound, cell.upper))

    def conditions(self, program: Program) -> int:
        """D: the most conditions of a rule."""
        widest = min(program.max_complexity - 1, self._problem.n_antecedents)
        return widest if self._max_conditions is None else min(widest, self._max_conditions)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the conditions, the columns and the searches."""
        shared = self._features.nbytes + sum(pool.nbytes for pool in self._pools.values())
        return shared + sum(search.own_bytes for cell in self.cells for search in cell.searches)

    @property
    def is_out_of_memory(self) -> bool:
        """Whether the memory limit is used up, by all or by what a search of an open cell needs."""
        if self.memory_limit is not None and self.memory_bytes > self.memory_limit:
            return True
        return self.ended and any(search.is_out_of_memory for cell in self.open for search in cell.searches)

    def _begin(self) -> None:
        """The set without rules."""
        for cell in self.cells:
            self._spread(Found.measured(cell.program, self.pool_of(cell.program), ()))
        self._unstarted = []
        if self._features.n_used:
            for pool in self._pools.values():
                greedy = Greedy(self._widest, self._features, pool, self.conditions(self._widest))
                self._unstarted.append(partial(self._run_greedy, pool, greedy))
                for first in range(0, self._trees, _GROVE):
                    self._unstarted.append(partial(self._grow, pool, first))
                self._unstarted.append(partial(self._close_small, pool))
            return
        for cell in self.cells:
            cell.raise_to(cell.upper)

    def _run_greedy(self, pool: Pool, greedy: Greedy) -> None:
        """One rule more of the greedy heuristic; its sets, once it has them all."""
        greedy.advance()
        if not greedy.done:
            self._unstarted = [partial(self._run_greedy, pool, greedy), *(self._unstarted or [])]
            return
        for rules in (greedy.rules[:k] for k in range(1, len(greedy.rules) + 1)):
            self._spread(Found.measured(self._widest, pool, tuple(rules)))

    def _grow(self, pool: Pool, first: int) -> None:
        """The rules of some trees of the forest, from this one on."""
        n = min(_GROVE, self._trees - first)
        pool.add(
            forest_rules(self._widest, self._features, n, self.conditions(self._widest), (self._seed + first) % _SEEDS)
        )

    @property
    def _widest(self) -> Program:
        return max((cell.program for cell in self.cells), key=lambda program: program.max_complexity)

    def _close_small(self, pool: Pool) -> None:
        """Look at all sets of the cells that have room for two rules only."""
        small = [cell for cell in self.cells if cell.program.max_complexity <= two_rules.LARGEST]
        small = [cell for cell in small if self.pool_of(cell.program) is pool]
        if not small:
            return
        most = max(cell.program.max_complexity for cell in small)
        sets = two_rules.TwoRules(pool, most, max(self.conditions(cell.program) for cell in small))
        for cell in small if sets.complete else ():
            found = sets.best(pool, cell.program.constraints, cell.program.max_complexity)
            if found is not None:
                self._spread(found)
            cell.raise_to(cell.upper)

    def _next(self) -> _Visit | None:
        """The visit of the next cell that is open, in this round or a new one; None when nothing can go on."""
        if self._visit is not None:
            cell = self._visit.cell
            if cell.settle():
                for other in self._tighter[cell]:
                    other.raise_to(cell.lower)
            self._put(cell)
        while True:
            if self._round is None or not self._round.waiting:
                self._round = self._next_round(self._round)
            if self._round is None:
                return None
            cell = self._round.waiting.pop(0)
            if not cell.closed:
                return _Visit(cell)
            self._put(cell)

    def _put(self, cell: Cell) -> None:
        """Where a cell belongs when its turn is over."""
        assert self._round is not None
        (self.given if cell.closed else self._round.left).append(cell)

    def _next_round(self, last: _Round | None) -> _Round | None:
        """A round of twice the work over what the last one left open; None when it changed nothing."""
        if last is None:
            return _Round(list(self.cells), 0, self.units, self._columns)
        self._columns = min(self._column_limit, 2 * self._columns)
        self.ended = not last.left or (self.units == last.units and self._columns == last.columns)
        if self.ended:
            return None
        closing = max(_FIRST_UNITS, 2 * last.closing)
        return _Round(sorted(last.left, key=_hardness), closing, self.units, self._columns)

    def _slice_of(self, visit: _Visit | None) -> bool:
        """Some work of a visit; False when it is over."""
        if visit is None:
            return False
        cell = visit.cell
        while visit.closing is None:
            search = visit.generation
            if search is not None and not (search.has_ended or search.is_closing or search.is_stuck):
                self._slice(cell, search, _SLICE)
                return True
            if cell.closed or not cell.prepare():
                assert self._round is not None
                visit.generation, visit.closing = None, list(cell.searches) if self._round.closing else []
            else:
                visit.generation = self._new_search(cell)
        while visit.closing:
            search = visit.closing[0]
            if visit.left is None:
                assert self._round is not None
                visit.left, search.column_limit = self._round.closing, self._columns
                search.memory_limit = self._free(search)
                if search.is_closing and not search.is_stuck:
                    search.search_again()
                    self._take(cell, search)
                    return True
            if visit.left > 0 and not search.has_ended:
                done = self._slice(cell, search, min(visit.left, _SLICE))
                visit.left = visit.left - done if done else 0
                if done:
                    return True
            visit.closing.pop(0)
            visit.left = None
        return False

    def _new_search(self, cell: Cell) -> PartSearch:
        """A search for the cell's next part."""
        part = cell.prepare()[0]
        pool = self.pool_of(cell.program)
        last = self._last.get(pool)
        search = PartSearch(
            self._problem,
            part.program,
            pool,
            cell.upper,
            np.arange(len(pool)) if last is None else last.start,
            self._max_conditions,
            self._form,
            self._column_limit,
            self._seed,
        )
        search.memory_limit = self._free(search)
        self._last[pool] = search
        cell.begin(search)
        return search

    def _free(self, search: PartSearch) -> int | None:
        """Bytes that a search may take with what it shares."""
        if self.memory_limit is None:
            return None
        return max(1, self.memory_limit - self.memory_bytes + search.memory_bytes)

    def _slice(self, cell: Cell, search: PartSearch, units: int) -> int:
        """Work until the search's phase ends, at most so many units; returns those done."""
        search.undercut(cell.upper, cell.lower)
        done = search.work_on(units)
        self.units += done
        self._take(cell, search)
        return done

    def _take(self, cell: Cell, search: PartSearch) -> None:
        """What a search has found goes to all cells."""
        if search.best is not None and (cell.found is None or search.best != cell.found.rules):
            found = Found.measured(cell.program, self.pool_of(cell.program), search.best)
            if found.cost < cell.upper:
                self._spread(found)

    def _spread(self, found: Found) -> None:
        """Offer a set to every cell."""
        for cell in self.cells:
            cell.offer(found)


def _hardness(cell: Cell) -> Cost:
    """Cells of small gaps are closed soonest, and those of few rules."""
    return (cell.upper - cell.lower) * cell.program.max_complexity
