"""Exact branch and bound for the integer program over given columns; every bound is checked in integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from .dual import floor, kind_prices, price_on_grid
from .master import Basis, Fixed, MasterSolution, solve_master
from .pool import Columns
from .program import Cost, Program, by_place
from .sparse import row_sums, sparse_rows

_INTEGRAL = 1e-6
_TOLERANCE = 1e-6  # of a reduced cost
_WORTH_ROUNDING = 0.25
_NEAR_NODES = 3000  # looked at one by one, where bounds cannot tell them from the best set
_NEW_COLUMNS = 40
_LARGEST_PRICE = 1 << 58


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the sets of columns: those that hold ``inside`` and otherwise only columns of ``free``.

    Attributes
    ----------
    inside : tuple of int
        Columns.
    free : int64 array
        Columns, ascending.
    bound : int or Fraction
        No set of this part costs less.
    working : int64 array
        Columns that the last LP needed.
    basis : Basis or None
        Of that LP.
    """

    inside: tuple[int, ...]
    free: np.ndarray
    bound: Cost
    working: np.ndarray
    basis: Basis | None


@dataclass(frozen=True, eq=False)
class _Relaxation:
    """What an LP says about a node; the bounds are exact.

    ``use``: primal value of each free column. ``helps``: whether a set that also holds it can cost less than the best.
    """

    bound: Cost
    use: np.ndarray
    helps: np.ndarray
    working: np.ndarray
    basis: Basis


@dataclass(eq=False)
class BranchAndBound:
    """Depth first; ask `open`, call `advance` once per node.

    Where 64-bit arithmetic is not exact, parts whose bound is next to the best cost wait until all others are done.

    Attributes
    ----------
    program : Program
    columns : Columns
        Merged.
    upper : int or Fraction
        Only sets that cost less than this are looked for.
    lower : int or Fraction
        No set costs less.
    first : int64 array
        Columns for the first LP.
    best : tuple of int or None
        The best set found, as columns.
    stack, near : list of Node
        Those to look at, and those that wait.
    nodes : int
        Nodes looked at.
    """

    program: Program
    columns: Columns
    upper: Cost
    lower: Cost
    first: np.ndarray
    best: tuple[int, ...] | None = None
    stack: list[Node] = field(default_factory=list)
    near: list[Node] = field(default_factory=list)
    nodes: int = 0

    def __post_init__(self) -> None:
        self._sparse = sparse_rows(self.columns.hits)
        self._near_nodes = 0
        self.stack.append(Node((), np.arange(len(self.columns)), self.lower, np.sort(self.first), None))

    @property
    def open(self) -> bool:
        return bool(self.stack) or (bool(self.near) and self._near_nodes < _NEAR_NODES)

    @property
    def unresolved(self) -> bool:
        """Whether parts are left that arithmetic cannot tell from the best set."""
        return not self.open and any(node.bound < self.upper for node in self.near)

    @property
    def bound(self) -> Cost:
        """No set of these columns costs less."""
        return min([self.upper, *(node.bound for node in (*self.stack, *self.near))])

    def advance(self) -> None:
        """Look at one node."""
        if self.stack:
            node = self.stack.pop()
        else:
            node = self.near.pop()
            self._near_nodes += 1
        self.nodes += 1
        if node.bound >= self.upper:
            return
        if self._near_nodes == 0 and node.bound > self.upper - self.program.resolution:
            self.near.append(node)
            return
        fixed, covers = self._fix(node.inside)
        self._offer(node.inside, fixed, covers)
        free = node.free[self.columns.complexity[node.free] <= fixed.room]
        if not self.program.constraints:
            free = free[self._sums(fixed.alive.astype(np.int64), free) > 0]
        if not len(free):
            return
        relaxed = self._relax(node, free, fixed, covers)
        bound = max(relaxed.bound, node.bound)
        if bound >= self.upper:
            return
        self._round(node.inside, free, relaxed.use)
        free, use = free[relaxed.helps], relaxed.use[relaxed.helps]
        if bound >= self.upper or not len(free):
            return
        fraction = np.minimum(use, 1.0)
        between = (fraction > _INTEGRAL) & (fraction < 1 - _INTEGRAL)
        k = int(np.argmax(np.where(between, 2 - np.abs(fraction - 0.6), fraction)))
        rest, working = np.delete(free, k), relaxed.working[relaxed.working != free[k]]
        parts = self.near if self._near_nodes else self.stack
        parts.append(Node(node.inside, rest, bound, working, relaxed.basis))
        parts.append(Node((*node.inside, int(free[k])), rest, bound, working, relaxed.basis))

    def _relax(self, node: Node, free: np.ndarray, fixed: Fixed, covers: np.ndarray) -> _Relaxation:
        """Solve the LP over the columns that matter: those it lacks are added until none would gain."""
        working, basis = np.intersect1d(node.working, free), node.basis
        while True:
            solution = solve_master(self.program, self.columns.some(working), fixed, basis)
            basis = solution.basis
            bound, reduced, helps = self._bound(solution, free, fixed, covers)
            if bound >= self.upper:
                break
            lacking = np.flatnonzero((reduced < -_TOLERANCE * self._grid) & ~np.isin(free, working))
            if not len(lacking):
                break
            lacking = lacking[np.argsort(reduced[lacking], kind="stable")[:_NEW_COLUMNS]]
            working = np.concatenate([working, free[lacking]])
        use = np.zeros(len(free))
        use[np.searchsorted(free, working)] = solution.use
        return _Relaxation(bound, use, helps, working, basis)

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
