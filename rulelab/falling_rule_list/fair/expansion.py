"""Expanding a prefix of a fair falling list: its antecedents are counted, what they can gain is bounded, then each."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import at_most, slot_of
from ...kernels.growing import CUT, OPEN
from ...kernels.jit import ctz, inlined, inner
from ...kernels.queue import cut_off, enter, write_path
from ..bounds import largest_share, least_share
from . import state as at
from .relaxing import allowance, find_tops, improve_multipliers, least_by_few_rules, least_further, weigh

PER_CHILD = 30
UNFAIR, FAIR, UNSURE = range(3)


@inlined
def above(rules, p, q):
    """Whether so many positives and negatives may be above the threshold: w p > q, exactly but for their rounding."""
    p, q = p + rules.misplaced, max(q - rules.misplaced, 0)
    return p > 0 and not at_most(rules.weight_p, rules.weight_q, q, p)


@inlined
def relaxed(rules, cost):
    """A cost in units of relaxed costs, rounded down."""
    return cost << rules.shift if rules.shift >= 0 else cost >> -rules.shift


@inlined
def limit(rules, store):
    """The largest relaxed cost of a list that is looked for."""
    return relaxed(rules, store.numbers[at.BEST] - 1)


@inlined
def least_of_longer(rules, cost, left_p):
    """The least cost of a list that goes on: one more rule, which captures all positives that are left alone."""
    return relaxed(rules, cost + rules.per_rule - rules.per_positive * left_p)


@inner
def open_set(data, rules, store, node):
    """Unpack the set that a prefix leaves, and add up what it weighs; returns the weights looked at."""
    numbers = store.numbers
    chosen = store.sets[store.left[node]]
    k_all = data.d.shape[1]
    for k in range(k_all):
        store.totals[k] = 0
        store.reached[0, k] = 0
        store.reached[1, k] = 0
    count, p, q, captured = 0, np.int64(0), np.int64(0), np.int64(0)
    for w in range(chosen.size):
        x = chosen[w]
        rest = data.full[w] & ~x
        while x:
            u = 64 * w + ctz(x)
            x &= x - np.uint64(1)
            store.members[count] = u
            count += 1
            p += data.positives[u]
            q += data.negatives[u]
            for k in range(k_all):
                store.reached[1 if data.d[u, k] > 0 else 0, k] += data.d[u, k]
        while rest:
            u = 64 * w + ctz(rest)
            rest &= rest - np.uint64(1)
            captured += data.negatives[u]
            for k in range(k_all):
                store.totals[k] += data.d[u, k]
    numbers[at.N_MEMBERS], numbers[at.LEFT_P], numbers[at.LEFT_Q] = count, p, q
    numbers[at.COST] = rules.per_positive * p + rules.per_negative * captured + rules.per_rule * store.length[node]
    numbers[at.NODE_KEY] = store.key[node]
    return 64 * chosen.size * (2 + k_all)


@inner
def refine(data, rules, store, node, cap, sweeps):
    """Choose better multipliers for a prefix and raise its bound; returns the weights looked at."""
    numbers = store.numbers
    multipliers = store.multipliers[node]
    spent = 0
    if rules.relaxation:
        spent = improve_multipliers(data, store, multipliers, cap, sweeps)
    weigh(data, rules, store, multipliers, cap)
    least = least_of_longer(rules, numbers[at.COST], numbers[at.LEFT_P])
    if rules.relaxation:
        least = max(
            least, relaxed(rules, numbers[at.COST]) + least_further(rules, numbers[at.GAIN], numbers[at.ALLOWANCE])
        )
    store.key[node] = max(store.key[node], least)
    numbers[at.NODE_KEY] = store.key[node]
    return spent + 2 * numbers[at.N_MEMBERS]


@inlined
def cap_of(p, n):
    """A proportion, rounded up."""
    return min(1.0, p / n * (1 + 2.0**-50))


@inner
def count_weights(data, store, node, most):
    """Positives and negatives that antecedents hold for in the open set, for so many words and weights."""
    numbers = store.numbers
    chosen = store.sets[store.left[node]]
    spent = 0
    while numbers[at.ANTECEDENT] < store.counts.shape[1] and spent < most:
        a = numbers[at.ANTECEDENT]
        p, q = np.int64(0), np.int64(0)
        for w in range(chosen.size):
            x = chosen[w] & data.columns[a, w]
            while x:
                u = 64 * w + ctz(x)
                x &= x - np.uint64(1)
                p += data.positives[u]
                q += data.negatives[u]
        store.counts[0, a], store.counts[1, a] = p, q
        numbers[at.ANTECEDENT] = a + 1
        spent += numbers[at.N_MEMBERS] + chosen.size
    return spent


@inlined
def _parts(data, rules, chosen, a, n, whole):
    """Whether an antecedent captures some of what is left and not all, of weights that are rounded to 0, too."""
    if 0 < n < whole or rules.misplaced == 0:
        return 0 < n < whole
    some = others = np.uint64(0)
    for w in range(chosen.size):
        some |= chosen[w] & data.columns[a, w]
        others |= chosen[w] & ~data.columns[a, w]
    return some != 0 and others != 0


@inner
def find_eligible(data, rules, store, node):
    """Which antecedents may come next, and the largest proportion among them."""
    numbers, pruned = store.numbers, store.pruned
    left_p, left_q = numbers[at.LEFT_P], numbers[at.LEFT_Q]
    last_p, last_n, chosen = store.ratio_p[node], store.ratio_n[node], store.sets[store.left[node]]
    numbers[at.N_ELIGIBLE], numbers[at.CAP_P], numbers[at.CAP_N] = 0, 0, 1
    for a in range(store.counts.shape[1]):
        p, q = store.counts[0, a], store.counts[1, a]
        store.eligible[a] = 0
        least_p, least_n = least_share(rules, p, q)
        if not _parts(data, rules, chosen, a, p + q, left_p + left_q):
            pruned[at.BY_NOTHING] += 1
        elif not above(rules, p, q):
            pruned[at.BY_NECESSARY] += 1
        elif not at_most(least_p, least_n, last_p, last_n):
            pruned[at.BY_RISING] += 1
        else:
            store.eligible[a] = 1
            numbers[at.N_ELIGIBLE] += 1
            share_p, share_n = largest_share(rules, p, q)
            if not at_most(share_p, share_n, numbers[at.CAP_P], numbers[at.CAP_N]):
                numbers[at.CAP_P], numbers[at.CAP_N] = share_p, share_n


@inner
def narrow(data, rules, store, node):
    """Refine the bound by the proportions that may come next; whether to go on, and the weights looked at."""
    numbers = store.numbers
    if numbers[at.N_ELIGIBLE] == 0:
        return False, 0
    if not rules.eligible_cap:
        return True, 0
    spent = refine(data, rules, store, node, cap_of(numbers[at.CAP_P], numbers[at.CAP_N]), 1)
    if store.key[node] > limit(rules, store):
        store.pruned[at.BY_ELIGIBLE] += 1
        store.fate[node] = CUT + at.BY_ELIGIBLE
        numbers[at.N_EXPANDED] -= 1  # none that extends it is looked at
        return False, spent
    return True, spent


@inner
def add_amounts(data, store, node, most):
    """What antecedents can gain, and their parts of the constraints' sums, for so many words and weights."""
    numbers = store.numbers
    chosen = store.sets[store.left[node]]
    k_all, spent = data.d.shape[1], 0
    while numbers[at.ANTECEDENT] < store.counts.shape[1] and spent < most:
        a = numbers[at.ANTECEDENT]
        row = store.amounts[a]
        for k in range(row.size):
            row[k] = 0
        needed = store.eligible[a]
        for w in range(chosen.size):
            x = chosen[w] & data.columns[a, w]
            while x:
                u = 64 * w + ctz(x)
                x &= x - np.uint64(1)
                row[0] += store.weights[u]
                if needed:
                    for k in range(k_all):
                        row[1 + 2 * k + (1 if data.d[u, k] > 0 else 0)] += data.d[u, k]
        numbers[at.ANTECEDENT] = a + 1
        spent += numbers[at.N_MEMBERS] * (1 + k_all) + chosen.size
    return spent


