"""One named Boolean condition on one column of a table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ParameterError
from ..lazy import as_pandas

OPERATORS = ("<=", ">", "==", "!=", "is missing", "is present")

_KEY = "rulelab.data.conditions"
_DATES = {"datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period"}
_TRUTH = {"true": 1, "false": 0, "1": 1, "0": 0, "1.0": 1, "0.0": 0}
_TRUTH_WORDS = {"true", "false", "yes", "no", "1", "0"}


class NothingFound(ValueError):  # noqa: N818 - it is a finding, the data may be right
    """No condition tells the rows apart, or no antecedent is within the limits; the message says why and what to do."""


class NothingLeftError(NothingFound, ParameterError):
    """An argument leaves nothing that rules could be made of."""


@dataclass(frozen=True)
class Condition:
    """A Boolean test on one column, such as ``age <= 23`` or ``sex == Male``.

    Attributes
    ----------
    column : str
        Name of the column.
    operator : str
        One of ``<=``, ``>``, ``==``, ``!=``, ``is missing``, ``is present``.
    value : float, int, str, bool or None
        What the column is compared with; None for the two operators on missing values. A Boolean column is compared
        with True or False, and reads ``column`` or ``not column``.

    Notes
    -----
    A missing cell satisfies ``is missing`` and no other condition. A number is compared with the number that a cell is,
    or that its text writes, and True and False with Booleans, 1, 0 and their texts; any other cell is an error. A text
    is compared with the cell's own text, where a whole number has no decimals: the cells 3, 3.0 and "3" all satisfy
    ``== "3"``; a number that the text writes in another way (``"03"``) is an error. A column of floats has no whole
    numbers beyond 2^53 but some; others are compared as the nearest of these.
    """

    column: str
    operator: str
    value: Any = None

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise ValueError(f"unknown operator {self.operator!r}; use one of {', '.join(OPERATORS)}")
        if self.operator in ("<=", ">") and not _is_finite_number(self.value):
            raise ValueError(f"the value after {self.operator!r} must be a number, not {self.value!r}")

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.column} {self.operator}"
        if isinstance(self.value, bool):
            return self.column if self.value == (self.operator == "==") else f"not {self.column}"
        return f"{self.column} {self.operator} {_readable(self.value)}"

    def evaluate(self, values: pd.Series) -> np.ndarray:
        """Which cells of the column satisfy the condition: bool array, shape (n_rows,).

        Parameters
        ----------
        values : Series, shape (n_rows,)
            The column.

        Raises
        ------
        ValueError
            A cell cannot be compared with the value; the message has its row, counted from 0.
        """
        missing = values.isna().to_numpy(dtype=bool)
        if self.operator == "is missing":
            return missing
        if self.operator == "is present":
            return ~missing
        hit = self._hit(values, missing)
        out = np.zeros(len(values), dtype=bool)
        out[~missing] = ~hit if self.operator in ("!=", ">") else hit
        return out

    def _hit(self, values: pd.Series, missing: np.ndarray) -> np.ndarray:
        """Which of the present cells are equal to the value, or at most it."""
        if isinstance(self.value, bool):
            return as_booleans(values, missing) == self.value
        if not isinstance(self.value, str):
            numbers = as_numbers(values, missing)
            return np.asarray(numbers <= self.value if self.operator in ("<=", ">") else numbers == self.value)
        cells = _untyped(values[~missing])
        if holds_dates(cells):
            raise ValueError(f"it holds dates or times, which are not compared with the text {self.value!r}")
        texts = as_text(cells)
        hit = np.asarray(texts == self.value, dtype=bool)
        if texts is not cells and confusable(self.value):
            other = cells.map(lambda cell: _other_writing(cell, self.value)).to_numpy(dtype=bool)
            refuse_cells(values, missing, other & ~hit, f"which may be the text {self.value!r}; give it as text")
        return hit

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON."""
        return {"column": self.column, "operator": self.operator, "value": self.value}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Condition:
        """The inverse of `to_dict`.

        Parameters
        ----------
        data : dict
            What `to_dict` gives.
        """
        return cls(data["column"], data["operator"], data.get("value"))


def in_pandas(X: Any) -> Any:
    """A dataframe of any library that narwhals knows as one of pandas, all else as it is; raises ValueError."""
    if isinstance(X, pd.DataFrame | np.ndarray | list | tuple):
        return X
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError(
            f"this {type(X).__name__} is not in memory: rulelab.tables.open takes it, and rulelab.tables.count counts "
            "its rows where they lie; or collect it first"
        )
    if not isinstance(frame, nw.DataFrame):
        return X
    what = f"a {type(X).__name__} of {frame.implementation.name.capitalize()}"
    return as_pandas(frame, what, ValueError)


def cell_text(cell: Any) -> str:
    """A cell's own text; a whole number has no decimals, whatever its type."""
    cell = float(cell) if isinstance(cell, Decimal) else cell
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


def confusable(text: str) -> bool:
    """Whether a number or a Boolean may stand for the text though its own text is another."""
    if text.strip().casefold() in _TRUTH_WORDS:
        return text not in ("True", "False")
    try:
        number = float(text)
    except ValueError:
        return False
    return math.isfinite(number) and cell_text(number) != text


