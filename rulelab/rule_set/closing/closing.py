"""Closing the gap: all rules that a better set can hold, then the integer program over them, exactly."""

from __future__ import annotations

import numpy as np

from ..generation import ColumnGeneration
from ..pool import Clause, Columns, Pool
from ..pricing.exact import LARGEST_SUM, Enumerator
from ..program import Cost, Program
from .branching import BranchAndBound

_LEAST_LIMIT = 5000
_CELLS = 1 << 26  # of the table of rules and entities, beyond which no more than _LEAST_LIMIT rules are taken
_AT_ONCE = 1 << 26  # cells of that table that are filled in a unit of work
_FIRST = 80  # columns of least reduced cost that the first linear program starts with


def bytes_per_rule(program: Program) -> int:
    """Bytes that an enumerated rule takes while the integer program is made and branched on, about."""
    return 400 + program.n_patterns // 8 + 6 * len(program.watched)


class Closing:
    """Enumerates the rules whose reduced cost is within the gap, then branches.

    Every rule of a set that costs less than ``upper`` has a reduced cost of at most ``upper - step - bound``, ``bound``
    the linear one of the dual point, since the reduced costs of the set's rules add up on top of it. Where there are
    more such rules than ``most_columns``, or than memory bears, those within a quarter of the gap, a sixteenth and so
    on are taken instead (``partial``): what is found among them is a heuristic, and nothing can be closed.

    ``lower``, ``upper``: no rule set costs less; cost of the best one known, which is ``found`` where this has found
    it. ``unresolved``: done, but for sets that arithmetic could not tell from the best one, of which there are too
    many. ``rules``: those enumerated.
    """

    def __init__(self, generation: ColumnGeneration, lower: Cost, upper: Cost, most_columns: int) -> None:
        assert generation.closing_point is not None
        point, price = generation.closing_point
        program, features = generation.program, generation.features
        self.program, self.features = program, features
        self.lower, self.upper = lower, upper
        self.partial = self.done = self.unresolved = False
        self.rules: tuple[Clause, ...] = ()
        self.found: tuple[Clause, ...] | None = None
        self.n_columns = self.nodes = 0
        self._point, self._price, self._max_conditions = point, price, generation.max_conditions
        self._most_columns = min(most_columns, max(_LEAST_LIMIT, _CELLS // max(1, len(program.watched))))
        self._nodes_per_unit = generation.nodes_per_unit
        self._pool = Pool(program, features)
        self._shared = generation.pool
        self._entered = 0
        self._columns: Columns | None = None
        self._branching: BranchAndBound | None = None
        self._slack = point.grid_floor(program.below(upper)) - (point.total - price * program.max_complexity)
        self._enumerator: Enumerator | None = self._new_enumerator()

    def _new_enumerator(self) -> Enumerator:
        point = self._point
        slack = min(self._slack, LARGEST_SUM)  # no rule sums up to less than minus that
        threshold = np.maximum(point.charge(self._price, self._max_conditions) - slack, 1 - LARGEST_SUM)
        return Enumerator(self.features, point.weight, threshold, self._max_conditions, self._most_columns)

    @property
    def nbytes(self) -> int:
        """Bytes of the rules enumerated, of their columns and of the branch and bound."""
        parts = (self._pool, self._enumerator, self._columns, self._branching)
        return sum(part.nbytes for part in parts if part is not None)

    @property
    def queued(self) -> int:
        """Open nodes of the branch and bound."""
        return 0 if self._branching is None else len(self._branching.stack)

    @property
    def branching_nodes(self) -> int:
        """Nodes of the branch and bound so far."""
        return 0 if self._branching is None else self._branching.nodes

    def advance(self) -> None:
        """One unit of work: some nodes of the enumeration, some rules entered, or a node of the branch and bound."""
        if self._enumerator is not None:
            self._enumerate()
        elif self._entered < len(self.rules):
            self._enter()
        elif self._branching is None:
            self._begin()
        else:
            self._branch()

    def _enumerate(self) -> None:
        assert self._enumerator is not None
        before = self._enumerator.nodes
        ended = self._enumerator.advance(self._nodes_per_unit, 1)
        self.nodes += self._enumerator.nodes - before
        if not ended:
            return
        if self._enumerator.overflow:
            self.partial = True
            self._slack //= 4
            self._enumerator = self._new_enumerator() if self._slack > 0 else None
            self.done = self._enumerator is None
            return
        self.rules, self._enumerator = self._enumerator.rules, None
        self.done = self.partial and not self.rules

    def _enter(self) -> None:
        """Some of the rules go to the pool: to that of the search where they are not all."""
        rows = max(1, _AT_ONCE // (self.program.n_patterns + len(self.program.watched)))
        entering = self.rules[self._entered : self._entered + rows]
        (self._shared if self.partial else self._pool).add(entering)
        self._entered += len(entering)
        self.done = self.partial and self._entered == len(self.rules)

    def _begin(self) -> None:
        """Merge the columns, then begin to branch."""
        self.n_columns = len(self._pool)
        if self._columns is None:
            self._columns = self._pool.columns(np.arange(self.n_columns)).merged()
            return
        columns, self._columns = self._columns, None
        sums = self._pool.sums(np.arange(self.n_columns), self._point.weight)
        reduced = (self._price + self._point.penalty) * columns.complexity - sums
        first = np.argsort(reduced, kind="stable")[:_FIRST]
        self._branching = BranchAndBound(self.program, columns, self.upper, self.lower, first)

    def _branch(self) -> None:
        branching = self._branching
        assert branching is not None
        if branching.open:
            branching.advance()
        if branching.upper < self.upper:
            assert branching.best is not None
            self.upper = branching.upper
            self.found = tuple(self._pool.rules[k] for k in branching.best)
        self.lower = max(self.lower, min(branching.bound, self.upper))
        self.done = not branching.open
        self.unresolved = self.done and branching.unresolved
