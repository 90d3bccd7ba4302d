"""Small searches, and what a view shows and says, for the tests of the page."""

import asyncio
import base64
import inspect
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import numpy as np
import panel as pn
from bokeh.document import Document
from bokeh.document.events import MessageSentEvent
from bokeh.plotting import figure
from bs4 import BeautifulSoup
from panel.custom import JSComponent
from patience import wait_until

import rulelab as rl
from rulelab.glossary import Term
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.live.state import State
from rulelab.views.search.plots.base import PlotBox
from rulelab.views.search.view import ABLATION, SearchView
from rulelab.views.widgets.browser import Strip
from rulelab.views.widgets.explained import MARK, by_slug
from rulelab.views.widgets.html import LiveText, Press
from rulelab.views.widgets.uploader import Uploader

HOSTILE = "<img src=x onerror=alert(1)>"


def awaited(made: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine comes to, in a thread of its own: in this one the loop of a browser may go on."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, made).result()


def terms_of(css_classes: list[str]) -> list[Term | None]:
    """The entries of the glossary that CSS classes name."""
    found = [by_slug(each.removeprefix(MARK)) for each in css_classes if each.startswith(MARK)]
    assert None not in found
    return found


def problem(n_rows: int = 300, n_antecedents: int = 12) -> rl.Problem:
    """Random antecedents and noisy labels: no list is much better than another, so that a search takes a while."""
    rng = np.random.default_rng(0)
    A = rng.random((n_rows, n_antecedents)) < 0.4
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(n_rows) < 0.35)
    return rl.Problem.from_arrays(A, y.astype(int))


def small_search() -> rl.RuleListSearch:
    return rl.RuleListSearch(problem(), regularization=0.01, beam_width=0)


def inexact_search() -> rl.RuleListSearch:
    """Weights of too many digits for 64 bits: the proof ends within their rounding."""
    rng = np.random.default_rng(0)
    A, y = rng.random((300, 6)) < 0.4, rng.random(300) < 0.5
    return rl.RuleListSearch(rl.Problem.from_arrays(A, y, sample_weight=rng.random(300)), regularization=0.02)


def long_search() -> rl.RuleListSearch:
    return rl.RuleListSearch(problem(1000, 150), regularization=0.003, beam_width=0)


def bring_file(table: DataSettings, contents: bytes, name: str) -> None:
    """Upload a file, and wait for its sheet, or for what is wrong with it."""
    table.receive(contents, name)
    wait_until(lambda: not table.refresh())


def use_file(
    table: DataSettings, contents: bytes, name: str = "mine.csv", positive: object = None, **roles: str
) -> None:
    """Upload a file, give columns other roles than those that were guessed, and accept the sheet."""
    bring_file(table, contents, name)
    use_roles(table, positive, **roles)


def use_roles(table: DataSettings, positive: object = None, **roles: str) -> None:
    """Open the sheet of the uploaded file, unless it is open, give columns roles, and accept it."""
    if table.draft is None:
        table.reopen()
    draft = table.draft
    assert draft is not None, table.complaint
    for column, role in roles.items():
        draft.give(column, role)
    if positive is not None:
        draft.choose_positive(draft.classes.index(positive))
    table.accept()
    assert table.draft is None, draft.error or draft.lacking


def export_menu(view: SearchView) -> tuple[pn.widgets.Button, dict[str, pn.widgets.FileDownload]]:
    """The button that opens the menu of exports under the answer, and what the open menu offers."""
    model = view.part("model")
    assert model is not None
    (button,) = (each for each in model.select(pn.widgets.Button) if each.label == "Export")
    (menu,) = (each for each in model.select(pn.Column) if any(isinstance(part, pn.FlexBox) for part in each))
    if not menu.visible:
        button.clicks += 1
    assert menu.visible
    return button, {each.label: each for each in menu.select(pn.widgets.FileDownload)}


def exported(view: SearchView, label: str) -> bytes:
    """What the browser gets from an entry of the menu of exports."""
    made = export_menu(view)[1][label].callback()
    content = awaited(made) if inspect.iscoroutine(made) else made
    read = content.read()
    return read.encode() if isinstance(read, str) else read


