"""One person: which rule of a model decides, and the least change of some columns that flips the decision.

The conditions of a model divide the values of each column into cells, and only the cell matters. A cell stands for the
set of conjunctions that it leaves satisfied as far as the column goes; over all columns these sets intersect. Adding
one column after the other, it is enough to know for each intersection the least change that leads to it, so that all
combinations of cells are looked at without making each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ..data.conditions import Condition, as_text
from ..models import Clause, DecisionList, Model, ModelError, MultiClassRuleList, Rule, RuleSet
from ..models.rule import Literal

_MOST_STATES = 100_000
_MOST_CHOICES = 1000
_Way = tuple[int, float, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Decision:
    """What a model says of a person."""

    place: int
    """Of the rule that decides: the first that holds, or, of a CNF, that does not; the number of rules where there is
    none."""
    label: Any  # object: one of the model's classes
    unmet: tuple[tuple[Condition, ...], ...]
    """Of each rule before it, of a CNF of the rule that does not hold, the conditions that do not hold."""


@dataclass(frozen=True)
class Flip:
    """The least change that flips a decision."""

    changes: tuple[tuple[str, str], ...]
    """The columns to change, and what they would have to be, in words; empty when nothing flips the decision."""
    place: int  # of the rule that would decide then; -1 when nothing flips the decision
    label: Any  # object: what it would say; None when nothing flips the decision
    looked_at: int  # how many combinations of cells there are, of which none was left out


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one column."""

    numbers: np.ndarray | None = None
    """Float array or None: the cells seen, in order, with repetitions; None for a column that holds no numbers."""
    choices: tuple[Any, ...] = ()  # the distinct cells seen of any other column, most frequent first: texts or Booleans

    @classmethod
    def of(cls, column: pd.Series | None, conditions: Sequence[Condition]) -> Values:
        """Of a column of a table, or, without one, of what conditions say of it."""
        ordered = any(condition.operator in ("<=", ">") for condition in conditions)
        told = tuple(dict.fromkeys(c.value for c in conditions if c.value is not None))
        present = pd.Series(told, dtype=None if told else bool) if column is None else column.dropna()
        if pd.api.types.is_bool_dtype(present.dtype) or any(isinstance(c.value, bool) for c in conditions):
            return cls(choices=(True, False))
        of_texts = any(isinstance(c.value, str) for c in conditions)
        if ordered or (pd.api.types.is_numeric_dtype(present.dtype) and not of_texts):
            return cls(numbers=np.sort(pd.to_numeric(present).to_numpy(dtype=np.float64)))
        return cls(choices=tuple(map(str, as_text(present).value_counts().index[:_MOST_CHOICES])))

    def others(self, value: Any, conditions: Sequence[Condition]) -> Iterator[tuple[Any, float, str]]:
        """Values of all cells of the partition besides that of ``value``, what the change costs, and how to say it.

        A change of a number costs the share of the column's values that lie between; of anything else 1.
        """
        if self.numbers is None:
            told = (c.value for c in conditions if isinstance(c.value, str | bool))
            for choice in dict.fromkeys((*self.choices, *told)):
                if choice != value:
                    yield choice, 1.0, in_words(choice)
            return
        cuts = sorted({float(c.value) for c in conditions if c.operator in ("<=", ">")})
        for low, high in zip((None, *cuts), (*cuts, None), strict=True):
            nearest = self._nearest(value, low, high)
            yield nearest, self._between(value, nearest), _range(value, low, high)
        for condition in conditions:
            if condition.operator in ("==", "!="):
                for number in {float(condition.value), *np.unique(self.numbers).tolist()}:
                    if number != value:
                        yield number, self._between(value, number), in_words(number)

    def _nearest(self, value: Any, low: float | None, high: float | None) -> float:
        """The number nearest to ``value`` above ``low`` and at most ``high``; an unknown value is in the middle."""
        assert self.numbers is not None
        middle = float(np.median(self.numbers)) if len(self.numbers) else 0.0
        x = middle if value is None else float(value)
        if high is not None and x > high:
            return high
        if low is None or x > low:
            return x
        seen = self.numbers[np.searchsorted(self.numbers, low, side="right") :]
        beyond = float(seen[0]) if len(seen) else np.inf
        if high is None:
            return beyond if np.isfinite(beyond) else float(np.floor(low) + 1)
        return beyond if beyond <= high else high

    def _between(self, value: Any, other: float) -> float:
        assert self.numbers is not None
        if value is None or not len(self.numbers):
            return 1.0
        first, last = np.searchsorted(self.numbers, sorted((float(value), other)), side="right")
        return float(last - first) / len(self.numbers)


def _range(value: Any, low: float | None, high: float | None) -> str:
    """Of the cells between two cuts, what one would have to say to get there from ``value``."""
    below = "" if high is None else f"at most {high:.12g}"
    above = "" if low is None else f"more than {low:.12g}"
    from_above = high is not None and value is not None and float(value) > high
    first, second = (below, above) if from_above else (above, below)
    return " and ".join(filter(None, (first, second)))


