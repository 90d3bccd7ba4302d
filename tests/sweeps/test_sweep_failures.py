"""Fits that fail, in whatever way, fail alone; sweeps on a Dask cluster."""

import math
import signal
from collections.abc import Iterator
from typing import Any

import dask
import distributed
import pandas as pd
import pytest
from patience import PATIENCE, wait_until
from test_sweep import DATA, GRID, TIMES, hard, jobs_of, run, waited
from test_sweep_counted import COUNTS
from test_sweep_counted import GRID as COUNTED_GRID

import rulelab as rl
from rulelab.rule_set.master import linear_program as master
from rulelab.sweeps import SweepError, runners
from rulelab.sweeps.families import Certified
from rulelab.sweeps.plan import Plan, make_plan
from rulelab.sweeps.result import Job, Stopped
from rulelab.sweeps.runners import OnDask
from rulelab.views.fronts.run import followed
from rulelab.views.fronts.view import FrontView

ERRORS = [
    (master.MasterError("no basis"), r"MasterError \(line \d+ of .*test_sweep_failures.py\): no basis"),
    (MemoryError(), r"MemoryError \(line \d+ of "),
    (OSError(28, "No space left on device"), "No space left"),
    (ValueError("these rows are odd"), "^these rows are odd$"),
]


def break_fits(monkeypatch, error, which):
    """Fits of a number of a fold and a regularization for which ``which`` holds raise the error."""
    fit = Certified.fit

    def broken(self, fold, parameters, *others):
        if which(fold.index, parameters["regularization"]):
            raise error
        return fit(self, fold, parameters, *others)

    monkeypatch.setattr(Certified, "fit", broken)


@pytest.mark.parametrize(
    ("error", "message"), [ERRORS[0], *(pytest.param(*error, marks=pytest.mark.long) for error in ERRORS[1:])]
)
def test_any_error_of_one_fit_is_one_failed_result(monkeypatch, tmp_path, error, message):
    break_fits(monkeypatch, error, lambda fold, regularization: fold == 1 and regularization == 0.05)
    sweep = run(results=tmp_path / "results.jsonl")
    assert (sweep.progress.state, sweep.progress.failed, sweep.progress.done) == ("done", 2, 18)
    failed = sweep.frame[sweep.frame["status"] == "failed"]
    assert failed["message"].str.contains(message).all()
    assert sweep.points()["folds"].tolist() == [3, 3, 2, 2, 3, 3]
    with pytest.raises(SweepError, match="has no model"):
        next(r for r in sweep.results if r.status == "failed").load()
    monkeypatch.undo()
    again = run(results=tmp_path / "results.jsonl")
    assert (again.progress.resumed, again.progress.failed) == (16, 0)


def test_a_fold_that_cannot_be_made_fails_its_fits_alone(monkeypatch):
    fold = Plan.fold

    def broken(self, index):
        if index == 1:
            raise MemoryError
        return fold(self, index)

    monkeypatch.setattr(Plan, "fold", broken)
    sweep = run()
    assert sweep.frame.groupby("fold")["status"].agg(set).tolist() == [{"optimal"}, {"failed"}, {"optimal"}]


@pytest.fixture(scope="module")
def job() -> Job:
    return jobs_of(waited(rl.sweep(DATA, grid={"regularization": [0.1]}, cv=2)))[0]


def test_cancelling_and_interrupts_are_no_failed_fits(job, monkeypatch):
    plan = make_plan(DATA, 2, None, None, 0, None, 0.0)
    for error in (Stopped, KeyboardInterrupt):
        monkeypatch.setattr(Certified, "fit", lambda *_, error=error: (_ for _ in ()).throw(error))
        with pytest.raises(error):
            runners.run(plan, job, None)


