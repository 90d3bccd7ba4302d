"""The list that needs the fewest changed rows to be better than the optimal one, of those that are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .changes import CHANGES, Measure


class Rival(NamedTuple):
    """Another list, and after how many changed rows it is better than the optimal one.

    Attributes
    ----------
    rows : int
    antecedents : tuple of int
        Indices of the problem's.
    labels : tuple of int
        Of the rules and of the default.
    rules, errors, differing : int
        Errors, and rows predicted otherwise than by the optimal list, on the rows as they are.
    """

    rows: int
    antecedents: tuple[int, ...]
    labels: tuple[int, ...]
    rules: int
    errors: int
    differing: int


def better(rivals: Mapping[str, Rival], measure: Measure, rules: int, errors: int, differing: int) -> dict[str, int]:
    """The changes by which a list wins after fewer rows than the best known one, and after how many."""
    found = {}
    for change in CHANGES:
        rows = measure.needed(change, rules, errors, differing)
        if rows is not None and (change not in rivals or rows < rivals[change].rows):
            found[change] = rows
    return found
