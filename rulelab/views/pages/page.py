"""The page of the dashboard, one per browser session, and the server that shows it."""

from __future__ import annotations

import gc
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.util import edit_readonly

from ...warming import begin_in_background
from ..forms.address import Address, Part
from ..widgets.browser import AddressBar
from ..widgets.explained import Explained
from ..widgets.icons import ICON
from .files import Compressed
from .look import SPOKEN, Look, template
from .tabs import Tabs

TITLE = "rulelab"
MAX_MESSAGE_BYTES = 10_000_000
"""Uploads come in pieces of 1 MB."""
UNUSED_SESSION_MILLISECONDS = 15_000
CHECK_MILLISECONDS = 1_000


def create() -> pmui.Page:
    """Build the page of one session."""
    begin_in_background()
    document, location = pn.state.curdoc, pn.state.location
    variables = {} if document is None else document.template_variables
    variables["dist_url"] = "static/extensions/panel/"  # every file comes from this server
    pn.config.reconnect = True
    bar = AddressBar(width=0, height=0, margin=0)
    address = Address(location.search if location is not None else "", partial(_write, bar))
    look = Look(system=pn.state.cookies.get(Look.COOKIE) == "1")
    variables["look"] = look
    complaints = address.follow(Part(look, ["theme"]))
    tabs = Tabs(address, complaints, dark=look.dark)
    bar.on_msg(lambda event: tabs.complain("; ".join(address.go(str(event.data)))))
    page = pmui.Page(
        title=TITLE,
        favicon=ICON,
        meta_description="Certifiably optimal rule lists and rule sets: find them, and watch the proof.",
        header=[tabs.strip],
        main=[tabs.body, tabs.kept, Explained(), bar],
        busy_indicator=None,
        dark_theme=look.dark,
        theme_config=SPOKEN,
        template=template(),
    )
    with edit_readonly(page):  # else every page would be told of what any other one does
        page.busy = False
    page.link(look, dark_theme="dark", bidirectional=True)
    look.param.watch(lambda event: tabs.param.update(dark=event.new), "dark")
    pn.state.onload(look.follow_system)
    return page


def serve(
    port: int = 5006, address: str = "127.0.0.1", show: bool = False, threaded: bool = False, **options: Any
) -> Any:
    """Serve the page, by default to this machine only, until interrupted.

    Searches are compiled in the background meanwhile, in a process of their own.

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
        "transforms": [Compressed],
        "websocket_compression_level": 6,
        "websocket_compression_mem_level": 5,
        "unused_session_lifetime_milliseconds": UNUSED_SESSION_MILLISECONDS,
        "check_unused_sessions_milliseconds": CHECK_MILLISECONDS,
        "websocket_max_message_size": MAX_MESSAGE_BYTES,
    }
    if port:
        defaults["websocket_origin"] = sorted({f"{address}:{port}", f"localhost:{port}", f"127.0.0.1:{port}"})
    begin_in_background()
    gc.collect()
    gc.freeze()  # else the end of each session looks through all modules
    return pn.serve({"/": create}, port=port, address=address, show=show, threaded=threaded, **{**defaults, **options})


def _write(bar: AddressBar, query: str, step: bool) -> None:
    bar.shown = (query, step)
