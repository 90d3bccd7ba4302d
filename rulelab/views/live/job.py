"""One piece of work in a thread of its own, such as a search, that the page watches and can cancel; no Panel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ..allowance import Share
from .pool import Pool
from .session import THREAD_NAME, lower_priority

SIDE_WORK = Pool(1)
"""Scores and baselines of all sessions wait in this line; searches have a pool of their own."""


class Cancelled(ValueError):  # noqa: N818 - nothing went wrong
    """The work is not wanted any more."""


class Progress:
    """What the work tells the page, and what the page tells the work."""

    def __init__(self) -> None:
        self.doing = "waiting"  # what is being done, for the user to read
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
    """Work that is done once, beside the page.

    `work` gets a `Progress` and gives the result; raises ValueError with a message for the user. `pool`: the line to
    wait in.
    """

    def __init__(self, work: Callable[[Progress], Any], pool: Pool = SIDE_WORK) -> None:
        self.progress = Progress()
        self.result: Any = None  # once it is done
        self.error: str | None = None  # why there is no result
        self.failed = False  # whether that is an error of the program, so that it may work when it is tried again
        self._work = work
        self._pool = pool
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        return self._thread.is_alive()

    @property
    def standing(self) -> str:
        """What is being done, and for how long."""
        return f"{self.progress.doing} ({time.monotonic() - self._began:.0f} s)"

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
            with self._pool.place(lambda: self.progress.cancelled) as granted:
                if granted:
                    self.result = self._work(self.progress)
            error, failed = None if granted else "cancelled", False
        except (ValueError, MemoryError) as found:
            error, failed = str(found) or "not enough memory", False
        finally:
            self.error, self.failed = error, failed


def run(search: Any, seconds: float, progress: Progress, said: Callable[[Any], str], what: str) -> Any:
    """Advance a search, with its share of the memory, until it ends or is cancelled; its last snapshot.

    `seconds`: its time limit; compiling is not counted. `said` says of a snapshot what is being done. `what`: the
    search, while it is compiled.
    """
    if not search.compiled:
        progress.report(f"compiling {what}: once per machine, up to a minute")
        search.compile()
    snapshot: Any = None
    with Share(search, lambda: 0 if snapshot is None else snapshot.memory_bytes):
        for snapshot in search.steps(time_limit=seconds):
            progress.doing = said(snapshot)
            if progress.cancelled:
                break
    return snapshot
