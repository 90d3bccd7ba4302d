"""A rule list as it is edited: antecedents in order, and a label for each and for the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.problem import Problem
from ..models import RuleList


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


def _with(items: Sequence[Any], place: int, item: Any) -> tuple[Any, ...]:
    return (*items[:place], item, *items[place:])


def _without(items: Sequence[Any], place: int) -> tuple[Any, ...]:
    return (*items[:place], *items[place + 1 :])
