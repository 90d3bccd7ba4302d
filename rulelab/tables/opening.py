"""Opening files, dataframes and relations as tables."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw

from ..data.columns import listed
from ..extras import require_pyarrow
from .errors import TableError
from .table import Table

_PARQUET, _TEXT = (".parquet", ".pq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def open_table(source: Any, name: str | None = None) -> Table:
    """Open a table, without reading its rows.

    Parameters
    ----------
    source : path, list of paths, dataframe, lazy frame or relation
        A path may have wildcards (``data/*.parquet``). CSV and Parquet files are read by DuckDB. Otherwise whatever
        narwhals knows: pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis.
    name : str, optional
        For messages; default the name of the file.

    Raises
    ------
    TableError
        No such file, files of different kinds, repeated column names, or what is no table.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path) or (isinstance(source, list | tuple) and source):
        paths = _paths([source] if isinstance(source, str | Path) else source)
        relation, connection = _relation(paths)
        return replace(_checked(nw.from_native(relation), name or _name(paths)), connection=connection)
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
        if folded not in known:
            known[folded] = column
            continue
        other = known[folded]
        if other == column:
            raise TableError(f"{name}: repeated column names ({column!r}); every column needs a name of its own")
        raise TableError(
            f"{name}: the columns {other!r} and {column!r} differ in capital letters alone, which not all engines tell "
            "apart; rename one"
        )


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


def _relation(paths: list[str]) -> tuple[Any, Any]:
    """The files as one DuckDB relation, and its connection; columns are matched by name, types must agree."""
    require_pyarrow("counting rows where they lie", TableError)
    import duckdb

    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = true")  # which is known then, and not printed
    connection.execute("set enable_progress_bar_print = false")
    connection.execute("set preserve_insertion_order = false")
    try:
        if _ending(paths[0]) == "parquet":
            _same_columns(connection, paths)
            return connection.read_parquet(paths), connection
        _refuse_repeated(_header(connection, paths[0]), _name(paths))
        return connection.read_csv(paths, sample_size=-1, header=True), connection  # type: ignore[arg-type]
    except duckdb.Error as error:
        raise TableError(f"{paths[0]} cannot be read: {_first_line(error)}") from error


def _header(connection: Any, path: str) -> list[str]:
    """The names in the first line of a CSV file, of which DuckDB itself changes those that are repeated."""
    first = connection.read_csv(path, header=False, all_varchar=True).limit(1).fetchall()
    return [cell for cell in (first[0] if first else ()) if cell is not None]


def _outermost(connection: Any, path: str) -> list[str]:
    """The names of the columns of a Parquet file as it has them, without what lies inside them."""
    schema = connection.execute("select name, coalesce(num_children, 0) from parquet_schema(?)", [path]).fetchall()
    names, at = [], 1  # after the root
    while at < len(schema):
        names.append(schema[at][0])
        inside = 1
        while inside:
            inside += schema[at][1] - 1
            at += 1
    return names


def _same_columns(connection: Any, paths: Sequence[str]) -> None:
    first: dict[str, str] = {}
    for path in paths:
        _refuse_repeated(_outermost(connection, path), Path(path).name)
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


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:300]
