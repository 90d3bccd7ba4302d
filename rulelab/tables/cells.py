"""What conditions tell apart in a column: cells, a small number for each, and a value that stands for all in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..data.conditions import Condition
from .errors import TableError

_SMALLEST = 127
"""What the smallest whole numbers can be."""
_DOUBLES, _LARGEST = 1 << 53, 1 << 63
"""From here on not every whole number is a double; from there on those of a column are doubles."""


@dataclass(frozen=True)
class Cells:
    """The cells of a column.

    Attributes
    ----------
    column, kind : str
    marks : tuple
        Cuts in increasing order, or values that are asked for.
    ordered : bool
        Whether ``marks`` are cuts.
    """

    column: str
    kind: str
    marks: tuple[Any, ...]
    ordered: bool

    @classmethod
    def of(cls, column: str, kind: str, conditions: Sequence[Condition]) -> Cells:
        """The cells that conditions on this column tell apart."""
        cuts = sorted({c.value for c in conditions if c.operator in ("<=", ">")})
        if cuts and any(c.operator in ("==", "!=") for c in conditions):
            raise TableError(f"column {column!r} is both cut and asked for single values; use one of the two")
        if kind != "number" and cuts:
            raise TableError(f"column {column!r} is cut at {cuts[0]!r} but holds no numbers")
        values = list(dict.fromkeys(c.value for c in conditions if c.operator in ("==", "!=")))
        return cls(column, kind, tuple(cuts or values), bool(cuts))

    @property
    def size(self) -> int:
        """How many cells there are: below and between the cuts and above, or each value and any other, and missing."""
        return len(self.marks) + 2

    @property
    def bits(self) -> int:
        """In which the numbers of the cells have room."""
        return max(1, (self.size - 1).bit_length())

    def number(self, dtype: Any) -> nw.Expr:
        """The number of the cell of a row, computed where the table lies."""
        cells = nw.col(self.column)
        missing = cells.is_null()
        if dtype.is_float():
            missing = missing | cells.is_nan()
        if self.kind == "category":
            cells = cells.cast(nw.String)
        elif self.kind == "number" and not dtype.is_integer():
            cells = cells.cast(nw.Float64)  # else a mark may be rounded to the type of the column
        small = nw.Int8 if self.size <= _SMALLEST else nw.Int64  # that some engines add up in an eighth of the time
        total: nw.Expr | None = None
        for k, mark in enumerate(self.marks):
            one = (
                _whole(self.column, cells, mark, self.ordered, dtype)
                if dtype.is_integer()
                else _told(cells, float(mark) if self.kind == "number" else mark, self.ordered)  # no whole 1e300
            )
            one = one.fill_null(False)
            part = one.cast(small) if self.ordered else one.cast(small) * nw.lit(k + 1, dtype=small)
            total = part if total is None else total + part
        inside = nw.lit(0, dtype=nw.Int64) if total is None else total.cast(small).cast(nw.Int64)
        return nw.when(missing).then(nw.lit(self.size - 1, dtype=nw.Int64)).otherwise(inside)

    def stand_ins(self) -> pd.Series:
        """For each cell a value that lies in it."""
        if self.ordered:
            return _numbers([*self.marks, _above(self.marks[-1]), None])
        if self.kind == "category":
            text = "other"
            while text in self.marks:
                text += "_"
            return pd.Series([text, *self.marks, None], dtype=object)
        if self.kind == "boolean":
            known = {bool(value) for value in self.marks}
            return pd.Series([True not in known, *map(bool, self.marks), None], dtype=object)
        return _numbers([_above(max(self.marks, default=0)), *self.marks, None])


def _told(cells: nw.Expr, mark: Any, above: bool) -> nw.Expr:
    return cells > mark if above else cells == mark


def _whole(column: str, cells: nw.Expr, mark: Any, above: bool, dtype: Any) -> nw.Expr:
    """Whole numbers above a mark, or equal to it; they are compared as whole numbers, which no engine rounds."""
    whole = math.floor(mark)
    if not above and whole != mark:
        return nw.lit(False)
    if dtype == nw.UInt64 and whole >= 1 << 63:
        raise TableError(
            f"column {column!r} is told apart at {whole}; not all engines compare whole numbers of 2^63 and above; "
            "leave it out (an identifier says nothing), or give it cuts below"
        )
    if not -(1 << 63) <= whole < 1 << 63:
        return nw.lit(above and whole < 0)
    if dtype == nw.UInt64:
        return _told(cells, nw.lit(whole, dtype=nw.UInt64), above) if whole >= 0 else nw.lit(above)
    return _told(cells, whole, above)


def _above(mark: Any) -> Any:
    """A number above it."""
    if isinstance(mark, int) and abs(mark) < _LARGEST:
        return mark + 1
    return max(mark + 1.0, float(np.nextafter(float(mark), np.inf)))


def _numbers(values: list[Any]) -> pd.Series:
    """As doubles, or as whole numbers of 64 bits where doubles would be the same for two of them."""
    known = [v for v in values if v is not None]
    if any(isinstance(v, int) and abs(v) >= _DOUBLES for v in known) and all(abs(v) < _LARGEST for v in known):
        whole = [None if v is None else math.floor(v) for v in values]
        return pd.Series(whole, dtype="Int64")
    return pd.Series(values, dtype=np.float64)
