"""Best-first branch and bound over sets of uncaptured patterns, one expansion at a time."""

from __future__ import annotations

import numpy as np

from ..bits import mix
from ..jit import inner, kernel
from . import bounds, heap
from .cores import cut
from .counting import count, weigh
from .state import (
    BEST,
    BREADTH_FIRST,
    BY_CORE,
    BY_COST,
    BY_DELETION,
    BY_GRID,
    BY_LENGTH,
    BY_LOOKAHEAD,
    BY_ONE_MORE_RULE,
    BY_PAIR,
    BY_SAME_SET,
    BY_SUPPORT,
    CREATED,
    CURIOSITY,
    DEPTH_FIRST,
    EXPANDED,
    FOUND_AT,
    IMPROVED,
    LOWER_BOUND,
    LOWER_BOUND_FIRST,
    N_BOUND_HEAP,
    N_HEAP,
    N_NODES,
    N_QUEUED,
    OBJECTIVE,
    PATH_LENGTH,
    RANDOM,
    REOPENED,
    TABLE_IS_STALE,
    WORK,
)

DONE, PAUSED, GROW = 0, 1, 2


@kernel
def advance(arrays, rules, store, cores, max_work):
    """Expand at most ``max_work`` prefixes. Returns DONE, PAUSED, or GROW when an array has no room for one more."""
    numbers = store.numbers
    m = arrays.by_antecedent.shape[0]
    if numbers[N_NODES] == 0:
        _start(arrays, rules, store)
    if numbers[TABLE_IS_STALE]:
        _rebuild_table(rules, store)
    for _ in range(max_work):
        if numbers[N_NODES] + m > store.cost.size or numbers[N_HEAP] + m > store.heap_node.size:
            return GROW
        if rules.policy != LOWER_BOUND_FIRST and numbers[N_BOUND_HEAP] + m > store.bound_node.size:
            return GROW
        node = _next(rules, store)
        if node < 0:
            numbers[LOWER_BOUND] = numbers[BEST]
            return DONE
        numbers[WORK] += 1
        best = numbers[BEST]
        if rules.cores and cut(arrays, rules, cores, store.sets[node], best - store.cost[node], numbers[EXPANDED]):
            store.pruned[BY_CORE] += 1
        else:
            _expand(arrays, rules, store, cores, node)
        if numbers[BEST] < best:
            _purge(rules, store)
        _update_lower_bound(rules, store)
    if numbers[N_QUEUED] == 0:
        numbers[LOWER_BOUND] = numbers[BEST]
        return DONE
    return PAUSED


@inner
def _start(arrays, rules, store):
    """Queue the empty prefix; the incumbent must be in place."""
    for w in range(arrays.full.size):
        store.sets[0, w] = arrays.full[w]
    store.cost[0] = rules.per_error * rules.constant
    store.key[0] = store.cost[0] + rules.per_rule
    store.parent[0] = -1
    store.rule[0] = -1
    store.length[0] = 0
    store.numbers[N_NODES] = 1
    store.numbers[LOWER_BOUND] = min(store.numbers[BEST], store.key[0])
    if rules.equivalent_support:
        store.table[_slot(store, arrays.full, _table_length(rules, 0))] = 0
    if store.key[0] < store.numbers[BEST] and rules.max_length > 0:
        _queue(arrays, rules, store, 0, 0)


@inner
def _rebuild_table(rules, store):
    """Enter all nodes into an emptied table."""
    for slot in range(store.table.size):
        store.table[slot] = -1
    for node in range(store.numbers[N_NODES]):
        store.table[_slot(store, store.sets[node], _table_length(rules, store.length[node]))] = node
    store.numbers[TABLE_IS_STALE] = 0


