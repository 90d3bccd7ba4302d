"""Numbers as people write them: decimal commas, digits grouped by three, units, words for cells that are empty."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from ..dates import HOURS, form_of, is_text
from .guesses import WORDS, listing, quote
from .reading import Reading

PLAIN = (".", "")
"""The decimal and the thousands mark of Python's own numbers."""
MARKS = (PLAIN, (",", ""), (".", ","), (",", "."), (",", " "), (".", " "), (".", "'"))
"""The pairs of decimal and thousands mark that are tried."""
NEARLY = 0.9
"""Share of a column's cells that are numbers, from which on it is said when it is no column of numbers."""
_MANY_NUMBERS, _FEW_WORDS = 10, 3
"""Different cells that are numbers, and others, where the others may all mean that there is none."""
_BOOLEANS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
_UNITS = WORDS["money"] | WORDS["units"]
_NUMBER = r"[+-]?[\d.,' \u00a0\u202f]*\d[.,]?"
_WITH_UNIT = re.compile(
    rf"\s*([+-]?)([^\W\d_]*[^\s\d.,'+()-]?\.?\s?)({_NUMBER})(\s?[^\s\d.,'+()-][^\d,'+()-]{{0,11}})?\s*"
)
_WHOLE_CELL = r"[+-]?(?:0|[1-9]\d*)"
_POINTED = rf"{_WHOLE_CELL}\.\d*(?:[eE][+-]?\d+)?|[+-]?\.\d+(?:[eE][+-]?\d+)?|{_WHOLE_CELL}[eE][+-]?\d+"
_PYTHON = rf"{_WHOLE_CELL}|{_POINTED}|[+-]?(?:inf|Inf|INF|infinity|Infinity)"
_LONG = r"[+-]?\d{19,}"
PATTERNS = (_PYTHON, _POINTED, _LONG)
"""What is asked of every column, and first whether all its cells are as the first says."""
_CODE = re.compile(r"0\d+", re.ASCII)
_FEW_CODES = 0.1
_SAMPLE = 200
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_SPACES = "[ \u00a0\u202f]"
_NAMES = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}


class Cells:
    """The texts of a column in memory, without those that are missing; patterns are those of RE2."""

    total: int
    """How many there are."""

    def __init__(self, texts: pd.Series) -> None:
        self._counts = {str(text): int(n) for text, n in texts.value_counts().items()}
        self.total = sum(self._counts.values())

    @cached_property
    def distinct(self) -> int:
        """How many different ones there are."""
        return len(self._counts)

    def matching(self, pattern: str) -> int:
        """How many are wholly as a pattern says."""
        found = re.compile(pattern, re.ASCII).fullmatch
        return sum(n for text, n in self._counts.items() if found(text))

    def unlike(self, pattern: str) -> Mapping[str, int]:
        """The others, with how often each is there."""
        found = re.compile(pattern, re.ASCII).fullmatch
        return {text: n for text, n in self._counts.items() if not found(text)}


@dataclass(frozen=True)
class Form:
    """How the cells of a column are read."""

    # kind: "text", "number", "whole" (numbers without decimals), "boolean", "date" or "time" (of day, or a duration);
    # the cells of the last two stay texts
    kind: str = "text"
    marks: tuple[str, str] = PLAIN  # the decimal and the thousands mark
    unit: tuple[str, str] = ("", "")  # what stands before and after every number, and is left out
    empty: Mapping[str, int] = field(default_factory=dict)
    """Texts that are read as missing, with how often each is there."""
    doubts: tuple[str, ...] = ()
    dates: str = ""  # the form of dates
    accounts: bool = False  # whether numbers in parentheses are negative

    @property
    def is_number(self) -> bool:
        return self.kind in ("number", "whole")

    @property
    def is_plain(self) -> bool:
        """Whether numbers are written as Python writes them."""
        return self.marks == PLAIN and not any(self.unit) and not self.accounts

    @property
    def pattern(self) -> str:
        """The numbers by its marks, without their unit, as a regular expression of ASCII."""
        return _pattern(*self.marks).pattern

    def read(self, texts: pd.Series) -> pd.Series:
        """The cells of a column in memory."""
        texts = texts.where(~texts.isin(list(self.empty))) if self.empty else texts
        if self.kind in ("text", "date", "time"):
            return texts
        if self.kind == "boolean":
            found = texts.map(_BOOLEANS).astype(object)
            return found.astype(bool) if texts.notna().all() else found
        for piece in filter(None, self.unit):
            texts = texts.str.replace(piece, "", regex=False)
        found = converted(texts, self.marks)
        assert found is not None  # or the form would be another
        return found


