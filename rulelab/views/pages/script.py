"""The script of ten minutes before an audience as a remote: a bar with what to say, whose arrow presses the buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import param
from panel.custom import JSComponent

from ...assets import asset
from ..front import EXAMPLES
from ..learn.view import MINUTES
from ..live.state import State
from ..live.ticker import Beat
from ..search.controls import SPEEDS
from ..widgets.style import sheet

Wait = Callable[[], bool]
_STEPS = 15  # enough for a better list to be found while one looks
_FASTER = list(SPEEDS)[4]
_THIRD = 0.3


def _kept(tabs: Any, regularization: float) -> Iterator[Wait]:
    search = _search(tabs)
    search.begin(**EXAMPLES["compas"] | {"regularization": regularization, "test_share": _THIRD})
    yield lambda: not search.view.session.state.busy and search.view.status.over
    search.view.pin()


def _steps(tabs: Any) -> Iterator[Wait]:
    search = _search(tabs)
    search.begin(**EXAMPLES["proof"])
    search.presenter.on_stage = True

    def enough() -> bool:
        last, state = search.view.snapshot, search.view.session.state
        return not state.busy or (state is State.RUNNING and last is not None and last.counts["expanded"] >= _STEPS)

    yield enough
    search.view.pause()


def _to_the_end(tabs: Any) -> Iterator[Wait]:
    search = _search(tabs)
    search.presenter.on_stage, view = True, search.view
    view.speed = _FASTER
    if not view.session.state.over:
        view.run()
    yield lambda: not view.session.state.busy and view.status.over
    view.rewind.press()
    yield lambda: view.moment is None


def _checked(tabs: Any) -> Iterator[Wait]:
    check = _search(tabs).view.certificate.check
    check.press()
    yield lambda: not check.busy


def _fair(tabs: Any) -> Iterator[Wait]:
    tabs.tab = "Learn"
    learn = tabs.made("Learn").view
    learn.walk = ""
    learn.param.update(walk="what fairness costs", step=1)
    walk = learn.opened
    for step, tolerance in ((1, ""), (2, "0.1")):
        walk.step = step
        if tolerance:
            walk.choose(tolerance)
        walk.view.run()
        yield lambda: not walk.view.session.state.busy and walk.view.status.over


def _cut(tabs: Any) -> Iterable[Wait]:
    _search(tabs).view.part("prefixes cut, by bound")
    return ()


def _side_by_side(tabs: Any) -> Iterator[Wait]:
    tabs.tab = "Compare"
    fronts = tabs.made("Compare").fronts.view
    yield lambda: not fronts.sweeping


def _search(tabs: Any) -> Any:
    """The tab Search, with its settings."""
    tabs.tab = "Search"
    search = tabs.made("Search")
    search.presenter.on_stage = False
    return search


_DOES: tuple[tuple[Callable[[Any], Iterable[Wait]], str], ...] = (
    (lambda tabs: _kept(tabs, EXAMPLES["compas"]["regularization"]), "rl-certificate"),
    (_steps, "rl-gap"),
    (_cut, "rl-why"),
    (_to_the_end, "rl-gap"),
    (_checked, "rl-certificate"),
    (lambda tabs: _kept(tabs, 0.005), "rl-certificate"),
    (_fair, "rl-guide"),
    (_side_by_side, "rl-pinned"),
)
"""What each card does, in the order of `MINUTES`, and the CSS class of what it speaks of."""
_WHERE = (*("Search",) * (len(_DOES) - 2), "Learn", "Compare")
"""The tab in which each has been done."""


class Remote(JSComponent):
    """A bar at the foot of the page, whatever is open above it; there is none while no card is shown."""

    at = param.Integer(default=0, bounds=(0, len(MINUTES)), doc="The card that is shown, from 1; 0: none.")
    of = param.Integer(default=len(MINUTES), doc="How many there are.")
    busy = param.Boolean(default=False, doc="Whether the page still does what the card says.")
    card = param.Dict(default={}, doc="Its time, what is said, and what the next one does.")
    sight = param.String(default="", doc="The CSS class of what it speaks of.")
    looks = param.Integer(default=0, doc="How often that was brought into sight.")

    _esm = asset("find.js", "remote.js")
    _stylesheets = [sheet("remote.css")]

    def __init__(self, tabs: Any, **params: Any) -> None:
        super().__init__(**params)
        self._tabs, self._done = tabs, 0
        self._acts: Iterator[Wait] = iter(())
        self._wait: Wait | None = None
        self._beat = Beat(self._go_on)

    def begin(self, *_: Any) -> None:
        """Show the first card, and do what it says."""
        self._done = self.at = 0
        self.move(1)

    def move(self, by: int) -> None:
        """Show the card before, or the next one, which is done unless it was done before."""
        at = self.at + by
        if not 1 <= at <= self.of or (by > 0 and self.busy):
            return
        time, _, say = MINUTES[at - 1]
        following = MINUTES[at][1] if at < self.of else ""
        undone = at > self._done
        self.busy = undone  # before the card is shown: the browser takes each change by itself
        does, sight = _DOES[at - 1]
        self.param.update(at=at, sight=sight, card={"time": time, "said": say, "following": following})
        if undone:
            self._done = at
            self._acts, self._wait = iter(does(self._tabs)), None
            if self._go_on():
                self._beat.start()
        else:
            self._tabs.tab = _WHERE[at - 1]
        self.looks += 1

    def leave(self) -> None:
        """Take the bar away; what runs goes on."""
        self._beat.stop()
        self._acts = iter(())
        self.param.update(at=0, busy=False)

    def _go_on(self) -> bool:
        """Do what is next as soon as what was begun has come to its end; whether there is more to wait for."""
        if self._wait is None or self._wait():
            self._wait = None
            try:
                self._wait = next(self._acts, None)
            except ValueError as error:
                self._tabs.complain(str(error))
            self.busy = self._wait is not None
            self.looks += not self.busy  # once more: what stands above it may have grown
        return self.busy

    def _handle_msg(self, data: Any) -> None:
        acts = {"on": lambda: self.move(1), "back": lambda: self.move(-1), "leave": self.leave}
        with suppress(KeyError, TypeError):
            acts[data]()
