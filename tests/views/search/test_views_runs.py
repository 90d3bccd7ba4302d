"""Ablation on the page, and the settings of its runs in words."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bokeh.models import ColumnDataSource
from live import alert, finish, long_search, model_html, paused, problem, runs_html, settled, small_search, status
from patience import wait_until

import rulelab as rl
from rulelab.ablation import nodes_of
from rulelab.views.cards.differences import differing
from rulelab.views.kept_runs.keeping import is_worth_keeping, settings_in_words
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import State
from rulelab.views.pages.page import plot_theme
from rulelab.views.search.runs_box import GUESSES, Ablating
from rulelab.views.search.setup import Setup
from rulelab.views.search.view import SearchView


def bars_of(box: Any) -> Any:
    """What is drawn of an ablation, the last bar first."""
    (pane,) = box.picture
    return pane.object.select_one({"type": ColumnDataSource}).data


def ablated(view: SearchView) -> dict[str, float]:
    """How many times the nodes of the run as set each run of an ablation has stored, as it is drawn."""
    settled(view)
    drawn = bars_of(view.runs_box)
    bars = zip(drawn["variant"], drawn["times"], strict=True)
    first, *others = list(bars)
    return dict([("as set" if first[0] == "+ symmetry: as set" else first[0], first[1]), *reversed(others)])


def test_an_ablation_runs_all_and_ends_with_the_run_as_set(show, monkeypatch) -> None:
    view = show(rl.RuleListSearch(problem(120, 7), 0.01))
    view.ablate()
    view.tick()
    assert "1, as set" in status(view).phase or "of 6" in status(view).phase
    assert not view.runs_box.button.able
    bars = ablated(view)
    ablation = rl.Ablation(rl.CorelsSearch(problem(120, 7), 0.01), added=True)
    assert list(bars) == [each.variant.name for each in ablation.steps()]
    assert list(bars.values()) == ablation.frame["nodes_factor"].tolist()
    axis = view.runs_box.picture[0].object.yaxis[0]
    for dark, channel in ((True, "255"), (False, "0")):
        plot_theme(dark).apply_to_model(axis)
        assert axis.major_label_text_color.startswith(f"rgba({channel}, "), "the picture follows the page's theme"
    assert view.session.search.kind == "corels"
    assert view.session.search.bounds == rl.engines.CorelsBounds()
    assert "all 6 runs have ended; 6 proofs, all of the same objective" in runs_html(view)
    assert alert(view).phase == ""
    assert view.runs_box.button.able
    view.reset()
    assert not len(view.runs_box.picture)
    monkeypatch.setattr("rulelab.ablation.SAME_WITHIN", -1.0)
    view.ablate()
    settled(view)
    assert "defect of rulelab" in alert(view).phase, "where proofs are of different objectives"


@pytest.mark.parametrize("guess", ["", "lookahead", "equal rows"])
def test_a_guess_of_which_bound_saves_most_is_answered(show, guess: str) -> None:
    view = show(rl.RuleListSearch(problem(120, 7), 0.01))
    view.runs_box.guess.value = guess
    view.ablate()
    nodes = [round(times * nodes_of(view.session.snapshot)) for times in ablated(view).values()]
    saved = [before - after for before, after in pairwise([*nodes[1:], nodes[0]])]
    most, said = GUESSES[saved.index(max(saved))], runs_html(view)
    assert f"“{most}” has saved most here, {max(saved)} prefixes." in said
    assert ("Right: " in said) is (guess == most)
    assert (f"Not “{guess}”: " in said) is (guess not in ("", most))


def test_boxes_stay_as_high_as_they_are_between_the_runs_of_an_ablation(show) -> None:
    view = settled(finish(show(small_search())))
    view.ablate()
    assert not any("rl-waits" in view.part(name).css_classes for name in ("model", "objective and lower bound"))
    view.reset()
    assert all("rl-waits" in view.part(name).css_classes for name in ("model", "objective and lower bound"))


def test_stop_ends_an_ablation_with_what_is_there_and_rule_sets_have_nothing_to_add(show) -> None:
    view = show(long_search())
    view.ablate()
    first = view.session
    wait_until(lambda: first.snapshot is not None)
    view.stop()
    settled(view)
    assert "1 of 6 runs have ended" in runs_html(view)
    assert view.session is first
    view.ablate()
    view.reset()
    assert not view.tick()
    assert view.session.state is State.IDLE
    sets = show(rl.RuleSetSearch(problem(60, 4), max_complexity=3))
    assert "Without a bound" not in sets.why.strip.names
    assert "Without a bound" in view.why.strip.names


@pytest.mark.parametrize(("until", "state"), [(finish, State.ENDED), (paused, State.PAUSED)])
def test_after_an_ablation_the_run_from_before_it_is_shown_again_and_goes_on(show, until, state) -> None:
    view = until(show(rl.RuleListSearch(problem(120, 7), 0.01)))
    own, seen = view.session, (model_html(view), status(view).figures, view.snapshot)
    assert own.state is state
    told: list[SearchSession] = []
    view.on_standing = lambda session, _: told.append(session)
    view.ablate()
    assert view.session is not own
    assert len(ablated(view)) == 6
    assert {session for session in told if is_worth_keeping(session)} <= {own}, "trial runs are none to keep"
    assert (view.session, own.state) == (own, state)
    assert (model_html(view), status(view).figures, view.snapshot) == seen
    if state is State.PAUSED:
        finish(view)
    assert (view.session, own.snapshot.status) == (own, rl.Status.OPTIMAL)
    view.stale = True
    view.ablate()
    settled(view)
    assert view.session is not own, "with the present settings there was no run"


@pytest.mark.parametrize("give_up", ["reset", "close"])
def test_a_paused_run_ends_where_the_ablation_that_would_bring_it_back_is_given_up(show, give_up: str) -> None:
    view = paused(show(long_search()))
    own = view.session
    view.ablate()
    assert own.alive
    getattr(view, give_up)()
    wait_until(lambda: not own.alive)


def test_pictures_of_an_ablation_say_what_its_words_say(show) -> None:
    view = show(rl.RuleListSearch(problem(120, 7), 0.01))
    view.ablate()
    ablated(view)
    ablation = rl.Ablation(rl.CorelsSearch(problem(120, 7), 0.01), added=True)
    whole = [*ablation.steps()]
    box, made = view.runs_box, Ablating(view.session)
    made.done = ablation
    for stopped in ((), (1,), (0, 1)):  # none; the errors so far alone; and with all bounds, too
        for k in stopped:
            ended = replace(whole[k].snapshot, status=rl.Status.LIMIT, limit="time", lower_bound=0.01 * k)
            ablation.outcomes[k] = replace(whole[k], snapshot=ended)
        box.ablation = made
        box.following(view.session)
        drawn = bars_of(box)
        frame = ablation.frame.set_index("variant")
        bars = dict(zip(drawn["variant"], drawn["times"], strict=True))
        assert next(iter(bars)).startswith("+ symmetry: as set"), "the last step is the last bar, from below"
        expected = frame["gap" if stopped else "nodes_factor"]
        assert list(bars.values())[-1] == expected.iloc[1]
        assert list(bars.values())[-2] == expected["+ lookahead"]


def test_settings_are_in_words_and_only_those_that_differ_are_said() -> None:
    told = []
    for cost, left_out in ((0.05, ""), (0.04, "grid")):
        setup = Setup()
        setup.choose(data="tic_tac_toe", regularization=cost, beam_width=0)
        setup.settings.bounds = [name for name in setup.settings.bounds if name != left_out]
        session = setup.new_session()
        session.prepared = session.source(lambda doing: None)
        told.append(settings_in_words(session))
    name = "Regularization: cost of a rule"
    assert told[0]["Data set"] == "tic_tac_toe"
    first, second = {name: "0.05", "Bounds in use": "all"}, {name: "0.04", "Bounds in use": "without grid"}
    assert differing(told) == [first, second]
    assert differing([told[0], told[0]]) == [{}, {}]
    assert differing([]) == []


# from a file or a frame to a search that is watched, and the search of a fitted classifier ----------------------------
@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, job = rng.integers(18, 70, 300), rng.choice(["a", "b", "c"], 300)
    paid = np.where(((age > 40) & (job != "c")) ^ (rng.random(300) < 0.1), "yes", "no")
    groups = {"sex": rng.choice(["f", "m"], 300), "n": rng.integers(1, 4, 300)}
    return pd.DataFrame({"age": age, "job": job, **groups, "paid": paid})


def ended(view: rl.views.SearchView) -> rl.results.Snapshot:
    wait_until(lambda: view.session.state.over)
    view.refresh()
    view.close()
    assert view.session.error is None
    assert view.snapshot is not None
    return view.snapshot


ASKED: list[dict[str, Any]] = [
    {"regularization": 0.02},
    {"model": "falling_rule_list", "regularization": 0.02, "max_conditions": 1, "weight": "n"},
    {"model": "rule_set", "max_complexity": 4, "fairness": rl.EqualOpportunity(0.05), "sensitive": "sex"},
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.get("model", "rule_list"))
def test_what_is_watched_is_what_would_be_fitted(asked: dict[str, Any], people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", **asked)
    view = rl.watch(people, "paid", **asked)
    last = ended(view)
    assert last.incumbent.objective == fitted.objective_
    assert last.status is rl.Status.OPTIMAL
    assert view.session.prepared.labels == ("no", "yes")
    assert view.model == last.incumbent.model


def test_a_fitted_classifier_shows_the_end_of_its_search(people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", regularization=0.02)
    view = rl.views.SearchView(fitted)
    assert ended(view).incumbent.objective == fitted.objective_
    assert view.status is State.ENDED
    with pytest.raises(AttributeError, match="no rules"):
        rl.views.SearchView(rl.RuleListClassifier().fit(people[["age"]], np.zeros(300)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"regularization": 0}, "regularization must be"),
        ({"thresholds": -1}, "thresholds must be"),
        ({"class_weight": "balanced"}, "class_weight must be None to watch"),
        ({"fairness": rl.EqualOpportunity(0.1)}, "sensitive must be the column of groups"),
    ],
)
def test_what_cannot_be_watched_is_refused_at_once(given: dict[str, Any], words: str, people: pd.DataFrame) -> None:
    with pytest.raises(rl.ParameterError, match=words):
        rl.watch(people.drop(columns="sex"), "paid", **given)
