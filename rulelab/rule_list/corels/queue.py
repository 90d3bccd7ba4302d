"""The queue of prefixes of a `CorelsSearch`, what is known of those that left it, and the memos."""

from __future__ import annotations

import numpy as np

from ...kernels import heap
from ...kernels.bit_words import slot_of
from ...kernels.growing import CUT, EXPANDED, OPEN
from ...kernels.jit import inlined, inner, popcount
from ..counting import weigh
from ..exact import state as at
from ..exact.queue import EFFORT_PER_NODE, fill_bound_heap, priority_of, push_bound
from . import bounds, state


@inlined
def has(row, a):
    """Whether bit ``a`` is set."""
    return (row[a >> 6] >> np.uint64(a & 63)) & np.uint64(1) != 0


@inlined
def add(row, a):
    """Set bit ``a``."""
    row[a >> 6] |= np.uint64(1) << np.uint64(a & 63)


@inner
def cut_by(rules, cost, points, length, best):
    """Which bound says that no longer list that starts with the prefix beats the incumbent; -1 when none does."""
    if rules.hierarchical and bounds.hierarchical(cost, best):
        return state.BY_HIERARCHICAL
    further = 0
    if rules.equivalent_points:
        if bounds.equivalent_points(cost, points, rules.per_error, best):
            return state.BY_POINTS
        further = rules.per_error * points
    if rules.lookahead and bounds.lookahead(cost + further, rules.per_rule, best):
        return state.BY_LOOKAHEAD
    if rules.a_priori_length and bounds.a_priori_length(length + 1, rules.per_error, rules.per_rule, rules.total):
        return state.BY_A_PRIORI_LENGTH
    if rules.incumbent_length and bounds.incumbent_length(length + 1, rules.per_rule, best):
        return state.BY_INCUMBENT_LENGTH
    if rules.prefix_length and bounds.prefix_length(length, length + 1, cost, rules.per_rule, best):
        return state.BY_PREFIX_LENGTH
    return -1


@inlined
def lower_bound(rules, cost, points):
    """The least cost of a longer list that starts with the prefix, by the bounds in use."""
    if rules.equivalent_points:
        cost += rules.per_error * points
    if rules.lookahead:
        cost += rules.per_rule
    return cost


@inner
def enqueue(rules, store, node, objective, captured):
    """Queue a stored prefix; ``objective`` is its cost as a list, ``captured`` the weight it captures."""
    numbers = store.numbers
    priority = priority_of(rules, store, node, objective, captured, rules.total)
    store.fate[node] = OPEN
    _count(rules, store, node, 1)
    numbers[state.INSERTED] += 1
    numbers[state.LARGEST_QUEUE] = max(numbers[state.LARGEST_QUEUE], numbers[at.N_QUEUED])
    numbers[at.N_HEAP] = heap.push(store.heap_priority, store.heap_node, numbers[at.N_HEAP], priority, node)
    push_bound(rules, store, node)


@inner
def unqueue(rules, store, node):
    """Take a prefix off the queue; its entries in the heaps are dropped when they come first."""
    store.fate[node] = EXPANDED
    _count(rules, store, node, -1)


@inner
def _count(rules, store, node, change):
    """Keep the number of queued prefixes by length and remaining steps: the f of Thm 7."""
    store.numbers[at.N_QUEUED] += change
    steps = (store.numbers[at.OPEN_BEST] - store.cost[node]) // rules.per_rule
    most = store.queued_by_steps.shape[1] - 1
    store.queued_by_steps[store.length[node], max(0, min(steps, most))] += change


@inlined
def take_next(arrays, rules, store, most):
    """Take the next prefix that is worth expanding off the queue; -1 when none of the first ``most`` is."""
    numbers = store.numbers
    for _ in range(min(most, numbers[at.N_HEAP])):
        node = np.int64(store.heap_node[0])
        numbers[at.N_HEAP] = heap.drop_first(store.heap_priority, store.heap_node, numbers[at.N_HEAP])
        if store.fate[node] != OPEN:
            continue
        unqueue(rules, store, node)
        which = _superseded_by(store, node)
        if which >= 0:
            store.pruned[which] += 1
            store.fate[node] = CUT + which
            continue
        which = cut_by(rules, store.cost[node], store.points[node], store.length[node], numbers[at.BEST])
        if which < 0 and rules.similar_support and _is_similar(arrays, rules, store, node):
            which = state.BY_SIMILAR
        if which < 0:
            return node
        store.pruned[which] += 1
        store.fate[node] = CUT + which
        close(rules, store, node)
    return -1


