"""What the page and its server owe each other: a lost connection is said, and nothing is sent back."""

from __future__ import annotations

from panel.custom import JSComponent

from ...assets import asset
from .style import sheet


class Connection(JSComponent):
    """A line at the foot of the page, which is there only while the server is not."""

    _esm = asset("connection.js")
    _stylesheets = [sheet("connection.css")]
