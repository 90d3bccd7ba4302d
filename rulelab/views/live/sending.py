"""What is sent to open pages: no message stays behind until another one follows it, and some go to all pages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import panel.io.document as panel_document
from bokeh.document import Document

_HELD = ("_WRITE_MSGS", "_WRITE_EVENTS")
"""Where versions of Panel keep what waits."""
_PARTS = ("_dispatch_msgs", "_WRITE_BLOCK", "_dispatch_write_task")


def send_all() -> None:
    """See to it from now on, in this process; a version of Panel that works otherwise stays as it is."""
    known = vars(panel_document)
    held: Any = next((known[name] for name in _HELD if name in known), None)
    if held is None or not all(name in known for name in _PARTS) or hasattr(known[_PARTS[0]], "left_behind_by"):
        return
    dispatch, mark, begin = (known[name] for name in _PARTS)

    async def dispatch_all(document: Document) -> None:
        await dispatch(document)
        if document in held and document not in mark:
            mark[document] = True
            begin(document, dispatch_all, document)

    dispatch_all.left_behind_by = dispatch  # type: ignore[attr-defined]
    panel_document._dispatch_msgs = dispatch_all


def send_as_panel_does() -> None:
    """Undo it."""
    known = vars(panel_document)
    panel_document._dispatch_msgs = getattr(known["_dispatch_msgs"], "left_behind_by", known["_dispatch_msgs"])


_LOCK = threading.Lock()
_PAGES: WeakKeyDictionary[Any, Callable[[str], None]] = WeakKeyDictionary()


def listen(document: Any, show: Callable[[str], None]) -> None:
    """Have a page told from now on until it is closed; ``show`` is called in its turn, and shows a sentence."""
    with _LOCK:
        _PAGES[document] = show
    document.on_session_destroyed(lambda context: _forget(document))


def _forget(document: Any) -> None:
    """Let go of a page: what it shows by holds its document, too."""
    with _LOCK:
        _PAGES.pop(document, None)


def tell_all(said: str) -> None:
    """Say something to all pages that are open."""
    with _LOCK:
        pages = list(_PAGES.items())
    for document, show in pages:
        try:
            document.add_next_tick_callback(lambda show=show: show(said))
        except Exception:  # a page that was closed a moment ago keeps nobody else from hearing
            logging.getLogger(__name__).debug("a page was not told", exc_info=True)
