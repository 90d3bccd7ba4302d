"""Cores: small sets of patterns with a proven least cost, learnt during the search and used to cut other sets.

Let f(T) be the least further cost of any completion on the set T. A labelled list makes at most as many errors on a
subset, so f(B) <= f(T) for B within T, and patterns of B outside T add at most their weight: f(T) >= f(B) - W(B - T).
A set B with a proven f(B) >= v therefore cuts every T for which v - W(B - T) reaches what is left to the incumbent,
whatever the prefix. Uncaptured sets are large and much alike, so a few hundred cores of some twenty patterns cut most.

A proof of f(B) >= v fails at a labelled list of r rules with c_r + W(B and what it has wrong) < v. The same list costs
so much on every set: it says which patterns B needs, and refutes other sets without a search.
"""

from __future__ import annotations

import numpy as np

from ..data.problem import Problem
from ..kernels.by_reference import At, call
from ..kernels.jit import apart, ctz, inlined, inner
from . import bounds
from .core_pool import (
    DEEPEST,
    FAILED,
    GIVEN_UP,
    HITS,
    LEARNT,
    N_REFUTED,
    PASSES,
    SCANNED,
    TRUST,
    WITHIN_RULES,
    WORK,
    cut_by_core,
    keep,
)
from .counting import count_here

# learning pays once a search is long; all in units that do not depend on the machine
_COUNTS_PER_EXPANSION = 60
_COUNTS_SAVED_PER_HIT = 20
_CORES_SCANNED_PER_COUNT = 50
_EFFORT_PER_PROOF = 8_000_000
_PROOFS_PER_CORE = 40
_WEIGHTS_PER_CORE = 400_000_000  # that its proofs pass over, beside their counts: where antecedents are very many

PROVEN, REFUTED, GAVE_UP = range(3)


def inequality(problem: Problem) -> float:
    """Patterns per effective pattern (Kish): 1 where all weigh alike, and a core is as large as what it cuts."""
    weight = np.abs(problem.positives - problem.negatives).astype(float)
    squares = float(weight @ weight)
    return np.count_nonzero(weight) * squares / weight.sum() ** 2 if squares else 1.0


@inner
def effort_of(arrays, cores):
    """Words and weights looked at so far, by scans and by proofs."""
    numbers, (m, words) = cores.numbers, arrays.by_antecedent.shape
    return numbers[WORK] * (arrays.effort + m) + numbers[SCANNED] * words + numbers[PASSES] * m


@inlined
def cut(arrays, rules, cores, learner, chosen, needed, expanded):
    """Whether a core, known or learnt now, proves that completing the set costs at least ``needed``."""
    if cut_by_known(arrays, rules, cores, chosen, needed):
        return True
    return cut_by_new(arrays, rules, cores, learner, chosen, needed, expanded)


@inner
def cut_by_known(arrays, rules, cores, chosen, needed):
    """Whether a core of the pool proves that completing the set costs at least ``needed``.

    Where what the cores cut does not make up for what they cost, they are no longer used: patterns of equal small
    weights, as in data with few repeated rows, have cores that fit no other set.
    """
    numbers = cores.numbers
    spent = numbers[WORK] + numbers[SCANNED] // _CORES_SCANNED_PER_COUNT
    if spent > numbers[TRUST] + _COUNTS_SAVED_PER_HIT * numbers[HITS]:
        numbers[GIVEN_UP] = 1
        return False
    if cut_by_core(arrays, rules, cores, chosen, needed):
        numbers[HITS] += 1
        return True
    return False


@inner
def cut_by_new(arrays, rules, cores, learner, chosen, needed, expanded):
    """Whether a core can be learnt that proves that completing the set costs at least ``needed``.

    ``learner`` is the address of `learn`; 0: none is learnt. One is learnt once ``expanded`` prefixes show that the
    search is long, where the proof is short (``needed`` is worth few rules) and as long as proofs take a bounded share
    of the time.
    """
    numbers = cores.numbers
    if learner == 0 or numbers[GIVEN_UP] or expanded < rules.learn_after or needed > WITHIN_RULES * rules.per_rule:
        return False
    if numbers[WORK] > _COUNTS_PER_EXPANSION * expanded:
        return False
    return call(learner, (arrays, rules, cores, chosen, np.int64(needed))) != 0


