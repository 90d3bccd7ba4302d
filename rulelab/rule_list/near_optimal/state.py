"""The state of an enumeration of near-optimal lists as flat arrays: partial classifiers, classifiers and the queue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import bytes_to_resize, table_size

# positions in Store.numbers
N_STATES, N_CLASSES, N_EDGES, N_HEAP, N_EMITTED, WORK = range(6)
OPEN_NODE, OPEN_CHILD, OPEN_KEY, OPEN_SEPARATED = range(6, 10)
N_NUMBERS = 10

LARGEST_TAIL = 12
"""Completions of more rules than this are bounded by their rules alone."""

NEVER = np.iinfo(np.int64).max

MOST_LISTS = 1 << 62
"""Numbers of lists are exact below this, and stop here."""


@by_reference
class Sets(NamedTuple):
    """Sets of patterns: the words of the patterns with a net weight, then those of the patterns without."""

    captures: np.ndarray  # uint64, shape (m, words)
    full: np.ndarray  # uint64, shape (words,)
    weighted: int  # words of the patterns with a net weight, which come first


@by_reference
class Limits(NamedTuple):
    """Costs of errors and rules, the largest cost of a list that counts, the most rules, and whether pairs of patterns
    bound costs once so many states are stored."""

    per_error: int
    per_rule: int
    threshold: int
    max_length: int
    separation: bool
    separate_after: int


@by_reference
class Store(NamedTuple):
    """States, classes, edges between states, and the queue of what is still to be looked at.

    ``states[i]`` is the uncaptured set, then the set predicted positive; ``stop[i]`` the cost of stopping there,
    ``class_of[i]`` the classifier that this makes, -1 when it exceeds the threshold. The queue holds states and, as
    ``-1 - class``, classes; ``emitted`` lists the classes in the order of their cost. An expansion can be left
    half-way: ``numbers`` has the open state, or -1, the antecedent it is to go on with, a bound of all lists through
    it, and whether there are multipliers for what it leaves.
    """

    states: np.ndarray
    cost: np.ndarray
    stop: np.ndarray
    class_of: np.ndarray
    length: np.ndarray
    parent: np.ndarray
    rule: np.ndarray
    classes: np.ndarray
    class_cost: np.ndarray
    class_state: np.ndarray
    is_emitted: np.ndarray
    emitted: np.ndarray
    edge_from: np.ndarray
    edge_to: np.ndarray
    edge_rule: np.ndarray
    heap_key: np.ndarray
    heap_item: np.ndarray
    state_table: np.ndarray
    class_table: np.ndarray
    numbers: np.ndarray
    scratch_counts: np.ndarray
    scratch_sums: np.ndarray
    scratch_state: np.ndarray
    scratch_class: np.ndarray


GROUPS = {
    N_STATES: ("states", "cost", "stop", "class_of", "length", "parent", "rule"),
    N_CLASSES: ("classes", "class_cost", "class_state", "is_emitted", "emitted"),
    N_EDGES: ("edge_from", "edge_to", "edge_rule"),
    N_HEAP: ("heap_key", "heap_item"),
}
"""The arrays that grow together, by the number of entries in use."""

TABLES = {N_STATES: "state_table", N_CLASSES: "class_table"}
"""The hash tables of entries."""


def new_store(sets: Sets, limits: Limits) -> Store:
    """An empty store with room for one expansion."""
    m, words = sets.captures.shape
    room = 4 * (m + 1)

    def integers(dtype: type = np.int64) -> np.ndarray:
        return np.zeros(room, dtype=dtype)

    numbers = np.zeros(N_NUMBERS, dtype=np.int64)
    numbers[OPEN_NODE] = -1
    tail = max(1, min(LARGEST_TAIL, limits.max_length))
    return Store(
        states=np.zeros((room, 2 * words), dtype=np.uint64),
        cost=integers(),
        stop=integers(),
        class_of=integers(np.int32),
        length=integers(np.int16),
        parent=integers(np.int32),
        rule=integers(np.int32),
        classes=np.zeros((room, words), dtype=np.uint64),
        class_cost=integers(),
        class_state=integers(np.int32),
        is_emitted=integers(np.uint8),
        emitted=integers(np.int32),
        edge_from=integers(np.int32),
        edge_to=integers(np.int32),
        edge_rule=integers(np.int32),
        heap_key=np.zeros(2 * room, dtype=np.int64),
        heap_item=np.zeros(2 * room, dtype=np.int64),
        state_table=np.full(table_size(room), -1, dtype=np.int32),
        class_table=np.full(table_size(room), -1, dtype=np.int32),
        numbers=numbers,
        scratch_counts=np.zeros((4, m), dtype=np.int64),
        scratch_sums=np.zeros((4, tail + 1), dtype=np.int64),
        scratch_state=np.zeros(2 * words, dtype=np.uint64),
        scratch_class=np.zeros(words, dtype=np.uint64),
    )


def emitted_of(store: Store, best_cost: int) -> np.ndarray:
    """The classes that were found, in the order of their cost; before any is, the optimum's, as soon as it is known."""
    n = int(store.numbers[N_EMITTED])
    costs = store.class_cost[: store.numbers[N_CLASSES]]
    if n or not len(costs) or costs.min() > best_cost:
        return store.emitted[:n]
    return np.argsort(costs, kind="stable")[:1]


def bytes_to_grow(store: Store, counter: int, capacity: int) -> int:
    """Bytes that room for so many entries of a group takes more than now, with their hash table."""
    more = bytes_to_resize(store, GROUPS[counter], capacity)
    if counter in TABLES:
        table = getattr(store, TABLES[counter])
        more += max(0, table_size(capacity) - len(table)) * table.itemsize
    return more
