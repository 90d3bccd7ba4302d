"""A table whose rows a person sorts by its heads and looks into; what it holds is shown as text, never as HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import param
from panel.custom import JSComponent

from ...assets import asset
from ..live.wording import count, in_signs
from ..widgets.esc import plain
from ..widgets.explained import term_slug
from ..widgets.style import sheet
from .step_plot import TERMS, bound_name

HEADS = {
    "antecedent": "next rule",
    "fate": "fate",
    "bound": "bound",
    **TERMS,
    "label": "label",
    "captured": "captured",
    "errors": "errors",
}
"""Its columns."""
PAGE = 50
"""Rows that are shown at once, and that come along when more are asked for."""
_TEXTS = ("antecedent", "label", "fate")


class StepTable(JSComponent):
    """The children of a prefix.

    Parameters
    ----------
    on_look : callable
        Takes the antecedent of a row that is chosen.
    family : str
        Whose bounds they are.
    """

    heads = param.List(default=[[key, words, key in _TEXTS] for key, words in HEADS.items()], doc="Key, words, text?")
    rows = param.List(default=[], doc="What is shown: texts of the cells, the entry in the glossary, the reason.")
    order = param.Tuple(default=("bound", True), doc="The column that it is sorted by, and whether upwards.")
    said = param.String(doc="What is not shown; empty: nothing.")

    _esm = asset("dom.js", "step_table.js")
    _stylesheets = [sheet("step_table.css")]

    def __init__(self, on_look: Callable[[str], None], family: str, **params: Any) -> None:
        super().__init__(**params)
        self._on_look, self._family = on_look, family
        self._frame = pd.DataFrame(columns=[*HEADS, "cut_by", "reason"])
        self._most, self._shown = PAGE, list[str]()

    def draw(self, frame: pd.DataFrame) -> None:
        """Show what `PrefixSearch.look_into` gives, from its beginning."""
        self._frame, self._most = frame, PAGE
        self._write()

    def ask(self, wanted: dict[str, Any]) -> None:
        """Do what a person asks for: ``sort`` by a column, ``more`` rows, or a ``look`` into one."""
        by = wanted.get("sort")
        if by in HEADS:
            self.order = (by, not self.order[1] if by == self.order[0] else True)
            self._write()
        elif wanted.get("more"):
            self._most += PAGE
            self._write()
        elif wanted.get("look") in range(len(self.rows)):
            self._on_look(self._shown[wanted["look"]])

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict):
            self.ask(data)

    def _write(self) -> None:
        by, up = self.order
        key = (lambda column: column.astype(str)) if by in _TEXTS else None
        frame = self._frame.sort_values([by, "cut_by"], ascending=up, kind="stable", key=key)
        rows = [self._row(row) for row in frame.head(self._most).to_dict(orient="records")]
        self._shown = frame["antecedent"].head(self._most).tolist()
        left = len(frame) - len(rows)
        said = f"{count(len(rows))} of {count(len(frame))} are shown; Save, CSV has them all." if left else ""
        changed = {"rows": rows, "said": said}
        self.param.update(**{name: value for name, value in changed.items() if value != getattr(self, name)})

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        cut = row["fate"] == "cut"
        cells = [plain(in_signs(row["antecedent"]), 10**6), f"cut: {bound_name(row['cut_by'])}" if cut else row["fate"]]
        cells += [f"{row[name]:.4f}" for name in ("bound", *TERMS)]
        cells += [plain(row["label"], 40), *(count(float(row[name])) for name in ("captured", "errors"))]
        return {"cells": cells, "term": term_slug(row["cut_by"], self._family) if cut else "", "reason": row["reason"]}
