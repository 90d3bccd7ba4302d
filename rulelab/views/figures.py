"""The live plots of a search: plain Bokeh, fed by streaming lists of rounded numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bokeh.models import (
    ColumnDataSource,
    CustomJSTickFormatter,
    FactorRange,
    HoverTool,
    LabelSet,
    Legend,
    LegendItem,
    Range1d,
)
from bokeh.plotting import figure

from ..search import Incumbent, Snapshot
from .style import BLUE, GREEN, INK, LENGTHS, ORANGE, PURPLE, SKY

HEIGHT = 260
AXES = {
    "time": ("seconds", "search time (s)"),
    "work": ("work", "work (prefixes expanded)"),
    "log work": ("log_work", "work (prefixes expanded, logarithmic)"),
}
"""Horizontal axes: the column and its label."""
_QUEUED = tuple(f"length_{i + 1}" for i in range(len(LENGTHS)))
_NUMBER = """
for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
  if (Math.abs(tick) >= unit) { return Number((tick / unit).toPrecision(3)) + letter }
}
return String(Number(tick.toPrecision(6)))
"""
_COMPACT = f"const show = (tick) => {{ {_NUMBER} }}; return show(tick)"
_POWER = f"const show = (tick) => {{ {_NUMBER} }}; return show(Number((10 ** tick).toPrecision(2)))"

Columns = dict[str, list[Any]]


def curve_columns(snapshots: Sequence[Snapshot]) -> Columns:
    """What the first two plots show of some snapshots: lists, because arrays do not survive a reconnection."""
    return (
        {
            "seconds": [round(s.seconds, 3) for s in snapshots],
            "work": [s.work for s in snapshots],
            "log_work": [round(math.log10(max(s.work, 1)), 3) for s in snapshots],
            "objective": [math.nan if s.incumbent is None else round(s.incumbent.objective, 5) for s in snapshots],
            "lower_bound": [round(s.lower_bound, 5) for s in snapshots],
            **dict(zip(_QUEUED, map(list, zip(*map(_queue, snapshots), strict=True)), strict=False)),
        }
        if snapshots
        else {name: [] for name in ("seconds", "work", "log_work", "objective", "lower_bound", *_QUEUED)}
    )


def pruned_columns(snapshot: Snapshot | None) -> Columns:
    """Prefixes cut per bound, the most effective one at the top."""
    pruned = {} if snapshot is None else {name: n for name, n in snapshot.pruned.items() if n}
    names = sorted(pruned, key=lambda name: pruned[name])
    return {
        "bound": names,
        "count": [pruned[name] for name in names],
        "text": [f"{pruned[name]:,}".replace(",", "\u202f") for name in names],
    }


def frontier_columns(
    best: Incumbent | None, lower_bound: float, weight: float, regularization: float, longest: int
) -> Columns:
    """Two straight lines of errors over rules.

    A list below the upper one is better than the incumbent; below the lower one it is proven that there is none.
    """
    rules = [0, longest]
    at = [math.nan if best is None else best.objective, lower_bound]
    upper, lower = ([max(0.0, round(weight * (value - regularization * k), 2)) for k in rules] for value in at)
    return {"rules": rules, "better": upper, "excluded": lower}


class SearchFigures:
    """The plots, and the data sources behind them.

    Attributes
    ----------
    bounds, queue, pruned, incumbents : figure
    """

    def __init__(self) -> None:
        self._curves = ColumnDataSource(curve_columns([]))
        self._pruned = ColumnDataSource(pruned_columns(None))
        self._incumbents = ColumnDataSource({"rules": [], "errors": []})
        self._best = ColumnDataSource({"rules": [], "errors": []})
        self._frontier = ColumnDataSource({"rules": [], "better": [], "excluded": []})
        self._axis = "seconds"
        self._formatters = {log: CustomJSTickFormatter(code=_POWER if log else _COMPACT) for log in (False, True)}
        self._shown: list[tuple[int, float]] = []
        self._x_glyphs: list[Any] = []
        self._bound_glyphs: list[Any] = []
        self.bounds = self._bounds_figure()
        self.queue = self._queue_figure()
        self.pruned = self._pruned_figure()
        self.incumbents = self._incumbents_figure()
        self.figures = (self.bounds, self.queue, self.pruned, self.incumbents)

    def use_axis(self, axis: str) -> None:
        """Draw the first two plots against one of `AXES`."""
        field, label = AXES[axis]
        self._axis = field
        for glyph in self._x_glyphs:
            glyph.x = field
        for plot in (self.bounds, self.queue):
            plot.xaxis.axis_label = label
            plot.xaxis.formatter = self._formatters[axis == "log work"]
        self._fit()

    def use_dark(self, dark: bool) -> None:
        """Colour the text inside the plots for a dark or a light page; the page's theme colours all the rest."""
        self._labels.text_color = INK[dark]
        for glyph in self._bound_glyphs:
            glyph.line_color = SKY if dark else BLUE

    def clear(self) -> None:
        """Empty all plots."""
        self._gap_area.visible = False  # a stepped area without points never ends drawing itself (Bokeh 3.9)
        self._curves.data = curve_columns([])
        self._incumbents.data = {"rules": [], "errors": []}
        self._best.data = {"rules": [], "errors": []}
        self._frontier.data = {"rules": [], "better": [], "excluded": []}
        self._shown = []
        self._show_pruned(pruned_columns(None))

    def extend(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        """Add snapshots to the curves (or, when ``whole``, draw them anew) and show the latest state."""
        columns = curve_columns(snapshots)
        if whole:
            self._curves.data = columns
            self._shown = []
        elif snapshots:
            self._curves.stream(columns)
        self._gap_area.visible = bool(self._curves.data["work"])
        self._fit()
        self._show_pruned(pruned_columns(latest))
        self._show_incumbents(snapshots, latest)

    def resend(self) -> None:
        """Send all data again, after a reconnection."""
        for source in (self._curves, self._pruned, self._incumbents, self._best, self._frontier):
            source.data = dict(source.data)

    def show_frontier(self, latest: Snapshot, weight: float, regularization: float) -> None:
        """Draw which errors and rules are still open; for objectives errors / weight + regularization * rules."""
        longest = max([k for k, _ in self._shown], default=0) + 2
        columns = frontier_columns(latest.incumbent, latest.lower_bound, weight, regularization, longest)
        if columns != self._frontier.data:
            self._frontier.data = columns

    def _show_pruned(self, columns: Columns) -> None:
        if columns["count"] == self._pruned.data["count"] and columns["bound"] == self._pruned.data["bound"]:
            return
        if columns["bound"] != list(self.pruned.y_range.factors):
            self.pruned.y_range.factors = columns["bound"]
        self._pruned.data = columns
        self.pruned.x_range.end = max([10, *(3 * n for n in columns["count"])])

    def _fit(self) -> None:
        """Let the axes of the curves span what there is."""
        data = self._curves.data
        self.bounds.x_range.end = (data[self._axis] or [0])[-1] or 1
        known = [v for v in data["objective"] if v == v]
        self.bounds.y_range.end = 1.1 * max(known, default=1) or 1
        total = max(map(sum, zip(*(data[name] for name in _QUEUED), strict=True)), default=0)
        self.queue.y_range.end = 1.1 * total or 1

    def _show_incumbents(self, snapshots: Sequence[Snapshot], latest: Snapshot) -> None:
        found = [(s.incumbent.complexity, s.incumbent.errors) for s in snapshots if s.incumbent is not None]
        new = [point for i, point in enumerate(found) if point != (found[i - 1] if i else (self._shown or [None])[-1])]
        if not new:
            return
        self._shown += new
        columns = {"rules": [k for k, _ in new], "errors": [e for _, e in new]}
        if len(self._shown) == len(new):
            self._incumbents.data = columns
        else:
            self._incumbents.stream(columns)
        self._best.data = {"rules": [new[-1][0]], "errors": [new[-1][1]]}
        most = max(e for _, e in self._shown)
        self.incumbents.x_range.update(start=-0.4, end=max(k for k, _ in self._shown) + 1.5)
        self.incumbents.y_range.update(start=0, end=1.12 * most if most else 1)

    def _bounds_figure(self) -> figure:
        plot = _figure("Objective and lower bound", "search time (s)", "objective", height=330)
        plot.x_range, plot.y_range = Range1d(0, 1), Range1d(0, 1)
        area = plot.varea_step(
            x="seconds",
            y1="lower_bound",
            y2="objective",
            source=self._curves,
            fill_color=SKY,
            fill_alpha=0.22,
            step_mode="after",
            visible=False,
        )
        self._gap_area = area
        bound = plot.step(
            x="seconds", y="lower_bound", source=self._curves, color=BLUE, line_width=2.5, mode="after", line_dash="6 3"
        )
        best = plot.step(x="seconds", y="objective", source=self._curves, color=ORANGE, line_width=2.5, mode="after")
        self._bound_glyphs.append(bound.glyph)
        self._x_glyphs += [area.glyph, bound.glyph, best.glyph]
        _legend(plot, [("objective", best), ("lower bound", bound), ("gap", area)])
        plot.add_tools(
            HoverTool(
                renderers=[best],
                mode="vline",
                tooltips=[
                    ("time", "@seconds{0.00} s"),
                    ("work", "@work"),
                    ("objective", "@objective{0.0000}"),
                    ("lower bound", "@lower_bound{0.0000}"),
                ],
            )
        )
        return plot

    def _queue_figure(self) -> figure:
        plot = _figure("Queue by prefix length", "search time (s)", "prefixes in the queue")
        plot.x_range, plot.y_range = self.bounds.x_range, Range1d(0, 1)
        areas = plot.varea_stack(list(_QUEUED), x="seconds", source=self._curves, color=list(LENGTHS), fill_alpha=0.9)
        self._x_glyphs += [area.glyph for area in areas]
        names = [*map(str, range(1, len(LENGTHS))), f"{len(LENGTHS)}+"]
        _legend(plot, list(zip(names, areas, strict=True)), place="right", columns=1, title="rules")
        plot.yaxis.formatter = CustomJSTickFormatter(code=_COMPACT)
        return plot

    def _pruned_figure(self) -> figure:
        plot = _figure(
            "Prefixes cut, by bound",
            "prefixes (logarithmic)",
            None,
            y_range=FactorRange(),
            x_range=Range1d(0.8, 10),
            x_axis_type="log",
        )
        plot.hbar(y="bound", left=0.8, right="count", height=0.62, source=self._pruned, color=GREEN, fill_alpha=0.55)
        self._labels = LabelSet(
            x=0.8,
            y="bound",
            text="text",
            source=self._pruned,
            x_offset=6,
            text_baseline="middle",
            text_font_size="12px",
            text_color=INK[False],
        )
        plot.add_layout(self._labels)
        plot.ygrid.grid_line_color = None
        return plot

    def _incumbents_figure(self) -> figure:
        plot = _figure("Incumbents: errors against rules", "rules in the list", "training errors")
        plot.x_range, plot.y_range = Range1d(-0.4, 4), Range1d(0, 1)
        open_area = plot.varea(
            x="rules", y1="excluded", y2="better", source=self._frontier, fill_color=SKY, fill_alpha=0.22
        )
        excluded = plot.line(x="rules", y="excluded", source=self._frontier, color=BLUE, line_width=2, line_dash="6 3")
        self._bound_glyphs.append(excluded.glyph)
        plot.line(x="rules", y="better", source=self._frontier, color=ORANGE, line_width=1.5)
        plot.line(x="rules", y="errors", source=self._incumbents, color=PURPLE, line_width=1.5)
        dots = plot.scatter(x="rules", y="errors", source=self._incumbents, color=PURPLE, size=8)
        best = plot.scatter(x="rules", y="errors", source=self._best, color=ORANGE, size=15, marker="diamond")
        _legend(
            plot,
            [("incumbents", dots), ("best", best), ("still open", open_area), ("nothing below", excluded)],
            columns=2,
        )
        plot.xaxis.ticker.update(min_interval=1)
        plot.add_tools(HoverTool(renderers=[dots], tooltips=[("rules", "@rules"), ("errors", "@errors")]))
        return plot


def _figure(title: str, x_label: str, y_label: str | None, **options: Any) -> figure:
    plot = figure(
        title=title,
        sizing_mode="stretch_width",
        toolbar_location=None,
        tools="",
        min_border_right=12,
        **{"height": HEIGHT, **options},
    )
    plot.xaxis.axis_label = x_label
    if y_label:
        plot.yaxis.axis_label = y_label
    plot.xaxis.ticker.desired_num_ticks = 5
    plot.xaxis.formatter = CustomJSTickFormatter(code=_COMPACT)
    return plot


def _legend(
    plot: figure,
    items: list[tuple[str, Any]],
    place: str = "above",
    columns: int | str = "auto",
    title: str | None = None,
) -> None:
    legend = Legend(
        items=[LegendItem(label=name, renderers=[renderer]) for name, renderer in items],
        orientation="vertical" if place == "right" else "horizontal", ncols=columns, title=title,
        padding=2, margin=2, spacing=4, label_standoff=4, glyph_width=14, glyph_height=14,
    )  # fmt: skip
    plot.add_layout(legend, place)


def _queue(snapshot: Snapshot) -> list[int]:
    """Queued prefixes of length 1, 2, ... and the rest."""
    by_length = snapshot.queue_by_length[1:]
    last = len(LENGTHS) - 1
    head = list(by_length[:last])
    return [*head, *[0] * (last - len(head)), sum(by_length[last:])]
