"""Prefixes cut per bound, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker, HoverTool, Range1d
from bokeh.models.annotations import LabelSet

from ....snapshot import CUT_BY, Snapshot
from ...live.wording import count
from ...prefixes.icicle import color_of
from ...widgets.style import INK
from .base import Columns, Plot, new_figure

_OF_ALL = (
    " The best list of all is sought first.",
    " They were cut to find the best of all lists; a best one meets what is asked.",
)
_ROOM = 150
"""Where the axis of per cents ends, so that the longest bar has its figure beside it."""


def pruned_columns(snapshot: Snapshot | None) -> Columns:
    """Prefixes cut per bound, in all and as a share of all cuts, the most effective one at the top."""
    pruned = {} if snapshot is None else {name: n for name, n in _cuts(snapshot).items() if n}
    names = sorted(pruned, key=lambda name: pruned[name])
    total = sum(pruned.values())
    return {
        "bound": names,
        "count": [pruned[name] for name in names],
        "share": [round(100 * pruned[name] / total, 4) for name in names],
        "text": [count(pruned[name]) for name in names],
        "color": [color_of("cut", name) for name in names],
    }


def _cuts(snapshot: Snapshot) -> Mapping[str, int]:
    """Prefixes cut, by bound; of the search for the best list of all while that runs, and where it was enough."""
    first = snapshot.sought_first
    if not first or not (first["running"] or first["suffices"]):
        return snapshot.pruned
    return {name.removeprefix(CUT_BY): n for name, n in first.items() if name.startswith(CUT_BY)}


class PrunedPlot(Plot):
    """One bar per bound, in its colour in the tree: its share of all cuts, and the figure beside it."""

    title = "Prefixes cut, by bound"

    def __init__(self) -> None:
        self._bounds = FactorRange()
        plot = new_figure(self.title, "share of all cuts (%)", None, Range1d(start=0, end=_ROOM), self._bounds)
        self._source = ColumnDataSource(pruned_columns(None))
        bars = plot.hbar(y="bound", left=0, right="share", height=0.62, source=self._source, color="color")
        bars.glyph.fill_alpha = 0.6
        self._labels = LabelSet(
            x="share",
            y="bound",
            text="text",
            source=self._source,
            x_offset=6,
            text_baseline="middle",
            text_font_size="12px",
            text_color=INK[False],
        )
        plot.add_layout(self._labels)
        plot.ygrid.grid_line_color = None
        plot.xaxis.ticker = FixedTicker(ticks=[0, 25, 50, 75, 100])
        plot.add_tools(
            HoverTool(renderers=[bars], tooltips=[("bound", "@bound"), ("cut", "@text"), ("share", "@share{0.00} %")])
        )
        self.figure = plot
        self.sources = (self._source,)
        self.clear()

    def clear(self) -> None:
        self._replace(pruned_columns(None))
        self.blank = True
        self.caption = "Beginnings of lists that need not be looked at, by the bound that says so."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._replace(pruned_columns(latest))
        data = self._source.data
        self.blank = not data["bound"]
        if self.blank:
            self.caption = "Nothing is cut yet."
            return
        best, most = data["bound"][-1], data["share"][-1]
        name = best.removeprefix("always: ")
        ever = "" if name == best else ", which cannot be switched off"
        self.caption = f"{count(sum(data['count']))} cut, {_percent(most)} % of them by “{name}”{ever}."
        first = latest.sought_first
        if first and (first["running"] or first["suffices"]):
            self.caption += _OF_ALL[first["suffices"]]

    def frame(self) -> pd.DataFrame:
        data = self._source.data
        columns = {"bound": "bound", "count": "prefixes cut", "share": "share of all cuts (%)"}
        return pd.DataFrame({name: data[column][::-1] for column, name in columns.items()})

    def use_dark(self, dark: bool) -> None:
        self._labels.text_color = INK[dark]

    def _replace(self, columns: Columns) -> None:
        if columns["count"] == self._source.data["count"] and columns["bound"] == self._source.data["bound"]:
            return
        if columns["bound"] != list(self._bounds.factors):
            self._bounds.factors = columns["bound"]
        self._source.data = columns


def _percent(share: float) -> str:
    """Rounded, but never all when it is not all."""
    return "100" if share == 100 else f"{min(share, 99.9):.3g}"
