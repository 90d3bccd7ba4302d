"""What accuracy costs in fairness: the least gap between groups at each of many accuracies, certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from ...arguments import is_number, require
from ...data.exact_weights import rounded_down
from ...data.problem import Problem
from ...models import Model, RuleList
from ...search import Incumbent, Search, Snapshot, Status
from .least_gap import FoundList, LeastGapSearch

_FIRST_UNITS = 50  # of work on a point, in the first round; then doubled
_STEP = 0.01  # between the accuracies where none are given


@dataclass(frozen=True)
class GapPoint:
    """The best list known of an accuracy.

    Attributes
    ----------
    min_accuracy : float
    status : str
        "proven": no list of this accuracy has a smaller gap. "infeasible": no list is as accurate. Else "open".
    gap : float or None
        Of the model.
    lower_bound : float
        No list of this accuracy has a smaller gap.
    model : RuleList or None
    """

    min_accuracy: float
    status: str
    gap: float | None
    lower_bound: float
    model: RuleList | None

    @property
    def accuracy(self) -> float | None:
        """Share of the training weight that the model gets right."""
        return None if self.model is None else 1 - self.model.errors / self.model.weight


class _Result(NamedTuple):
    """What remains of a search whose point is closed."""

    lower: Fraction
    found: FoundList | None
    is_infeasible: bool
    counts: Mapping[str, int]
    memory_bytes: int = 0


class GapFrontierSearch(Search):
    """Step-wise search for the rule lists of least gap between groups at each of many accuracies.

    One `LeastGapSearch` for each accuracy, the smallest first. A list that is found at one serves all that it is
    accurate enough for, a bound serves all larger accuracies, and a proven list of more accuracy than was asked for
    proves all points up to its own. Points that take long are put off and taken up again with twice the work.

    Between lists of the same gap nothing is decided, other than by a `LeastGapSearch`.

    The incumbent and the lower bound are those of the smallest accuracy; the points are in `points` and `frame`. The
    status is OPTIMAL when every point is proven, or proven to be infeasible.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class
        As for `LeastGapSearch`.
    accuracies : sequence of float, optional
        From 0 to 1; by default steps of one percent from the accuracy of the default rule alone.
    regularization, max_length, memory_limit, beam_width, min_group_size
        As for `LeastGapSearch`.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    family: ClassVar[str] = "rule_list"
    kind: ClassVar[str] = "gap_frontier"

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        accuracies: Sequence[float] | None = None,
        regularization: float = 0.01,
        max_length: int | None = None,
        memory_limit: int | None = None,
        beam_width: int = 400,
        min_group_size: int = 0,
    ) -> None:
        super().__init__(problem)
        made = LeastGapSearch(  # which refuses what is wrong
            problem, criterion, regularization, 0.0, max_length, None, memory_limit, beam_width, min_group_size
        )
        if accuracies is None:
            share = max(problem.total_positive, problem.total_negative) / problem.total_weight
            accuracies = [k * _STEP for k in range(int(share / _STEP), int(1 / _STEP) + 1)]
            accuracies = [round(value, 10) for value in accuracies]
        several = isinstance(accuracies, Sequence | np.ndarray) and not isinstance(accuracies, str) and len(accuracies)
        shares = bool(several) and all(is_number(one) and 0 <= one <= 1 for one in accuracies)
        require(("accuracies", accuracies, shares, "numbers from 0 to 1, at least one"))
        self.criterion, self.left_out = made.criterion, made.left_out
        self.accuracies = tuple(sorted({float(one) for one in accuracies}))
        self.regularization, self.max_length = made.regularization, made.max_length
        self.memory_limit, self.beam_width, self.min_group_size = memory_limit, made.beam_width, made.min_group_size
        self._searches: list[LeastGapSearch | _Result | None] = [None] * len(self.accuracies)
        self._at, self._units, self._left = 0, _FIRST_UNITS, _FIRST_UNITS
        self._out_of_memory = False
        self._points: tuple[GapPoint, ...] = ()
        self._found_at = (0.0, 0)
        self._most_errors = [made.most_errors(accuracy) for accuracy in self.accuracies]

    @property
    def parameters(self) -> dict[str, Any]:
        names = ("criterion", "accuracies", "regularization", "max_length")
        return {name: getattr(self, name) for name in (*names, "memory_limit", "beam_width", "min_group_size")}

    @property
    def compiled(self) -> bool:
        return self._new(0.0, ()).compiled

    def _rehearse(self) -> None:
        self._new(0.0, ()).compile()

    def _new(self, accuracy: float, known: tuple[RuleList, ...]) -> LeastGapSearch:
        return LeastGapSearch(
            self.problem,
            self.criterion,
            self.regularization,
            accuracy,
            self.max_length,
            beam_width=self.beam_width,
            min_group_size=self.min_group_size,
            warm_start=known,
        )

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
            min_accuracy, status (see `GapPoint`), gap, lower_bound, accuracy, errors, rules; what is not known is NaN.
        """
        rows = [
            (p.min_accuracy, p.status, p.gap, p.lower_bound, p.accuracy, p.model.errors, p.model.complexity)
            if p.model
            else (p.min_accuracy, p.status, None, p.lower_bound, None, None, None)
            for p in self._points
        ]
        columns = ["min_accuracy", "status", "gap", "lower_bound", "accuracy", "errors", "rules"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({name: float for name in columns if name != "status"})

    def _models(self) -> list[Model | None]:
        return [point.model for point in self._points]

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of all searches."""
        return sum(search.memory_bytes for search in self._searches if search is not None)

    def _advance(self, max_work: int) -> None:
        target = self.work + max_work
        self._out_of_memory = False
        if not self._points:
            self._settle()
        while self.work < target and not self._out_of_memory and self._open():
            search = self._searches[self._at]
            if not isinstance(search, LeastGapSearch):
                known = tuple(point.model for point in self._points if point.model is not None)
                search = self._searches[self._at] = self._new(self.accuracies[self._at], known)
            if self.memory_limit is not None:
                search.memory_limit = max(1, self.memory_limit - self.memory_bytes + search.memory_bytes)
            before, best = search.work, search.found
            last = search.advance(1)
            self._out_of_memory = last.limit == "memory"
            self.work += search.work - before
            self._left -= search.work - before
            if search.gap_is_proven or last.status is Status.INFEASIBLE or search.found is not best or self._left <= 0:
                self._settle()
            if self._points[self._at].status != "open" or self._left <= 0:
                self._next()

    def _open(self) -> bool:
        return any(point.status == "open" for point in self._points)

    def _next(self) -> None:
        """Turn to the next point that is open, in this round or, with twice the work, in a new one."""
        n = len(self.accuracies)
        if not self._open():
            return
        while True:
            self._at += 1
            if self._at == n:
                self._at, self._units = 0, 2 * self._units
            if self._points[self._at].status == "open":
                self._left = self._units
                return

    def _settle(self) -> None:
        """Draw the points from all searches: lists serve smaller accuracies, bounds serve larger ones."""
        begun = [search for search in self._searches if search is not None]
        lists = [search.found for search in begun if search.found is not None]
        lower, infeasible, points = Fraction(0), False, []
        for accuracy, most, search in zip(self.accuracies, self._most_errors, self._searches, strict=True):
            if search is not None:
                lower, infeasible = max(lower, search.lower), infeasible or search.is_infeasible
            fitting = [one for one in lists if one.errors <= most]
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
            if point.status != "open" and isinstance(search, LeastGapSearch):
                self._searches[i] = _Result(search.lower, search.found, search.is_infeasible, search.counts)

    def _snapshot(self) -> Snapshot:
        first, closed = self._points[0], sum(point.status != "open" for point in self._points)
        status = Status.LIMIT if self._out_of_memory else Status.RUNNING
        if closed == len(self._points):
            infeasible = all(point.status == "infeasible" for point in self._points)
            status = Status.INFEASIBLE if infeasible else Status.OPTIMAL
        incumbent = None
        if first.model is not None and first.gap is not None:
            model = first.model
            incumbent = Incumbent(model, first.gap, model.errors, model.complexity, self._found_at)
        ended = status in (Status.OPTIMAL, Status.INFEASIBLE)
        now = [search.counts for search in self._searches if search is not None]
        counts = {name: sum(each[name] for each in now) for name in ("created", "expanded", "stored", "sets_counted")}
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
            limit="memory" if self._out_of_memory else None,
            detail={"points": self._points, "left_out": self.left_out},
        )
