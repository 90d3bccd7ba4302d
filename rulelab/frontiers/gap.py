"""What accuracy costs in fairness: the least gap between groups at each of many accuracies, certified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..data.exact_weights import rounded_down
from ..data.fairness import Criterion, criterion_called
from ..data.problem import Problem
from ..models import RuleList, RuleSet
from ..rule_list import LeastGapSearch
from ..rule_set import LeastGapRuleSetSearch
from ..snapshot import Snapshot, Status
from .search import Found, Frontier, Place, checked

SEARCHES: dict[str, type[LeastGapSearch | LeastGapRuleSetSearch]] = {
    RuleList.family: LeastGapSearch,
    RuleSet.family: LeastGapRuleSetSearch,
}
"""By family of models."""
_COUNTS = {
    RuleList.family: ("created", "expanded", "stored", "sets_counted"),
    RuleSet.family: ("gaps_tried", "masters", "pricing_nodes", "branching_nodes"),
}
_STEP = 0.01  # between the accuracies where none are given


class GapFrontier(Frontier):
    """Step-wise search for the models of least gap between groups at each of many accuracies.

    One search for the least gap for each accuracy, the smallest first: a `rulelab.LeastGapSearch` or a
    `rulelab.LeastGapRuleSetSearch`. A proven model of more accuracy than was asked for proves all points up to its own.
    Between models of the same gap nothing is decided.

    The incumbent and the lower bound are those of the smallest accuracy; the points are in `points` and `frame`. The
    status is OPTIMAL when every point is proven, or proven to be infeasible, and LIMIT when no open point can go on.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class
        As for `rulelab.LeastGapSearch`.
    accuracies : sequence of float, optional
        From 0 to 1; by default steps of one percent from the accuracy of the default rule alone.
    model : {"rule_list", "rule_set"}
    memory_limit : int, optional
        Bytes that all searches may take.
    **parameters
        Of the search at each accuracy, such as ``max_length``.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    kind: ClassVar[str] = "gap_frontier"
    value_name: ClassVar[str] = "gap"
    _grows: ClassVar[dict[str, bool]] = {"min_accuracy": False}

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        accuracies: Sequence[float] | None = None,
        model: str = RuleList.family,
        memory_limit: int | None = None,
        **parameters: Any,
    ) -> None:
        self.axes = ("min_accuracy",)
        self._first = SEARCHES[model](problem, criterion, min_accuracy=0.0, memory_limit=memory_limit, **parameters)
        if accuracies is None:
            share = max(problem.total_positive, problem.total_negative) / problem.total_weight
            accuracies = [round(k * _STEP, 10) for k in range(int(share / _STEP), int(1 / _STEP) + 1)]
        asked = checked("accuracies", accuracies, lambda one: 0 <= one <= 1, "numbers from 0 to 1, at least one")
        self.accuracies = tuple(sorted({float(one) for one in asked}))
        super().__init__(problem, [(one,) for one in self.accuracies], model, memory_limit)
        self._given = parameters
        self._most_errors = [self._first.most_errors(accuracy) for accuracy in self.accuracies]
        self._shown = _COUNTS[model]

    @property
    def parameters(self) -> dict[str, Any]:
        own = {
            name: value for name, value in self._first.parameters.items() if name not in ("min_accuracy", "warm_start")
        }
        return {**own, "accuracies": self.accuracies, "model": self.family, "memory_limit": self.memory_limit}

    @property
    def left_out(self) -> str:
        return self._first.left_out

    @property
    def _criterion(self) -> Criterion:
        criterion: Any = criterion_called(self._first.criterion)[1]
        made: Criterion = criterion(0.0)
        return made

    def _new(self, place: int, known: Sequence[Found]) -> LeastGapSearch | LeastGapRuleSetSearch:
        accuracy, models = self.accuracies[place], tuple(one.model for one in known)
        kind: Any = SEARCHES[self.family]
        return kind(self.problem, self._first.criterion, min_accuracy=accuracy, warm_start=models, **self._given)

    def _read(self, place: Place, last: Snapshot) -> None:
        search: Any = place.search
        place.lower, place.counts, found = search.lower, search.counts, search.found
        place.infeasible = last.status is Status.INFEASIBLE
        if found is not None and (
            place.found is None or place.found.value != found.gap or place.found.cost != found.cost
        ):
            place.found = Found(found.gap, found.cost, found.errors, found.model)

    def _fits(self, found: Found, place: int) -> bool:
        return bool(found.errors <= self._most_errors[place])

    def _down(self, value: Any) -> float:
        return rounded_down(value)
