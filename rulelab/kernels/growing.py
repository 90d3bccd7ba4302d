"""Stores of nodes: what has become of each, and arrays that grow in place, so that none is held twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

EXPANDED = 0
"""Taken off the queue: all rules that could come next were looked at, or are being looked at."""
OPEN = 1
"""In the queue."""
CUT = 2
"""From here on: cut by the bound whose place in the store's ``pruned`` is the fate less ``CUT``."""


Store = TypeVar("Store", bound=tuple)

MOST_AT_ONCE = 1 << 26
"""Bytes that arrays grow by at once, where they do not get an eighth longer: the new ones are cleared."""


def nbytes(*stores: Iterable[Any]) -> int:
    """Bytes of the arrays among the fields of named tuples."""
    return sum(field.nbytes for store in stores for field in store if isinstance(field, np.ndarray))


def resized(store: Store, names: Iterable[str], capacity: int) -> Store:
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


def bytes_to_resize(store: tuple, names: Iterable[str], capacity: int) -> int:
    """Bytes that ``capacity`` entries of the named arrays take more than those that there are; less than 0: fewer."""
    arrays = [getattr(store, name) for name in names]
    return sum((capacity - len(array)) * array.itemsize * math.prod(array.shape[1:]) for array in arrays)


def table_size(n_entries: int, filled: float = 0.75) -> int:
    """Slots of a hash table for so many entries: a power of two, at most three quarters full, or as full as is said."""
    size = 64
    while filled * size < n_entries:
        size *= 2
    return size


@dataclass(frozen=True)
class Group:
    """Arrays of a store with an entry for each of the same things, which grow together.

    Arrays of a single entry are those that a search does without: they stay.
    """

    used: int  # position in ``numbers`` of how many of the things there are
    arrays: Mapping[type, str]  # their names, with blanks between, by the type of an entry
    tables: tuple[str, ...] = ()  # those that map hashes to the entries
    beside: tuple[str, ...] = ()  # arrays that come to have as many entries, whose bytes have to be free, too
    filled: float = 0.75  # how full the tables may be
    ahead: int = 1  # times as many slots as that takes, where tables grow

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the arrays."""
        return tuple(" ".join(self.arrays.values()).split())

    def new(self, n: int, **shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The arrays with so many entries, of the given shapes where these are not numbers."""
        kinds = ((name, kind) for kind, names in self.arrays.items() for name in names.split())
        return {name: np.zeros((n, *shapes.get(name, ())), dtype=kind) for name, kind in kinds}

    def slots(self, store: Any, capacity: int) -> int:
        """Of each table, for so many entries."""
        slots, needed = len(getattr(store, self.tables[0])), table_size(capacity, self.filled)
        return slots if needed <= slots else self.ahead * needed

    def cost(self, store: Any, capacity: int) -> int:
        """Bytes that room for so many entries takes more than now."""
        taken = bytes_to_resize(store, growing(store, self.names), capacity)
        taken += max(0, bytes_to_resize(store, growing(store, self.beside), capacity))
        for name in self.tables:
            table = getattr(store, name)
            taken += (self.slots(store, capacity) - len(table)) * table.itemsize
        return taken


def growing(store: Any, names: Iterable[str]) -> list[str]:
    """The arrays that a search uses."""
    return [name for name in names if len(getattr(store, name)) > 1]


def with_room(
    store: Store, wanted: Iterable[tuple[Group, int]], free: int | None, refill: Callable[[Any], object]
) -> tuple[Store, bool]:
    """The store with room for so many more entries of each group, and whether the ``free`` bytes allow that.

    ``refill`` is called with the store when its tables have grown, and are to be filled anew.
    """
    for group, more in wanted:
        names = growing(store, group.names)
        capacity = len(getattr(store, names[0])) if names else 0
        needed = int(store.numbers[group.used]) + more if names else 0  # type: ignore[attr-defined]
        if needed <= capacity:
            continue
        room = affordable(capacity, needed, free, partial(group.cost, store))
        if room < needed:
            return store, False
        before, store = nbytes(store), resized(store, names, room)
        if group.tables and (slots := group.slots(store, room)) > len(getattr(store, group.tables[0])):
            tables = {name: np.empty(slots, dtype=np.int32) for name in group.tables}
            store = store._replace(**tables)  # type: ignore[attr-defined]
            refill(store)
        free = None if free is None else free - (nbytes(store) - before)
    return store, True
