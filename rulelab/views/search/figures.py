"""The live plots of a search: they share an axis and the numbers over time, follow one history, and stand in boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import panel as pn
from markupsafe import Markup

from ...snapshot import Snapshot
from ..live.prepared import Prepared
from ..live.session import SearchSession
from ..live.state import NOTHING_SEEN
from ..live.wording import count, filled
from ..widgets.style import BLUE, ORANGE
from .families import Look
from .plots.base import Plot, PlotBox, enlarged
from .plots.curves import AXES, Curves, PlotOverTime, tree_begins


class SearchFigures:
    """The live plots of one kind of search, their data sources and boxes; each is made when it is first asked for."""

    def __init__(
        self,
        look: Look,
        on_move: Callable[[float], None] = lambda place: None,  # takes the place to which a person has moved the line
        name_of_files: Callable[[], str] = lambda: "search",
    ) -> None:
        self._look, self._name_of_files = look, name_of_files
        self._shared = Curves(look.unit, on_move)
        self._shared.grey = "before the tree" if look.family else "what comes first"
        self._place: tuple[float | None, bool] = (None, False)
        self._dark = self._large = False
        self._mark = NOTHING_SEEN
        self._latest: Snapshot | None = None
        self._begun: Prepared | None = None
        self._made: dict[int, Plot] = {}
        self._boxes: dict[int, PlotBox] = {}
        self.shown: list[Snapshot] = []  # the history until the moment that is shown
        self.texts_wait = False  # whether more is drawn than the texts beside the plots say

    def plot(self, number: int) -> Plot:
        """One of the plots; what was shown before it was made, it shows too."""
        if number not in self._made:
            made = self._made[number] = self._look.plots[number].make(self._shared)
            if isinstance(made, PlotOverTime):
                made.use_axis()
                made.cursor.show(*self._place)
            made.use_dark(self._dark)
            made.use_size(self._large)
            if self._begun is not None:
                made.begin(self._begun)
            if self._latest is not None:
                made.show(self.shown, True, self._latest)
            self._fit()
        return self._made[number]

    @property
    def plots(self) -> tuple[Plot, ...]:
        """All of them."""
        return tuple(self.plot(number) for number in range(len(self._look.plots)))

    def box(self, number: int) -> PlotBox:
        """One of the plots with what stands around it."""
        if number not in self._boxes:
            box = PlotBox(self.plot(number), self._name_of_files, picture=partial(self.picture, number))
            box.refresh()
            self._boxes[number] = box
        return self._boxes[number]

    @property
    def panes(self) -> list[pn.pane.Bokeh]:
        """Those that have been made."""
        return [box.pane for box in self._boxes.values()]

    def by_name(self) -> dict[str, Callable[[], Sequence[Any]]]:
        """What makes the others, of which one at a time is seen, by their short names."""
        return {each.name: partial(self._items, k) for k, each in enumerate(self._look.plots) if each.name}

    def _items(self, number: int) -> Sequence[Any]:
        return self.box(number).items

    def picture(self, number: int) -> dict[str, Any]:
        """A plot drawn anew, as a slide."""
        drawn = SearchFigures(self._look)
        drawn._shared.axis = self._shared.axis
        if self._latest is not None and self._begun is not None:
            drawn.extend(self.shown, True, self._latest, self._begun)
        return enlarged(drawn.plot(number).figure)

    @property
    def _over_time(self) -> list[PlotOverTime]:
        return [plot for plot in self._made.values() if isinstance(plot, PlotOverTime)]

    def use_axis(self, axis: str) -> None:
        """Draw the plots over time against one of `AXES`."""
        self._shared.axis = AXES[axis]
        for plot in self._over_time:
            plot.use_axis()
        self._fit()

    def use_dark(self, dark: bool) -> None:
        """Colour the text inside the plots for a dark or a light page; the page's theme colours all the rest."""
        self._dark = dark
        for plot in self._made.values():
            plot.use_dark(dark)

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
        self._mark, self.shown, self._latest, self._begun = NOTHING_SEEN, [], None, None
        self.show_texts()

    def follow(self, session: SearchSession) -> Snapshot:
        """Draw what a session has that is not shown yet, and give its present state."""
        snapshots, self._mark, whole = session.history.since(self._mark)
        latest, prepared = session.snapshot, session.prepared
        assert latest is not None
        assert prepared is not None
        self.extend(snapshots, whole, latest, prepared)
        return latest

    def extend(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot, prepared: Prepared) -> None:
        """Add snapshots to the curves (or, when ``whole``, draw them anew) and show the latest state."""
        if prepared is not self._begun:
            self._begun = prepared
            for plot in self._made.values():
                plot.begin(prepared)
        self._shared.until = None
        every = snapshots if whole else [*self.shown, *snapshots]
        begins = self._shared.begins if not whole and self._shared.begins else tree_begins(every)
        if begins is not self._shared.begins:  # the axis counts from there
            self._shared.begins, snapshots, whole = begins, every, True
        self._shared.extend(snapshots, whole)
        self.shown, self._latest, self.texts_wait = list(every), latest, True
        for plot in self._made.values():
            plot.show(snapshots, whole, latest)
        self._fit()

    def look_back(self, snapshots: Sequence[Snapshot]) -> None:
        """Show everything as it was at the last of these snapshots; the curves, and their axes, stay whole."""
        self._mark = NOTHING_SEEN
        self._shared.until, self.shown, self._latest = len(snapshots), list(snapshots), snapshots[-1]
        self.texts_wait = True
        for plot in self._made.values():
            plot.show(() if plot.over_time else snapshots, not plot.over_time, snapshots[-1])

    def show_texts(self) -> None:
        """The texts beside the plots, where they have changed."""
        self.texts_wait = False
        for box in self._boxes.values():
            box.refresh()

    @property
    def places(self) -> tuple[Sequence[float], float, float]:
        """Where all points are on the axis, and its two ends."""
        return list(self._shared.source.data[self._shared.axis]), *self._shared.window.ends

    def point(self, at: int | None, able: bool) -> None:
        """Put the line to a moment, or hide it at the present one; ``able``: whether it can be moved."""
        places, _, _ = self.places
        self._place = None if at is None or at >= len(places) else places[at], able
        for plot in self._over_time:
            plot.cursor.show(*self._place)

    def resend(self) -> None:
        """Send all data again, after a reconnection."""
        own = (source for plot in self._made.values() for source in plot.sources)
        for source in (self._shared.source, *own):
            source.data = dict(source.data)

    def _fit(self) -> None:
        """Let the axes span what there is."""
        self._shared.fit()
        for over_time in self._over_time:
            over_time.mark_tree()
        for plot in self._made.values():
            plot.fit()


