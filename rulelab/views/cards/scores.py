"""How good a model is on the rows of a card: accuracies with intervals, rates per group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ...data.metrics import group_labels, wilson_interval
from ...models import Evaluation, Model
from .card import Card
from .rows import Rows

RATES = {
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "selection_rate": "selected",
    "accuracy": "accuracy",
}
"""The rates of a group that a card shows, with their short names."""
MAX_GROUPS = 12
"""Attributes with more values are not shown."""


@dataclass(frozen=True)
class Accuracy:
    """A share of rows that are right, with its 95 % Wilson interval.

    Attributes
    ----------
    right, rows : int or float
        Counts, or weights.
    """

    right: int | float
    rows: int | float

    @property
    def value(self) -> float:
        return self.right / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        low, high = wilson_interval(self.right, self.rows)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one model.

    Attributes
    ----------
    training, test : Accuracy or None
    groups : dict of str to DataFrame
        Per sensitive attribute the table of `rulelab.data.metrics.group_rates`.
    on_test : bool
        Whether the groups are of test rows.
    left_out : tuple of str
        Sensitive attributes that are not shown, with the reason.
    """

    training: Accuracy | None
    test: Accuracy | None = None
    groups: dict[str, pd.DataFrame] = field(default_factory=dict)
    on_test: bool = False
    left_out: tuple[str, ...] = ()


def of_counts(model: Model) -> Scores:
    """What the model itself remembers of its training."""
    weight = getattr(model, "weight", None)
    return Scores(Accuracy(weight - model.errors, weight) if weight else None)


def of_card(card: Card, report: Callable[[str], None]) -> Scores:
    """Let the model predict the rows of its card.

    Raises
    ------
    ValueError
        When the data lack the columns of the model's rules.
    """
    if card.rows is None:
        return of_counts(card.model)
    report("predicting the rows")
    rows = card.rows
    training, test = _evaluate(card.model, rows, rows.training), None
    if rows.test is not None:
        test = _evaluate(card.model, rows, rows.test)
    groups: dict[str, pd.DataFrame] = {}
    left_out: list[str] = []
    sensitive = rows.data.sensitive
    of_groups = rows.training if rows.test is None else rows.test
    for name in [] if sensitive is None else map(str, sensitive.columns):
        labels = group_labels(sensitive[name].iloc[of_groups], len(of_groups))  # type: ignore[index]
        if (values := len(set(labels))) > MAX_GROUPS:
            left_out.append(f"{name} has {values} values, more than {MAX_GROUPS}")
            continue
        report(f"rates by {name}")
        evaluated = _evaluate(card.model, rows, of_groups, labels)
        assert evaluated.groups is not None
        groups[name] = evaluated.groups
    return Scores(
        training=_accuracy(training),
        test=None if test is None else _accuracy(test),
        groups=groups,
        on_test=rows.test is not None,
        left_out=tuple(left_out),
    )


def _evaluate(model: Model, rows: Rows, at: np.ndarray, groups: Any = None) -> Evaluation:
    data = rows.data
    labels = np.asarray(model.classes)[[0, -1]][data.y.iloc[at].to_numpy()]
    return model.evaluate(data.X.iloc[at], labels, data.weight_of(at), groups=groups)


def _accuracy(evaluation: Evaluation) -> Accuracy:
    return Accuracy(evaluation.weight - evaluation.errors, evaluation.weight)
