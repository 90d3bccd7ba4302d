"""The drawer in the browser: a button in the head of the page, and beside the page the list of kept runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import Child, JSComponent

from ...assets import asset
from ..widgets.style import sheet

ACTS = ("look", "open", "rename", "delete", "undo", "compare", "export", "check")


class RunList(JSComponent):
    """Every text is shown as text; what is pressed is told with the hashes of runs.

    Parameters
    ----------
    on_act : callable
        Takes one of `ACTS`, hashes, and a text, of which the last two may be anything that the browser sends.
    """

    rows = param.List(default=[], doc="See `rulelab.views.kept_runs.drawer.row`.")
    about = param.String(default="", doc="Where the runs are kept.")
    said = param.String(default="", doc="What was done, or what went wrong.")
    empty = param.String(default="", doc="What is said where no run is listed.")
    undo = param.Boolean(default=False, doc="Whether what was deleted last can be brought back.")
    busy = param.Boolean(default=False, doc="Whether something is being done.")
    uploader = Child(default=None, doc="Takes an archive.")

    _esm = asset("dom.js", "kept_runs.js")
    _stylesheets = [sheet("kept_runs.css")]

    def __init__(self, on_act: Callable[[str, list[str], str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_act = on_act

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if not isinstance(data, dict) or data.get("act") not in ACTS:
            return
        hashes, text = data.get("hashes"), data.get("text")
        found = [each for each in hashes if isinstance(each, str)][:1000] if isinstance(hashes, list) else []
        self._on_act(data["act"], found, text[:200] if isinstance(text, str) else "")
