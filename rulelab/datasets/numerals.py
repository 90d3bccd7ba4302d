"""Numbers as people write them: with a decimal comma, with digits grouped by three."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd

from .dataset import listing, quote
from .reading import Reading

PLAIN = (".", "")
"""The decimal and the thousands mark of Python's own numbers."""
MARKS = (PLAIN, (",", ""), (".", ","), (",", "."), (",", " "), (".", " "), (".", "'"))
"""The pairs of decimal and thousands mark that are tried."""
NEARLY = 0.9
"""Share of a column's cells that are numbers, from which on it is said when it is no column of numbers."""
_SAMPLE = 200
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_SPACES = "[ \u00a0\u202f]"
_NAMES = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}


def is_text(values: pd.Series) -> bool:
    """Whether cells are texts: a column that was read as no numbers, Booleans or dates."""
    if isinstance(values.dtype, pd.StringDtype):
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in ("string", "mixed")


def numbers(frame: pd.DataFrame, given: Reading, as_texts: Callable[[], pd.DataFrame]) -> tuple[pd.DataFrame, Reading]:
    """The table with numbers in place of texts that are numbers, and by which marks.

    Parameters
    ----------
    frame : DataFrame
        As read with a decimal point.
    given : Reading
        Marks that are None are guessed: those by which most columns are numbers.
    as_texts : callable
        Gives the same table with every cell as text; called only where other marks come into question.
    """
    asked = [marks for marks in MARKS if _allowed(marks, given)] or [(given.decimal or ".", given.thousands or "")]
    texts = [column for column in frame.columns if is_text(frame[column])]
    telling = [_telling(frame[column]) for column in texts]
    promising = [m for m in asked if m != PLAIN and any(_share(cells, m) >= NEARLY for cells in telling)]
    if given.decimal in (None, ".") and given.thousands in (None, "") and not promising:
        return frame, replace(given, decimal=".", thousands="")
    written = as_texts()
    marks, doubt = _best(written, texts, promising if len(asked) > 1 else asked, asked, str(given.separator))
    doubts = [*given.doubts, *([doubt] if doubt else [])]
    if marks == PLAIN:
        return frame, replace(given, decimal=".", thousands="", doubts=tuple(doubts))
    changed: dict[str, pd.Series] = {}
    for column in frame.columns:
        found = converted(written[column], marks)
        if found is not None:
            changed[column] = found
        elif marks[0] == "," and pd.api.types.is_float_dtype(frame[column]) and frame[column].notna().any():
            doubts.append(f"column {quote(column)} has decimal points, in a file of decimal commas; it is read so")
    return frame.assign(**changed), replace(given, decimal=marks[0], thousands=marks[1], doubts=tuple(doubts))


def converted(texts: pd.Series, marks: tuple[str, str]) -> pd.Series | None:
    """The numbers that the texts are by these marks; None where one of them is none, or all are missing."""
    codes, values = pd.factorize(texts)
    if not len(values) or _share(values[:_SAMPLE], marks) < 1 or _share(values, marks) < 1:
        return None
    plain = [_plain(str(value), marks) for value in values]
    if (codes >= 0).all() and all(map(_WHOLE.fullmatch, plain)):
        return pd.Series(np.array(list(map(int, plain)), dtype=np.int64)[codes], index=texts.index)
    found = np.array(list(map(float, plain)))
    return pd.Series(np.append(found, np.nan)[codes], index=texts.index)


def nearly_numbers(values: pd.Series, reading: Reading | None) -> str:
    """What is to be said of texts most of which are numbers, by some marks; empty where there is nothing to say."""
    if not is_text(values):
        return ""
    own = PLAIN if reading is None else (str(reading.decimal), str(reading.thousands))
    promising = [marks for marks in dict.fromkeys((own, *MARKS)) if _share(_sample(values), marks) >= NEARLY / 2]
    if not promising:
        return ""
    counts = values.value_counts()
    total = int(counts.sum())
    for marks in promising:
        right = np.array([_is_number(str(value), marks) for value in counts.index], dtype=bool)
        n_numbers = int(counts.to_numpy()[right].sum())
        if n_numbers < NEARLY * total:
            continue
        share = f"{100 * n_numbers / total:.3g} % of its cells are numbers"
        if marks == own or n_numbers < total:
            others = listing([str(value) for value in counts.index[~right]], 3)
            by = "" if marks == own else f" {_by(marks)}"
            return f"it is read as text, but {share}{by}; the others are {others}"
        return f"it is read as text, but {share} {_by(marks)}, such as {quote(str(counts.index[0]))}"
    return ""


