"""A pane of HTML that asks nothing of other machines, in a notebook either."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import ImportedStyleSheet
from panel.io.notebook import replace_inline_css


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
