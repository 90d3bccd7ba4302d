"""Searches of the page on a Dask cluster: the same results, told as they come, and what is left when a worker dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import Any

import pandas as pd
import pytest
from live import long_search, small_search
from patience import PATIENCE, wait_until
from test_sweep import TIMES

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.views.fronts.order import Order
from rulelab.views.live import wording as words
from rulelab.views.live.cluster import LOST, OVER, SILENT, differing, search_on
from rulelab.views.live.history import Mark
from rulelab.views.live.pacing import Pace
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import Limits, State
from rulelab.views.serving.memory import MemoryWatch

distributed = pytest.importorskip("distributed")


@pytest.fixture(params=[False], ids=["threads"], scope="module")
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Of a cluster whose workers are threads here, or processes."""
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options, processes=request.param) as cluster, distributed.Client(cluster) as made:
        yield made


def in_processes(test: Any) -> Any:
    """Have a test use workers that are processes, as a long test."""
    return pytest.mark.long(pytest.mark.parametrize("client", [True], indirect=True, ids=["processes"])(test))


@pytest.fixture
def start(client: Any) -> Iterator[Callable[..., SearchSession]]:
    """Makes sessions whose searches are on the cluster; after the test nothing is left, neither here nor there."""
    made: list[SearchSession] = []
    search_on(client)

    def make(search: Callable[[], rl.Search] = small_search, **options: Any) -> SearchSession:
        made.append(SearchSession(lambda report: Prepared(search()), **options))
        return made[-1]

    yield make
    search_on(None)
    for session in made:
        session.close()
    for session in made:
        session.join(PATIENCE)
        assert not session.alive
    wait_until(lambda: not sum(_searches(client).values()))


def _searches(client: Any) -> dict[str, int]:
    """How many each worker holds; a lambda, so that no worker imports what this module does."""
    held: dict[str, int] = client.run(lambda dask_worker: len(dask_worker.state.actors))
    return held


_WORK = attrgetter("work")


def test_a_search_comes_back_with_its_proof(start: Callable[..., SearchSession]) -> None:
    comes_back(start)


@in_processes
def test_a_search_comes_back_from_a_process(start: Callable[..., SearchSession]) -> None:
    comes_back(start)


def comes_back(start: Callable[..., SearchSession]) -> None:
    session = start()
    session.run()
    wait_until(lambda: session.state.over)
    known, last = rl.solve(small_search()), session.snapshot
    assert (session.state, session.error, last.status) == (State.ENDED, None, rl.Status.OPTIMAL)
    assert (last.work, last.counts, last.pruned) == (known.work, known.counts, known.pruned)
    assert (last.incumbent.model, last.lower_bound) == (known.incumbent.model, known.incumbent.objective)
    models = [each.incumbent.model for each in session.history.since(Mark())[0] if each.incumbent is not None]
    assert all(a is b or a != b for a, b in pairwise(models)), "a model that stays is one object"
    search = session.search
    assert (search.work, search.problem) == (last.work, session.prepared.search.problem)
    assert rl.verify(search.problem, last.incumbent.model, search.certificate())
    assert session.recording().snapshots[-1].work == last.work


def test_it_is_run_paused_stepped_watched_and_stopped(start: Callable[..., SearchSession]) -> None:
    session = start(long_search)
    session.step()
    wait_until(lambda: session.state is State.PAUSED)
    assert (session.snapshot.step, session.where) == (1, "on the cluster")
    session.watch("work", _WORK, 0.0)
    wait_until(lambda: session.seen("work") == session.snapshot.work)
    session.run()
    wait_until(lambda: session.snapshot.work > 20)
    assert words.standing(session).phase.endswith("(on the cluster)")
    wait_until(lambda: session.seen("work") > 20)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED)
    work = session.snapshot.work
    assert session.recording().snapshots[-1].work == session.search.work == work
    session.step()
    wait_until(lambda: session.state is State.PAUSED and session.snapshot.work > work)
    session.stop()
    wait_until(lambda: session.state is State.STOPPED)
    assert session.error is None
    assert session.search.work == session.snapshot.work
    assert all(a.work <= b.work for a, b in pairwise(session.history.since(Mark())[0]))
    assert session.search.advance(1).work > session.snapshot.work, "it can go on here"


def test_limits_end_it_and_it_goes_on_from_there(start: Callable[..., SearchSession]) -> None:
    session = start(long_search, limits=Limits(seconds=0.1), pace=Pace(50))
    session.run()
    wait_until(lambda: session.state is State.ENDED)
    first = session.snapshot
    assert (first.status, first.limit, session.resumable) == (rl.Status.LIMIT, "time", True)
    assert session.search.work == first.work
    session.run()
    wait_until(lambda: session.state is State.ENDED and session.snapshot.work > first.work)
    assert session.search.work == session.snapshot.work


