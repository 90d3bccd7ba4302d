"""All pinned cards as one HTML file that opens without a network: no script, no address, all text escaped."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ... import __version__
from ..widgets.style import MODEL_CSS, sheet
from . import html as card_html
from . import lines
from .card import Card
from .differences import incomparable
from .lines import Section
from .scores import Scores
from .templates import filled, today

_PAGE_CSS = sheet("report.css")


def report(
    cards: Sequence[Card],
    scores: Sequence[Scores],
    verdicts: Sequence[str] = (),
    comparisons: Sequence[str] = (),
    base: int | None = None,
    only: bool = False,
    withstood: Sequence[str] = (),
) -> str:
    """The file.

    `scores`: of each card. `verdicts`: of each card: what its check said; empty where it was not checked.
    `comparisons`: tables of other methods, as `card_html.comparison` gives them. `base`: which of the cards the others
    are compared with. `only`: whether what is the same on all cards is left out. `withstood`: of each card: how many
    rows may change before another list wins; empty where nobody has asked.
    """
    said, robust = (list(each) or [""] * len(cards) for each in (verdicts, withstood))
    places = lines.places(cards, scores, base, only)
    names = [card.name or place.name for card, place in zip(cards, places, strict=True)]
    articles = []
    for k, (card, own, place) in enumerate(zip(cards, scores, places, strict=True)):
        notes = [f"Independent check: {said[k]}" if said[k] else "", f"Robustness: {robust[k]}." if robust[k] else ""]
        head, checks = card_html.head(card, place.letter, names[k]), filled("notes.html", notes=notes)
        below = card_html.notes(card), filled("code.html", lines=card.code.splitlines())
        parts = lines.sections(card, own, place).values()
        articles.append([Section(head), Section(checks), *parts, *map(Section, below)])
    return filled(
        "report.html",
        names=names,
        css=Markup(_PAGE_CSS + MODEL_CSS.replace(":host", "body")),
        version=__version__,
        date=today(),
        advice=incomparable(cards) if len(cards) > 1 else "",
        articles=articles,
        terms=Markup(lines.terms()),
        others=Markup("".join(comparisons)),
    )