@inner
def list_cost(arrays, rules, store, length):
    """Cost of the list whose rules are ``store.path[:length]``, counted from scratch."""
    left, captured = store.scratch_set[1], store.scratch_set[0]
    for w in range(left.size):
        left[w] = arrays.full[w]
    wrong = rules.constant
    for i in range(length):
        for w in range(left.size):
            captured[w] = left[w] & arrays.by_antecedent[store.path[i], w]
            left[w] &= ~captured[w]
        positive, negative = weigh(arrays, captured)
        wrong += min(positive, negative)
    positive, negative = weigh(arrays, left)
    return rules.per_error * (wrong + min(positive, negative)) + rules.per_rule * length


@inner
def _expand(arrays, rules, store, cores, node):
    numbers, pruned = store.numbers, store.pruned
    per_error, per_rule = rules.per_error, rules.per_rule
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    whole = store.sets[node]
    weight_positive, weight_negative = count(arrays, whole, positive, negative)
    cost, length, key = store.cost[node], np.int64(store.length[node]), store.key[node]
    numbers[EXPANDED] += 1

    tail = _tail(rules, numbers[BEST] - cost - per_rule)
    sums_positive, sums_negative = store.scratch_sums[0, : tail + 1], store.scratch_sums[1, : tail + 1]
    bounds.largest_sums(positive, sums_positive)
    bounds.largest_sums(negative, sums_negative)

    n_flows = 0
    if rules.deletion:
        n_flows = _flows(arrays, rules, store, node)
        if n_flows < 0:
            pruned[BY_DELETION] += 1
            return

    for a in range(positive.size):
        right = max(positive[a], negative[a])
        if right == 0 or (rules.accurate_support and not bounds.pays_for_a_rule(right, per_error, per_rule)):
            pruned[BY_SUPPORT] += 1
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        child_cost = cost + per_error * (positive[a] + negative[a] - right) + per_rule
        numbers[CREATED] += 1
        stopped = child_cost + per_error * min(left_positive, left_negative)
        if stopped < numbers[BEST]:
            _improve(arrays, rules, store, node, a, -1)
        best = numbers[BEST]
        if child_cost >= best:
            pruned[BY_COST] += 1
            continue
        if rules.lookahead and child_cost + per_rule >= best:
            pruned[BY_LOOKAHEAD] += 1
            continue
        if length + 1 >= rules.max_length:
            pruned[BY_LENGTH] += 1
            continue
        if n_flows and _deletable(rules, store, n_flows, a, positive[a] > negative[a]):
            pruned[BY_DELETION] += 1
            continue
        fewest = 2 if rules.pair_lookahead else 1
        further = fewest * per_rule
        if rules.one_more_rule:
            further = bounds.one_more_rule(
                left_positive, left_negative, sums_positive, sums_negative, fewest, per_error, per_rule
            )
        if child_cost + further < best and length + fewest < rules.max_length:
            _consider(arrays, rules, store, cores, node, a, child_cost, length + 1, key, left_positive, left_negative)
        elif rules.pair_lookahead:
            pruned[BY_PAIR] += 1
            _finish(arrays, rules, store, node, a, child_cost, left_positive, left_negative, positive, negative)
        else:
            pruned[BY_ONE_MORE_RULE] += 1


@inner
def _flows(arrays, rules, store, node):
    """For each rule of the prefix, where its weight would go without it; -1 when the prefix is better without one.

    ``store.flow`` gets, per rule with weight in X, its label, ``lost`` and ``gained`` as in `bounds.better_without`;
    ``store.flow_counts`` the net weights of all antecedents within X.
    """
    n = 0
    at = node
    while store.parent[at] >= 0 and n < store.flow.shape[0]:
        left = store.scratch_set[0]
        captured = store.scratch_set[1]
        rule, before = store.rule[at], store.parent[at]
        for w in range(left.size):
            left[w] = store.sets[before, w] & arrays.by_antecedent[rule, w]
        positive, negative = weigh(arrays, left)
        label = positive > negative
        lost, gained = 0, 0
        length = 0
        later = node
        while later != at:  # from the last rule back to the one after this: collect the path first
            store.path_scratch[length] = later
            length += 1
            later = store.parent[later]
        for i in range(length - 1, -1, -1):
            later = store.path_scratch[i]
            for w in range(left.size):
                captured[w] = left[w] & arrays.by_antecedent[store.rule[later], w]
                left[w] &= ~captured[w]
            positive, negative = weigh(arrays, captured)
            if _label(arrays, store, later) != label:
                lost += positive if label else negative
                gained += negative if label else positive
        positive, negative = weigh(arrays, left)
        lost += positive if label else negative
        if bounds.better_without(lost, gained, rules.per_error, rules.per_rule):
            return -1
        if positive + negative > 0:
            store.flow[n, 0], store.flow[n, 1], store.flow[n, 2] = label, lost, gained
            count(arrays, left, store.flow_counts[2 * n], store.flow_counts[2 * n + 1])
            n += 1
        at = before
    return n


