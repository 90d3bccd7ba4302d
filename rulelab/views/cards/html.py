"""A model card as HTML, the same on the page and in the report: what templates are filled with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ...data.gaps import MEASURED, largest_difference
from ...data.metrics import FEW, RATES
from ...models import MultiClassRuleList
from ..live.wording import within
from ..widgets.esc import esc
from .card import BROWSER, FILE, KEPT, Card, Proof, kind
from .differences import Differences
from .rule_tables import Marks, rules_table
from .scores import Score, Scores
from .templates import filled

_ORIGINS = {
    FILE: "From a file; nothing of this was checked here.",
    KEPT: "From a kept run; the proof was not checked since.",
    BROWSER: "From before the page was loaded again; the proof was not checked since.",
}
COMPARED = [rate for rate in RATES if any(rate in compared for compared in MEASURED.values())]
"""The rates that fairness criteria compare; the others unfold."""
_METHODS = {"accuracy": "accuracy", "true_positive_rate": "recall", "precision": "precision"}


def head(card: Card, letter: str = "", name: str = "") -> str:
    """Name, family, what is predicted, and what is proven; without a name it stands somewhere else."""
    return filled(
        "card_head.html",
        letter=letter,
        name=name,
        kind=kind(card),
        target=card.target,
        positive=None if isinstance(card.model, MultiClassRuleList) else card.positive,
        made=card.made,
        proven=card.proof is not None and card.proof.proven and not card.origin,
        state=_state(card),
    )


def rules(card: Card, marked: Differences | None = None, only: bool = False) -> str:
    """The rules in words; ``only``: those that all cards have in one line."""
    marked = marked or Differences()
    return rules_table(card.model, card.names, card.target, Marks(marked.rules, marked.places > 0, only))


def groups_note(scores: Scores) -> str:
    """What is to be known about the tables of groups."""
    notes = [f"{text}: not shown" for text in scores.left_out]
    if any((table[f"{rate}_rows"] < FEW).any() for table in scores.groups.values() for rate in RATES):
        notes.append(f"* a share of fewer than {FEW} rows, which says little")
    said = " · ".join(map(esc, notes))
    return f'<p class="note">In %; lines: 95&nbsp;% intervals, from 0 to 100. {said}</p>'


def notes(card: Card) -> str:
    """Intended use and limits, as text."""
    return filled("card_notes.html", notes=(("Intended use", card.intended_use), ("Limits", card.limits)))


def _state(card: Card) -> str:
    proof = card.proof
    if card.origin:
        said = f" It says: {_standing(card, proof)}" if proof else ""
        return f"{_ORIGINS[card.origin]}{said}"
    return "Nothing is known of how close to optimal it is." if proof is None else _standing(card, proof)


def _standing(card: Card, proof: Proof) -> str:
    if proof.proven:
        return f"✓ Proven optimal: {proof.scope}."
    bound = f" Proven: {proof.bound}." if proof.bound else ""
    return f"Not proven optimal: within {within(proof.gap, card.model.family)} of the optimum.{bound}"


def group_table(name: str, table: pd.DataFrame, base: pd.DataFrame | None = None, letter: str = "") -> str:
    """Rates of the groups of one attribute.

    `table`: see `rulelab.data.metrics.group_rates`. `base`: of the card that is compared with. `letter`: what that card
    is called.
    """
    return filled(
        "group_table.html",
        name=name,
        letter=letter,
        first=COMPARED,
        more=[rate for rate in RATES if rate not in COMPARED],
        rows=_by_group(table),
        base={} if base is None else _by_group(base),
        largest={rate: largest_difference(table, rate) for rate in RATES},
        others={} if base is None else {rate: largest_difference(base, rate) for rate in RATES},
        RATES=RATES,
        FEW=FEW,
    )


def _by_group(table: pd.DataFrame) -> dict[str, Any]:
    return {str(group): values for group, values in table.to_dict("index").items()}


def comparison(rows: Mapping[str, tuple[Score | None, Score | None, str]], caption: str) -> str:
    """A table of methods on the same split: rates in percent on training and test rows, and complexity."""
    return filled("methods.html", rows=rows, caption=caption, shown=_METHODS)
