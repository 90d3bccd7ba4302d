"""A page that is opened over a real websocket, as a browser opens it, but drawn by nobody."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

PATIENCE = float(os.environ.get("RULELAB_PATIENCE", "300"))
"""Seconds after which what does not come is given up."""


class Visitor:
    """One open page.

    Attributes
    ----------
    arrived : list of float
        When patches came.
    token : str
        Of the page.
    told : list of str
        What the page was when it was opened, as JSON, and what has come since.
    """

    def __init__(self, port: int, query: str, keeps: bool = False) -> None:
        self.port, self.query, self.keeps = port, query, keeps
        self.sent = 0
        self.wire: WebSocketClientConnection | None = None
        self.named: dict[str, str] = {}
        self.arrived: list[float] = []
        self.token, self.told = "", list[str]()

    async def open(self, after: float = 0.0) -> None:
        """Fetch the page, and its document after some seconds."""
        base = f"127.0.0.1:{self.port}"
        client = AsyncHTTPClient(max_clients=1000)
        page = await client.fetch(f"http://{base}/{self.query}", request_timeout=PATIENCE)
        self.token = page.body.decode().partition('"token":"')[2].partition('"')[0]
        await asyncio.sleep(after)
        request = HTTPRequest(f"ws://{base}/ws", headers={"Origin": f"http://{base}"}, connect_timeout=PATIENCE)
        wire = await websocket_connect(request, subprotocols=["bokeh", self.token], compression_options={})
        self.wire = wire
        await self.message("ACK")
        await self.send("PULL-DOC-REQ", {})
        self.told = [await self.message("PULL-DOC-REPLY")]
        document = json.loads(self.told[0])
        self.named = {_label(each): each["id"] for each in reversed([*_models(document)])}
        await self.event("document_ready", [])

    async def watch(self) -> None:
        """Note when patches arrive, until the page is closed."""
        assert self.wire is not None
        while (part := await self.wire.read_message()) is not None:
            if isinstance(part, str) and part.startswith('{"msgid"') and "PATCH-DOC" in part:
                self.arrived.append(time.perf_counter())
            elif self.keeps and isinstance(part, str):
                self.told.append(part)

    async def press_run(self) -> float:
        """Press the button; the moment."""
        await self.event("data_event", [["model", {"id": self.named["Run"]}], ["data", "press"]])
        return time.perf_counter()

    def close(self) -> None:
        """Leave, as a browser does."""
        if self.wire is not None:
            self.wire.close()

    async def message(self, kind: str) -> str:
        """The content of the next message of a kind; one is a header, metadata, a content and its buffers."""
        while True:
            header = json.loads(await self.part())
            _, content, *_ = [await self.part() for _ in range(2 + 2 * header.get("num_buffers", 0))]
            if header["msgtype"] == kind:
                return str(content)

    async def part(self) -> str | bytes:
        assert self.wire is not None
        part = await asyncio.wait_for(self.wire.read_message(), PATIENCE)
        if part is None:
            raise ConnectionError("the server has closed the connection")
        return part

    async def event(self, name: str, values: list[Any]) -> None:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": values}}
        await self.send(
            "PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}]}
        )

    async def send(self, kind: str, content: dict[str, Any]) -> None:
        assert self.wire is not None
        self.sent += 1
        for part in ({"msgid": str(self.sent), "msgtype": kind}, {}, content):
            await self.wire.write_message(json.dumps(part))


def _label(model: dict[str, Any]) -> str:
    """What stands on a model, or on what holds the parameters of one of the page's own."""
    own = model["attributes"].get("data")
    inside = own.get("attributes", {}) if isinstance(own, dict) else {}
    return str(inside.get("label", model["attributes"].get("label")))


def _models(tree: Any) -> Iterator[dict[str, Any]]:
    """All models of a document."""
    if isinstance(tree, dict):
        if tree.get("type") == "object" and "attributes" in tree:
            yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for part in tree:
            yield from _models(part)


@asynccontextmanager
async def watching(port: int, queries: Sequence[str]) -> AsyncIterator[list[Visitor]]:
    """Visitors who have opened their pages; they close them at the end of the block."""
    visitors = [Visitor(port, query) for query in queries]
    for visitor in visitors:
        await visitor.open()
    tasks = [asyncio.create_task(visitor.watch()) for visitor in visitors]
    yield visitors
    for visitor in visitors:
        visitor.close()
    await asyncio.gather(*tasks)


@asynccontextmanager
async def searching(port: int, queries: Sequence[str]) -> AsyncIterator[list[Visitor]]:
    """Those who have also pressed Run."""
    async with watching(port, queries) as visitors:
        for visitor in visitors:
            visitor.arrived.clear()
            await visitor.press_run()
        yield visitors
