"""One person: which rule of a list decides, and the least change of some columns that flips the decision.

The conditions of a list divide the values of each column into cells, and only the cell matters. A cell stands for the
set of rules that it leaves satisfied as far as the column goes; over all columns these sets intersect. Adding one
column after the other, it is enough to know for each intersection the least change that leads to it, so that all
combinations of cells are looked at without making each.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ..data.conditions import Condition
from ..models import DecisionList, ModelError, Rule
from .values import Values

_MOST_STATES = 100_000
_Way = tuple[int, float, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Decision:
    """What a list says of a person.

    Attributes
    ----------
    place : int
        Of the rule that decides; that of the default is the number of rules.
    label : object
        One of the model's classes.
    unmet : tuple of tuples of Condition
        Of each rule before it the conditions that do not hold.
    """

    place: int
    label: Any
    unmet: tuple[tuple[Condition, ...], ...]


@dataclass(frozen=True)
class Flip:
    """The least change that flips a decision.

    Attributes
    ----------
    changes : tuple of (str, str)
        The columns to change, and what they would have to be, in words; empty when nothing flips the decision.
    place : int
        Of the rule that would decide then; -1 when nothing flips the decision.
    label : object
        What it would say; None when nothing flips the decision.
    looked_at : int
        How many combinations of cells there are, of which none was left out.
    """

    changes: tuple[tuple[str, str], ...]
    place: int
    label: Any
    looked_at: int


def conditions_of(rule: Rule) -> tuple[Condition, ...]:
    """The conditions of a rule; an antecedent of which none are known is a column of its own."""
    return rule.conditions or (Condition(rule.name, "==", True),)


def columns_of(model: DecisionList) -> dict[str, tuple[Condition, ...]]:
    """The conditions of all rules by the columns that they test."""
    found: dict[str, tuple[Condition, ...]] = {}
    for rule in model.rules:
        for condition in conditions_of(rule):
            found[condition.column] = (*found.get(condition.column, ()), condition)
    return found


def decide(model: DecisionList, person: Mapping[str, Any]) -> Decision:
    """What the list says of a person.

    Parameters
    ----------
    model : DecisionList
    person : mapping
        The cell of each column that the rules test; None where it is missing.

    Raises
    ------
    ModelError
        When a column is not given.
    """
    unmet: list[tuple[Condition, ...]] = []
    for place, rule in enumerate(model.rules):
        wrong = tuple(c for c in conditions_of(rule) if not _holds(c, _cell(person, c.column)))
        if not wrong:
            return Decision(place, rule.prediction, tuple(unmet))
        unmet.append(wrong)
    return Decision(len(model.rules), model.default.prediction, tuple(unmet))


def nearest_flip(
    model: DecisionList, person: Mapping[str, Any], changeable: Collection[str], values: Mapping[str, Values]
) -> Flip:
    """The fewest columns, and of those the least change of their values, that give the other label.

    No column is changed to a missing value.

    Parameters
    ----------
    model : DecisionList
    person : mapping
        As for `decide`.
    changeable : collection of str
        Columns that may be changed.
    values : mapping
        What the cells of these columns may be.

    Raises
    ------
    ModelError
        When a column is not given, or the conditions are too many to look at all combinations.
    """
    now = decide(model, person)
    columns = columns_of(model)
    ways: dict[int, _Way] = {(1 << len(model.rules)) - 1: (0, 0.0, ())}
    sizes = []
    for name, conditions in columns.items():
        cells = _cells(model, name, conditions, _cell(person, name), values[name] if name in changeable else None)
        sizes.append(len(cells))
        further: dict[int, _Way] = {}
        for satisfied, (n, cost, changes) in ways.items():
            for left, (changed, price, said) in cells.items():
                way = (n + changed, cost + price, (*changes, (name, said)) if changed else changes)
                met = satisfied & left
                if met not in further or way < further[met]:
                    further[met] = way
        ways = further
        if len(ways) > _MOST_STATES:
            raise ModelError("the rules are too many to look at all changes of these columns; tick fewer")
    every = (*model.rules, model.default)
    best: tuple[_Way, int] | None = None
    for satisfied, way in ways.items():
        place = (satisfied & -satisfied).bit_length() - 1 if satisfied else len(model.rules)
        if every[place].prediction != now.label and (best is None or (way, place) < best):
            best = way, place
    if best is None:
        return Flip((), -1, None, prod(sizes))
    return Flip(best[0][2], best[1], every[best[1]].prediction, prod(sizes))


def _cells(
    model: DecisionList, name: str, conditions: tuple[Condition, ...], value: Any, values: Values | None
) -> dict[int, tuple[int, float, str]]:
    """For each cell of a column the rules that it leaves satisfied, as bits, and the least change that leads there."""
    changes = [] if values is None else list(values.others(value, conditions))
    cells = pd.Series([value, *(other for other, _, _ in changes)], dtype=object)
    satisfied = [0] * len(cells)
    for k, rule in enumerate(model.rules):
        held = np.ones(len(cells), dtype=bool)
        for condition in conditions_of(rule):
            if condition.column == name:
                held &= condition.evaluate(cells)
        for i in np.flatnonzero(held):
            satisfied[i] |= 1 << k
    found = {satisfied[0]: (0, 0.0, "")}
    for left, (_, price, said) in zip(satisfied[1:], changes, strict=True):
        if left not in found or (1, price, said) < found[left]:
            found[left] = (1, price, said)
    return found


def _holds(condition: Condition, value: Any) -> bool:
    return bool(condition.evaluate(pd.Series([value], dtype=object))[0])


def _cell(person: Mapping[str, Any], column: str) -> Any:
    if column not in person:
        raise ModelError(f"the rules test {column!r}, which is not given")
    return person[column]
