"""Branch and bound over conjunctions: depth-first over sets of conditions, one node per conjunction.

Of a rule's covered patterns, those of positive weight *help* and those of negative weight *hurt*; P and N are their
total weights. A rule of s conditions is wanted when its sum P - N exceeds ``target[s]``, which never falls in s: when
pricing, a rule of fewer conditions and the same sum is at least as good.

What its extensions can reach is bounded in `rulelab.rule_set.pricing.bounds`.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inlined, inner, kernel
from .bounds import bound, move
from .tree import (
    DEPTH,
    ENUMERATES,
    MOST_BOUNDED,
    MOST_CONDITIONS,
    N_EMITTED,
    N_SECTIONS,
    N_WORDS,
    NODES,
    TO_LAY_OUT,
    TO_OPEN,
    WORK,
    build,
    count,
    fill_slots,
    keep_covered,
)

DONE, PAUSED, FULL = 0, 1, 2

NO_LIMIT = 2**62
_COUNTING = 30  # words of slots that take about the time of what else there is to do for a condition

WORTH_A_LEVEL = 8  # conditions to extend a node by, that make up for laying out its patterns anew


@kernel
def advance(words, weight, levels, tree, relations, max_nodes, max_work):
    """Open at most ``max_nodes`` conjunctions, none when the work since the start has reached ``max_work``.

    Returns DONE, PAUSED, or FULL when emitted rules must be taken out.
    """
    numbers, target = tree.numbers, tree.target
    opened = 0
    while numbers[DEPTH] >= 0:
        d = numbers[DEPTH]
        if numbers[TO_LAY_OUT] >= 0:
            build(levels, tree.level[d], words, weight, numbers[TO_LAY_OUT])
            fill_slots(levels, tree.level[d], tree.slots[d])
            numbers[TO_LAY_OUT] = -1
        if numbers[TO_OPEN]:
            numbers[TO_OPEN] = 0
            numbers[TO_LAY_OUT] = _open(levels, tree, relations, d)
            continue
        i = tree.position[d]
        if i >= tree.n_candidates[d]:
            numbers[DEPTH] -= 1
            continue
        if not _wanted(tree, d, i):
            tree.position[d] += 1
            continue
        if opened >= max_nodes or numbers[WORK] >= max_work:
            return PAUSED
        if numbers[N_EMITTED] + levels.columns.shape[1] > tree.emitted_sum.size and numbers[ENUMERATES]:
            return FULL
        tree.position[d] += 1
        opened += 1
        t = tree.candidate[d, i]
        p, hurt = tree.counted[d, i, 0], tree.total[d, 1] - tree.counted[d, i, 1]
        help_ = tree.total[d, 0] - p
        slack = tree.total[d, 0] - tree.total[d, 1] + hurt - target[d + 2]
        last = d + 2 == numbers[MOST_CONDITIONS]
        n = 0
        for k in range(i + 1, tree.n_candidates[d]):
            c = tree.candidate[d, k]
            if relations.related[t, c >> 6] >> np.uint64(c & 63) & np.uint64(1):
                continue
            pc = tree.counted[d, k, 0]
            if pc <= target[d + 2]:
                continue
            if last and slack + tree.total[d, 1] - tree.counted[d, k, 1] <= max(help_, tree.total[d, 0] - pc):
                continue
            tree.candidate[d + 1, n] = c
            n += 1
        tree.n_candidates[d + 1] = n
        level = tree.level[d]
        tree.level[d + 1] = level
        tree.chosen[d] = t
        for w in range(levels.numbers[level, N_WORDS]):
            tree.slots[d + 1, w] = tree.slots[d, w] & levels.columns[level, t, w]
        for k in range(3):
            tree.total[d + 1, k] = tree.counted[d, i, k]
        numbers[DEPTH] = d + 1
        numbers[TO_OPEN] = 1
    return DONE


@kernel
def open_bounds(tree, out):
    """Raise ``out[s]`` to what rules of s conditions that are not searched yet may still reach."""
    most = tree.numbers[MOST_CONDITIONS]
    for d in range(tree.numbers[DEPTH] + 1):
        for i in range(tree.position[d], tree.n_candidates[d]):
            for s in range(d + 2, most + 1):
                e = s - d - 2
                bound = tree.bound[d, i, e] if e < tree.bound.shape[2] else tree.counted[d, i, 0]
                out[s] = max(out[s], bound)


@inlined
def _wanted(tree, d, i):
    """Whether a rule that extends the node by its i-th candidate and others can still be wanted."""
    most = min(tree.numbers[MOST_CONDITIONS] - d, MOST_BOUNDED)
    wanted = False
    for e in range(2, most + 1):
        wanted |= tree.bound[d, i, e - 2] > tree.target[d + e]
    if tree.numbers[MOST_CONDITIONS] - d > most and tree.n_candidates[d] - i > most:
        wanted |= tree.counted[d, i, 0] > tree.target[d + most + 1]
    return wanted


@inner
def _open(levels, tree, relations, d):
    """Count the extensions of a node by one condition, and keep the conditions that may be part of longer ones.

    Returns how many patterns, noted in ``levels.order``, should get a level of their own; -1 for none.
    """
    numbers, target = tree.numbers, tree.target
    numbers[NODES] += 1
    tree.position[d] = 0
    candidate, counted = tree.candidate[d], tree.counted[d]
    positive, negative, zero = tree.total[d, 0], tree.total[d, 1], tree.total[d, 2]
    more = numbers[MOST_CONDITIONS] - d
    level, slots, found = tree.level[d], tree.slots[d], tree.scratch
    numbers[WORK] += (tree.n_candidates[d] + 1) * (levels.numbers[level, N_WORDS] + _COUNTING)
    kept = 0
    for i in range(tree.n_candidates[d]):
        c = candidate[i]
        count(levels, level, slots, c, found)
        p, n, z = found[0], found[1], found[2]
        if d > 0 and p == positive and n == negative and z == zero:
            continue
        if p - n > target[d + 1] and (not numbers[ENUMERATES] or p + n + z > 0):
            _found(tree, d, c, p - n)
        elif p - n > tree.charge[d + 1] and not numbers[ENUMERATES]:
            _pool(tree, d, c, p - n)
        if more > 1 and p > target[d + 2]:
            candidate[kept] = c
            counted[kept, 0] = p
            counted[kept, 1] = n
            counted[kept, 2] = z
            kept += 1
    if kept and not numbers[ENUMERATES]:
        kept = _without_dominated(tree, relations, d, kept)
    if kept > 1:
        kept = bound(levels, tree, relations.chain_of, d, kept)
    if kept < 2:
        kept = 0
    tree.n_candidates[d] = kept
    if kept >= WORTH_A_LEVEL and d > 0 and level + 1 < levels.columns.shape[0]:
        n = keep_covered(levels, level, slots)
        if 2 * ((n >> 6) + levels.numbers[level, N_SECTIONS]) <= levels.numbers[level, N_WORDS]:
            tree.level[d] = level + 1
            return n
    return -1


@inner
def _found(tree, d, condition, total):
    """A wanted rule: raise the targets, or emit it."""
    if tree.numbers[ENUMERATES]:
        n = tree.numbers[N_EMITTED]
        for k in range(d):
            tree.emitted_rule[n, k] = tree.chosen[k]
        tree.emitted_rule[n, d] = condition
        for k in range(d + 1, tree.emitted_rule.shape[1]):
            tree.emitted_rule[n, k] = -1
        tree.emitted_sum[n] = total
        tree.numbers[N_EMITTED] += 1
        return
    for s in range(d + 1, tree.numbers[MOST_CONDITIONS] + 1):
        tree.target[s] = max(tree.target[s], total)
    _pool(tree, d, condition, total)


@inner
def _pool(tree, d, condition, total):
    """Remember a rule for each of its conditions of which it is the best."""
    value = total - tree.charge[d + 1]
    tree.chosen[d] = condition
    for k in range(d + 1):
        c = tree.chosen[k]
        if value > tree.pool_value[c]:
            tree.pool_value[c] = value
            tree.pool_sum[c] = total
            for j in range(tree.pool_rule.shape[1]):
                tree.pool_rule[c, j] = tree.chosen[j] if j <= d else -1


@inner
def _without_dominated(tree, relations, d, kept):
    """Of two conditions of which one implies the other, drop the looser when both keep the same helping weight, the
    tighter when both keep the same hurting weight: the other one is as good in every extension."""
    candidate, counted, place = tree.candidate[d], tree.counted[d], tree.order
    for c in range(place.size):
        place[c] = -1
    for i in range(kept):
        place[candidate[i]] = i
    for chain in range(relations.chain_start.size - 1):
        looser = -1
        for k in range(relations.chain_start[chain], relations.chain_start[chain + 1]):
            i = place[relations.chain_member[k]]
            if i < 0:
                continue
            if looser >= 0 and counted[i, 0] == counted[looser, 0]:
                candidate[looser] = -1
                looser = i
            elif looser >= 0 and counted[i, 1] == counted[looser, 1]:
                candidate[i] = -1
            else:
                looser = i
    left = 0
    for i in range(kept):
        if candidate[i] >= 0:
            move(candidate, counted, i, left)
            left += 1
    return left
