"""Best-first branch and bound over the sets that prefixes leave, one expansion at a time."""

from __future__ import annotations

import numpy as np

from ...kernels import heap, queue
from ...kernels.growing import CUT, EXPANDED, OPEN
from ...kernels.jit import inlined, inner, kernel
from ...kernels.queue import DONE, GROW, PAUSED
from ..bounds import further_loss
from . import state as at
from .expansion import bound_that_cuts, expand, expand_soft, open_prefix
from .state import hash_of, rebuild_table, sum_head

_EXPANDING = 3


@kernel
def advance(arrays, rules, store, max_work, max_effort):
    """Expand at most ``max_work`` prefixes of lists that fall, at about ``max_effort`` words and weights looked at.

    Returns DONE, PAUSED, or GROW when an array has no room for one more expansion. An expansion can be left half-way; a
    prefix counts as work when it is finished. The first call queues the empty prefix; the incumbent's cost must be in
    place.
    """
    work = store.numbers[at.WORK] + max_work
    while True:
        outcome, spent = _go_on(arrays, rules, store, work, max_effort)
        if outcome != _EXPANDING:
            return outcome
        max_effort -= spent
        max_effort -= expand(arrays, rules, store, store.numbers[at.OPEN_NODE], max_effort)


@kernel
def advance_soft(arrays, rules, store, max_work, max_effort):
    """As `advance`, for softly falling lists: compiled only where one is looked for."""
    work = store.numbers[at.WORK] + max_work
    while True:
        outcome, spent = _go_on(arrays, rules, store, work, max_effort)
        if outcome != _EXPANDING:
            return outcome
        max_effort -= spent
        max_effort -= expand_soft(arrays, rules, store, store.numbers[at.OPEN_NODE], max_effort)


@kernel
def drop(arrays, store, least):
    """Take off the queue what has an antecedent that is not allowed, or costs too much; no list is below ``least``."""
    numbers, m = store.numbers, store.counts.shape[1]
    numbers[at.LOWER_BOUND] = min(numbers[at.BEST], max(numbers[at.LOWER_BOUND], least))
    if numbers[at.OPEN_NODE] >= 0 and not _is_allowed(arrays, store, numbers[at.OPEN_NODE]):
        store.pruned[at.BY_JOINT] += m - numbers[at.OPEN_CHILD]
        numbers[at.OPEN_CHILD] = m
    for i in range(numbers[at.N_HEAP]):
        node = store.heap_node[i]
        if store.fate[node] == OPEN and not _is_allowed(arrays, store, node):
            queue.cut_off(store, node, at.BY_JOINT)
    _purge(store)


@inner
def _is_allowed(arrays, store, node):
    """Whether all antecedents of a prefix are."""
    while store.parent[node] >= 0:
        if not arrays.allowed[store.rule[node]]:
            return False
        node = np.int64(store.parent[node])
    return True


@inner
def _go_on(arrays, rules, store, work, max_effort):
    """Finish the open prefix if all its antecedents were looked at, and open the next one where none is open.

    Returns _EXPANDING, or what the search has come to, and how many words and weights were looked at.
    """
    numbers = store.numbers
    m, spent = store.counts.shape[1], 0
    if numbers[at.N_NODES] == 0:
        _start(arrays, rules, store)
    if numbers[at.TABLE_IS_STALE]:
        spent = rebuild_table(store, max_effort)
        if numbers[at.TABLE_IS_STALE]:
            return PAUSED, spent
    if numbers[at.OPEN_NODE] >= 0 and numbers[at.OPEN_CHILD] == m:
        numbers[at.OPEN_NODE] = -1
        numbers[at.WORK] += 1
        if numbers[at.BEST] < numbers[at.OPEN_BEST]:
            _purge(store)
        _update_lower_bound(store)
    if numbers[at.N_QUEUED] == 0 and numbers[at.OPEN_NODE] < 0:
        numbers[at.LOWER_BOUND] = numbers[at.BEST]
        return DONE, spent
    if numbers[at.WORK] >= work or spent >= max_effort:
        return PAUSED, spent
    if numbers[at.OPEN_NODE] < 0:
        if numbers[at.N_NODES] + m > store.key.size or numbers[at.N_HEAP] + m > store.heap_key.size:
            return GROW, spent
        numbers[at.OPEN_NODE], numbers[at.OPEN_CHILD], numbers[at.OPEN_BEST] = _take_next(store), 0, numbers[at.BEST]
        numbers[at.LAST_NODE] = numbers[at.OPEN_NODE]
        open_prefix(arrays, store, numbers[at.OPEN_NODE])
        spent += m * (arrays.positive_word.size + arrays.negative_word.size)
    return _EXPANDING, spent + m


@inlined
def _start(arrays, rules, store):
    """Queue the empty prefix."""
    numbers = store.numbers
    left_positive = store.left_positive[0]
    store.ratio_p[0] = 1
    store.ratio_n[0] = 1
    store.parent[0] = -1
    store.rule[0] = -1
    numbers[at.OPEN_NODE] = -1
    sum_head(arrays.head_positives, arrays.full, store.sums[0])
    sum_head(arrays.head_negatives, arrays.full, store.sums[1])
    store.key[0] = rules.per_rule + further_loss(arrays, rules, store.sums[0], store.sums[1], left_positive, 1.0)
    store.hash[0] = hash_of(store, arrays.full)
    store.table[np.int64(store.hash[0] & np.uint64(store.table.size - 1))] = 0
    numbers[at.N_NODES] = 1
    numbers[at.LOWER_BOUND] = min(numbers[at.BEST], store.key[0])
    which = -1
    if rules.max_length == 0:
        which = at.BY_LENGTH
    elif store.key[0] >= numbers[at.BEST]:
        budget = numbers[at.BEST] - rules.per_rule
        which = bound_that_cuts(arrays, rules, store.sums[0], store.sums[1], left_positive, budget, 1.0)
    if which >= 0:
        store.pruned[which] += 1
        store.fate[0] = CUT + which
    else:
        queue.enter(store, store.heap_key, 0, store.key[0])


@inlined
def _take_next(store):
    """Take the prefix with the least key off the queue, which must hold one."""
    numbers = store.numbers
    while True:
        node = store.heap_node[0]
        numbers[at.N_HEAP] = heap.drop_first(store.heap_key, store.heap_node, numbers[at.N_HEAP])
        if store.fate[node] == OPEN:
            queue.leave(store, node, EXPANDED)
            return node


@inlined
def _update_lower_bound(store):
    """Raise the lower bound to the least key in the queue."""
    numbers = store.numbers
    numbers[at.N_HEAP] = queue.drop_stale(store, store.heap_key, store.heap_node, numbers[at.N_HEAP])
    least = store.heap_key[0] if numbers[at.N_HEAP] > 0 else numbers[at.BEST]
    numbers[at.LOWER_BOUND] = min(numbers[at.BEST], max(numbers[at.LOWER_BOUND], least))


@inner
def _purge(store):
    """Drop from the queue what the new incumbent rules out, and entries that are no longer valid."""
    queue.purge(store, store.heap_key, store.key, store.numbers[at.BEST], at.BY_INCUMBENT)
