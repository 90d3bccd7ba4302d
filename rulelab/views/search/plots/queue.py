"""What waits in the queue, by the length of the prefixes."""

from __future__ import annotations

from bokeh.models import Range1d

from ...widgets.style import LENGTHS
from .base import Plot, add_legend, compact, new_figure
from .curves import QUEUED, Curves


class QueuePlot(Plot):
    """Stacked areas, one per length.

    Parameters
    ----------
    curves : Curves
        With the columns `QUEUED`.
    """

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        plot = new_figure("Queue by prefix length", "search time (s)", "prefixes in the queue")
        plot.x_range, plot.y_range = Range1d(start=0, end=1), Range1d(start=0, end=1)
        areas = plot.varea_stack(list(QUEUED), x="seconds", source=curves.source, color=list(LENGTHS), fill_alpha=0.9)
        names = [*map(str, range(1, len(LENGTHS))), f"{len(LENGTHS)}+"]
        add_legend(plot, list(zip(names, areas, strict=True)), place="right", columns=1, title="rules")
        plot.yaxis.formatter = compact()
        self.figure = plot
        self.over_time = tuple(area.glyph for area in areas)

    def fit(self) -> None:
        data = self._curves.source.data
        total = max(map(sum, zip(*(data[name] for name in QUEUED), strict=True)), default=0)
        self.figure.y_range.update(end=1.1 * total or 1)
