"""Pictures of many good models: what each is worth, and which antecedents they have.

Bare Bokeh: taps choose models, and each choice and each new count replaces columns of a picture that stays;
`rulelab.plots.good_models` and `rulelab.plots.antecedents` draw a finished result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from bokeh.colors import RGB
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker, HoverTool, TapTool

from ..live.wording import count, counted
from ..search.plots.base import Columns, Plot, Window, enlarged, new_figure, replace, set_ticks, when_tapped
from ..widgets.esc import plain
from ..widgets.style import INK, LENGTHS
from .good import Good

HEIGHT = 260
MOST_DOTS = 3000  # so many models are drawn, the best ones
_FLOOR = 0.8
_COLORS = {
    dark: np.array([RGB.from_hex_string(each).lighten(0.15 * dark).to_hex() for each in LENGTHS])
    for dark in (False, True)
}
_DOT = ("model", "x", "y", "rules", "color", "size", "above")
_TOOLTIPS = [("accuracy", "@y{0.00} %"), ("rules", "@rules"), ("above the optimum", "@above{0.00} %")]


class Picture(Plot):
    """A picture of models, which can be tapped; it is saved as a slide."""

    def picture(self) -> dict[str, Any]:
        alone = type(self)()
        alone.draw(*self._asked)
        return enlarged(alone.figure)

    def _listen(
        self,
        source: ColumnDataSource,
        renderer: Any,
        tooltips: list[tuple[str, str]] | str,
        on_tap: Callable[[int], None],
    ) -> None:
        """Say what is under the pointer, and hand over the first column of what is tapped."""
        self.figure.add_tools(HoverTool(tooltips=tooltips, renderers=[renderer]), TapTool(renderers=[renderer]))
        renderer.nonselection_glyph = renderer.selection_glyph = None
        when_tapped(source, next(iter(source.data)), on_tap)


class Dots(Picture):
    """Accuracy of every model against the gap between groups, or against its number of rules."""

    title = "Models by accuracy"

    def __init__(self, on_tap: Callable[[int], None] = lambda k: None) -> None:
        self._source = ColumnDataSource({name: [] for name in _DOT})
        self._best = ColumnDataSource({"x": [], "y": [], "color": []})
        self._ring = ColumnDataSource({"x": [], "y": []})
        self._across, self._up = Window(0, 5), Window(50, 100)
        plot = new_figure(self.title, "rules", "accuracy (%)", self._across, self._up, height=HEIGHT)
        self.figure = plot
        self._dots = dots = plot.scatter(
            x="x", y="y", size="size", source=self._source, color="color", fill_alpha=0.55, line_alpha=0.9
        )
        large = plot.scatter(  # above those that would hide it
            x="x", y="y", size=14, source=self._best, fill_color="color", line_color=INK[False], line_width=1.5
        )
        circle = plot.scatter(x="x", y="y", size=21, source=self._ring, fill_color=None, line_width=2.5)
        self.tinted = [(each.glyph, "line_color", INK) for each in (large, circle)]
        self._listen(self._source, dots, _TOOLTIPS, on_tap)

    def draw(
        self,
        found: Good,
        kept: np.ndarray,  # the models to draw, best first
        gaps: np.ndarray | None,  # gap between groups of every model, in per cent
        axis: str,  # what the gap is; unused without gaps
        chosen: int | None,  # the model with the ring
    ) -> None:
        self._asked = (found, kept, gaps, axis, chosen)
        optima = found.optima
        columns: Columns = {name: [] for name in _DOT}
        ring: Columns = {"x": [], "y": []}
        best: Columns = {"x": [], "y": [], "color": []}
        self.caption = "No model is left."
        grouped = gaps is not None
        self.figure.xaxis.axis_label = f"gap in {axis} (%)" if grouped else "rules"
        set_ticks(self.figure.xaxis, min_interval=0 if grouped else 1)
        if len(kept):
            drawn = kept[:MOST_DOTS]
            rules, accuracy, above = (found.frame[name].to_numpy()[drawn] for name in ("rules", "accuracy", "above"))
            # small shifts, the same each time, so that dots of one number of rules lie apart; none of the first model
            x = rules + ((drawn * 0.6180339887 + 0.5) % 1 - 0.5) * 0.6 if gaps is None else gaps[drawn]
            known = ~np.isnan(x)
            color = _COLORS[self._dark][np.clip(rules - 1, 0, len(LENGTHS) - 1)]
            parts = (drawn, np.round(x, 3), np.round(accuracy, 4), rules, color, np.where(drawn == optima[0], 11, 7))
            values = (*parts, np.round(above, 4))
            columns = {name: value[known].tolist() for name, value in zip(_DOT, values, strict=True)}
            if optima[0] in columns["model"]:
                at = columns["model"].index(optima[0])
                best = {name: [columns[name][at]] for name in best}
            if chosen is not None and chosen in columns["model"]:
                at = columns["model"].index(chosen)
                ring = {"x": [columns["x"][at]], "y": [columns["y"][at]]}
            if columns["x"]:
                _span(self._across, columns["x"], 0 if grouped else 0.5)
                _span(self._up, columns["y"], 0.05)
            of = f", the best of {count(len(kept))}" if len(kept) > len(drawn) else ""
            colours = "; from blue (1 rule) to orange (8 or more)" if grouped else "; spread sideways"
            large = "the optimum" if len(optima) == 1 else f"one of {count(len(optima))} optima"
            self.caption = f"{counted(int(known.sum()), 'models')}{of}{colours}; the large dot is {large}."
        replace(self._source, columns)
        replace(self._best, best)
        replace(self._ring, ring)

    def frame(self) -> pd.DataFrame:
        """What is drawn, with the axes' names."""
        data = self._source.data
        x: Any = self.figure.xaxis[0].axis_label
        names = {"rules": data["rules"], "accuracy (%)": data["y"], "objective above the optimum (%)": data["above"]}
        return pd.DataFrame(
            {"model": [k + 1 for k in data["model"]], **({} if x == "rules" else {x: data["x"]}), **names}
        )

    def use_dark(self, dark: bool) -> None:
        """Light dots on a dark ground, and dark ones on a light ground."""
        changes = dark is not self._dark
        super().use_dark(dark)
        self._dots.glyph.fill_alpha = 0.9 if dark else 0.55
        if changes and self._asked:
            self.draw(*self._asked)