@inner
def _label(arrays, store, node):
    """Whether the rule that ends a prefix predicts the positive class."""
    whole, parent, rule = store.scratch_set[2], store.parent[node], store.rule[node]
    for w in range(whole.size):
        whole[w] = store.sets[parent, w] & arrays.by_antecedent[rule, w]
    positive, negative = weigh(arrays, whole)
    return positive > negative


@inner
def _deletable(rules, store, n_flows, a, label):
    """Whether the child that captures ``a`` next, with this label, is better without one of the prefix's rules."""
    for i in range(n_flows):
        positive, negative = store.flow_counts[2 * i, a], store.flow_counts[2 * i + 1, a]
        own = store.flow[i, 0] == 1
        lost, gained = store.flow[i, 1], store.flow[i, 2]
        if own == label:
            lost -= positive if own else negative
        else:
            gained += negative if own else positive
        if bounds.better_without(lost, gained, rules.per_error, rules.per_rule):
            return True
    return False


@inner
def _finish(arrays, rules, store, parent, a, cost, weight_positive, weight_negative, positive, negative):
    """Try the child that captures ``a`` next with each single further rule that could beat the incumbent."""
    budget = store.numbers[BEST] - cost - rules.per_rule
    lost_positive, lost_negative = positive[a], negative[a]
    likely = min(
        bounds.single_rule(positive, negative, lost_negative, weight_positive),
        bounds.single_rule(negative, positive, lost_positive, weight_negative),
    )
    if rules.per_error * likely >= budget:
        return
    child, captured = store.scratch_set[2], store.scratch_set[0]
    for w in range(child.size):
        child[w] = store.sets[parent, w] & ~arrays.by_antecedent[a, w]
    for b in range(positive.size):
        likely = min(
            max(negative[b] - lost_negative, 0) + max(weight_positive - positive[b], 0),
            max(positive[b] - lost_positive, 0) + max(weight_negative - negative[b], 0),
        )
        if rules.per_error * likely >= budget:
            continue
        for w in range(child.size):
            captured[w] = child[w] & arrays.by_antecedent[b, w]
        captured_positive, captured_negative = weigh(arrays, captured)
        wrong = min(
            captured_negative + weight_positive - captured_positive,
            captured_positive + weight_negative - captured_negative,
        )
        if rules.per_error * wrong < budget:
            _improve(arrays, rules, store, parent, a, b)
            budget = store.numbers[BEST] - cost - rules.per_rule


