"""Confusion counts, rates with Wilson intervals, and the same per group of people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from .conditions import cell_text, in_pandas

Counts = tuple[int | float, ...]


def _as_attribute(rate: str) -> property:
    """A rate as an attribute of the counts."""
    return property(lambda counted: counted.rate(rate))


@dataclass(frozen=True)
class Confusion:
    """Weights of a binary prediction against the truth, and how many rows they are of.

    A rate whose denominator is zero is ``nan``.

    Attributes
    ----------
    true_positive, false_positive, true_negative, false_negative : int or float
        Sums of weights.
    rows, squares : tuple of four numbers, or None
        In the same order: how many rows of positive weight there are, and the sums of their squared weights. None:
        the weights are counts, each one as many rows of weight 1.
    """

    true_positive: int | float
    false_positive: int | float
    true_negative: int | float
    false_negative: int | float
    rows: Counts | None = field(default=None, compare=False, kw_only=True)
    squares: Counts | None = field(default=None, compare=False, kw_only=True)

    def __add__(self, other: Confusion) -> Confusion:
        parts = zip(self._parts, other._parts, strict=True)
        counts, rows, squares = (tuple(a + b for a, b in zip(*each, strict=True)) for each in parts)
        if self.rows is None and other.rows is None:
            return Confusion(*counts)
        return Confusion(*counts, rows=rows, squares=squares)

    @property
    def _parts(self) -> tuple[Counts, Counts, Counts]:
        return self.counts, self.rows or self.counts, self.squares or self.counts

    @property
    def numbers(self) -> list[int | float]:
        """All that it holds, so that ``Confusion.of(c.numbers)`` is the same again."""
        return [*self.counts, *(() if self.rows is None else self.rows), *(self.squares or ())]

    @classmethod
    def of(cls, numbers: Sequence[int | float]) -> Confusion:
        """The inverse of `numbers`."""
        counts, rows, squares = (tuple(numbers[at : at + 4]) for at in (0, 4, 8))
        return cls(*counts, rows=rows or None, squares=squares or None)

    @property
    def counts(self) -> Counts:
        """True positives, false positives, true negatives, false negatives."""
        return self.true_positive, self.false_positive, self.true_negative, self.false_negative

    @property
    def n_rows(self) -> int | float:
        """Rows of positive weight."""
        return sum(self._parts[1])

    def rows_of(self, name: str) -> int | float:
        """How many rows the rate called ``name`` is a share of."""
        return RATES[name](Confusion(*self._parts[1]))[1]

    @property
    def few(self) -> bool:
        """Whether there are fewer than `FEW` positive or fewer than `FEW` negative rows."""
        return min(self.rows_of("true_positive_rate"), self.rows_of("false_positive_rate")) < FEW

    def trials(self, name: str) -> tuple[float, float]:
        """Successes and trials that say as much of a rate as the weighted rows do.

        The trials are the effective number of rows, (sum w)^2 / sum w^2 over the denominator (Kish, Survey Sampling,
        1965, 11.7); a common factor of the weights changes nothing.
        """
        (successes, whole), (_, squares) = RATES[name](self), RATES[name](Confusion(*self._parts[2]))
        scale = whole / squares if squares else 0.0
        return successes * scale, whole * scale

    def interval(self, name: str) -> tuple[float, float]:
        """The Wilson interval of the rate called ``name``."""
        low, high = wilson_interval(*self.trials(name))
        return float(low), float(high)

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

    accuracy = _as_attribute("accuracy")
    true_positive_rate = _as_attribute("true_positive_rate")
    false_positive_rate = _as_attribute("false_positive_rate")
    true_negative_rate = _as_attribute("true_negative_rate")
    false_negative_rate = _as_attribute("false_negative_rate")
    precision = _as_attribute("precision")
    selection_rate = _as_attribute("selection_rate")
    base_rate = _as_attribute("base_rate")


@dataclass(frozen=True)
class RateRecord:
    """One rate: what it is called in a table, and a function that gives its numerator and its denominator."""

    short: str
    parts: Callable[[Confusion], tuple[Any, Any]]

    def __call__(self, counted: Confusion) -> tuple[Any, Any]:
        return self.parts(counted)


RATES: dict[str, RateRecord] = {
    "accuracy": RateRecord("accuracy", lambda c: (c.true_positive + c.true_negative, c.weight)),
    "true_positive_rate": RateRecord("TPR", lambda c: (c.true_positive, c.actual_positive)),
    "false_positive_rate": RateRecord("FPR", lambda c: (c.false_positive, c.actual_negative)),
    "true_negative_rate": RateRecord("TNR", lambda c: (c.true_negative, c.actual_negative)),
    "false_negative_rate": RateRecord("FNR", lambda c: (c.false_negative, c.actual_positive)),
    "precision": RateRecord("precision", lambda c: (c.true_positive, c.predicted_positive)),
    "selection_rate": RateRecord("selected", lambda c: (c.predicted_positive, c.weight)),
    "base_rate": RateRecord("base rate", lambda c: (c.actual_positive, c.weight)),
}
"""Every rate, with its numerator and denominator."""

MISSING = "(missing)"
"""The group of rows whose group is not known."""
FEW = 30
"""A rate of fewer rows is flagged."""


def confusion(
    actual: np.ndarray, predicted: np.ndarray, sample_weight: np.ndarray | None = None, heads: np.ndarray | None = None
) -> Confusion:
    """Count hits and misses of two bool arrays; integer weights are summed exactly.

    ``heads`` (array, shape (n_rows,), optional): for how many rows each row stands; counts have themselves.
    """
    cells = (actual & predicted, ~actual & predicted, ~actual & ~predicted, actual & ~predicted)
    if sample_weight is None:
        return Confusion(*(int(at.sum()) for at in cells))
    weight = np.asarray(sample_weight)
    real = weight.astype(float)
    number = np.asarray(weight > 0, dtype=np.int64) if heads is None else np.asarray(heads)
    squares = np.divide(real * real, number, out=np.zeros(len(real)), where=number > 0)
    sums, rows, squared = (tuple(values[at].sum().item() for at in cells) for values in (weight, number, squares))
    return Confusion(*sums, rows=rows, squares=squared)


def confusion_from(hits: Any, alarms: Any, positives: Any, negatives: Any) -> Confusion:
    """Counts from which positives and negatives are predicted positive: numbers, or arrays of many models."""
    return Confusion(hits, alarms, negatives - alarms, positives - hits)


def roc_auc(score: Any, positives: Any, negatives: Any) -> float:
    """Area under the ROC curve, of scores with a weight of both classes each; ``nan`` when a class has no weight."""
    level, place = np.unique(np.asarray(score, dtype=float), return_inverse=True)
    up = np.bincount(place.ravel(), np.asarray(positives, dtype=float), len(level))
    down = np.bincount(place.ravel(), np.asarray(negatives, dtype=float), len(level))
    pairs = up.sum() * down.sum()
    return float((up * (np.cumsum(down) - down / 2)).sum() / pairs) if pairs > 0 else math.nan


def wilson_interval(successes: Any, trials: Any, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Score interval of proportions (Wilson, JASA 22, 1927), low and high; 0 and 1 where there are no trials."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence!r}")
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    centre = k + z2 / 2
    half = np.sqrt(z2 * (k * (n - k) / np.where(n > 0, n, 1) + z2 / 4))
    low, high = (centre - half) / (n + z2), (centre + half) / (n + z2)
    return np.where(k > 0, np.clip(low, 0, 1), 0.0), np.where(k < n, np.clip(high, 0, 1), 1.0)


def difference_interval(first: tuple[float, float, float], second: tuple[float, float, float]) -> tuple[float, float]:
    """Interval of the difference of two rates with Wilson intervals (Newcombe, Stat. Med. 17, 1998, method 10)."""
    (p1, l1, u1), (p2, l2, u2) = first, second
    return p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2)


class GroupLabels(np.ndarray):
    """Labels that `group_labels` made, which it leaves as they are: a label in quotes is not put in quotes again."""


def group_labels(groups: Any, n_rows: int) -> np.ndarray:
    """One text label per row, of several columns their intersections; `MISSING` where a cell is. Raises ValueError.

    Cells that differ have labels that differ: a text that reads like another cell is put in quotes, as in CSV, and in
    intersections one that holds a comma or a quote.
    """
    groups = in_pandas(groups)
    made = isinstance(groups, GroupLabels)
    frame = groups if made or isinstance(groups, pd.DataFrame) else pd.DataFrame({"group": _cells(groups)})
    if len(frame) != n_rows:
        raise ValueError(f"groups has {len(frame)} rows, but there are {n_rows}; give one group per row")
    if made:
        return groups
    columns = [_group_texts(frame.iloc[:, k], frame.shape[1] > 1) for k in range(frame.shape[1])]
    if len(columns) == 1:
        return np.array(columns[0], dtype=object).view(GroupLabels)
    return np.array([", ".join(cells) for cells in zip(*columns, strict=True)], dtype=object).view(GroupLabels)


def _cells(groups: Any) -> Any:
    """An array, in which a missing cell of a list is still one and no text."""
    return groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)


def _group_texts(values: pd.Series, crossed: bool) -> list[str]:
    """The label of each cell; whole numbers have no decimals, whether cells are missing among them or not."""
    cells = values.astype(object).where(values.notna(), None).tolist()
    keys = [(type(cell), cell) for cell in cells]  # the Booleans are equal to 1 and 0
    texts = {key: MISSING if key[1] is None else cell_text(key[1]) for key in set(keys)}
    read = {MISSING, *(text for (kind, _), text in texts.items() if not issubclass(kind, str))}
    for (kind, _), text in list(texts.items()):
        alike = issubclass(kind, str) and text.strip('"') in read
        if alike or (crossed and any(mark in text for mark in ',"')):
            texts[kind, _] = '"' + text.replace('"', '""') + '"'
    return [texts[key] for key in keys]


def group_confusions(
    actual: np.ndarray,
    predicted: np.ndarray,
    groups: Any,
    sample_weight: np.ndarray | None = None,
    heads: np.ndarray | None = None,
) -> dict[str, Confusion]:
    """The confusion counts of each group, sorted by the group's label; the arguments are those of `group_rates`."""
    codes, names = pd.factorize(group_labels(groups, len(actual)), sort=True)
    members = [np.flatnonzero(codes == g) for g in range(len(names))]
    return {
        name: confusion(actual[at], predicted[at], *(w if w is None else w[at] for w in (sample_weight, heads)))
        for name, at in zip(names.tolist(), members, strict=True)
    }


