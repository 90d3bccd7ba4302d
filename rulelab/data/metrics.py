"""Confusion counts, rates with Wilson intervals, and the same per group of people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from .dataframes import in_pandas


@dataclass(frozen=True)
class Confusion:
    """Counts (or weights) of a binary prediction against the truth.

    A rate whose denominator is zero is ``nan``.
    """

    true_positive: int | float
    false_positive: int | float
    true_negative: int | float
    false_negative: int | float

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(*(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    @property
    def counts(self) -> tuple[int | float, int | float, int | float, int | float]:
        """True positives, false positives, true negatives, false negatives."""
        return self.true_positive, self.false_positive, self.true_negative, self.false_negative

    @property
    def weight(self) -> int | float:
        return self.true_positive + self.false_positive + self.true_negative + self.false_negative

    @property
    def errors(self) -> int | float:
        return self.false_positive + self.false_negative

    @property
    def actual_positive(self) -> int | float:
        return self.true_positive + self.false_negative

    @property
    def actual_negative(self) -> int | float:
        return self.true_negative + self.false_positive

    @property
    def predicted_positive(self) -> int | float:
        return self.true_positive + self.false_positive

    def rate(self, name: str) -> float:
        """The rate called ``name`` (one of `RATES`)."""
        successes, trials = RATES[name](self)
        return float(successes / trials) if trials else math.nan

    @property
    def accuracy(self) -> float:
        return self.rate("accuracy")

    @property
    def true_positive_rate(self) -> float:
        return self.rate("true_positive_rate")

    @property
    def false_positive_rate(self) -> float:
        return self.rate("false_positive_rate")

    @property
    def true_negative_rate(self) -> float:
        return self.rate("true_negative_rate")

    @property
    def false_negative_rate(self) -> float:
        return self.rate("false_negative_rate")

    @property
    def precision(self) -> float:
        return self.rate("precision")

    @property
    def selection_rate(self) -> float:
        return self.rate("selection_rate")

    @property
    def base_rate(self) -> float:
        return self.rate("base_rate")


RATES: dict[str, Callable[[Confusion], tuple[int | float, int | float]]] = {
    "accuracy": lambda c: (c.true_positive + c.true_negative, c.weight),
    "true_positive_rate": lambda c: (c.true_positive, c.actual_positive),
    "false_positive_rate": lambda c: (c.false_positive, c.actual_negative),
    "true_negative_rate": lambda c: (c.true_negative, c.actual_negative),
    "false_negative_rate": lambda c: (c.false_negative, c.actual_positive),
    "precision": lambda c: (c.true_positive, c.predicted_positive),
    "selection_rate": lambda c: (c.predicted_positive, c.weight),
    "base_rate": lambda c: (c.actual_positive, c.weight),
}
"""Numerator and denominator of every rate."""

MISSING = "(missing)"
"""The group of rows whose group is not known."""
FEW = 30
"""A group with fewer positives or fewer negatives is flagged."""


def confusion(actual: np.ndarray, predicted: np.ndarray, sample_weight: np.ndarray | None = None) -> Confusion:
    """Count hits and misses.

    Parameters
    ----------
    actual, predicted : bool array, shape (n_rows,)
        True for the positive class.
    sample_weight : int or float array, shape (n_rows,), optional
        Integer weights are summed exactly.
    """
    weight = np.ones(len(actual), dtype=np.int64) if sample_weight is None else np.asarray(sample_weight)

    def total(rows: np.ndarray) -> int | float:
        return weight[rows].sum().item()

    return Confusion(
        true_positive=total(actual & predicted),
        false_positive=total(~actual & predicted),
        true_negative=total(~actual & ~predicted),
        false_negative=total(actual & ~predicted),
    )


def confusion_from(hits: Any, alarms: Any, positives: Any, negatives: Any) -> Confusion:
    """Counts from which positives and negatives are predicted positive: numbers, or arrays of many models."""
    return Confusion(hits, alarms, negatives - alarms, positives - hits)


def roc_auc(score: Any, positives: Any, negatives: Any) -> float:
    """How often a positive has a higher score than a negative, ties counted half: the area under the ROC curve.

    Parameters
    ----------
    score : array-like, shape (n,)
        Of each row, or of each group of rows.
    positives, negatives : array-like, shape (n,)
        Their weight of both classes; none is below 0.

    Returns
    -------
    float
        ``nan`` when a class has no weight.
    """
    level, place = np.unique(np.asarray(score, dtype=float), return_inverse=True)
    up = np.bincount(place.ravel(), np.asarray(positives, dtype=float), len(level))
    down = np.bincount(place.ravel(), np.asarray(negatives, dtype=float), len(level))
    pairs = up.sum() * down.sum()
    return float((up * (np.cumsum(down) - down / 2)).sum() / pairs) if pairs > 0 else math.nan


def wilson_interval(successes: Any, trials: Any, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Score interval of a proportion (Wilson, JASA 22, 1927).

    Parameters
    ----------
    successes, trials : array-like
        Counts, broadcast against each other; weights are taken as repeated rows.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    low, high : float arrays
        0 and 1 where there are no trials.

    Raises
    ------
    ValueError
        When the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence!r}")
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    centre = k + z2 / 2
    half = np.sqrt(z2 * (k * (n - k) / np.where(n > 0, n, 1) + z2 / 4))
    low, high = (centre - half) / (n + z2), (centre + half) / (n + z2)
    return np.where(k > 0, np.clip(low, 0, 1), 0.0), np.where(k < n, np.clip(high, 0, 1), 1.0)


def group_labels(groups: Any, n_rows: int) -> np.ndarray:
    """One text label per row; several columns give their intersections, joined by a comma.

    Where a cell is missing, the group is `MISSING`, one as any other.

    Raises
    ------
    ValueError
        When the length is wrong.
    """
    groups = in_pandas(groups)
    frame = groups if isinstance(groups, pd.DataFrame) else pd.DataFrame({"group": _cells(groups)})
    if len(frame) != n_rows:
        raise ValueError(f"groups has {len(frame)} rows, but there are {n_rows}; give one group per row")
    columns = [_group_texts(frame.iloc[:, k]) for k in range(frame.shape[1])]
    if len(columns) == 1:
        return columns[0]
    return np.array([", ".join(cells) for cells in zip(*columns, strict=True)], dtype=object)


def _cells(groups: Any) -> Any:
    """An array, in which a missing cell of a list is still one and no text."""
    return groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)


def _group_texts(values: pd.Series) -> np.ndarray:
    """The cells as texts; whole numbers have no decimals, whether cells are missing among them or not."""
    if pd.api.types.is_float_dtype(values) and (values.dropna() % 1 == 0).all():
        values = values.astype("Int64")
    return values.astype(object).where(values.notna(), MISSING).astype(str).to_numpy(dtype=object)


def group_confusions(
    actual: np.ndarray, predicted: np.ndarray, groups: Any, sample_weight: np.ndarray | None = None
) -> dict[str, Confusion]:
    """The confusion counts of each group, sorted by the group's label; the arguments are those of `group_rates`."""
    codes, names = pd.factorize(group_labels(groups, len(actual)), sort=True)
    members = [np.flatnonzero(codes == g) for g in range(len(names))]
    return {
        name: confusion(actual[at], predicted[at], None if sample_weight is None else sample_weight[at])
        for name, at in zip(names.tolist(), members, strict=True)
    }


