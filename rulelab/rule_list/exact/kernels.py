"""Best-first branch and bound over sets of uncaptured patterns, one expansion at a time."""

from __future__ import annotations

from ...kernels.bit_words import slot_at_length
from ...kernels.growing import CUT
from ...kernels.jit import inlined, kernel
from ...kernels.queue import DONE, GROW, PAUSED
from ..cores import cut, effort_of
from ..counting import effort_of_a_count
from ..pair_bound import N_HELD, is_used, separation_within, wants_separation
from . import state as at
from .expansion import expand, open_prefix
from .queue import enqueue, is_apart, purge, raise_lower_bound, rebuild_table, table_length, take_dealt, take_next

LEARN, SEPARATE = 3, 4


@kernel
def advance(arrays, rules, store, cores, learner, separation, separator, max_work, max_effort):
    """Expand at most ``max_work`` prefixes, at about ``max_effort`` words and weights looked at.

    Returns DONE, PAUSED, or GROW when an array has no room for one more expansion. When the search has become long it
    returns LEARN where it wants ``learner``, the address of what learns cores, and SEPARATE where it wants multipliers
    and ``separator``, the address of what adapts them; both are 0 before. An expansion can be left half-way; a prefix
    counts as work when it is finished.

    A worker of a parallel search expands what it was dealt, as far as its round goes; it only ever returns LEARN or
    PAUSED, and leaves the queue and the lower bound to the meeting of all.
    """
    numbers = store.numbers
    m = arrays.by_antecedent.shape[0]
    if numbers[at.N_NODES] == 0:
        _start(arrays, rules, store)
    if numbers[at.TABLE_IS_STALE]:
        max_effort -= rebuild_table(rules, store, max_effort)
        if numbers[at.TABLE_IS_STALE]:
            return PAUSED
    alone = not is_apart(store)
    if not alone:
        max_effort = min(max_effort, numbers[at.ROUND_LEFT])
    given = max_effort
    work = numbers[at.WORK] + max_work
    while numbers[at.WORK] < work and max_effort > 0:
        if numbers[at.OPEN_NODE] < 0:
            if rules.cores and learner == 0 and numbers[at.OPENED] + 1 >= rules.learn_after:
                numbers[at.ROUND_LEFT] -= given - max_effort
                return LEARN
            if alone:
                if numbers[at.N_NODES] + m > store.cost.size or numbers[at.N_HEAP] + m > store.heap_node.size:
                    return GROW
                if rules.policy != at.LOWER_BOUND_FIRST and numbers[at.N_BOUND_HEAP] + m > store.bound_node.size:
                    return GROW
                if wants_separation(rules, separation, separator, numbers[at.N_NODES], numbers[at.OPENED]):
                    return SEPARATE
                node = take_next(store)
            else:
                node = take_dealt(store)
            if node < 0:
                break
            best, spent = numbers[at.BEST], effort_of(arrays, cores)
            numbers[at.OPEN_BEST] = best
            which = -1
            needed = best - store.cost[node]
            if is_used(rules, separation):
                max_effort -= separation.numbers[N_HELD]
                if separation_within(separation, store.sets[node], needed):
                    which = at.BY_SEPARATION
            if (
                which < 0
                and rules.cores
                and cut(arrays, rules, cores, learner, store.sets[node], needed, numbers[at.OPENED])
            ):
                which = at.BY_CORE
            max_effort -= 1 + effort_of(arrays, cores) - spent
            if which >= 0:
                store.pruned[which] += 1
                store.fate[node] = CUT + which
            else:
                max_effort -= effort_of_a_count(arrays)
                if open_prefix(arrays, rules, store, separation, separator, node):
                    max_effort -= numbers[at.OPEN_FLOWS] * effort_of_a_count(arrays)
                    continue
        else:
            max_effort -= expand(arrays, rules, store, cores, learner, separation, max_effort)
            if numbers[at.OPEN_CHILD] < m:
                break
        numbers[at.OPEN_NODE] = -1
        numbers[at.WORK] += 1
        if alone:
            if numbers[at.BEST] < numbers[at.OPEN_BEST]:
                purge(rules, store)
            raise_lower_bound(rules, store, numbers[at.BEST])
    numbers[at.ROUND_LEFT] -= given - max_effort
    if alone and numbers[at.N_QUEUED] == 0 and numbers[at.OPEN_NODE] < 0:
        numbers[at.LOWER_BOUND] = numbers[at.BEST]
        return DONE
    return PAUSED


@inlined
def _start(arrays, rules, store):
    """Queue the empty prefix; the incumbent must be in place."""
    for w in range(arrays.full.size):
        store.sets[0, w] = arrays.full[w]
    store.cost[0] = rules.per_error * rules.constant
    store.key[0] = store.cost[0] + (rules.per_rule if rules.lookahead else 0)
    store.parent[0] = -1
    store.rule[0] = -1
    store.length[0] = 0
    store.numbers[at.N_NODES] = 1
    store.numbers[at.OPEN_NODE] = -1
    store.numbers[at.LOWER_BOUND] = min(store.numbers[at.BEST], store.key[0])
    if rules.equivalent_support:
        store.table[slot_at_length(store.table, store.sets, store.length, arrays.full, table_length(rules, 0))] = 0
    which = -1
    if rules.max_length == 0:
        which = at.BY_LENGTH
    elif store.cost[0] >= store.numbers[at.BEST]:
        which = at.BY_COST
    elif store.key[0] >= store.numbers[at.BEST]:
        which = at.BY_LOOKAHEAD
    if which < 0:
        enqueue(arrays, rules, store, 0, 0)
    else:
        store.pruned[which] += 1
        store.fate[0] = CUT + which
