"""Read a user's CSV or Parquet file, with every fault named by column and row."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from ..lazy import require_pyarrow
from .dataset import Dataset, DatasetError, check_names
from .guesses import quote
from .numerals import Form, numbers
from .packed import BYTES_PER_CELL, LEAST_UNPACKED_BYTES, gunzip, too_large, unzipped
from .reading import Reading, decoded, parse_csv, records, separated
from .sheet import Sheet

Source = str | os.PathLike[str] | bytes | BinaryIO


class DatasetWarning(UserWarning):
    """A file was read, but some of it can be read in another way."""


def read(
    path: Source,
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
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: Sequence[str] | str | None = None,
    skip: int | None = None,
    header: bool | str | None = None,
    name: str | None = None,
    max_cells: int | None = None,
    max_columns: int | None = None,
) -> Dataset:
    """Read a CSV file (also in gzip or zip), an Excel workbook or a Parquet file, as its first bytes say.

    Parameters
    ----------
    path : path, bytes or binary file
        The file, its contents, or an open file. Empty cells and ``NA``, ``NaN``, ``null``, ``None`` and the like are
        missing values; of an Excel workbook the first sheet is read, by openpyxl.
    target : str
        Name of the target column: two classes, or more when `positive` names the one to predict.
    positive : object, optional
        The label to predict; default: the one of two that means yes, such as ``"ja"``, ``1`` or ``"fraud"``, else the
        rarer one. A text such as ``"1"`` finds the number 1.
    sensitive : sequence of str, optional
        Names of the sensitive attributes. Default: those that are known by their names, such as sex and race; it is
        said in ``Dataset.notes``. ``()``: none.
    keep_sensitive : bool or sequence of str
        Whether (or which of) the sensitive attributes are features too; default: none is.
    weight : str, optional
        Name of the column that says how much each row counts; it is no feature.
    excluded : sequence of str, optional
        Names of columns that are no features. Default: columns of whole numbers that number the rows, by their names or
        from 0 or 1 without a gap; it is said in ``Dataset.notes``. ``()``: none.
    dates : str
        Columns of dates are features as "parts", their year, month and weekday, or not at all: "ignore".
    drop_missing_target : bool
        Leave out the rows without a target, and say in ``Dataset.notes`` how many; by default they are refused.
    unknown : str
        Rows whose target is a word such as ``"unknown"`` or ``"?"``, beside two other labels: ``"leave out"``, which is
        said in ``Dataset.notes``, or ``"negative"``.
    encoding, separator, decimal, thousands, missing, skip, header : optional
        How a CSV file is written, see `rulelab.datasets.Reading`; by default all are guessed from the file.
    name : str, optional
        Name of the data set, and of the file where bytes are given; default: the file's name.
    max_cells, max_columns : int, optional
        Refuse a larger table before it is parsed; default: no limit. With a limit on cells, what is compressed may
        not unpack to more than 32 bytes for each of so many.

    Raises
    ------
    DatasetError
        Whatever is wrong with the file, the columns or the target; rows are counted from 1 below the header.

    Warns
    -----
    DatasetWarning
        When something in the file can be read in another way, such as numbers that were read as texts, and when a
        feature alone tells the class of nearly all rows. `sheet` shows how a file is read.

    Examples
    --------
    >>> import rulelab as rl
    >>> d = rl.datasets.read(b"age,sex,ill\\n40,f,yes\\n50,m,no\\n", target="ill", sensitive="sex")
    >>> d.positive, list(d.X.columns), d.y.tolist()
    ('yes', ['age'], [1, 0])
    """
    how = Reading(encoding, separator, decimal, thousands, missing, skip, header)
    found = _sheet(path, how, name, max_cells, max_columns)
    data = found.dataset(
        target,
        positive,
        sensitive,
        keep_sensitive=keep_sensitive,
        weight=weight,
        excluded=excluded,
        dates=dates,
        drop_missing_target=drop_missing_target,
        unknown=unknown,
    )
    leaks = [f"column {quote(name)}: leak? {evidence}" for name, evidence in data.leaks().items()]
    for doubt in (*found.doubts, *leaks):
        warnings.warn(f"{found.file}: {doubt}", DatasetWarning, stacklevel=2)
    return data


def sheet(
    path: Source,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: Sequence[str] | str | None = None,
    skip: int | None = None,
    header: bool | str | None = None,
    name: str | None = None,
    max_cells: int | None = None,
    max_columns: int | None = None,
) -> Sheet:
    """Read a file without using it: how it is written, what its columns hold, what they may be good for.

    The arguments are those of `read`, and so are the errors.
    """
    how = Reading(encoding, separator, decimal, thousands, missing, skip, header)
    return _sheet(path, how, name, max_cells, max_columns)


def read_sheet(contents: bytes, file_name: str, max_cells: int, max_columns: int, how: dict[str, Any]) -> Sheet:
    """The `sheet` of a file with its columns described, to be handed on by a process that does nothing else."""
    found = sheet(contents, name=file_name, max_cells=max_cells, max_columns=max_columns, **how)
    named = Sheet(found.frame, file_name.partition(".")[0] or "data", file_name, found.reading, found.forms)
    named.columns  # noqa: B018 kept
    return named


def _sheet(path: Source, how: Reading, name: str | None, max_cells: int | None, max_columns: int | None) -> Sheet:
    reading = how.checked()
    raw, file_name = _contents(path, name or "the data")
    if not raw.strip():
        raise DatasetError(f"{file_name} is empty")
    if raw.startswith(b"\x1f\x8b"):
        raw = gunzip(raw, file_name, max_cells)
    elif raw.startswith(b"PK"):
        raw, doubts = unzipped(raw, file_name, max_cells)
        reading = replace(reading, doubts=doubts)
    called = name or file_name.removesuffix(".gz").rpartition(".")[0] or file_name
    if raw.startswith(b"PAR1"):
        return Sheet(_parquet(raw, file_name, max_cells, max_columns), called, file_name)
    frame, reading, forms = _csv(raw, reading, file_name, max_cells, max_columns)
    return Sheet(frame, called, file_name, reading, forms)


def _contents(path: str | os.PathLike[str] | bytes | BinaryIO, nameless: str) -> tuple[bytes, str]:
    """The bytes of the file and what to call it; `nameless`: what to call bytes."""
    if hasattr(path, "columns"):
        raise DatasetError("this is a table, not a file: rulelab.datasets.from_frame makes a data set of it")
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


def _too_wide(columns: int, max_columns: int | None, file_name: str) -> None:
    if max_columns is not None and columns > max_columns:
        raise DatasetError(f"{file_name} has {columns} columns, more than the limit of {max_columns}; take fewer")


def _csv(
    raw: bytes, given: Reading, file_name: str, max_cells: int | None, max_columns: int | None
) -> tuple[pd.DataFrame, Reading, dict[str, Form]]:
    text, reading = decoded(raw, given, file_name)
    names, reading = separated(text, reading, file_name)
    _too_wide(len(names), max_columns, file_name)
    check_names(names)
    skip = int(reading.skip or 0) + bool(reading.header)
    rows, begin = _check_widths(text, str(reading.separator), len(names), file_name, max_cells, skip)
    if rows == 0:
        raise DatasetError(f"{file_name} has a header but no row of data below it")

    def parsed(columns: Sequence[str] | None = None, **options: Any) -> pd.DataFrame:
        places = None if columns is None else [names.index(column) for column in columns]
        rest = io.StringIO(text, newline="")
        for _ in range(begin):
            rest.readline()
        try:
            frame = parse_csv(rest, sep=reading.separator, header=None, usecols=places, **options)
        except pd.errors.ParserError as error:
            raise DatasetError(f"{file_name} is no readable CSV: {error}") from error
        frame.columns = names if columns is None else list(columns)
        return frame

    def as_texts(columns: Sequence[str]) -> pd.DataFrame:
        return parsed(columns, dtype=str, keep_default_na=False, na_values=[""]) if columns else pd.DataFrame()

    has_codes = re.search(rf"(?:^|[\"\s{re.escape(str(reading.separator))}])[+-]?0\d", text) is not None
    return numbers(parsed(), reading, as_texts, has_codes)


def _check_widths(
    text: str, separator: str, columns: int, file_name: str, max_cells: int | None, skip: int
) -> tuple[int, int]:
    """Refuse rows with too few or too many cells, and too large a table; rows, and lines above the first of them."""
    rows, begin = -skip, 0
    limit = None if max_cells is None else max_cells // columns
    for line, record in records(text, separator, file_name):
        rows += 1
        if rows <= 0:
            begin = line
            continue
        if len(record) != columns:
            raise DatasetError(
                f"{file_name}: row {rows} (line {line}) has {len(record)} cells, the header has {columns} columns"
                + (f"; it begins with {quote(record[0])}" if record[0] else "")
            )
        if limit is not None and rows > limit:
            too_large(columns, max(rows, text.rstrip().count("\n")), max_cells, file_name)
    return max(rows, 0), begin


def _parquet(raw: bytes, file_name: str, max_cells: int | None, max_columns: int | None) -> pd.DataFrame:
    require_pyarrow(f"{file_name} is a Parquet file, and reading it", DatasetError)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(raw))
        _too_wide(file.metadata.num_columns, max_columns, file_name)
        too_large(file.metadata.num_columns, file.metadata.num_rows, max_cells, file_name)
        schema = file.schema_arrow
        check_names(schema.names)
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if nested:
            raise DatasetError(f"column {quote(nested[0])} holds lists or records; a table of plain values is needed")
        if max_cells is None:
            return file.read().to_pandas()
        limit = max(BYTES_PER_CELL * max_cells, LEAST_UNPACKED_BYTES)
        return _unpacked(raw, file, limit, file_name).to_pandas()
    except (DatasetError, MemoryError):
        raise
    except Exception as error:  # of its metadata, too: KeyError, TypeError and others
        raise DatasetError(f"{file_name} is a damaged Parquet file: {type(error).__name__}: {error}") from error


def _unpacked(raw: bytes, file: Any, limit: int, file_name: str) -> Any:
    """The table of a Parquet file; refused before a text that is stored once is repeated to more bytes than allowed."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    said = f"{file_name} unpacks to more than {limit} bytes; take a part of it"
    groups = range(file.metadata.num_row_groups)
    if sum(file.metadata.row_group(k).total_byte_size for k in groups) > limit:
        raise DatasetError(said)
    kinds = {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}
    texts = [field.name for field in file.schema_arrow if field.type in kinds]
    table = pq.ParquetFile(io.BytesIO(raw), read_dictionary=texts).read()
    total = 0
    for name in texts:
        for chunk in table[name].chunks:
            lengths = pc.fill_null(pc.binary_length(chunk.dictionary), 0)
            total += pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0
    if total > limit:
        raise DatasetError(said)
    columns = [table[field.name].cast(field.type) for field in file.schema_arrow]
    return pa.Table.from_arrays(columns, schema=file.schema_arrow)
