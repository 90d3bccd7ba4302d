"""Whose search it is: whether somebody looks at it, and sessions of one that exists already, as in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import panel as pn

from ...search import Search
from ..live.prepared import Prepared
from ..live.recipe import without_fairness
from ..live.session import SearchSession
from .families import look_of

if TYPE_CHECKING:
    from bokeh.server.contexts import BokehSessionContext


class Presence:
    """The browser's connection to a page; in a notebook there is none, and somebody is there always.

    `session` gives the present run. `resend` sends again what may have been lost.
    """

    def __init__(self, session: Callable[[], SearchSession], resend: Callable[[], None]) -> None:
        context = None if pn.state.curdoc is None else pn.state.curdoc.session_context
        self._context = cast("BokehSessionContext | None", context)
        self._session, self._resend = session, resend
        self._connected, self._left_running = True, False
        self._met = False  # whether a browser has come: the first one is sent everything as it is

    @property
    def served(self) -> bool:
        """Whether a page is shown by a server."""
        return self._context is not None

    def mind(self) -> None:
        """Pause what nobody sees, or go on with it."""
        context: Any = self._context
        if context is None:
            return
        connected = context.session is None or context.session.connection_count > 0
        if self._connected and not connected and self._session().state.busy:
            self._left_running = True
            self._session().pause()
        elif connected and not self._connected:
            if self._met:
                self._resend()
            if self._left_running:
                self._session().run()
            self._left_running = False
        self._met |= connected and context.session is not None
        self._connected = connected


class Repeated:
    """Sessions of one search: the first runs the search itself, the later ones run it from the beginning."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._used = False

    def __call__(self) -> SearchSession:
        return SearchSession(self._prepare, look=look_of(self._search))

    def _prepare(self, report: Callable[[str], None]) -> Prepared:
        report("starting")
        search = self._search
        if self._used:
            search = type(search)(search.problem, **search.parameters)
        self._used = True
        return Prepared(search, unconstrained=without_fairness(search, report))
