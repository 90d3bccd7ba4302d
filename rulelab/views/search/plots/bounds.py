"""What is found and what is proven: objective and lower bound over the time of a search, and the best models so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, Scatter, Step, VAreaStep

from ....snapshot import Snapshot, Status
from ...live.wording import count, together
from ...widgets.esc import plain
from ...widgets.style import BLUE, GREEN, ORANGE, PURPLE, SKY
from .base import BLUES, Columns, Plot, Window, add_legend, drawn, new_figure, replace, set_ticks, show_entries, tooltip
from .curves import QUEUED, Curves, PlotOverTime, curve_columns, place_columns
from .prefixes import Waiting

_MARGIN = 0.07
_FLAT = 0.1  # the height of a picture in which all is 0
_LINES = 12  # most rules of a list that are shown where one points at it
_FOUND = "<b>@objective{0.000000}</b> found at work @work, after @seconds{0.00} s\n@rules"


class BoundsPlot(PlotOverTime):
    """What is found and proven, and the gap between them, over what waits; `relaxation`: a column, and its name."""

    title = "Objective and lower bound"
    nothing = "The best objective comes down, what is proven goes up; where they meet, the model is optimal."
    heads: tuple[str, ...] = ("objective", "lower_bound")

    def __init__(
        self, curves: Curves, measure: str = "objective", relaxation: tuple[str, str] | None = None, queue: bool = False
    ) -> None:
        if queue:
            self.heads = (*self.heads, "queued")
        super().__init__(curves, measure, height=372, **_borders(False, queue))
        plot, self._further = self.figure, dict([] if relaxation is None else [relaxation])
        self.names = {"objective": "objective", "lower_bound": "lower bound", **self._further}
        set_ticks(plot.yaxis, desired_num_ticks=4)
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
        bound = drawn(plot, curves.source, dashed)
        best = drawn(plot, curves.source, Step(y="objective", line_color=ORANGE, line_width=2.5, **steps))
        ends = [
            drawn(plot, self._head, Scatter(**at, y=column, size=8, line_color=color, fill_color=color))
            for column, color in (("lower_bound", BLUE), ("objective", ORANGE))
        ]
        self._found = ColumnDataSource(_found_columns([]))
        white: dict[str, Any] = {**at, "y": "objective", "line_color": "white"}
        found = drawn(plot, self._found, Scatter(size=9, fill_color=ORANGE, marker="diamond", **white))
        plot.add_tools(HoverTool(renderers=[found], tooltips=tooltip(_FOUND, further="white-space: pre-line")))
        drawn(plot, self._proof, Scatter(size=17, marker="star", fill_color=GREEN, **white))
        between = "gap" if measure == "objective" else "gap (objective − bound)"  # beside one between groups
        items = [("objective", best), ("lower bound", bound), *(relaxed or [(between, self._gap)])]
        self.entries = add_legend(plot, items, columns=len(items))
        self._drawn = ["objective", "lower_bound", *(self._further or ["lower_bound"])]
        tooltips = [("time", "@seconds{0.00} s"), ("work", "@work"), ("objective", "@objective{0.000000}")]
        tooltips += [(name, f"@{column}{{0.0000}}") for column, name in self._further.items()]
        tooltips.append(("lower bound", "@lower_bound{0.000000}"))
        self.sources = (self._head, self._proof, self._found)
        self.tinted = ((bound.glyph, "line_color", BLUES), (ends[0].glyph, "line_color fill_color", BLUES))
        self._waiting = Waiting(plot, curves, self._head) if queue else None
        if self._waiting is not None:
            self.names = {**self.names, **self._waiting.names}
            self.tinted += self._waiting.tinted
            tooltips.append(("waiting", "@queued"))
            for each in plot.legend:  # two lines
                each.update(margin=0, padding=1, label_width=0, label_standoff=3)
        plot.add_tools(HoverTool(renderers=[best], mode="vline", tooltips=tooltips))
        self.over_time = tuple(renderer.glyph for renderer in plot.renderers)  # type: ignore[attr-defined]
        self.clear()

    def clear(self) -> None:
        self._gap.visible = False  # a stepped area without points never ends drawing itself (Bokeh 3.9)
        super().clear()
        self._last: float | None = None
        if self._waiting is not None:
            self._waiting.show([])

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._gap.visible = not self._curves.empty
        super().show(snapshots, whole, latest)
        proven = latest if latest.status is Status.OPTIMAL else None
        self._proof.data = place_columns(proven, self.heads, self._curves.begins)
        show_entries(self.entries, [bool(self._curves.known(name)) for name in self._drawn])
        if self._waiting is not None:
            self._waiting.show([name for name in QUEUED if any(self._curves.source.data[name])])
        self._mark(snapshots, whole)

    def fit(self) -> None:
        found, proven = self._curves.known("objective"), self._curves.known("lower_bound")
        if not proven:
            self._span(0, 1)
            return
        relaxed = [value for column in self._further for value in self._curves.known(column)[-1:]]
        relaxed = [value for value in relaxed if not found or value <= found[0]]  # one of few rules may be far above
        top, bottom = max([*found, *relaxed], default=proven[-1]), proven[0]
        height = max(top - bottom, 0.02 * abs(top)) or _FLAT
        self._span(max(bottom - _MARGIN * height, 0.0), top + 5 * _MARGIN * height)

    def _span(self, start: float, end: float) -> None:
        """Let the vertical axis span this, above what waits."""
        if self._waiting is not None:
            self._waiting.fit()
            self.figure.yaxis[0].bounds = self.figure.ygrid[0].bounds = (start, end)
            start -= (end - start) * Waiting.SHARE / (1 - Waiting.SHARE)
        self._window.span(start, end)

    def use_size(self, large: bool) -> None:
        super().use_size(large)
        self.figure.update(**_borders(large, self._waiting is not None))

    def _words(self, latest: Snapshot) -> str:
        said = self._found_and_proven(latest)
        return said if self._waiting is None else f"{said} {self._waiting.words()}"

    def _found_and_proven(self, latest: Snapshot) -> str:
        best = latest.incumbent
        if best is None:
            impossible = latest.status is Status.INFEASIBLE
            return "No model meets the constraint." if impossible else "No model is found yet."
        found, proven, _ = together(best.objective, latest.lower_bound, "rule_set" if self._further else "rule_list")
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


def _borders(large: bool, queue: bool) -> dict[str, Any]:
    """Room for numbers as small as the gaps of groups are, and for the legends, which come with the first model."""
    left, right, top, bottom = (76, 12, 26, 46) if not queue else (76, 44, 40, 40)
    if large:
        left, right, top, bottom = 112, 2 * right, 2 * top, 70
    return {"min_border_left": left, "min_border_right": right, "min_border_top": top, "min_border_bottom": bottom}


def _found_columns(snapshots: Sequence[Snapshot], begins: Snapshot | None = None) -> Columns:
    """Where models were found, and their rules."""
    columns = curve_columns(snapshots, begins, ("work", "seconds", "objective"))
    return {**columns, "rules": [_rules(each.incumbent.model) for each in snapshots if each.incumbent is not None]}


def _rules(model: Any) -> str:
    lines = model.to_text().splitlines()
    more = [f"and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    return "\n".join([*(plain(line, 90) for line in lines[:_LINES]), *more])


class IncumbentsPlot(Plot):
    """Errors against complexity of each best model so far."""

    title = "Errors of the incumbents"
    nothing = "Each best model found so far: how many training rows it gets wrong, and how large it is."

    def __init__(self, complexity: str) -> None:
        self._incumbents, self._best = (ColumnDataSource({"complexity": [], "errors": []}) for _ in range(2))
        self._complexity = complexity
        self.names = {"complexity": complexity, "errors": "training errors"}
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
        for source, models in ((self._incumbents, found), (self._best, found[-1:])):
            replace(source, {"complexity": [k for k, _ in models], "errors": [e for _, e in models]})
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
