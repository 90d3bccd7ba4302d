"""Words that families say of their models."""

from __future__ import annotations

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXACT = 15
"""Larger powers of ten are given as such."""


def count(n: int | float, noun: str) -> str:
    """The number with its noun, in the plural where it needs one."""
    shown = f"{n:.10g}" if isinstance(n, float) else str(n)
    return f"{shown} {noun}" if n == 1 else f"{shown} {noun}s"


def many(n: int | float) -> str:
    """A number with a space between the thousands, or from 10^15 on a power of ten, rounded down."""
    if n < 10**_EXACT:
        return f"{n:,}".replace(",", " ")
    return power(len(str(int(n))) - 1)


def power(exponent: int) -> str:
    """A power of ten."""
    return f"10{str(exponent).translate(_RAISED)}"
