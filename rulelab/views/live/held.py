"""A search in another process, and how it comes back; nothing of the page is imported there until it is drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...recording import Course
from ...search import Search
from ...slices import Slices
from ...snapshot import Snapshot, Status
from .wire import dumped, loaded

BEAT_SECONDS = 0.2
"""How long a search is advanced before it tells what it has found."""
_PROBLEM = "problem"


class Held:
    """Has a search in hand; its methods are called one after another.

    Parameters
    ----------
    search : Search
    course : Course, optional
        Looks at the search as it goes on.
    """

    def __init__(self, search: Search, course: Course | None = None) -> None:
        self.search, self.course, self._slices = search, course, Slices()

    def is_compiled(self) -> bool:
        """Whether the kernels are ready in this process."""
        return self.search.compiled

    def compile(self) -> None:
        """Make them ready."""
        self.search.compile()

    def advance(self, units: int, seconds: float = BEAT_SECONDS) -> tuple[list[Snapshot], int]:
        """Do so many units of work, or as many as there is time for: all states, and the units that are left."""
        found: list[Snapshot] = []
        until = time.monotonic() + seconds
        while units > 0:
            size = min(self._slices.size, units)
            found.append(self._slices.advance(self.search, size))
            units -= size
            if self.course is not None:
                self.course.look(self.search, found[-1])
            if found[-1].status is not Status.RUNNING or time.monotonic() >= until:
                break
        return found, units

    def see(self, look: Callable[[Search], Any]) -> Any:
        """What ``look`` gives of the search."""
        return look(self.search)

    def packed(self) -> bytes:
        """The search as it is, without the problem, which is where it came from."""
        return dumped(self.search, {_PROBLEM: self.search.problem})


def unpacked(raw: bytes, problem: Any) -> Search:
    """The search that `Held.packed` has packed, of the problem that it was made of."""
    search: Search = loaded(raw, {_PROBLEM: problem})
    return search
