"""The builder on the page: a list is chosen rule after rule, and what it has become is handed to the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ...assets import asset
from ..widgets.style import sheet
from .finding import Found
from .packing import packed


class Builder(JSComponent):
    """What can come next at every place, with what remains; all of it is counted in the browser.

    Parameters
    ----------
    on_end : callable
        Takes the antecedents of a list that has been ended.
    """

    ready = param.Boolean(default=False, doc="Whether the browser shows what was found.")
    said = param.Dict(default={}, doc="See `packing.packed`; empty: nothing is found yet.")

    _esm = asset("dom.js", "prefix_graph.js", "builder.js", "builder_on_the_page.js")
    _stylesheets = [sheet("builder.css")]

    def __init__(self, on_end: Callable[[tuple[int, ...]], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_end = on_end
        self._found: Found | None = None

    def begin(self, found: Found) -> None:
        """Show what was found, from the empty list on."""
        self._found, self.ready = found, False
        self.said = packed(found.result, found.graph, found.labels)

    def take(self, rules: Any) -> None:
        """Hear from the browser that a list has been ended."""
        if self._found is None or not isinstance(rules, list):
            return
        graph = self._found.graph
        node = graph.node(rules) if all(type(rule) is int for rule in rules) else -1
        if node >= 0 and graph.model[node] >= 0:
            self._on_end(tuple(rules))

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("ready") is True:
            self.ready = True
        elif isinstance(data, dict):
            self.take(data.get("rules"))
