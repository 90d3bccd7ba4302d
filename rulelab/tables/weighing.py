"""How much rows count: one each, or as a column says, in sums that every engine computes without rounding.

Of a column with very many values those that its quantiles depend on are found by bins that are refined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np

from ..arguments import TableError
from ..data.exact_weights import LARGEST_DECIMAL, PLACES, rounded_down

_BITS = 26
_DIGITS = 53
_MOST_PARTS = 6
_LOWEST = -800
_EXACT = 2.0**53
_ROWS, _PART, _LEFT = "rulelab n", "rulelab part {}", "rulelab left"
BINS = 1 << 16  # of a range with too many values to list
_SLACK = 1e-6
_BIN = "rulelab bin"


@dataclass(frozen=True)
class Weighing:
    """What a row counts.

    A weight is a decimal of few places, or else a double, an integer over a power of two (`exact_weights`). It is cut
    into parts of 26 bits, whose sums are whole numbers that no engine rounds.
    """

    column: str | None = None  # the weights; None: every row counts as one
    parts: int = 0  # in how many integers a weight is cut
    top: int = 0  # no weight is 2 to this power, or more, in units of the last place
    places: int = 0  # digits after the point where all weights are decimals, else 0
    whole: bool = True  # whether weights count as repeated rows: all are whole, and their sum is exact in a double
    # n_rows, units: how many rows have a weight above 0, and the sum of their weights in `unit`
    n_rows: int = 0
    units: int = 0

    @classmethod
    def by(cls, frame: nw.LazyFrame[Any], column: str, where: str) -> Weighing:
        """The weights of a column; raises TableError for what are none."""
        dtype = frame.collect_schema()[column]
        if not dtype.is_numeric():
            raise TableError(f"column {column!r} of {where} holds {dtype}; weights must be numbers of at least 0")
        weight = nw.col(column).cast(nw.Float64)
        missing = nw.col(column).is_null() | weight.is_nan() if dtype.is_float() else nw.col(column).is_null()
        above = nw.when(weight > 0).then(weight)
        uneven = (weight != weight.floor()).cast(nw.Int64)
        binary = {f"b{places}": _is_binary(weight, places).cast(nw.Int64) for places in PLACES}
        looked = frame.select(
            weight.alias("w"),
            above.alias("a"),
            uneven.alias("r"),
            missing.cast(nw.Int64).alias("m"),
            *(is_binary.alias(name) for name, is_binary in binary.items()),
        )
        w = nw.col("w")
        ends = (w.min().alias("least"), w.max().alias("most"), w.sum().alias("sum"))
        seen = _first(looked.select(*ends, nw.col("a").min(), nw.col("r", *binary).max(), nw.col("m").sum()))
        said = f"the weights in {column!r} must be numbers of at least 0, and"
        if seen["m"]:
            raise TableError(f"{said} {int(seen['m'])} rows have none; fill them in, or leave these rows out")
        if seen["least"] is None:
            return cls(column, 1)
        least, most = float(seen["least"]), float(seen["most"])
        if least < 0 or math.isinf(most):
            raise TableError(f"{said} one is {least if least < 0 else most!r}")
        if most == 0:
            raise TableError(f"the weights in {column!r} are 0 in every row; some row must count")
        if seen["r"] == 0 and seen["sum"] < _EXACT:
            return cls(column, 1).counted(frame)
        for places in PLACES:
            if seen[f"b{places}"] == 0:
                parts = 1 if most * 10**places < 1 << _BITS else 2
                return cls(column, parts, parts * _BITS, places, False).counted(frame)
        top, bottom = (math.frexp(float(seen[which]))[1] for which in ("most", "a"))
        parts = -(-(top - bottom + _DIGITS) // _BITS)
        if parts > _MOST_PARTS or top < _LOWEST:
            raise TableError(
                f"the weights in {column!r} go from {float(seen['a']):g} to {most:g}, too far apart to be summed "
                "without rounding; leave the smallest out, or multiply them"
            )
        return cls(column, parts, top, 0, False).counted(frame)

    def counted(self, frame: nw.LazyFrame[Any]) -> Weighing:
        """The same with the sum of all weights, and no more parts than they have."""
        seen = _first(self.cut(self.above_zero(frame)).select(*self.totals()))
        sums = [int(seen[name]) for name in self.columns]
        used = max(k for k, part in enumerate(sums) if part) + 1
        some = replace(self, parts=used, n_rows=int(seen[_ROWS]))
        return replace(some, units=some._joined(sums[:used]))

    def above_zero(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """The rows that count."""
        return frame if self.column is None else frame.filter(nw.col(self.column) > 0)

    @property
    def unit(self) -> Fraction:
        """What 1 is worth in a sum."""
        return Fraction(1) if self.whole else Fraction(2) ** (self.top - _BITS * self.parts) / 10**self.places

    @property
    def scale(self) -> Fraction | None:
        """What makes sums those of weights with a mean of 1; None where weights count as repeated rows."""
        return None if self.whole else Fraction(self.n_rows, self.units)

    def cut(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """The frame with the parts of its weights as columns, beside those that it has."""
        if self.column is None:
            return frame
        weight = nw.col(self.column)
        if self.whole:
            return frame.with_columns(weight.cast(nw.Int64).alias(_PART.format(0)))
        weight = weight.cast(nw.Float64)
        weight = _shifted(weight, self.places) if self.places else weight
        frame = frame.with_columns((weight * 2.0 ** (_BITS - self.top)).alias(_LEFT))
        left = nw.col(_LEFT)
        for k in range(self.parts):  # a column each time: as one expression it would double with every part
            part = left.floor().cast(nw.Int64).alias(_PART.format(k))
            frame = frame.with_columns(part, ((left - left.floor()) * 2.0**_BITS).alias(_LEFT))
        return frame

    @property
    def columns(self) -> list[str]:
        """The names of the parts."""
        return [_PART.format(k) for k in range(self.parts)]

    def totals(self) -> list[nw.Expr]:
        """What is summed of the columns."""
        return [nw.len().alias(_ROWS), *(nw.col(name).sum() for name in self.columns)]

    def rows(self, found: nw.DataFrame[Any]) -> np.ndarray:
        """The numbers of rows: int64 array."""
        return _integers(found[_ROWS])

    def sums(self, found: nw.DataFrame[Any]) -> np.ndarray:
        """The weights, in `unit`: int64 array, or Python's integers in an object array."""
        if self.column is None:
            return self.rows(found)
        parts = [_integers(found[name]) for name in self.columns]
        return parts[0] if self.parts == 1 else self._joined([part.astype(object) for part in parts])

    def _joined(self, parts: Sequence[Any]) -> Any:
        total = parts[0]
        for part in parts[1:]:
            total = total * (1 << _BITS) + part
        return total


