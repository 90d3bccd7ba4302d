"""Expanding a prefix of a falling rule list: every antecedent that could come next, cut by a bound or stored."""

from __future__ import annotations

import numpy as np

from ...kernels import heap
from ...kernels.bit_words import at_most, count
from ...kernels.growing import CUT, OPEN
from ...kernels.jit import inlined, inner
from ..bounds import further_loss, is_above, largest_share, least_share
from . import state as at
from .layout import sum_head
from .state import find_slot, hash_of, set_of

PER_CHILD = 50
"""Of looking at one antecedent, in words that are counted."""


@inner
def open_prefix(arrays, store, node):
    """Count the antecedents, and sum the words with positives, within the set that a prefix leaves."""
    chosen = store.sets[0]
    set_of(arrays, store, node, chosen)
    count_antecedents(arrays, store)
    sum_head(arrays.head_positives, chosen, store.sums[0])
    sum_head(arrays.head_negatives, chosen, store.sums[1])
    store.numbers[at.EXPANDED] += 1


@inner
def count_antecedents(arrays, store):
    """What the antecedents that are kept capture of the first set."""
    kept, by_word, chosen = arrays.kept, arrays.by_word, store.sets[0]
    positives, negatives = store.counts[0], store.counts[1]
    count(arrays.positive_word, arrays.positive_digit, arrays.positive_mask, by_word, chosen, positives[: kept.size])
    count(arrays.negative_word, arrays.negative_digit, arrays.negative_mask, by_word, chosen, negatives[: kept.size])
    if kept.size < positives.size:
        _spread(kept, positives)
        _spread(kept, negatives)


@inlined
def _spread(kept, counts):
    """Move the counts of the antecedents that are kept to their places; the others count nothing."""
    following = counts.size
    for i in range(kept.size - 1, -1, -1):
        value, place = counts[i], kept[i]
        for a in range(place + 1, following):
            counts[a] = 0
        counts[place] = value
        following = place
    for a in range(following):
        counts[a] = 0


@inner
def expand(arrays, rules, store, node, most):
    """Go on with the antecedents that may follow the prefix that was opened, for about ``most`` words.

    What comes before them is the same every time: it depends on the incumbent when the prefix was opened. Returns how
    many words were looked at.
    """
    numbers, pruned = store.numbers, store.pruned
    m, spent = store.counts.shape[1], 0
    left_p, left_q, cost = store.left_positive[node], store.left_negative[node], store.cost[node]
    last_p, last_n, length = store.ratio_p[node], store.ratio_n[node], store.length[node] + 1
    key = store.key[node]
    positives, negatives = store.sums[0], store.sums[1]
    if rules.eligible_cap:
        cap = _largest_eligible(rules, store, left_p + left_q, last_p, last_n)
        least = cost + rules.per_rule + further_loss(arrays, rules, positives, negatives, left_p, cap)
        if cap == 0.0 or least >= numbers[at.OPEN_BEST]:
            pruned[at.BY_ELIGIBLE] += 1
            store.fate[node] = CUT + at.BY_ELIGIBLE
            numbers[at.OPEN_CHILD] = m
            return spent
        key = max(key, least)
    for a in range(numbers[at.OPEN_CHILD], m):
        if spent >= max(most, 1):
            return spent
        numbers[at.OPEN_CHILD] = a + 1
        spent += PER_CHILD
        if not arrays.allowed[a]:
            pruned[at.BY_JOINT] += 1
            continue
        p, q = store.counts[0, a], store.counts[1, a]
        n = p + q
        if n == 0 or n == left_p + left_q:
            pruned[at.BY_NOTHING] += 1
            continue
        if rules.necessary_condition and not is_above(rules, p, q):
            pruned[at.BY_NECESSARY] += 1
            continue
        least_p, least_n = least_share(rules, p, q)
        if not at_most(least_p, least_n, last_p, last_n):
            pruned[at.BY_RISING] += 1
            continue
        rest_p, rest_q = left_p - p, left_q - q
        share_p, share_n = largest_share(rules, p, q)
        least_p, least_n = least_share(rules, rest_p, rest_q)
        falls = at_most(least_p, least_n, share_p, share_n)
        if rules.feasible_prefix and not falls:
            pruned[at.BY_FEASIBLE] += 1
            continue
        numbers[at.CREATED] += 1
        child = cost + rules.per_rule + min(rules.per_positive * p, rules.per_negative * q)
        if falls and child + min(rules.per_positive * rest_p, rules.per_negative * rest_q) < numbers[at.BEST]:
            stopped = child + min(rules.per_positive * rest_p, rules.per_negative * rest_q)
            improve(store, node, a, stopped)
        if length >= rules.max_length:
            pruned[at.BY_LENGTH] += 1
            continue
        cap = share_p / share_n
        room = numbers[at.BEST] - rules.per_rule
        least = cost + rules.per_rule + further_loss(arrays, rules, positives, negatives, left_p, cap)
        if least >= room:  # what the rule and those after it capture of the whole set has at most its proportion
            pruned[bound_that_cuts(arrays, rules, positives, negatives, left_p, room - cost - rules.per_rule, cap)] += 1
            continue
        make_child(arrays, store, a)
        spent += effort_of_a_child(arrays)
        child_positives, child_negatives = store.sums[2], store.sums[3]
        least = max(least, child + further_loss(arrays, rules, child_positives, child_negatives, rest_p, cap))
        if least >= room:
            pruned[bound_that_cuts(arrays, rules, child_positives, child_negatives, rest_p, room - child, cap)] += 1
            continue
        keep(arrays, rules, store, node, a, child, max(key, least + rules.per_rule), rest_p, rest_q, share_p, share_n)
    return spent


