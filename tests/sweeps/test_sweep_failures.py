"""One fit that fails, in whatever way, is one failed result: the sweep, its tables and its fronts go on."""

import math
import os
import sys

import pytest
from patience import PATIENCE, wait_until
from test_sweep import DATA, GRID, hard, jobs_of, run, waited

import rulelab as rl
from rulelab import rehearsal
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
    (KeyError("x"), "KeyError.*'x'"),
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
    ("error", "message"),
    [ERRORS[0], *(pytest.param(*error, marks=pytest.mark.long) for error in ERRORS[1:])],
    ids=lambda value: type(value).__name__,
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


@pytest.mark.parametrize("failing", [pytest.param("some", marks=pytest.mark.long), "all"])
def test_tables_fronts_and_views_of_failed_fits(monkeypatch, failing):
    break_fits(
        monkeypatch, MemoryError(), lambda fold, regularization: failing == "all" or regularization == 0.05 or fold == 0
    )
    sweep = run()
    frame = sweep.frame
    assert len(frame) == 18
    assert (frame["status"] == "failed").sum() == (18 if failing == "all" else 10)
    assert frame.to_csv(index=False).count("MemoryError") >= 10
    left = 0 if failing == "all" else 4
    for on in ("test", "train"):
        assert len(sweep.points(on)) == left
        for y in ("complexity", "equal_opportunity_gap", "equal_opportunity_gap_pooled", "seconds"):
            front = sweep.pareto("accuracy", y, on=on)
            assert len(front) <= left
            assert bool(len(front)) == bool(left)
            front.to_csv()
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


@pytest.mark.long
def test_a_worker_process_that_dies_is_a_failed_fit(monkeypatch):
    run_here, calls = runners.run_received, []

    def sometimes(self, function, *arguments):
        calls.append(function)
        return submit(self, *((os._exit, 1) if len(calls) == 3 else (run_here, *arguments)))

    submit = runners.ProcessPoolExecutor.submit
    monkeypatch.setattr(runners.ProcessPoolExecutor, "submit", sometimes)
    sweep = waited(rl.sweep(DATA, grid=GRID, cv=2, n_jobs=2, backend="processes"))
    assert (sweep.progress.state, sweep.progress.failed, sweep.progress.done) == ("done", 1, 12)
    (message,) = sweep.frame.loc[sweep.frame["status"] == "failed", "message"]
    assert "the worker process of this fit has ended; is there memory enough?" in message


@pytest.mark.long
def test_processes_that_cannot_work_at_all_end_the_sweep(monkeypatch):
    submit = runners.ProcessPoolExecutor.submit
    monkeypatch.setattr(runners.ProcessPoolExecutor, "submit", lambda self, *_: submit(self, os._exit, 1))
    sweep = rl.sweep(DATA, grid=GRID, cv=3, n_jobs=2, backend="processes")
    with pytest.raises(SweepError, match="3 worker processes of the sweep have ended before their first fit was done"):
        sweep.wait(PATIENCE)
    assert sweep.progress.state == "failed"


@pytest.mark.long
def test_a_process_killed_by_the_system_hangs_nothing():
    sweep = rl.sweep(hard(), grid={"regularization": [0.0005]}, cv=2, n_jobs=2, backend="processes", time_limit=None)
    killed: list[int] = []

    def kill_one_and_see() -> bool:
        pools = [runner._pool for runner in sweep._runners]  # no other process of theirs has a fit by now
        alive = [each for pool in pools for each in list((pool._processes or {}).values()) if each.is_alive()]
        if not killed and alive:
            killed.append(alive[0].pid)
            os.kill(killed[0], 9)
        return sweep.progress.done > 0

    wait_until(kill_one_and_see, 0.05)
    assert sweep.results[0].status == "failed"
    sweep.cancel()
    assert sweep.wait(PATIENCE)
    assert sweep.progress.state == "cancelled"


class Warm(Plan):
    """A plan whose limits may be asked for by a fit only when the kernels of its family are compiled."""

    @property
    def time_limit(self):
        if sys._getframe(1).f_code.co_name == "fit" and not rehearsal.rehearsed:
            raise AssertionError("the clock runs before the kernels are compiled")
        return self.__dict__["limit"]

    @time_limit.setter
    def time_limit(self, value):
        self.__dict__["limit"] = value


@pytest.fixture
def warm_plan() -> Plan:
    return make_plan(DATA, 2, None, None, 0, 60.0, 0.0)


@pytest.mark.long
def test_kernels_are_compiled_before_the_clock(warm_plan, job, monkeypatch):
    plan = Warm(**{name: getattr(warm_plan, name) for name in Plan.__dataclass_fields__})
    for compiles, status in ((True, "optimal"), (False, "failed")):  # else the check itself notices
        if not compiles:
            monkeypatch.setattr(rl.Search, "compile", lambda self: None)
        monkeypatch.setattr(rehearsal, "rehearsed", set())
        assert runners.run(plan, job, None).status == status


@pytest.mark.long
def test_a_dask_worker_that_dies_is_a_failed_fit(warm_plan, job, monkeypatch):
    distributed = pytest.importorskip("distributed")
    once = pytest.importorskip("dask").config.set({"distributed.scheduler.allowed-failures": 0})  # not 3
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    with once, cluster, distributed.Client(cluster) as client:
        runner = OnDask(client, client.scatter(warm_plan, hash=False), warm_plan, runners.never)
        submit = client.submit
        monkeypatch.setattr(client, "submit", lambda _, plan, *rest, **options: submit(os._exit, 1, pure=False))
        result = runner.run(job, None)
        assert result.status == "failed"
        assert "KilledWorker" in result.message


@pytest.mark.long
def test_a_cluster_without_workers_ends_the_sweep(warm_plan, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(runners, "_LOOK_SECONDS", 0.2)
    monkeypatch.setattr(runners, "_WORKERLESS_SECONDS", 1)
    cluster = distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        runner = OnDask(client, client.submit(len, ()), warm_plan, runners.never)
        with pytest.raises(SweepError, match="has had no worker for 1 s; start some"):
            runner.run(None, None)
