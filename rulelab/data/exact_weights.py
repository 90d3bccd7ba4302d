"""Weights as they were given: decimals of few digits, or the doubles themselves, in exact sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

PLACES = (6, 3, 9, 12, 15)
"""Digits after the point up to which weights may be the decimals that they print as, in the order that they are tried:
0.1 is a tenth. Of whichever of them, the unit of the weights is the same."""
LARGEST_DECIMAL = 1 << 50
"""In units of the last place; up to it, multiplying a double by a power of ten and rounding finds the decimal."""
_MANTISSA = 53
_ROUNDING = Fraction(1, 1 << 52)
_LARGEST_SUM = 1 << 62


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of rows as integers of a unit (int64, or objects): for weights that no float64 holds, such as a third."""

    units: np.ndarray
    unit: Fraction

    @classmethod
    def of_classes(cls, of_class: Sequence[Fraction], codes: np.ndarray, rows: np.ndarray | None) -> Weights:
        """The weight of each row's class, which ``codes`` (int array, shape (n_rows,)) say, times that of the row."""
        common = math.lcm(*(w.denominator for w in of_class))
        numerators = np.array([int(w * common) for w in of_class], dtype=object)[codes]
        (own,), unit = in_units([np.ones(len(codes), dtype=np.int64) if rows is None else rows])
        units = numerators * own.astype(object)
        return cls(_narrow(units), unit / common)

    def floats(self) -> np.ndarray:
        """The nearest float64."""
        return _in_floats(self.units, self.unit)


