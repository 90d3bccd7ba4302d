"""Objective and lower bound over the time of a search, in steps, and pale beneath them those of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, MultiLine, Scatter, Step, Text, VAreaStep
from bokeh.plotting import figure

from ....snapshot import Snapshot, Status
from ...live.wording import apart
from ...widgets.esc import plain
from ...widgets.style import BLUE, GREEN, GROUND, INK, ORANGE, PURPLE, SKY
from .base import Columns, add_legend, drawn, replace, set_ticks, show_entries
from .curves import AXES, Curves, PlotOverTime, curve_columns, place_columns

_PALE = {"objective": "solid", "lower_bound": "6 3"}
"""What is drawn of each run, and how."""
_GREY = {False: "#a6a6a6", True: "#767676"}
_EMPTY: Columns = {name: [] for name in (*AXES.values(), "values", "dash", "run", "said")}
_NO_ENDS: Columns = {name: [] for name in (*AXES.values(), "value", "run")}
_MARGIN = 0.07
_FLAT = 0.1
"""The height of a picture in which all is 0."""
_WORD = 0.25
"""Of the width: nearer to the left edge than that, the word beside the star would not stand on its left whole."""
_LINES = 12
"""Most rules of a list that are shown where one points at it."""
_TOOLTIP = (
    '<div style="max-width: min(320px, 60vw); font-size: 12px; line-height: 1.4; white-space: pre-line; '
    'overflow-wrap: anywhere"><b>@objective{0.000000}</b> found at work @work, after @seconds{0.00} s\n@rules</div>'
)
"""Bokeh escapes what it puts in."""


class PaleCurves:
    """Objective and lower bound of earlier runs, a line each, and at its end the number of the run.

    They lie beneath all else in a plot, and are sent once when they change, never streamed.
    """

    def __init__(self, plot: figure) -> None:
        self._plot = plot
        self._lines, self._ends = ColumnDataSource(dict(_EMPTY)), ColumnDataSource(dict(_NO_ENDS))
        self._line = MultiLine(xs="seconds", ys="values", line_width=2, line_dash="dash")
        self._number = Text(
            x="seconds", y="value", text="run", x_offset=3, y_offset=-3, text_font_size="12px", text_alpha=0.8
        )
        self.sources = (self._lines, self._ends)
        self._runs: list[Columns] = []
        self._is_drawn = False
        self.use_dark(False)

    def show(self, runs: Sequence[tuple[str, str, Columns]]) -> None:
        """Draw these runs alone: the number of each, what is said where one points at it, and its points on `AXES`."""
        self._runs = [points for _, _, points in runs if points["work"]]
        lines = [
            {axis: _stairs(points[axis], ahead=False) for axis in AXES.values()}
            | {"values": _stairs(points[column], ahead=True), "dash": dash, "run": number, "said": said}
            for number, said, points in runs
            for column, dash in _PALE.items()
        ]
        ends: dict[tuple[int, float], dict[str, Any]] = {}  # runs that end at one place have one text there
        for number, _, points in runs:
            if points["work"]:
                last = {name: points[name][-1] for name in (*AXES.values(), *_PALE)}
                value = last["objective"] if last["objective"] == last["objective"] else last["lower_bound"]
                end = ends.setdefault((last["work"], value), {**last, "value": value, "run": "run "})
                end["run"] += number if end["run"] == "run " else f", {number}"
        replace(self._lines, {name: [each[name] for each in lines] for name in _EMPTY})
        replace(self._ends, {name: [each[name] for each in ends.values()] for name in _NO_ENDS})
        if runs and not self._is_drawn:
            self._draw()

    def use_axis(self, column: str) -> None:
        """Draw against another axis."""
        self._line.xs = self._number.x = column

    def use_dark(self, dark: bool) -> None:
        self._line.line_color, self._number.text_color = _GREY[dark], INK[dark]

    def reach(self, axis: str) -> tuple[float, float] | None:
        """From where to where the lines go on an axis; None where there are none."""
        known = [points[axis] for points in self._runs]
        return (min(one[0] for one in known), max(one[-1] for one in known)) if known else None

    @property
    def ends(self) -> list[float]:
        """Where the lines end: objectives and lower bounds."""
        found = [points[name][-1] for points in self._runs for name in _PALE]
        return [value for value in found if value == value]

    def _draw(self) -> None:
        above = list(self._plot.renderers)
        lines = drawn(self._plot, self._lines, self._line)
        numbers = drawn(self._plot, self._ends, self._number)
        self._plot.renderers = [lines, numbers, *above]
        self._plot.add_tools(HoverTool(renderers=[lines], tooltips='<div style="font-size: 12px">@said</div>'))
        self._is_drawn = True


def _stairs(values: Sequence[Any], ahead: bool) -> list[Any]:
    """Each value twice, so that a line through the points goes in steps: a value holds until the next one."""
    twice = [value for value in values for _ in range(2)]
    return twice[:-1] if ahead else twice[1:]


class BoundsPlot(PlotOverTime):
    """What is found, what is proven, and the gap between them; ``relaxation``: column and name of a third curve."""

    title = "Objective and lower bound"
    nothing = "The best objective comes down, what is proven goes up; where they meet, the model is optimal."
    heads = ("objective", "lower_bound")

    def __init__(self, curves: Curves, measure: str = "objective", relaxation: tuple[str, str] | None = None) -> None:
        # room for numbers as small as the gaps of groups are, and for the legend, which comes with the first model
        borders: dict[str, Any] = {"min_border_left": 76, "min_border_top": 26, "min_border_bottom": 46}
        super().__init__(curves, measure, height=372, **borders)
        plot, self._further = self.figure, dict([] if relaxation is None else [relaxation])
        self.names = {"objective": "objective", "lower_bound": "lower bound", **self._further}
        set_ticks(plot.yaxis, desired_num_ticks=4)
        self.pale = PaleCurves(plot)  # earlier runs
        curves.beneath = self.pale.reach
        beneath = len(plot.renderers)
        self._proof = ColumnDataSource(place_columns(None, self.heads))
        at: dict[str, Any] = {"x": "seconds"}
        steps: dict[str, Any] = {**at, "mode": "after"}
        area = VAreaStep(**at, y1="lower_bound", y2="gap_top", fill_color=SKY, fill_alpha=0.22, step_mode="after")
        self._gap = drawn(plot, curves.source, area, visible=False)
        dotted: dict[str, Any] = {"line_color": PURPLE, "line_width": 1.8, "line_dash": "2 3", **steps}
        relaxed = [
            (name, drawn(plot, curves.source, Step(y=column, **dotted))) for column, name in self._further.items()
        ]
        dashed = Step(y="lower_bound", line_color=BLUE, line_width=2.5, line_dash="6 3", **steps)
        self._bound = drawn(plot, curves.source, dashed)
        best = drawn(plot, curves.source, Step(y="objective", line_color=ORANGE, line_width=2.5, **steps))
        self._ends = [
            drawn(plot, self._head, Scatter(**at, y=column, size=8, line_color=color, fill_color=color))
            for column, color in (("lower_bound", BLUE), ("objective", ORANGE))
        ]
        self._found = ColumnDataSource(_found_columns([]))
        white: dict[str, Any] = {**at, "y": "objective", "line_color": "white"}
        found = drawn(plot, self._found, Scatter(size=9, fill_color=ORANGE, marker="diamond", **white))
        plot.add_tools(HoverTool(renderers=[found], tooltips=_TOOLTIP))
        drawn(plot, self._proof, Scatter(size=17, marker="star", fill_color=GREEN, **white))
        style: dict[str, Any] = {"text_font_size": "13px", "text_font_style": "bold", "padding": 2}
        style |= {"text_color": INK[False], "background_fill_color": GROUND[False]}
        said = Text(**at, y="objective", text={"value": "proven"}, y_offset=-8, **style)
        self._said = drawn(plot, self._proof, said)
        items = [("objective", best), ("lower bound", self._bound), *(relaxed or [("gap", self._gap)])]
        self.entries = add_legend(plot, items, columns=len(items))
        self._drawn = ["objective", "lower_bound", *(self._further or ["lower_bound"])]
        tooltips = [("time", "@seconds{0.00} s"), ("work", "@work"), ("objective", "@objective{0.000000}")]
        tooltips += [(name, f"@{column}{{0.0000}}") for column, name in self._further.items()]
        tooltips.append(("lower bound", "@lower_bound{0.000000}"))
        plot.add_tools(HoverTool(renderers=[best], mode="vline", tooltips=tooltips))
        self.sources = (self._head, self._proof, self._found)
        self.over_time = tuple(renderer.glyph for renderer in plot.renderers[beneath:])  # type: ignore[attr-defined]
        self.clear()

    def clear(self) -> None:
        self._gap.visible = False  # a stepped area without points never ends drawing itself (Bokeh 3.9)
        super().clear()
        self._last: float | None = None

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._gap.visible = not self._curves.empty
        begins = self._curves.begins
        self._head.data = place_columns(latest, self.heads, begins)
        self._proof.data = place_columns(latest if latest.status is Status.OPTIMAL else None, self.heads, begins)
        show_entries(self.entries, [bool(self._curves.known(name)) for name in self._drawn])
        self._mark(snapshots, whole)
        self.caption = self._words(latest)

    def fit(self) -> None:
        at, (start, end) = self._curves.source.data[self._curves.axis][-1:], self._curves.window.ends
        on_the_right = bool(at) and at[0] - start < _WORD * (end - start)
        self._said.glyph.update(text_align="left" if on_the_right else "right", x_offset=10 if on_the_right else -10)
        found, proven = self._curves.known("objective"), self._curves.known("lower_bound")
        pale = self.pale.ends
        if not proven:
            low, high = min(pale, default=0.0), max(pale, default=1.0)
            room = 3 * _MARGIN * (high - low) or 0.1 * high
            self._window.span(*((max(low - room, 0.0), high + room) if pale else (0, 1)))
            return
        relaxed = [value for column in self._further for value in self._curves.known(column)[-1:]]
        relaxed = [value for value in relaxed if not found or value <= found[0]]  # one of few rules may be far above
        top, bottom = max([*found, *relaxed], default=proven[-1]), proven[0]
        top, bottom = max([top, *pale]), min([bottom, *pale])
        height = max(top - bottom, 0.02 * abs(top)) or _FLAT
        self._window.span(max(bottom - _MARGIN * height, 0.0), top + 5 * _MARGIN * height)

    def use_dark(self, dark: bool) -> None:
        bound = SKY if dark else BLUE
        self.pale.use_dark(dark)
        self._bound.glyph.line_color = bound
        self._ends[0].glyph.update(line_color=bound, fill_color=bound)
        self._said.glyph.update(text_color=INK[dark], background_fill_color=GROUND[dark])

    def _words(self, latest: Snapshot) -> str:
        best = latest.incumbent
        if best is None:
            impossible = latest.status is Status.INFEASIBLE
            return "No model meets the constraint." if impossible else "No model is found yet."
        found, proven = apart(best.objective, latest.lower_bound, "rule_set" if self._further else "rule_list")
        if latest.status is Status.OPTIMAL or not latest.gap > 0:
            least = f"The gap is closed: {found} is found, and proven to be the least"
            open_ = latest.detail.get("gap_is_proven") and latest.status is not Status.OPTIMAL
            return f"{least}; which is the best model of that is open." if open_ else f"{least}."
        if not latest.lower_bound > 0:
            return f"{found} is found; how far down it can come is not proven yet."
        return f"{found} is found, below {proven} there is nothing."

    def _mark(self, snapshots: Sequence[Snapshot], whole: bool) -> None:
        """Put marks where better models were found."""
        last = None if whole else self._last
        new = []
        for each in snapshots:
            best = each.incumbent
            if best is not None and (last is None or best.objective < last):
                new.append(each)
                last = best.objective
        if whole:
            self._found.data = _found_columns(new, self._curves.begins)
        elif new:
            self._found.stream({**_found_columns(new, self._curves.begins)})
        self._last = last


def _found_columns(snapshots: Sequence[Snapshot], begins: Snapshot | None = None) -> Columns:
    """Where models were found, and their rules."""
    columns = curve_columns(snapshots, {}, begins)
    found: Columns = {name: columns[name] for name in (*AXES.values(), "objective")}
    found["rules"] = [_rules(each.incumbent.model) for each in snapshots if each.incumbent is not None]
    return found


def _rules(model: Any) -> str:
    lines = model.to_text().splitlines()
    more = [f"and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    return "\n".join([*(plain(line, 90) for line in lines[:_LINES]), *more])
