"""Least errors for each number of rules: bounds that know how many rules are left, and best-first search.

Errors are counted in units of net weight on the grid. The state after ``j`` rules is the set of patterns that they
leave uncaptured, with ``j`` itself: a set alone is not enough when the number of rules is limited.
"""

from __future__ import annotations

import numpy as np

from ...kernels import queue
from ...kernels.bit_words import slot_at_length
from ...kernels.growing import OPEN
from ...kernels.jit import inner, kernel
from ...kernels.queue import DONE, GROW, PAUSED
from .. import bounds
from ..counting import count, errors_of_list, weigh
from . import state as at


@kernel
def least_errors(rules_left, weight_positive, weight_negative, positive, negative, sums_positive, sums_negative, cap):
    """Lower bound on the net weight that at most ``rules_left`` >= 1 further rules and a default rule get wrong.

    If the default rule predicts d and ks further rules predict the other label s, let b be the one of them with the
    largest W^s_b. Together they capture at most min(ks W^s_b, sum of the ks largest) of the s-weight; the d-weight in b
    is wrong except for what the other rules shield, at most the sum of the (rules_left - ks) largest W^d.
    The bound is the least over d, ks and b; more rules of either kind only lower it. It is not followed beyond ``cap``.
    ``positive``, ``negative`` (int64, shape (m,)): net weights of every antecedent within the set; entry r of the sums
    (int64) is that of the r largest of them.
    """
    best = min(cap, weight_positive, weight_negative)
    best = _least_errors(rules_left, weight_positive, positive, negative, sums_positive, sums_negative, best)
    return _least_errors(rules_left, weight_negative, negative, positive, sums_negative, sums_positive, best)


@inner
def _least_errors(rules_left, weight_s, captured_s, captured_d, sums_s, sums_d, best):
    for ks in range(1, rules_left + 1):
        top, shield = sums_s[ks], sums_d[rules_left - ks]
        if weight_s - top >= best:
            continue
        least = best
        for b in range(captured_s.size):
            wrong = max(weight_s - min(ks * captured_s[b], top), 0) + max(captured_d[b] - shield, 0)
            least = min(least, wrong)
        best = least
    return best


@kernel
def bound_from_the_root(arrays, curve, store, constant):
    """Lower bounds of all points before the search."""
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    weight_positive, weight_negative = count(arrays, arrays.full, positive, negative)
    if curve.errors.size > 1:
        bounds.largest_sums(positive, store.scratch_sums[0])
        bounds.largest_sums(negative, store.scratch_sums[1])
    curve.lower[0] = constant + min(weight_positive, weight_negative)
    for k in range(1, curve.errors.size):
        curve.lower[k] = constant + least_errors(
            k,
            weight_positive,
            weight_negative,
            positive,
            negative,
            store.scratch_sums[0],
            store.scratch_sums[1],
            weight_positive,
        )


@kernel
def start(arrays, curve, store, length, constant):
    """Forget all prefixes and queue the empty one, to look for better lists of ``length`` rules."""
    numbers = store.numbers
    for slot in range(store.table.size):
        store.table[slot] = -1
    for i in range(store.queue_by_length.size):
        store.queue_by_length[i] = 0
    numbers[at.LENGTH] = length
    numbers[at.N_HEAP] = 0
    numbers[at.N_QUEUED] = 0
    numbers[at.N_NODES] = 1
    numbers[at.OPEN_NODE] = -1
    for w in range(arrays.full.size):
        store.sets[0, w] = arrays.full[w]
    store.cost[0] = constant
    store.key[0] = curve.lower[length]
    store.parent[0] = -1
    store.rule[0] = -1
    store.length[0] = 0
    if store.key[0] < curve.errors[length]:
        queue.enter(store, store.heap_key, 0, store.key[0])