def _span(window: Window, values: Sequence[float], least: float) -> None:
    low, high = min(values), max(values)
    margin = max(0.05 * (high - low), least, 1e-3)
    window.span(low - margin, high + margin)


MOST_COLUMNS, MOST_ROWS = 150, 18
"""Models and antecedents of the matrix."""
_NAME, _END, _LONGEST = 34, 19, 2000
_CELL = ("model", "x", "name", "number", "full", "place", "color")


class Matrix(Picture):
    """Which antecedents the models have, and at which place: a column per model."""

    title = "Antecedents of the models"
    names = {"number": "model", "full": "antecedent", "place": "rule"}

    def __init__(self, on_tap: Callable[[int], None] = lambda k: None) -> None:
        self._source = ColumnDataSource({name: [] for name in _CELL})
        self.sources = (self._source,)
        self._ring = ColumnDataSource({"x": []})
        self._across, self._lines = Window(-0.5, 9.5), FactorRange()
        axes = "models, the best first", None, self._across, self._lines
        plot = new_figure(self.title, *axes, height=HEIGHT + 80, min_border_left=20)
        self.figure = plot
        cells = plot.rect(
            x="x", y="name", width=0.94, height=0.86, source=self._source, fill_color="color", line_color=None
        )
        span = plot.vspan(x="x", source=self._ring, line_width=2)
        self.tinted = [(span.glyph, "line_color", INK)]
        plot.xaxis.ticker = FixedTicker(ticks=[])
        plot.grid.visible = False
        self._listen(self._source, cells, [("antecedent", "@full"), ("rule", "@place")], on_tap)

    def draw(self, found: Good, kept: np.ndarray, chosen: int | None) -> None:
        """Draw models, best first in ``kept``."""
        self._asked = (found, kept, chosen)
        columns: Columns = {name: [] for name in _CELL}
        rows: list[str] = []
        order = kept[:MOST_COLUMNS].tolist()
        self.caption = "No model is left."
        if len(kept):
            members, ordered = found.members, found.ways == "lists"
            shown, rarer = _most_used(members, order)
            names = short_names([found.names[j] for j in shown])
            name_of = dict(zip(shown, names, strict=True))
            rows = names[::-1]
            for x, k in enumerate(order):
                for place, j in enumerate(members[k]):
                    if j in name_of:
                        color = LENGTHS[min(place, 7) if ordered else 0]
                        cell = (k, x, name_of[j], k + 1, found.names[j], place + 1, color)
                        for name, value in zip(_CELL, cell, strict=True):
                            columns[name].append(value)
            fewer = f", the best of {count(len(kept))}" if len(kept) > len(order) else ""
            left_out = f"; {rarer} rarer {found.part}s are not drawn" if rarer else ""
            colours = "from blue (first rule) to orange (eighth or later)" if ordered else "each line is a rule"
            self.caption = (
                f"{counted(len(order), 'models')}{fewer}, a column each, {colours}; the line: the chosen one{left_out}."
            )
        self._across.span(-0.5, max(len(order), 10) - 0.5)
        if list(self._lines.factors) != rows:
            replace(self._source, {name: [] for name in _CELL})
            self._lines.factors = rows
        replace(self._source, columns)
        replace(self._ring, {"x": [order.index(chosen)] if chosen in order else []})


def _most_used(members: Sequence[Sequence[int]], models: Sequence[int]) -> tuple[list[int], int]:
    """The antecedents that most of some models have, the most frequent first, and how many others there are."""
    used, n = np.unique([j for k in models for j in members[k]], return_counts=True)
    shown = used[np.argsort(-n, kind="stable")][:MOST_ROWS]
    return [int(j) for j in shown], len(used) - len(shown)


def short_names(names: Sequence[str]) -> list[str]:
    """Names that fit beside the axis, all different; of long ones, which often begin alike, the middle is left out."""
    out: list[str] = []
    for name in names:
        text = plain(name, _LONGEST)
        if len(text) > _NAME:
            text = f"{text[: _NAME - _END - 1].rstrip()}…{text[-_END:].lstrip()}"
        while text in out:
            text += "'"
        out.append(text)
    return out
