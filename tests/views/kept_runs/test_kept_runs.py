"""Kept runs on the page: kept when they end, listed, opened, compared, sent as an archive."""

import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from live import HOSTILE, finish, html, paused, problem, recorded, seen, send, settled, small_search, upload
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.views.cards import card_file, verifying
from rulelab.views.cards.card import KEPT, Card
from rulelab.views.cards.view import ModelCard
from rulelab.views.compare.table import MEASURED, of_pin
from rulelab.views.kept_runs.keeping import Keeper, error_of
from rulelab.views.kept_runs.runs import DIGITS, KeptRuns, told_apart
from rulelab.views.kept_runs.runs import row as kept_row
from rulelab.views.live.job import Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import FULL_SPEED, Limits, Pace, State
from rulelab.views.search.view import SearchView


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Keeper]:
    out = Keeper(rl.store.open(tmp_path / "runs.sqlite"))
    yield out
    out.close()


class Page:
    """A view of a search, with the kept runs beside it."""

    def __init__(self, keeper: Keeper | None, search: rl.RuleListSearch | None = None) -> None:
        self.view = SearchView(search or small_search())
        self.pinned: list[object] = []
        self.complaints: list[str] = []
        self.kept = KeptRuns(self._show, self._pin, self.complaints.append, keeper=keeper)
        self.view.on_standing = self.kept.follow

    def _show(self, recording: rl.Recording, name: str, query: str | None, card: Card | None) -> None:
        self.view.open(recording, name, card)

    def _pin(self, card: object) -> str:
        self.pinned.append(card)
        return "ABC"[len(self.pinned) - 1]

    def settle(self) -> None:
        wait_until(lambda: not self.kept.refresh())

    def run(self) -> str:
        """Run to the end; the hash of what was kept."""
        finish(self.view)
        self.settle()
        return self.kept.run

    def close(self) -> None:
        self.view.close()
        self.view.session.join(PATIENCE)


@pytest.fixture
def page(keeper: Keeper) -> Iterator[Page]:
    out = Page(keeper)
    yield out
    out.close()


def test_a_run_is_kept_when_it_ends_with_its_model_and_its_proof_and_is_opened(page, keeper) -> None:
    which = page.run()
    assert len(which) == DIGITS
    run = keeper.store.run(which)
    last = page.view.session.snapshot
    assert (run.status, run.objective, run.lower_bound) == ("optimal", last.incumbent.objective, last.lower_bound)
    assert run.settings["Model family"] == "rule list"
    model, proof = keeper.store.model(run), keeper.store.proof(run)
    assert rl.verify(small_search().problem, model, proof).valid
    assert keeper.store.recording(run).snapshots[-1].incumbent.objective == run.objective
    (row,) = page.kept.list.rows
    assert (row["hash"], row["present"], row["openable"]) == (run.hash, True, True)
    assert "certified optimal" in row["said"]
    assert "proof kept" in row["said"]
    assert row["figures"][3] == f"{len(model.rules)}"
    other = Page(keeper)
    other.kept.run = which
    other.settle()
    assert other.view.session.recorded
    assert other.view.snapshot.incumbent.objective == run.objective
    assert (other.kept.run, other.complaints) == (which, [])
    for part in ("model", "certificate"):  # with what is doubted, the groups, and how many lists there were
        assert html(other.view.part(part)) == html(page.view.part(part))
    assert len(keeper.store.runs()) == 1, "what is opened is not kept once more"
    other.close()
    page.view.reset()
    page.view.refresh()
    assert page.kept.run == "", "what is in the form is no kept run"


def test_a_kept_run_says_why_it_has_no_proof_and_shows_no_next_rules_where_it_has_none(page, monkeypatch) -> None:
    for where in ("kept_runs.keeping", "search.certificate"):
        monkeypatch.setattr(f"rulelab.views.{where}.is_quick", lambda search, last: False)
    which, page.kept.run = page.run(), ""
    page.kept.run = which
    page.settle()
    tree = settled(page.view).why.tree
    assert "No proof to check: none was kept, for the search stored" in html(page.view.part("certificate"))
    assert tree.bars_box.pane in [*seen(tree)]
    nodes = tree.drawn.tree
    tree.prefix = tree.path(int(nodes.node[~nodes.node.isin(nodes.parent)].iloc[-1]))
    settled(page.view)
    assert tree.bars_box.pane not in [*seen(tree)], "it would be empty"
    assert "Those that were cut at once are not kept." in html(tree)


