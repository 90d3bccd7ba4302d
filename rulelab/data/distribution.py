"""How the cells of a column are spread, as bars, and how much of each bar is of a class, or meets conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..shown import digits
from .conditions import Condition, as_text

MOST = 24
"""Bars of a column; cells without a value have one more."""
_TAIL = 0.01
"""Share of the cells on either side of a column of numbers that the outermost bar holds: one far cell would else leave
all others in one bar."""
OTHERS, MISSING = "others", "missing"


class Bar(NamedTuple):
    """A part of a column."""

    label: str  # the cells that it is of: a value, an interval open below, `OTHERS`, or `MISSING`
    rows: float  # their weight
    height: float  # the same, as a share of that of the highest bar
    rate: float  # the share of the class among them; 0 where there are none
    met: float  # the share of those that meet the conditions


@dataclass(frozen=True)
class Distribution:
    """How the cells of a column are spread."""

    bars: tuple[Bar, ...]  # in order, missing cells last
    share: float  # that of the rows that meet the conditions
    rate: float  # the share of the class among these; 0 where there are none
    other_rate: float  # and among the others


def distribution(
    values: pd.Series,
    hits: np.ndarray,
    weight: np.ndarray | None = None,
    conditions: Sequence[Condition] = (),
    most: int = MOST,
) -> Distribution:
    """How the cells of a column are spread.

    Parameters
    ----------
    values : Series, shape (n_rows,)
        The column. Of numbers with more than ``most`` values the bars are intervals of one width, the outermost of
        which are open; else each value is a bar, of texts the commonest.
    hits : bool array, shape (n_rows,)
        Which rows are of the class.
    weight : array, shape (n_rows,), optional
        How much each row counts; default: 1.
    conditions : sequence of Condition
        On this column. A bar begins where the first of them cuts; a value that is named has a bar.
    most : int
        Bars, but for that of missing cells.
    """
    missing = values.isna().to_numpy(dtype=bool)
    present = values[~missing]
    named = [condition.value for condition in conditions if condition.value is not None]
    if pd.api.types.is_numeric_dtype(present) and not pd.api.types.is_bool_dtype(present):
        numbers = present.to_numpy(dtype=np.float64)
        distinct = np.unique(numbers)
        if len(distinct) > most:
            places, labels = _intervals(numbers, [float(value) for value in named if not isinstance(value, str)], most)
        else:
            places, labels = np.searchsorted(distinct, numbers), [digits(float(value)) for value in distinct]
    else:
        places, labels = _commonest(as_text(present).astype(str), list(map(str, named)), most)
    of_bar = np.full(len(values), len(labels), dtype=np.int64)
    of_bar[~missing] = places
    if missing.any():
        labels.append(MISSING)
    counts = np.ones(len(values)) if weight is None else weight.astype(np.float64)
    met = np.ones(len(values), dtype=bool)
    for condition in conditions:
        met &= condition.evaluate(values)

    def summed(rows: np.ndarray) -> np.ndarray:
        return np.bincount(of_bar, weights=counts * rows, minlength=len(labels))

    rows, of_class, meeting = summed(np.ones(len(values))), summed(hits), summed(met)
    some = np.where(rows > 0, rows, 1.0)
    figures = rows, rows / max(rows.max(), 1e-300), of_class / some, meeting / some
    bars = tuple(map(Bar._make, zip(labels, *(each.tolist() for each in figures), strict=True)))
    total, n_met, hits_met = rows.sum(), meeting.sum(), counts[met & hits].sum()
    parts = (n_met, total), (hits_met, n_met), (of_class.sum() - hits_met, total - n_met)
    return Distribution(bars, *(float(part / whole) if whole else 0.0 for part, whole in parts))


def _intervals(numbers: np.ndarray, cuts: Sequence[float], most: int) -> tuple[np.ndarray, list[str]]:
    """The bar of each number (int64, shape (n,)), and what the bars are; the first cut is the end of a bar."""
    low, high = np.quantile(numbers, [_TAIL, 1 - _TAIL], method="nearest")
    if low == high:
        low, high = numbers.min(), numbers.max()
    at = cuts[0] if cuts else low
    low, high = min(low, at), max(high, at)
    # the outermost bars lie beyond the ends; differences of quotients, since that of the numbers may be infinite
    width = high / (most - 3) - low / (most - 3)
    if (numbers == np.round(numbers)).all():
        width = max(np.ceil(width), 1.0)
    below, above = int(at / width - low / width), int(high / width - at / width)  # no end lies beyond the numbers
    with np.errstate(over="ignore"):  # the last end may be infinite, too
        ends = at + width * np.arange(-below, above + 1)
    words = [digits(float(end), 4) for end in ends]
    between = [f"{one} to {other}" for one, other in pairwise(words)]
    return np.searchsorted(ends, numbers, side="left"), [f"≤ {words[0]}", *between, f"> {words[-1]}"]


def _commonest(texts: pd.Series, named: Sequence[str], most: int) -> tuple[np.ndarray, list[str]]:
    """The bar of each text (int64, shape (n,)), and what the bars are: the commonest texts and those that are named."""
    counts = texts.value_counts()
    if len(counts) <= most:
        labels = counts.index.tolist()
    else:
        first = [text for text in named if text in counts.index]
        chosen = {*first, *[text for text in counts.index if text not in first][: most - 1 - len(first)]}
        labels = [text for text in counts.index if text in chosen]
    places = {text: k for k, text in enumerate(labels)}
    bars = texts.map(places).fillna(len(labels)).to_numpy(dtype=np.int64)
    return bars, [*labels, OTHERS] if len(labels) < len(counts) else labels
