"""The buttons and speeds of a search: which of them would do something now, and what is to be known before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import panel as pn

from ..live.session import SearchSession
from ..live.state import FULL_SPEED, Pace, State
from ..live.wording import NONE, Standing, standing
from ..widgets import icons
from ..widgets.buttons import Press
from ..widgets.esc import esc
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS, CONTROLS_CSS, sheet

_NOTHING_YET = [(name, NONE) for name in ("objective", "lower bound", "gap")]
"""Figures that keep their place before there are any."""
_STALE = "The settings have changed: Run begins with the new ones."
_STALE_ALREADY = "The settings have changed: Reset, then Run, to use the new ones."
_STOPPED = "Stopped for good: Run begins anew, Step cannot go on."
_ENDED = "Ended: Run begins anew."
_RESUMABLE = "Run and Step go on from here."
_WRONG = "Mend the field that is marked."  # which says why; one short line moves nothing
_BLOCKED = "Accept the sheet of the data, or cancel it, before a run."


def usable(session: SearchSession, stale: bool, blocked: bool = False, refusal: str = "") -> dict[str, bool]:
    """Which buttons would do something; nothing begins while the data are being chosen, or a field holds no value."""
    state = session.state
    begins = state is State.IDLE or (state.over and (stale or not session.resumable))
    return {
        "run": state.busy or not (blocked or (refusal and begins)),
        "step": (not state.over or session.resumable) and not blocked and not (refusal and state is State.IDLE),
        "stop": state.busy or state is State.PAUSED,
        "reset": state is not State.IDLE,
    }


def hint(session: SearchSession, stale: bool, blocked: bool = False, refusal: str = "") -> str:
    """What Run and Step would do, where that is not plain, or why nothing; plain text."""
    state = session.state
    if blocked:
        return _BLOCKED
    if refusal and not usable(session, stale, blocked, refusal)["run"] and not state.busy:
        return _WRONG
    if state is State.IDLE:
        return ""
    if stale:
        return _STALE if state.over else _STALE_ALREADY
    if not state.over:
        return ""
    return _RESUMABLE if session.resumable else _STOPPED if state is State.STOPPED else _ENDED


def status_of(session: SearchSession, stale: bool) -> Standing:
    """How the session stands; a result that is not of the present settings is said to be one of earlier settings."""
    now = standing(session)
    if not now.figures:
        now = replace(now, figures=_NOTHING_YET)
    if not (stale and session.state.over):
        return now
    return replace(now, tone="earlier", phase=f"With the earlier settings: {now.phase}")


class Controls:
    """The head of a search: what is asked, and the buttons; those that are seldom pressed stand behind "More".

    `actions`: what the buttons do: run, which also holds what runs, step, stop, reset. `further`: what else stands
    behind "More". `question`: what is asked.
    """

    def __init__(
        self, actions: Mapping[str, Callable[..., None]], further: Sequence[Any], question: Any | None = None
    ) -> None:
        acts = {**actions, **{name: self._closing(actions[name]) for name in ("stop", "reset")}}
        self.buttons = {name: _button(name.capitalize(), name, act) for name, act in acts.items()}
        for each in further:
            each.param.watch(self._close, "value")
        *usual, stop, reset = self.buttons.values()
        self._further = list(further)
        # what stands behind "More"
        self.menu = pn.Column(
            stop, reset, *further, visible=False, margin=0, css_classes=["rl-menu"], stylesheets=[CONTROLS_CSS]
        )
        self._more = _button("More", "more", self._turn)
        self.hint = Html("", stylesheets=[CARD_CSS], margin=0, css_classes=["rl-hint"])
        buttons = pn.Row(*usual, self._more, stylesheets=[BAR_CSS], margin=0)
        self.bar = pn.Row(
            pn.Column(buttons, self.hint, self.menu, css_classes=["rl-side"], margin=0, stylesheets=[CONTROLS_CSS]),
            *([] if question is None else [question]),
            stylesheets=[CONTROLS_CSS],
            css_classes=["rl-row", "rl-controls"],
            margin=0,
            sizing_mode="stretch_width",
        )

    def _turn(self, *_: Any) -> None:
        self.menu.visible = not self.menu.visible

    def _closing(self, action: Callable[..., None]) -> Callable[[], None]:
        """The action of a button of the menu, which closes it."""

        def act() -> None:
            action()
            self._close()

        return act

    def _close(self, *_: Any) -> None:
        self.menu.visible = not self._more.visible  # where there are no buttons it stays

    def hide(self, *further: str) -> None:
        """Put the buttons away, and of what stands behind "More" the select boxes of these names; the rest is seen."""
        away: list[Any] = [*self.buttons.values(), self._more, self.hint]
        away += [item for item in self._further if getattr(item, "label", "").lower() in further]
        for item in away:
            item.visible = False
        self.menu.param.update(visible=True, css_classes=[])

    def show(self, session: SearchSession, stale: bool, blocked: bool = False, refusal: str = "") -> None:
        """Bring the buttons and the hint up to date."""
        goes_on = session.goes_on
        for name, able in usable(session, stale, blocked, refusal).items():
            self.buttons[name].able = able
        run, label = self.buttons["run"], "Pause" if goes_on else "Run"
        if run.label != label:  # in one message: the browser draws it once
            run.param.update(label=label, icon=icons.PAUSE if goes_on else icons.RUN)
        text = hint(session, stale, blocked, refusal)
        html = f'<p class="note" role="note">{esc(text)}</p>' if text else ""
        self.hint.object = html


def _button(label: str, icon: str, action: Callable[..., None]) -> Press:
    look: dict[str, Any] = {"icon": getattr(icons, icon.upper()), "primary": icon == "run"}
    return Press(action, label=label, stylesheets=[sheet("press_large.css")], margin=0, height=38, width=92, **look)


SPEEDS = {
    "1 step per tick": Pace(1),
    "10 per tick": Pace(10),
    "100 per tick": Pace(100),
    "1000 per tick": Pace(1000),
    "speeding up": Pace(16, growth=5),
    "full speed": FULL_SPEED,
}
