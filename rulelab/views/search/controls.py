"""What steers a search: its buttons, its speeds, and the line in the plots over time with which one looks back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset, texts
from ..live.session import SearchSession
from ..live.state import FULL_SPEED, Pace, State
from ..widgets import icons
from ..widgets.esc import esc
from ..widgets.fields import row
from ..widgets.html import Html, Press
from ..widgets.style import BAR_CSS, CARD_CSS, CONTROLS_CSS, LARGE_PRESS_CSS, sheet

_SAID = texts("run and step")
NO_GROUPS, NOT_EDITED, OPENING = (_SAID[each] for each in ("no groups", "not edited", "opening"))


def offered(session: SearchSession, stale: bool, blocked: bool, refusal: str) -> tuple[dict[str, bool], str]:
    """Which buttons would do something, and what Run and Step would do, where that is not plain, or why nothing."""
    state = session.state
    new = state is State.IDLE or refusal == OPENING
    begins = new or (state.over and (stale or not session.resumable))
    able = {
        "run": state.busy or not (blocked or (refusal and begins)),
        "step": (not state.over or session.resumable) and not blocked and not (refusal and new),
        "stop": state.busy or state is State.PAUSED,
        "reset": state is not State.IDLE,
    }
    said = ""
    if not able["run"] or blocked:
        # where groups are lacking no field is marked
        said = _SAID["blocked"] if blocked else refusal if refusal in (NO_GROUPS, OPENING) else _SAID["wrong"]
    elif stale and state is not State.IDLE:
        said = _SAID["stale"] if state.over else _SAID["stale already"]
    elif state.over:
        said = _SAID["resumable" if session.resumable else "stopped" if state is State.STOPPED else "ended"]
    return able, said


class Controls:
    """The head of a search: what is asked, and the buttons; those that are seldom pressed stand behind "More"."""

    def __init__(
        self,
        actions: Mapping[str, Callable[..., None]],  # of run, which also holds what runs, step, stop and reset
        further: Sequence[Any],  # what else stands behind "More"
        question: Any | None = None,
    ) -> None:
        self.buttons = {name: _button(name.capitalize(), name, self._closing(act)) for name, act in actions.items()}
        for each in further:
            each.param.watch(self._close, "value")
        *usual, stop, reset = self.buttons.values()
        self._further = list(further)
        # what stands behind "More"
        self.menu = pn.Column(
            stop, reset, *further, visible=False, margin=0, css_classes=["rl-menu"], stylesheets=[CONTROLS_CSS]
        )
        self._more = _button("More", "more", self._turn)
        self.menu.link(self._more, visible="unfolded")
        self.hint = Html("", stylesheets=[CARD_CSS, CONTROLS_CSS], margin=0, css_classes=["rl-hint"])
        buttons = pn.Row(*usual, self._more, stylesheets=[BAR_CSS], margin=0)
        side = pn.Column(buttons, self.hint, self.menu, css_classes=["rl-side"], margin=0, stylesheets=[CONTROLS_CSS])
        parts = [side] if question is None else [side, question]
        self.bar = row(*parts, sheets=[CONTROLS_CSS], classes="rl-row rl-controls")

    def _turn(self, *_: Any) -> None:
        self.menu.visible = not self.menu.visible

    def _closing(self, action: Callable[..., None]) -> Callable[[], None]:
        """The action of a button, which closes the menu."""

        def act() -> None:
            action()
            self._close()

        return act

    def _close(self, *_: Any) -> None:
        self.menu.visible = not self.menu.css_classes  # where there are no buttons it stays

    def present(self, on: bool) -> None:
        """Leave Run and Step alone, or show all there is."""
        self._more.visible = self.hint.visible = not on
        self.menu.visible = False

    def hide(self, *further: str) -> None:
        """Put the buttons away, and of what stands behind "More" the select boxes of these names; the rest is seen."""
        away: list[Any] = [*self.buttons.values(), self._more, self.hint]
        away += [item for item in self._further if getattr(item, "label", "").lower() in further]
        for item in away:
            item.visible = False
        self._more.able = False
        self.menu.param.update(visible=True, css_classes=[])

    def show(self, session: SearchSession, stale: bool, blocked: bool, refusal: str) -> None:
        """Bring the buttons and the hint up to date."""
        goes_on = session.goes_on
        can, said = offered(session, stale, blocked, refusal)
        for name, able in can.items():
            self.buttons[name].able = able
        run, label = self.buttons["run"], "Pause" if goes_on else "Run"
        if run.label != label:  # in one message: the browser draws it once
            run.param.update(label=label, icon=icons.PAUSE if goes_on else icons.RUN)
        self.hint.object = f'<p class="note" role="note">{esc(said)}</p>' if said else ""


def _button(label: str, icon: str, action: Callable[..., None]) -> Press:
    look: dict[str, Any] = {"icon": getattr(icons, icon.upper()), "primary": icon == "run"}
    return Press(action, label=label, stylesheets=[LARGE_PRESS_CSS], margin=0, height=38, width=92, **look)


SPEEDS = {
    "1 step per tick": Pace(1),
    **{f"{steps} per tick": Pace(steps) for steps in (10, 100, 1000)},
    "speeding up": Pace(16, growth=5),
    "full speed": FULL_SPEED,
}
_REPLAYED = 32  # beats of the page that a run is played in, about


class Rewind(JSComponent):
    """The moments of a run, from the first to the present one, along the axis of the plots."""

    moment = param.Integer(None, allow_None=True, bounds=(0, None), doc="The one that is shown; None: the present one.")
    able = param.Boolean(default=False, doc="Whether there is anything to look back at.")
    playing = param.Boolean(default=False, doc="Whether the moments go by.")
    moments = param.Integer(default=0, doc="How many there are.")
    at = param.Integer(default=0, doc="Which one is shown, from 0.")
    place = param.Number(default=1.0, doc="Where that is on the axis, from 0 to 1.")

    _esm = asset("dom.js", "moments.js")
    _stylesheets = [sheet("moments.css")]

    def __init__(
        self,
        start_beat: Callable[[], None],  # sees to it that `tick` is called while the run is played
        # gives where the moments are on the axis of the plots, and its two ends
        places: Callable[[], tuple[Sequence[float], float, float]],
    ) -> None:
        super().__init__(css_classes=["rl-moments"], sizing_mode="stretch_width", margin=0)
        self._start_beat, self._places, self._beats = start_beat, places, 0

    def offer(self, moments: int, busy: bool) -> None:
        """Let the user look at so many moments; while the run goes on, or once it has gone on, at the present only."""
        if busy or moments != self.moments:
            self.param.update(moment=None, playing=False)
        self.param.update(able=not busy and moments > 1, moments=moments)

    def tick(self) -> None:
        """Go on to the next moment, while the run is played."""
        self._beats += 1
        if self.playing and self._beats % max(1, _REPLAYED // self.moments) == 0:
            self._go((self.moments if self.moment is None else self.moment) + math.ceil(self.moments / _REPLAYED))
            self.playing = self.moment is not None

    def move(self, by: int) -> None:
        """Go so many moments on, or back."""
        if self.able:
            self.playing = False
            self._go((self.moments - 1 if self.moment is None else self.moment) + by)

    def press(self) -> None:
        """Play the run, or hold what is played."""
        if self.able:
            last = self.moments - 1 - math.ceil(self.moments / _REPLAYED)  # from there on nothing is left to play
            if not self.playing and (self.moment is None or self.moment >= last):
                self.moment = 0
            self._beats = 0
            self.playing = not self.playing

    def move_to(self, place: float) -> None:
        """Go to the moment that is the nearest to a place on the axis."""
        at, _, _ = self._places()
        if self.able and len(at) == self.moments:
            self.playing = False
            self._go(min(range(len(at)), key=lambda k: abs(at[k] - place)))

    def _go(self, at: int) -> None:
        self.moment = max(0, at) if at < self.moments - 1 else None

    def _handle_msg(self, data: Any) -> None:
        """From the browser: ``press`` the button, ``move`` by so many moments, or go to a ``place``."""
        wanted = data if isinstance(data, dict) else {}
        if wanted.get("press"):
            self.press()
        elif isinstance(wanted.get("move"), int):
            self.move(wanted["move"])
        elif isinstance(wanted.get("place"), int | float):
            _, start, end = self._places()
            self.move_to(start + wanted["place"] * (end - start))

    def follow(self) -> None:
        """Let the slider stand where the moment is on the axis."""
        places, start, end = self._places()
        at = max(0, self.moments - 1) if self.moment is None else self.moment
        place = (places[at] - start) / (end - start) if at < len(places) and end > start else 1.0
        self.param.update(at=at, place=place)

    @param.depends("playing", watch=True)
    def _play(self) -> None:
        if self.playing:
            self._start_beat()
