"""The state of a frontier search as flat arrays: the curve, the stored prefixes, the queue over them."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size
from ...kernels.queue import N_HEAP, N_NODES, N_QUEUED
from ..counting import Layout

# positions in Store.numbers, after those of all queues
LENGTH, CREATED, EXPANDED, WORK, REOPENED, OPEN_NODE, OPEN_CHILD, OPEN_BEST = range(3, 11)

# positions in Store.pruned, with the names that snapshots show
BY_SUPPORT, BY_UNION, BY_PAIR, BY_SAME_SET, BY_GRID, BY_NOTHING, BY_COST, BY_BEST = range(8)
COUNTS = {"created": CREATED, "expanded": EXPANDED, "queued": N_QUEUED, "stored": N_NODES, "reopened": REOPENED}
"""Where the counts of a snapshot are."""

PRUNED_NAMES = (
    "deletion",
    "one more rule",
    "pair lookahead",
    "equivalent support",
    "grid",
    "always: captures nothing",
    "always: hierarchical",
    "always: new incumbent",
)


@by_reference
class Rules(NamedTuple):
    """What a rule costs: nothing, errors alone count here."""

    per_error: int = 1
    per_rule: int = 0


@by_reference
class Curve(NamedTuple):
    """For each number of rules: errors and rules of the best list known, and a proven lower bound of the errors."""

    errors: np.ndarray
    lower: np.ndarray
    paths: np.ndarray
    lengths: np.ndarray
    found_at: np.ndarray


@by_reference
class Store(
    namedtuple(
        "Store",
        "sets cost key parent rule length fate heap_key heap_node table numbers pruned queue_by_length "
        "scratch_counts scratch_set scratch_sums",
    )
):
    """Stored prefixes, the queue over them, the table of (set, length), counters and scratch space."""


HEAP = Group(N_HEAP, {np.int64: "heap_key", np.int32: "heap_node"})
NODES = Group(
    N_NODES,
    {np.uint64: "sets", np.int64: "cost key", np.int32: "parent rule", np.int16: "length", np.uint8: "fate"},
    tables=("table",),
    beside=HEAP.names,
)


def new_store(arrays: Layout, max_length: int) -> Store:
    """An empty store with room for a few expansions."""
    m, words = arrays.by_antecedent.shape
    room = 4 * (m + 1)
    return Store(
        **NODES.new(room, sets=(words,)),
        **HEAP.new(room),
        table=np.full(table_size(room), -1, dtype=np.int32),
        numbers=np.zeros(11, dtype=np.int64),
        pruned=np.zeros(len(PRUNED_NAMES), dtype=np.int64),
        queue_by_length=np.zeros(max_length + 1, dtype=np.int64),
        scratch_counts=np.zeros((4, m), dtype=np.int64),
        scratch_set=np.zeros((2, words), dtype=np.uint64),
        scratch_sums=np.zeros((4, max_length + 1), dtype=np.int64),
    )


def new_curve(max_length: int, errors_of_default: int, constant: int) -> Curve:
    """The curve on which every point is the default rule, bounded by the errors that no list avoids."""
    return Curve(
        errors=np.full(max_length + 1, errors_of_default, dtype=np.int64),
        lower=np.full(max_length + 1, constant, dtype=np.int64),
        paths=np.zeros((max_length + 1, max_length + 1), dtype=np.int64),
        lengths=np.zeros(max_length + 1, dtype=np.int64),
        found_at=np.zeros(max_length + 1, dtype=np.int64),
    )
