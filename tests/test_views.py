"""The views without a browser: history, texts, sessions, settings and the search view at the level of parameters."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.views import address, figures, words
from rulelab.views.cards import incumbent_card
from rulelab.views.data import Upload
from rulelab.views.esc import esc, plain
from rulelab.views.frames import History, Mark
from rulelab.views.panes import SPEEDS, SearchView
from rulelab.views.pool import Pool
from rulelab.views.recipe import Recipe
from rulelab.views.session import Limits, Pace, Prepared, SearchSession, State
from rulelab.views.setup import SHARED, UPLOADED, Setup

HOSTILE = "<img src=x onerror=alert(1)>"


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def problem(n_rows: int = 300, n_antecedents: int = 12) -> rl.Problem:
    """Random antecedents and noisy labels: no list is much better than another, so that a search takes a while."""
    rng = np.random.default_rng(0)
    A = rng.random((n_rows, n_antecedents)) < 0.4
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(n_rows) < 0.35)
    return rl.Problem.from_arrays(A, y.astype(int))


def small_search() -> rl.RuleListSearch:
    return rl.RuleListSearch(problem(), regularization=0.01, beam_width=0)


def long_search() -> rl.RuleListSearch:
    return rl.RuleListSearch(problem(1000, 150), regularization=0.003, beam_width=0)


def source(make: Callable[[], rl.Search]) -> Callable[[Callable[[str], None]], Prepared]:
    return lambda report: Prepared(make())


@pytest.fixture
def start() -> Iterator[Callable[..., SearchSession]]:
    """Makes sessions, and ends their workers after the test."""
    made: list[SearchSession] = []

    def make(search: Callable[[], rl.Search] = small_search, **options: object) -> SearchSession:
        made.append(SearchSession(source(search), **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for session in made:
        session.close()
    for session in made:
        session.join(10)
        assert not session.alive


# history --------------------------------------------------------------------------------------------------------------


def snapshots(n: int) -> list[rl.Snapshot]:
    return list(rl.steps(long_search(), work_per_step=1, work_limit=n))


def test_history_stays_small_and_keeps_what_matters() -> None:
    history, all_of_them = History(limit=50), snapshots(1000)
    for snapshot in all_of_them:
        history.append(snapshot)
        assert len(history) <= 50
    kept, _, whole = history.since(Mark())
    objectives = {s.incumbent.objective for s in all_of_them if s.incumbent}
    assert whole
    assert {s.incumbent.objective for s in kept if s.incumbent} == objectives
    assert kept[-1] is all_of_them[-1]
    assert [s.work for s in kept] == sorted(s.work for s in kept)


def test_history_hands_out_only_what_is_new() -> None:
    history, (first, second, third) = History(), snapshots(3)
    history.append(first)
    new, mark, whole = history.since(Mark())
    assert (new, whole) == ([first], True)
    history.append(second)
    history.append(third)
    new, mark, whole = history.since(mark)
    assert (new, whole) == ([second, third], False)
    assert history.since(mark)[0] == []


def test_history_as_a_table_has_every_count() -> None:
    history = History()
    for snapshot in rl.steps(small_search(), work_per_step=5):
        history.append(snapshot)
    frame = history.frame()
    assert len(frame) == len(history)
    assert frame["status"].iloc[-1] == "optimal"
    assert frame["gap"].iloc[-1] == 0
    assert {"seconds", "work", "objective", "lower_bound", "expanded", "pruned lookahead"} <= set(frame.columns)


# texts ----------------------------------------------------------------------------------------------------------------


def test_text_from_data_is_escaped_and_kept_on_one_short_line() -> None:
    assert esc(HOSTILE) == "&lt;img src=x onerror=alert(1)&gt;"
    assert esc("a\"b'c") == "a&quot;b&#x27;c"
    assert plain("a\nb\x00c\u202ed") == "a b c d"
    assert len(esc("x" * 10_000)) == 200


def test_the_card_shows_hostile_names_as_text() -> None:
    A = pd.DataFrame({HOSTILE: [1, 1, 1, 0, 0, 0] * 10})
    search = rl.RuleListSearch(rl.Problem.from_arrays(A, A[HOSTILE]), regularization=0.01)
    best = rl.solve(search).incumbent
    html = incumbent_card(best, labels=(HOSTILE, "<b>"), target=HOSTILE)
    assert best.complexity == 1
    assert "<img" not in html
    assert "<b>" not in html
    assert html.count("&lt;img") >= 3


def test_the_card_says_captured_correct_and_probability_per_rule() -> None:
    best = rl.solve(small_search()).incumbent
    html = incumbent_card(best)
    every = (*best.model.rules, best.model.default)
    assert html.count("<tr>") == len(every) + 1
    for rule in every:
        assert f">{rule.probability:.2f}<" in html
        assert (
            f'<td class="num">{words.count(rule.captured)}</td><td class="num">{words.count(rule.correct)}</td>' in html
        )


def test_counts_are_grouped_and_weights_are_not() -> None:
    assert words.count(1234567) == "1\u202f234\u202f567"
    assert words.count(12.0) == "12"
    assert words.count(0.125) == "0.125"


# plots ----------------------------------------------------------------------------------------------------------------


def test_curves_are_lists_of_plain_numbers() -> None:
    columns = figures.curve_columns(list(rl.steps(small_search(), work_per_step=3)))
    lengths = {len(values) for values in columns.values()}
    assert len(lengths) == 1
    for values in columns.values():
        assert type(values) is list
        assert {type(v) for v in values} <= {int, float}


def test_queue_columns_add_up_to_the_queue() -> None:
    for snapshot in rl.steps(long_search(), work_per_step=50, work_limit=1000):
        columns = figures.curve_columns([snapshot])
        total = sum(values[0] for name, values in columns.items() if name.startswith("length_"))
        assert total == sum(snapshot.queue_by_length[1:])


def test_the_frontier_meets_the_incumbent() -> None:
    search = small_search()
    last = rl.solve(search)
    weight, cost = search.problem.total_weight, search.parameters["regularization"]
    columns = figures.frontier_columns(last.incumbent, last.lower_bound, weight, cost, last.incumbent.complexity)
    assert columns["better"] == columns["excluded"]
    assert columns["better"][-1] == pytest.approx(last.incumbent.errors)


# sessions -------------------------------------------------------------------------------------------------------------


def test_a_session_runs_to_the_certificate(start) -> None:
    session = start()
    session.run()
    wait_until(lambda: session.state is State.ENDED)
    assert session.snapshot.status is rl.Status.OPTIMAL
    assert session.snapshot.incumbent.objective == rl.solve(small_search()).incumbent.objective
    assert "certified optimal" in words.standing(session).phase
    wait_until(lambda: not session.alive)


def test_pause_holds_and_step_does_one_unit(start) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED)
    work = session.snapshot.work
    time.sleep(0.2)
    assert session.snapshot.work == work
    for done in (1, 2, 3):
        session.step()
        wait_until(lambda done=done: session.snapshot.work == work + done)
    wait_until(lambda: session.state is State.PAUSED)
    session.run()
    wait_until(lambda: session.snapshot.work > work + 3)


def test_step_from_the_start_prepares_and_does_one_unit(start) -> None:
    session = start()
    session.step()
    wait_until(lambda: session.state is State.PAUSED and session.snapshot is not None)
    assert session.snapshot.work == 1


def test_slow_motion_keeps_to_its_beat(start) -> None:
    session = start(long_search, pace=Pace(1))
    session.run()
    wait_until(lambda: session.snapshot is not None)
    work, began = session.snapshot.work, time.monotonic()
    time.sleep(1.0)
    done, elapsed = session.snapshot.work - work, time.monotonic() - began
    assert 1 <= done <= elapsed / 0.25 + 1
    session.pace = SPEEDS["full speed"]
    wait_until(lambda: session.snapshot.work > 1000)


def test_speeding_up_doubles_the_work_of_each_beat(start) -> None:
    session = start(long_search, pace=Pace(1, doubling=True))
    session.run()
    wait_until(lambda: session.snapshot is not None and session.snapshot.work >= 15)
    session.pause()
    wait_until(lambda: session.state is State.PAUSED)
    works = [s.work for s in session.history.since(Mark())[0]]
    assert {1, 3, 7, 15} <= set(works)
    assert works[0] == 1


def test_stop_keeps_the_proven_gap(start) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None)
    session.stop()
    wait_until(lambda: session.state is State.STOPPED)
    session.join(5)
    assert not session.alive
    phase = words.standing(session).phase
    assert "limit reached" in phase
    assert f"{session.snapshot.gap:.4f}" in phase


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


def test_closing_ends_the_worker_soon(start) -> None:
    session = start(long_search)
    session.run()
    wait_until(lambda: session.snapshot is not None)
    began = time.monotonic()
    session.close()
    session.join(5)
    assert not session.alive
    assert time.monotonic() - began < 5


def test_closing_ends_a_paused_worker(start) -> None:
    session = start(long_search)
    session.step()
    wait_until(lambda: session.state is State.PAUSED)
    session.close()
    session.join(5)
    assert not session.alive


def test_an_error_in_the_settings_is_the_session_s_message(start) -> None:
    session = start(lambda: rl.RuleListSearch(problem(), regularization=2.0))
    session.run()
    wait_until(lambda: session.state is State.FAILED)
    assert "regularization" in session.error
    assert words.standing(session).tone == "failed"


def test_two_sessions_do_not_disturb_each_other(start) -> None:
    pool = Pool(1)
    alone = rl.solve(small_search())
    sessions = [start(small_search, pool=pool), start(long_search, pool=pool), start(small_search, pool=pool)]
    for session in sessions:
        session.run()
    wait_until(lambda: all(s.state is State.ENDED for s in (sessions[0], sessions[2])))
    assert sessions[0].snapshot.incumbent.model == sessions[2].snapshot.incumbent.model == alone.incumbent.model
    assert sessions[0].snapshot.work == sessions[2].snapshot.work == alone.work
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
            go_on.wait(5)
            inside.remove(name)

    threads = []
    for name in range(3):
        threads.append(threading.Thread(target=work, args=(name,)))
        threads[-1].start()
        wait_until(lambda name=name: pool.waiting == max(0, name) and bool(order), 5)
    go_on.set()
    for thread in threads:
        thread.join(5)
    assert order == [0, 1, 2]
    assert pool.waiting == 0


def test_who_is_cancelled_leaves_the_line() -> None:
    pool, cancelled = Pool(1), threading.Event()
    granted: list[bool] = []

    def wait() -> None:
        with pool.place(cancelled.is_set) as place:
            granted.append(place)

    with pool.place(lambda: False):
        thread = threading.Thread(target=wait)
        thread.start()
        wait_until(lambda: pool.waiting == 1, 5)
        cancelled.set()
        thread.join(5)
    assert granted == [False]
    with pool.place(lambda: False) as free:
        assert free


# settings -------------------------------------------------------------------------------------------------------------

CSV = b"colour,size,ok\n" + b"".join(b"red,%d,yes\nblue,%d,no\n" % (i, 10 - i) for i in range(10))


@pytest.fixture
def setup() -> Setup:
    setup = Setup(complaints := [].append)  # type: ignore[arg-type]
    setup.complaints = complaints.__self__  # type: ignore[attr-defined]
    return setup


def prepared(recipe: Recipe) -> Prepared:
    return recipe(lambda doing: None)


def test_the_first_page_is_an_embedded_data_set(setup) -> None:
    assert rl.datasets.names()[setup.data] == "embedded"
    assert prepared(setup.recipe()).search.problem.n_rows == len(rl.datasets.load(setup.data).y)


def test_the_notes_say_how_many_antecedents_were_mined_and_dropped(setup) -> None:
    setup.param.update(max_conditions=2, min_support=0.2, quantiles=3)
    done = prepared(setup.recipe())
    n = done.search.problem.n_antecedents
    note = next(note for note in done.notes if "mined" in note)
    assert f"{words.count(n)} antecedents" in note
    assert "support below min" in note


def test_every_setting_reaches_the_search(setup) -> None:
    setup.param.update(
        data="tic_tac_toe", regularization=0.02, policy="curiosity", beam=True, memory_limit=50.0, bounds=["lookahead"]
    )
    parameters = prepared(setup.recipe()).search.parameters
    assert parameters["regularization"] == 0.02
    assert parameters["policy"] == "curiosity"
    assert parameters["beam_width"] > 0
    assert parameters["memory_limit"] == 50_000_000
    assert [name for name, used in parameters["bounds"].to_dict().items() if used] == ["lookahead"]


def test_an_uploaded_file_can_be_searched(setup) -> None:
    setup.take(CSV, "my data.csv")
    assert setup.complaints[-1] == ""
    assert (setup.data, setup.target, setup.positive) == (UPLOADED, "ok", "yes")
    done = prepared(setup.recipe())
    assert done.labels == ("no", "yes")
    assert rl.solve(done.search).incumbent.errors == 0
    setup.target = "colour"
    setup.positive = "blue"
    assert prepared(setup.recipe()).labels == ("red", "blue")


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"a,b\n", "no row"),
        (b"a,b\n1,2\n3\n", "row 2"),
        (b"a,a\n1,2\n", "'a'"),
        (b"a,b\n1,\xff\n", "UTF-8"),
        (b"PAR1 nonsense", "Parquet"),
    ],
)
def test_a_file_that_cannot_be_read_is_complained_about(setup, contents, expected) -> None:
    before = setup.data
    setup.take(contents, "bad.csv")
    assert expected in setup.complaints[-1]
    assert setup.data == before


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (b"a,y\n1,1\n2,1\n3,1\n", "y"),
        (b"a,y\n5,0\n5,1\n5,1\n", ""),
        (b"a,y\ninf,0\n5,1\n5,1\n", "a"),
        (b"a,y\n1,0\n5,\n5,1\n", "y"),
    ],
)
def test_unusable_data_end_in_a_message(setup, contents, expected) -> None:
    setup.take(contents, "bad.csv")
    session = setup.new_session()
    session.run()
    wait_until(lambda: session.state is State.FAILED)
    assert expected in session.error
    assert "unexpected" not in session.error


def test_too_many_cells_are_refused_before_they_are_parsed() -> None:
    header = ",".join(f"c{i}" for i in range(2000))
    row = ",".join(["1"] * 2000)
    contents = "\n".join([header, *[row] * 5001]).encode()
    with pytest.raises(ValueError, match="10000000"):
        Upload.read(contents, "large.csv")


def test_the_address_holds_what_differs_from_the_defaults() -> None:
    setup = Setup()
    setup.param.update(data="tic_tac_toe", regularization=0.02, beam=True)
    entries = {k: v for k, v in address.write(setup, SHARED).items() if v is not None}
    assert entries == {"data": "tic_tac_toe", "regularization": "0.02", "beam": "true"}
    again = Setup()
    assert address.read("?" + "&".join(f"{k}={v}" for k, v in entries.items()), again, SHARED) == []
    assert (again.data, again.regularization, again.beam) == ("tic_tac_toe", 0.02, True)


@pytest.mark.parametrize(
    "query", ["?data=nothing", "?quantiles=many", "?policy=[]", "?bounds=7", "?beam=" + "[" * 5000]
)
def test_nonsense_in_the_address_is_complained_about(query) -> None:
    setup = Setup()
    before = address.write(setup, SHARED)
    complaints = address.read(query + f"&unknown={HOSTILE}", setup, SHARED)
    assert len(complaints) == 1
    assert address.write(setup, SHARED) == before


# the view -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def view() -> Iterator[SearchView]:
    view = SearchView(small_search(), speed="full speed")
    yield view
    view.close()
    view.session.join(10)


def finish(view: SearchView) -> None:
    wait_until(lambda: view.session.state.over)
    view.refresh()


def test_the_view_shows_a_search_to_its_certificate(view) -> None:
    view.run()
    finish(view)
    assert view._status.tone == "proven"
    assert "certified optimal" in view._status.phase
    assert dict(view._status.figures)["gap"] == "0"
    assert "<table" in view._card.object
    curves = view._plots._curves.data
    assert curves["lower_bound"][-1] == curves["objective"][-1]
    assert view._exports.visible


def test_exports_are_the_model_the_rules_and_the_trace(view) -> None:
    view.run()
    finish(view)
    model = view.session.snapshot.incumbent.model
    assert type(model).from_json(view._model_json().getvalue()) == model
    assert "then" in view._rule_text().getvalue()
    assert pd.read_csv(view._trace())["status"].iloc[-1] == "optimal"


def test_reset_forgets_and_run_begins_again(view) -> None:
    view.run()
    finish(view)
    first = view.session.snapshot
    view.reset()
    assert view.session.snapshot is None
    assert view._plots._curves.data["work"] == []
    assert "<table" not in view._card.object
    view.run()
    finish(view)
    assert view.session.snapshot.work == first.work
    assert view.session.search is not None


def test_run_after_the_end_is_a_new_run(view) -> None:
    view.run()
    finish(view)
    before = view.session
    view.run()
    assert view.session is not before
    finish(view)


def test_step_in_the_view_does_one_unit_at_a_time(view) -> None:
    for done in (1, 2, 3):
        view.step()
        wait_until(lambda done=done: view.session.snapshot is not None and view.session.snapshot.work == done)
    wait_until(lambda: view.session.state is State.PAUSED)
    view.refresh()
    assert view._plots._curves.data["work"] == [1, 2, 3]


def test_a_view_needs_one_thing_to_show() -> None:
    with pytest.raises(ValueError, match="either"):
        SearchView()


def test_an_error_is_shown_and_the_next_run_works() -> None:
    setup = Setup()
    view = SearchView(new_session=setup.new_session, speed="full speed")
    setup.regularization = 0.0
    view.run()
    finish(view)
    assert "regularization" in view._alert.phase
    setup.param.update(data="tic_tac_toe", regularization=0.02)
    view.run()
    finish(view)
    assert view._alert.phase == ""
    assert view._status.tone == "proven"
    view.close()


def test_the_plots_follow_the_chosen_axis(view) -> None:
    view.run()
    finish(view)
    work = view.session.snapshot.work
    view.axis = "work"
    assert view._plots.bounds.x_range.end == work
    assert {glyph.x for glyph in view._plots._x_glyphs} == {"work"}


NOTEBOOK = """
import asyncio
import numpy as np
import panel as pn
import rulelab as rl
pn.extension()
A = np.random.default_rng(0).random((200, 8)) < 0.4
view = rl.views.SearchView(rl.RuleListSearch(rl.Problem.from_arrays(A, A[:, 0] & ~A[:, 1]), beam_width=0))
view
---
view.run()
for _ in range(600):
    await asyncio.sleep(0.1)
    if view._status.tone == "proven":
        break
await asyncio.sleep(0.5)
print(view._status.phase, view._plots._curves.data["work"] != [], view._beat is None)
"""


def test_the_view_lives_in_a_notebook() -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in NOTEBOOK.split("---")]
    nbclient.NotebookClient(notebook, timeout=120).execute()
    shown, printed = (cell.outputs for cell in notebook.cells)
    assert any("application/vnd.holoviews_exec.v0+json" in output.get("data", {}) for output in shown)
    assert printed[-1]["text"].startswith("certified optimal")
    assert printed[-1]["text"].endswith("True True\n"), "the plots are filled, and the updates stop with the search"