class _Parts:
    """What a column holds besides numbers as Python writes them: empty cells, units, other numbers, texts."""

    def __init__(self, cells: Cells, given: Reading) -> None:
        self.cells = cells
        others = dict(sorted(cells.unlike(_PYTHON).items()))  # so that examples are the same wherever they lie
        own = set(given.missing or ())
        only = given.missing is not None and "" in own
        usual = own | (frozenset([""]) if only else WORDS["empty"])
        self.empty = {text: n for text, n in others.items() if text.strip() in usual}
        words = frozenset() if only else WORDS["unknown"] | WORDS["empty_in_numbers"]
        self.unsaid = {t: n for t, n in others.items() if t not in self.empty and t.strip().casefold() in words}
        self.rest = {text: n for text, n in others.items() if text not in self.empty and text not in self.unsaid}
        self.plain = cells.total - sum(others.values())
        pieces = {} if self.plain and self.plain > cells.matching("0") else _units(self.rest)
        self.unit = next(iter(pieces.values()))[0] if pieces else ("", "")
        self.cores = [core for _, core in pieces.values()] if pieces else list(self.rest)

    @cached_property
    def pointed(self) -> bool:
        return bool(self.plain) and self.cells.matching(_POINTED) > 0

    def share(self, marks: tuple[str, str]) -> float:
        """That of the different cells besides plain numbers which are numbers by these marks."""
        if marks != PLAIN and self.pointed and not self.fits_plain(marks):
            return 0.0
        return _share(self.cores, marks) if self.cores else float(self.plain > 0)

    def fits_plain(self, marks: tuple[str, str]) -> bool:
        """Whether the plain numbers are numbers by these marks, too."""
        if marks == PLAIN or not self.pointed:
            return True
        by_them = sum(n for text, n in self.rest.items() if is_number(text, marks))
        return self.cells.matching(_pattern(*marks).pattern) == self.plain + by_them

    @property
    def codes(self) -> str:
        """A number that begins with a zero, where such are codes; "" where there is none."""
        led = [core for core in self.cores if _CODE.fullmatch(core.strip())]
        if not led or not all(map(_WHOLE.fullmatch, self.cores)):
            return ""
        n, numbers = sum(self.rest.get(text, 0) for text in led), self.plain + sum(self.rest.values())
        of_one_length = self.cells.matching(rf"\d{{{len(led[0])}}}") == numbers
        return led[0] if n >= _FEW_CODES * numbers or of_one_length else ""


def forms(columns: Mapping[str, Cells], given: Reading) -> tuple[dict[str, Form], Reading]:
    """How each column is read, and the marks by which most are numbers, which are guessed where they are None."""
    allowed = [marks for marks in MARKS if given.decimal in (None, marks[0]) and given.thousands in (None, marks[1])]
    asked = allowed or [(given.decimal or ".", given.thousands or "")]
    parts = {name: _Parts(cells, given) for name, cells in columns.items()}
    best, doubt = _best(list(parts.values()), asked, str(given.separator))
    found = {name: _form(each, [best, *(m for m in asked if m != best)], best) for name, each in parts.items()}
    doubts = [*given.doubts, *([doubt] if doubt else [])]
    return found, replace(given, decimal=best[0], thousands=best[1], doubts=tuple(doubts))


def _form(parts: _Parts, asked: Sequence[tuple[str, str]], usual: tuple[str, str]) -> Form:
    text = Form(empty=parts.empty)
    if parts.rest and not parts.plain and all(each in _BOOLEANS for each in parts.rest) and not parts.unsaid:
        return replace(text, kind="boolean")
    if not parts.plain and not parts.rest:
        return text
    if code := parts.codes:
        said = f"cells such as {quote(code)} begin with a zero, so that they are read as codes, not as numbers"
        return replace(text, doubts=(said,))
    fits = [marks for marks in asked if all(is_number(c, marks) for c in parts.cores) and parts.fits_plain(marks)]
    if parts.unsaid and parts.cells.distinct - len(parts.empty) - len(parts.unsaid) < 2:
        return text
    if not fits:
        return text if parts.plain else _of_time(parts)
    marks, doubts = fits[0], []
    if led := next((core for core in parts.cores if _CODE.fullmatch(core.strip())), ""):
        doubts.append(f"{quote(led)} is read as {int(led)}")
    below = [core for core in parts.cores if core.strip().startswith("(")]
    if below:
        doubts.append(f"{quote(below[0])} is read as {as_python_writes(below[0], marks)}")
    if any(parts.unit):
        doubts.append(f"{quote(next(iter(parts.rest)))} is read as {as_python_writes(parts.cores[0], marks)}")
    doubts += _said_empty(parts, "numbers")
    if marks != usual and (marks[0] != usual[0] or any(parts.cores)):
        unlike = f"in a file of decimal {_NAMES[usual[0]]}s" if marks[0] != usual[0] else "unlike the others"
        doubts.append(f"has decimal {_NAMES[marks[0]]}s, {unlike}; it is read so")
    if marks != usual:
        doubts += filter(None, [_ambiguous(parts.cores, marks, [each for each in fits if each[0] != marks[0]])])
    wholes = [_WHOLE.fullmatch(as_python_writes(core, marks)) for core in parts.cores]
    whole = all(wholes) and (marks[0] != "." or not parts.pointed) and not parts.cells.matching(_LONG)
    empty = {**parts.empty, **parts.unsaid}
    kind = "whole" if whole else "number"
    return Form(kind, marks, parts.unit, empty, tuple(doubts), accounts=bool(below))


