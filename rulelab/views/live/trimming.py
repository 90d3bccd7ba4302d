"""Memory that nothing holds any more goes back to the system."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def give_back() -> bool:
    """Give the memory that closed pages have left to the system, where the C library has a way to; whether it had."""
    trim = _trim()
    return trim is not None and bool(trim(0))


@cache
def _trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not the C library of GNU
        return None