def test_searches_take_turns_on_a_worker(start: Callable[..., SearchSession], client: Any) -> None:
    sessions = [start(long_search) for _ in range(4)]
    for session in sessions:
        session.run()
    wait_until(lambda: all(session.snapshot is not None for session in sessions))
    assert set(_searches(client).values()) == {2}
    watch = MemoryWatch(1)
    try:
        assert watch.look() is None, "they hold no memory of this process"
    finally:
        watch.stop()
    for session in sessions:
        session.close()


@in_processes
def test_what_the_cluster_cannot_take_is_said(start: Callable[..., SearchSession]) -> None:
    unsent = small_search()
    unsent.memory_limit = (each for each in ())
    session = start(lambda: unsent)
    session.run()
    wait_until(lambda: session.state.over)
    assert session.state is State.FAILED
    assert "the cluster did not take the search" in session.error


def test_sweeps_of_the_page_go_there_too(client: Any) -> None:
    order = Order("tic_tac_toe", {"rule_list": {"regularization": [0.05, 0.1], "max_conditions": [1]}}, folds=2)
    told: list[str] = []
    frames = []
    for each in (client, None):
        search_on(each)
        try:
            (swept,) = order(told.append).sweeps
        finally:
            search_on(None)
        assert swept.wait(PATIENCE)
        frames.append(swept.frame.drop(columns=TIMES))
    pd.testing.assert_frame_equal(*frames)


def _pids(client: Any) -> list[int]:
    """Of the workers that search."""
    pids, busy = client.run(os.getpid), _searches(client)
    return [pids[worker] for worker, n in busy.items() if n]


@in_processes
def test_what_was_proven_stays_when_the_worker_dies(start: Callable[..., SearchSession], client: Any) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.incumbent is not None)
    session.watch("work", _WORK, 0.0)
    wait_until(lambda: session.seen("work"))
    (pid,) = _pids(client)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: session.state.over)
    last = session.snapshot
    assert (session.state, last.status, last.limit) == (State.ENDED, rl.Status.LIMIT, "worker")
    assert session.error.startswith(LOST)
    said = words.standing(session).phase
    assert "its worker was lost" in said
    assert words.within(last.gap) in said
    before = session.history.since(Mark())[0][-2]
    assert (last.incumbent, last.lower_bound) == (before.incumbent, before.lower_bound)
    assert not session.resumable
    assert not session.unseen
    assert session.recording().snapshots[-1].limit == "worker"
    assert session.seen("work") > 0, "what was seen stays"
    wait_until(lambda: len(client.ncores()) == 2)


@in_processes
def test_a_worker_that_does_not_answer_holds_nobody_up(
    start: Callable[..., SearchSession], client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulelab.views.live.cluster._PATIENCE_SECONDS", 0.5)
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None)
    (pid,) = _pids(client)
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(0.5)
        session.stop()
        wait_until(lambda: session.state.over)
        assert session.state is State.STOPPED
        assert session.error.startswith(SILENT)
        assert "limit reached (stopped)" in words.standing(session).phase
    finally:
        os.kill(pid, signal.SIGCONT)


def test_serving_needs_a_scheduler_that_is_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulelab.cli.counted._CONNECT_SECONDS", 1)
    assert main(["serve", "--port", "0", "--store", "none", "--scheduler", "127.0.0.1:1"]) == 1
    assert "there is no Dask scheduler at 127.0.0.1:1" in capsys.readouterr().err


def test_a_scheduler_that_is_gone_is_said() -> None:
    options: dict[str, Any] = {"n_workers": 0, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        search_on(client)
        try:
            session = SearchSession(lambda report: Prepared(small_search()))
            session.run()
            wait_until(lambda: session.doing == "waiting for a worker of the cluster")
            client.close()
            wait_until(lambda: session.state.over)
        finally:
            search_on(None)
    assert (session.state, session.error) == (State.FAILED, OVER)


def test_the_server_searches_on_the_cluster(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    assert differing(client) == []
    monkeypatch.setattr("rulelab.views.serve", lambda **options: seen.append(_where()))
    address = client.scheduler.address
    assert main(["serve", "--port", "0", "--store", "none", "--scheduler", address]) == 0
    assert (seen, _where()) == (["on the cluster"], "")


def _where() -> str:
    return SearchSession(lambda report: Prepared(small_search())).where
