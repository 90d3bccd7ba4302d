"""The queue of prefixes, in the order of a policy, and the lower bound that it proves."""

from __future__ import annotations

import numpy as np

from ...kernels import heap
from ...kernels.growing import CUT, EXPANDED, OPEN
from ...kernels.jit import inlined, inner
from ..counting import weigh
from . import state as at


@inner
def enqueue(arrays, rules, store, node, wrong_if_stopped):
    numbers = store.numbers
    store.priority[node] = _priority(arrays, rules, store, node, wrong_if_stopped)
    store.fate[node] = OPEN
    store.queue_by_length[store.length[node]] += 1
    numbers[at.N_QUEUED] += 1
    numbers[at.N_HEAP] = heap.push(store.heap_priority, store.heap_node, numbers[at.N_HEAP], store.priority[node], node)
    if rules.policy != at.LOWER_BOUND_FIRST:
        numbers[at.N_BOUND_HEAP] = heap.push(
            store.bound_key, store.bound_node, numbers[at.N_BOUND_HEAP], store.key[node], node
        )


@inner
def unqueue(store, node):
    store.fate[node] = EXPANDED
    store.queue_by_length[store.length[node]] -= 1
    store.numbers[at.N_QUEUED] -= 1


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
def take_next(rules, store):
    """Take the next prefix that is worth expanding off the queue; -1 when there is none."""
    numbers = store.numbers
    while numbers[at.N_HEAP] > 0:
        node = np.int64(store.heap_node[0])
        current = store.fate[node] == OPEN and store.heap_priority[0] == store.priority[node]
        numbers[at.N_HEAP] = heap.drop_first(store.heap_priority, store.heap_node, numbers[at.N_HEAP])
        if current:
            unqueue(store, node)
            if store.key[node] < numbers[at.BEST]:
                return node
            store.fate[node] = CUT + at.BY_INCUMBENT
            store.pruned[at.BY_INCUMBENT] += 1
    return -1


@inlined
def take_dealt(store):
    """The next prefix that a worker was dealt and that is worth expanding; -1 when there is none, or no room.

    One that was re-parented since, which its cost shows, is in the queue again.
    """
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
def update_lower_bound(rules, store):
    """Raise the lower bound to the least key in the queue, dropping entries that are no longer valid."""
    raise_lower_bound(rules, store, store.numbers[at.BEST])


@inlined
def raise_lower_bound(rules, store, elsewhere):
    """The same where the least key of what was taken off the queue and is not expanded yet is ``elsewhere``."""
    numbers = store.numbers
    if rules.policy == at.LOWER_BOUND_FIRST:
        keys, nodes, which = store.heap_priority, store.heap_node, at.N_HEAP
    else:
        keys, nodes, which = store.bound_key, store.bound_node, at.N_BOUND_HEAP
    while numbers[which] > 0:
        node = nodes[0]
        if store.fate[node] == OPEN and keys[0] == store.key[node]:
            break
        numbers[which] = heap.drop_first(keys, nodes, numbers[which])
    least = keys[0] if numbers[which] > 0 else numbers[at.BEST]
    least = min(least, elsewhere)
    numbers[at.LOWER_BOUND] = min(numbers[at.BEST], max(numbers[at.LOWER_BOUND], least))


@inlined
def purge(rules, store):
    """Drop from the queue what the new incumbent rules out (Thm 1), and entries that are no longer valid."""
    numbers = store.numbers
    kept = 0
    for i in range(numbers[at.N_HEAP]):
        node = store.heap_node[i]
        if store.fate[node] == OPEN and store.heap_priority[i] == store.priority[node]:
            if store.key[node] < numbers[at.BEST]:
                store.heap_priority[kept] = store.heap_priority[i]
                store.heap_node[kept] = node
                kept += 1
            else:
                unqueue(store, node)
                store.fate[node] = CUT + at.BY_INCUMBENT
                store.pruned[at.BY_INCUMBENT] += 1
    numbers[at.N_HEAP] = kept
    heap.heapify(store.heap_priority, store.heap_node, kept)
    if rules.policy != at.LOWER_BOUND_FIRST:
        for i in range(kept):
            store.bound_node[i] = store.heap_node[i]
            store.bound_key[i] = store.key[store.heap_node[i]]
        numbers[at.N_BOUND_HEAP] = kept
        heap.heapify(store.bound_key, store.bound_node, kept)
