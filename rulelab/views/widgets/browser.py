"""What the browser does beside showing the page: keeps a text, the address, focus and place, tabs, keys; reconnects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset
from .style import sheet


class Kept(JSComponent):
    """Nothing to see: hands a text to the browser, and gets it back when the page is loaded again.

    It is the session storage of the browser's tab, so that two pages side by side do not write over each other; the
    text never leaves the browser for anywhere but this server.
    """

    key = param.String(default="rulelab", doc="Its name in the browser.")
    lasting = param.Boolean(default=False, doc="Whether all tabs share it, and it outlives them.")
    kept = param.String(default="", doc="The text to keep; empty: none.")
    found = param.String(default=None, allow_None=True, doc="What was kept before; None until the browser says it.")
    problem = param.String(default="", doc="Why the browser does not keep the text.")

    _esm = asset("kept_text.js")


class AddressBar(JSComponent):
    """Nothing to see: the query in the browser's address, and a clean start for each connection.

    The events of `on_msg` carry, as ``data``, the query after the user has gone back or forward.
    """

    shown = param.Tuple(default=("", False), doc="The query to show, and whether it is a step that Back takes back.")

    _esm = asset("address_bar.js")

    def write(self, query: str, step: bool) -> None:
        self.shown = (query, step)


class Connection(JSComponent):
    """A line at the foot of the page, which is there only while the server is not."""

    _esm = asset("connection.js")
    _stylesheets = [sheet("connection.css")]


class Pointer(JSComponent):
    """Nothing to see: whenever it turns, what is outlined is scrolled into sight, and what the step says to its top.

    Where one stands under the other, what is outlined is scrolled into sight also when the step is done, and the
    question.
    """

    turns = param.Integer(default=0, doc="How often it has turned.")
    ends = param.Integer(default=0, doc="How often a step was done or its question answered.")
    head = param.String(default="", doc="The CSS class of something that is opened now and then.")
    heads = param.Integer(default=0, doc="How often that was scrolled into sight, to its head where it is high.")

    _esm = asset("find.js", "pointer.js")


class Presenter(JSComponent):
    """Nothing to see: listens to the keyboard, where one key begins and ends the presentation.

    `actions`: what keys do while it is on, by the names that browsers give them, in small letters. `switched` is called
    when it goes on or off.
    """

    on_stage = param.Boolean(default=False, doc="Whether it is on.")
    possible = param.Boolean(default=True, doc="Whether there is something to present.")
    keys = param.List(default=[], doc="Those that do something while it is on, beside P and Escape.")

    _esm = asset("presenter.js")

    def __init__(self, actions: dict[str, Callable[[], Any]], switched: Callable[[bool], Any], **params: Any) -> None:
        super().__init__(keys=list(actions), **params)
        self._actions, self._switched = actions, switched

    def _handle_msg(self, data: Any) -> None:
        self.press(data.get("key") if isinstance(data, dict) else None)

    def press(self, key: Any) -> None:
        if key == "p" and self.possible:
            with pn.io.hold():  # the browser must not see that the settings are gone before it takes other keys
                self.on_stage = not self.on_stage
        elif self.on_stage and self.possible and isinstance(key, str) and key in self._actions:
            self._actions[key]()

    @param.depends("on_stage", watch=True)
    def _tell(self) -> None:
        self._switched(self.on_stage)

    @param.depends("possible", watch=True)
    def _leave(self) -> None:
        if not self.possible:
            self.on_stage = False


class Strip(JSComponent):
    """A landmark with a tab per name; the arrow keys go from one to the next.

    While what stands on the page is not yet the tab that is open, the custom property ``--rl-stale`` says so to styles.
    A tab is seen from its top when it is opened first, and later where it was left.
    """

    names = param.List(default=[], doc="In order.")
    caption = param.String(default="Parts of the page", doc="What they are tabs of.")
    open = param.String(default="", doc="The one that is open; empty: none.")
    shown = param.String(
        default=None, allow_None=True, doc="The one whose content stands on the page; None: always that which is open."
    )

    _esm = asset("strip.js")
    _stylesheets = [sheet("strip_bar.css")]
