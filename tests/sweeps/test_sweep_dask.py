"""Sweeps on a Dask cluster."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from patience import PATIENCE, wait_until
from test_sweep import DATA, GRID, TIMES, hard, waited
from test_sweep_counted import COUNTS
from test_sweep_counted import GRID as COUNTED_GRID

import rulelab as rl

pytestmark = pytest.mark.long
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a cluster with one process of two threads."""
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


def assert_same_as_here(client: Any, data: Any, **arguments: Any) -> None:
    here, there = (waited(rl.sweep(data, **arguments, client=where)) for where in (None, client))
    pd.testing.assert_frame_equal(there.frame.drop(columns=TIMES), here.frame.drop(columns=TIMES))


def test_a_cluster_changes_nothing(client):
    assert_same_as_here(client, DATA, grid=GRID, cv=3, sensitive="group")


def test_cancelling_on_a_cluster(client):
    sweep = rl.sweep(hard(), grid={"regularization": [0.0005]}, cv=4, client=client, time_limit=None)
    assert not sweep.wait(1)
    sweep.cancel()
    assert sweep.wait(PATIENCE)
    assert (sweep.progress.state, sweep.progress.done) == ("cancelled", 0)
    wait_until(lambda: not any(client.run(_going_on).values()), 0.1)


def _going_on(dask_worker):
    return len(dask_worker.state.executing) + len(dask_worker.state.long_running)


def test_counted_rows_on_a_cluster(client):
    assert_same_as_here(client, COUNTS, grid=COUNTED_GRID, sensitive="sex")
