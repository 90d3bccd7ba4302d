"""The page of the dashboard, one per browser session."""

from __future__ import annotations

import functools
import json
from typing import Any
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
import param
from panel.util import edit_readonly
from panel_material_ui.base import _env

from ...assets import asset
from ...warming import begin_in_background
from ..forms.address import Part
from ..front import FrontAddress
from ..live.ticker import listen
from ..widgets.browser import AddressBar, Connection
from ..widgets.explained import Explained
from ..widgets.icons import ICON
from ..widgets.style import STRIP_CSS
from .tabs import Tabs

SPOKEN: dict[str, Any] = json.loads(asset("theme.json"))
"""The page's title is its first heading, and the room below the bar is none; nor is the bar that is never shown. On the
low screen of a projector the bar is narrow."""
TITLE = "rulelab"


class Look(param.Parameterized):
    """Light or dark: as the user's system is, unless the user has chosen something else."""

    COOKIE = "rulelab-dark"
    """Says whether the user's system is dark, so that the page is so from the beginning."""

    theme: param.Selector[str | None] = param.Selector(
        default=None, objects=[None, "default", "dark"], doc="What was chosen; None: nothing but the system's."
    )
    dark = param.Boolean(default=False, doc="What is shown.")
    system = param.Boolean(default=False, doc="Whether the user's system is dark.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.dark = self.system

    @param.depends("theme", "system", watch=True)
    def _show(self) -> None:
        self.dark = self.system if self.theme is None else self.theme == "dark"

    @param.depends("dark", watch=True)
    def _choose(self) -> None:
        self.theme = None if self.dark == self.system else "dark" if self.dark else "default"

    def follow_system(self) -> None:
        """Hear from the browser how the system is, shortly before or after the page is loaded."""
        browser = pn.state.browser_info
        if browser is not None:
            self.system = bool(browser.dark_mode)
            browser.param.watch(lambda event: self.param.update(system=bool(event.new)), "dark_mode")


@functools.cache
def template() -> Any:
    """The page's HTML, with a background that is right before anything is drawn."""
    return _env.from_string(asset("page.html"))


def page(simple: bool = False, header: bool = True) -> pn.viewable.Viewable:
    """The page of one session, to be served by itself or within another one.

    Parameters
    ----------
    simple : bool
        The question, its answer and how that was found, without the other tabs; an address with ``?simple=1`` asks
        for the same.
    header : bool
        Whether it is a page of its own with a bar at its top; otherwise it is what stands below that, for any template.

    Returns
    -------
    viewable

    Examples
    --------
    In a file that ``panel serve`` serves::

        pn.template.FastListTemplate(title="Lesson", main=[rl.views.page(simple=True, header=False)]).servable()
    """
    begin_in_background()
    document = pn.state.curdoc
    variables = {} if document is None else document.template_variables
    variables["dist_url"] = "static/extensions/panel/"  # every file comes from this server
    pn.config.reconnect = True
    bar = AddressBar(width=0, height=0, margin=0)
    address = FrontAddress(_asked(), bar.write)
    simple = simple or address.asks("simple")
    look = Look(system=pn.state.cookies.get(Look.COOKIE) == "1")
    variables["look"] = look
    tabs = Tabs(address, address.follow(Part(look, ["theme"])), dark=look.dark, simple=simple)
    if document is not None:
        listen(document, tabs.complain)
    bar.on_msg(lambda event: tabs.complain("; ".join(address.go(str(event.data)))))
    main = [tabs.body, tabs.kept, tabs.last, tabs.remote, Explained(), bar, Connection(width=0, height=0, margin=0)]
    look.param.watch(lambda event: tabs.param.update(dark=event.new), "dark")
    pn.state.onload(look.follow_system)
    if not header:
        tabs.strip.stylesheets = [STRIP_CSS]
        return pn.Column(*([] if simple else [tabs.strip]), *main, sizing_mode="stretch_width", margin=0)
    whole = pmui.Page(
        title=TITLE,
        favicon=ICON,
        meta_description="Certifiably optimal rule lists and rule sets: find them, and watch the proof.",
        header=[] if simple else [tabs.strip],
        main=main,
        busy_indicator=None,
        dark_theme=look.dark,
        theme_config=SPOKEN,
        template=template(),
        site_url="./",
        theme_toggle=bool(tabs.tab),
    )
    _follow_nobody(whole)
    whole.link(look, dark_theme="dark", bidirectional=True)
    tabs.param.watch(lambda event: whole.param.update(theme_toggle=bool(event.new)), "tab")
    return whole


def _asked() -> str:
    """The query of the address.

    A browser that connects after its session was given up gets another, whose request is that of the connection: what
    was asked for is then in the arguments alone, which come with the token of the page.
    """
    location, document = pn.state.location, pn.state.curdoc
    context: Any = None if document is None else document.session_context
    if location is not None and location.search:
        return str(location.search)
    arguments = context.request.arguments if context and context.request else {}
    texts = {name: [value.decode("utf-8", "replace") for value in values] for name, values in arguments.items()}
    return f"?{urlencode(texts, doseq=True)}" if texts else ""


def _follow_nobody(page: pmui.Page) -> None:
    """Undo that a page shows whether the server is busy: it would hear of all other pages, and never be given up."""
    with edit_readonly(page):
        page.busy = False
    for watcher in list(pn.state.param.watchers.get("busy", {}).get("value", ())):
        if getattr(getattr(watcher.fn, "__self__", None), "self", None) is page:
            pn.state.param.unwatch(watcher)
