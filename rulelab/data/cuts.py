"""Where a column of numbers is cut: at quantiles of the rows, or of their weight, in numbers of few digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from .columns import Column

ROUNDING = 1e-12
"""Relative, of sums of weights that are not whole numbers."""
_FEW_GROUPS = 1000
_MOST_GROUPS = 1 << 53


def distinct_values(column: Column, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The sorted values of the cells that are present, and the number of rows (or the weight) of each."""
    present = column.data[~column.missing]
    if weight is None:
        present = np.sort(present)
    else:
        order = np.argsort(present, kind="stable")
        present, weight = present[order], weight[~column.missing][order]
    first = np.flatnonzero(np.append(True, present[1:] != present[:-1])[: len(present)])
    counts = np.diff(np.append(first, len(present))) if weight is None else np.add.reduceat(weight, first)
    return present[first], counts


def scaled(counts: np.ndarray, scale: Fraction | None) -> np.ndarray:
    """Sums of integers times the scale, each the nearest double; they are the same in every order of the rows."""
    if scale is None:
        return counts
    return np.array([int(n) * scale.numerator / scale.denominator for n in counts.tolist()], dtype=np.float64)


def quantile_cuts(distinct: np.ndarray, counts: np.ndarray, groups: int) -> list[float]:
    """Cuts at the inner quantiles of sorted values; where all of them are the maximum, the value below it."""
    where = many_groups(counts, groups) if groups > max(_FEW_GROUPS, len(distinct)) else few_groups(counts, groups)
    where = where[where < len(distinct) - 1]
    if not where.size:
        where = np.array([len(distinct) - 2])
    if all_whole(distinct):
        return [plain(distinct[k]) for k in where]
    return [_shortest_decimal(float(distinct[k]), float(distinct[k + 1])) for k in where]


def few_groups(counts: np.ndarray, groups: int) -> np.ndarray:
    """Positions of the quantiles, one by one."""
    total = counts.sum()
    wanted = np.arange(1, groups) * total
    if counts.dtype.kind == "f":
        wanted = wanted - ROUNDING * groups * total
    return np.unique(np.searchsorted(np.cumsum(counts) * groups, wanted))


def many_groups(counts: np.ndarray, groups: int) -> np.ndarray:
    """The same, where there are fewer values than groups: for each value, whether a quantile falls on it."""
    groups = min(groups, _MOST_GROUPS)
    if counts.dtype.kind == "f":
        total, before = counts.sum(), np.cumsum(counts) - counts
        shift = ROUNDING * groups * total
        quantile = np.floor((before * groups + shift) / total) + 1
        return np.flatnonzero(quantile * total - shift <= (before + counts) * groups)
    hit, total, upto = [], int(counts.sum()), 0
    for k, count in enumerate(counts.tolist()):  # Python's integers: the products may be large
        quantile = upto * groups // total + 1
        upto += count
        if quantile * total <= upto * groups:
            hit.append(k)
    return np.array(hit, dtype=np.int64)


def _shortest_decimal(low: float, high: float) -> float:
    """The number of fewest decimals in [low, high), the smallest of them: it splits as ``low`` does."""
    for decimals in range(18):
        scale = 10.0**decimals
        for candidate in (round(low, decimals), float(np.ceil(low * scale)) / scale):
            if low <= candidate < high:
                return candidate + 0.0
    return low


def all_whole(values: np.ndarray) -> bool:
    return values.dtype.kind in "iu" or bool((values == np.floor(values)).all() and np.abs(values).max() < 2**53)


def plain(value: Any) -> Any:
    """A Python number, an int where it is whole."""
    number = value.item()
    return int(number) if isinstance(number, float) and number.is_integer() else number