@kernel
def advance(arrays, curve, store, constant, max_work, max_children):
    """Expand ``max_work`` prefixes at most, with about ``max_children``: DONE, PAUSED, or GROW without room."""
    numbers = store.numbers
    m = arrays.by_antecedent.shape[0]
    length = numbers[at.LENGTH]
    work = numbers[at.WORK] + max_work
    while numbers[at.WORK] < work and max_children > 0:
        if numbers[at.OPEN_NODE] < 0:
            if numbers[at.N_NODES] + m > store.cost.size or numbers[at.N_HEAP] + m > store.heap_node.size:
                return GROW
            node = queue.take_first(store, store.heap_key, store.key, curve.errors[length], at.BY_BEST)
            if node < 0:
                break
            numbers[at.OPEN_BEST] = curve.errors[length]
            _open(arrays, store, node)
        max_children -= 1 + _expand(arrays, curve, store, constant, max_children)
        if numbers[at.OPEN_CHILD] < m:
            break
        numbers[at.OPEN_NODE] = -1
        numbers[at.WORK] += 1
        if curve.errors[length] < numbers[at.OPEN_BEST]:
            queue.purge(store, store.heap_key, store.key, curve.errors[length], at.BY_BEST)
        _raise_lower_bound(curve, store, length)
    if numbers[at.N_QUEUED] == 0 and numbers[at.OPEN_NODE] < 0:
        curve.lower[length] = curve.errors[length]
        return DONE
    return PAUSED


@kernel
def rebuild_table(store):
    """Enter all nodes into an emptied table."""
    for slot in range(store.table.size):
        store.table[slot] = -1
    for node in range(store.numbers[at.N_NODES]):
        store.table[slot_at_length(store.table, store.sets, store.length, store.sets[node], store.length[node])] = node


@inner
def _open(arrays, store, node):
    """Count the antecedents within the uncaptured set of a prefix."""
    numbers = store.numbers
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    count(arrays, store.sets[node], positive, negative)
    numbers[at.EXPANDED] += 1
    numbers[at.OPEN_NODE], numbers[at.OPEN_CHILD] = node, 0
    last = numbers[at.LENGTH] - np.int64(store.length[node]) + 1
    bounds.largest_sums(positive, store.scratch_sums[0, :last])
    bounds.largest_sums(negative, store.scratch_sums[1, :last])


@inner
def _expand(arrays, curve, store, constant, most):
    """Extend the open prefix by every antecedent that a better list of ``numbers[LENGTH]`` rules can use next.

    Deleting a rule from a list of k rules makes at most the weight wrong that the rule gets right. So every rule of a
    list that beats the incumbent gets more right than the errors of the best k-1 rules exceed the incumbent's. Looks at
    no more than ``most`` antecedents, and returns at how many.
    """
    numbers, pruned = store.numbers, store.pruned
    node = numbers[at.OPEN_NODE]
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    weight_positive, weight_negative = weigh(arrays, store.sets[node])
    k = numbers[at.LENGTH]
    cost, length = store.cost[node], np.int64(store.length[node])
    rules_left = k - length - 1
    sums_positive, sums_negative = store.scratch_sums[0, : rules_left + 2], store.scratch_sums[1, : rules_left + 2]
    first = numbers[at.OPEN_CHILD]
    for a in range(first, min(first + most, positive.size)):
        numbers[at.OPEN_CHILD] = a + 1
        best = curve.errors[k]
        right = max(positive[a], negative[a])
        if right == 0:
            pruned[at.BY_NOTHING] += 1
            continue
        if right <= curve.errors[k - 1] - best:
            pruned[at.BY_SUPPORT] += 1
            continue
        numbers[at.CREATED] += 1
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        child_cost = cost + min(positive[a], negative[a])
        if rules_left == 0:
            if child_cost + min(left_positive, left_negative) < best:
                _improve(arrays, curve, store, constant, node, a, -1)
            continue
        if child_cost >= best:
            pruned[at.BY_COST] += 1
            continue
        missed = min(left_positive - sums_positive[rules_left], left_negative - sums_negative[rules_left])
        if child_cost + missed >= best:
            pruned[at.BY_UNION] += 1
        elif rules_left == 1:
            _finish(arrays, curve, store, constant, node, a, child_cost, left_positive, left_negative)
        else:
            _consider(arrays, curve, store, node, a, child_cost, left_positive, left_negative, rules_left)
    return numbers[at.OPEN_CHILD] - first


