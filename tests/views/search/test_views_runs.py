"""The runs of a page: what is kept of each, what lies pale beneath the present one, and ablation."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from doors import paused
from live import alert, gap_figure, problem, run_rows, runs_html, small_search, status
from patience import wait_until
from test_views_why import settled

import rulelab as rl
from rulelab.ablation import nodes_of
from rulelab.glossary import find
from rulelab.views.forms.address import Address
from rulelab.views.live.state import Limits, State
from rulelab.views.pages.tabs import SearchTab
from rulelab.views.search.plots.curves import curve_columns
from rulelab.views.search.runs import past
from rulelab.views.search.runs.ablating import GUESSES
from rulelab.views.search.runs.box import HEADS
from rulelab.views.search.runs.past import MOST_POINTS, differing, thinned
from rulelab.views.search.view import SearchView


def ran(view: SearchView) -> SearchView:
    view.run()
    return settled(view)


def said(view: SearchView) -> list[str]:
    return [words for _, words in run_rows(view)]


def numbers(view: SearchView) -> list[str]:
    return [cells[0] for cells, _ in run_rows(view)]


def pale(view: SearchView) -> list[str]:
    return list(dict.fromkeys(view.plots.plot(0).pale.sources[0].data["run"]))


def test_a_run_stays_pale_beneath_the_next_one_and_its_lines_are_sent_once(show) -> None:
    view = ran(show())
    assert numbers(view) == ["1"]
    assert pale(view) == [], "the present run is no earlier one"
    shown = gap_figure(view).x_range.end
    view.reset()
    assert pale(view) == ["1"]
    assert gap_figure(view).x_range.end == pytest.approx(shown), "its place is kept free for the next one"
    sent: list[object] = []
    for source in view.plots.plot(0).pale.sources:
        source.on_change("data", lambda attr, old, new: sent.append(new))
    ran(view)
    assert view.session.snapshot.step > 3
    assert len(sent) <= 2, "and not at every look"
    assert numbers(view) == ["1", "2"]
    assert runs_html(view).count("figures present") == 1
    objective, bound = (
        [x for k, x in enumerate(view.plots.plot(0).pale.sources[0].data["values"]) if k % 2 == part] for part in (0, 1)
    )
    found = pytest.approx(view.session.snapshot.incumbent.objective, abs=1e-8)
    assert [objective[0][-1], bound[0][-1]] == [found, found]
    assert "Run 1" in json.dumps(view.plots.picture(0)), "what is saved has the pale lines too"


def test_what_was_reset_or_stopped_before_its_end_is_kept_too(show) -> None:
    view = show()
    view.reset()
    assert run_rows(view) == [], "nothing has run"
    paused(view)
    assert run_rows(view) == [], "it may go on"
    view.reset()
    paused(view).stop()
    settled(view)
    assert [words.split(":")[0] for words in said(view)] == ["reset before its end", "stopped"]


def test_a_run_that_goes_on_after_a_limit_is_one_run(show) -> None:
    view = paused(show())
    view.session.limits = Limits(seconds=0)
    ran(view)
    assert view.session.state is State.ENDED
    work = view.runs.present.snapshot.work
    view.session.limits = Limits()
    ran(view)
    assert len(run_rows(view)) == 1
    assert view.runs.present.snapshot.work > work
    assert "certified" in said(view)[0]


def test_the_last_runs_are_kept_with_their_numbers(show, monkeypatch) -> None:
    monkeypatch.setattr(past, "MOST_RUNS", 2)
    view = show()
    for _ in range(3):
        view.reset()
        ran(view)
    assert numbers(view) == ["2", "3"]
    view.reset()
    assert pale(view) == ["2", "3"]


def test_only_settings_that_differ_are_said_and_every_column_is_explained() -> None:
    one = {"Regularization": "0.01", "Order": "by bound", "Fairness": "none"}
    other = {"Regularization": "0.02", "Order": "by bound"}
    assert differing([one, other]) == [{"Regularization": "0.01"}, {"Regularization": "0.02"}]
    assert differing([one, one]) == [{}, {}]
    assert differing([]) == []
    for term in ("runs", *HEADS.values()):
        assert find(term) is not None, term


def test_pale_curves_are_short_and_keep_ends_and_improvements() -> None:
    snapshots = list(rl.steps(small_search(), work_per_step=1))
    assert len(snapshots) > 2 * MOST_POINTS
    points, whole = thinned(snapshots), curve_columns(snapshots, {})
    assert len(points["work"]) <= MOST_POINTS + 1
    for name in points:
        assert points[name][-1] == whole[name][-1]
    assert {repr(x) for x in points["objective"]} == {repr(x) for x in whole["objective"]}
    assert points["work"] == sorted(points["work"])
    assert thinned([]) == {name: [] for name in points}


def test_an_ablation_runs_all_and_ends_with_the_run_as_set(show, monkeypatch) -> None:
    view = show(rl.RuleListSearch(problem(120, 7), 0.02, beam_width=0))
    view.ablate()
    view.tick()
    assert "1, as set" in status(view).phase or "of 10" in status(view).phase
    assert not view.runs_box.button.able
    settled(view)
    names = [run.variant for run in view.runs]
    assert names[0] == "as set"
    assert names[1:] == [f"without {name.replace('_', ' ')}" for name in vars(rl.RuleListBounds())]
    assert {run.snapshot.incumbent.objective for run in view.runs} == {view.session.snapshot.incumbent.objective}
    assert view.runs.present is next(iter(view.runs))
    assert view.session.search.bounds == rl.RuleListBounds()
    nodes = [cells[4] for cells, _ in run_rows(view)]
    assert all("(×" in each for each in nodes[1:])
    assert nodes[0] == dict(view.part("counts").figures)["made"].replace("\u202f", ""), "one count of one search"
    assert "all 10 runs have ended; 10 proofs, all of the same objective" in runs_html(view)
    assert (alert(view).phase, len(pale(view))) == ("", 9)
    assert view.runs_box.button.able
    (drawn,) = view.runs_box.picture
    counted = {run.variant: nodes_of(run.snapshot) for run in view.runs}
    bars = dict(zip(drawn.object["variant"], drawn.object["times"], strict=True))
    assert bars == {name: counted[name] / counted["as set"] for name in names}
    view.reset()
    assert not len(view.runs_box.picture)
    monkeypatch.setattr("rulelab.ablation._SAME", -1.0)
    view.ablate()
    settled(view)
    assert "defect of rulelab" in alert(view).phase, "where proofs are of different objectives"


@pytest.mark.parametrize("guess", ["", "lookahead", "symmetry"])
def test_the_bounds_of_the_paper_are_added_and_a_guess_is_answered(show, guess: str) -> None:
    view = show(rl.RuleListSearch(problem(120, 7), 0.01))
    assert not view.runs_box.guess.visible
    view.runs_box.way.value = view.runs_box.way.options[1]
    assert view.runs_box.guess.visible
    view.runs_box.guess.value = guess
    view.ablate()
    settled(view)
    assert [run.variant for run in view.runs][:3] == ["as set", "errors so far", "+ lookahead"]
    assert view.session.search.kind == "corels"
    said = runs_html(view)
    nodes = [nodes_of(run.snapshot) for run in view.runs]
    saved = [before - after for before, after in pairwise([*nodes[1:], nodes[0]])]
    most = GUESSES[saved.index(max(saved))]
    assert f"“{most}” has saved most here, {max(saved)} prefixes." in said
    assert ("Right: " in said) is (guess == most)
    assert (f"Not “{guess}”: " in said) is (guess not in ("", most))


def test_stop_ends_an_ablation_with_what_is_there_and_rule_sets_have_nothing_to_leave_out(show) -> None:
    view = show()
    view.ablate()
    wait_until(lambda: view.tick() and len(view.runs) == 2)
    view.pause()
    view.stop()
    settled(view)
    assert "of 10 runs have ended" in runs_html(view)
    assert view.runs.present.variant == "as set"
    view.ablate()
    view.reset()
    assert not view.tick()
    assert view.session.state is State.IDLE
    sets = ran(show(rl.RuleSetSearch(problem(60, 4), max_complexity=3)))
    assert not sets.runs_box.button.able
    assert "no bounds" in runs_html(sets)
    assert run_rows(sets)[0][0][4] != ""


@pytest.fixture
def tab() -> Iterator[SearchTab]:
    made = SearchTab(
        Address('?data="tic_tac_toe"&regularization=0.05&beam_width=0&speed="full speed"', lambda *_: None)
    )
    yield made
    made.view.close()


def test_settings_that_differ_are_said_and_other_data_are_not_laid_beneath(tab: SearchTab) -> None:
    view, setup = tab.view, tab.setup
    ran(view)
    setup.choose(regularization=0.04)
    setup.settings.bounds = [name for name in setup.settings.bounds if name != "grid"]
    ran(view)
    first, second = said(view)
    assert "Regularization: cost of a rule: 0.05" in first
    assert "Regularization: cost of a rule: 0.04" in second
    assert "Bounds in use: without grid" in second
    assert "Time limit" not in second
    assert pale(view) == ["1"]
    setup.choose(data="breast_cancer", regularization=0.1)
    ran(view)
    assert pale(view) == []
    assert ["other data or family" in words for words in said(view)] == [True, True, False]
