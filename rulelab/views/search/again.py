"""What the search came to before the page was loaded again; the browser keeps it, and nothing in it is trusted."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import param

from ...models import MultiClassRuleList
from ..cards import html as card_html
from ..cards import lines, scores
from ..cards.card import BROWSER, Card
from ..cards.card_file import parse
from ..live.session import SearchSession
from ..live.state import State
from ..widgets.browser import Kept
from ..widgets.html import Html
from ..widgets.style import MODEL_CSS

MAX_CHARACTERS = 500_000
"""The pinned models have the larger part of what a browser keeps."""
_LOST = (
    "The search that was under way when the page was loaded again is lost. Run begins it again, with the settings that "
    "are in the form."
)
_FOUND = (
    "Found again: the search had ended before the page was loaded again. Run searches again, with the settings that "
    "are in the form."
)
_FOUND_OF_SEVERAL = (
    "Found again: the search had ended before the page was loaded again. The uploaded file is not kept: to search "
    "again, upload it, choose all classes, and Run."
)
_ENDED = "The search had ended before the page was loaded again; its model was not kept. Run searches again."


class Again:
    """Lets the end of a run survive that the page is loaded again, or says that it is lost."""

    def __init__(self) -> None:
        self.kept = Kept(key="rulelab-run", width=0, height=0, margin=0)  # to be shown somewhere on the page
        self.said = Html("", stylesheets=[MODEL_CSS], visible=False, sizing_mode="stretch_width", margin=(0, 0, 10, 0))
        self.kept.param.watch(self._found, "found")

    def follow(self, session: SearchSession, card: Card | None) -> None:
        """Keep how the session stands, where that has changed."""
        if session.state is State.IDLE:
            text = ""
        elif not session.state.over:
            text = json.dumps({"going": True})
        else:
            text = _written(card)
        self.said.visible = False
        self.kept.kept = text

    def _found(self, event: param.parameterized.Event) -> None:
        """The browser says what it kept: at once when the page is there, and never again."""
        if event.old is None and event.new and not self.kept.kept:
            self.said.param.update(object=_told(event.new), visible=True)


def _written(card: Card | None) -> str:
    """The end of a run as a text; without the model where that is too large."""
    entry = None if card is None else json.loads(card.to_json())
    text = json.dumps({"going": False, "model": entry}, ensure_ascii=False)
    return text if len(text) <= MAX_CHARACTERS else json.dumps({"going": False, "model": None})


def _told(text: str) -> str:
    """HTML of a text that may come from anywhere."""
    try:
        found: Any = json.loads(text) if len(text) <= 2 * MAX_CHARACTERS else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return _paragraph("The browser kept something else than a search; it is ignored.")
    if found.get("going") is True:
        return _paragraph(_LOST)
    try:
        card = replace(parse(json.dumps(found.get("model")).encode(), "the model of the last search"), origin=BROWSER)
    except ValueError:
        return _paragraph(_ENDED)
    figures = lines.figures_of(card, scores.of_counts(card))
    found_again = _FOUND_OF_SEVERAL if isinstance(card.model, MultiClassRuleList) else _FOUND
    return f"{_paragraph(found_again)}{card_html.head(card)}{card_html.rules(card)}{figures.html}"


def _paragraph(text: str) -> str:
    return f"<p><b>{text}</b></p>"
