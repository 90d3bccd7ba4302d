"""The live plots of a search together: they share an axis and the numbers over time, and follow one history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, Ticker, TickFormatter
from bokeh.models.annotations import BoxAnnotation
from bokeh.plotting import figure

from ...snapshot import Snapshot
from ..live.prepared import Prepared
from .families import Look
from .plots.base import Columns, Plot, compact, ticks
from .plots.bounds import BoundsPlot
from .plots.curves import AXES, Cursor, Curves, curve_columns, tree_begins
from .plots.incumbents import frontier_columns

_STRIP: dict[str, Any] = {"fill_color": "#808080", "fill_alpha": 0.16, "line_color": None, "level": "underlay"}
"""Of what comes before the tree."""
__all__ = ["AXES", "SearchFigures", "curve_columns", "frontier_columns"]


class SearchFigures:
    """The plots of one kind of search, and the data sources behind them; each is made when it is first asked for.

    `on_move` takes the place on the axis to which a person has moved the line at the moment that is shown; None: no
    line.
    """

    def __init__(self, look: Look, on_move: Callable[[float], None] | None = None) -> None:
        self._look, self._on_move = look, on_move
        self._cursors: dict[int, Cursor] = {}
        self._strips: dict[int, BoxAnnotation] = {}
        self._place: tuple[float | None, bool] = (None, False)
        self._shared = Curves(look.columns)
        self._axis = ""
        self._dark = self._large = False
        self._shown: list[Snapshot] = []
        self._latest: Snapshot | None = None
        self._begun: Prepared | None = None
        self._made: dict[int, Plot] = {}
        self._ticks: dict[bool, tuple[Ticker, TickFormatter]] = {}
        first = self.plot(0)
        assert isinstance(first, BoundsPlot), "every look begins with objective and bound"
        self._pale = first.pale

    def plot(self, number: int) -> Plot:
        """One of the plots; what was shown before it was made, it shows too."""
        if number not in self._made:
            made = self._look.plots[number].make(self._shared)
            self._made[number] = made
            if made.over_time:
                self._strips[number] = BoxAnnotation(visible=False, **_STRIP)
                made.figure.add_layout(self._strips[number])
            if made.over_time and self._on_move is not None:
                self._cursors[number] = Cursor(made.figure, self._on_move)
                self._cursors[number].show(*self._place)
                self._cursors[number].use_dark(self._dark)
            self._draw_against_axis(made)
            made.use_dark(self._dark)
            made.use_size(self._large)
            if self._begun is not None:
                made.begin(self._begun)
            if self._latest is not None:
                made.show(self._shown, True, self._latest)
            self._fit()
        return self._made[number]

    @property
    def plots(self) -> tuple[Plot, ...]:
        """All of them."""
        return tuple(self.plot(number) for number in range(len(self._look.plots)))

    @property
    def figures(self) -> tuple[figure, ...]:
        """Those of all plots."""
        return tuple(plot.figure for plot in self.plots)

    @property
    def bounds(self) -> figure:
        """The first one: objective and lower bound."""
        return self.plot(0).figure

    def use_axis(self, axis: str) -> None:
        """Draw the plots over time against one of `AXES`."""
        self._axis, self._shared.axis = axis, AXES[axis]
        self._pale.use_axis(self._shared.axis)
        for plot in self._made.values():
            self._draw_against_axis(plot)
        self._fit()

    def use_dark(self, dark: bool) -> None:
        """Colour the text inside the plots for a dark or a light page; the page's theme colours all the rest."""
        self._dark = dark
        for plot in self._made.values():
            plot.use_dark(dark)
        for cursor in self._cursors.values():
            cursor.use_dark(dark)

    def use_size(self, large: bool) -> None:
        """Make the text inside the plots fit for a screen, or larger for a projector."""
        self._large = large
        for plot in self._made.values():
            plot.use_size(large)

    def clear(self) -> None:
        """Empty all plots."""
        for plot in self._made.values():
            plot.clear()
        self._shared.clear()
        self._shown, self._latest, self._begun = [], None, None

    def extend(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot, prepared: Prepared) -> None:
        """Add snapshots to the curves (or, when ``whole``, draw them anew) and show the latest state."""
        if prepared is not self._begun:
            self._begun = prepared
            for plot in self._made.values():
                plot.begin(prepared)
        self._shared.until = None
        every = snapshots if whole else [*self._shown, *snapshots]
        begins = self._shared.begins if not whole and self._shared.begins else tree_begins(every)
        if begins is not self._shared.begins:  # the axis counts from there
            self._shared.begins, snapshots, whole = begins, every, True
        self._shared.extend(snapshots, whole)
        if whole:
            self._shown = []
        self._shown += snapshots
        self._latest = latest
        for plot in self._made.values():
            plot.show(snapshots, whole, latest)
        self._fit()

    def look_back(self, snapshots: Sequence[Snapshot]) -> None:
        """Show everything as it was at the last of these snapshots; the curves, and their axes, stay whole."""
        self._shared.until, self._shown, self._latest = len(snapshots), list(snapshots), snapshots[-1]
        for plot in self._made.values():
            plot.show(() if plot.over_time else snapshots, not plot.over_time, snapshots[-1])

    @property
    def places(self) -> tuple[Sequence[float], float, float]:
        """Where all points are on the axis, and its two ends."""
        return list(self._shared.source.data[self._shared.axis]), *self._shared.window.ends

    def point(self, at: int | None, able: bool) -> None:
        """Put the line to a moment, or hide it at the present one; ``able``: whether it can be moved."""
        places, _, _ = self.places
        self._place = None if at is None or at >= len(places) else places[at], able
        for cursor in self._cursors.values():
            cursor.show(*self._place)

    def lay_beneath(self, runs: Sequence[tuple[str, str, Columns]]) -> None:
        """Draw the curves of earlier runs, see `PaleCurves.show`."""
        self._pale.show(runs)
        self._fit()

    def resend(self) -> None:
        """Send all data again, after a reconnection."""
        for source in (self._curves, *(source for plot in self._made.values() for source in plot.sources)):
            source.data = dict(source.data)

    @property
    def _curves(self) -> ColumnDataSource:
        return self._shared.source

    def _fit(self) -> None:
        """Let the axes span what there is."""
        self._shared.fit()
        begins = self._shared.tree
        for number, strip in self._strips.items():
            strip.update(right=begins or 0.0, visible=begins is not None)
            axis = self._made[number].figure.xaxis[0]
            if self._axis and axis.axis_label != self._label:
                axis.axis_label = self._label
        for plot in self._made.values():
            plot.fit()

    @property
    def _label(self) -> str:
        """Of the axis; what is grey is said where there is such a strip."""
        unit = self._look.unit
        labels = {"time": "search time (s)", "work": f"work ({unit})", "log work": f"work ({unit}, log)"}
        return labels[self._axis] + ("" if self._shared.tree is None else "; grey: before the tree")

    def _draw_against_axis(self, plot: Plot) -> None:
        """Draw a plot against the chosen axis, if it is over time."""
        if not (self._axis and plot.over_time):
            return
        for glyph in plot.over_time:
            glyph.x = self._shared.axis
        axis, log = plot.figure.xaxis, self._axis == "log work"
        if log not in self._ticks:
            self._ticks[log] = ticks(log), compact(log)
        axis.axis_label = self._label
        axis.ticker, axis.formatter = self._ticks[log]
