"""A model card as HTML, the same on the page and in the report. All text from data goes through `esc`."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from ...data.metrics import FEW
from ...models import MultiClassRuleList
from ..live.wording import NONE, count, within
from ..widgets.esc import esc
from .card import BROWSER, FILE, KEPT, SENTENCE, Card, Proof
from .differences import Differences
from .naming import kind
from .rule_tables import rules_table
from .scores import RATES, Score, Scores

_ORIGINS = {
    FILE: "From a file; nothing of this was checked here.",
    KEPT: "From a kept run; the proof was not checked since.",
    BROWSER: "From before the page was loaded again; the proof was not checked since.",
}


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
    return rules_table(card.model, card.names, "", marked.rules, pale=marked.places > 0, only=only)


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
    if any(table["few"].any() for table in scores.groups.values()):
        notes.append(f"* fewer than {FEW} positives or {FEW} negatives: the rates say little")
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
    return NONE if math.isnan(value) else f"{100 * value:.1f}"


def _range(low: float, high: float) -> str:
    return f"{100 * low:.1f}–{100 * high:.1f}"


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
    heads = "".join(f'<th class="num" scope="col">{short}</th>' for short in RATES.values())
    rows = "".join(
        _group_row(str(group), values, None if base is None or group not in base.index else base.loc[group])
        for group, values in table.iterrows()
    )
    compared, without = _compared(table)
    cells = []
    for rate in RATES:
        own, other = _spread(compared[rate]), math.nan if base is None else _spread(_compared(base)[0][rate])
        cells.append(f'<td class="num">{percent(own)}{_delta(own, other, letter)}</td>')
    return (
        f'<div class="box"><table class="groups"><thead><tr><th scope="col">{esc(name, 40)}</th>'
        f'<th class="num" scope="col">rows</th>{heads}</tr></thead><tbody>{rows}'
        f'<tr class="spread"><th scope="row">largest difference{without}</th><td></td>{"".join(cells)}</tr>'
        "</tbody></table></div>"
    )


def largest_difference(table: pd.DataFrame, rate: str) -> float:
    """Of a rate between the groups that `group_table` compares; nan where there are none to compare.

    Parameters
    ----------
    table : DataFrame
        See `rulelab.data.metrics.group_rates`.
    rate : str
        One of its columns.
    """
    return _spread(_compared(table)[0][rate])


def _compared(table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The groups whose rates are compared, and which are not, in words."""
    enough = table[~table["few"]]
    return (enough, " without *") if 1 < len(enough) < len(table) else (table, "")


def _spread(rates: pd.Series) -> float:
    """The largest difference of a rate; of one group alone there is none."""
    return float(rates.max() - rates.min()) if rates.count() > 1 else math.nan


def _delta(own: float, other: float, letter: str) -> str:
    """How many points more it is than on the card that is compared with."""
    if math.isnan(own) or math.isnan(other):
        return ""
    same = percent(own) == percent(other)
    said = "=" if same else f"{100 * (own - other):+.1f}".replace("-", "\u2212")
    kind = "same" if same else "delta"
    return f' <span class="{kind}" title="against {esc(letter)}">{said}</span>'


def _group_row(group: str, values: pd.Series, base: pd.Series | None) -> str:
    few, faint = ("*", ' class="few"') if values["few"] else ("", "")
    cells = "".join(f'<td class="num">{percent(values[rate])}{_interval(values, rate, base)}</td>' for rate in RATES)
    rows = count(values["weight"])
    return f'<tr{faint}><th scope="row">{esc(group, 40)}{few}</th><td class="num">{rows}</td>{cells}</tr>'


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
