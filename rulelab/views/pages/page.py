"""The page of the dashboard, one per browser session, and the server that shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from ..compare.view import CompareView
from ..forms import address
from ..fronts.tab import FrontsView
from ..live.session import State
from ..search.setup import Setup
from ..search.view import SearchView
from ..widgets.explained import Explained
from ..widgets.style import COMPARE_CSS, PAGE_CSS, TAB_CSS

TITLE = "rulelab"
MAX_MESSAGE_BYTES = 10_000_000
"""Uploads come in pieces of 1 MB."""
UNUSED_SESSION_MILLISECONDS = 15_000
CHECK_MILLISECONDS = 1_000


class SearchTab:
    """Settings on the left, the live search on the right; on a phone the data, the search, then the other settings."""

    name = "Search"

    def __init__(self) -> None:
        self.setup = Setup(self._complain)
        self.view = SearchView(new_session=self.setup.new_session)
        self.setup.on_change(self._settings_changed)
        location = pn.state.location
        if location is not None:
            self._complain("; ".join(address.follow(location, *self.setup.parts)))
        self.layout = pn.Column(
            self.setup.data_card,
            self.view,
            self.setup.more,
            stylesheets=[PAGE_CSS],
            sizing_mode="stretch_width",
            margin=0,
        )

    def _complain(self, message: str) -> None:
        self.view.complain(message)

    def _settings_changed(self, *_: Any) -> None:
        """Show the plots of the chosen kind of search, unless a run is shown."""
        self.view.stale = True
        if self.view.session.state is State.IDLE and self.view.session.look != self.setup.look:
            self.view.reset()


class CompareTab:
    """The pinned model cards."""

    name = "Compare"

    def __init__(self) -> None:
        self.view = CompareView()
        self.layout = pn.Column(self.view, stylesheets=[COMPARE_CSS], sizing_mode="stretch_width", margin=0)


class FrontsTab:
    """Sweeps over settings: the form on the left, their fronts on the right."""

    name = "Fronts"

    def __init__(self) -> None:
        self.view = FrontsView()
        setup = self.view.setup
        self.layout = pn.Column(
            setup.data_card, self.view, setup.more, stylesheets=[PAGE_CSS], sizing_mode="stretch_width", margin=0
        )


TABS: tuple[Callable[[], Any], ...] = (SearchTab, CompareTab, FrontsTab)


def create() -> pmui.Page:
    """Build the page of one session."""
    document = pn.state.curdoc
    if document is not None:  # every file comes from this server
        document.template_variables["dist_url"] = "static/extensions/panel/"
    pn.config.reconnect = True
    tabs = [make() for make in TABS]
    search, compare, fronts = tabs
    page = pmui.Page(
        title=TITLE,
        main=[_tabbed(tabs), compare.view.kept, Explained()],
        busy_indicator=None,
        dark_theme=pn.config.theme == "dark",
    )
    if "theme" not in pn.state.session_args:
        pn.state.onload(lambda: _follow_system(page))
    search.setup.table.param.watch(lambda event: fronts.view.setup.param.update(uploaded=event.new), "uploaded")
    for tab in tabs:
        if "on_pin" in tab.view.param:
            tab.view.on_pin = compare.view.pin
        tab.view.dark = page.dark_theme
        page.link(tab.view, dark_theme="dark")
    return page


def serve(
    port: int = 5006, address: str = "127.0.0.1", show: bool = False, threaded: bool = False, **options: Any
) -> Any:
    """Serve the page, by default to this machine only, until interrupted.

    Parameters
    ----------
    port : int
        0: any free port.
    address : str
        Network address to listen on. Browsers may connect from this machine and under this address; give
        ``websocket_origin`` to allow others.
    show : bool
        Whether to open a browser.
    threaded : bool
        Serve from a thread and return at once.
    **options
        Further options of `panel.serve`.

    Returns
    -------
    The server, or the thread that runs it.
    """
    defaults = {
        "title": TITLE,
        "unused_session_lifetime_milliseconds": UNUSED_SESSION_MILLISECONDS,
        "check_unused_sessions_milliseconds": CHECK_MILLISECONDS,
        "websocket_max_message_size": MAX_MESSAGE_BYTES,
    }
    if port:
        defaults["websocket_origin"] = sorted({f"{address}:{port}", f"localhost:{port}", f"127.0.0.1:{port}"})
    return pn.serve({"/": create}, port=port, address=address, show=show, threaded=threaded, **{**defaults, **options})


def _tabbed(tabs: list[Any]) -> pn.Column:
    """The tabs, of which the address says which one is open; each is made when first opened, and stays.

    A plot that is taken out of the page while it is fed does not come back whole, so that tabs are hidden instead.
    """
    names = [tab.name for tab in tabs]
    wide = {"sizing_mode": "stretch_width", "margin": 0}
    strip = pmui.Tabs(*((name, pn.Spacer(height=0)) for name in names), **wide)
    places = [pn.Column(visible=False, stylesheets=[TAB_CSS], **wide) for _ in tabs]

    class Opened(param.Parameterized):
        tab: param.Selector[str] = param.Selector(default=names[0], objects=names)

    opened = Opened()

    def show(*_: Any) -> None:
        active = names.index(opened.tab)
        strip.active = active
        if not places[active].objects:
            places[active].append(tabs[active].layout)
        for i, place in enumerate(places):
            place.visible = i == active

    strip.param.watch(lambda event: opened.param.update(tab=names[event.new]), "active")
    if pn.state.location is not None:
        address.follow(pn.state.location, address.Part(opened, ["tab"]))
    opened.param.watch(show, "tab")
    show()
    return pn.Column(strip, *places, stylesheets=[TAB_CSS], **wide)


def _follow_system(page: pmui.Page) -> None:
    """Be dark where the user's system is; the browser says so shortly before or after the page is loaded."""
    browser = pn.state.browser_info
    if browser is not None:
        page.dark_theme = bool(browser.dark_mode)
        browser.param.watch(lambda event: page.param.update(dark_theme=bool(event.new)), "dark_mode")
