"""The table inside a gzip or zip file, or inside an Excel workbook; and files that are none, by their first bytes."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..files import load_tables
from .dataset import DatasetError
from .guesses import listing, quote

BYTES_PER_CELL = 32  # with a limit on cells: how much a compressed file may unpack to, on average
LEAST_UNPACKED_BYTES = 1_000_000  # of a Parquet file, which has more than its cells

_OTHERS = load_tables(Path(__file__).with_name("other_files.toml"))
ACCEPTED = _OTHERS["said"]["accepted"]
_LOCKED = "EncryptedPackage".encode("utf-16-le")

_FORMULA = re.compile(rb"<(?:\w+:)?f[ >/]")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="[A-Z]+(\d+):[A-Z]+(\d+)"')
_NOT_UNPACKED = zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError
"""What `zipfile` raises where an archive is damaged, is locked (RuntimeError), or packed in a way it does not know."""
_DAMAGED = *_NOT_UNPACKED, LookupError, ValueError, TypeError, SyntaxError  # of XML
"""What openpyxl raises where the parts of a workbook are damaged, or are not there."""


def too_large(columns: int, rows: int, max_cells: int | None, file_name: str) -> None:
    """Refuse more cells than the limit."""
    if max_cells is not None and columns * rows > max_cells:
        raise DatasetError(
            f"{file_name} has {columns * rows} cells ({rows} rows x {columns} columns), more than the limit of "
            f"{max_cells}; take fewer columns or a sample of the rows"
        )


def refuse_others(raw: bytes, file_name: str) -> None:
    """Refuse what begins like a file of another kind."""
    begins = (kind for first, kind in _OTHERS["first bytes"].items() if raw.startswith(bytes.fromhex(first)))
    if kind := next(begins, ""):
        raise _not_opened(file_name, True) if _LOCKED in raw else DatasetError(f"{file_name} is {kind}; {ACCEPTED}")


def _not_opened(file_name: str, is_workbook: bool) -> DatasetError:
    kind = "workbook" if is_workbook else "zip file"
    said = f"{file_name}: this {kind} cannot be opened: it is damaged or has a password"
    return DatasetError(f"{said}; make it anew without one, or save the table as CSV")


def unzipped(raw: bytes, file_name: str, max_cells: int | None) -> tuple[bytes, tuple[str, ...]]:
    """The only file in a zip file, or the first sheet of an Excel workbook as CSV, and doubts."""
    limit = None if max_cells is None else max(BYTES_PER_CELL * max_cells, LEAST_UNPACKED_BYTES)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            inside = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename]
            names = [each.filename for each in inside]
            size = sum(each.file_size for each in inside)
            if limit is not None and size > limit:
                raise DatasetError(f"{file_name} unpacks to more than {limit} bytes; take a part of it")
            if "xl/workbook.xml" in names:
                pages = [archive.read(name) for name in names if name.startswith("xl/worksheets/")]
                return _first_sheet(raw, file_name, max_cells, pages)
            for part, kind in _OTHERS["parts"].items():
                if any(name.startswith(part) for name in names):
                    raise DatasetError(f"{file_name} is {kind}; {ACCEPTED}")
            if len(names) != 1:
                raise DatasetError(
                    f"{file_name} holds {len(names)} files ({listing(names, 4)}); give the one to be read"
                )
            return archive.read(inside[0]), ()
    except _NOT_UNPACKED as error:
        raise _not_opened(file_name, file_name.lower().endswith((".xlsx", ".xlsm")) or b"xl/" in raw) from error


def _below(page: bytes) -> bool:
    """Whether cells are merged with ones below them, under a first row that may be a title."""
    return any(1 < int(first) < int(last) for first, last in _MERGED.findall(page))


def _first_sheet(
    raw: bytes, file_name: str, max_cells: int | None, pages: Sequence[bytes]
) -> tuple[bytes, tuple[str, ...]]:
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise DatasetError(
            f"{file_name} is an Excel workbook: save it as CSV, or pip install 'rulelab[excel]' to have it read"
        ) from None
    doubts = []
    try:
        book, page = _opened(raw, True)
        rows: list[list[str]] = []
        width = 0
        for row in page.iter_rows(values_only=True):
            rows.append([_as_written(cell) for cell in row])
            width = max(width, *(k + 1 for k, cell in enumerate(rows[-1]) if cell), 0)
            too_large(width, len(rows), max_cells, file_name)
        if any(map(_FORMULA.search, pages)):
            written = ([cell.data_type == "f" for cell in row] for row in _opened(raw, False)[1].iter_rows())
            blank = sum(
                formula and not value
                for row, texts in zip(written, rows, strict=True)
                for formula, value in zip(row, texts, strict=True)
            )
            if blank:
                said = "whose value is not in the file, and are read as empty: open it in Excel and save it again"
                doubts.append(f"{blank} cells hold formulas {said}")
    except DatasetError:
        raise
    except _DAMAGED as error:
        raise _not_opened(file_name, True) from error
    if any(map(_below, pages)):
        doubts.append("cells are merged with those below: the first of them has the value, the others are empty")
    out = io.StringIO()
    csv.writer(out).writerows([*row[:width], *[""] * (width - len(row))] for row in rows if any(row))
    sheets = len(book.sheetnames)
    if sheets > 1:
        doubts.append(f"of {sheets} sheets the first one, {quote(book.sheetnames[0])}, is read")
    return out.getvalue().encode("utf-8", "replace"), tuple(doubts)


def _opened(raw: bytes, values: bool) -> tuple[Any, Any]:
    """A workbook and its first sheet, with values, or else the formulas that give them."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=values)
    page = book.worksheets[0]
    page.reset_dimensions()  # what the file says of them may be anything
    return book, page


def _as_written(cell: Any) -> str:
    """A cell of a workbook as CSV has it; midnight is that of a date."""
    if isinstance(cell, datetime.datetime):
        return (cell.date() if cell.time() == datetime.time() else cell).isoformat()
    return "" if cell is None else str(cell)


def gunzip(raw: bytes, file_name: str, max_cells: int | None) -> bytes:
    """The file in a gzip file."""
    limit = -1 if max_cells is None else BYTES_PER_CELL * max_cells
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            unpacked = file.read(limit)
            if limit >= 0 and file.read(1):
                raise DatasetError(f"{file_name} unpacks to more than {limit} bytes; take a part of it")
    except (OSError, EOFError, zlib.error, struct.error) as error:
        raise DatasetError(f"{file_name} is a damaged gzip file: {error}") from error
    return unpacked
