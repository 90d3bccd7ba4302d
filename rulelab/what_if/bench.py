"""Models that are changed by hand: what each costs, exactly, and which single change is best."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from ..data.problem import Problem
from ..kernels import bits
from ..models import Model
from ..models.base import column_of

DELETE, REMOVE, FLIP, MOVE, REPLACE, INSERT, ADD = KINDS = (
    "delete",
    "remove",
    "flip",
    "move",
    "replace",
    "insert",
    "add",
)
"""Of single changes; of those that cost the same the first is preferred."""
E = TypeVar("E")
_EXACT = 1 << 53
_LIMB = 24
_WORD = 64


@dataclass(frozen=True)
class Change(Generic[E]):
    """One change of a model.

    Attributes
    ----------
    kind : str
        One of `KINDS`: of a rule ``delete``, ``flip`` (its label), ``move``, ``replace`` (its antecedent; in a rule set
        one condition), ``insert``; of a condition of a rule ``remove``, ``add``.
    place : int
        Of the rule that is changed, or put in.
    result
        The model afterwards, as it is edited.
    objective : Fraction
        Of the result.
    to : int or None
        Where the rule comes to stand, when it is moved.
    old, new : int or None
        The condition of a rule of a set that goes, and the one that comes.
    """

    kind: str
    place: int
    result: E
    objective: Fraction
    to: int | None = None
    old: int | None = None
    new: int | None = None


class Bench(abc.ABC, Generic[E]):
    """A problem and what models cost, under which models of one family are changed.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Read as the decimal number that Python shows, as searches do.
    """

    family: ClassVar[str]
    kind: ClassVar[Any]
    """What its models are edited as."""

    def __init__(self, problem: Problem, regularization: float) -> None:
        self.problem = problem
        self.price = Fraction(repr(float(regularization)))
        self._masses = problem.masses.divided()
        self._total = self._masses.total

    @abc.abstractmethod
    def empty(self) -> E:
        """The model without a rule, to begin with."""

    def of(self, model: Any) -> E:
        """A model, to be edited."""
        edited: E = self.kind.of(model)
        return edited

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
        """What is left when a rule is deleted, moved to another place, flipped, or loses a condition.

        Parameters
        ----------
        edited
        doing : str
            "delete", "move", "flip" or "remove".
        at : int
            The place of the rule.
        other : int
            Where it is moved, or the antecedent that is removed.

        Raises
        ------
        LookupError
            When there is no such thing to do.
        """

    @abc.abstractmethod
    def insert(self, edited: E, place: int, antecedent: int) -> E:
        """With an antecedent put in at a place.

        Raises
        ------
        ValueError
            When it is there already, or there is no room for it.
        """

    @abc.abstractmethod
    def changes(self, edited: E, check: Callable[[], Any]) -> Iterable[Change[E]]:
        """All single changes; of many of a kind and a place the best one."""

    def best_changes(self, edited: E, check: Callable[[], Any] = lambda: None) -> list[Change[E]]:
        """The best change of each kind that there is, the best of all first.

        What is there already is not put in once more, and what `refusal` would refuse, or is too large, is left out.

        Parameters
        ----------
        edited
        check : callable
            Called now and then; may raise to end the work.
        """
        best: dict[str, Change[E]] = {}
        for change in self.changes(edited, check):
            if change.kind not in best or change.objective < best[change.kind].objective:
                best[change.kind] = change
        return sorted(best.values(), key=lambda change: (change.objective, KINDS.index(change.kind)))

    def _decides(self, antecedents: tuple[int, ...]) -> np.ndarray:
        """The place of the rule of a list that decides each pattern; that of the default is the number of rules."""
        out = np.full(self.problem.n_patterns, len(antecedents))
        for place in reversed(range(len(antecedents))):
            out[column_of(self.problem, antecedents[place])] = place
        return out

    def _over_antecedents(self, columns: np.ndarray, check: Callable[[], Any]) -> np.ndarray:
        """Sums of values of patterns over those that satisfy each antecedent.

        Parameters
        ----------
        columns : array of integers, shape (n_columns, n_patterns)
        check : callable

        Returns
        -------
        array of integers, shape (n_columns, n_antecedents)
        """
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
