"""What visitors of this server may do, and how much memory each of its searches may hold; in a notebook, everything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

_FITS = 4  # fits of sweeps for which the memory of a server is enough
_SMALL_BYTES = 64_000_000
_changing = threading.Lock()
NO_MEMORY = "This server has no memory left for another search: try again when others have closed their pages."
NO_ROOM = "this server has no memory left for it; try again when others have closed their pages"
NO_FILES = "This server takes no files: it is there to be tried out. Install rulelab to use your own."


@dataclass
class Allowance:
    """Limits that the settings on the page cannot lift."""

    uploads: bool = True  # whether files are taken
    seconds: float | None = None  # of one run; None: as long as the settings say
    memory: int | None = None  # bytes that one search may hold; None: what the settings say
    budget: int | None = None  # bytes that the server may hold; None: it is not looked at
    full: bool = False  # whether the server holds all the memory that it may, so that no run begins
    left: int | None = None  # bytes that the server may take beyond what it holds; None: it is not looked at
    promised: int = 0  # bytes that work which goes on may take without asking again, of which nothing is dealt out

    @property
    def short(self) -> bool:
        """Whether less than a quarter of the memory of the server is left."""
        return self.left is not None and self.budget is not None and 4 * self.left < self.budget

    @property
    def fit(self) -> int | None:
        """Bytes that one fit of a sweep may hold, however much is left; None: as it likes."""
        return self.within(None if self.budget is None else self.budget // _FITS)

    @contextmanager
    def part(self, others: int) -> Iterator[int | None]:
        """For the ``with`` block, how many bytes a process may take, of which its answer holds as many here.

        With its answer it may take as much as each of the others, or a little that is always allowed where there is
        so much; nothing of it is dealt out meanwhile. None: as many as it likes.
        """
        most = None
        if self.left is not None:
            most = max(self.left // (2 * (others + 1)), min(self.left // 2, _SMALL_BYTES))
        with _changing:
            self.promised += 2 * (most or 0)
        try:
            yield most
        finally:
            with _changing:
                self.promised -= 2 * (most or 0)

    def within(self, limit: int | None) -> int | None:
        """A limit of memory, or what one search may hold where that is less."""
        return min((each for each in (limit, self.memory) if each is not None), default=None)


ALLOWED = Allowance()  # that of this process


def take_memory() -> None:
    """Begin something that takes much memory; raises a ValueError where there is none left."""
    if ALLOWED.full:
        raise ValueError(NO_MEMORY)


class Share:
    """Lets a search, within a ``with`` block, grow as far as it is dealt memory, and within its own limit.

    Its ``memory_limit`` is as it was after the block. `held` gives the bytes that it holds.
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


SHARES: WeakSet[Share] = WeakSet()  # those of the searches of this process that go on
