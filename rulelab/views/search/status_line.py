"""What is said of a run: how it stands, not more often than one can read it, and how its data were prepared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..live.prepared import Prepared
from ..live.wording import Standing, count
from ..widgets.esc import esc
from ..widgets.live_text import LiveText
from ..widgets.style import STANDING_CSS

_WATCHED = ("objective", "lower bound", "gap", "search time")
"""Figures that stand beside what is proven; the others count how it was found."""
_EVERY = 4
"""Ticks between two changes of what is said while a search runs, so that readers, and screen readers, can follow."""


class StatusLine:
    """Says how a search stands; what changes its phase is said at once.

    Attributes
    ----------
    text, counts : LiveText
    due : bool
        Whether what changes all the time may change at this tick.
    """

    def __init__(self, css_classes: Sequence[str], **looks: Any) -> None:
        self._classes = list(css_classes)
        self.text = LiveText(css_classes=self._classes, stylesheets=[STANDING_CSS], **looks)
        self.counts = LiveText(role="group", caption="Counts", stylesheets=[STANDING_CSS], **looks)
        self._ticks = 0

    @property
    def due(self) -> bool:
        """Whether what changes all the time may change at this tick."""
        return self._ticks % _EVERY == 0

    def keep_room(self, long_claim: bool) -> None:
        """Leave place for what will be said, so that nothing moves when it is."""
        self.text.css_classes = [*self._classes, *(["rl-long"] if long_claim else [])]

    def show(self, now: Standing) -> None:
        """One tick more."""
        self._ticks += 1
        text, phase = self.text, now.phase.replace(" %", "\u00a0%")  # stays on one line
        changed = (now.tone, phase) != (text.tone, text.phase)
        changed |= now.figures[:1] != [tuple(pair) for pair in text.figures[:1]]
        if changed or now.tone != "busy" or self.due or not text.figures:
            figures = [list(pair) for pair in now.figures if pair[0] in _WATCHED]
            if changed or figures != text.figures:
                text.param.update(tone=now.tone, phase=phase, figures=figures)
            counts = [list(pair) for pair in now.figures if pair[0] not in _WATCHED]
            if counts != self.counts.figures:
                self.counts.figures = counts


MAX_LEFT_OUT = 500
"""Most entries of the list of what no condition was made of."""


def notes(prepared: Prepared | None) -> str:
    """HTML; empty before anything is known."""
    if prepared is None:
        return ""
    said = " · ".join(esc(note, 400) for note in prepared.notes)
    return (f'<p class="note">{said}</p>' if prepared.notes else "") + _left_out(prepared.left_out)


def _left_out(names: Sequence[str]) -> str:
    """All of it, to be unfolded."""
    if not names:
        return ""
    items = "".join(f"<li>{esc(what, 300)}</li>" for what in names[:MAX_LEFT_OUT])
    more = len(names) - MAX_LEFT_OUT
    items += f"<li>and {count(more)} more</li>" if more > 0 else ""
    said = f"{count(len(names))} not made into conditions: which, and why"
    return f'<details class="note"><summary>{said}</summary><ul>{items}</ul></details>'
