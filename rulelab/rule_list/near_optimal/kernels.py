"""Best-first enumeration of all rule lists within a threshold, merged where they do the same.

A *state* is a partial classifier: which patterns are captured, which of them are predicted positive, and by how many
rules. Prefixes of the same state have the same cost and the same completions, so each state is stored once and every
way to reach it is an *edge*. A *class* is a complete classifier: lists that predict alike on every pattern.

A state is left out only when the bound of all its completions exceeds the threshold: the bounds of the exact search
that rest on optimality (support, dominance, one prefix per captured set) would lose lists here. The separation bound
holds for the cheapest completion of a state, which has no rule that does not pay, and so for all of them.
"""

from __future__ import annotations

import numpy as np

from ...kernels import heap
from ...kernels.bit_words import slot_at_length, slot_of
from ...kernels.by_reference import call
from ...kernels.jit import inner, kernel
from .. import bounds
from ..counting import count, effort_of_a_count, weigh
from ..frontier.kernels import least_errors
from ..pair_bound import HITS, is_used, separation_after, separation_within, tried, wants_separation
from . import state as at

DONE, PAUSED, GROW, FULL, SEPARATE = 0, 1, 2, 3, 4


@kernel
def start(arrays, sets, limits, store, constant):
    """Queue the empty prefix; ``constant`` is the weight that every list gets wrong."""
    state = store.scratch_state
    for w in range(sets.full.size):
        state[w] = sets.full[w]
        state[sets.full.size + w] = np.uint64(0)
    positive, negative = store.scratch_counts[2], store.scratch_counts[3]
    weight_positive, weight_negative = count(arrays, state[: sets.weighted], positive, negative)
    longer = np.int64(0) if limits.max_length > 0 else at.NEVER
    _enter(sets, limits, store, 0, limits.per_error * constant, -1, -1, weight_positive, weight_negative, longer)


@kernel
def advance(arrays, sets, limits, store, separation, separator, limit, max_work, max_children):
    """Expand at most ``max_work`` states and look at about ``max_children`` children of theirs.

    Returns DONE, PAUSED, GROW when an array has no room, FULL when ``limit`` classes are known and there are more, or
    SEPARATE where it wants multipliers and ``separator``, the address of what adapts them (0 before).
    """
    numbers = store.numbers
    m = sets.captures.shape[0]
    work = numbers[at.WORK] + max_work
    while numbers[at.OPEN_NODE] >= 0 or numbers[at.N_HEAP] > 0:
        if numbers[at.OPEN_NODE] >= 0:
            if max_children <= 0:
                return PAUSED
            max_children -= 1 + _expand(arrays, sets, limits, store, separation, max_children)
            if numbers[at.OPEN_CHILD] < m:
                return PAUSED
            numbers[at.OPEN_NODE] = -1
            numbers[at.WORK] += 1
            continue
        item = store.heap_item[0]
        if item < 0:
            c = -1 - item
            if not store.is_emitted[c]:
                if numbers[at.N_EMITTED] >= limit:
                    return FULL
                store.is_emitted[c] = 1
                store.emitted[numbers[at.N_EMITTED]] = c
                numbers[at.N_EMITTED] += 1
            numbers[at.N_HEAP] = heap.drop_first(store.heap_key, store.heap_item, numbers[at.N_HEAP])
            continue
        if numbers[at.WORK] >= work or max_children <= 0:
            return PAUSED
        if wants_separation(limits, separation, separator, numbers[at.N_STATES], numbers[at.WORK]):
            return SEPARATE
        if (
            numbers[at.N_STATES] + m > store.cost.size
            or numbers[at.N_CLASSES] + m > store.class_cost.size
            or numbers[at.N_EDGES] + m > store.edge_rule.size
            or numbers[at.N_HEAP] + 2 * m > store.heap_key.size
        ):
            return GROW
        key = store.heap_key[0]
        numbers[at.N_HEAP] = heap.drop_first(store.heap_key, store.heap_item, numbers[at.N_HEAP])
        least = max(key, _open(arrays, sets, limits, store, separation, separator, item))
        if numbers[at.OPEN_SEPARATED]:
            max_children -= separation.rule.size // effort_of_a_count(arrays)
        numbers[at.OPEN_NODE], numbers[at.OPEN_CHILD], numbers[at.OPEN_KEY] = item, 0, least
        if least > limits.threshold:
            numbers[at.OPEN_CHILD] = m
    return DONE


