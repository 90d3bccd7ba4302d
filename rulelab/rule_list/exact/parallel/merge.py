"""Storing what is in the outboxes, by all threads at once: each has a stretch of the table of captured sets to itself.

An entry belongs to the thread in whose stretch the search for its set begins. The threads first find out which sets are
known, then, once it is clear how many each will store, store the new ones. What a search would leave its stretch for,
and sets that are known at a higher cost, is left to one thread. The order of what is stored is by stretch, then by
worker and by what it did first, whatever the time each takes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ....kernels.bit_words import is_same, slot_at_length
from ....kernels.jit import inner, kernel
from ...counting import EFFORT_PER_WORK
from ...pair_multipliers import Together
from .. import state
from ..queue import (
    EFFORT_PER_NODE,
    OUT_AT,
    OUT_COST,
    OUT_HASH,
    OUT_KEY,
    OUT_LENGTH,
    OUT_PARENT,
    OUT_RULE,
    OUT_VERDICT,
    OUT_WRONG,
    enqueue,
    hash_of,
    keep,
    table_length,
)
from ..state import BEST, BY_INCUMBENT, BY_SAME_SET, N_NODES, TABLE_IS_STALE
from .worker import Outboxes

DROPPED, NEW, LATER = range(3)
"""What is to be done with an entry."""

MOST_ASTRAY = 4096  # nodes that a thread finds no place for; of more, all are looked at again
_N_COUNTS = 8  # those of each thread are on a cache line of their own
_N_NEW, _N_INCUMBENT, _N_SAME = range(3)


def receive(
    arrays: object, rules: state.Rules, store: state.Store, boxes: Outboxes, filled: np.ndarray, together: Together
) -> None:
    """Store and queue what is in the outboxes, unless its set is known or the incumbent rules it out; there is room."""
    n = len(filled)
    given, counts = (rules, store, boxes.entries, boxes.sets, filled), np.zeros((n, _N_COUNTS), dtype=np.int64)
    together([partial(look_up, *given, part, counts[part]) for part in range(n)])
    first = int(store.numbers[N_NODES]) + np.concatenate([[0], np.cumsum(counts[:, _N_NEW])])
    together([partial(enter, *given, part, int(first[part])) for part in range(n)])
    store.numbers[N_NODES] = first[-1]
    store.pruned[BY_INCUMBENT] += counts[:, _N_INCUMBENT].sum()
    store.pruned[BY_SAME_SET] += counts[:, _N_SAME].sum()
    queue_up(arrays, *given)


def rebuild(rules: state.Rules, store: state.Store, n: int, together: Together) -> None:
    """Go on filling a table that grew, for as long as a unit of work takes."""
    numbers = store.numbers
    first = int(numbers[TABLE_IS_STALE]) - 1
    if first == 0:
        store.table.fill(-1)
    each = 2 * store.sets.shape[1] + EFFORT_PER_NODE
    last = min(int(numbers[N_NODES]), first + 1 + n * EFFORT_PER_WORK // each)
    astray, counts = np.empty((n, MOST_ASTRAY), dtype=np.int64), np.zeros((n, _N_COUNTS), dtype=np.int64)
    together([partial(fill, rules, store, first, last, part, n, astray[part], counts[part]) for part in range(n)])
    for part, found in enumerate(counts[:, _N_NEW]):
        if found > MOST_ASTRAY:
            fill_gaps(rules, store, np.arange(first, last))
        else:
            fill_gaps(rules, store, astray[part, :found])
    numbers[TABLE_IS_STALE] = last + 1 if last < numbers[N_NODES] else 0


def rehearse(arrays: object, rules: state.Rules, store: state.Store, boxes: Outboxes) -> None:
    """Call the kernels on nothing, so that they are compiled."""
    none = np.zeros(1, dtype=np.int64)
    look_up(rules, store, boxes.entries, boxes.sets, none, 0, none)
    enter(rules, store, boxes.entries, boxes.sets, none, 0, 0)
    queue_up(arrays, rules, store, boxes.entries, boxes.sets, none)
    fill(rules, store, 0, 0, 0, 1, none, none)
    fill_gaps(rules, store, none[:0])


@inner
def _border(size, part, n):
    """Where the stretch of a thread begins."""
    return (part * size + n - 1) // n


@kernel
def look_up(rules, store, entries, sets, filled, part, counts):
    """Find out which sets of a stretch of the table are known, and reserve slots for the others.

    A slot is reserved by the place of an entry below -1; a cheaper prefix of the same set takes it over.
    """
    n, best = filled.size, store.numbers[BEST]
    room = entries.shape[0] // n
    size = store.table.size
    first, end = _border(size, part, n), _border(size, part + 1, n)
    for worker in range(n):
        for e in range(worker * room, worker * room + filled[worker]):
            home = np.int64(worker)
            if rules.equivalent_support:
                home = np.int64(np.uint64(entries[e, OUT_HASH]) & np.uint64(size - 1))
                if home < first or home >= end:
                    continue
            elif worker != part:
                continue
            entries[e, OUT_VERDICT] = DROPPED
            cost = entries[e, OUT_COST]
            if entries[e, OUT_KEY] >= best:
                counts[_N_INCUMBENT] += 1
                continue
            if not rules.equivalent_support:
                entries[e, OUT_VERDICT] = NEW
                counts[_N_NEW] += 1
                continue
            length = table_length(rules, entries[e, OUT_LENGTH])
            entries[e, OUT_VERDICT] = LATER
            for slot in range(home, end):
                known = store.table[slot]
                if known == -1:
                    store.table[slot] = -2 - e
                    entries[e, OUT_VERDICT], entries[e, OUT_AT] = NEW, slot
                    counts[_N_NEW] += 1
                    break
                if known >= 0:
                    if (length == 0 or store.length[known] == length) and is_same(store.sets, known, sets[e]):
                        if store.cost[known] <= cost:
                            entries[e, OUT_VERDICT] = DROPPED
                            counts[_N_SAME] += 1
                        break
                    continue
                other = -2 - known
                if (length == 0 or entries[other, OUT_LENGTH] == length) and is_same(sets, other, sets[e]):
                    counts[_N_SAME] += 1
                    entries[e, OUT_VERDICT] = DROPPED
                    if cost < entries[other, OUT_COST]:
                        store.table[slot] = -2 - e
                        entries[other, OUT_VERDICT] = DROPPED
                        entries[e, OUT_VERDICT], entries[e, OUT_AT] = NEW, slot
                    break


@kernel
def enter(rules, store, entries, sets, filled, part, node):
    """Store the new sets of a stretch of the table, from a place on."""
    n, size = filled.size, store.table.size
    room = entries.shape[0] // n
    first, end = _border(size, part, n), _border(size, part + 1, n)
    for worker in range(n):
        for e in range(worker * room, worker * room + filled[worker]):
            if rules.equivalent_support:
                home = np.int64(np.uint64(entries[e, OUT_HASH]) & np.uint64(size - 1))
                if home < first or home >= end:
                    continue
            elif worker != part:
                continue
            if entries[e, OUT_VERDICT] != NEW:
                continue
            for w in range(sets.shape[1]):
                store.sets[node, w] = sets[e, w]
            if rules.equivalent_support:
                store.table[entries[e, OUT_AT]] = node
            store.cost[node] = entries[e, OUT_COST]
            store.key[node] = entries[e, OUT_KEY]
            store.parent[node] = entries[e, OUT_PARENT]
            store.rule[node] = entries[e, OUT_RULE]
            store.length[node] = entries[e, OUT_LENGTH]
            entries[e, OUT_AT] = node
            node += 1


@kernel
def queue_up(arrays, rules, store, entries, sets, filled):
    """Queue what was stored, and store what was left to one thread."""
    room = entries.shape[0] // filled.size
    for worker in range(filled.size):
        for e in range(worker * room, worker * room + filled[worker]):
            verdict, wrong = entries[e, OUT_VERDICT], entries[e, OUT_WRONG]
            if verdict == NEW:
                enqueue(arrays, rules, store, entries[e, OUT_AT], wrong)
            if verdict != LATER:
                continue
            child, cost, length = sets[e], entries[e, OUT_COST], entries[e, OUT_LENGTH]
            slot = slot_at_length(store.table, store.sets, store.length, child, table_length(rules, length))
            known = store.table[slot]
            if known >= 0 and store.cost[known] <= cost:
                store.pruned[BY_SAME_SET] += 1
                continue
            key, parent, rule = entries[e, OUT_KEY], entries[e, OUT_PARENT], entries[e, OUT_RULE]
            keep(arrays, rules, store, child, known, slot, cost, key, parent, rule, length, wrong)


@kernel
def fill(rules, store, first, last, part, n, astray, counts):
    """Enter stored sets into a stretch of a new table, and note those that its end is in the way of."""
    size = store.table.size
    begin, end = _border(size, part, n), _border(size, part + 1, n)
    for node in range(first, last):
        home = hash_of(store.sets[node], table_length(rules, store.length[node])) & np.uint64(size - 1)
        slot = np.int64(home)
        if slot < begin or slot >= end:
            continue
        while slot < end and store.table[slot] >= 0:  # all are different
            slot += 1
        if slot < end:
            store.table[slot] = node
            continue
        if counts[0] < astray.size:
            astray[counts[0]] = node
        counts[0] += 1


@kernel
def fill_gaps(rules, store, nodes):
    """Enter those of the nodes that are not in the table."""
    for i in range(nodes.size):
        node = nodes[i]
        length = table_length(rules, store.length[node])
        store.table[slot_at_length(store.table, store.sets, store.length, store.sets[node], length)] = node
