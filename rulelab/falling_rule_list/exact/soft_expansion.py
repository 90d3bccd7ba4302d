"""Expanding a prefix of a softly falling rule list: every antecedent could come next, at the cost of a rise."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import at_most, count
from ...kernels.growing import CUT
from ...kernels.jit import inlined, inner
from ..bounds import (
    further_cost,
    further_loss,
    largest_gains,
    least_rise,
    loss_curve,
    smallest_exception,
    smallest_lowest,
    violation,
)
from . import state as at
from .expansion import PER_CHILD, bound_that_cuts, effort_of_a_child, improve, keep, make_child

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
        pruned[which] += 1
        store.fate[node] = CUT + which
        numbers[at.OPEN_CHILD] = m
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
            pruned[at.BY_EXCEPTIONS] += 1
            store.fate[node] = CUT + at.BY_EXCEPTIONS
            numbers[at.OPEN_CHILD] = m
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
