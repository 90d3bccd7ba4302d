"""A button that takes a file in pieces: its limit is said before, its progress during, what went wrong after."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import param
from panel.custom import JSComponent

from ...assets import asset
from ..allowance import ALLOWED, NO_FILES
from .esc import plain
from .fields import when_page_ends
from .style import sheet

PIECE_BYTES = 1_000_000
MOST_AT_ONCE_BYTES = 300_000_000  # of all files that come to this server at a time, or wait to be read
IDLE_SECONDS = 60.0  # After which a file that does not come any more makes room for another one
BUSY = "So many files are being sent to this server that {} has to wait; try again in a minute."


class Uploader(JSComponent):
    """Takes one file at a time.

    `received` gets the contents and the name of a file that has arrived as a whole. `begun`, `cancelled` are called
    when a file begins to come, and when the user does not want it any more.
    """

    label = param.String(default="Upload a file")
    accept = param.String(default="")
    limit = param.String(default="", doc="What may be uploaded, in words.")
    open = param.Boolean(default=True, doc="Whether files are taken at all.")
    most = param.Integer(default=100_000_000, doc="Largest file, in bytes.")
    piece = param.Integer(default=PIECE_BYTES)
    doing = param.String(default="", doc="What happens to the file; empty when nothing does.")
    said = param.String(default="", doc="What went wrong.")

    _esm = asset("dom.js", "uploader.js")
    _stylesheets = [sheet("file_buttons.css", "uploader.css")]

    def __init__(
        self,
        received: Callable[[bytes, str], None],
        begun: Callable[[], None] = lambda: None,
        cancelled: Callable[[], None] = lambda: None,
        **params: Any,
    ) -> None:
        if not ALLOWED.uploads:
            params |= {"open": False, "limit": NO_FILES}
        super().__init__(**params)
        self._received, self._begun, self._cancelled = received, begun, cancelled
        self._parts: list[bytes] = []
        self._id: Any = None
        self._name = ""
        self._arrived = self._claimed = 0
        self._latest, self._lapsed = 0.0, False
        OPEN.add(self)
        when_page_ends(self._drop)

    @param.depends("doing", watch=True)
    def _release(self) -> None:
        if not self.doing:
            self._claimed = 0

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        kind = data.get("type") if isinstance(data, dict) else None
        if not ALLOWED.uploads:
            self._forget(NO_FILES)
        elif kind == "begin" and self._id is None:
            self._id, self._name, self._parts, self._arrived = data.get("id"), plain(data.get("name"), 120), [], 0
            if not self._claim(data.get("size")):
                self._forget(BUSY.format(self._name))
                return
            self.param.update(said="", doing=f"uploading {self._name}")
            self._begun()
            self._send_msg({"id": self._id, "at": 0})
        elif kind == "piece" and self._id is not None and data.get("id") == self._id:
            self._take(data)
        elif kind == "piece" and self._lapsed:
            self._give_up(f"{self._name} came too slowly, and others have taken its place; try again")
        elif kind == "cancel":
            self._give_up("")

    def _take(self, data: dict[str, Any]) -> None:
        try:
            part = base64.b64decode(data.get("data", ""), validate=True)
        except (binascii.Error, TypeError, ValueError):
            self._give_up(f"{self._name} did not arrive as it was sent; try again")
            return
        self._latest = time.monotonic()
        self._parts.append(part)
        self._arrived += len(part)
        if self._arrived > self._claimed:
            grown = f"{self._name} has grown while it was sent; try again"
            self._give_up(f"{self._name} is too large. {self.limit}" if self._claimed == self.most else grown)
        elif data.get("last"):
            contents, name = b"".join(self._parts), self._name
            self._forget("", doing=f"reading {name}")
            self._received(contents, name)
        else:
            self._send_msg({"id": self._id, "at": self._arrived})

    def _claim(self, size: Any) -> bool:
        """Whether there is room for a file; a browser that does not say how large it is may send the largest."""
        known = isinstance(size, int) and 0 <= size <= self.most
        self._claimed, self._latest = size if known else self.most, time.monotonic()
        room = max(MOST_AT_ONCE_BYTES, self.most) if ALLOWED.left is None else ALLOWED.left // 2
        if _claimed() > room:
            for each in list(OPEN):
                if each is not self and each._id is not None and self._latest - each._latest > IDLE_SECONDS:
                    each._drop()
                    each._lapsed = True
        return _claimed() <= room

    def _drop(self) -> None:
        self._id, self._parts, self._claimed, self._lapsed = None, [], 0, False

    def _give_up(self, said: str) -> None:
        self._forget(said)
        self._cancelled()

    def _forget(self, said: str, doing: str = "") -> None:
        claimed = self._claimed if doing else 0
        self._drop()
        self._claimed = claimed
        self.param.update(said=said, doing=doing)


OPEN: WeakSet[Uploader] = WeakSet()  # those of this process


def _claimed() -> int:
    return sum(each._claimed for each in list(OPEN))
