"""The page of the dashboard, one per browser session."""

from __future__ import annotations

import functools
import json
from string import Template
from typing import Any
from urllib.parse import urlencode

import panel as pn
import param
from bokeh.document import Document
from bokeh.themes import Theme
from jinja2 import Environment
from markupsafe import Markup
from panel.custom import Children, JSComponent

from ...assets import asset
from ...warming import begin_in_background
from ..forms.address import Part
from ..front import FrontAddress
from ..live.ticker import listen
from ..widgets.browser import AddressBar, Connection
from ..widgets.explained import Explained
from ..widgets.icons import ICON
from ..widgets.style import STRIP_CSS, sheet
from .tabs import Tabs

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
def plot_theme(dark: bool) -> Theme:
    """How plots look on a light or a dark page."""
    read = json.loads(asset("plot_theme.json"))
    attrs = Template(json.dumps(read["attrs"])).substitute(read["dark" if dark else "light"])
    return Theme(json={"attrs": json.loads(attrs)})


class Shell(JSComponent):
    """A page of its own: a bar with the title, the tabs and the switch between light and dark, and what is below."""

    title = param.String(default=TITLE, doc="The first heading.")
    header = Children(doc="In the bar.")
    main = Children(doc="Below the bar; it scrolls.")
    dark = param.Boolean(default=False, doc="Whether it is dark.")

    _esm = asset("shell.js")
    _stylesheets = [sheet("shell.css")]

    def server_doc(self, doc: Document | None = None, title: str | None = None, location: Any = True) -> Document:
        served = super().server_doc(doc, title or TITLE, location)
        served.template = Environment(autoescape=True).from_string(asset("page.html"))
        served.theme = plot_theme(self.dark)
        return served

    @param.depends("dark", watch=True)
    def _colour(self) -> None:
        if (document := pn.state.curdoc) is not None:  # under its lock, as Bokeh changes every model of it
            pn.state.execute(lambda: setattr(document, "theme", plot_theme(self.dark)), schedule=True)


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
    variables.update(icon=ICON, css=Markup(asset("themes.css")))
    whole = Shell(header=[] if simple else [tabs.strip], main=main, dark=look.dark)
    whole.link(look, dark="dark", bidirectional=True)
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
