"""Names of tabs, of which one is open."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from ...assets import asset
from .style import sheet


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
