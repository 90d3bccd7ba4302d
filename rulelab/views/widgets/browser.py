"""What the browser does beside showing the page: keeps a text, the address, focus and place, reconnects."""

from __future__ import annotations

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


class Connection(JSComponent):
    """A line at the foot of the page, which is there only while the server is not."""

    _esm = asset("connection.js")
    _stylesheets = [sheet("connection.css")]


class Focus(JSComponent):
    """Nothing to see."""

    boxes = param.String(default="", doc="CSS selector of the boxes that the buttons are in.")
    wanted = param.List(default=[0, "", 0], doc="Place of the box, name of its button, and a number to ask again with.")

    _esm = asset("dom.js", "focus.js")


class Pointer(JSComponent):
    """Nothing to see: whenever it turns, what is outlined is scrolled into sight, and what the step says to its top."""

    turns = param.Integer(default=0, doc="How often it has turned.")

    _esm = asset("pointer.js")
