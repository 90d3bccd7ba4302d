"""Closing the gap: all rules that a better set can hold, then the integer program over them, exactly, in integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

import numpy as np

from .features import row_sums, sparse_rows
from .generation import ColumnGeneration
from .master.dual_bound import kind_prices, price_on_grid
from .master.linear_program import Basis, Fixed, MasterSolution, MasterSolve
from .pool import Clause, Columns, Pool
from .pricing.exact import LARGEST_SUM, Enumerator
from .program import Cost, Program, by_place

_INTEGRAL = 1e-6
_TOLERANCE = 1e-6  # of a reduced cost
_WORTH_ROUNDING = 0.25
NEAR_NODES = 3000  # looked at one by one, where bounds cannot tell them from the best set
_NEW_COLUMNS = 40
_LARGEST_PRICE = 1 << 58
_EFFORT = 80_000_000  # nanoseconds of linear programs as estimated, after which a unit of work ends within a node
_PER_SUM = 2  # of a cell of the columns, when they are priced
_LEAST_LIMIT = 5000
_CELLS = 1 << 26  # of the table of rules and entities, beyond which no more than _LEAST_LIMIT rules are taken
_AT_ONCE = 1 << 26  # cells of that table that are filled in a unit of work
_FIRST = 80  # columns of least reduced cost that the first linear program starts with


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the sets of columns: those that hold ``inside`` and otherwise only columns of ``free``."""

    inside: tuple[int, ...]  # columns
    free: np.ndarray  # int64: columns, ascending
    bound: Cost  # no set of this part costs less
    working: np.ndarray  # int64: columns that the last LP needed
    basis: Basis | None  # of that LP

    @property
    def nbytes(self) -> int:
        """Bytes of its own, and its half of those of the basis."""
        return self.free.nbytes + self.working.nbytes + (0 if self.basis is None else self.basis.nbytes // 2)


@dataclass(eq=False)
class _Visit:
    """A node that is being looked at, and what the last LP says about it; bounds are exact."""

    node: Node
    free: np.ndarray  # columns that can still help
    fixed: Fixed
    covers: np.ndarray
    working: np.ndarray
    basis: Basis | None
    solve: MasterSolve | None = None
    bound: Cost = 0
    use: np.ndarray = field(init=False)  # primal value of each free column
    helps: np.ndarray = field(init=False)  # whether a set that also holds it can cost less than the best


@dataclass(eq=False)
class BranchAndBound:
    """Depth first; ask `open`, call `advance`: once per node, or several times where its linear programs are long.

    Where 64-bit arithmetic is not exact, parts whose bound is next to the best cost wait until all others are done.
    """

    program: Program
    columns: Columns  # merged
    upper: Cost  # only sets that cost less than this are looked for
    lower: Cost  # no set costs less
    first: np.ndarray  # int64: columns for the first LP
    best: tuple[int, ...] | None = None  # the best set found, as columns
    # stack, near: those to look at, and those that wait
    stack: list[Node] = field(default_factory=list)
    near: list[Node] = field(default_factory=list)
    nodes: int = 0  # nodes looked at

    def __post_init__(self) -> None:
        self._sparse = sparse_rows(self.columns.hits)
        self._near_nodes = 0
        self._visit: _Visit | None = None
        self._node_bytes = 0
        self._push(self.stack, Node((), np.arange(len(self.columns)), self.lower, np.sort(self.first), None))

    @property
    def open(self) -> bool:
        return self._visit is not None or bool(self.stack) or (bool(self.near) and self._near_nodes < NEAR_NODES)

    @property
    def unresolved(self) -> bool:
        """Whether parts are left that arithmetic cannot tell from the best set."""
        return not self.open and any(node.bound < self.upper for node in self.near)

    @property
    def bound(self) -> Cost:
        """No set of these columns costs less."""
        visited = [] if self._visit is None else [self._visit.node]
        return min([self.upper, *(node.bound for node in (*self.stack, *self.near, *visited))])

    @property
    def is_between(self) -> bool:
        """Whether the last node is done."""
        return self._visit is None

    @property
    def nbytes(self) -> int:
        """Bytes of the columns and of the open nodes."""
        out = self.columns.nbytes + sum(part.nbytes for part in self._sparse) + self._node_bytes
        return out + (0 if self._visit is None or self._visit.solve is None else self._visit.solve.nbytes)

    def advance(self) -> None:
        """One unit of work: a node, or some of the work on its linear programs."""
        if self._visit is None:
            self._visit = self._begin()
        if self._visit is None:
            return
        visit = self._visit
        if self._relax(visit):
            self._visit = None
            self._branch(visit)

    def _push(self, parts: list[Node], node: Node) -> None:
        parts.append(node)
        self._node_bytes += node.nbytes

    def _begin(self) -> _Visit | None:
        """Take the next node; None when it is done without a linear program."""
        if self.stack:
            node = self.stack.pop()
        else:
            node = self.near.pop()
            self._near_nodes += 1
        self._node_bytes -= node.nbytes
        self.nodes += 1
        if node.bound >= self.upper:
            return None
        if self._near_nodes == 0 and node.bound > self.upper - self.program.resolution:
            self._push(self.near, node)
            return None
        fixed, covers = self._fix(node.inside)
        self._offer(node.inside, fixed, covers)
        free = node.free[self.columns.complexity[node.free] <= fixed.room]
        if not self.program.constraints:
            free = free[self._sums(fixed.alive.astype(np.int64), free) > 0]
        if not len(free):
            return None
        return _Visit(node, free, fixed, covers, np.intersect1d(node.working, free), node.basis)

    def _branch(self, visit: _Visit) -> None:
        node, free = visit.node, visit.free
        bound = max(visit.bound, node.bound)
        if bound >= self.upper:
            return
        self._round(node.inside, free, visit.use)
        free, use = free[visit.helps], visit.use[visit.helps]
        if bound >= self.upper or not len(free):
            return
        fraction = np.minimum(use, 1.0)
        between = (fraction > _INTEGRAL) & (fraction < 1 - _INTEGRAL)
        k = int(np.argmax(np.where(between, 2 - np.abs(fraction - 0.6), fraction)))
        rest, working = np.delete(free, k), visit.working[visit.working != free[k]]
        parts = self.near if self._near_nodes else self.stack
        self._push(parts, Node(node.inside, rest, bound, working, visit.basis))
        self._push(parts, Node((*node.inside, int(free[k])), rest, bound, working, visit.basis))

    def _relax(self, visit: _Visit) -> bool:
        """Solve the LP over the columns that matter, adding those it lacks; False: a unit of work is done before."""
        free, fixed, effort = visit.free, visit.fixed, 0
        while True:
            if visit.solve is None:
                visit.solve = MasterSolve(self.program, self.columns.some(visit.working), fixed, visit.basis)
            solve, before = visit.solve, visit.solve.effort
            solution = solve.advance()
            effort += solve.effort - before
            if solution is not None:
                visit.solve, visit.basis = None, solution.basis
                visit.bound, reduced, visit.helps = self._bound(solution, free, fixed, visit.covers)
                lacking = np.flatnonzero((reduced < -_TOLERANCE * self._grid) & ~np.isin(free, visit.working))
                if visit.bound >= self.upper or not len(lacking):
                    visit.use = np.zeros(len(free))
                    visit.use[np.searchsorted(free, visit.working)] = solution.use
                    return True
                lacking = lacking[np.argsort(reduced[lacking], kind="stable")[:_NEW_COLUMNS]]
                visit.working = np.concatenate([visit.working, free[lacking]])
                effort += _PER_SUM * len(self._sparse[1])
            if effort > _EFFORT:
                return False

    def _sums(self, weight: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Weight of the entities that each of some columns covers, int64."""
        out = np.empty(len(chosen), dtype=np.int64)
        row_sums(*self._sparse, weight, chosen, out)
        return out

    def _fix(self, inside: tuple[int, ...]) -> tuple[Fixed, np.ndarray]:
        program, columns, chosen = self.program, self.columns, list(inside)
        covers = columns.kind_whole[chosen].sum(axis=0)
        complexity = int(columns.complexity[chosen].sum())
        used = tuple(float(c.of_covers(covers)) for c in program.constraints)
        cost = program.constant + int((program.cover * covers).sum()) + program.penalty * complexity
        alive = ~np.asarray(columns.hits[chosen].any(axis=0), dtype=bool)
        return Fixed(alive, program.max_complexity - complexity, cost, used), covers

    def _offer(self, inside: tuple[int, ...], fixed: Fixed, covers: np.ndarray) -> None:
        """Take the set if it is the best that meets the constraints."""
        program, columns = self.program, self.columns
        uncovered = by_place(columns.whole[fixed.alive], columns.kind[fixed.alive], program.n_kinds)
        cost = fixed.cost + int((program.leave * uncovered).sum())
        if cost < self.upper and program.is_fair(uncovered, covers):
            self.upper, self.best = cost, inside

    def _round(self, inside: tuple[int, ...], free: np.ndarray, use: np.ndarray) -> None:
        """Offer what the LP solution suggests, the columns it uses most first."""
        chosen = list(inside)
        room = self.program.max_complexity - int(self.columns.complexity[chosen].sum())
        for k in np.argsort(-use, kind="stable").tolist():
            column = int(free[k])
            if use[k] < _WORTH_ROUNDING:
                break
            if self.columns.complexity[column] <= room:
                chosen.append(column)
                room -= int(self.columns.complexity[column])
        if len(chosen) > len(inside):
            self._offer(tuple(chosen), *self._fix(tuple(chosen)))

    def _bound(
        self, solution: MasterSolution, free: np.ndarray, fixed: Fixed, covers: np.ndarray
    ) -> tuple[Cost, np.ndarray, np.ndarray]:
        """The least cost of a set of this node, the columns' reduced costs on the grid, and which may help.

        A Lagrangian bound: what the dual values take, less the price of the room, less what columns gain beyond it.
        """
        program, columns = self.program, self.columns
        prices = kind_prices(program, solution.gamma)
        grid, kind, whole = prices.grid, columns.kind, columns.whole
        self._grid = float(grid / program.scale) * float(np.abs(program.leave).max())
        box = prices.leave[kind]
        pays = np.asarray(box >= 0, dtype=bool)
        most = max(1, fixed.room // 2)
        amount = prices.amounts(whole, np.where(pays, prices.shares(solution.share, kind), box))
        taken = np.where(fixed.alive, amount, 0)
        gain = np.where(fixed.alive, np.where(pays, amount, -prices.amounts(whole, (-box) // most)), 0)
        price = min(price_on_grid(program, solution.price, grid), _LARGEST_PRICE // program.max_complexity)
        own = prices.amounts(columns.kind_whole[free], prices.cover).sum(axis=1)
        reduced = own + (price + prices.penalty) * columns.complexity[free] - self._sums(gain, free)
        chosen_complexity = program.max_complexity - fixed.room
        total = (
            floor((program.constant + program.penalty * chosen_complexity) * grid)
            + int(prices.amounts(covers, prices.cover).sum())
            + prices.bounds
            + int(taken.sum())
            - price * fixed.room
            + sum(reduced[reduced < 0].tolist())
        )
        left = floor(program.below(self.upper) * grid) - total
        return program.round_up(Fraction(total) / grid), reduced, np.maximum(reduced, 0) <= min(left, _LARGEST_PRICE)


def bytes_per_rule(program: Program) -> int:
    """Bytes that an enumerated rule takes while the integer program is made and branched on, about."""
    return 400 + program.n_patterns // 8 + 6 * len(program.watched)


class Nearby:
    """Enumerates the rules whose reduced cost is within the slack at the dual point of the best linear bound.

    Where there are more than ``most``, or than memory bears, those within a quarter of it, a sixteenth and so on are
    taken instead (``partial``). ``rules``: those found, once it is ``done``.
    """

    def __init__(self, generation: ColumnGeneration, slack: int, most: int) -> None:
        assert generation.closing_point is not None
        self.point, self.price = generation.closing_point
        self.slack, self.partial, self.done = slack, False, False
        self.rules: tuple[Clause, ...] = ()
        self._features, self._max_conditions = generation.features, generation.max_conditions
        self._nodes = generation.nodes_per_unit
        self._most = min(most, max(_LEAST_LIMIT, _CELLS // max(1, len(generation.program.watched))))
        self._enumerator: Enumerator | None = self._begin()

    def _begin(self) -> Enumerator:
        slack = min(self.slack, LARGEST_SUM)  # no rule sums up to less than minus that
        threshold = np.maximum(self.point.charge(self.price, self._max_conditions) - slack, 1 - LARGEST_SUM)
        return Enumerator(self._features, self.point.weight, threshold, self._most)

    @property
    def nbytes(self) -> int:
        return 0 if self._enumerator is None else self._enumerator.nbytes

    def advance(self) -> None:
        """Some nodes of the enumeration."""
        assert self._enumerator is not None
        if not self._enumerator.advance(self._nodes, 1):
            return
        if self._enumerator.overflow:
            self.partial = True
            self.slack //= 4
            self.done = self.slack <= 0
        else:
            self.rules, self.done = self._enumerator.rules, True
        self._enumerator = None if self.done else self._begin()


class Closing:
    """Enumerates the rules whose reduced cost is within the gap, then branches.

    Every rule of a set that costs less than ``upper`` has a reduced cost of at most ``upper - step - bound``, ``bound``
    the linear one of the dual point, since the reduced costs of the set's rules add up on top of it. Where not all of
    them are taken (``partial``), what is found among them is a heuristic, and nothing can be closed.

    ``lower``, ``upper``: no rule set costs less; cost of the best one known, which is ``found`` where this has found
    it. ``unresolved``: done, but for sets that arithmetic could not tell from the best one, of which there are too
    many.
    """

    def __init__(self, generation: ColumnGeneration, lower: Cost, upper: Cost, most_columns: int) -> None:
        assert generation.closing_point is not None
        point, price = generation.closing_point
        self.program = program = generation.program
        self.lower, self.upper = lower, upper
        self.done = self.unresolved = False
        self.found: tuple[Clause, ...] | None = None
        self.n_columns = 0
        self._pool, self._shared = Pool(program, generation.features), generation.pool
        self._entered = 0
        self._columns: Columns | None = None
        self._branching: BranchAndBound | None = None
        slack = floor(program.below(upper) * point.grid) - (point.total - price * program.max_complexity)
        self._nearby = Nearby(generation, slack, most_columns)

    @property
    def partial(self) -> bool:
        """Whether not all rules are taken that a better set can hold."""
        return self._nearby.partial

    @property
    def nbytes(self) -> int:
        """Bytes of the rules enumerated, of their columns and of the branch and bound."""
        parts = (self._pool, self._nearby, self._columns, self._branching)
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
        if not self._nearby.done:
            self._nearby.advance()
            self.done = self._nearby.done and self.partial and not self._nearby.rules
        elif self._entered < len(self._nearby.rules):
            self._enter()
        elif self._branching is None:
            self._begin()
        else:
            self._branch()

    def _enter(self) -> None:
        """Some of the rules go to the pool: to that of the search where they are not all."""
        rows = max(1, _AT_ONCE // (self.program.n_patterns + len(self.program.watched)))
        entering = self._nearby.rules[self._entered : self._entered + rows]
        (self._shared if self.partial else self._pool).add(entering)
        self._entered += len(entering)
        self.done = self.partial and self._entered == len(self._nearby.rules)

    def _begin(self) -> None:
        """Merge the columns, then begin to branch."""
        self.n_columns = len(self._pool)
        if self._columns is None:
            self._columns = self._pool.columns(np.arange(self.n_columns)).merged()
            return
        columns, self._columns = self._columns, None
        point, price = self._nearby.point, self._nearby.price
        sums = self._pool.sums(np.arange(self.n_columns), point.weight)
        reduced = (price + point.penalty) * columns.complexity - sums
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
