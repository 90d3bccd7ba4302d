"""The search that closes the points of a front one after another, whatever is asked of the models there."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import is_number, require
from ..data.exact_weights import rounded_down
from ..data.fairness import Criterion, emptied_rates, groups_of, left_out, true_gaps
from ..data.problem import Problem
from ..models import Model
from ..parameters import check_arguments
from ..snapshot import Incumbent, Snapshot, Status
from ..stepping import Search


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
    """What is known at one place."""

    values: tuple[float, ...]  # in the order of the front's axes
    search: Search | None = None  # None before it is begun, and once the point is closed
    lower: Any = 0  # Fraction or float: no model that is asked for has a smaller value
    found: Found | None = None
    infeasible: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)  # of its search


class Frontier(Search):
    """Searches for the best model at each of many places, one after another.

    A model that is found at one place serves all that ask for less, a bound serves all that ask for more, so that a
    proven model closes the places between. Points that take long, or for which a search cannot go on, are put off and
    taken up again with twice the work.
    """

    axes: tuple[str, ...]
    value_name: ClassVar[str]
    """What is minimised, as a column."""
    _grows: ClassVar[dict[str, bool]]  # of each axis, whether a larger value asks for less
    _first: Any  # the search at the first place, for the parameters that all have
    _varied: ClassVar[tuple[str, ...]]  # parameters that they do not have in common
    _shown: tuple[str, ...] = ()  # the counts of the searches that are summed
    _slice = 1  # units of a point's search that are a unit of this one
    _FIRST_UNITS = 50  # units of work on a point in the first round; then doubled

    def __init__(
        self, problem: Problem, places: Sequence[tuple[float, ...]], family: str, memory_limit: int | None
    ) -> None:
        super().__init__(problem)
        check_arguments(memory_limit=memory_limit)
        self.family = family  # type: ignore[misc]  # of the models, not of the class
        self.memory_limit = memory_limit
        self._places = [Place(tuple(values)) for values in places]
        signs = np.array([1 if self._grows[axis] else -1 for axis in self.axes])
        values = np.array([place.values for place in self._places], dtype=float) * signs
        less = (values[:, None, :] >= values[None, :, :]).all(axis=2)  # [i, j]: i asks for no more than j
        self._less = [np.flatnonzero(less[:, j]).tolist() for j in range(len(self._places))]
        self._more = [np.flatnonzero(less[j]).tolist() for j in range(len(self._places))]
        self._shown_as = sorted(range(len(self._places)), key=lambda j: self._places[j].values)
        self._loosest = max(range(len(self._places)), key=lambda j: len(self._more[j]))
        self._at, self._units, self._left = 0, self._FIRST_UNITS, self._FIRST_UNITS
        self._stuck: dict[int, str] = {}
        self._limit: str | None = None
        self._points: tuple[FrontPoint, ...] = ()
        self._found_at = (0.0, 0)

    @abc.abstractmethod
    def _new(self, place: int, known: Sequence[Found]) -> Search:
        """A search at one place, which may begin with models that are known."""

    @abc.abstractmethod
    def _read(self, place: Place, last: Snapshot) -> None:
        """Take over what a place's search has found and proven."""

    @property
    @abc.abstractmethod
    def _asked(self) -> dict[str, Any]:
        """What the places are made of, as parameters."""

    @property
    @abc.abstractmethod
    def _criterion(self) -> Criterion | None:
        """By what groups are compared."""

    @property
    def parameters(self) -> dict[str, Any]:
        own = {name: value for name, value in self._first.parameters.items() if name not in self._varied}
        return {**own, **self._asked, "model": self.family, "memory_limit": self.memory_limit}

    @property
    def left_out(self) -> str:
        """Which groups are too small for the criterion, in words; empty when none is."""
        criterion, least = self._criterion, self._first.parameters["min_group_size"]
        return "" if criterion is None else left_out(criterion, groups_of(self.problem, criterion), least)

    def _fits(self, found: Found, place: int) -> bool:
        """Whether a model is known to be one that is asked for, whatever was asked for where it was found."""
        return False

    @property
    def compiled(self) -> bool:
        return self._new(0, ()).compiled

    def _rehearse(self) -> None:
        self._new(0, ()).compile()

    @property
    def points(self) -> tuple[FrontPoint, ...]:
        """The points as they stand, by place; none before the first `advance`."""
        return tuple(self._points[j] for j in self._shown_as) if self._points else ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row per point; none before the first `advance`.

        Returns
        -------
        DataFrame
            The axes; status (see `FrontPoint`); gap or objective; lower_bound, accuracy, errors; rules (of rule sets:
            complexity); and true_gap where groups are compared; what is not known is NaN.
        """
        size = "complexity" if self.family == "rule_set" else "rules"
        columns = [*self.axes, "status", self.value_name, "lower_bound", "accuracy", "errors", size, "true_gap"]
        rows = [
            (
                *(p.place[axis] for axis in self.axes),
                *(p.status, p.value, p.lower_bound, p.accuracy),
                *((None, None) if p.model is None else (p.model.errors, p.model.complexity)),
                p.true_gap,
            )
            for p in self.points
        ]
        frame = pd.DataFrame(rows, columns=columns).astype({name: float for name in columns if name != "status"})
        return frame if self._criterion is not None else frame.drop(columns="true_gap")

    def _models(self) -> list[Model | None]:
        return [point.model for point in self.points]

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of all searches."""
        begun: list[Any] = [place.search for place in self._places if place.search is not None]
        return sum(int(search.memory_bytes) for search in begun)

    def _advance(self, max_work: int) -> None:
        target, pace, at = self.work + max_work, self.pace, self._at
        if self._limit is not None:
            self._limit = None
            self._stuck.clear()
        if not self._points:
            self._settle()
        while self.work < target and self._limit is None and (self.pace, self._at) == (pace, at) and self._open():
            place = self._places[self._at]
            if place.search is None:
                place.search = self._new(self._at, [each.found for each in self._places if each.found is not None])
            search: Any = place.search
            limit = self.memory_limit  # of all of them
            search.memory_limit = None if limit is None else max(1, limit - self.memory_bytes + search.memory_bytes)
            best, last = place.found, place.search.advance(self._slice)
            self._read(place, last)
            if last.limit == "memory":
                self._limit = "memory"
            elif last.status is Status.LIMIT:
                self._stuck[self._at] = last.limit or "exactness"
            self.work += 1
            self._left -= 1
            ended = last.status in (Status.OPTIMAL, Status.INFEASIBLE) or self._at in self._stuck
            proven = place.found is not None and place.lower >= place.found.value
            if ended or proven or self._left <= 0 or place.found is not best:
                self._settle()
            if self._points[self._at].status != "open" or self._left <= 0 or self._at in self._stuck:
                self._next()

    def _within(self) -> Search | None:
        return self._places[self._at].search

    def _open(self) -> bool:
        return any(point.status == "open" for point in self._points)

    def _next(self) -> None:
        """Turn to the next point that is open, in this round or, with twice the work, in a new one."""
        waiting = [i for i, point in enumerate(self._points) if point.status == "open"]
        going = [i for i in waiting if i not in self._stuck]
        if going:
            later = [i for i in going if i > self._at]
            self._units *= 1 if later else 2
            self._at, self._left = (later or going)[0], self._units
        elif waiting:
            self._limit = self._limit or self._stuck[waiting[0]]
            self._at = waiting[0]

    def _settle(self) -> None:
        """Draw the points from all that is known: models serve places that ask for less, bounds those for more."""
        points = [self._point(j) for j in range(len(self._places))]
        first, before = points[self._loosest], self._points[self._loosest] if self._points else None
        if first.model is not None and (before is None or first.model != before.model):
            self._found_at = (self._seconds, self.work)
        self._points = tuple(points)
        for place, point in zip(self._places, points, strict=True):
            if point.status != "open" and place.search is not None:
                place.search = None

    def _point(self, j: int) -> FrontPoint:
        less = [self._places[i] for i in self._less[j]]
        lower, values = max(place.lower for place in less), dict(zip(self.axes, self._places[j].values, strict=True))
        more = set(self._more[j])
        fitting = [
            place.found
            for i, place in enumerate(self._places)
            if place.found is not None and (i in more or self._fits(place.found, j))
        ]
        best = min(fitting, key=lambda one: (one.value, one.cost), default=None)
        infeasible = any(place.infeasible for place in less)
        if infeasible or best is None:
            return FrontPoint(values, "infeasible" if infeasible else "open", None, rounded_down(lower), None)
        proven, shown = lower >= best.value, float(best.value)
        known = self._points[j] if self._points else None
        told = (known.true_gap, known.emptied) if known and known.model is best.model else self._told_of(best.model)
        return FrontPoint(
            values, "proven" if proven else "open", shown, shown if proven else rounded_down(lower), best.model, *told
        )

    def _told_of(self, model: Any) -> tuple[float | None, str]:
        """How far apart a model's rates of groups are, and why that is of no use where it is not."""
        if self._criterion is None:
            return None, ""
        predicted = model.predicts_positive(self.problem.matrix())
        least = self.parameters["min_group_size"]
        compared = self._criterion, groups_of(self.problem, self._criterion), predicted, least
        return max(true_gaps(*compared).values()), emptied_rates(*compared)

    def _snapshot(self) -> Snapshot:
        first, closed = self._points[self._loosest], sum(point.status != "open" for point in self._points)
        ended = closed == len(self._points)
        status = Status.RUNNING if self._limit is None else Status.LIMIT
        if ended:
            infeasible = all(point.status == "infeasible" for point in self._points)
            status = Status.INFEASIBLE if infeasible else Status.OPTIMAL
        incumbent = None
        if first.model is not None and first.value is not None:
            model = first.model
            incumbent = Incumbent(model, first.value, model.errors, model.complexity, self._found_at)
        counts = {name: sum(place.counts.get(name, 0) for place in self._places) for name in self._shown}
        return Snapshot(
            **self._figures,
            status=status,
            incumbent=incumbent,
            lower_bound=first.lower_bound,
            counts={"points": len(self._points), "closed": closed, "queued": 0, **counts},
            log10_remaining=0.0 if ended else np.inf,
            phase="certified" if ended else "searching",
            limit=None if ended else self._limit,
            detail={"points": self.points, "left_out": self.left_out},
        )


def checked(name: str, given: Any, fits: Any, requirement: str) -> tuple[float, ...]:
    """The values of an axis; raises ValueError for what is none."""
    several = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) and len(given)
    require((name, given, bool(several) and all(is_number(one) and fits(one) for one in given), requirement))
    return tuple(dict.fromkeys(one.item() if isinstance(one, np.generic) else one for one in given))
