"""How much of the search space is left: the most prefixes that may still have to be looked at, as a power of ten."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ....snapshot import Snapshot, Status
from ...live.wording import remaining
from ...widgets.style import GREEN
from .base import Plot, Window, new_figure
from .curves import REMAINING, Curves, place_columns

(_COLUMN,) = REMAINING


class RemainingPlot(Plot):
    """A line that comes down to 0, where nothing is left; the curves have the column `REMAINING`."""

    title = "Remaining search space"

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self._window = Window(0, 1)
        plot = new_figure(
            self.title,
            "search time (s)",
            "prefixes left at most, log10",
            min_border_bottom=58,
            x_range=curves.window.range,
            y_range=self._window.range,
        )
        self._head = ColumnDataSource(place_columns(None, (_COLUMN,)))
        line = plot.step(x="seconds", y=_COLUMN, source=curves.source, mode="after", line_width=2, color=GREEN)
        end = plot.scatter(x="seconds", y=_COLUMN, source=self._head, size=8, color=GREEN)
        tooltips = [("work", "@work"), ("log10 remaining", f"@{_COLUMN}")]
        plot.add_tools(HoverTool(renderers=[line], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.sources = (self._head,)
        self.over_time = (line.glyph, end.glyph)
        self.clear()

    def clear(self) -> None:
        self._head.data = place_columns(None, (_COLUMN,))
        self.caption = "The most prefixes that are still to be looked at, as a power of ten."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._head.data = place_columns(latest, (_COLUMN,), self._curves.begins)
        if latest.status in (Status.OPTIMAL, Status.INFEASIBLE):
            self.caption = "Nothing is left to look at."
        else:
            self.caption = f"At most 10^{remaining(latest)} prefixes are left; a cut takes away all that would follow."

    def fit(self) -> None:
        self._window.span(0, 1.1 * max(self._curves.known(_COLUMN), default=0) or 1)

    def frame(self) -> pd.DataFrame:
        return self._curves.frame({_COLUMN: "log10 remaining"})
