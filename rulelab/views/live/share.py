"""What each search of this process may hold of the memory that the server has, while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

Tell = Callable[[int], Any]


class Share:
    """Lets a search, within a ``with`` block, grow as far as it is dealt memory, and within its own limit.

    Parameters
    ----------
    search : Search
        Its ``memory_limit`` is what it was again after the block; of one that has none nothing is kept.
    held : callable
        Bytes that it holds.
    tell : callable
        Is told the limit, where the search is advanced in another process.
    """

    def __init__(self, search: Any, held: Callable[[], int], tell: Tell = lambda most: None) -> None:
        self._search, self._own = search, getattr(search, "memory_limit", None)
        self._held, self._tell = held, tell

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
        most = most if self._own is None else min(self._own, most)
        if most != self._search.memory_limit:
            self._search.memory_limit = most
            self._tell(most)


SHARES: WeakSet[Share] = WeakSet()
"""Those of the searches of this process that go on."""
