"""All pinned cards as one HTML file that opens without a network: no script, no address, all text escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from ... import __version__
from ...data.metrics import FEW
from ...data.metrics import RATES as GROUP_RATES
from ...shown import percent
from ..widgets.esc import esc
from ..widgets.style import MODEL_CSS, sheet
from . import html as card_html
from . import lines
from .card import Card
from .differences import LETTERS, incomparable
from .figures import RATES, in_steps
from .html import COMPARED
from .lines import Section
from .scores import Score, Scores
from .templates import filled, today

_PAGE_CSS = sheet("report.css")
_WIDTH, _RIGHT, _LINE = 400, 44, 18
_LETTERS, _GROUPS = 26, 110
"""Places on the left, for what the lines are called."""
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)


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
        *parts, facts = lines.sections(card, own, place).values()
        head, checks = card_html.head(card, place.letter, names[k]), filled("notes.html", notes=notes)
        below = card_html.notes(card), filled("code.html", lines=card.code.splitlines())
        articles.append([Section(head), Section(checks), *parts, Section(of_groups(own)), facts, *map(Section, below)])
    return filled(
        "report.html",
        names=names,
        css=Markup(_PAGE_CSS + MODEL_CSS.replace(":host", "body")),
        version=__version__,
        date=today(),
        advice=incomparable(cards) if len(cards) > 1 else "",
        glance=Markup(glance(LETTERS[: len(cards)], scores)),
        articles=articles,
        terms=Markup(lines.terms()),
        others=Markup("".join(comparisons)),
    )


def glance(letters: Sequence[str], scores: Sequence[Scores]) -> str:
    """Accuracy, recall and precision of all cards: a picture each, on a scale of its own."""
    pictures = "".join(_dots(name, words, letters, scores) for name, words in RATES.items())
    legend = "filled: test rows, hollow: training rows; lines: 95 % intervals"
    return f'<h3>At a glance</h3><div class="charts">{pictures}</div><p class="note">{legend}</p>'


def of_groups(scores: Scores) -> str:
    """Rates of the groups of every attribute, from 0 to 100 %; empty without groups."""
    out = ""
    for name, table in scores.groups.items():
        pictures = (_group_dots(name, rate, table) for rate in COMPARED)
        out += f'<div class="charts">{"".join(pictures)}</div>'
    return out


def _dots(name: str, words: str, letters: Sequence[str], scores: Sequence[Scores]) -> str:
    known = [(k, kind, one) for k, both in enumerate(scores) for kind, one in _defined(both, name)]
    if not known:
        return ""
    intervals = [2 * (one.rate(name),) if one.blind else one.interval(name) for _, _, one in known]
    scale = in_steps(min(low for low, _ in intervals), max(high for _, high in intervals))
    marks = [f'<text x="4" y="{_LINE * (k + 1.5) + 4}">{esc(letter)}</text>' for k, letter in enumerate(letters)]
    said = []
    for (k, kind, one), ends in zip(known, intervals, strict=True):
        value, y, last = one.rate(name), _LINE * (k + 1.5), kind == "test" or scores[k].test is None
        shift = 0 if scores[k].test is None else 3 if last else -3
        marks.append(_mark(value, ends, scale, y + shift, "filled" if kind == "test" else "hollow"))
        said.append(f"{letters[k]} {percent(value)} % ({kind})")
        if last:
            marks.append(f'<text class="end" x="{_WIDTH}" y="{y + 4}">{percent(value)}</text>')
    return _svg(f"{words}, %", marks, len(letters), scale, f"{words}: {'; '.join(said)}")


def _group_dots(attribute: str, rate: str, table: pd.DataFrame) -> str:
    marks, said, short = [], [], GROUP_RATES[rate].short
    for k, (group, values) in enumerate(table.iterrows()):
        y, value = _LINE * (k + 1.5), float(values[rate])
        star = "*" if values[f"{rate}_rows"] < FEW else ""
        marks.append(f'<text x="4" y="{y + 4}">{esc(group, 18)}{star}</text>')
        if not math.isnan(value):
            ends = (values[f"{rate}_low"], values[f"{rate}_high"])
            marks.append(_mark(value, ends, (0.0, 1.0), y, "hollow" if star else "filled", _GROUPS))
            said.append(f"{group} {percent(value)} %")
    return _svg(f"{short} by {attribute}, %", marks, len(table), (0.0, 1.0), f"{short}: {'; '.join(said)}", _GROUPS)


def _svg(
    title: str, marks: Sequence[str], n_lines: int, scale: tuple[float, float], said: str, left: int = _LETTERS
) -> str:
    """Without scripts: cards show many of them at once, and the report is a file that needs nothing but itself."""
    low, high = scale
    height = _LINE * (n_lines + 2)
    step = next((s for s in _STEPS if (high - low) / s <= 5 + 1e-9), 1.0)
    first = math.ceil(low / step - 1e-9)
    ticks = [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
    grid = "".join(
        f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_LINE}" y2="{height - _LINE}"/>'
        f'<text class="tick" x="{x:.1f}" y="{height - 5}">{100 * tick:.3g}</text>'
        for tick, x in ((tick, _x(tick, scale, left)) for tick in ticks)
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{esc(said, 2000)}">'
        f'<text class="title" x="4" y="12">{esc(title, 48)}</text>{grid}{"".join(marks)}</svg>'
    )


def _mark(
    value: float, ends: tuple[float, float], scale: tuple[float, float], y: float, kind: str, left: int = _LETTERS
) -> str:
    low, high = (_x(end, scale, left) for end in ends)
    return (
        f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{y:g}" y2="{y:g}"/>'
        f'<circle class="{kind}" cx="{_x(value, scale, left):.1f}" cy="{y:g}" r="3.5"/>'
    )


def _x(value: float, scale: tuple[float, float], left: int) -> float:
    low, high = scale
    return left + (value - low) / (high - low) * (_WIDTH - left - _RIGHT)


def _defined(scores: Scores, name: str) -> list[tuple[str, Score]]:
    """The scores that have the rate, with what they are of."""
    both = (("training", scores.training), ("test", scores.test))
    return [(kind, one) for kind, one in both if one is not None and not math.isnan(one.rate(name))]
