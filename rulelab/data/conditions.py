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

OPERATORS = ("<=", ">", "==", "!=", "is missing", "is present")

_KEY = "rulelab.data.conditions"


class NothingFound(ValueError):  # noqa: N818 - it is a finding, the data may be right
    """No condition tells the rows apart, or no antecedent is within the limits; the message says why and what to do."""


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
    A missing cell satisfies ``is missing`` and no other condition. A text is compared with the cell's own text, where
    a whole number has no decimals: the cells 3, 3.0 and "3" all satisfy ``== "3"``. A column of floats has no whole
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
        """
        missing = values.isna().to_numpy(dtype=bool)
        if self.operator == "is missing":
            return missing
        if self.operator == "is present":
            return ~missing
        present = values[~missing]
        if present.dtype == object:
            present = present.map(lambda cell: float(cell) if isinstance(cell, Decimal) else cell).astype(object)
        hit: Any
        if self.operator in ("==", "!="):
            hit = as_text(present) == self.value if isinstance(self.value, str) else present == self.value
            hit = hit if self.operator == "==" else ~np.asarray(hit, dtype=bool)
        else:
            numbers = pd.to_numeric(present).to_numpy()
            if numbers.dtype.kind not in "iu":
                numbers = numbers.astype(np.float64)  # a float32 column would round the value it is compared with
            hit = numbers <= self.value if self.operator == "<=" else numbers > self.value
        out = np.zeros(len(values), dtype=bool)
        out[~missing] = np.asarray(hit, dtype=bool)
        return out

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


def as_text(values: pd.Series) -> pd.Series:
    """The cells as texts, missing cells as they are; a whole number has no decimals, whatever its type."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        texts = as_text(pd.Series(values.cat.categories))
        codes = values.cat.codes.to_numpy()
        return texts.reindex(codes).set_axis(values.index)
    if isinstance(values.dtype, pd.StringDtype) or pd.api.types.infer_dtype(values, skipna=True) == "string":
        return values
    return values.astype(object).map(_cell_text, na_action="ignore")


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
    """Note in the frame's ``attrs`` which condition each column stands for, in the order of the columns.

    The note is a text (JSON): pandas copies it at every selection and writes it to Parquet files.
    """
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
    if not all(isinstance(c.column, str) and _is_scalar(c.value) for c in conditions):
        return {}
    return dict(zip(unique_names(map(str, conditions)), conditions, strict=True))


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | bool | None) or _is_finite_number(value)


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


def _cell_text(cell: Any) -> str:
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)