def group_rates(
    actual: np.ndarray,
    predicted: np.ndarray,
    groups: Any,
    sample_weight: np.ndarray | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Every rate of `RATES` within each group, with its Wilson interval.

    Parameters
    ----------
    actual, predicted : bool array, shape (n_rows,)
    groups : array of labels, shape (n_rows,), or DataFrame
    sample_weight : array, shape (n_rows,), optional
    confidence : float

    Returns
    -------
    DataFrame
        As `rates_table` gives it.
    """
    return rates_table(group_confusions(actual, predicted, groups, sample_weight), confidence)


def rates_table(per_group: Mapping[str, Confusion], confidence: float = 0.95) -> pd.DataFrame:
    """Counts and rates of groups that are counted already.

    Returns
    -------
    DataFrame
        One row per group (index ``group``): ``weight``, ``errors``; then ``<rate>``, ``<rate>_low`` and
        ``<rate>_high`` for every rate of `RATES` (without trials ``nan``, with the interval from 0 to 1); then the
        counts ``true_positive``, ``false_positive``, ``true_negative`` and ``false_negative``; and ``few``, which is
        True where the group has fewer than `FEW` positives or fewer than `FEW` negatives, so that its rates say
        little.
    """
    counted = list(per_group.values())
    columns: dict[str, Any] = {"weight": [c.weight for c in counted], "errors": [c.errors for c in counted]}
    for name, parts in RATES.items():
        ratios = [parts(c) for c in counted]
        low, high = wilson_interval([k for k, _ in ratios], [n for _, n in ratios], confidence)
        columns |= {name: [c.rate(name) for c in counted], f"{name}_low": low, f"{name}_high": high}
    for name in ("true_positive", "false_positive", "true_negative", "false_negative"):
        columns[name] = [getattr(c, name) for c in counted]
    columns["few"] = [min(c.actual_positive, c.actual_negative) < FEW for c in counted]
    return pd.DataFrame(columns, index=pd.Index(list(per_group), name="group", dtype=object))
