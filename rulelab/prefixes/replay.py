"""What the kernels do with each child of a prefix, told by letting them expand it in a copy of the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels.growing import CUT, OPEN, Group, resized, table_size

_ENOUGH = 1 << 40
WORTHLESS = 1 << 61
"""The cost of an incumbent that lets nothing be cut."""
Advance = Callable[[Any, int, int, int], int]
"""A kernel: takes the store, units of work, effort, and a bound by its place, or -1, that is not to be used."""


def path_to(store: Any, node: int) -> tuple[int, ...]:
    """The rules of a stored prefix."""
    path = []
    while store.parent[node] >= 0:
        path.append(int(store.rule[node]))
        node = int(store.parent[node])
    return tuple(reversed(path))


@dataclass(frozen=True)
class Places:
    """Where things stand in an engine's store."""

    of: Any  # the module that names the positions in ``numbers``
    nodes: Group  # the arrays with an entry per prefix
    heap: Group  # those of the queue: keys, then nodes
    purged: int | None  # position in ``pruned`` of what a new incumbent drops from the queue
    lengths: str = "queue_by_length"  # the array with an entry for each length that a prefix can have


@dataclass(frozen=True)
class Children:
    """What becomes of each child of a prefix, by the engine's own antecedents."""

    prefix: tuple[int, ...]  # the engine's antecedents
    fate: np.ndarray  # int, shape (m,): as in `rulelab.kernels.growing`; ``CUT`` and more where a bound cuts the child
    key: np.ndarray  # int, shape (m,): the lower bound of those that are stored, on the grid; 0 elsewhere
    prefix_cut: int  # the place of the bound by which the search would not expand the prefix at all; -1 where it would
    best: int  # the incumbent's cost


def children(
    store: Any,
    at: Places,
    m: int,
    prefix: tuple[int, ...] | None,
    extended: Callable[[Any, int, int], dict[str, Any]],
    advance: Advance,
    first_best: int | None = None,
) -> Children:
    """What becomes of the children of a prefix of the ``m`` antecedents; None: of the one expanded last.

    ``extended``: what the arrays of nodes have of a node with one more rule. ``first_best``: the incumbent's cost while
    the prefix is taken off the queue, so that its own bound does not cut it.
    """
    if prefix is None:
        prefix = path_to(store, int(store.numbers[at.of.LAST_NODE]))
    replay = Replay(store, at, m, prefix)
    node, more = replay.stored()
    for a in more:
        node = replay.add(node, a, extended(replay.store, node, a))
    return replay.expand(node, advance, first_best)