def _said_empty(parts: _Parts, others: str) -> list[str]:
    """That words are read as empty, if any is."""
    listed = ", ".join(f"{quote(text)} {n}" for text, n in list(parts.unsaid.items())[:4])
    return [f"its other cells are {others}, so that these are read as empty: {listed}"] if listed else []


def _of_time(parts: _Parts) -> Form:
    """How a column of texts is read that may be dates, times of day or durations."""
    texts = list(parts.rest)
    if all(map(re.compile(HOURS, re.ASCII).fullmatch, texts)):
        said = "" if any(text.count(":") > 1 for text in texts) else f"{quote(texts[0])} is read as hours and minutes"
        kind, form = "time", ""
    else:
        kind, (form, said) = "date", form_of(texts)
    if kind == "date" and not form:
        return Form(empty=parts.empty)
    doubts = [*filter(None, [said]), *_said_empty(parts, "dates" if form else "times")]
    return Form(kind, empty={**parts.empty, **parts.unsaid}, doubts=tuple(doubts), dates=form)


def _ambiguous(cores: Iterable[str], marks: tuple[str, str], others: Sequence[tuple[str, str]]) -> str:
    """That a cell could be another number by other marks; empty where none is."""
    for other in others:
        for core in cores:
            one, two = (as_python_writes(core, m) if is_number(core, m) else "" for m in (marks, other))
            if one and two and one != two:
                return f"{quote(core)} is read as {one}, {_by(marks)}; it could be {two}, {_by(other)}"
    return ""


def _units(texts: Mapping[str, int]) -> dict[str, tuple[tuple[str, str], str]]:
    """The unit and the number of each text; none where they have none, or not the same one."""
    out: dict[str, tuple[tuple[str, str], str]] = {}
    for text in texts:
        match = _WITH_UNIT.fullmatch(text)
        if match is None:
            return {}
        before, after = match[2].strip(), (match[4] or "").strip()
        known = not before or before in WORDS["money"] or unicodedata.category(before[-1]) == "Sc"
        apart = bool(match[4]) and match[4][0].isspace()
        known_after = not after or apart or after in _UNITS or unicodedata.category(after[0]) == "Sc"
        unit = before, after
        if not (known and known_after) or not (before or after) or (out and unit != next(iter(out.values()))[0]):
            return {}
        out[text] = unit, f"{match[1]}{match[3]}".strip()
    return out


def numbers(
    frame: pd.DataFrame, given: Reading, as_texts: Callable[[Sequence[str]], pd.DataFrame], has_codes: bool
) -> tuple[pd.DataFrame, Reading, dict[str, Form]]:
    """The table with numbers in place of texts that are numbers, by which marks, and how its columns were read.

    ``as_texts`` gives columns with every cell as text. ``has_codes``: whether some number may begin with a zero.
    """
    every = list(frame.columns)
    some = [c for c in every if has_codes or is_text(frame[c]) or frame[c].isna().any()]
    if given.missing or (given.decimal or ".", given.thousands or "") != PLAIN:
        some = every
    while True:
        written = as_texts(some)
        found, reading = forms({column: Cells(written[column]) for column in some}, given)
        if some == every or (reading.decimal, reading.thousands) == PLAIN:
            break
        some = every  # plain numbers may be others by these marks
    return frame.assign(**{column: found[column].read(written[column]) for column in some}), reading, found


