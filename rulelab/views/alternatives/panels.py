"""What stands around the model that is edited: the best single change, files, and groups of people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...data.gaps import largest_difference
from ...data.metrics import rates_table
from ...what_if import Change
from ..cards import html as card_html
from ..live.job import Job
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.html import Html
from ..widgets.style import (
    BUTTON_CSS,
    CARD_CSS,
    MODEL_CSS,
    PANEL_CSS,
    SELECT_CSS,
    SMALL_CSS,
    STACK_CSS,
    sheet,
)
from . import wording
from .hand import Hand

ANY = ""
WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
SPACED: dict[str, Any] = {"stylesheets": [STACK_CSS, ":host { gap: 10px; align-content: start; }"], **WIDE}
"""Of boxes below each other."""
BUTTON: dict[str, Any] = {"stylesheets": [BUTTON_CSS, SMALL_CSS], "margin": 0, "height": 34}


def pane(*sheets: str, **more: Any) -> Html:
    """A pane of words."""
    return Html("", stylesheets=[*(sheets or (CARD_CSS,)), sheet("what_if_words.css"), WORD_CSS], **{**WIDE, **more})


def panel(heading: str, term: str, *items: Any, **more: Any) -> pn.Column:
    """A box with a heading that can be asked about."""
    head = Html(f"<h2>{word(heading, term)}</h2>", stylesheets=[CARD_CSS, WORD_CSS], **WIDE)
    return pn.Column(head, *items, stylesheets=[PANEL_CSS], **{**WIDE, **more})


class Hints:
    """Two buttons and a sentence; `ask`, `make`: what the buttons do."""

    def __init__(self, ask: Callable[..., None], make: Callable[..., None]) -> None:
        self.asked = 0  # how often a change was asked for
        self.change: Change[Any] | None = None  # the one that was found last, where it makes the model better
        self.said = pane(css_classes=["rl-said"])
        self.ask = pn.widgets.Button(label="Best single change", on_click=ask, width=150, **BUTTON)
        self.make = pn.widgets.Button(label="Make this change", on_click=make, width=150, visible=False, **BUTTON)
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
        doing = "trying all single changes"
        job = Job(lambda progress: bench.best_changes(edited, lambda: progress.report(doing)))
        self._looking = hand, edited, job

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
        self.change, self.said.object, self.make.visible = change, said, change is not None


class GroupsPanel(Viewer):
    """What the list does to groups of people."""

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")
    chosen_here = param.Boolean(default=True, doc="Whether the attribute is chosen here, not beside.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        # the largest difference of true positive rates, but for groups of few rows; None without groups
        self.gap: float | None = None
        self._hand: Hand | None = None
        self._choice = pn.widgets.Select.from_param(self.param.attribute, width=200, stylesheets=[SELECT_CSS], margin=0)
        self._rates = pane(MODEL_CSS)
        self._layout = panel("Groups", "group rates", self._choice, self._rates, visible=False)

    def __panel__(self) -> Any:
        return self._layout

    def begin(self, hand: Hand) -> None:
        """Offer the attributes of other data."""
        self._hand = None
        options = {"(none)": ANY, **{plain(name, 60): name for name in hand.prepared.attributes}}
        self.param["attribute"].objects = options
        self._choice.options = options
        if self.attribute not in options.values():
            self.attribute = ANY
        self._choice.visible = self.chosen_here

    def follow(self, hand: Hand) -> None:
        """Count the rates of the list."""
        self._hand = hand
        self._count()

    @param.depends("attribute", watch=True)
    def _count(self) -> None:
        self.gap, text = None, ""
        self._layout.visible = len(self.param["attribute"].objects) > 1 and (self.chosen_here or bool(self.attribute))
        if self._hand is not None and self.attribute:
            rates = rates_table(self._hand.groups(self.attribute))
            largest = largest_difference(rates, "true_positive_rate")
            self.gap = None if largest is None else largest.value
            text = (
                f"{card_html.group_table(self.attribute, rates)}"
                '<p class="note">Training rows, in %, with 95&nbsp;% intervals.</p>'
            )
        if self._rates.object != text:
            self._rates.object = text