@dataclass(frozen=True, eq=False)
class Masses:
    """Weights of positive and of negative rows in integers of a unit: int64 where the sum of all fits, else objects."""

    positives: np.ndarray
    negatives: np.ndarray
    unit: Fraction

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return int(self.positives.sum()) + int(self.negatives.sum())

    @property
    def fits(self) -> bool:
        """Whether the weights are int64."""
        return self.positives.dtype != object

    def divided(self) -> Masses:
        """The same in the largest unit of which all weights are multiples."""
        common = math.gcd(*(int(np.gcd.reduce(side, axis=None)) for side in (self.positives, self.negatives)))
        if common <= 1:
            return self
        sides = np.stack([self.positives // common, self.negatives // common])
        sides = _narrow(sides) if sides.dtype == object else sides
        return Masses(sides[0], sides[1], self.unit * common)

    def merged(self, group: np.ndarray, n: int) -> Masses:
        """Along the last axis, sums over the places of the same number in ``group``, numbers below n."""
        sums = [np.zeros((*side.shape[:-1], n), dtype=side.dtype) for side in (self.positives, self.negatives)]
        for out, side in zip(sums, (self.positives, self.negatives), strict=True):
            np.add.at(out.T, group, side.T)
        return Masses(sums[0], sums[1], self.unit)

    def finer(self, unit: Fraction) -> Masses:
        """The same in a unit of which this one is a multiple; the arrays hold Python integers where it differs."""
        if unit == self.unit:
            return self
        factor = int(self.unit / unit)
        return Masses(self.positives.astype(object) * factor, self.negatives.astype(object) * factor, unit)

    def floats(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights as the nearest float64."""
        return _in_floats(self.positives, self.unit), _in_floats(self.negatives, self.unit)


def masses_of(positives: np.ndarray, negatives: np.ndarray) -> Masses:
    """Weights as they are: int64 or float64 arrays."""
    (positives, negatives), unit = in_units([positives, negatives])
    return Masses(positives, negatives, unit)


def in_units(weights: Sequence[np.ndarray]) -> tuple[list[np.ndarray], Fraction]:
    """Weights >= 0 in integers of the largest unit 1 / k of which all are multiples, without rounding.

    Weights that all are decimals of at most 15 digits after the point, and few enough in all (`PLACES`), are these: 0.1
    is a tenth, and a thousand times, or a thousandth, of such weights are such weights. Else they are the doubles
    themselves. The integers are int64 where the sum of all is less than 2^62, else Python integers in objects.
    """
    if all(w.dtype.kind in "iO" for w in weights):
        return list(weights), Fraction(1)
    flat = np.concatenate([np.ravel(w).astype(np.float64) for w in weights])
    values, of = _decimals(flat) or _binary(flat)
    ends = np.cumsum([w.size for w in weights])[:-1]
    parts = [part.reshape(w.shape) for part, w in zip(np.split(values, ends), weights, strict=True)]
    return parts, Fraction(1, of)


def _decimals(weights: np.ndarray) -> tuple[np.ndarray, int] | None:
    """Decimals as integers of a common unit, and how many of it are 1; None where they are no such decimals."""
    for places in PLACES:
        shifted = np.rint(weights * 10.0**places)
        if ((shifted <= LARGEST_DECIMAL) & (shifted / 10.0**places == weights)).all():
            values = shifted.astype(np.int64)
            common = math.gcd(10**places, int(np.gcd.reduce(values, initial=0)))
            values = values // common
            fits = values.sum(dtype=np.float64) < _LARGEST_SUM
            return values if fits else values.astype(object), 10**places // common
    return None


def _binary(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """Doubles as integers of a common unit, and how many of it are 1."""
    mantissa, exponent = np.frexp(weights)
    digits = np.ldexp(mantissa, _MANTISSA).astype(np.int64)
    exponent = exponent.astype(np.int64) - _MANTISSA
    lowest = digits & -digits
    zeros = np.where(digits == 0, 0, np.round(np.log2(np.maximum(lowest, 1))).astype(np.int64))
    digits, exponent = digits >> zeros, np.where(digits == 0, 0, exponent + zeros)
    least = min(0, int(exponent.min(initial=0)))
    values = np.array([d << (e - least) for d, e in zip(digits.tolist(), exponent.tolist(), strict=True)], dtype=object)
    return _narrow(values), 1 << -least


def _narrow(units: np.ndarray) -> np.ndarray:
    """Python integers as int64, where the sum of all fits."""
    return units.astype(np.int64) if units.sum() < _LARGEST_SUM else units


def _in_floats(units: np.ndarray, unit: Fraction) -> np.ndarray:
    """Integers of a unit as the nearest float64."""
    scaled = [x * unit.numerator / unit.denominator for x in units.ravel().tolist()]
    return np.array(scaled, dtype=np.float64).reshape(units.shape)


def most_errors(accuracy: float, total: int) -> int:
    """The largest errors of a total that leave an accuracy, to within what the rounding of a double can hide, 2^-52."""
    return math.floor((1 - Fraction(repr(float(accuracy))) + _ROUNDING) * total)


def asked_accuracy(positives: float, negatives: float) -> float:
    """The accuracy to ask for by default: a tenth of the way from one answer for everybody to all right, rounded."""
    left = min(positives, negatives) / (positives + negatives)
    digits = 1 - math.floor(math.log10(left)) if left else 1
    return round(1 - 0.9 * left, digits)


def total(weights: np.ndarray) -> int | float:
    """The sum of weights, int64 or float64: of floats rounded once, so that it does not depend on their order."""
    if weights.dtype.kind != "f":
        return int(weights.sum())
    (units,), unit = in_units([weights])
    return float(int(units.sum()) * unit)


def rounded_down(value: Fraction) -> float:
    """The largest float64 that is not above."""
    near = float(value)
    return near if near <= value else math.nextafter(near, -math.inf)


def summed_by_place(
    place: Any,
    positives: np.ndarray,
    negatives: np.ndarray,
    shape: int | tuple[int, int],
    worth: Fraction = Fraction(1),
) -> Masses:
    """Sums of weights, in units of this worth, by place, an index of an array of this shape, without rounding."""
    weights, unit = in_units([positives, negatives])
    sums = [np.zeros(shape, dtype=weight.dtype) for weight in weights]
    for out, weight in zip(sums, weights, strict=True):
        np.add.at(out, place, weight)
    return Masses(sums[0], sums[1], unit * worth)


def as_given(summed: Masses, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, Masses | None]:
    """Sums as the rows' weights are, int64 or the nearest float64, and without rounding where that is not the same."""
    if weight.dtype.kind == "i" and summed.unit == 1:
        return summed.positives, summed.negatives, None
    return *summed.floats(), summed


_ENOUGH = 1 << 24
"""Of a denominator: the fraction is near enough for bounds, and leaves room for the costs it is multiplied with."""
_SMALL, _ROOM = 1 << 20, 1 << 50


def order_preserving(penalty: Fraction, most: int, largest_loss: int, largest_denominator: int) -> Fraction | None:
    """A fraction of small denominator that compares any two costs ``loss + penalty * size`` as the penalty does.

    Losses are whole numbers of at most ``largest_loss``, sizes of at most ``most``. Two costs differ by
    ``a + penalty * b`` with ``|b| <= most``, whose sign depends only on which fractions of denominators up to ``most``
    lie below the penalty, and whether it is one of them. Any number between the same two neighbours of its Farey
    sequence serves. Where it can be, the fraction is not larger than the penalty, so that bounds on costs stay bounds.

    ``penalty``: >= 0. The penalty itself when it has such a denominator; None when no fraction of such a denominator
    serves.
    """
    if penalty > largest_loss:
        return Fraction(largest_loss + 1)
    if penalty.denominator <= largest_denominator:
        return penalty
    if largest_denominator < 2 * max(1, most):
        return None
    below, above = neighbours(penalty, min(largest_denominator, max(_ENOUGH, 2 * most)))
    return below if below > neighbours(penalty, max(1, most))[0] else above


def of_few_digits(weight: Fraction, total: int) -> Fraction:
    """The nearest fraction to a weight above 0 whose numerator or denominator leaves room for losses of a total."""
    largest = max(_SMALL, min(_SMALL << 10, _ROOM // total))
    if weight >= 1:
        return weight.limit_denominator(largest)
    return 1 / (1 / weight).limit_denominator(largest)


def neighbours(x: Fraction, largest_denominator: int) -> tuple[Fraction, Fraction]:
    """The fractions of at most this denominator next to ``x`` >= 0, which is none of them (the Farey sequence)."""
    a, b = x.numerator // x.denominator, 1
    c, d = a + 1, 1
    while True:
        under, over = x.numerator * b - a * x.denominator, c * x.denominator - x.numerator * d
        k = min((under - 1) // over, (largest_denominator - b) // d)
        a, b = a + k * c, b + k * d
        under = x.numerator * b - a * x.denominator
        j = min((over - 1) // under, (largest_denominator - d) // b)
        c, d = c + j * a, d + j * b
        if not k and not j:
            return Fraction(a, b), Fraction(c, d)
