"""The memo of captured sets: an open-addressing table from sets to stored prefixes, compared in full."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import mix
from ...kernels.jit import inlined, inner
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
        store.table[slot_of(store, store.sets[node], table_length(rules, store.length[node]))] = node
    numbers[TABLE_IS_STALE] = last + 1 if last < numbers[N_NODES] else 0
    return (last - first) * each


@inlined
def table_length(rules, length):
    """Under a length limit equal sets are the same state only at the same length."""
    return length if rules.max_length < np.iinfo(np.int16).max else 0


@inner
def slot_of(store, chosen, length):
    """The table slot of a set: of the node with this very set (and length, if given), or the free one to fill."""
    mask = np.uint64(store.table.size - 1)
    h = np.uint64(length)
    for w in range(chosen.size):
        h = mix(h, chosen[w])
    slot = np.int64(h & mask)
    while True:
        node = store.table[slot]
        if node < 0:
            return slot
        same = length == 0 or store.length[node] == length
        if same:
            for w in range(chosen.size):
                if store.sets[node, w] != chosen[w]:
                    same = False
                    break
        if same:
            return slot
        slot = (slot + 1) & np.int64(mask)
