"""The separation bound: what rules that tell patterns of different labels apart cost, or the errors without them.

Let p be a positive and q a negative pattern that are both uncaptured. In any completion one of them is wrong, or some
further rule is the first to capture either: it captures one of them alone, with that one's label. Give such pairs
multipliers u >= 0 so that the multipliers of the pairs of each pattern add up to at most what its errors cost, and
those of the pairs that a rule of some label tells apart, for each antecedent and label, to at most what a rule costs.
Then all further rules and errors cost at least the sum of the multipliers of the uncaptured pairs: each of them is paid
for once or more, by an error or by a rule, and none pays more than it costs. This is the dual of a linear relaxation,
and holds for any multipliers; good ones are found by approximate descent and rounded to whole numbers.

Patterns without net weight (equivalent points, Thm 20) are pairs that no rule tells apart.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..kernels import bits
from ..kernels.by_reference import by_reference
from ..kernels.jit import inlined, inner, kernel
from .counting import Layout

# positions in Separation.numbers
READY, N_OWN, TOTAL, TRIES, HITS, GIVEN_UP, N_HELD, SCALE = range(8)

_NEAREST = 10
_ENTRIES = 1_500_000
_CHUNK = 1024
_MOST_PATTERNS = 10_000
_MOST_CELLS = 1 << 25
_LARGEST_COST = 1 << 56  # sums of multipliers do not overflow
_TRIES = 500
_CUTS_PER_TRY = 1
_STAGES = ((10.0, 0.1, 40), (20.0, 0.1, 60), (40.0, 0.05, 250))
_FREE = 1 << 61
_FINEST = 1 << 10  # parts of an error that multipliers are whole numbers of


@by_reference
class Separation(NamedTuple):
    """Pairs of patterns of different labels, their multipliers, and scratch space.

    Attributes
    ----------
    first, second : int32 array, shape (n_pairs,)
        Positions of a positive and a negative pattern, the pairs that fewest rules tell apart first.
    start : int64 array, shape (n_pairs + 1,)
    rule : int32 array
        ``rule[start[i]:start[i + 1]]``: what tells pair ``i`` apart: ``a`` for antecedent ``a`` with the positive
        label, ``m + a`` with the negative one.
    multiplier : int64 array, shape (n_pairs,)
        For the set of all patterns.
    held : int32 array, shape (n_pairs,)
        The pairs with a multiplier.
    own, own_multiplier : int32 and int64 arrays, shape (n_pairs,)
        The pairs with a multiplier for the open prefix, and the multipliers.
    error_left, rule_left : int64 arrays
        What errors on each pattern, and rules, can pay yet.
    numbers : int64 array
        Whether there are multipliers, pairs of the open prefix and the sum of its multipliers, prefixes looked at,
        prefixes and rules cut, whether the bound is no longer used, pairs with a multiplier, and in how
        many parts of a unit of cost multipliers are counted.
    """

    first: np.ndarray
    second: np.ndarray
    start: np.ndarray
    rule: np.ndarray
    multiplier: np.ndarray
    held: np.ndarray
    own: np.ndarray
    own_multiplier: np.ndarray
    error_left: np.ndarray
    rule_left: np.ndarray
    numbers: np.ndarray


def no_separation() -> Separation:
    """Without pairs, before they are wanted."""
    return _with_pairs(np.zeros((0, 2), dtype=np.int32), np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), 0, 0)


def given_up() -> Separation:
    """Without pairs, where they are of no use or take too much memory."""
    found = no_separation()
    found.numbers[[READY, GIVEN_UP]] = 1
    return found


def _with_pairs(pairs: np.ndarray, start: np.ndarray, rule: np.ndarray, positions: int, m: int) -> Separation:
    n = len(pairs)
    return Separation(
        first=np.ascontiguousarray(pairs[:, 0]),
        second=np.ascontiguousarray(pairs[:, 1]),
        start=start,
        rule=rule,
        multiplier=np.zeros(n, dtype=np.int64),
        held=np.zeros(n, dtype=np.int32),
        own=np.zeros(n, dtype=np.int32),
        own_multiplier=np.zeros(n, dtype=np.int64),
        error_left=np.zeros(positions, dtype=np.int64),
        rule_left=np.zeros(2 * m, dtype=np.int64),
        numbers=np.array([0, 0, 0, 0, 0, 0, 0, 1], dtype=np.int64),
    )


def separate(arrays: Layout, per_error: int, per_rule: int) -> Separation:
    """Pairs of near patterns and multipliers for the set of all of them."""
    m, words = arrays.by_antecedent.shape
    positions = words * bits.WORD
    border = arrays.positive_words * bits.WORD
    positive = np.flatnonzero(arrays.weights[:border])
    negative = border + np.flatnonzero(arrays.weights[border:])
    n = len(positive) + len(negative)
    few = min(len(positive), len(negative)) > 0 and n <= _MOST_PATTERNS and n * m <= _MOST_CELLS
    if not few or per_error * int(arrays.weights.sum()) > _LARGEST_COST:
        return given_up()
    inside = bits.unpack(bits.transpose(arrays.by_antecedent, positions), m)
    to_negative, to_positive = (
        _nearest(inside[positive], inside[negative]),
        _nearest(inside[negative], inside[positive]),
    )
    codes = np.unique(
        np.concatenate(
            [to_negative[0] * len(negative) + to_negative[1], to_positive[1] * len(negative) + to_positive[0]]
        )
    )
    pairs = np.stack([positive[codes // len(negative)], negative[codes % len(negative)]], axis=1).astype(np.int32)
    apart = (inside[pairs[:, 0]] ^ inside[pairs[:, 1]]).sum(axis=1)
    order = np.argsort(apart, kind="stable")
    order = order[: np.searchsorted(np.cumsum(apart[order]), _ENTRIES)]
    pairs = pairs[order]
    tells = np.concatenate(
        [inside[pairs[:, 0]] & ~inside[pairs[:, 1]], inside[pairs[:, 1]] & ~inside[pairs[:, 0]]], axis=1
    )
    start = np.zeros(len(pairs) + 1, dtype=np.int64)
    np.cumsum(tells.sum(axis=1), out=start[1:])
    found = _with_pairs(pairs, start, np.nonzero(tells)[1].astype(np.int32), positions, m)
    largest = per_error * int(arrays.weights.sum())
    found.numbers[SCALE] = scale = max(1, min(_FINEST // per_error, _LARGEST_COST // largest))
    per_error, per_rule = scale * per_error, scale * per_rule
    u = np.full(len(pairs), 0.25 * per_error * max(1, int(arrays.weights.max())), dtype=np.float64)
    u = np.minimum(u, per_error * np.minimum(arrays.weights[pairs[:, 0]], arrays.weights[pairs[:, 1]]) / 2)
    active = np.arange(len(pairs), dtype=np.int32)
    error_load, rule_load = np.zeros(positions), np.zeros(2 * m)
    for steepness, step, passes in _STAGES:
        n = descend(arrays, found, active, u, error_load, rule_load, per_error, per_rule, steepness, step, passes)
        active = active[:n]
    by_size = active[np.argsort(-u[active], kind="stable")]
    settle(arrays, found, by_size, u, per_error, per_rule)
    found.numbers[READY] = 1
    return found


def _nearest(some: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of each of some patterns and the other patterns that differ from it in fewest antecedents."""
    k = min(_NEAREST, len(others))
    turned = others.astype(np.float32)
    size = turned.sum(axis=1)
    out = []
    for first in range(0, len(some), _CHUNK):
        part = some[first : first + _CHUNK].astype(np.float32)
        distance = size[None, :] - 2 * (part @ turned.T)
        chosen = np.argpartition(distance, k - 1, axis=1)[:, :k]
        out.append(chosen.ravel())
    return np.repeat(np.arange(len(some)), k), np.concatenate(out)


