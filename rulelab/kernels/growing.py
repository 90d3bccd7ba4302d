"""Stores of nodes: what has become of each, and arrays that grow in place, so that none is held twice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

EXPANDED = 0
"""Taken off the queue: all rules that could come next were looked at, or are being looked at."""
OPEN = 1
"""In the queue."""
CUT = 2
"""From here on: cut by the bound whose place in the store's ``pruned`` is the fate less ``CUT``."""


Store = TypeVar("Store", bound=tuple)

MOST_AT_ONCE = 1 << 26
"""Bytes that arrays grow by at once, where they do not get an eighth longer: the new ones are cleared."""


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


def next_capacity(capacity: int, needed: int, entry: float) -> int:
    """The number of entries to grow to: twice as many, or fewer where they, of ``entry`` bytes, take long to clear.

    At least an eighth more in any case, so that few copies are made where arrays cannot grow in place.
    """
    most = capacity + max(capacity // 8, int(MOST_AT_ONCE / max(1.0, entry)))
    return max(needed, min(2 * capacity, most))


def affordable(capacity: int, needed: int, free: int | None, cost: Callable[[int], int]) -> int:
    """The number of entries to grow to: as `next_capacity`, or fewer within the free bytes; ``capacity`` if not enough.

    ``capacity``, ``needed``: entries that there are, and that there must be. ``free``: bytes that may be taken; None:
    any number. ``cost``: bytes that growing to a number of entries takes.
    """
    wanted = next_capacity(capacity, needed, cost(2 * capacity) / max(1, capacity))
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
