"""Curves of earlier runs, pale, beneath those of the present one: sent once when they change, and never streamed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, MultiLine, Text
from bokeh.plotting import figure

from ...widgets.style import INK
from .base import Columns, drawn, replace
from .curves import AXES

_LINES = {"objective": "solid", "lower_bound": "6 3"}
"""What is drawn of each run, and how."""
_GREY = {False: "#a6a6a6", True: "#767676"}
_EMPTY: Columns = {name: [] for name in (*AXES.values(), "values", "dash", "run", "said")}
_NO_ENDS: Columns = {name: [] for name in (*AXES.values(), "value", "run")}


class PaleCurves:
    """Objective and lower bound of earlier runs, a line each, and at its end the number of the run.

    `plot`: in which they lie beneath all else, as soon as there is an earlier run.
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
        """Draw these runs and no other ones.

        `runs`: the number of each, what is said where one points at it, and its points: objective, lower bound, and
        where they are on each of `AXES`.
        """
        lines: Columns = {name: [] for name in _EMPTY}
        ends: Columns = {name: [] for name in _NO_ENDS}
        self._runs = [points for _, _, points in runs if points["work"]]
        for number, said, points in runs:
            for column, dash in _LINES.items():
                values = list(points[column])
                for axis in AXES.values():
                    lines[axis].append(_stairs(points[axis], ahead=False))
                lines["values"].append(_stairs(values, ahead=True))
                lines["dash"].append(dash)
                lines["run"].append(number)
                lines["said"].append(said)
            if points["work"]:
                found = points["objective"][-1]
                value = found if found == found else points["lower_bound"][-1]
                last = [*(points[axis][-1] for axis in AXES.values()), value]
                same = [
                    k for k, end in enumerate(ends["work"]) if (end, ends["value"][k]) == (points["work"][-1], value)
                ]
                if same:
                    ends["run"][same[0]] += f", {number}"
                    continue
                for name, at in zip((*AXES.values(), "value", "run"), (*last, f"run {number}"), strict=True):
                    ends[name].append(at)
        replace(self._lines, lines)
        replace(self._ends, ends)
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
        found = [points[name][-1] for points in self._runs for name in _LINES]
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