def test_runs_that_came_to_the_same_are_one_row_until_one_gets_a_name_and_go_together(page, keeper) -> None:
    def act(what: str, hashes: list[str], text: str = "") -> None:
        page.kept.act(what, hashes, text)
        page.settle()

    first = page.run()
    page.view.reset()
    second = page.run()
    assert first != second
    (row,) = page.kept.list.rows
    assert row["hash"].startswith(second)
    assert "1 earlier run came to the same" in row["said"]
    act("rename", [row["hash"]], HOSTILE)
    titles = [each["title"] for each in page.kept.list.rows]
    assert titles.count(HOSTILE) == 1 < len(titles), "the list shows texts as they are"
    for words, number in (("onerror", 1), ("nothing such", 0), ("", 2)):
        act("look", [], words)
        assert len(page.kept.list.rows) == number
    act("rename", [row["hash"]], "")
    act("delete", [row["hash"]])
    assert (page.kept.list.rows, keeper.store.runs()) == ([], [])
    assert page.kept.list.undo
    assert page.kept.run == ""
    act("undo", [])
    assert len(keeper.store.runs()) == 2
    assert [each["hash"] for each in page.kept.list.rows] == [row["hash"]]
    assert not page.kept.list.undo


def test_rows_say_what_tells_runs_of_one_family_and_data_apart_and_what_is_fair(page, keeper) -> None:
    page.run()
    run = keeper.store.runs()[0]
    usual = {
        "Model family": "rule list",
        "Bounds in use": "all",
        "Conditions per rule, at most": "2",
        "Fairness": "none",
    }
    price, fair = "Regularization: cost of a rule", {"Fairness": "equal opportunity within 0.05"}
    asked = [("compas", {price: "0.01"}), ("compas", {price: "0.005"}), ("compas", {price: "0.005", **fair})]
    asked += [("adult", {price: "0.005", "Bounds in use": "without grid", **fair})]
    runs = [replace(run, data=data, settings=usual | own) for data, own in asked]
    apart = told_apart(runs)
    assert [apart[each.hash] for each in runs] == [asked[0][1], asked[1][1], asked[2][1], fair]
    said = kept_row([runs[0]], False, apart[runs[0].hash])["said"]
    assert f"{price}: 0.01" in said
    assert "Conditions per rule" not in said
    for right in ("accuracy", "training_accuracy"):  # of training rows, which all may be
        assert kept_row([replace(run, **{right: 0.75})], False, {})["figures"][:2] == ["–", "75.0"]


@pytest.mark.long
def test_a_run_is_kept_verified_explored_and_exported_at_once(keeper) -> None:
    # more rows than a pipe holds: what is handed to the check waits half-way until its process has begun
    page = Page(keeper, rl.RuleListSearch(problem(20_000), 0.01, beam_width=0))
    cards = []

    def follow(session: SearchSession, card: Card | None) -> None:
        cards.append(card)
        page.kept.follow(session, card)

    page.view.on_standing = follow
    page.view.run()
    wait_until(lambda: page.view.session.state.over)
    session = page.view.session
    with ThreadPoolExecutor() as together:
        page.view.refresh()  # begins to keep it, with its proof
        verdict = together.submit(verifying.check, cards[-1], Progress())
        good = together.submit(rl.solve, rl.NearOptimalSearch(session.search.problem, 0.01, 0.001))
        written = [together.submit(pickle.dumps, session.search) for _ in range(20)]
        run = together.submit(session.recording)
        page.settle()
        assert verdict.result().valid
        assert good.result().status == "optimal"
        assert run.result().snapshots
        assert all(len(each.result()) for each in written)
    assert keeper.store.proof(keeper.store.run(page.kept.run)) is not None
    page.close()


