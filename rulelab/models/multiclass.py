"""A rule list of several classes: each rule predicts the class of most of what it captures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from .. import files
from ..data.conditions import Condition
from ..data.multiclass import LARGEST_WEIGHT, MultiClassProblem
from . import pmml, serialisation, sql, text
from .base import indices
from .errors import ModelError
from .rule import Branch, conjunction
from .tables import satisfied


@dataclass(frozen=True)
class ClassRule:
    """One rule of a list, or its default.

    Attributes
    ----------
    antecedent : int or None
        Index among the training antecedents; None for the default.
    name : str
        Empty for the default.
    conditions : tuple of Condition or None
    prediction : label
    counts : tuple of int
        Training weight by class that this rule is the first to capture.
    correct : int
        The part of it that has the predicted label.
    probability : float
        Of the predicted class.
    """

    antecedent: int | None
    name: str
    conditions: tuple[Condition, ...] | None
    prediction: Any
    counts: tuple[int, ...]
    correct: int
    probability: float

    @property
    def captured(self) -> int:
        return sum(self.counts)

    @property
    def errors(self) -> int:
        return self.captured - self.correct


@dataclass(frozen=True, repr=False)
class MultiClassRuleList:
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
        rules = []
        for j in indices(antecedents, problem.names):
            hit = free & problem.matrix[:, j]
            conditions = None if problem.conditions is None else problem.conditions[j]
            rules.append(_rule(problem, hit, free, j, problem.names[j], conditions))
            free &= ~hit
        default = _rule(problem, free, free, None, "", None)
        return cls(tuple(rules), default, problem.classes, problem.n_antecedents)

    @classmethod
    def without_rules(cls, classes: Sequence[Any], counts: Sequence[int]) -> MultiClassRuleList:
        """The list that is only its default, of classes with this training weight.

        Parameters
        ----------
        classes : sequence of labels
        counts : sequence of int
            Training weight of each class.
        """
        whole = tuple(int(n) for n in counts)
        best = int(np.argmax(whole))
        default = ClassRule(None, "", None, classes[best], whole, whole[best], whole[best] / sum(whole))
        return cls((), default, tuple(classes), 0)

    def __len__(self) -> int:
        """Number of rules; the default is not counted."""
        return len(self.rules)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"MultiClassRuleList({len(self)} rules, {self.errors} errors in {self.weight})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return text.list_as_html(self.rules, self.default, self.classes)  # type: ignore[arg-type]

    @property
    def errors(self) -> int:
        """Training errors, in rows or their weight."""
        return sum(rule.errors for rule in (*self.rules, self.default))

    @property
    def weight(self) -> int:
        return sum(rule.captured for rule in (*self.rules, self.default))

    @property
    def complexity(self) -> int:
        return len(self.rules)

    @property
    def n_conditions(self) -> int:
        """Conditions of all rules without the default; an antecedent whose conditions are not known counts as one."""
        return sum(1 if rule.conditions is None else len(rule.conditions) for rule in self.rules)

    @property
    def antecedents(self) -> tuple[int, ...]:
        """Indices of the rules' antecedents, in order."""
        return tuple(rule.antecedent for rule in self.rules)  # type: ignore[misc]

    def objective(self, regularization: float) -> float:
        """Errors / n + regularization * rules, on the training rows.

        Parameters
        ----------
        regularization : float
            Cost of a rule.
        """
        return self.errors / self.weight + regularization * len(self)

    def fired(self, A: Any) -> np.ndarray:
        """Which rule decides each row: index into ``rules``, ``len(rules)`` for the default.

        Parameters
        ----------
        A : array of bool, shape (n_rows, n_antecedents)
            Which antecedents hold for which rows.
        """
        hits = satisfied(A, self.rules, self.n_antecedents)
        out = np.full(len(hits), len(self.rules), dtype=np.intp)
        for j in reversed(range(len(self.rules))):
            out[hits[:, j]] = j
        return out

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
        counts = np.array([rule.counts for rule in (*self.rules, self.default)], dtype=float)
        known = [counts[k:].sum(axis=0) if not counts[k].sum() else counts[k] for k in range(len(counts))]
        shares = np.array([each if each.sum() else counts.sum(axis=0) for each in known])
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def explain(self, A: Any) -> pd.DataFrame:
        """For each row ``rule``, ``because``, ``prediction`` and ``probability`` of what is predicted.

        Parameters
        ----------
        A : array of bool, shape (n_rows, n_antecedents)
            Which antecedents hold for which rows.
        """
        fired, every = self.fired(A), (*self.rules, self.default)
        because = np.array([*(rule.name for rule in self.rules), "default"], dtype=object)
        return pd.DataFrame(
            {
                "rule": fired,
                "because": because[fired],
                "prediction": np.asarray([rule.prediction for rule in every])[fired],
                "probability": np.array([rule.probability for rule in every])[fired],
            },
            index=A.index if isinstance(A, pd.DataFrame) else None,
        )

    def to_frame(self) -> pd.DataFrame:
        """The rules as a table, the default last.

        Returns
        -------
        DataFrame
            rule (empty for the default), conditions (their number), prediction, probability and correct as of
            `ClassRule`, and the counts of each class in a column "rows of CLASS".
        """
        columns = ["rule", "conditions", "prediction", "probability", "correct"]
        rows = [
            (
                *(rule.name, 0 if rule.antecedent is None else len(rule.conditions or (rule.name,)), rule.prediction),
                *(rule.probability, rule.correct, *rule.counts),
            )
            for rule in (*self.rules, self.default)
        ]
        return pd.DataFrame(rows, columns=[*columns, *(f"rows of {label}" for label in self.classes)])

    def to_text(self, target: str | None = None) -> str:
        """The rules in words, one aligned line each, with how many of the captured rows have the predicted label.

        Parameters
        ----------
        target : str, optional
            Name of what is predicted.
        """
        return text.list_as_text(self.rules, self.default, target)  # type: ignore[arg-type]

    def to_python(self) -> str:
        """Source of a Python function ``predict(row)`` that needs no library; missing numbers are ``nan``."""
        return text.list_as_python(self.rules, self.default)  # type: ignore[arg-type]

    def to_sql(self, dialect: str = "duckdb", value: str = "prediction") -> str:
        """The list as an expression of SQL; see `Model.to_sql`. Raises ModelError.

        Parameters
        ----------
        dialect : "duckdb", "sqlite" or "postgresql"
        value : "prediction" or "probability"
            What the expression gives: the label, or the probability of the predicted class.
        """
        *rules, default = (
            Branch(
                ((conjunction(rule.name, rule.conditions),),),
                rule.prediction,
                rule.probability,
                rule.correct,
                rule.errors,
            )
            for rule in (*self.rules, self.default)
        )
        return sql.branches_as_sql(rules, default, dialect, value)

    def to_pmml(self, target: str = "prediction") -> str:
        """The list as PMML 4.4, with the share of each class by rule; see `Model.to_pmml`. Raises ModelError.

        Parameters
        ----------
        target : str
            Name of the field that is predicted.
        """
        *rules, default = (
            pmml.Scored(((conjunction(rule.name, rule.conditions),),), rule.prediction, rule.counts, shares)
            for rule, shares in zip((*self.rules, self.default), self._shares().tolist(), strict=True)
        )
        return pmml.scored_as_pmml(rules, default, self.classes, target)

    def proven(self, provenance: serialisation.Provenance | None) -> Self:
        """The same model, saved with what is proven of it; equal to this one.

        Parameters
        ----------
        provenance : Provenance or None
        """
        return replace(self, provenance=provenance)

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, with the schema version; raises ModelError for labels or values JSON cannot hold."""
        data = {
            **serialisation.header(self.family),
            "classes": [serialisation.plain(label, "a class label") for label in self.classes],
            "n_antecedents": self.n_antecedents,
            "rules": [_as_dict(rule) for rule in self.rules],
            "default": _as_dict(self.default),
        }
        return serialisation.with_provenance(data, self.provenance)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Parameters
        ----------
        data : dict
            What `to_dict` gives.

        Raises
        ------
        ModelError
            Naming the entry that is missing or wrong.
        """
        serialisation.check_family(data, cls.family)
        classes = serialisation.read_classes(data, most=None)
        m = serialisation.read(data, "n_antecedents", int)
        if m < 0:
            raise ModelError(f"'n_antecedents' of the saved model is {m}; it cannot be negative")
        items = [*serialisation.read_items(data, "rules"), ("default", serialisation.read(data, "default", dict))]
        counts = [_read_counts(item, where, len(classes)) for where, item in items]
        if not sum(map(sum, counts)):
            raise ModelError("the rules of the saved model count no row")
        *rules, default = (
            _from_dict(item, where, classes, m, counts[k:], counts) for k, (where, item) in enumerate(items)
        )
        return cls(tuple(rules), default, classes, m, provenance=serialisation.read_provenance(data))

    def to_json(self, path: str | Path | None = None) -> str:
        """The list as JSON text, also written to ``path`` when one is given; `rulelab.load_model` reads it.

        Parameters
        ----------
        path : str or Path, optional
            A file to write it to.
        """
        text = serialisation.dump(self.to_dict())
        if path is not None:
            files.write(path, text)
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The inverse of `to_json`; see `load_model` for files. Raises ModelError.

        Parameters
        ----------
        text : str
        """
        return cls.from_dict(serialisation.parse(text))


def _rule(
    problem: MultiClassProblem,
    hit: np.ndarray,
    free: np.ndarray,
    antecedent: int | None,
    name: str,
    conditions: tuple[Condition, ...] | None,
) -> ClassRule:
    counts, left, whole = (problem.counts[where].sum(axis=0).tolist() for where in (hit, free, slice(None)))
    asked = _first_with_weight(counts, left, whole)
    best = asked.index(max(asked))
    return ClassRule(
        antecedent,
        name,
        conditions,
        problem.classes[best],
        tuple(counts),
        counts[best],
        asked[best] / sum(asked),
    )


def _first_with_weight(*counts: Sequence[int]) -> Sequence[int]:
    """What a rule's probability is of: what it captures, what is left when it is reached, or all."""
    return next(each for each in counts if sum(each))