@kernel
def descend(arrays, separation, active, u, error_load, rule_load, per_error, per_rule, steepness, step, passes):
    """Change the multipliers of the active pairs towards the best; returns how many stay active, which come first.

    A pattern or a rule that is asked for all that it costs has the price 1 for another unit, less where it is asked for
    less; the multiplier of a pair grows while its prices add up to less than 1.
    """
    n = active.size
    start, rule = separation.start, separation.rule
    for _ in range(passes):
        for i in range(error_load.size):
            error_load[i] = 0.0
        for i in range(rule_load.size):
            rule_load[i] = 0.0
        for j in range(n):
            i = active[j]
            error_load[separation.first[i]] += u[i]
            error_load[separation.second[i]] += u[i]
            for k in range(start[i], start[i + 1]):
                rule_load[rule[k]] += u[i]
        for i in range(error_load.size):
            if error_load[i] > 0.0:
                most = np.float64(per_error * arrays.weights[i])
                error_load[i] = math.exp(min(10.0, steepness * (error_load[i] / most - 1.0)))
        for i in range(rule_load.size):
            rule_load[i] = math.exp(min(10.0, steepness * (rule_load[i] / np.float64(per_rule) - 1.0)))
        kept = 0
        for j in range(n):
            i = active[j]
            price = error_load[separation.first[i]] + error_load[separation.second[i]]
            for k in range(start[i], start[i + 1]):
                price += rule_load[rule[k]]
            u[i] *= 1.0 + step * max(-2.0, 1.0 - price)
            if u[i] > 1e-4 * per_error * arrays.weights[separation.first[i]]:
                active[kept] = i
                kept += 1
        n = kept
    return n


