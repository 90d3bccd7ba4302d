"""The numbers that plots over time share, streamed point by point, and the line at the moment that is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from bokeh.events import Pan, PanEnd, Tap
from bokeh.models import ColumnDataSource, CustomJS, HoverTool, Ticker, TickFormatter
from bokeh.models.annotations import BoxAnnotation, Span
from bokeh.plotting import figure

from ....assets import asset
from ....snapshot import Snapshot
from ...widgets.style import INK, LENGTHS
from .base import Columns, Plot, Window, compact, new_figure, ticks

AXES = {"log work": "log_work", "work": "work", "time": "seconds"}  # horizontal axes, and their columns
QUEUED = tuple(f"length_{i + 1}" for i in range(len(LENGTHS)))  # columns of the queue by length
_MARGIN = 0.03
_BEFORE = 0.3  # how wide the strip of what comes before the tree is, as powers of ten
_STRIP: dict[str, Any] = {"fill_color": "#808080", "fill_alpha": 0.16, "line_color": None, "level": "underlay"}
_SMALLEST = 1e-6  # reduced costs above minus this are rounding, and count as none
_SHORTEST = {"log_work": 0.3, "work": 1.0, "seconds": 0.001}  # least width of an axis


def tree_begins(snapshots: Sequence[Snapshot]) -> Snapshot | None:
    """The first snapshot of the search tree, where something came before it, as preparation or a beam search."""
    first = next((each for each in snapshots if each.phase == "searching"), None)
    later = first is None or first is not snapshots[0] or first.work > first.counts.get("expanded", first.work)
    return first if later else None


def curve_columns(
    snapshots: Sequence[Snapshot], begins: Snapshot | None = None, names: Sequence[str] | None = None
) -> Columns:
    """`COLUMNS`, or some, as lists, for arrays do not survive a reconnection; the logarithm counts from ``begins``."""
    found = {name: [COLUMNS[name](snapshot) for snapshot in snapshots] for name in names or COLUMNS}
    return {"log_work": [_log_work(each.work, begins) for each in snapshots], **found}


def place_columns(snapshot: Snapshot | None, names: Sequence[str], begins: Snapshot | None = None) -> Columns:
    """One point, or none: where a snapshot stands on each of `AXES`, and some of its numbers."""
    return curve_columns([] if snapshot is None else [snapshot], begins, ("work", "seconds", *names))


def _log_work(work: int, begins: Snapshot | None) -> float:
    """The logarithm of the work on the tree; all that comes before is a strip at its left."""
    if begins is None:
        return round(math.log10(max(work, 1)), 6)
    if work < begins.work:
        return round(-_BEFORE * (1 - work / begins.work), 6)
    return round(math.log10(work - begins.work + 1), 6)


class Curves:
    """The shared source, and the axis that its plots are drawn against."""

    def __init__(self, unit: str = "", on_move: Callable[[float], None] = lambda place: None) -> None:
        self.unit, self.on_move = unit, on_move  # of the work; takes where on the axis a person has moved the line to
        self.grey = "before the tree"  # what is drawn on grey
        self._ticks: dict[bool, tuple[Ticker, TickFormatter]] = {}
        self.source = ColumnDataSource(curve_columns([]))
        self.axis = "seconds"  # column of the horizontal axis
        self.until: int | None = None  # how many points there are until the moment that is shown; None: all are shown
        self.begins: Snapshot | None = None  # that of `tree_begins`
        self.window = Window(0, 1)  # its range

    def extend(self, snapshots: Sequence[Snapshot], whole: bool) -> None:
        """Add snapshots or, when they are the ``whole`` history, draw them anew."""
        columns = curve_columns(snapshots, self.begins)
        if whole:
            self.source.data = columns
        elif snapshots:
            self.source.stream({**columns})

    def clear(self) -> None:
        self.begins = None
        self.source.data = curve_columns([])

    @property
    def empty(self) -> bool:
        return not self.source.data["work"]

    def fit(self) -> None:
        """Let the horizontal axis span all points; a logarithm from the first one, so that no place is lost."""
        at = self.source.data[self.axis]
        start = at[0] if at and self.axis == "log_work" else 0
        width = max(at[-1] - start, _SHORTEST[self.axis]) if at else 1
        self.window.span(start - _MARGIN * width, start + (1 + _MARGIN) * width)

    @property
    def tree(self) -> float | None:
        """Where on the axis the tree begins; None where nothing comes before it."""
        return None if self.begins is None else place_columns(self.begins, (), self.begins)[self.axis][0]

    @property
    def ticks(self) -> tuple[Ticker, TickFormatter]:
        """What all plots place and write the ticks of the axis with."""
        log = self.axis == "log_work"
        if log not in self._ticks:
            self._ticks[log] = ticks(log), compact(log)
        return self._ticks[log]

    @property
    def label(self) -> str:
        """Of the axis; what is grey is said where there is such a strip."""
        labels = {"seconds": "search time (s)", "work": f"work ({self.unit})", "log_work": f"work ({self.unit}, log)"}
        return labels[self.axis] + ("" if self.begins is None else f"; grey: {self.grey}")

    def known(self, name: str) -> list[float]:
        """The numbers of a column without those that are not known yet."""
        return [value for value in self.source.data[name] if value == value]

    def past(self, name: str) -> list[float]:
        """The numbers of a column until the moment that is shown."""
        return list(self.source.data[name][: self.until])


class PlotOverTime(Plot):
    """A plot of some of the curves over the time of a search."""

    heads: tuple[str, ...]  # columns whose last point is marked, in a source of its own

    def __init__(self, curves: Curves, label: str, **options: Any) -> None:
        self._curves, self._window = curves, Window(0, 1)
        self.figure = new_figure(self.title, "search time (s)", label, curves.window, self._window, **options)
        self._head = ColumnDataSource({name: [] for name in (*AXES.values(), *self.heads)})
        self.sources = (self._head,)
        self.cursor = Cursor(self.figure, curves.on_move)
        self._strip = BoxAnnotation(visible=False, **_STRIP)
        self.figure.add_layout(self._strip)

    def use_axis(self) -> None:
        """Draw it against the axis of the curves."""
        for glyph in self.over_time:
            glyph.x = self._curves.axis
        self.figure.xaxis.axis_label = self._curves.label
        self.figure.xaxis.ticker, self.figure.xaxis.formatter = self._curves.ticks

    def mark_tree(self) -> None:
        """Colour what comes before the tree."""
        begins, label = self._curves.tree, self._curves.label
        self._strip.update(right=begins or 0.0, visible=begins is not None)
        if self.figure.xaxis[0].axis_label != label:
            self.figure.xaxis.axis_label = label

    def use_dark(self, dark: bool) -> None:
        super().use_dark(dark)
        self.cursor.use_dark(dark)

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._head.data = place_columns(latest, self.heads, self._curves.begins)
        self.caption = self._words(latest)

    def frame(self) -> pd.DataFrame:
        columns = {"seconds": "time (s)", "work": "work", **self.names}
        return pd.DataFrame({name: self._curves.source.data[column] for column, name in columns.items()})

    def _words(self, latest: Snapshot) -> str:
        """What is seen, in a sentence."""
        raise NotImplementedError


class CurvePlot(PlotOverTime):
    """One curve in steps, and a dot at its end."""

    def __init__(self, curves: Curves, label: str, color: str, **options: Any) -> None:
        super().__init__(curves, label, **options)
        ((column, name),) = self.names.items()
        look: dict[str, Any] = {"x": "seconds", "y": column, "color": color}
        line = self.figure.step(**look, source=curves.source, mode="after", line_width=2.5)
        end = self.figure.scatter(**look, source=self._head, size=8)
        tooltips = [("work", "@work"), (name, f"@{column}{{0.[0000]}}")]
        self.figure.add_tools(HoverTool(renderers=[line], mode="vline", tooltips=tooltips))
        self.over_time = (line.glyph, end.glyph)
        self.clear()


def _finite(value: float, digits: int = 5) -> float:
    """A number rounded; ``nan``, which is not drawn, where it is infinite."""
    return round(float(value), digits) if math.isfinite(value) else math.nan


def _of_length(first: int, last: int | None) -> Callable[[Snapshot], float]:
    return lambda snapshot: sum(snapshot.queue_by_length[first:last])


def _reduced_cost(snapshot: Snapshot) -> float:
    value = snapshot.detail.get("least_reduced_cost", math.nan)
    return 0.0 if -_SMALLEST < value <= 0 else _finite(value)


COLUMNS: dict[str, Callable[[Snapshot], float]] = {
    "seconds": lambda s: round(s.seconds, 6),
    "work": lambda s: s.work,
    "objective": lambda s: math.nan if s.incumbent is None else round(s.incumbent.objective, 8),
    "lower_bound": lambda s: round(s.lower_bound, 8),
    "gap_top": lambda s: round(s.lower_bound if s.incumbent is None else s.incumbent.objective, 8),
    # queued prefixes of length 1, 2, ... and the rest, and all of them
    **{name: _of_length(i + 1, None if i + 1 == len(QUEUED) else i + 2) for i, name in enumerate(QUEUED)},
    "queued": _of_length(1, None),
    # the most prefixes that may still have to be looked at, as a power of ten
    "remaining": lambda s: _finite(s.log10_remaining, 3),
    # of column generation
    "master_value": lambda s: _finite(s.detail.get("master_value", math.nan)),
    "reduced_cost": _reduced_cost,
    "pool": lambda s: s.counts.get("columns", 0),
}


class Cursor:
    """A vertical line; the browser moves it at once, and says where to, a few times a second."""

    def __init__(self, plot: figure, on_move: Callable[[float], None]) -> None:
        self._line = Span(
            dimension="height", location=0, line_width=1.6, line_color=INK[False], visible=False, tags=[0]
        )
        self._on_move, self._ours = on_move, False
        plot.add_layout(self._line)
        for event in (Tap, Pan, PanEnd):
            plot.js_on_event(event, CustomJS(args={"line": self._line}, code=asset("cursor.js")))
        self._line.on_change("location", self._moved)

    def show(self, at: float | None, able: bool) -> None:
        """Put it to a place, or hide it; ``able``: whether it can be moved."""
        self._ours = True
        for name, value in (("location", at or 0.0), ("visible", at is not None), ("tags", [int(able)])):
            if getattr(self._line, name) != value:
                setattr(self._line, name, value)
        self._ours = False

    def use_dark(self, dark: bool) -> None:
        """Colour it for a dark or a light page."""
        self._line.line_color = INK[dark]

    def _moved(self, _name: str, _old: float, new: float) -> None:
        if not self._ours:
            self._on_move(new)
