"""Cores: small sets of patterns with a proven least cost, learnt during the search and used to cut other sets.

Let f(T) be the least further cost of any completion on the set T. A labelled list makes at most as many errors on a
subset, so f(B) <= f(T) for B within T, and patterns of B outside T add at most their weight: f(T) >= f(B) - W(B - T).
A set B with a proven f(B) >= v therefore cuts every T for which v - W(B - T) reaches what is left to the incumbent,
whatever the prefix. Uncaptured sets are large and much alike, so a few hundred cores of some twenty patterns cut most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..certificate import KnownSets
from ..kernels import bits
from ..kernels.jit import inlined, inner, popcount
from . import bounds
from .costs import Costs
from .counting import Layout, count_here
from .reduction import Reduction

# positions in Cores.numbers
N_CORES, WORK, LEARNT, FAILED, SCANNED, HITS, TRUST, GIVEN_UP, PASSES = range(9)

# learning pays once a search is long; all in units that do not depend on the machine
_WITHIN_RULES = 4
_COUNTS_PER_EXPANSION = 60
_COUNTS_SAVED_PER_HIT = 20
_CORES_SCANNED_PER_COUNT = 50
_EFFORT_ON_TRUST = 500_000_000
_EFFORT_PER_PROOF = 8_000_000
_PROOFS_PER_CORE = 40
_WEIGHTS_PER_CORE = 400_000_000  # that its proofs pass over, beside their counts: where antecedents are very many
_DEEPEST = 6
_ROOM = 4096


class Cores(NamedTuple):
    """The pool of cores and scratch space for proofs.

    Attributes
    ----------
    masks : uint64 array, shape (room, n_words)
    value : int64 array, shape (room,)
        Proven least cost of each core.
    numbers : int64 array
        Cores held, counts made by proofs, cores learnt, proofs that failed, cores scanned, sets cut by a scan, counts
        that cores may cost before they have to pay, whether they cost more, passes over all antecedents in proofs.
    sets, counts, weights, budget, position : arrays
        The stack of a proof.
    trial : uint64 array, shape (2, n_words)
    """

    masks: np.ndarray
    value: np.ndarray
    numbers: np.ndarray
    sets: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    budget: np.ndarray
    position: np.ndarray
    trial: np.ndarray


def new_cores(arrays: Layout, must_pay: bool = True) -> Cores:
    """An empty pool, which is given up when it does not pay, unless it is wanted for itself."""
    m, words = arrays.by_antecedent.shape
    numbers = np.zeros(9, dtype=np.int64)
    numbers[TRUST] = _EFFORT_ON_TRUST // arrays.effort if must_pay else 1 << 60
    return Cores(
        masks=np.zeros((_ROOM, words), dtype=np.uint64),
        value=np.zeros(_ROOM, dtype=np.int64),
        numbers=numbers,
        sets=np.zeros((_DEEPEST + 1, words), dtype=np.uint64),
        counts=np.zeros((_DEEPEST + 1, 2, m), dtype=np.int64),
        weights=np.zeros((_DEEPEST + 1, 2), dtype=np.int64),
        budget=np.zeros(_DEEPEST + 1, dtype=np.int64),
        position=np.zeros(_DEEPEST + 1, dtype=np.int64),
        trial=np.zeros((2, words), dtype=np.uint64),
    )


def known_sets(cores: Cores, arrays: Layout, reduction: Reduction, costs: Costs) -> KnownSets:
    """The pool as hints for a proof, the cores that were used last first."""
    rows = bits.transpose(arrays.by_antecedent, len(arrays.weights))
    present = bits.unpack(arrays.full[None, :], len(arrays.weights))[0]
    sign = np.where(np.arange(len(arrays.weights)) < arrays.positive_words * bits.WORD, 1, -1)
    n = int(cores.numbers[N_CORES])
    return KnownSets(
        antecedents=reduction.antecedents,
        patterns=bits.unpack(rows, len(reduction.antecedents))[present],
        net=(sign * arrays.weights)[present],
        per_error=costs.per_error,
        per_rule=costs.per_rule,
        sets=bits.unpack(cores.masks[:n], len(arrays.weights))[:, present],
        values=cores.value[:n].copy(),
    )


@inner
def effort_of(arrays, cores):
    """Words and weights looked at so far, by scans and by proofs."""
    numbers, (m, words) = cores.numbers, arrays.by_antecedent.shape
    return numbers[WORK] * (arrays.effort + m) + numbers[SCANNED] * words + numbers[PASSES] * m


@inner
def cut(arrays, rules, cores, chosen, needed, expanded):
    """Whether a core, known or learnt now, proves that completing the set costs at least ``needed``.

    A core is learnt once ``expanded`` prefixes show that the search is long, where the proof is short (``needed`` is
    worth few rules) and as long as proofs take a bounded share of the time. Where what the cores cut does not make up
    for what they cost, they are no longer used: patterns of equal small weights, as in data with few repeated rows,
    have cores that fit no other set.
    """
    numbers = cores.numbers
    spent = numbers[WORK] + numbers[SCANNED] // _CORES_SCANNED_PER_COUNT
    if spent > numbers[TRUST] + _COUNTS_SAVED_PER_HIT * numbers[HITS]:
        numbers[GIVEN_UP] = 1
        return False
    if cut_by_core(arrays, rules, cores, chosen, needed):
        numbers[HITS] += 1
        return True
    if expanded < rules.learn_after or needed > _WITHIN_RULES * rules.per_rule:
        return False
    if numbers[WORK] > _COUNTS_PER_EXPANSION * expanded:
        return False
    return learn(arrays, rules, cores, chosen, needed)


@inner
def cut_by_core(arrays, rules, cores, chosen, needed):
    """Whether some core proves that completing the set costs at least ``needed``."""
    masks, value = cores.masks, cores.value
    for c in range(cores.numbers[N_CORES]):
        spare = value[c] - needed
        if spare < 0:
            continue
        cores.numbers[SCANNED] += 1
        for w in range(chosen.size):
            missing = masks[c, w] & ~chosen[w]
            while missing != 0:
                position = w * 64 + popcount((missing & (~missing + np.uint64(1))) - np.uint64(1))
                spare -= rules.per_error * arrays.weights[position]
                if spare < 0:
                    break
                missing &= missing - np.uint64(1)
            if spare < 0:
                break
        if spare >= 0:
            if c > 0:  # move towards the front
                _swap(cores, c, c // 2)
            return True
    return False


@inlined
def learn(arrays, rules, cores, chosen, needed):
    """Prove that completing the set costs at least ``needed``, and keep a core of it; False if the proof fails.

    The core is what is left of the set when patterns, light ones first, are taken away in chunks as long as the proof
    still goes through and the work is bounded.
    """
    numbers = cores.numbers
    last_pass = numbers[PASSES] + _WEIGHTS_PER_CORE // arrays.by_antecedent.shape[0]
    if not _costs_at_least(arrays, rules, cores, chosen, needed, last_pass):
        numbers[FAILED] += 1
        return False
    stop = numbers[WORK] + _PROOFS_PER_CORE * (1 + _EFFORT_PER_PROOF // arrays.effort)
    kept, trial = cores.trial[0], cores.trial[1]
    for w in range(chosen.size):
        kept[w] = chosen[w]
    size = 32
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
            if taken and _costs_at_least(arrays, rules, cores, trial, needed, last_pass):
                for w in range(chosen.size):
                    kept[w] = trial[w]
        size //= 4
    c = numbers[N_CORES]
    if c == cores.value.size:
        c -= 1
    else:
        numbers[N_CORES] += 1
    for w in range(chosen.size):
        cores.masks[c, w] = kept[w]
    cores.value[c] = needed
    numbers[LEARNT] += 1
    return True


@inlined
def _swap(cores, c, d):
    for w in range(cores.masks.shape[1]):
        mask = cores.masks[c, w]
        cores.masks[c, w] = cores.masks[d, w]
        cores.masks[d, w] = mask
    value = cores.value[c]
    cores.value[c] = cores.value[d]
    cores.value[d] = value


@inner
def _costs_at_least(arrays, rules, cores, chosen, needed, last_pass):
    """Prove f(chosen) >= needed by depth-first search over all completions; False also when it takes too long."""
    per_error, per_rule = rules.per_error, rules.per_rule
    for w in range(chosen.size):
        cores.sets[0, w] = chosen[w]
    cores.budget[0] = needed
    stop = cores.numbers[WORK] + _EFFORT_PER_PROOF // arrays.effort
    depth, outcome = 0, 1
    while True:
        if outcome == 1:
            outcome = _enter(arrays, rules, cores, depth)
        if outcome < 0 or cores.numbers[WORK] > stop:
            return False
        if outcome == 0:  # proven here: back to the parent's next child
            depth -= 1
            if depth < 0:
                return True
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
                    return False
                likely = min(
                    bounds.single_rule(positive, negative, negative[a - 1], left_positive),
                    bounds.single_rule(negative, positive, positive[a - 1], left_negative),
                )
                if per_rule + per_error * likely >= rest:
                    continue
            if depth == _DEEPEST:
                return False
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
        return -1
    if budget <= per_rule:
        return 0
    least = weight_positive + weight_negative
    for b in range(positive.size):
        least = min(
            least, min(positive[b], negative[b]) + min(weight_positive - positive[b], weight_negative - negative[b])
        )
    if per_rule + per_error * least < budget:
        return -1
    if budget <= 2 * per_rule:
        return 0
    return 1
