"""The memory of the server and of a search: dealt out, kept to, and what ends when there is no more of it."""

import asyncio
import re
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from weakref import WeakSet

import numpy as np
import psutil
import pytest
from _visitor import searching
from patience import PATIENCE, wait_until
from servers import in_a_thread, served
from test_views_fronts import asked

from rulelab import Problem, RuleListSearch, Status
from rulelab.views.allowance import ALLOWED, NO_MEMORY, NO_ROOM, SHARES, Share
from rulelab.views.alternatives.good import find
from rulelab.views.forms.data import read
from rulelab.views.fronts.run import NO_MEMORY_LEFT, Run
from rulelab.views.fronts.tab import Order
from rulelab.views.live.job import Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import State
from rulelab.views.search.setup import Setup
from rulelab.views.serving import health


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes limits of memory back, and knows no runs of other tests."""
    for name in ("memory", "budget", "seconds", "left"):
        monkeypatch.setattr(ALLOWED, name, None)
    monkeypatch.setattr(ALLOWED, "full", False)
    monkeypatch.setattr(health, "OPEN", WeakSet())


def long_search(regularization: float = 1e-4) -> RuleListSearch:
    """Stores prefixes for long."""
    random = np.random.default_rng(3)
    A = random.random((400, 80)) < 0.3
    return RuleListSearch(Problem.from_arrays(A, random.random(400) < 0.5), regularization, beam_width=0)


def running(search: RuleListSearch) -> SearchSession:
    session = SearchSession(lambda report: Prepared(search))
    health.OPEN.add(session)
    session.run()
    wait_until(lambda: session.snapshot is not None)
    return session


def test_a_session_over_its_share_ends_with_its_model_and_gap(budget: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ALLOWED, "memory", 2_000_000)
    session = running(long_search())
    wait_until(lambda: session.state.over)
    last = session.snapshot
    assert (last.status, last.limit) == (Status.LIMIT, "memory")
    assert last.memory_bytes <= 2_200_000
    assert 0 < last.gap < last.incumbent.objective


def test_over_the_budget_the_largest_search_ends_and_none_begins(budget: None) -> None:
    small, large = running(long_search()), running(long_search())
    small.pause()
    wait_until(lambda: small.state is State.PAUSED)
    wait_until(lambda: large.snapshot.memory_bytes > small.snapshot.memory_bytes)
    before = small.snapshot.work
    small.step()
    wait_until(lambda: small.state is State.PAUSED and small.snapshot.work > before)  # or it ends where none is left
    watch = health.MemoryWatch(10**15)
    assert watch.look() is None
    assert not ALLOWED.full
    watch.budget = 1
    assert watch.look() is large
    assert watch.look() is None, "no more was taken since"
    wait_until(lambda: large.state.over)
    assert (large.snapshot.status, large.snapshot.limit) == (Status.LIMIT, "memory")
    assert large.snapshot.gap > 0
    assert large.resumable
    assert not small.state.over
    late = SearchSession(lambda report: report("mining") or Prepared(long_search()))  # type: ignore[func-returns-value]
    late.run()
    wait_until(lambda: late.state.over)
    assert late.error == NO_MEMORY
    watch.stop()
    for session in (small, large):
        session.close()
        session.join()


def test_what_is_left_is_dealt_out_and_each_search_keeps_to_its_part(budget: None) -> None:
    searches = [long_search(), long_search()]
    sessions = [running(each) for each in searches]
    wait_until(lambda: min(each.snapshot.memory_bytes for each in sessions) > 0)
    watch = health.MemoryWatch(health.resident(psutil.Process()) + 200_000_000)
    watch.look()
    left = 0.95 * watch.budget - health.resident(psutil.Process())
    held = [each.memory_limit - session.snapshot.memory_bytes for each, session in zip(searches, sessions, strict=True)]
    assert max(held) <= 1.2 * max(left, 0) / 2 + 20_000_000, "each may have half of it"
    watch.budget = 1
    watch.look()
    wait_until(lambda: all(each.state.over for each in sessions))
    watch.look()
    for session, search in zip(sessions, searches, strict=True):
        last = session.snapshot
        assert (last.status, last.limit) == (Status.LIMIT, "memory")
        assert last.incumbent is not None
        assert last.gap > 0
        assert search.memory_limit is None, "as it was, and nothing is dealt out to it any more"
        assert session.resumable
        session.close()
        session.join()


def test_a_share_is_within_the_limit_of_the_search_itself() -> None:
    search = long_search()
    search.memory_limit = 1000
    before = set(SHARES)
    with Share(search, lambda: 400):
        (share,) = set(SHARES) - before
        for more, most in ((50, 450), (5000, 1000), (0, 400)):
            share.deal(more)
            assert search.memory_limit == most
    assert search.memory_limit == 1000
    with Share(object(), lambda: 0):
        assert search.memory_limit == 1000


class Looking(Progress):
    """Looks at the memory at each step of the work."""

    watch: health.MemoryWatch | None = None

    def __setattr__(self, name: str, value) -> None:
        super().__setattr__(name, value)
        if name == "doing" and self.watch is not None:
            self.watch.look()


def test_enumerations_keep_to_their_part_too(budget: None) -> None:
    random = np.random.default_rng(3)
    A = random.random((400, 10)) < 0.3
    search = RuleListSearch(Problem.from_arrays(A, A[:, 0] ^ (random.random(400) < 0.3)), 0.002, beam_width=0)
    while search.advance(1000).status is Status.RUNNING:
        pass
    progress = Looking()
    progress.watch = health.MemoryWatch(1)
    found = find(lambda report: Prepared(search), progress, 0.5, 100_000, 600.0)
    assert (found.result.truncated, found.verdict()[0]) == ("memory", "limit")
    progress.watch.stop()


def test_mining_keeps_to_the_share_of_a_search(budget: None, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = Setup()
    setup.table.data = "tic_tac_toe"
    recipe = setup.recipe()
    recipe = replace(recipe, parameters={**recipe.parameters, "max_conditions": 2, "max_antecedents": None})
    wide = recipe(lambda doing: None)
    monkeypatch.setattr(ALLOWED, "memory", 20_000)
    narrow = recipe(lambda doing: None)
    assert narrow.search.memory_limit == narrow.recipe["memory_limit"] == 20_000
    assert narrow.search.problem.n_antecedents < wide.search.problem.n_antecedents
    assert any("Memory limit" in note for note in narrow.notes)


GRID = {"regularization": [0.02], "max_conditions": [1]}


def test_fits_of_sweeps_keep_to_limits_of_the_server(budget: None, monkeypatch: pytest.MonkeyPatch) -> None:
    order = Order(asked(data="tic_tac_toe"), GRID, time_limit=90.0)
    assert "memory_limit" not in order.code
    monkeypatch.setattr(ALLOWED, "budget", 4_000_000)
    assert "1000000" in order.code
    monkeypatch.setattr(ALLOWED, "memory", 300_000)
    monkeypatch.setattr(ALLOWED, "seconds", 60.0)
    assert "time_limit=60.0" in order.code
    run = Run(order)
    run.join(PATIENCE)
    (sweep,) = run.started.sweeps
    assert {result.parameters["memory_limit"] for result in sweep.results} == {300_000}
    assert run.error is None


@pytest.mark.long
def test_a_sweep_ends_with_its_fits_and_no_work_begins_where_no_memory_is_left(budget: None, monkeypatch) -> None:
    grid = {"regularization": [0.001 + k / 1e5 for k in range(100)], "max_conditions": [2]}
    run = Run(Order(asked(data="tic_tac_toe"), grid))
    wait_until(lambda: run.n_done > 0 or not run.busy)
    monkeypatch.setattr(ALLOWED, "full", True)
    run.join(PATIENCE)
    assert NO_MEMORY_LEFT in run.messages
    assert 0 < run.n_done < 100
    late = Run(Order(asked(data="tic_tac_toe"), GRID))
    late.join(PATIENCE)
    assert (late.error, late.started.sweeps) == (NO_MEMORY, ())
    with pytest.raises(ValueError, match=re.escape(NO_MEMORY)):
        find(lambda report: Prepared(long_search()), Progress())


@pytest.mark.long
def test_a_child_that_is_not_yet_another_program_is_not_counted_with_the_memory_of_its_parent() -> None:
    code = """if True:
        import os, signal, subprocess, psutil
        from rulelab.views.serving.health import resident
        filled, process = bytes(200_000_000), psutil.Process()
        child = os.fork()
        if not child:
            signal.pause()
        print(resident(process) - process.memory_info().rss)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            other.stdin.write(b"x"), other.stdin.flush(), other.stdout.read(1)
            print(resident(process) - process.memory_info().rss)
    """
    forked, other = map(int, subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert abs(forked) < 20_000_000
    assert 0 < other < 50_000_000


@pytest.mark.long
def test_the_server_holds_no_more_than_a_tenth_above_its_budget(tmp_path: Path) -> None:
    budget = 560_000_000
    query = "?data=compas&max_conditions=2&regularization=0.0001&time_limit=600&memory_limit=4000&speed=full+speed"
    with served("--memory", "560MB", "--store", "none", state=tmp_path) as server:
        process, most, over = psutil.Process(server.process.pid), [0], threading.Event()

        def measure() -> None:
            while not over.wait(0.05):
                most[0] = max(most[0], health.resident(process))

        async def lesson() -> None:
            async with searching(server.port, [query] * 3):
                end = time.monotonic() + PATIENCE
                while server.written.count("a run has ended") < 3 and time.monotonic() < end:
                    await asyncio.sleep(0.2)

        measuring = threading.Thread(target=measure)
        measuring.start()
        try:
            in_a_thread(lesson())
        finally:
            over.set()
            measuring.join()
        ended = [line for line in server.written.splitlines() if "a run has ended" in line]
        assert len(ended) == 3
        assert all(re.search(r'end="limit" .* gap=0*\.?0*[1-9].* limit="memory"', line) for line in ended), ended
        assert 0.8 * budget < most[0] <= 1.1 * budget


def test_a_file_is_read_within_what_is_left_and_not_at_all_where_there_is_nothing(budget: None, monkeypatch) -> None:
    sheet = b"a,b\n" + b"1,2\n" * 400_000
    monkeypatch.setattr(ALLOWED, "left", 2_000_000)
    with pytest.raises(ValueError, match=re.escape(f"x.csv was not read: {NO_ROOM}")):
        read(sheet, "x.csv")
    monkeypatch.setattr(ALLOWED, "left", 1_000_000_000)
    assert len(read(sheet, "x.csv").frame) == 400_000
    monkeypatch.setattr(ALLOWED, "full", True)
    with pytest.raises(ValueError, match=re.escape(NO_ROOM)):
        read(sheet, "x.csv")
    assert ALLOWED.promised == 0


@pytest.mark.long
def test_what_is_left_is_dealt_out_to_fits_and_files_too(budget: None, monkeypatch: pytest.MonkeyPatch) -> None:
    dealt, deal = list[int](), Share.deal
    monkeypatch.setattr(Share, "deal", lambda self, more: dealt.append(more) or deal(self, more))
    watch = health.MemoryWatch(health.resident(psutil.Process()) + 300_000_000)
    watch.start()
    grid = {"regularization": [0.0001], "max_conditions": [2], "beam_width": [0]}
    run = Run(Order(asked(data="compas"), grid, time_limit=1.0))
    run.join(PATIENCE)
    watch.stop()
    assert run.error is None
    assert dealt
    assert max(dealt) <= 300_000_000
    assert not list(SHARES)
    with ALLOWED.part(3) as most:
        assert most is None
    ALLOWED.left = 1_000_000_000
    with ALLOWED.part(0) as first, ALLOWED.part(3) as other:
        assert (first, other, ALLOWED.promised) == (500_000_000, 125_000_000, 1_250_000_000)
    with ALLOWED.part(1000) as least:
        assert least == 64_000_000, "a small file can always be read"
    watch = health.MemoryWatch(10**13)
    with ALLOWED.part(0), Share(search := long_search(), lambda: 0):
        watch.look()
        assert search.memory_limit < 0.95 * 10**13 - 900_000_000
    watch.stop()
    assert (ALLOWED.left, ALLOWED.promised) == (None, 0)