@pytest.mark.long
def test_the_proof_of_a_kept_fit_is_checked_by_a_press(page, keeper, tmp_path: Path) -> None:
    rows = "".join(f"{k % 7},{'ab'[k % 2]},{int(k % 7 > 3)}\n" for k in range(60))
    (tmp_path / "people.csv").write_text(f"age,town,y\n{rows}")
    file = str(tmp_path / "people.csv")
    options = ["--regularization", "0.02", "--quiet", "--keep", "by hand", "--store", keeper.store.place]
    assert main(["fit", file, "--target", "y", *options]) == 0
    page.run()
    without, fitted = page.kept.list.rows
    assert (fitted["title"], fitted["proven"]) == ("by hand", True)
    page.kept.act("check", [without["hash"]])
    page.settle()
    assert "the rows of this run are not kept" in page.kept.list.said
    page.kept.act("check", [fitted["hash"]])
    page.settle()
    assert page.kept.list.said.startswith("by hand: valid: this rule list is optimal")
    assert "; checked: " in page.kept.list.said


def test_a_run_that_begins_while_another_is_opened_stays(page, keeper) -> None:
    which = page.run()
    for begin in ("run", "ablate"):
        other, gate = Page(keeper), threading.Event()
        keeper.do(lambda store, gate=gate: gate.wait(PATIENCE))
        other.kept.run = which
        getattr(other.view, begin)()
        begun = other.view.session
        gate.set()
        other.settle()
        assert other.view.session is begun
        assert not begun.recorded
        assert other.kept.run != which, "the address does not name what is not shown"
        assert other.complaints == []
        other.close()


@pytest.mark.long
def test_the_page_does_not_wait_for_the_store_and_the_last_of_two_runs_that_are_opened_is_shown(page, keeper) -> None:
    keeping = threading.Event()
    keeper.do(lambda store: keeping.wait(PATIENCE))
    finish(page.view)
    assert page.kept.refresh()
    assert page.kept.run == "", "nothing is said to be kept before it is"
    assert "keeping" in page.kept.list.said
    keeping.set()
    page.settle()
    first = page.kept.run
    assert keeper.store.run(first).objective == page.view.snapshot.incumbent.objective
    second = page.run()
    assert first != second
    gate, shown = threading.Event(), []
    keeper.do(lambda store: gate.wait(PATIENCE))
    kept = KeptRuns(lambda *asked: shown.append(asked[1]), lambda card: "A", lambda said: None, keeper=keeper)
    kept.run = first
    kept.run = second
    gate.set()
    wait_until(lambda: not kept.refresh())
    assert len(shown) == 1
    assert kept.run == second


def test_a_run_that_is_not_there_is_said_and_a_message_that_no_table_sends_does_nothing(page) -> None:
    for which in ("0123456789abcdef", "../../x", HOSTILE, "%"):
        page.kept.run = which
        page.settle()
        assert page.kept.run == ""
        assert "cannot be shown" in page.complaints.pop()
    for act in ("rename", "delete", "compare", "export"):
        for which in ("zzzz", "0" * 64, HOSTILE):
            page.kept.list.said = ""
            page.kept.act(act, [which], "x")
            page.settle()
            assert "no hash" in page.kept.list.said or "no run begins" in page.kept.list.said
    page.kept.list.said = ""
    for message in (None, 3, {}, {"act": "drop"}, {"act": "delete", "hashes": 3}, {"act": "open", "hashes": [{}]}):
        send(page.kept.list, message)
        page.settle()
        assert page.kept.list.said == ""
    assert page.pinned == []
    assert page.view.session.state is State.IDLE


def test_without_a_store_nothing_is_kept_and_that_is_said() -> None:
    page = Page(None)
    page.run()
    assert page.kept.run == ""
    assert "Nothing is kept" in page.kept.list.about
    page.kept.act("look", [])
    page.kept.run = "0123456789abcdef"
    assert "keeps no runs" in page.complaints[0]
    page.close()


