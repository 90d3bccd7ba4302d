"""The families of certified models as methods of a sweep: conditions and antecedents are made inside the fold."""

from __future__ import annotations

import abc
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..data.antecedents import check_limits, mine_antecedents
from ..data.binarize import Binarizer
from ..data.conditions import NothingFound
from ..data.mining import mine_within
from ..data.problem import Problem
from ..falling_rule_list import FallingRuleListSearch
from ..limits import MAX_ANTECEDENTS, MEMORY_LIMIT
from ..models import FallingRuleList, Model, RuleList, RuleSet
from ..rule_list import RuleListSearch
from ..rule_set import RuleSetSearch
from ..search import Search, Status
from .errors import SweepError
from .keys import defaults_of
from .method import Fitted, Method, Stopped
from .plan import Fold, Part, Plan

BINARIZING = {"thresholds": 10, "negations": True, "max_categories": 20}
_GIVEN = {"random_state", "warm_start"}  # to every search, by the plan and by the fit before
_ROWS = {"y", "sample_weight"}  # of mining
MINING = {"max_conditions": 2, "min_support": 0.01, "max_support": 0.99, "max_antecedents": MAX_ANTECEDENTS}


def binarized(fold: Fold, parameters: Mapping[str, Any]) -> tuple[pd.DataFrame, Binarizer | None]:
    """The conditions of the training rows, and what made them (None when the columns are Boolean already)."""
    given = {name: parameters[name] for name in BINARIZING}

    def make() -> tuple[pd.DataFrame, Binarizer | None]:
        table = fold.train.X
        if all(dtype == np.bool_ for dtype in table.dtypes):
            return table, None
        binarizer = Binarizer(**given)
        return binarizer.fit_transform(table), binarizer

    return fold.cached("conditions", repr(given), make)


