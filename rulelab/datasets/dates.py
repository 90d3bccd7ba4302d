"""Columns of dates, and the year, month and weekday that stand for them among the features."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .numerals import is_text

PARTS = ("year", "month", "weekday")
_ISO = ("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "ISO8601")
_DAY_FIRST = ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M:%S")
_MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%Y %H:%M")
_NAMED = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y")
FORMATS = tuple(form for form in (*_ISO, *_DAY_FIRST, *_MONTH_FIRST, *_NAMED) if form != "%Y%m%d")
_SAMPLE = 100


def dates_of(values: pd.Series) -> tuple[pd.Series | None, str]:
    """The dates of a column, and a doubt where they can be read in two ways; None where it holds no dates.

    Texts are dates only where every one of them is written in the same of the known forms.
    """
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return values.dt.tz_localize(None), ""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values, ""
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in ("date", "datetime", "datetime64"):
        return pd.to_datetime(values, errors="coerce", utc=True).dt.tz_localize(None), ""
    if not is_text(values):
        return None, ""
    few = pd.Series(pd.unique(values.iloc[: 20 * _SAMPLE].dropna())[:_SAMPLE], dtype=object)
    promising = [form for form in FORMATS if len(few) and _parsed(few, form) is not None]
    if not promising:
        return None, ""
    codes, distinct = pd.factorize(values)
    texts = pd.Series(distinct, dtype=object)
    found = [(form, parsed) for form in promising if (parsed := _parsed(texts, form)) is not None]
    if not found:
        return None, ""
    form, parsed = found[0]
    other = next((p for f, p in found[1:] if f in _MONTH_FIRST and form in _DAY_FIRST), None)
    known = parsed.to_numpy()
    unknown = np.array(["NaT"], dtype=known.dtype)
    out = pd.Series(np.append(known, unknown)[codes], index=values.index, name=values.name)
    if other is None or (other == parsed).all():
        return out, ""
    return out, f"{str(distinct[0])!r} is read with the day first; it could be the month"


def is_time(values: pd.Series) -> bool:
    """Whether a column holds times of day or durations, which have no date."""
    if pd.api.types.is_timedelta64_dtype(values.dtype):
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) == "time"


def parts_of(name: str, dates: pd.Series) -> dict[str, pd.Series]:
    """A column for each of `PARTS`, and for the hour where there is a time: missing where the date is.

    Numbers, and the names of weekdays; times of day and durations are given in hours.
    """
    if not pd.api.types.is_datetime64_any_dtype(dates.dtype):
        return {f"{name}: hours": _hours(dates)}
    year, month, hour = (
        part if dates.notna().all() else part.astype(float) for part in (dates.dt.year, dates.dt.month, dates.dt.hour)
    )
    timed = {f"{name}: hour": hour} if has_times(dates) else {}
    return {f"{name}: year": year, f"{name}: month": month, f"{name}: weekday": dates.dt.day_name(), **timed}


def has_times(dates: pd.Series) -> bool:
    """Whether some date is not at midnight."""
    return bool((dates.dropna() != dates.dropna().dt.normalize()).any())


def _hours(times: pd.Series) -> pd.Series:
    if pd.api.types.is_timedelta64_dtype(times.dtype):
        return times.dt.total_seconds() / 3600
    return times.map(lambda time: time.hour + time.minute / 60, na_action="ignore").astype(float)


def _parsed(texts: pd.Series, form: str) -> pd.Series | None:
    """The dates; None unless all texts are dates of this form."""
    if form == "ISO8601" and not texts.str.match(r"\d{4}-\d\d-\d\d").all():  # it takes bare numbers for years, too
        return None
    found = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
    return None if found.isna().any() else found.dt.tz_localize(None)
