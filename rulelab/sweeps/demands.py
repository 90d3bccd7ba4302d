"""Demands of a sweep: the names are of one table, but conditions and antecedents are made anew in each fold.

A name that nothing in the table could have is refused before the first fit. One that only some folds have, such as that
of a condition on a quantile, is held against each fold by itself: what must not be used, or may be used so often, is
obeyed where it is not there; where it has to be used, no model of this fold can obey.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any, TypeVar

from ..arguments import Text
from ..data.conditions import column_name
from ..data.directions import as_directions
from ..data.naming import UnknownNameError, as_names, limits_of, refuse_left_out
from ..data.problem import Problem
from ..families import MONOTONE, MUST_NOT_USE, NAMING
from ..recipe import Recipe
from ..search import Search
from .errors import SweepParameterError
from .plan import Plan

_MAX_USES, _MUST_USE = "max_uses", "must_use"
_NEAREST = 3
NOTHING_CALLED = "the training rows have nothing called"

T = TypeVar("T")


def check(recipe: Recipe, plan: Plan) -> None:
    """Refuse names that no training rows of the plan could have, and those that contradict each other.

    Raises
    ------
    SweepError
    """
    columns = _columns(plan)
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
    """What ``make`` gives of the recipe, of which names of what must not be used that these rows lack are left out."""
    while True:
        try:
            return recipe, make(recipe)
        except UnknownNameError as error:
            given = as_names(recipe[error.name], error.name) if error.name == MUST_NOT_USE.name else ()
            if error.value not in given:
                raise
            names = [name for name in given if name != error.value]
            recipe = Recipe(recipe.family, {**recipe.parameters, error.name: names})


def search_of(recipe: Recipe, problem: Problem, **more: Any) -> Search:
    """A search of the problem; limits and directions of columns that it has no conditions on are obeyed anyhow.

    Raises
    ------
    UnknownNameError
        When nothing has a name that must be used.
    """
    while True:
        try:
            return recipe.search(problem, **more)
        except UnknownNameError as error:
            if error.name not in (_MAX_USES, MONOTONE.name):
                raise
            given = recipe[error.name].items()
            held = {column: of for column, of in given if column_name(column) != error.value}
            if len(held) == len(given):
                raise
            recipe = Recipe(recipe.family, {**recipe.parameters, error.name: held or None})


def unneeded(recipe: Recipe, problem: Problem) -> str:
    """What a fit says of names of what must not be used that its rows do not have; empty where they have all."""
    lacking = [repr(name) for name in recipe.left_out if name not in problem.left_out]
    return Text("{must_not_use}: {} {}", NOTHING_CALLED, ", ".join(lacking)) if lacking else ""


def _names(what: str, given: Any) -> Collection[str]:
    if what == _MAX_USES:
        return limits_of(given)
    if what == MONOTONE.name:
        return [column for column, _ in as_directions(given)]
    return as_names(given, what)


def _columns(plan: Plan) -> set[str]:
    """The columns that conditions may be on."""
    counted = () if plan.counts is None else plan.counts.conditions
    return {column_name(name) for name in plan.X.columns} | {each.column for each in counted}


def _is_possible(name: str, columns: Collection[str]) -> bool:
    """Whether a column, a condition or an antecedent can have a name; joined conditions are known by their first."""
    return any(name in (c, f"not {c}") or name.startswith((f"{c} ", f"not {c} ")) for c in columns)
