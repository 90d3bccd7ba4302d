"""Algorithms FRL and softFRL: random falling rule lists, cut by the prefix bounds; one iteration makes one list.

Chen and Rudin, "An optimization approach to learning falling rule lists", AISTATS 2018, appendices A and B.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernels.bit_words import at_most, bit_planes, count, entries, turned
from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined, inner, kernel
from ..costs import Data

# positions in State.numbers
ITERATION, LENGTH, COST, CONSIDERED, CHOSEN, SAMPLED, STRIDE = range(7)
N_NUMBERS = 7

# positions in State.pruned, with the names that snapshots show
BY_NOTHING, BY_THRESHOLD, BY_MONOTONICITY, BY_FEASIBILITY, BY_BOUND = range(5)
PRUNED_NAMES = ("captures nothing", "below threshold", "monotonicity", "infeasible prefix", "prefix bound")

SAMPLES, SAMPLE_LENGTH = 64, 24


@by_reference
class Rules(NamedTuple):
    """What stays constant: whether the list may rise, costs in units of the objective, and how lists are drawn.

    ``per_positive`` is w / n and ``per_negative`` is 1 / n, n the total weight.
    """

    total_positive: int
    total_negative: int
    soft: bool
    unit: float
    per_positive: float
    per_negative: float
    per_rule: float
    penalty: float
    curiosity: float
    termination: float


@by_reference
class Planes(NamedTuple):
    """What counting reads: ``by_word``, shape (n_words, m), and the bit planes of positives and of negatives."""

    by_word: np.ndarray
    positive_word: np.ndarray
    positive_digit: np.ndarray
    positive_mask: np.ndarray
    negative_word: np.ndarray
    negative_digit: np.ndarray
    negative_mask: np.ndarray


@by_reference
class State(NamedTuple):
    """The state of the search."""

    random: np.ndarray  # uint64, shape (1,): state of the generator (splitmix64)
    # numbers, pruned (int64): counters, see above
    numbers: np.ndarray
    pruned: np.ndarray
    best: np.ndarray  # float64, shape (1,): the least objective so far
    # best_path, path (int32, shape (m,)): the best list, of ``numbers[LENGTH]`` rules, and that under construction
    best_path: np.ndarray
    path: np.ndarray
    # root_positive, root_negative, positive, negative (int64, shape (m,)): what each antecedent captures of all
    # patterns (from the first iteration on), and of what the prefix leaves
    root_positive: np.ndarray
    root_negative: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    weight: np.ndarray  # float64, shape (m,): curiosity of each candidate
    left: np.ndarray  # uint64, shape (n_words,): the patterns that the prefix leaves
    # considered, lists (int64, shape (m + 1,)): candidates in all at each position, and how many lists got there
    considered: np.ndarray
    lists: np.ndarray
    sample: np.ndarray
    """int32, shape (SAMPLES, SAMPLE_LENGTH): candidates at each position of some lists, -1 beyond the end."""
    sample_iteration: np.ndarray  # int64, shape (SAMPLES,)


def new_planes(data: Data) -> Planes:
    """The same data as bit planes."""
    positive, negative = (entries(bit_planes(weights)) for weights in (data.positives, data.negatives))
    return Planes(turned(data.columns), *positive, *negative)


def new_state(data: Data, seed: int, best: float) -> State:
    """A search that has not begun; ``best`` is the objective of the else alone."""
    m, words = data.columns.shape
    numbers = np.zeros(N_NUMBERS, dtype=np.int64)
    numbers[STRIDE] = 1
    return State(
        **{name: np.zeros(m, dtype=np.int64) for name in ("root_positive", "root_negative", "positive", "negative")},
        random=np.array([seed], dtype=np.uint64),
        numbers=numbers,
        pruned=np.zeros(len(PRUNED_NAMES), dtype=np.int64),
        best=np.array([best]),
        best_path=np.zeros(m, dtype=np.int32),
        path=np.zeros(m, dtype=np.int32),
        weight=np.zeros(m),
        left=np.zeros(words, dtype=np.uint64),
        considered=np.zeros(m + 1, dtype=np.int64),
        lists=np.zeros(m + 1, dtype=np.int64),
        sample=np.full((SAMPLES, SAMPLE_LENGTH), -1, dtype=np.int32),
        sample_iteration=np.zeros(SAMPLES, dtype=np.int64),
    )


@kernel
def advance(data, planes, rules, state, iterations):
    """Make at most so many lists, ending with one that improves on the best; returns whether there is one."""
    for _ in range(iterations):
        state.numbers[ITERATION] += 1
        if _make_list(data, planes, rules, state):
            return True
    return False


@inner
def _make_list(data, planes, rules, state):
    """One list, rule by rule; each of its prefixes, closed by the else, is a list too. True when one is the best."""
    for w in range(state.left.size):
        state.left[w] = data.full[w]
    if state.numbers[ITERATION] == 1:
        _count(planes, state, state.root_positive, state.root_negative)
    for a in range(state.positive.size):
        state.positive[a] = state.root_positive[a]
        state.negative[a] = state.root_negative[a]
    sample = _sample_place(state)
    p, q = rules.total_positive, rules.total_negative  # what the prefix leaves
    last_p, last_n = 1, 1  # the least proportion so far: for lists that fall, that of the last rule
    paid, penalty = 0, 0.0
    length = 0
    improved = False
    while True:
        closed, extended = completions(rules, last_p / last_n, p, q)
        cost = paid * rules.unit + penalty
        if cost + closed < state.best[0]:
            state.best[0] = cost + closed
            state.numbers[LENGTH] = length
            state.numbers[COST] = paid + min(data.per_positive * p, data.per_negative * q)
            for i in range(length):
                state.best_path[i] = state.path[i]
            improved = True
        if closed <= extended or _uniform(state.random) < rules.termination:
            break
        n_candidates, total = _weigh_candidates(data, rules, state, p, q, last_p, last_n, paid, penalty)
        state.numbers[CONSIDERED] += n_candidates
        state.considered[length] += n_candidates
        state.lists[length] += 1
        if sample >= 0 and length < SAMPLE_LENGTH:
            state.sample[sample, length] = n_candidates
        if total <= 0.0:
            break
        a = _draw(state, total)
        rule_p, rule_q = state.positive[a], state.negative[a]
        paid += min(data.per_positive * rule_p, data.per_negative * rule_q) + data.per_rule
        if at_most(rule_p, rule_p + rule_q, last_p, last_n):
            last_p, last_n = rule_p, rule_p + rule_q
        else:
            penalty += rules.penalty * (rule_p / (rule_p + rule_q) - last_p / last_n)
        p -= rule_p
        q -= rule_q
        state.path[length] = a
        length += 1
        state.numbers[CHOSEN] += 1
        for w in range(state.left.size):
            state.left[w] &= ~data.columns[a, w]
        _count(planes, state, state.positive, state.negative)
    return improved


@inner
def completions(rules, lowest, p, q):
    """What must be added to a prefix's cost: by the else at once, and at least, by any list with more rules.

    ``lowest`` is the last (for soft lists the least) proportion of the prefix, 1 for the empty one; p positives and q
    negatives are left. The sum of both answers is not needed: the prefix bound is their minimum (Thms 4.6 and 5.2),
    and a prefix whose first is not above the second should end here (inequality (9)).
    """
    closed = min(rules.per_positive * p, rules.per_negative * q)
    extended = rules.per_rule + (rules.per_negative * (1 / lowest - 1) * p if p > 0 and lowest > 0 else 0.0)
    if p > 0 and lowest == 0:
        extended = math.inf
    if not rules.soft or p + q == 0:
        return closed, extended
    proportion = p / (p + q)
    rise = rules.penalty * max(0.0, proportion - lowest)
    extended += rise
    if proportion >= lowest:
        extended += rules.per_positive * p
    threshold = rules.per_negative / (rules.per_positive + rules.per_negative)
    least = max(lowest, proportion, threshold)
    beta = math.sqrt(rules.per_negative * p / rules.penalty) if rules.penalty > 0 else 1.0
    if beta <= least or beta > 1:
        rising = min(_rising(rules, lowest, p, least), _rising(rules, lowest, p, 1.0))
    else:
        rising = _rising(rules, lowest, p, beta)
    return closed + rise, min(extended, rising)


@inner
def _rising(rules, lowest, p, beta):
    """g(beta) of Thm 5.2: one more rule captures all that is positive, with the proportion beta."""
    return rules.per_negative * (1 / beta - 1) * p + rules.per_rule + rules.penalty * (beta - lowest)


@inlined
def _weigh_candidates(data, rules, state, p, q, last_p, last_n, paid, penalty):
    """The curiosity of each antecedent that may come next, 0 for the others; returns their number and the sum."""
    n_candidates, total = 0, 0.0
    for a in range(state.weight.size):
        state.weight[a] = 0.0
        rule_p, rule_q = state.positive[a], state.negative[a]
        rule_n = rule_p + rule_q
        if rule_n == 0:
            state.pruned[BY_NOTHING] += 1
            continue
        falls = at_most(rule_p, rule_n, last_p, last_n)
        if not rules.soft:
            if data.per_positive * rule_p <= data.per_negative * rule_q:
                state.pruned[BY_THRESHOLD] += 1
                continue
            if not falls:
                state.pruned[BY_MONOTONICITY] += 1
                continue
            if not at_most(p - rule_p, p + q - rule_n, rule_p, rule_n):
                state.pruned[BY_FEASIBILITY] += 1
                continue
        proportion = rule_p / rule_n
        cost = paid + min(data.per_positive * rule_p, data.per_negative * rule_q) + data.per_rule
        rise, lowest = 0.0, proportion
        if not falls:
            lowest = last_p / last_n
            rise = rules.penalty * (proportion - lowest)
        closed, extended = completions(rules, lowest, p - rule_p, q - rule_q)
        if cost * rules.unit + penalty + rise + min(closed, extended) >= state.best[0]:
            state.pruned[BY_BOUND] += 1
            continue
        share = rule_p / p if p > 0 else 0.0
        state.weight[a] = rules.curiosity * proportion + (1 - rules.curiosity) * share
        total += state.weight[a]
        n_candidates += 1
    return n_candidates, total


@inlined
def _draw(state, total):
    """An antecedent, with probability proportional to its curiosity."""
    rest = _uniform(state.random) * total
    chosen = -1
    for a in range(state.weight.size):
        if state.weight[a] > 0:
            chosen = a
            rest -= state.weight[a]
            if rest < 0:
                break
    return chosen


@inner
def _count(planes, state, positive, negative):
    """What every antecedent captures of ``left``."""
    count(planes.positive_word, planes.positive_digit, planes.positive_mask, planes.by_word, state.left, positive)
    count(planes.negative_word, planes.negative_digit, planes.negative_mask, planes.by_word, state.left, negative)


@inlined
def _sample_place(state):
    """Where to note this list's candidates, or -1: every STRIDE-th list is kept; when full, every other one goes."""
    numbers = state.numbers
    if (numbers[ITERATION] - 1) % numbers[STRIDE] != 0:
        return -1
    if numbers[SAMPLED] == SAMPLES:
        for i in range(SAMPLES // 2):
            state.sample_iteration[i] = state.sample_iteration[2 * i]
            for j in range(SAMPLE_LENGTH):
                state.sample[i, j] = state.sample[2 * i, j]
        for i in range(SAMPLES // 2, SAMPLES):
            for j in range(SAMPLE_LENGTH):
                state.sample[i, j] = -1
        numbers[SAMPLED] = SAMPLES // 2
        numbers[STRIDE] *= 2
        if (numbers[ITERATION] - 1) % numbers[STRIDE] != 0:
            return -1
    place = numbers[SAMPLED]
    state.sample_iteration[place] = numbers[ITERATION]
    numbers[SAMPLED] += 1
    return place


@inner
def _uniform(random):
    """The next number of the generator in [0, 1) (splitmix64: Steele, Lea and Flood, OOPSLA 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)) * (1.0 / (1 << 53))
