"""From a table to a search: conditions, antecedents, problem, search, the same for everybody who fits a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .arguments import ParameterError, Text
from .data.antecedents import Antecedents
from .data.binarize import Binarizer
from .data.conditions import NothingLeftError, conditions_of
from .data.directions import Directions, as_directions, in_words, opposing
from .data.mining import check_limits, mine_within
from .data.naming import as_names, limits_of, unknown, users
from .data.problem import Problem
from .families import BINARIZING, MINING, MONOTONE, MUST_NOT_USE, NAMING, Family, Parameter
from .families.wording import demanded, restricted
from .questions import search_of
from .stepping import Search

_MANY = 2**61


@dataclass(frozen=True)
class Recipe:
    """What is done with a table, step by step, by some parameters of a family; the others have their defaults."""

    family: Family
    parameters: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.parameters[name] if name in self.parameters else self.family.defaults[name]

    def check(self, columns: Collection[Any]) -> None:
        """Refuse what no data of these columns could make usable; raises ValueError."""
        self.binarizer().check_parameters(list(columns))
        as_names(self["must_not_use"], "must_not_use")
        as_directions(self.parameters.get(MONOTONE.name))
        if self.family.mined:
            check_limits(self["max_conditions"], self["min_support"], self["max_support"], self["max_antecedents"])
            if not isinstance(self["by_class"], bool | np.bool_):
                raise ParameterError("by_class", self["by_class"], "True or False")

    def binarizer(self) -> Binarizer:
        """What makes conditions of columns, not fitted yet."""
        return Binarizer(**self._binarizing)

    def conditions(self, table: pd.DataFrame, sample_weight: Any = None) -> tuple[pd.DataFrame, Binarizer | None]:
        """The conditions of a table; see `binarized`."""
        return binarized(table, self._binarizing, sample_weight)

    def features(
        self,
        conditions: pd.DataFrame,
        y: Any = None,
        sample_weight: Any = None,
        columns: Collection[str] = (),
        verbose: bool = False,
    ) -> tuple[Antecedents | pd.DataFrame, str]:
        """What rules are made of, mined antecedents or the conditions themselves, and what was left out to have room.

        ``y``: antecedents are judged by these labels where ``by_class`` is set. ``columns``: of the table; one that
        must not be used may have given no condition. Raises NothingFound when nothing is left, or within the limits of
        support, and ValueError for names of what must not be used, and directions, that nothing has.
        """
        conditions, named = self._allowed(conditions, columns)
        if not self.family.mined:
            if named:
                raise unknown(named[0], {*conditions.columns, *columns}, "must_not_use")
            return conditions, ""
        limits = {each.name: self[each.name] for each in MINING if each.name != "by_class"}
        labels = y if self["by_class"] else None
        memory = self["memory_limit"]
        given = {"y": labels, "sample_weight": sample_weight, "verbose": verbose}
        found, note = mine_within(conditions, **limits, memory_limit=memory, **given)
        if strange := [name for name in named if name not in found.names]:
            raise unknown(strange[0], {*conditions.columns, *columns, *found.names}, "must_not_use")
        return found, note

    def _allowed(self, conditions: pd.DataFrame, columns: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
        """The conditions that may be used, by mining too, and names that are neither of columns nor of conditions."""
        found, gone = self._named(conditions)
        if gone.all():
            listed = ", ".join(map(repr, found))
            text = Text("{must_not_use} leaves out every condition: {}", listed)
            raise NothingLeftError(MUST_NOT_USE.name, self.left_out, "names that leave some condition", text)
        if self.directions:
            held = conditions.to_numpy(dtype=bool)
            gone |= opposing(self.directions, conditions_of(conditions), held, columns)
            if gone.all():
                text = Text("{monotone}: no condition is left that is {}", in_words(self.directions))
                raise NothingLeftError(MONOTONE.name, self[MONOTONE.name], "directions of some condition", text)
        kept = conditions.loc[:, ~gone] if gone.any() else conditions
        return kept, [name for name, which in found.items() if not which.any() and name not in columns]

    def _named(self, conditions: pd.DataFrame) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Which conditions each name of what must not be used is about, and which of them are left out."""
        names, joined = list(map(str, conditions.columns)), [(c,) for c in conditions_of(conditions)]
        found = {name: users(name, names, joined) for name in self.left_out}
        return found, np.any(list(found.values()), axis=0) if found else np.zeros(len(names), dtype=bool)

    def forbidden_of(self, conditions: pd.DataFrame) -> list[str]:
        """The conditions that must not be used."""
        return [str(name) for name in conditions.columns[self._named(conditions)[1]]]

    def still_used(self, features: Antecedents | pd.DataFrame | Problem) -> tuple[str, ...]:
        """The names of what must not be used that features have, although those conditions are left out before."""
        if isinstance(features, pd.DataFrame):
            return ()
        return tuple(name for name in self.left_out if users(name, features.names, features.conditions).any())

    def problem(
        self, features: Antecedents | pd.DataFrame, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Problem:
        """The problem of these features, without antecedents that must not be used."""
        make = Problem.from_antecedents if isinstance(features, Antecedents) else Problem.from_arrays
        problem: Problem = make(features, y, sample_weight=sample_weight, groups=groups)
        left = self.still_used(problem)
        return replace(problem.without(left) if left else problem, left_out=self.left_out, directions=self.directions)

    def smallest(self, **more: Any) -> Search:
        """A search of a problem of two rows, which nobody runs: it refuses what no data could make usable."""
        problem = smallest_problem()
        chosen = {each.name: self[each.name] for each in self.family.parameters}
        for each in self.family.parameters:
            if each.kind in NAMING and (given := chosen[each.name]):
                chosen[each.name] = _stand_in(each, given, problem.names[0])
        return search_of(self.family, problem, chosen, **more)

    @property
    def directions(self) -> Directions:
        """The columns of which more can only help, or only hinder; raises ValueError for what are none."""
        return as_directions(self[MONOTONE.name]) if MONOTONE in self.family.shaping else ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of what must not be used; raises ValueError for what are none."""
        return as_names(self["must_not_use"], "must_not_use")

    @property
    def asked(self) -> str:
        """All that models have to obey but fairness, in words; empty when that is nothing."""
        own = {each.name: self[each.name] for each in self.family.own}
        return "; ".join(filter(None, (restricted(self).lstrip(" ,"), demanded(own))))

    @property
    def demands(self) -> str:
        """What a model has to do that one without rules does not, in words; empty when that is nothing."""
        given = self.parameters
        return demanded(given) if given.get("first_rule") or given.get("must_use") else ""

    def search(self, problem: Problem, **more: Any) -> Search:
        """A search of the problem; see `rulelab.families.Family.search`."""
        return search_of(self.family, problem, self.parameters, **more)

    @property
    def _binarizing(self) -> dict[str, Any]:
        return {each.name: self[each.name] for each in BINARIZING}


def binarized(
    table: pd.DataFrame, parameters: Mapping[str, Any], sample_weight: Any = None
) -> tuple[pd.DataFrame, Binarizer | None]:
    """The conditions of a table, and what made them, None when its columns are all Boolean; raises NothingFound."""
    if all(dtype == np.bool_ for dtype in table.dtypes):
        return table, None
    binarizer = Binarizer(**parameters)
    return binarizer.fit_transform(table, sample_weight=sample_weight), binarizer


def _stand_in(parameter: Parameter, given: Any, name: str) -> Any:
    """A value of the same kind that names what the smallest problem has; raises ValueError for no such kind."""
    if parameter.kind == "name":
        if not isinstance(given, str):
            raise ParameterError(parameter.name, given, "the name of an antecedent")
        return name
    if parameter.kind == "names":
        as_names(given, parameter.name)
        return [name]
    if parameter.kind == "limits":
        limits_of(given)
    return None


def smallest_problem() -> Problem:
    """A problem of two classes and two groups, to try parameters on; the groups are as large as any may have to be."""
    problem = Problem.from_arrays([[False], [True]] * 2, [1, 0] * 2, groups=["a", "a", "b", "b"])
    assert problem.groups is not None
    return replace(problem, groups=replace(problem.groups, rows=np.full((2, 2), _MANY)))