ROWS = Weighing()
"""Every row counts as one."""


def exact_floats(units: np.ndarray, unit: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """Weights whose sums are these numbers of units, exactly, one to three each, and which number each is a part of."""
    parts, of = [], []
    decimal = unit.denominator % 5 == 0  # else they are whole numbers of a power of two, as doubles are
    for position, number in enumerate(units.tolist()):
        left = number * unit
        while left:
            exactly = min(left, LARGEST_DECIMAL * unit) if decimal else Fraction(rounded_down(left))
            parts.append(float(exactly))
            of.append(position)
            left -= exactly
    return np.array(parts, dtype=np.float64), np.array(of, dtype=np.int64)


def _shifted(weight: nw.Expr, places: int) -> nw.Expr:
    """Weights in units of the last place, rounded."""
    return (weight * 10.0**places + 0.5).floor()


def _is_binary(weight: nw.Expr, places: int) -> nw.Expr:
    """Whether weights are no decimals of so many places."""
    most = LARGEST_DECIMAL / 10.0**places
    small = nw.when(weight <= most).then(weight).otherwise(0.0)  # DuckDB makes an int64 of what is rounded
    scale = weight * 0 + 10.0**places  # no literal: Polars multiplies by its reciprocal, and 0.1 is no decimal then
    return (weight > most) | (_shifted(small, places) / scale != small)


def _first(frame: nw.LazyFrame[Any]) -> dict[str, Any]:
    """The only row."""
    found = frame.collect()
    return {name: found[name].to_list()[0] for name in found.columns}


def _integers(column: nw.Series[Any]) -> np.ndarray:
    return column.to_numpy().astype(np.int64)


def listed_near(
    rows: nw.LazyFrame[Any], value: str, weighing: Weighing, groups: int, most: int, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Sorted values and what each counts, so that cuts into so many groups are those of all values; raises TableError.

    Every value near a quantile is listed. Of those between, the least and the largest of a bin are, and the least
    counts for all of them. ``most``: how many values may be fetched at once. ``name``: of the column, for messages.
    """
    column = nw.col(value)
    ends = (column.min().alias("low"), column.max().alias("high"))
    seen = rows.select(*ends, *weighing.totals()).collect()
    low, high, total = seen["low"].item(), seen["high"].item(), int(weighing.sums(seen)[0])
    if not (math.isfinite(low) and math.isfinite(high)):
        raise TableError(f"column {name!r} holds infinite numbers; replace or remove them")
    if groups > most:
        raise TableError(f"column {name!r} has more than {most} different values; it cannot be cut in {groups} groups")
    marks = np.arange(1, groups) / groups * total

    def near(rows: nw.LazyFrame[Any], low: Any, high: Any, before: int) -> dict[Any, int]:
        """Values from ``low`` to ``high``, with what each counts; ``before`` is what counts below them."""
        half = 1.0 if math.isfinite(float(high) - float(low)) else 0.5
        width = float(high) * half - float(low) * half
        scale = BINS / width if width else math.inf
        if not math.isfinite(scale):
            raise TableError(f"column {name!r} has more than {most} values between {low!r} and {high!r}; round it")
        place = (column.cast(nw.Float64) * half - float(low) * half) * scale  # in a bin that grows with the value
        binned = rows.with_columns(place.floor().cast(nw.Int64).alias(_BIN))
        bins = binned.group_by(_BIN).agg(*ends, *weighing.totals()).collect().sort("low")
        lows, highs, numbers = (bins[key].to_list() for key in ("low", "high", _BIN))
        counts = [int(n) for n in weighing.sums(bins)]
        upto = before + np.cumsum(np.array(counts, dtype=object))
        found: dict[Any, int] = {}
        hot = []
        for k, (least, largest, count) in enumerate(zip(lows, highs, counts, strict=True)):
            start, end = float(upto[k] - count) * (1 - _SLACK), float(upto[k]) * (1 + _SLACK)
            if least < largest and np.searchsorted(marks, start) < np.searchsorted(marks, end):
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
            within = rows.filter((column >= lows[k]) & (column <= highs[k]))
            found |= near(within, lows[k], highs[k], int(upto[k]) - counts[k])
        return found

    found = near(rows, low, high, 0)
    if isinstance(low, float):
        broken = rows.filter(column != column.floor()).select(column.min())
        uneven = broken.collect()[value].to_list()[0]
        if uneven is not None:  # that not all are whole numbers is to be seen
            found.setdefault(uneven, 0)
    values = sorted(found)
    counts = np.array([found[v] for v in values], dtype=object)
    if max(counts) <= 2**62 and weighing.whole:
        counts = counts.astype(np.int64)
    return np.array(values, dtype=np.float64 if isinstance(low, float) else np.int64), counts