def converted(texts: pd.Series, marks: tuple[str, str]) -> pd.Series | None:
    """The numbers that the texts are by these marks; None where one of them is none, or all are missing."""
    codes, values = pd.factorize(texts)
    if not len(values) or _share(values[:_SAMPLE], marks) < 1 or _share(values, marks) < 1:
        return None
    plain = [as_python_writes(str(value), marks) for value in values]
    if (codes >= 0).all() and all(map(_WHOLE.fullmatch, plain)):
        return pd.Series(np.array(list(map(int, plain)), dtype=np.int64)[codes], index=texts.index)
    found = np.array(list(map(float, plain)))
    return pd.Series(np.append(found, np.nan)[codes], index=texts.index)


def nearly_numbers(values: pd.Series, reading: Reading | None) -> str:
    """What is to be said of texts most of which are numbers, by some marks; empty where there is nothing to say."""
    if not is_text(values):
        return ""
    own = PLAIN if reading is None else (str(reading.decimal), str(reading.thousands))
    some = pd.unique(values.iloc[: 20 * _SAMPLE].dropna())[:_SAMPLE]
    promising = [marks for marks in dict.fromkeys((own, *MARKS)) if _share(some, marks) >= NEARLY / 2]
    if not promising:
        return ""
    counts = values.value_counts()
    total = int(counts.sum())
    for marks in promising:
        right = np.array([is_number(str(value), marks) for value in counts.index], dtype=bool)
        n_numbers = int(counts.to_numpy()[right].sum())
        few = counts.index[~right] if right.sum() >= _MANY_NUMBERS and sum(~right) <= _FEW_WORDS else []
        if n_numbers < (0.5 if len(few) else NEARLY) * total:
            continue
        if n_numbers == total and marks == own:
            return "it is read as text, as the file has it, but all its cells are numbers"
        share = f"{100 * n_numbers / total:.3g} % of its cells are numbers"
        if marks == own or n_numbers < total:
            others = listing([str(value) for value in counts.index[~right]], 3)
            by = "" if marks == own else f" {_by(marks)}"
            hint = "; name them as missing if they are" if reading is not None and len(few) else ""
            return f"it is read as text, but {share}{by}; the others are {others}{hint}"
        return f"it is read as text, but {share} {_by(marks)}, such as {quote(str(counts.index[0]))}"
    return ""


def _by(marks: tuple[str, str]) -> str:
    decimal, thousands = marks
    return f"with a decimal {_NAMES[decimal]}" + (f" and a thousands {_NAMES[thousands]}" if thousands else "")


def _best(columns: Sequence[_Parts], asked: Sequence[tuple[str, str]], separator: str) -> tuple[tuple[str, str], str]:
    """The marks by which most columns are numbers, and a doubt where others of another meaning are as good."""
    if len(asked) == 1:
        return asked[0], ""
    usual = "." if separator == "," else ","  # a decimal comma needs another separator, or quotes
    promising = [m for m in asked if m == PLAIN or any(c.cores and c.share(m) >= NEARLY for c in columns)] or asked[:1]
    tried = {m: (sum(c.share(m) >= NEARLY for c in columns), m[0] == usual, not m[1]) for m in promising}
    best = max(tried, key=lambda marks: tried[marks])
    rivals = [m for m in tried if m[0] != best[0] and tried[m][0] == tried[best][0]]
    return best, _ambiguous([cell for column in columns for cell in column.cores], best, rivals[:1])


def _share(values: Iterable[object], marks: tuple[str, str]) -> float:
    found = [match is not None for match in map(_pattern(*marks).fullmatch, map(str, values))]
    return sum(found) / len(found) if found else 0.0


def is_number(text: str, marks: tuple[str, str]) -> bool:
    return _pattern(*marks).fullmatch(text) is not None


@lru_cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    point = re.escape(decimal)
    either = rf"(?:\d+(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?"
    if thousands:
        mark = _SPACES if thousands == " " else re.escape(thousands)
        either = rf"\d{{1,3}}(?:{mark}\d{{3}})+(?:{point}\d*)?|{either}"
    return re.compile(rf"\s*(?:[+-]?(?:{either})|\((?:{either})\))\s*", re.ASCII)


def as_python_writes(text: str, marks: tuple[str, str]) -> str:
    """The number as Python writes it; accounts put negative ones in parentheses."""
    decimal, thousands = marks
    text = text.strip()
    text = f"-{text[1:-1]}" if text.startswith("(") else text
    if thousands:
        text = re.sub(_SPACES if thousands == " " else re.escape(thousands), "", text)
    return text.replace(decimal, ".")
