"""A search to watch and to steer: the same view in a notebook and in the dashboard."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ..search import Search
from . import icons
from .cards import rule_list_card
from .esc import plain
from .figures import SearchFigures
from .frames import Mark
from .live import LiveText
from .session import TICK_SECONDS, SearchSession, Source, State
from .style import BAR_CSS, CARD_CSS, PANEL_CSS, VIEW_CSS
from .words import standing

SPEEDS: dict[str, int | None] = {
    "1 expansion per tick": 1,
    "10 per tick": 10,
    "100 per tick": 100,
    "1000 per tick": 1000,
    "full speed": None,
}
_STATUS_EVERY = 4
"""Ticks between two changes of the status line while a search runs, so that screen readers can follow."""


class SearchView(Viewer):
    """A search with its controls, status line, live plots and the best rule list so far.

    Parameters
    ----------
    search : Search, optional
        The search to show. Reset makes it anew from its problem and parameters.
    source : callable, optional
        Instead of a search: called at the start of each run, in the worker, it makes one; see `session.Source`.
    speed : str
        One of `SPEEDS`.
    axis : str
        ``"time"`` or ``"work"``.
    labels : tuple, optional
        What to call the negative and the positive class.
    target : str
        What is predicted.

    Examples
    --------
    In a notebook, after ``pn.extension()``::

        rl.views.SearchView(rl.RuleListSearch(problem, regularization=0.01))
    """

    speed = param.Selector(default="full speed", objects=list(SPEEDS), doc="Units of work per tick of 250 ms.")
    axis = param.Selector(default="time", objects=["time", "work"], doc="Horizontal axis of the first two plots.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    labels = param.Tuple(default=None, length=2, allow_None=True, doc="Names of the negative and the positive class.")
    target = param.String(default="", doc="What is predicted.")

    def __init__(
        self,
        search: Search | None = None,
        *,
        new_session: Callable[[], SearchSession] | None = None,
        **params: Any,
    ) -> None:
        if (search is None) == (new_session is None):
            raise ValueError("give either a search or new_session")
        super().__init__(**params)
        self._new_session = new_session or _Repeated(search)
        self._session = self._new_session()
        self._mark, self._ticks, self._card_of = Mark(), 0, object()
        self._unwatched = False
        self._beat: Any = None
        self._plots = SearchFigures()
        self._plots.use_axis(self.axis)
        self._plots.use_dark(self.dark)
        self._build()
        self._served = pn.state.curdoc is not None and pn.state.curdoc.session_context is not None
        if self._served:
            self._start_beat()
            pn.state.on_session_destroyed(self._destroyed)
        self._show_standing()

    @property
    def session(self) -> SearchSession:
        """The present run."""
        return self._session

    def __panel__(self) -> Any:
        return self._layout

    def run(self, *_: Any) -> None:
        """Start, go on after a pause or a limit, or begin anew after the end."""
        if self._session.state.over and not self._session.resumable:
            self.reset()
        self._session.pace = SPEEDS[self.speed]
        self._session.run()
        self._start_beat()

    def step(self, *_: Any) -> None:
        """One unit of work."""
        self._session.step()
        self._start_beat()

    def pause(self, *_: Any) -> None:
        self._session.pause()

    def stop(self, *_: Any) -> None:
        self._session.stop()
        self._start_beat()

    def reset(self, *_: Any) -> None:
        """Forget the run; the next one starts from the beginning, with the present settings."""
        self._session.close()
        self._session = self._new_session()
        self._mark, self._card_of = Mark(), object()
        self._plots.clear()
        self.refresh()

    def fail(self, message: str) -> None:
        """Show an error that is not the session's own; an empty text takes it away."""
        self._alert.phase = plain(message, 600)

    def close(self) -> None:
        """End the worker and the updates."""
        self._session.close()
        self._stop_beat()

    def refresh(self) -> None:
        """Bring everything on the page up to date with the session."""
        session = self._session
        with pn.io.hold():
            self._show_standing()
            latest = session.snapshot
            if latest is not None:
                self._show(session, latest)
        if not self._served:
            pn.io.push_notebook(*self._plot_panes)

    def tick(self) -> None:
        """One beat: pause when nobody is connected, show what is new."""
        if self._served:
            self._mind_connection()
        state = self._session.state
        self.refresh()
        if not self._served and not state.busy and self._session.state is state:
            self._stop_beat()
