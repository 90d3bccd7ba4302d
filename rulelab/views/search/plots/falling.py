"""Falling lists: the best one as strata of risk, and what a Monte-Carlo search considers at each position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.models.annotations import TeeHead, Whisker

from ....assets import texts
from ....models import FallingRuleList
from ....shown import percent
from ....snapshot import Snapshot
from ...live.prepared import Prepared
from ...live.wording import count, in_signs
from ...widgets.esc import plain
from ...widgets.style import BLUE, INK, ORANGE, SKY
from .base import BLUES, Columns, Plot, Window, add_legend, compact, new_figure, replace, set_ticks, show_entries

MOST_BARS = 40  # longer lists show their first rules and, last, the default
_NAMES = ("left", "right", "middle", "top", "own", "low", "high", "colour", "kind", "rule", "counts")


def strata_columns(model: FallingRuleList | None, effective: float | None = None) -> Columns:
    """One bar per rule that captured someone: as wide as its share of the rows, as high as its probability."""
    columns: Columns = {name: [] for name in _NAMES}
    if model is None:
        return columns
    table, start = model.strata(effective=effective), 0.0
    for k, row in enumerate(table.itertuples()):
        left, start = start, start + 100 * row.share
        if not row.captured or (k >= MOST_BARS - 1 and k < len(table) - 1):
            continue
        positive = row.prediction == model.classes[-1]
        name = "else" if k == len(table) - 1 else f"{k + 1}: {row.name}"
        values = (
            round(left, 2),
            round(start, 2),
            round((left + start) / 2, 2),
            *(round(float(x), 4) for x in (row.probability, row.proportion, row.low, row.high)),
            ORANGE if positive else SKY,
            "above" if positive else "below",
            plain(in_signs(name), 60),
            f"{count(row.positives)} of {count(row.captured)}",
        )
        for column, value in zip(_NAMES, values, strict=True):
            columns[column].append(value)
    return columns


class StrataPlot(Plot):
    """Bars that fall from left to right, with the interval of each proportion and the threshold."""

    title = "Strata of risk"
    nothing = "One bar per rule: as wide as the share of people it holds, as high as their probability."
    names = texts("strata")

    def __init__(self) -> None:
        self._model: Any = None
        self._effective: float | None = None
        self._source = ColumnDataSource(strata_columns(None))
        labels = ("people, from the highest risk (%)", "probability")
        ranges = (Range1d(start=0, end=100), Range1d(start=0, end=1.02))
        plot = new_figure(self.title, *labels, *ranges, min_border_top=34)
        edges: dict[str, Any] = {"left": "left", "right": "right", "bottom": 0, "top": "top"}
        bars = plot.quad(**edges, source=self._source, fill_color="colour", fill_alpha=0.55, line_color="colour")
        own = plot.scatter(x="middle", y="own", source=self._source, marker="circle", size=6, color=INK[False])
        heads = [TeeHead(size=8, line_color=INK[False]) for _ in range(2)]
        ends: dict[str, Any] = {"upper_head": heads[0], "lower_head": heads[1], "line_color": INK[False]}
        whisker = Whisker(base="middle", lower="low", upper="high", source=self._source, level="overlay", **ends)
        self._threshold = ColumnDataSource({"share": [], "probability": []})
        line = plot.line(x="share", y="probability", source=self._threshold, color=BLUE, line_dash="6 3", line_width=2)
        plot.add_layout(whisker)
        self.entries = add_legend(plot, [("95 % interval", own), ("threshold", line)])
        tooltips = [("rule", "@rule"), ("probability", "@top{0.000}"), ("positive", "@counts"), ("threshold", "@kind")]
        plot.add_tools(HoverTool(renderers=[bars], tooltips=tooltips))
        self.figure = plot
        self.sources = (self._source, self._threshold)
        self.tinted = (
            (own.glyph, "line_color fill_color", INK),
            *((each, "line_color", INK) for each in (whisker, *heads)),
            (line.glyph, "line_color", BLUES),
        )
        self.clear()

    def begin(self, prepared: Prepared) -> None:
        self._effective = prepared.effective
        weight = prepared.search.parameters["positive_weight"]
        self._threshold.data = {"share": [0, 100], "probability": [round(1 / (1 + weight), 5)] * 2}
        show_entries(self.entries, [bool(self._source.data["rule"]), True])

    def clear(self) -> None:
        super().clear()
        self._model = None

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        model = None if latest.incumbent is None else latest.incumbent.model
        if model is not self._model:
            self._model = model
            self._source.data = strata_columns(model, self._effective)
            tops = self._source.data["top"]
            show_entries(self.entries, [bool(tops), True])
            if tops:
                n = "1 stratum" if len(tops) == 1 else f"{len(tops)} strata"
                self.caption = f"{n}: the probability falls from {percent(tops[0], 0)} % to {percent(tops[-1], 0)} %."


MOST_POSITIONS = 16
_FLOOR = 0.5  # where the logarithmic axis begins; positions without a candidate are drawn there


def mean_columns(snapshot: Snapshot | None) -> Columns:
    """The mean over all lists that reached the position, and how many did."""
    detail = {} if snapshot is None else snapshot.detail
    means = detail.get("considered_mean", ())[:MOST_POSITIONS]
    return {
        "position": list(range(1, len(means) + 1)),
        "mean": [round(max(mean, _FLOOR), 2) for mean in means],
        "lists": list(detail.get("lists_by_position", ())[:MOST_POSITIONS]),
    }


class ConsideredPlot(Plot):
    """A bar for the mean at each position."""

    title = "Antecedents considered per position"
    nothing = "How many antecedents a list could take at each of its positions."
    names = {"position": "position in the list", "mean": "antecedents considered, mean", "lists": "lists"}

    def __init__(self) -> None:
        self._mean = ColumnDataSource(mean_columns(None))
        self._across, self._up = Window(0.4, 5.6), Window(_FLOOR, 10)
        labels, ranges = ("position in the list", "antecedents"), (self._across, self._up)
        plot = new_figure(self.title, *labels, *ranges, y_axis_type="log", min_border_top=34)
        bars = plot.vbar(
            x="position", bottom=_FLOOR, top="mean", width=0.7, source=self._mean, color=BLUE, fill_alpha=0.45
        )
        self.entries = add_legend(plot, [("mean of all lists", bars)])
        set_ticks(plot.xaxis, min_interval=1)
        plot.yaxis.formatter = compact()
        tooltips = [("position", "@position"), ("considered, mean", "@mean{0.0}"), ("lists", "@lists")]
        plot.add_tools(HoverTool(renderers=[bars], tooltips=tooltips))
        self.figure = plot
        self.sources = (self._mean,)
        self.clear()

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        replace(self._mean, mean_columns(latest))
        means = self._mean.data["mean"]
        show_entries(self.entries, [bool(means)])
        self._up.span(_FLOOR, 2 * max([5, *means]))
        self._across.span(0.4, 0.6 + max([5, *self._mean.data["position"]]))
        if means:
            n = len(means)
            self.caption = f"On average {means[0]:.3g} to choose from at position 1, {means[-1]:.3g} at position {n}."
