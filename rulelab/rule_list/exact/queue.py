"""The queue of prefixes, in the order of a policy, the memo that finds them by what they capture, and the best list."""

from __future__ import annotations

import numpy as np

from ...kernels import heap, queue
from ...kernels.bit_words import mix, slot_at_length
from ...kernels.growing import CUT, OPEN
from ...kernels.jit import inlined, inner
from ..counting import errors_of_list, weigh
from . import state as at
from .state import BEST, BY_SAME_SET, FOUND_AT, IMPROVED, N_NODES, N_OUT, PATH_LENGTH, REOPENED, TABLE_IS_STALE, WORK


@inner
def enqueue(arrays, rules, store, node, wrong_if_stopped):
    store.priority[node] = _priority(arrays, rules, store, node, wrong_if_stopped)
    queue.enter(store, store.heap_priority, node, store.priority[node])
    push_bound(rules, store, node)


@inner
def push_bound(rules, store, node):
    """Enter a prefix into the heap of bounds, where the order of the queue is another."""
    if rules.policy != at.LOWER_BOUND_FIRST:
        store.numbers[at.N_BOUND_HEAP] = heap.push(
            store.bound_key, store.bound_node, store.numbers[at.N_BOUND_HEAP], store.key[node], node
        )


@inner
def _priority(arrays, rules, store, node, wrong_if_stopped):
    captured = total = 0
    if rules.policy == at.CURIOSITY:  # alone weighs sets
        everything, left = weigh(arrays, arrays.full), weigh(arrays, store.sets[node])
        total = everything[0] + everything[1]
        captured = total - left[0] - left[1]
    return priority_of(rules, store, node, store.cost[node] + wrong_if_stopped, captured, total)


@inlined
def priority_of(rules, store, node, objective, captured, total):
    """A prefix's place in the queue's order, by its cost as a list and the weight that it captures, of ``total``."""
    policy = rules.policy
    if policy == at.LOWER_BOUND_FIRST:
        return store.key[node]
    if policy == at.OBJECTIVE:
        return objective
    if policy == at.CURIOSITY:
        return np.int64(np.float64(store.cost[node]) * total / max(1, captured))
    if policy == at.BREADTH_FIRST:
        return np.int64(store.length[node])
    if policy == at.DEPTH_FIRST:
        return -np.int64(store.length[node])
    state = np.uint64(store.numbers[at.RANDOM])
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    store.numbers[at.RANDOM] = np.int64(state)
    return np.int64(state >> np.uint64(2))


@inlined
def take_next(store):
    """Take the next prefix that is worth expanding off the queue; -1 when there is none."""
    return queue.take_first(store, store.heap_priority, store.priority, store.numbers[at.BEST], at.BY_INCUMBENT)


@inlined
def take_dealt(store):
    """The next prefix that a worker was dealt, if not re-parented since, and worth expanding; -1: none, or no room."""
    numbers = store.numbers
    if numbers[at.N_OUT] + store.scratch_counts.shape[1] > store.outbox.shape[0]:
        return -1
    while numbers[at.NEXT_DEALT] < numbers[at.N_DEALT]:
        node, cost = store.dealt[numbers[at.NEXT_DEALT], 0], store.dealt[numbers[at.NEXT_DEALT], 1]
        numbers[at.NEXT_DEALT] += 1
        if store.cost[node] == cost:
            if store.key[node] < numbers[at.BEST]:
                return node
            store.fate[node] = CUT + at.BY_INCUMBENT
            store.pruned[at.BY_INCUMBENT] += 1
    return -1


@inlined
def raise_lower_bound(rules, store, elsewhere):
    """Raise the lower bound to the least key in the queue, dropping entries that are no longer valid, or ``elsewhere``.

    That is the least key of what was taken off the queue and is not expanded yet; the incumbent's cost, if nothing was.
    """
    numbers = store.numbers
    if rules.policy == at.LOWER_BOUND_FIRST:
        keys, nodes, which = store.heap_priority, store.heap_node, at.N_HEAP
    else:
        keys, nodes, which = store.bound_key, store.bound_node, at.N_BOUND_HEAP
    numbers[which] = queue.drop_stale(store, keys, nodes, numbers[which])
    least = keys[0] if numbers[which] > 0 else numbers[at.BEST]
    least = min(least, elsewhere)
    numbers[at.LOWER_BOUND] = min(numbers[at.BEST], max(numbers[at.LOWER_BOUND], least))


@inlined
def purge(rules, store):
    """Drop from the queue what the new incumbent rules out (Thm 1), and entries that are no longer valid."""
    queue.purge(store, store.heap_priority, store.priority, store.numbers[at.BEST], at.BY_INCUMBENT)
    fill_bound_heap(rules, store)


@inner
def fill_bound_heap(rules, store):
    """Let the heap of bounds have the entries of the other one, where there are both."""
    numbers = store.numbers
    if rules.policy != at.LOWER_BOUND_FIRST:
        for i in range(numbers[at.N_HEAP]):
            store.bound_node[i] = store.heap_node[i]
            store.bound_key[i] = store.key[store.heap_node[i]]
        numbers[at.N_BOUND_HEAP] = numbers[at.N_HEAP]
        heap.heapify(store.bound_key, store.bound_node, numbers[at.N_BOUND_HEAP])


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
        queue.cut_off(store, node, BY_SAME_SET)
    else:
        numbers[REOPENED] += 1
    store.cost[node] = cost
    store.key[node] = key
    store.parent[node] = parent
    store.rule[node] = rule
    store.length[node] = length
    enqueue(arrays, rules, store, node, wrong_if_stopped)


@inner
def improve(arrays, rules, store, node, a, b):
    """Make the list that extends ``node`` by ``a`` (and by ``b`` when >= 0) the incumbent."""
    numbers = store.numbers
    length = queue.write_path(store, node, store.path)
    store.path[length] = a
    length += 1
    if b >= 0:
        store.path[length] = b
        length += 1
    wrong = errors_of_list(arrays, store.path[:length], rules.constant, store.scratch_set)
    numbers[BEST] = rules.per_error * wrong + rules.per_rule * length
    numbers[PATH_LENGTH] = length
    numbers[FOUND_AT] = numbers[WORK]
    numbers[IMPROVED] += 1
