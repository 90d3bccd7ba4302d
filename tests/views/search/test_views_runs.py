"""The runs of a page: what is kept of each, what lies pale beneath the present one, and ablation."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from doors import paused
from live import alert, gap_figure, problem, runs_html, runs_table, send, small_search, status
from patience import wait_until
from test_views_why import settled

import rulelab as rl
from rulelab.ablation import nodes_of
from rulelab.glossary import find
from rulelab.views.forms.address import Address
from rulelab.views.live.state import Limits, State
from rulelab.views.pages.tabs import SearchTab
from rulelab.views.search.plots.curves import curve_columns
from rulelab.views.search.runs import box
from rulelab.views.search.runs.ablating import GUESSES
from rulelab.views.search.runs.past import MOST_POINTS, MOST_RUNS, PastRun, Runs, differing, thinned
from rulelab.views.search.view import SearchView


def ran(view: SearchView) -> SearchView:
    view.run()
    return settled(view)


def pale(view: SearchView) -> list[str]:
    return list(dict.fromkeys(view.plots.plot(0).pale.sources[0].data["run"]))


def rows(view: SearchView) -> list[dict]:
    return runs_table(view).rows


def test_a_run_stays_pale_beneath_the_next_one_and_its_lines_are_sent_once(show) -> None:
    view = ran(show())
    assert [row["number"] for row in rows(view)] == [1]
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
    assert [row["number"] for row in rows(view)] == [1, 2]
    assert [row["present"] for row in rows(view)] == [False, True]
    objective, bound = (
        [x for k, x in enumerate(view.plots.plot(0).pale.sources[0].data["values"]) if k % 2 == part] for part in (0, 1)
    )
    found = pytest.approx(view.session.snapshot.incumbent.objective, abs=1e-8)
    assert [objective[0][-1], bound[0][-1]] == [found, found]
    assert "Run 1" in json.dumps(view.plots.picture(0)), "what is saved has the pale lines too"


def test_what_was_reset_or_stopped_before_its_end_is_kept_too(show) -> None:
    view = show()
    view.reset()
    assert rows(view) == [], "nothing has run"
    paused(view)
    assert rows(view) == [], "it may go on"
    view.reset()
    paused(view).stop()
    settled(view)
    assert [row["said"].split(":")[0] for row in rows(view)] == ["reset before its end", "stopped"]


def test_a_run_that_goes_on_after_a_limit_is_one_run(show) -> None:
    view = paused(show())
    view.session.limits = Limits(seconds=0)
    ran(view)
    assert view.session.state is State.ENDED
    work = view.runs.present.snapshot.work
    view.session.limits = Limits()
    ran(view)
    assert len(rows(view)) == 1
    assert view.runs.present.snapshot.work > work
    assert "certified" in rows(view)[0]["said"]


def test_a_run_is_hidden_pinned_and_removed(show) -> None:
    view = ran(show())
    view.reset()
    ran(view)

    def act(number: object, what: str) -> None:
        send(runs_table(view), {"act": what, "run": number})

    act(1, "show")
    assert pale(view) == []
    assert not rows(view)[0]["shown"]
    act(1, "show")
    assert pale(view) == ["1"]
    act(1, "pin")
    assert rows(view)[0]["pinned"]
    act(1, "remove")
    assert pale(view) == []
    assert [row["number"] for row in rows(view)] == [2]
    for number, what in ((1, "show"), (None, "remove"), ([2], "pin"), ("2", "remove"), (True, "remove")):
        act(number, what)
    table = runs_table(view)
    for message in (None, {}, {"act": "no such"}, {"act": ["show"]}, {"act": 3}, "show"):
        send(table, message)
    assert [row["number"] for row in rows(view)] == [2]
    send(table, {"act": "remove", "run": 2})
    assert rows(view) == []
    view.reset()
    ran(view)
    assert [row["number"] for row in rows(view)] == [3], "numbers are not used twice"


def kept(runs: Runs, n: int) -> None:
    """Runs that have ended, one after the other."""
    for _ in range(n):
        runs._began += 1
        state = rl.Snapshot(1, 1, 0.0, rl.Status.LIMIT, None, 0.0)
        runs._kept.append(PastRun(runs._began, (), {}, None, "rule_list", state, curves=thinned([])))
        runs.present = runs._kept[-1]
        runs._make_room()


def test_the_oldest_run_that_is_not_pinned_makes_room_and_one_place_is_never_pinned(show) -> None:
    runs = Runs()
    kept(runs, 3)
    runs.find(2).pinned = True
    kept(runs, MOST_RUNS)
    assert len(runs) == MOST_RUNS
    assert [run.number for run in runs][:3] == [2, 5, 6]
    assert runs.gone == 3
    view = show()
    kept(view.runs, MOST_RUNS)
    for run in list(view.runs):
        send(runs_table(view), {"act": "pin", "run": run.number})
    assert sum(run.pinned for run in view.runs) == MOST_RUNS - 1
    assert "one place stays free" in runs_html(view)


def test_only_settings_that_differ_are_said_and_every_column_is_explained() -> None:
    one = {"Regularization": "0.01", "Order": "by bound", "Fairness": "none"}
    other = {"Regularization": "0.02", "Order": "by bound"}
    assert differing([one, other]) == [{"Regularization": "0.01"}, {"Regularization": "0.02"}]
    assert differing([one, one]) == [{}, {}]
    assert differing([]) == []
    for head in box.HEADS:
        assert find(box.TERMS.get(head, head)) is not None, head


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
    assert [row["present"] for row in rows(view)].index(True) == 0
    assert all("(×" in row["cells"][3] for row in rows(view)[1:])
    assert rows(view)[0]["cells"][3] == dict(view.part("counts").figures)["made"], "one count of one search"
    assert "all 10 runs have ended; 10 proofs, all of the same objective" in runs_html(view)
    assert (alert(view).phase, len(pale(view))) == ("", 9)
    assert view.runs_box.button.able
    (drawn,) = view.runs_box.picture.pane
    nodes = {run.variant: nodes_of(run.snapshot) for run in view.runs}
    bars = dict(zip(drawn.object["variant"], drawn.object["times"], strict=True))
    assert bars == {name: nodes[name] / nodes["as set"] for name in names}
    view.reset()
    assert not len(view.runs_box.picture.pane)
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
    assert rows(sets)[0]["cells"][3] != ""


@pytest.fixture
def tab() -> Iterator[SearchTab]:
    made = SearchTab(
        Address('?data="tic_tac_toe"&regularization=0.05&beam_width=0&speed="full speed"', lambda *_: None)
    )
    yield made
    made.view.close()


def test_settings_go_back_to_the_form_and_other_data_are_not_laid_beneath(tab: SearchTab) -> None:
    view, setup = tab.view, tab.setup
    ran(view)
    setup.choose(regularization=0.04)
    setup.settings.bounds = [name for name in setup.settings.bounds if name != "grid"]
    ran(view)
    first, second = rows(view)
    assert "Regularization: cost of a rule: 0.05" in first["said"]
    assert "Regularization: cost of a rule: 0.04" in second["said"]
    assert "Bounds in use: without grid" in second["said"]
    assert "Time limit" not in second["said"]
    assert pale(view) == ["1"]
    send(runs_table(view), {"act": "form", "run": 1})
    assert setup.settings.regularization == 0.05
    assert "grid" in setup.settings.bounds
    assert alert(view).phase == ""
    setup.choose(data="breast_cancer", regularization=0.1)
    ran(view)
    assert pale(view) == []
    assert [row["comparable"] for row in rows(view)] == [False, False, True]
    assert "other data or family" in rows(view)[1]["said"]
    send(runs_table(view), {"act": "form", "run": 2})
    assert (setup.table.data, setup.settings.regularization) == ("tic_tac_toe", 0.04)
