"""A button that takes a file in pieces: its limit is said before, its progress during, what went wrong after."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import panel as pn
import param
from panel.custom import JSComponent

from ..allowance import ALLOWED, NO_FILES
from .esc import plain
from .sheet_style import UPLOADER_CSS

PIECE_BYTES = 1_000_000
MOST_AT_ONCE_BYTES = 300_000_000
"""Of all files that come to this server at a time, or wait to be read."""
IDLE_SECONDS = 60.0
"""After which a file that does not come any more makes room for another one."""
BUSY = "So many files are being sent to this server that {} has to wait; try again in a minute."

_ESM = """
export function render({ model }) {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties)
    element.append(...children)
    return element
  }
  const input = make("input", { type: "file", accept: model.accept, className: "hidden" })
  input.setAttribute("aria-hidden", "true")  // the button stands for it
  input.tabIndex = -1
  const choose = make("button", { type: "button", className: "choose", textContent: model.label })
  const limit = make("p", { className: "limit", textContent: model.limit })
  const bar = make("progress", { max: 100, value: 0 })
  bar.setAttribute("aria-label", "Upload")
  const doing = make("span", { className: "doing" })
  const cancel = make("button", { type: "button", textContent: "Cancel upload" })
  const progress = make("div", { className: "progress" }, doing, bar, cancel)
  const said = make("p", { className: "said" })
  said.setAttribute("role", "alert")
  let current = 0
  let refused = ""
  const show = () => {
    const text = refused || model.said
    progress.hidden = !model.doing
    choose.disabled = !!model.doing
    doing.textContent = model.doing
    said.hidden = !text
    if (said.textContent !== text) { said.textContent = text }
  }
  const piece = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
  let file = null
  const send = async (at) => {
    const mine = current
    bar.value = file.size ? 100 * at / file.size : 100
    try {
      const end = Math.min(at + model.piece, file.size)
      const data = at < end ? await piece(file.slice(at, end)) : ""
      if (mine === current) { model.send_msg({ type: "piece", id: mine, data, last: end >= file.size }) }
    } catch (error) {
      model.send_msg({ type: "cancel" })
      refused = `${file.name} cannot be read by the browser: ${error}`
      show()
    }
  }
  const begin = () => {
    file = input.files[0]
    input.value = ""
    if (!file) { return }
    refused = ""
    if (file.size > model.most) {
      const size = Math.ceil(file.size / 1e5) / 10
      refused = `${file.name} has ${size} MB and was not sent. ${model.limit}. The data are as before.`
      show()
      return
    }
    current += 1
    model.send_msg({ type: "begin", id: current, name: file.name, size: file.size })
  }
  model.on("msg:custom", (event) => {
    const message = event.data ?? event
    if (message.id === current && file) { send(message.at) }
  })
  choose.addEventListener("click", () => input.click())
  input.addEventListener("change", begin)
  cancel.addEventListener("click", () => { current += 1; model.send_msg({ type: "cancel" }) })
  model.on(["said", "doing"], () => { if (model.doing) { refused = "" } ; show() })
  show()
  return make("div", { className: "uploader" }, ...(model.open ? [input, choose] : []), limit, progress, said)
}
"""


class Uploader(JSComponent):
    """Takes one file at a time.

    Parameters
    ----------
    received : callable
        Gets the contents and the name of a file that has arrived as a whole.
    begun, cancelled : callable
        Called when a file begins to come, and when the user does not want it any more.
    """

    label = param.String(default="Upload a file")
    accept = param.String(default="")
    limit = param.String(default="", doc="What may be uploaded, in words.")
    open = param.Boolean(default=True, doc="Whether files are taken at all.")
    most = param.Integer(default=100_000_000, doc="Largest file, in bytes.")
    piece = param.Integer(default=PIECE_BYTES)
    doing = param.String(default="", doc="What happens to the file; empty when nothing does.")
    said = param.String(default="", doc="What went wrong.")

    _esm = _ESM
    _stylesheets = [UPLOADER_CSS]

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
        _OPEN.add(self)
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            pn.state.on_session_destroyed(lambda _: self._drop())

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
            self._forget(f"{self._name} came too slowly, and others have taken its place; try again")
            self._cancelled()
        elif kind == "cancel":
            self._forget("")
            self._cancelled()

    def _take(self, data: dict[str, Any]) -> None:
        try:
            part = base64.b64decode(data.get("data", ""), validate=True)
        except (binascii.Error, TypeError, ValueError):
            self._forget(f"{self._name} did not arrive as it was sent; try again")
            self._cancelled()
            return
        self._latest = time.monotonic()
        self._parts.append(part)
        self._arrived += len(part)
        if self._arrived > self._claimed:
            grown = f"{self._name} has grown while it was sent; try again"
            self._forget(f"{self._name} is too large. {self.limit}" if self._claimed == self.most else grown)
            self._cancelled()
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
            for each in list(_OPEN):
                if each is not self and each._id is not None and self._latest - each._latest > IDLE_SECONDS:
                    each._drop()
                    each._lapsed = True
        return _claimed() <= room

    def _drop(self) -> None:
        self._id, self._parts, self._claimed, self._lapsed = None, [], 0, False

    def _forget(self, said: str, doing: str = "") -> None:
        claimed = self._claimed if doing else 0
        self._drop()
        self._claimed = claimed
        self.param.update(said=said, doing=doing)


_OPEN: WeakSet[Uploader] = WeakSet()
"""Those of this process."""


def _claimed() -> int:
    return sum(each._claimed for each in list(_OPEN))
