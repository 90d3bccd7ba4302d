"""The searches of the page in processes of their own on this machine; see `hosts`."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from ...recording import Course
from ...search import Search
from ...snapshot import Incumbent, Snapshot
from .hands import HANDS, Hand, Here, LostError
from .hosts import Host, Hosts, Question
from .pool import Pool
from .prepared import Unwanted
from .session import OPEN

_PATIENCE_SECONDS = 30.0
"""For a slice of work to end that is not wanted any more."""
_WAIT_WORTH_SHOWING = 0.3
_MOST_UNITS = 1 << 20
SILENT = "The process that searched did not answer"


class Beside(Hand):
    """In a process of its own, which it may share with others; see `Hand`."""

    def __init__(self, hosts: Hosts) -> None:
        super().__init__()
        self._hosts = hosts
        self._key = uuid.uuid4().hex
        self._search: Search | None = None
        self._course: Course | None = None
        self._host: Host | None = None
        self._best: Incumbent | None = None
        self._turn: Question | None = None

    def begin(self, search: Search, course: Course | None, report: Callable[[str], None]) -> None:
        self._search, self._course, self._best = search, course, None

        def sending() -> None:
            report("handing the search to a process of its own")

        def compiling() -> None:
            report("compiling the search: once per machine, some seconds")

        sending()
        self._host = self._hosts.take()
        try:
            self._host.wait(sending)
            if not self._ask("hold", search, course).answer(sending):
                compiling()
                self._ask("compile").answer(compiling)
            self._host.note_size()
            self._hosts.know(search.family, self._host)
        except (Unwanted, ValueError, MemoryError):
            raise
        except LostError as error:
            raise ValueError(f"{error} before it began: run it again") from error
        except Exception as error:
            raise ValueError(f"the search cannot be handed to another process: {error}") from error

    @property
    def compiled(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return _MOST_UNITS

    def waiting(self, late: bool) -> int:
        turn, host = self._turn, self._host
        if turn is None or host is None or time.monotonic() - turn.asked_at < _WAIT_WORTH_SHOWING:
            return 0
        return host.waiting

    def place(self, ended: Callable[[], bool]) -> AbstractContextManager[bool]:
        return contextlib.nullcontext(not ended())

    def advance(self, units: int, ended: Callable[[], bool]) -> tuple[Sequence[Snapshot], int]:
        self._turn = self._ask("advance", units)
        try:
            found, left = self._turn.answer(self._patient(ended))
        finally:
            self._turn = None
        return [self._known(each) for each in found], left

    def limit(self, most: int) -> None:
        with contextlib.suppress(LostError, AssertionError):
            self._ask("limit", most)

    def see(self, look: Callable[[Search], Any], ended: Callable[[], bool]) -> Any:
        if self._host is None:
            assert self._search is not None
            return look(self._search)
        return self._ask("see", look).answer(self._patient(ended))

    def bring_back(self, ended: Callable[[], bool], last: bool = False) -> None:
        if self._host is None or self._search is None:
            return
        search, course = self._ask("give", last).answer(_gone(ended))
        self._search.__dict__ = search.__dict__
        if self._course is not None:
            self._course.__dict__ = course.__dict__
        if last:
            self.release()

    def release(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            self._hosts.leave(host, self._key)

    def _ask(self, method: str, *arguments: Any) -> Question:
        """Ask the process that has it, with names for what is there, too."""
        assert self._host is not None
        assert self._search is not None
        known = {"problem": self._search.problem}
        told = {} if method == "hold" else {"course": self._course, **known}
        return self._host.ask(self._key, method, *arguments, told=told, known=known)

    def _patient(self, over: Callable[[], bool]) -> Callable[[], None]:
        """Raises where the answer is late once it is ``over``, and at once when the session is closed."""
        since: list[float] = []

        def look() -> None:
            if over() and not since:
                since.append(time.monotonic())
            if self.closed() or (since and time.monotonic() - since[0] > _PATIENCE_SECONDS):
                raise LostError(SILENT)

        return look

    def _known(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with the very model that came before, where it is still the best one."""
        best = snapshot.incumbent
        if best is None or self._best is None or best.found_at != self._best.found_at:
            self._best = best
            return snapshot
        return replace(snapshot, incumbent=self._best)


def _gone(ended: Callable[[], bool]) -> Callable[[], None]:
    """Raises where nobody wants the answer any more."""

    def look() -> None:
        if ended():
            raise LostError(SILENT)

    return look


def search_beside(hosts: Hosts | None) -> None:
    """Let all searches of pages that begin in this process from now on be in other processes; None: here."""
    HANDS.make = Here if hosts is None else _maker(hosts)
    HANDS.elsewhere = hosts is not None
    HANDS.waiting = (lambda: 0) if hosts is None else lambda: hosts.waiting


def _maker(hosts: Hosts) -> Callable[[Pool], Hand]:
    def make(_: Pool) -> Hand:
        hosts.begin(1 + len(OPEN))
        return Beside(hosts)

    return make
