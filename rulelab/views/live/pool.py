"""A first-come first-served line in front of the processors, so that many searches on one machine all go on."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_SECONDS = 0.2


class Pool:
    """A fixed number of places; who finds none free waits in line and takes the next one."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = places
        self._line: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def place(self, cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a place and hold it for the ``with`` block; yields False, without a place, once ``cancelled()``."""
        ticket = object()
        with self._changed:
            self._line.append(ticket)
            try:
                while not cancelled() and not (self._free > 0 and self._line[0] is ticket):
                    self._changed.wait(_LOOK_SECONDS)
            finally:
                self._line.remove(ticket)
                granted = not cancelled()
                self._free -= granted
                self._changed.notify_all()
        try:
            yield granted
        finally:
            if granted:
                with self._changed:
                    self._free += 1
                    self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """How many wait in line."""
        return len(self._line)


POOL = Pool(max(1, (os.cpu_count() or 2) - 1))
"""The places of this process: one processor stays free for the page."""
