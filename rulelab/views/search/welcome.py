"""What stands beside the empty plots before the first run: what this is, and searches to begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import panel as pn

from ... import datasets
from ..widgets.html import Html
from ..widgets.style import BUTTON_CSS, CARD_CSS

_SAYS = (
    "<p>rulelab finds the rules that no other rules beat, and proves it while you watch. Press <b>Run</b> for the "
    "settings that are chosen, or begin with:</p>"
)
_OWN = '<p class="note"><b>Your own CSV</b>: upload it, choose what to predict, press Run.</p>'


@dataclass(frozen=True)
class Example:
    """A search to begin with.

    Attributes
    ----------
    title, text : str
        What it is called, and what there is to see.
    data : str
        Name of the data set.
    speed : str
        One of `rulelab.views.search.view.SPEEDS`.
    settings : mapping of str to value
        Of the form, besides family and data.
    by_step : bool
        Whether it begins with a single step.
    """

    title: str
    text: str
    data: str
    speed: str = "speeding up"
    settings: dict[str, Any] = field(default_factory=dict)
    by_step: bool = False


EXAMPLES = (
    Example(
        "COMPAS in seconds",
        "Who is arrested again within two years? A proven list of 7214 people, race left out.",
        "compas",
        settings={"regularization": 0.01},
    ),
    Example(
        "Tic-tac-toe, step by step",
        "Has x won? Each press of Step opens one more prefix, and soon a better list is found.",
        "tic_tac_toe",
        settings={"regularization": 0.01, "max_conditions": 1, "beam_width": 0},
        by_step=True,
    ),
    Example(
        "Breast cancer in a second",
        "Is a tumour malignant? Few rules, soon proven.",
        "breast_cancer",
        settings={"regularization": 0.02},
    ),
    Example(
        "Diabetes, step by step",
        "Does the disease progress fast? Each press of Step opens one more prefix.",
        "diabetes",
        settings={"regularization": 0.01, "thresholds": 3, "max_conditions": 1, "beam_width": 0},
        by_step=True,
    ),
)
_SHOWN = 2


def examples() -> tuple[Example, ...]:
    """The first ones whose data are at hand: nothing is downloaded for them."""
    at_hand = {name for name, how in datasets.names().items() if how != "download"}
    return tuple(example for example in EXAMPLES if example.data in at_hand)[:_SHOWN]


def welcome(begin: Callable[[Example], None]) -> pn.Column:
    """A sentence, a button for each example that sets the form and begins, and how to use a file of one's own."""
    wide: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
    items: list[Any] = [Html(_SAYS, stylesheets=[CARD_CSS], **wide)]
    for example in examples():
        button = pn.widgets.Button(
            label=example.title,
            on_click=lambda _, example=example: begin(example),
            stylesheets=[BUTTON_CSS],
            height=34,
            sizing_mode="stretch_width",
            margin=(6, 0, 0, 0),
        )
        items += [button, Html(f'<p class="note">{example.text}</p>', stylesheets=[CARD_CSS], **wide)]
    return pn.Column(*items, Html(_OWN, stylesheets=[CARD_CSS], **wide), **wide)
