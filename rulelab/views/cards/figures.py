"""The figures of a card: the same lines for every model, which stand side by side on scales that cards share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...families import EVERY_FAMILY
from ...families.records import LEAST_GAP
from ...shown import percent
from ..live.wording import NONE, apart, count, grouped, within
from ..widgets.esc import esc
from .card import Card
from .differences import comparable, same_rows
from .scores import Score, Scores

RATES = {"accuracy": "accuracy", "true_positive_rate": "recall", "precision": "precision"}
"""Rates that every card shows, with the names that they go by there."""
EXPLAINED = (
    *("objective", "lower bound", "gap", "accuracy", "recall", "precision"),
    *("TPR", "FPR", "selected", "95 % intervals"),
)
"""Lines of a card whose meaning the glossary has."""
TERMS = {
    "AUC": "How often a positive row is given a higher probability than a negative one; ties count half, so that 0.5 "
    "is guessing.",
    "rows by outcome": "Positives found and missed, negatives that give a false alarm or pass; the bar shows shares.",
    "+1.2": "The difference to the card that is chosen above; in percentage points where the figures are percent.",
}
"""What the other lines mean."""


@dataclass(frozen=True)
class Value:
    """One number of a card."""

    number: float = math.nan  # ``nan`` where there is none
    text: str = NONE
    small: str = ""  # an interval; or why there is no number
    ends: tuple[float, float] | None = None  # of the interval


@dataclass(frozen=True)
class Figure:
    """One line of a card."""

    name: str
    unit: str
    values: tuple[Value, ...]  # on the training rows and on the test rows; only one where the rows do not matter
    scale: int = 1  # 100 for shares that are shown in percent
    compared: bool = True  # whether a difference to the same line of another card means something
    scaled: bool = False  # whether it has the same scale on every card, so that it can be drawn


def figures(card: Card, scores: Scores, beside: Card | None = None) -> list[Figure]:
    """All lines of a card, as many as of any other one; ``beside``: the card that it is compared with."""
    family, proof = card.model.family, card.proof
    unit = LEAST_GAP.unit if card.is_of_least_gap else EVERY_FAMILY[family].unit
    alike = beside is None or comparable(card, beside)
    known = beside is None or same_rows(card, beside)
    if proof is None:
        shown = [Value(small="not known")] * 3
    else:
        found, bound = apart(proof.objective, proof.objective - proof.gap, family)
        gap = Value(0.0, "0", "proven") if proof.proven else Value(proof.gap, within(proof.gap, family))
        shown = [Value(proof.objective, found, grouped(proof.equation)), Value(proof.lower_bound, bound), gap]
    own = [
        Figure(name, unit, (value,), compared=alike)
        for name, value in zip(("objective", "lower bound", "gap"), shown, strict=True)
    ]
    both = scores.training, scores.test
    rates = [
        Figure(shown, "%", tuple(_rate(score, rate, card) for score in both), 100, known, True)
        for rate, shown in RATES.items()
    ]
    auc = tuple(_auc(score, card) for score in both)
    sizes = (("rules", len(card.model.rules)), ("conditions", card.model.n_conditions))
    return [
        *own,
        *rates,
        Figure("AUC", "", auc, compared=known, scaled=True),
        *(Figure(name, "", (Value(n, count(n)),), scaled=True) for name, n in sizes),
    ]


def _absent(card: Card) -> Value:
    return Value(small="rows not known" if card.rows is None and card.classes is None else "no test rows")


def _rate(score: Score | None, name: str, card: Card) -> Value:
    if score is None:
        return _absent(card)
    value = score.rate(name)
    if math.isnan(value):
        return Value(small=score.why_not(name))
    low, high = score.interval(name)
    if math.isnan(low):
        return Value(value, percent(value))
    return Value(value, percent(value), f"{percent(low)}–{percent(high)}", (low, high))


def _auc(score: Score | None, card: Card) -> Value:
    if score is None:
        return _absent(card)
    return Value(small=score.why_not("auc")) if math.isnan(score.auc) else Value(score.auc, f"{score.auc:.3f}")


def change(value: Value, other: Value, scale: int) -> str:
    """The difference to the number on another card, with its sign; "=" where both are shown alike; empty: none."""
    difference = scale * (value.number - other.number)
    if math.isnan(difference):
        return ""
    if value.text == other.text:
        return "="
    digits = max(len(text.partition(".")[2]) for text in (value.text, other.text))
    return f"{difference:+.{max(digits, 1 if scale > 1 else 0)}f}".replace("-", "−")


_STEP = 20
"""Scales of shares end at multiples of 1 / 20."""


def together(cards: Sequence[Card], scores: Sequence[Scores]) -> tuple[dict[str, tuple[float, float]], frozenset[str]]:
    """Of the lines of figures of cards side by side the scales, and those that read the same on all."""
    shown = [figures(card, own) for card, own in zip(cards, scores, strict=True)]
    scales, alike = {}, set()
    for line in zip(*shown, strict=True):
        texts = {tuple((value.text, value.small) for value in one.values) for one in line}
        if len(texts) == 1:
            alike.add(line[0].name)
        if line[0].scaled and (scale := _scale(line)) is not None:
            scales[line[0].name] = scale
    return scales, frozenset(alike)


def dots(
    value: Value, figure: Figure, scale: tuple[float, float], base: Value | None = None, hollow: bool = False
) -> str:
    """A number on the scale of its line, with its interval; ``base``: that of the other card, as a line across."""
    if math.isnan(value.number):
        return ""
    marks = ""
    if value.ends is not None:
        low, high = (_place(end, scale) for end in value.ends)
        marks += f'<i class="reach" style="left: {low:.1f}%; width: {high - low:.1f}%"></i>'
    if base is not None and not math.isnan(base.number):
        marks += f'<i class="base" style="left: {_place(base.number, scale):.1f}%"></i>'
    kind = "at hollow" if hollow else "at"
    marks += f'<i class="{kind}" style="left: {_place(value.number, scale):.1f}%"></i>'
    said = f"95 % interval {value.small}; " if value.ends is not None else ""
    title = f"{said}the scale is from {ends(figure, scale, ' to ')} on all cards"
    return f'<span class="dots" aria-hidden="true" title="{esc(title, 200)}">{marks}</span>'


def ends(figure: Figure, scale: tuple[float, float], between: str = "–") -> str:
    """Where the scale of a line begins and ends."""
    return between.join(f"{figure.scale * end:g}" for end in (round(scale[0], 9), round(scale[1], 9)))


def _scale(line: Sequence[Figure]) -> tuple[float, float] | None:
    """From the least to the largest of all cards, in whole steps; numbers of rules from 0."""
    values = [value for figure in line for value in figure.values if not math.isnan(value.number)]
    if not values:
        return None
    lowest = min(value.number if value.ends is None else value.ends[0] for value in values)
    highest = max(value.number if value.ends is None else value.ends[1] for value in values)
    if len(line[0].values) == 1:
        return 0.0, max(highest, 1.0)
    return max(0.0, math.floor(_STEP * lowest - 1e-9) / _STEP), min(1.0, math.ceil(_STEP * highest + 1e-9) / _STEP)


def _place(number: float, scale: tuple[float, float]) -> float:
    """Per cent of the way along the scale."""
    low, high = scale
    return min(100.0, max(0.0, 100 * (number - low) / (high - low)))
