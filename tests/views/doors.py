"""What is seen of a view of Panel, and how it is pressed: nothing of what is inside."""

import base64
from collections.abc import Iterator
from typing import Any

import panel as pn
from bokeh.document import Document
from bokeh.document.events import MessageSentEvent
from live import send
from panel.custom import JSComponent
from patience import wait_until

from rulelab.views.live.state import State
from rulelab.views.search.plots.base import PlotBox
from rulelab.views.search.view import SearchView
from rulelab.views.widgets.buttons import Press
from rulelab.views.widgets.uploader import Uploader

BUTTONS = (Press, pn.widgets.Button, pn.widgets.FileDownload)


def seen(view: object) -> Iterator[pn.viewable.Viewable]:
    """Everything that is shown of a view, in the order of the page; of a part that is hidden nothing is."""
    part = pn.panel(view)
    if part.visible:
        yield part
        for each in (*getattr(part, "objects", ()), getattr(part, "control", None)):
            if each is not None:
                yield from seen(each)


def html(view: object, hidden: bool = False) -> str:
    """What is written in a view, apart from what is hidden."""
    parts = pn.panel(view).select() if hidden else seen(view)
    return "".join(str(each.object) for each in parts if isinstance(each, pn.pane.HTML))


def button(view: object, label: str) -> Any:
    """The button that is seen with this label; None: there is none."""
    return next((each for each in seen(view) if isinstance(each, BUTTONS) and each.label == label), None)


def field(view: object, label: str) -> Any:
    """The field that is seen with this label; None: there is none."""
    fields = (each for each in seen(view) if isinstance(each, pn.widgets.WidgetBase))
    return next((each for each in fields if each.label == label), None)


def heard(part: JSComponent) -> list[Any]:
    """What a part of the page says to its browser from now on."""
    document, told = Document(), list[Any]()
    part.server_doc(document)
    document.on_change(lambda event: told.append(event.msg_data.data) if isinstance(event, MessageSentEvent) else None)
    return told


def upload(uploader: Uploader, contents: bytes, name: str) -> None:
    """Send a file as the browser does, in one piece."""
    send(uploader, {"type": "begin", "id": 1, "name": name, "size": len(contents)})
    send(uploader, {"type": "piece", "id": 1, "data": base64.b64encode(contents).decode(), "last": True})


def boxes(view: SearchView) -> list[PlotBox]:
    """Those of all plots of a search."""
    return [view.plots.box(number) for number in range(len(view.plots.plots))]


def made(code: str, **known: object) -> dict[str, Any]:
    """What a script has made at its end."""
    exec(code, known)
    return known


def paused(view: SearchView) -> SearchView:
    """Press Step, and show what it has done."""
    view.step()
    wait_until(lambda: view.session.state is State.PAUSED)
    view.refresh()
    return view
