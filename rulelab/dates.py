"""Columns that others stand for among the features: parts of dates and times, and steps of categories in an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

PARTS = ("year", "month", "weekday")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ISO = "ISO8601"
"""The form of dates that may have a time behind them, and a zone, which is taken off them: they are read in UTC."""
_CLOCKS = (" %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_DAY_FIRST = ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y")
_MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y")
_NAMED = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y")


def _with_clocks(days: Sequence[str]) -> tuple[str, ...]:
    return tuple(day + clock for day in days for clock in ("", *_CLOCKS))


FORMATS = ("%Y-%m-%d", *_with_clocks(["%Y/%m/%d"]), ISO, *_with_clocks((*_DAY_FIRST, *_MONTH_FIRST, *_NAMED)))
HOURS = r"(?:(\d{1,5}) days?,? \+?)?(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?"
"""A time of day or a duration, of days, hours, minutes, seconds and parts of a second; of RE2, too."""
_SAMPLE = 100
_MOST_LEVELS = 20  # of an order that is cut along it


def form_of(texts: Sequence[str]) -> tuple[str, str]:
    """The form by which every one of different texts is a date, or "", and a doubt where it could be another."""
    every = pd.Series(texts, dtype=object)
    few = every.iloc[:_SAMPLE]
    promising = [form for form in FORMATS if len(few) and _parsed(few, form) is not None]
    found = ((form, _parsed(every, form)) for form in promising)
    form, dates = next(((form, dates) for form, dates in found if dates is not None), ("", None))
    if not form.startswith(_DAY_FIRST):
        return form, ""
    other = next((dates for f, dates in found if dates is not None and f.startswith(_MONTH_FIRST)), None)
    if other is None or (other == dates).all():
        return form, ""
    return form, f"{str(texts[0])!r} is read with the day first; it could be the month"


def dates_of(values: pd.Series, form: str | None = None) -> tuple[pd.Series | None, str]:
    """The dates of a column, and a doubt where they can be read in two ways; None where it holds no dates.

    Texts are dates only where every one of them is written in the same of the known forms, which may be given.
    """
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return values.dt.tz_localize(None), ""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values, ""
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in ("date", "datetime", "datetime64"):
        return pd.to_datetime(values, errors="coerce", utc=True).dt.tz_localize(None), ""
    if not is_text(values):
        return None, ""
    codes, distinct = pd.factorize(values)
    form, doubt = form_of(distinct) if form is None else (form, "")
    parsed = _parsed(pd.Series(distinct, dtype=object), form) if form else None
    if parsed is None:
        return None, ""
    known = parsed.to_numpy()
    unknown = np.array(["NaT"], dtype=known.dtype)
    return pd.Series(np.append(known, unknown)[codes], index=values.index, name=values.name), doubt


def is_text(values: pd.Series) -> bool:
    """Whether cells are texts: a column that was read as no numbers, Booleans or dates."""
    if isinstance(values.dtype, pd.StringDtype):
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in ("string", "mixed")


def is_time(values: pd.Series) -> bool:
    """Whether a column holds times of day or durations, which have no date."""
    if pd.api.types.is_timedelta64_dtype(values.dtype):
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) == "time"


def times_of(texts: pd.Series) -> pd.Series:
    """The durations that texts are, each of which is as `HOURS` says, or missing."""
    found = texts.str.extract(f"^{HOURS}$").fillna("0")
    days, hours, minutes, seconds = (found[k].astype(np.int64) for k in range(4))
    parts = found[4].str.ljust(6, "0").astype(np.int64)
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return pd.to_timedelta(whole * 1_000_000 + parts, unit="us").where(texts.notna())


def parts_of(name: str, dates: pd.Series, timed: bool | None = None) -> dict[str, pd.Series]:
    """A column for each of `PARTS`, and for the hour where there is a time (``timed``); of durations their hours."""
    if not pd.api.types.is_datetime64_any_dtype(dates.dtype):
        return {f"{name}: hours": _hours(dates)}
    year, month, hour = (
        part if dates.notna().all() else part.astype(float) for part in (dates.dt.year, dates.dt.month, dates.dt.hour)
    )
    hours = {f"{name}: hour": hour} if (has_times(dates) if timed is None else timed) else {}
    return {f"{name}: year": year, f"{name}: month": month, f"{name}: weekday": dates.dt.day_name(), **hours}


def has_times(dates: pd.Series) -> bool:
    """Whether some date is not at midnight."""
    return bool((dates.dropna() != dates.dropna().dt.normalize()).any())


def _hours(times: pd.Series) -> pd.Series:
    if pd.api.types.is_timedelta64_dtype(times.dtype):
        return times.dt.total_seconds() / 3600
    return times.map(lambda t: (t.hour * 3600 + t.minute * 60 + t.second) / 3600, na_action="ignore").astype(float)


def _parsed(texts: pd.Series, form: str) -> pd.Series | None:
    """The dates; None unless all texts are dates of this form."""
    if form == ISO and not texts.str.match(r"\d{4}-\d\d-\d\d").all():  # it takes bare numbers for years, too
        return None
    found = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
    return None if found.isna().any() else found.dt.tz_localize(None)


@dataclass(frozen=True)
class Parts:
    """The columns that stand for one of dates or times, or of categories in an order, among the features."""

    names: tuple[str, ...]
    levels: tuple[str, ...] = ()  # of an order, the least first; empty: dates or times

    def of(self, name: str, values: pd.Series) -> dict[str, pd.Series]:
        """The parts of a column; raises ValueError where it does not hold what the parts are of."""
        if self.levels:
            return self._steps(name, values)
        when, doubt = (values, "") if is_time(values) else dates_of(values)
        if when is None or doubt:
            raise ValueError(
                f"column {name!r} held dates or times when fitted, and now holds others; {doubt or 'give it so'}"
            )
        found = parts_of(name, when, timed=True)
        return {part: found[part] for part in self.names}

    def _steps(self, name: str, values: pd.Series) -> dict[str, pd.Series]:
        """Whether each cell is at most each of the levels but the last."""
        known = pd.Index(self.levels)
        texts = values.astype(object).map(_text, na_action="ignore")
        at = known.get_indexer(texts)
        if (strange := (at < 0) & values.notna().to_numpy()).any():
            row = int(strange.argmax())
            text = f"column {name!r} holds {texts.iloc[row]!r} in row {row}, which is none of {', '.join(self.levels)}"
            raise ValueError(f"{text} (rows count from 0)")
        steps = {part: pd.Series(at <= k, index=values.index) for k, part in enumerate(self.names)}
        return {part: step.astype("boolean").mask(at < 0) if (at < 0).any() else step for part, step in steps.items()}


def _text(cell: Any) -> str:
    """A level's own text; a whole number has no decimals."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def found_parts(name: str, values: pd.Series) -> Parts | None:
    """What stands for a column of dates, of times, or of at most 20 categories in an order; None: the column itself."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        levels = tuple(map(_text, values.dtype.categories))
        if not values.dtype.ordered or not 2 < len(set(levels)) == len(levels) <= _MOST_LEVELS:
            return None
        return Parts(tuple(f"{name}: at most {level}" for level in levels[:-1]), levels)
    if is_text(values):
        return None
    when = values if is_time(values) else dates_of(values)[0]
    return None if when is None else Parts(tuple(parts_of(name, when)))


def with_parts(frame: pd.DataFrame, parts: Mapping[str, Parts]) -> pd.DataFrame:
    """The table with the parts of some of its columns in their place; raises ValueError where one is there already."""
    if not parts:
        return frame
    columns: dict[str, pd.Series] = {}
    for name, values in frame.items():
        made = parts[name].of(str(name), values) if name in parts else {str(name): values}
        if taken := next((part for part in made if part in columns or (part != name and part in frame.columns)), None):
            raise ValueError(f"column {taken!r} is there already beside {name!r}, whose part it is; rename one of them")
        columns |= made
    return pd.DataFrame(columns, index=frame.index)