def in_words(value: Any) -> str:
    """A cell that is not missing, as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def conditions_of(rule: Rule | Literal) -> tuple[Condition, ...]:
    """The conditions of a rule; an antecedent of which none are known is a column of its own."""
    return rule.conditions or (Condition(rule.name, "==", True),)


def conditions_of_clause(clause: Clause) -> tuple[Condition, ...]:
    """The conditions of all literals of a rule of a set."""
    return tuple(condition for literal in clause.literals for condition in conditions_of(literal))


def columns_of(*models: Model | MultiClassRuleList) -> dict[str, tuple[Condition, ...]]:
    """The distinct conditions of all rules of some models by the columns that they test."""
    found: dict[str, dict[Condition, None]] = {}
    for condition in (each for model in models for conjunction in _conjunctions(model) for each in conjunction):
        found.setdefault(condition.column, {})[condition] = None
    return {name: tuple(conditions) for name, conditions in found.items()}


def decide(model: DecisionList | RuleSet, person: Mapping[str, Any]) -> Decision:
    """What the model says of a person, given the cells of the columns that rules test, None for a missing one."""
    conjunctions = _conjunctions(model)
    wrong = [tuple(c for c in each if not _holds(c, _cell(person, c.column))) for each in conjunctions]
    held = sum({1 << conjunctions.index(each) for each, unmet in zip(conjunctions, wrong, strict=True) if not unmet})
    place, label = _outcome(model, conjunctions)(held)
    if isinstance(model, RuleSet) and model.form == "cnf":
        parts = _parts(model)
        return Decision(place, label, tuple(wrong[k] for k in parts[place]) if place < len(parts) else ())
    return Decision(place, label, tuple(wrong[:place]))


def flip_in_all(
    models: Sequence[DecisionList | RuleSet],
    person: Mapping[str, Any],
    changeable: Collection[str],
    values: Mapping[str, Values],
) -> Flip:
    """The fewest columns, and of those the least change of their values, with which all models change their mind.

    All say then what the first of them does not say now; ``place`` is that of the first one. ``changeable`` columns
    change, none to a missing value. Raises ModelError when a column is not given, or there are too many combinations.
    """
    now = decide(models[0], person)
    conjunctions = [*dict.fromkeys(each for model in models for each in _conjunctions(model))]
    ways: dict[int, _Way] = {(1 << len(conjunctions)) - 1: (0, 0.0, ())}
    sizes = []
    for name, conditions in columns_of(*models).items():
        cells = _cells(
            conjunctions, name, conditions, _cell(person, name), values[name] if name in changeable else None
        )
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
    first, *others = [_outcome(model, conjunctions) for model in models]
    flipping = [(way, *first(satisfied), satisfied) for satisfied, way in ways.items()]
    for way, place, label, satisfied in sorted(flipping, key=lambda each: each[:2]):
        if label != now.label and all(other(satisfied)[1] == label for other in others):
            return Flip(way[2], place, label, prod(sizes))
    return Flip((), -1, None, prod(sizes))


def _conjunctions(model: Any) -> list[tuple[Condition, ...]]:
    """What is tested: of a list, and a DNF, each rule, of a CNF each literal of each clause."""
    if not isinstance(model, RuleSet):
        return [conditions_of(rule) for rule in model.rules]
    if model.form == "dnf":
        return [conditions_of_clause(clause) for clause in model.rules]
    return [conditions_of(literal) for clause in model.rules for literal in clause.literals]


def _parts(model: DecisionList | RuleSet) -> list[range]:
    """The places of each rule's conjunctions among all that are tested."""
    sizes = [1] * len(model.rules)
    if isinstance(model, RuleSet) and model.form == "cnf":
        sizes = [len(clause.literals) for clause in model.rules]
    ends = np.cumsum([0, *sizes]).tolist()
    return [range(first, end) for first, end in pairwise(ends)]


def _outcome(
    model: DecisionList | RuleSet, conjunctions: Sequence[tuple[Condition, ...]]
) -> Callable[[int], tuple[int, Any]]:
    """From those of some conjunctions that hold, as bits, to the place of the rule that decides, and the label."""
    own, n = _conjunctions(model), len(model.rules)
    masks = [sum({1 << conjunctions.index(own[k]) for k in places}) for places in _parts(model)]
    cnf = isinstance(model, RuleSet) and model.form == "cnf"
    if isinstance(model, DecisionList):
        labels = [rule.prediction for rule in (*model.rules, model.default)]
    else:
        negative, positive = model.classes[0], model.classes[-1]
        labels = [negative] * n + [positive] if cnf else [positive] * n + [negative]

    def outcome(satisfied: int) -> tuple[int, Any]:
        place = next((k for k, mask in enumerate(masks) if bool(satisfied & mask) is not cnf), n)
        return place, labels[place]

    return outcome


def _cells(
    conjunctions: list[tuple[Condition, ...]],
    name: str,
    conditions: tuple[Condition, ...],
    value: Any,
    values: Values | None,
) -> dict[int, tuple[int, float, str]]:
    """For each cell of a column the conjunctions that it leaves satisfied, as bits, and the least change to it."""
    changes = [] if values is None else list(values.others(value, conditions))
    cells = pd.Series([value, *(other for other, _, _ in changes)], dtype=object)
    satisfied = [0] * len(cells)
    for k, conjunction in enumerate(conjunctions):
        held = np.ones(len(cells), dtype=bool)
        for condition in conjunction:
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
