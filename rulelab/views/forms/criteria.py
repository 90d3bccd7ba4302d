"""The fairness criteria as a choice of forms: their names, those in words, and the criterion with its tolerances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...families import EVERY, criteria_of

if TYPE_CHECKING:
    from ...rule_set import Criterion

NO_CRITERION = "none"
WORDS = {NO_CRITERION: "none"} | {name: record.words for name, record in EVERY.items()}
"""Of all families."""


def words_of(family: str) -> dict[str, str]:
    """The same of those that models of a family can be asked to meet."""
    return {NO_CRITERION: WORDS[NO_CRITERION]} | {name: record.words for name, record in criteria_of(family).items()}


def criterion_of(name: str, tolerance: float, second: float) -> Criterion | None:
    """The criterion by its name, None for "none"; raises ValueError when a tolerance is out of range."""
    if name == NO_CRITERION:
        return None
    record = EVERY[name]
    return record.make(*(tolerance, second)[: len(record.tolerances)])
