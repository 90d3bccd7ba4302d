"""Stored prefixes: the memo that finds them by the set they capture, and where a new child is kept."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import mix, slot_at_length
from ...kernels.growing import OPEN
from ...kernels.jit import inlined, inner
from .queue import enqueue, unqueue
from .state import N_NODES, N_OUT, REOPENED, TABLE_IS_STALE

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


OUT_COST, OUT_KEY, OUT_PARENT, OUT_RULE, OUT_LENGTH, OUT_WRONG, OUT_HASH, OUT_VERDICT, OUT_AT = range(9)
"""Columns of an outbox: those of the arrays of nodes, and what is wrong if the list ends with the prefix.

Then what a meeting needs: the hash of the set, what is to be done, and a slot of the table, or the stored prefix.
"""


@inner
def is_apart(store):
    """Whether this is the store of one of several workers, to which the prefixes of all belong meanwhile."""
    return store.outbox.shape[0] > 0


@inlined
def put_out(rules, store, child, cost, key, parent, rule, length, wrong_if_stopped):
    """Put a child into the outbox, which must have room."""
    i = store.numbers[N_OUT]
    store.numbers[N_OUT] = i + 1
    for w in range(child.size):
        store.outbox_sets[i, w] = child[w]
    store.outbox[i, OUT_COST], store.outbox[i, OUT_KEY] = cost, key
    store.outbox[i, OUT_PARENT], store.outbox[i, OUT_RULE] = parent, rule
    store.outbox[i, OUT_LENGTH], store.outbox[i, OUT_WRONG] = length, wrong_if_stopped
    store.outbox[i, OUT_HASH] = np.int64(hash_of(child, table_length(rules, length)))


@inlined
def keep(arrays, rules, store, child, known, slot, cost, key, parent, rule, length, wrong_if_stopped):
    """Store and queue a child: one that is ``known`` at a higher cost is re-parented, a new one entered at ``slot``."""
    numbers = store.numbers
    node = known
    if known < 0:
        node = numbers[N_NODES]
        numbers[N_NODES] += 1
        for w in range(child.size):
            store.sets[node, w] = child[w]
        if slot >= 0:
            store.table[slot] = node
    elif store.fate[node] == OPEN:
        unqueue(store, node)
    else:
        numbers[REOPENED] += 1
    store.cost[node] = cost
    store.key[node] = key
    store.parent[node] = parent
    store.rule[node] = rule
    store.length[node] = length
    enqueue(arrays, rules, store, node, wrong_if_stopped)