_WIDTH, _HEIGHT, _RIGHT, _BOTTOM, _TOP, _MOST = 560, 190, 90, 24, 14, 400  # of a drawing without scripts; its points


def curves_svg(snapshots: Sequence[Snapshot]) -> str:
    """Objective and lower bound against the work, which is on a scale of logarithms; empty where there is no curve."""
    known = [each for each in snapshots if each.incumbent is not None and math.isfinite(each.lower_bound)]
    if len(known) < 2:
        return ""
    known = [*known[: -1 : -(-len(known) // _MOST)], known[-1]]
    across = np.log1p([each.work for each in known])
    up = np.array([(each.lower_bound, each.incumbent.objective) for each in known if each.incumbent is not None])
    x = (across - across[0]) / max(across[-1] - across[0], 1e-9) * (_WIDTH - _RIGHT)
    y = _TOP + (up.max() - up) / max(np.ptp(up), 1e-300) * (_HEIGHT - _TOP - _BOTTOM)
    words = y[-1] + 4
    words[0] = max(words[0], words[1] + 14)  # the bound is below
    lines = []
    for k, color in enumerate((BLUE, ORANGE)):
        steps = Markup("".join(f"H{at:.1f}V{value:.1f}" for at, value in zip(x, y[:, k], strict=True)))
        lines.append((color, steps, words[k], up[-1, k]))
    size: dict[str, Any] = {"width": _WIDTH, "height": _HEIGHT, "right": _WIDTH - _RIGHT + 6}
    return filled("curves.html", lines=lines, start=y[0], until=f"{count(known[-1].work)} units of work", **size)