@apart
def learn(arrays, rules, cores, chosen, needed):
    """Prove that completing the set costs at least ``needed``, and keep a core of it; 1, or 0 if the proof fails.

    A core is grown from nothing: a completion of what there is that costs less than ``needed`` says which patterns are
    missing, those that it has wrong. Where proofs take too long it is what is left of the whole set. Then patterns,
    light ones first, are taken away in chunks as long as the proof still goes through and the work is bounded.
    """
    numbers = cores.numbers
    last_pass = numbers[PASSES] + _WEIGHTS_PER_CORE // arrays.by_antecedent.shape[0]
    stop = numbers[WORK] + _PROOFS_PER_CORE * (1 + _EFFORT_PER_PROOF // arrays.effort)
    size = 8
    grown = _grow(arrays, rules, cores, chosen, needed, stop, last_pass)
    kept, trial = cores.trial[0], cores.trial[1]
    if grown == REFUTED:
        numbers[FAILED] += 1
        return 0
    if grown == GAVE_UP:
        size = 32
        for w in range(chosen.size):
            kept[w] = chosen[w]
        if _prove(arrays, rules, cores, kept, needed, last_pass) != PROVEN:
            numbers[FAILED] += 1
            return 0
    while size >= 2:
        position = chosen.size * 64
        while position > 0 and numbers[WORK] < stop and numbers[PASSES] < last_pass:
            for w in range(chosen.size):
                trial[w] = kept[w]
            taken = 0
            while position > 0 and taken < size:
                position -= 1
                bit = np.uint64(1) << np.uint64(position & 63)
                if trial[position >> 6] & bit:
                    trial[position >> 6] &= ~bit
                    taken += 1
            if taken == 0 or _refuted_by(arrays, rules, cores, trial, needed) >= 0:
                continue
            if _prove(arrays, rules, cores, trial, needed, last_pass) == PROVEN:
                for w in range(chosen.size):
                    kept[w] = trial[w]
        size //= 4
    cores.latest[numbers[LEARNT] % cores.latest.size] = keep(rules, cores, kept, needed)
    numbers[LEARNT] += 1
    return 1


class Learner(At):
    """Where `learn` is."""

    function = staticmethod(learn)


@inlined
def _grow(arrays, rules, cores, chosen, needed, stop, last_pass):
    """Grow a core of the set in ``cores.trial[0]``: PROVEN, REFUTED by a completion of the set itself, or GAVE_UP."""
    numbers, kept = cores.numbers, cores.trial[0]
    for w in range(chosen.size):
        kept[w] = 0
    while numbers[WORK] < stop:
        by = _refuted_by(arrays, rules, cores, kept, needed)
        if by < 0:
            outcome = _prove(arrays, rules, cores, kept, needed, last_pass)
            if outcome != REFUTED:
                return outcome
            by = (numbers[N_REFUTED] - 1) % cores.refuted_cost.size
        wrong = cores.refuted[by]
        spare = needed - cores.refuted_cost[by] - rules.per_error * _weight(arrays, kept, wrong)
        first, second = 0, arrays.positive_words * 64
        while spare > 0:  # the heaviest of what it has wrong
            first = _next(chosen, kept, wrong, first, arrays.positive_words * 64)
            second = _next(chosen, kept, wrong, second, chosen.size * 64)
            if first < 0 and second < 0:
                return REFUTED
            at = first
            if first < 0 or (second >= 0 and arrays.weights[second] > arrays.weights[first]):
                at = second
            kept[at >> 6] |= np.uint64(1) << np.uint64(at & 63)
            spare -= rules.per_error * arrays.weights[at]
            first = arrays.positive_words * 64 if first < 0 else first
            second = chosen.size * 64 if second < 0 else second
    return GAVE_UP


@inner
def _next(chosen, kept, wrong, first, end):
    """The first position from ``first`` on, before ``end``, that could be added; -1: none."""
    for position in range(first, end):
        w = position >> 6
        if chosen[w] & wrong[w] & ~kept[w] & (np.uint64(1) << np.uint64(position & 63)):
            return position
    return -1


@inner
def _weight(arrays, some, others):
    """Weight of what two sets share."""
    weight = 0
    for w in range(some.size):
        both = some[w] & others[w]
        while both != 0:
            weight += arrays.weights[w * 64 + ctz(both)]
            both &= both - np.uint64(1)
    return weight


@inner
def _refuted_by(arrays, rules, cores, chosen, needed):
    """A completion that ended another proof and costs less than ``needed`` on this set, too; -1: none is known."""
    for i in range(min(cores.numbers[N_REFUTED], cores.refuted_cost.size)):
        if cores.refuted_cost[i] + rules.per_error * _weight(arrays, chosen, cores.refuted[i]) < needed:
            return i
    return -1


@inner
def _prove(arrays, rules, cores, chosen, needed, last_pass):
    """Prove f(chosen) >= needed by depth-first search over all completions: PROVEN, REFUTED or GAVE_UP."""
    per_error, per_rule = rules.per_error, rules.per_rule
    for w in range(chosen.size):
        cores.sets[0, w] = chosen[w]
    cores.budget[0] = needed
    stop = cores.numbers[WORK] + _EFFORT_PER_PROOF // arrays.effort
    depth, outcome = 0, 1
    while True:
        if outcome == 1:
            outcome = _enter(arrays, rules, cores, depth)
        if outcome < 0:
            return REFUTED
        if cores.numbers[WORK] > stop:
            return GAVE_UP
        if outcome == 0:  # proven here: back to the parent's next child
            depth -= 1
            if depth < 0:
                return PROVEN
        positive, negative = cores.counts[depth, 0], cores.counts[depth, 1]
        weight_positive, weight_negative = cores.weights[depth, 0], cores.weights[depth, 1]
        budget = cores.budget[depth]
        a = cores.position[depth]
        outcome = 0
        while a < positive.size:
            right = max(positive[a], negative[a])
            wrong = min(positive[a], negative[a])
            rest = budget - per_error * wrong - per_rule
            a += 1
            if rest <= per_rule or not bounds.pays_for_a_rule(right, per_error, per_rule):
                continue
            left_positive, left_negative = weight_positive - positive[a - 1], weight_negative - negative[a - 1]
            if rest <= 2 * per_rule:
                cores.numbers[PASSES] += 2
                if cores.numbers[PASSES] > last_pass:
                    return GAVE_UP
                likely = min(
                    bounds.single_rule(positive, negative, negative[a - 1], left_positive),
                    bounds.single_rule(negative, positive, positive[a - 1], left_negative),
                )
                if per_rule + per_error * likely >= rest:
                    continue
            if depth == DEEPEST:
                return GAVE_UP
            for w in range(chosen.size):
                cores.sets[depth + 1, w] = cores.sets[depth, w] & ~arrays.by_antecedent[a - 1, w]
            if rest > 2 * per_rule and cut_by_core(arrays, rules, cores, cores.sets[depth + 1], rest):
                continue
            cores.budget[depth + 1] = rest
            outcome = 1
            break
        cores.position[depth] = a
        depth += outcome


@inlined
def _enter(arrays, rules, cores, depth):
    """Look at one set of a proof: -1 it costs less than its budget, 0 it costs at least that, 1 its children decide."""
    per_error, per_rule = rules.per_error, rules.per_rule
    positive, negative = cores.counts[depth, 0], cores.counts[depth, 1]
    budget = cores.budget[depth]
    weight_positive, weight_negative = count_here(arrays, cores.sets[depth], positive, negative)
    cores.numbers[WORK] += 1
    cores.weights[depth, 0], cores.weights[depth, 1] = weight_positive, weight_negative
    cores.position[depth] = 0
    if per_error * min(weight_positive, weight_negative) < budget:
        _refute(arrays, rules, cores, depth, -1)
        return -1
    if budget <= per_rule:
        return 0
    least, by = weight_positive + weight_negative, -1
    for b in range(positive.size):
        wrong = min(positive[b], negative[b]) + min(weight_positive - positive[b], weight_negative - negative[b])
        if wrong < least:
            least, by = wrong, b
    if per_rule + per_error * least < budget:
        _refute(arrays, rules, cores, depth, by)
        return -1
    if budget <= 2 * per_rule:
        return 0
    return 1


@inner
def _refute(arrays, rules, cores, depth, last):
    """Note which patterns the completion has wrong that the stack and one more rule, or none (-1), lead to."""
    i = cores.numbers[N_REFUTED] % cores.refuted_cost.size
    cores.numbers[N_REFUTED] += 1
    wrong, left = cores.refuted[i], cores.trial[2]
    for w in range(left.size):
        wrong[w] = 0
        left[w] = arrays.full[w]
    for d in range(depth + 1):
        a = cores.position[d] - 1 if d < depth else last
        if a >= 0:
            is_positive = cores.counts[d, 0, a] > cores.counts[d, 1, a]
            for w in range(left.size):
                if (w < arrays.positive_words) != is_positive:
                    wrong[w] |= left[w] & arrays.by_antecedent[a, w]
                left[w] &= ~arrays.by_antecedent[a, w]
    weight_positive, weight_negative = cores.weights[depth, 0], cores.weights[depth, 1]
    if last >= 0:
        weight_positive -= cores.counts[depth, 0, last]
        weight_negative -= cores.counts[depth, 1, last]
    for w in range(left.size):
        if (w < arrays.positive_words) != (weight_positive > weight_negative):
            wrong[w] |= left[w]
    cores.refuted_cost[i] = rules.per_rule * (depth + (1 if last >= 0 else 0))
