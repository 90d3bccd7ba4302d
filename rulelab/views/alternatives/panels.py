"""Boxes around the model that is edited, and what it does to groups of people."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from ...data.gaps import largest_difference
from ...data.metrics import rates_table
from ..cards import html as card_html
from ..widgets.esc import plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE, LayoutViewer, select
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, MODEL_CSS, PANEL_CSS, STACK_CSS, sheet
from .hand import Hand

ANY = ""
SPACED: dict[str, Any] = {"stylesheets": [STACK_CSS, ":host { gap: 10px; align-content: start; }"], **WIDE}
"""Of boxes below each other."""


def pane(*sheets: str, **more: Any) -> Html:
    return Html("", stylesheets=[*(sheets or (CARD_CSS,)), sheet("what_if_words.css"), WORD_CSS], **{**WIDE, **more})


def panel(heading: str, term: str, *items: Any, **more: Any) -> pn.Column:
    """A box with a heading that can be asked about."""
    head = Html(f"<h2>{word(heading, term)}</h2>", stylesheets=[CARD_CSS, WORD_CSS], **WIDE)
    return pn.Column(head, *items, stylesheets=[PANEL_CSS], **{**WIDE, **more})


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
