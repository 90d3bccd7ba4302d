"""The search that closes the points of a front one after another, whatever family its models are of."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..arguments import is_number, require
from ..data.exact_weights import rounded_down
from ..data.problem import Problem
from ..models import Model
from ..search import Search
from ..snapshot import Incumbent, Snapshot, Status
from .point import Closed, GapPoint, OneAccuracy

_FIRST_UNITS = 50  # of work on a point, in the first round; then doubled
_STEP = 0.01  # between the accuracies where none are given


class GapFrontier(Search):
    """Searches for the least gap at each of many accuracies, the smallest first.

    A model that is found at one accuracy serves all that it is accurate enough for, a bound serves all larger
    accuracies, and a proven model of more accuracy than was asked for proves all points up to its own. Points that take
    long, or for which a search cannot go on, are put off and taken up again with twice the work.

    Parameters
    ----------
    problem : Problem
    accuracies : sequence of float, optional
        From 0 to 1; by default steps of one percent from the accuracy of the default rule alone.
    first : search for the least gap at one accuracy
        Which has refused wrong arguments.
    memory_limit : int, optional
        Bytes that all searches may take.
    """

    kind: ClassVar[str] = "gap_frontier"
    _shown: ClassVar[tuple[str, ...]]
    """The counts of the searches that are summed."""

    def __init__(
        self, problem: Problem, accuracies: Sequence[float] | None, first: OneAccuracy, memory_limit: int | None
    ) -> None:
        super().__init__(problem)
        if accuracies is None:
            share = max(problem.total_positive, problem.total_negative) / problem.total_weight
            accuracies = [k * _STEP for k in range(int(share / _STEP), int(1 / _STEP) + 1)]
            accuracies = [round(value, 10) for value in accuracies]
        several = isinstance(accuracies, Sequence | np.ndarray) and not isinstance(accuracies, str) and len(accuracies)
        shares = bool(several) and all(is_number(one) and 0 <= one <= 1 for one in accuracies)
        require(("accuracies", accuracies, shares, "numbers from 0 to 1, at least one"))
        self.accuracies = tuple(sorted({float(one) for one in accuracies}))
        self.memory_limit, self.left_out = memory_limit, first.left_out
        self._searches: list[OneAccuracy | Closed | None] = [None] * len(self.accuracies)
        self._at, self._units, self._left = 0, _FIRST_UNITS, _FIRST_UNITS
        self._stuck: dict[int, str] = {}
        self._limit: str | None = None
        self._points: tuple[GapPoint, ...] = ()
        self._found_at = (0.0, 0)
        self._most_errors = [first.most_errors(accuracy) for accuracy in self.accuracies]

    @abc.abstractmethod
    def _new(self, accuracy: float, known: tuple[Any, ...]) -> OneAccuracy:
        """A search at one accuracy that begins with these models."""

    @property
    def compiled(self) -> bool:
        return self._new(0.0, ()).compiled

    def _rehearse(self) -> None:
        self._new(0.0, ()).compile()

    @property
    def points(self) -> tuple[GapPoint, ...]:
        """The points as they stand, by accuracy; none before the first `advance`."""
        return self._points

    @property
    def frame(self) -> pd.DataFrame:
        """One row per point; none before the first `advance`.

        Returns
        -------
        DataFrame
            min_accuracy, status (see `GapPoint`), gap, lower_bound, accuracy, errors, rules (of rule sets: complexity);
            what is not known is NaN.
        """
        rows = [
            (p.min_accuracy, p.status, p.gap, p.lower_bound, p.accuracy, p.model.errors, p.model.complexity)
            if p.model
            else (p.min_accuracy, p.status, None, p.lower_bound, None, None, None)
            for p in self._points
        ]
        size = "complexity" if self.family == "rule_set" else "rules"
        columns = ["min_accuracy", "status", "gap", "lower_bound", "accuracy", "errors", size]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({name: float for name in columns if name != "status"})

    def _models(self) -> list[Model | None]:
        return [point.model for point in self._points]

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of all searches."""
        return sum(search.memory_bytes for search in self._searches if search is not None)

    def _advance(self, max_work: int) -> None:
        target, pace = self.work + max_work, self.pace
        if self._limit is not None:
            self._limit = None
            self._stuck.clear()
        if not self._points:
            self._settle()
        while self.work < target and self._limit is None and self.pace == pace and self._open():
            search = self._searches[self._at]
            if search is None or isinstance(search, Closed):
                known = tuple(point.model for point in self._points if point.model is not None)
                search = self._searches[self._at] = self._new(self.accuracies[self._at], known)
            self._hand_on(search)
            before, best = search.work, search.found
            last = search.advance(1)
            if last.limit == "memory":
                self._limit = "memory"
            elif last.limit is not None:
                self._stuck[self._at] = last.limit
            self.work += search.work - before
            self._left -= search.work - before
            stuck = self._at in self._stuck
            ended = search.gap_is_proven or last.status is Status.INFEASIBLE or self._left <= 0 or stuck
            if ended or search.found is not best:
                self._settle()
            if self._points[self._at].status != "open" or self._left <= 0 or stuck:
                self._next()

    def _within(self) -> Search | None:
        search = self._searches[self._at]
        return None if isinstance(search, Closed) else search  # type: ignore[return-value]

    def _hand_on(self, search: Any) -> None:
        """Give a search the limits that hold for it now."""
        if self.memory_limit is not None:
            search.memory_limit = max(1, self.memory_limit - self.memory_bytes + search.memory_bytes)

    def _open(self) -> bool:
        return any(point.status == "open" for point in self._points)

    def _next(self) -> None:
        """Turn to the next point that is open, in this round or, with twice the work, in a new one."""
        n = len(self.accuracies)
        waiting = [i for i, point in enumerate(self._points) if point.status == "open"]
        if not waiting:
            return
        if all(i in self._stuck for i in waiting):
            self._limit = self._limit or self._stuck[waiting[0]]
            self._at = waiting[0]
            return
        while True:
            self._at += 1
            if self._at == n:
                self._at, self._units = 0, 2 * self._units
            if self._at in waiting and self._at not in self._stuck:
                self._left = self._units
                return

    def _settle(self) -> None:
        """Draw the points from all searches: models serve smaller accuracies, bounds serve larger ones."""
        begun = [search for search in self._searches if search is not None]
        models = [search.found for search in begun if search.found is not None]
        lower, infeasible, points = Fraction(0), False, []
        for accuracy, most, search in zip(self.accuracies, self._most_errors, self._searches, strict=True):
            if search is not None:
                lower, infeasible = max(lower, search.lower), infeasible or search.is_infeasible
            fitting = [one for one in models if one.errors <= most]
            best = min(fitting, key=lambda one: (one.gap, one.cost), default=None)
            if infeasible or best is None:
                status = "infeasible" if infeasible else "open"
                points.append(GapPoint(accuracy, status, None, rounded_down(lower), None))
                continue
            proven = lower >= best.gap
            shown = float(best.gap) if proven else rounded_down(lower)
            points.append(GapPoint(accuracy, "proven" if proven else "open", float(best.gap), shown, best.model))
        if points[0].model is not None and (not self._points or points[0].model != self._points[0].model):
            self._found_at = (self._seconds, self.work)
        self._points = tuple(points)
        for i, (point, search) in enumerate(zip(points, self._searches, strict=True)):
            if point.status != "open" and search is not None and not isinstance(search, Closed):
                self._searches[i] = Closed(search.lower, search.found, search.is_infeasible, search.counts)

    def _snapshot(self) -> Snapshot:
        first, closed = self._points[0], sum(point.status != "open" for point in self._points)
        status = Status.RUNNING if self._limit is None else Status.LIMIT
        if closed == len(self._points):
            infeasible = all(point.status == "infeasible" for point in self._points)
            status = Status.INFEASIBLE if infeasible else Status.OPTIMAL
        incumbent = None
        if first.model is not None and first.gap is not None:
            model = first.model
            incumbent = Incumbent(model, first.gap, model.errors, model.complexity, self._found_at)
        ended = status in (Status.OPTIMAL, Status.INFEASIBLE)
        now = [search.counts for search in self._searches if search is not None]
        counts = {name: sum(each[name] for each in now) for name in self._shown}
        return Snapshot(
            step=0,
            work=self.work,
            seconds=0.0,
            status=status,
            incumbent=incumbent,
            lower_bound=first.lower_bound,
            counts={"points": len(self._points), "closed": closed, "queued": 0, **counts},
            log10_remaining=0.0 if ended else np.inf,
            memory_bytes=self.memory_bytes,
            phase="certified" if ended else "searching",
            limit=None if ended else self._limit,
            detail={"points": self._points, "left_out": self.left_out},
        )