@pytest.mark.parametrize("left", [0, pytest.param(4, marks=pytest.mark.long)])
def test_tables_fronts_and_views_of_failed_fits(monkeypatch, left):
    break_fits(monkeypatch, MemoryError(), lambda fold, regularization: not left or regularization == 0.05 or fold == 0)
    sweep = run()
    assert sweep.frame["status"].value_counts()["failed"] == (10 if left else 18)
    for on in ("test", "train"):
        assert len(sweep.points(on)) == left
        for y in ("complexity", "equal_opportunity_gap_pooled", "seconds"):
            assert bool(len(sweep.pareto("accuracy", y, on=on))) == bool(left)
    assert math.isnan(sweep.frame["objective"].iloc[0])
    for point in range(6):
        sweep.rates(point).to_csv()
    followed_run = followed([sweep], DATA)
    followed_run.join(PATIENCE)
    view = FrontView()
    view.follow(followed_run)
    for on in ("train", "test"):
        view.on = on
        view.refresh()
        assert len(view.points()) == left
    assert view.fits_csv().getvalue().count("failed") >= 10
    view.points_csv()
    assert " failed" in followed_run.standing().phase
    view.close()


DIE = signal.raise_signal, signal.SIGKILL
"""What a process is asked to do that dies."""


@pytest.mark.long
def test_a_worker_process_that_dies_is_a_failed_fit(monkeypatch):
    run_here, calls = runners.run_received, []

    def sometimes(self, function, *arguments):
        calls.append(function)
        return submit(self, *(DIE if len(calls) == 3 else (run_here, *arguments)))

    submit = runners.ProcessPoolExecutor.submit
    monkeypatch.setattr(runners.ProcessPoolExecutor, "submit", sometimes)
    sweep = waited(rl.sweep(DATA, grid=GRID, cv=2, n_jobs=2, backend="processes"))
    assert (sweep.progress.state, sweep.progress.failed, sweep.progress.done) == ("done", 1, 12)
    (message,) = sweep.frame.loc[sweep.frame["status"] == "failed", "message"]
    assert "the worker process of this fit has ended; is there memory enough?" in message


@pytest.fixture
def warm_plan() -> Plan:
    return make_plan(DATA, 2, None, None, 0, 60.0, 0.0)


@pytest.mark.long
def test_a_dask_worker_that_dies_is_a_failed_fit(warm_plan, job, monkeypatch):
    once = dask.config.set({"distributed.scheduler.allowed-failures": 0})  # not 3
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    with once, cluster, distributed.Client(cluster) as client:
        runner = OnDask(client, client.scatter(warm_plan, hash=False), warm_plan, lambda: False)
        submit = client.submit
        monkeypatch.setattr(client, "submit", lambda _, plan, *rest, **options: submit(*DIE, pure=False))
        result = runner.run(job, None)
        assert result.status == "failed"
        assert "KilledWorker" in result.message


@pytest.mark.long
def test_a_cluster_without_workers_ends_the_sweep(warm_plan, monkeypatch):
    monkeypatch.setattr(runners, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(runners, "WORKERLESS_SECONDS", 1)
    cluster = distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        runner = OnDask(client, client.submit(len, ()), warm_plan, lambda: False)
        with pytest.raises(SweepError, match="has had no worker for 1 s; start some"):
            runner.run(None, None)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a cluster with one process of two threads."""
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "arguments"),
    [(DATA, {"grid": GRID, "cv": 3, "sensitive": "group"}), (COUNTS, {"grid": COUNTED_GRID, "sensitive": "sex"})],
    ids=["rows", "counted rows"],
)
def test_a_cluster_changes_nothing(client, data, arguments):
    here, there = (waited(rl.sweep(data, **arguments, client=where)) for where in (None, client))
    pd.testing.assert_frame_equal(there.frame.drop(columns=TIMES), here.frame.drop(columns=TIMES))


@pytest.mark.long
def test_cancelling_on_a_cluster(client):
    sweep = rl.sweep(hard(), grid={"regularization": [0.0005]}, cv=4, client=client, time_limit=None)
    assert not sweep.wait(1)
    sweep.cancel()
    assert sweep.wait(PATIENCE)
    assert (sweep.progress.state, sweep.progress.done) == ("cancelled", 0)
    wait_until(lambda: not any(client.run(_going_on).values()), 0.1)


def _going_on(dask_worker):
    return len(dask_worker.state.executing) + len(dask_worker.state.long_running)
