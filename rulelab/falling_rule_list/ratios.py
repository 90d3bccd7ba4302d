"""Exact comparison of ratios of 64-bit integers, by products of 128 bits."""

from __future__ import annotations

import numpy as np

from ..kernels.jit import inner

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@inner
def at_most(a, b, c, d):
    """Whether a / b <= c / d, that is a * d <= c * b, for integers of 0 to 2^63 - 1; true when b is 0."""
    if a < 0x7FFFFFFF and b < 0x7FFFFFFF and c < 0x7FFFFFFF and d < 0x7FFFFFFF:
        return a * d <= c * b
    left_high, left_low = _product(np.uint64(a), np.uint64(d))
    right_high, right_low = _product(np.uint64(c), np.uint64(b))
    return left_high < right_high or (left_high == right_high and left_low <= right_low)


@inner
def _product(x, y):
    """The product of two 64-bit words: its high and its low word."""
    x_low, x_high, y_low, y_high = x & _LOW, x >> _HALF, y & _LOW, y >> _HALF
    low = x_low * y_low
    middle = x_high * y_low + (low >> _HALF)
    carried = x_low * y_high + (middle & _LOW)
    high = x_high * y_high + (middle >> _HALF) + (carried >> _HALF)
    return high, x * y
