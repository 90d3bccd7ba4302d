"""Models as they are edited: what a person chooses of a rule list, a falling rule list or a rule set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.problem import Problem
from ..models import FallingRuleList, RuleList, RuleSet


@dataclass(frozen=True)
class EditedList:
    """Rules that keep their labels, whatever they come to capture.

    Attributes
    ----------
    antecedents : tuple of int
        Indices of a problem's antecedents, in order.
    labels : tuple of int
        0 or 1, the index of a class, for each rule, and at last for the default.
    """

    antecedents: tuple[int, ...]
    labels: tuple[int, ...]

    @classmethod
    def of(cls, model: RuleList) -> EditedList:
        """The rules of a model."""
        every = (*model.rules, model.default)
        return cls(model.antecedents, tuple(int(rule.prediction == model.classes[-1]) for rule in every))

    @classmethod
    def empty(cls, problem: Problem) -> EditedList:
        """No rule, and the label of most rows; the negative one where both have as many."""
        return cls.of(RuleList.from_problem(problem, ()))

    def __len__(self) -> int:
        """Number of rules; the default is not counted."""
        return len(self.antecedents)

    def model(self, problem: Problem) -> RuleList:
        """The list with what each rule captures."""
        return RuleList.from_problem(problem, self.antecedents, self.labels)

    def inserted(self, place: int, antecedent: int, label: int) -> EditedList:
        """With one more rule, which then stands at this place."""
        return EditedList(_with(self.antecedents, place, antecedent), _with(self.labels, place, label))

    def deleted(self, place: int) -> EditedList:
        """Without the rule at this place."""
        return EditedList(_without(self.antecedents, place), _without(self.labels, place))

    def moved(self, place: int, to: int) -> EditedList:
        """With a rule at another place."""
        return self.deleted(place).inserted(to, self.antecedents[place], self.labels[place])

    def replaced(self, place: int, antecedent: int, label: int) -> EditedList:
        """With another rule at this place."""
        return self.deleted(place).inserted(place, antecedent, label)

    def flipped(self, place: int) -> EditedList:
        """With the other label at this place; that of the default comes last."""
        return EditedList(self.antecedents, _with(_without(self.labels, place), place, 1 - self.labels[place]))


@dataclass(frozen=True)
class EditedFalling:
    """The rules of a falling rule list, whose labels follow from what they capture.

    Attributes
    ----------
    antecedents : tuple of int
        Indices of a problem's antecedents, in order.
    """

    antecedents: tuple[int, ...] = ()

    @classmethod
    def of(cls, model: FallingRuleList) -> EditedFalling:
        """The rules of a model."""
        return cls(model.antecedents)

    def __len__(self) -> int:
        """Number of rules; the default is not counted."""
        return len(self.antecedents)

    def inserted(self, place: int, antecedent: int) -> EditedFalling:
        """With one more rule, which then stands at this place."""
        return EditedFalling(_with(self.antecedents, place, antecedent))

    def deleted(self, place: int) -> EditedFalling:
        """Without the rule at this place."""
        return EditedFalling(_without(self.antecedents, place))

    def moved(self, place: int, to: int) -> EditedFalling:
        """With a rule at another place."""
        return self.deleted(place).inserted(to, self.antecedents[place])


@dataclass(frozen=True)
class EditedSet:
    """The rules of a rule set.

    Attributes
    ----------
    clauses : tuple of tuple of int
        Of each rule the problem's antecedents that it joins, ascending.
    """

    clauses: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, model: RuleSet) -> EditedSet:
        """The rules of a model."""
        return cls(tuple(tuple(sorted(clause)) for clause in model.clauses))

    def __len__(self) -> int:
        """Number of rules."""
        return len(self.clauses)

    @property
    def complexity(self) -> int:
        """Rules and conditions, counted together."""
        return sum(1 + len(clause) for clause in self.clauses)

    def deleted(self, place: int) -> EditedSet:
        """Without the rule at this place."""
        return EditedSet(_without(self.clauses, place))

    def added(self, place: int, antecedent: int) -> EditedSet:
        """With one more condition in the rule at this place; after the last rule, in a rule of its own."""
        if place == len(self.clauses):
            return EditedSet((*self.clauses, (antecedent,)))
        return self.with_clause(place, (*self.clauses[place], antecedent))

    def removed(self, place: int, antecedent: int) -> EditedSet:
        """Without a condition of the rule at this place; without the rule when it was the only one."""
        rest = tuple(j for j in self.clauses[place] if j != antecedent)
        return self.with_clause(place, rest) if rest else self.deleted(place)

    def with_clause(self, place: int, clause: tuple[int, ...]) -> EditedSet:
        """With another rule at this place."""
        return EditedSet(_with(_without(self.clauses, place), place, tuple(sorted(clause))))


def check_new(problem: Problem, antecedents: Sequence[int], antecedent: int, max_length: int | None) -> None:
    """Refuse a rule that a list has, or has no room for.

    Raises
    ------
    ValueError
    """
    if antecedent in antecedents:
        k = antecedents.index(antecedent) + 1
        raise ValueError(f"{problem.names[antecedent]} is rule {k} already; move it instead")
    if max_length is not None and len(antecedents) >= max_length:
        rules = "1 rule" if len(antecedents) == 1 else f"{len(antecedents)} rules"
        raise ValueError(f"the settings allow at most {rules}; delete one first")


def _with(items: Sequence[Any], place: int, item: Any) -> tuple[Any, ...]:
    return (*items[:place], item, *items[place:])


def _without(items: Sequence[Any], place: int) -> tuple[Any, ...]:
    return (*items[:place], *items[place + 1 :])
