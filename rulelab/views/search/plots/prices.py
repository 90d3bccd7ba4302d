"""What the linear programme would pay for covering rows: a bar for each group of equal rows that has a price."""

from __future__ import annotations

from typing import Any

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ...live.wording import count, counted
from ...widgets.esc import plain
from ...widgets.style import ORANGE, SKY
from .base import Columns, Plot, Window, add_legend, new_figure, replace, show_entries

EMPTY = pd.DataFrame(columns=["conditions", "rows", "wanted", "price", "cost", "covered"])
MOST_BARS = 60
_KINDS = {"covered by the best set": SKY, "not covered": ORANGE}
_MOST = "at most"
_GREY = "#999999"
_TOOLTIP = (
    '<div style="max-width: min(300px, 60vw); font-size: 12px; line-height: 1.4; overflow-wrap: anywhere">'
    "<b>price @price{0.00}</b> for @wanted of @rows equal rows<br>covering them costs @cost{0.00}<br>@said<br>"
    "@conditions</div>"
)
"""Bokeh escapes what it puts in."""


class PricesPlot(Plot):
    """A bar per group, the dearest first; behind it, pale, what its rows can be worth at most."""

    title = "Prices of the rows"

    below = ""

    def __init__(self) -> None:
        self._shown = EMPTY
        self._across, self._up = Window(0, 10), Window(0, 1)
        plot = new_figure(
            self.title,
            "groups of equal rows, the dearest first",
            "price (rows)",
            self._across,
            self._up,
            height=300,
            min_border_top=52,
        )
        plot.xaxis.ticker = []
        self.sources = tuple(ColumnDataSource(_columns(EMPTY)) for _ in _KINDS)
        pale: list[Any] = [
            plot.vbar(x="x", width=0.8, top="wanted", source=source, color=_GREY, fill_alpha=0.2, line_color=None)
            for source in self.sources
        ]
        bars: list[Any] = [
            plot.vbar(x="x", width=0.8, top="price", source=source, color=color, fill_alpha=0.85, line_color=None)
            for source, color in zip(self.sources, _KINDS.values(), strict=True)
        ]
        self._entries = add_legend(plot, [*zip(_KINDS, bars, strict=True), (_MOST, pale[0])], columns=2)
        plot.add_tools(HoverTool(renderers=pale, tooltips=_TOOLTIP, point_policy="follow_mouse"))
        self.figure = plot
        self.draw(EMPTY)

    def draw(self, frame: pd.DataFrame) -> None:
        """Show what `rulelab.RuleSetSearch.prices` gives."""
        self._shown, self._asked = frame, (frame,)
        drawn = frame.head(MOST_BARS).reset_index(drop=True)
        covered = drawn["covered"].astype(bool)
        parts = [drawn[covered], drawn[~covered]]
        for source, part in zip(self.sources, parts, strict=True):
            replace(source, _columns(part))
        show_entries(self._entries, [*(bool(len(part)) for part in parts), bool(len(drawn))])
        if not len(drawn):
            self.caption = "No row has a price yet: the linear programme gives it."
            return
        self._across.span(0.4, max(10, len(drawn)) + 0.6)
        self._up.span(0, 1.05 * float(drawn[["price", "wanted"]].to_numpy(dtype=float).max()))
        priced = int(frame.attrs.get("priced", len(frame)))
        total = float(frame.attrs.get("total", frame["price"].sum()))
        more = f"; the {count(len(drawn))} dearest are drawn" if priced > len(drawn) else ""
        groups = "1 group of equal rows has a price" if priced == 1 else f"{counted(priced, 'groups')} have a price"
        sums = f"the prices add up to {total:.4g} {'row' if total == 1 else 'rows'}{more}"
        self.caption = f"{groups}: what a new rule could earn by covering them; {sums}."

    def frame(self) -> pd.DataFrame:
        names = {"wanted": "rows to cover", "cost": "cost of covering", "covered": "covered by the best set"}
        return self._shown.rename(columns=names)


def _columns(part: pd.DataFrame) -> Columns:
    kinds = list(_KINDS)
    return {
        "x": [k + 1 for k in part.index.tolist()],
        "price": part["price"].astype(float).round(6).tolist(),
        "wanted": part["wanted"].astype(float).round(6).tolist(),
        "cost": part["cost"].astype(float).round(6).tolist(),
        "rows": [count(value) for value in part["rows"].astype(float).tolist()],
        "said": [kinds[0] if each else kinds[1] for each in part["covered"].tolist()],
        "conditions": [plain(each, 200) for each in part["conditions"]],
    }