def group_rates(
    actual: np.ndarray,
    predicted: np.ndarray,
    groups: Any,
    sample_weight: np.ndarray | None = None,
    heads: np.ndarray | None = None,
) -> pd.DataFrame:
    """Every rate of `RATES` within each group with its Wilson interval: see `rates_table` and `confusion`."""
    return rates_table(group_confusions(actual, predicted, groups, sample_weight, heads))


def rates_table(per_group: Mapping[str, Confusion]) -> pd.DataFrame:
    """Counts and rates of groups that are counted already.

    Returns
    -------
    DataFrame
        One row per group (index ``group``): ``rows``, ``weight``, ``errors``; then ``<rate>``, ``<rate>_low``,
        ``<rate>_high`` and ``<rate>_rows`` (how many rows it is a share of) for every rate of `RATES` (without trials
        ``nan``, with the interval from 0 to 1); then the weights ``true_positive``, ``false_positive``,
        ``true_negative`` and ``false_negative``; and ``few``, which is True where the group has fewer than `FEW`
        positive or fewer than `FEW` negative rows. Intervals of weighted rows are of their effective number, see
        `Confusion.trials`.
    """
    counted = list(per_group.values())
    columns: dict[str, Any] = {}
    for name, attribute in (("rows", "n_rows"), ("weight", "weight"), ("errors", "errors")):
        columns[name] = [getattr(c, attribute) for c in counted]
    for name in RATES:
        trials = [c.trials(name) for c in counted]
        low, high = wilson_interval([k for k, _ in trials], [n for _, n in trials])
        columns |= {name: [c.rate(name) for c in counted], f"{name}_low": low, f"{name}_high": high}
        columns[f"{name}_rows"] = [c.rows_of(name) for c in counted]
    for name in ("true_positive", "false_positive", "true_negative", "false_negative"):
        columns[name] = [getattr(c, name) for c in counted]
    columns["few"] = [c.few for c in counted]
    return pd.DataFrame(columns, index=pd.Index(list(per_group), name="group", dtype=object))