def as_numbers(values: pd.Series, missing: np.ndarray) -> np.ndarray:
    """The present cells as numbers, also those written as text: integers where all are, else float64."""
    present = _untyped(values[~missing])
    if holds_dates(present):
        raise ValueError("it holds dates or times, which are no numbers")
    numbers: Any = present
    if present.dtype == object or not pd.api.types.is_numeric_dtype(present.dtype):
        cells = present.astype(object).map(lambda cell: float(cell) if isinstance(cell, Decimal) else cell)
        numbers = pd.to_numeric(cells, errors="coerce")
        refuse_cells(values, missing, numbers.isna().to_numpy(dtype=bool), "which is no number")
    array = numbers.to_numpy()  # of float32, it would round what it is compared with
    return array if array.dtype.kind in "iu" else array.astype(np.float64)


def as_booleans(values: pd.Series, missing: np.ndarray) -> np.ndarray:
    """The present cells as Booleans: True and False, 1 and 0, and the texts that write these."""
    if values.dtype == np.bool_:
        return values.to_numpy()[~missing]
    present = values[~missing].astype(object)
    known = {cell: _TRUTH.get(cell.strip().casefold()) if isinstance(cell, str) else cell for cell in present.unique()}
    cells = present.map(known).to_numpy(dtype=object)
    one, zero = cells == 1, cells == 0
    refuse_cells(values, missing, ~np.asarray(one | zero, dtype=bool), "which is neither 0 nor 1")
    return np.asarray(one, dtype=bool)


def refuse_cells(values: pd.Series, missing: np.ndarray, wrong: np.ndarray, why: str) -> None:
    """Raise a ValueError that names the first of the present cells that are wrong, if any is."""
    if wrong.any():
        row = int(np.flatnonzero(~missing)[wrong.argmax()])
        raise ValueError(f"row {row} holds {values.tolist()[row]!r}, {why} (rows count from 0)")


def holds_dates(values: pd.Series) -> bool:
    return values.dtype.kind in "mM" or pd.api.types.infer_dtype(values, skipna=True) in _DATES


def as_text(values: pd.Series) -> pd.Series:
    """The cells as texts, missing cells as they are; a whole number has no decimals, whatever its type."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        texts = as_text(pd.Series(values.cat.categories))
        codes = values.cat.codes.to_numpy()
        return texts.reindex(codes).set_axis(values.index)
    if isinstance(values.dtype, pd.StringDtype) or pd.api.types.infer_dtype(values, skipna=True) == "string":
        return values
    return values.astype(object).map(cell_text, na_action="ignore")


def column_name(label: Any) -> str:
    """A column's label as text; a number (a table without names) becomes ``x0``, ``x1``, ..."""
    return f"x{label}" if isinstance(label, Integral) and not isinstance(label, bool) else str(label)


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names in order, a repeated one followed by ``(2)``, ``(3)``, ..."""
    out: list[str] = []
    seen: set[str] = set()
    for name in names:
        candidate, count = name, 1
        while candidate in seen:
            count += 1
            candidate = f"{name} ({count})"
        seen.add(candidate)
        out.append(candidate)
    return tuple(out)


def attach_conditions(frame: pd.DataFrame, conditions: Iterable[Condition]) -> None:
    """Note in the frame's ``attrs``, as JSON that pandas copies and saves, which condition each column stands for."""
    rows = [[c.column, c.operator, c.value] for c in conditions]
    frame.attrs[_KEY] = json.dumps(rows, separators=(",", ":"))


def conditions_of(frame: pd.DataFrame) -> tuple[Condition, ...]:
    """The condition behind each column of a Boolean frame.

    Columns made by `rulelab.Binarizer` are recognised by their names (the frame may be a selection of rows or columns,
    or have been read from a Parquet file); any other column is a condition of its own, ``Condition(name, "==", True)``.
    """
    note = frame.attrs.get(_KEY)
    known = _noted(note) if isinstance(note, str) else {}
    return tuple(known.get(str(name)) or Condition(str(name), "==", True) for name in frame.columns)


@lru_cache(maxsize=8)
def _noted(note: str) -> dict[str, Condition]:
    """Conditions by column name; none of them when the text is not one that `attach_conditions` writes."""
    try:
        conditions = [Condition(column, operator, value) for column, operator, value in json.loads(note)]
    except (ValueError, TypeError, RecursionError):
        return {}
    scalars = (isinstance(c.value, str | bool | None) or _is_finite_number(c.value) for c in conditions)
    if not all(isinstance(c.column, str) for c in conditions) or not all(scalars):
        return {}
    return dict(zip(unique_names(map(str, conditions)), conditions, strict=True))


def _is_finite_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return isinstance(value, Integral) or math.isfinite(value)


def _readable(value: Any) -> str:
    """At most 12 digits where they are the value, else as many as it takes; an empty text is shown in quotes."""
    if isinstance(value, float):
        short = f"{value:.12g}"
        return short if float(short) == value else repr(value)
    return str(value) if str(value).strip() else repr(value)


def _other_writing(cell: Any, text: str) -> bool:
    """Whether a cell that is no text may be this one, written in another way."""
    if isinstance(cell, bool | np.bool_):
        return text.strip().casefold() in _TRUTH_WORDS
    try:
        return not isinstance(cell, str) and float(cell) == float(text)
    except (TypeError, ValueError):
        return False


def _untyped(values: pd.Series) -> pd.Series:
    """Categories, which may be numbers and texts, as their cells."""
    return values.astype(object) if isinstance(values.dtype, pd.CategoricalDtype) else values
