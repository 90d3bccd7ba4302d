"""A point of a front, and what is known at its place while it is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..models import Model
from ..search import Search


@dataclass(frozen=True)
class FrontPoint:
    """The best model known at one place of a front.

    Attributes
    ----------
    place : dict of str to float
        What is asked of the models: a ``min_accuracy``, or a ``tolerance`` and a ``max_complexity``.
    status : str
        "proven": no model that is asked for has a smaller value. "infeasible": there is none. Else "open".
    value : float or None
        What is minimised, of the model: the gap between groups, or the objective.
    lower_bound : float
        No model that is asked for has a smaller value.
    model : RuleList, FallingRuleList, RuleSet or None
    true_gap : float or None
        The largest difference between two groups in any rate of the criterion, as the model predicts; None where there
        is no criterion.
    emptied : str
        Why these rates are equal and yet of no use, such as "equal because nearly everyone is missed: true positive
        rates 3 %"; else empty.
    """

    place: Mapping[str, float]
    status: str
    value: float | None
    lower_bound: float
    model: Any
    true_gap: float | None = None
    emptied: str = ""

    @property
    def accuracy(self) -> float | None:
        """Share of the training weight that the model gets right."""
        return None if self.model is None else 1 - self.model.errors / self.model.weight


class Found(NamedTuple):
    """A model, its value, what decides between models of the same value, and its errors, in units of one front."""

    value: Any
    cost: Any
    errors: Any
    model: Model


@dataclass
class Place:
    """What is known at one place.

    Attributes
    ----------
    values : tuple of float
        In the order of the front's axes.
    search : Search or None
        None before it is begun, and once the point is closed.
    lower : Fraction or float
        No model that is asked for has a smaller value.
    counts : dict of str to int
        Of its search.
    """

    values: tuple[float, ...]
    search: Search | None = None
    lower: Any = 0
    found: Found | None = None
    infeasible: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
