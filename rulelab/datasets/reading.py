"""How a text file is written: its encoding, its separator, the marks in its numbers; given, or guessed and said so."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

import pandas as pd

from .dataset import DatasetError
from .guesses import listing, quote
from .packed import refuse_others

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
DECIMALS = {"point": ".", "comma": ","}
HEADERS = {"yes": True, "no": False, "true": True, "false": False}
THOUSANDS = {"none": "", "comma": ",", "point": ".", "space": " ", "apostrophe": "'"}
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "gb18030", "shift_jis")
"""The usual ones; UTF-8, UTF-16 with its mark and cp1252 are guessed. Any other that Python knows can be given."""
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_QUOTED = re.compile(r'"[^"]*"')
_SAMPLE_CHARACTERS = 200_000
_SAMPLE_ROWS = 200
_MOST_TITLES = 10
_FEWEST_BELOW = 3
_A_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?", re.ASCII)
_INDEX = "index"  # the name of a first column that has none
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Reading:
    """How a text file is read. What is None is guessed from the file.

    Attributes
    ----------
    encoding : str or None
        Such as ``"utf-8"``, ``"utf-16"`` or ``"cp1252"``.
    separator : str or None
        Between cells: one character, or ``"comma"``, ``"semicolon"``, ``"tab"``, ``"pipe"``.
    decimal : str or None
        ``"."`` or ``","``, or their names ``"point"`` and ``"comma"``.
    thousands : str or None
        What groups digits by three: ``","``, ``"."``, ``" "``, ``"'"``, or ``""`` for nothing; or their names
        ``"comma"``, ``"point"``, ``"space"``, ``"apostrophe"``, ``"none"``. A space stands for unbreakable ones, too.
    missing : str, sequence of str or None
        Cells that are empty besides those that always are (``NA``, ``null`` and the like); with ``""`` among them only
        these. None: words such as ``"?"``, ``"-"`` and ``"k.A."`` are empty in columns of numbers.
    skip : int or None
        Lines above the table, such as its title; blank ones do not count.
    header : bool, str or None
        Whether the first line names the columns (``"yes"``, ``"no"``); else they are called c1, c2, ...
    doubts : tuple of str
        Guesses that could have been others, in words.
    """

    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: Sequence[str] | str | None = None
    skip: int | str | None = None
    header: bool | str | None = None
    doubts: tuple[str, ...] = ()

    def checked(self) -> Reading:
        """The same with characters in place of names; DatasetError for what cannot be meant."""
        if self.encoding is not None:
            try:
                if not codecs.lookup(self.encoding)._is_text_encoding:  # type: ignore[attr-defined]
                    raise LookupError
            except (LookupError, ValueError):
                known = ", ".join(ENCODINGS[:4])
                raise DatasetError(
                    f"encoding must be one that Python knows ({known}, ...), not {quote(self.encoding)}"
                ) from None
        separator = SEPARATORS.get(str(self.separator), self.separator)
        if separator is not None and (len(separator) != 1 or separator in '"\r\n' or separator.isalnum()):
            raise DatasetError(
                f"separator must be one character or one of {', '.join(SEPARATORS)}, not {quote(self.separator)}"
            )
        decimal = _one_of("decimal", self.decimal, DECIMALS)
        thousands = _one_of("thousands", self.thousands, THOUSANDS)
        if decimal is not None and decimal == thousands:
            raise DatasetError(f"decimal and thousands cannot both be {quote(decimal)}")
        missing = (self.missing,) if isinstance(self.missing, str) else self.missing
        if missing is not None and not all(isinstance(mark, str) for mark in missing):
            raise DatasetError(f"missing must be texts, not {quote(missing)}")
        skip, header = self.skip, self.header
        if skip is not None:
            if isinstance(skip, bool) or not re.fullmatch(r"\d{1,4}", str(skip)):
                raise DatasetError(f"skip must be a number of lines from 0 to 9999, not {quote(skip)}")
            skip = int(skip)
        if header is not None and str(header).lower() not in HEADERS:
            raise DatasetError(f"header must be one of {', '.join(HEADERS)}, not {quote(header)}")
        return replace(
            self,
            separator=separator,
            decimal=decimal,
            thousands=thousands,
            missing=None if missing is None else tuple(mark.strip() for mark in missing),
            skip=skip,
            header=None if header is None else HEADERS[str(header).lower()],
        )

    @property
    def words(self) -> str:
        """All of it in words, once it is known."""
        marks = {mark: name for name, mark in THOUSANDS.items()}
        separator = {mark: name for name, mark in SEPARATORS.items()}.get(str(self.separator), quote(self.separator))
        more = f", {self.skip} {'lines' if self.skip != 1 else 'line'} skipped" if self.skip else ""
        more += ", without a header" if self.header is False else ""
        more += f", empty also {', '.join(map(quote, self.missing))}" if self.missing else ""
        return (
            f"{self.encoding}, separated by {separator}, decimal {marks[str(self.decimal)]}, "
            f"thousands {marks[str(self.thousands)]}{more}"
        )


def decoded(raw: bytes, given: Reading, file_name: str) -> tuple[str, Reading]:
    """The text of a file, and the encoding that it was found to have; raises DatasetError."""
    refuse_others(raw, file_name)
    encoding, doubt = given.encoding, ""
    if encoding is None:
        encoding, doubt = _guess_encoding(raw)
    try:
        text = raw.decode("utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        at = error.start + (len(raw) - len(error.object))
        raise DatasetError(
            f"{file_name} is not {encoding.upper()}: byte 0x{raw[at]:02x} at position {at} (line "
            f"{raw.count(bytes([10]), 0, at) + 1}); save it again as UTF-8, or say which encoding it has"
        ) from error
    text = text.removeprefix("\ufeff")
    control = _CONTROL.search(text) if "\0" in text or (doubt and given.encoding is None) else None
    if control:
        what = "a zero byte" if control[0] == "\0" else f"the control character 0x{ord(control[0]):02x}"
        raise DatasetError(
            f"{file_name} is no CSV text: it has {what} in line {text.count(chr(10), 0, control.start()) + 1}; "
            "save it again as CSV in UTF-8"
        )
    if not text.strip():
        raise DatasetError(f"{file_name} is empty")
    return text, replace(given, encoding=encoding, doubts=(*given.doubts, *([doubt] if doubt else [])))


def separated(text: str, given: Reading, file_name: str) -> tuple[list[str], Reading]:
    """The names of the columns, and where and how the table was found to begin: separator, lines to skip, header."""
    separator, doubts = given.separator, list(given.doubts)
    if separator is None:
        separator, doubt = _guess_separator(text)
        doubts += filter(None, [doubt])
    found = records(text, separator, file_name)
    first = list(itertools.islice(found, max(_SAMPLE_ROWS, int(given.skip or 0) + 2)))
    skip = int(given.skip) if given.skip is not None else _title_lines([record for _, record in first])
    if skip >= len(first):
        raise DatasetError(f"{file_name} has no {skip + 1} lines; skip fewer")
    if skip and given.skip is None:
        doubts.append(f"above the table {listing([record[0] for _, record in first[:skip]], 3)} is skipped")
    head, below = first[skip][1], [record for _, record in first[skip + 1 :]]
    header = given.header if isinstance(given.header, bool) else not _is_data(head, below)
    if not header and given.header is None:
        doubts.append(
            f"there seems to be no header, for the first line {listing(head, 4)} is like those below; the columns are "
            "called c1, c2, ..."
        )
    names = head if header else [f"c{k}" for k in range(1, len(head) + 1)]
    if not names[0].strip() and _INDEX not in names and any(map(str.strip, names[1:])):  # as pandas saves a table
        names = [_INDEX, *names[1:]]
        doubts.append(f"the first column has no name and is called {quote(_INDEX)}")
    names, renamed = _told_apart(names)
    doubts += renamed
    return names, replace(given, separator=separator, skip=skip, header=header, doubts=tuple(doubts))


def _title_lines(first: Sequence[Sequence[str]]) -> int:
    """How many lines at the top are no part of the table: they have fewer cells, those below have all as many.

    Lines of several cells are, where what follows them names columns.
    """
    widths = [sum(bool(cell.strip()) for cell in record) for record in first[: _MOST_TITLES + 1]]
    one_each = next((k for k, width in enumerate(widths) if width > 1), 0)
    for skip in range(one_each, len(widths)):
        width = len(first[skip])
        if width > max(widths[:skip], default=0) and all(len(record) == width for record in first[skip:]):
            head, below = first[skip], first[skip + 1 :]
            named = len(below) >= _FEWEST_BELOW and all(cell.strip() for cell in head) and not _is_data(head, below)
            return skip if skip == one_each or named else 0
    return 0


def _is_data(head: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a first line names no columns: most of its cells are numbers, or values of their columns."""
    filled = [k for k, cell in enumerate(head) if cell.strip()]
    if not filled or len(below) < _FEWEST_BELOW:
        return False
    numbers = [k for k in filled if _A_NUMBER.fullmatch(head[k].strip())]
    whole = [int(head[k]) for k in numbers if head[k].strip().isdecimal()]
    if len(whole) == len(numbers) > 1 and whole == list(range(whole[0], whole[0] + len(whole))):
        numbers = []  # years, or columns that are numbered
    same = [k for k in filled if any(k < len(record) and record[k] == head[k] for record in below)]
    return 2 * len({*numbers, *same}) > len(filled)


