"""The joint capture bound: a rule captures, with the patterns worth having, others that it has in common with them.

Let a list fall, k of its rules be above tau and its else not, and let T be what these rules capture: the list costs at
least A P - G(T) + k R, G(T) being the sum over T of the gains g_u = A p_u - B q_u, and R the cost of a rule. Each
pattern of T is in the antecedent a of one of the rules, and a lies in T altogether. Give pairs of a pattern u with a
gain and a pattern v with a loss multipliers x_uv >= 0, such that those of each v add up to at most -g_v, and pairs of u
and an antecedent a of it multipliers y_ua >= 0, such that those of each a add up to at most R. Then

    G(T) - k R <= the sum over u of the positive parts of g_u - min over a of (y_ua + sum over v in a of x_uv).

For each v of T costs -g_v, which is at least what its pairs with the u of T have together, and so do the rules; and for
each u of T some a of u is the antecedent of a rule, and lies in T with all its v. Where b is the antecedent of a rule,
its patterns may be taken out on both sides: G(T) - k R is at most G(b) - R and the sum over the u outside b, without
the v in b. If what this leaves costs as much as the incumbent, no better list has b above tau.

A list whose else is above tau, too, costs no less than the empty list, which is always known: its rules change nothing.

This is the dual of a linear relaxation: x_uv says how much of what v costs is put down to u, and the weights of the
antecedents of u say by which it is captured. It holds for any multipliers; good ones are found by optimistic
multiplicative weights, the mean of whose iterates is rounded down to whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.by_reference import by_reference
from ..kernels.jit import inner, kernel, popcount

_ONE = np.uint64(1)
_STEP_OF_CHOICES = np.float32(2.0)
_STEP_OF_SHARES = np.float32(1.5)
_NEVER = np.float32(-1e30)
_FREE = 1 << 61
_LEVELS = 255

# positions in JointCapture.numbers
ITERATIONS, BOUND = range(2)


@by_reference
class JointCapture(NamedTuple):
    """Pairs of a pattern u with a gain and a pattern v with a loss, their multipliers, and scratch space."""

    gain: np.ndarray  # int64, shape (n_u,)
    loss: np.ndarray  # int64, shape (n_v,): -g_v
    # gain_share, loss_share (float32): of the largest gain
    gain_share: np.ndarray
    loss_share: np.ndarray
    # held_u, held_v (uint64, shape (n_words, n_u) and (n_v, n_words)): the antecedents of each pattern
    held_u: np.ndarray
    held_v: np.ndarray
    # choice_start, choice (int64 and int32): ``choice[choice_start[u]:choice_start[u + 1]]``: the antecedents of u
    choice_start: np.ndarray
    choice: np.ndarray
    # pair_start, other (int64 and int32): ``other[pair_start[u]:pair_start[u + 1]]``: the v of the pairs of u
    pair_start: np.ndarray
    other: np.ndarray
    # start_of_v, pair_of_v (int64 and int32): the pairs of each v
    start_of_v: np.ndarray
    pair_of_v: np.ndarray
    block_start: np.ndarray  # int64, shape (n_u + 1,)
    # by_pair, by_choice (uint8): of each u, which antecedents have which v: pair by pair, and antecedent by antecedent
    by_pair: np.ndarray
    by_choice: np.ndarray
    allowed: np.ndarray  # bool, shape (m,): antecedents that some better list may have
    whole: np.ndarray  # int64, shape (m,): G(b) - R of each antecedent
    choice_log: np.ndarray  # float32
    choice_weight: np.ndarray  # float32
    choice_last: np.ndarray  # float32
    share_log: np.ndarray  # float32, shape (n_pairs,)
    share: np.ndarray  # float32, shape (n_pairs,)
    share_last: np.ndarray  # float32, shape (n_pairs,)
    share_sum: np.ndarray  # float32, shape (n_pairs,)
    # start_of_rule, entry_of_rule (int64 and int32): the places in ``choice`` of each antecedent
    start_of_rule: np.ndarray
    entry_of_rule: np.ndarray
    rule_log: np.ndarray  # float32
    rule_share: np.ndarray  # float32
    rule_last: np.ndarray  # float32
    rule_sum: np.ndarray  # float32
    rule_multiplier: np.ndarray  # int64: by the places of ``choice``
    # rule, rule_part (int64 and float32, shape (m,)): R for each antecedent, and what it is of the largest gain
    rule: np.ndarray
    rule_part: np.ndarray
    multiplier: np.ndarray  # int64, shape (n_pairs,)
    value: np.ndarray  # int64, shape (m,): the largest gain of a set that has all of each antecedent
    # sums (float32) and shared (int64): scratch of one u: by antecedent, and by two of them
    sums: np.ndarray
    totals: np.ndarray
    shared: np.ndarray
    touched: np.ndarray
    numbers: np.ndarray  # int64


@kernel
def closest(held_u, size_u, held_v, nearest, common, counts):
    """For each v, the u with the largest parts of their antecedents in common with it; -1 where there are fewer.

    ``nearest`` is of shape (n_v, most), ``common`` of shape (n_u,), ``counts`` of shape (256,).
    """
    n_words, n_u = held_u.shape
    most = nearest.shape[1]
    for v in range(held_v.shape[0]):
        for u in range(n_u):
            common[u] = 0
        for w in range(n_words):
            x, row = held_v[v, w], held_u[w]
            if x != 0:
                for u in range(n_u):
                    common[u] += popcount(x & row[u])
        for i in range(counts.size):
            counts[i] = 0
        for u in range(n_u):
            common[u] = (common[u] * _LEVELS) // size_u[u]
            counts[common[u]] += 1
        level, above = _LEVELS, 0
        while level > 1 and above + counts[level] < most:
            above += counts[level]
            level -= 1
        n, at_level = 0, most - above
        for u in range(n_u):
            if common[u] > level:
                nearest[v, n] = u
                n += 1
            elif common[u] == level and at_level > 0:
                nearest[v, n] = u
                n += 1
                at_level -= 1
        for i in range(n, most):
            nearest[v, i] = -1


@kernel
def fill_blocks(pairs):
    """Write down which antecedents of each u hold for which v, twice."""
    for u in range(pairs.gain.size):
        first, last = pairs.pair_start[u], pairs.pair_start[u + 1]
        choices = pairs.choice[pairs.choice_start[u] : pairs.choice_start[u + 1]]
        at, n, k = pairs.block_start[u], last - first, choices.size
        for j in range(n):
            held = pairs.held_v[pairs.other[first + j]]
            for d in range(k):
                has = held[choices[d] >> 6] >> np.uint64(choices[d] & 63) & _ONE
                pairs.by_pair[at + j * k + d] = has
                pairs.by_choice[at + d * n + j] = has


@kernel
def iterate(pairs):
    """One step of both players: where each v puts its loss, and by which antecedents each u is captured."""
    first_time = pairs.numbers[ITERATIONS] == 0
    _share_out(pairs.loss_share, pairs.start_of_v, pairs.pair_of_v, pairs.share_log, pairs.share)
    if pairs.rule[0] > 0:
        _share_out(pairs.rule_part, pairs.start_of_rule, pairs.entry_of_rule, pairs.rule_log, pairs.rule_share)
    costs, weight, log = pairs.sums, pairs.choice_weight, pairs.choice_log
    for u in range(pairs.gain.size):
        first, n = pairs.pair_start[u], pairs.pair_start[u + 1] - pairs.pair_start[u]
        begin, k = pairs.choice_start[u], pairs.choice_start[u + 1] - pairs.choice_start[u]
        by_pair = pairs.by_pair[pairs.block_start[u] : pairs.block_start[u + 1]]
        by_choice = pairs.by_choice[pairs.block_start[u] : pairs.block_start[u + 1]]
        _weigh(log[begin : begin + k], weight[begin : begin + k])
        for d in range(k):
            costs[d] = pairs.rule_share[begin + d]
        for j in range(n):
            x, row = pairs.share[first + j], by_pair[j * k : j * k + k]
            for d in range(k):
                costs[d] += row[d] * x
        last = pairs.choice_last[begin : begin + k]
        for d in range(k):
            left = (pairs.gain_share[u] - costs[d]) / pairs.gain_share[u]
            log[begin + d] += _STEP_OF_CHOICES * (left if first_time else left + left - last[d])
            last[d] = left
        if pairs.rule[0] > 0:
            for e in range(begin, begin + k):
                now = weight[e]
                pairs.rule_log[e] += _STEP_OF_SHARES * (now if first_time else now + now - pairs.rule_last[e])
                pairs.rule_last[e] = now
                pairs.rule_sum[e] += pairs.rule_share[e]
        captured = pairs.sums[:n]
        for j in range(n):
            captured[j] = 0.0
        for d in range(k):
            x, row = weight[begin + d], by_choice[d * n : d * n + n]
            for j in range(n):
                captured[j] += row[j] * x
        for j in range(n):
            now, e = captured[j], first + j
            pairs.share_log[e] += _STEP_OF_SHARES * (now if first_time else now + now - pairs.share_last[e])
            pairs.share_last[e] = now
            pairs.share_sum[e] += pairs.share[e]
    pairs.numbers[ITERATIONS] += 1


@inner
def _share_out(losses, start, pair_of, log, share):
    """The loss of each v, or rule, over its pairs."""
    for v in range(start.size - 1):
        mine = pair_of[start[v] : start[v + 1]]
        largest = _NEVER
        for e in mine:
            largest = max(largest, log[e])
        total = np.float32(0.0)
        for e in mine:
            share[e] = np.exp(log[e] - largest)
            total += share[e]
        for e in mine:
            share[e] *= losses[v] / total


@inner
def _weigh(log, weight):
    """The weights of antecedents, and of not capturing at all, whose logarithm is 0."""
    largest = np.float32(0.0)
    for d in range(log.size):
        largest = max(largest, log[d])
    total = np.exp(-largest)
    for d in range(log.size):
        weight[d] = np.exp(log[d] - largest)
        total += weight[d]
    for d in range(log.size):
        weight[d] /= total


@kernel
def bound(pairs):
    """Round the mean of the shares to multipliers, and bound the gain with each antecedent.

    ``numbers[BOUND]`` is the largest gain of any set, ``value`` that of those with all of an antecedent.
    """
    numbers, value, totals = pairs.numbers, pairs.value, pairs.totals
    _round(pairs.loss, pairs.start_of_v, pairs.pair_of_v, pairs.share_sum, pairs.multiplier)
    if pairs.rule[0] > 0:
        _round(pairs.rule, pairs.start_of_rule, pairs.entry_of_rule, pairs.rule_sum, pairs.rule_multiplier)
    numbers[BOUND] = 0
    for a in range(value.size):
        value[a] = pairs.whole[a]
    for u in range(pairs.gain.size):
        first, n = pairs.pair_start[u], pairs.pair_start[u + 1] - pairs.pair_start[u]
        begin = pairs.choice_start[u]
        choices = pairs.choice[begin : pairs.choice_start[u + 1]]
        k, gain = choices.size, pairs.gain[u]
        by_pair = pairs.by_pair[pairs.block_start[u] : pairs.block_start[u + 1]]
        for d in range(k):
            totals[d] = pairs.rule_multiplier[begin + d] if pairs.allowed[choices[d]] else _FREE
            pairs.touched[choices[d]] = 2
        _sum_pairs(pairs, first, n, k, by_pair)
        least = gain
        for d in range(k):
            least = min(least, totals[d])
        numbers[BOUND] += gain - least
        for a in range(value.size):
            if pairs.touched[a] != 2:
                fewer = least
                if pairs.touched[a] == 1:
                    row = pairs.shared[a]
                    for d in range(k):
                        fewer = min(fewer, totals[d] - row[d])
                        row[d] = 0
                value[a] += gain - fewer
            pairs.touched[a] = 0


@inner
def _sum_pairs(pairs, first, n, k, by_pair):
    """Multipliers of a u, in each of its antecedents, and there in each other antecedent."""
    totals, touched = pairs.totals, pairs.touched
    for j in range(n):
        x = pairs.multiplier[first + j]
        if x == 0:
            continue
        row, held = by_pair[j * k : j * k + k], pairs.held_v[pairs.other[first + j]]
        for d in range(k):
            totals[d] += x * row[d]
        for w in range(held.size):
            word = held[w]
            while word != 0:
                low = word & (~word + _ONE)
                a = (w << 6) + np.int64(popcount(low - _ONE))
                word ^= low
                if touched[a] == 2 or not pairs.allowed[a]:
                    continue
                touched[a] = 1
                shared = pairs.shared[a]
                for d in range(k):
                    shared[d] += x * row[d]


@inner
def _round(losses, start, pair_of, share_sum, multiplier):
    """Whole multipliers, those of each v, or rule, together at most its loss."""
    for v in range(start.size - 1):
        left = losses[v]
        mine = pair_of[start[v] : start[v + 1]]
        total = 0.0
        for e in mine:
            total += share_sum[e]
        for e in mine:
            x = np.int64(losses[v] * (share_sum[e] / total)) if total > 0 else 0
            multiplier[e] = min(max(x, 0), left)
            left -= multiplier[e]


@kernel
def forbid(pairs):
    """Let no u be captured by an antecedent that no better list has."""
    for e in range(pairs.choice.size):
        if not pairs.allowed[pairs.choice[e]]:
            pairs.choice_log[e] = _NEVER
