"""A search at one moment: its best model, its bound, and how it stands."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .shown import Fact, Shown

if TYPE_CHECKING:
    import numpy as np


class Status(enum.StrEnum):
    """How a search stands."""

    RUNNING = "running"
    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    LIMIT = "limit"


def standing(proven: bool, exact: bool, limit: str | None) -> tuple[Status, str | None]:
    """Status and limit of a search for models: proven, in arithmetic that is exact or not, or stopped by a limit."""
    if proven:
        return (Status.OPTIMAL, None) if exact else (Status.LIMIT, "exactness")
    return (Status.RUNNING, None) if limit is None else (Status.LIMIT, limit)


_SURE = 1 - 2.0**-50
"""Of a bound that was computed in doubles from costs in integers: what is proven of it, whatever was rounded."""


FIRST, CUT_BY = "first_", "cut by "
"""How figures in ``detail`` begin that are of the search for the best model of all, which came first; and of these how
many each bound has cut."""


def bound_shown(objective: float, bound: float, status: Status) -> float:
    """The lower bound of a snapshot: the objective where it is proven, else the bound, which never falls."""
    return objective if status is Status.OPTIMAL else float(max(0.0, min(bound * _SURE, objective)))


def counted(numbers: np.ndarray, places: Mapping[str, int]) -> dict[str, int]:
    """The counts of a snapshot, from where a search keeps them."""
    return {name: int(numbers[place]) for name, place in places.items()}


@dataclass(frozen=True)
class Incumbent:
    """The best model so far.

    Attributes
    ----------
    model : RuleList, FallingRuleList or RuleSet
    objective : float
        In the units of the family's paper.
    errors : int or float
        0-1 training errors: a count, or a weight.
    complexity : int
        Number of rules for lists, sum of clause complexities for sets.
    found_at : tuple of float and int
        Seconds of search and units of work when it was found.
    """

    model: Any
    objective: float
    errors: int | float
    complexity: int
    found_at: tuple[float, int]


@dataclass(frozen=True, repr=False)
class Snapshot(Shown):
    """A search at one moment: frozen, small, picklable, sharing nothing with the search.

    Attributes
    ----------
    step : int
        Calls of `Search.advance` so far.
    work : int
        Units of work so far (for rule lists: prefixes expanded, by the beam or the exact search).
    seconds : float
        Wall clock of this call of `steps`; from a bare `advance`, the time spent in the search altogether.
    status : Status
    incumbent : Incumbent or None
    lower_bound : float
        No model has a smaller objective.
    counts : dict of str to int
        Prefixes created, expanded, queued.
    pruned : dict of str to int
        Prefixes cut, by the name of the bound.
    queue_by_length : tuple of int
        Queued prefixes by length.
    log10_remaining : float
        Upper bound on the remaining evaluations (Prop. 9 of the CORELS paper), as log10; 0 when nothing is left.
    memory_bytes : int
    phase : str
        What the search is doing.
    limit : str or None
        Which limit ended the call, with status LIMIT. "exactness": the objective is proven optimal within ``gap``, the
        rounding of weights or penalties; nothing is left to search.
    detail : dict
        Figures of the engine's own. Where models have to obey, and the best one of all is sought first, the counts of
        that search begin with ``first_``; ``first_running`` is 1 while it runs, ``first_suffices`` where its answer is
        the answer.
    """

    step: int
    work: int
    seconds: float
    status: Status
    incumbent: Incumbent | None
    lower_bound: float
    counts: Mapping[str, int] = field(default_factory=dict)
    pruned: Mapping[str, int] = field(default_factory=dict)
    queue_by_length: tuple[int, ...] = ()
    log10_remaining: float = math.inf
    memory_bytes: int = 0
    phase: str = "searching"
    limit: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def made(self) -> int:
        """Prefixes made so far: each of them was cut or expanded, or waits in the queue."""
        return sum(self.pruned.values()) + self.counts.get("expanded", 0) + self.counts.get("queued", 0)

    @property
    def sought_first(self) -> dict[str, int]:
        """What the search for the best model of all has counted that came first; empty where there was none."""
        return {name.removeprefix(FIRST): int(n) for name, n in self.detail.items() if name.startswith(FIRST)}

    @property
    def gap(self) -> float:
        """Objective minus lower bound; infinite before there is an incumbent."""
        return math.inf if self.incumbent is None else self.incumbent.objective - self.lower_bound

    @property
    def stands(self) -> str:
        """The status, with the limit where there is one: "memory limit"."""
        return f"{self.limit} {self.status}" if self.limit else str(self.status)

    def _title(self) -> str:
        return f"Snapshot, {self.stands}"

    def _facts(self) -> Iterator[Fact]:
        if self.status is Status.RUNNING:
            yield "phase", self.phase
        best = self.incumbent
        yield "objective", "none yet" if best is None else best.objective
        yield "lower bound", self.lower_bound
        if best is not None:
            yield from (("gap", self.gap), ("errors", best.errors), ("complexity", best.complexity))
        yield "work", self.work
        yield "seconds", round(self.seconds, 2)
        yield from ((name, n) for name, n in self.counts.items() if n)
        yield "cut", ", ".join(f"{n} by {name}" for name, n in self.pruned.items() if n) or None

    def _below(self) -> str:
        return "" if self.incumbent is None else self.incumbent.model._repr_html_()


_DAY = math.log10(86400)  # its seconds, log10
_UNITS = (("h", 3600), ("min", 60), ("s", 1))


def time_left(snapshot: Snapshot, seconds: float) -> str:
    """An estimate: what the evaluations that Theorem 7 allows take at the pace so far, where that is below a day.

    Proposition 9 where steps are not counted. Either is far above what is evaluated in the end.
    """
    left = snapshot.detail.get("log10_remaining_fine", snapshot.log10_remaining)
    made = snapshot.counts.get("created", 0)
    if not (made and seconds > 0 and 0 < left < _DAY - math.log10(seconds / made)):
        return ""
    rest = 10**left * seconds / made
    unit, size = next((each for each in _UNITS if rest >= 2 * each[1]), _UNITS[-1])
    return f"at most {rest / size:.0f} {unit} left (estimate)"
