"""What a point of the fronts stands for: its figures in words, its row in the table, the card of its model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...families import least_gap
from ...sweeps import FAMILIES, Result, Sweep
from ...sweeps.families import BINARIZING
from ..cards import card as cards
from ..cards import html as card_html
from ..cards.card import Card, Proof
from ..cards.rows import Split
from ..cards.scores import Scores
from ..cards.templates import filled, today
from ..compare.table import row, same_of, unknown
from ..live.wording import NONE, count, family_name
from ..widgets.esc import plain
from .points import COMPLEXITY, LABELS, PARTS, Point, asked_in_words, number, percent
from .run import Started

_OF_THE_MODEL = (COMPLEXITY, "rules", "conditions", "seconds")
_OF_TRAINING = ("objective", "lower_bound")
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


def card_of(started: Started, point: Point) -> Card:
    """The card of a point's model of the training rows, tested on those kept out; ValueError when there is no model."""
    result = started.result_of(point)
    if result is None:
        raise ValueError("there is no model of this setting to pin")
    sweep, data, share = started.sweeps[point.sweep], started.data_of(point), started.test_share
    plan, code = sweep.plan, started.codes[point.sweep] if started.codes else ""
    test = np.flatnonzero(plan.fold_of == result.fold)
    known = plan.tested == bool(share)  # rows that no question deals cannot be dealt again
    split = Split.of(data, started.named, test_share=share) if known else None
    card = cards.of_model(result.load(), data, test if len(test) else None, split)
    proof = None
    if result.objective is not None and result.lower_bound is not None:
        bounds = result.objective, result.lower_bound
        proof = Proof(*bounds, result.status == "optimal", *_said(sweep, result))
    again = (
        f"{code}\nsweep.wait()\nresult = next(r for r in sweep.results if r.point == {result.point})\n"
        "model = result.load()\nprint(model)\n"
    )
    return replace(
        card,
        code=again if code else card.code,
        title=title_of(data.name, sweep),
        proof=proof,
        parameters=_parameters(sweep, result.point),
        made=today(),
    )


def about(started: Started, point: Point) -> str:
    """What the card of a point's model is of, or why there is none, as HTML."""
    if started.result_of(point) is None:
        none = "Other methods are here for comparison; they have no model card."
        return f'<p class="empty">{none if point.baseline else "This setting has no model."}</p>'
    tested = "The model of the training rows, tested on the rows that were kept out."
    whole = "The model of all rows: none are left to test it on."
    return f'<p class="note">{tested if started.sweeps[point.sweep].plan.tested else whole}</p>'


def title_of(name: str, sweep: Sweep) -> str:
    """What a card of a point is a model of."""
    return f"{name}, {'training' if sweep.plan.tested else 'all'} rows"


def _said(sweep: Sweep, result: Result) -> tuple[str, str, str]:
    """Scope, equation and bound of what a fit has proven, in words."""
    method, where = FAMILIES[result.family], "these conditions"
    asked = asked_in_words(sweep, result.point)
    where += f" ({asked})" if asked else ""
    if not method.family.needs_groups:
        return f"no {family_name(result.family)} over {where} has a smaller objective", "", ""
    chosen, attribute = sweep.parameters_of(result.point), plain(" and ".join(sweep.plan.identity["sensitive"]), 60)
    bound = "" if result.lower_bound is None else least_gap.bound(chosen, where, result.lower_bound)
    return (least_gap.claim(chosen, where, attribute), method.family.objective(result.load(), chosen), bound)


def _parameters(sweep: Sweep, point: int) -> dict[str, str]:
    """All parameters of a configuration in words, and how it was validated; those that are not set are left out."""
    plan, chosen = sweep.plan, sweep.parameters_of(point)
    family = FAMILIES[next(each.family for each in sweep.results if each.point == point)].family
    found = cards.making_in_words(family, chosen)
    known = {"thresholds", "negations", *(("max_conditions", "min_support", "max_support") if family.mined else ())}
    if plan.counts is not None:
        known |= set(BINARIZING)
        del found["quantile groups"], found["negations"]
        found["conditions"] = f"{count(len(plan.counts.conditions))}, under which the rows were counted"
    own = {name: value for name, value in chosen.items() if name not in known}
    found |= cards.parameters_in_words(own, " and ".join(plan.identity["sensitive"]))
    found["test split"] = plan.split
    if plan.time_limit is not None:
        found["time limit"] = f"{plan.time_limit:g} s"
    if plan.resample is not None:
        found["resampling"] = plan.resample
    return found


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


def rates_of_groups(table: pd.DataFrame, attribute: str, on: str) -> str:
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
    right = percent(point, "accuracy"), point.value("accuracy")
    figures = [
        *((right, unknown) if point.tested is not None else (unknown, right)),
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