@inner
def _consider(arrays, rules, store, cores, parent, a, cost, length, parent_key, weight_positive, weight_negative):
    """Store and queue the child that captures ``a`` next, unless its set is known or a bound cuts it."""
    numbers, pruned = store.numbers, store.pruned
    per_error, per_rule = rules.per_error, rules.per_rule
    child = store.scratch_set[2]
    whole, captured = store.sets[parent], arrays.by_antecedent[a]
    for w in range(child.size):
        child[w] = whole[w] & ~captured[w]
    slot = -1
    known = -1
    if rules.equivalent_support:
        slot = _slot(store, child, _table_length(rules, length))
        known = store.table[slot]
        if known >= 0 and store.cost[known] <= cost:
            pruned[BY_SAME_SET] += 1
            return

    positive, negative = store.scratch_counts[2], store.scratch_counts[3]
    count(arrays, child, positive, negative)
    fewest = 1
    if rules.pair_lookahead:
        fewest = 2
        least = weight_positive + weight_negative
        for b in range(positive.size):
            least = min(
                least,
                min(positive[b], negative[b]) + min(weight_positive - positive[b], weight_negative - negative[b]),
            )
        if cost + per_rule + per_error * least < numbers[BEST]:
            for b in range(positive.size):
                if least == min(positive[b], negative[b]) + min(
                    weight_positive - positive[b], weight_negative - negative[b]
                ):
                    _improve(arrays, rules, store, parent, a, b)
                    break

    best = numbers[BEST]
    if length + fewest > rules.max_length:
        pruned[BY_LENGTH] += 1
        return
    further = fewest * per_rule
    if cost + further >= best:
        pruned[BY_PAIR if rules.pair_lookahead else BY_COST] += 1
        return
    if rules.one_more_rule or rules.grid:
        tail = _tail(rules, best - cost)
        sums_positive, sums_negative = store.scratch_sums[2, : tail + 1], store.scratch_sums[3, : tail + 1]
        bounds.largest_sums(positive, sums_positive)
        bounds.largest_sums(negative, sums_negative)
    if rules.one_more_rule:
        further = bounds.one_more_rule(
            weight_positive, weight_negative, sums_positive, sums_negative, fewest, per_error, per_rule
        )
        if cost + further >= best:
            pruned[BY_PAIR if rules.pair_lookahead else BY_ONE_MORE_RULE] += 1
            return
    if rules.grid:
        least = bounds.grid(
            weight_positive,
            weight_negative,
            positive,
            negative,
            sums_positive,
            sums_negative,
            fewest,
            per_error,
            per_rule,
            best - cost,
        )
        if least > further:
            other = bounds.grid(
                weight_negative,
                weight_positive,
                negative,
                positive,
                sums_negative,
                sums_positive,
                fewest,
                per_error,
                per_rule,
                least,
            )
            further = max(further, min(least, other))
        if cost + further >= best:
            pruned[BY_GRID] += 1
            return

    if rules.cores and cut(arrays, rules, cores, child, best - cost, numbers[EXPANDED]):
        pruned[BY_CORE] += 1
        return

    node = known
    if known < 0:
        node = numbers[N_NODES]
        numbers[N_NODES] += 1
        for w in range(child.size):
            store.sets[node, w] = child[w]
        if slot >= 0:
            store.table[slot] = node
    elif store.queued[node]:
        _unqueue(store, node)
    else:
        numbers[REOPENED] += 1
    store.cost[node] = cost
    store.key[node] = max(cost + further, parent_key)
    store.parent[node] = parent
    store.rule[node] = a
    store.length[node] = length
    _queue(arrays, rules, store, node, per_error * min(weight_positive, weight_negative))