def lines_of(view: object, role: str) -> list[LiveText]:
    """The lines of a view that screen readers follow, in the order in which they stand on the page."""
    return [each for each in pn.panel(view).select(LiveText) if each.role == role]


def status(view: object) -> LiveText:
    """What a view says about how it stands."""
    return lines_of(view, "status")[0]


def alert(view: object) -> LiveText:
    """What a view complains about."""
    return lines_of(view, "alert")[0]


def only(view: object, kind: type[JSComponent]) -> JSComponent:
    """The one part of a view that is of this kind."""
    (part,) = pn.panel(view).select(kind)
    return part


def send(part: JSComponent, message: object) -> None:
    """Let the browser say something to a part of the page; Panel has no public way."""
    part._handle_msg(message)


def press(view: object, label: str) -> None:
    """Press the button with this label."""
    (button,) = (each for each in pn.panel(view).select(Press) if each.label == label)
    send(button, "press")


def widget(view: object, label: str) -> pn.widgets.Widget:
    """The field of a view with this label."""
    (field,) = (each for each in pn.panel(view).select(pn.widgets.WidgetBase) if each.label == label)
    return field


def open_tab(view: object, name: str) -> None:
    """Press one of the names of tabs."""
    (strip,) = (each for each in pn.panel(view).select(Strip) if name in each.names)
    strip.open = name


def moment(view: SearchView) -> int | None:
    """The moment of the run that is shown; None: the present one."""
    bar = view.part("moment")
    return None if bar.at >= bar.moments - 1 else bar.at


def look_back(view: SearchView, at: int | None) -> None:
    """Go to a moment of the run, as the arrow keys do; None: the present one."""
    bar = view.part("moment")
    send(bar, {"move": (bar.moments - 1 if at is None else at) - bar.at})


def play(view: SearchView) -> None:
    """Press the button that plays the run, or holds what is played."""
    send(view.part("moment"), {"press": True})


def gap_figure(view: SearchView) -> figure:
    """The picture of objective and bound."""
    return view.part("objective and lower bound").select(pn.pane.Bokeh)[0].object


def curves_of(plot: figure) -> dict[str, list[float]]:
    """The points of the plots over time, by what they are."""
    sources = (each.data_source for each in plot.renderers)
    return next(each.data for each in sources if {"work", "objective"} <= set(each.column_names))


def curves(view: SearchView) -> dict[str, list[float]]:
    """The points of the plots over time that a view shows."""
    return curves_of(gap_figure(view))


def model_html(view: SearchView) -> str:
    """What is said of the best model, the heading first."""
    return "".join(each.object for each in view.part("model").objects if isinstance(each, pn.pane.HTML))


def runs_html(view: SearchView) -> str:
    """What is said of an ablation."""
    open_tab(view, ABLATION)
    return "".join(str(each.object) for part in view.runs_box.items for each in part.select(pn.pane.HTML))


def settled(view: SearchView) -> SearchView:
    """Let the beat of the page go on until nothing runs any more, and all that is to be seen is seen."""
    wait_until(lambda: not view.tick())
    return view


def ended(view: SearchView) -> SearchView:
    """Run it to its end."""
    view.run()
    wait_until(lambda: view.session.state.over)
    return settled(view)


def finish(view: SearchView) -> SearchView:
    """Run to the end, and show it."""
    view.run()
    wait_until(lambda: view.session.state.over)
    view.refresh()
    return view


def recorded(search: rl.Search, **limits: int) -> rl.Recording:
    """A search and all that was seen of it, to its end or to a limit."""
    recording = rl.Recording(search)
    for _ in recording.steps(**limits):
        pass
    return recording


# what is seen of a view of Panel, and how it is pressed: nothing of what is inside ------------------------------------
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


# what stands in HTML --------------------------------------------------------------------------------------------------
def soup(html: str) -> BeautifulSoup:
    """Parsed as it stands, without being mended."""
    return BeautifulSoup(html, "html.parser")


def tags(html: str) -> list[str]:
    """The names of all elements."""
    return [each.name for each in soup(html).find_all(True)]


def rows(html: str) -> list[list[str]]:
    """The texts of the cells of tables, row by row."""
    return [[cell.get_text() for cell in row.find_all(["td", "th"])] for row in soup(html).find_all("tr")]
