"""Recordings on the page and in `Replay`: a run from a file is looked at as the run itself was."""

import gzip
import json

import live
import pytest
from live import button, curves, ended, exported, html, look_back, model_html, open_tab, problem, settled, status
from patience import wait_until
from test_views_plots import SEARCHES

import rulelab as rl
from rulelab.kernels.growing import OPEN
from rulelab.recording import course as looking
from rulelab.recording import files
from rulelab.recording.course import NOT_YET
from rulelab.views.live.state import State
from rulelab.views.search import runs_box
from rulelab.views.search.view import SearchView
from rulelab.views.search.why import TREE


@pytest.fixture(params=list(SEARCHES))
def view(request: pytest.FixtureRequest, show) -> SearchView:
    return ended(show(SEARCHES[request.param]()))


@pytest.fixture
def quiet(show) -> SearchView:
    return ended(show(rl.CorelsSearch(problem(120, 7), 0.02)))


def pictured(view: SearchView) -> list[object]:
    """What the first plot shows and says."""
    columns = {name: [float(value) for value in column] for name, column in curves(view).items()}
    return [columns, view.plots.plots[0].caption]


def test_a_saved_run_is_shown_as_it_was(view, tmp_path) -> None:
    path = tmp_path / "run.rulelab"
    path.write_bytes(exported(view, "Recording"))
    replay = rl.views.Replay(path)
    settled(replay)
    assert (repr(pictured(replay)), model_html(replay)) == (repr(pictured(view)), model_html(view))
    assert [pair[1] for pair in status(replay).figures] == [pair[1] for pair in status(view).figures]
    assert status(replay).phase == f"Recording run.rulelab: {status(view).phase}"
    for at in (0, len(view.session.history) // 2, None):
        for each in (view, replay):
            look_back(each, at)
        settled(view)
        settled(replay)
        assert repr(pictured(replay)) == repr(pictured(view))
        if TREE in view.why.strip.names:
            told, was = replay.why.tree.drawn.tree, view.why.tree.drawn.tree
            assert told["antecedent"].tolist() == was["antecedent"].tolist()
            assert told["state"].tolist() == was["state"].tolist()
    assert not any(button(replay, name) for name in ("Run", "Step", "Stop", "Reset"))
    assert not replay.certificate.check.button.visible, "without rows nothing is verified"
    replay.run()
    replay.reset()
    assert replay.session.state is State.ENDED
    replay.close()


def open_file(view: SearchView, contents: bytes, name: str = "run.rulelab") -> str:
    """Open a file on the page; what is said of it."""
    live.upload(view.runs_box.field, contents, name)
    settled(view)
    return view.runs_box.field.said


def test_the_page_opens_a_recording_and_runs_anew(quiet) -> None:
    view = quiet
    contents = exported(view, "Recording")
    before = status(view).figures
    view.reset()
    assert open_file(view, contents, live.HOSTILE) == ""
    assert view.session.recorded
    assert status(view).figures == before
    assert "<img" not in html(view)
    open_tab(view, view.why.strip.names[0])
    settled(view)
    assert "are not kept" in view.why.tree.bars.caption
    view.on_pin = lambda card: "A"
    view.pin()
    assert "no model card" in live.alert(view).phase
    again = json.loads(gzip.decompress(exported(view, "Recording")))
    assert again == json.loads(gzip.decompress(contents)), "what was opened is saved again as it is"
    view.run()
    wait_until(lambda: view.session.state.over)
    settled(view)
    assert not view.session.recorded


def test_what_is_no_recording_is_refused_with_the_reason(quiet, monkeypatch) -> None:
    whole = exported(quiet, "Recording")
    assert "damaged" in open_file(quiet, b"PK no recording", "letter.rulelab")
    assert "letter.rulelab" in quiet.runs_box.field.said
    monkeypatch.setattr(runs_box, "LARGEST_TEXT", 1000)
    assert "larger than any" in open_file(quiet, whole)
    monkeypatch.setattr(files, "MOST_DOUBLINGS", 0)
    monkeypatch.setattr(runs_box, "LARGEST_TEXT", 10**6)
    assert "do not fit together" in open_file(quiet, whole), "deeper than any list"
    assert not quiet.session.recorded, "the run that was shown stays"
    monkeypatch.undo()
    assert open_file(quiet, whole) == ""


def test_a_recording_made_afterwards_has_the_moments_and_what_was_stored(quiet) -> None:
    snapshots = quiet.session.history.snapshots
    again = rl.Recording.from_bytes(quiet.session.recording().to_bytes())
    assert [each.step for each in again.snapshots] == [each.step for each in snapshots]
    for each in snapshots[1:]:
        if each.counts.get("stored"):
            assert len(again.tree_at(each.step, 10**6)) <= each.counts["stored"]
    known = quiet.session.course
    for each in snapshots:
        fates = known.fates(each.step, 10**6)
        tree = again.tree_at(each.step, 10**6) if (fates != NOT_YET).any() else None
        assert tree is None or (tree["state"] == "open").sum() == (fates == OPEN).sum() == each.counts["queued"]
    whole = quiet.session.search.tree(10**6)
    last = again.tree_at(snapshots[-1].step, 10**6)
    assert last["state"].tolist() == whole["state"].tolist()


def test_looking_at_a_huge_tree_does_not_hold_up_the_search(monkeypatch) -> None:
    monkeypatch.setattr(looking, "MANY_PREFIXES", -1)
    monkeypatch.setattr(looking, "LOOKING_SHARE", 1e-9)
    search = rl.CorelsSearch(problem(120, 7), 0.02)
    recording, looked = rl.Recording(search), []
    own = type(search).fates

    def spied(search: rl.CorelsSearch) -> object:
        looked.append(1)
        return own(search)

    monkeypatch.setattr(type(search), "fates", spied)
    for _ in recording.steps(work_per_step=1):
        pass
    assert len(recording.snapshots) > 4
    assert len(looked) == 2, "the first look, and the last"
    end = recording.snapshots[-1].step
    assert recording.tree_at(end, 10**6)["state"].tolist() == search.tree(10**6)["state"].tolist()
