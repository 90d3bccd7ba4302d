"""All states that lists near the optimum can pass through, each expanded once.

A state is the set of patterns that a prefix leaves uncaptured. What a completion costs depends on nothing else, so all
prefixes that leave the same set are one state. A rule makes the set smaller: when states are expanded by the size of
their sets, the largest first, the cheapest prefix of each is known by then, and with it what a completion may cost.
A state is left out, or not gone on with, only when a bound of all its completions says that they cost more.

Then come tables of lists, for one state after another from those of its neighbours. The same step serves both ways: the
completions of a state come from those of the states that its rules lead to, the beginnings from those of the states
that lead to it. An entry of a neighbour, with the rule between, is an entry of the state; equal ones are one, with the
sum of their counts and the largest of their values.
"""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import mix, slot_of
from ...kernels.by_reference import call
from ...kernels.jit import inner, kernel, popcount
from .. import bounds
from ..core_pool import HITS, N_CORES, cut_by_core
from ..cores import cut, effort_of
from ..counting import count, effort_of_a_count, weigh
from ..near_optimal.kernels import tail, union
from ..pair_bound import HITS as CUT_BY_PAIRS
from ..pair_bound import is_used, separation_after, tried, wants_separation
from .state import (
    BUCKET,
    EXPANDED,
    LIMB,
    MADE,
    N_EDGES,
    N_ENDS,
    N_ENTRIES,
    N_STATES,
    NEEDED,
    OPEN_CHILD,
    OPEN_SEPARATED,
    OPEN_STATE,
    WORK,
)

DONE, PAUSED, GROW, SEPARATE = 0, 1, 2, 3

MOST_CORES = 256
"""Learning more takes longer than they save."""


@kernel
def start(arrays, sets, limits, store, constant):
    """Enter the state of the empty prefix; ``constant`` is the weight that every list gets wrong."""
    for w in range(sets.full.size):
        store.scratch_state[w] = sets.full[w]
    positive, negative = weigh(arrays, sets.full[: sets.weighted])
    _enter(limits, store, 0, limits.per_error * constant, min(positive, negative))


@kernel
def advance(arrays, sets, limits, rules, store, cores, learner, separation, separator, max_work, max_children):
    """Expand at most ``max_work`` states and look at about ``max_children`` children of theirs.

    ``learner`` is the address of what learns cores. Returns DONE, PAUSED, GROW when an array has no room, or SEPARATE
    where it wants multipliers and ``separator``, the address of what adapts them (0 before).
    """
    numbers = store.numbers
    m = sets.captures.shape[0]
    work = numbers[WORK] + max_work
    while True:
        if numbers[OPEN_STATE] >= 0:
            if max_children <= 0 and numbers[OPEN_CHILD] < m:
                return PAUSED
            max_children -= 1 + _expand(arrays, sets, limits, rules, store, cores, separation, max_children)
            if numbers[OPEN_CHILD] < m:
                return PAUSED
            store.last_edge[numbers[OPEN_STATE]] = numbers[N_EDGES]
            numbers[OPEN_STATE] = -1
            numbers[WORK] += 1
            continue
        while numbers[BUCKET] >= 0 and store.heads[numbers[BUCKET]] < 0:
            numbers[BUCKET] -= 1
        if numbers[BUCKET] < 0:
            return DONE
        if numbers[WORK] >= work or max_children <= 0:
            return PAUSED
        if wants_separation(limits, separation, separator, numbers[N_STATES], numbers[WORK]):
            return SEPARATE
        if numbers[N_STATES] + m > store.least.size or numbers[N_EDGES] + m > store.edge_to.size:
            return GROW
        state = np.int64(store.heads[numbers[BUCKET]])
        store.heads[numbers[BUCKET]] = store.following[state]
        store.order[numbers[EXPANDED]] = state
        numbers[EXPANDED] += 1
        store.first_edge[state] = numbers[N_EDGES]
        numbers[OPEN_STATE] = state
        numbers[OPEN_CHILD] = 0
        weighted = store.sets[state, : sets.weighted]
        needed = limits.threshold + 1 - store.least[state]
        spent = effort_of(arrays, cores)
        stopping = limits.per_error * store.stop[state] < needed
        learning = cores.numbers[N_CORES] < MOST_CORES
        is_cut = not stopping and cut(
            arrays, rules, cores, learner, weighted, needed, numbers[EXPANDED] if learning else np.int64(0)
        )
        max_children -= (effort_of(arrays, cores) - spent) // effort_of_a_count(arrays)
        if is_cut:
            numbers[OPEN_CHILD] = m
        else:
            positive, negative = store.scratch_counts[0], store.scratch_counts[1]
            count(arrays, weighted, positive, negative)
            bounds.largest_sums(positive, store.scratch_sums[0])
            bounds.largest_sums(negative, store.scratch_sums[1])
            numbers[OPEN_SEPARATED] = is_used(limits, separation)
            if numbers[OPEN_SEPARATED]:
                least = call(separator, (arrays, limits, separation, weighted, positive, negative))
                tried(separation, least >= needed)
                max_children -= separation.rule.size // effort_of_a_count(arrays)
                if least >= needed:
                    numbers[OPEN_CHILD] = m