def test_runs_are_compared_and_sent_and_pinned_models_come_back(page, keeper, tmp_path) -> None:
    which = keeper.store.run(page.run()).hash
    for what in ("compare", "export"):
        page.kept.act(what, [which])
        page.settle()
    assert page.kept.list.said.startswith("saved rulelab-run.zip: 1 run, ")
    (card,) = page.pinned
    assert card.origin == KEPT
    assert card.proof.proven
    assert card.proof.objective == keeper.store.run(which).objective
    assert card.model == keeper.store.model(which)
    run, own = keeper.store.run(which), of_pin(ModelCard(card), *MEASURED)["same"]
    stopped = replace(run, status="limit", lower_bound=run.lower_bound / 2)
    assert [kept_row([each], False, {})["same"] == own for each in (run, stopped)] == [True, False], "of one run each"
    written = card_file.written(page.pinned)
    page.kept.follow_pins(written)
    assert page.kept.pins == "", "nothing is said to be kept before it is"
    page.settle()
    assert keeper.store.pins(page.kept.pins) == written
    other = Page(keeper)
    other.kept.pins = page.kept.pins
    other.settle()
    assert [each.model for each in other.pinned] == [card.model]
    other.kept.pins = "0123456789abcdef"
    other.settle()
    assert "cannot be shown" in other.complaints[-1]
    other.kept.follow_pins("")
    assert other.kept.pins == ""
    other.close()
    archive = keeper.store.export(None, [which])
    with rl.store.open(tmp_path / "other.sqlite") as store:
        elsewhere = Page(Keeper(store))
        upload(elsewhere.kept.uploader, archive, "runs.zip")
        elsewhere.settle()
        assert [row["hash"] for row in elsewhere.kept.list.rows] == [which]
        upload(elsewhere.kept.uploader, b"nothing", "runs.zip")
        elsewhere.settle()
        assert "no archive of runs" in elsewhere.kept.list.said
        elsewhere.close()


def test_what_a_run_under_way_has_come_to_is_kept_when_its_page_ends(page, keeper) -> None:
    paused(page.view)
    known = page.view.session.snapshot.work
    page.view.close()
    keeper.do(lambda store: None).result(PATIENCE)  # after what keeps it
    (run,) = keeper.store.runs()
    assert run.status == "stopped"
    assert keeper.store.recording(run).snapshots[-1].work >= known > 0


@pytest.mark.long
def test_a_run_that_goes_on_after_a_limit_takes_the_place_of_what_was_kept(keeper) -> None:
    kept = KeptRuns(lambda *_: None, lambda card: "A", lambda said: None, keeper=keeper)
    limited = Limits(gap=0.05)
    session = SearchSession(lambda report: Prepared(small_search()), limited, Pace(10))
    session.run()
    for limit, statuses in ((Limits(), ["limit"]), (Limits(), ["optimal"])):
        wait_until(lambda: session.state.over)
        session.join(PATIENCE)
        kept.follow(session, None)
        wait_until(lambda: not kept.refresh())
        assert [run.status for run in keeper.store.runs()] == statuses
        session.limits = limit
        session.pace = FULL_SPEED
        session.run()
    session.close()


def test_what_takes_long_is_made_beside_the_store_and_errors_are_said(keeper) -> None:
    gate = threading.Event()
    slow = keeper.do_after(lambda: gate.wait(PATIENCE), lambda store, made: made)
    keeper.do(lambda store: None).result(PATIENCE)  # others need not wait
    assert not slow.done()
    gate.set()
    assert slow.result(PATIENCE) is True

    def wrong() -> None:
        raise rl.errors.CertificateError("there is none")

    task = keeper.do_after(wrong, lambda store, made: made)
    assert error_of(task) == "there is none"
    assert "unexpected" in error_of(keeper.do(lambda store: 1 / 0))
    assert keeper.do(lambda store: store.place).result(PATIENCE) == keeper.store.place, "the thread goes on"


def test_what_waits_is_done_before_the_store_is_closed(tmp_path) -> None:
    recording = recorded(small_search(), work_limit=10)
    keeper = Keeper(rl.store.open(tmp_path / "runs.sqlite"))
    tasks = [keeper.do(lambda store, k=k: store.save(recording, name=str(k))) for k in range(5)]
    keeper.close()
    assert [error_of(task) for task in tasks] == [""] * 5
    assert error_of(keeper.do(lambda store: None)) == "the store is closed"
    with rl.store.open(tmp_path / "runs.sqlite") as store:
        assert len(store.runs()) == 5
