"""How the antecedents of a model are evaluated on the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ModelError
from ..data.columns import listed
from ..data.conditions import Condition, as_booleans, column_name, conditions_of, in_pandas, refuse_cells
from .rule import Literal


def satisfied(A: Any, antecedents: Sequence[Literal], n_antecedents: int) -> np.ndarray:
    """Which rows satisfy which antecedents: bool array, shape (n_rows, len(antecedents)); raises ModelError.

    ``A``: an array of Booleans or 0/1 with the training antecedents as columns, or a DataFrame that is read by name:
    columns named as the antecedents, or as their conditions, or the raw columns that the conditions test.
    """
    A = in_pandas(A)
    if isinstance(A, pd.DataFrame):
        nameless = isinstance(A.columns, pd.RangeIndex) and A.shape[1] == n_antecedents
        columns = _Columns(A)
        if not nameless or all(columns.knows(a) for a in antecedents):
            columns.check(antecedents)
            return _stack(len(A), [columns.evaluate(a) for a in antecedents])
    values = A.to_numpy() if isinstance(A, pd.DataFrame) else np.asarray(A)
    if values.ndim != 2:
        raise ModelError(f"the rows must be of shape (rows, antecedents), not {values.shape}")
    if values.shape[1] != n_antecedents and n_antecedents > 0:
        raise ModelError(
            f"the array has {values.shape[1]} columns, but the model was trained on {n_antecedents} antecedents; "
            "pass these, or a DataFrame with named columns"
        )
    columns_used = [(a.antecedent, pd.Series(values[:, a.antecedent])) for a in antecedents]
    return _stack(len(values), [_boolean(column, f"column {j}") for j, column in columns_used])


class _Columns:
    """The columns of a DataFrame, found by name; each condition is evaluated once."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._names = [str(c) for c in frame.columns]
        self._position = {name: j for j, name in reversed(list(enumerate(self._names)))}
        for j, label in enumerate(frame.columns):
            self._position.setdefault(column_name(label), j)
        self._conditions = {c: j for j, c in enumerate(conditions_of(frame)) if str(c) != c.column}
        self._cache: dict[Condition, np.ndarray] = {}

    def knows(self, a: Literal) -> bool:
        return not self._missing(a)

    def check(self, antecedents: Sequence[Literal]) -> None:
        """Refuse the table unless all the antecedents can be evaluated on it."""
        lacking = list(dict.fromkeys(name for a in antecedents for name in self._missing(a)))
        if lacking:
            dates = [whole for name in lacking if (whole := name.rpartition(": ")[0]) in self._position]
            hint = f"; rulelab.datasets.from_frame makes parts of dates, as of {dates[0]!r}" if dates else ""
            raise ModelError(
                f"the table lacks {listed(lacking, 5)}; it needs the columns of the model's rules by name{hint}"
            )

    def evaluate(self, a: Literal) -> np.ndarray:
        if a.name in self._position and not _is_raw_column(a):
            return _boolean(self._column(a.name), repr(a.name))
        out = np.ones(len(self._frame), dtype=bool)
        for condition in a.conditions or ():
            if condition not in self._cache:
                self._cache[condition] = self._evaluate(condition)
            out &= self._cache[condition]
        return out

    def _missing(self, a: Literal) -> list[str]:
        if a.name in self._position:
            return []
        if a.conditions is None:
            return [a.name]
        known = (self._conditions, self._position)
        return [c.column for c in a.conditions if c not in known[0] and not {str(c), c.column} & known[1].keys()]

    def _evaluate(self, condition: Condition) -> np.ndarray:
        text = str(condition)
        if condition in self._conditions:
            return _boolean(self._frame.iloc[:, self._conditions[condition]], repr(text))
        if text in self._position and text != condition.column:
            return _boolean(self._column(text), repr(text))
        try:
            return condition.evaluate(self._column(condition.column))
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{text!r} cannot be evaluated on the column {condition.column!r}: {error}") from None

    def _column(self, name: str) -> pd.Series:
        if self._names.count(name) > 1:
            raise ModelError(f"the table has {self._names.count(name)} columns named {name!r}; keep one of them")
        return self._frame.iloc[:, self._position[name]]


def _is_raw_column(a: Literal) -> bool:
    """Whether the name is that of a Boolean column in the raw table, whose cells may be missing."""
    return a.conditions is not None and len(a.conditions) == 1 and a.conditions[0].column == a.name


def _stack(n_rows: int, columns: list[np.ndarray]) -> np.ndarray:
    out = np.empty((n_rows, len(columns)), dtype=bool, order="F")
    for j, column in enumerate(columns):
        out[:, j] = column
    return out


def _boolean(values: pd.Series, what: str) -> np.ndarray:
    """The cells as Booleans, of which none is missing."""
    if values.dtype == np.bool_:
        return values.to_numpy()
    missing = values.isna().to_numpy(dtype=bool)
    try:
        refuse_cells(values, np.zeros(len(values), dtype=bool), missing, "which is neither 0 nor 1")
        return as_booleans(values, missing)
    except ValueError as error:
        raise ModelError(f"{what}, {error}") from None
