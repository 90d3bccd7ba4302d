"""The points of sweeps in words and tables, for eyes and screen readers. All text from data goes through `esc`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from ..cards import html as card_html
from ..cards.scores import Scores
from ..cards.templates import filled
from ..compare.table import row, same_of, unknown
from ..live.wording import NONE, count
from .card import title_of
from .points import COMPLEXITY, LABELS, PARTS, Point, number, percent
from .run import Started

_OF_THE_MODEL = (COMPLEXITY, "rules", "conditions", "seconds")
_OF_TRAINING = ("objective", "lower_bound")
WARN_CSS = ".warn { border-left: 4px solid #E69F00; padding: 2px 8px; }"
_FIGURES = (
    ("accuracy (%)", "accuracy", percent),
    ("complexity", COMPLEXITY, number),
    ("rules", "rules", number),
    ("conditions", "conditions", number),
    ("true positive rate (%)", "true_positive_rate", percent),
    ("false positive rate (%)", "false_positive_rate", percent),
    ("objective", "objective", number),
    ("lower bound", "lower_bound", number),
    ("seconds of search", "seconds", number),
)


def summary(
    test: Point | None,
    training: Point | None,
    gap: str | None,
    gap_words: str,
    notes: Sequence[str] = (),
    split: str = "",
) -> str:
    """What a point stands for: its figures on both kinds of rows, with intervals on test rows, and notes."""
    point = test or training
    assert point is not None
    said = filter(None, [point.proof, split, "in brackets 95 % intervals" if test is not None else ""])
    figures = [*_FIGURES[:6], *([] if gap is None else [(f"{gap_words} (%)", gap, percent)]), *_FIGURES[6:]]
    texts = [
        (name, _texts(test, training, figure, show))
        for name, figure, show in figures
        if not (point.baseline and figure in _OF_TRAINING)
    ]
    label, dealt = LABELS[point.method], "; ".join(said)
    return filled("front_point.html", label=label, point=point, dealt=dealt, notes=notes, figures=texts)


def _texts(test: Point | None, training: Point | None, figure: str, show: Callable[[Point, str], str]) -> list[str]:
    """A figure on test and training rows; one of the model, or of its search, stands once."""
    texts = [NONE if p is None else show(p, figure) for p in (test, training)]
    if figure in _OF_THE_MODEL:
        return [texts[test is None]]
    return [NONE, texts[training is None]] if figure in _OF_TRAINING else texts


def rates(table: pd.DataFrame, attribute: str, on: str) -> str:
    """Rates of every group with intervals."""
    if table.empty:
        return ""
    note = card_html.groups_note(Scores(None, groups={attribute: table}))
    said = f"{card_html.group_table(attribute, table)}{note}"
    return f"<details open><summary>Rates per group, {PARTS[on]}</summary>{said}</details>"


def row_of(started: Started, point: Point, gap: str | None, tickable: bool) -> dict[str, Any]:
    """The row of a point, which can be chosen in the pictures; what has a model can be ticked, where that is of use."""
    sweep = started.sweeps[point.sweep]
    result = started.result_of(point)
    figures = [
        (percent(point, "accuracy"), point.value("accuracy")),
        unknown if gap is None else (percent(point, gap), point.value(gap)),
        (number(point, "rules"), point.value("rules")),
        ("none", 0.0) if point.baseline else ("optimal", 2.0) if point.proven else ("open", 1.0),
        (NONE, math.nan),
    ]
    more: dict[str, Any] = {"acts": {"choose": "Show"}}
    if result is not None and tickable:
        name = sweep.plan.identity["dataset"] if started.data is None else started.data.name
        more |= {"tick": "pin", "same": same_of(title_of(name, sweep), result.objective)}
    rows = "figures of training rows" if point.tested is None else f"tested on {count(point.tested.n_rows)} rows"
    return row(point.key, point.label, f"sweep, {rows}", figures, **more)