@inner
def begin_children(rules, store):
    """What all children of the open prefix share."""
    find_tops(rules, store)
    store.numbers[at.ANTECEDENT] = 0


@inner
def extend(data, rules, store, node, a):
    """The prefix and one antecedent: maybe the best list, and stored unless it is cut; whether to check a list."""
    numbers, pruned = store.numbers, store.pruned
    p, q = store.counts[0, a], store.counts[1, a]
    rest_p, rest_q = numbers[at.LEFT_P] - p, numbers[at.LEFT_Q] - q
    least_p, least_n = least_share(rules, rest_p, rest_q)
    share_p, share_n = largest_share(rules, p, q)
    falls = at_most(least_p, least_n, share_p, share_n)
    if rules.feasible_prefix and not falls:
        pruned[at.BY_FEASIBLE] += 1
        return False
    numbers[at.CREATED] += 1
    length = store.length[node] + 1
    cost = numbers[at.COST] + rules.per_rule - (rules.per_positive * p - rules.per_negative * q)
    k_all = data.d.shape[1]
    for k in range(k_all):
        store.scratch[k] = store.amounts[a, 1 + 2 * k] + store.amounts[a, 2 + 2 * k]
    to_check, surely = False, 2 * rules.misplaced
    if falls and cost < numbers[at.BEST] and not above(rules, rest_p - surely, rest_q + surely):
        verdict = _fairness(data, rules, store)
        if verdict != UNFAIR:
            if verdict == FAIR:
                numbers[at.BEST] = cost
            numbers[at.BEST_COST] = cost
            last = write_path(store, node, store.path)
            store.path[last] = a
            numbers[at.BEST_LENGTH] = last + 1
            to_check = True
    _keep(data, rules, store, node, a, cost, length, rest_p)
    return to_check


