"""The least relaxed cost of completing a prefix by one rule or more, by depth-first branch and bound with a memo.

The relaxed problem has no constraints, so that in it a rule has the label that costs less, and needs to get right more
than a rule costs (accurate support). What is proven holds for completions without such rules, and for all when the list
may also stop: ``min(stopping, completing)`` is the least of all completions.
"""

from __future__ import annotations

from ...kernels.bit_words import slot_of
from ...kernels.jit import inlined, inner
from .. import bounds
from . import state as at
from .state import count, new_entry


@inner
def begin(data, rules, store, entry, budget):
    """Start to prove the least completion of an entry, as far as it is within the budget."""
    store.numbers[at.DEPTH] = 0
    for w in range(store.frame_sets.shape[1]):
        store.frame_sets[0, w] = store.sets[entry, w]
    store.frames[0, at.ENTRY], store.frames[0, at.BUDGET], store.frames[0, at.EDGE] = entry, budget, 0
    _enter(data, rules, store, 0)


@inlined
def effort_of_a_count(data):
    """Weights looked at when a set is counted and its bounds are taken."""
    return data.effort + 20 * data.by_antecedent.shape[0]


@inner
def prove(data, rules, store, most):
    """Go on for about ``most`` weights; returns how many it looked at, negated when an entry needs room."""
    numbers, m, L = store.numbers, data.supported, rules.relaxed_rule
    spent = 0
    while numbers[at.DEPTH] >= 0 and spent < most:
        depth = numbers[at.DEPTH]
        frame, counts = store.frames[depth], store.frame_counts[depth]
        minus, plus, tail = frame[at.FRAME_MINUS], frame[at.FRAME_PLUS], frame[at.FRAME_TAIL]
        sums_minus, sums_plus = store.frame_sums[depth, 0, : tail + 1], store.frame_sums[depth, 1, : tail + 1]
        child, pushed = store.frame_sets[depth + 1], False
        a = frame[at.NEXT]
        while a < m:
            right, wrong = max(counts[0, a], counts[1, a]), min(counts[0, a], counts[1, a])
            edge = L + wrong
            room = min(frame[at.BUDGET], frame[at.VALUE] - 1) - edge
            if right <= L or frame[at.VALUE] <= edge + L:
                a += 1
                continue
            least = L
            if room >= least:
                left_minus, left_plus = minus - counts[0, a], plus - counts[1, a]
                least = bounds.one_more_rule(left_plus, left_minus, sums_plus, sums_minus, 1, 1, L)
                if room >= least and room < 2 * L:
                    spent += 2 * m
                    likely = min(
                        bounds.single_rule(counts[1], counts[0], counts[0, a], left_plus),
                        bounds.single_rule(counts[0], counts[1], counts[1, a], left_minus),
                    )
                    least = max(least, min(L + likely, 2 * L))
            if room >= least:
                for w in range(child.size):
                    child[w] = store.frame_sets[depth, w] & ~data.by_antecedent[a, w]
                slot = slot_of(store.table, store.sets, child)
                entry = store.table[slot]
                if entry >= 0:
                    least = max(least, store.bound[entry])
                if room >= least and (entry < 0 or not store.final[entry]):
                    if entry < 0:
                        if numbers[at.N_ENTRIES] == store.bound.size:
                            frame[at.NEXT] = a
                            return -1 - spent
                        entry = new_entry(store, child, slot, least)
                    below = store.frames[depth + 1]
                    below[at.ENTRY], below[at.BUDGET], below[at.EDGE] = entry, room, edge
                    a += 1
                    pushed = True
                    break
            frame[at.VALUE] = min(frame[at.VALUE], edge + least)
            a += 1
        frame[at.NEXT] = a
        spent += m
        if pushed:
            numbers[at.DEPTH] = depth + 1
            _enter(data, rules, store, depth + 1)
            spent += effort_of_a_count(data)
        else:
            _leave(store, depth)
    return spent


@inlined
def _leave(store, depth):
    """Keep what is proven of the set on top of the stack, and tell the set below it."""
    frame = store.frames[depth]
    entry, value = frame[at.ENTRY], frame[at.VALUE]
    store.bound[entry] = max(store.bound[entry], value)
    if value <= frame[at.BUDGET]:
        store.final[entry] = 1
    if depth > 0:
        below = store.frames[depth - 1]
        below[at.VALUE] = min(below[at.VALUE], frame[at.EDGE] + store.bound[entry])
    store.numbers[at.DEPTH] = depth - 1


@inner
def _enter(data, rules, store, depth):
    """Count the set on top of the stack and finish it with one rule; ``NEXT`` is past the end when that is all."""
    m, L = data.supported, rules.relaxed_rule
    frame, counts = store.frames[depth], store.frame_counts[depth]
    minus, plus = count(data, store.frame_sets[depth], counts)
    store.numbers[at.COUNTED] += 1
    frame[at.FRAME_MINUS], frame[at.FRAME_PLUS], frame[at.NEXT], frame[at.FRAME_TAIL] = minus, plus, m, 0
    single = minus + plus
    for a in range(m):
        both = min(counts[0, a], counts[1, a]) + min(minus - counts[0, a], plus - counts[1, a])
        single = min(single, both)
    frame[at.VALUE] = L + single
    limit = min(frame[at.BUDGET], frame[at.VALUE] - 1)
    if limit < 2 * L:
        frame[at.VALUE] = min(frame[at.VALUE], 2 * L)
        return
    tail = min(bounds.LARGEST_TAIL, limit // L)
    sums_minus, sums_plus = store.frame_sums[depth, 0, : tail + 1], store.frame_sums[depth, 1, : tail + 1]
    bounds.largest_sums(counts[0], sums_minus)
    bounds.largest_sums(counts[1], sums_plus)
    further = bounds.one_more_rule(plus, minus, sums_plus, sums_minus, 2, 1, L)
    if further <= limit:
        one = bounds.grid(plus, minus, counts[1], counts[0], sums_plus, sums_minus, 2, 1, L, limit + 1)
        other = bounds.grid(minus, plus, counts[0], counts[1], sums_minus, sums_plus, 2, 1, L, limit + 1)
        further = max(further, min(one, other))
    if further > limit:
        frame[at.VALUE] = min(frame[at.VALUE], further)
        return
    frame[at.FRAME_TAIL], frame[at.NEXT] = tail, 0
