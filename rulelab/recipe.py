"""From a table to a search: conditions, antecedents, problem, search, the same for everybody who fits a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .data.antecedents import Antecedents, check_limits
from .data.binarize import Binarizer
from .data.mining import mine_within
from .data.problem import Problem
from .families import BINARIZING, MINING, Family
from .search import Search

__all__ = ["Recipe", "binarized", "smallest_problem"]

_MANY = 2**61


@dataclass(frozen=True)
class Recipe:
    """What is done with a table, step by step.

    Attributes
    ----------
    family : Family
    parameters : mapping
        Some of the family's parameters; the others have their defaults.
    """

    family: Family
    parameters: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.parameters[name] if name in self.parameters else self.family.defaults[name]

    def check(self, columns: Collection[Any]) -> None:
        """Refuse what no data of these columns could make usable; raises ValueError."""
        Binarizer(**self._binarizing).check_parameters(list(columns))
        if self.family.mined:
            check_limits(self["max_conditions"], self["min_support"], self["max_support"], self["max_antecedents"])
            if not isinstance(self["by_class"], bool | np.bool_):
                raise ValueError(f"by_class must be True or False, not {self['by_class']!r}")

    def conditions(self, table: pd.DataFrame, sample_weight: Any = None) -> tuple[pd.DataFrame, Binarizer | None]:
        """The conditions of a table; see `binarized`."""
        return binarized(table, self._binarizing, sample_weight)

    def features(
        self, conditions: pd.DataFrame, y: Any = None, sample_weight: Any = None
    ) -> tuple[Antecedents | pd.DataFrame, str]:
        """What rules are made of, and what to say about it.

        Parameters
        ----------
        conditions : DataFrame of bool, shape (n_rows, n_conditions)
        y : array, shape (n_rows,), optional
            Labels; antecedents are judged by them where ``by_class`` is set.
        sample_weight : array, shape (n_rows,), optional

        Returns
        -------
        features : Antecedents or DataFrame
            Mined antecedents, or the conditions themselves.
        note : str
            What was left out for want of room; empty when nothing was.

        Raises
        ------
        NothingFound
            When no antecedent is within the limits of support.
        """
        if not self.family.mined:
            return conditions, ""
        limits = {each.name: self[each.name] for each in MINING if each.name != "by_class"}
        labels = y if self["by_class"] else None
        memory = self["memory_limit"]
        return mine_within(conditions, **limits, y=labels, sample_weight=sample_weight, memory_limit=memory)

    def problem(
        self, features: Antecedents | pd.DataFrame, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Problem:
        """The problem of these features; a family of mined rules does not look at groups."""
        if isinstance(features, Antecedents):
            return Problem.from_antecedents(features, y, sample_weight=sample_weight)
        return Problem.from_arrays(features, y, sample_weight=sample_weight, groups=groups)

    def search(self, problem: Problem, **more: Any) -> Search:
        """A search of the problem; see `rulelab.families.Family.search`."""
        return self.family.search(problem, self.parameters, **more)

    @property
    def _binarizing(self) -> dict[str, Any]:
        return {each.name: self[each.name] for each in BINARIZING}


def binarized(
    table: pd.DataFrame, parameters: Mapping[str, Any], sample_weight: Any = None
) -> tuple[pd.DataFrame, Binarizer | None]:
    """The conditions of a table, and what made them: None when its columns are all Boolean already.

    Parameters
    ----------
    table : DataFrame, shape (n_rows, n_columns)
    parameters : mapping
        Arguments of `rulelab.Binarizer`.
    sample_weight : array, shape (n_rows,), optional

    Raises
    ------
    NothingFound
        When no column gives a condition.
    """
    if all(dtype == np.bool_ for dtype in table.dtypes):
        return table, None
    binarizer = Binarizer(**parameters)
    return binarizer.fit_transform(table, sample_weight=sample_weight), binarizer


def smallest_problem() -> Problem:
    """A problem of two classes and two groups, to try parameters on; the groups are as large as any may have to be."""
    problem = Problem.from_arrays([[False], [True]] * 2, [1, 0] * 2, groups=["a", "a", "b", "b"])
    assert problem.groups is not None
    return replace(problem, groups=replace(problem.groups, rows=np.full((2, 2), _MANY)))
