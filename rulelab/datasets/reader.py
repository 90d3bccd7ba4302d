"""Read a user's CSV or Parquet file, with every fault named by column and row."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from .dataset import Dataset, DatasetError, check_names, from_frame, quote
from .parse import parse_csv

DELIMITERS = (",", ";", "\t")
QUOTED = re.compile(r'"[^"]*"')
BYTES_PER_CELL = 32  # with a limit on cells: how much a gzip file may unpack to, on average


def read(
    path: str | os.PathLike[str] | bytes | BinaryIO,
    target: str,
    positive: Any = None,
    sensitive: Sequence[str] | str | None = None,
    *,
    keep_sensitive: bool | Sequence[str] | str = False,
    name: str | None = None,
    max_cells: int | None = None,
) -> Dataset:
    """Read a CSV file (also gzip-compressed) or a Parquet file; which one is seen from its first bytes.

    Parameters
    ----------
    path : path, bytes or binary file
        The file, its contents, or an open file. CSV: UTF-8, one header line, separated by comma, semicolon or tab.
        Empty cells and ``NA``, ``NaN``, ``null``, ``None`` and the like are missing values.
    target : str
        Name of the target column.
    positive : object, optional
        The label to predict; default: the larger of the two labels. Needed when there are more than two.
    sensitive : sequence of str, optional
        Names of the sensitive attributes.
    keep_sensitive : bool or sequence of str
        Whether (or which of) the sensitive attributes are features too; default: none is.
    name : str, optional
        Name of the data set, and of the file where bytes are given; default: the file's name.
    max_cells : int, optional
        Refuse a larger table before it is parsed; default: no limit.

    Raises
    ------
    DatasetError
        Whatever is wrong with the file, the columns or the target; rows are counted from 1 below the header.

    Examples
    --------
    >>> import rulelab as rl
    >>> d = rl.datasets.read(b"age,sex,ill\\n40,f,yes\\n50,m,no\\n", target="ill", sensitive="sex")
    >>> d.positive, list(d.X.columns), d.y.tolist()
    ('yes', ['age'], [1, 0])
    """
    raw, file_name = _contents(path, name or "the data")
    frame = read_table(raw, file_name, max_cells)
    name = name or file_name.removesuffix(".gz").rpartition(".")[0] or file_name
    return from_frame(frame, target, positive, sensitive, keep_sensitive=keep_sensitive, name=name, source=file_name)


def read_table(contents: bytes, file_name: str, max_cells: int | None = None) -> pd.DataFrame:
    """The table in the contents of a CSV or Parquet file; what is wrong with it is a `DatasetError`, as in `read`."""
    if not contents.strip():
        raise DatasetError(f"{file_name} is empty")
    parse = _parquet if contents.startswith(b"PAR1") else _csv
    return parse(contents, file_name, max_cells)


def _contents(path: str | os.PathLike[str] | bytes | BinaryIO, nameless: str) -> tuple[bytes, str]:
    """The bytes of the file and what to call it; `nameless`: what to call bytes."""
    if isinstance(path, bytes | bytearray | memoryview):
        return bytes(path), nameless
    if hasattr(path, "read"):
        data = path.read()
        raw = data.encode("utf-8") if isinstance(data, str) else bytes(data)
        return raw, Path(str(getattr(path, "name", nameless))).name
    file = Path(path)
    if file.is_dir():
        raise DatasetError(f"{file} is a folder, not a file")
    try:
        return file.read_bytes(), file.name
    except FileNotFoundError as error:
        raise DatasetError(f"there is no file {file} (looked in {file.absolute().parent})") from error
    except OSError as error:
        raise DatasetError(f"{file} cannot be read: {error.strerror}") from error


def _too_large(columns: int, rows: int, max_cells: int | None, file_name: str) -> None:
    if max_cells is not None and columns * rows > max_cells:
        raise DatasetError(
            f"{file_name} has {columns * rows} cells ({rows} rows x {columns} columns), more than the limit of "
            f"{max_cells}; take fewer columns or a sample of the rows"
        )


def _csv(raw: bytes, file_name: str, max_cells: int | None) -> pd.DataFrame:
    if raw.startswith(b"\x1f\x8b"):
        raw = _gunzip(raw, file_name, max_cells)
    text = _decode(raw, file_name)
    delimiter, header = _header(text, file_name)
    check_names(header)
    rows = _check_widths(text, delimiter, len(header), file_name, max_cells)
    if rows == 0:
        raise DatasetError(f"{file_name} has a header but no row of data below it")
    try:
        frame = parse_csv(io.StringIO(text), sep=delimiter)
    except pd.errors.ParserError as error:
        raise DatasetError(f"{file_name} is no readable CSV: {error}") from error
    frame.columns = header
    return frame


def _gunzip(raw: bytes, file_name: str, max_cells: int | None) -> bytes:
    limit = -1 if max_cells is None else BYTES_PER_CELL * max_cells
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            unpacked = file.read(limit)
            if limit >= 0 and file.read(1):
                raise DatasetError(f"{file_name} unpacks to more than {limit} bytes; take a part of it")
    except (OSError, EOFError, zlib.error, struct.error) as error:
        raise DatasetError(f"{file_name} is a damaged gzip file: {error}") from error
    return unpacked


def _decode(raw: bytes, file_name: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start + (len(raw) - len(error.object))
        line = raw.count(b"\n", 0, at) + 1
        raise DatasetError(
            f"{file_name} is not UTF-8: byte 0x{raw[at]:02x} at position {at} (line {line}); save it again as UTF-8"
        ) from error
    if "\0" in text:
        raise DatasetError(
            f"{file_name} is no CSV text: it has a zero byte in line {text.count(chr(10), 0, text.index(chr(0))) + 1}; "
            "save it again as CSV in UTF-8"
        )
    if not text.strip():
        raise DatasetError(f"{file_name} is empty")
    return text


def _header(text: str, file_name: str) -> tuple[str, list[str]]:
    """The separator that occurs most often in the header line outside quotes, and the column names."""
    line = QUOTED.sub("", text.lstrip().partition("\n")[0])
    delimiter = max(DELIMITERS, key=line.count)
    _, header = next(_records(text, delimiter, file_name))
    return delimiter, header


def _records(text: str, delimiter: str, file_name: str) -> Iterator[tuple[int, list[str]]]:
    """The number of each line that is not blank, and its cells; a quoted cell may go over several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for record in reader:
            if record and (len(record) > 1 or record[0].strip()):
                yield reader.line_num, record
    except csv.Error as error:
        raise DatasetError(f"{file_name} is no readable CSV: {error} in line {reader.line_num}") from error


