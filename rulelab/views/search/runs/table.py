"""The table of runs: figures of each, what it was set to that others were not, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ....assets import asset
from ...widgets.style import sheet

ACTS = ("show", "pin", "form", "remove")


class RunTable(JSComponent):
    """Two lines a run, all as text; what is pressed is told by the number of the run.

    Parameters
    ----------
    on_act : callable
        Takes the number of a run, which may be anything, and one of `ACTS`.
    """

    heads: param.List[list[str]] = param.List(default=[], doc="Names of the columns, that of the number first.")
    terms = param.Dict(default={}, doc="What a name is called in the glossary, where that is something else.")
    rows = param.List(default=[], doc="See `rulelab.views.search.runs.box.rows`.")
    empty = param.String(default="", doc="What is said where there is no run.")

    _esm = asset("dom.js", "run_table.js")
    _stylesheets = [sheet("run_table.css")]

    def __init__(self, on_act: Callable[[Any, str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_act = on_act

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if isinstance(data, dict) and data.get("act") in ACTS:
            self._on_act(data.get("run"), data["act"])
