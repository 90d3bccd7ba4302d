"""Ordered rules, the first that applies decides: what rule lists and falling rule lists share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from . import serialisation, text
from .base import Model
from .errors import ModelError
from .rule import Rule
from .tables import satisfied


@dataclass(frozen=True, repr=False)
class DecisionList(Model):
    """Rules in order, and a default for the rows that satisfy none of them.

    Attributes
    ----------
    rules : tuple of Rule
        Without the default.
    default : Rule
    classes : tuple
        The negative and the positive label; only one label when the training data had no other.
    n_antecedents : int
        Antecedents at training, the width of the arrays that `predict` takes.
    """

    rules: tuple[Rule, ...]
    default: Rule
    classes: tuple[Any, ...]
    n_antecedents: int

    def __len__(self) -> int:
        """Number of rules; the default is not counted."""
        return len(self.rules)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        rules = "1 rule" if len(self) == 1 else f"{len(self)} rules"
        return f"{type(self).__name__}({rules}, {text.number(self.errors)} errors in {text.number(self.weight)})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return text.list_as_html(self.rules, self.default, self.classes[-1])

    @property
    def complexity(self) -> int:
        return len(self.rules)

    @property
    def errors(self) -> int | float:
        """Training errors, a count or a weight."""
        return sum(rule.errors for rule in (*self.rules, self.default))

    @property
    def weight(self) -> int | float:
        """Total weight of the training rows."""
        return sum(rule.captured for rule in (*self.rules, self.default))

    @property
    def antecedents(self) -> tuple[int, ...]:
        """Indices of the rules' antecedents, in order."""
        return tuple(rule.antecedent for rule in self.rules)  # type: ignore[misc]

    @property
    def antecedent_names(self) -> tuple[str, ...]:
        """Names of the rules' antecedents, in order."""
        return tuple(rule.name for rule in self.rules)

    def fired(self, A: Any) -> np.ndarray:
        """Which rule decides each row.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        int array, shape (n_rows,)
            Index into ``rules``; ``len(rules)`` for the default.
        """
        hits = satisfied(A, self.rules, self.n_antecedents)
        out = np.full(len(hits), len(self.rules), dtype=np.intp)
        for j in reversed(range(len(self.rules))):
            out[hits[:, j]] = j
        return out

    def predicts_positive(self, A: Any) -> np.ndarray:
        positive = [rule.prediction == self.classes[-1] for rule in (*self.rules, self.default)]
        return np.array(positive, dtype=bool)[self.fired(A)]

    def predict_proba(self, A: Any) -> np.ndarray:
        """Proportion of each class among what the deciding rule captured in training.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        float array, shape (n_rows, len(classes))
            Columns in the order of ``classes``.
        """
        positive = np.array([rule.probability for rule in (*self.rules, self.default)])[self.fired(A)]
        return np.column_stack([1 - positive, positive])[:, -len(self.classes) :]

    def explain(self, A: Any) -> pd.DataFrame:
        """Say for each row which rule decides it.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        DataFrame
            One row per row of ``A`` (with its index): ``rule`` (index into ``rules``, ``len(rules)`` for the default),
            ``because`` (the rule's name, ``default`` for the default), ``prediction``, ``probability`` of the positive
            class.
        """
        fired = self.fired(A)
        every = (*self.rules, self.default)
        because = [*self.antecedent_names, "default"]
        return pd.DataFrame(
            {
                "rule": fired,
                "because": np.array(because, dtype=object)[fired],
                "prediction": np.asarray([rule.prediction for rule in every])[fired],
                "probability": np.array([rule.probability for rule in every])[fired],
            },
            index=A.index if isinstance(A, pd.DataFrame) else None,
        )

    def to_text(self, target: str | None = None) -> str:
        """The rules in words, one aligned line each; ``target`` names what is predicted."""
        return text.list_as_text(self.rules, self.default, target)

    def to_python(self) -> str:
        """Source of a Python function ``predict(row)`` that needs no library; missing numbers are ``nan``."""
        return text.list_as_python(self.rules, self.default)

    def _body(self) -> dict[str, Any]:
        return {
            "classes": [serialisation.plain(c, "a class label") for c in self.classes],
            "n_antecedents": self.n_antecedents,
            "rules": [rule.to_dict() for rule in self.rules],
            "default": self.default.to_dict(),
        }

    @classmethod
    def _from_body(cls, data: dict[str, Any]) -> Self:
        labels = serialisation.read(data, "classes", list)
        scalars = all(isinstance(c, str | int) or (isinstance(c, float) and math.isfinite(c)) for c in labels)
        if not scalars or not 1 <= len(set(labels)) == len(labels) <= 2:
            raise ModelError("'classes' of the saved model must be one label or two different ones")
        classes = tuple(labels)
        m = serialisation.read_count(data, "n_antecedents", "model")
        if not isinstance(m, int):
            raise ModelError("'n_antecedents' of the saved model must be an integer")
        return cls(
            rules=tuple(
                Rule.from_dict(item, where, classes, m, default=False)
                for where, item in serialisation.read_items(data, "rules")
            ),
            default=Rule.from_dict(serialisation.read(data, "default", dict), "default", classes, m, default=True),
            classes=classes,
            n_antecedents=m,
        )
