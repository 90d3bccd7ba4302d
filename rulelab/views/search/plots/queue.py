"""What waits in the queue by the length of the prefixes, and what remains of the search space."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.transform import stack

from ....snapshot import Snapshot, Status
from ...live.wording import count, remaining
from ...widgets.style import GREEN, INK, LENGTHS
from .base import Plot, Window, add_legend, compact, show_entries
from .curves import QUEUED, REMAINING, Curves, place_columns

_NAMES = (*map(str, range(1, len(LENGTHS))), f"{len(LENGTHS)}+")
(_COLUMN,) = REMAINING


class QueuePlot(Plot):
    """Stacked steps, one per length, and how many there are in all; the curves have the columns `QUEUED`."""

    title = "Queue by prefix length"

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self._window = Window(0, 1)
        plot = curves.figure(
            self.title, "prefixes in the queue", self._window, min_border_right=62, min_border_bottom=58
        )
        self._head = ColumnDataSource(place_columns(None, ("queued",)))
        source = curves.source
        self._areas = [
            plot.varea_step(
                x="seconds",
                y1=stack(*QUEUED[:i]),
                y2=stack(*QUEUED[: i + 1]),
                source=source,
                fill_color=color,
                fill_alpha=0.9,
                step_mode="after",
                visible=False,
            )
            for i, color in enumerate(LENGTHS)
        ]
        self._total = plot.step(x="seconds", y="queued", source=source, mode="after", line_width=1.5, color=INK[False])
        self._end = plot.scatter(x="seconds", y="queued", source=self._head, size=8, color=INK[False])
        self._entries = add_legend(
            plot, list(zip(_NAMES, self._areas, strict=True)), place="right", columns=1, title="rules"
        )
        plot.yaxis.formatter = compact()
        tooltips = [
            ("work", "@work"),
            ("in the queue", "@queued"),
            *((f"with {name}", f"@{column}") for name, column in zip(_NAMES, QUEUED, strict=True)),
        ]
        plot.add_tools(HoverTool(renderers=[self._total], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.sources = (self._head,)
        self.over_time = tuple(renderer.glyph for renderer in plot.renderers)  # type: ignore[attr-defined]
        self.clear()

    def clear(self) -> None:
        self._head.data = place_columns(None, ("queued",))
        self._draw([False] * len(QUEUED))
        self.caption = "Beginnings of lists that are still to be looked at, by how many rules they have."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._head.data = place_columns(latest, ("queued",), self._curves.begins)
        self._draw([any(self._curves.source.data[name]) for name in QUEUED])
        last = [self._curves.past(name)[-1] for name in QUEUED]
        if not sum(last):
            over = latest.status is Status.OPTIMAL
            self.caption = "The queue is empty: nothing is left to look at." if over else "The queue is empty."
            return
        most = _NAMES[last.index(max(last))]
        rules = "1 rule" if most == "1" else f"{most} rules"
        self.caption = f"{count(sum(last))} prefix{'es' if sum(last) > 1 else ''} open, most with {rules}."

    def fit(self) -> None:
        self._window.span(0, 1.1 * max(self._curves.source.data["queued"], default=0) or 1)

    def frame(self) -> pd.DataFrame:
        lengths = {column: f"of {name} rules" for name, column in zip(_NAMES, QUEUED, strict=True)}
        return self._curves.frame({"queued": "in the queue", **lengths})

    def use_dark(self, dark: bool) -> None:
        self._total.glyph.line_color = INK[dark]
        self._end.glyph.update(line_color=INK[dark], fill_color=INK[dark])

    def _draw(self, drawn: Sequence[bool]) -> None:
        """Draw only the lengths that there were; a stepped area without points never ends drawing itself."""
        show_entries(self._entries, drawn)
        for area, visible in zip(self._areas, drawn, strict=True):
            area.visible = visible


class RemainingPlot(Plot):
    """A line that comes down to 0, where nothing is left; the curves have the column `REMAINING`."""

    title = "Remaining search space"

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self._window = Window(0, 1)
        plot = curves.figure(self.title, "prefixes left at most, log10", self._window, min_border_bottom=58)
        self._head = ColumnDataSource(place_columns(None, (_COLUMN,)))
        line = plot.step(x="seconds", y=_COLUMN, source=curves.source, mode="after", line_width=2, color=GREEN)
        end = plot.scatter(x="seconds", y=_COLUMN, source=self._head, size=8, color=GREEN)
        tooltips = [("work", "@work"), ("log10 remaining", f"@{_COLUMN}")]
        plot.add_tools(HoverTool(renderers=[line], mode="vline", tooltips=tooltips))
        self.figure = plot
        self.sources = (self._head,)
        self.over_time = (line.glyph, end.glyph)
        self.clear()

    def clear(self) -> None:
        self._head.data = place_columns(None, (_COLUMN,))
        self.caption = "The most prefixes that are still to be looked at, as a power of ten."

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        self._head.data = place_columns(latest, (_COLUMN,), self._curves.begins)
        if latest.status in (Status.OPTIMAL, Status.INFEASIBLE):
            self.caption = "Nothing is left to look at."
        else:
            self.caption = f"At most 10^{remaining(latest)} prefixes are left; a cut takes away all that would follow."

    def fit(self) -> None:
        self._window.span(0, 1.1 * max(self._curves.known(_COLUMN), default=0) or 1)

    def frame(self) -> pd.DataFrame:
        return self._curves.frame({_COLUMN: "log10 remaining"})