@inlined
def _fairness(data, rules, store):
    """Whether the list that ends with the antecedent whose sums are in scratch is fair."""
    verdict = FAIR if rules.sure else UNSURE
    for k in range(store.scratch.size):
        total = store.totals[k] + store.scratch[k]
        if total < data.outside[0, k] or total > data.outside[1, k]:
            return UNFAIR
        if total < data.inside[0, k] or total > data.inside[1, k]:
            verdict = UNSURE
    return verdict


@inner
def _keep(data, rules, store, node, a, cost, length, rest_p):
    """Store and queue the child, unless it is cut."""
    numbers, pruned = store.numbers, store.pruned
    if length >= rules.max_length:
        pruned[at.BY_LENGTH] += 1
        return
    most = limit(rules, store)
    least = least_of_longer(rules, cost, rest_p)
    if least > most or rest_p + rules.misplaced == 0:
        pruned[at.BY_GAIN] += 1
        return
    gain = numbers[at.GAIN] - store.amounts[a, 0]
    allowed = np.int64(0)
    if rules.relaxation:
        allowed = allowance(data, rules, store.multipliers[node], store.totals, store.scratch)
        least = max(least, relaxed(rules, cost) + least_further(rules, gain, allowed))
        if least > most:
            pruned[at.BY_RELAXATION] += 1
            return
    if rules.few_rules:
        few = relaxed(rules, cost) + least_by_few_rules(rules, store, gain, allowed, rules.max_length - length)
        least = max(least, few)
        if least > most:
            pruned[at.BY_FEW_RULES] += 1
            return
    outside = 0.0
    for k in range(store.scratch.size):
        total = store.totals[k] + store.scratch[k]
        low = total + store.reached[0, k] - store.amounts[a, 1 + 2 * k]
        high = total + store.reached[1, k] - store.amounts[a, 2 + 2 * k]
        if rules.reach and (high < data.outside[0, k] or low > data.outside[1, k]):
            pruned[at.BY_REACH] += 1
            return
        outside += data.price[k] * max(0.0, np.float64(data.outside[0, k] - total))
        outside += data.price[k] * max(0.0, np.float64(total - data.outside[1, k]))
    _store(data, rules, store, node, a, max(numbers[at.NODE_KEY], least), relaxed(rules, cost) + outside, length)


@inner
def _store(data, rules, store, parent, a, key, score, length):
    """Enter the child at the set that it leaves, unless a prefix with the same set dominates it."""
    numbers = store.numbers
    chosen, column = store.whole[0], data.columns[a]
    before = store.sets[store.left[parent]]
    for w in range(chosen.size):
        chosen[w] = before[w] & ~column[w]
    slot = slot_of(store.table, store.sets, chosen)
    p, n = largest_share(rules, store.counts[0, a], store.counts[1, a])
    entry = np.int64(store.table[slot])
    if entry < 0:
        entry = numbers[at.N_SETS]
        numbers[at.N_SETS] += 1
        store.table[slot] = entry
        store.head[entry] = -1
        for w in range(chosen.size):
            store.sets[entry, w] = chosen[w]
    elif rules.dominance and _is_dominated(rules, store, entry, store.left[parent], p, n, length):
        store.pruned[at.BY_DOMINANCE] += 1
        return
    node = numbers[at.N_NODES]
    numbers[at.N_NODES] += 1
    store.key[node], store.score[node] = key, score
    store.parent[node], store.rule[node], store.length[node] = parent, a, length
    store.ratio_p[node], store.ratio_n[node] = p, n
    store.left[node] = entry
    store.link[node], store.head[entry] = store.head[entry], node
    store.refined[node] = 0
    for k in range(store.multipliers.shape[1]):
        store.multipliers[node, k] = store.multipliers[parent, k]
    enter(store, store.heap_key, node, key)


@inner
def _is_dominated(rules, store, entry, before, p, n, length):
    """Whether a stored prefix makes one of this proportion and length needless; those that it makes needless go.

    Where weights are rounded the proportions are the largest ones that may be, and are no less than what is compared;
    but those of rules that capture the same, of the same set ``before``, are equal.
    """
    last, other, e = np.int64(-1), np.int64(store.head[entry]), rules.misplaced
    by_length = rules.limited or rules.per_rule > 0
    while other >= 0:
        following = np.int64(store.link[other])
        equal = e > 0 and store.left[store.parent[other]] == before
        other_p, other_n = store.ratio_p[other], store.ratio_n[other]
        if (store.length[other] <= length or not by_length) and (
            equal or at_most(p, n, max(other_p - 2 * e, 0), other_n + e)
        ):
            return True
        if (length <= store.length[other] or not by_length) and (
            equal or at_most(other_p, other_n, max(p - 2 * e, 0), n + e)
        ):
            if store.fate[other] == OPEN:
                cut_off(store, other, at.BY_DOMINANCE)
            if last < 0:
                store.head[entry] = following
            else:
                store.link[last] = following
        else:
            last = other
        other = following
    return False
