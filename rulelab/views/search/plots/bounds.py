"""Objective and lower bound over the time of a search: steps, because neither moves between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import HoverTool, Range1d

from ....search import Snapshot
from ...widgets.style import BLUE, ORANGE, PURPLE, SKY
from .base import Plot, add_legend, new_figure
from .curves import Curves


class BoundsPlot(Plot):
    """What is found, what is proven, and the gap between them.

    Parameters
    ----------
    curves : Curves
    measure : str
        What the objective is measured in.
    relaxation : tuple of (str, str), optional
        Column and name of a third curve: the value of a relaxation.
    """

    def __init__(self, curves: Curves, measure: str = "objective", relaxation: tuple[str, str] | None = None) -> None:
        self._curves = curves
        plot = new_figure("Objective and lower bound", "search time (s)", measure, height=330)
        plot.x_range, plot.y_range = Range1d(start=0, end=1), Range1d(start=0, end=1)
        steps: dict[str, Any] = {"x": "seconds", "source": curves.source, "mode": "after"}
        self._gap = plot.varea_step(
            x="seconds",
            y1="lower_bound",
            y2="gap_top",
            source=curves.source,
            fill_color=SKY,
            fill_alpha=0.22,
            step_mode="after",
            visible=False,
        )
        self._shown = ["objective"]
        further, lines = [], []
        if relaxation is not None:
            column, name = relaxation
            self._shown.append(column)
            relaxed = plot.step(y=column, color=PURPLE, line_width=1.8, line_dash="2 3", **steps)
            further.append((name, f"@{column}{{0.0000}}"))
            lines.append((name, relaxed))
        self._bound = plot.step(y="lower_bound", color=BLUE, line_width=2.5, line_dash="6 3", **steps)
        best = plot.step(y="objective", color=ORANGE, line_width=2.5, **steps)
        items = [("objective", best), *lines, ("lower bound", self._bound), ("gap", self._gap)]
        add_legend(plot, items, columns="auto" if relaxation is None else 2)  # four in a line are too wide for a phone
        tooltips = [
            ("time", "@seconds{0.00} s"),
            ("work", "@work"),
            ("objective", "@objective{0.0000}"),
            *further,
            ("lower bound", "@lower_bound{0.0000}"),
        ]
        plot.add_tools(HoverTool(renderers=[best], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.over_time = (self._gap.glyph, self._bound.glyph, best.glyph, *(line.glyph for _, line in lines))

    def clear(self) -> None:
        self._gap.visible = False  # a stepped area without points never ends drawing itself (Bokeh 3.9)

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._gap.visible = not self._curves.empty

    def fit(self) -> None:
        known = [value for name in self._shown for value in self._curves.known(name)]
        self.figure.y_range.update(end=1.1 * max(known, default=1) or 1)

    def use_dark(self, dark: bool) -> None:
        self._bound.glyph.line_color = SKY if dark else BLUE
