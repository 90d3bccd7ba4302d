"""The engines that count tables, and a table with most of what cells may hold."""

import shutil
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import rulelab as rl

HOSTILE = 'na"me; drop table x --'


def people(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Numbers, decimals, texts, Booleans, missing cells and a hostile name."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.round(rng.normal(30, 10, n), 2),
            "sex": rng.choice(["f", "m", None], n, p=[0.45, 0.45, 0.1]),
            "city": rng.choice(list("abcdefghijklmnopqrstuvwxyzåß"), n),
            HOSTILE: rng.random(n) < 0.3,
            "visits": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n)),
            "two": rng.integers(0, 2, n),
            "y": rng.integers(0, 2, n),
        }
    )


def _dask(frame: pd.DataFrame, folder: Path) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=3)


def _file(kind: str) -> Callable[[pd.DataFrame, Path], Any]:
    def write(frame: pd.DataFrame, folder: Path) -> Any:
        half = len(frame) // 2
        for k, part in enumerate((frame.iloc[:half], frame.iloc[half:])):
            path = folder / f"part{k}.{kind}"
            part.to_parquet(path) if kind == "parquet" else part.to_csv(path, index=False)
        return str(folder / f"*.{kind}")

    return write


ENGINES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "parquet": _file("parquet"),
    "csv": _file("csv"),
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: pl.from_pandas(frame),
    "polars, lazy": lambda frame, folder: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame, folder: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": lambda frame, folder: duckdb.connect().from_df(frame),
    "dask": _dask,
}


def _ibis(frame: pd.DataFrame, folder: Path) -> Any:
    import ibis

    path = folder / "ibis.parquet"
    pa.parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return ibis.duckdb.connect().read_parquet(path)


ENGINES["ibis"] = _ibis
SLOW = ("csv", "pandas", "polars", "dask", "ibis", "pyspark")
if find_spec("pyspark") is not None and shutil.which("java") is not None:
    """PySpark, where it is installed, which needs Java and does not come with ``rulelab[test]``."""

    @cache
    def spark() -> Any:
        """A session of one process."""
        from pyspark.sql import SparkSession

        small = {"spark.ui.enabled": False, "spark.sql.shuffle.partitions": 2, "spark.driver.memory": "1g"}
        return SparkSession.builder.master("local[1]").config(map=small).getOrCreate()

    def _pyspark(frame: pd.DataFrame, folder: Path) -> Any:
        for k, part in enumerate(np.array_split(np.arange(len(frame)), 2)):
            some = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
            pa.parquet.write_table(some, folder / f"spark{k}.parquet")
        return spark().read.parquet(*map(str, sorted(folder.glob("spark*.parquet"))))

    ENGINES["pyspark"] = _pyspark


SOME = [e if e not in SLOW else pytest.param(e, marks=pytest.mark.long) for e in ENGINES]
"""As parameters of a test, the slow ones with the long tests."""


def open_as(engine: str, frame: pd.DataFrame, folder: Path) -> rl.tables.Table:
    """The table in an engine; files go to the folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of narwhals, where dask will move to
        return rl.tables.open(ENGINES[engine](frame, folder))
