"""The live plots of a search together: they share an axis and the numbers over time, and follow one history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource
from bokeh.plotting import figure

from ...search import Snapshot
from ..live.session import Prepared
from .families import Look
from .plots.base import Columns, Plot, TextSizes, compact, ticks
from .plots.bounds import BoundsPlot
from .plots.curves import AXES, Curves, curve_columns
from .plots.incumbents import frontier_columns

__all__ = ["AXES", "SearchFigures", "curve_columns", "frontier_columns"]


class SearchFigures:
    """The plots of one kind of search, and the data sources behind them.

    Parameters
    ----------
    look : Look

    Attributes
    ----------
    plots : tuple of Plot
    figures : tuple of figure
    """

    def __init__(self, look: Look) -> None:
        self._unit = look.unit
        self._shared = Curves(look.columns)
        self.plots: tuple[Plot, ...] = look.plots(self._shared)
        self.figures: tuple[figure, ...] = tuple(plot.figure for plot in self.plots)
        first = self.plots[0]
        assert isinstance(first, BoundsPlot), "every look begins with objective and bound"
        self._pale = first.pale
        self._timed = [plot for plot in self.plots if plot.over_time]
        self._ticks = {log: (ticks(log), compact(log)) for log in (False, True)}
        self._begun: Prepared | None = None
        self._sizes = TextSizes(self.figures)

    @property
    def bounds(self) -> figure:
        """The first one: objective and lower bound."""
        return self.figures[0]

    def use_axis(self, axis: str) -> None:
        """Draw the plots over time against one of `AXES`."""
        labels = {
            "time": "search time (s)",
            "work": f"work ({self._unit})",
            "log work": f"work ({self._unit}, logarithmic)",
        }
        self._shared.axis = AXES[axis]
        for glyph in self._x_glyphs:
            glyph.x = self._shared.axis
        self._pale.use_axis(self._shared.axis)
        for plot in self._timed:
            plot.figure.xaxis.axis_label = labels[axis]
            plot.figure.xaxis.ticker, plot.figure.xaxis.formatter = self._ticks[axis == "log work"]
        self._fit()

    def use_dark(self, dark: bool) -> None:
        """Colour the text inside the plots for a dark or a light page; the page's theme colours all the rest."""
        for plot in self.plots:
            plot.use_dark(dark)

    def use_size(self, large: bool) -> None:
        """Make the text inside the plots fit for a screen, or larger for a projector."""
        self._sizes.use(large)

    def clear(self) -> None:
        """Empty all plots."""
        for plot in self.plots:
            plot.clear()
        self._shared.clear()
        self._begun = None

    def extend(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot, prepared: Prepared) -> None:
        """Add snapshots to the curves (or, when ``whole``, draw them anew) and show the latest state."""
        if prepared is not self._begun:
            self._begun = prepared
            for plot in self.plots:
                plot.begin(prepared)
        self._shared.extend(snapshots, whole)
        for plot in self.plots:
            plot.show(snapshots, whole, latest)
        self._fit()

    def lay_beneath(self, runs: Sequence[tuple[str, str, Columns]]) -> None:
        """Draw the curves of earlier runs, see `PaleCurves.show`."""
        self._pale.show(runs)
        self._fit()

    def resend(self) -> None:
        """Send all data again, after a reconnection."""
        for source in (self._curves, *(source for plot in self.plots for source in plot.sources)):
            source.data = dict(source.data)

    @property
    def _curves(self) -> ColumnDataSource:
        return self._shared.source

    @property
    def _x_glyphs(self) -> list[Any]:
        return [glyph for plot in self._timed for glyph in plot.over_time]

    def _fit(self) -> None:
        """Let the axes span what there is."""
        self._shared.fit()
        for plot in self.plots:
            plot.fit()
