"""What stands around the model that is edited: the best single change, files, and groups of people."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param

from ...data.gaps import largest_difference
from ...data.metrics import rates_table
from ...what_if import Change
from ..cards import html as card_html
from ..live.job import Job
from ..live.ticker import Work
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE, LayoutViewer, button, select
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, MODEL_CSS, PANEL_CSS, STACK_CSS, sheet
from . import wording
from .hand import Hand

ANY = ""
SPACED: dict[str, Any] = {"stylesheets": [STACK_CSS, ":host { gap: 10px; align-content: start; }"], **WIDE}
"""Of boxes below each other."""


def pane(*sheets: str, **more: Any) -> Html:
    """A pane of words."""
    return Html("", stylesheets=[*(sheets or (CARD_CSS,)), sheet("what_if_words.css"), WORD_CSS], **{**WIDE, **more})


def panel(heading: str, term: str, *items: Any, **more: Any) -> pn.Column:
    """A box with a heading that can be asked about."""
    head = Html(f"<h2>{word(heading, term)}</h2>", stylesheets=[CARD_CSS, WORD_CSS], **WIDE)
    return pn.Column(head, *items, stylesheets=[PANEL_CSS], **{**WIDE, **more})


class Hints:
    """Two buttons and a sentence; `ask`, `make`: what the buttons do.

    `take` takes a model in hand, as it was when a change was asked for, and the job that looked for one.
    """

    def __init__(
        self, ask: Callable[..., None], make: Callable[..., None], take: Callable[[Hand, Any, Job], None]
    ) -> None:
        self.asked = 0  # how often a change was asked for
        self.change: Change[Any] | None = None  # the one that was found last, where it makes the model better
        self.said = pane(css_classes=["rl-said"])
        self.ask = button("Best single change", ask, 150)
        self.make = button("Make this change", make, 150, visible=False)
        self.work, self._take = Work(), take

    def forget(self) -> None:
        """The model is another one now."""
        self._offer(None, wording.HINT)

    def look(self, hand: Hand) -> None:
        """Try all single changes, in another thread."""
        edited, bench = hand.edited, hand.bench
        self.asked += 1
        self.said.object = '<p class="note">Trying all single changes …</p>'
        doing = "trying all single changes"
        self.work.begin(
            lambda progress: bench.best_changes(edited, lambda: progress.report(doing)),
            partial(self._take, hand, edited),
        )

    def offer(self, hand: Hand, changes: list[Change[Any]]) -> None:
        """Say what was found of the model in hand: the best change, where there is one, comes first."""
        best = changes[0] if changes else None
        better = best is not None and (best.objective < hand.objective or bool(hand.refusal))
        self._offer(best if better else None, f"<p>{esc(wording.hint(hand, best), 600)}</p>")

    def _offer(self, change: Change[Any] | None, said: str) -> None:
        self.change, self.said.object, self.make.visible = change, said, change is not None


class GroupsPanel(LayoutViewer):
    """What the list does to groups of people."""

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")
    chosen_here = param.Boolean(default=True, doc="Whether the attribute is chosen here, not beside.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        # the largest difference of true positive rates, but for groups of few rows; None without groups
        self.gap: float | None = None
        self._hand: Hand | None = None
        self._choice = select(self.param.attribute, 200)
        self._rates = pane(MODEL_CSS)
        self._layout = panel("Groups", "group rates", self._choice, self._rates, visible=False)

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
        self._rates.object = text