@kernel
def rebuild_tables(store):
    """Enter all states and classes into emptied tables."""
    for slot in range(store.state_table.size):
        store.state_table[slot] = -1
    for slot in range(store.class_table.size):
        store.class_table[slot] = -1
    for i in range(store.numbers[at.N_STATES]):
        length = store.length[i]
        store.state_table[slot_at_length(store.state_table, store.states, store.length, store.states[i], length)] = i
    for c in range(store.numbers[at.N_CLASSES]):
        store.class_table[slot_of(store.class_table, store.classes, store.classes[c])] = c


@inner
def _open(arrays, sets, limits, store, separation, separator, node):
    """Count the antecedents within what a state leaves; what its completions cost at least by pairs of patterns."""
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    left, beyond = store.states[node, : sets.weighted], limits.threshold + 1
    store.numbers[at.OPEN_SEPARATED] = is_used(limits, separation)
    if store.numbers[at.OPEN_SEPARATED] and separation_within(separation, left, beyond - store.cost[node]):
        tried(separation, True)
        return beyond
    count(arrays, left, positive, negative)
    bounds.largest_sums(positive, store.scratch_sums[0])
    bounds.largest_sums(negative, store.scratch_sums[1])
    if not store.numbers[at.OPEN_SEPARATED]:
        return np.int64(0)
    least = store.cost[node] + call(separator, (arrays, limits, separation, left, positive, negative))
    tried(separation, least >= beyond)
    return least


@inner
def _expand(arrays, sets, limits, store, separation, most):
    """Go on with the open state, for at most ``most`` antecedents; returns how many."""
    numbers = store.numbers
    node = numbers[at.OPEN_NODE]
    words = sets.full.size
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    whole = store.states[node]
    weight_positive, weight_negative = weigh(arrays, whole[: sets.weighted])
    sums_positive, sums_negative = store.scratch_sums[0], store.scratch_sums[1]
    cost, length = store.cost[node], np.int64(store.length[node]) + 1
    child = store.scratch_state
    first = numbers[at.OPEN_CHILD]
    for a in range(first, min(first + most, positive.size)):
        numbers[at.OPEN_CHILD] = a + 1
        child_cost = cost + limits.per_error * min(positive[a], negative[a]) + limits.per_rule
        if child_cost > limits.threshold:
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        stop = child_cost + limits.per_error * min(left_positive, left_negative)
        budget = limits.threshold + 1 - child_cost
        longer = child_cost + union(limits, left_positive, left_negative, sums_positive, sums_negative, length, budget)
        longer = max(longer, numbers[at.OPEN_KEY])
        if longer <= limits.threshold and numbers[at.OPEN_SEPARATED]:
            longer = max(longer, child_cost + separation_after(arrays, separation, a, budget))
            separation.numbers[HITS] += longer > limits.threshold
        if stop > limits.threshold and longer > limits.threshold:
            continue
        captures_something = False
        predicts_positive = positive[a] > negative[a]
        for w in range(words):
            captured = whole[w] & sets.captures[a, w]
            captures_something |= captured != 0
            child[w] = whole[w] & ~captured
            child[words + w] = whole[words + w] | captured if predicts_positive else whole[words + w]
        if not captures_something:
            continue
        known = np.int64(
            store.state_table[slot_at_length(store.state_table, store.states, store.length, child, length)]
        )
        if known < 0:
            if longer <= limits.threshold:
                further = tail(arrays, sets, limits, store, left_positive, left_negative, length, budget)
                longer = max(longer, child_cost + further)
            if stop > limits.threshold and longer > limits.threshold:
                continue
            known = _enter(sets, limits, store, length, child_cost, node, a, left_positive, left_negative, longer)
        edge = store.numbers[at.N_EDGES]
        store.edge_from[edge] = node
        store.edge_to[edge] = known
        store.edge_rule[edge] = a
        store.numbers[at.N_EDGES] += 1
    return numbers[at.OPEN_CHILD] - first


@inner
def union(limits, weight_positive, weight_negative, sums_positive, sums_negative, length, budget):
    """Least further cost by one or more rules, at most ``budget``: of the label that the default rule does not predict,
    r rules capture at most the sum of the r largest weights."""
    best = budget
    last = sums_positive.size - 1
    for r in range(1, limits.max_length - length + 1):
        if r * limits.per_rule >= best:
            break
        missed = 0
        if r <= last:
            missed = max(0, min(weight_positive - sums_positive[r], weight_negative - sums_negative[r]))
        best = min(best, r * limits.per_rule + limits.per_error * missed)
        if missed == 0:
            break
    return best


