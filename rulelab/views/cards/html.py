"""A model card as HTML, the same on the page and in the report. All text from data goes through `esc`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from ... import shown
from ...data.gaps import MEASURED, Difference, largest_difference
from ...data.metrics import FEW, RATES
from ...models import MultiClassRuleList
from ...shown import share
from ..live.wording import NONE, count, within
from ..widgets.esc import esc
from .card import BROWSER, FILE, KEPT, SENTENCE, Card, Proof
from .differences import Differences
from .naming import kind
from .rule_tables import rules_table
from .scores import Score, Scores

_ORIGINS = {
    FILE: "From a file; nothing of this was checked here.",
    KEPT: "From a kept run; the proof was not checked since.",
    BROWSER: "From before the page was loaded again; the proof was not checked since.",
}
COMPARED = [rate for rate in RATES if any(rate in compared for compared in MEASURED.values())]
"""The rates that fairness criteria compare; the others unfold."""


def head(card: Card, letter: str = "", name: str = "") -> str:
    """Name, family, what is predicted, and what is proven; without a name it stands somewhere else."""
    badge = f'<span class="letter">{esc(letter)}</span> ' if letter else ""
    which = "" if isinstance(card.model, MultiClassRuleList) else f" = {esc(card.positive, 40)}"
    predicts = f", predicts {esc(card.target, 60)}{which}" if card.target else ""
    made = f" · {esc(card.made)}" if card.made else ""
    title = f"<h2>{badge}{esc(name, 160)}</h2>" if name else ""
    return f'{title}<p class="note">{_family(card)}{predicts}{made}</p>{_state(card)}'


def rules(card: Card, marked: Differences | None = None, only: bool = False) -> str:
    """The rules in words; ``only``: those that all cards have in one line."""
    marked = marked or Differences()
    return rules_table(card.model, card.names, card.target, marked.rules, pale=marked.places > 0, only=only)


def groups(scores: Scores) -> str:
    """Rates per group of each sensitive attribute, with intervals; empty when there are none."""
    if not scores.groups and not scores.left_out:
        return ""
    of = "test" if scores.on_test else "training"
    tables = "".join(group_table(name, table) for name, table in scores.groups.items())
    return f"<details open><summary>Rates per group, {of} rows</summary>{tables}{groups_note(scores)}</details>"


def groups_note(scores: Scores) -> str:
    """What is to be known about the tables of groups."""
    notes = [f"{text}: not shown" for text in scores.left_out]
    if any((table[f"{rate}_rows"] < FEW).any() for table in scores.groups.values() for rate in RATES):
        notes.append(f"* a share of fewer than {FEW} rows, which says little")
    said = " · ".join(map(esc, notes))
    return f'<p class="note">In %; lines: 95&nbsp;% intervals, from 0 to 100. {said}</p>'


def notes(card: Card) -> str:
    """Intended use and limits, as text."""
    parts = (("Intended use", card.intended_use), ("Limits", card.limits))
    return "".join(f'<h3>{name}</h3><p class="text">{_lines(text) or "not stated"}</p>' for name, text in parts)


def _lines(text: str) -> str:
    return "<br>".join(esc(line, 2000) for line in text.splitlines())


def _family(card: Card) -> str:
    name = kind(card)
    return name[:1].upper() + name[1:]


def _state(card: Card) -> str:
    proof = card.proof
    if card.origin:
        said = f" It says: {_standing(card, proof)}" if proof else ""
        return f'<p class="state open">{_ORIGINS[card.origin]}{said}</p>'
    if proof is None:
        return '<p class="state open">Nothing is known of how close to optimal it is.</p>'
    return f'<p class="state {"proven" if proof.proven else "open"}">{_standing(card, proof)}</p>'


def _standing(card: Card, proof: Proof) -> str:
    if proof.proven:
        return f"✓ Proven optimal: {esc(proof.scope, SENTENCE)}."
    bound = f" Proven: {esc(proof.bound, SENTENCE)}." if proof.bound else ""
    return f"Not proven optimal: within {within(proof.gap, card.model.family)} of the optimum.{bound}"


def _rate(score: Score | None, name: str) -> str:
    if score is None or math.isnan(score.rate(name)):
        return NONE
    return f'{percent(score.rate(name))} <span class="range">{_range(*score.interval(name))}</span>'


def percent(value: float) -> str:
    """A share in percent, without the sign."""
    return NONE if math.isnan(value) else shown.percent(value)


def _range(low: float, high: float) -> str:
    return f"{percent(low)}–{percent(high)}"


def group_table(name: str, table: pd.DataFrame, base: pd.DataFrame | None = None, letter: str = "") -> str:
    """Rates of the groups of one attribute.

    Parameters
    ----------
    name : str
    table : DataFrame
        See `rulelab.data.metrics.group_rates`.
    base : DataFrame, optional
        Of the card that is compared with.
    letter : str
        What that card is called.
    """
    more = [rate for rate in RATES if rate not in COMPARED]
    return (
        _table(name, table, COMPARED, base, letter)
        + f"<details><summary>{', '.join(RATES[rate].short for rate in more)}</summary>"
        + f"{_table(name, table, more, base, letter)}</details>"
    )


def _table(name: str, table: pd.DataFrame, rates: Sequence[str], base: pd.DataFrame | None, letter: str) -> str:
    heads = "".join(f'<th class="num" scope="col">{RATES[rate].short}</th>' for rate in rates)
    rows = "".join(
        _group_row(str(group), values, rates, None if base is None or group not in base.index else base.loc[group])
        for group, values in table.iterrows()
    )
    largest = [largest_difference(table, rate) for rate in rates]
    others = [None if base is None else largest_difference(base, rate) for rate in rates]
    spread = "".join(map(_spread, largest, others, [letter] * len(rates)))
    ratios = "".join(f'<td class="num">{NONE if d is None else share(d.ratio)}</td>' for d in largest)
    return (
        f'<div class="box"><table class="groups"><thead><tr><th scope="col">{esc(name, 40)}</th>'
        f'<th class="num" scope="col">rows</th>{heads}</tr></thead><tbody>{rows}'
        f'<tr class="spread"><th scope="row">largest difference</th><td></td>{spread}</tr>'
        f'<tr class="spread"><th scope="row">least / largest</th><td></td>{ratios}</tr></tbody></table></div>'
    )


def _spread(own: Difference | None, other: Difference | None, letter: str) -> str:
    """A largest difference with its interval and its groups; a star where a rate of few rows had to be compared."""
    if own is None:
        return f'<td class="num">{NONE}</td>'
    against = _delta(own.value, other.value, letter) if other is not None and own.few == other.few else ""
    between = f'<span class="range">{esc(" − ".join(own.groups), 60)}</span>'
    reach = f'<span class="range">{signed(own.low)} to {signed(own.high)}</span>'
    few = ("*", " few") if own.few else ("", "")
    return f'<td class="num{few[1]}">{percent(own.value)}{few[0]}{against}{reach}{between}</td>'


def _delta(own: float, other: float, letter: str) -> str:
    """How many points more it is than on the card that is compared with."""
    if math.isnan(own) or math.isnan(other):
        return ""
    same = percent(own) == percent(other)
    said = "=" if same else signed(own - other)
    kind = "same" if same else "delta"
    return f' <span class="{kind}" title="against {esc(letter)}">{said}</span>'


def signed(points: float) -> str:
    """A difference of shares in points, with its sign."""
    return f"{'+' if points > 0 else ''}{percent(points)}".replace("-", "\u2212")


def _group_row(group: str, values: pd.Series, rates: Sequence[str], base: pd.Series | None) -> str:
    cells = "".join(_rate_cell(values, rate, base) for rate in rates)
    weighs = values["weight"] != values["rows"]
    weight = f'<span class="range">weight {count(values["weight"])}</span>' if weighs else ""
    rows = f'<td class="num">{count(values["rows"])}{weight}</td>'
    return f'<tr><th scope="row">{esc(group, 40)}</th>{rows}{cells}</tr>'


def _rate_cell(values: pd.Series, rate: str, base: pd.Series | None) -> str:
    few = ("*", " few") if values[f"{rate}_rows"] < FEW and not math.isnan(values[rate]) else ("", "")
    return f'<td class="num{few[1]}">{percent(values[rate])}{few[0]}{_interval(values, rate, base)}</td>'


def _interval(values: pd.Series, rate: str, base: pd.Series | None) -> str:
    """The rate and its interval on a scale from 0 to 100 %."""
    if math.isnan(values[rate]):
        return ""
    low, high = 100 * values[f"{rate}_low"], 100 * values[f"{rate}_high"]
    across = (
        "" if base is None or math.isnan(base[rate]) else f'<i class="base" style="left: {100 * base[rate]:.1f}%"></i>'
    )
    text = _range(low / 100, high / 100)
    return (
        f' <span class="aside">{text}</span><span class="dots" aria-hidden="true" title="95 % interval {text}">'
        f'<i class="reach" style="left: {low:.1f}%; width: {high - low:.1f}%"></i>{across}'
        f'<i class="at" style="left: {100 * values[rate]:.1f}%"></i></span>'
    )


def comparison(rows: Mapping[str, tuple[Score | None, Score | None, str]], caption: str) -> str:
    """A table of methods on the same split: rates in percent on training and test rows, and complexity."""
    shown = {"accuracy": "accuracy", "true_positive_rate": "recall", "precision": "precision"}
    body = "".join(
        f'<tr><th scope="row">{esc(name, 160)}</th>'
        + "".join(f'<td class="num">{_rate(score, rate)}</td>' for rate in shown for score in (training, test))
        + f'<td class="num">{esc(complexity)}</td></tr>'
        for name, (training, test, complexity) in rows.items()
    )
    over = "".join(f'<th class="num" scope="colgroup" colspan="2">{words}, %</th>' for words in shown.values())
    heads = '<th class="num" scope="col">training</th><th class="num" scope="col">test</th>' * len(shown)
    return (
        f'<table class="facts methods"><caption>{esc(caption)}</caption><thead>'
        f'<tr><th scope="col" rowspan="2">method</th>{over}<th class="num" scope="col" rowspan="2">complexity</th></tr>'
        f"<tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )
