"""A binary heap on two flat arrays: smallest key first, the newer node first among equal keys."""

from __future__ import annotations

from .jit import inlined, inner


@inlined
def before(key, node, other_key, other_node):
    """The order of the heap."""
    return key < other_key or (key == other_key and node > other_node)


@inner
def push(keys, nodes, size, key, node):
    """Add an entry; returns the new size. The arrays must have room."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if not before(key, node, keys[up], nodes[up]):
            break
        keys[i] = keys[up]
        nodes[i] = nodes[up]
        i = up
    keys[i] = key
    nodes[i] = node
    return size + 1


@inner
def sift_down(keys, nodes, size, i):
    """Restore the order below position ``i``."""
    key, node = keys[i], nodes[i]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and before(keys[child + 1], nodes[child + 1], keys[child], nodes[child]):
            child += 1
        if not before(keys[child], nodes[child], key, node):
            break
        keys[i] = keys[child]
        nodes[i] = nodes[child]
        i = child
    keys[i] = key
    nodes[i] = node


@inner
def drop_first(keys, nodes, size):
    """Remove the first entry; returns the new size."""
    size -= 1
    if size > 0:
        keys[0] = keys[size]
        nodes[0] = nodes[size]
        sift_down(keys, nodes, size, 0)
    return size


@inner
def heapify(keys, nodes, size):
    """Order arbitrary entries."""
    for i in range(size // 2 - 1, -1, -1):
        sift_down(keys, nodes, size, i)
