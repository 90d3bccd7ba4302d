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

A rule list predicts both classes, so that it matters which rule a condition is in. Where no rule that predicts the
positive class has a condition that points down in a column, and no rule that predicts the negative class one that
points up, a list never turns from positive to negative where that column alone rises. (Of a row that is positive by a
rule, this rule still holds when the column rises, and so does no rule of the negative class before it that did not hold
already: one that comes first is of the positive class. With the default it is the same.) The reverse does not hold:
a list can be monotone for every row there could be and break this, so that what is the best of the lists that obey may
not be the best of those that are monotone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ParameterError, Text, short
from .conditions import Condition, column_name
from .naming import NO_COLUMNS, unknown

Directions = tuple[tuple[str, str], ...]
"""Columns with their directions."""

DIRECTIONS = {"increasing": 1, "decreasing": -1}
"""By their names, whether more of a column helps or hinders a positive prediction."""

NAME = "monotone"
"""Of the argument that has them."""
NEGATIVE, POSITIVE = 1, 2
"""What a rule may predict, as bits."""
_LABELS = {1: POSITIVE, -1: NEGATIVE, 0: NEGATIVE | POSITIVE}


def as_directions(given: Any) -> Directions:
    """The directions that an argument holds, none for None; raises ValueError for what is no mapping of them."""
    if given is None:
        return ()
    known = [repr(name) for name in DIRECTIONS]
    if not isinstance(given, Mapping):
        wanted = f"a direction, {' or '.join(known)}, for names of columns"
        raise ParameterError(NAME, given, wanted, Text("{monotone} must have {}, not {}", wanted, short(given)))
    for column, direction in given.items():
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            wanted = " or ".join(known)
            text = Text("{monotone}[{!r}] must be {}, not {}", column, wanted, short(direction))
            raise ParameterError(NAME, direction, wanted, text)
    return tuple((column_name(column), direction) for column, direction in given.items())


def in_words(directions: Directions) -> str:
    """Such as "increasing in priors and decreasing in age"; empty for none."""
    return " and ".join(f"{direction} in {column}" for column, direction in directions)


def opposing(
    directions: Directions, conditions: Sequence[Condition], holds: np.ndarray, columns: Collection[str] = ()
) -> np.ndarray:
    """Which conditions point against the direction of their column: bool array, shape (n_conditions,); ValueError.

    ``holds`` (bool array, shape (n_rows, n_conditions)): on which rows they hold. ``columns``: of the table; one
    that has a direction may have given no condition.
    """
    against = np.zeros(len(conditions), dtype=bool)
    for column, direction in directions:
        own = [j for j, condition in enumerate(conditions) if condition.column == column]
        if not own and column not in columns:
            raise unknown(column, {*columns, *(c.column for c in conditions)}, NAME)
        of_value = [j for j in own if _is_equality(conditions[j])]
        known = [*of_value, *(j for j in own if conditions[j].operator == "is missing")]
        if of_value and not holds[:, known].any(axis=1).all():
            raise _without_order(column)
        ways = _ways(column, [conditions[j] for j in own])
        for j in own:
            against[j] = ways[conditions[j]] == -DIRECTIONS[direction]
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


def allowed_labels(directions: Directions, joined: Sequence[Sequence[Condition]] | None) -> np.ndarray:
    """What a rule of a list may predict with each antecedent: uint8, bits of `NEGATIVE` and `POSITIVE`; ValueError."""
    out = np.full(len(joined or ()), NEGATIVE | POSITIVE, dtype=np.uint8)
    conditions = dict.fromkeys(c for some in joined or () for c in some)
    for column, direction in directions:
        own = [c for c in conditions if c.column == column]
        if not own:
            raise unknown(column, {c.column for c in conditions} or {NO_COLUMNS}, NAME)
        sign = DIRECTIONS[direction]
        labels = {c: 0 if way is None else _LABELS[sign * way] for c, way in _ways(column, own).items()}
        out &= np.array([_all_of(labels.get(c) for c in some) for some in joined or ()], dtype=np.uint8)
    return out


def _ways(column: str, conditions: Sequence[Condition]) -> dict[Condition, int | None]:
    """Where each condition of a column points; None where that cannot be told."""
    values = {c.value for c in conditions if _is_equality(c)}
    if len(values) > 2:
        raise _without_order(column)
    of_value: dict[Any, int | None] = {value: 1 if value == max(values) else -1 for value in values}
    if len(values) == 1:
        of_value = dict.fromkeys(values)
    return {c: of_value[c.value] if _is_equality(c) else pointing(c) for c in conditions}


def _all_of(labels: Iterable[int | None]) -> int:
    """What all of some conditions allow; None of a condition of another column allows everything."""
    out = NEGATIVE | POSITIVE
    for each in labels:
        out &= NEGATIVE | POSITIVE if each is None else each
    return out


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


def _without_order(column: str) -> ParameterError:
    text = Text("{monotone}: {!r} holds categories, which have no order; name columns of numbers or Booleans", column)
    return ParameterError(NAME, column, "a column of numbers or Booleans", text)
