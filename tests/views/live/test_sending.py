"""No message to a page stays behind until another one follows it."""

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import panel.io.document as panel_document
import pytest
from bokeh.document import Document
from live import awaited
from tornado.websocket import WebSocketHandler

from rulelab.views.live.ticker import send_all

OWN = vars(panel_document)
SENDS = "_dispatch_msgs"


@pytest.fixture(autouse=True)
def as_panel_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OWN, SENDS, inspect.unwrap(OWN[SENDS]))


class Socket(WebSocketHandler):
    """One whose writing ends when it is told to."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.writing: list[asyncio.Future[None]] = []
        self.ws_connection: Any = SimpleNamespace(is_closing=lambda: False, write_message=self.begin)

    def begin(self, text: str, binary: bool = False) -> asyncio.Future[None]:
        self.written.append(text)
        self.writing.append(asyncio.get_running_loop().create_future())
        return self.writing[-1]

    def end(self) -> None:
        for writing in self.writing:
            if not writing.done():
                writing.set_result(None)


class Protocol:
    def create(self, _kind: str, events: list[str]) -> Any:
        return SimpleNamespace(header_json=events[0], metadata_json="", content_json="", buffers=[], _buffers=[])


class Connection:
    protocol = Protocol()

    def __init__(self, socket: Socket) -> None:
        self._socket = socket


async def two_messages(turns: int) -> list[str]:
    """What is written when the second message comes some turns of the loop after the first has been written."""
    document, socket = Document(), Socket()
    connection = Connection(socket)
    panel_document.schedule_write_events(document, [connection], ["first"])
    while not socket.writing:
        await asyncio.sleep(0)
    socket.end()
    for _ in range(turns):
        await asyncio.sleep(0)
    panel_document.schedule_write_events(document, [connection], ["second"])
    for _ in range(50):
        await asyncio.sleep(0)
        socket.end()
    return list(filter(None, socket.written))


@pytest.mark.parametrize("turns", range(5))
def test_both_are_written(turns: int) -> None:
    send_all()
    send_all()
    assert awaited(two_messages(turns)) == ["first", "second"]


def test_panel_alone_leaves_one_behind() -> None:
    """Else this is not needed any more."""
    assert ["first"] in [awaited(two_messages(turns)) for turns in range(5)]


def test_other_versions_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    as_it_is = OWN[SENDS]
    monkeypatch.delitem(OWN, "_WRITE_BLOCK")
    send_all()
    assert OWN[SENDS] is as_it_is
