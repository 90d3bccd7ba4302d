"""Lists that end here: whether they are fair, and what becomes of those that beat the incumbent."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inlined, inner
from .state import BEST, BEST_LENGTH, IMPROVED, N_DOUBTS

UNFAIR, FAIR, UNSURE = range(3)
_NEARLY = 1e-9


@inlined
def allowed(rules, negative, positive, label):
    """Whether a rule may have a label, given the costs of predicting what it captures negative, and positive."""
    return (not rules.majority) or (negative - positive > -rules.doubt if label else negative - positive <= rules.doubt)


@inlined
def stopped(rules, store, a, b, cost):
    """Cost of the list that ends with the rule (a, b) and predicts the other label; -1 where it cannot be the best.

    ``cost`` is that of the prefix with the rule; the amounts of the set before the rule have been counted.
    """
    negative = store.node_totals[0] - store.node_amounts[0, a]
    positive = store.node_totals[1] - store.node_amounts[1, a]
    total = cost + (negative if b else positive)
    return total if total < store.numbers[BEST] and allowed(rules, negative, positive, 1 - b) else np.int64(-1)


@inner
def fairness_of(data, rules, store, before, a, b):
    """Whether that list is fair, given the sums before the rule."""
    verdict = UNSURE if rules.doubt else FAIR
    for k in range(before.size):
        total = before[k] + _added(store, k, a, b)
        if total < data.outside[0, k] or total > data.outside[1, k]:
            return UNFAIR
        if total < data.inside[0, k] or total > data.inside[1, k]:
            verdict = UNSURE
    if rules.values:
        excess = _spread(rules, store, before, a, b) - rules.tolerance
        if excess > _NEARLY:
            return UNFAIR
        if excess > -_NEARLY:
            verdict = UNSURE
    return verdict


@inlined
def _spread(rules, store, before, a, b):
    """How far the predictive values of groups are apart, to within rounding."""
    first, low, high = before.size - 2 * rules.values, 1.0, 0.0
    for g in range(rules.values):
        k = first + 2 * g
        right = before[k] + _added(store, k, a, b)
        wrong = before[k + 1] + _added(store, k + 1, a, b)
        if right + wrong > 0:
            value = right / (right + wrong)
            low, high = min(low, value), max(high, value)
    return high - low


@inlined
def _added(store, k, a, b):
    """What a last rule (a, b), and the other label after it, add to a sum."""
    captured = store.node_amounts[2 + k, a]
    return captured if b else store.node_totals[2 + k] - captured


@inlined
def is_full(store):
    """Whether there may be no room for the doubtful lists of one more antecedent."""
    return store.numbers[N_DOUBTS] + 4 > store.doubt_cost.size


@inlined
def accept(store, verdict, cost, length):
    """Where to write the rules of a list of this cost, and its default: of the incumbent, or of a doubtful list."""
    numbers = store.numbers
    if verdict == FAIR:
        numbers[BEST], numbers[BEST_LENGTH] = cost, length
        numbers[IMPROVED] += 1
        return store.best_rules
    i = numbers[N_DOUBTS]
    numbers[N_DOUBTS] += 1
    store.doubt_cost[i], store.doubt_length[i] = cost, length
    return store.doubt_rules[i]
