"""The parts of a card whose lines stand on one height on all cards side by side. All text goes through `esc`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ... import glossary
from ...models import MultiClassRuleList
from ...report import Known
from ...report.known import compared
from ..widgets.esc import esc
from . import html
from .card import BROWSER, FILE, KEPT, Card, named, worded
from .differences import LETTERS, Differences, default_names, differences, same_rows
from .figures import EXPLAINED, TERMS, Figure, Together, Value, change, dots, ends, figures, together
from .incumbent import doubt_list
from .rule_tables import class_tables, n_lines
from .scores import Scores
from .templates import filled, percent, signed

_SOURCES = {
    FILE: "As the file says; not checked here.",
    BROWSER: "As the browser kept it; not checked here.",
    KEPT: "As the kept run says.",
}

_SIDES = ("false_positive", "true_positive")


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
    """What a card is told of those that it stands side by side with."""

    letter: str = ""  # what it is called there
    name: str = ""
    marked: Differences = Differences()  # what they do not share
    attributes: tuple[str, ...] = ()  # sensitive attributes of any of them: each has a line
    beside: Beside | None = None  # the card that it is compared with
    shared: Together = Together()  # what they do share


ALONE = Place()
"""Of a card without others."""


def places(cards: Sequence[Card], scores: Sequence[Scores], base: int | None = None, only: bool = False) -> list[Place]:
    """The places of cards side by side.

    `scores`: of each card. `base`: which of the cards the others are compared with. `only`: whether what is the same on
    all cards is left out.
    """
    beside = None if base is None else Beside(LETTERS[base], cards[base], scores[base])
    attributes = tuple(dict.fromkeys(name for own in scores for name in own.groups))
    shared = together(cards, scores, only)
    own = zip(LETTERS, default_names(cards), differences(cards, only), strict=False)
    return [
        Place(letter, name, marked, attributes, None if k == base else beside, shared)
        for k, (letter, name, marked) in enumerate(own)
    ]


def rules(card: Card, place: Place = ALONE) -> Section:
    """The rules in words; side by side with others, each on one height with the rule of that place on other cards."""
    table = html.rules(card, place.marked, place.shared.only)
    if place.shared.n_cards < 2:
        return Section(f"<div>{table}</div>")
    layout = f"lines ranks {place.shared.layout}"
    return Section(f'<div class="{layout}">{table}</div>', place.marked.places or n_lines(card.model))


def figures_of(card: Card, scores: Scores, place: Place = ALONE) -> Section:
    """What is known of how good the model is: a line per figure, the same ones on every card."""
    beside, shared = place.beside, place.shared
    own = figures(card, scores, None if beside is None else beside.card)
    others: list[Figure] = [] if beside is None else figures(beside.card, beside.scores)
    lines = []
    for k, figure in enumerate(own):
        alike = figure.name in shared.alike
        if alike and shared.only:
            continue
        base = others[k].values if others and figure.compared else ()
        scale = shared.scales.get(figure.name)
        cells = [
            _cell(value, base[i] if i < len(base) else None, figure, scale, hollow=len(figure.values) > 1 and i == 0)
            for i, value in enumerate(figure.values)
        ]
        said = "" if scale is None else ends(figure, scale)
        lines.append({"name": figure.name, "unit": figure.unit, "scale": said, "alike": alike, "cells": cells})
    both = scores.training, scores.test
    scaled = any(one is not None and (one.blind or one.counted.weight != one.counted.n_rows) for one in both)
    strips = [(None, 0) if one is None else (one.outcomes, one.counted.weight) for one in both]
    given = {
        "what": "weight" if scaled or "training weight" in card.data else "rows",
        "letter": "" if beside is None else beside.letter,
    }
    return Section(filled("card_figures.html", lines=lines, strips=strips, **given), len(lines) + 2)


def fairness(card: Card, scores: Scores) -> str:
    """What the fairness constraint costs; empty where there is none."""
    if not card.fairness:
        return ""
    parts = []
    for on, own, free in zip(("training", "test"), (scores.training, scores.test), scores.free, strict=True):
        if own is not None and free is not None:
            ours, theirs = own.rate("accuracy"), free.rate("accuracy")
            parts.append(
                f"{percent(ours)}&nbsp;% instead of {percent(theirs)}&nbsp;% of the {on} rows are right "
                f"({signed(ours - theirs)} points)"
            )
    price = (
        f"Price of the constraint: {', '.join(parts)}, compared with the best model found without it."
        if parts
        else "What the constraint costs is not known: no model without it was kept with this one."
    )
    return f'<p class="state open">Fairness: {esc(card.fairness)}. {price}</p>'


def doubts(card: Card, scores: Scores) -> str:
    """What is to be doubted of the model; may be empty."""
    counted = None if scores.training is None else scores.training.counted
    sensitive = None if card.rows is None else card.rows.data.sensitive
    several = isinstance(card.model, MultiClassRuleList)
    known = Known(
        card.named,
        rows=() if counted is None or several else [counted.rows_of(f"{side}_rate") for side in _SIDES],
        counted=counted,
        gap=None if card.proof is None else card.proof.gap,
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
    of = "test" if scores.on_test else "training"
    known = bool(scores.groups or scores.left_out)
    title = f"<h3>Rates per group, {of} rows</h3>{html.groups_note(scores)}" if known else ""
    same = beside is not None and beside.scores.on_test == scores.on_test and same_rows(card, beside.card)
    base = beside.scores.groups if beside is not None and same else {}
    letter = "" if beside is None else beside.letter
    tables = [
        html.group_table(name, scores.groups[name], base.get(name), letter) if name in scores.groups else ""
        for name in names
    ]
    parts = "".join(f'<div class="line">{part}</div>' for part in (title, *tables))
    return Section(f'<div class="lines">{parts}</div>', 1 + len(tables))


def facts(card: Card, place: Place = ALONE) -> Section:
    """Data and parameters; those that differ from the other cards are marked, the others are pale."""
    marked = place.marked
    names = marked.names if marked.places else tuple(card.facts)
    notes = [_SOURCES[card.origin] if card.origin else ""]
    if not card.facts:
        notes.append("Nothing is known of the data and parameters.")
    elif not names:
        notes.append("The same on all cards.")
    rows = [
        {
            "name": named(card, name),
            "differs": name in marked.facts,
            "kind": " differs" if name in marked.facts else " quiet" if marked.places else "",
            "value": worded(card, name) if name in card.facts else None,
        }
        for name in names
    ]
    return Section(filled("card_facts.html", notes=notes, rows=rows), len(rows) + 1)


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
    said = (*known.items(), *TERMS.items())
    body = "".join(f"<dt>{esc(name)}</dt><dd>{esc(words, 400)}</dd>" for name, words in said)
    return f"<details><summary>What these figures mean</summary><dl>{body}</dl></details>"


def _cell(
    value: Value, base: Value | None, figure: Figure, scale: tuple[float, float] | None, hollow: bool
) -> dict[str, str]:
    """A number with what is said beside it, how much it differs from the other card's, and where both stand."""
    return {
        "text": value.text,
        "small": value.small,
        "delta": "" if base is None else change(value, base, figure.scale),
        "drawn": "" if scale is None else dots(value, figure, scale, base, hollow),
    }
