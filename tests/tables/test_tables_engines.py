"""Any table of hostile names and cells, in parts of which some are empty: each engine gives the one answer or error."""

from __future__ import annotations

import datetime
import tempfile
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import table_engines
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from test_tables_hostile import NAMES, outcome

ZONE = datetime.timezone(datetime.timedelta(hours=2))
CELLS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "whole": (pa.int64(), st.integers(-3, 3)),
    "small": (pa.uint8(), st.integers(0, 3)),
    "large": (pa.int64(), st.sampled_from([2**60, 2**60 + 1, -(2**62), 7])),
    "float": (pa.float64(), st.sampled_from([0.1, 0.2, -0.0, 0.0, 1e300, float("nan")])),
    "endless": (pa.float64(), st.sampled_from([1.5, 2.5, float("inf")])),
    "single": (pa.float32(), st.sampled_from([0.5, 0.25, float("nan")])),
    "decimal": (pa.decimal128(20, 2), st.sampled_from([Decimal("1.25"), Decimal("-3.50"), Decimal("7.75")])),
    "flag": (pa.bool_(), st.booleans()),
    "text": (pa.string(), st.sampled_from(["a", "ß", "", " ", "NULL", "'; drop table t; --", "nan", "\u202e\u0000x"])),
    "date": (pa.date32(), st.sampled_from([datetime.date(2020, 1, 1), datetime.date(2021, 5, 9)])),
    "night": (pa.timestamp("us"), st.sampled_from([datetime.datetime(2020, 1, 1), datetime.datetime(2021, 5, 9)])),
    "clock": (
        pa.timestamp("us"),
        st.sampled_from([datetime.datetime(2020, 2, 29, 23, 59, 59), datetime.datetime(2021, 5, 9)]),
    ),
    "moment": (pa.timestamp("us", tz="Europe/Berlin"), st.just(datetime.datetime(2020, 1, 1, tzinfo=ZONE))),
    "list": (pa.list_(pa.int64()), st.just([1, 2])),
    "bytes": (pa.binary(), st.just(b"x")),
}
REFUSED = ("endless", "moment", "list", "bytes")
"""Most tables with one of these columns are refused, whatever else they hold."""
TARGET = "rulelab label"


@st.composite
def tables(draw: st.DrawFn, without: tuple[str, ...] = ()) -> pa.Table:
    """Two or three columns of any kind with holes, and a target of two classes."""
    names = draw(st.lists(NAMES.filter(lambda name: name != TARGET), min_size=2, max_size=3, unique_by=str.casefold))
    rows = draw(st.integers(4, 24))
    columns = {}
    for name in names:
        kind, cells = CELLS[draw(st.sampled_from([each for each in CELLS if each not in without]))]
        column = draw(st.lists(st.one_of(st.none(), cells), min_size=rows, max_size=rows))
        columns[name] = pa.array(column, kind)
    classes = draw(st.lists(st.sampled_from([0, 1, None]), min_size=rows - 2, max_size=rows - 2))
    return pa.table({**columns, TARGET: pa.array([0, 1, *classes], pa.int64())})


def _written(table: pa.Table, folder: Path) -> str:
    """The pattern of three files, of which the second is empty."""
    half = len(table) // 2
    for k, part in enumerate((table[:half], table[:0], table[half:])):
        pq.write_table(part, folder / f"{k}.parquet")
    return str(folder / "*.parquet")


def _ibis(table: pa.Table, folder: Path) -> Any:
    import ibis

    _written(table, folder)
    return ibis.duckdb.connect().read_parquet(sorted(map(str, folder.glob("*.parquet"))))


def _dask(table: pa.Table, folder: Path) -> Any:
    dataframe = pytest.importorskip("dask.dataframe")
    _written(table, folder)
    return dataframe.read_parquet(sorted(map(str, folder.glob("*.parquet"))))


def _pyspark(table: pa.Table, folder: Path) -> Any:
    _written(table, folder)
    return table_engines.spark().read.parquet(*map(str, sorted(folder.glob("*.parquet"))))


QUICK: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pyarrow": lambda table, folder: table,
    "pandas": lambda table, folder: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, folder: pl.from_arrow(table),
    "polars, lazy": lambda table, folder: pl.concat([pl.from_arrow(table).clear(), pl.from_arrow(table)]).lazy(),
    "duckdb": lambda table, folder: duckdb.connect().from_arrow(table),
    "parquet": _written,
}
SLOW: dict[str, Callable[[pa.Table, Path], Any]] = {"ibis": _ibis, "dask": _dask}
if "pyspark" in table_engines.ENGINES:
    SLOW["pyspark"] = _pyspark


def answers(table: pa.Table, engines: dict[str, Callable[[pa.Table, Path], Any]]) -> dict[str, str]:
    """What each engine says; of an error the beginning, for types are called otherwise."""
    found = {}
    for name, opened in engines.items():
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            try:
                conditions, counts = outcome(opened(table, Path(folder)), TARGET)
                found[name] = repr((conditions, sorted(counts.items(), key=repr)))
            except ValueError as error:
                said = str(error).replace("0 and 2 more files: ", "table: ")  # the names of the files
                found[name] = said.partition(", neither")[0].partition(" holds ")[0]
    return found


@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(tables(without=REFUSED))
def test_one_answer_for_all_engines(table):
    found = answers(table, QUICK)
    assert len(set(found.values())) == 1, found


def test_a_column_of_a_name_that_sql_keeps_is_one_error():
    table = pa.table({"*": ["a", "b"] * 5, TARGET: [0, 1] * 5})
    assert set(answers(table, QUICK).values()) == {
        "table: a column is called '*', which means all columns in SQL; rename it"
    }


def test_numbers_beyond_all_whole_numbers_are_counted_alike():
    a, b = [1e300, 1e300, 0.0, *7 * [None]], [*8 * [None], 0.1, 0.0]
    table = pa.table({"a": a, "b": b, TARGET: [0, 1, None, 0, 1, 1, 0, 1, 1, 1]})
    found = answers(table, QUICK)
    assert len(set(found.values())) == 1, found
    assert "a" in found.popitem()[1]


@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(tables())
def test_one_error_for_all_engines(table):
    found = answers(table, QUICK)
    assert len(set(found.values())) == 1, found


@pytest.mark.long
@pytest.mark.parametrize("without", [REFUSED, ("list", "bytes")], ids=["answer", "error"])
def test_slow_engines_have_the_same_answer(without):
    """Lists and bytes are texts when Dask has read them; the command line refuses them all the same."""

    @settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
    @given(tables(without=without))
    def one(table: pa.Table) -> None:
        found = answers(table, {"pyarrow": QUICK["pyarrow"], **SLOW})
        assert len(set(found.values())) == 1, found

    one()


def test_cells_of_pandas_that_are_missing_are_none():
    """`pandas.NA` is neither equal to itself nor unequal."""
    cells = {"a": pd.array([1, None, 3, 4] * 5, "Int64"), "b": pd.array([0.5, None, 1.5, 2.5] * 5, "Float64")}
    frame = pd.DataFrame({**cells, "c": pd.array([True, None] * 10, "boolean"), "y": [0, 1, 1, 0] * 5})
    known = outcome(pa.Table.from_pandas(frame, preserve_index=False), "y")
    assert outcome(frame, "y") == known
