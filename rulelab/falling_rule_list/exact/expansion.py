"""Expanding a prefix of a falling, or softly falling, rule list: each antecedent that could follow, cut or stored."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import at_most, count
from ...kernels.growing import CUT
from ...kernels.jit import inlined, inner
from ...kernels.queue import enter, write_path
from ..bounds import (
    further_cost,
    further_loss,
    is_above,
    largest_gains,
    largest_share,
    least_rise,
    least_share,
    loss_curve,
    smallest_exception,
    smallest_lowest,
    violation,
)
from . import state as at
from .state import find_slot, hash_of, set_of, sum_head

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
def cut_opened(store, node, which):
    """Cut a prefix that has been opened, before any that extends it is looked at: it is not expanded, then."""
    store.pruned[which] += 1
    store.fate[node] = CUT + which
    store.numbers[at.EXPANDED] -= 1
    store.numbers[at.OPEN_CHILD] = store.counts.shape[1]


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
            cut_opened(store, node, at.BY_ELIGIBLE)
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
    enter(store, store.heap_key, node, key)


@inner
def improve(store, node, a, cost):
    """Make the list that extends ``node`` by ``a`` the incumbent."""
    numbers = store.numbers
    length = write_path(store, node, store.path)
    store.path[length] = a
    numbers[at.BEST] = cost
    numbers[at.PATH_LENGTH] = length + 1
    numbers[at.FOUND_AT] = numbers[at.WORK] + 1
    numbers[at.IMPROVED] += 1


_NONE = 1e300  # larger than any weight


@inner
def expand_soft(arrays, rules, store, node, most):
    """Go on with the antecedents that may follow the prefix that was opened, for about ``most`` words.

    What comes before them is the same every time: it depends on the incumbent when the prefix was opened. Returns how
    many words were looked at.
    """
    numbers, pruned = store.numbers, store.pruned
    m, spent = store.counts.shape[1], 0
    left_p, left_q, cost = store.left_positive[node], store.left_negative[node], store.cost[node]
    least_p, least_n, length = store.ratio_p[node], store.ratio_n[node], store.length[node] + 1
    whole_positives, whole_negatives = store.sums[0], store.sums[1]
    key = store.key[node]
    budget = numbers[at.OPEN_BEST] - cost - rules.per_rule
    lowest = least_p / least_n
    rise = least_rise(rules, left_p / (left_p + left_q), lowest)
    further, largest = further_cost(
        arrays, rules, whole_positives, whole_negatives, left_p, lowest, rise, min(lowest, 1.0), 1.0, budget
    )
    which = at.BY_VIOLATIONS
    if rules.eligible_cap and further < budget:
        which = at.BY_ELIGIBLE
        further = max(
            further, _after_next(arrays, rules, store, left_p, left_p + left_q, least_p, least_n, largest, budget)
        )
    if further >= budget:
        cut_opened(store, node, which)
        return spent
    key = max(key, cost + rules.per_rule + further)
    points = further_loss(arrays, rules, whole_positives, whole_negatives, left_p, largest)
    step = loss_curve(arrays, rules, whole_positives, whole_negatives, left_p, largest, store.losses)
    smallest = smallest_lowest(rules, store.losses, step, budget - rules.per_rule)
    exception = 0.0
    if rules.exceptions and rules.penalty > 0:
        least_size = _count_above(arrays, rules, store, left_p)
        exception, _ = smallest_exception(rules, store, step, left_p, left_p + left_q, 0, least_size, lowest, budget)
        if lowest < exception:
            cut_opened(store, node, at.BY_EXCEPTIONS)
            return spent
    for a in range(numbers[at.OPEN_CHILD], m):
        if spent >= max(most, 1):
            return spent
        numbers[at.OPEN_CHILD] = a + 1
        spent += PER_CHILD
        p, q = store.counts[0, a], store.counts[1, a]
        n = p + q
        if n == 0 or n == left_p + left_q:
            pruned[at.BY_NOTHING] += 1
            continue
        numbers[at.CREATED] += 1
        rises = violation(rules, p, n, least_p, least_n)
        child = cost + rules.per_rule + min(rules.per_positive * p, rules.per_negative * q) + rises
        ratio_p, ratio_n = p, n
        if not at_most(p, n, least_p, least_n):
            ratio_p, ratio_n = least_p, least_n
        rest_p, rest_q = left_p - p, left_q - q
        rest = rest_p + rest_q
        stopped = child + min(rules.per_positive * rest_p, rules.per_negative * rest_q)
        if stopped < numbers[at.BEST]:
            stopped += violation(rules, rest_p, rest, ratio_p, ratio_n)
            if stopped < numbers[at.BEST]:
                improve(store, node, a, stopped)
        if length >= rules.max_length:
            pruned[at.BY_LENGTH] += 1
            continue
        room = numbers[at.BEST] - rules.per_rule
        if child >= room:
            pruned[at.BY_COST] += 1
            continue
        paid = cost + rules.per_rule + rises
        if paid + points >= room:
            pruned[bound_that_cuts(arrays, rules, whole_positives, whole_negatives, left_p, room - paid, largest)] += 1
            continue
        lowest = ratio_p / ratio_n
        if lowest < exception:
            pruned[at.BY_EXCEPTIONS] += 1
            continue
        rise = least_rise(rules, rest_p / rest, lowest)
        if lowest < smallest or paid + points + rise >= room:
            pruned[at.BY_VIOLATIONS] += 1
            continue
        cap_of_rule = p / n if rules.per_positive * p > rules.per_negative * q else 0.0
        least, cap = further_cost(
            arrays, rules, whole_positives, whole_negatives, left_p, lowest, rise, cap_of_rule, largest, room - paid
        )
        if paid + least >= room:
            pruned[at.BY_VIOLATIONS] += 1
            continue
        make_child(arrays, store, a)
        spent += effort_of_a_child(arrays)
        positives, negatives = store.sums[2], store.sums[3]
        least, cap = further_cost(arrays, rules, positives, negatives, rest_p, lowest, rise, 0.0, cap, room - child)
        least += child
        if least >= room:
            which = at.BY_VIOLATIONS
            if child + further_loss(arrays, rules, positives, negatives, rest_p, 1.0) >= room:
                which = bound_that_cuts(arrays, rules, positives, negatives, rest_p, room - child, 1.0)
            pruned[which] += 1
            continue
        if rules.exceptions and rules.penalty > 0 and cap_of_rule == 0.0:
            step = loss_curve(arrays, rules, positives, negatives, rest_p, cap, store.losses)
            budget = room - cost - rules.per_rule
            size = left_p + left_q
            needed, looked = smallest_exception(rules, store, step, left_p, size, p, store.gains[1, a], lowest, budget)
            spent += looked
            if lowest < needed:
                pruned[at.BY_EXCEPTIONS] += 1
                continue
        keep(arrays, rules, store, node, a, child, max(key, least + rules.per_rule), rest_p, rest_q, ratio_p, ratio_n)
    return spent


@inner
def _count_above(arrays, rules, store, left):
    """What `smallest_exception` needs of each antecedent, and the largest gains: from the patterns above tau.

    Returns the least that m' is multiplied with, of those that can gain.
    """
    n_positive = np.searchsorted(arrays.positive_word, arrays.above)
    n_negative = np.searchsorted(arrays.negative_word, arrays.above)
    word, digit, mask = arrays.positive_word, arrays.positive_digit, arrays.positive_mask
    chosen, positives, negatives = store.sets[0], store.above[0], store.above[1]
    count(word[:n_positive], digit[:n_positive], mask[:n_positive], arrays.by_word, chosen, positives)
    word, digit, mask = arrays.negative_word, arrays.negative_digit, arrays.negative_mask
    count(word[:n_negative], digit[:n_negative], mask[:n_negative], arrays.by_word, chosen, negatives)
    last, tau = arrays.above - 1, rules.per_negative / (rules.per_positive + rules.per_negative)
    all_positive = store.sums[0, last] if last >= 0 else 0
    all_negative = store.sums[1, last] if last >= 0 else 0
    least_size = _NONE
    for a in range(positives.size):
        p, q = positives[a], negatives[a]
        store.gains[0, a] = np.float64(rules.per_positive) * p - np.float64(rules.per_negative) * q
        others = all_positive + all_negative - p - q
        below = left - all_positive - (store.counts[0, a] - p)
        store.gains[1, a] = store.counts[0, a] + store.counts[1, a] + others + below / tau
        if store.gains[0, a] > 0:
            least_size = min(least_size, store.gains[1, a])
    largest_gains(store.gains[0], store.largest)
    return least_size


@inlined
def _after_next(arrays, rules, store, left, total, least_p, least_n, most, budget):
    """Lower bound on what further rules cost, knowing the proportions of the antecedents that may come next.

    The next rule does not rise, and then its proportion is at most the largest one below the least of the prefix,
    ``below``, and so is the least proportion from then on; or it rises, at least to the smallest one above, ``over``.
    """
    below, over = 0.0, 2.0
    for a in range(store.counts.shape[1]):
        p = store.counts[0, a]
        n = p + store.counts[1, a]
        if n > 0 and n < total and (p > below * n or p < over * n):
            if at_most(p, n, least_p, least_n):
                below = max(below, p / n)
            else:
                over = min(over, p / n)
    positives, negatives = store.sums[0], store.sums[1]
    rise = least_rise(rules, left / total, below)
    least, _ = further_cost(arrays, rules, positives, negatives, left, below, rise, below, most, budget)
    if over < 2.0:
        lowest = least_p / least_n
        rise = least_rise(rules, max(left / total, over), lowest)
        other, _ = further_cost(arrays, rules, positives, negatives, left, lowest, rise, 0.0, most, budget)
        least = min(least, other)
    return least
