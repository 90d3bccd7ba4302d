"""Column generation over time: the least reduced cost, and the effort that pricing and the pool take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ....snapshot import Snapshot
from ...live.wording import count
from ...widgets.style import BLUE, GREEN, ORANGE, SKY
from .base import Plot, Window, add_legend, compact, show_entries
from .curves import AXES, Column, Curves, finite

_FLOOR = 1
_SMALLEST = 1e-6
"""Reduced costs above minus this are rounding, and count as none."""


def _detail(name: str) -> Column:
    def value(snapshot: Snapshot) -> float:
        return finite(snapshot.detail.get(name, math.nan))

    return value


def _at_least_one(name: str) -> Column:
    return lambda snapshot: max(_FLOOR, snapshot.counts.get(name, 0))


def _reduced_cost(snapshot: Snapshot) -> float:
    value = snapshot.detail.get("least_reduced_cost", math.nan)
    return 0.0 if -_SMALLEST < value <= 0 else finite(value)


GENERATED: dict[str, Column] = {
    "master_value": _detail("master_value"),
    "reduced_cost": _reduced_cost,
    "pool": _at_least_one("columns"),
    "in_master": lambda snapshot: max(_FLOOR, snapshot.detail.get("columns_in_master", 0)),
    "pricing_nodes": _at_least_one("pricing_nodes"),
}
"""Columns of the shared source."""
_EFFORT = ("pricing_nodes", "pool", "in_master")


class ReducedCostPlot(Plot):
    """The least reduced cost of all rules; at 0 no rule improves the linear programme."""

    title = "Least reduced cost of all rules"

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self._window = Window(-1, 0.08)
        plot = curves.figure(self.title, "reduced cost", self._window)
        line = plot.step(x="seconds", y="reduced_cost", source=curves.source, color=BLUE, line_width=2.5, mode="after")
        self._line = line
        dots = plot.scatter(x="seconds", y="reduced_cost", source=curves.source, color=ORANGE, size=5)
        tooltips = [("work", "@work"), ("least reduced cost", "@reduced_cost{0.0000}"), ("pool", "@pool")]
        plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))
        self.figure = plot
        self.over_time = (line.glyph, dots.glyph)
        self.clear()

    def clear(self) -> None:
        self.caption = "How much the best new rule could lower the value of the linear programme, as a negative number."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        known = [value for value in self._curves.past("reduced_cost") if value == value]
        if not known:
            self.caption = "No rule has a price yet."
        elif known[-1] == 0:
            self.caption = "0: no rule lowers the value of the linear programme any more."
        else:
            self.caption = f"A rule could still lower the value of the linear programme: its price is {known[-1]:.4g}."

    def fit(self) -> None:
        least = min(self._curves.known("reduced_cost"), default=-1.0) or -1.0
        self._window.span(1.08 * least, -0.08 * least)

    def frame(self) -> pd.DataFrame:
        return self._curves.frame({"reduced_cost": "least reduced cost"})

    def use_dark(self, dark: bool) -> None:
        self._line.glyph.line_color = SKY if dark else BLUE


class EffortPlot(Plot):
    """Rules in the pool and in the master, and nodes of the pricing's branch and bound."""

    title = "Rules and pricing effort"

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self._window = Window(_FLOOR, 1000)
        plot = curves.figure(self.title, "count (logarithmic)", self._window, y_axis_type="log", min_border_top=34)
        styles: dict[str, tuple[str, dict[str, Any]]] = {
            "pricing nodes": ("pricing_nodes", {"color": ORANGE, "line_width": 2.5}),
            "pool": ("pool", {"color": GREEN, "line_width": 2.5}),
            "master": ("in_master", {"color": GREEN, "line_width": 1.8, "line_dash": "4 3"}),
        }
        lines = {
            name: plot.step(x="seconds", y=column, source=curves.source, mode="after", **style)
            for name, (column, style) in styles.items()
        }
        self._head = ColumnDataSource({name: [] for name in (*AXES.values(), *_EFFORT)})
        ends: list[Any] = [
            plot.scatter(x="seconds", y=column, source=self._head, size=7, color=style["color"])
            for column, style in styles.values()
        ]
        self._entries = add_legend(plot, list(lines.items()))
        plot.yaxis.formatter = compact()
        tooltips = [("work", "@work"), ("pricing nodes", "@pricing_nodes"), ("pool", "@pool"), ("master", "@in_master")]
        plot.add_tools(HoverTool(renderers=[lines["pricing nodes"]], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.sources = (self._head,)
        self.over_time = tuple(one.glyph for one in [*lines.values(), *ends])
        self.clear()

    def clear(self) -> None:
        self._head.data = {name: [] for name in (*AXES.values(), *_EFFORT)}
        show_entries(self._entries, [False] * len(self._entries))
        self.caption = "Rules that were generated, those in the linear programme, and the effort to find them."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._head.data = {name: self._curves.past(name)[-1:] for name in (*AXES.values(), *_EFFORT)}
        show_entries(self._entries, [True] * len(self._entries))
        pool, used = count(latest.counts.get("columns", 0)), count(latest.detail.get("columns_in_master", 0))
        nodes = count(latest.counts.get("pricing_nodes", 0))
        self.caption = f"{pool} rules in the pool, {used} in the master; {nodes} pricing nodes."

    def fit(self) -> None:
        known = [value for name in ("pricing_nodes", "pool") for value in self._curves.known(name)]
        self._window.span(_FLOOR, 3 * max(known, default=300))

    def frame(self) -> pd.DataFrame:
        return self._curves.frame({"pricing_nodes": "pricing nodes", "pool": "pool", "in_master": "master"})
