"""What a model scores on given rows: the parts of its objective, confusion counts, rates per group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ModelError
from ..data.columns import read_weights
from ..data.metrics import RATES, Confusion, confusion, group_rates
from ..data.problem_arguments import read_labels
from ..shown import Fact, Shown, figure, rows_below


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Shown):
    """Scores of a model on a set of rows.

    Attributes
    ----------
    n_rows : int
    errors, weight : int or float
        Wrong and all rows, or their weights.
    complexity : int
        Rules of a list (the default is not counted).
    regularization, objective : float or None
        The objective of the model's family; None when no regularization was given.
    confusion : Confusion
    groups : DataFrame or None
        See `rulelab.data.metrics.group_rates`.
    """

    n_rows: int
    errors: int | float
    weight: int | float
    complexity: int
    regularization: float | None
    objective: float | None
    confusion: Confusion
    groups: pd.DataFrame | None = field(default=None, repr=False)

    def _facts(self) -> Iterator[Fact]:
        yield "rows", self.n_rows
        yield "errors", f"{figure(self.errors)} of {figure(self.weight)}"
        yield "complexity", self.complexity
        yield "objective", self.objective
        yield from ((rate.replace("_", " "), float(getattr(self.confusion, rate))) for rate in RATES)

    def _below(self) -> str:
        if self.groups is None:
            return ""
        rates = self.groups[[name for name in self.groups if not name.endswith(("_low", "_high"))]]
        return rows_below(rates.reset_index())

    @property
    def accuracy(self) -> float:
        return self.confusion.accuracy

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON; undefined rates are None."""
        own = ("n_rows", "errors", "weight", "complexity", "regularization", "objective")
        counts = ("true_positive", "false_positive", "true_negative", "false_negative")
        rows = [] if self.groups is None else self.groups.reset_index().to_dict(orient="records")
        groups = [{key: _defined(value) for key, value in row.items()} for row in rows]
        return {
            **{name: getattr(self, name) for name in own},
            **{name: getattr(self.confusion, name) for name in counts},
            **{name: _defined(self.confusion.rate(name)) for name in RATES},
            "groups": None if self.groups is None else groups,
        }


def measure(
    predicted: np.ndarray, y: Any, classes: tuple[Any, ...], sample_weight: Any = None, groups: Any = None
) -> tuple[Confusion, pd.DataFrame | None]:
    """Compare predictions (bool array, shape (n_rows,)) with labels out of ``classes``; raises ModelError."""
    n = len(predicted)
    try:
        actual = _actual(y, classes, n)
        weight = None if sample_weight is None else read_weights(sample_weight, n)
        per_group = None if groups is None else group_rates(actual, predicted, groups, weight)
    except ValueError as error:
        raise ModelError(str(error)) from None
    counted = confusion(actual, predicted, weight)
    if not counted.weight > 0:
        raise ModelError("there is nothing to evaluate on: no rows of positive weight")
    return counted, per_group


def _actual(y: Any, classes: tuple[Any, ...], n_rows: int) -> np.ndarray:
    labels = read_labels(y, n_rows)
    series = pd.Series(labels)
    negative, positive = ((series == c).fillna(False).to_numpy(dtype=bool) for c in (classes[0], classes[-1]))
    unknown = np.flatnonzero(~(negative | positive))
    if len(unknown):
        raise ModelError(
            f"y, row {unknown[0]} is {labels[unknown[0]]!r} ({len(unknown)} such rows in all), "
            f"but the model knows only {' and '.join(map(repr, classes))}"
        )
    return positive


def _defined(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
