"""Expanding a prefix of a softly falling rule list: every antecedent could come next, at the cost of a rise."""

from __future__ import annotations

from ...kernels.fates import CUT
from ...kernels.jit import inlined, inner
from ..bounds import further_cost, further_loss, least_rise, smallest_lowest, violation
from ..ratios import at_most
from .expansion import PER_CHILD, bound_that_cuts, effort_of_a_child, improve, keep, make_child
from .state import (
    BEST,
    BY_COST,
    BY_ELIGIBLE,
    BY_LENGTH,
    BY_NOTHING,
    BY_VIOLATIONS,
    CREATED,
    OPEN_BEST,
    OPEN_CHILD,
)


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
    budget = numbers[OPEN_BEST] - cost - rules.per_rule
    lowest = least_p / least_n
    rise = least_rise(rules, left_p / (left_p + left_q), lowest)
    further, largest = further_cost(
        arrays, rules, whole_positives, whole_negatives, left_p, lowest, rise, min(lowest, 1.0), 1.0, budget
    )
    which = BY_VIOLATIONS
    if rules.eligible_cap and further < budget:
        which = BY_ELIGIBLE
        further = max(
            further, _after_next(arrays, rules, store, left_p, left_p + left_q, least_p, least_n, largest, budget)
        )
    if further >= budget:
        pruned[which] += 1
        store.fate[node] = CUT + which
        numbers[OPEN_CHILD] = m
        return spent
    key = max(key, cost + rules.per_rule + further)
    points = further_loss(arrays, rules, whole_positives, whole_negatives, left_p, largest)
    smallest = smallest_lowest(
        arrays, rules, whole_positives, whole_negatives, left_p, largest, budget - rules.per_rule
    )
    for a in range(numbers[OPEN_CHILD], m):
        if spent >= max(most, 1):
            return spent
        numbers[OPEN_CHILD] = a + 1
        spent += PER_CHILD
        p, q = store.counts[0, a], store.counts[1, a]
        n = p + q
        if n == 0 or n == left_p + left_q:
            pruned[BY_NOTHING] += 1
            continue
        numbers[CREATED] += 1
        rises = violation(rules, p, n, least_p, least_n)
        child = cost + rules.per_rule + min(rules.per_positive * p, rules.per_negative * q) + rises
        ratio_p, ratio_n = p, n
        if not at_most(p, n, least_p, least_n):
            ratio_p, ratio_n = least_p, least_n
        rest_p, rest_q = left_p - p, left_q - q
        rest = rest_p + rest_q
        stopped = child + min(rules.per_positive * rest_p, rules.per_negative * rest_q)
        if stopped < numbers[BEST]:
            stopped += violation(rules, rest_p, rest, ratio_p, ratio_n)
            if stopped < numbers[BEST]:
                improve(store, node, a, stopped)
        if length >= rules.max_length:
            pruned[BY_LENGTH] += 1
            continue
        room = numbers[BEST] - rules.per_rule
        if child >= room:
            pruned[BY_COST] += 1
            continue
        paid = cost + rules.per_rule + rises
        if paid + points >= room:
            pruned[bound_that_cuts(arrays, rules, whole_positives, whole_negatives, left_p, room - paid, largest)] += 1
            continue
        lowest = ratio_p / ratio_n
        rise = least_rise(rules, rest_p / rest, lowest)
        if lowest < smallest or paid + points + rise >= room:
            pruned[BY_VIOLATIONS] += 1
            continue
        cap = p / n if rules.per_positive * p > rules.per_negative * q else 0.0
        least, cap = further_cost(
            arrays, rules, whole_positives, whole_negatives, left_p, lowest, rise, cap, largest, room - paid
        )
        if paid + least >= room:
            pruned[BY_VIOLATIONS] += 1
            continue
        make_child(arrays, store, a)
        spent += effort_of_a_child(arrays)
        positives, negatives = store.sums[2], store.sums[3]
        least, cap = further_cost(arrays, rules, positives, negatives, rest_p, lowest, rise, 0.0, cap, room - child)
        least += child
        if least >= room:
            which = BY_VIOLATIONS
            if child + further_loss(arrays, rules, positives, negatives, rest_p, 1.0) >= room:
                which = bound_that_cuts(arrays, rules, positives, negatives, rest_p, room - child, 1.0)
            pruned[which] += 1
            continue
        keep(arrays, rules, store, node, a, child, max(key, least + rules.per_rule), rest_p, rest_q, ratio_p, ratio_n)
    return spent


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
