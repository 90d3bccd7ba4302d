"""The buttons of a search: which of them would do something now, and what is to be known before they are pressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import panel as pn

from ..live.session import SearchSession
from ..live.state import State
from ..live.wording import NONE, Standing, standing
from ..widgets import icons
from ..widgets.esc import esc
from ..widgets.explained import term_classes
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, BUTTON_CSS, CARD_CSS

_NOTHING_YET = [(name, NONE) for name in ("objective", "lower bound", "gap")]
"""Figures that keep their place before there are any."""
_STALE = "The settings have changed: Run begins with the new ones."
_STALE_ALREADY = "The settings have changed: Reset, then Run, to use the new ones."
_STOPPED = "Stopped for good: Run begins anew, Step cannot go on."
_ENDED = "Ended: Run begins anew."
_RESUMABLE = "Run and Step go on from here."
_SHORT = 32
"""Characters of a hint that fit beside the buttons on a narrow page, in two lines."""
_WRONG = "Mend the field that is marked."  # which says why; one short line moves nothing
_BLOCKED = "Accept the sheet of the data, or cancel it, before a run."


def usable(session: SearchSession, stale: bool, blocked: bool = False, refusal: str = "") -> dict[str, bool]:
    """Which buttons would do something; nothing begins while the data are being chosen, or a field holds no value."""
    state = session.state
    begins = state is State.IDLE or (state.over and (stale or not session.resumable))
    return {
        "run": not state.busy and not blocked and not (refusal and begins),
        "pause": state.busy,
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
    """The bar above a search.

    Parameters
    ----------
    actions : mapping of str to callable
        What the buttons do: run, pause, step, stop, reset.
    further : sequence of viewable
        What stands beside them.

    Attributes
    ----------
    bar : Row
    buttons : dict of str to Button
    """

    def __init__(self, actions: Mapping[str, Callable[..., None]], further: Sequence[Any]) -> None:
        self.buttons = {
            name: pn.widgets.Button(
                label=name.capitalize(),
                icon=getattr(icons, name.upper()),
                on_click=action,
                stylesheets=[BUTTON_CSS],
                margin=0,
                height=38,
                width=92,
                align="end",
            )
            for name, action in actions.items()
        }
        self._hint = Html("", stylesheets=[CARD_CSS], margin=0, align="end", css_classes=["rl-hint"])
        self.bar = pn.Row(
            *self.buttons.values(),
            *further,
            self._hint,
            stylesheets=[BAR_CSS],
            css_classes=["rl-row", "rl-controls", *term_classes("controls")],
            margin=0,
            sizing_mode="stretch_width",
        )

    def hide(self, *further: str) -> None:
        """Put the buttons away, and of what stands beside them the select boxes of these names."""
        away: list[Any] = [*self.buttons.values(), self._hint]
        away += [item for item in self.bar if getattr(item, "label", "").lower() in further]
        for item in away:
            item.visible = False

    def show(self, session: SearchSession, stale: bool, blocked: bool = False, refusal: str = "") -> None:
        """Bring the buttons and the hint up to date."""
        primary = "pause" if session.state.busy else "run"
        for name, able in usable(session, stale, blocked, refusal).items():
            button, kind = self.buttons[name], "primary" if name == primary else "default"
            if (button.color, button.disabled) != (kind, not able):  # in one message: the browser draws it once
                button.param.update(color=kind, disabled=not able)
        text = hint(session, stale, blocked, refusal)
        html = f'<p class="note" role="note">{esc(text)}</p>' if text else ""
        if html != self._hint.object:
            short = ["rl-short"] if len(text) <= _SHORT else []
            self._hint.param.update(object=html, css_classes=["rl-hint", *short])
