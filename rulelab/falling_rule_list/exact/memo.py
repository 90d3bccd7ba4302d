"""The memo of captured sets: an open-addressing table from sets to stored prefixes, compared in full."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import at_most
from ...kernels.jit import inlined, inner
from ...kernels.node_status import CUT, OPEN
from .state import BY_DOMINANCE, N_NODES, N_QUEUED, REOPENED, TABLE_IS_STALE

_PER_NODE = 300  # words that are counted while a node is entered into a table


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
