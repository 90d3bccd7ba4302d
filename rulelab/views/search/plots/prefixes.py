"""What waits in the queue, by length, what remains of the search space, and what was cut, by bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker, HoverTool, Range1d
from bokeh.models.annotations import LabelSet
from bokeh.transform import stack

from ....snapshot import CUT_BY, Snapshot, Status
from ...live.wording import count, remaining
from ...prefixes.icicle import color_of
from ...widgets.style import GREEN, INK, LENGTHS
from .base import Columns, Plot, add_legend, compact, new_figure, replace, show_entries
from .curves import QUEUED, CurvePlot, Curves, PlotOverTime

_NAMES = (*map(str, range(1, len(LENGTHS))), f"{len(LENGTHS)}+")
_LENGTHS = dict(zip(QUEUED, _NAMES, strict=True))


class QueuePlot(PlotOverTime):
    """Stacked steps, one per length, and how many there are in all."""

    title = "Queue by prefix length"
    nothing = "Beginnings of lists that are still to be looked at, by how many rules they have."
    names = {"queued": "in the queue", **{column: f"of {name} rules" for column, name in _LENGTHS.items()}}
    heads = ("queued",)

    def __init__(self, curves: Curves) -> None:
        super().__init__(curves, "prefixes in the queue", min_border_right=62, min_border_bottom=58)
        plot, source = self.figure, curves.source
        drawn_alike: dict[str, Any] = {"x": "seconds", "source": source, "step_mode": "after", "visible": False}
        self._areas = [
            plot.varea_step(
                y1=stack(*QUEUED[:i]), y2=stack(*QUEUED[: i + 1]), fill_color=color, fill_alpha=0.9, **drawn_alike
            )
            for i, color in enumerate(LENGTHS)
        ]
        total = plot.step(x="seconds", y="queued", source=source, mode="after", line_width=1.5, color=INK[False])
        end = plot.scatter(x="seconds", y="queued", source=self._head, size=8, color=INK[False])
        named = list(zip(_NAMES, self._areas, strict=True))
        self.entries = add_legend(plot, named, place="right", columns=1, title="rules")
        plot.yaxis.formatter = compact()
        tooltips = [("work", "@work"), ("in the queue", "@queued")]
        tooltips += [(f"with {name}", f"@{column}") for column, name in _LENGTHS.items()]
        plot.add_tools(HoverTool(renderers=[total], mode="vline", tooltips=tooltips))
        self.over_time = tuple(renderer.glyph for renderer in plot.renderers)  # type: ignore[attr-defined]
        self.tinted = ((total.glyph, "line_color", INK), (end.glyph, "line_color fill_color", INK))
        self.clear()

    def clear(self) -> None:
        super().clear()
        self._draw([False] * len(QUEUED))

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        super().show(snapshots, whole, latest)
        self._draw([any(self._curves.source.data[name]) for name in QUEUED])

    def _words(self, latest: Snapshot) -> str:
        last = [self._curves.past(name)[-1] for name in QUEUED]
        if not sum(last):
            return f"The queue is empty{': nothing is left to look at' * (latest.status is Status.OPTIMAL)}."
        most = _NAMES[last.index(max(last))]
        rules = "1 rule" if most == "1" else f"{most} rules"
        return f"{count(sum(last))} prefix{'es' if sum(last) > 1 else ''} open, most with {rules}."

    def fit(self) -> None:
        self._window.span(0, 1.1 * max(self._curves.source.data["queued"], default=0) or 1)

    def _draw(self, drawn: Sequence[bool]) -> None:
        """Draw only the lengths that there were; a stepped area without points never ends drawing itself."""
        show_entries(self.entries, drawn)
        for area, visible in zip(self._areas, drawn, strict=True):
            area.visible = visible


class RemainingPlot(CurvePlot):
    """A line that comes down to 0, where nothing is left."""

    title = "Remaining search space"
    nothing = "The most prefixes that are still to be looked at, as a power of ten."
    names = {"remaining": "log10 remaining"}
    heads = ("remaining",)

    def __init__(self, curves: Curves) -> None:
        super().__init__(curves, "prefixes left at most, log10", GREEN, min_border_bottom=58)

    def _words(self, latest: Snapshot) -> str:
        if latest.status in (Status.OPTIMAL, Status.INFEASIBLE):
            return "Nothing is left to look at."
        return f"At most 10^{remaining(latest)} prefixes are left; a cut takes away all that would follow."

    def fit(self) -> None:
        self._window.span(0, 1.1 * max(self._curves.known("remaining"), default=0) or 1)


_OF_ALL = (
    " The best list of all is sought first.",
    " They were cut to find the best of all lists; a best one meets what is asked.",
)
_COLOURS = '<p class="note">Coloured as in search trees; grey: bounds that hardly ever cut what a tree has stored.</p>'
_ROOM = 150
"""Where the axis of per cents ends, so that the longest bar has its figure beside it."""


def pruned_columns(snapshot: Snapshot | None) -> Columns:
    """Prefixes cut per bound, in all and as a share of all cuts, the most effective one at the top."""
    pruned = {} if snapshot is None else {name: n for name, n in _cuts(snapshot).items() if n}
    names = sorted(pruned, key=lambda name: pruned[name])
    total = sum(pruned.values())
    return {
        "bound": names,
        "count": [pruned[name] for name in names],
        "share": [round(100 * pruned[name] / total, 4) for name in names],
        "text": [count(pruned[name]) for name in names],
        "color": [color_of("cut", name) for name in names],
    }


def _cuts(snapshot: Snapshot) -> Mapping[str, int]:
    """Prefixes cut, by bound; of the search for the best list of all while that runs, and where it was enough."""
    first = snapshot.sought_first
    if not first or not (first["running"] or first["suffices"]):
        return snapshot.pruned
    return {name.removeprefix(CUT_BY): n for name, n in first.items() if name.startswith(CUT_BY)}


class PrunedPlot(Plot):
    """One bar per bound, in its colour in the tree: its share of all cuts, and the figure beside it."""

    title = "Prefixes cut, by bound"
    nothing = "Beginnings of lists that need not be looked at, by the bound that says so."
    names = {"bound": "bound", "count": "prefixes cut", "share": "share of all cuts (%)"}
    below = ""
    blank = True

    def __init__(self) -> None:
        self._bounds = FactorRange()
        plot = new_figure(self.title, "share of all cuts (%)", None, Range1d(start=0, end=_ROOM), self._bounds)
        self._source = ColumnDataSource(pruned_columns(None))
        bars = plot.hbar(y="bound", left=0, right="share", height=0.62, source=self._source, color="color")
        bars.glyph.fill_alpha = 0.6
        look: dict[str, Any] = {"text_baseline": "middle", "text_font_size": "12px", "text_color": INK[False]}
        labels = LabelSet(x="share", y="bound", text="text", source=self._source, x_offset=6, **look)
        plot.add_layout(labels)
        plot.ygrid.grid_line_color = None
        plot.xaxis.ticker = FixedTicker(ticks=[0, 25, 50, 75, 100])
        tooltips = [("bound", "@bound"), ("cut", "@text"), ("share", "@share{0.00} %")]
        plot.add_tools(HoverTool(renderers=[bars], tooltips=tooltips))
        self.figure = plot
        self.sources = (self._source,)
        self.tinted = ((labels, "text_color", INK),)
        self.clear()

    def clear(self) -> None:
        super().clear()
        self._bounds.factors, self.blank, self.below = [], True, ""

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        data = pruned_columns(latest)
        if data["bound"] != list(self._bounds.factors):
            self._bounds.factors = data["bound"]
        replace(self._source, data)
        self.blank = not data["bound"]
        self.below = "" if self.blank else _COLOURS
        if self.blank:
            self.caption = "Nothing is cut yet."
            return
        best, most = data["bound"][-1], data["share"][-1]
        percent = "100" if most == 100 else f"{min(most, 99.9):.3g}"  # never all when it is not all
        name = best.removeprefix("always: ")
        ever = "" if name == best else ", which cannot be switched off"
        self.caption = f"{count(sum(data['count']))} cut, {percent} % of them by “{name}”{ever}."
        first = latest.sought_first
        if first and (first["running"] or first["suffices"]):
            self.caption += _OF_ALL[first["suffices"]]

    def frame(self) -> pd.DataFrame:
        return super().frame()[::-1]
