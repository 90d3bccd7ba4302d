"""The state of a rule list search as flat arrays: what the kernels read and write, and Python grows and pickles."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size, with_room
from ...kernels.queue import N_HEAP, N_NODES, N_QUEUED
from ..bounds import LARGEST_TAIL
from ..counting import Layout

# positions in Store.numbers, after those of all queues
N_BOUND_HEAP = 3
BEST, LOWER_BOUND, PATH_LENGTH, FOUND_AT = 4, 5, 6, 7
CREATED, EXPANDED, WORK, RANDOM, IMPROVED, REOPENED, TABLE_IS_STALE = 8, 9, 10, 11, 12, 13, 14
OPEN_NODE, OPEN_CHILD, OPEN_TAIL, OPEN_FLOWS, OPEN_BEST, LAST_NODE, OPEN_SEPARATED = 15, 16, 17, 18, 19, 20, 21
N_OUT, N_DEALT, NEXT_DEALT, ROUND_LEFT = 22, 23, 24, 25
OPENED = 26  # expanded, or cut when their antecedents were counted
N_NUMBERS = 27

# positions in Store.pruned, with the names that snapshots show: first those of switches, then what is always on
BY_LOOKAHEAD, BY_SUPPORT, BY_SAME_SET, BY_ONE_MORE_RULE, BY_PAIR, BY_GRID, BY_DELETION, BY_CORE = range(8)
BY_SEPARATION, BY_NOTHING, BY_COST, BY_INCUMBENT, BY_LENGTH = range(8, 13)
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
class Store(
    namedtuple(
        "Store",
        "sets cost key priority parent rule length fate heap_priority heap_node bound_key bound_node table numbers "
        "pruned queue_by_length path scratch_counts scratch_set scratch_sums flow_counts flow path_scratch outbox "
        "outbox_sets dealt",
    )
):
    """Stored prefixes (nodes), the queue over them, the table of captured sets, counters and scratch space.

    Arrays of nodes have one entry per stored prefix: its uncaptured set (``sets``), cost, lower bound on every list
    that extends it (``key``), place in the queue's order (``priority``), the rule that ended it, its parent and length,
    and its ``fate`` (`rulelab.kernels.growing`). ``table`` maps a hash of the set to a node, ``-1`` where empty.

    Workers of a parallel search share these, which none of them changes but for what it expands: children go to its
    ``outbox`` and their sets to ``outbox_sets``; ``dealt`` has the nodes that it is to expand, with their costs.
    """


HEAP = Group(N_HEAP, {np.int64: "heap_priority", np.int32: "heap_node"})
BOUND_HEAP = Group(N_BOUND_HEAP, {np.int64: "bound_key", np.int32: "bound_node"})
NODES = Group(
    N_NODES,
    {np.uint64: "sets", np.int64: "cost key priority", np.int32: "parent rule", np.int16: "length", np.uint8: "fate"},
    tables=("table",),
    beside=HEAP.names + BOUND_HEAP.names,
    ahead=2,  # so that few sets collide, and it grows seldom
)
OUTBOX_COLUMNS = 9


def new_store(arrays: Layout, longest: int, second_heap: bool) -> Store:
    """An empty store with room for a few expansions; ``longest`` is the length no useful prefix exceeds."""
    m, words = arrays.by_antecedent.shape
    room = 4 * (m + 1)

    def integers(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Store(
        **NODES.new(room, sets=(words,)),
        **HEAP.new(room),
        **BOUND_HEAP.new(room if second_heap else 1),
        table=np.full(table_size(room, filled=0.5), -1, dtype=np.int32),
        numbers=integers(N_NUMBERS),
        pruned=integers(len(PRUNED_NAMES)),
        queue_by_length=integers(longest + 2),
        path=integers(longest + 3),
        scratch_counts=integers(4, m),
        scratch_set=np.zeros((3, words), dtype=np.uint64),
        scratch_sums=integers(4, LARGEST_TAIL + 1),
        flow_counts=integers(2 * LARGEST_TAIL, m),
        flow=integers(LARGEST_TAIL, 3),
        path_scratch=integers(2, longest + 3),
        outbox=integers(0, OUTBOX_COLUMNS),
        outbox_sets=np.zeros((0, words), dtype=np.uint64),
        dealt=integers(0, 2),
    )


def enlarged(store: Store, m: int, free: int | None) -> tuple[Store, bool]:
    """The store with room for ``m`` more prefixes, and whether the ``free`` bytes, where they are limited, allow it."""
    return with_room(store, ((NODES, m), (HEAP, m), (BOUND_HEAP, m)), free, mark_stale)


def mark_stale(store: Any) -> None:
    """Let the tables be filled anew, a part at a time."""
    store.numbers[TABLE_IS_STALE] = 1
