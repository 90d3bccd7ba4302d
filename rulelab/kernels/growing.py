"""Growing the arrays of a store in place, so that a large search does not hold two copies of itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

Store = TypeVar("Store", bound=tuple)


def resized(store: Store, names: tuple[str, ...], capacity: int) -> Store:
    """The named tuple of arrays with the named ones grown along the first axis to ``capacity`` entries."""
    grown = {}
    for name in names:
        array = getattr(store, name)
        if not array.flags.owndata:  # as after unpickling
            array = array.copy()
        array.resize((capacity, *array.shape[1:]), refcheck=False)
        grown[name] = array
    return store._replace(**grown)  # type: ignore[attr-defined]


def affordable(capacity: int, needed: int, free: int | None, cost: Callable[[int], int]) -> int:
    """The number of entries to grow to: twice as many, or fewer within the free bytes; ``capacity`` when not enough.

    Parameters
    ----------
    capacity, needed : int
        Entries that there are, and that there must be.
    free : int or None
        Bytes that may be taken; None: any number.
    cost : callable
        Bytes that growing to a number of entries takes.
    """
    wanted = max(2 * capacity, needed)
    while free is not None and cost(wanted) > free:
        if wanted == needed:
            return capacity
        wanted = max(needed, wanted - (wanted - needed) // 8 - 1)
    return wanted


def bytes_to_resize(store: tuple, names: tuple[str, ...], capacity: int) -> int:
    """Bytes that ``capacity`` entries of the named arrays take more than those that there are; less than 0: fewer."""
    arrays = [getattr(store, name) for name in names]
    return sum((capacity - len(array)) * array.itemsize * math.prod(array.shape[1:]) for array in arrays)


def table_size(n_entries: int) -> int:
    """Slots of a hash table for so many entries: a power of two, at most three quarters full."""
    size = 64
    while 3 * size < 4 * n_entries:
        size *= 2
    return size
