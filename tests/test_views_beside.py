"""Searches of the page in processes of their own: the same results, told as they come, and none left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from operator import attrgetter

import numpy as np
import psutil
import pytest
from live import long_search, small_search
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.recording import Course
from rulelab.views.live import wording as words
from rulelab.views.live.beside import search_beside
from rulelab.views.live.hands import HANDS
from rulelab.views.live.history import Mark
from rulelab.views.live.hosts import LOST, Host, Hosts
from rulelab.views.live.pacing import Pace
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.session import SearchSession
from rulelab.views.live.share import SHARES
from rulelab.views.live.state import Limits, State
from rulelab.views.live.wire import pack, unpack
from rulelab.views.search.seeing import tree_of
from rulelab.views.serving.memory import MemoryWatch

_WORK = attrgetter("work")


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    """One process, and none of it afterwards."""
    made = Hosts(1)
    before = set(psutil.Process().children())
    made.begin()
    yield made
    made.end()
    wait_until(lambda: not set(psutil.Process().children()) - before)
    with pytest.raises(ValueError, match="is being stopped"):
        made.take()


@pytest.fixture
def start(hosts: Hosts) -> Iterator[Callable[..., SearchSession]]:
    """Makes sessions whose searches are in the process; after the test it has none of them."""
    made: list[SearchSession] = []
    search_beside(hosts)

    def make(search: Callable[[], rl.Search] = small_search, **options: object) -> SearchSession:
        made.append(SearchSession(lambda report: Prepared(search()), **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    search_beside(None)
    for session in made:
        session.close()
    for session in made:
        session.join(PATIENCE)
        assert not session.alive
    wait_until(lambda: not sum(host.searches for host in hosts.present))


def test_a_search_comes_back_with_its_proof_and_its_course(start: Callable[..., SearchSession]) -> None:
    session = start()
    session.run()
    wait_until(lambda: session.state.over)
    alone, course, steps = small_search(), Course(), []
    for snapshot in alone.steps(1):
        course.look(alone, snapshot)
        steps.append(snapshot)
    known, last = steps[-1], session.snapshot
    assert (session.state, session.error, last.status) == (State.ENDED, None, rl.Status.OPTIMAL)
    assert (last.work, last.counts, last.pruned) == (known.work, known.counts, known.pruned)
    assert (last.incumbent.model, last.lower_bound) == (known.incumbent.model, known.incumbent.objective)
    models = [each.incumbent.model for each in session.history.since(Mark())[0] if each.incumbent is not None]
    assert all(a is b or a != b for a, b in pairwise(models)), "a model that stays is one object"
    search = session.search
    assert (search.work, search.problem) == (last.work, session.prepared.search.problem)
    assert rl.verify(search.problem, last.incumbent.model, search.certificate())
    recording = session.recording()
    assert recording.snapshots[-1].work == last.work
    n = len(alone.fates())
    assert (session.course.fates(last.step, n) == course.fates(known.step, n)).all()


def test_it_is_run_paused_stepped_watched_and_stopped(start: Callable[..., SearchSession]) -> None:
    session = start(long_search)
    session.step()
    wait_until(lambda: session.state is State.PAUSED)
    assert (session.snapshot.step, session.where) == (1, "")
    session.watch("work", _WORK, 0.0)
    wait_until(lambda: session.seen("work") == session.snapshot.work)
    session.run()
    wait_until(lambda: session.snapshot.work > 20)
    wait_until(lambda: session.seen("work") > 20)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED)
    work = session.snapshot.work
    assert session.recording().snapshots[-1].work == session.search.work == work
    session.step()
    wait_until(lambda: session.state is State.PAUSED and session.snapshot.work > work)
    session.watch("tree", partial(tree_of, moment=None, course=session.course, columns=0), 0.0)
    wait_until(lambda: session.seen("tree") is not None)
    early = session.history.since(Mark())[0][0]
    session.watch("before", partial(tree_of, moment=early, course=session.course, columns=0), 0.0)
    wait_until(lambda: session.seen("before") is not None)
    assert len(session.seen("before").tree) < len(session.seen("tree").tree), "the course is known there"
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


def test_searches_take_turns_and_the_line_is_seen(start: Callable[..., SearchSession], hosts: Hosts) -> None:
    sessions = [start(long_search) for _ in range(4)]
    for session in sessions:
        session.run()
    wait_until(lambda: all(session.snapshot is not None for session in sessions))
    wait_until(lambda: hosts.waiting > 0)
    works = [session.snapshot.work for session in sessions]
    wait_until(lambda: all(session.snapshot.work > work for session, work in zip(sessions, works, strict=True)))
    os.kill(hosts.present[0].pid, signal.SIGSTOP)
    try:
        wait_until(lambda: all("3 in line" in words.standing(session).phase for session in sessions))
    finally:
        os.kill(hosts.present[0].pid, signal.SIGCONT)


def test_the_memory_of_the_process_counts_and_its_search_ends_with_what_it_has_proven(
    start: Callable[..., SearchSession],
) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.incumbent is not None)
    watch = MemoryWatch(1)
    try:
        assert watch.look() is session
    finally:
        watch.stop()
    wait_until(lambda: session.state.over)
    assert (session.state, session.snapshot.limit, session.error) == (State.ENDED, "memory", None)
    assert session.search.work == session.snapshot.work


def test_what_a_search_may_hold_is_told_to_its_process(start: Callable[..., SearchSession]) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.memory_bytes > 0)
    (share,) = [each for each in SHARES if each._search is session.search]
    share.deal(1_000_000)
    wait_until(lambda: session.state.over)
    assert (session.snapshot.status, session.snapshot.limit) == (rl.Status.LIMIT, "memory")
    assert session.search.memory_limit is None, "as it was"


def test_what_goes_wrong_there_is_said_here(start: Callable[..., SearchSession], hosts: Hosts) -> None:
    unsent = small_search()
    unsent.memory_limit = (each for each in ())  # type: ignore[assignment]
    session = start(lambda: unsent)
    session.run()
    wait_until(lambda: session.state.over)
    assert session.state is State.FAILED
    assert "cannot be handed to another process" in session.error
    watched = start(long_search)
    watched.step()
    wait_until(lambda: watched.state is State.PAUSED)
    watched.watch("nothing", attrgetter("nothing"), 0.0)
    wait_until(lambda: not watched.unseen)
    assert watched.seen("nothing") is None
    watched.step()
    wait_until(lambda: watched.state is State.PAUSED and watched.snapshot.step == 2)


def test_what_was_proven_stays_when_the_process_dies(start: Callable[..., SearchSession], hosts: Hosts) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.incumbent is not None)
    os.kill(hosts.present[0].pid, signal.SIGKILL)
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
    assert session.recording().snapshots[-1].limit == "worker"
    again = start()
    again.run()
    wait_until(lambda: again.state.over)
    assert again.state is State.ENDED, again.error
    assert again.snapshot.status is rl.Status.OPTIMAL, "there is another process"


def test_a_closed_page_waits_for_no_answer(start: Callable[..., SearchSession], hosts: Hosts) -> None:
    sessions = [start(long_search) for _ in range(2)]
    sessions[0].run()
    wait_until(lambda: sessions[0].snapshot is not None)
    pid = hosts.present[0].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        sessions[1].run()
        wait_until(lambda: sessions[1].doing.startswith("handing the search"))
        for session in sessions:
            session.close()
            session.join(PATIENCE)
        assert [(session.alive, session.state, session.error) for session in sessions] == [(False, "stopped", None)] * 2
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_process_that_has_grown_is_replaced_when_it_has_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Hosts(1)
    monkeypatch.setattr(Host, "grown", True)
    try:
        host, other = hosts.take(), hosts.take()
        assert host is other
        for _ in range(2):
            assert hosts.present == [host]
            hosts.leave(host, "none")
        wait_until(lambda: hosts.present != [host])
        wait_until(lambda: host.lost)
    finally:
        hosts.end()


def test_no_process_outlives_the_one_that_began_it() -> None:
    code = (
        "import time; from rulelab.views.live.hosts import Hosts; hosts = Hosts(1); hosts.begin()\n"
        "while not hosts.present[0].ready: time.sleep(0.05)\n"
        "print(hosts.present[0].pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert psutil.pid_exists(pid)
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGINT)
        time.sleep(0.1)
        assert psutil.Process(pid).status() != psutil.STATUS_ZOMBIE, "only the end of the other one ends it"
        process.kill()
    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


def test_the_server_searches_in_processes_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(**_: object) -> None:
        seen.append(SearchSession(lambda report: Prepared(small_search())))
        seen[0].run()
        seen[0].join(PATIENCE)
        children.extend(set(psutil.Process().children()) - before)

    before = set(psutil.Process().children())
    seen: list[SearchSession] = []
    children: list[psutil.Process] = []
    monkeypatch.setattr("rulelab.views.serve", look)
    assert main(["serve", "--port", "0", "--store", "none", "--search-processes", "1"]) == 0
    assert (seen[0].state, seen[0].snapshot.status, len(children)) == (State.ENDED, rl.Status.OPTIMAL, 1)
    assert not HANDS.elsewhere
    wait_until(lambda: not children[0].is_running())


def test_what_both_ends_know_goes_by_its_name() -> None:
    array = np.arange(5)
    shared = {"a": [1, 2]}
    parts = pack({"x": shared["a"], "y": array}, shared)
    other = {"a": [1, 2]}
    found = unpack([bytearray(part) for part in parts], other)
    assert found["x"] is other["a"]
    assert (found["y"] == array).all()
    found["y"][0] = 9
    with pytest.raises(Exception, match="'a' is not known here"):
        unpack(parts)
