"""What cards call a model, its parameters and their values: as the form of the page does."""

from __future__ import annotations

import re
from functools import cache

from ...families import EVERY_FAMILY, OFFERED, TIME, Parameter, record_of
from ..live.wording import family_name
from .card import Card

_MADE_OF = {"quantile groups": "thresholds", "negations": "negations"}
"""Facts of a card whose parameter has another name."""
_UNIT = re.compile(r" \((s|MB)\)$")
"""Behind the name of a field; on a card it stands behind the number."""


def kind(card: Card) -> str:
    """What a model of a card is, such as "rule list of least gap"."""
    name = family_name(card.model.family)
    return f"{name} of least gap" if card.is_of_least_gap else name


def named(card: Card, fact: str) -> str:
    """What the form calls a parameter of a card; the name of any other fact as it is."""
    parameter = _parameters(card.model.family, card.is_of_least_gap).get(fact)
    if parameter is None:
        return fact
    title = _UNIT.sub("", parameter.title)
    return title[:1].lower() + title[1:]


def worded(card: Card, fact: str) -> str:
    """The value of a fact of a card, as the form shows it."""
    value = card.facts[fact]
    parameter = _parameters(card.model.family, card.is_of_least_gap).get(fact)
    if parameter is None:
        return value
    if parameter.kind == "switch":
        return {"True": "yes", "False": "no"}.get(value, value)
    choices = (each.replace("_", " ") for each in parameter.choices)
    return dict(zip(choices, parameter.said, strict=False)).get(value.replace("_", " "), value)


def setting(card: Card, fact: str) -> str:
    """A parameter with its value in few words, such as "set complexity C 8"."""
    return f"{named(card, fact).partition(':')[0]} {worded(card, fact).partition(':')[0]}"


@cache
def _parameters(family: str, of_least_gap: bool) -> dict[str, Parameter]:
    """Parameters by the names that cards keep them under: those of a family, and of others what it does not have.

    A card beside another one has a line for whatever the other was set to.
    """
    searches = [record_of("least_gap" if of_least_gap else family, family), EVERY_FAMILY[family], *OFFERED.values()]
    every = [each for record in searches for each in record.own]
    every += [*EVERY_FAMILY[family].parameters, *(each for record in searches for each in record.parameters), TIME]
    found = {each.name: each for each in reversed(every)}
    facts = {name.replace("_", " "): each for name, each in found.items()}
    return {**facts, **{fact: found[name] for fact, name in _MADE_OF.items()}}
