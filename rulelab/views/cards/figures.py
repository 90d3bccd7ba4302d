"""The figures of a card: the same lines for every model, which stand side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...assets import texts
from ...families import EVERY_FAMILY
from ...families.records import LEAST_GAP
from ...shown import percent
from ..live.wording import NONE, apart, count, grouped, within
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
TERMS = texts("figures of cards")
"""What the other lines mean."""


@dataclass(frozen=True)
class Value:
    """One number of a card."""

    number: float = math.nan  # ``nan`` where there is none
    text: str = NONE
    small: str = ""  # an interval; or why there is no number


@dataclass(frozen=True)
class Figure:
    """One line of a card."""

    name: str
    unit: str
    values: tuple[Value, ...]  # on the training rows and on the test rows; only one where the rows do not matter
    scale: int = 1  # 100 for shares that are shown in percent
    compared: bool = True  # whether a difference to the same line of another card means something


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
        Figure(shown, "%", tuple(_rate(score, rate, card) for score in both), 100, known)
        for rate, shown in RATES.items()
    ]
    auc = tuple(_auc(score, card) for score in both)
    sizes = (("rules", len(card.model.rules)), ("conditions", card.model.n_conditions))
    return [
        *own,
        *rates,
        Figure("AUC", "", auc, compared=known),
        *(Figure(name, "", (Value(n, count(n)),)) for name, n in sizes),
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
    return Value(value, percent(value), "" if math.isnan(low) else f"{percent(low)}–{percent(high)}")


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


def alike(cards: Sequence[Card], scores: Sequence[Scores]) -> frozenset[str]:
    """The lines of figures that read the same on all cards."""
    lines = zip(*(figures(card, own) for card, own in zip(cards, scores, strict=True)), strict=True)
    texts = {line[0].name: {tuple((v.text, v.small) for v in figure.values) for figure in line} for line in lines}
    return frozenset(name for name, read in texts.items() if len(read) == 1)
