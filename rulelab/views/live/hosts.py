"""Processes of this machine that have the searches of the page in hand, so that no search holds up a page.

There are a few, which searches share; each ends with the process that began it. One that holds much more than when it
was new, and has no search any more, is ended, and its memory with it.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import pickle
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import psutil

from . import hosting
from .apart import begin
from .hands import LostError
from .wire import Part, pack, receive, send, unpack

LOST = "The process that searched has ended"
_LOOK_SECONDS = 0.1
_MOST_GROWTH_BYTES = 100_000_000
_LOG = logging.getLogger(__name__)


class Question:
    """Something that a process was asked.

    Parameters
    ----------
    method : str
        Of `hosting.Hosting`.
    known : mapping
        What has a name in the answer.
    """

    def __init__(self, method: str, known: Mapping[str, Any]) -> None:
        self.method, self.asked_at = method, time.monotonic()
        self._known = known
        self._answered = threading.Event()
        self._parts: list[Part] | None = None

    def put(self, parts: list[Part] | None) -> None:
        """The answer; None: there will be none."""
        self._parts = parts
        self._answered.set()

    def answer(self, wanted: Callable[[], Any]) -> Any:
        """Wait for the answer; ``wanted`` is called meanwhile, and raises where nobody waits any more.

        Raises
        ------
        LostError
            The process has ended.
        """
        while not self._answered.wait(_LOOK_SECONDS):
            wanted()
        if self._parts is None:
            raise LostError(LOST)
        done, found = unpack(self._parts, self._known)
        self._parts = None
        if not done:
            raise found
        return found


class Host:
    """One process, and what it was asked.

    Attributes
    ----------
    searches : int
        How many it has in hand.
    """

    def __init__(self) -> None:
        self.searches = 0
        self._process: subprocess.Popen[bytes] = begin(hosting.__name__)
        self._questions: dict[int, Question] = {}
        self._numbers = itertools.count()
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._lost = self._ready = False
        self._fresh_bytes: int | None = None
        threading.Thread(target=self._listen, name="rulelab answers", daemon=True).start()

    def ask(
        self, key: str, method: str, *arguments: Any, told: Mapping[str, Any] = {}, known: Mapping[str, Any] = {}
    ) -> Question:
        """Ask for a method of `hosting.Hosting`.

        Parameters
        ----------
        key : str
            Of the search.
        method : str
        *arguments
            Are sent.
        told, known : mapping
            What has a name in the arguments, and in the answer.
        """
        parts = pack(arguments, told)
        question = Question(method, known)
        with self._lock:
            if self._lost:
                raise LostError(LOST)
            number = next(self._numbers)
            self._questions[number] = question
        try:
            with self._writing:
                assert self._process.stdin is not None
                send(self._process.stdin, [pickle.dumps((number, key, method)), *parts])
        except (OSError, ValueError) as error:
            self._lost = True
            raise LostError(LOST) from error
        return question

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    @property
    def lost(self) -> bool:
        """Whether the process has ended, although it may still be listened to."""
        return self._lost or self._process.poll() is not None

    @property
    def ready(self) -> bool:
        """Whether it would take a search at once."""
        return self._ready and not self.lost

    @property
    def waiting(self) -> int:
        """How many searches wait for their turn."""
        with self._lock:
            return max(0, sum(each.method == "advance" for each in self._questions.values()) - 1)

    @property
    def bytes(self) -> int:
        """Resident memory."""
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    @property
    def grown(self) -> bool:
        """Whether it holds much more than when its first search was ready."""
        return self._fresh_bytes is not None and self.bytes > self._fresh_bytes + _MOST_GROWTH_BYTES

    def note_size(self) -> None:
        """Look how large it is, when its first search is about to begin."""
        if self._fresh_bytes is None:
            self._fresh_bytes = self.bytes

    def wait(self, wanted: Callable[[], Any]) -> None:
        """Until it takes what it is sent; ``wanted`` is called meanwhile, and raises where nobody waits any more."""
        while not self.ready:
            wanted()
            if self.lost:
                raise LostError(LOST)
            time.sleep(_LOOK_SECONDS)

    def warm(self, family: str) -> None:
        """Let the kernels of a family be made ready; nobody waits for that."""
        with contextlib.suppress(LostError):
            self.ask("", "warm", family)

    def end(self) -> None:
        """End the process now."""
        self._process.kill()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        try:
            receive(stream)
            self._ready = True
            while True:
                first, *parts = receive(stream)
                with self._lock:
                    question = self._questions.pop(pickle.loads(first))
                question.put(parts)
                del question, parts
        except (EOFError, OSError):
            with self._lock:
                self._lost = True
                left = list(self._questions.values())
                self._questions.clear()
            for question in left:
                question.put(None)
            self._process.wait()


class Hosts:
    """The processes.

    Parameters
    ----------
    most : int
        How many there are at once.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._hosts: list[Host] = []
        self._families: list[str] = []
        self._over = False

    def begin(self, pages: int = 1) -> None:
        """Have some that wait for the searches of so many pages."""
        with self._lock:
            self._present(min(pages, self.most))

    def know(self, family: str, there: Host) -> None:
        """A process has made the kernels of a family ready: others may do so before they have a search of it."""
        with self._lock:
            new = family not in self._families
            if new:
                self._families.append(family)
            others = [host for host in self._hosts if new and host is not there]
        for host in others:
            host.warm(family)

    def take(self) -> Host:
        """The one with the fewest searches, which has one more.

        Raises
        ------
        ValueError
            They were ended.
        """
        with self._lock:
            found = self._present(1)
            if not found:
                raise ValueError("this server is being stopped")
            host = min(found, key=lambda each: (not each.ready, each.searches))
            host.searches += 1
            return host

    def leave(self, host: Host, key: str) -> None:
        """Let a process drop a search, and end it if it is of no use any more; nobody waits for that."""
        with self._lock:
            host.searches -= 1
        threading.Thread(target=self._leave, args=(host, key), name="rulelab host", daemon=True).start()

    def _leave(self, host: Host, key: str) -> None:
        with contextlib.suppress(LostError):
            host.ask(key, "drop").answer(lambda: None)
        with self._lock:
            if not host.searches and host.grown and host in self._hosts:
                left = len(self._hosts)
                self._hosts.remove(host)
                host.end()
                self._present(left)

    def end(self) -> None:
        """End all of them, for good."""
        with self._lock:
            self._over = True
            for host in self._hosts:
                host.end()
            self._hosts.clear()

    @property
    def present(self) -> list[Host]:
        """Those that have not ended."""
        with self._lock:
            return [each for each in self._hosts if not each.lost]

    @property
    def waiting(self) -> int:
        """How many searches wait for their turn."""
        with self._lock:
            return sum(each.waiting for each in self._hosts)

    def _present(self, least: int) -> list[Host]:
        """Those that have not ended, at least so many."""
        self._hosts = [each for each in self._hosts if not each.lost]
        while not self._over and len(self._hosts) < least:
            host = Host()
            for family in self._families:
                host.warm(family)
            self._hosts.append(host)
        return self._hosts