@kernel
def rebuild_table(store):
    """Enter all states into an emptied table."""
    for slot in range(store.state_table.size):
        store.state_table[slot] = -1
    for i in range(store.numbers[N_STATES]):
        store.state_table[slot_of(store.state_table, store.sets, store.sets[i])] = i


@inner
def _expand(arrays, sets, limits, rules, store, cores, separation, most):
    """Go on with the open state, for at most ``most`` antecedents; returns how many."""
    numbers = store.numbers
    state = numbers[OPEN_STATE]
    words = sets.full.size
    positive, negative = store.scratch_counts[0], store.scratch_counts[1]
    uncaptured, child = store.sets[state], store.scratch_state
    weight_positive, weight_negative = weigh(arrays, uncaptured[: sets.weighted])
    cost, length = store.least[state], np.int64(store.shortest[state]) + 1
    first = numbers[OPEN_CHILD]
    if length > limits.max_length:
        numbers[OPEN_CHILD] = positive.size
    for a in range(numbers[OPEN_CHILD], min(first + most, positive.size)):
        numbers[OPEN_CHILD] = a + 1
        wrong = min(positive[a], negative[a])
        child_cost = cost + limits.per_error * wrong + limits.per_rule
        if child_cost > limits.threshold:
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        default = min(left_positive, left_negative)
        ends = child_cost + limits.per_error * default <= limits.threshold
        budget = limits.threshold + 1 - child_cost
        further = union(
            limits, left_positive, left_negative, store.scratch_sums[0], store.scratch_sums[1], length, budget
        )
        if further < budget and numbers[OPEN_SEPARATED]:
            further = max(further, separation_after(arrays, separation, a, budget))
            separation.numbers[CUT_BY_PAIRS] += further >= budget
        if not ends and further >= budget:
            continue
        captured = np.uint64(0)
        for w in range(words):
            captured |= uncaptured[w] & sets.captures[a, w]
            child[w] = uncaptured[w] & ~sets.captures[a, w]
        if captured == 0:
            continue
        known = np.int64(-1)
        if further < budget:
            known = np.int64(store.state_table[slot_of(store.state_table, store.sets, child)])
            if known >= 0:
                store.least[known] = min(store.least[known], child_cost)
                store.shortest[known] = min(store.shortest[known], length)
            elif not ends and cut_by_core(arrays, rules, cores, child[: sets.weighted], budget):
                cores.numbers[HITS] += 1
            else:
                further = tail(arrays, sets, limits, store, left_positive, left_negative, length, budget)
                if further < budget:
                    known = _enter(limits, store, length, child_cost, default)
        if known < 0 and not ends:
            continue
        edge = numbers[N_EDGES]
        store.edge_from[edge] = state
        store.edge_to[edge] = known
        store.edge_rule[edge] = a
        store.edge_errors[edge] = wrong if known >= 0 else wrong + default
        numbers[N_EDGES] += 1
        if known < 0:
            numbers[N_ENDS] += 1
    return numbers[OPEN_CHILD] - first


@inner
def _enter(limits, store, length, cost, stop):
    """Store the state in ``store.scratch_state``, and let it wait."""
    numbers = store.numbers
    state = numbers[N_STATES]
    store.state_table[slot_of(store.state_table, store.sets, store.scratch_state)] = state
    numbers[N_STATES] += 1
    size = 0
    for w in range(store.scratch_state.size):
        store.sets[state, w] = store.scratch_state[w]
        size += popcount(store.scratch_state[w])
    store.least[state] = cost
    store.shortest[state] = length
    store.stop[state] = stop
    if cost + limits.per_error * stop <= limits.threshold:
        numbers[N_ENDS] += 1
    store.following[state] = store.heads[size]
    store.heads[size] = state
    return state


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
