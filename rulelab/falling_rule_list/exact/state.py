"""The state of an exact falling rule list search as flat arrays: what kernels read and write, and Python grows.

Its memo of captured sets is an open-addressing table from sets to stored prefixes, which are compared in full.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ...kernels.bit_words import at_most
from ...kernels.by_reference import by_reference
from ...kernels.growing import CUT, OPEN, affordable, bytes_to_resize, resized
from ...kernels.jit import inlined, inner
from ..bounds import FEW, INTERVALS
from .layout import Layout

# positions in Store.numbers
N_NODES, N_HEAP, N_QUEUED, BEST, LOWER_BOUND, PATH_LENGTH, FOUND_AT = range(7)
CREATED, EXPANDED, WORK, IMPROVED, REOPENED, TABLE_IS_STALE = range(7, 13)
OPEN_NODE, OPEN_CHILD, OPEN_BEST, LAST_NODE = range(13, 17)
N_NUMBERS = 17

# positions in Store.pruned, with the names that snapshots show: first those of switches, then what is always on
(
    BY_FEASIBLE,
    BY_NECESSARY,
    BY_PREFIX,
    BY_POINTS,
    BY_DENSITY,
    BY_ELIGIBLE,
    BY_DOMINANCE,
    BY_VIOLATIONS,
    BY_EXCEPTIONS,
    BY_JOINT,
    BY_NOTHING,
    BY_RISING,
    BY_COST,
    BY_INCUMBENT,
    BY_LENGTH,
) = range(15)
COUNTS = {"created": CREATED, "expanded": EXPANDED, "queued": N_QUEUED, "stored": N_NODES, "reopened": REOPENED}
"""Where the counts of a snapshot are."""

PRUNED_NAMES = (
    "feasible prefix",
    "necessary condition",
    "prefix bound",
    "equivalent points",
    "density cap",
    "eligible cap",
    "dominance",
    "violations",
    "exceptions",
    "joint capture",
    "always: captures nothing or all",
    "always: rising proportion",
    "always: hierarchical",
    "always: new incumbent",
    "always: length limit",
)
NODE_ARRAYS = (
    "key",
    "cost",
    "left_positive",
    "left_negative",
    "ratio_p",
    "ratio_n",
    "hash",
    "parent",
    "rule",
    "length",
    "fate",
)
HEAP_ARRAYS = ("heap_key", "heap_node")
_PER_NODE = 300  # words that are counted while a node is entered into a table


@by_reference
class Rules(NamedTuple):
    """What stays constant during a search: costs and switches.

    ``penalty``: cost of a rise by 1, when ``soft``; ``misplaced``: see `Costs`, 0 when ``soft``. Where it is not 0,
    which lists fall is not certain on the grid: all are looked at that may, by proportions as small, or large, as
    rounding leaves them (`least_share`, `largest_share`), so that none of those that fall is left out.
    """

    per_positive: int
    per_negative: int
    per_rule: int
    penalty: float
    soft: bool
    max_length: int
    limited: bool
    feasible_prefix: bool
    necessary_condition: bool
    prefix_bound: bool
    equivalent_points: bool
    density_cap: bool
    eligible_cap: bool
    dominance: bool
    violations: bool
    exceptions: bool
    joint_capture: bool
    misplaced: int


@by_reference
class Store(NamedTuple):
    """Stored prefixes (nodes), the queue over them, the table of captured sets, counters and scratch space.

    Arrays of nodes have one entry per stored prefix: lower bound on every list that extends it (``key``), its cost, the
    weight that it leaves (``left_positive``, ``left_negative``), the proportion ``ratio_p / ratio_n`` (of its last
    rule, as large as rounding leaves it; of softly falling lists the least one), the hash of the set that it leaves,
    the rule that ended it, its parent and length. The set itself is made from the rules. ``table`` maps a hash to a
    node, ``-1`` where empty; prefixes of one set that do not dominate each other have a slot each.
    """

    key: np.ndarray
    cost: np.ndarray
    left_positive: np.ndarray
    left_negative: np.ndarray
    ratio_p: np.ndarray
    ratio_n: np.ndarray
    hash: np.ndarray
    parent: np.ndarray
    rule: np.ndarray
    length: np.ndarray
    fate: np.ndarray
    heap_key: np.ndarray
    heap_node: np.ndarray
    table: np.ndarray
    numbers: np.ndarray
    pruned: np.ndarray
    queue_by_length: np.ndarray
    path: np.ndarray
    salt: np.ndarray
    counts: np.ndarray
    sets: np.ndarray
    sums: np.ndarray
    losses: np.ndarray
    above: np.ndarray
    gains: np.ndarray
    largest: np.ndarray


def new_store(arrays: Layout, longest: int) -> Store:
    """An empty store with room for a few expansions; ``longest`` is the length no useful prefix exceeds."""
    m, words = arrays.by_antecedent.shape
    room = 4 * (m + 1)
    rng = np.random.default_rng(20180409)  # any odd numbers will do

    def integers(n: int, dtype: type = np.int64) -> np.ndarray:
        return np.zeros(n, dtype=dtype)

    return Store(
        key=integers(room),
        cost=integers(room),
        left_positive=integers(room),
        left_negative=integers(room),
        ratio_p=integers(room),
        ratio_n=integers(room),
        hash=integers(room, np.uint64),
        parent=integers(room, np.int32),
        rule=integers(room, np.int32),
        length=integers(room, np.int32),
        fate=integers(room, np.uint8),
        heap_key=integers(room),
        heap_node=integers(room, np.int32),
        table=np.full(table_size(room), -1, dtype=np.int32),
        numbers=integers(N_NUMBERS),
        pruned=integers(len(PRUNED_NAMES)),
        queue_by_length=integers(longest + 2),
        path=integers(longest + 3),
        salt=np.asarray(rng.integers(0, 1 << 63, words, dtype=np.uint64)) * 2 + 1,
        counts=np.zeros((2, m), dtype=np.int64),
        sets=np.zeros((3, words), dtype=np.uint64),
        sums=np.zeros((4, arrays.head_positives.shape[1]), dtype=np.int64),
        losses=integers(INTERVALS),
        above=np.zeros((2, m), dtype=np.int64),
        gains=np.zeros((2, m)),
        largest=np.zeros(FEW),
    )


def memory_bytes(store: Store) -> int:
    """Bytes of all arrays."""
    return sum(array.nbytes for array in store)


def table_size(n_nodes: int) -> int:
    """Slots of the table for so many nodes: a power of two, at most half full."""
    size = 64
    while size < 2 * n_nodes:
        size *= 2
    return size


def grow(store: Store, m: int, memory_limit: int | None, beside: int) -> tuple[Store, bool]:
    """Make room for the prefixes that the next expansion may store and queue.

    ``m``: antecedents. ``memory_limit``: bytes. ``beside``: bytes that the search holds besides the store. Returns
    ``enough``: False when the memory limit does not allow it.
    """
    for names, used in ((NODE_ARRAYS, N_NODES), (HEAP_ARRAYS, N_HEAP)):
        capacity, needed = len(getattr(store, names[0])), int(store.numbers[used]) + m
        if needed <= capacity:
            continue
        free = None if memory_limit is None else max(0, memory_limit - memory_bytes(store) - beside)
        room = affordable(capacity, needed, free, partial(_bytes_to_grow, store, names))
        if room < needed:
            return store, False
        store = resized(store, names, room)
        table = table_size(len(store.key))
        if table > len(store.table):
            store = store._replace(table=np.empty(table, dtype=np.int32))
            store.numbers[TABLE_IS_STALE] = 1
    return store, True


def _bytes_to_grow(store: Store, names: tuple[str, ...], capacity: int) -> int:
    """Bytes that room for so many entries takes more than now; of nodes with their table, and all of them queued."""
    taken = bytes_to_resize(store, names, capacity)
    if names == NODE_ARRAYS:
        taken += max(0, table_size(capacity) - len(store.table)) * store.table.itemsize
        taken += max(0, bytes_to_resize(store, HEAP_ARRAYS, capacity))
    return taken


@inner
def set_of(arrays, store, node, out):
    """The set that a prefix leaves uncaptured, from its rules."""
    for w in range(out.size):
        out[w] = arrays.full[w]
    while store.parent[node] >= 0:
        row = arrays.by_antecedent[store.rule[node]]
        for w in range(out.size):
            out[w] &= ~row[w]
        node = store.parent[node]


@inlined
def hash_of(store, chosen):
    """A 64-bit hash of a set whose high bits are well mixed: products with odd numbers, summed."""
    h = np.uint64(0)
    for w in range(chosen.size):
        h += (chosen[w] ^ (chosen[w] >> np.uint64(32))) * store.salt[w]
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(29))


@inlined
def rebuild_table(store, most):
    """Go on entering all nodes into a new table, for about ``most`` units of effort; returns how many it took.

    ``TABLE_IS_STALE`` is 1 before it is emptied, then one more than the next node.
    """
    numbers, mask = store.numbers, np.uint64(store.table.size - 1)
    first = numbers[TABLE_IS_STALE] - 1
    if first == 0:
        for i in range(store.table.size):
            store.table[i] = -1
    last = min(numbers[N_NODES], first + 1 + max(most, 0) // _PER_NODE)
    for node in range(first, last):
        slot = np.int64(store.hash[node] & mask)
        while store.table[slot] >= 0:
            slot = (slot + 1) & np.int64(mask)
        store.table[slot] = node
    numbers[TABLE_IS_STALE] = last + 1 if last < numbers[N_NODES] else 0
    return (last - first) * _PER_NODE


@inner
def find_slot(arrays, rules, store, chosen, h, cost, length, left_positive, ratio_p, ratio_n):
    """Where a new prefix goes in the table; -1 when a stored one with the same set dominates it.

    Two prefixes that leave the same set have the same completions, as far as their proportions allow: a falling list
    may go on with any proportion up to the last one, and a softly falling list pays for a rise above the least one. A
    stored prefix is taken off the queue when the new one dominates it, and its slot may be used again.
    """
    mask = np.int64(store.table.size - 1)
    slot = np.int64(h & np.uint64(mask))
    free = np.int64(-1)
    other = store.sets[2]
    while True:
        node = np.int64(store.table[slot])
        if node < 0:
            return free if free >= 0 else slot
        if store.hash[node] == h and store.left_positive[node] == left_positive:
            set_of(arrays, store, node, other)
            same = True
            for w in range(chosen.size):
                if chosen[w] != other[w]:
                    same = False
                    break
            if same:
                if (
                    (store.length[node] <= length or not rules.limited)
                    and store.cost[node] <= cost
                    and at_most(ratio_p, ratio_n, store.ratio_p[node], store.ratio_n[node])
                ):
                    return np.int64(-1)
                if (
                    (store.length[node] >= length or not rules.limited)
                    and store.cost[node] >= cost
                    and at_most(store.ratio_p[node], store.ratio_n[node], ratio_p, ratio_n)
                ):
                    if store.fate[node] == OPEN:
                        store.queue_by_length[store.length[node]] -= 1
                        store.numbers[N_QUEUED] -= 1
                        store.pruned[BY_DOMINANCE] += 1
                    else:
                        store.numbers[REOPENED] += 1
                    store.fate[node] = CUT + BY_DOMINANCE
                    if free < 0:
                        free = slot
        slot = (slot + 1) & mask
