"""One picture of fronts: accuracy against complexity, or against a gap between groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    HoverTool,
    Range1d,
    ResetTool,
    TapTool,
)
from bokeh.plotting import figure

from ..search.plots.base import Columns, add_legend, new_figure, replace
from ..widgets.style import BLUE, GREEN, INK, ORANGE, SKY
from .points import COMPLEXITY, LABELS, Point, fronts, number, percent

_GREY = {False: "#5f5f5f", True: "#b0b0b0"}
_COLORS = {
    "rule_list": {False: BLUE, True: SKY},
    "falling_rule_list": {False: ORANGE, True: "#F08A3C"},
    "rule_set": {False: GREEN, True: "#2FC79A"},
}
_MARKERS = {
    "rule_list": "circle",
    "falling_rule_list": "square",
    "rule_set": "triangle",
    "cart": "inverted_triangle",
    "random_forest": "diamond",
    "logistic_regression": "hex",
    "adaboost": "star",
    "exponentiated_gradient": "square_cross",
    "threshold_optimizer": "circle_cross",
    "compas_score": "asterisk",
}
_DOMINATED = 0.12
_HEIGHT = 300
_LEGEND_ROW = 26
_LEGEND_COLUMNS = 2
_POINT = ("key", "label", "marker", "color", "alpha", "x", "x_low", "x_high", "y", "y_low", "y_high")
_TEXTS = ("accuracy", "size", "gap", "folds")
_TOOLTIP = (
    '<div style="width: 150px; font-size: 12px; line-height: 1.35; white-space: normal"><b>@label</b>'
    "<br>accuracy @accuracy<br>complexity @size<br>gap @gap<br>folds @folds</div>"
)
"""Narrow, so that it has a place beside the point on a phone. Bokeh escapes what it puts in."""
_MOST_TOOLTIPS = 3

EXPORT = """
const found = []
const walk = (view) => {
  if (view.model === plot) { found.push(view) }
  for (const child of view.children ? view.children() : []) { walk(child) }
}
for (const root of Bokeh.index) { walk(root) }
if (found.length) {
  found[0].export(kind).to_blob().then((blob) => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = `${name}.${kind}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  })
}
"""


def color(method: str, dark: bool) -> str:
    """The colour of a family; all baselines share a grey."""
    return _COLORS.get(method, _GREY)[dark]


class FrontPlot:
    """Points of all methods with error bars, a front per family.

    A method that has no complexity is a line across the picture, with its marker at the right end.

    Parameters
    ----------
    title, x_label : str
    on_tap : callable
        Gets the key of the point that was tapped.

    Attributes
    ----------
    figure : figure
    """

    def __init__(self, title: str, x_label: str, on_tap: Callable[[str], None]) -> None:
        self._on_tap = on_tap
        self._dark = False
        self._shown: str | None = None
        self._spans: tuple[float, ...] = ()
        self._points = ColumnDataSource({name: [] for name in (*_POINT, *_TEXTS)})
        self._across = ColumnDataSource({"y": [], "color": []})
        self._chosen = ColumnDataSource({"x": [], "y": []})
        self._steps = {family: ColumnDataSource({"x": [], "y": []}) for family in _COLORS}
        self.figure: figure = new_figure(title, x_label, "accuracy (%)", height=_HEIGHT + 3 * _LEGEND_ROW)
        self._draw()
        self._points.selected.on_change("indices", self._tapped)

    def use_dark(self, dark: bool) -> None:
        """Colour everything for a dark or a light page."""
        self._dark = dark
        self._ring.glyph.line_color = INK[dark]
        for family, line in self._lines.items():
            line.glyph.line_color = color(family, dark)
        for method, dots in self._samples.items():
            dots.glyph.update(line_color=color(method, dark), fill_color=color(method, dark))

    def show(self, points: Sequence[Point], x: str, gap: str | None, chosen: str | None) -> None:
        """Bring the picture up to date.

        Parameters
        ----------
        points : sequence of Point
            In an order that only grows.
        x : str
            The figure on the horizontal axis.
        gap : str or None
            The gap that the pointer tells; None without groups of people.
        chosen : str or None
            Key of the point with the ring.
        """
        self._shown = chosen
        lines = fronts(points, x)
        at = self._places(points, x)
        best = {p.key for line in lines.values() for p in line} | {p.key for p in points if math.isnan(p.value(x))}
        known = [p for p in points if p.key in at]
        scale = 1 if x == COMPLEXITY else 100
        _bring(self._points, self._columns(known, at, x, scale, best, gap))
        for family, steps in self._steps.items():
            ys = [_short(100 * p.value("accuracy")) for p in lines[family]]
            replace(steps, {"x": [_short(scale * p.value(x)) for p in lines[family]], "y": ys})
        flat = [p for p in known if math.isnan(p.value(x))]
        across: Columns = {
            "y": [_short(100 * p.value("accuracy")) for p in flat],
            "color": [self._color(p) for p in flat],
        }
        replace(self._across, across)
        ring = [p for p in known if p.key == chosen]
        replace(self._chosen, {"x": [at[p.key] for p in ring], "y": [100 * p.value("accuracy") for p in ring]})
        present = {p.method for p in known}
        for method, item in self._legend.items():
            visible = method in present
            if item.visible != visible:
                item.visible = visible
        self._grow(len(present))
        self._fit()

    def _grow(self, methods: int) -> None:
        """Make room for the legend."""
        height = _HEIGHT + _LEGEND_ROW * max(3, math.ceil(methods / _LEGEND_COLUMNS))
        if self.figure.height != height:
            self.figure.height = height

    def _color(self, point: Point) -> str:
        return color(point.method, self._dark)

    def _places(self, points: Sequence[Point], x: str) -> dict[str, float]:
        """The horizontal place of every point that has one; those without complexity stand at the right end."""
        scale = 1 if x == COMPLEXITY else 100
        at = {p.key: _short(scale * p.value(x)) for p in points if not math.isnan(p.value(x))}
        if x == COMPLEXITY:
            end = max(at.values(), default=1)
            lacking = [p for p in points if p.key not in at]
            at |= {p.key: _short(end * (1 + 0.07 * (i + 1))) for i, p in enumerate(lacking)}
        return at

    def _columns(
        self, points: Sequence[Point], at: Mapping[str, float], x: str, scale: int, best: set[str], gap: str | None
    ) -> Columns:
        columns: Columns = {name: [] for name in (*_POINT, *_TEXTS)}
        for p in points:
            low, high = (at[p.key] if math.isnan(end) else _short(scale * end) for end in p.spread(x))
            y_low, y_high = (_short(100 * end) for end in p.spread("accuracy"))
            row = {
                "key": p.key,
                "label": p.label,
                "marker": _MARKERS[p.method],
                "color": self._color(p),
                "alpha": 0.9 if p.key in best else _DOMINATED,
                "x": at[p.key],
                "x_low": low,
                "x_high": high,
                "y": _short(100 * p.value("accuracy")),
                "y_low": y_low,
                "y_high": y_high,
                "accuracy": f"{percent(p, 'accuracy')} %",
                "size": number(p, COMPLEXITY),
                "gap": "no groups" if gap is None else f"{percent(p, gap)} %",
                "folds": f"{p.folds}" if p.baseline else f"{p.folds}, {p.proven} proven optimal",
            }
            for name, value in row.items():
                columns[name].append(value)
        return columns

    def _draw(self) -> None:
        plot, source = self.figure, self._points
        plot.x_range, plot.y_range = Range1d(start=0, end=10), Range1d(start=0, end=100)
        plot.hspan(y="y", line_color="color", line_dash="4 4", line_alpha=0.8, source=self._across)
        self._lines = {
            family: plot.step(x="x", y="y", mode="after", line_width=2, line_alpha=0.8, source=steps)
            for family, steps in self._steps.items()
        }
        bars: dict[str, Any] = {"line_color": "color", "line_alpha": 0.55, "source": source}
        plot.segment(x0="x", x1="x", y0="y_low", y1="y_high", **bars)
        plot.segment(x0="x_low", x1="x_high", y0="y", y1="y", **bars)
        dots = plot.scatter(
            x="x",
            y="y",
            marker="marker",
            size=11,
            source=source,
            fill_color="color",
            line_color="color",
            fill_alpha="alpha",
            line_width=1.5,
        )
        dots.nonselection_glyph = None
        self._ring = plot.scatter(x="x", y="y", size=22, fill_alpha=0, line_width=2, source=self._chosen)
        self._samples = {
            method: plot.scatter(x=[math.nan], y=[math.nan], marker=marker, size=10)
            for method, marker in _MARKERS.items()
        }
        named = [(LABELS[method], dots) for method, dots in self._samples.items()]
        self._legend = dict(zip(_MARKERS, add_legend(plot, named, columns=_LEGEND_COLUMNS), strict=True))
        for item in self._legend.values():
            item.visible = False
        hover = HoverTool(renderers=[dots], tooltips=_TOOLTIP, limit=_MOST_TOOLTIPS)
        plot.add_tools(hover, TapTool(renderers=[dots]))
        plot.add_tools(BoxZoomTool(), ResetTool())
        plot.toolbar.update(active_drag=None, autohide=True, logo=None)
        plot.toolbar_location = "right"
        self.use_dark(False)

    def _fit(self) -> None:
        """Let the axes span what there is; a part that was zoomed into stays until there is more."""
        data = self._points.data
        if not data["x"]:
            return
        right, low, high = max((*data["x"], *data["x_high"])), min(data["y_low"]), max(data["y_high"])
        spans = (right, low, high)
        if spans == self._spans:
            return
        self._spans = spans
        margin = max(0.06 * (high - low), 0.5)
        wide = {"start": -0.03 * max(right, 1), "end": 1.06 * max(right, 1)}
        tall = {"start": low - margin, "end": min(high + margin, 101)}
        for axis, ends in ((self.figure.x_range, wide), (self.figure.y_range, tall)):
            axis.update(**ends, reset_start=ends["start"], reset_end=ends["end"])

    def _tapped(self, attr: str, old: list[int], new: list[int]) -> None:
        if new:
            self._points.selected.indices = []
            self._on_tap(_next([self._points.data["key"][i] for i in sorted(new)], self._shown))


def _bring(source: ColumnDataSource, columns: Columns) -> None:
    """Send rows that have changed, and those that are new."""
    old: Any = source.data
    n = len(old["key"])
    if n == 0 or list(old["key"]) != columns["key"][:n]:
        replace(source, columns)
        return
    patches = {
        name: [(i, values[i]) for i in range(n) if values[i] != old[name][i]] for name, values in columns.items()
    }
    if changed := {name: patch for name, patch in patches.items() if patch}:
        source.patch(changed)
    if len(columns["key"]) > n:
        source.stream({name: values[n:] for name, values in columns.items()})


def _next(tapped: Sequence[str], shown: str | None) -> str:
    """The point to show of those that lie on each other: tapped again and again, all of them in turn."""
    return tapped[(tapped.index(shown) + 1) % len(tapped)] if shown in tapped else tapped[0]


def _short(value: float) -> float:
    return round(value, 3)