@inlined
def _superseded_by(store, node):
    """The memo in which a cheaper prefix took the place of this one or of one that it starts with; -1 if none."""
    while node >= 0:
        if store.superseded[node]:
            return store.superseded[node]
        node = store.parent[node]
    return -1


@inlined
def _is_similar(arrays, rules, store, node):
    """Whether one of the remembered prefixes shows that no extension of this one beats the incumbent."""
    cost, apart = store.cost[node], store.scratch_set[0]
    positive, negative = weigh(arrays.classes, store.sets[node])
    for i in range(min(store.numbers[state.N_CLOSED], state.REMEMBERED)):
        other = store.remembered[i]
        similar_cost = store.cost[other]
        least = max(0, store.remembered_weight[i] - positive - negative)
        if bounds.similar_support(cost, similar_cost, least, rules.per_error):
            for w in range(apart.size):
                apart[w] = store.sets[other, w] & ~store.sets[node, w]
            apart_positive, apart_negative = weigh(arrays.classes, apart)
            if bounds.similar_support(cost, similar_cost, apart_positive + apart_negative, rules.per_error):
                return True
    return False


@inlined
def remember(arrays, store, node):
    """Keep an expanded prefix, of which no extension beats the incumbent, for comparison with others (Thm 18)."""
    slot = store.numbers[state.N_CLOSED] % state.REMEMBERED
    positive, negative = weigh(arrays.classes, store.sets[node])
    store.remembered[slot] = node
    store.remembered_weight[slot] = positive + negative
    store.numbers[state.N_CLOSED] += 1


@inner
def is_settled(store, node, m):
    """Whether no list beats the incumbent that starts with the prefix and any one antecedent."""
    n = 0
    for w in range(store.settled.shape[1]):
        n += popcount(store.settled[node, w])
    return n == m


@inner
def close(rules, store, node):
    """Note that no list beats the incumbent that starts with this prefix, and what follows for those before it."""
    if not rules.similar_support:
        return
    m = store.path.size - 1
    while True:
        store.closed[node] = 1
        parent = np.int64(store.parent[node])
        if parent < 0:
            return
        add(store.settled[parent], np.int64(store.rule[node]))
        if not is_settled(store, parent, m):
            return
        node = parent


@inlined
def purge(rules, store):
    """Drop from the queue what the new incumbent rules out, and count the remaining steps anew."""
    numbers = store.numbers
    numbers[at.OPEN_BEST] = numbers[at.BEST]
    for length in range(store.queued_by_steps.shape[0]):
        for steps in range(store.queued_by_steps.shape[1]):
            store.queued_by_steps[length, steps] = 0
    numbers[at.N_QUEUED] = 0
    kept = 0
    for i in range(numbers[at.N_HEAP]):
        node = np.int64(store.heap_node[i])
        if store.fate[node] == OPEN:
            which = cut_by(rules, store.cost[node], store.points[node], store.length[node], numbers[at.BEST])
            if which >= 0:
                store.fate[node] = CUT + which
                store.pruned[which] += 1
                close(rules, store, node)
            else:
                store.heap_priority[kept] = store.heap_priority[i]
                store.heap_node[kept] = node
                kept += 1
                _count(rules, store, node, 1)
    numbers[at.N_HEAP] = kept
    heap.heapify(store.heap_priority, store.heap_node, kept)
    fill_bound_heap(rules, store)


@inlined
def rebuild_tables(store, most):
    """Go on entering all nodes into new memos, for about ``most`` units of effort; returns how many it took.

    A later node took the place of an earlier one. ``TABLE_IS_STALE`` is 1 at first, then one more than the next node.
    """
    numbers = store.numbers
    each = 2 * (store.sets.shape[1] + store.antecedents.shape[1] + EFFORT_PER_NODE)
    first = numbers[at.TABLE_IS_STALE] - 1
    if first == 0:
        for slot in range(store.by_set.size):
            store.by_set[slot] = -1
            store.by_antecedents[slot] = -1
    last = min(numbers[at.N_NODES], first + 1 + max(most, 0) // each)
    for node in range(first, last):
        store.by_set[slot_of(store.by_set, store.sets, store.sets[node])] = node
        store.by_antecedents[slot_of(store.by_antecedents, store.antecedents, store.antecedents[node])] = node
    numbers[at.TABLE_IS_STALE] = last + 1 if last < numbers[at.N_NODES] else 0
    return (last - first) * each


@inlined
def supersede(rules, store, node, which):
    """Let a cheaper prefix take the place of this one."""
    store.superseded[node] = which
    if store.fate[node] == OPEN:
        unqueue(rules, store, node)
        store.pruned[which] += 1
    store.fate[node] = CUT + which
