"""Every model family on the page, without a browser: settings, address, status line, plots, fairness."""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bokeh.models import VAreaStep
from bs4 import BeautifulSoup
from live import HOSTILE, boxes, curves, curves_of, finish, model_html, paused, status, use_file

import rulelab as rl
from rulelab.families import OFFERED
from rulelab.questions import search_of
from rulelab.shown import percent
from rulelab.views.cards import card as cards
from rulelab.views.cards.scores import incumbent_card
from rulelab.views.live import wording as words
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.recipe import without_fairness
from rulelab.views.search.families import LOOKS, look_of
from rulelab.views.search.figures import SearchFigures
from rulelab.views.search.plots.curves import curve_columns, tree_begins
from rulelab.views.search.plots.falling import mean_columns, strata_columns
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.explained import term_slug

FAMILY_SETTINGS: dict[str, dict[str, Any]] = {
    "rule_list": {"family": "rule_list", "regularization": 0.02, "max_conditions": 1},
    "fair_rule_list": {"family": "rule_list", "data": "diabetes", "thresholds": 2, "max_conditions": 1}
    | {"regularization": 0.02, "fairness": "equal_opportunity", "tolerance": 0.1},
    "falling_rule_list": {"family": "falling_rule_list", "regularization": 0.02, "max_conditions": 1},
    "falling_monte_carlo": {"family": "falling_rule_list", "method": "monte_carlo", "iterations": 50},
    "rule_set": {"family": "rule_set", "max_complexity": 6},
    "least_gap_of_sets": {"family": "least_gap_of_sets", "data": "diabetes", "max_complexity": 4}
    | {"max_conditions": 2, "thresholds": 2, "min_accuracy": 0.76},
    "least_gap": {"family": "least_gap", "data": "diabetes", "max_conditions": 1}
    | {"max_length": 1, "thresholds": 2, "min_accuracy": 0.74},
    "fair_rule_set": {"family": "rule_set", "max_complexity": 6, "fairness": "equalized_odds", "tolerance": 0.03},
}


def chosen(**settings: Any) -> Setup:
    setup = Setup()
    setup.choose(**{"thresholds": 3, **settings})
    return setup


def prepared(**settings: Any) -> Prepared:
    return chosen(**settings).recipe()(lambda doing: None)


def problem(names: list[str] | None = None, groups: bool = False) -> rl.Problem:
    """Noisy labels that depend on two pairs of conditions; more errors in one of the groups."""
    rng = np.random.default_rng(0)
    A = rng.random((240, 6)) < 0.5
    group = rng.random(240) < 0.5
    y = ((A[:, 0] & A[:, 1]) | (A[:, 2] & A[:, 3])) ^ (rng.random(240) < np.where(group, 0.3, 0.05))
    labels = np.where(group, HOSTILE, "b")
    return rl.Problem.from_arrays(A, y.astype(int), names=names, groups=labels if groups else None)


SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "falling_rule_list": (
        {"regularization": 0.02, "positive_weight": 2.0, "violation_penalty": 0.25, "iterations": 10}
        | {"bounds": ["density_cap"], "memory_limit": 50_000_000},
        {"method": "exact", "regularization": 0.02, "positive_weight": 2.0, "violation_penalty": 0.25}
        | {"iterations": 10, "memory_limit": 50_000_000},
    ),
    "hard": (
        {"family": "falling_rule_list", "method": "monte_carlo", "iterations": 7},
        {"method": "monte_carlo", "iterations": 7, "violation_penalty": None},
    ),
    "rule_set": (
        {"max_complexity": 3, "max_conditions": 2, "loss": "zero_one", "form": "cnf", "regularization": 0.5}
        | {"fairness": "equalized_odds", "tolerance": 0.1, "negatives_tolerance": 0.2},
        {"max_complexity": 3, "max_conditions": 2, "loss": "zero_one", "form": "cnf", "regularization": 0.5}
        | {"fairness": rl.EqualizedOdds(0.1, 0.2)},
    ),
    "any": ({"family": "rule_set", "max_conditions": None}, {"max_conditions": None}),
    "least_gap": (
        {"data": "diabetes", "criterion": "demographic_parity", "min_accuracy": 0.78, "max_length": 1},
        {"criterion": "demographic_parity", "min_accuracy": 0.78, "max_length": 1, "min_group_size": 30},
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_reaches_the_search_of_its_family(name: str) -> None:
    given, expected = SETTINGS[name]
    done = prepared(**{"family": name, **given})
    assert expected.items() <= done.search.parameters.items()
    if "bounds" in given:
        assert [each for each, used in done.search.parameters["bounds"].to_dict().items() if used] == given["bounds"]
    if {"fairness", "criterion"} & set(given):
        assert done.search.problem.groups.names == ("group 1", "group 2")
        assert any("groups by sex: group 1 (" in note for note in done.notes)
    if name == "least_gap":
        card = cards.of_search(done.search, rl.solve(done.search), done)
        assert "groups=groups" in card.code
        assert "no rule list of at most 1 rule over these" in card.proof.scope
        assert "between groups of sex than this one" in card.proof.scope
        with pytest.raises(ValueError, match="tic_tac_toe has no sensitive attribute"):
            prepared(family="least_gap", data="tic_tac_toe")


def test_every_criterion_can_be_chosen_and_predictive_parity_of_rule_lists_alone() -> None:
    for name, criterion in (
        ("equal_opportunity", rl.EqualOpportunity(0.1)),
        ("demographic_parity", rl.DemographicParity(0.1)),
        ("false_positive_rate_parity", rl.FalsePositiveRateParity(0.1)),
        ("accuracy_parity", rl.AccuracyParity(0.1)),
    ):
        assert chosen(family="rule_set", fairness=name, tolerance=0.1).recipe()["fairness"] == criterion
    asked = chosen(family="rule_list", fairness="predictive_parity", tolerance=0.1)
    assert asked.recipe()["fairness"] == rl.PredictiveParity(0.1)
    for family in ("rule_set", "falling_rule_list"):
        assert "predictive_parity" not in chosen(family=family).settings.param.fairness.objects
    with pytest.raises(ValueError, match="tolerance"):
        chosen(family="rule_set", fairness="equal_opportunity", tolerance=-1.0)


@pytest.mark.parametrize("name", ["fair_rule_list", "fair_rule_set", "least_gap", "least_gap_of_sets"])
def test_what_an_engine_counts_is_said_in_words_that_are_explained(show, name: str) -> None:
    view = paused(show(prepared(**FAMILY_SETTINGS[name]).search))
    if view.session.snapshot.sought_first.get("running"):
        first = dict(view.part("counts").figures)
        assert not {*LOOKS[view.session.look].counts.values()} & {*first}, "nothing of the phase to come"
        assert ("made" in first) == (name != "fair_rule_set")
    finish(view)
    counts, said = view.session.snapshot.counts, dict(view.part("counts").figures)
    assert len(said) == len(view.part("counts").figures), "each once"
    named = LOOKS[view.session.look].counts
    assert len(named) > 1
    assert {said[word] for word in named.values()} == {words.count(counts[name]) for name in named}
    assert all(term_slug(word) for word in named.values())
    assert "made" not in said, "no sum of prefixes beside them, which does not hold here"
    assert "tree" not in view.plots.plot(0).figure.xaxis[0].axis_label, "there is none"


def test_the_form_shows_the_settings_of_the_family() -> None:
    setup = Setup()
    for name, family in OFFERED.items():
        setup.family = name
        own, conditions, limits, _ = setup.more.cards
        assert own["fields"]
        assert (conditions["title"], bool(conditions["fields"])) == (
            "Antecedents" if family.mined else "Conditions",
            True,
        )
        assert [each["label"] for each in limits["fields"]][1:] == ["Time limit (s)", "Memory limit (MB)"]
        unlisted = {each.name for each in family.parameters} - set(setup.settings.param)
        assert unlisted == {"memory_limit"}


@pytest.mark.parametrize(
    ("family", "other", "bound", "kind"),
    [
        ("rule_list", {"policy": "curiosity"}, "reach", rl.engines.FairRuleListBounds),
        (
            "falling_rule_list",
            {"method": "monte_carlo", "violation_penalty": 0.1},
            "reach",
            rl.engines.FairFallingBounds,
        ),
    ],
)
def test_fair_lists_say_what_cannot_be_chosen_and_have_bounds_of_their_own(family, other, bound, kind) -> None:
    setup = chosen(family=family, data="diabetes", max_conditions=1, thresholds=2, **other)
    fields = {each["label"]: each for card in setup.more.cards for each in card["fields"] if each["shown"]}
    assert not any(each.get("off") for each in fields.values())
    assert "Labels of a fair list" not in fields
    assert ("Monte-Carlo lists" in fields) is (family == "falling_rule_list")
    setup.choose(fairness="equal_opportunity", fair_bounds=[n for n in setup.settings.fair_bounds if n != bound])
    fields = {each["label"]: each for card in setup.more.cards for each in card["fields"] if each["shown"]}
    off = {label: each["value"] for label, each in fields.items() if each.get("off")}
    expected = {
        "rule_list": {"Order of the queue": "lower bound"},
        "falling_rule_list": {"Method": "exact, with a proof", "Price of a rise by 1 (C1)": ""},
    }
    assert off == expected[family]
    assert "Monte-Carlo lists" not in fields
    assert (bound in fields["Bounds in use"]["options"]) > (bound in fields["Bounds in use"]["value"])
    recipe = setup.recipe()
    search = search_of(recipe.family, problem(groups=True), recipe.parameters, **recipe.more)
    assert isinstance(search.bounds, kind)
    assert not getattr(search.bounds, bound)
    setup.choose(fairness="none")
    assert {name: setup.recipe()[name] for name in other} == other


@pytest.mark.parametrize("asked", [{"max_length": 0}, {"max_length": 3}, {"must_use": ["age"]}])
def test_the_bounds_of_fair_lists_that_obey_have_no_switches(asked) -> None:
    setup = chosen(family="rule_list", data="diabetes", max_conditions=1, thresholds=2, fairness="equal_opportunity")
    setup.choose(fair_bounds=[n for n in setup.settings.fair_bounds if n != "reach"])
    assert not setup.recipe().more["bounds"].reach
    setup.choose(**asked)
    shown = {each["label"] for card in setup.more.cards for each in card["fields"] if each["shown"]}
    assert "Bounds in use" not in shown
    assert "bounds" not in setup.recipe().more
    setup.choose(fairness="predictive_parity")
    assert not setup.recipe().more["bounds"].reach


def test_groups_are_those_of_the_data_and_made_of_a_column_of_an_uploaded_file() -> None:
    frame = pd.DataFrame({"a": [k % 30 for k in range(40)], "who": ["x", "y", None, "x"] * 10, "ok": [0, 1] * 20})
    setup = Setup()
    assert setup.table.sensitive == "sex"
    setup.table.data = "compas"
    assert setup.table.param.sensitive.objects == ["race", "sex"]
    setup.table.data = "tic_tac_toe"
    assert setup.table.sensitive is None
    use_file(setup.table, frame.to_csv(index=False).encode(), who="sensitive")
    assert setup.table.param.sensitive.objects == ["who"]
    setup.choose(family="rule_set", fairness="demographic_parity", tolerance=1.0, min_group_size=0)
    done = setup.recipe()(lambda doing: None)
    assert done.search.problem.groups.names == ("(missing)", "x", "y")
    assert "who" in done.data.X, "the column stays a feature"


@pytest.mark.parametrize("look", list(FAMILY_SETTINGS))
def test_a_search_is_shown_by_the_plots_of_its_kind_in_small_lists_of_plain_numbers(look, show) -> None:
    shown = show(new_session=chosen(**FAMILY_SETTINGS[look]).new_session)
    assert shown.session.look == look
    assert LOOKS[look].looks_for in shown.certificate.account.object
    session = finish(shown).session
    assert look_of(session.search) == look
    same = "says the same of everybody" in status(shown).phase
    assert same is (look in ("fair_rule_list", "least_gap"))
    assert status(shown).tone == ("limit" if look == "falling_monte_carlo" else "idle" if same else "proven")
    assert model_html(shown).count("<tr") >= 2
    assert curves(shown)["work"]
    plots, seen = SearchFigures(LOOKS[look]), []
    for snapshot in session.history.snapshots:
        plots.extend([snapshot], not seen, snapshot, session.prepared)
        seen.append(snapshot)
        columns = curve_columns([snapshot])
        assert {type(value) for values in columns.values() for value in values} <= {int, float}
        assert len(json.dumps(columns)) < 1000
    columns = curve_columns(seen, tree_begins(seen))
    drawn = curves_of(plots.plot(0).figure)
    for name, values in columns.items():
        assert drawn[name] == pytest.approx(values, nan_ok=True)
    for plot in plots.plots:
        for source in plot.sources:
            assert {type(values) for values in source.data.values()} == {list}
            assert len(json.dumps(dict(source.data), default=str)) < 3000
    plots.clear()
    assert not curves_of(plots.plot(0).figure)["work"]
    assert not next(each for each in plots.plot(0).figure.renderers if isinstance(each.glyph, VAreaStep)).visible, (
        "a stepped area without points hangs the browser"
    )


def test_another_family_brings_its_plots_with_the_next_run(show) -> None:
    setup = chosen(**FAMILY_SETTINGS["rule_list"])
    shown = finish(show(new_session=setup.new_session))
    before = shown.plots
    setup.choose(**FAMILY_SETTINGS["rule_set"])
    shown.refresh()
    assert shown.plots is before
    shown.reset()
    assert shown.session.look == "rule_set"
    assert [box.name for box in boxes(shown)] == [each.kind.title for each in LOOKS["rule_set"].plots]
    assert "Best rule set so far" in model_html(shown)
    assert "certified optimal for rules of at most 3 conditions" in status(finish(shown)).phase


def test_a_tree_is_offered_of_searches_that_have_one_and_of_others_it_is_said_why_not() -> None:
    made, fairness = problem(groups=True), rl.EqualOpportunity(0.1)
    searches = [make(made) for make in (rl.RuleListSearch, rl.CorelsSearch, rl.FallingRuleListSearch, rl.RuleSetSearch)]
    searches += [rl.search(made, model, fairness=fairness) for model in ("rule_list", "falling_rule_list")]
    searches += [rl.search(made, must_use=[made.names[0]]), rl.LeastGapSearch(made)]
    searches += [rl.search(made, "falling_rule_list", violation_penalty=0.1)]
    searches += [rl.search(made, "falling_rule_list", method="monte_carlo")]
    for search in searches:
        look = LOOKS[look_of(search)]
        assert bool(look.family) == hasattr(search, "tree") == (not look.no_tree), type(search)
    for look in LOOKS.values():
        assert bool(look.family) != bool(look.no_tree)


def test_hostile_names_stay_text() -> None:
    names = [f"{HOSTILE}{i}" for i in range(6)]
    for make in (rl.RuleListSearch, rl.FallingRuleListSearch, rl.RuleSetSearch):
        best = rl.solve(make(problem(names))).incumbent
        html = incumbent_card(best, labels=("<b>", HOSTILE), target=HOSTILE)
        assert "<img" not in html
        assert "<b>" not in html.replace("<b>0</b>", "")
        assert html.count("&lt;img") >= 2


def test_strata_are_the_rules_of_the_list() -> None:
    model = rl.solve(rl.FallingRuleListSearch(problem(), positive_weight=2.0)).incumbent.model
    columns, table = strata_columns(model), model.strata()
    assert columns["top"] == pytest.approx(table["probability"].tolist(), abs=1e-4)
    assert columns["top"] == sorted(columns["top"], reverse=True)
    assert (columns["left"], columns["right"][-1]) == ([0.0, *columns["right"][:-1]], 100)
    assert np.diff([0, *columns["right"]]) == pytest.approx(100 * table["share"].to_numpy(), abs=0.02)
    assert columns["low"] == pytest.approx(table["low"].tolist(), abs=1e-4)
    assert columns["kind"][-1] == "below"


def test_antecedents_considered_are_those_of_the_search() -> None:
    last = rl.solve(rl.search(problem(), "falling_rule_list", method="monte_carlo", iterations=200, random_state=0))
    means = mean_columns(last)
    assert means["position"] == list(range(1, len(means["mean"]) + 1))
    assert means["lists"][0] <= 200
    assert means["mean"][0] == pytest.approx(last.detail["considered_mean"][0], abs=0.01)


def test_a_constraint_that_no_set_meets_is_said_so(show) -> None:
    A = np.zeros((8, 1), dtype=bool)
    A[0] = True
    groups = ["a"] * 4 + ["b"] * 4
    impossible = rl.Problem.from_arrays(A, [1, 1, 1, 0, 1, 0, 0, 0], groups=groups)
    search = rl.RuleSetSearch(impossible, max_complexity=2, fairness=rl.AccuracyParity(0.0))
    shown = finish(show(search))
    assert shown.session.snapshot.status is rl.Status.INFEASIBLE
    assert "no rule set of complexity at most 2 meets the fairness constraint" in status(shown).phase
    assert dict(status(shown).figures)["lower bound"] == words.NONE
    assert not math.isnan(curves(shown)["gap_top"][-1])
    assert not shown.best.actions.visible


CRITERIA = [
    rl.EqualOpportunity(0.02),
    rl.EqualizedOdds(0.05, 0.1),
    rl.DemographicParity(0.05),
    rl.FalsePositiveRateParity(0.03),
    rl.AccuracyParity(0.1),
]


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: type(c).__name__)
def test_the_gap_as_counted_is_allowed_and_the_true_one_is_true(criterion, loss, form) -> None:
    grouped = problem(groups=True)
    options = {"max_complexity": 6, "max_conditions": 2, "loss": loss, "form": form}
    search = rl.RuleSetSearch(grouped, fairness=criterion, **options)
    last = rl.solve(search, work_limit=60)
    shown, model = Prepared(search), last.incumbent.model
    counted, rates = shown.counted_gaps(model), shown.rates(model)
    assert bool(counted) is (loss == "hamming")
    for rate in criterion.rates():
        gap = last.detail["true_gaps"][rate.name]
        assert counted.get(rate.name, gap) <= rate.tolerance + 1e-9
        value = rates[rate.name]
        assert value.max() - value.min() == pytest.approx(gap)
        assert (value.between(rates[f"{rate.name}_low"], rates[f"{rate.name}_high"])).all()


