"""The state of a rule list search as flat arrays: what the kernels read and write, and Python grows and pickles."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import affordable, bytes_to_resize, resized, table_size
from ..bounds import LARGEST_TAIL
from ..counting import Layout

# positions in Store.numbers
N_NODES, N_HEAP, N_BOUND_HEAP, N_QUEUED = 0, 1, 2, 3
BEST, LOWER_BOUND, PATH_LENGTH, FOUND_AT = 4, 5, 6, 7
CREATED, EXPANDED, WORK, RANDOM, IMPROVED, REOPENED, TABLE_IS_STALE = 8, 9, 10, 11, 12, 13, 14
OPEN_NODE, OPEN_CHILD, OPEN_TAIL, OPEN_FLOWS, OPEN_BEST, LAST_NODE, OPEN_SEPARATED = 15, 16, 17, 18, 19, 20, 21
N_OUT, N_DEALT, NEXT_DEALT, ROUND_LEFT = 22, 23, 24, 25
N_NUMBERS = 26

# positions in Store.pruned, with the names that snapshots show: first those of switches, then what is always on
(
    BY_LOOKAHEAD,
    BY_SUPPORT,
    BY_SAME_SET,
    BY_ONE_MORE_RULE,
    BY_PAIR,
    BY_GRID,
    BY_DELETION,
    BY_CORE,
    BY_SEPARATION,
    BY_NOTHING,
    BY_COST,
    BY_INCUMBENT,
    BY_LENGTH,
) = range(13)
COUNTS = {"created": CREATED, "expanded": EXPANDED, "queued": N_QUEUED, "stored": N_NODES, "reopened": REOPENED}
"""Where the counts of a snapshot are."""

PRUNED_NAMES = (
    "lookahead",
    "accurate support",
    "equivalent support",
    "one more rule",
    "pair lookahead",
    "grid",
    "deletion",
    "core",
    "separation",
    "always: captures nothing",
    "always: hierarchical",
    "always: new incumbent",
    "always: length limit",
)

LOWER_BOUND_FIRST, OBJECTIVE, CURIOSITY, BREADTH_FIRST, DEPTH_FIRST, RANDOM_ORDER = range(6)


@by_reference
class Rules(NamedTuple):
    """What stays constant during a search: costs, switches, policy."""

    per_error: int
    per_rule: int
    constant: int
    max_length: int
    policy: int
    learn_after: int
    separate_after: int
    accurate_support: bool
    lookahead: bool
    equivalent_support: bool
    one_more_rule: bool
    pair_lookahead: bool
    grid: bool
    deletion: bool
    cores: bool
    separation: bool


@by_reference
class Store(NamedTuple):
    """Stored prefixes (nodes), the queue over them, the table of captured sets, counters and scratch space.

    Arrays of nodes have one entry per stored prefix: its uncaptured set (``sets``), cost, lower bound on every list
    that extends it (``key``), place in the queue's order (``priority``), the rule that ended it, its parent and length,
    and its ``fate`` (`rulelab.kernels.growing`). ``table`` maps a hash of the set to a node, ``-1`` where empty.

    Workers of a parallel search share these, which none of them changes but for what it expands: children go to its
    ``outbox`` and their sets to ``outbox_sets``; ``dealt`` has the nodes that it is to expand, with their costs.
    """

    sets: np.ndarray
    cost: np.ndarray
    key: np.ndarray
    priority: np.ndarray
    parent: np.ndarray
    rule: np.ndarray
    length: np.ndarray
    fate: np.ndarray
    heap_priority: np.ndarray
    heap_node: np.ndarray
    bound_key: np.ndarray
    bound_node: np.ndarray
    table: np.ndarray
    numbers: np.ndarray
    pruned: np.ndarray
    queue_by_length: np.ndarray
    path: np.ndarray
    scratch_counts: np.ndarray
    scratch_set: np.ndarray
    scratch_sums: np.ndarray
    flow_counts: np.ndarray
    flow: np.ndarray
    path_scratch: np.ndarray
    outbox: np.ndarray
    outbox_sets: np.ndarray
    dealt: np.ndarray


NODE_ARRAYS = ("sets", "cost", "key", "priority", "parent", "rule", "length", "fate")
HEAP_ARRAYS = ("heap_priority", "heap_node")
BOUND_HEAP_ARRAYS = ("bound_key", "bound_node")
OUTBOX_COLUMNS = 9


def new_store(arrays: Layout, longest: int, second_heap: bool) -> Store:
    """An empty store with room for a few expansions; ``longest`` is the length no useful prefix exceeds."""
    m, words = arrays.by_antecedent.shape
    room = 4 * (m + 1)
    heap = room
    bound_heap = room if second_heap else 1
    table = 64
    while table < 2 * room:
        table *= 2

    def integers(n: int, dtype: type = np.int64) -> np.ndarray:
        return np.zeros(n, dtype=dtype)

    return Store(
        sets=np.zeros((room, words), dtype=np.uint64),
        cost=integers(room),
        key=integers(room),
        priority=integers(room),
        parent=integers(room, np.int32),
        rule=integers(room, np.int32),
        length=integers(room, np.int16),
        fate=integers(room, np.uint8),
        heap_priority=integers(heap),
        heap_node=integers(heap, np.int32),
        bound_key=integers(bound_heap),
        bound_node=integers(bound_heap, np.int32),
        table=np.full(table, -1, dtype=np.int32),
        numbers=integers(N_NUMBERS),
        pruned=integers(len(PRUNED_NAMES)),
        queue_by_length=integers(longest + 2),
        path=integers(longest + 3),
        scratch_counts=np.zeros((4, m), dtype=np.int64),
        scratch_set=np.zeros((3, words), dtype=np.uint64),
        scratch_sums=np.zeros((4, LARGEST_TAIL + 1), dtype=np.int64),
        flow_counts=np.zeros((2 * LARGEST_TAIL, m), dtype=np.int64),
        flow=np.zeros((LARGEST_TAIL, 3), dtype=np.int64),
        path_scratch=np.zeros((2, longest + 3), dtype=np.int64),
        outbox=np.zeros((0, OUTBOX_COLUMNS), dtype=np.int64),
        outbox_sets=np.zeros((0, words), dtype=np.uint64),
        dealt=np.zeros((0, 2), dtype=np.int64),
    )


def memory_bytes(store: Store) -> int:
    """Bytes of all arrays."""
    return sum(array.nbytes for array in store)


def bytes_to_grow(store: Store, capacity: int) -> int:
    """Bytes that room for so many prefixes takes more than now, with their queue entries and the table."""
    heaps = HEAP_ARRAYS if len(store.bound_key) == 1 else (*HEAP_ARRAYS, *BOUND_HEAP_ARRAYS)
    nodes = bytes_to_resize(store, NODE_ARRAYS, capacity)
    queue = max(0, bytes_to_resize(store, heaps, capacity))
    table = (_table_size(store, capacity) - len(store.table)) * store.table.itemsize
    return nodes + queue + table


def _table_size(store: Store, capacity: int) -> int:
    """Slots for so many prefixes; where they are not enough, as many that few sets collide, and it grows seldom."""
    return len(store.table) if table_size(capacity) <= len(store.table) else 2 * table_size(capacity)


def enlarged(store: Store, m: int, free: int | None) -> tuple[Store, bool]:
    """The store with room for ``m`` more prefixes, and whether the ``free`` bytes, where they are limited, allow it."""
    before = memory_bytes(store)

    def left() -> int | None:
        return None if free is None else free - (memory_bytes(store) - before)

    needed = int(store.numbers[N_NODES]) + m
    capacity = len(store.cost)
    if needed > capacity:
        wanted = affordable(capacity, needed, left(), partial(bytes_to_grow, store))
        if wanted < needed:
            return store, False
        store = resized(store, NODE_ARRAYS, wanted)
        table = _table_size(store, wanted)
        if table > len(store.table):
            store = store._replace(table=np.empty(table, dtype=np.int32))
            store.numbers[TABLE_IS_STALE] = 1
    for names, used in ((HEAP_ARRAYS, N_HEAP), (BOUND_HEAP_ARRAYS, N_BOUND_HEAP)):
        needed = int(store.numbers[used]) + m
        capacity = len(getattr(store, names[0]))
        if needed > capacity and capacity > 1:
            wanted = affordable(capacity, needed, left(), partial(bytes_to_resize, store, names))
            if wanted < needed:
                return store, False
            store = resized(store, names, wanted)
    return store, True