@inner
def _tail(rules, budget):
    """Rules that a completion can have within the budget."""
    return max(0, min(bounds.LARGEST_TAIL, budget // rules.per_rule))


@inner
def _queue(arrays, rules, store, node, wrong_if_stopped):
    numbers = store.numbers
    store.priority[node] = _priority(arrays, rules, store, node, wrong_if_stopped)
    store.queued[node] = 1
    store.queue_by_length[store.length[node]] += 1
    numbers[N_QUEUED] += 1
    numbers[N_HEAP] = heap.push(store.heap_priority, store.heap_node, numbers[N_HEAP], store.priority[node], node)
    if rules.policy != LOWER_BOUND_FIRST:
        numbers[N_BOUND_HEAP] = heap.push(
            store.bound_key, store.bound_node, numbers[N_BOUND_HEAP], store.key[node], node
        )


@inner
def _unqueue(store, node):
    store.queued[node] = 0
    store.queue_by_length[store.length[node]] -= 1
    store.numbers[N_QUEUED] -= 1


@inner
def _priority(arrays, rules, store, node, wrong_if_stopped):
    policy = rules.policy
    if policy == LOWER_BOUND_FIRST:
        return store.key[node]
    if policy == OBJECTIVE:
        return store.cost[node] + wrong_if_stopped
    if policy == CURIOSITY:
        everything = weigh(arrays, arrays.full)
        left = weigh(arrays, store.sets[node])
        total = everything[0] + everything[1]
        return np.int64(np.float64(store.cost[node]) * total / max(1, total - left[0] - left[1]))
    if policy == BREADTH_FIRST:
        return np.int64(store.length[node])
    if policy == DEPTH_FIRST:
        return -np.int64(store.length[node])
    state = np.uint64(store.numbers[RANDOM])
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    store.numbers[RANDOM] = np.int64(state)
    return np.int64(state >> np.uint64(2))


@inner
def _next(rules, store):
    """Take the next prefix that is worth expanding off the queue; -1 when there is none."""
    numbers = store.numbers
    while numbers[N_HEAP] > 0:
        node = np.int64(store.heap_node[0])
        current = store.queued[node] and store.heap_priority[0] == store.priority[node]
        numbers[N_HEAP] = heap.drop_first(store.heap_priority, store.heap_node, numbers[N_HEAP])
        if current:
            _unqueue(store, node)
            if store.key[node] < numbers[BEST]:
                return node
            store.pruned[BY_COST] += 1
    return -1


@inner
def _update_lower_bound(rules, store):
    """Raise the lower bound to the least key in the queue, dropping entries that are no longer valid."""
    numbers = store.numbers
    if rules.policy == LOWER_BOUND_FIRST:
        keys, nodes, which = store.heap_priority, store.heap_node, N_HEAP
    else:
        keys, nodes, which = store.bound_key, store.bound_node, N_BOUND_HEAP
    while numbers[which] > 0:
        node = nodes[0]
        if store.queued[node] and keys[0] == store.key[node]:
            break
        numbers[which] = heap.drop_first(keys, nodes, numbers[which])
    least = keys[0] if numbers[which] > 0 else numbers[BEST]
    numbers[LOWER_BOUND] = min(numbers[BEST], max(numbers[LOWER_BOUND], least))


@inner
def _purge(rules, store):
    """Drop from the queue what the new incumbent rules out (Thm 1), and entries that are no longer valid."""
    numbers = store.numbers
    kept = 0
    for i in range(numbers[N_HEAP]):
        node = store.heap_node[i]
        if store.queued[node] and store.heap_priority[i] == store.priority[node]:
            if store.key[node] < numbers[BEST]:
                store.heap_priority[kept] = store.heap_priority[i]
                store.heap_node[kept] = node
                kept += 1
            else:
                _unqueue(store, node)
                store.pruned[BY_COST] += 1
    numbers[N_HEAP] = kept
    heap.heapify(store.heap_priority, store.heap_node, kept)
    if rules.policy != LOWER_BOUND_FIRST:
        for i in range(kept):
            store.bound_node[i] = store.heap_node[i]
            store.bound_key[i] = store.key[store.heap_node[i]]
        numbers[N_BOUND_HEAP] = kept
        heap.heapify(store.bound_key, store.bound_node, kept)


@inner
def _improve(arrays, rules, store, node, a, b):
    """Make the list that extends ``node`` by ``a`` (and by ``b`` when >= 0) the incumbent."""
    numbers = store.numbers
    length = 0
    ancestor = node
    while store.parent[ancestor] >= 0:
        length += 1
        ancestor = store.parent[ancestor]
    ancestor = node
    for i in range(length - 1, -1, -1):
        store.path[i] = store.rule[ancestor]
        ancestor = store.parent[ancestor]
    store.path[length] = a
    length += 1
    if b >= 0:
        store.path[length] = b
        length += 1
    numbers[BEST] = list_cost(arrays, rules, store, length)
    numbers[PATH_LENGTH] = length
    numbers[FOUND_AT] = numbers[WORK]
    numbers[IMPROVED] += 1


@inner
def _table_length(rules, length):
    """Under a length limit equal sets are the same state only at the same length."""
    return length if rules.max_length < np.iinfo(np.int16).max else 0


@inner
def _slot(store, chosen, length):
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
