"""The models found one after another: errors against complexity, and which of both are still open."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ....snapshot import Incumbent, Snapshot, Status
from ...live.prepared import Prepared
from ...live.wording import count
from ...widgets.style import BLUE, ORANGE, PURPLE, SKY
from .base import Columns, Plot, Window, add_legend, new_figure, replace, set_ticks, show_entries


def frontier_columns(
    best: Incumbent | None, lower_bound: float, weight: float, regularization: float, longest: int
) -> Columns:
    """Two straight lines of errors over rules: below the upper one a list is better, below the lower one none is.

    For objectives errors / weight + regularization * rules.
    """
    rules = [0, longest]
    at = [math.nan if best is None else best.objective, lower_bound]
    upper, lower = ([max(0.0, round(weight * (value - regularization * k), 2)) for k in rules] for value in at)
    return {"rules": rules, "better": upper, "excluded": lower}


class IncumbentsPlot(Plot):
    """Errors against complexity of each best model so far."""

    title = "Errors of the incumbents"
    nothing = "Each best model found so far: how many training rows it gets wrong, and how large it is."

    def __init__(self, complexity: str) -> None:
        self._found: list[tuple[int, float]] = []
        self._lowest = math.inf
        self._incumbents, self._best = (ColumnDataSource({"complexity": [], "errors": []}) for _ in range(2))
        self._complexity = complexity
        self._across, self._up = Window(-0.4, 4), Window(0, 1)
        plot = new_figure(self.title, complexity, "training errors", self._across, self._up, min_border_top=52)
        self.figure = plot
        self.sources = (self._incumbents, self._best)
        legend = self._behind()
        plot.line(x="complexity", y="errors", source=self._incumbents, color=PURPLE, line_width=1.5)
        dots = plot.scatter(x="complexity", y="errors", source=self._incumbents, color=PURPLE, size=8)
        best = plot.scatter(x="complexity", y="errors", source=self._best, color=ORANGE, size=15, marker="diamond")
        self.entries = add_legend(plot, [("incumbents", dots), ("best", best), *legend], columns=2)
        set_ticks(plot.xaxis, min_interval=1)
        tooltips = [(complexity.split()[0], "@complexity"), ("errors", "@errors")]
        plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))
        self.clear()

    def _behind(self) -> list[tuple[str, object]]:
        """Draw what lies behind the incumbents, and name it for the legend."""
        return []

    def clear(self) -> None:
        super().clear()
        self._found, self._lowest = [], math.inf

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        found = [(s.incumbent.complexity, s.incumbent.errors) for s in snapshots if s.incumbent is not None]
        if whole:
            self._found = []
        last = self._found[-1] if self._found else None
        new = [point for i, point in enumerate(found) if point != (found[i - 1] if i else last)]
        if not new:
            return
        self._found += new
        columns = {"complexity": [k for k, _ in new], "errors": [e for _, e in new]}
        if len(self._found) == len(new):
            self._incumbents.data = columns
        else:
            self._incumbents.stream(columns)
        self._best.data = {"complexity": [new[-1][0]], "errors": [new[-1][1]]}
        show_entries(self.entries, [True] * len(self.entries))
        n, last = len(self._found), new[-1]
        order = "the first one" if n == 1 else f"the last of {count(n)}"
        self.caption = f"Best: {count(last[1])} rows wrong, {self._complexity}: {last[0]}; {order} found."

    def fit(self) -> None:
        if not self._found:
            return
        size, errors = ([one[i] for one in self._found] for i in (0, 1))
        lowest = min(*errors, self._lowest)
        room = 0.12 * (max(errors) - lowest) or 0.1 * max(errors) or 1
        self._across.span(min(size) - 0.6, max(size) + 1.5)
        self._up.span(max(0, lowest - room), max(errors) + room)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self._found, columns=[self._complexity, "training errors"])


class FrontierPlot(IncumbentsPlot):
    """The same with what is still open, for objectives that are a share of errors and a cost per rule."""

    def __init__(self, complexity: str) -> None:
        super().__init__(complexity)
        self._parameters: tuple[float, float] | None = None

    def begin(self, prepared: Prepared) -> None:
        search = prepared.search
        self._parameters = (float(search.problem.total_weight), search.parameters["regularization"])

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        super().show(snapshots, whole, latest)
        if self._parameters is not None:
            longest = max([k for k, _ in self._found], default=0) + 2
            columns = frontier_columns(latest.incumbent, latest.lower_bound, *self._parameters, longest)
            replace(self._frontier, columns)
            if self._found:
                weight, cost = self._parameters
                self._lowest = max(0.0, weight * (latest.lower_bound - cost * self._found[-1][0]))
            proven = latest.status is Status.OPTIMAL
            show_entries(self.entries, [*[bool(self._found)] * 2, bool(self._found) and not proven, True])

    def use_dark(self, dark: bool) -> None:
        self._excluded.glyph.line_color = SKY if dark else BLUE

    def _behind(self) -> list[tuple[str, object]]:
        plot, source = self.figure, ColumnDataSource({"rules": [], "better": [], "excluded": []})
        self._frontier = source
        self.sources = (*self.sources, source)
        area = plot.varea(x="rules", y1="excluded", y2="better", source=source, fill_color=SKY, fill_alpha=0.22)
        self._excluded = plot.line(x="rules", y="excluded", source=source, color=BLUE, line_width=2, line_dash="6 3")
        return [("still open", area), ("nothing below", self._excluded)]
