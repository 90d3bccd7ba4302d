"""Certified fronts: the least gap at each accuracy, the best model at each tolerance or complexity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .. import questions
from ..arguments import check_choice, is_whole, require
from ..data.fairness import Criterion, criterion_called
from ..data.problem import Problem
from ..models import FallingRuleList, RuleList, RuleSet
from ..phases import RelaxedFirst
from ..rule_list import FrontierSearch, LeastGapSearch
from ..rule_set import LeastGapRuleSetSearch
from ..snapshot import Snapshot, Status
from ..stepping import Search
from .search import Found, Frontier, Place, checked

TOLERANCES = (0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0)
"""Of the experiment on COMPAS in Lawless et al., JMLR 24 (2023), table 14; 1 is no constraint with rates of errors."""
COMPLEXITIES = (5, 10, 15, 20, 30)
"""Of the same experiment, table 15."""

_SLICES = {RuleList.family: 256, FallingRuleList.family: 256, RuleSet.family: 4}
"""Units of work between two looks at what is found: a few milliseconds."""
_TOLERANCE, _COMPLEXITY = "tolerance", "max_complexity"
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
BY: dict[str, tuple[str, ...]] = {
    "rules": (RuleList.family, RuleSet.family),
    "tolerance": (RuleList.family, FallingRuleList.family, RuleSet.family),
    "gap": (RuleList.family, RuleSet.family),
}
"""What a front is drawn by, and the families of models that it is searched for."""


class ToleranceFrontier(Frontier):
    """Step-wise search for the best model at each tolerance of a fairness constraint, and of rule sets at each size.

    One search for each place. A model that keeps to a tighter tolerance, or to a smaller complexity, serves the looser
    ones; a bound serves the tighter ones, so that a proven model that keeps to more than was asked for proves these,
    too.

    The incumbent and the lower bound are those of the loosest place; the points are in `points` and `frame`. A unit of
    work is a slice of a place's search. The status is OPTIMAL when every point is proven, or proven to be infeasible
    (INFEASIBLE when all are), and LIMIT when no open point can go on.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class, optional
        Such as "equal_opportunity" or `rulelab.EqualizedOdds`. None, for rule sets: no constraint.
    tolerances : sequence of float
        eps.
    complexities : sequence of int
        C, of rule sets.
    model : {"rule_list", "falling_rule_list", "rule_set"}
    memory_limit : int, optional
        Bytes that all searches may take; at this limit it stops as a `rulelab.FrontierSearch` does.
    **parameters
        Of the search at each place, such as ``regularization``.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that a criterion could be measured on.

    References
    ----------
    Lawless, Dash, Günlük and Wei, "Interpretable and fair Boolean rule sets via column generation", JMLR 24 (2023),
    appendix O: the grid of tolerances and complexities.
    """

    kind: ClassVar[str] = "fair_frontier"
    value_name: ClassVar[str] = "objective"
    _FIRST_UNITS = 2000  # most points are closed within: their models and bounds shorten the next ones' searches
    _grows: ClassVar[dict[str, bool]] = {_TOLERANCE: True, _COMPLEXITY: True}
    _varied = ("fairness", "warm_start", _COMPLEXITY)

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        tolerances: Sequence[float] = TOLERANCES,
        complexities: Sequence[int] = COMPLEXITIES,
        model: str = RuleSet.family,
        memory_limit: int | None = None,
        **parameters: Any,
    ) -> None:
        self.criterion: str | None = None
        self._made: Callable[[float], Criterion] | None = None
        if criterion is not None:
            self.criterion, self._made = criterion_called(criterion)
        is_set = model == RuleSet.family
        require(("criterion", criterion, criterion is not None or is_set, "a criterion: only rule sets do without"))
        tolerances = () if criterion is None else checked("tolerances", tolerances, lambda e: e >= 0, "numbers >= 0")
        sizes = checked("complexities", complexities, lambda c: is_whole(c, 2), "integers >= 2") if is_set else ()
        self.tolerances, self.complexities = tuple(sorted(tolerances, reverse=True)), tuple(sorted(sizes))
        given = ((_TOLERANCE, self.tolerances), (_COMPLEXITY, self.complexities))
        self.axes = tuple(name for name, values in given if values)
        places = [
            (*((e,) if self.tolerances else ()), *((c,) if is_set else ()))
            for c in self.complexities or (0,)
            for e in self.tolerances or (0.0,)
        ]
        self._given = parameters
        super().__init__(problem, places, model, memory_limit)
        self._slice = _SLICES[model]
        self._first = self._new(0, ())

    @property
    def _asked(self) -> dict[str, Any]:
        return {"criterion": self.criterion, "tolerances": self.tolerances, "complexities": self.complexities}

    @property
    def _criterion(self) -> Criterion | None:
        return None if self._made is None else self._made(0.0)

    def _new(self, place: int, known: Sequence[Found]) -> Search:
        values = dict(zip(self.axes, self._places[place].values, strict=True))
        given = dict(self._given)
        if self._made is not None:
            given["fairness"] = self._made(values[_TOLERANCE])
        if _COMPLEXITY in values:
            given[_COMPLEXITY] = values[_COMPLEXITY]
        start = self._start(place)
        if start is not None and self.family != FallingRuleList.family:
            given["warm_start"] = start.model
        search = questions.search(self.problem, self.family, **given)
        if start is not None and isinstance(search, RelaxedFirst):
            search.without_relaxation()  # a bound of models that obey less is known
        return search

    def _start(self, place: int) -> Found | None:
        """The best model at the next looser tolerance, which may keep to this one; None where there is none."""
        return self._places[place - 1].found if place % max(1, len(self.tolerances)) else None

    def _read(self, place: Place, last: Snapshot) -> None:
        place.lower, place.infeasible = last.lower_bound, last.status is Status.INFEASIBLE
        best = last.incumbent
        if best is not None and (place.found is None or best.objective < place.found.value):
            place.found = Found(best.objective, 0, best.errors, best.model)


class GapFrontier(Frontier):
    """Step-wise search for the models of least gap between groups at each of many accuracies.

    One search for the least gap for each accuracy, the smallest first: a `rulelab.LeastGapSearch` or a
    `rulelab.engines.LeastGapRuleSetSearch`. A proven model of more accuracy than was asked for proves all points up to
    its own. Between models of the same gap nothing is decided.

    The incumbent and the lower bound are those of the smallest accuracy; the points are in `points` and `frame`. The
    status is OPTIMAL when every point is proven, or proven to be infeasible, and LIMIT when no open point can go on.

    Raises ValueError when an argument is out of range, or a group has nothing that the criterion could be measured on.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class
        As for `rulelab.LeastGapSearch`.
    accuracies : sequence of float, optional
        From 0 to 1; by default steps of one percent from the accuracy of the default rule alone.
    memory_limit : int, optional
        Bytes that all searches may take.
    **parameters
        Of the search at each accuracy, such as ``max_length``.
    """

    kind: ClassVar[str] = "gap_frontier"
    value_name: ClassVar[str] = "gap"
    _grows: ClassVar[dict[str, bool]] = {"min_accuracy": False}
    _varied = ("min_accuracy", "warm_start")

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
    def _asked(self) -> dict[str, Any]:
        return {"accuracies": self.accuracies}

    @property
    def _criterion(self) -> Criterion:
        criterion: Any = criterion_called(self._first.criterion)[1]
        return criterion(0.0)

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


def frontier(problem: Problem, by: str = "rules", model: str = RuleList.family, **parameters: Any) -> Search:
    """A search for a front, every point of which is certified or has its bound.

    Parameters
    ----------
    problem : Problem
    by : {"rules", "tolerance", "gap"}
        "rules": the fewest errors of rule lists of at most 0, 1, ... rules, or the least loss of rule sets of each
        complexity. "tolerance": the best model at each tolerance of a fairness constraint. "gap": the least gap between
        groups at each accuracy.
    model : {"rule_list", "falling_rule_list", "rule_set"}
        The family of models; see `BY` for those that there are.
    **parameters
        Of `rulelab.FrontierSearch`, `ToleranceFrontier` or `GapFrontier`, and of the searches that they begin.

    Returns
    -------
    Search
        For `rulelab.solve` or its `steps`; what is known is in its ``frame``.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that a criterion could be measured on.
    """
    require(("problem", problem, isinstance(problem, Problem), "a rulelab.Problem"))
    check_choice("by", by, BY)
    require(("model", model, model in BY[by], f"{' or '.join(BY[by])} where a front is drawn by {by}"))
    if by == "gap":
        return GapFrontier(problem, model=model, **parameters)
    if by == "tolerance":
        return ToleranceFrontier(problem, model=model, **parameters)
    if model == RuleSet.family:
        return ToleranceFrontier(problem, criterion=None, model=model, **parameters)
    return FrontierSearch(problem, **parameters)
