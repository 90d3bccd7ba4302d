"""Expanding a prefix: every antecedent that could come next, cut by a bound, finished at once, or stored."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import slot_at_length
from ...kernels.by_reference import call
from ...kernels.growing import CUT
from ...kernels.jit import inlined, inner
from .. import bounds
from ..cores import cut_by_known, cut_by_new, effort_of
from ..counting import count, count_here, effort_of_a_count, weigh
from ..pair_bound import HITS, N_OWN, is_used, separation_after, tried
from . import state as at
from .queue import improve, is_apart, keep, put_out, table_length


@inlined
def flows(arrays, rules, store, node):
    """For each rule of the prefix, where its weight would go without it; -1 when the prefix is better without one.

    ``store.flow`` gets, per rule with weight in X, its label, ``lost`` and ``gained`` as in `bounds.better_without`;
    ``store.flow_counts`` the net weights of all antecedents within X.
    """
    path, labels = store.path_scratch[0], store.path_scratch[1]  # from the last rule back to the first
    left, captured = store.scratch_set[0], store.scratch_set[1]
    length = 0
    at = node
    while store.parent[at] >= 0:
        _capture(arrays, store, at, left)
        positive, negative = weigh(arrays, left)
        path[length], labels[length] = at, positive > negative
        length += 1
        at = store.parent[at]
    n = 0
    for i in range(min(length, store.flow.shape[0])):
        _capture(arrays, store, path[i], left)
        lost, gained = 0, 0
        for j in range(i - 1, -1, -1):
            rule = store.rule[path[j]]
            for w in range(left.size):
                captured[w] = left[w] & arrays.by_antecedent[rule, w]
                left[w] &= ~captured[w]
            if labels[j] != labels[i]:
                positive, negative = weigh(arrays, captured)
                lost += positive if labels[i] else negative
                gained += negative if labels[i] else positive
        positive, negative = weigh(arrays, left)
        lost += positive if labels[i] else negative
        if bounds.better_without(lost, gained, rules.per_error, rules.per_rule):
            return -1
        if positive + negative > 0:
            store.flow[n, 0], store.flow[n, 1], store.flow[n, 2] = labels[i], lost, gained
            count(arrays, left, store.flow_counts[2 * n], store.flow_counts[2 * n + 1])
            n += 1
    return n


@inner
def _capture(arrays, store, node, out):
    """The patterns that the last rule of a stored prefix captures."""
    parent, rule = store.parent[node], store.rule[node]
    for w in range(out.size):
        out[w] = store.sets[parent, w] & arrays.by_antecedent[rule, w]


@inlined
def deletable(rules, store, n_flows, a, label):
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


_PER_CHILD = 20  # words and weights, about as long as it takes to cut one by its cost
_PER_WEIGHT = 5  # of a plane when one set is weighed: not vectorised, as counting is


@inlined
def open_prefix(arrays, rules, store, separation, separator, node):
    """Count the antecedents within the uncaptured set of ``node``; False when no child of it is needed."""
    numbers = store.numbers
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    count(arrays, store.sets[node], positive, negative)
    numbers[at.OPENED] += 1
    numbers[at.OPEN_NODE], numbers[at.LAST_NODE] = node, node
    numbers[at.OPEN_CHILD], numbers[at.OPEN_FLOWS], numbers[at.OPEN_SEPARATED] = 0, 0, 0
    numbers[at.OPEN_TAIL] = tail_length(rules, numbers[at.BEST] - store.cost[node] - rules.per_rule)
    bounds.largest_sums(positive, store.scratch_sums[0, : numbers[at.OPEN_TAIL] + 1])
    bounds.largest_sums(negative, store.scratch_sums[1, : numbers[at.OPEN_TAIL] + 1])
    if rules.deletion:
        numbers[at.OPEN_FLOWS] = flows(arrays, rules, store, node)
        if numbers[at.OPEN_FLOWS] < 0:
            store.pruned[at.BY_DELETION] += 1
            store.fate[node] = CUT + at.BY_DELETION
            return False
    if is_used(rules, separation):
        sets = store.sets[node]
        least = store.cost[node] + call(separator, (arrays, rules, separation, sets, positive, negative))
        tried(separation, least >= numbers[at.BEST])
        if least >= numbers[at.BEST]:
            store.pruned[at.BY_SEPARATION] += 1
            store.fate[node] = CUT + at.BY_SEPARATION
            return False
        store.key[node] = max(store.key[node], least)
        numbers[at.OPEN_SEPARATED] = 1
    numbers[at.EXPANDED] += 1
    return True


@inlined
def expand(arrays, rules, store, cores, learner, separation, most):
    """Go on with the open prefix until ``most`` words and weights, or some more, were looked at; returns how many."""
    numbers, pruned = store.numbers, store.pruned
    per_error, per_rule = rules.per_error, rules.per_rule
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    node, n_flows, tail = numbers[at.OPEN_NODE], numbers[at.OPEN_FLOWS], numbers[at.OPEN_TAIL]
    sums_positive, sums_negative = store.scratch_sums[0, : tail + 1], store.scratch_sums[1, : tail + 1]
    weight_positive, weight_negative = weigh(arrays, store.sets[node])
    cost, length, key = store.cost[node], np.int64(store.length[node]), store.key[node]
    fewest = 2 if rules.pair_lookahead else 1
    least_further = least_further_cost(rules)
    spent = 0
    for a in range(numbers[at.OPEN_CHILD], positive.size):
        if spent >= most:
            break
        numbers[at.OPEN_CHILD] = a + 1
        spent += _PER_CHILD
        right = max(positive[a], negative[a])
        if right == 0:
            pruned[at.BY_NOTHING] += 1
            continue
        if rules.accurate_support and not bounds.pays_for_a_rule(right, per_error, per_rule):
            pruned[at.BY_SUPPORT] += 1
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        child_cost = cost + per_error * (positive[a] + negative[a] - right) + per_rule
        numbers[at.CREATED] += 1
        stopped = child_cost + per_error * min(left_positive, left_negative)
        if stopped < numbers[at.BEST]:
            improve(arrays, rules, store, node, a, -1)
        best = numbers[at.BEST]
        if child_cost >= best:
            pruned[at.BY_COST] += 1
            continue
        if rules.lookahead and child_cost + per_rule >= best:
            pruned[at.BY_LOOKAHEAD] += 1
            continue
        if length + 1 >= rules.max_length:
            pruned[at.BY_LENGTH] += 1
            continue
        if n_flows and deletable(rules, store, n_flows, a, positive[a] > negative[a]):
            pruned[at.BY_DELETION] += 1
            continue
        least = key
        if numbers[at.OPEN_SEPARATED]:
            least = max(key, child_cost + separation_after(arrays, separation, a, best - child_cost))
            spent += separation.numbers[N_OWN]
            if least >= best:
                separation.numbers[HITS] += 1
                pruned[at.BY_SEPARATION] += 1
                continue
        which = at.BY_PAIR
        ends = child_cost + least_further >= best or length + fewest >= rules.max_length
        if not ends and rules.one_more_rule:
            which = at.BY_ONE_MORE_RULE
            further = bounds.one_more_rule(
                left_positive, left_negative, sums_positive, sums_negative, fewest, per_error, per_rule
            )
            ends = child_cost + further >= best
        if not ends:
            before = effort_of(arrays, cores)
            _consider(
                arrays,
                rules,
                store,
                cores,
                learner,
                node,
                a,
                child_cost,
                length + 1,
                least,
                left_positive,
                left_negative,
            )
            spent += effort_of_a_count(arrays) + effort_of(arrays, cores) - before
            continue
        pruned[which] += 1
        if rules.pair_lookahead:
            spent += _finish(
                arrays, rules, store, node, a, child_cost, left_positive, left_negative, positive, negative
            )
    return spent


@inlined
def _finish(arrays, rules, store, parent, a, cost, weight_positive, weight_negative, positive, negative):
    """Try the child that captures ``a`` next with each single further rule that could beat the incumbent.

    Returns how many words and weights it looked at.
    """
    budget = store.numbers[at.BEST] - cost - rules.per_rule
    lost_positive, lost_negative = positive[a], negative[a]
    likely = min(
        bounds.single_rule(positive, negative, lost_negative, weight_positive),
        bounds.single_rule(negative, positive, lost_positive, weight_negative),
    )
    spent = 2 * positive.size
    if rules.per_error * likely >= budget:
        return spent
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
        spent += _PER_WEIGHT * arrays.entry_word.size
        captured_positive, captured_negative = weigh(arrays, captured)
        wrong = min(
            captured_negative + weight_positive - captured_positive,
            captured_positive + weight_negative - captured_negative,
        )
        if rules.per_error * wrong < budget:
            improve(arrays, rules, store, parent, a, b)
            budget = store.numbers[at.BEST] - cost - rules.per_rule
    return spent + 2 * positive.size


@inlined
def _consider(
    arrays, rules, store, cores, learner, parent, a, cost, length, parent_key, weight_positive, weight_negative
):
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
        slot = slot_at_length(store.table, store.sets, store.length, child, table_length(rules, length))
        known = store.table[slot]
        if known >= 0 and store.cost[known] <= cost:
            pruned[at.BY_SAME_SET] += 1
            return

    if rules.cores and cut_by_known(arrays, rules, cores, child, numbers[at.BEST] - cost):
        pruned[at.BY_CORE] += 1
        return
    positive, negative = store.scratch_counts[2], store.scratch_counts[3]
    count_here(arrays, child, positive, negative)
    fewest, further = 1, least_further_cost(rules)
    best = numbers[at.BEST]
    if rules.pair_lookahead:
        fewest = 2
        least = weight_positive + weight_negative
        for b in range(positive.size):
            least = min(
                least, min(positive[b], negative[b]) + min(weight_positive - positive[b], weight_negative - negative[b])
            )
        if cost + per_rule + per_error * least < numbers[at.BEST]:
            for b in range(positive.size):
                if least == min(positive[b], negative[b]) + min(
                    weight_positive - positive[b], weight_negative - negative[b]
                ):
                    improve(arrays, rules, store, parent, a, b)
                    break

        best = numbers[at.BEST]
        if cost + further >= best:
            pruned[at.BY_PAIR] += 1
            return
    if rules.one_more_rule or rules.grid:
        tail = tail_length(rules, best - cost)
        sums_positive, sums_negative = store.scratch_sums[2, : tail + 1], store.scratch_sums[3, : tail + 1]
        bounds.largest_sums(positive, sums_positive)
        bounds.largest_sums(negative, sums_negative)
    if rules.one_more_rule:
        further = bounds.one_more_rule(
            weight_positive, weight_negative, sums_positive, sums_negative, fewest, per_error, per_rule
        )
        if cost + further >= best:
            pruned[at.BY_ONE_MORE_RULE] += 1
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
            pruned[at.BY_GRID] += 1
            return

    if rules.cores and cut_by_new(arrays, rules, cores, learner, child, best - cost, numbers[at.OPENED]):
        pruned[at.BY_CORE] += 1
        return

    key, wrong_if_stopped = max(cost + further, parent_key), per_error * min(weight_positive, weight_negative)
    if is_apart(store):
        put_out(rules, store, child, cost, key, parent, a, length, wrong_if_stopped)
    else:
        keep(arrays, rules, store, child, known, slot, cost, key, parent, a, length, wrong_if_stopped)


@inner
def tail_length(rules, budget):
    """Rules that a completion can have within the budget."""
    return max(0, min(bounds.LARGEST_TAIL, budget // rules.per_rule))


@inner
def least_further_cost(rules):
    """What extending a stored prefix costs at least, by the switches alone: two rules, one rule, or nothing."""
    if rules.pair_lookahead:
        return 2 * rules.per_rule
    return rules.per_rule if rules.lookahead else 0
