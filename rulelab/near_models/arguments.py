"""How far from the optimum a model may be, and what looking for all of them may take."""

from __future__ import annotations

from typing import Any

from ..arguments import is_number, is_whole, require


def check_distance(ratio: Any, memory_limit: Any, limit: Any = 1, **absolute: Any) -> None:
    """Refuse what is no distance from the optimum, and limits that are none.

    Parameters
    ----------
    ratio, memory_limit, limit
        As given to a search.
    **absolute
        Distances in the units of the objective, by the names that the search has for them.

    Raises
    ------
    ValueError
        When one is out of range, or more than one distance is given.
    """
    distances = {**absolute, "ratio": ratio}
    if sum(value is not None for value in distances.values()) > 1:
        raise ValueError(
            f"give only one of {', '.join(absolute)} (absolute, in the objective's units) and ratio (relative to the "
            "optimum)"
        )
    for name, value in distances.items():
        allowed = value is None or (is_number(value) and value >= 0)
        require((name, value, allowed, "a finite number >= 0"))
    require(
        ("limit", limit, is_whole(limit, 1), "an integer >= 1"),
        ("memory_limit", memory_limit, memory_limit is None or is_whole(memory_limit, 1), "an integer >= 1 or None"),
    )
