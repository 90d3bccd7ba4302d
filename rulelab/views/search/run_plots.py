"""The plots of a run in their boxes, until the moment that is shown, over the pale curves of runs before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn

from ...snapshot import Snapshot
from ..live.history import Mark
from ..live.prepared import Prepared
from ..live.session import SearchSession
from .families import LOOKS
from .figures import SearchFigures
from .plot_box import PlotBox
from .plots.base import Columns
from .rewind import Rewind
from .runs.past import Runs
from .slide import slide


class RunPlots:
    """Draws what the present session has found, and each time only what is new; boxes are made when first seen."""

    figures: SearchFigures  # the plots of the present kind of search

    def __init__(
        self,
        session: Callable[[], SearchSession],  # gives the present run
        runs: Runs,
        rewind: Rewind,  # says which moment is shown
        shown: Callable[[], Snapshot | None],  # gives the state of the run at that moment
        name_of_files: Callable[[], str],
    ) -> None:
        self._session, self._runs, self._rewind = session, runs, rewind
        self._shown, self._name_of_files = shown, name_of_files
        self._look, self._axis = "", ""
        self._made: dict[int, PlotBox] = {}
        self._mark = Mark()
        self.texts_wait = False  # whether more is drawn than the texts beside the plots say
        self._laid_for: Prepared | None = None

    def take(self, look: str) -> None:
        """Make those of a kind of search."""
        self._look, self._made = look, {}
        self.figures = SearchFigures(LOOKS[look], self._rewind.move_to)

    def use(self, axis: str, dark: bool, large: bool) -> None:
        """Draw them against this axis, in this look."""
        self._axis = axis
        self.figures.use_axis(axis)
        self.figures.use_dark(dark)
        self.figures.use_size(large)

    def begin_anew(self) -> None:
        """Let all of the run be new."""
        self._mark = Mark()

    def new(self) -> tuple[Sequence[Snapshot], bool, Snapshot]:
        """What the session has that is not shown yet."""
        session = self._session()
        snapshots, self._mark, whole = session.history.since(self._mark)
        assert session.snapshot is not None
        return snapshots, whole, session.snapshot

    def so_far(self) -> Sequence[Snapshot]:
        """The history until the moment that is shown."""
        snapshots, _, _ = self._session().history.since(Mark())
        return snapshots if self._rewind.at is None else snapshots[: self._rewind.at + 1]

    def look_back(self) -> Snapshot:
        """Draw the moment that is shown, and give it."""
        snapshots = self.so_far()
        self.figures.look_back(snapshots)
        self.texts_wait = True
        return snapshots[-1]

    def extend(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot, prepared: Prepared) -> None:
        """Draw further moments."""
        if prepared is not self._laid_for:
            self.lay_beneath()
        self.figures.extend(snapshots, whole, latest, prepared)
        self.texts_wait = True

    def show_texts(self) -> None:
        """The texts beside the plots, where they have changed."""
        self.texts_wait = False
        for box in self._made.values():
            box.refresh()

    def lay_beneath(self) -> None:
        """Draw the pale curves of the runs that are to be seen beneath the present one."""
        self._laid_for = self._session().prepared
        self.figures.lay_beneath(self._beneath)

    @property
    def _beneath(self) -> list[tuple[str, str, Columns]]:
        session = self._session()
        runs = self._runs.beneath(session.look, session.prepared)
        return [(str(run.number), run.name, run.curves) for run in runs]

    def picture(self, number: int) -> dict[str, Any]:
        """A plot of the run as a picture of its own."""
        look, prepared = LOOKS[self._look], self._session().prepared
        return slide(look, number, self._axis, self.so_far(), self._shown(), prepared, self._beneath)

    @property
    def panes(self) -> list[pn.pane.Bokeh]:
        """Those that have been made."""
        return [box.pane for box in self._made.values()]

    def always(self) -> tuple[PlotBox, list[PlotBox]]:
        """Those that are seen always: that of objective and bound, and those under the best model."""
        first, *under = (self.box(number) for number, each in enumerate(LOOKS[self._look].plots) if not each.name)
        return first, under

    def by_name(self) -> dict[str, Callable[[], Sequence[Any]]]:
        """What makes the others, of which one at a time is seen, by their short names."""
        return {each.name: partial(self._items, k) for k, each in enumerate(LOOKS[self._look].plots) if each.name}

    def box(self, number: int) -> PlotBox:
        """That of one of the plots."""
        if number not in self._made:
            box = PlotBox(self.figures.plot(number), self._name_of_files, picture=partial(self.picture, number))
            box.refresh()
            self._made[number] = box
        return self._made[number]

    def _items(self, number: int) -> Sequence[Any]:
        return self.box(number).items
