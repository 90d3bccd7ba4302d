"""Prefixes cut per bound, as bars."""

from __future__ import annotations

from collections.abc import Sequence

from bokeh.models import ColumnDataSource, FactorRange, Range1d
from bokeh.models.annotations import LabelSet

from ....search import Snapshot
from ...widgets.style import GREEN, INK
from .base import Columns, Plot, new_figure


def pruned_columns(snapshot: Snapshot | None) -> Columns:
    """Prefixes cut per bound, the most effective one at the top."""
    pruned = {} if snapshot is None else {name: n for name, n in snapshot.pruned.items() if n}
    names = sorted(pruned, key=lambda name: pruned[name])
    return {
        "bound": names,
        "count": [pruned[name] for name in names],
        "text": [f"{pruned[name]:,}".replace(",", "\u202f") for name in names],
    }


class PrunedPlot(Plot):
    """One bar per bound, on a logarithmic axis."""

    def __init__(self) -> None:
        self._bounds = FactorRange()
        plot = new_figure(
            "Prefixes cut, by bound",
            "prefixes (logarithmic)",
            None,
            y_range=self._bounds,
            x_range=Range1d(start=0.8, end=10),
            x_axis_type="log",
        )
        self._source = ColumnDataSource(pruned_columns(None))
        plot.hbar(y="bound", left=0.8, right="count", height=0.62, source=self._source, color=GREEN, fill_alpha=0.55)
        self._labels = LabelSet(
            x=0.8,
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
        self.figure = plot
        self.sources = (self._source,)

    def clear(self) -> None:
        self._replace(pruned_columns(None))

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._replace(pruned_columns(latest))

    def use_dark(self, dark: bool) -> None:
        self._labels.text_color = INK[dark]

    def _replace(self, columns: Columns) -> None:
        if columns["count"] == self._source.data["count"] and columns["bound"] == self._source.data["bound"]:
            return
        if columns["bound"] != list(self._bounds.factors):
            self._bounds.factors = columns["bound"]
        self._source.data = columns
        self.figure.x_range.update(end=max([10, *(3 * n for n in columns["count"])]))
