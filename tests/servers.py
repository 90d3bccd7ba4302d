"""A server of the page, in a process or in a thread, and who comes to it with requests that no browser would make."""

import asyncio
import http.client
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode

import panel as pn
from command_line import dashed
from panel.viewable import Viewable
from patience import PATIENCE, wait_until
from places import ROOT
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect

from rulelab.views.serving.opening import Opening


def in_a_thread(lesson: Coroutine[Any, Any, Any]) -> Any:
    """What it returns, run in a thread of its own: in that of the tests a loop runs once a browser was used."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, lesson).result()


def listens(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as near:
        return near.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: str

    @property
    def cookies(self) -> dict[str, str]:
        """Those that are set, by name, with their flags."""
        lines = self.headers.get_all("Set-Cookie") or []
        return {line.partition("=")[0]: line.partition("=")[2] for line in lines}


@dataclass
class Served:
    """A server that runs."""

    port: int
    process: subprocess.Popen[bytes]
    log: BinaryIO
    kept: dict[str, str] = field(default_factory=dict)

    def ask(
        self, path: str = "/", method: str = "GET", form: Mapping[str, str] | None = None, **headers: str
    ) -> Answer:
        """Send a request; cookies that the server has set before go with it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {dashed(name): value for name, value in headers.items()}
        if self.kept:
            sent.setdefault("Cookie", "; ".join(f"{name}={value}" for name, value in self.kept.items()))
        body = None
        if form is not None:
            body, sent["Content-Type"] = urlencode(form), "application/x-www-form-urlencoded"
        try:
            connection.request(method, path, body, sent)
            got = connection.getresponse()
            answer = Answer(got.status, got.headers, got.read().decode())
        finally:
            connection.close()
        self.kept |= {name: value.partition(";")[0] for name, value in answer.cookies.items()}
        return answer

    def token(self) -> str:
        """Of a page that has just been opened."""
        return self.ask().body.partition('"token":"')[2].partition('"')[0]

    def connect(self, token: str, origin: str | None, path: str = "/ws", message: bytes = b"") -> Any:
        """Open the websocket of the page: its first message, None where it is closed, or the status of a refusal."""

        async def talk() -> Any:
            headers = {} if origin is None else {"Origin": origin}
            if self.kept:
                headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.kept.items())
            request = HTTPRequest(f"ws://127.0.0.1:{self.port}{path}", headers=headers)
            try:
                wire: WebSocketClientConnection = await websocket_connect(request, subprotocols=["bokeh", token])
            except HTTPClientError as error:
                return error.code
            first = await wire.read_message()
            if message:
                for _ in range(2):  # the rest of the first message
                    first = await wire.read_message() if first is not None else None
                with suppress(WebSocketClosedError, StreamClosedError):
                    await wire.write_message(message, binary=True)
                while first is not None:
                    first = await wire.read_message()
            wire.close()
            return first

        return in_a_thread(asyncio.wait_for(talk(), PATIENCE))

    @property
    def written(self) -> str:
        """The log so far."""
        self.log.seek(0)
        return self.log.read().decode()


@contextmanager
def served(*arguments: str, state: Path, port: int | None = None, **variables: str) -> Iterator[Served]:
    """A server for the ``with`` block; its secret is kept below ``state``."""
    port = port or free_port()
    environment = os.environ | {"XDG_STATE_HOME": str(state), "RULELAB_WARMING": "0"} | variables
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "rulelab", "serve", "--port", str(port), *arguments]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            out = Served(port, process, log)

            def answers() -> bool:
                assert process.poll() is None, out.written
                return listens(port)

            wait_until(answers, 0.1)
            yield out
        finally:
            process.kill()
            process.wait()


@contextmanager
def served_here(create: Callable[[], Viewable], **options: Any) -> Iterator[tuple[int, threading.Thread]]:
    """The port of pages that are made so in this process, and the thread of their loop."""
    port = free_port()
    pages = {"/": Opening(create, "made")}
    thread = pn.serve(pages, port=port, show=False, threaded=True, verbose=False, **options)
    try:
        wait_until(lambda: listens(port), 0.05)
        yield port, thread
    finally:
        thread.stop()
