"""Column generation over time: the least reduced cost, and the effort that pricing and the pool take."""

from __future__ import annotations

import math
from typing import Any

from bokeh.models import HoverTool, Range1d

from ....search import Snapshot
from ...widgets.style import BLUE, GREEN, ORANGE, SKY
from .base import Plot, add_legend, compact, new_figure
from .curves import Column, Curves, finite

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


class ReducedCostPlot(Plot):
    """The least reduced cost of all rules; at 0 no rule improves the linear programme."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        plot = new_figure("Least reduced cost of all rules", "search time (s)", "reduced cost")
        plot.x_range, plot.y_range = Range1d(start=0, end=1), Range1d(start=-1, end=0.08)
        line = plot.step(x="seconds", y="reduced_cost", source=curves.source, color=BLUE, line_width=2.5, mode="after")
        self._line = line
        dots = plot.scatter(x="seconds", y="reduced_cost", source=curves.source, color=ORANGE, size=5)
        tooltips = [("work", "@work"), ("least reduced cost", "@reduced_cost{0.0000}"), ("pool", "@pool")]
        plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))
        self.figure = plot
        self.over_time = (line.glyph, dots.glyph)

    def fit(self) -> None:
        least = min(self._curves.known("reduced_cost"), default=-1.0) or -1.0
        self.figure.y_range.update(start=1.08 * least, end=-0.08 * least)

    def use_dark(self, dark: bool) -> None:
        self._line.glyph.line_color = SKY if dark else BLUE


class EffortPlot(Plot):
    """Rules in the pool and in the master, and nodes of the pricing's branch and bound."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        plot = new_figure("Rules and pricing effort", "search time (s)", "count (logarithmic)", y_axis_type="log")
        plot.x_range, plot.y_range = Range1d(start=0, end=1), Range1d(start=_FLOOR, end=1000)
        styles: dict[str, tuple[str, dict[str, Any]]] = {
            "pricing nodes": ("pricing_nodes", {"color": ORANGE, "line_width": 2.5}),
            "pool": ("pool", {"color": GREEN, "line_width": 2.5}),
            "master": ("in_master", {"color": GREEN, "line_width": 1.8, "line_dash": "4 3"}),
        }
        lines = {
            name: plot.step(x="seconds", y=column, source=curves.source, mode="after", **style)
            for name, (column, style) in styles.items()
        }
        add_legend(plot, list(lines.items()))
        plot.yaxis.formatter = compact()
        tooltips = [
            ("work", "@work"),
            ("pricing nodes", "@pricing_nodes"),
            ("pool", "@pool"),
            ("master", "@in_master"),
        ]
        plot.add_tools(HoverTool(renderers=[lines["pricing nodes"]], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.over_time = tuple(line.glyph for line in lines.values())

    def fit(self) -> None:
        known = [value for name in ("pricing_nodes", "pool") for value in self._curves.known(name)]
        self.figure.y_range.update(end=3 * max(known, default=300))
