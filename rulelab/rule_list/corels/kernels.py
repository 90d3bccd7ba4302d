"""Branch and bound over prefixes, one expansion at a time (Algorithms 2, 5 and 6 of the CORELS paper)."""

from __future__ import annotations

from ...kernels.bit_words import slot_of
from ...kernels.jit import inlined, kernel
from ..counting import weigh
from ..exact.kernels import DONE, GROW, PAUSED
from ..exact.queue import update_lower_bound
from ..exact.state import (
    BEST,
    LOWER_BOUND,
    N_HEAP,
    N_NODES,
    N_QUEUED,
    OPEN_BEST,
    OPEN_CHILD,
    OPEN_NODE,
    TABLE_IS_STALE,
    WORK,
)
from .expansion import expand, finish, open_prefix
from .queue import enqueue, lower_bound, purge, rebuild_tables, take_next

_CHILDREN_PER_TAKEN = 32  # taking one off the queue compares it with all that are remembered


@kernel
def advance(arrays, rules, store, max_work, max_effort):
    """Expand at most ``max_work`` prefixes, at about ``max_effort`` words and weights looked at.

    Returns DONE, PAUSED, or GROW when there is no room for one more expansion. An expansion can be left half-way; a
    prefix counts as work when it is finished.
    """
    numbers = store.numbers
    m = arrays.by_antecedent.shape[0]
    if numbers[N_NODES] == 0:
        _start(arrays, rules, store)
    if numbers[TABLE_IS_STALE]:
        max_effort -= rebuild_tables(store, max_effort)
        if numbers[TABLE_IS_STALE]:
            return PAUSED
    child = effort_of_a_child(arrays)
    work = numbers[WORK] + max_work
    while numbers[WORK] < work and max_effort > 0:
        node = numbers[OPEN_NODE]
        if node < 0:
            if numbers[N_NODES] + m > store.cost.size:
                return GROW
            queued, most = numbers[N_HEAP], 1 + max_effort // (_CHILDREN_PER_TAKEN * child)
            node = take_next(arrays, rules, store, most)
            max_effort -= _CHILDREN_PER_TAKEN * child * (queued - numbers[N_HEAP])
            if node >= 0:
                open_prefix(rules, store, node)
            elif numbers[N_HEAP] == 0:
                break
            continue
        max_effort -= child * expand(arrays, rules, store, 1 + max_effort // child)
        if numbers[OPEN_CHILD] < m:
            break
        numbers[OPEN_NODE] = -1
        numbers[WORK] += 1
        finish(arrays, rules, store, node)
        if numbers[BEST] < numbers[OPEN_BEST]:
            purge(rules, store)
        update_lower_bound(rules, store)
    if numbers[N_QUEUED] == 0 and numbers[OPEN_NODE] < 0:
        numbers[LOWER_BOUND] = numbers[BEST]
        return DONE
    return PAUSED


@inlined
def effort_of_a_child(arrays):
    """Words and weights looked at for one child of a prefix, about."""
    weighed, stored = arrays.classes.entry_word.size, arrays.full.size + (arrays.by_antecedent.shape[0] >> 6)
    return 3 * weighed + arrays.minority.entry_word.size + 8 * stored + 20


@inlined
def _start(arrays, rules, store):
    """Queue the empty prefix; the incumbent is the default rule alone."""
    for w in range(arrays.full.size):
        store.sets[0, w] = arrays.full[w]
    positive, negative = weigh(arrays.classes, arrays.full)
    store.points[0] = weigh(arrays.minority, arrays.full)[0]
    store.key[0] = lower_bound(rules, 0, store.points[0])
    store.parent[0] = -1
    store.rule[0] = -1
    numbers = store.numbers
    numbers[N_NODES] = 1
    numbers[OPEN_NODE] = -1
    numbers[BEST] = rules.per_error * min(positive, negative)
    numbers[OPEN_BEST] = numbers[BEST]
    numbers[LOWER_BOUND] = min(numbers[BEST], store.key[0])
    store.by_set[slot_of(store.by_set, store.sets, store.sets[0])] = 0
    store.by_antecedents[slot_of(store.by_antecedents, store.antecedents, store.antecedents[0])] = 0
    enqueue(rules, store, 0, numbers[BEST], 0)
