"""The kernel that Python calls: it goes on with the search until its work is done or Python has to act."""

from __future__ import annotations

from ...kernels import heap
from ...kernels.bit_words import slot_of
from ...kernels.growing import CUT, EXPANDED, OPEN
from ...kernels.jit import inlined, inner, kernel
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
from .state import (
    AMOUNTS,
    ANTECEDENT,
    BY_GAIN,
    BY_INCUMBENT,
    BY_RELAXATION,
    CHILDREN,
    COUNT,
    LOWER_BOUND,
    N_EXPANDED,
    N_HEAP,
    N_NODES,
    N_QUEUED,
    N_SETS,
    N_TODO,
    NODE,
    PICK,
    STAGE,
    TODO_AT,
    WEIGH,
    WORK,
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
    work, spent = numbers[WORK] + max_work, 0
    while spent < max_effort:
        stage = numbers[STAGE]
        if stage == PICK:
            if numbers[WORK] >= work:
                return PAUSED
            node = _next(rules, store, best_first)
            if node < 0:
                return DONE if best_first else LEVEL
            spent += _open(data, rules, store, node, best_first)
        elif stage == COUNT:
            spent += count_weights(data, store, numbers[NODE], max_effort - spent)
            if numbers[ANTECEDENT] == m:
                find_eligible(data, rules, store, numbers[NODE])
                numbers[STAGE] = WEIGH
        elif stage == WEIGH:
            goes_on, looked = narrow(data, rules, store, numbers[NODE])
            spent += looked + m
            numbers[ANTECEDENT], numbers[STAGE] = 0, AMOUNTS
            if not goes_on:
                numbers[STAGE] = PICK
                numbers[WORK] += 1
        elif stage == AMOUNTS:
            spent += add_amounts(data, store, numbers[NODE], max_effort - spent)
            if numbers[ANTECEDENT] == m:
                begin_children(rules, store)
                numbers[STAGE] = CHILDREN
        else:
            if numbers[N_NODES] + m > store.key.size or numbers[N_HEAP] + m > store.heap_key.size:
                return GROW_NODES
            if numbers[N_SETS] + m > store.head.size:
                return GROW_SETS
            a = numbers[ANTECEDENT]
            if a == m:
                numbers[STAGE] = PICK
                numbers[WORK] += 1
                continue
            numbers[ANTECEDENT] = a + 1
            spent += 1
            if store.eligible[a]:
                spent += PER_CHILD + 4 * data.full.size
                if extend(data, rules, store, numbers[NODE], a):
                    return CHECK
    return PAUSED


@inner
def _next(rules, store, best_first):
    """The next prefix to expand, taken off its list; -1 when there is none."""
    numbers = store.numbers
    if not best_first:
        while numbers[TODO_AT] < numbers[N_TODO]:
            node = store.todo[numbers[TODO_AT]]
            numbers[TODO_AT] += 1
            if store.fate[node] == OPEN:
                return node
        return -1
    while numbers[N_HEAP] > 0:
        node, key = store.heap_node[0], store.heap_key[0]
        if key > limit(rules, store):
            break
        numbers[N_HEAP] = heap.drop_first(store.heap_key, store.heap_node, numbers[N_HEAP])
        if store.fate[node] == OPEN:
            numbers[LOWER_BOUND] = max(numbers[LOWER_BOUND], key)
            return node
    store.pruned[BY_INCUMBENT] += numbers[N_QUEUED]
    numbers[N_QUEUED], numbers[N_HEAP] = 0, 0
    for length in range(store.queue_by_length.size):
        store.queue_by_length[length] = 0
    return -1


@inlined
def _open(data, rules, store, node, best_first):
    """Begin to expand a prefix, or put it back when its bound turns out to be larger than another's."""
    numbers = store.numbers
    if store.key[node] > limit(rules, store):
        _close(store, node, CUT + BY_INCUMBENT)
        store.pruned[BY_INCUMBENT] += 1
        numbers[WORK] += 1
        return 1
    spent = open_set(data, rules, store, node)
    cap = cap_of(store.ratio_p[node], store.ratio_n[node])
    spent += refine(data, rules, store, node, cap, 0 if store.refined[node] else _SWEEPS)
    if not store.refined[node]:
        store.refined[node] = 1
        if node == 0:
            numbers[LOWER_BOUND] = store.key[0]
        if store.key[node] > limit(rules, store):
            by = BY_RELAXATION if rules.relaxation else BY_GAIN
            _close(store, node, CUT + by)
            store.pruned[by] += 1
            numbers[WORK] += 1
            return spent
        if best_first and numbers[N_HEAP] > 0 and store.heap_key[0] < store.key[node]:
            numbers[N_HEAP] = heap.push(store.heap_key, store.heap_node, numbers[N_HEAP], store.key[node], node)
            return spent
    _close(store, node, EXPANDED)
    numbers[N_EXPANDED] += 1
    numbers[NODE], numbers[ANTECEDENT], numbers[STAGE] = node, 0, COUNT
    return spent


@inner
def _close(store, node, fate):
    """Take a prefix off the queue."""
    store.fate[node] = fate
    store.queue_by_length[store.length[node]] -= 1
    store.numbers[N_QUEUED] -= 1


@kernel
def enter_all(sets, n, table):
    """Enter the first sets into an empty table."""
    for entry in range(n):
        table[slot_of(table, sets, sets[entry])] = entry