@inner
def _finish(arrays, curve, store, constant, parent, a, cost, weight_positive, weight_negative):
    """Try the child that captures ``a`` next with every last rule."""
    k = store.numbers[at.LENGTH]
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    likely = min(
        bounds.single_rule(positive, negative, negative[a], weight_positive),
        bounds.single_rule(negative, positive, positive[a], weight_negative),
    )
    if cost + likely >= curve.errors[k]:
        store.pruned[at.BY_PAIR] += 1
        return
    child = store.scratch_set[0]
    for w in range(child.size):
        child[w] = store.sets[parent, w] & ~arrays.by_antecedent[a, w]
    positive, negative = store.scratch_counts[2], store.scratch_counts[3]
    count(arrays, child, positive, negative)
    least = weight_positive + weight_negative
    last = -1
    for b in range(positive.size):
        wrong = min(positive[b], negative[b]) + min(weight_positive - positive[b], weight_negative - negative[b])
        if wrong < least:
            least = wrong
            last = b
    if cost + least < curve.errors[k] and last >= 0:
        _improve(arrays, curve, store, constant, parent, a, last)


@inner
def _consider(arrays, curve, store, parent, a, cost, weight_positive, weight_negative, rules_left):
    """Store and queue the child that captures ``a`` next, unless it is known or a bound cuts it."""
    numbers, pruned = store.numbers, store.pruned
    length = np.int64(store.length[parent]) + 1
    child = store.scratch_set[0]
    for w in range(child.size):
        child[w] = store.sets[parent, w] & ~arrays.by_antecedent[a, w]
    slot = slot_at_length(store.table, store.sets, store.length, child, length)
    known = np.int64(store.table[slot])
    if known >= 0 and store.cost[known] <= cost:
        pruned[at.BY_SAME_SET] += 1
        return
    positive, negative = store.scratch_counts[2], store.scratch_counts[3]
    count(arrays, child, positive, negative)
    sums_positive, sums_negative = store.scratch_sums[2, : rules_left + 1], store.scratch_sums[3, : rules_left + 1]
    bounds.largest_sums(positive, sums_positive)
    bounds.largest_sums(negative, sums_negative)
    budget = curve.errors[numbers[at.LENGTH]] - cost
    further = least_errors(
        rules_left, weight_positive, weight_negative, positive, negative, sums_positive, sums_negative, budget
    )
    if further >= budget:
        pruned[at.BY_GRID] += 1
        return
    node = known
    if known < 0:
        node = numbers[at.N_NODES]
        numbers[at.N_NODES] += 1
        for w in range(child.size):
            store.sets[node, w] = child[w]
        store.table[slot] = node
    elif store.fate[node] == OPEN:
        queue.cut_off(store, node, at.BY_SAME_SET)
    else:
        numbers[at.REOPENED] += 1
    store.cost[node] = cost
    store.key[node] = max(cost + further, store.key[parent])
    store.parent[node] = parent
    store.rule[node] = a
    store.length[node] = length
    queue.enter(store, store.heap_key, node, store.key[node])


@inner
def _improve(arrays, curve, store, constant, node, a, b):
    """Make the list that extends ``node`` by ``a`` (and by ``b`` when >= 0) the best one known of its length."""
    k = store.numbers[at.LENGTH]
    path = curve.paths[k]
    length = queue.write_path(store, node, path)
    path[length] = a
    length += 1
    if b >= 0:
        path[length] = b
        length += 1
    curve.errors[k] = errors_of_list(arrays, path[:length], constant, store.scratch_set)
    curve.lengths[k] = length
    curve.found_at[k] = store.numbers[at.WORK]


@inner
def _raise_lower_bound(curve, store, length):
    numbers = store.numbers
    numbers[at.N_HEAP] = queue.drop_stale(store, store.heap_key, store.heap_node, numbers[at.N_HEAP])
    least = store.heap_key[0] if numbers[at.N_HEAP] > 0 else curve.errors[length]
    curve.lower[length] = min(curve.errors[length], max(curve.lower[length], least))