def _check_widths(text: str, delimiter: str, columns: int, file_name: str, max_cells: int | None) -> int:
    """Refuse a row with too few or too many cells, and too large a table; the number of rows."""
    rows = -1
    limit = None if max_cells is None else max_cells // columns
    for line, record in _records(text, delimiter, file_name):
        rows += 1
        if len(record) != columns:
            raise DatasetError(
                f"{file_name}: row {rows} (line {line}) has {len(record)} cells, the header has {columns} columns"
                + (f"; it begins with {quote(record[0])}" if record[0] else "")
            )
        if limit is not None and rows > limit:
            _too_large(columns, max(rows, text.rstrip().count("\n")), max_cells, file_name)
    return rows


def _parquet(raw: bytes, file_name: str, max_cells: int | None) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(raw))
        _too_large(file.metadata.num_columns, file.metadata.num_rows, max_cells, file_name)
        schema = file.schema_arrow
        check_names(schema.names)
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if nested:
            raise DatasetError(f"column {quote(nested[0])} holds lists or records; a table of plain values is needed")
        return file.read().to_pandas()
    except DatasetError:
        raise
    except Exception as error:  # of its metadata, too: KeyError, TypeError and others
        raise DatasetError(f"{file_name} is a damaged Parquet file: {type(error).__name__}: {error}") from error
