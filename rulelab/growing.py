"""Growing the arrays of a store in place, so that a large search does not hold two copies of itself."""

from __future__ import annotations

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
