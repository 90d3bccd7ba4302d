"""Bounds on the sum of a conjunction that is extended, for the branch and bound of `conjunctions`.

A node has sums (P, N); ``help`` and ``hurt`` are what a condition removes from them. Extended by a set O of e
conditions, the first of them t, it has the sum P - help(O) - N + hurt(O), where a condition adds the less to hurt(O),
what O removes together, the more others there are. Hence bounds (Lawless et al., JMLR 24(242), 2023, give the first
one in section 4.2):
  P_t;  P_t - N_t + the e - 1 largest hurt;  P - N + hurt_t - help_t / e + the e - 1 largest (hurt - help / e),
the last because e conditions together remove at least the mean of what helps in each. Of conditions that imply one
another a rule has one, so that the largest are taken of different chains.

Where conditions remove much the same, such sums count it again and again. For any set A of conditions

    hurt(O)  <=  hurt(O and A)  <=  hurt(A) + sum over O of (hurt(l and A) - hurt(A)),

so that the last two bounds also hold with what is left of N, and of each hurt, when A has been taken away for nothing
(Nemhauser, Wolsey and Fisher, Math. Programming 14, 1978, on submodular functions). A is made of one condition after
another, each the one that removes most of what is left.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inlined, inner
from .tree import MOST_BOUNDED, MOST_CONDITIONS, N_PASSES, N_WORDS, WORK, count_hurting

NEVER = -(2**62)
WORTH_A_PASS = 4  # conditions to extend a node by, that make up for taking one away for nothing


@inlined
def move(candidate, counted, i, to):
    candidate[to] = candidate[i]
    for k in range(counted.shape[1]):
        counted[to, k] = counted[i, k]


@inner
def bound(levels, tree, chain_of, d, kept):
    """Drop the candidates of which no longer rule is wanted, order the others by what helps, and bound each with those
    after it. Returns how many are left."""
    left = _drop(tree, chain_of, d, kept, 1, tree.total[d, 1])
    passes = 0
    while tree.numbers[MOST_CONDITIONS] - d > 2 and passes < N_PASSES and left >= WORTH_A_PASS:
        tree.beyond[passes] = _take_away(levels, tree, d, left, passes)
        left = _drop(tree, chain_of, d, left, 3 + passes, tree.beyond[passes])
        passes += 1
    _sort(tree.candidate[d], tree.counted[d], left)
    most = min(tree.numbers[MOST_CONDITIONS] - d, MOST_BOUNDED)
    for i in range(left):
        for e in range(2, most + 1):
            tree.bound[d, i, e - 2] = tree.counted[d, i, 0] if e <= left - i else np.int64(NEVER)
    _bound_rest(tree, chain_of, d, left, 1, tree.total[d, 1])
    for k in range(passes):
        _bound_rest(tree, chain_of, d, left, 3 + k, tree.beyond[k])
    return left


@inner
def _drop(tree, chain_of, d, kept, at, negative):
    """Drop the candidates of which no longer rule is wanted; ``counted[:, at]`` is what they leave of ``negative``."""
    candidate, counted, target = tree.candidate[d], tree.counted[d], tree.target
    positive = tree.total[d, 0]
    more = tree.numbers[MOST_CONDITIONS] - d
    most = min(more, MOST_BOUNDED)
    _clear(tree, most)
    for i in range(kept):
        _enter(tree, most, positive - counted[i, 0], negative - counted[i, at], chain_of[candidate[i]])
    left = 0
    for i in range(kept):
        p, n, chain = counted[i, 0], counted[i, at], chain_of[candidate[i]]
        wanted = more > most and kept > most and p > target[d + most + 1]
        for e in range(2, min(most, kept) + 1):
            if wanted:
                break
            wanted = _limit(tree, e, positive, negative, p, n, chain) > target[d + e]
        if wanted:
            move(candidate, counted, i, left)
            left += 1
    return left


@inner
def _bound_rest(tree, chain_of, d, left, at, negative):
    """Bound each candidate with those after it."""
    candidate, counted = tree.candidate[d], tree.counted[d]
    positive = tree.total[d, 0]
    most = min(tree.numbers[MOST_CONDITIONS] - d, MOST_BOUNDED)
    _clear(tree, most)
    for i in range(left - 1, -1, -1):
        p, n, chain = counted[i, 0], counted[i, at], chain_of[candidate[i]]
        for e in range(2, min(most, left - i) + 1):
            bound = _limit(tree, e, positive, negative, p, n, chain)
            tree.bound[d, i, e - 2] = min(tree.bound[d, i, e - 2], bound)
        _enter(tree, most, positive - p, negative - n, chain)


@inner
def _take_away(levels, tree, d, left, number):
    """Take one condition more away for nothing, the one that removes most of what hurts; returns what is left of that,
    and counts what each candidate leaves of it."""
    candidate, counted, level = tree.candidate[d], tree.counted[d], tree.level[d]
    at = 1 if number == 0 else 2 + number
    best = 0
    for i in range(1, left):
        if counted[i, at] < counted[best, at]:
            best = i
    before = tree.slots[d] if number == 0 else tree.taken
    column, n_words = levels.columns[level, candidate[best]], levels.numbers[level, N_WORDS]
    for w in range(n_words):
        tree.taken[w] = before[w] & column[w]
    tree.numbers[WORK] += left * n_words
    remaining = counted[best, at]
    for i in range(left):
        counted[i, 3 + number] = count_hurting(levels, level, tree.taken, candidate[i])
    return remaining


@inner
def _limit(tree, e, positive, negative, p, n, chain):
    """Bound on the sum with e more conditions, the first of which leaves p and n."""
    loosest = p - n + _top(tree, 0, e - 1, chain)
    spread = e * (positive - n) - (positive - p) + _top(tree, e - 1, e - 1, chain)
    return min(p, min(loosest, spread // e))


@inlined
def _top(tree, row, most, chain):
    """The sum of the largest of a row of ``tops``, but for those of a chain."""
    tops, chains = tree.tops[row], tree.top_chain[row]
    total, n, k = np.int64(0), 0, 0
    while n < most:
        if chains[k] != chain:
            total += tops[k]
            n += 1
        k += 1
    return total


@inlined
def _clear(tree, most):
    """Forget the largest removed weights: row 0 of ``tops`` is what hurts, row e - 1 is e * hurting - helping."""
    for e in range(1, most + 1):
        for k in range(most):
            tree.tops[e - 1, k] = NEVER >> 4
            tree.top_chain[e - 1, k] = -1


@inner
def _enter(tree, most, helping, hurting, chain):
    """Note what a condition removes; of those of a chain the largest."""
    for e in range(1, most + 1):
        value = hurting if e == 1 else e * hurting - helping
        size = most if e == 1 else e
        tops, chains = tree.tops[e - 1], tree.top_chain[e - 1]
        k = 0
        while k < size and chains[k] != chain:
            k += 1
        if k < size and tops[k] >= value:
            continue
        while k > 0 and tops[k - 1] < value:
            if k < size:
                tops[k] = tops[k - 1]
                chains[k] = chains[k - 1]
            k -= 1
        if k < size:
            tops[k] = value
            chains[k] = chain


@inner
def _sort(candidate, counted, n):
    """Shell sort by helping weight, then by condition."""
    spare = n
    gap = 1
    while 3 * gap + 1 < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            move(candidate, counted, i, spare)
            c, p = candidate[i], counted[i, 0]
            j = i
            while j >= gap and (counted[j - gap, 0] > p or (counted[j - gap, 0] == p and candidate[j - gap] > c)):
                move(candidate, counted, j - gap, j)
                j -= gap
            move(candidate, counted, spare, j)
        gap //= 3
