"""Closing the gap: all rules that a better set can hold, then the integer program over them, exactly."""

from __future__ import annotations

import numpy as np

from .branching import BranchAndBound
from .enumeration import Enumerator
from .generation import ColumnGeneration
from .pool import Clause, Pool
from .pricing import LARGEST_SUM
from .program import Cost

_LEAST_LIMIT = 5000
_CELLS = 1 << 26  # of the table of rules and entities, beyond which no more than _LEAST_LIMIT rules are taken
_FIRST = 80  # columns of least reduced cost that the first linear program starts with


class Closing:
    """Enumerates the rules whose reduced cost is within the gap, then branches.

    Every rule of a set that costs less than ``upper`` has a reduced cost of at most ``upper - step - bound``,
    ``bound`` the linear one of the dual point, since the reduced costs of the set's rules add up on top of it. Where
    there are more such rules than ``most_columns``, or than memory bears, those within a quarter of the gap, a
    sixteenth and so on are taken instead: what is found among them is a heuristic.

    Attributes
    ----------
    lower : int or Fraction
        No rule set costs less.
    upper : int or Fraction
        Cost of the best set known.
    partial : bool
        Too many rules are within the gap: nothing can be closed.
    unresolved : bool
        Done, but for sets that arithmetic could not tell from the best one, of which there are too many.
    rules : tuple of rules
        Those enumerated.
    found : tuple of rules or None
        A set of cost ``upper``.
    done : bool
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
        self._branching: BranchAndBound | None = None
        self._slack = point.grid_floor(program.below(upper)) - (point.total - price * program.max_complexity)
        self._enumerator: Enumerator | None = self._new_enumerator()

    def _new_enumerator(self) -> Enumerator:
        point = self._point
        slack = min(self._slack, LARGEST_SUM)  # no rule sums up to less than minus that
        threshold = np.maximum(point.charge(self._price, self._max_conditions) - slack, 1 - LARGEST_SUM)
        return Enumerator(self.features, point.weight, threshold, self._max_conditions, self._most_columns)

    @property
    def queued(self) -> int:
        """Open nodes of the branch and bound."""
        return 0 if self._branching is None else len(self._branching.stack)

    @property
    def branching_nodes(self) -> int:
        """Nodes of the branch and bound so far."""
        return 0 if self._branching is None else self._branching.nodes

    def cut(self, upper: Cost) -> None:
        """Look only for sets that cost less than this, less than ``upper`` before."""
        self.upper = upper
        if self._branching is not None:
            self._branching.upper = upper

    def advance(self) -> None:
        """One unit of work: some nodes of the enumeration, or one of the branch and bound."""
        if self._enumerator is not None:
            self._enumerate()
        else:
            self._branch()

    def _enumerate(self) -> None:
        assert self._enumerator is not None
        before = self._enumerator.nodes
        ended = self._enumerator.advance(self._nodes_per_unit)
        self.nodes += self._enumerator.nodes - before
        if not ended:
            return
        result = self._enumerator.result()
        if not result.complete:
            self.partial = True
            self._slack //= 4
            self._enumerator = self._new_enumerator() if self._slack > 0 else None
            self.done = self._enumerator is None
            return
        self._enumerator = None
        self.rules = result.rules
        if self.partial:
            self.done = True
            return
        self._pool.add(result.rules)
        self.n_columns = len(self._pool)
        columns = self._pool.columns(np.arange(self.n_columns)).merged()
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
