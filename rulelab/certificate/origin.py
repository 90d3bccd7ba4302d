"""Where a problem came from: what each antecedent tests in a raw table, so that a check can start from a data file."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..data.columns import as_frame
from ..data.conditions import Condition
from ..data.directions import NAME, Directions, as_directions, check_all, check_cells
from ..data.multiclass import MultiClassProblem
from ..data.naming import users
from ..data.problem import Problem
from ..data.problem_arguments import Conditions
from ..files import load_json
from ..kernels import bits

if TYPE_CHECKING:
    import pandas as pd

LARGEST_TEXT = 1 << 24  # most bytes of an origin in a file
LARGEST_BITS = 1 << 31  # most bytes that the packed antecedents may take on the rows of a table
MOST_LISTS = 1 << 19  # most conditions and antecedents of an origin in a file
LARGEST_NAMES = 1 << 27  # most bytes of memory that the antecedents in words may take

_ENTRIES = {"target", "classes", "conditions", "antecedents", "names"}
_LEFT_OUT = "left_out"  # an entry where there are some, as the directions
_REPEATED = re.compile(r" \([1-9][0-9]{0,8}\)")  # what `conditions.unique_names` adds


class OriginError(ValueError):
    """An origin is malformed, or does not fit the table; the message says where."""


class PackedAntecedents(NamedTuple):
    """Antecedents as `Problem.from_antecedents` reads them, without the module that mines them."""

    words: np.ndarray
    n_rows: int
    names: tuple[str, ...]
    conditions: Conditions

    @property
    def matrix(self) -> np.ndarray:
        """Unpacked: bool array of shape (n_rows, n_antecedents)."""
        return bits.unpack(self.words, self.n_rows).T


@dataclass(frozen=True)
class Origin:
    """How a raw table becomes the problem of a certificate, without binarizer and mining.

    Raises OriginError when an entry is malformed or a name is not what the conditions say.
    """

    conditions: Conditions  # the conditions on raw columns that each antecedent joins
    names: tuple[str, ...]
    """Of the antecedents: their conditions in words, with a number in brackets where words occur twice."""
    classes: tuple[Any, ...]  # the negative and the positive label; of a list of several classes all labels
    target: str | None = None  # name of the column with the labels, where it is known
    left_out: tuple[str, ...] = ()  # what no antecedent uses because rules must not, see `Problem.without`
    directions: Directions = ()  # columns with the direction that all conditions on them have, see `Problem.monotone`

    def __post_init__(self) -> None:
        if not (self.target is None or isinstance(self.target, str)):
            raise OriginError(f"the target must be the name of a column, not {_short(self.target)}")
        if not all(map(_is_label, self.classes)) or not 2 <= len(set(self.classes)) == len(self.classes):
            raise OriginError(
                f"the classes must be two different texts or numbers, or more, not {_short(self.classes)}"
            )
        if not self.conditions or len(self.conditions) != len(self.names) or len(set(self.names)) < len(self.names):
            raise OriginError("there must be antecedents, each with a name of its own")
        try:
            for name in self.names:
                name.encode()
        except (AttributeError, UnicodeEncodeError) as error:
            raise OriginError(f"a name is no text: {error}") from None
        for condition in {id(c): c for conditions in self.conditions for c in conditions}.values():
            _check_condition(condition)
        for conditions, name, derived in zip(self.conditions, self.names, _derived(self.conditions), strict=True):
            if not conditions:
                raise OriginError(f"the antecedent {_short(name)} has no conditions")
            if name != derived and not _is_numbered(name, conditions):
                raise OriginError(f"an antecedent is named {_short(name)}, but its conditions are {_short(derived)}")
        for name in self.left_out:
            if not isinstance(name, str) or users(name, self.names, self.conditions).any():
                raise OriginError(f"an antecedent uses {_short(name)}, which is said to be left out")
        try:
            check_all(self.directions, {c for joined in self.conditions for c in joined})
        except ValueError as error:
            raise OriginError(str(error)) from None

    @classmethod
    def of(cls, problem: Problem | MultiClassProblem) -> Self | None:
        """The origin of a problem; None when it was made of an array, or with names and labels of another kind."""
        if problem.conditions is None:
            return None
        try:
            classes: Any = tuple(problem.classes)
            return cls(problem.conditions, problem.names, classes, None, problem.left_out, problem.directions)
        except OriginError:
            return None

    @property
    def columns(self) -> tuple[str, ...]:
        """The raw columns that are tested, in order of appearance."""
        return tuple(dict.fromkeys(c.column for conditions in self.conditions for c in conditions))

    def problem(self, X: pd.DataFrame, y: Any, groups: Any = None, sample_weight: Any = None) -> Problem:
        """Make the problem anew from raw columns, which are found by name; others are ignored.

        ``y`` (array, shape (n_rows,)): 1 where the row is of the positive class, else 0. ``groups``: of each row, where
        the certificate compares groups. ``sample_weight``: how often each row counts, where rows were counted
        elsewhere. Raises OriginError when a column is missing, or a condition cannot be evaluated on its cells,
        ProblemError when ``y`` does not hold two classes.
        """
        if len(self.classes) != 2:
            raise OriginError(f"a problem of two classes cannot have the classes {_short(self.classes)}")
        packed = self.antecedents(X, sample_weight)
        problem = Problem.from_antecedents(packed, y, sample_weight, groups)  # type: ignore[arg-type]
        return replace(problem, classes=self.classes, left_out=self.left_out, directions=self.directions)

    def problem_of_classes(self, X: pd.DataFrame, y: Any, sample_weight: Any = None) -> MultiClassProblem:
        """As `problem`, of several classes; ``y`` has their labels."""
        packed = self.antecedents(X, sample_weight)
        problem = MultiClassProblem.from_antecedents(packed, y, sample_weight)  # type: ignore[arg-type]
        if problem.classes != self.classes:
            raise OriginError(f"the classes are {_short(problem.classes)}, not {_short(self.classes)}")
        return replace(problem, left_out=self.left_out, directions=self.directions)

    def antecedents(self, X: pd.DataFrame, sample_weight: Any = None) -> PackedAntecedents:
        """On which rows of a raw table each antecedent holds; see `problem`. Raises OriginError."""
        frame, (distinct, members) = as_frame(X), _distinct(self.conditions)
        if missing := [name for name in self.columns if name not in frame.columns]:
            raise OriginError(f"the table has no column {_short(missing[0])}")
        try:
            counting = slice(None) if sample_weight is None else np.asarray(sample_weight) > 0
            check_cells(self.directions, distinct, frame.loc[counting])
        except (ValueError, TypeError) as error:
            raise OriginError(str(error)) from None
        width = bits.n_words(len(frame))
        if (size := 8 * width * (len(distinct) + len(members))) > LARGEST_BITS:
            raise OriginError(
                f"{len(members)} antecedents on {len(frame)} rows take {size} bytes; at most {LARGEST_BITS} are used"
            )
        holds = np.empty((len(distinct), width), dtype=np.uint64)
        for row, condition in zip(holds, distinct, strict=True):
            row[:] = _evaluate(condition, frame[condition.column])
        words = np.empty((len(members), width), dtype=np.uint64)
        for row, joined in zip(words, members, strict=True):
            np.bitwise_and.reduce(holds[joined], axis=0, out=row)
        return PackedAntecedents(words, len(frame), self.names, self.conditions)

    def dump(self) -> bytes:
        """As JSON: each condition once, the antecedents as indices, and the names that the conditions do not give.

        Raises OriginError when there are too many antecedents.
        """
        distinct, members = _distinct(self.conditions)
        derived = _derived(self.conditions)
        content = {
            "target": self.target,
            "classes": list(self.classes),
            "conditions": [[c.column, c.operator, c.value] for c in distinct],
            "antecedents": members,
            "names": {str(i): name for i, name in enumerate(self.names) if name != derived[i]},
            **({_LEFT_OUT: list(self.left_out)} if self.left_out else {}),
            **({NAME: dict(self.directions)} if self.directions else {}),
        }
        if (lists := 6 + len(distinct) + len(members)) > MOST_LISTS:
            raise OriginError(f"{len(members)} antecedents make {lists} lists; at most {MOST_LISTS} are saved")
        text = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
        if len(text) > LARGEST_TEXT:
            raise OriginError(f"{len(members)} antecedents take {len(text)} bytes; at most {LARGEST_TEXT} are saved")
        return text

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """The inverse of `dump`; the text may come from anywhere. Raises OriginError."""
        try:
            content = load_json(text, LARGEST_TEXT, MOST_LISTS)
        except ValueError as error:
            raise OriginError(f"it is not valid JSON: {error}") from None
        if not isinstance(content, dict) or set(content) - {_LEFT_OUT, NAME} != _ENTRIES:
            raise OriginError(f"it must have the entries {', '.join(sorted(_ENTRIES))}")
        classes, rows, members, names = (content[key] for key in ("classes", "conditions", "antecedents", "names"))
        if not all(isinstance(entry, list) for entry in (classes, rows, members)) or not isinstance(names, dict):
            raise OriginError("classes, conditions and antecedents must be lists, and names an object")
        distinct = [_condition(row) for row in rows]
        for joined in members:
            indices = isinstance(joined, list) and all(type(j) is int and 0 <= j < len(distinct) for j in joined)
            if not indices:
                raise OriginError(f"an antecedent is {_short(joined)}, not a list of indices of the conditions")
        conditions = tuple(tuple(distinct[j] for j in joined) for joined in members)
        named = _derived(conditions)
        for key, name in names.items():
            if not re.fullmatch("0|[1-9][0-9]{0,8}", key) or int(key) >= len(named) or not isinstance(name, str):
                raise OriginError(f"the name of the antecedent {_short(key)} is {_short(name)}")
            named[int(key)] = name
        left_out = content.get(_LEFT_OUT, [])
        if not isinstance(left_out, list):
            raise OriginError(f"what is left out must be a list of names, not {_short(left_out)}")
        try:
            directions = as_directions(content.get(NAME))
        except ValueError as error:
            raise OriginError(_short(str(error))) from None
        return cls(conditions, tuple(named), tuple(classes), content["target"], tuple(left_out), directions)  # type: ignore[arg-type]


def _evaluate(condition: Condition, values: pd.Series) -> np.ndarray:
    """Packed: on which rows the condition holds."""
    try:
        return bits.pack(condition.evaluate(values)[None])[0]
    except (TypeError, ValueError, OverflowError) as error:
        what = _short(str(condition))
        raise OriginError(f"{what} cannot be evaluated on the column {_short(condition.column)}: {error}") from None


def _condition(row: Any) -> Condition:
    if not isinstance(row, list) or len(row) != 3:
        raise OriginError(f"a condition is {_short(row)}, not a column, an operator and a value")
    try:
        condition = Condition(*row)
    except (ValueError, TypeError) as error:
        raise OriginError(f"{_short(row)} is no condition: {error}") from None
    _check_condition(condition)
    return condition


def _check_condition(condition: Condition) -> None:
    unary = condition.operator in ("is missing", "is present")
    fits = condition.value is None if unary else _is_label(condition.value)
    if not isinstance(condition.column, str) or not fits:
        parts = [condition.column, condition.operator, condition.value]
        raise OriginError(f"{_short(parts)} is no condition on a column with a value for its operator")


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _distinct(conditions: Conditions) -> tuple[list[Condition], list[list[int]]]:
    """The distinct conditions, and for each antecedent the indices of its own; 1 and True are two values."""
    found: dict[tuple[Condition, type], int] = {}
    members = [[found.setdefault((c, type(c.value)), len(found)) for c in joined] for joined in conditions]
    return [condition for condition, _ in found], members


def _derived(conditions: Conditions) -> list[str]:
    """The conditions of each antecedent in words."""
    distinct, members = _distinct(conditions)
    words = list(map(str, distinct))
    sizes = list(map(sys.getsizeof, words))
    if (size := sum(sizes[j] for joined in members for j in joined)) > LARGEST_NAMES:
        raise OriginError(f"the antecedents in words take {size} bytes; at most {LARGEST_NAMES} are used")
    return [" and ".join(words[j] for j in joined) for joined in members]


def _is_numbered(name: str, conditions: Sequence[Condition]) -> bool:
    """Whether the name is the conditions in words, with numbers in brackets."""
    at = 0
    for k, condition in enumerate(conditions):
        part = " and " * (k > 0) + str(condition)
        if not name.startswith(part, at):
            return False
        at = _after_number(name, at + len(part))
    return _after_number(name, at) == len(name)


def _after_number(name: str, at: int) -> int:
    """Where the name goes on after a number in brackets, if there is one here."""
    number = _REPEATED.match(name, at)
    return at if number is None else number.end()


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def same_conditions(said: Sequence[Condition] | None, known: Sequence[Condition] | None) -> bool:
    """Whether both test the same on the same columns, or say nothing; 1 and True are two values."""
    if said is None or known is None:
        return said is known
    return len(said) == len(known) and all(a == b and _truth(a) == _truth(b) for a, b in zip(said, known, strict=True))


def other_origin(origin: Origin, problem: Problem | MultiClassProblem) -> str | None:
    """What an origin says that the problem does not; the target's name and the conditions of an array are not known."""
    if origin.names != problem.names or origin.classes != tuple(problem.classes):
        return "the origin in the certificate has other antecedents or classes than the problem"
    if problem.conditions is not None and not all(map(same_conditions, origin.conditions, problem.conditions)):
        return "the origin in the certificate has other conditions than the antecedents of the problem"
    return None


def _truth(condition: Condition) -> bool:
    return isinstance(condition.value, bool | np.bool_)
