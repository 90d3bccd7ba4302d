"""What is done where all workers meet, while none of them works: storing, sharing what was learnt, dealing."""

from __future__ import annotations

from ....kernels.jit import kernel
from ...core_pool import keep as keep_core
from ..queue import purge, raise_lower_bound, take_next


@kernel
def drop_what_costs_too_much(rules, store):
    """Drop from the queue what a new incumbent rules out."""
    purge(rules, store)


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
