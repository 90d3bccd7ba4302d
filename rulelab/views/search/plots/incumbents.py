"""The models found one after another: errors against complexity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool

from ....snapshot import Snapshot
from ...live.wording import count
from ...widgets.style import ORANGE, PURPLE
from .base import Plot, Window, add_legend, new_figure, replace, set_ticks, show_entries


class IncumbentsPlot(Plot):
    """Errors against complexity of each best model so far."""

    title = "Errors of the incumbents"
    nothing = "Each best model found so far: how many training rows it gets wrong, and how large it is."

    def __init__(self, complexity: str) -> None:
        self._incumbents, self._best = (ColumnDataSource({"complexity": [], "errors": []}) for _ in range(2))
        self._complexity = complexity
        self._across, self._up = Window(-0.4, 4), Window(0, 1)
        plot = new_figure(self.title, complexity, "training errors", self._across, self._up, min_border_top=52)
        self.figure = plot
        self.sources = (self._incumbents, self._best)
        plot.line(x="complexity", y="errors", source=self._incumbents, color=PURPLE, line_width=1.5)
        dots = plot.scatter(x="complexity", y="errors", source=self._incumbents, color=PURPLE, size=8)
        best = plot.scatter(x="complexity", y="errors", source=self._best, color=ORANGE, size=15, marker="diamond")
        self.entries = add_legend(plot, [("incumbents", dots), ("best", best)])
        set_ticks(plot.xaxis, min_interval=1)
        tooltips = [(complexity.split()[0], "@complexity"), ("errors", "@errors")]
        plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))
        self.clear()

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        points = [] if whole else self._found
        points += [(s.incumbent.complexity, s.incumbent.errors) for s in snapshots if s.incumbent is not None]
        found = [point for point, _ in groupby(points)]
        if not found:
            return
        for source, drawn in ((self._incumbents, found), (self._best, found[-1:])):
            replace(source, {"complexity": [k for k, _ in drawn], "errors": [e for _, e in drawn]})
        show_entries(self.entries, [True] * len(self.entries))
        n, (size, errors) = len(found), found[-1]
        order = "the first one" if n == 1 else f"the last of {count(n)}"
        self.caption = f"Best: {count(errors)} rows wrong, {self._complexity}: {size}; {order} found."

    @property
    def _found(self) -> list[tuple[int, float]]:
        """Complexity and errors of each, in turn."""
        data = self._incumbents.data
        return list(zip(data["complexity"], data["errors"], strict=True))

    def fit(self) -> None:
        if not self._found:
            return
        size, errors = self._incumbents.data.values()
        lowest = min(errors)
        room = 0.12 * (max(errors) - lowest) or 0.1 * max(errors) or 1
        self._across.span(min(size) - 0.6, max(size) + 1.5)
        self._up.span(max(0, lowest - room), max(errors) + room)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self._found, columns=[self._complexity, "training errors"])