@inner
def tail(arrays, sets, limits, store, weight_positive, weight_negative, length, budget):
    """As `union`, from the counts of the state itself (``store.scratch_state``), by the sharper `least_errors`."""
    positive, negative = store.scratch_counts[2], store.scratch_counts[3]
    count(arrays, store.scratch_state[: sets.weighted], positive, negative)
    sums_positive, sums_negative = store.scratch_sums[2], store.scratch_sums[3]
    bounds.largest_sums(positive, sums_positive)
    bounds.largest_sums(negative, sums_negative)
    best = budget
    last = sums_positive.size - 1
    for r in range(1, limits.max_length - length + 1):
        if r * limits.per_rule >= best:
            break
        wrong = np.int64(0)
        if r <= last:
            cap = (best - r * limits.per_rule - 1) // limits.per_error + 1
            wrong = least_errors(
                r, weight_positive, weight_negative, positive, negative, sums_positive, sums_negative, cap
            )
        best = min(best, r * limits.per_rule + limits.per_error * wrong)
        if wrong == 0:
            break
    return best


@inner
def _enter(sets, limits, store, length, cost, parent, rule, weight_positive, weight_negative, longer):
    """Store the state in ``store.scratch_state``, queue it if it has completions, and the classifier it makes."""
    numbers = store.numbers
    words = sets.full.size
    node = numbers[at.N_STATES]
    numbers[at.N_STATES] += 1
    state = store.scratch_state
    for w in range(2 * words):
        store.states[node, w] = state[w]
    store.state_table[slot_at_length(store.state_table, store.states, store.length, state, length)] = node
    store.cost[node] = cost
    store.length[node] = length
    store.parent[node] = parent
    store.rule[node] = rule
    stop = cost + limits.per_error * min(weight_positive, weight_negative)
    store.stop[node] = stop
    store.class_of[node] = -1
    if stop <= limits.threshold:
        _enter_class(store, node, words, stop, weight_positive > weight_negative)
    if longer <= limits.threshold:
        numbers[at.N_HEAP] = heap.push(store.heap_key, store.heap_item, numbers[at.N_HEAP], longer, node)
    return node


@inner
def _enter_class(store, node, words, stop, default_positive):
    numbers = store.numbers
    classifier = store.scratch_class
    for w in range(words):
        classifier[w] = store.states[node, words + w]
        if default_positive:
            classifier[w] |= store.states[node, w]
    slot = slot_of(store.class_table, store.classes, classifier)
    c = np.int64(store.class_table[slot])
    if c < 0:
        c = numbers[at.N_CLASSES]
        numbers[at.N_CLASSES] += 1
        store.class_table[slot] = c
        for w in range(words):
            store.classes[c, w] = classifier[w]
        store.class_cost[c] = stop + 1
        store.is_emitted[c] = 0
    store.class_of[node] = c
    if stop < store.class_cost[c]:
        store.class_cost[c] = stop
        store.class_state[c] = node
        numbers[at.N_HEAP] = heap.push(store.heap_key, store.heap_item, numbers[at.N_HEAP], stop, -1 - c)


@kernel
def count_lists(order, edge_from, edge_to, stop, cap, ways, endings, best):
    """Lists through every state: ``ways`` to reach it, ``endings`` of cost at most ``cap`` from it, the ``best`` one.

    ``order`` sorts the edges by the length of the state they start from. Counts stop at `MOST_LISTS`.
    """
    for i in range(stop.size):
        ways[i] = 0
        endings[i] = 1 if stop[i] <= cap else 0
        best[i] = stop[i]
    ways[0] = 1
    for i in range(order.size):
        start_of, end_of = edge_from[order[i]], edge_to[order[i]]
        ways[end_of] = min(ways[end_of] + ways[start_of], at.MOST_LISTS)
    for i in range(order.size - 1, -1, -1):
        start_of, end_of = edge_from[order[i]], edge_to[order[i]]
        endings[start_of] = min(endings[start_of] + endings[end_of], at.MOST_LISTS)
        best[start_of] = min(best[start_of], best[end_of])
