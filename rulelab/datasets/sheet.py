"""A table before it is used: how it was read, what its columns hold and are good for, and the data set it makes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from ..dates import PARTS, dates_of, has_times, is_text, is_time, times_of
from .dataset import Dataset, DatasetError, from_frame, scalar
from .guesses import (
    FEWEST_IDENTIFIED,
    in_rows,
    in_which_rows,
    is_identifier,
    is_protected,
    is_sensitive,
    is_weight,
    listing,
    positive_of,
    quote,
    target_hint,
    unknown_of,
)
from .leaks import leak
from .numerals import Cells, Form, forms, nearly_numbers
from .reading import Reading

ROLES = ("target", "feature", "sensitive", "weight", "ignore")
PREVIEW_ROWS = 8
MAX_CLASSES = 50
"""Most values of a column that is offered as target."""
_CATEGORIES = 20  # as many of a column have conditions of their own
_IDENTIFIER = "an identifier"
_WORDS = 3
_FEWEST_TWINS = 20  # rows: of fewer, columns are the same by chance
_TOTAL = re.compile(r"(grand total|totale?|sum|summe|gesamt|insgesamt|suma|итого|合計|合计)\b", re.IGNORECASE)
_MOST_NAMED = 10  # most classes of a column that is guessed to be the target


@dataclass(frozen=True)
class SheetColumn:
    """What a column holds, and what it is good for."""

    name: str
    type: str  # "number", "yes or no", "category", "date", "time", "text" (each row its own) or "empty"
    # missing, distinct: cells without a value, and different values of the others; of the whole column
    missing: int
    distinct: int
    role: str  # one of `ROLES`: a guess
    reason: str = ""  # why this role
    doubts: tuple[str, ...] = ()  # what may be wrong with how it is read


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table that was read, to be looked at and given roles before a data set is made of it.

    Attributes
    ----------
    frame : DataFrame
        All columns as they were read.
    name, file : str
        Of the data set to be, and of the file.
    reading : Reading or None
        How the text was read; None for Parquet.
    forms : mapping
        How the cells of columns of texts were read.

    Examples
    --------
    >>> import rulelab as rl
    >>> sheet = rl.datasets.sheet("id;Größe;krank\\n1;1,75;ja\\n2;1,5;nein\\n".encode("latin-1"))
    >>> sheet.reading.words
    'cp1252, separated by semicolon, decimal comma, thousands none'
    >>> sheet.dataset("krank", excluded=["id"]).X["Größe"].tolist()
    [1.75, 1.5]
    """

    frame: pd.DataFrame = field(repr=False)
    name: str = "data"
    file: str = ""
    reading: Reading | None = None
    forms: Mapping[str, Form] = field(default_factory=dict, repr=False)

    @cached_property
    def columns(self) -> tuple[SheetColumn, ...]:
        """All columns, described."""
        target = self._guess_target()
        return tuple(target if target and column.name == target.name else column for column in self._described)

    @cached_property
    def _described(self) -> tuple[SheetColumn, ...]:
        """The columns, none of which is the target."""
        return tuple(map(self._describe, self.frame.columns))

    def roles(self, target: str | None) -> dict[str, str]:
        """What each column is likely to be for, with this target."""
        return {column.name: "target" if column.name == target else column.role for column in self._described}

    @property
    def target(self) -> str | None:
        """The column that is likely to be predicted; None where none is."""
        return next((column.name for column in self.columns if column.role == "target"), None)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What may be wrong with how the table was read, in words."""
        said = (f"column {quote(name)}: {doubt}" for name, found in self._doubts.items() for doubt in found)
        return (*self.table_doubts, *said)

    @property
    def table_doubts(self) -> tuple[str, ...]:
        """Those that are of no single column."""
        own, first = () if self.reading is None else self.reading.doubts, self.sum_row
        return (*own, f"the last row begins with {quote(first, 30)}: is it a sum? Remove it") if first else own

    @property
    def sum_row(self) -> str:
        """What the last row begins with, where it seems to hold sums; empty where it does not."""
        first = next((str(cell) for cell in self.frame.tail(1).to_numpy().ravel() if not pd.isna(cell)), "")
        return first if _TOTAL.match(first) and len(self.frame) > 1 else ""

    def without_last(self) -> Sheet:
        """Without the last row: columns in which that alone was empty, or no number, are what they are without it."""
        left, given = self.frame.iloc[:-1], self.reading
        alone = [name for name in left if left[name].dtype == np.float64 and pd.isna(self.frame[name].iloc[-1])]
        left = left.astype({name: np.int64 for name in alone if (left[name] % 1 == 0).all()})
        texts = {name: Cells(left[name].dropna()) for name in left if given is not None and is_text(left[name])}
        found = forms(texts, given)[0] if given is not None and texts else {}
        read = {name: form for name, form in found.items() if form.is_number}
        frame = left.assign(**{name: form.read(left[name]) for name, form in read.items()})
        return replace(self, frame=frame, forms={**self.forms, **read})

    def identifiers(self, *others: str | None) -> list[str]:
        """The columns of numbers, besides these others, that tell rows by numbers; none if no other would be left."""
        left = [column for column in self._described if column.name not in others]
        found = [c.name for c in left if c.role == "ignore" and c.type == "number" and c.reason.startswith(_IDENTIFIER)]
        return found if len(found) < len(left) else []

    def labels(self, column: str) -> dict[Any, int]:
        """The values of a column, one of which may be the positive class, with their rows; none when too many."""
        counts = self.frame[column].value_counts()
        values = {scalar(value): int(n) for value, n in counts.items() if n} if len(counts) <= MAX_CLASSES else {}
        if getattr(self.frame[column].dtype, "ordered", False):
            return {label: values[label] for label in map(scalar, self.frame[column].cat.categories) if label in values}
        return dict(sorted(values.items(), key=lambda item: (isinstance(item[0], str), item[0])))

    def leaks(self, target: str, positive: Any = None) -> dict[str, str]:
        """The columns that determine the target, or nearly, with the evidence.

        Parameters
        ----------
        target : str
        positive : label, optional
            One class that is told from the others; labels that mean unknown do not count. Default: all classes.
        """
        labels = self.labels(target)
        if len(labels) < 2:
            return {}
        values = self.frame[target]
        codes = pd.factorize(values, sort=False)[0]
        if positive is not None:
            left = values.isna() | values.isin([label for label in unknown_of(list(labels)) if label != positive])
            codes = np.where(left, -1, (values == positive).fillna(False)).astype(np.int64)
        found = {name: leak(self._values(name), codes) for name in self.frame.columns if name != target}
        return {name: evidence for name, evidence in found.items() if evidence}

    def preview(self) -> pd.DataFrame:
        """The first rows as texts, empty where a cell is missing."""
        first = self.frame.head(PREVIEW_ROWS)
        return first.astype(object).map(str).where(first.notna(), "")

    def summary(self, target: str | None = None, positive: Any = None) -> pd.DataFrame:
        """The columns as a table: type, missing, distinct, role and notes, with leaks to the target."""
        target = target or self.target
        labels = {} if target is None else self.labels(target)
        if labels and positive is None:
            unknown = unknown_of(list(labels))
            positive = positive_of({label: rows for label, rows in labels.items() if label not in unknown})
        leaks = {} if target is None else self.leaks(target, positive)
        roles, total = self.roles(target), sum(labels.values())
        guessed = {column.name: column for column in (self.columns if target == self.target else self._described)}
        rows = []
        for name, role in roles.items():
            column, evidence = guessed[name], leaks.get(name, "")
            notes = [column.reason, *column.doubts, evidence and f"leak? {evidence}"]
            if name == target and labels:
                notes.append("classes " + ", ".join(in_rows(label, n, total) for label, n in labels.items()))
                notes.append(f"positive class {positive}")
            said = "; ".join(filter(None, notes))
            rows.append((name, column.type, column.missing, column.distinct, role, said))
        names = ["column", "type", "missing", "distinct", "role", "notes"]
        return pd.DataFrame(rows, columns=names).set_index("column")

    def dataset(
        self,
        target: str,
        positive: Any = None,
        sensitive: Sequence[str] | str | None = None,
        *,
        keep_sensitive: bool | Sequence[str] | str = False,
        weight: str | None = None,
        excluded: Sequence[str] | str | None = None,
        dates: str = "parts",
        drop_missing_target: bool = False,
        unknown: str = "leave out",
    ) -> Dataset:
        """The data set with these roles; the arguments are those of `rulelab.datasets.read`.

        Raises
        ------
        DatasetError
        """
        taken = {target, *([sensitive] if isinstance(sensitive, str) else sensitive or ()), weight}
        guessed = self.identifiers(*taken) if excluded is None else []
        excluded = [excluded] if isinstance(excluded, str) else guessed if excluded is None else list(excluded)
        words = {text: n for text, n in self.forms.get(target, Form()).empty.items() if text.strip()}
        if words and not drop_missing_target:
            said = " and ".join(f"{quote(text)} in {n} rows" for text, n in words.items())
            where = in_which_rows(self.frame[target].isna().to_numpy())
            raise DatasetError(
                f"target {quote(target)} is missing in {where}: {said} is "
                "read as empty; missing='' (--missing '') keeps it, or leave out the rows without a target"
            )
        times = {n: values for n, values in self._times.items() if n not in taken and n not in excluded}
        units = [
            f"{n} ({''.join(form.unit)})" for n, form in self.forms.items() if any(form.unit) and n not in excluded
        ]
        notes = (
            f"identifiers ({listing(guessed)}) are left out" if guessed else "",
            f"rules compare the numbers of {', '.join(units)} without the units" if units else "",
        )
        data = from_frame(
            self.frame.assign(**times),
            target,
            positive,
            sensitive,
            keep_sensitive=keep_sensitive,
            excluded=excluded,
            weight=weight,
            dates=dates,
            drop_missing_target=drop_missing_target,
            unknown=unknown,
            name=self.name,
            source=self.file,
            notes="; ".join(filter(None, notes)),
        )
        return replace(data, forms=self.forms)

    def _guess_target(self) -> SheetColumn | None:
        """The column to predict: by its name, as the last one, or as the last one of two values; never a protected one.

        Labels that mean unknown are no values.
        """
        last = self._described[-1].name if self._described else None

        def rank(column: SheetColumn) -> tuple[int, bool, bool]:
            hint, two = target_hint(column.name), classes[column.name] == 2
            return (hint, two, column.name == last) if hint else (0, column.name == last, two)

        able = [c for c in self._described if c.role in ("feature", "sensitive") and not is_protected(c.name)]
        classes = {}
        for column in able:
            if 2 <= column.distinct <= _MOST_NAMED:
                labels = list(self.labels(column.name))
                classes[column.name] = len(labels) - len(unknown_of(labels))
        hinted = [c for c in able if c.name in classes and (classes[c.name] == 2 or target_hint(c.name) == 2)]
        named = [c for c in able if c.name in classes and c.name == last and c.type == "category"]
        best = max(reversed([*hinted, *named]), key=rank, default=None)
        if best is None:
            return None
        n = classes[best.name]
        what = f"of {'two' if n == 2 else n} {'values' if n == best.distinct else 'classes, and what is not known'}"
        by = "by its name, and" if target_hint(best.name) else "the last column"
        return replace(best, role="target", reason=f"{by} {what}")

    def _values(self, name: str) -> pd.Series:
        """The cells of a column, dates and times as such."""
        return self._times.get(name, self.frame[name])

    @cached_property
    def _times(self) -> dict[str, pd.Series]:
        """Dates, times of day and durations."""
        found = {name: dates for name, (dates, _) in self._found_dates.items() if dates is not None}
        for name in self.frame.columns:
            if self.forms.get(name, Form()).kind == "time":
                found[name] = times_of(self.frame[name])
            elif name not in found and is_time(self.frame[name]):
                found[name] = self.frame[name]
        return found

    @cached_property
    def _found_dates(self) -> dict[str, tuple[pd.Series | None, str]]:
        known = {name: form.dates for name, form in self.forms.items()}
        return {name: dates_of(self.frame[name], known.get(name)) for name in self.frame.columns}

    @cached_property
    def _doubts(self) -> dict[str, tuple[str, ...]]:
        """By column, where there are any."""
        found: dict[str, tuple[str, ...]] = {}
        for name, (dates, doubt) in self._found_dates.items():
            form = self.forms.get(name, Form())
            said = [*form.doubts, doubt]
            if dates is None and not form.doubts:
                said.append(nearly_numbers(self.frame[name], self.reading))
            if name in self._twins:
                said.append(f"it has the same cells as {quote(self._twins[name])}")
            if any(said):
                found[name] = tuple(filter(None, said))
        return found

    @cached_property
    def _twins(self) -> dict[str, str]:
        """Columns with the cells of one before them, which is given."""
        first: dict[tuple[str, bytes], str] = {}
        twins = {}
        for name, values in self.frame.items():
            hashed = pd.util.hash_pandas_object(values, index=False).to_numpy()
            key = str(values.dtype), sha256(hashed).digest()
            if key in first and len(hashed) >= _FEWEST_TWINS and values.nunique() > 1:
                twins[str(name)] = first[key]
            first.setdefault(key, str(name))
        return twins

    def _describe(self, name: str) -> SheetColumn:
        values = self._values(name)
        missing = int(values.isna().sum())
        distinct, n_present = int(values.nunique()), len(values) - missing
        kind = _kind(values, distinct, n_present)
        role, reason = _guess_role(name, values, kind, distinct, n_present)
        return SheetColumn(name, kind, missing, distinct, role, reason, self._doubts.get(name, ()))


def _kind(values: pd.Series, distinct: int, n_present: int) -> str:
    if not n_present:
        return "empty"
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return "date"
    if is_time(values):
        return "time"
    if pd.api.types.is_bool_dtype(values.dtype):
        return "yes or no"
    if is_text(values):
        return "text" if distinct > _CATEGORIES and distinct > n_present / 2 else "category"
    if isinstance(values.dtype, pd.CategoricalDtype):
        return "category"
    inferred = pd.api.types.infer_dtype(values, skipna=True)
    return "yes or no" if inferred == "boolean" else "number" if inferred != "mixed-integer" else "category"


def _guess_role(name: str, values: pd.Series, kind: str, distinct: int, n_present: int) -> tuple[str, str]:
    if kind == "empty":
        return "ignore", "every cell is missing"
    if distinct == 1 and n_present == len(values):
        return "ignore", f"the same in every row: {quote(scalar(values.iloc[0]), 30)}"
    if kind == "time":
        return "feature", "in hours"
    if kind == "date":
        *first, last = (*PARTS, "hour") if has_times(values) else PARTS
        return "feature", f"as {', '.join(first)} and {last}"
    if kind == "text":
        said = f"{distinct} different values in {n_present} rows"
        words = np.mean([len(str(text).split()) for text in values.dropna().iloc[:1000]])
        return "ignore", f"free text: {said}" if words > _WORDS else f"{_IDENTIFIER}: {said}"
    if kind == "number" and distinct == len(values) > FEWEST_IDENTIFIED and pd.api.types.is_integer_dtype(values.dtype):
        if values.min() in (0, 1) and int(values.max()) - int(values.min()) == distinct - 1:
            return "ignore", f"{_IDENTIFIER}: it counts the rows"
        if is_identifier(name):
            return "ignore", f"{_IDENTIFIER}: by its name, and no value comes twice"
    if is_weight(name) and kind == "number" and bool((values.dropna() >= 0).all()):
        return "weight", "by its name"
    if is_sensitive(name, distinct, kind == "category"):
        return "sensitive", "by its name"
    return "feature", ""
