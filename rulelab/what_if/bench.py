"""Models that are changed by hand: what each costs, exactly, and which single change is best."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from ..data.problem import Problem
from ..kernels import bits
from ..models import FallingRuleList, Model, RuleList, RuleSet
from ..models.base import column_of

KINDS = ("delete", "remove", "flip", "move", "replace", "insert", "add")
DELETE, REMOVE, FLIP, MOVE, REPLACE, INSERT, ADD = KINDS
"""Of single changes; of those that cost the same the first is preferred."""
E = TypeVar("E")
_EXACT = 1 << 53
_LIMB = 24
_WORD = 64
_MOST_COLUMNS = 64


@dataclass(frozen=True)
class EditedList:
    """The rules of a list, whose labels are kept whatever they come to capture; that of the default comes last.

    A falling rule list has no labels: they follow from what rules capture.
    """

    antecedents: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()

    @classmethod
    def of(cls, model: RuleList | FallingRuleList) -> EditedList:
        """The rules of a model."""
        every = (*model.rules, model.default) if isinstance(model, RuleList) else ()
        return cls(model.antecedents, tuple(int(rule.prediction == model.classes[-1]) for rule in every))

    def __len__(self) -> int:
        """Number of rules; the default is not counted."""
        return len(self.antecedents)

    def inserted(self, place: int, antecedent: int, label: int | None = None) -> EditedList:
        """With one more rule, which then stands at this place."""
        labels = self.labels if label is None else _with(self.labels, place, label)
        return EditedList(_with(self.antecedents, place, antecedent), labels)

    def deleted(self, place: int) -> EditedList:
        """Without the rule at this place."""
        return EditedList(_without(self.antecedents, place), _without(self.labels, place))

    def moved(self, place: int, to: int) -> EditedList:
        """With a rule at another place."""
        label = self.labels[place] if self.labels else None
        return self.deleted(place).inserted(to, self.antecedents[place], label)

    def replaced(self, place: int, antecedent: int, label: int | None = None) -> EditedList:
        """With another rule at this place."""
        return self.deleted(place).inserted(place, antecedent, label)

    def flipped(self, place: int) -> EditedList:
        """With the other label at this place; that of the default comes last."""
        return EditedList(self.antecedents, _with(_without(self.labels, place), place, 1 - self.labels[place]))


@dataclass(frozen=True)
class EditedSet:
    """The rules of a rule set. ``clauses``: of each rule the problem's antecedents that it joins, ascending."""

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


def _with(items: Sequence[Any], place: int, item: Any) -> tuple[Any, ...]:
    return (*items[:place], item, *items[place:])


def _without(items: Sequence[Any], place: int) -> tuple[Any, ...]:
    return (*items[:place], *items[place + 1 :])


@dataclass(frozen=True)
class Change(Generic[E]):
    """One change of a model."""

    kind: str
    """One of `KINDS`: of a rule ``delete``, ``flip`` (its label), ``move``, ``replace`` (its antecedent; in a rule set
    one condition), ``insert``; of a condition of a rule ``remove``, ``add``."""
    place: int  # of the rule that is changed, or put in
    result: E  # the model afterwards, as it is edited
    objective: Fraction  # of the result
    to: int | None = None  # where the rule comes to stand, when it is moved
    # old, new: the condition of a rule of a set that goes, and the one that comes
    old: int | None = None
    new: int | None = None


class Bench(abc.ABC, Generic[E]):
    """A problem and what models cost, under which models of one family are changed."""

    family: ClassVar[str]
    kind: ClassVar[Any]
    """What its models are edited as."""

    def __init__(self, problem: Problem, regularization: float) -> None:
        self.problem = problem
        self.price = Fraction(repr(float(regularization)))
        self._masses = problem.masses.divided()
        self._total = self._masses.total
        # which patterns satisfy an antecedent: bool array, shape (n_patterns,)
        self._column = lru_cache(_MOST_COLUMNS)(partial(column_of, problem))

    def empty(self) -> E:
        """The model without a rule, to begin with."""
        return self.kind()

    def of(self, model: Any) -> E:
        """A model, to be edited."""
        return self.kind.of(model)

    @abc.abstractmethod
    def model(self, edited: E) -> Model:
        """The model with what each rule captures."""

    @abc.abstractmethod
    def objective(self, edited: E) -> Fraction:
        """Without rounding; of the form of the objective alone, also of what `refusal` refuses."""

    def refusal(self, edited: E) -> str:
        """Why this is no model of the family, which the optimum cannot be compared with; empty when it is one."""
        return ""

    @abc.abstractmethod
    def predicts_positive(self, edited: E) -> np.ndarray:
        """Which patterns are given the positive label: bool array, shape (n_patterns,)."""

    @abc.abstractmethod
    def edit(self, edited: E, doing: str, at: int, other: int) -> E:
        """What is left when a rule is deleted, moved, flipped, or loses a condition; LookupError if that cannot be."""

    @abc.abstractmethod
    def insert(self, edited: E, place: int, antecedent: int) -> E:
        """With an antecedent put in at a place; raises ValueError where it is there already, or there is no room."""

    @abc.abstractmethod
    def changes(self, edited: E, check: Callable[[], Any]) -> Iterable[Change[E]]:
        """All single changes; of many of a kind and a place the best one."""

    def best_changes(self, edited: E, check: Callable[[], Any] = lambda: None) -> list[Change[E]]:
        """The best change of each kind that there is, the best of all first; ``check`` is called now and then."""
        best: dict[str, Change[E]] = {}
        for change in self.changes(edited, check):
            if change.kind not in best or change.objective < best[change.kind].objective:
                best[change.kind] = change
        return sorted(best.values(), key=lambda change: (change.objective, KINDS.index(change.kind)))

    def _over_antecedents(self, columns: np.ndarray, check: Callable[[], Any]) -> np.ndarray:
        """Sums of integers of patterns, of each row of an array, over the patterns that satisfy each antecedent."""
        words, m = self.problem.words, self.problem.n_antecedents
        limbs = list(_limbs(columns))
        out = []
        for k in range(0, m, _WORD):
            check()
            table = bits.unpack(np.ascontiguousarray(words[:, k // _WORD, None]), min(_WORD, m - k)).astype(np.float64)
            parts = [((limb @ table).astype(np.int64), shift) for limb, shift in limbs]
            out.append(parts[0][0] if len(parts) == 1 else sum(part.astype(object) << shift for part, shift in parts))
        return np.hstack(out)


def _limbs(columns: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Integers as sums of float64 times powers of two, of so few digits that all sums of them are exact."""
    if np.abs(columns).sum(axis=1).max() < _EXACT:
        yield columns.astype(np.float64), 0
        return
    sign, left, shift = np.where(columns < 0, -1.0, 1.0), np.abs(columns.astype(object)), 0
    while left.any():
        yield sign * (left % (1 << _LIMB)).astype(np.float64), shift
        left, shift = left >> _LIMB, shift + _LIMB
