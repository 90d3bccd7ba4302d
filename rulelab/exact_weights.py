"""Weights as they were given: every finite double is an integer over a power of two, so their sums can be exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

_MANTISSA = 53
_LARGEST_SUM = 1 << 62


@dataclass(frozen=True, eq=False)
class Masses:
    """Weights of positive and of negative rows in integers, without rounding.

    Attributes
    ----------
    positives, negatives : array of integers
        int64 where the sum of all fits, else Python integers in an object array.
    unit : Fraction
        What 1 is worth: 1, or a power of two below.
    """

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
    """Weights >= 0 in integers of one common unit, without rounding.

    Parameters
    ----------
    weights : sequence of float64 or int64 arrays
        Finite.

    Returns
    -------
    list of integer arrays
        int64 where the sum of all is less than 2^62, else object arrays of Python integers.
    unit : Fraction
        The largest power of two, at most 1, of which all weights are multiples.
    """
    if all(w.dtype.kind == "i" for w in weights):
        return list(weights), Fraction(1)
    mantissa, exponent = np.frexp(np.concatenate([np.ravel(w).astype(np.float64) for w in weights]))
    digits = np.ldexp(mantissa, _MANTISSA).astype(np.int64)
    exponent = exponent.astype(np.int64) - _MANTISSA
    lowest = digits & -digits
    zeros = np.where(digits == 0, 0, np.round(np.log2(np.maximum(lowest, 1))).astype(np.int64))
    digits, exponent = digits >> zeros, np.where(digits == 0, 0, exponent + zeros)
    least = min(0, int(exponent.min(initial=0)))
    values = np.array([d << (e - least) for d, e in zip(digits.tolist(), exponent.tolist(), strict=True)], dtype=object)
    if values.sum() < _LARGEST_SUM:
        values = values.astype(np.int64)
    ends = np.cumsum([w.size for w in weights])[:-1]
    parts = [part.reshape(w.shape) for part, w in zip(np.split(values, ends), weights, strict=True)]
    return parts, Fraction(1, 1 << -least)


def _in_floats(units: np.ndarray, unit: Fraction) -> np.ndarray:
    """Integers of a unit as the nearest float64."""
    per_one = unit.denominator
    return np.array([x / per_one for x in units.ravel().tolist()], dtype=np.float64).reshape(units.shape)


def rounded_down(value: Fraction) -> float:
    """The largest float64 that is not above."""
    near = float(value)
    return near if near <= value else math.nextafter(near, -math.inf)
