"""Monotone directions: of some columns more can only help, or only hinder, a positive prediction.

A condition points up where a larger value of its column can only fulfil it: ``c > t``, or a Boolean column itself. It
points down where a larger value can only break it: ``c <= t``, or ``not c``. Of a column of two numbers, which has
equalities, ``c == v`` points up for the larger and down for the smaller. Whether a cell is missing points nowhere: a
missing cell is neither more nor less than another.

A rule set (of either form) of conditions of which none points down in a column never turns from positive to negative
where that column alone rises, whatever the other columns hold. The reverse holds for what a set predicts, not for how
it is written: one with a condition ``c <= t``, which is monotone all the same for every row there could be, predicts
what it did when each such condition is struck out, and each rule that can never hold. (Say a rule is ``c <= t``,
``c > s`` and ``r``, with ``s < t``. Rows that satisfy ``r`` and have ``c`` above ``s`` are positive up to ``t`` by this
rule, and beyond it because the set is monotone. Where cells of ``c`` are missing, ``c is present`` may have to stand in
its place, which takes no more room.) So the restriction costs nothing in training errors. It can cost something in the
Hamming loss, which counts a negative once for each rule that covers it: a rule with ``c <= t`` may overlap less with
the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .conditions import Condition, column_name
from .naming import unknown

Directions = tuple[tuple[str, str], ...]
"""Columns with their directions."""

DIRECTIONS = {"increasing": 1, "decreasing": -1}
"""By their names, whether more of a column helps or hinders a positive prediction."""

NAME = "monotone"
"""Of the argument that has them."""


def as_directions(given: Any) -> Directions:
    """The directions that an argument holds, none for None; raises ValueError for what is no mapping of them."""
    if given is None:
        return ()
    known = [repr(name) for name in DIRECTIONS]
    if not isinstance(given, Mapping):
        raise ValueError(f"{NAME} must have a direction, {' or '.join(known)}, for names of columns, not {given!r}")
    for column, direction in given.items():
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            raise ValueError(f"{NAME}[{column!r}] must be {' or '.join(known)}, not {direction!r}")
    return tuple((column_name(column), direction) for column, direction in given.items())


def in_words(directions: Directions) -> str:
    """Such as "increasing in priors and decreasing in age"; empty for none."""
    return " and ".join(f"{direction} in {column}" for column, direction in directions)


def opposing(
    directions: Directions, conditions: Sequence[Condition], holds: np.ndarray, columns: Collection[str] = ()
) -> np.ndarray:
    """Which conditions point against the direction of their column: bool array, shape (n_conditions,).

    Parameters
    ----------
    directions : Directions
    conditions : sequence of Condition
        Those of a column all together.
    holds : bool array, shape (n_rows, n_conditions)
        On which rows they hold.
    columns : collection of str
        Of the table; one that has a direction may have given no condition.

    Raises
    ------
    ValueError
        When a direction names no column, or one of categories.
    """
    against = np.zeros(len(conditions), dtype=bool)
    for column, direction in directions:
        own = [j for j, condition in enumerate(conditions) if condition.column == column]
        if not own and column not in columns:
            raise unknown(column, {*columns, *(c.column for c in conditions)}, NAME)
        values = {conditions[j].value for j in own if _is_equality(conditions[j])}
        if values:
            known = [j for j in own if _is_equality(conditions[j]) or conditions[j].operator == "is missing"]
            if len(values) > 2 or not holds[:, known].any(axis=1).all():
                raise _without_order(column)
        sign = DIRECTIONS[direction]
        for j in own:
            if _is_equality(conditions[j]):
                against[j] = conditions[j].value != (max if sign > 0 else min)(values)
            else:
                against[j] = pointing(conditions[j]) == -sign
    return against


def pointing(condition: Condition) -> int:
    """Where a condition points, see the module: 1 is up, -1 down, 0 neither; raises ValueError for a category."""
    if condition.value is None:
        return 0
    if isinstance(condition.value, bool):
        return 1 if condition.value == (condition.operator == "==") else -1
    if condition.operator in ("==", "!="):
        raise _without_order(condition.column)
    return 1 if condition.operator == ">" else -1


def check_all(directions: Directions, conditions: Collection[Condition]) -> None:
    """Refuse conditions of which one points against its direction, as far as they tell; raises ValueError."""
    for column, direction in directions:
        equal = set()
        for condition in (c for c in conditions if c.column == column):
            if _is_equality(condition):
                equal.add(condition.value)
            elif pointing(condition) == -DIRECTIONS[direction]:
                raise ValueError(f"{str(condition)!r} is not {direction} in {column!r}")
        if len(equal) > 1:
            raise ValueError(f"{column!r} is compared with several values, of which one is not {direction}")


def check_cells(directions: Directions, conditions: Collection[Condition], table: pd.DataFrame) -> None:
    """Refuse an equality with what is not the largest (for a decreasing column smallest) cell; raises ValueError."""
    for column, direction in directions:
        for condition in (c for c in conditions if c.column == column and _is_equality(c)):
            cells = pd.to_numeric(table[column].dropna())
            if not (cells <= condition.value if direction == "increasing" else cells >= condition.value).all():
                raise ValueError(f"{str(condition)!r} is not {direction} in {column!r}: there are cells beyond it")


def _is_equality(condition: Condition) -> bool:
    """With a number."""
    value = condition.value
    return condition.operator == "==" and isinstance(value, int | float) and not isinstance(value, bool)


def _without_order(column: str) -> ValueError:
    return ValueError(f"{NAME}: {column!r} holds categories, which have no order; name columns of numbers or Booleans")
