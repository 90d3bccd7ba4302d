"""The report of model cards for those who decide: what was asked, of which data, what else was tried, and the rest."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from ... import __version__
from ...assets import at_once
from ...certificate import Certificate, CertificateError
from ...certificate.falling_rule_list.states import falling_states
from ...certificate.rule_list.states import grid
from ...data.metrics import confusion_from
from ...data.problem import Problem
from ...families import record_of
from ...models import ModelError
from ...proving import prove
from ...sweeps.baselines import BASELINES
from ...sweeps.plan import make_plan
from ...sweeps.result import Scores as Counted
from ..live.wording import NONE, counted, filled, today
from ..widgets.style import MODEL_CSS, sheet
from .card import Card, kind, parameters_in_words, worded
from .differences import incomparable
from .exports import FORMS, source_of
from .html import Section, comparison, head, notes, places, sections, terms
from .rows import KEPT_ROWS, Rows
from .scores import Score, Scores
from .verifying import refusal

_SQL = "SQL (DuckDB)"
_AIMS = ("measure", "choice")  # kinds of the parameters that say what is to be least
_MADE_OF = {"thresholds": "quantile groups", "max_conditions": "conditions per rule"}
"""Facts of a card that say how conditions were made, by the parameters that do."""
_MOST_CARRIED, _PROOF_SECONDS = 3_000_000, 20  # characters of a proof in a report, and seconds that making it may take
_CHECKER = "proof_format.js", "proof_checker.js", "falling_checker.js", "proof_page.js"
_KNOWN = {  # parameters and arrays of the proofs that it checks
    "rule_list": ({"regularization"}, {"sets", "values", "lemmas", "pairs", "multipliers", "parts"}),
    "falling_rule_list": ({"regularization", "positive_weight"}, {"parents", "antecedents", "values"}),
}

Row = tuple[Score | None, Score | None, str]
"""Scores on the training rows and on the test rows, complexity."""


def report(
    cards: Sequence[Card],
    scores: Sequence[Scores],
    verdicts: Sequence[str] = (),
    comparisons: Sequence[str] = (),
    base: int | None = None,
    only: bool = False,
    withstood: Sequence[str] = (),
) -> str:
    """All cards as one file that opens without a network: no address, all text escaped, no script but a proof's check.

    `verdicts`: of each card: what its check said; empty where it was not checked. `comparisons`: tables of other
    methods, as `comparison` gives them. `base`, `only`: see `places`. `withstood`: of each card: how many rows may
    change before another list wins; empty where nobody has asked.
    """
    said, robust = (list(each) or [""] * len(cards) for each in (verdicts, withstood))
    own_places = places(cards, scores, base, only)
    names = [card.name or place.name for card, place in zip(cards, own_places, strict=True)]
    articles, proofs = [], [_proof(card) for card in cards]
    script = at_once("checkAllHere()", *_CHECKER) if any("carried-proof" in proof for proof in proofs) else ""
    for k, (card, own, place) in enumerate(zip(cards, scores, own_places, strict=True)):
        checked = [f"Independent check: {said[k]}" if said[k] else "", f"Robustness: {robust[k]}." if robust[k] else ""]
        above = head(card, place.letter, names[k]), filled("notes.html", notes=checked) + proofs[k], _asked(card)
        tried = filled("report_tried.html", runs=None if KEPT_ROWS.tried is None else KEPT_ROWS.tried(card))
        below = _baselines(card, own), tried, notes(card), _code(card)
        articles.append([*map(Section, above), *sections(card, own, place).values(), *map(Section, below)])
    return filled(
        "report.html",
        script=Markup(script),
        allowed=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        names=names,
        css=Markup(sheet("report.css") + MODEL_CSS.replace(":host", "body")),
        version=__version__,
        date=today(),
        advice=incomparable(cards) if len(cards) > 1 else "",
        articles=articles,
        terms=Markup(terms()),
        others=Markup("".join(comparisons)),
    )


def question(card: Card) -> str:
    """What was asked, as far as the card knows it, as a sentence."""
    own = record_of("least_gap" if card.is_of_least_gap else "", card.model.family).own
    clauses: dict[bool, list[str]] = {True: [], False: []}
    for each in own:
        fact = each.name.replace("_", " ")
        usual = parameters_in_words({each.name: each.default}).get(fact)
        if fact in card.parameters and fact != "fairness" and (each.named or card.parameters[fact] != usual):
            clause = each.clause or f"{re.split('[:(]', each.title)[0].strip().lower()} {{}}"
            clauses[each.named and each.kind in _AIMS].append(clause.format(worded(card, fact).partition(":")[0]))
    aims = [f"{'' if card.is_of_least_gap else 'with '}{aim}" for aim in clauses[True]] or ["with the fewest errors"]
    where = f"On {card.title}" + (f" predict {card.target} = {card.positive}" if card.target else "")
    fair = [f"fairness: {card.fairness}"] if card.fairness else []
    return ", ".join([f"{where} by the {kind(card)} {' '.join(aims)}", *clauses[False], *fair]) + "."


def _proof(card: Card) -> str:
    """The proof of a card as the script of the report checks it, or that it cannot; empty where there is none."""
    if refusal(card):
        return ""
    text, rows = "", None
    if card.search is not None and card.search.family in _KNOWN:
        problem = card.search.problem
        with suppress(CertificateError, TimeoutError):
            certificate = prove(card.search, time_limit=_PROOF_SECONDS)
            if can_be_carried(problem, certificate):
                text = json.dumps(carried(problem, card.model, certificate)).replace("/", "\\/").replace("<", "\\u003c")
                rows = problem.positives + problem.negatives
    return filled("report_proof.html", proof=Markup(text if len(text) <= _MOST_CARRIED else ""), rows=rows)


def can_be_carried(problem: Problem, certificate: Certificate) -> bool:
    """Whether it is a proof about all lists of a kind that the script knows, with costs that are exact."""
    parameters, (needed, known) = certificate.parameters, _KNOWN.get(certificate.family, ({""}, set()))
    if set(parameters) != needed or not set(certificate.arrays) <= known or not problem.integral:
        return False
    price, weight = parameters["regularization"], parameters.get("positive_weight")
    exact = grid(problem, price).exact if weight is None else not falling_states(problem, price, weight).hidden
    return exact and problem.total_weight < 1 << 49  # of which the script adds up twelve without rounding


def carried(problem: Problem, model: Any, certificate: Certificate) -> dict[str, Any]:
    """A proof with the counts and the model that it is about, as plain types; the book has the format."""
    sides, ordered = ("positives", "negatives"), problem.in_order()  # no order of the rows changes it
    counts = {"patterns": np.packbits(ordered.matrix(), axis=1)} | {side: getattr(ordered, side) for side in sides}
    rules = (*model.rules, model.default)
    says = [{"if": rule.antecedent, "predicts": int(rule.prediction == problem.classes[1])} for rule in rules]
    captures = [{side: int(getattr(rule, side)) for side in sides} for rule in rules]
    head = {"format": 1, "family": certificate.family, "parameters": dict(certificate.parameters)}
    return head | {
        "positive_weight": getattr(model, "positive_weight", None),
        "counts": {"antecedents": problem.n_antecedents} | {name: _packed(each) for name, each in counts.items()},
        "model": [{**one, **other} for one, other in zip(says, captures, strict=True)],
        "arrays": {name: _packed(each) for name, each in certificate.arrays.items()},
    }


def _packed(array: np.ndarray) -> dict[str, Any]:
    """An array of bytes or of integers as text, the lowest byte of a number first."""
    given = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"type": given.dtype.str, "shape": given.shape, "base64": base64.b64encode(given.tobytes()).decode()}


def _asked(card: Card) -> str:
    """The question, the roles of the columns, how the rows were dealt, and the hash of those that were trained on."""
    known = card.rows or card.classes
    given = {"data": None if known is None else known.data, "rows": card.rows, "hash": source_of(card).hash}
    return filled("report_asked.html", question=question(card), card=card, **given)


def _code(card: Card) -> str:
    """The model as a statement for a database, and Python that makes it again."""
    try:
        statement = FORMS[_SQL][1](card.named, source_of(card))
    except ModelError as error:
        statement = f"-- There is none: {error}."
    return filled("code.html", sql=_SQL, statement=statement, python=card.code)


def _baselines(card: Card, scores: Scores) -> str:
    """The model beside one answer for everybody, and a tree and a greedy list that are as large, on the same rows."""
    rows, size = card.rows, len(card.model.rules)
    if rows is None or scores.training is None or len(card.model.classes) != 2:
        return ""
    numbers = {name: re.search(r"\d+", card.parameters.get(fact, "")) for name, fact in _MADE_OF.items()}
    made = {name: int(found[0]) for name, found in numbers.items() if found}
    asked = {"cart": {**made, "max_leaf_nodes": size + 1}, "greedy_list": {**made, "max_length": size}}
    found = {"this model": row_of(card, scores)}
    counted = scores.training.counted
    majority = counted.actual_positive > counted.actual_negative
    found["one answer for everybody"] = _same(scores.training, majority), _same(scores.test, majority), NONE
    note = ""
    try:
        found |= fitted(replace(rows, data=rows.weighted), lambda doing: None, asked if size else {})
    except ValueError as error:
        note = f"No other methods: {error}."
    caption = "Tree and greedy list have as many rules at most, of conditions made in the same way."
    return filled("report_baselines.html", table=Markup(comparison(found, caption)), note=note)


def _same(score: Score | None, positive: bool) -> Score | None:
    """What one answer for everybody gets right on the rows of a score."""
    if score is None:
        return None
    sides = score.counted.actual_positive, score.counted.actual_negative
    said = sides if positive else (0, 0)
    return replace(score, counted=confusion_from(*said, *sides), blind=score.blind or score.counted.rows is not None)


def fitted(rows: Rows, report: Callable[[str], None], methods: Mapping[str, Mapping[str, Any]]) -> dict[str, Row]:
    """Fit baselines with these parameters on the training rows; ValueError when they cannot be used."""
    report("binarizing")
    plan = make_plan(rows.data, cv=0, sensitive=None, resample=None, random_state=0, time_limit=None, gap=0.0)
    if rows.test is not None:
        plan.fold_of[rows.test] = 0  # none is dealt to a fold but by the split of the card
    fold, out = plan.fold(0), {}
    for name, own in methods.items():
        method = BASELINES[name]
        if name == "compas_score" and plan.score is None:
            continue
        report(f"fitting: {method.title}")
        taken = {each: value for each, value in own.items() if each in method.defaults}
        found = method.fit(fold, {**method.defaults, **taken}, plan, None, lambda: False)
        both = Counted.of(fold.train, found.train), Counted.of(fold.test, found.test)
        size = NONE if found.rules is None or found.conditions is None else size_of(found.rules, found.conditions)
        training, test = (None if each is None else Score(each.whole) for each in both)
        out[method.title] = training, test, size
    return out


def row_of(card: Card, scores: Scores) -> Row:
    """A card among other methods."""
    return scores.training, scores.test, size_of(len(card.model.rules), card.model.n_conditions)


def size_of(rules: int, conditions: int) -> str:
    """How large a model is, in words."""
    return f"{counted(rules, 'rules')}, {counted(conditions, 'conditions')}"
