"""What cards side by side have in common: a scale for each line of figures, and the lines that read the same on all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..widgets.esc import esc
from .card import Card
from .figures import Figure, Value, figures
from .scores import Scores

_STEP = 20
"""Scales of shares end at multiples of 1 / 20."""


@dataclass(frozen=True)
class Together:
    """What all cards share."""

    # the ends of the scale on which a line of figures is drawn, the same on every card
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    alike: frozenset[str] = frozenset()  # lines of figures that read the same on all cards
    only: bool = False  # whether what is the same on all cards is left out
    n_cards: int = 1  # cards side by side

    @property
    def several(self) -> bool:
        """Whether there is something to compare."""
        return self.n_cards > 1

    @property
    def layout(self) -> str:
        """Class of what is laid out by how many cards share the width."""
        return "of2" if self.n_cards == 2 else "of3" if self.n_cards == 3 else "many"


def together(cards: Sequence[Card], scores: Sequence[Scores], only: bool = False) -> Together:
    """What these cards share; a card alone shares nothing.

    `scores`: of each card. `only`: whether what is the same on all cards is to be left out.
    """
    if len(cards) < 2:
        return Together()
    shown = [figures(card, own) for card, own in zip(cards, scores, strict=True)]
    scales, alike = {}, set()
    for line in zip(*shown, strict=True):
        texts = {tuple((value.text, value.small) for value in one.values) for one in line}
        if len(texts) == 1:
            alike.add(line[0].name)
        if line[0].scaled and (scale := _scale(line)) is not None:
            scales[line[0].name] = scale
    return Together(scales, frozenset(alike), only, len(cards))


def dots(
    value: Value, figure: Figure, scale: tuple[float, float], base: Value | None = None, hollow: bool = False
) -> str:
    """A number as a dot, and its interval as a line, on the scale that its line has on all cards.

    `figure`: the line that it is of. `base`: the same on the card that is compared with: a dotted line across.
    `hollow`: whether the dot is only a ring.
    """
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
    return in_steps(lowest, highest)


def in_steps(low: float, high: float) -> tuple[float, float]:
    """The ends of a scale of shares in whole steps, that these are within."""
    return max(0.0, math.floor(_STEP * low - 1e-9) / _STEP), min(1.0, math.ceil(_STEP * high + 1e-9) / _STEP)


def _place(number: float, scale: tuple[float, float]) -> float:
    """Per cent of the way along the scale."""
    low, high = scale
    return min(100.0, max(0.0, 100 * (number - low) / (high - low)))
