"""What all models share: evaluation and the JSON round trip."""

from __future__ import annotations

import abc
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from .. import files
from ..arguments import ModelError
from ..data.exact_weights import total
from ..data.metrics import Confusion
from ..data.naming import unknown
from ..data.problem import Problem
from . import exchange, serialisation
from .evaluation import Evaluation, measure
from .rule import Branch


class Saved(abc.ABC):
    """What is saved as JSON, under the name of its family, with what is proven of it."""

    family: ClassVar[str]
    provenance: serialisation.Provenance | None
    rules: tuple[Any, ...]
    classes: tuple[Any, ...]
    n_antecedents: int

    def __len__(self) -> int:
        """Number of rules; the default of a list is not counted."""
        return len(self.rules)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.to_text()

    @abc.abstractmethod
    def to_text(self, target: str | None = None) -> str:
        """The rules in words, one aligned line each; ``target`` names what is predicted.

        Parameters
        ----------
        target : str, optional
            Name of what is predicted.
        """

    def _body(self) -> dict[str, Any]:
        """The content as plain types."""
        return {
            "classes": [serialisation.plain(label, "a class label") for label in self.classes],
            "n_antecedents": self.n_antecedents,
            "rules": [rule.to_dict() for rule in self.rules],
        }

    @classmethod
    @abc.abstractmethod
    def _from_body(cls, data: dict[str, Any]) -> Self:
        """The inverse of `_body`; raises ModelError."""

    def proven(self, provenance: serialisation.Provenance | None) -> Self:
        """The same model, saved with what is proven of it; equal to this one.

        Parameters
        ----------
        provenance : Provenance or None
        """
        return replace(self, provenance=provenance)  # type: ignore[type-var]  # every family is a dataclass

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, with the schema version; raises ModelError for labels or values JSON cannot hold."""
        data = {**serialisation.header(self.family), **self._body()}
        return data if self.provenance is None else {**data, serialisation.PROVENANCE: asdict(self.provenance)}

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
        found = serialisation.check_header(data)
        if found != cls.family:
            raise ModelError(f"the saved model is of the family {found!r}, not {cls.family!r}")
        return cls._from_body(data).proven(serialisation.read_provenance(data))

    def to_json(self) -> str:
        """The model as JSON text."""
        return serialisation.dump(self.to_dict())

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, with what is proven of it: status, objective, bound, hash of the data, version.

        Parameters
        ----------
        path : str or Path
            What `rulelab.load_model` reads.
        """
        files.write(path, self.to_json())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The inverse of `to_json`; see `load_model` for files. Raises ModelError.

        Parameters
        ----------
        text : str
        """
        return cls.from_dict(serialisation.parse(text))

    @abc.abstractmethod
    def branches(self) -> tuple[tuple[Branch, ...], Branch]:
        """The model for other languages: what is tested in order, and what is said where nothing holds."""

    def to_sql(
        self,
        dialect: str = "duckdb",
        value: str = "prediction",
        cells: Mapping[str, Any] | None = None,
        table: str | None = None,
        about: Sequence[str] = (),
    ) -> str:
        """The model as an expression of SQL: ``CASE WHEN "age" <= 23 THEN 1 ... ELSE 0 END``.

        Parameters
        ----------
        dialect : "duckdb", "sqlite" or "postgresql"
        value : "prediction" or "probability"
            What the expression gives: the label, or the probability of the positive class, of several classes that
            of the predicted one.
        cells : mapping of str to Form, optional
            How the columns of a file were read, ``Dataset.forms``: the expression is for a table of the file's own
            cells then, and comments above it say how those of its columns are read that are not plain.
        table : str, optional
            The name of a table: a statement is written that selects all its columns, prediction and probability.
        about : sequence of str
            Comments above all.

        Returns
        -------
        str
            For a table whose columns are called as those that the model was trained on, and are of their types.

        Raises
        ------
        ModelError
            When there is no such dialect, or the model has a name or a text that no database can hold.

        Notes
        -----
        A missing cell is NULL. NaN is a number to databases, larger than all others: store NULL instead. Where SQLite,
        which has no types of columns, finds a text in a column that is compared with numbers, the expression is NULL:
        ``CAST`` the column.
        """
        return exchange.branches_as_sql(*self.branches(), dialect, value, cells, table, about)

    def to_python(self, cells: Mapping[str, Any] | None = None, probability: bool = False) -> str:
        """Source of a Python function ``predict(row)`` that needs no library; missing numbers are ``nan``.

        Parameters
        ----------
        cells : mapping of str to Form, optional
            How the columns of a file were read, ``Dataset.forms``: texts of a row are read in the same way then.
        probability : bool
            Whether there is a function ``probability(row)``, too.
        """
        return exchange.branches_as_python(*self.branches(), cells, probability)

    def to_pmml(self, target: str = "prediction", cells: Mapping[str, Any] | None = None) -> str:
        """The model as PMML 4.4, a RuleSetModel in which the first rule that holds decides.

        Parameters
        ----------
        target : str
            Name of the field that is predicted.
        cells : mapping of str to Form, optional
            How the columns of a file were read, ``Dataset.forms``; the header says which ones are to be read so.

        Returns
        -------
        str
            An XML document, of which ``encoding="utf-8"`` is the one to write it in.

        Raises
        ------
        ModelError
            When XML cannot hold a name or a text, a column is compared with values of several types, or the target is
            called as a column that the model asks for.
        """
        return exchange.branches_as_pmml(*self.branches(), self.classes, target, cells)


class Model(Saved):
    """An immutable answer of one family, compared and hashed by content."""

    families: ClassVar[dict[str, type[Model]]] = {}
    """The classes of saved models by their family."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "family" in vars(cls):
            Model.families[cls.family] = cls

    @property
    @abc.abstractmethod
    def complexity(self) -> int:
        """Number of rules for lists, sum of clause complexities for sets."""

    @property
    @abc.abstractmethod
    def n_conditions(self) -> int:
        """Conditions of all rules, of lists without the default."""

    @property
    @abc.abstractmethod
    def errors(self) -> int | float:
        """0-1 training errors, a count or a weight."""

    @abc.abstractmethod
    def predict_proba(self, A: Any) -> np.ndarray:
        """Probability of each class: float array, shape (n_rows, len(classes))."""

    @abc.abstractmethod
    def explain(self, A: Any) -> pd.DataFrame:
        """What decides each row: one row per row of ``A``, with its index."""

    @abc.abstractmethod
    def relabelled(self, classes: tuple[Any, Any]) -> Self:
        """The same model with other labels.

        Parameters
        ----------
        classes : tuple of two labels
            The negative one first.
        """

    @abc.abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The rules as a table, one row for each."""

    @abc.abstractmethod
    def _repr_html_(self) -> str:
        """The rules as a table, for notebooks."""

    @abc.abstractmethod
    def predicts_positive(self, A: Any) -> np.ndarray:
        """Which rows are given the positive label: bool array, shape (n_rows,).

        Parameters
        ----------
        A : array of bool, shape (n_rows, n_antecedents)
            Which antecedents hold for which rows.
        """

    @abc.abstractmethod
    def _objective(self, counted: Confusion, regularization: float) -> float:
        """The family's objective on rows with these confusion counts."""

    def predict(self, A: Any) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        A : array, shape (n_rows, n_antecedents), or DataFrame
            Booleans or 0/1 with the training antecedents as columns. A DataFrame is read by name, in any order:
            columns named as the antecedents, or as their conditions, or the raw columns that the conditions test.

        Returns
        -------
        array, shape (n_rows,)
            The labels of the training data.

        Raises
        ------
        ModelError
            When columns are missing, the width is wrong, or a cell is neither 0 nor 1.
        """
        return np.where(self.predicts_positive(A), np.asarray(self.classes)[-1], np.asarray(self.classes)[0])

    def evaluate(
        self, A: Any, y: Any, sample_weight: Any = None, groups: Any = None, regularization: float | None = None
    ) -> Evaluation:
        """Score the model on rows with known labels.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.
        y : array, shape (n_rows,)
        sample_weight : array, shape (n_rows,), optional
            Integer weights are counted exactly.
        groups : array of labels, shape (n_rows,), or DataFrame, optional
            Adds rates per group; several columns give their intersections.
        regularization : float, optional
            Adds the objective.

        Raises
        ------
        ModelError
            As `predict`, and when a label is unknown to the model or the lengths differ.
        """
        predicted = self.predicts_positive(A)
        counted, per_group = measure(predicted, y, self.classes, sample_weight, groups)
        objective = None if regularization is None else self._objective(counted, regularization)
        return Evaluation(
            n_rows=len(predicted),
            errors=counted.errors,
            weight=counted.weight,
            complexity=self.complexity,
            regularization=regularization,
            objective=objective,
            confusion=counted,
            groups=per_group,
        )


def indices(antecedents: Iterable[int | str], names: Sequence[str]) -> list[int]:
    """The index of each antecedent, by index or name; raises ModelError, with the nearest names, if there is none."""
    if isinstance(antecedents, str):
        raise ModelError(f"antecedents are a sequence of indices or names, not the text {antecedents!r}")
    return [_index(each, names) for each in antecedents]


def column_of(problem: Problem, antecedent: int) -> np.ndarray:
    """Which patterns satisfy an antecedent: bool array, shape (n_patterns,)."""
    word = problem.words[:, antecedent >> 6] >> np.uint64(antecedent & 63)
    return (word & np.uint64(1)).astype(bool)


def weights_of(problem: Problem, patterns: np.ndarray) -> tuple[int | float, int | float]:
    """Weight of the positives and of the negatives in some patterns."""
    return total(problem.positives[patterns]), total(problem.negatives[patterns])


def _index(antecedent: int | str, names: Sequence[str]) -> int:
    if isinstance(antecedent, str):
        if antecedent in names:
            return names.index(antecedent)
        raise ModelError(str(unknown(antecedent, names, "the model", "is called")))
    try:
        j = operator.index(antecedent)
    except TypeError:
        raise ModelError(f"an antecedent is an index or a name, not {antecedent!r:.60}") from None
    if not 0 <= j < len(names):
        raise ModelError(f"there is no antecedent {j}; the problem has {len(names)}")
    return j
