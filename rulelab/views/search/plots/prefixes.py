"""What waits in the queue, by length, what remains of the search space, and what was cut, by bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker, HoverTool, LinearAxis, Range1d
from bokeh.models.annotations import LabelSet
from bokeh.plotting import figure
from bokeh.transform import stack

from ....assets import texts
from ....families.wording import power
from ....snapshot import CUT_BY, Snapshot, Status
from ...live.wording import NONE, count
from ...prefixes.icicle import color_of
from ...widgets.style import GREEN, INK, LENGTHS
from .base import Columns, Plot, Window, add_legend, compact, new_figure, replace, set_ticks, show_entries
from .curves import QUEUED, CurvePlot, Curves

_NAMES = (*map(str, range(1, len(LENGTHS))), f"{len(LENGTHS)}+")
_ON_A_LINE = 7  # entries of the legend, which a phone has room for


class Waiting:
    """The prefixes that wait, along the foot of a plot over time: stacked steps, one per length, and all of them."""

    SHARE = 0.28
    """Of the height of the plot."""
    names = {"queued": "in the queue", **{c: f"of {name} rules" for c, name in zip(QUEUED, _NAMES, strict=True)}}

    def __init__(self, plot: figure, curves: Curves, head: ColumnDataSource) -> None:
        self._curves, self._window = curves, Window(0, 1)
        plot.extra_y_ranges = {"waiting": self._window.range}
        self._axis = LinearAxis(y_range_name="waiting", bounds=(0, 1))
        self._axis.update(formatter=compact())
        set_ticks(self._axis, desired_num_ticks=2)
        plot.add_layout(self._axis, "right")
        alike: dict[str, Any] = {"x": "seconds", "source": curves.source, "y_range_name": "waiting"}
        filled: dict[str, Any] = {"fill_alpha": 0.9, "step_mode": "after", "visible": False, **alike}
        self._areas = [
            plot.varea_step(y1=stack(*QUEUED[:i]), y2=stack(*QUEUED[: i + 1]), fill_color=color, **filled)
            for i, color in enumerate(LENGTHS)
        ]
        total = plot.step(y="queued", mode="after", line_width=1.5, color=INK[False], **alike)
        end = plot.scatter(y="queued", size=6, color=INK[False], **{**alike, "source": head})
        self.tinted = ((total.glyph, "line_color", INK), (end.glyph, "line_color fill_color", INK))
        named = [("waiting:", ()), *zip(_NAMES, self._areas, strict=True)]
        self._entries = add_legend(plot, named, columns=_ON_A_LINE)
        self.show([])

    def show(self, lengths: Sequence[str]) -> None:
        """Draw only the lengths that there were; a stepped area without points never ends drawing itself."""
        drawn = [name in lengths for name in QUEUED]
        show_entries(self._entries, [any(drawn), *drawn])
        for area, visible in zip(self._areas, drawn, strict=True):
            area.visible = visible

    def words(self) -> str:
        """How many wait at the moment that is shown."""
        last = [self._curves.past(name)[-1] for name in QUEUED]
        if not sum(last):
            was = max(self._curves.past("queued"), default=0) > 0 or self._curves.past("remaining")[-1] == 0
            return "The queue is empty." if was else "No prefix waits yet."
        most = _NAMES[last.index(max(last))]
        rules = "1 rule" if most == "1" else f"{most} rules"
        return f"{count(sum(last))} prefix{'es' if sum(last) > 1 else ''} open, most with {rules}."

    def fit(self) -> None:
        """Let the axis span what there is."""
        most = max(self._curves.source.data["queued"], default=0) or 1
        self._window.span(0, 1.1 * most / self.SHARE)
        self._axis.bounds = (0, most)


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
        left = latest.log10_remaining
        most = f"{10 ** (left % 1):.1f}·{power(int(left))}" if math.isfinite(left) else NONE
        return f"At most {most} prefixes are left; a cut takes away all that would follow."

    def fit(self) -> None:
        self._window.span(0, 1.1 * max(self._curves.known("remaining"), default=0) or 1)


_SAID = texts("cut")
_ROOM = 150  # where the axis of per cents ends, so that the longest bar has its figure beside it


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
        self.below = "" if self.blank else _SAID["colours"]
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
            self.caption += _SAID["of all"][first["suffices"]]

    def frame(self) -> pd.DataFrame:
        return super().frame()[::-1]
