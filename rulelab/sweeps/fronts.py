"""Pareto fronts: means and standard errors over folds, and the points that no other point dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

MAXIMISED = frozenset({"accuracy", "true_positive_rate", "true_negative_rate", "precision"})
"""Better when larger; of all else (complexity, errors, gaps, other rates, seconds) less is better."""


def non_dominated(x: Any, y: Any, maximise: tuple[bool, bool] = (False, False)) -> np.ndarray:
    """Which points no other point dominates.

    A point dominates another when it is at least as good in both values and better in one; equal points do not
    dominate each other.

    Parameters
    ----------
    x, y : array-like of numbers, shape (n_points,)
        A point with a missing value is never on the front.
    maximise : pair of bool
        Whether more is better, of x and of y.

    Returns
    -------
    bool array, shape (n_points,)

    Raises
    ------
    ValueError
        When the lengths differ.
    """
    costs = [
        np.asarray(values, dtype=float) * (-1 if more else 1) for values, more in zip((x, y), maximise, strict=True)
    ]
    if costs[0].shape != costs[1].shape or costs[0].ndim != 1:
        raise ValueError(f"x and y must be of one length, not of the shapes {costs[0].shape} and {costs[1].shape}")
    known = np.flatnonzero(~np.isnan(costs[0]) & ~np.isnan(costs[1]))
    a, b = costs[0][known], costs[1][known]
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    first = np.concatenate([[True], a[1:] > a[:-1]])[: len(a)]  # of the points with one a, b is least here
    run = np.cumsum(first) - 1
    least = b[first]
    before = np.minimum.accumulate(least)
    out = np.zeros(len(costs[0]), dtype=bool)
    out[known[order]] = (b == least[run]) & ((run == 0) | (b < before[run - 1]))
    return out


def mean_and_error(frame: pd.DataFrame, by: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """Means of columns within groups of rows, and the standard errors of these means.

    Parameters
    ----------
    frame : DataFrame
        One row per fold.
    by : sequence of str
        Columns that say which rows belong to one point; missing cells are equal to each other.
    values : sequence of str
        Columns of numbers; missing cells are left out.

    Returns
    -------
    DataFrame
        One row per point in the order of their first rows: the columns of ``by``, ``folds`` (rows), then each value and
        ``<value>_se``, the standard deviation (n - 1) over the square root of the number of cells; ``nan`` for one.
    """
    grouped = frame.groupby(list(by), sort=False, dropna=False)
    table = {"folds": grouped.size()}
    for name in values:
        column = grouped[name]
        table |= {name: column.mean(), f"{name}_se": column.std(ddof=1) / np.sqrt(column.count())}
    return pd.DataFrame(table).reset_index()


def front(points: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """The points that are not dominated in two columns, from the smallest y to the largest.

    Parameters
    ----------
    points : DataFrame
    x, y : str
        Columns of numbers, which also say whether more is better; see `MAXIMISED`.
    """
    kept = non_dominated(points[x], points[y], (x in MAXIMISED, y in MAXIMISED))
    return points[kept].sort_values([y, x], kind="stable").reset_index(drop=True)