@kernel
def settle(arrays, separation, by_size, u, per_error, per_rule):
    """Whole multipliers that pay no more than errors and rules cost, near to those found, and as many more as fit."""
    multiplier, numbers = separation.multiplier, separation.numbers
    error_left, rule_left = separation.error_left, separation.rule_left
    start, rule = separation.start, separation.rule
    for i in range(error_left.size):
        error_left[i] = 0
    for i in range(rule_left.size):
        rule_left[i] = 0
    for j in range(by_size.size):
        i = by_size[j]
        x = np.int64(u[i])
        error_left[separation.first[i]] += x
        error_left[separation.second[i]] += x
        for k in range(start[i], start[i + 1]):
            rule_left[rule[k]] += x
    for j in range(by_size.size):  # each as much less as the most it asks of anything is too much
        i = by_size[j]
        over = 1.0
        over = max(over, error_left[separation.first[i]] / np.float64(per_error * arrays.weights[separation.first[i]]))
        over = max(
            over, error_left[separation.second[i]] / np.float64(per_error * arrays.weights[separation.second[i]])
        )
        for k in range(start[i], start[i + 1]):
            over = max(over, rule_left[rule[k]] / np.float64(per_rule))
        multiplier[i] = np.int64(u[i] / over)
    for i in range(error_left.size):
        error_left[i] = per_error * arrays.weights[i]
    for i in range(rule_left.size):
        rule_left[i] = per_rule
    for j in range(by_size.size):
        i = by_size[j]
        multiplier[i] = _pay(separation, i, multiplier[i])
    for i in range(multiplier.size):
        multiplier[i] += _pay(separation, i, np.int64(1) << 60)
    n = 0
    for i in range(multiplier.size):
        if multiplier[i] > 0:
            separation.held[n] = i
            n += 1
    numbers[N_HELD] = n


@inner
def _pay(separation, i, most):
    """What the patterns of a pair and the rules that tell it apart can pay yet, up to so much; they pay it."""
    error_left, rule_left = separation.error_left, separation.rule_left
    first, second = separation.first[i], separation.second[i]
    x = min(most, min(error_left[first], error_left[second]))
    for k in range(separation.start[i], separation.start[i + 1]):
        if x <= 0:
            return 0
        x = min(x, rule_left[separation.rule[k]])
    if x <= 0:
        return 0
    error_left[first] -= x
    error_left[second] -= x
    for k in range(separation.start[i], separation.start[i + 1]):
        rule_left[separation.rule[k]] -= x
    return x


