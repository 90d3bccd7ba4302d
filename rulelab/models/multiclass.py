"""A rule list of several classes: each rule predicts the class of most of what it captures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..arguments import ModelError
from ..data.multiclass import LARGEST_WEIGHT, MultiClassProblem
from . import serialisation, text
from .base import indices
from .decision_list import Ordered
from .rule import DEFAULT, Branch, Literal, literal_of, read_head


@dataclass(frozen=True)
class ClassRule(Literal):
    """One rule of a list, or its default."""

    prediction: Any
    counts: tuple[int, ...]  # training weight by class that this rule is the first to capture
    correct: int  # the part of it that has the predicted label
    probability: float  # of the predicted class

    @property
    def captured(self) -> int:
        return sum(self.counts)

    @property
    def errors(self) -> int:
        return self.captured - self.correct

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON."""
        prediction = serialisation.plain(self.prediction, "the prediction")
        return {**super().to_dict(), "prediction": prediction, "counts": list(self.counts)}


@dataclass(frozen=True, repr=False)
class MultiClassRuleList(Ordered):
    """Rules in order, the first that a row satisfies decides; each predicts one of several classes.

    Build one from the antecedents' indices with `from_problem`. Of classes that are as frequent the first is predicted.
    A rule that captures nothing predicts the majority of what is left when it is reached, or of all rows.

    Attributes
    ----------
    rules : tuple of ClassRule
        Without the default.
    default : ClassRule
    classes : tuple
    n_antecedents : int
    provenance : Provenance or None
        What was proven of it when its search was left; two models are equal whatever that was.
    """

    family: ClassVar[str] = "multi_class_rule_list"

    rules: tuple[ClassRule, ...]
    default: ClassRule
    classes: tuple[Any, ...]
    n_antecedents: int
    provenance: serialisation.Provenance | None = field(default=None, compare=False, kw_only=True)

    @classmethod
    def from_problem(cls, problem: MultiClassProblem, antecedents: Sequence[int | str]) -> MultiClassRuleList:
        """The list of these antecedents with its exact training counts; raises ModelError.

        Parameters
        ----------
        problem : MultiClassProblem
        antecedents : sequence of int
            Of the rules, in their order.
        """
        free = np.ones(len(problem.matrix), dtype=bool)
        literals, counts = [], []
        for j in indices(antecedents, problem.names):
            hit = free & problem.matrix[:, j]
            literals.append(literal_of(problem, j))
            counts.append(problem.counts[hit].sum(axis=0).tolist())
            free &= ~hit
        counts.append(problem.counts[free].sum(axis=0).tolist())
        return cls._of([*literals, DEFAULT], counts, problem.classes, problem.n_antecedents)

    @classmethod
    def without_rules(cls, classes: Sequence[Any], counts: Sequence[int]) -> MultiClassRuleList:
        """The list that is only its default, of classes with this training weight.

        Parameters
        ----------
        classes : sequence of labels
        counts : sequence of int
            Training weight of each class.
        """
        return cls._of([DEFAULT], [[int(n) for n in counts]], tuple(classes), 0)

    @classmethod
    def _of(
        cls,
        literals: Sequence[Literal],
        counts: Sequence[Sequence[int]],
        classes: tuple[Any, ...],
        n_antecedents: int,
        predictions: Sequence[Any] | None = None,
    ) -> Self:
        """The list of what each rule, and at last the default, asks for and captures; by default of majorities."""
        rules = []
        for k, (literal, own) in enumerate(zip(literals, counts, strict=True)):
            asked = _asked(counts, k)
            which = asked.index(max(asked)) if predictions is None else classes.index(predictions[k])
            share = asked[which] / sum(asked)
            rules.append(
                ClassRule(
                    **vars(literal), prediction=classes[which], counts=tuple(own), correct=own[which], probability=share
                )
            )
        return cls(tuple(rules[:-1]), rules[-1], classes, n_antecedents)

    def __repr__(self) -> str:
        return f"MultiClassRuleList({len(self)} rules, {self.errors} errors in {self.weight})"

    def _repr_html_(self) -> str:
        return text.list_as_html(self.rules, self.default, self.classes)  # type: ignore[arg-type]

    def objective(self, regularization: float) -> float:
        """Errors / n + regularization * rules, on the training rows.

        Parameters
        ----------
        regularization : float
            Cost of a rule.
        """
        return self.errors / self.weight + regularization * len(self)

    def predict(self, A: Any) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        A : array, shape (n_rows, n_antecedents), or DataFrame
            As for `RuleList.predict`: the training antecedents, or a table with their columns, conditions or raw
            columns.

        Returns
        -------
        array, shape (n_rows,)
        """
        return np.asarray([rule.prediction for rule in (*self.rules, self.default)])[self.fired(A)]

    def predict_proba(self, A: Any) -> np.ndarray:
        """Proportion of each class among what the deciding rule captured in training: shape (n_rows, n_classes).

        Parameters
        ----------
        A : array of bool, shape (n_rows, n_antecedents)
            Which antecedents hold for which rows.
        """
        return self._shares()[self.fired(A)]

    def _shares(self) -> np.ndarray:
        """The proportions of the classes by rule, the default last."""
        counts = [rule.counts for rule in (*self.rules, self.default)]
        asked = np.array([_asked(counts, k) for k in range(len(counts))], dtype=float)
        return np.asarray(asked / asked.sum(axis=1, keepdims=True))

    def to_frame(self) -> pd.DataFrame:
        """The rules as a table, the default last.

        Returns
        -------
        DataFrame
            rule (empty for the default), conditions (their number), prediction, probability and correct as of
            `ClassRule`, and the counts of each class in a column "rows of CLASS".
        """
        names = ("correct", *(f"rows of {label}" for label in self.classes))
        return self._table(names, [(rule.correct, *rule.counts) for rule in (*self.rules, self.default)])

    def _decided(self) -> Iterable[Branch]:
        for rule, shares in zip((*self.rules, self.default), self._shares().tolist(), strict=True):
            yield Branch((), rule.prediction, rule.probability, rule.counts, shares)

    @classmethod
    def _from_body(cls, data: dict[str, Any]) -> Self:
        classes = serialisation.read_classes(data, most=None)
        m = serialisation.read_width(data)
        items = [*serialisation.read_items(data, "rules"), ("default", serialisation.read(data, "default", dict))]
        counts = [_read_counts(item, where, len(classes)) for where, item in items]
        if not sum(map(sum, counts)):
            raise ModelError("the rules of the saved model count no row")
        heads = [read_head(item, where, classes, m, where == "default") for where, item in items]
        return cls._of([literal for literal, _ in heads], counts, classes, m, [label for _, label in heads])


def _asked(counts: Sequence[Sequence[int]], k: int) -> Sequence[int]:
    """What a rule's probability is of: what it captures, what is left when it is reached, or all."""
    ways = (counts[k : k + 1], counts[k:], counts)
    return next(each for each in ([sum(n) for n in zip(*rows, strict=True)] for rows in ways) if sum(each))


def _read_counts(data: dict[str, Any], where: str, n_classes: int) -> list[int]:
    """The training weights by class of a saved rule."""
    counts = serialisation.read(data, "counts", list, where)
    whole = all(type(n) is int and 0 <= n <= LARGEST_WEIGHT for n in counts)
    if len(counts) != n_classes or not whole:
        raise ModelError(f"'{where}.counts' of the saved model must be {n_classes} whole numbers of at least 0")
    return counts
