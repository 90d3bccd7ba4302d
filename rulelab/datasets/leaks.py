"""Columns that give the target away: a value, a cut, or that they are filled tells the class of most rows."""

from __future__ import annotations

from math import lgamma, log, log2

import numpy as np
import pandas as pd

_FEWEST_ROWS = 20
_FEWEST_OTHERS = 10  # rows that are not of the commonest class, from which on a column that errs may be a leak
_ROWS_PER_VALUE = 5
_TOLERATED, _TOLERATED_OF_MANY = 0.1, 0.01
"""Share of the errors of the commonest class that a leak may make; the second where its values are many."""
_VALUES_PER_CLASS = 5
"""Up to so many, the values of a column may be the classes in other words; more of them are a measurement, which may
tell three kinds of flowers apart and be no leak."""
_LEAST_BITS = 10.0
"""Less than one column in a thousand, filled at random, saves so many in describing the classes of the rows."""


def leak(values: pd.Series, labels: np.ndarray, heads: np.ndarray | None = None) -> str:
    """The evidence that a column determines the labels (int array; negative: missing), or nearly; empty: it does not.

    ``heads`` (int array, shape (n_rows,), optional): for how many rows each row stands.
    """
    known = labels >= 0
    values, labels = values[known], labels[known]
    heads = np.ones(len(labels), dtype=np.int64) if heads is None else heads[known]
    sizes = _summed(labels, heads, int(labels.max(initial=-1)) + 1)
    n_rows, others = int(sizes.sum()), int(sizes.sum() - sizes.max(initial=0))
    if n_rows < _FEWEST_ROWS or not others:
        return ""
    filled = values.notna().to_numpy(dtype=np.int64)
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    told = "cells that are filled go with one class, empty ones with another"
    ways = [(_wrong(filled, labels, heads), 2, 1, told)]
    if len(distinct) * _ROWS_PER_VALUE <= n_rows:
        told = f"each of its {len(distinct)} values goes with one class"
        ways.append((_wrong(codes, labels, heads), len(distinct), 1, told))
    if pd.api.types.is_numeric_dtype(values) and len(sizes) == 2 and not pd.api.types.is_bool_dtype(values):
        ways += _cut(values.to_numpy(dtype=float, na_value=np.nan), labels, heads, n_rows)

    def leaks(wrong: int, parts: int, cuts: int) -> bool:
        tolerated = _TOLERATED if parts <= _VALUES_PER_CLASS * len(sizes) else _TOLERATED_OF_MANY
        used = parts * log2(len(sizes)) + log2(cuts) + _bits([wrong, n_rows - wrong])
        allowed = int(tolerated * others) if others >= _FEWEST_OTHERS else 0
        return wrong <= allowed and _bits(sizes.tolist()) - used >= _LEAST_BITS

    found = [way for way in ways if leaks(*way[:3])]
    if not found:
        return ""
    wrong, _, _, how = min(found, key=lambda way: way[:2])
    if not wrong:
        return how
    right = np.floor(1000 * (n_rows - wrong) / n_rows) / 10  # never 100 where it errs
    majority = f"majority {100 * (n_rows - others) / n_rows:.3g} %"
    return f"alone gets {right:.1f} % right ({majority}): {how}, but for {wrong} of {n_rows} rows"


def _summed(codes: np.ndarray, heads: np.ndarray, size: int) -> np.ndarray:
    """How many rows have each code: int array, shape (size,); sums below 2^53 are exact."""
    return np.bincount(codes, weights=heads, minlength=size).astype(np.int64)


def _bits(sizes: list[int]) -> float:
    """Those that say which of the rows are of which kind, by how many are of each."""
    return (lgamma(sum(sizes) + 1) - sum(lgamma(size + 1) for size in sizes)) / log(2)


def _wrong(codes: np.ndarray, labels: np.ndarray, heads: np.ndarray) -> int:
    """The rows that are not of the commonest class among those of their code."""
    width = int(labels.max()) + 1
    table = _summed(codes * width + labels, heads, (int(codes.max()) + 1) * width)
    return int(table.sum() - table.reshape(-1, width).max(axis=1).sum())


def _cut(numbers: np.ndarray, labels: np.ndarray, heads: np.ndarray, n_rows: int) -> list[tuple[int, int, int, str]]:
    """The threshold that separates two classes best: its errors (missing cells are), parts, and of how many it is."""
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
    return [(int(wrong[best]) + n_rows - inside, 2, len(ends), how)]
