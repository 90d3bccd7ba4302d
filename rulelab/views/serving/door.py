"""Several processes behind one address: this one takes the connections and hands each to the process that it is for."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import signal
import socket
import subprocess
import time
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

MOST_WORKERS = 64
PLACE = "worker"
"""In the signed token of a page: the number of the process that has it."""

_MOST_HEAD_BYTES = 65_536
_MOST_TOKEN_BYTES = 1_000_000
_MOST_WAITING = 500
_HEAD_SECONDS = 20.0
_LOOK_SECONDS = 0.02
_REPORT_SECONDS = 1.0
_FRESH_SECONDS = 5.0
_END_SECONDS = 5.0
_SHORT_LIFE_SECONDS = 20.0
_MOST_SHORT_LIVES = 3
_LOG = logging.getLogger(__name__)


def place_of(token: str) -> int | None:
    """The process that a page's token names; None: none. The token is not checked: the process does that."""
    with suppress(ValueError, KeyError, TypeError, zlib.error, RecursionError):
        claims = json.loads(_base64(token.partition(".")[0]))
        packed = zlib.decompressobj().decompress(_base64(claims["__bk__zlib_"]), _MOST_TOKEN_BYTES)
        place = json.loads(packed)[PLACE]
        return place if type(place) is int else None
    return None


def _base64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def token_of(head: bytes) -> str | None:
    """The token in the head of a request for a websocket; None: it is another request."""
    lines = head.split(b"\r\n")
    if not lines[0].split(b"?")[0].split(b" HTTP/")[0].endswith(b"/ws"):
        return None
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"sec-websocket-protocol":
            return value.decode("latin-1").rpartition(",")[2].strip()
    return ""


async def _readable(connection: socket.socket, seconds: float) -> None:
    """Wait until there is something to read, or for so long."""
    loop = asyncio.get_running_loop()
    there: asyncio.Future[None] = loop.create_future()
    loop.add_reader(connection, lambda: None if there.done() else there.set_result(None))
    try:
        await asyncio.wait({there}, timeout=seconds)
    finally:
        loop.remove_reader(connection)


class Worker:
    """One process that has pages.

    Attributes
    ----------
    process : Popen
    wire : socket
        Connections go to it, and reports of how it stands come back.
    ready : bool
        Whether it has begun to serve.
    report : dict
        The last one.
    """

    def __init__(self, command: Sequence[str], number: int, environment: dict[str, str]) -> None:
        self.number = number
        self.wire, theirs = socket.socketpair()
        self.wire.setblocking(False)
        self.ready, self.report, self.began = False, {}, time.monotonic()  # type: ignore[var-annotated]
        self._given: deque[float] = deque()
        self._left = b""
        with theirs:
            self.process = subprocess.Popen(
                [*command, "--worker", f"{number}:{theirs.fileno()}"],
                env=environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the process that takes the connections
            )

    @property
    def pages(self) -> int:
        """How many it has, with those that it was given a moment ago."""
        while self._given and self._given[0] < time.monotonic() - _FRESH_SECONDS:
            self._given.popleft()
        return int(self.report.get("figures", {}).get("sessions", 0)) + len(self._given)

    def give(self, connection: socket.socket, address: Any) -> None:
        """Hand over a connection; raises OSError where it cannot take one."""
        message = json.dumps({"visitor": list(address)}).encode() + b"\n"
        socket.send_fds(self.wire, [message], [connection.fileno()])
        self._given.append(time.monotonic())

    def tell(self, others: list[dict[str, Any]]) -> None:
        """How the other processes stand."""
        with suppress(OSError):  # it has ended, or has more to read than it can
            self.wire.send(json.dumps({"others": others}).encode() + b"\n")

    def listen(self) -> None:
        """Read what it has sent."""
        with suppress(OSError):
            *lines, self._left = (self._left + self.wire.recv(1 << 20)).split(b"\n")
            for line in lines:
                self.ready, self.report = True, json.loads(line)


