"""What a name stands for: the antecedents with a condition on a column, with a condition, or with all of several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..arguments import ParameterError, Text, is_whole, short
from .conditions import Condition

_NEAREST = 3


class UnknownNameError(ParameterError):
    """Nothing has a name, the ``value`` of an argument, as far as some rows go: others may have it."""


def as_names(value: Any, what: str) -> tuple[str, ...]:
    """The names that an argument holds: none for None, one for a text; raises ValueError for anything but texts."""
    given: Any = () if value is None else (value,) if isinstance(value, str) else value
    if not isinstance(given, Sequence | Set) or not all(isinstance(name, str) for name in given):
        raise ParameterError(what, value, "names of columns, conditions or antecedents")
    return tuple(dict.fromkeys(given))


def limits_of(max_uses: Any) -> dict[str, int]:
    """The columns of ``max_uses`` with their numbers; raises ValueError for what is none."""
    given = {} if max_uses is None else max_uses
    if not isinstance(given, Mapping) or not all(isinstance(c, str) and is_whole(k, 0) for c, k in given.items()):
        wanted = "a number of at least 0 for names of columns"
        text = Text("{max_uses} must have {}, not {}", wanted, short(max_uses))
        raise ParameterError("max_uses", max_uses, wanted, text)
    return {column: int(k) for column, k in given.items()}


def uses_of(limits: Mapping[str, int], conditions: Sequence[Sequence[Condition]] | None, n: int) -> np.ndarray:
    """Conditions on each limited column that each of n antecedents has: int64 array; raises ValueError."""
    columns = {c.column for joined in conditions or () for c in joined}
    for column in limits:
        if column not in columns:
            raise unknown(column, columns or {NO_COLUMNS}, "max_uses")
    uses = [[sum(c.column == column for c in joined) for joined in conditions or ()] for column in limits]
    return np.array(uses, dtype=np.int64).reshape(len(limits), n)


NO_COLUMNS = "(the problem was made of an array without columns)"


def users(name: str, names: Sequence[str], conditions: Sequence[Sequence[Condition]] | None) -> np.ndarray:
    """Which antecedents use a column, a condition, or all conditions of an antecedent: bool array, False if unknown.

    ``conditions``: of each antecedent; None where they are not known.
    """
    exactly = np.array([one == name for one in names], dtype=bool)
    if conditions is None:
        return exactly
    wanted = set(conditions[int(exactly.argmax())]) if exactly.any() else None
    among = [
        any(name in (c.column, str(c)) for c in joined) or (wanted is not None and wanted <= set(joined))
        for joined in conditions
    ]
    return exactly | np.array(among, dtype=bool)


def used_by(
    given: Iterable[str], names: Sequence[str], conditions: Sequence[Sequence[Condition]] | None, what: str
) -> list[np.ndarray]:
    """`users` of each name; ValueError, with the nearest names and ``what`` gave it, when no antecedent is one."""
    found = [(name, users(name, names, conditions)) for name in given]
    for name, which in found:
        if not which.any():
            joined = () if conditions is None else [c for some in conditions for c in some]
            raise unknown(name, {*names, *(c.column for c in joined), *map(str, joined)}, what)
    return [which for _, which in found]


def unknown(name: str, known: Collection[str], what: str, verb: str = "uses") -> UnknownNameError:
    """The error that nothing has this name, with the nearest that there are."""
    near = get_close_matches(name, sorted(known), _NEAREST, 0.4) or sorted(known)[:_NEAREST]
    shown = ", ".join(map(repr, near))
    text = Text(f"{{{what}}}: no antecedent {verb} {{!r}}; the nearest: {{}}", name, shown)
    return UnknownNameError(what, name, f"one of {shown}", text)


def refuse_left_out(names: Iterable[str], left_out: Collection[str]) -> None:
    """Refuse names of ``must_use`` that must not be used; raises ParameterError."""
    for name in names:
        if name in left_out:
            text = Text("{must_use} and {must_not_use} both have {!r}; a rule cannot use what is left out", name)
            raise ParameterError("must_use", name, "a name that must_not_use does not have", text)
