"""Counting in a Dask cluster of processes, one of which may die."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from table_engines import people

import rulelab as rl
from rulelab.cli.commands import main

pytestmark = pytest.mark.long
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


@pytest.fixture
def parts(tmp_path):
    frame = people(1600)[["age", "sex", "y"]].assign(w=np.random.default_rng(1).random(1600), id=np.arange(1600))
    for k in range(4):
        frame.iloc[400 * k : 400 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    return frame


def _slowly(part: pd.DataFrame) -> pd.DataFrame:
    time.sleep(0.15)
    return part


def counted(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        table = rl.tables.open(source)
    split = rl.tables.Split("id", 0.3)
    features = table.features("y", "id", weight="w", split=split)
    binarizer = rl.Binarizer(thresholds=3).fit(features)
    counts = rl.tables.count(table, binarizer, "y", sensitive="sex", weight="w", split=split)
    kinds = [frame.astype(object).fillna("?").map(repr) for frame in (counts.features, counts.sensitive)]
    rows = [*kinds, counts.label, counts.test, counts.rows, counts.heads]
    return binarizer.conditions_, sorted(map(tuple, pd.concat(rows, axis=1).to_numpy().tolist()))


def test_a_cluster_counts_as_memory_does(cluster, parts, tmp_path):
    import dask.dataframe as dd

    with distributed.Client(cluster):
        found = counted(dd.read_parquet(str(tmp_path / "*.parquet")))
    assert found == counted(parts)


def test_a_worker_that_dies_changes_no_number(cluster, parts, tmp_path):
    import dask.dataframe as dd

    with distributed.Client(cluster) as client:
        slow = dd.read_parquet(str(tmp_path / "*.parquet"))
        slow = slow.map_partitions(_slowly, meta=dict(slow.dtypes))
        pids = list(client.run(os.getpid).values())
        killed = threading.Timer(1.0, os.kill, (pids[0], signal.SIGKILL))
        killed.start()
        try:
            found = counted(slow)
        except distributed.scheduler.KilledWorker:
            return  # it says so, and gives no number
        finally:
            killed.cancel()
            killed.join()
        assert pids[0] not in client.run(os.getpid).values()
    assert found == counted(parts)


def test_the_command_line_takes_a_cluster(cluster, parts, tmp_path, capsys, monkeypatch):
    options = [
        "--target", "y", "--leave-out", "id", "--leave-out", "w", "--regularization", "0.02", "--thresholds", "3",
    ]  # fmt: skip
    said = []
    for more in (["--scheduler", cluster.scheduler_address], []):
        assert main(["fit", str(tmp_path / "*.parquet"), *options, *more]) == 0
        out = capsys.readouterr()
        said.append(out.out.split("certified optimal")[0])
        assert ("with dask" in out.err) == bool(more)
    assert said[0] == said[1]
    odd = pa.table({"odd one": [b"x", b"y"] * 20, "a": list(range(40)), "y": [0, 1] * 20})
    path = tmp_path / "odd" / "odd.parquet"
    path.parent.mkdir()
    pa.parquet.write_table(odd, path)
    for more in (["--scheduler", cluster.scheduler_address], ["--count"]):
        assert main(["fit", str(path), "--target", "y", *more]) == 2
        assert "column 'odd one' holds" in capsys.readouterr().err
    monkeypatch.setattr("rulelab.cli.reading.CONNECT_SECONDS", 1)
    assert main(["fit", str(tmp_path / "*.parquet"), *options, "--scheduler", "127.0.0.1:1"]) == 1
    assert "there is no Dask scheduler at 127.0.0.1:1" in capsys.readouterr().err