def _by(marks: tuple[str, str]) -> str:
    decimal, thousands = marks
    return f"with a decimal {_NAMES[decimal]}" + (f" and a thousands {_NAMES[thousands]}" if thousands else "")


def _allowed(marks: tuple[str, str], given: Reading) -> bool:
    decimal, thousands = marks
    return given.decimal in (None, decimal) and given.thousands in (None, thousands)


def _best(
    written: pd.DataFrame,
    texts: Sequence[str],
    promising: Sequence[tuple[str, str]],
    asked: Sequence[tuple[str, str]],
    separator: str,
) -> tuple[tuple[str, str], str]:
    """The marks by which most columns are numbers, and a doubt where others of another meaning are as good."""
    if len(asked) == 1:
        return asked[0], ""
    values = {column: pd.unique(written[column].dropna()) for column in written.columns}
    usual = "." if separator == "," else ","  # a decimal comma needs another separator, or quotes

    def worth(marks: tuple[str, str]) -> tuple[int, bool, bool]:
        right = sum(_share(values[c], marks) >= NEARLY if c in texts else _share(values[c], marks) == 1 for c in values)
        return right, marks[0] == usual, not marks[1]

    tried = {marks: worth(marks) for marks in dict.fromkeys((*promising, *(m for m in asked if m == PLAIN)))}
    if not tried:
        return asked[0], ""
    best = max(tried, key=lambda marks: tried[marks])
    rivals = [m for m in tried if m[0] != best[0] and tried[m][0] == tried[best][0]]
    if not rivals:
        return best, ""
    for cell in (str(value) for column in texts for value in values[column]):
        one, other = (_plain(cell, marks) if _is_number(cell, marks) else "" for marks in (best, rivals[0]))
        if one and other and one != other:
            return best, f"{quote(cell)} is read as {one}, {_by(best)}; it could be {other}, {_by(rivals[0])}"
    return best, ""


def _sample(values: pd.Series) -> Sequence[object]:
    return pd.unique(values.iloc[: 20 * _SAMPLE].dropna())[:_SAMPLE]


def _telling(values: pd.Series) -> Sequence[object]:
    """Some cells of a column of texts by which to tell its marks: where most are plain numbers, the others."""
    some = _sample(values)
    if _share(some, PLAIN) < NEARLY:
        return some
    return [value for value in pd.unique(values.dropna()) if not _is_number(str(value), PLAIN)][:_SAMPLE]


def _share(values: Iterable[object], marks: tuple[str, str]) -> float:
    found = [match is not None for match in map(_pattern(*marks).fullmatch, map(str, values))]
    return sum(found) / len(found) if found else 0.0


def _is_number(text: str, marks: tuple[str, str]) -> bool:
    return _pattern(*marks).fullmatch(text) is not None


@lru_cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    point = re.escape(decimal)
    either = rf"(?:\d+(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?"
    if thousands:
        mark = _SPACES if thousands == " " else re.escape(thousands)
        either = rf"\d{{1,3}}(?:{mark}\d{{3}})+(?:{point}\d*)?|{either}"
    return re.compile(rf"\s*[+-]?(?:{either})\s*", re.ASCII)


def _plain(text: str, marks: tuple[str, str]) -> str:
    """The number as Python writes it."""
    decimal, thousands = marks
    text = text.strip()
    if thousands:
        text = re.sub(_SPACES if thousands == " " else re.escape(thousands), "", text)
    return text.replace(decimal, ".")
