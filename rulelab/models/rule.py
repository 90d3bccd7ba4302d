"""A rule of a list, a clause of a set, and a model as branches for other languages: the first that holds decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from ..arguments import ModelError
from ..data.conditions import Condition
from . import serialisation

Conjunction = tuple[Condition, ...]
"""Conditions that must all hold."""
Test = tuple[tuple[Conjunction, ...], ...]
"""Of every inner tuple one conjunction must hold. Empty where nothing is asked."""


@dataclass(frozen=True)
class Branch:
    """One branch of a model, or what it says where no branch holds."""

    test: Test
    prediction: Any
    probability: float  # of the positive class, of several of the predicted one
    counts: Sequence[int | float]  # training weight by class
    shares: Sequence[float]  # of each class

    @classmethod
    def of_two(cls, prediction: Any, probability: float, negatives: Any, positives: Any, n_classes: int) -> Self:
        """That asks for nothing, of a model of two classes, or of a single one."""
        counts, shares = (negatives, positives), (1 - probability, probability)
        return cls((), prediction, probability, counts[-n_classes:], shares[-n_classes:])


def conjunction(name: str, conditions: Sequence[Condition] | None) -> Conjunction:
    """The conditions of an antecedent; without known ones it is a Boolean column of its name."""
    return (Condition(name, "==", True),) if conditions is None else tuple(conditions)


@dataclass(frozen=True)
class Literal:
    """A training antecedent as a part of a model."""

    antecedent: Any  # int: index among the training antecedents; None for a default
    name: str  # empty for a default
    conditions: tuple[Condition, ...] | None  # the conditions that must all hold, where they are known

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON."""
        conditions = serialisation.conditions_to_list(self.conditions)
        return {"antecedent": self.antecedent, "name": self.name, "conditions": conditions}


DEFAULT = Literal(None, "", None)


def literal_of(problem: Any, antecedent: int) -> Literal:
    """An antecedent of a problem."""
    conditions = None if problem.conditions is None else problem.conditions[antecedent]
    return Literal(antecedent, problem.names[antecedent], conditions)


def read_literal(data: dict[str, Any], where: str, default: bool = False) -> Literal:
    """The inverse of `Literal.to_dict`; raises ModelError."""
    antecedent = serialisation.read(data, "antecedent", type(None) if default else int, where)
    name = serialisation.read(data, "name", str, where)
    return Literal(antecedent, name, serialisation.read_conditions(data, where))


@dataclass(frozen=True)
class Rule(Literal):
    """One rule of a list, or its default, with what it captured in training.

    Attributes
    ----------
    antecedent : int or None
        Index among the training antecedents; None for the default.
    name : str
        Name of the antecedent; empty for the default.
    conditions : tuple of Condition or None
        The conditions that must all hold, where they are known.
    prediction : label
        One of the model's classes.
    positives, negatives : int or float
        Training weight that this rule is the first to capture, by class.
    correct : int or float
        The part of that weight whose label is the prediction.
    probability : float
        Of the positive class.
    """

    prediction: Any
    positives: int | float
    negatives: int | float
    correct: int | float
    probability: float

    @property
    def captured(self) -> int | float:
        return self.positives + self.negatives

    @property
    def errors(self) -> int | float:
        """Not by subtraction, which loses the digits of a small weight beside a large one."""
        return self.negatives if self.correct == self.positives else self.positives

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON."""
        counts = {"positives": self.positives, "negatives": self.negatives}
        prediction = serialisation.plain(self.prediction, "the prediction")
        return {**super().to_dict(), "prediction": prediction, **counts, "probability": self.probability}

    @classmethod
    def from_dict(
        cls, data: dict[str, Any], where: str, classes: tuple[Any, ...], n_antecedents: int, default: bool
    ) -> Rule:
        """The inverse of `to_dict`; ``where`` is named in errors (ModelError).

        Parameters
        ----------
        data : dict
            What `to_dict` gives.
        where : str
            Where it stands in what is read.
        classes : tuple of labels
            Of the list.
        n_antecedents : int
            Of the problem.
        default : bool
            Whether it is the default rule, which has no antecedent.
        """
        literal, prediction = read_head(data, where, classes, n_antecedents, default)
        positives = serialisation.read_count(data, "positives", where)
        negatives = serialisation.read_count(data, "negatives", where)
        probability = serialisation.read_count(data, "probability", where)
        if probability > 1:
            raise ModelError(f"'{where}.probability' of the saved model is {probability}; it cannot exceed 1")
        return cls(
            **vars(literal),
            prediction=prediction,
            positives=positives,
            negatives=negatives,
            correct=positives if prediction == classes[-1] else negatives,
            probability=float(probability),
        )


def read_head(
    data: dict[str, Any], where: str, classes: tuple[Any, ...], n_antecedents: int, default: bool
) -> tuple[Literal, Any]:
    """The antecedent and the prediction of a saved rule; raises ModelError."""
    literal = read_literal(data, where, default)
    if literal.antecedent is not None and not 0 <= literal.antecedent < n_antecedents:
        raise ModelError(f"'{where}.antecedent' of the saved model is {literal.antecedent}, but it has {n_antecedents}")
    prediction = serialisation.read(data, "prediction", (str, int, float, bool), where)
    if prediction not in classes:
        raise ModelError(f"'{where}.prediction' of the saved model is {prediction!r}, not one of its classes")
    return literal, classes[classes.index(prediction)]


COUNTS = ("positives", "negatives", "alone_positives", "alone_negatives")
"""Of a clause, see there."""


@dataclass(frozen=True)
class Clause:
    """One clause: a conjunction in a set of the form ``dnf``, a disjunction in one of the form ``cnf``.

    Attributes
    ----------
    literals : tuple of Literal
        In the order of the training antecedents; at least one.
    positives, negatives : int or float
        Training weight that the clause decides on its own, by class: the rows that satisfy it (``dnf``), or that fail
        it (``cnf``).
    alone_positives, alone_negatives : int or float
        The part of it that no other clause of the set decides.
    """

    literals: tuple[Literal, ...]
    positives: int | float
    negatives: int | float
    alone_positives: int | float
    alone_negatives: int | float

    @property
    def antecedents(self) -> tuple[int, ...]:
        """Indices of the antecedents, ascending."""
        return tuple(literal.antecedent for literal in self.literals)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the antecedents."""
        return tuple(literal.name for literal in self.literals)

    @property
    def complexity(self) -> int:
        """One plus the number of antecedents (Lawless et al., JMLR 24(242), 2023, section 3.1)."""
        return 1 + len(self.literals)

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {"antecedents": [literal.to_dict() for literal in self.literals], **counts}

    @classmethod
    def from_dict(cls, data: dict[str, Any], where: str, n_antecedents: int) -> Clause:
        """The inverse of `to_dict`; ``where`` is named in errors (ModelError).

        Parameters
        ----------
        data : dict
            What `to_dict` gives.
        where : str
            Where it stands in what is read.
        n_antecedents : int
            Of the problem.
        """
        literals = tuple(
            read_literal(item, place) for place, item in serialisation.read_items(data, "antecedents", where)
        )
        used = [literal.antecedent for literal in literals]
        if not used or sorted(set(used)) != used or used[0] < 0 or used[-1] >= n_antecedents:
            raise ModelError(
                f"'{where}.antecedents' of the saved model must be ascending, at least one, and below {n_antecedents}"
            )
        out = cls(literals, *(serialisation.read_count(data, name, where) for name in COUNTS))
        if out.alone_positives > out.positives or out.alone_negatives > out.negatives:
            raise ModelError(f"{where!r} of the saved model decides more alone than in all")
        return out
