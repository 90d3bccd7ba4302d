"""Tables that want to break the counting: names that are SQL, empty parts, many categories, times, odd numbers."""

import datetime
import tempfile
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import table_engines
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from table_engines import SOME, open_as

import rulelab as rl
from rulelab.tables import Split, TableError

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(
    lambda name: name.strip() != ""
) | st.sampled_from(
    ['"; drop table t; --', "select", "v", "n", "rulelab rows", "rulelab n", "word 0", "rulelab label", "a.b", "{}"]
)


def outcome(source: Any, target: str, **more: Any) -> Any:
    """Conditions, and how often each kind with its class was counted."""
    table = rl.tables.open(source)
    binarizer = rl.Binarizer(thresholds=3).fit(table.features(target, **more))
    counts = rl.tables.count(table, binarizer, target, **more)
    kinds = zip(map(tuple, counts.frame.to_numpy().tolist()), counts.label, strict=True)
    summed: dict = {}
    for kind, n in zip(kinds, counts.rows, strict=True):
        summed[kind] = summed.get(kind, 0) + n
    return binarizer.conditions_, summed


@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])
@given(st.lists(NAMES, min_size=4, max_size=4, unique_by=str.casefold))
def test_names_are_only_names(names):
    random = Random(0)
    cells = [
        [random.randint(0, 5) for _ in range(30)],
        [random.choice(["a", "b", None, "'; --"]) for _ in range(30)],
        [random.randint(1, 9) / 10 for _ in range(30)],
        [0, 1] * 15,
    ]
    arrow = pa.table(dict(zip(names, cells, strict=True)))
    answers = [outcome(source, names[3], weight=names[2]) for source in (duckdb.connect().from_arrow(arrow), arrow)]
    assert answers[0] == answers[1]
    known = pd.DataFrame(dict(zip(names, cells, strict=True)))
    assert answers[0][0] == rl.Binarizer(thresholds=3).fit(known[names[:2]], sample_weight=known[names[2]]).conditions_


