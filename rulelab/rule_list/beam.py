"""Beam searches over sets of uncaptured patterns: good incumbents before the proof begins. They move no bound."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import require
from ..data.problem import Problem
from ..kernels import bits, heap
from ..kernels.bit_words import mix
from ..kernels.by_reference import by_reference
from ..kernels.jit import inlined, inner, kernel
from ..parameters import BEAM_WIDTH
from . import bounds
from .counting import Layout, count, weigh


@kernel
def advance_beam(arrays, rules, beam, curve, max_work):
    """Expand at most ``max_work`` prefixes of the beam, which lowers the errors of the curve; whether it has ended."""
    numbers = beam.numbers
    for _ in range(max_work):
        if numbers[NEXT_PARENT] == numbers[N_PARENTS]:
            if numbers[LEVEL] + 2 >= curve.errors.size:
                return True
            _next_level(arrays, rules, beam)
            if numbers[N_PARENTS] == 0:
                return True
        _expand_beam(arrays, beam, curve, numbers[NEXT_PARENT])
        numbers[NEXT_PARENT] += 1
        numbers[WORK] += 1
    return False


@inner
def _expand_beam(arrays, beam, curve, parent):
    numbers = beam.numbers
    positive, negative = beam.counts[0], beam.counts[1]
    weight_positive, weight_negative = count(arrays, beam.sets[parent], positive, negative)
    largest_positive, largest_negative = np.int64(0), np.int64(0)
    for a in range(positive.size):
        largest_positive = max(largest_positive, positive[a])
        largest_negative = max(largest_negative, negative[a])
    length = numbers[LEVEL] + 1
    cost = beam.cost[parent]
    for a in range(positive.size):
        if positive[a] == 0 and negative[a] == 0:
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        child_cost = cost + min(positive[a], negative[a])
        stopped = child_cost + min(left_positive, left_negative)
        if stopped < curve.errors[length]:
            for i in range(length - 1):
                curve.paths[length, i] = beam.paths[parent, i]
            curve.paths[length, length - 1] = a
            curve.errors[length] = stopped
            curve.lengths[length] = length
            curve.found_at[length] = numbers[WORK]
        extended = child_cost + max(0, min(left_positive - largest_positive, left_negative - largest_negative))
        if child_cost < curve.errors[curve.errors.size - 1]:
            _offer(beam, extended + stopped, parent * positive.size + a)


# positions in Beam.numbers
LEVEL, N_PARENTS, NEXT_PARENT, N_CANDIDATES, PATH_LENGTH, WORK, FOUND_AT = range(7)

_CANDIDATES_PER_PLACE = 4
_MOST_BYTES = 1 << 32
_ALWAYS_ALLOWED = 1000


@by_reference
class Beam(
    namedtuple(
        "Beam",
        "sets cost paths next_sets next_cost next_paths candidate_key candidate table numbers best path counts sums",
    )
):
    """The present level (``sets``, ``cost``, ``paths``), the best extensions found so far, and the next level.

    ``candidate_key`` holds negated scores, so that the worst candidate is the first of the heap; a candidate is
    ``parent * m + antecedent``.
    """


def check_width(problem: Problem, beam_width: Any, longest: float) -> None:
    """Refuse a beam whose arrays for lists of so many rules take more than some gigabytes. Raises ParameterError."""
    replace(BEAM_WIDTH, most=math.inf).check(beam_width)
    rules = int(min(longest, problem.n_antecedents)) + 2
    place = 2 * 8 * bits.n_words(problem.n_patterns) + 2 * 4 * rules + 2 * 8 + 2 * 8 * _CANDIDATES_PER_PLACE + 4 * 8
    widest = max(_ALWAYS_ALLOWED, _MOST_BYTES // place)
    require(("beam_width", beam_width, beam_width <= widest, f"at most {widest} for this problem"))


def new_beam(arrays: Layout, width: int, longest: int, cost_of_default: int, constant_cost: int) -> Beam:
    """A beam that holds the empty prefix."""
    m, words = arrays.by_antecedent.shape
    n_candidates = _CANDIDATES_PER_PLACE * width
    table = 64
    while table < 2 * width:
        table *= 2
    beam = Beam(
        sets=np.zeros((width, words), dtype=np.uint64),
        cost=np.zeros(width, dtype=np.int64),
        paths=np.zeros((width, longest + 2), dtype=np.int32),
        next_sets=np.zeros((width + 1, words), dtype=np.uint64),
        next_cost=np.zeros(width, dtype=np.int64),
        next_paths=np.zeros((width, longest + 2), dtype=np.int32),
        candidate_key=np.zeros(n_candidates, dtype=np.int64),
        candidate=np.zeros(n_candidates, dtype=np.int64),
        table=np.zeros(table, dtype=np.int64),
        numbers=np.zeros(7, dtype=np.int64),
        best=np.array([cost_of_default], dtype=np.int64),
        path=np.zeros(longest + 2, dtype=np.int64),
        counts=np.zeros((2, m), dtype=np.int64),
        sums=np.zeros((2, bounds.LARGEST_TAIL + 1), dtype=np.int64),
    )
    beam.sets[0] = arrays.full
    beam.cost[0] = constant_cost
    beam.numbers[N_PARENTS] = 1
    return beam


@kernel
def advance(arrays, rules, beam, max_work):
    """Expand at most ``max_work`` prefixes of the beam; returns whether the beam has ended."""
    numbers = beam.numbers
    for _ in range(max_work):
        if numbers[NEXT_PARENT] == numbers[N_PARENTS]:
            _next_level(arrays, rules, beam)
            if numbers[N_PARENTS] == 0:
                return True
        if numbers[LEVEL] >= rules.max_length or numbers[LEVEL] + 2 > beam.path.size:
            return True
        _expand(arrays, rules, beam, numbers[NEXT_PARENT])
        numbers[NEXT_PARENT] += 1
        numbers[WORK] += 1
    return False


@inlined
def _expand(arrays, rules, beam, parent):
    numbers = beam.numbers
    per_error, per_rule = rules.per_error, rules.per_rule
    positive, negative = beam.counts[0], beam.counts[1]
    weight_positive, weight_negative = count(arrays, beam.sets[parent], positive, negative)
    m = positive.size
    cost = beam.cost[parent]
    sums_positive, sums_negative = beam.sums[0], beam.sums[1]
    bounds.largest_sums(positive, sums_positive)
    bounds.largest_sums(negative, sums_negative)
    for a in range(m):
        right = max(positive[a], negative[a])
        if not bounds.pays_for_a_rule(right, per_error, per_rule):
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        child_cost = cost + per_error * (positive[a] + negative[a] - right) + per_rule
        stopped = child_cost + per_error * min(left_positive, left_negative)
        if stopped < beam.best[0]:
            beam.best[0] = stopped
            length = numbers[LEVEL]
            for i in range(length):
                beam.path[i] = beam.paths[parent, i]
            beam.path[length] = a
            numbers[PATH_LENGTH] = length + 1
            numbers[FOUND_AT] = numbers[WORK]
        score = child_cost + bounds.one_more_rule(
            left_positive, left_negative, sums_positive, sums_negative, 1, per_error, per_rule
        )
        if score < beam.best[0]:
            _offer(beam, score + stopped, parent * m + a)


@inlined
def _offer(beam, score, candidate):
    """Keep the candidate if it is among the best of this level so far."""
    numbers = beam.numbers
    n = numbers[N_CANDIDATES]
    if n < beam.candidate.size:
        numbers[N_CANDIDATES] = heap.push(beam.candidate_key, beam.candidate, n, -score, candidate)
    elif heap.before(beam.candidate_key[0], beam.candidate[0], -score, candidate):
        beam.candidate_key[0] = -score
        beam.candidate[0] = candidate
        heap.sift_down(beam.candidate_key, beam.candidate, n, 0)


@inlined
def _next_level(arrays, rules, beam):
    """The best candidates with distinct sets become the parents."""
    numbers = beam.numbers
    n = numbers[N_CANDIDATES]
    for last in range(n - 1, 0, -1):  # heapsort: worst candidate to the end, so the best come first
        key, candidate = beam.candidate_key[0], beam.candidate[0]
        beam.candidate_key[0], beam.candidate[0] = beam.candidate_key[last], beam.candidate[last]
        heap.sift_down(beam.candidate_key, beam.candidate, last, 0)
        beam.candidate_key[last], beam.candidate[last] = key, candidate
    for i in range(beam.table.size):
        beam.table[i] = -1
    m = arrays.by_antecedent.shape[0]
    mask = np.uint64(beam.table.size - 1)
    taken = 0
    for c in range(n):
        if taken == beam.sets.shape[0]:
            break
        parent, a = beam.candidate[c] // m, beam.candidate[c] % m
        h = np.uint64(0)
        for w in range(beam.sets.shape[1]):
            beam.next_sets[taken, w] = beam.sets[parent, w] & ~arrays.by_antecedent[a, w]
            h = mix(h, beam.next_sets[taken, w])
        slot = np.int64(h & mask)
        known = False
        while beam.table[slot] >= 0 and not known:
            known = True
            for w in range(beam.sets.shape[1]):
                if beam.next_sets[beam.table[slot], w] != beam.next_sets[taken, w]:
                    known = False
                    break
            if not known:
                slot = (slot + 1) & np.int64(mask)
        if known:
            continue
        beam.table[slot] = taken
        beam.next_cost[taken] = beam.cost[parent] + rules.per_error * _wrong(arrays, beam, parent, a) + rules.per_rule
        for i in range(numbers[LEVEL]):
            beam.next_paths[taken, i] = beam.paths[parent, i]
        beam.next_paths[taken, numbers[LEVEL]] = a
        taken += 1
    for i in range(taken):
        for w in range(beam.sets.shape[1]):
            beam.sets[i, w] = beam.next_sets[i, w]
        beam.cost[i] = beam.next_cost[i]
        for j in range(numbers[LEVEL] + 1):
            beam.paths[i, j] = beam.next_paths[i, j]
    numbers[LEVEL] += 1
    numbers[N_PARENTS] = taken
    numbers[NEXT_PARENT] = 0
    numbers[N_CANDIDATES] = 0


@inlined
def _wrong(arrays, beam, parent, a):
    """Net weight that the rule ``a`` gets wrong when it extends a parent."""
    captured = beam.next_sets[beam.next_sets.shape[0] - 1]
    for w in range(captured.size):
        captured[w] = beam.sets[parent, w] & arrays.by_antecedent[a, w]
    positive, negative = weigh(arrays, captured)
    return min(positive, negative)
