"""A model card as HTML, the same on the page and in the report. All text from data goes through `esc`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import pandas as pd

from ...models import DecisionList, RuleSet
from ..live.wording import NONE, count, family_name, objective
from ..widgets.esc import esc
from .card import BROWSER, FILE, Card, Proof
from .differences import Differences
from .rule_tables import rules_table
from .scores import RATES, Accuracy, Scores

_SHORT = 40
"""Longer facts are set as text."""
_ORIGINS = {
    FILE: ("From a file; nothing of this was checked here.", "As the file says; not checked here."),
    BROWSER: (
        "Pinned before the page was loaded again; the proof was not checked since.",
        "As the browser kept it; not checked here.",
    ),
}


def head(card: Card, letter: str = "") -> str:
    """Title, family, what is predicted, and what is proven."""
    badge = f'<span class="letter">{esc(letter)}</span> ' if letter else ""
    predicts = f", predicts {esc(card.target, 60)} = {esc(card.positive, 40)}" if card.target else ""
    made = f" · {esc(card.made)}" if card.made else ""
    return f'<h2>{badge}{esc(card.title, 80)}</h2><p class="note">{_family(card)}{predicts}{made}</p>{_state(card)}'


def rules(card: Card, marked: Differences | None = None) -> str:
    """The rules in words."""
    return rules_table(card.model, card.names, "", () if marked is None else marked.rules)


def figures(card: Card, scores: Scores) -> str:
    """Objective and bound, accuracies, complexity."""
    rows = []
    proof, family = card.proof, card.model.family
    if proof is not None:
        rows += [
            ("objective", objective(proof.objective, family)),
            ("lower bound", objective(proof.lower_bound, family)),
            ("gap", "0" if proof.proven else objective(proof.gap, family)),
        ]
    rows += [("training accuracy", _accuracy(scores.training)), ("test accuracy", _accuracy(scores.test))]
    rows += [(name, count(n)) for name, n in complexity(card)]
    body = "".join(f'<tr><th scope="row">{name}</th><td class="num">{value}</td></tr>' for name, value in rows)
    return f'<table class="facts figures">{body}</table>'


def groups(scores: Scores) -> str:
    """Rates per group of each sensitive attribute, with intervals; empty when there are none."""
    if not scores.groups and not scores.left_out:
        return ""
    of = "test" if scores.on_test else "training"
    tables = "".join(_group_table(name, table) for name, table in scores.groups.items())
    few = any(table["few"].any() for table in scores.groups.values())
    notes = [f"{text}: not shown" for text in scores.left_out]
    if few:
        notes.append("* fewer than 30 positives or 30 negatives: the rates say little")
    return (
        f"<details open><summary>Rates per group, {of} rows</summary>{tables}"
        f'<p class="note">In %, with 95&nbsp;% intervals. {" · ".join(esc(note) for note in notes)}</p></details>'
    )


def facts(card: Card, marked: Differences | None = None) -> str:
    """Data and parameters; those that differ from the other cards are marked."""
    marked = marked or Differences()
    source = f'<p class="note">{_ORIGINS[card.origin][1]}</p>' if card.origin else ""
    body = _fact_rows(card.data.items(), marked.data) + _fact_rows(card.parameters.items(), marked.parameters)
    if not body:
        return '<p class="note">Nothing is known of the data and parameters.</p>'
    return f'<details open><summary>Data and parameters</summary>{source}<table class="facts">{body}</table></details>'


def notes(card: Card) -> str:
    """Intended use and limits, as text."""
    parts = (("Intended use", card.intended_use), ("Limits", card.limits))
    return "".join(f'<h3>{name}</h3><p class="text">{_lines(text) or "not stated"}</p>' for name, text in parts)


def _lines(text: str) -> str:
    return "<br>".join(esc(line, 2000) for line in text.splitlines())


def _family(card: Card) -> str:
    name = family_name(card.model.family)
    return name[:1].upper() + name[1:]


def _state(card: Card) -> str:
    proof = card.proof
    if card.origin:
        said = f" It says: {_standing(card, proof)}" if proof else ""
        return f'<p class="state open">{_ORIGINS[card.origin][0]}{said}</p>'
    if proof is None:
        return '<p class="state open">Nothing is known of how close to optimal it is.</p>'
    return f'<p class="state {"proven" if proof.proven else "open"}">{_standing(card, proof)}</p>'


def _standing(card: Card, proof: Proof) -> str:
    if proof.proven:
        return f"✓ Proven optimal: {esc(proof.scope)}."
    return f"Not proven optimal: within {objective(proof.gap, card.model.family)} of the optimum."


def complexity(card: Card) -> list[tuple[str, int]]:
    """The sizes of a model, with their names."""
    model = card.model
    if isinstance(model, DecisionList):
        conditions = sum(len(rule.conditions) if rule.conditions else 1 for rule in model.rules)
        return [("rules", len(model.rules)), ("conditions", conditions)]
    clauses = [("clauses", len(model.rules))] if isinstance(model, RuleSet) else []
    return [*clauses, ("complexity", model.complexity)]


def _accuracy(accuracy: Accuracy | None) -> str:
    if accuracy is None:
        return NONE
    return f'{percent(accuracy.value)}&nbsp;% <span class="range">{_range(*accuracy.interval)}</span>'


def percent(value: float) -> str:
    """A share in percent, without the sign."""
    return NONE if math.isnan(value) else f"{100 * value:.1f}"


def _range(low: float, high: float) -> str:
    return f"{100 * low:.1f}–{100 * high:.1f}"


def _group_table(name: str, table: pd.DataFrame) -> str:
    heads = "".join(f'<th class="num">{short}</th>' for short in RATES.values())
    rows = "".join(_group_row(str(group), values) for group, values in table.iterrows())
    enough = table[~table["few"]]
    compared, without = (enough, " without *") if 1 < len(enough) < len(table) else (table, "")
    spread = "".join(f'<td class="num">{percent(compared[rate].max() - compared[rate].min())}</td>' for rate in RATES)
    return (
        f'<div class="box"><table class="groups"><thead><tr><th>{esc(name, 40)}</th>'
        f'<th class="num">rows</th>{heads}</tr></thead><tbody>{rows}'
        f'<tr class="spread"><th scope="row">largest difference{without}</th><td></td>{spread}</tr>'
        "</tbody></table></div>"
    )


def _group_row(group: str, values: pd.Series) -> str:
    few = "*" if values["few"] else ""
    cells = "".join(
        f'<td class="num">{percent(values[rate])}'
        f'<span class="range">{_range(values[f"{rate}_low"], values[f"{rate}_high"])}</span></td>'
        for rate in RATES
    )
    return f'<tr><th scope="row">{esc(group, 40)}{few}</th><td class="num">{count(values["weight"])}</td>{cells}</tr>'


def _fact_rows(pairs: Iterable[tuple[str, str]], marked: frozenset[str]) -> str:
    out = ""
    for name, value in pairs:
        differs = name in marked
        badge = ' <span class="badge">differs</span>' if differs else ""
        out += (
            f'<tr{" class=differs" if differs else ""}><th scope="row">{esc(name, 60)}{badge}</th>'
            f'<td class="{"num" if len(value) <= _SHORT else "long"}">{esc(value)}</td></tr>'
        )
    return out


def comparison(rows: Mapping[str, tuple[Accuracy | None, Accuracy | None, str]], caption: str) -> str:
    """A table of methods on the same split: accuracies and complexity."""
    body = "".join(
        f'<tr><th scope="row">{esc(name, 80)}</th><td class="num">{_accuracy(training)}</td>'
        f'<td class="num">{_accuracy(test)}</td><td class="num">{esc(complexity)}</td></tr>'
        for name, (training, test, complexity) in rows.items()
    )
    return (
        f'<table class="facts methods"><caption>{esc(caption)}</caption><thead><tr><th>method</th>'
        '<th class="num">training accuracy</th><th class="num">test accuracy</th><th class="num">complexity</th>'
        f"</tr></thead><tbody>{body}</tbody></table>"
    )