@pytest.mark.parametrize("engine", SOME)
def test_many_categories(engine, tmp_path):
    rng = np.random.default_rng(0)
    n = 100_000
    often = np.where(rng.random(n) < 0.3, "often", np.char.add("c", np.arange(n).astype(str)))
    frame = pd.DataFrame({"twice": np.char.add("t", (np.arange(n) // 2).astype(str)), "often": often, "k": 0, "y": 0})
    frame["k"] = rng.integers(0, 3, n)
    frame["y"] = rng.integers(0, 2, n)
    table = open_as(engine, frame, tmp_path)
    known = rl.Binarizer(max_categories=4).fit(frame.drop(columns="y"))
    binarizer = rl.Binarizer(max_categories=4).fit(table.features("y"))
    assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
    assert rl.tables.count(table, binarizer, "y").n_rows == n


def test_empty_parts_and_files(tmp_path):
    frame = pd.DataFrame({"a": [0, 1, 2, 3] * 10, "b": ["x", None] * 20, "y": [0, 1] * 20})
    for k, part in enumerate((frame.iloc[:0], frame.iloc[:15], frame.iloc[15:15], frame.iloc[15:])):
        pq.write_table(pa.Table.from_pandas(part, _SCHEMA, preserve_index=False), tmp_path / f"{k}.parquet")
    known = outcome(frame, "y")
    assert outcome(str(tmp_path / "*.parquet"), "y") == known
    assert outcome(pl.concat([pl.from_pandas(frame), pl.from_pandas(frame).clear()]).lazy(), "y") == known
    for path in tmp_path.glob("[13].parquet"):
        path.unlink()
    with pytest.raises(TableError, match="single label"):
        rl.tables.count(rl.tables.open(str(tmp_path / "*.parquet")), [], "y")


_SCHEMA = pa.schema({"a": pa.int64(), "b": pa.string(), "y": pa.int64()})


ZONED = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([ZONED, None] * 10, pa.timestamp("us", tz="Europe/Berlin")),
        pa.array([datetime.time(3, 30), None] * 10),
        pa.array([datetime.timedelta(3), None] * 10),
        pa.array([[1], [2, 3]] * 10),
        pa.array([{"a": 1}, {"a": 2}] * 10),
        pa.array([b"x", b"y"] * 10),
    ],
    ids=lambda cells: str(cells.type),
)
def test_what_is_neither_number_nor_text_is_refused_by_name(cells):
    arrow = pa.table({"odd one": cells, "a": list(range(20)), "y": [0, 1] * 10})
    for source in (arrow, duckdb.connect().from_arrow(arrow), pl.from_arrow(arrow)):
        with pytest.raises(TableError, match="'odd one' holds"):
            outcome(source, "y")
        without = rl.tables.open(source).drop("odd one")
        assert rl.Binarizer().fit(without.features("y")).conditions_[0].column == "a"


def test_odd_numbers_are_numbers():
    arrow = pa.table(
        {
            "wide": pa.array([Decimal("12345678901234567.25"), None, Decimal("-3.50"), Decimal("7.75")] * 5),
            "small": pa.array([1, 2, None, 4] * 5, pa.uint8()),
            "large": pa.array([2**63 - 1, 7, 0, None] * 5, pa.uint64()),
            "half": pa.array([0.5, float("nan"), -0.0, 0.0] * 5, pa.float32()),
            "single": pa.array([0.3, 0.1, None, 0.7] * 5, pa.float32()),
            "long": pa.array([2**53 + 1, -(2**62), 5, None] * 5, pa.int64()),
            "y": [0, 1] * 10,
        }
    )
    answers = [outcome(source, "y") for source in (arrow, duckdb.connect().from_arrow(arrow), pl.from_arrow(arrow))]
    assert answers[0] == answers[1] == answers[2]
    frame = arrow.to_pandas()
    cuts = [
        rl.Condition("single", ">", 0.3), rl.Condition("long", "<=", 2.5), rl.Condition("long", ">", 2**53),
        rl.Condition("large", ">", 2**62), rl.Condition("small", "<=", 1.5), rl.Condition("small", ">", -1),
    ]  # fmt: skip
    long = pd.Series([2**53 + 1, -(2**62), 5] * 5)
    held = [10, 5, 5, 5, 5, 15]
    assert rl.Condition("single", ">", 0.3).evaluate(frame["single"]).sum() == held[0]
    assert rl.Condition("long", ">", 2**53).evaluate(long).sum() == held[2]
    for source in (arrow, duckdb.connect().from_arrow(arrow), pl.from_arrow(arrow)):
        counts = rl.tables.count(rl.tables.open(source), cuts, "y")
        assert (counts.frame.to_numpy() * counts.rows.to_numpy()[:, None]).sum(axis=0).tolist() == held
        with pytest.raises(TableError, match="'large' has rows without a key"):
            rl.tables.count(rl.tables.open(source), cuts, "y", split=Split("large", 0.5))


def test_large_whole_numbers_are_told_apart(tmp_path):
    cells = [2**60, 2**60 + 1, 2**60 + 2, None]
    arrow = pa.table({"cut": cells * 5, "two": [2**60, 2**60 + 1] * 10, "y": [0, 1] * 10})
    conditions = [
        rl.Condition("cut", "<=", 2**60),
        rl.Condition("cut", ">", 2**60 + 1),
        rl.Condition("two", "==", 2**60),
    ]
    for source in (arrow, duckdb.connect().from_arrow(arrow), pl.from_arrow(arrow)):
        counts = rl.tables.count(rl.tables.open(source), conditions, "y")
        counts.save(tmp_path / "c.parquet")
        for each in (counts, rl.tables.load(tmp_path / "c.parquet")):
            assert (each.frame.to_numpy() * each.rows.to_numpy()[:, None]).sum(axis=0).tolist() == [5, 5, 10]
    arrow = pa.table({"id": pa.array([2**64 - 1, 2**63, 2**63 + 5, 1], pa.uint64()), "y": [0, 1, 0, 1]})
    with pytest.raises(TableError, match=r"'id' is told apart at \d+; not all engines"):
        outcome(arrow, "y")


def test_a_text_file_has_no_types_and_all_of_them_are_looked_at(tmp_path):
    for k, cells in enumerate(([1, 2, 3], ["x", "y", "z"])):
        pd.DataFrame({"a": cells, "y": [0, 1, 0]}).to_csv(tmp_path / f"{k}.csv", index=False)
    table = rl.tables.open(str(tmp_path / "*.csv"))
    assert table.kind("a") == "category"
    assert rl.tables.count(table, [rl.Condition("a", "==", "x")], "y").n_rows == 6


@pytest.mark.parametrize("engine", SOME)
def test_a_target_that_is_no_number_is_missing(engine, tmp_path):
    arrow = pa.table({"a": [1, 2, 3, 4] * 5, "y": pa.array([0.0, 1.0, float("nan"), None] * 5)})
    frame = arrow if engine == "pyarrow" else pl.from_arrow(arrow) if engine == "polars" else None
    pq.write_table(arrow, tmp_path / "t.parquet")
    table = rl.tables.open(str(tmp_path / "t.parquet") if frame is None else frame)
    counts = rl.tables.count(table, rl.Binarizer(thresholds=3).fit(table.features("y")), "y")
    assert (counts.n_rows, counts.without_target, counts.rows[counts.label == 0].sum()) == (10, 10, 5)
    assert {c.value for c in counts.conditions} == {1, 2}


def test_groups_that_are_no_numbers_are_missing():
    arrow = pa.table({"a": [1, 2] * 10, "s": pa.array([1.0, 2.0, float("nan"), None] * 5), "y": [0, 1, 1, 0] * 5})
    for source in (arrow, duckdb.connect().from_arrow(arrow), pl.from_arrow(arrow), arrow.to_pandas()):
        counts = rl.tables.count(rl.tables.open(source), [rl.Condition("a", "<=", 1)], "y", sensitive="s")
        assert sorted(map(str, set(counts.sensitive["s"]))) == ["1.0", "2.0", "None"]


@pytest.mark.parametrize("names", [["a", "A"], ["ß b", "SS B"], ["a", "a"]])
def test_names_that_sql_does_not_tell_apart_are_refused(names, tmp_path):
    nested = pa.array([{"a": 1, "y": 2}] * 4)
    pq.write_table(pa.table({"s": nested, "y": [0, 1, 0, 1], "b": [1, 2, 3, 4]}), tmp_path / "nested.parquet")
    assert rl.tables.open(str(tmp_path / "nested.parquet")).columns == ["s", "y", "b"]
    arrow = pa.table([[1, 2, 3, 4], [0, 1, 0, 1], [0, 1, 1, 0]], names=[*names, "y"])
    pq.write_table(arrow, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(f"{names[0]},{names[1]},y\n1,0,0\n2,1,1\n", encoding="utf-8")
    sources: list[Any] = [str(tmp_path / "t.parquet"), str(tmp_path / "t.csv"), arrow]
    if names[0] == names[1]:
        assert rl.tables.open(sources.pop(1)).columns == ["a", "a (2)", "y"]  # as such a file is read into memory
    for source in sources:
        with pytest.raises(TableError, match="repeated column"):
            rl.tables.open(source)


# any table of hostile names and cells ---------------------------------------------------------------------------------
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


@pytest.mark.long
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(tables(without=REFUSED))
def test_one_answer_for_all_engines(table):
    found = answers(table, QUICK)
    assert len(set(found.values())) == 1, found


def test_a_column_of_a_name_that_sql_keeps_is_one_error():
    table = pa.table({"*": ["a", "b"] * 5, TARGET: [0, 1] * 5})
    said = "table: a column is called '*', which means all columns in SQL; rename it"
    assert set(answers(table, QUICK).values()) == {said}


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
