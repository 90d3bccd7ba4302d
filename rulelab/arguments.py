"""What arguments are: whole numbers and finite numbers, no Booleans."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import numpy as np

_LINE = 100


def is_whole(value: Any, least: int) -> TypeGuard[int]:
    """Whether this is an integer of at least ``least`` and no Boolean."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a finite number and no Boolean."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        return real and math.isfinite(value)
    except OverflowError:  # an integer beyond all floating point numbers
        return False


def is_least(value: Any, least: float) -> TypeGuard[float]:
    """Whether this is a number of at least ``least``, maybe infinite, and no Boolean."""
    return (is_number(value) and value >= least) or (isinstance(value, float | np.floating) and value == math.inf)


def short(value: Any) -> str:
    """How a value is written where it is refused: its kind, where it takes more than a line."""
    text = repr(value)
    name = type(value).__name__
    return text if len(text) <= _LINE and "\n" not in text else f"a{'n' * (name[0] in 'AEIOUaeiou')} {name}"


def require(*checks: tuple[str, Any, bool, str]) -> None:
    """Refuse the first argument that is not accepted: its name, its value, whether it is accepted, what is allowed.

    Raises
    ------
    ValueError
    """
    for name, value, accepted, allowed in checks:
        if not accepted:
            raise ValueError(f"{name} must be {allowed}, not {short(value)}")
