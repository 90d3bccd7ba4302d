"""The families of certified models as methods of a sweep: conditions and antecedents are made inside the fold.

Names in demands are of one table. One that nothing in it could have is refused before the first fit. One that only some
folds have, such as that of a condition on a quantile, is held against each fold by itself: what must not be used, or
may be used so often, is obeyed where it is not there; where it has to be used, no model of this fold can obey.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeVar

import pandas as pd

from ..arguments import SweepError, SweepParameterError, Text, text_of
from ..data.binarize import Binarizer
from ..data.conditions import NothingFound, column_name
from ..data.directions import as_directions
from ..data.naming import UnknownNameError, as_names, limits_of, refuse_left_out
from ..data.problem import Problem
from ..families import BINARIZING as BINARIZING_PARAMETERS
from ..families import CRITERIA, MONOTONE, MUST_NOT_USE, NAMING, OFFERED, Family
from ..families.wording import at_most
from ..models import Model, RuleList
from ..recipe import Recipe, binarized
from ..snapshot import Status
from ..stepping import Search
from ..tables import as_rows
from .plan import Fold, Part, Plan
from .result import Fitted, Method, Stopped

_MAX_USES, _MUST_USE = "max_uses", "must_use"
_NEAREST = 3
NOTHING_CALLED = "the training rows have nothing called"

T = TypeVar("T")
BINARIZING = {each.name: each.default for each in BINARIZING_PARAMETERS}
PREPARING = {each.name: each.default for each in OFFERED[RuleList.family].preparation}
"""What the antecedents of rule lists depend on."""
Sharing = Callable[[Any, Callable[[], int]], AbstractContextManager[None]]
"""Sees to it, for a ``with`` block, that a search keeps to its part; is told how many bytes it holds."""
_sharing: Sharing | None = None


def _check_names(recipe: Recipe, plan: Plan) -> None:
    """Refuse names that no training rows of the plan could have, and those that contradict each other: SweepError."""
    counted = () if plan.counts is None else plan.counts.conditions
    columns = {column_name(name) for name in plan.X.columns} | {each.column for each in counted}
    for each in recipe.family.parameters:
        if each.kind in NAMING:
            by_column = each.kind in ("limits", "directions")
            for name in _names(each.name, recipe[each.name]):
                if not (name in columns if by_column else _is_possible(name, columns)):
                    near = get_close_matches(name, columns, _NEAREST, 0.4) or sorted(columns)[:_NEAREST]
                    what = "is no column" if by_column else "begins with no column"
                    shown = ", ".join(map(repr, near))
                    text = Text(
                        f"{{{each.name}}}: {{!r}} {what} of {{}}; the nearest: {{}}",
                        name,
                        plan.identity["dataset"],
                        shown,
                    )
                    raise SweepParameterError(each.name, name, f"one of {shown}", text)
    wanted = as_names(recipe[_MUST_USE], _MUST_USE) if _MUST_USE in recipe.family.defaults else ()
    refuse_left_out(wanted, recipe.left_out)


def without_what_is_not_there(recipe: Recipe, make: Callable[[Recipe], T]) -> tuple[Recipe, T]:
    """What ``make`` gives of the recipe without the names of what rules must not do that these rows lack."""
    while True:
        try:
            return recipe, make(recipe)
        except UnknownNameError as error:
            given: Any = recipe[error.name]
            left: Any = None
            if isinstance(given, Mapping):
                left = {column: of for column, of in given.items() if column_name(column) != error.value}
            elif error.name == MUST_NOT_USE.name:
                given = as_names(given, error.name)
                left = [name for name in given if name != error.value]
            if left is None or len(left) == len(given):
                raise
            recipe = Recipe(recipe.family, {**recipe.parameters, error.name: left or None})


def _names(what: str, given: Any) -> Collection[str]:
    if what == _MAX_USES:
        return limits_of(given)
    if what == MONOTONE.name:
        return [column for column, _ in as_directions(given)]
    return as_names(given, what)


def _is_possible(name: str, columns: Collection[str]) -> bool:
    """Whether a column, a condition or an antecedent can have a name; joined conditions are known by their first."""
    return any(name in (c, f"not {c}") or name.startswith((f"{c} ", f"not {c} ")) for c in columns)


def conditions_of(fold: Fold, parameters: Mapping[str, Any]) -> tuple[pd.DataFrame, Binarizer | None]:
    """The conditions of the training rows, and what made them (None when the columns are Boolean already)."""
    if fold.train.counts is not None:
        return fold.cached("conditions", "", lambda: (fold.train.counts.frame, None))  # type: ignore[union-attr]
    given = {name: parameters[name] for name in BINARIZING}
    return fold.cached("conditions", repr(given), lambda: binarized(fold.train.X, given))


class Certified(Method):
    """A family of models that a search certifies; along its path each optimum is the next search's first model."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.name = family.name
        self.defaults = family.defaults
        self.grid = family.grid
        self.path = family.path
        self.falling = family.falling

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        if parameters.get("fairness") is not None and plan.groups is None:
            raise SweepError("fairness needs the groups of people; give sensitive=...")
        if self.family.needs_groups and plan.groups is None:
            raise SweepError(f"a {self.family.called} needs the groups of people; give sensitive=...")
        if self.family.needs_groups and parameters["criterion"] not in CRITERIA:
            raise SweepParameterError("criterion", parameters["criterion"], f"one of {', '.join(CRITERIA)}")
        recipe = Recipe(self.family, parameters)
        recipe.check(list(map(str, plan.X.columns)))
        recipe.smallest(random_state=plan.random_state)
        _check_names(recipe, plan)

    def problem(self, fold: Fold, parameters: Mapping[str, Any]) -> Problem:
        """The problem of the training rows; raises NothingFound."""
        recipe, part = Recipe(self.family, parameters), fold.train
        labels = part.y.astype(int)
        conditions, weight = conditions_of(fold, parameters)[0], part.weight
        recipe, (features, note) = without_what_is_not_there(
            recipe, lambda asked: asked.features(conditions, labels, weight, columns=part.X.columns)
        )
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        problem = recipe.problem(features, labels, weight, groups=part.groups)
        if part.counts is not None:
            problem = as_rows(problem, part.counts)
        if problem.groups is None:
            return problem
        kept = [g for g, name in enumerate(problem.groups.names) if name in fold.compared]
        return replace(problem, groups=problem.groups.some(kept))

    def search(self, problem: Problem, parameters: Mapping[str, Any], plan: Plan, **more: Any) -> Search:
        """A search of the problem of some training rows; raises UnknownNameError where they lack what must be used."""
        more |= {"random_state": plan.random_state}
        recipe = Recipe(self.family, parameters)
        return without_what_is_not_there(recipe, lambda asked: asked.search(problem, **more))[1]

    def without_rules(self, part: Part, parameters: Mapping[str, Any]) -> tuple[Model, float]:
        """The model of these rows where there is nothing to search, and its objective."""
        return self.family.without_rules([0, 1], part.total(True), part.total(False), parameters)

    def fit(
        self,
        fold: Fold,
        parameters: Mapping[str, Any],
        plan: Plan,
        warm_start: dict[str, Any] | None,
        stopped: Callable[[], bool],
    ) -> Fitted:
        key = repr({each.name: parameters[each.name] for each in self.family.preparation})
        try:
            problem = fold.cached(f"problem of {self.name}", key, lambda: self.problem(fold, parameters))
        except NothingFound as error:
            if self.family.needs_groups:  # how apart they are without rules is not what was asked
                raise
            if Recipe(self.family, parameters).demands:
                return self._cannot(parameters, error)
            model, objective = self.without_rules(fold.train, parameters)
            own: dict[str, Any] = {"objective": objective, "lower_bound": objective, "message": text_of(error)}
            return Fitted.by(model, fold, str(Status.OPTIMAL), 0.0, model=model.to_dict(), **own)
        start = {} if warm_start is None else {"warm_start": Model.families[warm_start["family"]].from_dict(warm_start)}
        try:
            search = self.search(problem, parameters, plan, **start)
        except UnknownNameError as error:
            return self._cannot(parameters, error)
        search.compile()  # compiling is no part of the fit, nor of its time limit
        began = time.perf_counter()
        snapshot: Any = None
        with shared(search, lambda: 0 if snapshot is None else snapshot.memory_bytes):
            for snapshot in search.steps(time_limit=plan.time_limit, gap=plan.gap):  # noqa: B007 - the last one counts
                if stopped():
                    raise Stopped
        seconds = time.perf_counter() - began
        end = "" if snapshot.limit is None else f"{snapshot.limit} limit"
        if snapshot.limit == "exactness":
            end = f"optimal within {at_most(snapshot.gap)}"
        named = Recipe(self.family, parameters).left_out  # of which the rows of this fit may lack some
        lacking = ", ".join(repr(name) for name in named if name not in problem.left_out)
        aside = Text("{must_not_use}: {} {}", NOTHING_CALLED, lacking) if lacking else ""
        said = [each for each in (end, snapshot.detail.get("left_out", ""), aside) if each]
        message = Text("; ".join("{}" for _ in said), *said)
        if snapshot.incumbent is None:
            return Fitted(str(snapshot.status), None, None, seconds, message=message)
        found = snapshot.incumbent
        proven = snapshot.status is Status.OPTIMAL or snapshot.detail.get("gap_is_proven")
        status = str(Status.OPTIMAL if proven else snapshot.status)
        own = {"objective": found.objective, "lower_bound": snapshot.lower_bound, "message": message}
        return Fitted.by(found.model, fold, status, seconds, model=found.model.to_dict(), **own)

    def _cannot(self, parameters: Mapping[str, Any], why: ValueError) -> Fitted:
        """Of these training rows nothing is there that has to be used."""
        asked = Recipe(self.family, parameters).demands
        said = Text("no {} over these training rows can {}: {}", self.family.noun, asked, text_of(why))
        return Fitted(str(Status.INFEASIBLE), None, None, 0.0, message=said)


FAMILIES: dict[str, Certified] = {name: Certified(family) for name, family in OFFERED.items()}


def share_by(sharing: Sharing | None) -> None:
    """Let the fits that begin in this process from now on share by it; None: each has what its limit says."""
    global _sharing
    _sharing = sharing


def shared(search: Any, held: Callable[[], int]) -> AbstractContextManager[None]:
    """The block in which a search is advanced."""
    return nullcontext() if _sharing is None else _sharing(search, held)
