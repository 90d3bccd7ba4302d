"""Work in threads of their own that the page watches, and the first-come first-served line before the processors."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ...warming import saying
from ..allowance import Share
from .apart import NICENESS

THREAD_NAME = "rulelab search"
_LOOK_SECONDS = 0.2
_BUSY = 4  # times its limit of processor time that work may take by the clock
_LEAST_SECONDS = 0.05


class Pool:
    """A fixed number of places; who finds none free waits in line and takes the next one."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = places
        self._line: deque[object] = deque()
        self.held: list[str] = []  # what is done in the places that are not free
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def place(self, cancelled: Callable[[], bool], what: str = "a search") -> Iterator[bool]:
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
                self.held += [what] * granted
                self._changed.notify_all()
        try:
            yield granted
        finally:
            if granted:
                with self._changed:
                    self._free += 1
                    self.held.remove(what)
                    self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """How many wait in line."""
        return len(self._line)


POOL = Pool(max(1, (os.cpu_count() or 2) - 1))
"""The places of this process: one processor stays free for the page."""
SIDE_WORK = Pool(1)
"""Scores and baselines of all sessions wait in this line; searches have a pool of their own."""


def lower_priority() -> None:
    """Let the thread of the page go first; only Linux knows priorities of threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class Cancelled(ValueError):  # noqa: N818 - nothing went wrong
    """The work is not wanted any more."""


class Progress:
    """What the work tells the page, and what the page tells the work."""

    def __init__(self) -> None:
        self.doing = ""  # what is being done, for the user to read; empty: nothing yet
        self._cancelled = threading.Event()
        self._clean_up: Callable[[], Any] | None = None

    def report(self, doing: str) -> None:
        """Say what comes next; raises Cancelled when the work is to end instead."""
        if self._cancelled.is_set():
            raise Cancelled("cancelled")
        self.doing = doing

    def on_cancel(self, clean_up: Callable[[], Any]) -> None:
        """What to call, from another thread, when the work is cancelled; at once when it is already."""
        self._clean_up = clean_up
        if self._cancelled.is_set():
            clean_up()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask the work to end."""
        self._cancelled.set()
        if self._clean_up is not None:
            self._clean_up()


class Job:
    """Work that is done once, beside the page: it gives the result, or raises ValueError with words for the user."""

    def __init__(self, work: Callable[[Progress], Any], pool: Pool = SIDE_WORK, what: str = "other work") -> None:
        self.progress = Progress()
        self.result: Any = None  # once it is done
        self.error: str | None = None  # why there is no result
        self.failed = False  # whether that is an error of the program, so that it may work when it is tried again
        self._work = work
        self._pool, self._what = pool, what
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        return self._thread.is_alive()

    @property
    def standing(self) -> str:
        """What is being done, and for how long."""
        held = " and ".join(dict.fromkeys(self._pool.held)) or "other work"
        return f"{self.progress.doing or f'waiting until {held} has ended'} ({time.monotonic() - self._began:.0f} s)"

    def cancel(self) -> None:
        """Let the work end as soon as it can."""
        self.progress.cancel()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(timeout)

    def _run(self) -> None:
        lower_priority()
        error: str | None = "it stopped on an unexpected error; the log of the server has the details"
        failed = True
        try:
            with self._pool.place(lambda: self.progress.cancelled, self._what) as granted:
                if granted:
                    self.progress.doing = self.progress.doing or "beginning"
                    self.result = self._work(self.progress)
            error, failed = None if granted else "cancelled", False
        except (ValueError, MemoryError) as found:
            error, failed = str(found) or "not enough memory", False
        finally:
            self.error, self.failed = error, failed


def run(search: Any, seconds: float, progress: Progress, said: Callable[[Any], str], what: str) -> Any:
    """Compile ``what``, then advance a search to its end, or until cancelled; ``said`` says what a snapshot is of.

    `seconds` are of the processor, as far as the clock allows: on a busy machine it has as much to show.
    """
    if not search.compiled:
        with saying(progress.report, what):
            search.compile()
    snapshot: Any = None
    began, by_clock = time.thread_time(), time.monotonic() + _BUSY * seconds
    left, spent = seconds, 0.0
    with Share(search, lambda: 0 if snapshot is None else snapshot.memory_bytes):
        while snapshot is None or (snapshot.limit == "time" and left > _LEAST_SECONDS and not progress.cancelled):
            for snapshot in search.steps(time_limit=left):
                progress.doing = said(snapshot)
                if progress.cancelled:
                    break
            left = min(seconds - (time.thread_time() - began), by_clock - time.monotonic())
            spent += snapshot.seconds
    return replace(snapshot, seconds=spent)