@inner
def _holds(words, position):
    return (words[position >> 6] >> np.uint64(position & 63)) & np.uint64(1) != 0


@inlined
def separation_of(arrays, rules, separation, chosen, positive, negative):
    """Multipliers for the pairs within a set, whose antecedents have these net weights there; returns their sum.

    A rule that cannot pay for itself is none that an optimal list has, here or further on (Thm 11): it tells nothing
    apart, and may be asked for any amount.
    """
    error_left, rule_left = separation.error_left, separation.rule_left
    m, scale = positive.size, separation.numbers[SCALE]
    per_error, per_rule = scale * rules.per_error, scale * rules.per_rule
    for w in range(chosen.size):
        for position in range(64 * w, 64 * w + 64):
            error_left[position] = 0
            if _holds(chosen, position):
                error_left[position] = per_error * arrays.weights[position]
    for a in range(m):
        rule_left[a] = per_rule if per_error * positive[a] > per_rule else _FREE
        rule_left[m + a] = per_rule if per_error * negative[a] > per_rule else _FREE
    multiplier = separation.own_multiplier
    for i in range(multiplier.size):
        multiplier[i] = 0
    for j in range(separation.numbers[N_HELD]):
        i = separation.held[j]
        if error_left[separation.first[i]] > 0 and error_left[separation.second[i]] > 0:
            multiplier[i] = _pay(separation, i, separation.multiplier[i])
    n, total = 0, 0
    for i in range(multiplier.size):
        x = multiplier[i]
        if error_left[separation.first[i]] > 0 and error_left[separation.second[i]] > 0:
            x += _pay(separation, i, np.int64(1) << 60)
        if x > 0:
            separation.own[n] = i
            multiplier[n] = x
            n += 1
            total += x
    separation.numbers[N_OWN] = n
    separation.numbers[TOTAL] = total
    return -(-total // scale)


@inner
def separation_within(separation, chosen, needed):
    """Whether the multipliers for all patterns, of the pairs within a set, add up to what is needed."""
    total = 0
    needed = needed_in_parts(separation, needed)
    for j in range(separation.numbers[N_HELD]):
        i = separation.held[j]
        if _holds(chosen, separation.first[i]) and _holds(chosen, separation.second[i]):
            total += separation.multiplier[i]
            if total >= needed:
                return True
    return False


@inner
def separation_after(arrays, separation, a, needed):
    """The sum of the multipliers of the pairs that antecedent ``a`` leaves of the open prefix, up to what is needed."""
    captured = arrays.by_antecedent[a]
    total = 0
    needed = needed_in_parts(separation, needed)
    for j in range(separation.numbers[N_OWN]):
        i = separation.own[j]
        if not (_holds(captured, separation.first[i]) or _holds(captured, separation.second[i])):
            total += separation.own_multiplier[j]
            if total >= needed:
                break
    return -(-total // separation.numbers[SCALE])


@inner
def needed_in_parts(separation, needed):
    """More than this is needed of parts, to be what is needed when it is rounded up to whole costs."""
    return (needed - 1) * separation.numbers[SCALE] + 1


def least_cost(separation: Separation) -> int:
    """What all lists cost at least, beside what is inevitable."""
    return -(-int(separation.multiplier.sum()) // int(separation.numbers[SCALE]))


@inner
def is_used(rules, separation):
    return rules.separation and separation.numbers[READY] != 0 and separation.numbers[GIVEN_UP] == 0


@inner
def tried(separation, cut):
    """Note whether a prefix was cut; a bound that cuts few is no longer used."""
    numbers = separation.numbers
    numbers[TRIES] += 1
    numbers[HITS] += cut
    if numbers[TRIES] >= _TRIES and numbers[HITS] < _CUTS_PER_TRY * numbers[TRIES]:
        numbers[GIVEN_UP] = 1