def _as_dict(rule: ClassRule) -> dict[str, Any]:
    return {
        "antecedent": rule.antecedent,
        "name": rule.name,
        "conditions": serialisation.conditions_to_list(rule.conditions),
        "prediction": serialisation.plain(rule.prediction, "the prediction"),
        "counts": list(rule.counts),
    }


def _read_counts(data: dict[str, Any], where: str, n_classes: int) -> list[int]:
    """The training weights by class of a saved rule."""
    counts = serialisation.read(data, "counts", list, where)
    whole = all(type(n) is int and 0 <= n <= LARGEST_WEIGHT for n in counts)
    if len(counts) != n_classes or not whole:
        raise ModelError(f"'{where}.counts' of the saved model must be {n_classes} whole numbers of at least 0")
    return counts


def _from_dict(
    data: dict[str, Any],
    where: str,
    classes: tuple[Any, ...],
    n_antecedents: int,
    left: list[list[int]],
    whole: list[list[int]],
) -> ClassRule:
    """The inverse of `_as_dict`; ``left`` has the counts of this rule and of those after it, ``whole`` of all."""
    default = where == "default"
    antecedent = serialisation.read(data, "antecedent", type(None) if default else int, where)
    if antecedent is not None and not 0 <= antecedent < n_antecedents:
        raise ModelError(f"'{where}.antecedent' of the saved model is {antecedent}, but it has {n_antecedents}")
    prediction = serialisation.read(data, "prediction", (str, int, float, bool), where)
    if prediction not in classes:
        raise ModelError(f"'{where}.prediction' of the saved model is {prediction!r}, not one of its classes")
    which = classes.index(prediction)
    asked = _first_with_weight(left[0], *([sum(each) for each in zip(*rows, strict=True)] for rows in (left, whole)))
    return ClassRule(
        antecedent,
        serialisation.read(data, "name", str, where),
        serialisation.read_conditions(data, where),
        classes[which],
        tuple(left[0]),
        left[0][which],
        asked[which] / sum(asked),
    )
