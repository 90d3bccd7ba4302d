"""How much rows count: one each, or as a column says, in sums that every engine computes without rounding."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np

from ..data.exact_weights import LARGEST_DECIMAL, PLACES, as_read, rounded_down
from .errors import TableError

_BITS = 26
_DIGITS = 53
_MOST_PARTS = 6
_LOWEST = -800
_EXACT = 2.0**53
_ROWS, _WHOLE, _PART, _LEFT = "rulelab n", "rulelab weight", "rulelab part {} {}", "rulelab left"


@dataclass(frozen=True)
class Cut:
    """Some of the weights as integers, cut into parts of 26 bits, whose sums are whole numbers that no engine rounds.

    Attributes
    ----------
    places : int
        0, or 6: weights are multiplied by 10^6 first, which makes those whole that are decimals (`exact_weights`).
    parts : int
        In how many integers a weight is cut.
    top : int
        No weight is 2 to this power, or more.
    """

    places: int
    parts: int
    top: int

    @property
    def unit(self) -> Fraction:
        """What 1 is worth in a sum."""
        return Fraction(2) ** (self.top - _BITS * self.parts) / 10**self.places


@dataclass(frozen=True)
class Weighing:
    """What a row counts: a weight is a decimal of few places, or the double itself.

    Attributes
    ----------
    column : str or None
        The weights; None: every row counts as one.
    cuts : tuple of Cut
        Those that are decimals, those that are not, or both; empty where weights are whole.
    whole : bool
        Whether weights count as repeated rows: all are whole, and their sum is exact in a double.
    n_rows, units : int
        How many rows have a weight above 0, and the sum of their weights in `unit`.
    """

    column: str | None = None
    cuts: tuple[Cut, ...] = ()
    whole: bool = True
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
        decimal, counts = _is_decimal(weight), weight > 0
        looked = frame.select(
            weight=weight,
            double=nw.when(counts & ~decimal).then(weight),
            doubles=(counts & ~decimal).cast(nw.Int64),
            decimals=(counts & decimal).cast(nw.Int64),
            uneven=(weight != weight.floor()).cast(nw.Int64),
            missing=missing.cast(nw.Int64),
        )
        w, double = nw.col("weight"), nw.col("double")
        seen = _first(
            looked.select(
                w.min().alias("least"),
                w.max().alias("most"),
                w.sum().alias("sum"),
                double.min().alias("low"),
                double.max().alias("high"),
                nw.col("doubles", "decimals", "uneven").max(),
                nw.col("missing").sum(),
            )
        )
        said = f"the weights in {column!r} must be numbers of at least 0, and"
        if seen["missing"]:
            raise TableError(f"{said} {int(seen['missing'])} rows have none; fill them in, or leave these rows out")
        if seen["least"] is None:
            return cls(column)
        least, most = float(seen["least"]), float(seen["most"])
        if least < 0 or math.isinf(most):
            raise TableError(f"{said} one is {least if least < 0 else most!r}")
        if most == 0:
            raise TableError(f"the weights in {column!r} are 0 in every row; some row must count")
        if seen["uneven"] == 0 and seen["sum"] < _EXACT:
            return cls(column).counted(frame)
        parts = 1 if most * 10**PLACES < 1 << _BITS else 2
        cuts = [Cut(PLACES, parts, parts * _BITS)] if seen["decimals"] else []
        if seen["doubles"]:
            low, high = float(seen["low"]), float(seen["high"])
            top = math.frexp(high)[1]
            parts = -(-(top - math.frexp(low)[1] + _DIGITS) // _BITS)
            if parts > _MOST_PARTS or top < _LOWEST:
                raise TableError(
                    f"the weights in {column!r} go from {low:g} to {high:g}, too far apart to be summed "
                    "without rounding; leave the smallest out, or multiply them"
                )
            cuts.append(Cut(0, parts, top))
        return cls(column, tuple(cuts), False).counted(frame)

    def counted(self, frame: nw.LazyFrame[Any]) -> Weighing:
        """The same with the sum of all weights, and no more parts than they have."""
        found = self.cut(self.above_zero(frame)).select(*self.totals()).collect()
        used, names = [], iter(self.columns)
        for cut in self.cuts:
            sums = [int(found[name].to_list()[0]) for name in itertools.islice(names, cut.parts)]
            used.append(replace(cut, parts=max(k for k, part in enumerate(sums) if part) + 1))
        some = replace(self, cuts=tuple(used), n_rows=int(self.rows(found)[0]))
        return replace(some, units=int(some.sums(found)[0]))

    def above_zero(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """The rows that count."""
        return frame if self.column is None else frame.filter(nw.col(self.column) > 0)

    @property
    def unit(self) -> Fraction:
        """What 1 is worth in a sum."""
        return Fraction(1, math.lcm(*(cut.unit.denominator for cut in self.cuts))) if self.cuts else Fraction(1)

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
            return frame.with_columns(weight.cast(nw.Int64).alias(_WHOLE))
        weight = weight.cast(nw.Float64)
        decimal = _is_decimal(weight)
        for which, cut in enumerate(self.cuts):
            values, taken = (_shifted(weight), decimal) if cut.places else (weight, ~decimal)
            parted = nw.when(taken).then(values * 2.0 ** (_BITS - cut.top)).otherwise(0.0)
            frame = frame.with_columns(parted.alias(_LEFT))
            left = nw.col(_LEFT)
            for k in range(cut.parts):  # a column each time: as one expression it would double with every part
                part = left.floor().cast(nw.Int64).alias(_PART.format(which, k))
                frame = frame.with_columns(part, ((left - left.floor()) * 2.0**_BITS).alias(_LEFT))
        return frame

    @property
    def columns(self) -> list[str]:
        """The names of the parts."""
        if self.column is not None and self.whole:
            return [_WHOLE]
        return [_PART.format(which, k) for which, cut in enumerate(self.cuts) for k in range(cut.parts)]

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
        if self.whole:
            return _integers(found[_WHOLE])
        names, total = iter(self.columns), np.zeros(len(found), dtype=object)
        for cut in self.cuts:
            sums = np.zeros(len(found), dtype=object)
            for name in itertools.islice(names, cut.parts):
                sums = sums * (1 << _BITS) + _integers(found[name]).astype(object)
            total += sums * int(cut.unit / self.unit)
        return total


ROWS = Weighing()
"""Every row counts as one."""


def exact_floats(units: np.ndarray, unit: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """Weights whose sums are these numbers of units, exactly: the doubles, and the position that each is a part of.

    Most numbers are one weight; the others take two or three.
    """
    parts, of = [], []
    for position, number in enumerate(units.tolist()):
        left = number * unit
        while left:
            part = _next_part(left)
            parts.append(part)
            of.append(position)
            left -= as_read(part)
    return np.array(parts, dtype=np.float64), np.array(of, dtype=np.int64)


def _next_part(left: Fraction) -> float:
    """A weight that is this number, or what leaves one with fewer digits.

    Sums of decimals and of doubles have denominators with powers of five and of two: first what has those of five.
    """
    part = float(left)
    if as_read(part) == left:
        return part
    places = left * 10**PLACES
    fives = places.numerator * pow(places.denominator, -1, 5**PLACES) % 5**PLACES
    if fives:
        return fives / 10**PLACES
    part = rounded_down(left)
    while as_read(part) != part:  # it would be read as a decimal, with powers of five
        part = math.nextafter(part, 0.0)
    return part


def _shifted(weight: nw.Expr) -> nw.Expr:
    """Weights in units of the last place, rounded."""
    return (weight * 10.0**PLACES + 0.5).floor()


def _is_decimal(weight: nw.Expr) -> nw.Expr:
    """Whether weights are decimals, as `exact_weights.in_units` reads them."""
    shifted = _shifted(weight)
    return (shifted <= float(LARGEST_DECIMAL)) & (shifted / 10.0**PLACES == weight)


def _first(frame: nw.LazyFrame[Any]) -> dict[str, Any]:
    """The only row."""
    found = frame.collect()
    return {name: found[name].to_list()[0] for name in found.columns}


def _integers(column: nw.Series[Any]) -> np.ndarray:
    return column.to_numpy().astype(np.int64)
