"""All pinned cards as one HTML file that opens without a network: no script, no address, all text escaped."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from ... import __version__
from ..widgets.esc import esc
from ..widgets.style import MODEL_CSS, sheet
from . import charts, lines
from . import html as card_html
from .card import Card
from .differences import LETTERS, default_names, differences, incomparable
from .lines import Beside, Section
from .scores import Scores
from .together import together

_PAGE_CSS = sheet("report.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load for the file: nothing."""


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

    Parameters
    ----------
    cards : sequence of Card
    scores : sequence of Scores
        Of each card.
    verdicts : sequence of str
        Of each card: what its check said; empty where it was not checked.
    comparisons : sequence of str
        Tables of other methods, as `card_html.comparison` gives them.
    base : int, optional
        Which of the cards the others are compared with.
    only : bool
        Whether what is the same on all cards is left out.
    withstood : sequence of str
        Of each card: how many rows may change before another list wins; empty where nobody has asked.
    """
    beside = None if base is None else Beside(LETTERS[base], cards[base], scores[base])
    attributes = tuple(dict.fromkeys(name for own in scores for name in own.groups))
    shared = together(cards, scores, only)
    said, robust = (list(each) or [""] * len(cards) for each in (verdicts, withstood))
    names = [card.name or name for card, name in zip(cards, default_names(cards), strict=True)]
    articles = []
    for k, (card, own, marks) in enumerate(zip(cards, scores, differences(cards, only), strict=True)):
        against = None if k == base else beside
        parts = [
            Section(card_html.head(card, LETTERS[k], names[k])),
            Section(_verdict(said[k]) + _robustness(robust[k])),
            lines.rules(card, marks, shared),
            lines.figures_of(card, own, against, shared),
            Section(lines.by_class(card)),
            Section(lines.doubts(card, own)),
            Section(lines.fairness(card, own)),
            lines.groups(card, own, attributes, against),
            Section(charts.of_groups(own)),
            lines.facts(card, marks),
            Section(card_html.notes(card)),
            Section(_code(card)),
        ]
        body = "".join(
            f'<div class="{"part" if part.lines > 1 else ""}" style="grid-row: span {part.lines}">{part.html}</div>'
            for part in parts
        )
        span = sum(part.lines for part in parts)
        articles.append(f'<article class="card" style="grid-row: 1 / span {span}">{body}</article>')
    several = len(cards) > 1
    advice = f'<p class="note">{incomparable(cards)}</p>' if several else ""
    glance = charts.glance(LETTERS[: len(cards)], scores)
    others = f'<section class="methods-box">{"".join(comparisons)}</section>' if comparisons else ""
    made = f"made by rulelab {esc(__version__)} on {datetime.datetime.now(datetime.UTC).date().isoformat()}"
    css = _PAGE_CSS + MODEL_CSS.replace(":host", "body")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Model cards: {esc(', '.join(names))}</title><style>{css}</style></head>"
        f'<body><h1>Model cards</h1><p class="note">{made}</p>{advice}<section>{glance}</section>'
        f'<main class="cards">{"".join(articles)}</main>{lines.terms()}{others}</body></html>\n'
    )


def _verdict(text: str) -> str:
    return f'<p class="note">Independent check: {esc(text, 400)}</p>' if text else ""


def _robustness(text: str) -> str:
    return f'<p class="note">Robustness: {esc(text, 600)}.</p>' if text else ""


def _code(card: Card) -> str:
    lines = "\n".join(esc(line, 100_000) for line in card.code.splitlines())
    return f"<details><summary>Python that makes the model again</summary><pre>{lines}</pre></details>"
