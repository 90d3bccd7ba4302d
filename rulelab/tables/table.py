"""A table that is read where it lies: in files, a database, a dataframe or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..arguments import TableError
from ..data.columns import Column, listed
from ..datasets.dataset import DATES
from ..datasets.guesses import FEWEST_IDENTIFIED, UNKNOWNS, is_identifier, unknown_of
from ..dates import PARTS, WEEKDAYS
from .weighing import ROWS, Weighing, listed_near

MOST_VALUES = 2_000_000
"""Different values of a column that are looked at one by one."""
_COUNT, _VALUE = "n", "v"
UTC = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00", "+0000"})
"""Names of the time zone by whose clock all engines show timestamps."""
_NO_ZONES = frozenset({"duckdb", "ibis", "pyspark", "sqlframe"})
"""Engines that keep moments alone, and show them by the clock of whoever asks."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose rows stay where they are."""

    frame: nw.LazyFrame[Any]
    name: str  # for messages and files
    engine: str  # what counts the rows, such as "duckdb", "polars" or "dask"
    weighing: Weighing = ROWS  # how much each row counts; its column is none of the columns
    connection: Any = None  # object or None: of DuckDB, where files were opened
    doubts: tuple[str, ...] = ()  # what may be wrong with how text files are read
    hours: frozenset[str] = frozenset()  # columns of times of day or durations, which are given in hours

    @property
    def progress(self) -> float | None:
        """How much of the present pass over the rows is done, from 0 to 1; None where it is not known."""
        percent = -1.0 if self.connection is None else self.connection.query_progress()
        return percent / 100 if percent >= 0 else None

    def interrupt(self) -> None:
        """End what is being counted, from another thread, where the engine can; it then raises TableError."""
        if self.connection is not None:
            self.connection.interrupt()

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {len(self.columns)} columns, counted by {self.engine})"

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return [name for name in self.frame.collect_schema().names() if name != self.weighing.column]

    @property
    def scale(self) -> Fraction | None:
        """What makes the sums of weights those of weights with a mean of 1; None where rows are counted."""
        return self.weighing.scale

    def drop(self, *names: str) -> Table:
        """Without these columns."""
        self.require(names)
        return replace(self, frame=self.frame.drop(*names))

    def features(
        self,
        target: str,
        *others: str,
        weight: str | None = None,
        split: Any = None,
        unknown: str = "leave out",
        positive: Any = None,
        dates: str = "parts",
    ) -> Table:
        """What conditions are chosen on: rows with a target, without it and without these other columns.

        Parts of dates stand in their place: year, month, weekday and, where one is not at midnight, the hour.

        Raises TableError.

        Parameters
        ----------
        weight : str, optional
            Column that says how much each row counts: rows of weight 0 are left out.
        split : `rulelab.tables.Split`, optional
            Rows that it keeps out of training are left out.
        unknown, positive : str, label
            As for `rulelab.tables.count`.
        dates : str
            Columns of dates are given as "parts", or not at all: "ignore".
        """
        if dates not in DATES:
            raise TableError(f"dates must be one of {listed(DATES)}, not {dates!r}")
        self.require([target, *others, *([] if weight is None else [weight])])
        frame, _ = self.with_target(target, unknown, positive)
        aside = [name for name in (target, *others) if name != weight]
        if split is not None:
            frame = frame.filter(~split.of(self))
        columns: dict[str, nw.Expr] = {}
        for name in (each for each in self.columns if each not in aside):
            parts = {} if name == weight else self.parts(name)
            there = next((part for part in parts if part in self.columns), None)
            if there is not None and dates == "parts":
                raise TableError(f"column {there!r} is there already; rename it, or ignore dates")
            columns |= {name: nw.col(name)} if not parts else parts if dates == "parts" else {}
        if not columns:
            raise TableError(f"{self.name}: no column is left as a feature besides the target {target!r}")
        for part in self._at_midnight(columns):
            del columns[part]
        if weight is None:
            return replace(self, frame=frame.select(**columns))
        weighing = Weighing.by(frame, weight, self.name)
        return replace(self, frame=weighing.above_zero(frame).select(**columns), weighing=weighing)

    def parts(self, name: str) -> dict[str, nw.Expr]:
        """The columns that stand for one of dates or times; none where it holds others, or they cannot be had."""
        if name in self.hours:
            return {f"{name}: hours": nw.col(name)}
        dtype = self.frame.collect_schema()[name]
        if not isinstance(dtype, nw.Date | nw.Datetime) or self._is_zoned(dtype):
            return {}
        date = nw.col(name).dt
        weekday: nw.Expr = nw.lit(None, dtype=nw.String)
        for number, day in enumerate(WEEKDAYS, start=1):
            weekday = nw.when(date.weekday() == number).then(nw.lit(day)).otherwise(weekday)
        found = dict(zip(PARTS, (date.year(), date.month(), weekday), strict=True))
        found |= {"hour": date.hour()} if isinstance(dtype, nw.Datetime) else {}
        return {f"{name}: {part}": value for part, value in found.items()}

    def with_parts(self, names: Collection[str]) -> Table:
        """With those of these columns that are not there but are parts of dates."""
        lacking = set(names) - set(self.columns)
        parts = (self.parts(column) for column in self.columns if lacking)
        asked = {part: value for each in parts for part, value in each.items() if part in lacking}
        return replace(self, frame=self.frame.with_columns(**asked)) if asked else self

    def _at_midnight(self, columns: Collection[str]) -> list[str]:
        """Those of the columns that are the hours of dates of which each is at midnight: they tell nothing."""
        hours = [name for name in columns if name not in self.columns and name.endswith(": hour")]
        if not hours:
            return []
        dates = [nw.col(name.removesuffix(": hour")).dt for name in hours]
        clocks = ((d.hour(), d.minute(), d.second(), d.microsecond()) for d in dates)
        asked = (part.max().alias(f"{k} {j}") for k, parts in enumerate(clocks) for j, part in enumerate(parts))
        latest = self.frame.select(*asked).collect().row(0)
        return [
            name for k, name in enumerate(hours) if not any(pd.notna(t) and t > 0 for t in latest[4 * k : 4 * k + 4])
        ]

    def _is_zoned(self, dtype: Any) -> bool:
        """Whether timestamps have a time zone in which not every engine shows them."""
        zone = getattr(dtype, "time_zone", None)
        return zone is not None and (zone not in UTC or self.engine in _NO_ZONES)

    def with_value(self, name: str) -> nw.LazyFrame[Any]:
        """The rows in which a column is not missing; a number that is none is missing, on every engine."""
        frame = self.frame.filter(~nw.col(name).is_null())
        return frame.filter(~nw.col(name).is_nan()) if self.frame.collect_schema()[name].is_float() else frame

    def with_target(self, name: str, unknown: str, positive: Any = None) -> tuple[nw.LazyFrame[Any], list[Any]]:
        """The rows that have a target, and the labels of those that were left out because it says it is not known."""
        if unknown not in UNKNOWNS:
            raise TableError(f"unknown must be one of {listed(UNKNOWNS)}, not {unknown!r}")
        frame = self.with_value(name)
        if unknown == "negative" or self.kind(name) != "category":
            return frame, []
        found = unknown_of([label for label in self.values(name)["v"] if label is not None])
        found = [label for label in found if label != positive]
        return (frame.filter(~nw.col(name).cast(nw.String).is_in(found)) if found else frame), found

    def require(self, names: Sequence[str]) -> None:
        """Refuse names of columns that are not there; raises TableError."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise TableError(f"{self.name} has no column {listed(missing)}; it has {listed(self.columns)}")

    def identifiers(self, *others: str | None) -> list[str]:
        """The columns that number the rows, besides these others; none where no other would be left as a feature."""
        schema = self.frame.collect_schema()
        left = [name for name in self.columns if name not in others]
        whole = [name for name in left if schema[name].is_integer()]
        asked = [[nw.col(n).count(), nw.col(n).min(), nw.col(n).max()] for n in whole]
        each = [part.alias(f"{k} {j}") for k, parts in enumerate(asked) for j, part in enumerate(parts)]
        rows, *found = self.frame.select(nw.len().alias("rows"), *each).collect().row(0)
        numbered = []
        for k, name in enumerate(whole):
            filled, low, high = found[3 * k : 3 * k + 3]
            counting = low in (0, 1) and high - low == rows - 1
            if filled == rows > FEWEST_IDENTIFIED and (counting or is_identifier(name)):
                cells = self.frame.select(nw.col(name).alias(_VALUE)).group_by(_VALUE).agg(nw.len().alias(_COUNT))
                if not len(cells.filter(nw.col(_COUNT) > 1).head(1).collect()):
                    numbered.append(name)
        return numbered if len(numbered) < len(left) else []

    def kind(self, name: str) -> str:
        """ "boolean", "number" or "category"; raises TableError for a column that is none of them."""
        dtype = self.frame.collect_schema()[name]
        if dtype == nw.Boolean:
            return "boolean"
        if dtype.is_numeric():
            return "number"
        if isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
            return "category"
        if self._is_zoned(dtype):
            raise TableError(
                f"column {name!r} holds timestamps with a time zone, which not every engine shows by the same clock; "
                "turn them into timestamps without one first, or leave it out"
            )
        if dtype.is_temporal():
            said = "turn it into numbers first, such as its year or a number of hours, or leave it out"
            raise TableError(f"column {name!r} holds dates or times; {said}")
        raise TableError(f"column {name!r} holds {dtype}, neither numbers, Booleans nor texts; leave it out")

    def values(self, name: str) -> pd.DataFrame:
        """The values of a column: ``v``, None where missing, and ``n``, what each counts; raises TableError."""
        found = self._grouped(self._cells(name), MOST_VALUES)
        if found is None:
            raise TableError(
                f"column {name!r} has more than {MOST_VALUES} different values; round it, or leave it out (an "
                "identifier says nothing)"
            )
        return self._frame(name, *found)

    def summaries(self, groups: Callable[[str], int]) -> Iterator[tuple[Column, np.ndarray]]:
        """Each column by its different values, with the number of rows of each: one pass over the table a column.

        ``groups``: in how many groups a column of numbers is to be cut, by its name. Of one with more than
        `MOST_VALUES` values those are given that such cuts depend on; where they lie is found in a few more passes.
        """
        for name in self.columns:
            kind = self.kind(name)
            cells = self._cells(name)
            grouped = self._grouped(cells, MOST_VALUES)
            if grouped is None and kind == "number":
                present = cells.filter(~nw.col(_VALUE).is_null())
                if self._float(name):
                    present = present.filter(~nw.col(_VALUE).is_nan())
                near = listed_near(present, _VALUE, self.weighing, groups(name), MOST_VALUES, name)
                missing = cells.select(nw.len()).collect().item() - present.select(nw.len()).collect().item()
                found = pd.DataFrame({_VALUE: near[0], _COUNT: near[1]})
                if missing:
                    found.loc[len(found)] = [None, 0]
            else:
                found = self.values(name) if grouped is None else self._frame(name, *grouped)
            missing = found[_VALUE].isna().to_numpy()
            if kind == "category":
                data = np.array(found[_VALUE], dtype=object)
                data[missing] = np.nan
            else:
                data = np.array([np.nan if value is None else value for value in found[_VALUE]])
                if data.dtype.kind not in "iu":
                    data = data.astype(np.float64)
                if np.isinf(data).any():
                    raise TableError(f"column {name!r} holds infinite numbers; replace or remove them")
            yield Column(name, kind, data, missing), found[_COUNT].to_numpy()

    def _float(self, name: str) -> bool:
        return self.kind(name) == "number" and not self.frame.collect_schema()[name].is_integer()

    def _cells(self, name: str) -> nw.LazyFrame[Any]:
        """The cells of a column and the weights of their rows."""
        cells = nw.col(name)
        if self._float(name):
            cells = cells.cast(nw.Float64)
        elif self.kind(name) == "category":
            cells = cells.cast(nw.String)
        return self.weighing.cut(self.frame).select(cells.alias(_VALUE), *self.weighing.columns)

    def _grouped(self, cells: nw.LazyFrame[Any], most: int) -> tuple[nw.Series[Any], np.ndarray] | None:
        """The different cells and what each counts; None when there are more than so many."""
        found = cells.group_by(_VALUE).agg(*self.weighing.totals()).head(most + 1).collect()
        return None if len(found) > most else (found[_VALUE], self.weighing.sums(found))

    def _frame(self, name: str, cells: nw.Series[Any], counts: np.ndarray) -> pd.DataFrame:
        missing = cells.is_null().to_numpy()
        values = np.array(cells.to_list(), dtype=object)
        values[missing] = None  # for pandas.NA is neither equal to itself nor unequal
        if self.kind(name) == "number":
            missing = missing | np.array([value != value for value in values], dtype=bool)
        values[missing] = None
        return pd.DataFrame({_VALUE: pd.Series(values, dtype=object), _COUNT: counts})