def _told_apart(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that occur once each, and what is to be said of it."""
    taken, out, said = set(names), list[str](), list[str]()
    for place, name in enumerate(names):
        new, k = name, 1
        while (name.strip() and new in out) or (k > 1 and new in taken):
            k += 1
            new = f"{name} ({k})"
        if new != name:
            said.append(f"column {place + 1} is called {quote(name)} as another one; it is read as {quote(new)}")
        out.append(new)
    return out, said


def records(text: str, separator: str, file_name: str) -> Iterator[tuple[int, list[str]]]:
    """The number of each line that is not blank, and its cells; a quoted cell may go over several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for record in reader:
            if record and (len(record) > 1 or record[0].strip()):
                yield reader.line_num, record
    except csv.Error as error:
        raise DatasetError(f"{file_name} is no readable CSV: {error} in line {reader.line_num}") from error


def _one_of(what: str, value: str | None, named: dict[str, str]) -> str | None:
    mark = value if value is None else named.get(value, value)
    if mark is not None and mark not in named.values():
        shown = ", ".join(repr(mark) for mark in named.values())
        raise DatasetError(f"{what} must be one of {shown} (or {', '.join(named)}), not {quote(value)}")
    return mark


def _guess_encoding(raw: bytes) -> tuple[str, str]:
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return name, ""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        lenient = raw.decode("utf-8", errors="replace")
        wrong = lenient.count("\ufffd")
        right = sum(character > "\x7f" for character in lenient) - wrong
        if right > 10 * wrong:  # damaged UTF-8: another encoding would turn its letters into nonsense
            return "utf-8", ""
        said = "it is not UTF-8 and is read as cp1252 (western European)"
        return "cp1252", f"{said}; where letters look wrong, choose another encoding"
    return "utf-8", ""


def _guess_separator(text: str) -> tuple[str, str]:
    """The one by which all rows have as many cells as the header; else the one that is most often in the header."""
    start = text.lstrip()[:_SAMPLE_CHARACTERS]
    if len(start) == _SAMPLE_CHARACTERS:
        start = start.rpartition("\n")[0] or start
    lines = [line for line in re.split(r"[\r\n]+", _QUOTED.sub("", start)) if line.strip()]
    header = max(lines[: _MOST_TITLES + 1], key=lambda line: sum(map(line.count, SEPARATORS.values())))
    present = [separator for separator in SEPARATORS.values() if separator in header]
    if not present:
        return ",", ""
    for titled in (False, True):  # lines above the table, only where it is not even with them
        even = {s: width for s in present if (width := _even_width(start, s, titled)) > 1}
        if even:
            break
    if not even:
        return max(present, key=header.count), ""
    best = max(even, key=lambda separator: (even[separator], header.count(separator)))
    others = [quote(separator) for separator in even if separator != best]
    doubt = f"the separator may be {' or '.join(others)} instead of {quote(best)}" if others else ""
    return best, doubt


def _even_width(start: str, separator: str, titled: bool) -> int:
    """The number of cells of all rows of a sample, or from the first one that has several; 0 where they differ."""
    width = 0
    try:
        for number, (_, record) in enumerate(records(start, separator, "")):
            width = len(record) if not width or (titled and width < 2 and number <= _MOST_TITLES) else width
            if len(record) != width:
                return 0
            if number == _SAMPLE_ROWS:
                break
    except DatasetError:
        return 0
    return width


def parse_csv(source: TextIO, **options: Any) -> pd.DataFrame:
    """`pandas.read_csv` with exact numbers, one type per column and no column taken for an index."""
    return pd.read_csv(source, index_col=False, low_memory=False, **_EXACT, **options)


# From 3.1 on pandas rounds correctly by default and deprecates the option that asks for it.
_VERSION = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT: dict[str, Any] = {} if _VERSION >= (3, 1) else {"float_precision": "round_trip"}
