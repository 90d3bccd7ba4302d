"""How many antecedents a Monte-Carlo search considers at each position of its lists."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ....snapshot import Snapshot
from ...widgets.style import BLUE, ORANGE
from .base import Columns, Plot, Window, add_legend, compact, new_figure, replace, set_ticks, show_entries

MOST_POSITIONS = 16
_MOST_LISTS = 24
_FLOOR = 0.5
"""Where the logarithmic axis begins; positions without a candidate are drawn there."""


def mean_columns(snapshot: Snapshot | None) -> Columns:
    """The mean over all lists that reached the position, and how many did."""
    detail = {} if snapshot is None else snapshot.detail
    means = detail.get("considered_mean", ())[:MOST_POSITIONS]
    return {
        "position": list(range(1, len(means) + 1)),
        "mean": [round(max(mean, _FLOOR), 2) for mean in means],
        "lists": list(detail.get("lists_by_position", ())[:MOST_POSITIONS]),
    }


def list_columns(snapshot: Snapshot | None) -> Columns:
    """Single lists, evenly spaced among all: one line each."""
    lists = [] if snapshot is None else [considered for _, considered in snapshot.detail.get("considered", ())]
    chosen = lists[:: max(1, -(-len(lists) // _MOST_LISTS))]
    return {
        "positions": [list(range(1, len(one[:MOST_POSITIONS]) + 1)) for one in chosen],
        "considered": [[max(n, _FLOOR) for n in one[:MOST_POSITIONS]] for one in chosen],
    }


class ConsideredPlot(Plot):
    """The mean as bars, some lists as lines."""

    title = "Antecedents considered per position"

    def __init__(self) -> None:
        self._mean = ColumnDataSource(mean_columns(None))
        self._lists = ColumnDataSource(list_columns(None))
        self._across, self._up = Window(0.4, 5.6), Window(_FLOOR, 10)
        plot = new_figure(
            self.title,
            "position in the list",
            "antecedents",
            self._across,
            self._up,
            y_axis_type="log",
            min_border_top=34,
        )
        bars = plot.vbar(
            x="position", bottom=_FLOOR, top="mean", width=0.7, source=self._mean, color=BLUE, fill_alpha=0.45
        )
        lines = plot.multi_line(
            xs="positions", ys="considered", source=self._lists, color=ORANGE, line_alpha=0.45, line_width=1
        )
        self._entries = add_legend(plot, [("mean of all lists", bars), ("single lists", lines)])
        set_ticks(plot.xaxis, min_interval=1)
        plot.yaxis.formatter = compact()
        tooltips = [("position", "@position"), ("considered, mean", "@mean{0.0}"), ("lists", "@lists")]
        plot.add_tools(HoverTool(renderers=[bars], tooltips=tooltips))
        self.figure = plot
        self.sources = (self._mean, self._lists)
        self.clear()

    def clear(self) -> None:
        self._show(None)
        self.caption = "How many antecedents a list could take at each of its positions."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._show(latest)
        means = self._mean.data["mean"]
        if means:
            n = len(means)
            self.caption = f"On average {means[0]:.3g} to choose from at position 1, {means[-1]:.3g} at position {n}."

    def frame(self) -> pd.DataFrame:
        names = {"position": "position in the list", "mean": "antecedents considered, mean", "lists": "lists"}
        return pd.DataFrame({name: self._mean.data[column] for column, name in names.items()})

    def _show(self, latest: Snapshot | None) -> None:
        replace(self._mean, mean_columns(latest))
        lists = list_columns(latest)
        replace(self._lists, lists)
        highest = max((n for one in lists["considered"] for n in one), default=5)
        show_entries(self._entries, [bool(self._mean.data["mean"]), bool(lists["considered"])])
        self._up.span(_FLOOR, 2 * max([highest, *self._mean.data["mean"]]))
        self._across.span(0.4, 0.6 + max([5, *self._mean.data["position"]]))
