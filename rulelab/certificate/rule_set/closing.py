"""Whether some set of given rules costs less than a model: an exact branch and bound on dual values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..parts import CELLS, PRODUCTS, look, parts, select, unique_rows
from .columns import Effort

MOST_CELLS = 1_000_000_000_000  # most cells of rules and patterns that are looked at, some minutes of work
_SET, _TEST = 1_000_000, 20  # cells of work for each set, and for each pattern of a set that is tested
_AT_ONCE = 256  # rules whose overlaps with all others are in memory


@dataclass(frozen=True, eq=False)
class SetCosts:
    """What sets of rules cost above the dual bound: sums of terms that are at least 0.

    A set costs ``prices`` for each unit of a kind that it leaves unused of ``room``, ``reduced`` for each of its rules,
    and for each pattern ``missed`` when none of its rules covers it, else ``first`` once and ``again`` for every rule
    that covers it beyond one.
    """

    # prices, room (int64, shape (n_kinds,)): the first kind are the units of complexity
    prices: np.ndarray
    room: np.ndarray
    reduced: np.ndarray  # int64, shape (n_rules,)
    sizes: np.ndarray  # int64, shape (n_rules, n_kinds): what each rule takes of the room; of complexity at least 1
    missed: np.ndarray  # int64, shape (n_patterns,)
    first: np.ndarray  # int64, shape (n_patterns,)
    again: np.ndarray  # int64, shape (n_patterns,)


class _Node(NamedTuple):
    """Some rules, and those that may join them.

    ``cells``, uint8 of shape (n_candidates, n_left), says which of the patterns that are not covered yet (``left``) a
    candidate covers; ``extra`` is what a candidate costs at least; ``spent`` is what is certain to be paid.
    """

    rules: tuple[int, ...]
    room: np.ndarray
    spent: float
    candidates: np.ndarray
    extra: np.ndarray
    left: np.ndarray
    cells: np.ndarray


class Closing:
    """Search for a set of rules of total cost at most ``slack`` that is better than a model.

    While rules are added one by one, the terms of `SetCosts` that are certain only grow; what further rules can take
    off the others, they take off one by one at most, a knapsack whose fractional solution is a bound.

    ``covered`` (uint8 array, shape (n_rules, n_patterns)). ``is_better``: whether a set within the slack, a tuple of
    rules, is better than the model indeed. ``sets`` (int): looked at so far.
    """

    def __init__(
        self, covered: np.ndarray, costs: SetCosts, slack: int, is_better: Callable[[tuple[int, ...]], bool]
    ) -> None:
        self.n_patterns = covered.shape[1]
        _, member, kind = unique_rows(covered.T)
        self.cells = select(covered, np.arange(len(covered)), member)
        missed, first, again = (
            np.bincount(kind, weights=values, minlength=len(member))
            for values in (costs.missed, costs.first, costs.again)
        )
        self.missed = missed
        self.fee, self.overlap = np.maximum(first - again, 0), np.maximum(again - first, 0)
        self.worth = np.maximum(missed - self.fee, 0)
        self.base = costs.reduced + self._sums(self.cells, np.minimum(first, again))
        self.sizes, self.room = costs.sizes, costs.room
        self.prices, self.slack = costs.prices.astype(np.float64), float(slack)
        self.is_better = is_better
        self.effort = Effort(MOST_CELLS, "the search for a better set of the rules that are left")
        self.sets = 0

    def finds_better(self) -> bool:
        """Whether there is a better set within the slack; GaveUpError after `MOST_CELLS`."""
        n, kinds = self.cells.shape
        if float(self.prices @ self.room) + self.missed.sum() <= self.slack and self.is_better(()):
            return True
        root = _Node((), self.room, 0.0, np.arange(n), self.base, np.arange(kinds), self.cells)
        stack = [self._children(root)]
        while stack:
            look()
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
            elif isinstance(child, _Node):
                stack.append(self._children(child))
            else:
                self.effort.spend(_TEST * self.n_patterns * len(child))
                if self.is_better(child):
                    return True
        return False

    def _children(self, node: _Node) -> Iterator[_Node | tuple[int, ...]]:
        """Sets within the slack with one rule more, and the nodes that may lead to larger ones."""
        missed, prices = self.missed[node.left], self.prices
        stopped = node.spent + float(prices @ node.room) + float(missed.sum())
        sizes = self.sizes[node.candidates]
        worth = self._sums(node.cells, self.worth[node.left])
        order, enough = self._promising(node, worth + sizes @ prices - node.extra, stopped - self.slack)
        if not len(order):
            return
        candidates, cells = node.candidates[order], node.cells[order]
        sizes, extra = sizes[order], node.extra[order]
        covered = cells.any(axis=0)
        certain = node.spent + float(missed[~covered].sum())
        if certain + float(prices @ np.maximum(0, node.room - sizes.sum(axis=0))) > self.slack:
            return
        left, cells = node.left[covered], cells[:, covered]
        fees = self._sums(cells, self.fee[left])
        if_last = stopped + extra + fees - sizes @ prices - self._sums(cells, self.missed[left])
        spent = certain + extra + fees
        self.sets += len(enough)
        for start in range(0, len(enough), _AT_ONCE):
            tried = enough[start : start + _AT_ONCE]
            overlaps = self._overlaps(cells, tried, left)
            for k, overlap in zip(tried.tolist(), overlaps, strict=True):
                rules = (*node.rules, int(candidates[k]))
                if if_last[k] <= self.slack:
                    yield rules
                room = node.room - sizes[k]
                later = extra[k + 1 :] + overlap[k + 1 :]
                fits = (sizes[k + 1 :] <= room).all(axis=1)
                joins = k + 1 + np.flatnonzero(fits & (spent[k] + later <= self.slack))
                if not len(joins):
                    continue
                open_ = cells[k] == 0
                rest = np.ascontiguousarray(cells[joins][:, open_])
                yield _Node(
                    rules, room, float(spent[k]), candidates[joins], extra[joins] + overlap[joins], left[open_], rest
                )

    def _promising(self, node: _Node, gain: np.ndarray, needed: float) -> tuple[np.ndarray, np.ndarray]:
        """Candidates that may take part in a set within the slack, and which of them may be its first.

        ``gain``: what each takes off the cost of the node's rules alone, at most; ``needed``: what all must take off.
        """
        sizes = self.sizes[node.candidates]
        fits = np.flatnonzero((sizes <= node.room).all(axis=1) & (node.spent + node.extra <= self.slack))
        size, room = sizes[:, 0], int(node.room[0])
        order = fits[np.argsort(-gain[fits] / size[fits], kind="stable")]
        gain, size = gain[order], size[order]
        positive = np.maximum(gain, 0)
        sizes, gains = np.cumsum(np.append(0, size)), np.cumsum(np.append(0.0, positive))

        def most(start: np.ndarray | int, room: np.ndarray) -> np.ndarray:
            """What the candidates from the given one on can take off at most."""
            end = np.searchsorted(sizes, sizes[start] + room, side="right") - 1
            part = np.append(positive / size, 0.0)[end] * (sizes[start] + room - sizes[end])
            return (gains[end] - gains[start] + part) * (1 + 1e-9) + 1

        if not len(order):
            return order, order
        kept = gain + most(0, room - size) >= needed
        first = gain + most(np.arange(1, len(order) + 1), room - size) >= needed
        place = np.cumsum(kept) - 1
        return order[kept], place[kept & first]

    def _sums(self, cells: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Weight of the cells of each row; sums of integers below 2^53 are exact."""
        some = np.flatnonzero(weight)
        out = np.zeros(len(cells))
        for block in parts(len(some), len(cells), CELLS):
            part = some[block]
            out += cells[:, part].astype(np.float64) @ weight[part]
        return out

    def _overlaps(self, cells: np.ndarray, tried: np.ndarray, left: np.ndarray) -> np.ndarray:
        """What it costs that two rules cover the same patterns: float array, shape (len(tried), len(cells))."""
        self.effort.spend(len(tried) * (cells.size + _SET))
        weight = self.overlap[left]
        some = np.flatnonzero(weight)
        out = np.zeros((len(tried), len(cells)))
        for block in parts(len(some), len(cells), min(CELLS, PRODUCTS // max(1, len(tried)))):
            part = some[block]
            values = cells[:, part].astype(np.float64)
            out += (values[tried] * weight[part]) @ values.T
        return out
