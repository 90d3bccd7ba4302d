"""What is done where all workers meet, while none of them works: storing, sharing what was learnt, dealing."""

from __future__ import annotations

from ....kernels.jit import kernel
from ....kernels.set_table import slot_at_length
from ...core_pool import keep as keep_core
from ..memo import rebuild_table, table_length
from ..queue import purge, raise_lower_bound, take_next
from ..state import BEST, BY_INCUMBENT, BY_SAME_SET, N_OUT
from ..storing import OUT_COST, OUT_KEY, OUT_LENGTH, OUT_PARENT, OUT_RULE, OUT_WRONG, keep


@kernel
def rebuild(rules, store, most):
    """Go on filling a table that grew, at about ``most`` words looked at; returns how many were."""
    return rebuild_table(rules, store, most)


@kernel
def drop_what_costs_too_much(rules, store):
    """Drop from the queue what a new incumbent rules out."""
    purge(rules, store)


@kernel
def receive(arrays, rules, store, worker):
    """Store and queue what is in a worker's outbox, unless its set is known or the incumbent rules it out."""
    for i in range(worker.numbers[N_OUT]):
        child, cost, key = worker.outbox_sets[i], worker.outbox[i, OUT_COST], worker.outbox[i, OUT_KEY]
        if key >= store.numbers[BEST]:
            store.pruned[BY_INCUMBENT] += 1
            continue
        length, slot, known = worker.outbox[i, OUT_LENGTH], -1, -1
        if rules.equivalent_support:
            slot = slot_at_length(store.table, store.sets, store.length, child, table_length(rules, length))
            known = store.table[slot]
            if known >= 0 and store.cost[known] <= cost:
                store.pruned[BY_SAME_SET] += 1
                continue
        parent, rule, wrong = worker.outbox[i, OUT_PARENT], worker.outbox[i, OUT_RULE], worker.outbox[i, OUT_WRONG]
        keep(arrays, rules, store, child, known, slot, cost, key, parent, rule, length, wrong)
    worker.numbers[N_OUT] = 0


@kernel
def take(rules, store, nodes):
    """Take the next prefixes off the queue, as many as there is room for in ``nodes``; returns how many."""
    for i in range(nodes.size):
        node = take_next(rules, store)
        if node < 0:
            return i
        nodes[i] = node
    return nodes.size


@kernel
def raise_bound(rules, store, elsewhere):
    """Raise the lower bound to the least key in the queue or ``elsewhere``."""
    raise_lower_bound(rules, store, elsewhere)


@kernel
def adopt(rules, cores, others, first, last):
    """Take over the cores that another pool learnt from the ``first`` to before the ``last``."""
    for i in range(first, last):
        c = others.latest[i % others.latest.size]
        keep_core(rules, cores, others.masks[c], others.value[c])
