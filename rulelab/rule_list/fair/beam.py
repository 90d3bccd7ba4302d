"""A beam search over prefixes by their relaxed cost: fair lists before the proof begins, and lists for the dual."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...kernels import heap
from ...kernels.bit_words import mix
from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined, kernel
from .label_setting import UNFAIR, accept, allowed, fairness_of, is_full, limit, stopped
from .state import COUNTED, CREATED, UNKNOWN, Data, count, count_amounts

# positions in Beam.numbers
LEVEL, N_PARENTS, NEXT_PARENT, N_CANDIDATES = range(4)

_CANDIDATES_PER_PLACE = 2


@by_reference
class Beam(
    namedtuple(
        "Beam",
        "sets cost relaxed sums rules next_sets next_cost next_relaxed next_sums next_rules key candidate table "
        "numbers met_value met_cost met_sums",
    )
):
    """The present level, the best extensions so far (parent, antecedent and label in one number), the next level.

    ``met_value``, ``met_cost`` and ``met_sums`` are of the list of least relaxed cost of each length.
    """


def new_beam(data: Data, width: int, longest: int, base: int) -> Beam:
    """A beam that holds the empty prefix, of relaxed cost ``base``."""
    words, n = data.by_antecedent.shape[1], data.amounts.shape[0] - 2

    def whole(*shape: int, fill: int = 0) -> np.ndarray:
        return np.full(shape, fill, dtype=np.int64)

    def sets() -> np.ndarray:
        return np.zeros((width, words), dtype=np.uint64)

    table = 64
    while table < 2 * width:
        table *= 2
    candidates = _CANDIDATES_PER_PLACE * width
    beam = Beam(
        sets(), whole(width), whole(width), whole(width, n), whole(width, longest + 2),
        sets(), whole(width), whole(width), whole(width, n), whole(width, longest + 2),
        whole(candidates), whole(candidates), np.zeros(table, dtype=np.uint64), whole(4),
        whole(longest + 2, fill=UNKNOWN), whole(longest + 2), whole(longest + 2, n),
    )  # fmt: skip
    beam.sets[0] = data.full
    beam.relaxed[0] = base
    beam.numbers[N_PARENTS] = 1
    return beam


@kernel
def advance(data, rules, store, beam, most):
    """Look at about ``most`` weights, or until there are lists to check; returns whether the beam has ended."""
    numbers, spent = beam.numbers, 0
    while spent < most and not is_full(store):
        if numbers[NEXT_PARENT] == numbers[N_PARENTS]:
            _next_level(data, rules, store, beam)
            if numbers[N_PARENTS] == 0 or numbers[LEVEL] + 2 > beam.rules.shape[1]:
                return True
        _expand(data, rules, store, beam, numbers[NEXT_PARENT])
        numbers[NEXT_PARENT] += 1
        spent += (2 + data.amounts.shape[0]) * data.effort + 40 * data.by_antecedent.shape[0]
    return False


@inlined
def _expand(data, rules, store, beam, parent):
    numbers, counts = beam.numbers, store.node_counts
    minus, plus = count(data, beam.sets[parent], counts)
    store.numbers[COUNTED] += 1
    count_amounts(data, beam.sets[parent], store.node_amounts, store.node_totals)
    m, level = counts.shape[1], numbers[LEVEL]
    for a in range(m):
        if not _divides(data, beam.sets[parent], a):
            continue
        negative, positive = store.node_amounts[0, a], store.node_amounts[1, a]
        for b in range(2):
            cost = beam.cost[parent] + rules.per_rule + (positive if b else negative)
            relaxed = beam.relaxed[parent] + rules.relaxed_rule + counts[1 - b, a]
            left_minus, left_plus = minus - counts[0, a], plus - counts[1, a]
            value = relaxed + min(left_minus, left_plus)
            if value < beam.met_value[level]:
                label = np.int64(left_plus > left_minus)
                beam.met_value[level] = value
                rest = store.node_totals[1] - positive if label else store.node_totals[0] - negative
                beam.met_cost[level] = cost + rest
                for k in range(beam.sums.shape[1]):
                    captured = store.node_amounts[2 + k, a]
                    total = beam.sums[parent, k] + (captured if b else 0)
                    beam.met_sums[level, k] = total + (store.node_totals[2 + k] - captured if label else 0)
            if not allowed(rules, negative, positive, b):
                continue
            store.numbers[CREATED] += 1
            total = stopped(rules, store, a, b, cost)
            if total >= 0:
                verdict = fairness_of(data, rules, store, beam.sums[parent], a, b)
                if verdict != UNFAIR and not is_full(store):
                    out = accept(store, verdict, total, level + 1)
                    for i in range(level):
                        out[i] = beam.rules[parent, i]
                    out[level], out[level + 1] = 2 * a + b, 1 - b
            if relaxed + rules.relaxed_rule <= limit(rules, store):
                _offer(beam, value, 2 * (parent * m + a) + b)


@inlined
def _divides(data, chosen, a):
    """Whether an antecedent holds for a part of a set, and not for all of it."""
    inside, outside = np.uint64(0), np.uint64(0)
    for w in range(chosen.size):
        inside |= chosen[w] & data.by_antecedent[a, w]
        outside |= chosen[w] & ~data.by_antecedent[a, w]
    return inside != 0 and outside != 0


@inlined
def _offer(beam, value, candidate):
    """Keep the candidate if it is among the best of this level so far."""
    numbers = beam.numbers
    n = numbers[N_CANDIDATES]
    if n < beam.candidate.size:
        numbers[N_CANDIDATES] = heap.push(beam.key, beam.candidate, n, -value, candidate)
    elif heap.before(beam.key[0], beam.candidate[0], -value, candidate):
        beam.key[0] = -value
        beam.candidate[0] = candidate
        heap.sift_down(beam.key, beam.candidate, n, 0)


@inlined
def _next_level(data, rules, store, beam):
    """The best candidates become the parents, one of those that leave the same set with the same sums."""
    numbers = beam.numbers
    m, level, n = data.by_antecedent.shape[0], numbers[LEVEL], numbers[N_CANDIDATES]
    for last in range(n - 1, 0, -1):  # heapsort: worst candidate to the end, so the best come first
        key, candidate = beam.key[0], beam.candidate[0]
        beam.key[0], beam.candidate[0] = beam.key[last], beam.candidate[last]
        heap.sift_down(beam.key, beam.candidate, last, 0)
        beam.key[last], beam.candidate[last] = key, candidate
    for i in range(beam.table.size):
        beam.table[i] = 0
    mask = np.uint64(beam.table.size - 1)
    taken = 0
    for c in range(n):
        if taken == beam.sets.shape[0]:
            break
        b = beam.candidate[c] % 2
        parent, a = beam.candidate[c] // 2 // m, beam.candidate[c] // 2 % m
        captured = store.scratch_set[1]
        h = np.uint64(1)
        for w in range(captured.size):
            captured[w] = beam.sets[parent, w] & data.by_antecedent[a, w]
            beam.next_sets[taken, w] = beam.sets[parent, w] & ~data.by_antecedent[a, w]
            h = mix(h, beam.next_sets[taken, w])
        cost, relaxed = beam.cost[parent] + rules.per_rule, beam.relaxed[parent] + rules.relaxed_rule
        for k in range(beam.sums.shape[1]):
            beam.next_sums[taken, k] = beam.sums[parent, k]
        for w in range(captured.size):
            for i in range(64):
                if captured[w] >> np.uint64(i) & np.uint64(1):
                    u = 64 * w + i
                    cost += data.amounts[b, u]
                    if data.side[u] != b:
                        relaxed += data.weight[u]
                    if b:
                        for k in range(beam.sums.shape[1]):
                            beam.next_sums[taken, k] += data.amounts[2 + k, u]
        for k in range(beam.sums.shape[1]):
            h = mix(h, np.uint64(beam.next_sums[taken, k]))
        h |= np.uint64(1)
        slot = np.int64((h >> np.uint64(1)) & mask)
        while beam.table[slot] != 0 and beam.table[slot] != h:
            slot = (slot + 1) & np.int64(mask)
        if beam.table[slot] == h:
            continue
        beam.table[slot] = h
        beam.next_cost[taken], beam.next_relaxed[taken] = cost, relaxed
        for i in range(level):
            beam.next_rules[taken, i] = beam.rules[parent, i]
        beam.next_rules[taken, level] = 2 * a + b
        taken += 1
    for i in range(taken):
        for w in range(beam.sets.shape[1]):
            beam.sets[i, w] = beam.next_sets[i, w]
        beam.cost[i], beam.relaxed[i] = beam.next_cost[i], beam.next_relaxed[i]
        for k in range(beam.sums.shape[1]):
            beam.sums[i, k] = beam.next_sums[i, k]
        for j in range(level + 1):
            beam.rules[i, j] = beam.next_rules[i, j]
    numbers[LEVEL] += 1
    numbers[N_PARENTS], numbers[NEXT_PARENT], numbers[N_CANDIDATES] = taken, 0, 0
