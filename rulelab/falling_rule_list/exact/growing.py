"""Room for more prefixes, as far as the memory limit allows it."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...kernels.growing import affordable, bytes_to_resize, resized
from . import state


def grow(store: state.Store, m: int, memory_limit: int | None, beside: int) -> tuple[state.Store, bool]:
    """Make room for the prefixes that the next expansion may store and queue.

    Parameters
    ----------
    store : Store
    m : int
        Antecedents.
    memory_limit : int or None
        Bytes.
    beside : int
        Bytes that the search holds besides the store.

    Returns
    -------
    store : Store
    enough : bool
        False when the memory limit does not allow it.
    """
    for names, used in ((state.NODE_ARRAYS, state.N_NODES), (state.HEAP_ARRAYS, state.N_HEAP)):
        capacity, needed = len(getattr(store, names[0])), int(store.numbers[used]) + m
        if needed <= capacity:
            continue
        free = None if memory_limit is None else max(0, memory_limit - state.memory_bytes(store) - beside)
        room = affordable(capacity, needed, free, partial(_bytes_to_grow, store, names))
        if room < needed:
            return store, False
        store = resized(store, names, room)
        table = state.table_size(len(store.key))
        if table > len(store.table):
            store = store._replace(table=np.empty(table, dtype=np.int32))
            store.numbers[state.TABLE_IS_STALE] = 1
    return store, True


def _bytes_to_grow(store: state.Store, names: tuple[str, ...], capacity: int) -> int:
    """Bytes that room for so many entries takes more than now; of nodes with their table, and all of them queued."""
    taken = bytes_to_resize(store, names, capacity)
    if names == state.NODE_ARRAYS:
        taken += max(0, state.table_size(capacity) - len(store.table)) * store.table.itemsize
        taken += max(0, bytes_to_resize(store, state.HEAP_ARRAYS, capacity))
    return taken
