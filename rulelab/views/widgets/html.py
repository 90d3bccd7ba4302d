"""Panes of HTML that ask nothing of other machines, lines of text that screen readers follow, and a button."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from bokeh.models import ImportedStyleSheet
from panel.custom import JSComponent
from panel.io.notebook import replace_inline_css

from ...assets import asset
from .style import sheet


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
    _stylesheets = [sheet("live.css")]


class Press(JSComponent):
    """A button that stays the same element whatever stands on it.

    Bokeh's own is replaced when that changes: it loses the focus of the keyboard, and a press at that moment. It fails,
    too, when it is disabled between being sent and being drawn.
    """

    label = param.String(default="", doc="What stands on it.")
    icon = param.String(default="", doc="SVG that stands before it.")
    primary = param.Boolean(default=False, doc="Whether it is the one to press.")
    able = param.Boolean(default=True, doc="Whether it can be pressed.")
    why = param.String(default="", doc="What keeps it from being pressed, while something does.")
    unfolded = param.Boolean(default=False, doc="Whether it has unfolded what a press elsewhere, or Escape, folds.")

    _esm = asset("press.js")
    _stylesheets = [sheet("press.css")]

    def __init__(self, press: Callable[[], Any], **params: Any) -> None:
        super().__init__(**params)
        self._press = press

    def _handle_msg(self, message: Any) -> None:
        if self.able and (message != "fold" or self.unfolded):
            self._press()
