"""One cell of a frontier: its programs, its best rule set, its bound, and the searches that close the gap."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...data.fairness import Criterion
from ...data.problem import Problem
from ..generation import ColumnGeneration
from ..pool import Clause, Pool
from ..program import Cost, Program
from ..rate_parts import Part, parts
from ..search import RuleSetSearch

_FIRST_COLUMNS = 80
_ROUNDS_AGAIN = 30


@dataclass(frozen=True, eq=False)
class Found:
    """A rule set in terms that all cells of a frontier share.

    Attributes
    ----------
    rules : tuple of rules
    cost : int or Fraction
    errors : int
        0-1 training errors.
    complexity : int
    uncovered, covers : array of integers, shape (n_kinds,)
        As `Pool.measure` returns them.
    """

    rules: tuple[Clause, ...]
    cost: Cost
    errors: int
    complexity: int
    uncovered: np.ndarray
    covers: np.ndarray

    @classmethod
    def measured(cls, program: Program, pool: Pool, rules: tuple[Clause, ...]) -> Found:
        """The rule set of these rules; those that cover the same rows are one."""
        chosen = list(dict.fromkeys(pool.find(rule) for rule in rules))
        uncovered, covers, complexity = pool.measure(chosen)
        wanted = program.leave > 0
        return cls(
            rules=tuple(pool.rules[k] for k in chosen),
            cost=program.cost(uncovered, covers, complexity),
            errors=int(uncovered[wanted].sum() + (program.kind_mass - uncovered)[~wanted].sum()),
            complexity=complexity,
            uncovered=uncovered,
            covers=covers,
        )


class PartSearch(RuleSetSearch):
    """The search for a set of a given program that costs less than the best one known, on shared columns."""

    _rounds = 10

    def __init__(
        self,
        problem: Problem,
        program: Program,
        pool: Pool,
        upper: Cost,
        start: np.ndarray,
        max_conditions: int | None,
        form: str,
        column_limit: int,
        seed: int,
    ) -> None:
        self._given = program
        super().__init__(
            problem,
            program.max_complexity,
            max_conditions,
            form=form,
            column_limit=column_limit,
            random_state=seed,
        )
        self._shared, self._start = pool, start
        self._best.cost = min(self._best.cost, upper)

    def _new_program(self) -> Program:
        return self._given

    def _prepare(self) -> None:
        self._pool, self._features = self._shared, self._shared.features
        self._generation = ColumnGeneration(self._program, self._features, self._pool, self.conditions)
        allowed = self._pool.complexity[self._start] <= 1 + self.conditions
        self._generation.working = self._start[allowed].tolist()
        self._phase = "pricing"
        self._raise(self._generation.lower)
        self._settle()

    @property
    def lower(self) -> Cost:
        """No set costs less, unless it costs at least what is to be undercut."""
        return self._lower

    @property
    def best(self) -> tuple[Clause, ...] | None:
        """The best set that this search has found."""
        return self._best.rules

    @property
    def has_ended(self) -> bool:
        """Whether no better set is left to find."""
        return self._phase in ("certified", "infeasible")

    @property
    def is_stuck(self) -> bool:
        """Whether a limit of columns or memory keeps the search from going on."""
        return self._limit is not None

    @property
    def is_out_of_memory(self) -> bool:
        """Whether it is the memory limit."""
        return self._limit == "memory"

    @property
    def own_bytes(self) -> int:
        """Bytes of what is not shared with other searches."""
        return max(0, self.memory_bytes - self._shared.nbytes - self._shared.features.nbytes)

    @property
    def is_closing(self) -> bool:
        """Whether column generation and the first set search are over."""
        return self._phase == "closing"

    @property
    def start(self) -> np.ndarray:
        """Columns of least reduced cost, to begin another search with."""
        if self._phase == "reducing":
            return self._start
        return self._generation.least_reduced(_FIRST_COLUMNS)

    def undercut(self, upper: Cost, lower: Cost) -> None:
        """Look only for sets that cost less than ``upper``; none costs less than ``lower``."""
        if upper < self._best.cost:
            self._best.cost = upper
            if self._closing is not None:
                self._closing.cut(upper)
        self._raise(lower)
        self._settle()

    def search_again(self) -> None:
        """Search the sets of the columns that have become the best ones meanwhile."""
        if self._phase == "closing":
            self.random_state = (self.random_state or 0) + 1
            self._sets = self._new_sets(_ROUNDS_AGAIN)
            while self._sets is not None:
                self._run_sets()
            self._settle()

    def work_on(self, units: int) -> int:
        """Do at most so many units of work; returns those done, 0 when there is nothing to do."""
        before = self.work
        if not self.has_ended:
            self._advance(units)
        return self.work - before


class Cell:
    """A criterion with its tolerances, and a complexity.

    Attributes
    ----------
    criterion : Criterion
    program : Program
    found : Found or None
        The best rule set known.
    selected : Found or None
        One of fewest training errors.
    lower : int or Fraction
        No rule set costs less.
    searched : bool
        Whether a search has worked on this cell.
    """

    def __init__(self, criterion: Criterion, program: Program) -> None:
        self.criterion, self.program = criterion, program
        self.found: Found | None = None
        self.selected: Found | None = None
        self.lower: Cost = program.least
        self.searched = False
        self.searches: list[PartSearch] = []
        self._parts: list[Part] | None = None
        self._bounds = {f"{c.leave} {c.cover}": c.bound for c in program.constraints}

    @property
    def upper(self) -> Cost:
        """Cost of the best set known; more than any set costs while there is none."""
        return self.program.worst + 1 if self.found is None else self.found.cost

    @property
    def closed(self) -> bool:
        """Whether the bound has met the best set, or there is no set at all."""
        return self.lower >= self.upper

    @property
    def is_stuck(self) -> bool:
        """Whether no search can go on."""
        return self.searched and all(search.is_stuck for search in self.searches if not search.has_ended)

    def is_looser(self, other: Cell) -> bool:
        """Whether every rule set that the other cell allows is allowed here."""
        return self.program.max_complexity >= other.program.max_complexity and all(
            row in other._bounds and other._bounds[row] <= bound for row, bound in self._bounds.items()
        )

    def offer(self, found: Found) -> bool:
        """Take a rule set if it meets the constraints and is better; whether it is the best now."""
        better = found.cost < self.upper
        fewer = self.selected is None or (found.errors, found.cost) < (self.selected.errors, self.selected.cost)
        if not (better or fewer) or found.complexity > self.program.max_complexity:
            return False
        if not self.program.is_fair(found.uncovered, found.covers):
            return False
        if fewer:
            self.selected = found
        if better:
            self.found = found
            self._tell()
        return better

    def raise_to(self, lower: Cost) -> bool:
        """Take a bound from elsewhere; whether it is better."""
        if min(lower, self.upper) <= self.lower:
            return False
        self.lower = min(lower, self.upper)
        return True

    def _tell(self) -> None:
        for search in self.searches:
            search.undercut(self.upper, min(self.lower, self.upper))

    def prepare(self) -> list[Part]:
        """Parts that have no search yet and may hold a better set."""
        if self._parts is None:
            self._parts = list(parts(self.program, self.upper))
        self._parts = [part for part in self._parts if part.least < self.upper]
        return self._parts

    @property
    def bound(self) -> Cost:
        """What the searches prove: no set costs less, unless it costs at least what the best one does."""
        waiting = [part.least for part in self.prepare()]
        return min([self.upper, *waiting, *(search.lower for search in self.searches if not search.has_ended)])

    def settle(self) -> bool:
        """Draw the bound from the searches; whether it rose."""
        self.searched = True
        return self.raise_to(self.bound)

    def begin(self, search: PartSearch) -> None:
        """A search for the first part that has none yet."""
        assert self._parts
        part = self._parts.pop(0)
        self.searches.append(search)
        search.undercut(self.upper, max(self.lower, part.least))


def counted_gaps(
    criterion: Criterion,
    program: Program,
    found: Found,
    loss: str,
    form: str,
    n_groups: int,
    among: list[tuple[int, ...]],
) -> dict[str, float]:
    """The largest difference of each rate as the constraints count it: with the Hamming loss, the proxy."""
    of_wanted, of_unwanted = slice(0, 2 * n_groups, 2), slice(1, 2 * n_groups, 2)
    wanted, unwanted = program.kind_mass[of_wanted], program.kind_mass[of_unwanted]
    missed = found.uncovered[of_wanted]
    hit = found.covers[of_unwanted] if loss == "hamming" else unwanted - found.uncovered[of_unwanted]
    positives, negatives, on_positives, on_negatives = wanted, unwanted, missed, hit
    if form == "cnf":
        positives, negatives, on_positives, on_negatives = unwanted, wanted, hit, missed
    sizes = {"positives": positives, "negatives": negatives, "rows": positives + negatives}
    out = {}
    for rate, large in zip(criterion.rates(), among, strict=True):
        errors = rate.on_positives * on_positives + rate.on_negatives * on_negatives + rate.base * positives
        values = [Fraction(int(errors[g]), int(sizes[rate.per][g])) for g in large]
        out[rate.name] = float(max(values) - min(values))
    return out
