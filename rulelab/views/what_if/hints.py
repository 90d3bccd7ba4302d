"""The best single change of the model that is edited: looked for when it is asked for, said, and made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn

from ...what_if import Change
from ..live.job import Job
from ..widgets.esc import esc
from ..widgets.style import BUTTON_CSS, SMALL_CSS
from . import wording
from .hand import Hand
from .panels import pane

BUTTON: dict[str, Any] = {"stylesheets": [BUTTON_CSS, SMALL_CSS], "margin": 0, "height": 34}


class Hints:
    """Two buttons and a sentence.

    Parameters
    ----------
    ask, make : callable
        What the buttons do.

    Attributes
    ----------
    asked : int
        How often a change was asked for.
    ask, make : Button
    said : Html
    change : Change or None
        The one that was found last, where it makes the model better.
    """

    def __init__(self, ask: Callable[..., None], make: Callable[..., None]) -> None:
        self.asked = 0
        self.change: Change[Any] | None = None
        self.said = pane(css_classes=["rl-said"])
        self.ask = pn.widgets.Button(label="Best single change", on_click=ask, width=150, **BUTTON)
        self.make = pn.widgets.Button(label="Make this change", on_click=make, width=150, disabled=True, **BUTTON)
        self._looking: tuple[Hand, Any, Job] | None = None

    @property
    def busy(self) -> bool:
        """Whether a change is being looked for."""
        return self._looking is not None

    def forget(self) -> None:
        """The model is another one now."""
        self._offer(None, wording.HINT)

    def look(self, hand: Hand) -> None:
        """Try all single changes, in another thread."""
        edited, bench = hand.edited, hand.bench
        self.asked += 1
        self.said.object = '<p class="note">Trying all single changes …</p>'

        def tried(progress: Any) -> list[Change[Any]]:
            return bench.best_changes(edited, lambda: progress.report("trying all single changes"))

        self._looking = hand, edited, Job(tried)

    def refresh(self, hand: Hand | None) -> str | None:
        """Say what was found of the model in hand; an error, empty where there is none, and None: nothing is new.

        What was found of a model that is another one now is forgotten.
        """
        if self._looking is None or self._looking[-1].busy:
            return None
        (of, edited, job), self._looking = self._looking, None
        if hand is None or hand is not of or hand.edited != edited:
            self.forget()
            return None
        if job.result is None:
            self.forget()
            return job.error or "no change was found"
        best = job.result[0] if job.result else None
        better = best is not None and (best.objective < hand.objective or bool(hand.refusal))
        self._offer(best if better else None, f"<p>{esc(wording.hint(hand, best), 600)}</p>")
        return ""

    def close(self) -> None:
        """End what is under way."""
        if self._looking is not None:
            self._looking[-1].cancel()

    def _offer(self, change: Change[Any] | None, said: str) -> None:
        self.change, self.said.object, self.make.disabled = change, said, change is None
