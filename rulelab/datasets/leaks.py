"""Columns that give the target away: a value, a cut, or that they are filled tells the class of most rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

_FEWEST_ROWS = 20
_FEWEST_OTHERS = 10
"""Rows that are not of the commonest class, from which on a column that errs may be a leak."""
_ROWS_PER_VALUE = 5
_TOLERATED = 0.1
"""Share of the errors of the commonest class that a leak may make."""


def leak(values: pd.Series, labels: np.ndarray, heads: np.ndarray | None = None) -> str:
    """The evidence that a column determines the labels, or nearly, in words; empty where it does not.

    Parameters
    ----------
    values : Series, shape (n_rows,)
        All rows; missing cells are a value of their own.
    labels : int array, shape (n_rows,)
        Codes of the classes from 0; negative where the target is missing: these rows do not count.
    heads : int array, shape (n_rows,), optional
        For how many rows each row stands; default: one.
    """
    known = labels >= 0
    values, labels = values[known], labels[known]
    heads = np.ones(len(labels), dtype=np.int64) if heads is None else heads[known]
    sizes = _summed(labels, heads, int(labels.max(initial=-1)) + 1)
    n_rows, others = int(sizes.sum()), int(sizes.sum() - sizes.max(initial=0))
    if n_rows < _FEWEST_ROWS or not others:
        return ""
    allowed = int(_TOLERATED * others) if others >= _FEWEST_OTHERS else 0
    filled = values.notna().to_numpy(dtype=np.int64)
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    ways = [(_wrong(filled, labels, heads), "cells that are filled go with one class, empty ones with another")]
    if len(distinct) * _ROWS_PER_VALUE <= n_rows:
        ways.append((_wrong(codes, labels, heads), f"each of its {len(distinct)} values goes with one class"))
    if pd.api.types.is_numeric_dtype(values) and len(sizes) == 2 and not pd.api.types.is_bool_dtype(values):
        ways += _cut(values.to_numpy(dtype=float, na_value=np.nan), labels, heads, n_rows)
    wrong, how = min(ways, key=lambda way: way[0])
    if wrong > allowed:
        return ""
    if not wrong:
        return how
    right = np.floor(1000 * (n_rows - wrong) / n_rows) / 10  # never 100 where it errs
    majority = f"majority {100 * (n_rows - others) / n_rows:.3g} %"
    return f"alone gets {right:.1f} % right ({majority}): {how}, but for {wrong} of {n_rows} rows"


def _summed(codes: np.ndarray, heads: np.ndarray, size: int) -> np.ndarray:
    """How many rows have each code: int array, shape (size,); sums below 2^53 are exact."""
    return np.bincount(codes, weights=heads, minlength=size).astype(np.int64)


def _wrong(codes: np.ndarray, labels: np.ndarray, heads: np.ndarray) -> int:
    """The rows that are not of the commonest class among those of their code."""
    width = int(labels.max()) + 1
    table = _summed(codes * width + labels, heads, (int(codes.max()) + 1) * width)
    return int(table.sum() - table.reshape(-1, width).max(axis=1).sum())


def _cut(numbers: np.ndarray, labels: np.ndarray, heads: np.ndarray, n_rows: int) -> list[tuple[int, str]]:
    """The threshold that separates two classes best, and its errors; missing cells count as wrong on either side."""
    present = np.flatnonzero(~np.isnan(numbers))
    order = present[np.argsort(numbers[present], kind="stable")]
    sorted_ = numbers[order]
    ends = np.flatnonzero(sorted_[1:] != sorted_[:-1])
    inside = int(heads[order].sum())
    if not len(ends) or inside * 2 < n_rows:
        return []
    below, positive = np.cumsum(heads[order])[ends], np.cumsum(heads[order] * labels[order])[ends]
    total = int((heads[order] * labels[order]).sum())
    errors = positive + (inside - below) - (total - positive)  # of predicting 1 above
    wrong = np.minimum(errors, inside - errors)
    best = int(np.argmin(wrong))
    how = f"the cut at {float(sorted_[ends[best]])!r} separates the classes"
    return [(int(wrong[best]) + n_rows - inside, how)]
