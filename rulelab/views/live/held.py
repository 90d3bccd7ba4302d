"""A search on a worker of a cluster, and how it comes back; nothing of the page is imported there until it is drawn."""

from __future__ import annotations

import io
import pickle
import time
from collections.abc import Callable
from typing import Any

from ...search import Search, Slices, Snapshot, Status

BEAT_SECONDS = 0.2
"""How long a search is advanced before it tells what it has found."""
_PROBLEM = "problem"


class Held:
    """Has a search in hand, an actor of Dask; its methods are called one after another.

    Parameters
    ----------
    search : Search
    """

    def __init__(self, search: Search) -> None:
        self._search, self._slices = search, Slices()

    def is_compiled(self) -> bool:
        """Whether the kernels are ready in this process."""
        return self._search.compiled

    def compile(self) -> None:
        """Make them ready."""
        self._search.compile()

    def advance(self, units: int) -> tuple[list[Snapshot], int]:
        """Do so many units of work, or as many as fit into `BEAT_SECONDS`: all states, and the units that are left."""
        found: list[Snapshot] = []
        until = time.monotonic() + BEAT_SECONDS
        while units > 0:
            size = min(self._slices.size, units)
            found.append(self._slices.advance(self._search, size))
            units -= size
            if found[-1].status is not Status.RUNNING or time.monotonic() >= until:
                break
        return found, units

    def see(self, look: Callable[[Search], Any]) -> Any:
        """What ``look`` gives of the search."""
        return look(self._search)

    def packed(self) -> bytes:
        """The search as it is, without the problem, which is where it came from."""
        out = io.BytesIO()
        _Pickler(out, self._search.problem).dump(self._search)
        return out.getvalue()


def unpacked(raw: bytes, problem: Any) -> Search:
    """The search that `Held.packed` has packed, of the problem that it was made of."""
    search: Search = _Unpickler(io.BytesIO(raw), problem).load()
    return search


class _Pickler(pickle.Pickler):
    """Writes the name of the problem in its place."""

    def __init__(self, stream: io.BytesIO, problem: Any) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._problem = problem

    def persistent_id(self, found: Any) -> str | None:
        return _PROBLEM if found is self._problem else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, problem: Any) -> None:
        super().__init__(stream)
        self._problem = problem

    def persistent_load(self, pid: str) -> Any:
        if pid != _PROBLEM:
            raise pickle.UnpicklingError(f"there is no {pid!r} beside a search")
        return self._problem
