"""A line of text that screen readers follow: it stays in the page and only its text changes."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from ...assets import asset
from .style import LIVE_CSS


class LiveText(JSComponent):
    """A live region with a sentence and named figures, all shown as text, never as HTML; names can be asked about."""

    role: param.Selector[str] = param.Selector(
        default="status", objects=["status", "alert", "group"], doc="Its role in the page."
    )
    caption = param.String(default="Status", doc="Its name for screen readers.")
    tone = param.String(default="idle", doc="How it is coloured.")
    phase = param.String(default="", doc="The sentence; the region is hidden when it is empty.")
    figures = param.List(default=[], doc="Pairs of name and value.")

    _esm = asset("live_text.js")
    _stylesheets = [LIVE_CSS]
