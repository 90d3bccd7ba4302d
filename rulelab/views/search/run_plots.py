"""The plots of a run until the moment that is shown, over the pale curves of runs before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...snapshot import Snapshot
from ..live.history import Mark
from ..live.prepared import Prepared
from ..live.session import SearchSession
from .boxes import PlotBoxes
from .families import LOOKS
from .figures import SearchFigures
from .plots.base import Columns
from .rewind import Rewind
from .runs.past import Runs
from .slide import slide


class RunPlots:
    """Draws what the present session has found, and each time only what is new.

    Parameters
    ----------
    session : callable
        Gives the present run.
    runs : Runs
    rewind : Rewind
        Says which moment is shown.
    shown : callable
        Gives the state of the run at that moment.
    name_of_files : callable

    Attributes
    ----------
    boxes : PlotBoxes
        Of the present kind of search.
    texts_wait : bool
        Whether more is drawn than the texts beside the plots say.
    """

    boxes: PlotBoxes

    def __init__(
        self,
        session: Callable[[], SearchSession],
        runs: Runs,
        rewind: Rewind,
        shown: Callable[[], Snapshot | None],
        name_of_files: Callable[[], str],
    ) -> None:
        self._session, self._runs, self._rewind = session, runs, rewind
        self._shown, self._name_of_files = shown, name_of_files
        self._look = ""
        self._axis = ""
        self._mark = Mark()
        self.texts_wait = False
        self._laid_for: Prepared | None = None

    @property
    def figures(self) -> SearchFigures:
        """The plots themselves."""
        return self.boxes.figures

    def take(self, look: str) -> None:
        """Make those of a kind of search."""
        self._look = look
        self.boxes = PlotBoxes(LOOKS[look], self._slide, self._name_of_files, self._rewind.move_to)

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
        self.boxes.refresh()

    def lay_beneath(self) -> None:
        """Draw the pale curves of the runs that are to be seen beneath the present one."""
        self._laid_for = self._session().prepared
        self.figures.lay_beneath(self._beneath)

    @property
    def _beneath(self) -> list[tuple[str, str, Columns]]:
        session = self._session()
        runs = self._runs.beneath(session.look, session.prepared)
        return [(str(run.number), run.name, run.curves) for run in runs]

    def _slide(self, number: int) -> dict[str, Any]:
        """A plot of the run as a picture of its own."""
        look, prepared = LOOKS[self._look], self._session().prepared
        return slide(look, number, self._axis, self.so_far(), self._shown(), prepared, self._beneath)
