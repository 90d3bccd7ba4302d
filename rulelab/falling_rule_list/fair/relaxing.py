"""What further rules of a fair falling list can gain at most, by Lagrangian relaxation.

Let S be what a prefix leaves, v the sums of what it has captured, and T what further rules capture of S. Capturing u
gains g_u. In a fair list that falls, low <= v + d(T) <= high for every constraint, and p(T) <= a n(T), where a is the
largest proportion that a further rule can have. So, for any multipliers mu and any l >= 0,

    gain(T) <= sum over S of max(0, g_u - mu d_u - l (p_u - a n_u)) + sum of max(mu (low - v), mu (high - v)),

and the first sum can be taken over the antecedents of the further rules, those with the largest sums. The bound is
convex in the multipliers, which are improved one at a time; any multipliers are valid. All is rounded up. Where weights
are rounded, p(T) exceeds a n(T) by ``rules.misplaced`` at most, which l is multiplied with in the second sum.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import inlined, inner
from .state import ALLOWANCE, GAIN, MOST_TOPS, N_MEMBERS, N_TOPS, UNKNOWN

_ROUNDING = 2.0**-46
_LARGEST = 2.0**58
_DOUBLINGS, _HALVINGS = 5, 7


@inner
def allowance(data, rules, multipliers, before, change):
    """The second sum, rounded up, for sums of ``before + change``."""
    total = multipliers[before.size] * np.float64(rules.misplaced)
    slack = 1.0 + total
    for k in range(before.size):
        mu = multipliers[k]
        end = data.outside[1, k] if mu > 0 else data.outside[0, k]
        part = mu * np.float64(end - before[k] - change[k])
        total += part
        slack += abs(part)
    total += slack * _ROUNDING
    if total > _LARGEST:
        return UNKNOWN
    return np.int64(math.ceil(max(total, -_LARGEST)))


@inner
def _coefficient(data, u, k, cap):
    """What a multiplier is multiplied with."""
    if k < data.d.shape[1]:
        return np.float64(data.d[u, k])
    p = np.float64(data.positives[u])
    return p - cap * (p + np.float64(data.negatives[u]))


@inner
def _slope(data, store, k, cap, at):
    """How much the first sum falls when multiplier ``k`` grows from ``at``; the others' part is in ``adjusted``."""
    total = 0.0
    for i in range(store.numbers[N_MEMBERS]):
        u = store.members[i]
        c = _coefficient(data, u, k, cap)
        if store.adjusted[i] - at * c > 0:
            total += c
    return total


@inner
def _improved(data, store, k, cap, now):
    """A better value of one multiplier, which is ``now``: where the bound has its least, about."""
    n = data.d.shape[1]
    if k < n:
        low = np.float64(data.outside[0, k] - store.totals[k])
        high = np.float64(data.outside[1, k] - store.totals[k])
    else:
        low, high = np.float64(-np.inf), np.float64(0)
    start = _slope(data, store, k, cap, 0.0)
    if low <= start <= high:
        return 0.0
    sign, end = (1.0, high) if start > high else (-1.0, low)
    most = data.steepest[k]
    lower, upper = 0.0, min(most, 2 * now * sign if now * sign > 0 else most * 2.0**-9)
    for _ in range(_DOUBLINGS):
        if upper >= most or sign * (_slope(data, store, k, cap, sign * upper) - end) <= 0:
            break
        lower, upper = upper, min(most, 4 * upper)
    for _ in range(_HALVINGS):
        middle = 0.5 * (lower + upper)
        if sign * (_slope(data, store, k, cap, sign * middle) - end) > 0:
            lower = middle
        else:
            upper = middle
    return sign * upper


@inner
def improve_multipliers(data, store, multipliers, cap, sweeps):
    """Improve each multiplier in turn, so many times; returns how many weights it looked at."""
    n = store.numbers[N_MEMBERS]
    count = multipliers.size
    for _ in range(sweeps):
        for k in range(count):
            for i in range(n):
                u = store.members[i]
                x = data.gains[u]
                for j in range(count):
                    if j != k:
                        x -= multipliers[j] * _coefficient(data, u, j, cap)
                store.adjusted[i] = x
            multipliers[k] = _improved(data, store, k, cap, multipliers[k])
    return sweeps * count * n * (count + _DOUBLINGS + _HALVINGS)


@inner
def weigh(data, rules, store, multipliers, cap):
    """The terms of the first sum, rounded up, as ``weights`` of the patterns; their sum, and the second sum."""
    numbers = store.numbers
    total = np.int64(0)
    for i in range(numbers[N_MEMBERS]):
        u = store.members[i]
        x = data.gains[u]
        slack = abs(x)
        if rules.relaxation:
            for k in range(multipliers.size):
                part = multipliers[k] * _coefficient(data, u, k, cap)
                x -= part
                slack += abs(part)
            slack += abs(multipliers[multipliers.size - 1]) * np.float64(data.positives[u] + data.negatives[u])
        weight = max(np.int64(0), np.int64(math.ceil(x + slack * _ROUNDING)))
        store.weights[u] = weight
        total += weight
    for k in range(store.scratch.size):
        store.scratch[k] = 0
    numbers[GAIN] = total
    numbers[ALLOWANCE] = allowance(data, rules, multipliers, store.totals, store.scratch) if rules.relaxation else 0


@inner
def find_tops(rules, store):
    """``tops[r]``: the largest sum of the weights of r antecedents, for r up to ``numbers[N_TOPS]``."""
    tops, m = store.tops, store.amounts.shape[0]
    count = min(MOST_TOPS, m)
    for r in range(count + 1):
        tops[r] = 0
    for a in range(m):
        weight = store.amounts[a, 0]
        r = count
        if weight <= tops[r]:
            continue
        while r > 1 and tops[r - 1] < weight:
            tops[r] = tops[r - 1]
            r -= 1
        tops[r] = weight
    for r in range(1, count + 1):
        tops[r] += tops[r - 1]
    store.numbers[N_TOPS] = count


@inlined
def least_further(rules, gain, allowed):
    """Relaxed cost of one further rule at least, without what else bounds it: minus the net gain."""
    return rules.relaxed_rule - (gain + allowed)


@inner
def least_by_few_rules(rules, store, gain, allowed, most):
    """The same, when so many rules gain no more than those of the largest sums; at most ``most`` of them."""
    best = -UNKNOWN
    last = min(store.numbers[N_TOPS], most)
    for r in range(1, last + 1):
        best = max(best, min(gain, store.tops[r]) - r * rules.relaxed_rule)
        if store.tops[r] >= gain:
            return -(best + allowed)
    if most > last:
        best = max(best, gain - (last + 1) * rules.relaxed_rule)
    return -(best + allowed)