@inlined
def _largest_eligible(rules, store, left, last_p, last_n):
    """The largest proportion of a rule that may come next; 0 when there is none."""
    cap = 0.0
    for a in range(store.counts.shape[1]):
        p, q = store.counts[0, a], store.counts[1, a]
        n = p + q
        share_p, share_n = largest_share(rules, p, q)
        if n > 0 and n < left and share_p > cap * share_n:
            least_p, least_n = least_share(rules, p, q)
            if (not rules.necessary_condition or is_above(rules, p, q)) and at_most(least_p, least_n, last_p, last_n):
                cap = share_p / share_n
    return cap


@inner
def bound_that_cuts(arrays, rules, positives, negatives, left, budget, cap):
    """Why `further_loss` leaves nothing of the budget: the first bound in use that alone does."""
    if budget <= 0:
        return at.BY_COST
    n, above = positives.size, arrays.above
    if rules.equivalent_points:
        loss = rules.per_positive * left
        if above:
            loss -= rules.per_positive * positives[above - 1] - rules.per_negative * negatives[above - 1]
        if loss >= budget:
            return at.BY_POINTS
    if not rules.density_cap:
        return at.BY_PREFIX
    if rules.prefix_bound and n and rules.per_negative * (1 - cap) * positives[n - 1] >= budget * cap:
        return at.BY_PREFIX
    return at.BY_DENSITY


@inlined
def effort_of_a_child(arrays):
    """Words looked at when a child is made and stored, about."""
    heads = arrays.head_positives.shape[0] + arrays.head_negatives.shape[0]
    return 4 * arrays.full.size + (heads + 4) * arrays.head_positives.shape[1]


@inner
def make_child(arrays, store, a):
    """The set that is left once ``a`` is captured too, and the sums of its words with positives."""
    whole, row, chosen = store.sets[0], arrays.by_antecedent[a], store.sets[1]
    for w in range(chosen.size):
        chosen[w] = whole[w] & ~row[w]
    sum_head(arrays.head_positives, chosen, store.sums[2])
    sum_head(arrays.head_negatives, chosen, store.sums[3])


@inner
def keep(arrays, rules, store, parent, a, cost, key, left_positive, left_negative, ratio_p, ratio_n):
    """Store and queue the child just made, unless a prefix with the same set dominates it."""
    numbers = store.numbers
    chosen = store.sets[1]
    length = store.length[parent] + 1
    h = np.uint64(0)
    slot = np.int64(-1)
    if rules.dominance:
        h = hash_of(store, chosen)
        slot = find_slot(arrays, rules, store, chosen, h, cost, length, left_positive, ratio_p, ratio_n)
        if slot < 0:
            store.pruned[at.BY_DOMINANCE] += 1
            return
    node = numbers[at.N_NODES]
    numbers[at.N_NODES] += 1
    if slot >= 0:
        store.table[slot] = node
    store.key[node] = key
    store.cost[node] = cost
    store.left_positive[node] = left_positive
    store.left_negative[node] = left_negative
    store.ratio_p[node] = ratio_p
    store.ratio_n[node] = ratio_n
    store.hash[node] = h
    store.parent[node] = parent
    store.rule[node] = a
    store.length[node] = length
    store.fate[node] = OPEN
    store.queue_by_length[length] += 1
    numbers[at.N_QUEUED] += 1
    numbers[at.N_HEAP] = heap.push(store.heap_key, store.heap_node, numbers[at.N_HEAP], key, node)


@inner
def improve(store, node, a, cost):
    """Make the list that extends ``node`` by ``a`` the incumbent."""
    numbers = store.numbers
    length = np.int64(store.length[node])
    numbers[at.BEST] = cost
    numbers[at.PATH_LENGTH] = length + 1
    numbers[at.FOUND_AT] = numbers[at.WORK] + 1
    numbers[at.IMPROVED] += 1
    store.path[length] = a
    for i in range(length - 1, -1, -1):
        store.path[i] = store.rule[node]
        node = np.int64(store.parent[node])
