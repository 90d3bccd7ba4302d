"""Tables of lists, made for one state after another from those of its neighbours.

The same step serves both ways: the completions of a state come from those of the states that its rules lead to, the
beginnings from those of the states that lead to it. An entry of a neighbour, with the rule between, is an entry of the
state; equal ones are one, with the sum of their counts and the largest of their values.
"""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import mix
from ...kernels.jit import inner, kernel
from .state import LIMB, MADE, N_ENTRIES, NEEDED

DONE, PAUSED, GROW = 0, 1, 2
_ALONE = -1
_LOW = np.uint64(0xFFFFFFFF)


@kernel
def merge(limits, sequence, links, tables, max_states, max_entries):
    """Make the tables of at most ``max_states`` states, from about ``max_entries`` entries of their neighbours.

    ``sequence`` (int32 array): the states, every one after its neighbours. ``links`` (Links).
    """
    numbers = tables.numbers
    while numbers[MADE] < sequence.size:
        if max_states <= 0 or max_entries <= 0:
            return PAUSED
        state = sequence[numbers[MADE]]
        needed = np.int64(1)
        for i in range(links.first[state], links.last[state]):
            other = links.other[links.edge[i]]
            needed += tables.last[other] - tables.first[other] if other >= 0 else 1
        start = numbers[N_ENTRIES]
        if start + needed > tables.rules.size or 2 * needed > tables.slots.size:
            numbers[NEEDED] = needed
            return GROW
        budget, most = links.budget[state], links.rules_left[state]
        tables.first[state] = start
        if links.own_errors[state] >= 0:
            own = links.own_value[state] if tables.values.size else np.int64(0)
            _add(limits, links, tables, start, budget, most, 0, links.own_errors[state], _ALONE, own)
        for i in range(links.first[state], links.last[state]):
            edge = np.int64(links.edge[i])
            other, errors = links.other[edge], links.errors[edge]
            value = links.value[edge] if tables.values.size else np.int64(0)
            if other < 0:
                _add(limits, links, tables, start, budget, most, 1, errors, _ALONE, value)
                continue
            for j in range(tables.first[other], tables.last[other]):
                more = value + tables.values[j] if tables.values.size else np.int64(0)
                rules = np.int64(tables.rules[j]) + 1
                _add(limits, links, tables, start, budget, most, rules, tables.errors[j] + errors, j, more)
        tables.last[state] = numbers[N_ENTRIES]
        numbers[MADE] += 1
        max_states -= 1
        max_entries -= needed
    return DONE


@inner
def _add(limits, links, tables, start, budget, most, rules, errors, of, value):
    """Add lists of so many rules and errors to the state that is being made: as many as entry ``of`` has, or one."""
    if rules > most or limits.per_rule * rules + limits.per_error * errors > budget:
        return
    mask = np.uint64(tables.slots.size - 1)
    slot = np.int64(mix(mix(np.uint64(0), np.uint64(errors)), np.uint64(rules)) & mask)
    limbs = tables.counts.shape[1]
    while True:
        j = tables.slots[slot]
        if j < start:  # free, or of a state that was made before
            j = tables.numbers[N_ENTRIES]
            tables.numbers[N_ENTRIES] += 1
            tables.slots[slot] = j
            tables.rules[j] = rules
            tables.errors[j] = errors
            for k in range(limbs):
                tables.counts[j, k] = 0
            if tables.values.size:
                tables.values[j] = value
            break
        if tables.rules[j] == rules and tables.errors[j] == errors:
            if tables.values.size:
                tables.values[j] = max(tables.values[j], value)
            break
        slot = (slot + 1) & np.int64(mask)
    if limbs and of < 0:
        add_to(tables.counts[j], links.one)
    elif limbs:
        add_to(tables.counts[j], tables.counts[of])


@kernel
def pass_through(limits, budget, store, begun, ended, passing, first, last):
    """Count the lists through each rule of the states from ``first`` to before ``last``, and those that end there.

    ``budget`` (int): what a whole list may cost, without the weight that every list gets wrong. ``begun``, ``ended``
    (Tables): beginnings and completions of the states. ``passing`` (Passing).
    """
    for state in range(first, last):
        if begun.last[state] == begun.first[state] or ended.last[state] == ended.first[state]:
            continue
        stop = np.int64(store.stop[state])
        for i in range(begun.first[state], begun.last[state]):
            cost, rules = _cost_of(limits, begun, i)
            if cost + limits.per_error * stop <= budget and rules <= limits.max_length:
                _set_one(passing.sum)
                add_product(begun.counts[i], passing.sum, passing.ending[state])
        for edge in range(store.first_edge[state], store.last_edge[state]):
            other, errors = np.int64(store.edge_to[edge]), store.edge_errors[edge]
            for i in range(begun.first[state], begun.last[state]):
                cost, rules = _cost_of(limits, begun, i)
                cost += limits.per_rule + limits.per_error * errors
                if cost > budget or rules >= limits.max_length:
                    continue
                if other < 0:
                    _set_one(passing.sum)
                    passing.cheapest[edge] = min(passing.cheapest[edge], cost)
                else:
                    for k in range(passing.sum.size):
                        passing.sum[k] = 0
                    for j in range(ended.first[other], ended.last[other]):
                        further, more = _cost_of(limits, ended, j)
                        if cost + further <= budget and rules + 1 + more <= limits.max_length:
                            add_to(passing.sum, ended.counts[j])
                            passing.cheapest[edge] = min(passing.cheapest[edge], cost + further)
                add_product(begun.counts[i], passing.sum, passing.through[edge])


@inner
def _cost_of(limits, tables, i):
    rules = np.int64(tables.rules[i])
    return limits.per_rule * rules + limits.per_error * tables.errors[i], rules


@inner
def _set_one(number):
    for k in range(number.size):
        number[k] = 0
    number[0] = 1


@inner
def add_to(total, number):
    carry = np.uint64(0)
    for k in range(total.size):
        carry += np.uint64(total[k]) + np.uint64(number[k])
        total[k] = np.uint32(carry & _LOW)
        carry >>= np.uint64(LIMB)


@inner
def add_product(one, other, total):
    """``total += one * other``; the words beyond those of ``total`` are 0, see `limbs_for`."""
    for i in range(one.size):
        if one[i] == 0:
            continue
        carry = np.uint64(0)
        for k in range(i, total.size):
            carry += np.uint64(one[i]) * np.uint64(other[k - i]) + np.uint64(total[k])
            total[k] = np.uint32(carry & _LOW)
            carry >>= np.uint64(LIMB)
