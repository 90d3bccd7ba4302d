"""One of several processes that have pages: connections come from the one that listens, which hears how this stands."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tornado.iostream import IOStream

from ..live.pool import POOL
from ..what_if.boards import BOARDS
from .health import Standing

REPORT_SECONDS = 1.0
_BOARD_REPORTS = 2
_MOST_CONNECTIONS = 32


@dataclass(frozen=True)
class Place:
    """Which process this is.

    Attributes
    ----------
    number : int
        From 0.
    of : int
        How many there are.
    wire : int
        Descriptor of the socket from which connections come.
    """

    number: int
    of: int
    wire: int


class Receiving:
    """Takes the connections, and tells once a second how this process stands.

    When the other end is gone, so is the server, and this process ends as if it had been asked to.

    Parameters
    ----------
    place : Place
    standing : Standing
        Of the server of this process, which takes the connections.
    """

    def __init__(self, place: Place, standing: Standing) -> None:
        self._standing = standing
        self._wire = socket.socket(fileno=place.wire)
        self._wire.setblocking(False)
        self._left = b""
        self._connections: deque[int] = deque()
        self._reporting: asyncio.Task[None] | None = None
        cores = os.cpu_count() or 1
        POOL.share(max(1, (cores - 1) // place.of))

    def begin(self) -> None:
        """From now on; called in the loop."""
        self._standing.watch()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._wire, self._receive)
        self._reporting = loop.create_task(self._report())

    async def _report(self) -> None:
        beats = 0
        while True:
            with suppress(OSError):
                self._wire.send(json.dumps(self._standing.report()).encode() + b"\n")
            beats += 1
            if beats % _BOARD_REPORTS == 0:
                BOARDS.refresh()
            await asyncio.sleep(REPORT_SECONDS)

    def _receive(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._wire, 1 << 20, _MOST_CONNECTIONS)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        self._connections.extend(descriptors)
        if not data:
            asyncio.get_running_loop().remove_reader(self._wire)
            os.kill(os.getpid(), signal.SIGTERM)
            return
        *lines, self._left = (self._left + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "visitor" in message:
                self._take(self._connections.popleft(), tuple(message["visitor"]))
            else:
                self._standing.others = message["others"]

    def _take(self, descriptor: int, address: Any) -> None:
        connection = socket.socket(fileno=descriptor)
        connection.setblocking(False)
        if self._standing.stopping:
            connection.close()
            return
        self._standing.server._http.handle_stream(IOStream(connection), address)
