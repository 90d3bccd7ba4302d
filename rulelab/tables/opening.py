"""Opening files, dataframes and relations as tables."""

from __future__ import annotations

import codecs
import glob
import gzip
import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw

from ..arguments import TableError
from ..data.columns import listed
from ..datasets.dataset import DatasetError, check_names
from ..datasets.numerals import PATTERNS, Cells, Form, forms
from ..datasets.reading import Reading, decoded, records, separated
from ..lazy import require_pyarrow
from .columns import check_dates, dated, expression
from .table import MOST_VALUES, Table

_PARQUET, _TEXT = (".parquet", ".pq"), (".csv", ".tsv", ".txt", ".data", ".csv.gz", ".tsv.gz")
_HEAD_BYTES = 1_000_000
_LARGE = r"[+-]?\d{16,}"
"""Whole numbers of which some are no doubles."""
_MOST_KNOWN = 16
_KNOWN: dict[str, tuple[dict[str, Form], Reading]] = {}
"""How files that were opened are read, so that they are not looked through each time."""


def open_table(source: Any, name: str | None = None, reading: Reading | None = None) -> Table:
    """Open a table, without reading its rows.

    Raises TableError: no such file, files of different kinds, repeated column names, or what is no table.

    Parameters
    ----------
    source : path, list of paths, dataframe, lazy frame or relation
        A path may have wildcards (``data/*.parquet``). CSV and Parquet files are read by DuckDB. Otherwise whatever
        narwhals knows: pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis.
    name : str, optional
        For messages; default the name of the file.
    reading : `rulelab.datasets.Reading`, optional
        How CSV files are written; what it does not say is guessed, by the rules of `rulelab.datasets.read`.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path) or (isinstance(source, list | tuple) and source):
        paths = _paths([source] if isinstance(source, str | Path) else source)
        relation, connection, doubts, hours = _relation(paths, reading or Reading())
        table = _checked(nw.from_native(relation), name or _name(paths))
        return replace(table, connection=connection, doubts=doubts, hours=hours)
    try:
        frame = nw.from_native(source)
    except nw.exceptions.DuplicateError:
        raise TableError("repeated column names; every column needs a name of its own") from None
    except TypeError:
        raise TableError(
            "a table is a path to CSV or Parquet files, or a dataframe that narwhals knows (pandas, Polars, PyArrow, "
            f"DuckDB, Dask, PySpark, Ibis), not {type(source).__name__}"
        ) from None
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise TableError(f"a table has several columns; this is a {type(source).__name__}")
    return _checked(frame, name or "table")


def _checked(frame: Any, name: str) -> Table:
    engine = str(frame.implementation).split(".")[-1].lower()
    lazy = frame.lazy() if isinstance(frame, nw.DataFrame) else frame
    try:
        columns = lazy.collect_schema().names()
    except nw.exceptions.DuplicateError:
        raise TableError(f"{name}: repeated column names; every column needs a name of its own") from None
    odd = [column for column in columns if not isinstance(column, str) or not column.strip()]
    if odd:
        raise TableError(f"{name}: a column has no name, or one that is no text ({odd[0]!r}); name it or remove it")
    if "*" in columns:
        raise TableError(f"{name}: a column is called '*', which means all columns in SQL; rename it")
    _refuse_repeated(columns, name)
    return Table(lazy, name, engine)


def _refuse_repeated(columns: Sequence[str], name: str) -> None:
    """Names that are the same in SQL, which does not tell capitals from small letters; raises TableError."""
    known: dict[str, str] = {}
    for column in columns:
        folded = column.casefold()
        if folded in known:
            raise TableError(
                f"{name}: repeated column names, {known[folded]!r} and {column!r}: not all engines tell names apart "
                "that differ in capital letters; rename one"
            )
        known[folded] = column


def _paths(sources: Sequence[str | Path]) -> list[str]:
    found: list[str] = []
    for source in sources:
        text = str(source)
        here = sorted(glob.glob(text)) if glob.has_magic(text) and not Path(text).exists() else [text]
        missing = [path for path in here if not Path(path).is_file()]
        if missing or not here:
            raise TableError(f"there is no file {text!r}")
        found += here
    endings = {_ending(path) for path in found}
    if None in endings:
        odd = [path for path in found if _ending(path) is None]
        raise TableError(f"{odd[0]!r} is neither CSV nor Parquet, by its name")
    if len(endings) > 1:
        raise TableError(f"CSV and Parquet files together: {listed(found[:4])}; give files of one kind")
    return found


def _ending(path: str) -> str | None:
    if path.lower().endswith(_PARQUET):
        return "parquet"
    return "csv" if path.lower().endswith(_TEXT) else None


def _name(paths: Sequence[str]) -> str:
    first = Path(paths[0]).name.split(".")[0]
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more files"


def _relation(paths: list[str], given: Reading) -> tuple[Any, Any, tuple[str, ...], frozenset[str]]:
    """The files, of the same names and types, as a DuckDB relation; its connection, doubts, which columns are hours."""
    require_pyarrow("counting rows where they lie", TableError)
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = true")  # which is known then, and not printed
    connection.execute("set enable_progress_bar_print = false")
    connection.execute("set preserve_insertion_order = false")
    try:
        if _ending(paths[0]) == "parquet":
            _same_columns(connection, paths)
            relation, hours = dated(connection.read_parquet(paths), paths)
            return relation, connection, (), hours
        relation, reading = _texts(connection, paths, given)
        relation, doubts, hours = _typed(relation, reading, paths)
        return relation, connection, doubts, hours
    except DatasetError as error:
        raise TableError(str(error)) from error
    except duckdb.Error as error:
        said = str(error).strip().split("\n")[0][:300]
        if "sniffing" in said:
            said = "are line breaks within cells others than those between rows? Save it again, or read it into memory"
        raise TableError(f"{paths[0]} cannot be read: {said}") from error


def _texts(connection: Any, paths: list[str], given: Reading) -> tuple[Any, Reading]:
    """The cells of CSV files as texts, missing where nothing is written, and how they are written."""
    head = _head(paths[0])
    text, reading = decoded(head, given.checked(), Path(paths[0]).name)
    if codecs.lookup(str(reading.encoding)).name not in ("utf-8", "ascii"):
        raise TableError(f"{paths[0]} is written in {reading.encoding}; rows are counted in UTF-8: save it so")
    names, reading = separated(text, reading, Path(paths[0]).name)
    check_names(names)
    _refuse_repeated(names, _name(paths))
    skip = int(reading.skip or 0)
    line, first = next(itertools.islice(records(text, str(reading.separator), ""), skip, None))
    how: dict[str, Any] = {
        "sep": reading.separator,
        "quotechar": '"',
        "escapechar": '"',
        "header": bool(reading.header),
    }
    how |= {"skiprows": line - 1 - sum(cell.count("\n") for cell in first)} if skip else {}
    relation = connection.read_csv(paths, all_varchar=True, **how)
    if len(relation.columns) != len(names):
        raise TableError(f"{paths[0]}: the rows do not have as many cells as the header, which has {len(names)}")
    columns = zip(relation.columns, names, strict=True)
    return relation.select(*(duckdb.ColumnExpression(old).alias(new) for old, new in columns)), reading


def _head(path: str) -> bytes:
    """The first lines of a file, as many as are looked at."""
    with gzip.open(path) if path.lower().endswith(".gz") else Path(path).open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return head if len(head) < _HEAD_BYTES else head[: head.rfind(b"\n") + 1] or head


def _typed(relation: Any, reading: Reading, paths: Sequence[str]) -> tuple[Any, tuple[str, ...], frozenset[str]]:
    """The columns as they are in memory, numbers and dates in place of texts; doubts, and which columns are hours."""
    files = [(path, Path(path).stat().st_mtime_ns, Path(path).stat().st_size) for path in paths]
    key = repr((files, reading))
    if key not in _KNOWN:
        cells, rows = _counted(relation)
        found, reading = forms(cells, reading)
        for name, form in found.items():
            if form.kind == "date":
                check_dates(relation, name, form)
            if form.kind == "whole" and (form.empty or cells[name].total < rows) and cells[name].matching(_LARGE):
                found[name] = replace(form, kind="number")  # as in memory, where a column with holes is of doubles
        while len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.pop(next(iter(_KNOWN)), None)
        _KNOWN[key] = found, reading
    found, reading = _KNOWN[key]
    said = [f"column {name!r}: {doubt}" for name, form in found.items() for doubt in form.doubts]
    columns = [expression(name, form).alias(name) for name, form in found.items()]
    hours = frozenset(name for name, form in found.items() if form.kind == "time")
    return relation.select(*columns), (*reading.doubts, *said), hours


def _counted(relation: Any) -> tuple[dict[str, _Counted], int]:
    """The cells of each column, of which one pass over the rows tells what is asked of all, and how many rows are."""
    asked = [_like(duckdb.ColumnExpression(name), each) for name in relation.columns for each in PATTERNS]
    answers = relation.select(*(each.alias(f"a{k}") for k, each in enumerate(asked)))
    counts = ", ".join(f"count(a{k}), count_if(a{k})" for k in range(len(asked)))
    rows, *found = answers.aggregate(f"count(*), {counts}").fetchall()[0]
    numbers = [int(n or 0) for n in found]  # of an empty column nothing is counted, not 0
    width = 2 * len(PATTERNS)
    cells = {
        name: _Counted(relation, name, numbers[width * k], numbers[width * k + 1 : width * (k + 1) : 2])
        for k, name in enumerate(relation.columns)
    }
    return cells, int(rows)


def _like(column: Any, pattern: str) -> Any:
    return duckdb.FunctionExpression("regexp_full_match", column, duckdb.ConstantExpression(pattern))


class _Counted(Cells):
    """The texts of a column of a DuckDB relation."""

    def __init__(self, relation: Any, name: str, total: int, matching: Sequence[int]) -> None:
        self._column = duckdb.ColumnExpression("v")
        self._texts = relation.select(duckdb.ColumnExpression(name).alias("v")).filter("v is not null")
        self._matching = dict(zip(PATTERNS, matching, strict=True))
        self._known: dict[str, dict[str, int]] = {PATTERNS[0]: {}} if matching[0] == total else {}
        self.total = total

    @cached_property
    def distinct(self) -> int:
        return self._number(self._texts, "count(distinct v)")

    def matching(self, pattern: str) -> int:
        if pattern not in self._matching:
            self._matching[pattern] = self._number(self._texts.filter(_like(self._column, pattern)), "count(*)")
        return self._matching[pattern]

    def unlike(self, pattern: str) -> dict[str, int]:
        """The other texts; of more than can be looked at the first ones."""
        if pattern not in self._known:
            others = self._texts.filter(~_like(self._column, pattern)).aggregate("v, count(*) as n", "v")
            self._known[pattern] = {v: int(n) for v, n in others.limit(MOST_VALUES).fetchall()}
        return self._known[pattern]

    @staticmethod
    def _number(relation: Any, what: str) -> int:
        return int(relation.aggregate(what).fetchall()[0][0])


def _same_columns(connection: Any, paths: Sequence[str]) -> None:
    from pyarrow import parquet

    first: dict[str, str] = {}
    for path in paths:
        _refuse_repeated(parquet.read_schema(path).names, Path(path).name)
        relation = connection.read_parquet(path)
        here = dict(zip(relation.columns, map(str, relation.types), strict=True))
        first = first or here
        if set(here) != set(first):
            extra = set(here) ^ set(first)
            raise TableError(f"{path} and {paths[0]} do not have the same columns: {listed(sorted(extra))}")
        differ = [name for name in first if here[name] != first[name]]
        if differ:
            name = differ[0]
            raise TableError(
                f"column {name!r} holds {first[name]} in {paths[0]} and {here[name]} in {path}; give it one type"
            )
