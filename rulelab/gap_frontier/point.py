"""A point of the front, and what a search for the least gap at one accuracy tells of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from ..models import Model
from ..snapshot import Snapshot


@dataclass(frozen=True)
class GapPoint:
    """The best model known of an accuracy.

    Attributes
    ----------
    min_accuracy : float
    status : str
        "proven": no model of this accuracy has a smaller gap. "infeasible": no model is as accurate. Else "open".
    gap : float or None
        Of the model.
    lower_bound : float
        No model of this accuracy has a smaller gap.
    model : RuleList, RuleSet or None
    """

    min_accuracy: float
    status: str
    gap: float | None
    lower_bound: float
    model: Any

    @property
    def accuracy(self) -> float | None:
        """Share of the training weight that the model gets right."""
        return None if self.model is None else 1 - self.model.errors / self.model.weight


class Found(Protocol):
    """A model that a search has found: its gap, what it costs, and its errors, in units that one front shares."""

    @property
    def gap(self) -> Fraction: ...
    @property
    def cost(self) -> Any: ...
    @property
    def errors(self) -> int: ...
    @property
    def model(self) -> Model: ...


class OneAccuracy(Protocol):
    """A search for the least gap at one accuracy."""

    work: int
    memory_limit: int | None

    @property
    def found(self) -> Found | None: ...
    @property
    def lower(self) -> Fraction: ...
    @property
    def gap_is_proven(self) -> bool: ...
    @property
    def is_infeasible(self) -> bool: ...
    @property
    def counts(self) -> Mapping[str, int]: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def compiled(self) -> bool: ...
    @property
    def left_out(self) -> str: ...
    def compile(self) -> None: ...
    def advance(self, max_work: int) -> Snapshot: ...
    def most_errors(self, accuracy: float) -> int: ...


class Closed(NamedTuple):
    """What remains of a search whose point is closed."""

    lower: Fraction
    found: Found | None
    is_infeasible: bool
    counts: Mapping[str, int]
    memory_bytes: int = 0