class Family(Method):
    """A family of models that a search certifies."""

    model: ClassVar[type[Model]]
    preparation: ClassVar[tuple[str, ...]]
    """The parameters that the problem depends on; all others are the search's."""

    @abc.abstractmethod
    def problem(self, fold: Fold, parameters: Mapping[str, Any]) -> Problem:
        """The problem of the training rows; raises NothingFound."""

    @abc.abstractmethod
    def search(self, problem: Problem, parameters: Mapping[str, Any], plan: Plan, warm_start: Model | None) -> Search:
        """A search with these parameters, which it checks."""

    @abc.abstractmethod
    def without_rules(self, part: Part, parameters: Mapping[str, Any]) -> tuple[Model, float]:
        """The model where there is nothing to search, and its objective."""

    @staticmethod
    @abc.abstractmethod
    def size(model: Any) -> tuple[int, int]:
        """Rules, and conditions in all of them."""

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        Binarizer(**{name: parameters[name] for name in BINARIZING}).check_parameters(list(map(str, plan.X.columns)))
        self._smallest(parameters, plan)

    def settings(self, parameters: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
        left = defaults_of(Binarizer) | defaults_of(type(self._smallest(parameters, plan)).__init__)
        return {name: value for name, value in left.items() if name not in _GIVEN} | dict(parameters)

    def _smallest(self, parameters: Mapping[str, Any], plan: Plan) -> Search:
        """A search that nobody runs; its class may depend on the parameters."""
        problem = Problem.from_arrays([[False], [True]] * 2, [1, 0] * 2, groups=["a", "a", "b", "b"])
        return self.search(problem, parameters, plan, None)

    def fit(
        self,
        fold: Fold,
        parameters: Mapping[str, Any],
        plan: Plan,
        warm_start: dict[str, Any] | None,
        stopped: Callable[[], bool],
    ) -> Fitted:
        key = repr({name: parameters[name] for name in self.preparation})
        try:
            problem = fold.cached(f"problem of {self.name}", key, lambda: self.problem(fold, parameters))
        except NothingFound as error:
            model, objective = self.without_rules(fold.train, parameters)
            return self._fitted(fold, model, str(Status.OPTIMAL), 0.0, objective, objective, str(error))
        start = None if warm_start is None else self.model.from_dict(warm_start)
        search = self.search(problem, parameters, plan, start)
        search.compile()  # compiling is no part of the fit, nor of its time limit
        began = time.perf_counter()
        for snapshot in search.steps(time_limit=plan.time_limit, gap=plan.gap):  # noqa: B007 - the last one counts
            if stopped():
                raise Stopped
        seconds = time.perf_counter() - began
        message = "" if snapshot.limit is None else f"{snapshot.limit} limit"
        if snapshot.limit == "exactness":
            message = f"optimal within {snapshot.gap:.3g}"
        if snapshot.incumbent is None:
            return Fitted(str(snapshot.status), None, None, seconds, message=message)
        found = snapshot.incumbent
        return self._fitted(
            fold, found.model, str(snapshot.status), seconds, found.objective, snapshot.lower_bound, message
        )

    def _fitted(
        self, fold: Fold, model: Model, status: str, seconds: float, objective: float, bound: float, message: str
    ) -> Fitted:
        rules, conditions = self.size(model)
        return Fitted(
            status=status,
            train=model.predicts_positive(fold.train.X),
            test=model.predicts_positive(fold.test.X),
            seconds=seconds,
            objective=objective,
            lower_bound=bound,
            rules=rules,
            conditions=conditions,
            model=model.to_dict(),
            message=message,
        )


class _Mined(Family):
    """Families whose rules are mined from the training rows; ``by_class`` counts supports within a class."""

    preparation = (*BINARIZING, *MINING, "by_class")

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        check_limits(*(parameters[name] for name in MINING))
        super().check(parameters, plan)

    def settings(self, parameters: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
        mining = {name: value for name, value in defaults_of(mine_antecedents).items() if name not in _ROWS}
        return mining | super().settings(parameters, plan)

    def problem(self, fold: Fold, parameters: Mapping[str, Any]) -> Problem:
        table, _ = binarized(fold, parameters)
        y = fold.train.y.astype(np.int64)
        limits = {name: parameters[name] for name in MINING}
        labels = y if parameters["by_class"] else None
        mined, note = mine_within(table, **limits, y=labels, memory_limit=parameters["memory_limit"])
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        return Problem.from_antecedents(mined, y)

    @staticmethod
    def size(model: Any) -> tuple[int, int]:
        return len(model.rules), sum(len(rule.conditions) for rule in model.rules)


class RuleLists(_Mined):
    """Rule lists, from the largest regularization to the smallest: each optimum is the next search's first list."""

    name = "rule_list"
    model = RuleList
    defaults = {
        "regularization": 0.01,
        **BINARIZING,
        **MINING,
        "by_class": False,
        "max_length": None,
        "memory_limit": MEMORY_LIMIT,
    }
    grid = {"regularization": [0.05, 0.02, 0.01, 0.005]}
    path = "regularization"

    def search(self, problem: Problem, parameters: Mapping[str, Any], plan: Plan, warm_start: Model | None) -> Search:
        return RuleListSearch(
            problem,
            regularization=parameters["regularization"],
            max_length=parameters["max_length"],
            memory_limit=parameters["memory_limit"],
            warm_start=warm_start if isinstance(warm_start, RuleList) else None,
        )

    def without_rules(self, part: Part, parameters: Mapping[str, Any]) -> tuple[Model, float]:
        model = RuleList.without_rules([0, 1], *_totals(part))
        return model, model.objective(parameters["regularization"])


class FallingRuleLists(_Mined):
    """Falling rule lists; Chen and Rudin (AISTATS 2018, section 6) count supports within a class."""

    name = "falling_rule_list"
    model = FallingRuleList
    defaults = {
        "regularization": 0.01,
        "positive_weight": 1.0,
        "violation_penalty": None,
        "method": "exact",
        **BINARIZING,
        **MINING,
        "by_class": False,
        "memory_limit": MEMORY_LIMIT,
    }
    grid = {"regularization": [0.05, 0.02, 0.01, 0.005]}

    def search(self, problem: Problem, parameters: Mapping[str, Any], plan: Plan, warm_start: Model | None) -> Search:
        make: Callable[..., Search] = FallingRuleListSearch  # the class depends on the method
        options = _own(parameters, self.preparation)
        if options["method"] != "exact":
            del options["memory_limit"]  # it needs next to none
        return make(problem, **options, random_state=plan.random_state)

    def without_rules(self, part: Part, parameters: Mapping[str, Any]) -> tuple[Model, float]:
        weight, penalty = parameters["positive_weight"], parameters["violation_penalty"]
        model = FallingRuleList.without_rules([0, 1], *_totals(part), weight, penalty)
        return model, model.objective(parameters["regularization"])


class RuleSets(Family):
    """Rule sets of the conditions themselves, from the smallest complexity to the largest.

    Each optimum is the next search's first set. Fairness constraints hold between the groups that gaps compare.
    """

    name = "rule_set"
    model = RuleSet
    preparation = tuple(BINARIZING)
    defaults = {
        "max_complexity": 20,
        "max_conditions": None,
        "loss": "hamming",
        "form": "dnf",
        "fairness": None,
        "regularization": 0.0,
        **BINARIZING,
        "memory_limit": MEMORY_LIMIT,
    }
    grid = {"max_complexity": [5, 10, 15, 20]}
    path = "max_complexity"
    falling = False

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        if parameters["fairness"] is not None and plan.groups is None:
            raise SweepError("fairness needs the groups of people; give sensitive=...")
        super().check(parameters, plan)

    def problem(self, fold: Fold, parameters: Mapping[str, Any]) -> Problem:
        table, _ = binarized(fold, parameters)
        part = fold.train
        problem = Problem.from_arrays(table, part.y.astype(np.int64), groups=part.groups)
        if problem.groups is None:
            return problem
        kept = [g for g, name in enumerate(problem.groups.names) if name in fold.compared]
        return replace(problem, groups=problem.groups.some(kept))

    def search(self, problem: Problem, parameters: Mapping[str, Any], plan: Plan, warm_start: Model | None) -> Search:
        start = warm_start if isinstance(warm_start, RuleSet) else None
        options = _own(parameters, self.preparation)
        return RuleSetSearch(problem, **options, random_state=plan.random_state, warm_start=start)

    def without_rules(self, part: Part, parameters: Mapping[str, Any]) -> tuple[Model, float]:
        model = RuleSet.without_rules([0, 1], *_totals(part))
        return model, float(model.errors)

    @staticmethod
    def size(model: Any) -> tuple[int, int]:
        return len(model.rules), sum(len(rule.literals) for rule in model.rules)


def _own(parameters: Mapping[str, Any], preparation: Collection[str]) -> dict[str, Any]:
    """The parameters of the search."""
    return {name: value for name, value in parameters.items() if name not in preparation}


def _totals(part: Part) -> tuple[int, int]:
    return int(part.y.sum()), int((~part.y).sum())


FAMILIES: dict[str, Family] = {family.name: family for family in (RuleLists(), FallingRuleLists(), RuleSets())}
