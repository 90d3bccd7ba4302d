"""Panes of HTML that ask nothing of other machines, and lines of text that screen readers follow."""

from __future__ import annotations

from typing import Any

import panel as pn
import param
from bokeh.models import ImportedStyleSheet
from panel.custom import JSComponent
from panel.io.notebook import replace_inline_css

from ...assets import asset
from .style import LIVE_CSS


class Html(pn.pane.HTML):
    """As Panel's, but after ``pn.extension(inline=True)`` its style sheets stay inline when its text changes."""

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        properties = super()._get_properties(doc)
        if pn.config.inline and "stylesheets" in properties:
            properties["stylesheets"] = [
                replace_inline_css(sheet) if isinstance(sheet, ImportedStyleSheet) else sheet
                for sheet in properties["stylesheets"]
            ]
        return properties


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
