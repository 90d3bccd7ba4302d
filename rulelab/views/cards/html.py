"""A model card as HTML, the same on the page and in the report; cards side by side have their lines on one height.

All text goes through `esc`, or is filled in as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup

from ... import glossary
from ...data.gaps import MEASURED, largest_difference
from ...data.metrics import FEW, RATES
from ...models import MultiClassRuleList
from ...report import Known
from ...report.known import compared
from ..live.wording import filled, together
from .card import Card, kind, named, worded
from .differences import LETTERS, default_names, facts_apart, remarks, same_rows
from .rule_tables import class_tables, n_lines, rules_table
from .scores import EXPLAINED, TERMS, Score, Scores, alike, change, doubt_list, figures

_SIDES = ("false_positive", "true_positive")
_PLURALS = {"accuracy": "accuracies", "precision": "precisions"}
COMPARED = [rate for rate in RATES if any(rate in compared for compared in MEASURED.values())]
"""The rates that fairness criteria compare; the others unfold."""
_METHODS = {"accuracy": "accuracy", "true_positive_rate": "recall", "precision": "precision"}


class Section(NamedTuple):
    """A part of a card."""

    html: str
    lines: int = 1  # of how many lines, which stand on one height on all cards side by side


class Beside(NamedTuple):
    """The card that another one is compared with."""

    letter: str
    card: Card
    scores: Scores


class Place(NamedTuple):
    """What a card is told of those that it stands side by side with; by default there are none."""

    letter: str = ""  # what it is called there
    name: str = ""
    remarks: tuple[str, ...] = ()  # per line of its table of rules; empty where all cards have the rule
    differing: frozenset[str] = frozenset()  # facts that are not the same on all cards that have them
    beside: Beside | None = None  # the card that it is compared with
    n_cards: int = 1
    only: bool = False  # whether what is the same on all cards is left out
    ranks: int = 0  # lines that the table of rules takes, as on the card of the most rules
    facts: tuple[str, ...] = ()  # those that have a line, in order: of any card
    attributes: tuple[str, ...] = ()  # sensitive attributes of any card: each has a line
    alike: frozenset[str] = frozenset()  # lines of figures that read the same on all cards


ALONE = Place()


def places(cards: Sequence[Card], scores: Sequence[Scores], base: int | None = None, only: bool = False) -> list[Place]:
    """The places of cards side by side, with the scores of each; ``base``: which one the others are compared with."""
    names = default_names(cards)
    if len(cards) < 2:
        return [Place(LETTERS[0], name) for name in names]
    differing = facts_apart(cards)
    facts = dict.fromkeys(name for card in cards for name in card.facts)
    shared: dict[str, Any] = {
        "n_cards": len(cards),
        "only": only,
        "ranks": max(n_lines(card.model) for card in cards),
        "facts": tuple(name for name in facts if not only or any(name in own for own in differing)),
        "attributes": tuple(dict.fromkeys(name for own in scores for name in own.groups)),
        "alike": alike(cards, scores),
    }
    beside = None if base is None else Beside(LETTERS[base], cards[base], scores[base])
    own = zip(LETTERS, names, remarks(cards), differing, strict=False)
    return [Place(*each, None if k == base else beside, **shared) for k, each in enumerate(own)]


def rules(card: Card, place: Place = ALONE) -> Section:
    """The rules in words; side by side with others, each on one height with the rule of that place on other cards."""
    several = place.n_cards > 1
    known = card.rows or card.classes
    training = None if known is None else known.training_rows
    counted = card.rows is not None and card.rows.weighted.weight is None
    table = rules_table(card.model, card.names, card.target, place.remarks, several, place.only, counted, training)
    if not several:
        return Section(f"<div>{table}</div>")
    width = f"of{place.n_cards}" if place.n_cards in (2, 3) else "many"
    return Section(f'<div class="lines ranks {width}">{table}</div>', place.ranks)


def head(card: Card, letter: str = "", name: str = "") -> str:
    """Name, family, what is predicted, and what is proven; without a name it stands somewhere else."""
    proof, constant = card.proof, Known(card.model).is_constant
    proven = proof is not None and proof.proven and not card.origin
    return filled(
        "card_head.html",
        letter=letter,
        name=name,
        kind=kind(card),
        card=card,
        positive=None if isinstance(card.model, MultiClassRuleList) else card.positive,
        tone="plain" if constant else "proven" if proven else "open",
        constant=constant,
        gap="" if proof is None else together(proof.objective, proof.lower_bound, card.model.family)[2],
    )


def figures_of(card: Card, scores: Scores, place: Place = ALONE) -> Section:
    """What is known of how good the model is: a line per figure, the same ones on every card."""
    beside, both = place.beside, (scores.training, scores.test)
    own = figures(card, scores, None if beside is None else beside.card)
    others = own if beside is None else figures(beside.card, beside.scores)
    pairs = zip(own, others, strict=True)
    lines = [pair for pair in pairs if not (place.only and pair[0].name in place.alike)]
    scaled = any(one is not None and (one.blind or one.counted.weight != one.counted.n_rows) for one in both)
    what = "weight" if scaled or "training weight" in card.data else "rows"
    said = filled("card_figures.html", lines=lines, place=place, change=change, both=both, what=what)
    return Section(said, len(lines) + 2)


def fairness(card: Card, scores: Scores) -> str:
    """What the fairness constraint costs; empty where there is none."""
    both = zip(("training", "test"), (scores.training, scores.test), scores.free, strict=True)
    return filled("card_fairness.html", fairness=card.fairness, both=[each for each in both if None not in each])


def doubts(card: Card, scores: Scores) -> str:
    """What is to be doubted of the model; may be empty."""
    counted = None if scores.training is None else scores.training.counted
    sensitive = None if card.rows is None else card.rows.data.sensitive
    several, proof = isinstance(card.model, MultiClassRuleList), card.proof
    known = Known(
        card.named,
        rows=() if counted is None or several else [counted.rows_of(f"{side}_rate") for side in _SIDES],
        counted=counted,
        ends=None if proof is None else (proof.objective, proof.objective if proof.proven else proof.lower_bound),
        effective=None if counted is None or counted.rows is None else counted.trials("accuracy")[1],
        test=None if scores.test is None else scores.test.counted,
        groups=scores.groups,
        on_test=scores.on_test,
        compared=compared(card.fairness or card.parameters.get("criterion")),
        fewer=card.fewer,
        sensitive=() if sensitive is None else tuple(map(str, sensitive)),
        target=card.target,
    )
    return doubt_list(known)


def groups(card: Card, scores: Scores, place: Place = ALONE) -> Section:
    """Tables of the groups of all attributes that cards side by side have: a line for each, and a heading."""
    names, beside = place.attributes or tuple(scores.groups), place.beside
    same = beside is not None and beside.scores.on_test == scores.on_test and same_rows(card, beside.card)
    base = beside.scores.groups if beside is not None and same else {}
    letter = "" if beside is None else beside.letter
    tables = [
        group_table(name, scores.groups[name], base.get(name), letter) if name in scores.groups else ""
        for name in names
    ]
    note = groups_note(scores) if scores.groups or scores.left_out else ""
    return Section(filled("card_groups.html", note=note, tables=tables, on_test=scores.on_test), 1 + len(tables))


def facts(card: Card, place: Place = ALONE) -> Section:
    """Data and parameters; those that differ from the other cards are marked, the others are pale."""
    names = place.facts if place.n_cards > 1 else tuple(card.facts)
    said = {name: (named(card, name), worded(card, name) if name in card.facts else None) for name in names}
    return Section(filled("card_facts.html", said=said, card=card, place=place), len(names) + 1)


def sections(card: Card, scores: Scores, place: Place) -> dict[str, Section]:
    """What is written on a card under its heading, in order, by the names of the parts."""
    return {
        "rules": rules(card, place),
        "figures": figures_of(card, scores, place),
        "by_class": Section(class_tables(card.model, card.classes)),
        "doubts": Section(doubts(card, scores)),
        "fairness": Section(fairness(card, scores)),
        "groups": groups(card, scores, place),
        "facts": facts(card, place),
    }


def terms() -> str:
    """What the lines of the cards mean."""
    known = {name: term.sentence for name in EXPLAINED if (term := glossary.find(name))}
    return filled("terms.html", said=known | TERMS)


def groups_note(scores: Scores) -> str:
    """What is to be known about the tables of groups."""
    few = any((table[f"{rate}_rows"] < FEW).any() for table in scores.groups.values() for rate in RATES)
    return filled("groups_note.html", left_out=scores.left_out, few=few, FEW=FEW)


def notes(card: Card) -> str:
    """Intended use and limits, as text."""
    return filled("card_notes.html", notes=(("Intended use", card.intended_use), ("Limits", card.limits)))


def group_table(name: str, table: pd.DataFrame, base: pd.DataFrame | None = None, letter: str = "") -> str:
    """Rates of the groups of an attribute, see `group_rates`; ``base``: those of the card that is called ``letter``."""
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


def rates_of_groups(
    tables: Mapping[str, pd.DataFrame],
    compared: Sequence[str] = (),
    free: pd.DataFrame | None = None,
    on_test: bool = False,
) -> str:
    """The rates of groups of people on the training or the test rows, a table for each attribute, to be unfolded; HTML.

    `compared`: the rates that were asked to be alike among the groups of the first table, which is unfolded. `free`:
    that table for the best model of all, where the model is not that.
    """
    shown = []
    for k, (name, table) in enumerate(tables.items()):
        asked = list(compared) if k == 0 else []
        found = {rate: largest_difference(table, rate) for rate in asked or COMPARED}
        widest = {rate: each for rate, each in found.items() if each is not None}
        if not asked and widest:
            rate = max(widest, key=lambda rate: widest[rate].value)
            widest = {rate: widest[rate]}
        said = [(_PLURALS.get(rate, f"{rate.replace('_', ' ')}s"), each.value) for rate, each in widest.items()]
        html = group_table(name, table, free if k == 0 else None, "the best model without the constraint")
        shown.append((name, said, Markup(html), bool(asked)))
    of = "test" if on_test else "training"
    return filled("answer_groups.html", tables=shown, of=of, without=free is not None, few=FEW)


def comparison(rows: Mapping[str, tuple[Score | None, Score | None, str]], caption: str) -> str:
    """A table of methods on the same split: rates in percent on training and test rows, and complexity."""
    return filled("methods.html", rows=rows, caption=caption, shown=_METHODS)
