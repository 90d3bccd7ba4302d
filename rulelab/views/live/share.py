"""What each search of this process may hold of the memory that the server has, while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet


class Share:
    """Lets a search, within a ``with`` block, grow as far as it is dealt memory, and within its own limit.

    `search`: its ``memory_limit`` is what it was again after the block; of one that has none nothing is kept. `held`:
    bytes that it holds.
    """

    def __init__(self, search: Any, held: Callable[[], int]) -> None:
        self._search, self._own = search, getattr(search, "memory_limit", None)
        self._held = held

    def __enter__(self) -> None:
        if hasattr(self._search, "memory_limit"):
            SHARES.add(self)

    def __exit__(self, *_: object) -> None:
        if self in SHARES:
            SHARES.discard(self)
            self._search.memory_limit = self._own

    def deal(self, more: int) -> None:
        """Let it grow by so many bytes at most."""
        most = max(1, self._held() + more)
        self._search.memory_limit = most if self._own is None else min(self._own, most)


SHARES: WeakSet[Share] = WeakSet()
"""Those of the searches of this process that go on."""