class Door:
    """Listens, and begins, feeds, replaces and ends the processes that have the pages.

    A page goes to the process with the fewest, and its websocket, which is a connection of its own, to the process that
    its token names. Nothing is read here but the head of a request, and that is left for the process to read again.

    Parameters
    ----------
    command : sequence of str
        Begins a process, which is told its number and the descriptor of its end of a wire by ``--worker``.
    n_workers : int
    sockets : sequence of socket
        That listen.
    grace : float
        Seconds that searches have to end.
    environment : dict
        Of the processes.
    begun : callable
        Called when the first process serves.
    """

    def __init__(
        self,
        command: Sequence[str],
        n_workers: int,
        sockets: Sequence[socket.socket],
        grace: float,
        environment: dict[str, str],
        begun: Callable[[], Any],
    ) -> None:
        self._command, self._grace, self._environment, self._begun = command, grace, environment, begun
        self._sockets = list(sockets)
        self._n_workers = n_workers
        self._workers: list[Worker] = []
        self._waiting: OrderedDict[asyncio.Task[None], None] = OrderedDict()
        self._short_lives = 0
        self._ending = asyncio.Event()

    async def run(self) -> int:
        """Serve until told to end (SIGTERM or Ctrl-C); the exit status."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._ending.set)
        try:
            status = await self._begin()
            if status is None:
                for each in self._sockets:
                    loop.add_reader(each, self._accept, each)
                self._begun()
                status = await self._watch()
        finally:
            for each in self._sockets:
                loop.remove_reader(each)
                each.close()
            await self._end()
        return status

    async def _begin(self) -> int | None:
        """Begin the first process and, when it serves, the others; a status where it has ended instead."""
        first = self._add(0)
        while not first.ready and not self._ending.is_set():
            if first.process.poll() is not None:
                return first.process.returncode or 1
            await asyncio.sleep(_LOOK_SECONDS)
        for number in range(1, self._n_workers):
            self._add(number)
        return None

    def _add(self, number: int) -> Worker:
        worker = Worker(self._command, number, self._environment | ({"RULELAB_WARMING": "0"} if number else {}))
        asyncio.get_running_loop().add_reader(worker.wire, worker.listen)
        self._workers[number : number + 1] = [worker]
        return worker

    async def _watch(self) -> int:
        while not self._ending.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _REPORT_SECONDS)
            for worker in list(self._workers):
                worker.tell([each.report for each in self._workers if each is not worker and each.report])
                if worker.process.poll() is not None and not self._ending.is_set() and not self._replace(worker):
                    return 1
        return 0

    def _replace(self, worker: Worker) -> bool:
        """Begin a process in the place of one that has ended; False where they do nothing but end."""
        _LOG.error("worker %d has ended with status %s", worker.number, worker.process.returncode)
        lived = time.monotonic() - worker.began
        self._short_lives = self._short_lives + 1 if lived < _SHORT_LIFE_SECONDS else 0
        self._let_go(worker)
        if self._short_lives >= _MOST_SHORT_LIVES:
            _LOG.error("the server ends, as its processes do again and again")
            return False
        self._add(worker.number)
        return True

    def _let_go(self, worker: Worker) -> None:
        asyncio.get_running_loop().remove_reader(worker.wire)
        worker.wire.close()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            connection, address = listening.accept()
            connection.setblocking(False)
            if len(self._waiting) >= _MOST_WAITING:
                self._waiting.popitem(last=False)[0].cancel()  # who has said nothing for the longest
            task = asyncio.get_running_loop().create_task(self._admit(connection, address))
            self._waiting[task] = None
            task.add_done_callback(lambda done: self._waiting.pop(done, None))

    async def _admit(self, connection: socket.socket, address: Any) -> None:
        with connection, suppress(OSError):
            head = await self._head(connection)
            if head:
                self._worker(head).give(connection, address)

    async def _head(self, connection: socket.socket) -> bytes:
        """The head of the first request, which stays to be read; empty: none has come."""
        end = time.monotonic() + _HEAD_SECONDS
        pause = _LOOK_SECONDS / 20
        while time.monotonic() < end and not self._ending.is_set():
            try:
                head = connection.recv(_MOST_HEAD_BYTES, socket.MSG_PEEK)
            except BlockingIOError:
                await _readable(connection, end - time.monotonic())
                continue
            if not head or b"\r\n\r\n" in head or len(head) >= _MOST_HEAD_BYTES:
                return head
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1.0)
        return b""

    def _worker(self, head: bytes) -> Worker:
        """Who is to have a connection."""
        token = token_of(head)
        place = None if token is None else place_of(token)
        if place is not None and 0 <= place < len(self._workers):
            return self._workers[place]
        return min(self._workers, key=lambda each: (not each.ready, each.pages, each.number))

    async def _end(self) -> None:
        for worker in self._workers:
            with suppress(OSError):
                worker.process.terminate()
        latest = time.monotonic() + self._grace + _END_SECONDS
        while any(each.process.poll() is None for each in self._workers) and time.monotonic() < latest:
            await asyncio.sleep(_LOOK_SECONDS)
        for worker in self._workers:
            if worker.process.poll() is None:
                worker.process.kill()
            worker.process.wait()
            self._let_go(worker)
