"""Of a column with very many values those that its quantiles depend on, found by bins that are refined."""

from __future__ import annotations

import math
from typing import Any

import narwhals as nw
import numpy as np

from .errors import TableError
from .weighing import Weighing

_BINS = 1 << 16
_SLACK = 1e-6
_BIN = "rulelab bin"


def listed_near(
    rows: nw.LazyFrame[Any], value: str, weighing: Weighing, groups: int, most: int, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Values and what each counts, so that cuts into these groups are those of all values.

    Every value near a quantile is listed. Of those between, the least and the largest of a bin are, and the least
    counts for all of them.

    Parameters
    ----------
    rows : LazyFrame
        ``value``, numbers without missing ones, and the weights.
    groups : int
        Groups of equal count.
    most : int
        How many values may be fetched at once.
    name : str
        Of the column, for messages.

    Returns
    -------
    values : array, sorted, int64 or float64
    counts : integer array
        In the unit of the weighing.

    Raises
    ------
    TableError
        Infinite numbers, or values too close together for bins.
    """
    ends = (nw.col(value).min().alias("low"), nw.col(value).max().alias("high"))
    seen = rows.select(*ends, *weighing.totals()).collect()
    low, high, total = seen["low"].item(), seen["high"].item(), int(weighing.sums(seen)[0])
    if not (math.isfinite(low) and math.isfinite(high)):
        raise TableError(f"column {name!r} holds infinite numbers; replace or remove them")
    if groups > most:
        raise TableError(f"column {name!r} has more than {most} different values; it cannot be cut in {groups} groups")
    marks = np.arange(1, groups) / groups * total
    found = _near(rows, value, weighing, marks, most, name, low, high, 0)
    if isinstance(low, float):
        broken = rows.filter(nw.col(value) != nw.col(value).floor()).select(nw.col(value).min())
        uneven = broken.collect()[value].to_list()[0]
        if uneven is not None:  # that not all are whole numbers is to be seen
            found.setdefault(uneven, 0)
    values = sorted(found)
    counts = np.array([found[v] for v in values], dtype=object)
    kind = np.float64 if isinstance(low, float) else np.int64
    return np.array(values, dtype=kind), counts if max(counts) > 2**62 or not weighing.whole else counts.astype(
        np.int64
    )


def _near(
    rows: nw.LazyFrame[Any],
    value: str,
    weighing: Weighing,
    marks: np.ndarray,
    most: int,
    name: str,
    low: Any,
    high: Any,
    before: int,
) -> dict[Any, int]:
    """Values from ``low`` to ``high``, with what each counts; ``before`` is what counts below them."""
    binned = rows.with_columns(_bin(value, low, high, most, name).alias(_BIN))
    ends = (nw.col(value).min().alias("low"), nw.col(value).max().alias("high"))
    bins = binned.group_by(_BIN).agg(*ends, *weighing.totals()).collect().sort("low")
    lows, highs, numbers = (bins[key].to_list() for key in ("low", "high", _BIN))
    counts = [int(n) for n in weighing.sums(bins)]
    upto = before + np.cumsum(np.array(counts, dtype=object))
    found: dict[Any, int] = {}
    hot = []
    for k, (least, largest, count) in enumerate(zip(lows, highs, counts, strict=True)):
        start = float(upto[k] - count) * (1 - _SLACK)
        if least < largest and np.searchsorted(marks, start) < np.searchsorted(marks, float(upto[k]) * (1 + _SLACK)):
            hot.append(k)
        else:
            found[least] = count
            found.setdefault(largest, 0)
    if not hot:
        return found
    inside = binned.filter(nw.col(_BIN).is_in([numbers[k] for k in hot]))
    listed = inside.group_by(value).agg(*weighing.totals()).head(most + 1).collect()
    if len(listed) <= most:
        return found | dict(zip(listed[value].to_list(), map(int, weighing.sums(listed)), strict=True))
    for k in hot:
        within = rows.filter((nw.col(value) >= lows[k]) & (nw.col(value) <= highs[k]))
        start = int(upto[k]) - counts[k]
        found |= _near(within, value, weighing, marks, most, name, lows[k], highs[k], start)
    return found


def _bin(value: str, low: Any, high: Any, most: int, name: str) -> nw.Expr:
    """The bin of a value: a whole number that grows with it, 0 for the lowest."""
    half = 1.0 if math.isfinite(float(high) - float(low)) else 0.5
    width = float(high) * half - float(low) * half
    scale = _BINS / width if width else math.inf
    if not math.isfinite(scale):
        raise TableError(f"column {name!r} has more than {most} values between {low!r} and {high!r}; round it")
    place = (nw.col(value).cast(nw.Float64) * half - float(low) * half) * scale
    return place.floor().cast(nw.Int64)
