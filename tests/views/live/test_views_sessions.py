"""Sessions of the page: a search in a thread of its own that is run, paused, stepped and stopped; the line in front."""

import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from live import inexact_search, long_search, problem, small_search
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.views.live import wording as words
from rulelab.views.live.job import Job, Pool
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import MOST_SHARE, TICK_SECONDS, Limits, Pace, State, Watching
from rulelab.views.search.controls import SPEEDS


def source(make: Callable[[], rl.Search]) -> Callable[[Callable[[str], None]], Prepared]:
    return lambda report: Prepared(make())


@pytest.fixture
def start() -> Iterator[Callable[..., SearchSession]]:
    """Makes sessions, and ends their workers after the test, whether they run or hold."""
    made: list[SearchSession] = []

    def make(search: Callable[[], rl.Search] = small_search, **options: object) -> SearchSession:
        made.append(SearchSession(source(search), **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for session in made:
        session.close()
    for session in made:
        session.join(PATIENCE)
        assert not session.alive


def test_where_the_arithmetic_ends_the_gap_is_said_and_nothing_is_left_to_do(start) -> None:
    session = start(inexact_search)
    session.run()
    wait_until(lambda: session.state is State.ENDED)
    assert (session.snapshot.status, session.snapshot.limit) == (rl.Status.LIMIT, "exactness")
    shown = words.standing(session)
    assert "limit reached" in shown.phase
    assert "optimal within" in shown.phase
    assert "certified" not in shown.phase
    assert float(dict(shown.figures)["gap"]) == pytest.approx(session.snapshot.gap, rel=0.1)
    assert not session.resumable


def test_pause_holds_step_does_one_unit_and_stop_keeps_the_proven_gap(start) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED)
    work = session.snapshot.work
    time.sleep(0.1)
    assert session.snapshot.work == work
    for done in (1, 2, 3):
        session.step()
        wait_until(lambda done=done: session.snapshot.work == work + done)
    wait_until(lambda: session.state is State.PAUSED)
    session.run()
    wait_until(lambda: session.snapshot.work > work + 3)
    session.stop()
    wait_until(lambda: session.state is State.STOPPED)
    session.join(PATIENCE)
    assert not session.alive
    said = words.standing(session)
    assert said.phase.startswith("stopped: ")
    assert f"within {dict(said.figures)['gap']} of the optimum" in said.phase


def test_a_pause_is_said_before_what_takes_long_to_look_at(start) -> None:
    session, looks, seen = start(long_search), threading.Event(), threading.Event()

    def see(_: rl.Search) -> bool:
        if session.state is State.PAUSED:
            looks.set()
            return seen.wait(PATIENCE)
        return False

    session.watch("tree", see, 1000.0)  # once while it runs
    session.run()
    wait_until(lambda: session.watching.frame("tree") is False)
    session.pause()
    assert looks.wait(PATIENCE)
    assert session.state is State.PAUSED
    assert session.unseen
    seen.set()
    wait_until(lambda: session.watching.frame("tree"))


def test_each_step_opens_one_prefix_whatever_comes_before_the_tree(start) -> None:
    session = start(lambda: rl.RuleListSearch(long_search().problem, regularization=0.003, beam_width=30))
    for opened in (1, 2, 3):
        session.step()
        wait_until(lambda now=opened: session.state is State.PAUSED and session.snapshot.counts["expanded"] == now)


@pytest.mark.parametrize("units", [1, 10])
def test_slow_motion_begins_with_the_tree_for_what_comes_before_it_is_one_unit(start, units: int) -> None:
    search = rl.RuleListSearch(long_search().problem, regularization=0.003, beam_width=30)
    session = start(lambda: search, pace=Pace(units))
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.counts["expanded"] > 2 * units)
    session.stop()
    moments = session.history.snapshots
    k = next(k for k, each in enumerate(moments) if each.counts["expanded"])
    assert moments[k].step > 2 * (k + 1), "many units at once"
    assert moments[k].counts["expanded"] <= units


@pytest.mark.long
def test_slow_motion_keeps_to_its_beat(start) -> None:
    session = start(lambda: rl.RuleListSearch(problem(300, 60), 0.003, beam_width=0), pace=Pace(1))
    session.run()
    wait_until(lambda: session.snapshot is not None)
    began = time.monotonic()
    work = session.snapshot.work
    wait_until(lambda: session.snapshot.work >= work + 3)
    done = session.snapshot.work - work
    assert done <= (time.monotonic() - began) / TICK_SECONDS + 1
    session.pace = SPEEDS["full speed"]
    wait_until(lambda: session.snapshot.work > 1000)


def test_speeding_up_doubles_the_work_of_each_beat(start) -> None:
    session = start(long_search, pace=Pace(1, growth=2))
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.work >= 15)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED)
    works = [s.work for s in session.history.snapshots]
    assert {1, 3, 7, 15} <= set(works)
    assert works[0] == 1


def test_the_time_limit_ends_the_run_and_the_run_can_go_on(start) -> None:
    session = start(long_search, limits=Limits(seconds=0.1))
    session.run()
    wait_until(lambda: session.state is State.ENDED)
    first = session.snapshot
    assert (first.status, first.limit) == (rl.Status.LIMIT, "time")
    assert session.resumable
    session.run()
    wait_until(lambda: session.snapshot.work > first.work and session.state is State.ENDED)
    assert session.snapshot.seconds >= first.seconds + 0.1


