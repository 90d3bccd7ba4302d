"""Words that families say of their models."""

from __future__ import annotations


def count(n: int | float, noun: str) -> str:
    """The number with its noun, in the plural where it needs one."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
