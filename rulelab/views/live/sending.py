"""No message to a page stays behind until another one follows it.

What Panel cannot write at once it leaves to a task. A task that ends takes the mark away by which the next one knows
that there is something to write; what came just before then waits for whatever is sent next, which may be never.
"""

from __future__ import annotations

from typing import Any

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
