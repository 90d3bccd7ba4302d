"""The phases of the search for a rule set: first sets, column generation, set search, closing, part by part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..data.fairness import Criterion, emptied_rates, true_gaps
from ..data.problem import Problem
from ..models import RuleSet
from ..phases import Phased
from ..snapshot import Incumbent
from .closing import BranchAndBound, Closing, bytes_per_rule
from .demands import Demands, first_to_meet
from .features import Features
from .generation import ColumnGeneration
from .heuristics.set_search import Greedy, SetSearch
from .pool import Clause, Pool
from .program import Cost, Program
from .proof import Proven
from .rate_parts import Part, Shown, parts

_SET_COLUMNS = 300  # of the set searches during column generation
_FINAL_COLUMNS = 600  # and after it
_NEARBY_COLUMNS, _REBUILDS = 1500, 144  # where the closing step has found rules nearby, but not all within the gap
_BRANCHED_COLUMNS, _FIRST_BRANCHED = 400, 100  # where nothing can be closed, and in the first linear program then
_BRANCHED_NODES = 150
WHOLE_NODES = 300  # of branching, before the values of rates are searched part by part
_MOST_CUTS = 64  # of ranges with too many rules, for a limit of columns: each makes some more of the kind
_PART_COLUMNS = 300  # that the linear program of a part starts with
_SHORT = 6  # rounds of the set searches during column generation
_FIRST_SEARCHES = (1, 5)  # masters, after which the sets are searched
_BETWEEN_SEARCHES = 10  # masters from one search to the next, later on
_WORKING = ("incumbent", "pricing", "integer", "closing")


class Incumbents:
    """Takes every set that is offered and keeps the best that meets the constraints.

    ``cost``: of the best set; more than any set costs while there is none. ``gaps``, ``emptied``: the true gaps of the
    model that `incumbent` made last, and why its rates are equal and yet of no use, in words.
    """

    def __init__(
        self, problem: Problem, program: Program, form: str, fairness: Criterion | None, min_group_size: int = 0
    ) -> None:
        self.cost: Cost = program.worst + 1
        self.rules: tuple[Clause, ...] | None = None
        self.gaps: dict[str, float] | None = None
        self.emptied = ""
        self._problem, self._program = problem, program
        self._form, self._fairness, self._min_group_size = form, fairness, min_group_size
        self._found_at = (0.0, 0)
        self._made: Incumbent | None = None
        self._selected: tuple[int, Cost, tuple[Clause, ...]] | None = None

    def offer(self, pool: Pool, rules: Sequence[Clause], found_at: tuple[float, int]) -> None:
        """Take a set as the incumbent when it is the best that meets the constraints."""
        program = self._program
        chosen = pool.find_all(rules)  # rules that cover the same rows are one
        uncovered, covers, complexity = pool.measure(chosen)
        if complexity > program.max_complexity or not program.is_fair(uncovered, covers):
            return
        clauses = tuple(pool.rules[k] for k in chosen)
        cost = program.cost(uncovered, covers, complexity)
        wanted = program.leave > 0
        unwanted = (program.leave < 0) | (program.cover > 0)
        errors = int(uncovered[wanted].sum() + (program.kind_mass - uncovered)[unwanted].sum())
        if self._selected is None or (errors, cost) < self._selected[:2]:
            self._selected = (errors, cost, clauses)
        if cost < self.cost:
            self.cost, self.rules, self._found_at, self._made = cost, clauses, found_at, None

    def incumbent(self) -> Incumbent | None:
        """The best set as a model; None when there is none yet."""
        if self.rules is None:
            return None
        if self._made is None:
            model = RuleSet.from_problem(self._problem, self.rules, form=self._form)
            objective = self._program.objective(self.cost, model.complexity)
            shown = int(objective) if objective.denominator == 1 else float(objective)
            self._made = Incumbent(model, shown, model.errors, model.complexity, self._found_at)
            if self._fairness is not None and self._problem.groups is not None:
                predicted = model.predicts_positive(self._problem.matrix())
                compared = self._fairness, self._problem.groups, predicted, self._min_group_size
                self.gaps, self.emptied = true_gaps(*compared), emptied_rates(*compared)
        return self._made

    def selected(self) -> RuleSet | None:
        """Of the sets met that meet the constraints, one of fewest training errors: "pool select" of the JMLR paper."""
        if self._selected is None:
            return None
        return RuleSet.from_problem(self._problem, self._selected[2], form=self._form)


class Phases(Phased, ABC):
    """What `RuleSetSearch` does between its arguments and its snapshots; it calls `_begin`, and says what D is."""

    max_complexity: int
    form: str
    column_limit: int
    memory_limit: int | None
    random_state: int | None
    warm_start: Sequence[Clause] | None
    _rounds: ClassVar[int] = 40  # of the set search after column generation

    def _begin(self, program: Program, demands: Demands, best: Incumbents) -> None:
        """The state before the first unit of work."""
        self._program, self._demands, self._best = program, demands, best
        self._phase = "reducing"
        self._limit: str | None = None
        self._lower: Cost = program.least
        self._unresolved: list[Cost] = []
        self._features: Features
        self._pool: Pool
        self._greedy: Greedy
        self._generation: ColumnGeneration
        self._sets: SetSearch | None = None
        self._search_at = _FIRST_SEARCHES[0]
        self._closing: Closing | None = None
        self._restricted: BranchAndBound | None = None
        self._restricted_for: Cost | None = None
        self._waiting: list[Part] | None = None
        self._by_value = False
        self._cuts: dict[int, int] = {}
        self._indivisible: tuple[Program, bool, int] | None = None
        self._part: Part | None = None
        self._ended: list[Part] = []
        self._part_lower: Cost = self._lower
        self._needed: tuple[Clause, ...] | None = ()

    @property
    @abstractmethod
    def conditions(self) -> int:
        """D: the most conditions of a rule."""

    @property
    def certified(self) -> bool:
        """Whether the search has ended with a proof that its set is optimal."""
        return self._phase == "certified"

    @property
    def _counts(self) -> dict[str, int]:
        """What snapshots count."""
        generation, closing = getattr(self, "_generation", None), self._closing
        return {
            "columns": 0 if self._phase == "reducing" else len(self._pool),
            "masters": getattr(generation, "iterations", 0),
            "simplex_iterations": getattr(generation, "simplex_iterations", 0),
            "newton_steps": getattr(generation, "newton_steps", 0),
            "pricing_nodes": getattr(generation, "nodes", 0),
            "closing_columns": getattr(closing, "n_columns", 0),
            "branching_nodes": getattr(closing, "branching_nodes", 0),
            "queued": getattr(closing, "queued", 0),
        }

    @property
    def by_value(self) -> bool:
        """Whether the values of rates were searched part by part."""
        return self._by_value

    def _advance(self, max_work: int) -> None:
        target, phase, pace = self.work + max_work, self._phase, self.pace
        if phase == "reducing":
            self._prepare()  # a call ends with it
            return
        if self._limit == "memory":
            self._limit = None
        while self.work < target and self.pace == pace:  # a call ends with a phase: the next units take other times
            if self._is_full():
                return
            if phase == "incumbent":
                self._run_greedy()
            elif phase == "pricing":
                self._price()
            elif phase == "integer":
                self._search_sets()
            elif phase == "closing":
                if not self._close():
                    return
            else:
                return
            self.work += 1
            self._settle()
        self._is_full()

    def _is_full(self) -> bool:
        """Whether more is stored than may be, which is said."""
        full = self._phase in _WORKING and self.memory_limit is not None and self.memory_bytes > self.memory_limit
        self._limit = "memory" if full else self._limit
        return full

    def _prepare(self) -> None:
        self._features = Features.from_problem(self.problem, self.form, self._demands.rows)
        self._pool = Pool(self._program, self._features)
        self._offer(())
        self._needed = first_to_meet(self._demands, self._pool)
        if not self._features.n_used or self._needed is None:  # the set without rules is the only one, or none is
            self._raise(self._best.cost)
            self._settle()
            return
        self._offer(self._needed)
        if self.warm_start is not None:
            known = [clause for clause in self.warm_start if len(clause) <= self.conditions]
            self._pool.add(known)
            if sum(1 + len(clause) for clause in known) <= self.max_complexity:
                self._offer(known)
        self._greedy = Greedy(self._program, self._features, self._pool, self.conditions)
        self._phase = "incumbent"
        self._settle()

    def _run_greedy(self) -> None:
        self._greedy.advance()
        if self._greedy.done:
            self._offer(self._greedy.rules)
            if self._needed:
                self._offer([*self._greedy.rules, *self._needed])
            self._generation = ColumnGeneration(self._program, self._features, self._pool, self.conditions)
            self._raise(self._generation.lower)
            self._phase = "pricing"

    def _price(self) -> None:
        """One unit of column generation."""
        generation = self._generation
        if self._sets is not None:
            self._run_sets()
            return
        generation.advance()
        self._raise(generation.lower)
        if generation.done:
            self._phase = "integer"
        elif generation.iterations >= self._search_at:
            later = [k for k in _FIRST_SEARCHES if k > generation.iterations]
            self._search_at = min([*later, generation.iterations + _BETWEEN_SEARCHES])
            self._sets = self._new_sets(_SHORT, _SET_COLUMNS)

    def _new_sets(self, rounds: int, most: int = _FINAL_COLUMNS, rebuilds: bool = False) -> SetSearch:
        """A set search over the columns of least reduced cost."""
        generation = self._generation
        chosen = generation.least_reduced(most)
        use = generation.use(chosen)
        seed = self.random_state or 0
        return SetSearch(self._program, self._pool, chosen, use, generation.gamma, seed, rounds, rebuilds)

    def _run_sets(self) -> None:
        """One descent of the set search."""
        assert self._sets is not None
        if not self._sets.done:
            self._sets.advance()
            if self._sets.found is not None:
                self._offer(self._sets.found)
        if self._sets.done:
            self._sets = None

    def _search_sets(self) -> None:
        if self._sets is None and self._closing is not None:
            self._sets = self._new_sets(_REBUILDS, _NEARBY_COLUMNS, rebuilds=True)
        elif self._sets is None:
            self._sets = self._new_sets(self._rounds)
        self._run_sets()
        if self._sets is None:
            self._phase = "closing"

    def _close(self) -> bool:
        """One unit of the closing step; False when there are too many columns."""
        if self._closing is None:
            most = self._affordable_columns
            self._closing = Closing(self._generation, self._lower, self._best.cost, most)
            self._closed_with = (most, self._best.cost)
        closing = self._closing
        full = closing.done and closing.partial
        stuck = full or closing.branching_nodes >= WHOLE_NODES
        if stuck and self._indivisible != (self._program, full, self.column_limit) and self._split(full):
            return True
        if not closing.done:
            closing.advance()
            if closing.found is not None and closing.upper < self._best.cost:
                self._offer(closing.found)
            self._raise(closing.lower)
            if closing.done and closing.partial:
                self._phase = "integer"  # the set search gets more columns
            elif closing.done:
                if closing.unresolved:
                    self._unresolved.append(closing.lower)
                self._raise(self._best.cost)
            return True
        if closing.unresolved:
            self._limit = "exactness"
            return False
        if self._closed_with == (self._affordable_columns, self._best.cost):
            if self._restricted_for == self._best.cost:
                self._limit = "columns" if self._closed_with[0] == self.column_limit else "memory"
                return False
            self._branch_on_the_best()
        else:
            self._closing, self._limit = None, None
        return True

    @property
    def _affordable_columns(self) -> int:
        """Most rules that the closing step enumerates, within the memory limit."""
        if self.memory_limit is None:
            return self.column_limit
        own = (self._features, self._pool, self._generation)
        other = self.memory_bytes - self._own_bytes
        free = self.memory_limit - other - sum(part.nbytes for part in own)
        return max(1, min(self.column_limit, free // bytes_per_rule(self._program)))

    def _branch_on_the_best(self) -> None:
        """One node over the columns of least reduced cost."""
        search = self._restricted
        if search is None:
            columns = self._pool.columns(self._generation.least_reduced(_BRANCHED_COLUMNS)).merged()
            first = np.arange(len(columns))[:_FIRST_BRANCHED]
            search = BranchAndBound(self._program, columns, self._best.cost, self._lower, first)
            self._restricted = search
        before = search.upper
        if search.open:
            search.advance()
        if search.best is not None and search.upper < before:
            self._offer([self._pool.rules[k] for k in search.columns.rules[list(search.best)]])
        if not search.open or (search.nodes >= _BRANCHED_NODES and search.is_between):
            self._restricted_for, self._restricted = search.upper, None

    def _split(self, cuts: bool) -> bool:
        """Search the values of rates part by part, instead of all at once; False when there is nothing to divide."""
        made = self._cuts.get(self.column_limit, 0)
        found = parts(self._program, self._best.cost, cuts)
        if any(part.whole for part in found) or (cuts and made == _MOST_CUTS):
            self._indivisible = self._program, cuts, self.column_limit
            return False
        self._cuts[self.column_limit] = made + cuts
        self._by_value = True
        shown = self._shown
        known = [part.at_least(self._part_lower, shown) for part in found]
        self._waiting = sorted([*(self._waiting or ()), *known], key=lambda part: part.least)
        self._part = None
        self._next_part()
        return True

    def _next_part(self) -> None:
        """Begin with the next part, when nothing is left to do for this one."""
        self._raise(self._best.cost)
        if self._lower < self._best.cost and self._waiting:
            if self._part is not None:
                self._ended.append(self._part.at_least(self._part_lower, self._shown))
            part = self._part = self._waiting.pop(0)
            self._part_lower = part.least
            start = self._generation.least_reduced(_PART_COLUMNS).tolist()
            self._program = part.program
            self._closing, self._sets, self._restricted, self._restricted_for = None, None, None, None
            self._limit = None
            self._generation = ColumnGeneration(self._program, self._features, self._pool, self.conditions)
            self._generation.working = start
            self._search_at, self._phase = _FIRST_SEARCHES[0], "pricing"

    @property
    def _shown(self) -> Shown | None:
        """The best dual values of the part that the search is at, or of one that holds it."""
        known = self._generation.closing_point
        if known is None:
            return None if self._part is None else self._part.shown
        alone = replace(known[0], weight=np.zeros(0, dtype=np.int64))  # what is kept of the dual values
        return Shown(self._program, alone, known[1])

    @property
    def _proven(self) -> Proven:
        """What bounds the cost of all sets so far."""
        generation = getattr(self, "_generation", None)
        point = None if generation is None else generation.closing_point
        return Proven(self._program, point, tuple(self._parts) if self._by_value else None)

    @property
    def _parts(self) -> list[Part]:
        """All parts, each with the dual values that are known of it."""
        now = [] if self._part is None else [self._part.at_least(self._part_lower, self._shown)]
        return [*self._ended, *now, *(self._waiting or ())]

    def _offer(self, rules: Sequence[Clause]) -> None:
        self._best.offer(self._pool, rules, (self._seconds, self.work))

    def _raise(self, bound: Cost) -> None:
        self._part_lower = max(self._part_lower, bound)
        waiting = [part.least for part in self._waiting or ()]
        self._lower = max(self._lower, min([self._part_lower, self._best.cost, *waiting, *self._unresolved]))

    def _settle(self) -> None:
        """End the search when the bound has met the incumbent."""
        if self._waiting and self._part_lower >= self._best.cost > self._lower:
            self._next_part()
        if self._lower >= self._best.cost:
            self._phase = "certified" if self._best.rules is not None else "infeasible"

    @property
    def _own_bytes(self) -> int:
        """Bytes of the conditions, the columns, the tables of pricing, and the rules and nodes of the closing step."""
        if self._phase == "reducing":
            return 0
        parts = (self._features, self._pool, getattr(self, "_generation", None), self._sets, self._closing)
        return sum(part.nbytes for part in (*parts, self._restricted) if part is not None)
