"""Best-first branch and bound over the sets that prefixes leave, one expansion at a time."""

from __future__ import annotations

import numpy as np

from ...kernels import heap
from ...kernels.fates import CUT, EXPANDED, OPEN
from ...kernels.jit import inlined, kernel
from ..bounds import further_loss
from .expansion import bound_that_cuts, expand, open_prefix
from .layout import sum_head
from .memo import hash_of, rebuild_table
from .soft_expansion import expand_soft
from .state import (
    BEST,
    BY_INCUMBENT,
    BY_LENGTH,
    LAST_NODE,
    LOWER_BOUND,
    N_HEAP,
    N_NODES,
    N_QUEUED,
    OPEN_BEST,
    OPEN_CHILD,
    OPEN_NODE,
    TABLE_IS_STALE,
    WORK,
)

DONE, PAUSED, GROW = 0, 1, 2


@kernel
def start(arrays, rules, store, left_positive, left_negative):
    """Queue the empty prefix; the incumbent's cost must be in place."""
    numbers = store.numbers
    store.left_positive[0] = left_positive
    store.left_negative[0] = left_negative
    store.ratio_p[0] = 1
    store.ratio_n[0] = 1
    store.parent[0] = -1
    store.rule[0] = -1
    numbers[OPEN_NODE] = -1
    sum_head(arrays.head_positives, arrays.full, store.sums[0])
    sum_head(arrays.head_negatives, arrays.full, store.sums[1])
    store.key[0] = rules.per_rule + further_loss(arrays, rules, store.sums[0], store.sums[1], left_positive, 1.0)
    store.hash[0] = hash_of(store, arrays.full)
    store.table[np.int64(store.hash[0] & np.uint64(store.table.size - 1))] = 0
    numbers[N_NODES] = 1
    numbers[LOWER_BOUND] = min(numbers[BEST], store.key[0])
    if rules.max_length == 0:
        store.pruned[BY_LENGTH] += 1
    elif store.key[0] >= numbers[BEST]:
        budget = numbers[BEST] - rules.per_rule
        store.pruned[bound_that_cuts(arrays, rules, store.sums[0], store.sums[1], left_positive, budget, 1.0)] += 1
    else:
        store.fate[0] = OPEN
        store.queue_by_length[0] = 1
        numbers[N_QUEUED] = 1
        numbers[N_HEAP] = heap.push(store.heap_key, store.heap_node, 0, store.key[0], 0)


@kernel
def advance(arrays, rules, store, max_work, max_effort):
    """Expand at most ``max_work`` prefixes, at about ``max_effort`` words and weights looked at.

    Returns DONE, PAUSED, or GROW when an array has no room for one more expansion. An expansion can be left half-way; a
    prefix counts as work when it is finished.
    """
    numbers = store.numbers
    m = store.counts.shape[1]
    if numbers[TABLE_IS_STALE]:
        max_effort -= rebuild_table(store, max_effort)
        if numbers[TABLE_IS_STALE]:
            return PAUSED
    work = numbers[WORK] + max_work
    while numbers[N_QUEUED] > 0 or numbers[OPEN_NODE] >= 0:
        if numbers[WORK] >= work or max_effort <= 0:
            return PAUSED
        if numbers[OPEN_NODE] < 0:
            if numbers[N_NODES] + m > store.key.size or numbers[N_HEAP] + m > store.heap_key.size:
                return GROW
            numbers[OPEN_NODE], numbers[OPEN_CHILD], numbers[OPEN_BEST] = _take_next(store), 0, numbers[BEST]
            numbers[LAST_NODE] = numbers[OPEN_NODE]
            open_prefix(arrays, store, numbers[OPEN_NODE])
            max_effort -= m * (arrays.positive_word.size + arrays.negative_word.size)
        max_effort -= m
        if rules.soft:
            max_effort -= expand_soft(arrays, rules, store, numbers[OPEN_NODE], max_effort)
        else:
            max_effort -= expand(arrays, rules, store, numbers[OPEN_NODE], max_effort)
        if numbers[OPEN_CHILD] < m:
            return PAUSED
        numbers[OPEN_NODE] = -1
        numbers[WORK] += 1
        if numbers[BEST] < numbers[OPEN_BEST]:
            _purge(store)
        _update_lower_bound(store)
    numbers[LOWER_BOUND] = numbers[BEST]
    return DONE


@inlined
def _take_next(store):
    """Take the prefix with the least key off the queue, which must hold one."""
    numbers = store.numbers
    while True:
        node = store.heap_node[0]
        numbers[N_HEAP] = heap.drop_first(store.heap_key, store.heap_node, numbers[N_HEAP])
        if store.fate[node] == OPEN:
            store.fate[node] = EXPANDED
            store.queue_by_length[store.length[node]] -= 1
            numbers[N_QUEUED] -= 1
            return node


@inlined
def _update_lower_bound(store):
    """Raise the lower bound to the least key in the queue."""
    numbers = store.numbers
    while numbers[N_HEAP] > 0 and store.fate[store.heap_node[0]] != OPEN:
        numbers[N_HEAP] = heap.drop_first(store.heap_key, store.heap_node, numbers[N_HEAP])
    least = store.heap_key[0] if numbers[N_HEAP] > 0 else numbers[BEST]
    numbers[LOWER_BOUND] = min(numbers[BEST], max(numbers[LOWER_BOUND], least))


@inlined
def _purge(store):
    """Drop from the queue what the new incumbent rules out, and entries that are no longer valid."""
    numbers = store.numbers
    kept = 0
    for i in range(numbers[N_HEAP]):
        node = store.heap_node[i]
        if store.fate[node] != OPEN:
            continue
        if store.key[node] < numbers[BEST]:
            store.heap_key[kept] = store.heap_key[i]
            store.heap_node[kept] = node
            kept += 1
        else:
            store.fate[node] = CUT + BY_INCUMBENT
            store.queue_by_length[store.length[node]] -= 1
            numbers[N_QUEUED] -= 1
            store.pruned[BY_INCUMBENT] += 1
    numbers[N_HEAP] = kept
    heap.heapify(store.heap_key, store.heap_node, kept)
