"""Columns that give the target away: a value of theirs, or a cut, tells the class on nearly all rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .dataset import quote

_FEWEST_ROWS = 20
_ROWS_PER_VALUE = 5
_TOLERATED = 0.01  # of the rows that are not of the commonest class


def leak(values: pd.Series, labels: np.ndarray) -> str:
    """The evidence that a column determines the labels, in words; empty where it does not.

    Parameters
    ----------
    values : Series, shape (n_rows,)
        All rows; missing cells are a value of their own.
    labels : int array, shape (n_rows,)
        Codes of the classes from 0; negative where the target is missing: these rows do not count.
    """
    known = labels >= 0
    values, labels = values[known], labels[known]
    n_rows, n_classes = len(labels), int(labels.max(initial=-1)) + 1
    others = n_rows - int(np.bincount(labels).max()) if n_rows else 0
    if n_rows < _FEWEST_ROWS or not others:
        return ""
    allowed = int(_TOLERATED * others)
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    if len(distinct) * _ROWS_PER_VALUE <= n_rows:
        table = np.bincount(codes * n_classes + labels, minlength=len(distinct) * n_classes)
        wrong = n_rows - int(table.reshape(-1, n_classes).max(axis=1).sum())
        if wrong <= allowed:
            return f"each of its {len(distinct)} values goes with one class{_but(wrong, n_rows)}"
    if pd.api.types.is_numeric_dtype(values) and n_classes == 2 and not pd.api.types.is_bool_dtype(values):
        return _cut(values, labels, allowed)
    return ""


def _cut(values: pd.Series, labels: np.ndarray, allowed: int) -> str:
    """Whether one threshold separates the two classes; missing cells are on neither side."""
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    order = np.argsort(numbers[~np.isnan(numbers)], kind="stable")
    numbers, labels = numbers[~np.isnan(numbers)][order], labels[~np.isnan(numbers)][order]
    ends = np.flatnonzero(numbers[1:] != numbers[:-1])
    if not len(ends) or len(numbers) * 2 < len(values):
        return ""
    below = np.cumsum(labels)[ends]
    total = int(labels.sum())
    wrong = np.minimum(below + (len(labels) - ends - 1 - (total - below)), (ends + 1 - below) + (total - below))
    best = int(np.argmin(wrong))
    missing = len(values) - len(numbers)
    if wrong[best] + missing > allowed:
        return ""
    return f"the cut at {quote(float(numbers[ends[best]]))} separates the classes{_but(int(wrong[best]), len(values))}"


def _but(wrong: int, n_rows: int) -> str:
    return f", but for {wrong} of {n_rows} rows" if wrong else ""
