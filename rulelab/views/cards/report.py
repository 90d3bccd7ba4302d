"""All pinned cards as one HTML file that opens without a network: no script, no address, all text escaped."""

from __future__ import annotations

from collections.abc import Sequence

from ..widgets.esc import esc
from . import html as card_html
from .card import Card
from .differences import LETTERS, differences
from .scores import Scores
from .style import MODEL_CSS

_PAGE_CSS = """
:root { color-scheme: light dark; --panel-on-surface-color: #1a1a1a; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --panel-on-surface-color: #eee; --ground: #16181c; } }
body { margin: 0; padding: 16px; font-family: system-ui, sans-serif; background: var(--ground);
  color: var(--panel-on-surface-color); }
h1 { font-size: 20px; margin: 0 0 12px; }
.cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); }
.card { border: 1px solid color-mix(in srgb, var(--panel-on-surface-color) 18%, transparent); border-radius: 8px;
  padding: 12px; min-width: 0; }
.methods-box { margin-top: 16px; overflow-x: auto; }
pre { overflow-x: auto; font-size: 12px; background: color-mix(in srgb, var(--panel-on-surface-color) 6%, transparent);
  padding: 8px; border-radius: 6px; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load for the file: nothing."""


def report(
    cards: Sequence[Card],
    scores: Sequence[Scores],
    verdicts: Sequence[str] = (),
    comparisons: Sequence[str] = (),
) -> str:
    """The file.

    Parameters
    ----------
    cards : sequence of Card
        At most four.
    scores : sequence of Scores
        Of each card.
    verdicts : sequence of str
        Of each card: what its check said; empty where it was not checked.
    comparisons : sequence of str
        Tables of other methods, as `card_html.comparison` gives them.
    """
    marked = differences(cards)
    said = verdicts or [""] * len(cards)
    parts = [
        f'<article class="card">{card_html.head(card, letter)}{_verdict(verdict)}'
        f"{card_html.rules(card, marks)}{card_html.figures(card, own)}{card_html.groups(own)}"
        f"{card_html.facts(card, marks)}{card_html.notes(card)}{_code(card)}</article>"
        for card, own, letter, marks, verdict in zip(cards, scores, LETTERS, marked, said, strict=False)
    ]
    css = _PAGE_CSS + MODEL_CSS.replace(":host", ".card, .methods-box")
    others = f'<section class="methods-box">{"".join(comparisons)}</section>' if comparisons else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Model cards: {esc(', '.join(card.title for card in cards))}</title><style>{css}</style></head>"
        f'<body><h1>Model cards</h1><main class="cards">{"".join(parts)}</main>{others}</body></html>\n'
    )


def _verdict(text: str) -> str:
    return f'<p class="note">Independent check: {esc(text, 400)}</p>' if text else ""


def _code(card: Card) -> str:
    lines = "\n".join(esc(line, 100_000) for line in card.code.splitlines())
    return f"<details><summary>Python that makes the model again</summary><pre>{lines}</pre></details>"