def test_two_sessions_do_not_disturb_each_other(start) -> None:
    pool = Pool(1)
    alone = rl.solve(small_search())
    sessions = [start(small_search, pool=pool), start(long_search, pool=pool), start(small_search, pool=pool)]
    for session in sessions:
        session.run()
    wait_until(lambda: all(s.state is State.ENDED for s in (sessions[0], sessions[2])))
    assert sessions[0].snapshot.incumbent.model == sessions[2].snapshot.incumbent.model == alone.incumbent.model
    assert sessions[0].snapshot.work == sessions[2].snapshot.work == alone.work
    wait_until(lambda: sessions[1].snapshot is not None)
    work = sessions[1].snapshot.work
    wait_until(lambda: sessions[1].snapshot.work > work)


def test_the_pool_serves_in_order_and_lets_no_more_in_than_it_has_places() -> None:
    pool, order, inside = Pool(1), [], []
    go_on = threading.Event()

    def work(name: int) -> None:
        with pool.place(lambda: False) as granted:
            assert granted
            inside.append(name)
            assert len(inside) == 1
            order.append(name)
            go_on.wait(PATIENCE)
            inside.remove(name)

    threads = []
    for name in range(3):
        threads.append(threading.Thread(target=work, args=(name,)))
        threads[-1].start()
        wait_until(lambda name=name: pool.waiting == max(0, name) and bool(order))
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert order == [0, 1, 2]
    assert pool.waiting == 0
    with pool.place(lambda: False, "another count"):
        job = Job(lambda progress: progress.doing, pool)
        assert job.standing.startswith("waiting until another count has ended (")
    job.join(PATIENCE)
    assert job.result, "who has a place does not wait any more"


def test_counts_weights_and_bounds_are_written_in_the_digits_that_tell_them_apart() -> None:
    far, near, nearest = ("0.2500", "0.2400"), ("0.250000", "0.249990"), ("0.250000000", "0.249999960")
    for found, bound in (far, near, nearest, ("0.2500",) * 2):
        assert words.together(float(found), float(bound))[:2] == (found, bound)
    assert words.together(12345.5, 2345.25, "rule_set") == ("12\u202f345.5", "2\u202f345.25", "10\u202f000.25")
    for n, text in (
        (7214, "7 214"),
        (3e6, "3 000 000"),
        (2805817.25, "2 805 817"),
        (956564.25, "956 564"),
        (1234.5, "1 234.5"),
    ):
        assert (words.count(n), words.count(n / 1e7)) == (text.replace(" ", "\u202f"), f"{n / 1e7:.6g}")
    for small in (0.00001, 1.73923e-05, 5.95492e-9, -2e-7):
        said = words.count(small)
        assert float(said) == small
        assert "e" not in said


def test_what_is_watched_is_seen_between_units_and_at_every_rest(start) -> None:
    session, threads = start(long_search), set()

    def see(search: rl.Search) -> tuple[int, int]:
        threads.add(threading.current_thread())
        work = search.work
        time.sleep(0.01)
        return work, search.work

    session.watch("work", see, 0.0)
    assert session.watching.frame("work") is None
    session.run()
    wait_until(lambda: session.watching.frame("work") is not None)
    first = session.watching.frame("work")
    wait_until(lambda: session.watching.frame("work") != first)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED and not session.unseen)
    assert session.watching.frame("work") == (session.snapshot.work,) * 2, "a paused search is seen as it is"
    session.step()
    wait_until(lambda: session.state is State.PAUSED and session.watching.frame("work")[0] == session.snapshot.work)
    session.watch("more", lambda search: -search.work, 0.0)
    wait_until(lambda: session.watching.frame("more") == -session.snapshot.work)
    assert not session.unseen
    session.stop()
    wait_until(lambda: session.state is State.STOPPED)
    session.watch("late", lambda search: search.work, 0.0)
    wait_until(lambda: session.watching.frame("late") == session.snapshot.work)
    session.watching.drop("late")
    assert session.watching.frame("late") is None
    assert threading.current_thread() not in threads


def test_what_cannot_be_seen_stops_no_search(start) -> None:
    session = start()
    session.watch("nothing", lambda search: 1 // 0, 0.0)
    session.run()
    wait_until(lambda: session.state is State.ENDED)
    assert session.error is None
    assert session.watching.frame("nothing") is None
    assert not session.unseen


def test_watching_takes_a_small_share_of_the_time() -> None:
    watching, looks = Watching(), []
    show = lambda look: look(small_search())  # noqa: E731

    def see(_: rl.Search) -> int:
        looks.append(time.monotonic())
        time.sleep(0.005)
        return len(looks)

    watching.want("slow", see, 0.0)
    for step in range(100_000):
        watching.take(show, step, rests=False)
        time.sleep(0.001)
        if len(looks) > 2:
            break
    assert min(b - a for a, b in pairwise(looks)) >= 0.005 / MOST_SHARE
    assert watching.behind(100_000)
    watching.take(show, 100_000, rests=True)
    assert not watching.behind(100_000)
    before = len(looks)
    watching.take(show, 100_000, rests=True)
    assert len(looks) == before, "nothing has changed"