class Replay:
    """A copy of a store in which one prefix is expanded, child by child; ValueError where it is too long."""

    def __init__(self, store: Any, at: Places, m: int, prefix: tuple[int, ...]) -> None:
        self.at, self.m, self.prefix = at, m, prefix
        longest = len(getattr(store, at.lengths)) - 2
        if len(prefix) > longest:
            raise ValueError(f"prefix: of {len(prefix)} rules; no list of more than {longest} can be the best")
        self.real = store
        copy = type(store)(*(np.array(array) for array in store))
        wanted = int(store.numbers[at.nodes.used]) + len(prefix) + m + 1
        for name in {*at.nodes.names, *at.heap.names}:
            if len(getattr(copy, name)) < wanted:
                copy = resized(copy, (name,), wanted)
        for name in at.nodes.tables:
            size = table_size(2 * wanted)
            if size > len(getattr(copy, name)):
                copy = copy._replace(**{name: np.empty(size, dtype=np.int32)})
                copy.numbers[at.of.TABLE_IS_STALE] = 1
        copy.numbers[at.of.OPEN_NODE] = -1
        self.store = copy

    def stored(self) -> tuple[int, tuple[int, ...]]:
        """The node of the longest stored part of the prefix, and the antecedents that come after it."""
        store, n = self.real, int(self.real.numbers[self.at.nodes.used])
        node = 0
        for k, antecedent in enumerate(self.prefix):
            found = np.flatnonzero((store.parent[:n] == node) & (store.rule[:n] == antecedent))
            if not len(found):
                return node, self.prefix[k:]
            node = int(found[-1])
        return node, ()

    def add(self, parent: int, rule: int, values: dict[str, Any]) -> int:
        """A node with one more rule, and these entries of the arrays of nodes; the others are 0."""
        node, length = int(self.store.numbers[self.at.nodes.used]), self.store.length[parent] + 1
        values = {**values, "parent": parent, "rule": rule, "length": length}
        for name in self.at.nodes.names:
            getattr(self.store, name)[node] = values.get(name, 0)
        self.store.numbers[self.at.nodes.used] += 1
        return node

    def expand(self, node: int, advance: Advance, first_best: int | None) -> Children:
        """Let the kernel expand the node of the prefix."""
        store, at, numbers = self.store, self.at, self.store.numbers
        while numbers[at.of.TABLE_IS_STALE]:
            advance(store, 0, _ENOUGH, -1)
        best = int(numbers[at.of.BEST])
        fate, key = np.full(self.m, OPEN, dtype=np.int64), np.zeros(self.m, dtype=np.int64)
        cut = self._open(node, advance, fate, key, best if first_best is None else first_best)
        numbers[at.of.BEST] = min(best, int(numbers[at.of.BEST]))
        while numbers[at.of.OPEN_NODE] == node:
            self._step(advance, fate, key)
        self._overwrite(node, fate, key)
        return Children(self.prefix, fate, key, cut, best)

    def _open(self, node: int, advance: Advance, fate: np.ndarray, key: np.ndarray, best: int) -> int:
        """Take the node off a queue that holds nothing else; the bound that cuts it, or -1."""
        store, at, numbers = self.store, self.at, self.store.numbers
        without = cut = -1
        for _ in range(len(store.pruned) + 1):
            was = int(numbers[at.of.BEST])
            keys, nodes = (getattr(store, name) for name in at.heap.names)
            keys[0], nodes[0] = 0, node
            if "priority" in at.nodes.names:
                store.priority[node] = 0
            kept = int(store.key[node])
            store.key[node] = 0
            store.fate[node] = OPEN
            numbers[at.heap.used] = numbers[at.of.N_QUEUED] = 1
            numbers[at.of.BEST] = best
            before = store.pruned.copy()
            self._step(advance, fate, key, without)
            numbers[at.of.BEST] = min(was, int(numbers[at.of.BEST]))
            store.key[node] = kept
            if numbers[at.of.OPEN_NODE] == node or store.fate[node] < CUT:
                return cut
            changed = np.flatnonzero(store.pruned > before)
            without = int(store.fate[node]) - CUT
            cut = without if cut < 0 else cut
            if not len(changed):
                return cut
        return cut

    def _step(self, advance: Advance, fate: np.ndarray, key: np.ndarray, without: int = -1) -> None:
        """One call of the kernel, which opens the prefix, looks at a child, or both."""
        store, at, numbers = self.store, self.at, self.store.numbers
        opened = numbers[at.of.OPEN_NODE] >= 0
        child = int(numbers[at.of.OPEN_CHILD]) if opened else 0
        before, n = store.pruned.copy(), int(numbers[at.nodes.used])
        advance(store, 1, 1, without)
        done = int(numbers[at.of.OPEN_CHILD])
        if done <= child or (not opened and numbers[at.of.OPEN_NODE] < 0 and done < self.m):
            return
        more = store.pruned - before
        if at.purged is not None:
            more[at.purged] = 0
        stored = numbers[at.nodes.used] > n
        if stored or not more.any():
            if stored:
                key[done - 1] = store.key[n]
            fate[child:done] = OPEN
        else:
            fate[child:done] = CUT + int(np.argmax(more))

    def _overwrite(self, node: int, fate: np.ndarray, key: np.ndarray) -> None:
        """Children that the search has stored already have the fate that they have there."""
        store, n = self.real, int(self.real.numbers[self.at.nodes.used])
        for child in np.flatnonzero(store.parent[:n] == node).tolist():
            fate[store.rule[child]], key[store.rule[child]] = store.fate[child], store.key[child]
