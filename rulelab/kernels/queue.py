"""Queues of stored prefixes, for the searches that expand the one of least bound next.

A store has for each prefix, shape (n_nodes,) and room for more: its ``key``, a lower bound (int64), ``fate`` (uint8,
see `growing`), ``parent`` and ``rule`` (int32) and ``length`` (integers). ``heap_node``, shape (n_heap,), int32, has
the prefixes of the heap, beside it their places, int64. ``queue_by_length``, shape (longest + 1,), and ``pruned``,
one entry per bound, are int64, as ``numbers``, which begins with what stands here. The entry of a prefix that leaves
the queue, or comes to another place in it, stays in the heap until it is the first: valid are those of prefixes that
wait where the entry says.
"""

from __future__ import annotations

import numpy as np

from . import heap
from .growing import CUT, EXPANDED, OPEN
from .jit import inner

# positions in Store.numbers
N_NODES, N_HEAP, N_QUEUED = range(3)

DONE, PAUSED, GROW = range(3)
"""What a kernel has come to: the end of the search, that of the work it was given, or that of the room in an array."""


@inner
def enter(store, keys, node, place):
    """Queue a prefix at this place; ``keys``: the places in the heap."""
    numbers = store.numbers
    store.fate[node] = OPEN
    store.queue_by_length[store.length[node]] += 1
    numbers[N_QUEUED] += 1
    numbers[N_HEAP] = heap.push(keys, store.heap_node, numbers[N_HEAP], place, node)


@inner
def leave(store, node, fate):
    """Take a prefix off the queue."""
    store.fate[node] = fate
    store.queue_by_length[store.length[node]] -= 1
    store.numbers[N_QUEUED] -= 1


@inner
def cut_off(store, node, which):
    """Take a prefix off the queue that a bound cuts."""
    leave(store, node, CUT + which)
    store.pruned[which] += 1


@inner
def take_first(store, keys, places, best, which):
    """Take the first prefix off the queue whose bound is below ``best``; -1 when there is none.

    ``keys``: the places in the heap; ``places``: those of all prefixes. ``which``: what cuts those that cost more.
    """
    numbers = store.numbers
    while numbers[N_HEAP] > 0:
        node = np.int64(store.heap_node[0])
        is_valid = store.fate[node] == OPEN and keys[0] == places[node]
        numbers[N_HEAP] = heap.drop_first(keys, store.heap_node, numbers[N_HEAP])
        if is_valid:
            if store.key[node] < best:
                leave(store, node, EXPANDED)
                return node
            cut_off(store, node, which)
    return np.int64(-1)


@inner
def drop_stale(store, keys, nodes, size):
    """Drop entries of a heap by the prefixes' bounds until the first one is valid; returns the new size."""
    while size > 0 and not (store.fate[nodes[0]] == OPEN and keys[0] == store.key[nodes[0]]):
        size = heap.drop_first(keys, nodes, size)
    return size


@inner
def purge(store, keys, places, best, which):
    """Drop from the queue what a new incumbent, which costs ``best``, rules out, and entries that are not valid."""
    numbers, kept = store.numbers, 0
    for i in range(numbers[N_HEAP]):
        node = store.heap_node[i]
        if store.fate[node] == OPEN and keys[i] == places[node]:
            if store.key[node] < best:
                keys[kept] = keys[i]
                store.heap_node[kept] = node
                kept += 1
            else:
                cut_off(store, node, which)
    numbers[N_HEAP] = kept
    heap.heapify(keys, store.heap_node, kept)


@inner
def length_of(store, node):
    """How many rules a prefix has, counted: of several that leave the same set the stored one may become another."""
    length, ancestor = 0, np.int64(node)
    while store.parent[ancestor] >= 0:
        length += 1
        ancestor = np.int64(store.parent[ancestor])
    return length


@inner
def write_path(store, node, out):
    """Write the rules of a prefix to the beginning of ``out``; returns how many."""
    length, node = length_of(store, node), np.int64(node)
    for i in range(length - 1, -1, -1):
        out[i] = store.rule[node]
        node = np.int64(store.parent[node])
    return length
