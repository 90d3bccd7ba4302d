"""A model as branches for other languages: the first one whose test holds decides, and nothing is negated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.conditions import Condition

Conjunction = tuple[Condition, ...]
"""Conditions that must all hold."""


@dataclass(frozen=True)
class Branch:
    """One branch of a model, or what it says where no branch holds.

    Attributes
    ----------
    test : tuple of tuples of Conjunction
        Of every inner tuple one conjunction must hold. Empty where nothing is asked.
    prediction : label
    probability : float
        Of the positive class.
    positives, negatives : int or float
        Training weight behind that probability, by class.
    """

    test: tuple[tuple[Conjunction, ...], ...]
    prediction: Any
    probability: float
    positives: int | float
    negatives: int | float


def conjunction(name: str, conditions: Sequence[Condition] | None) -> Conjunction:
    """The conditions of an antecedent; without known ones it is a Boolean column of its name."""
    return (Condition(name, "==", True),) if conditions is None else tuple(conditions)
