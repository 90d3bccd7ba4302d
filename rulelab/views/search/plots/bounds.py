"""Objective and lower bound over the time of a search: steps, because neither moves between two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ....search import Snapshot, Status
from ...live.wording import objective as rounded
from ...widgets.style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY
from .base import Plot, Window, add_legend, new_figure, show_entries
from .curves import Curves, place_columns

_EASE = 1 / 3
"""How much of the way that objective and bound have gone leaves the picture while they meet."""
_MARGIN = 0.07


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
        self._family = "rule_list" if relaxation is None else "rule_set"
        self._relaxation = relaxation
        self._window = Window(0, 1)
        plot = new_figure(
            "Objective and lower bound",
            "search time (s)",
            measure,
            height=372,
            min_border_top=34,
            x_range=curves.window.range,
            y_range=self._window.range,
        )
        self._head, self._proof = (ColumnDataSource(place_columns(None, _ENDS)) for _ in range(2))
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
        further, lines = [], []
        if relaxation is not None:
            column, name = relaxation
            relaxed = plot.step(y=column, color=PURPLE, line_width=1.8, line_dash="2 3", **steps)
            further.append((name, f"@{column}{{0.0000}}"))
            lines.append((name, relaxed))
        self._bound = plot.step(y="lower_bound", color=BLUE, line_width=2.5, line_dash="6 3", **steps)
        best = plot.step(y="objective", color=ORANGE, line_width=2.5, **steps)
        self._ends = [
            plot.scatter(x="seconds", y=column, source=self._head, size=8, color=color)
            for column, color in (("lower_bound", BLUE), ("objective", ORANGE))
        ]
        proven = plot.scatter(x="seconds", y="objective", source=self._proof, size=17, marker="star", color=GREEN)
        proven.glyph.line_color = "white"
        self._said = plot.text(
            x="seconds",
            y="objective",
            text={"value": "proven"},
            source=self._proof,
            x_offset=-10,
            y_offset=-8,
            text_align="right",
            text_font_size="13px",
            text_font_style="bold",
            text_color=INK[False],
        )
        items = [("objective", best), *lines, ("lower bound", self._bound), ("gap", self._gap)]
        self._entries = add_legend(plot, items, columns=len(items) if len(items) < 4 else 2)
        self._drawn = ["objective", *([relaxation[0]] if relaxation else []), "lower_bound", "lower_bound"]
        tooltips = [
            ("time", "@seconds{0.00} s"),
            ("work", "@work"),
            ("objective", "@objective{0.0000}"),
            *further,
            ("lower bound", "@lower_bound{0.0000}"),
        ]
        plot.add_tools(HoverTool(renderers=[best], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.sources = (self._head, self._proof)
        self.over_time = tuple(renderer.glyph for renderer in plot.renderers)  # type: ignore[attr-defined]
        self.clear()

    def clear(self) -> None:
        self._gap.visible = False  # a stepped area without points never ends drawing itself (Bokeh 3.9)
        self._head.data = self._proof.data = place_columns(None, _ENDS)
        show_entries(self._entries, [False] * len(self._entries))
        self.caption = "The objective of the best model found comes down; what is proven about all models goes up."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._gap.visible = not self._curves.empty
        self._head.data = place_columns(latest, _ENDS)
        self._proof.data = place_columns(latest if latest.status is Status.OPTIMAL else None, _ENDS)
        show_entries(self._entries, [bool(self._curves.known(name)) for name in self._drawn])
        self.caption = self._words(latest)

    def fit(self) -> None:
        found, proven = self._curves.known("objective"), self._curves.known("lower_bound")
        if not proven:
            self._window.span(0, 1)
            return
        relaxed = self._curves.known(self._relaxation[0]) if self._relaxation else []
        top, bottom = max([*found, *relaxed[-1:]], default=proven[-1]), proven[0]
        if found:
            top = max(top - _EASE * (found[0] - found[-1]), *relaxed[-1:], found[-1])
            bottom += _EASE * (proven[-1] - proven[0])
        height = max(top - bottom, 0.02 * abs(top), 1e-9)
        self._window.span(max(bottom - _MARGIN * height, 0.0), top + 2 * _MARGIN * height)

    def frame(self) -> pd.DataFrame:
        further = {} if self._relaxation is None else {self._relaxation[0]: self._relaxation[1]}
        return self._curves.frame({"objective": "objective", "lower_bound": "lower bound", **further})

    def use_dark(self, dark: bool) -> None:
        bound = SKY if dark else BLUE
        self._bound.glyph.line_color = bound
        self._ends[0].glyph.update(line_color=bound, fill_color=bound)
        self._said.glyph.text_color = INK[dark]

    def _words(self, latest: Snapshot) -> str:
        best = latest.incumbent
        if best is None:
            impossible = latest.status is Status.INFEASIBLE
            return "No model meets the constraint." if impossible else "No model is found yet."
        found, proven = (rounded(value, self._family) for value in (best.objective, latest.lower_bound))
        if latest.status is Status.OPTIMAL:
            return f"The gap is closed: {found} is found, and proven to be the least."
        first = [a - b for a, b in zip(*map(self._curves.source.data.get, ("objective", "lower_bound")), strict=True)]
        widest = next((gap for gap in first if not math.isnan(gap)), 0.0)
        closed = math.floor(100 * (1 - latest.gap / widest)) if widest > 0 else 0
        return f"{min(max(closed, 0), 99)} % of the gap is closed: {found} is found, below {proven} there is nothing."


_ENDS = ("objective", "lower_bound")
