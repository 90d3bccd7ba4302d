"""The kernel that Python calls: it goes on with the search until its work is done or Python has to act."""

from __future__ import annotations

from ...kernels import heap
from ...kernels.bit_words import slot_of
from ...kernels.growing import EXPANDED, OPEN
from ...kernels.jit import inlined, inner, kernel
from ...kernels.queue import cut_off, leave
from . import state as at
from .expansion import (
    PER_CHILD,
    add_amounts,
    begin_children,
    cap_of,
    count_weights,
    extend,
    find_eligible,
    limit,
    narrow,
    open_set,
    refine,
)

PAUSED, DONE, LEVEL, CHECK, GROW_NODES, GROW_SETS = range(6)
"""Work is left; all is proven; the prefixes asked for are expanded; a list to check; no room."""
_SWEEPS = 2


@kernel
def advance(data, rules, store, max_work, max_effort, best_first):
    """Expand at most ``max_work`` prefixes, at about ``max_effort`` words and weights looked at.

    With ``best_first`` those of least bound, otherwise those in ``todo``. An expansion can be left half-way; a prefix
    counts as work when it is finished or cut.
    """
    numbers, m = store.numbers, data.columns.shape[0]
    work, spent = numbers[at.WORK] + max_work, 0
    while spent < max_effort:
        stage = numbers[at.STAGE]
        if stage == at.PICK:
            if numbers[at.WORK] >= work:
                return PAUSED
            node = _next(rules, store, best_first)
            if node < 0:
                return DONE if best_first else LEVEL
            spent += _open(data, rules, store, node, best_first)
        elif stage == at.COUNT:
            spent += count_weights(data, store, numbers[at.NODE], max_effort - spent)
            if numbers[at.ANTECEDENT] == m:
                find_eligible(data, rules, store, numbers[at.NODE])
                numbers[at.STAGE] = at.WEIGH
        elif stage == at.WEIGH:
            goes_on, looked = narrow(data, rules, store, numbers[at.NODE])
            spent += looked + m
            numbers[at.ANTECEDENT], numbers[at.STAGE] = 0, at.AMOUNTS
            if not goes_on:
                numbers[at.STAGE] = at.PICK
                numbers[at.WORK] += 1
        elif stage == at.AMOUNTS:
            spent += add_amounts(data, store, numbers[at.NODE], max_effort - spent)
            if numbers[at.ANTECEDENT] == m:
                begin_children(rules, store)
                numbers[at.STAGE] = at.CHILDREN
        else:
            if numbers[at.N_NODES] + m > store.key.size or numbers[at.N_HEAP] + m > store.heap_key.size:
                return GROW_NODES
            if numbers[at.N_SETS] + m > store.head.size:
                return GROW_SETS
            a = numbers[at.ANTECEDENT]
            if a == m:
                numbers[at.STAGE] = at.PICK
                numbers[at.WORK] += 1
                continue
            numbers[at.ANTECEDENT] = a + 1
            spent += 1
            if store.eligible[a]:
                spent += PER_CHILD + 4 * data.full.size
                if extend(data, rules, store, numbers[at.NODE], a):
                    return CHECK
    return PAUSED


@inner
def _next(rules, store, best_first):
    """The next prefix to expand, taken off its list; -1 when there is none."""
    numbers = store.numbers
    if not best_first:
        while numbers[at.TODO_AT] < numbers[at.N_TODO]:
            node = store.todo[numbers[at.TODO_AT]]
            numbers[at.TODO_AT] += 1
            if store.fate[node] == OPEN:
                return node
        return -1
    while numbers[at.N_HEAP] > 0:
        node, key = store.heap_node[0], store.heap_key[0]
        if key > limit(rules, store):
            break
        numbers[at.N_HEAP] = heap.drop_first(store.heap_key, store.heap_node, numbers[at.N_HEAP])
        if store.fate[node] == OPEN:
            numbers[at.LOWER_BOUND] = max(numbers[at.LOWER_BOUND], key)
            return node
    store.pruned[at.BY_INCUMBENT] += numbers[at.N_QUEUED]
    numbers[at.N_QUEUED], numbers[at.N_HEAP] = 0, 0
    for length in range(store.queue_by_length.size):
        store.queue_by_length[length] = 0
    return -1


@inlined
def _open(data, rules, store, node, best_first):
    """Begin to expand a prefix, or put it back when its bound turns out to be larger than another's."""
    numbers = store.numbers
    if store.key[node] > limit(rules, store):
        cut_off(store, node, at.BY_INCUMBENT)
        numbers[at.WORK] += 1
        return 1
    spent = open_set(data, rules, store, node)
    cap = cap_of(store.ratio_p[node], store.ratio_n[node])
    spent += refine(data, rules, store, node, cap, 0 if store.refined[node] else _SWEEPS)
    if not store.refined[node]:
        store.refined[node] = 1
        if node == 0:
            numbers[at.LOWER_BOUND] = store.key[0]
        if store.key[node] > limit(rules, store):
            cut_off(store, node, at.BY_RELAXATION if rules.relaxation else at.BY_GAIN)
            numbers[at.WORK] += 1
            return spent
        if best_first and numbers[at.N_HEAP] > 0 and store.heap_key[0] < store.key[node]:
            numbers[at.N_HEAP] = heap.push(store.heap_key, store.heap_node, numbers[at.N_HEAP], store.key[node], node)
            return spent
    leave(store, node, EXPANDED)
    numbers[at.N_EXPANDED] += 1
    numbers[at.NODE], numbers[at.ANTECEDENT], numbers[at.STAGE] = node, 0, at.COUNT
    return spent


@kernel
def enter_again(store):
    """Fill the table of sets."""
    for slot in range(store.table.size):
        store.table[slot] = -1
    for entry in range(store.numbers[at.N_SETS]):
        store.table[slot_of(store.table, store.sets, store.sets[entry])] = entry
