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

from typing import NamedTuple

import numpy as np

from ..kernels.by_reference import At, by_reference
from ..kernels.jit import apart, inner

# positions in Separation.numbers
READY, N_OWN, TOTAL, TRIES, HITS, GIVEN_UP, N_HELD, NEXT, SCALE = range(9)

_TRIES = 500
_CUTS_PER_TRY = 1
_FREE = 1 << 61


@by_reference
class Separation(NamedTuple):
    """Pairs of patterns of different labels, their multipliers, and scratch space."""

    # first, second (int32, shape (n_pairs,)): positions of a positive and a negative pattern, the pairs that fewest
    # rules tell apart first
    first: np.ndarray
    second: np.ndarray
    start: np.ndarray  # int64, shape (n_pairs + 1,)
    rule: np.ndarray
    """int32: ``rule[start[i]:start[i + 1]]``: what tells pair ``i`` apart: ``a`` for antecedent ``a`` with the positive
    label, ``m + a`` with the negative one."""
    multiplier: np.ndarray  # int64, shape (n_pairs,): for the set of all patterns
    held: np.ndarray  # int32, shape (n_pairs,): the pairs with a multiplier
    # own, own_multiplier (int32 and int64, shape (n_pairs,)): the pairs with a multiplier for the open prefix, and the
    # multipliers
    own: np.ndarray
    own_multiplier: np.ndarray
    # error_left, rule_left (int64): what errors on each pattern, and rules, can pay yet
    error_left: np.ndarray
    rule_left: np.ndarray
    numbers: np.ndarray
    """int64: whether there are multipliers, pairs of the open prefix and the sum of its multipliers, prefixes looked
    at, prefixes and rules cut, whether the bound is no longer used, pairs with a multiplier, how many prefixes are
    expanded before finding multipliers goes on, and in how many parts of a unit of cost they are counted."""


def no_separation() -> Separation:
    """Without pairs, before they are wanted."""
    return with_pairs(np.zeros((0, 2), dtype=np.int32), np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), 0, 0)


def given_up() -> Separation:
    """Without pairs, where they are of no use or take too much memory."""
    found = no_separation()
    found.numbers[[READY, GIVEN_UP]] = 1
    return found


def with_pairs(pairs: np.ndarray, start: np.ndarray, rule: np.ndarray, positions: int, m: int) -> Separation:
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
        numbers=np.array([0, 0, 0, 0, 0, 0, 0, 0, 1], dtype=np.int64),
    )


@inner
def pay(separation, i, most):
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


@apart
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
            multiplier[i] = pay(separation, i, separation.multiplier[i])
    n, total = 0, 0
    for i in range(multiplier.size):
        x = multiplier[i]
        if error_left[separation.first[i]] > 0 and error_left[separation.second[i]] > 0:
            x += pay(separation, i, np.int64(1) << 60)
        if x > 0:
            separation.own[n] = i
            multiplier[n] = x
            n += 1
            total += x
    separation.numbers[N_OWN] = n
    separation.numbers[TOTAL] = total
    return -(-total // scale)


class Separator(At):
    """Where `separation_of` is."""

    function = staticmethod(separation_of)


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


def is_ready(separation: Separation) -> bool:
    """Whether there are multipliers that are of use."""
    return bool(separation.numbers[READY]) and not separation.numbers[GIVEN_UP]


@inner
def wants_separation(rules, separation, separator, n_nodes, expanded):
    """Whether the search is so long that multipliers pay, and finding them, or what adapts them, is to go on."""
    numbers = separation.numbers
    if not rules.separation or n_nodes <= rules.separate_after or numbers[GIVEN_UP] != 0:
        return False
    return separator == 0 if numbers[READY] != 0 else expanded >= numbers[NEXT]


@inner
def tried(separation, cut):
    """Note whether a prefix was cut; a bound that cuts few is no longer used."""
    numbers = separation.numbers
    numbers[TRIES] += 1
    numbers[HITS] += cut
    if numbers[TRIES] >= _TRIES and numbers[HITS] < _CUTS_PER_TRY * numbers[TRIES]:
        numbers[GIVEN_UP] = 1