FAIR = {
    "list": lambda p: rl.search(p, regularization=0.01, fairness=rl.EqualOpportunity(0.01)),
    "list of a length": lambda p: rl.search(p, regularization=0.01, max_length=2, fairness=rl.EqualOpportunity(0.01)),
    "falling list": lambda p: rl.search(
        p, model="falling_rule_list", regularization=0.01, fairness=rl.EqualOpportunity(0.01)
    ),
    "set": lambda p: rl.RuleSetSearch(p, max_complexity=6, fairness=rl.EqualOpportunity(0.01)),
    "least gap": lambda p: rl.LeastGapSearch(p, regularization=0.01, min_accuracy=0.5, max_length=2),
}


@pytest.mark.parametrize("search", FAIR.values(), ids=FAIR)
def test_rates_of_groups_stand_beside_every_search_that_compares_them(show, search) -> None:
    shown = finish(show(search(problem(groups=True))))
    said = BeautifulSoup(shown.best.compared.object, "html.parser")
    before, model = shown.session.prepared.unconstrained, shown.model
    rates = shown.session.prepared.rates(model)
    assert [each.get_text() for each in said.select("tbody th")][:2] == [HOSTILE, "b"]
    found = [row.select("td")[2].get_text(" ").split()[0] for row in said.select("tbody tr")[:2]]
    assert found == [percent(value) for value in rates["true_positive_rate"]]
    assert ("Dotted" in said.get_text()) is (before is not None)
    assert not said.select("img")
    assert shown.part("groups").visible


def test_a_search_that_compares_no_groups_has_no_view_of_them(show) -> None:
    shown = finish(show(rl.RuleListSearch(problem(groups=True), regularization=0.01)))
    assert shown.part("groups") is None
    for make in (rl.RuleSetSearch, rl.RuleListSearch):
        assert without_fairness(make(problem()), lambda doing: None) is None
