"""The memo of captured sets: an open-addressing table from sets to stored prefixes, compared in full."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import mix
from ...kernels.jit import inlined, inner
from ...kernels.set_table import slot_at_length
from .state import N_NODES, TABLE_IS_STALE

EFFORT_PER_NODE = 300  # of entering one into a table, beside its words


@inlined
def rebuild_table(rules, store, most):
    """Go on entering all nodes into a new table, for about ``most`` units of effort; returns how many it took.

    ``TABLE_IS_STALE`` is 1 before it is emptied, then one more than the next node.
    """
    numbers, each = store.numbers, 2 * store.sets.shape[1] + EFFORT_PER_NODE
    first = numbers[TABLE_IS_STALE] - 1
    if first == 0:
        for slot in range(store.table.size):
            store.table[slot] = -1
    last = min(numbers[N_NODES], first + 1 + max(most, 0) // each)
    for node in range(first, last):
        length = table_length(rules, store.length[node])
        store.table[slot_at_length(store.table, store.sets, store.length, store.sets[node], length)] = node
    numbers[TABLE_IS_STALE] = last + 1 if last < numbers[N_NODES] else 0
    return (last - first) * each


@inner
def hash_of(chosen, length):
    """The hash by which `slot_at_length` finds a set."""
    h = np.uint64(length)
    for w in range(chosen.size):
        h = mix(h, chosen[w])
    return h


@inner
def table_length(rules, length):
    """Under a length limit equal sets are the same state only at the same length."""
    return length if rules.max_length < np.iinfo(np.int16).max else 0
