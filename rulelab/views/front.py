"""The front of the page: its cards, the searches that they begin, and when the address leads here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import param
from panel.custom import Child, JSComponent

from ..assets import asset, texts
from .allowance import ALLOWED
from .forms.address import Address, entries
from .forms.data import FILES, MAX_UPLOAD_BYTES
from .forms.tables import offered
from .widgets.esc import plain
from .widgets.style import sheet
from .widgets.uploader import Uploader

CARDS = ("proof", "compas", "game")
_GO_ON = "go on"
EXAMPLES: dict[str, dict[str, Any]] = texts("examples")
"""Data that are at hand, speed and settings of the form, by the names of their cards."""
_EVERYWHERE = "theme"  # the only entry that the front has


class Front(JSComponent):
    """What this is, a card for each way to begin, and a recorded search that the browser plays."""

    html = param.String(default=asset("front.html"), doc="All but the search and the place for a file.")
    course = param.Dict(default=json.loads(asset("front_search.json")), doc="By tests/recorded_search.py.")
    last = param.String(default="", doc="What the last run of this browser is called; empty: there is none.")
    said = param.String(default="", doc="What went wrong.")
    uploader = Child(default=None, allow_None=True)

    _esm = asset("front_course.js", "front.js")
    _stylesheets = [sheet("front.css")]

    def __init__(
        self,
        press: Callable[[str], Any],  # takes one of `CARDS`
        receive: Callable[[bytes, str], Any],  # takes the contents and the name of a file
        go_on: Callable[[str], Any],  # takes the hash of the last run of this browser
        **params: Any,
    ) -> None:
        self._press, self._receive, self._go_on = press, receive, go_on
        self._run = ""
        uploader = Uploader(
            self._received,
            label="Choose a file",
            accept=FILES,
            most=MAX_UPLOAD_BYTES,
            stylesheets=[sheet("front_file.css")],
            sizing_mode="stretch_width",
            margin=0,
        )
        super().__init__(uploader=uploader if ALLOWED.uploads else None, **params)

    def complain(self, message: str) -> None:
        self.said = plain(message, 600)

    def remember(self, text: str) -> None:
        """Offer the run of a text, which may be anything that the browser kept, as `KeptRuns.last` was."""
        try:
            run, called = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            return
        if isinstance(run, str) and isinstance(called, str):
            self._run, self.last = run, plain(called, 80)

    def _received(self, contents: bytes, name: str) -> None:
        self.uploader.doing = ""
        self._receive(contents, name)

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if data in CARDS:
            self._press(data)
        elif data == _GO_ON and self._run:
            self._go_on(self._run)


class FrontAddress(Address):
    """One that asks for something but no tab means Search, or a room's game; for nothing, the table of the server."""

    def __init__(self, query: str, show: Callable[[str, bool], None]) -> None:
        super().__init__(_meant(_begun(query)), lambda query, step: show(_shown(query), step))

    def go(self, query: str) -> list[str]:
        return super().go(_meant(query))


def _begun(query: str) -> str:
    table = next(iter(offered()), None)
    return query if table is None or dict(entries(query)).keys() - {_EVERYWHERE} else f"?{urlencode({'data': table})}"


def _meant(query: str) -> str:
    asked = dict(entries(query))
    tab = "Alternatives" if "room" in asked else "Search"
    return f"{query}&tab={tab}" if asked.keys() - {_EVERYWHERE} and "tab" not in asked else query


def _shown(query: str) -> str:
    """Of the front nothing but the theme: the settings of tabs that were open before are not its own."""
    asked = dict(entries(query))
    if "tab" in asked:
        return query
    return f"?{urlencode({_EVERYWHERE: asked[_EVERYWHERE]})}" if _EVERYWHERE in asked else ""
