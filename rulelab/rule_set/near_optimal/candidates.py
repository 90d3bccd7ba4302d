"""Every rule that a set within a bound can hold, with the duals that say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closing import Nearby
from ..features import Features, sparse_rows
from ..generation import ColumnGeneration
from ..master.dual_bound import DualPoint, kind_prices
from ..pool import Clause, Pool
from ..pricing.exact import LARGEST_SUM
from ..program import Program, by_place
from .kernels import Table

if TYPE_CHECKING:
    from ..search import RuleSetSearch

_AT_ONCE = 1 << 24  # cells of the table of rules and entities that are filled in a unit of work


class Candidates:
    """The rules whose reduced cost is within the distance to the linear bound; call `advance` until `done`.

    The reduced costs of a set's rules add up on top of the linear bound, and none is negative, so that no set of cost
    ``most`` holds any other rule; the best one costs ``least``. Of rules that cover the same patterns the shortest
    stands for all. Where there are too many, `Nearby` takes fewer: then ``most`` is less than what was asked for
    (``overflow``), and sets up to it are certain. ``rules``: in the order of the ``table``.
    """

    def __init__(self, search: RuleSetSearch, program: Program, best: Sequence[Clause]) -> None:
        self.program, self.features = program, Features.from_problem(search.problem, search.form)
        self.max_conditions = search.conditions
        pool = self._pool = Pool(program, self.features)
        self.least = self.most = int(program.cost(*pool.measure(pool.find_all(best))))
        self.overflow = False
        self.rules: tuple[Clause, ...] = ()
        self.table: Table | None = None
        self._most_rules = search.column_limit
        self._entered = 0
        self._point: tuple[DualPoint, int] | None = None
        self._nearby: Nearby | None = None
        self._generation: ColumnGeneration | None = None
        self.phase = "done"
        if self.features.n_used:
            pool.add(rule for rule in search.columns if len(rule) <= self.max_conditions)
            self._generation = ColumnGeneration(program, self.features, pool, self.max_conditions)
            self.phase = "pricing"

    @property
    def done(self) -> bool:
        return self.phase == "done"

    @property
    def nbytes(self) -> int:
        """Bytes of the rules, of what they cover and of what finds them."""
        parts: list[Any] = [self.features, self._pool, self._generation, self._nearby]
        tables = 0 if self.table is None else sum(array.nbytes for array in self.table)
        return tables + sum(part.nbytes for part in parts if part is not None)

    @property
    def bound(self) -> int:
        """What no set costs less than, on the grid of the dual values."""
        point, price = self._dual
        return point.total - price * self.program.max_complexity

    @property
    def grid(self) -> int:
        """Units of the grid per unit of cost; 1 where there is no rule."""
        if self._point is None:
            return 1
        grid = self._dual[0].grid
        assert isinstance(grid, int)  # as the masses are exact
        return grid

    def advance(self) -> None:
        """One unit of work."""
        if self.phase == "pricing":
            self._price()
        elif self.phase == "rules":
            self._enumerate()
        elif self.phase == "table":
            self._enter()

    @property
    def _dual(self) -> tuple[DualPoint, int]:
        assert self._point is not None
        return self._point

    def _price(self) -> None:
        generation = self._generation
        assert generation is not None
        generation.advance()
        if generation.done:
            self._point, self._generation = generation.closing_point, None
            slack = min(self.most * self.grid - self.bound, LARGEST_SUM)
            self._nearby = Nearby(generation, slack, self._most_rules)
            self.phase = "rules"

    def _enumerate(self) -> None:
        nearby = self._nearby
        assert nearby is not None
        nearby.advance()
        if nearby.partial:
            self.overflow = True
            self.most = (self.bound + nearby.slack) // self.grid
        if self.most < self.least or (
            nearby.partial and not nearby.slack
        ):  # not even the rules of the best sets are few enough
            self._nearby, self.phase = None, "done"
        elif nearby.done:
            self.rules, self._nearby = nearby.rules, None
            self._pool = Pool(self.program, self.features)
            self.phase = "table"

    def _enter(self) -> None:
        """Some rules' covers, or at last the table."""
        if self._entered < len(self.rules):
            rows = max(1, _AT_ONCE // (self.program.n_patterns + len(self.program.watched)))
            self._pool.add(self.rules[self._entered : self._entered + rows])
            self._entered += rows
            return
        chosen = np.flatnonzero(np.bitwise_count(self._pool.covers).any(axis=1)) if len(self._pool) else np.arange(0)
        self.rules, self.table = self._tabled(chosen)
        self._pool = Pool(self.program, self.features)
        self.phase = "done"

    def _tabled(self, chosen: np.ndarray) -> tuple[tuple[Clause, ...], Table]:
        """These rules of the pool, in the order of the table, and the table."""
        point, price = self._dual
        program, columns = self.program, self._pool.columns(chosen)
        prices = kind_prices(program, np.zeros(0))
        reduced = (price + point.penalty) * columns.complexity - self._pool.sums(chosen, point.weight)
        own = prices.amounts(columns.kind_whole, prices.cover).sum(axis=1) + prices.penalty * columns.complexity
        order = np.argsort(reduced, kind="stable")
        columns = columns.some(order)
        watched = program.watched
        group, first = columns.groups()
        amounts = prices.amounts(program.whole[watched], prices.leave[program.kind[watched]])
        leave = by_place(amounts, group, len(first))
        taken = by_place(np.where(amounts >= 0, point.taken, 0), group, len(first))
        start, entities = sparse_rows(columns.hits[:, first])
        table = Table(
            reduced=reduced[order].astype(np.int64),
            own=own[order].astype(np.int64),
            complexity=columns.complexity,
            start=start,
            entities=entities,
            covers=np.ascontiguousarray(self._pool.covers[chosen[order]]),
            leave=leave,
            taken=taken,
        )
        return tuple(self._pool.rules[k] for k in chosen[order].tolist()), table

    @property
    def without_rules(self) -> int:
        """What the set without rules costs, on the grid."""
        assert self.table is not None
        return self.program.constant * self.grid + int(self.table.leave.sum())
