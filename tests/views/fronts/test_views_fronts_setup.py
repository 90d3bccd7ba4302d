"""What is swept on the page: one setting of the question of the tab Search, whatever its data and demands are."""

from dataclasses import replace
from functools import partial

import pytest
from live import html, made, use_file, use_roles
from patience import PATIENCE, wait_until
from test_sweep import DATA
from test_sweep_counted import FRAME
from test_sweep_demands import GRID, cut_of
from test_views_fronts import SMALL, asked, done, question, shown

import rulelab as rl
from rulelab.views.cards import card as cards
from rulelab.views.cards import scores
from rulelab.views.forms import tables as served_tables
from rulelab.views.forms.address import Address
from rulelab.views.fronts.points import Started, card_of, points, unmet
from rulelab.views.fronts.run import Run
from rulelab.views.fronts.tab import FrontsView, Order, numbers, sweepable
from rulelab.views.live import recipe
from rulelab.views.pages.tabs import Tabs
from rulelab.views.search.setup import Setup


def test_lists_of_numbers_are_read_and_others_are_refused_with_the_field_s_name() -> None:
    for text, whole, expected in (("0.05, 0.02;0.05", False, [0.05, 0.02]), (" 3,5 ,", True, [3, 5])):
        assert numbers(text, "field", whole) == expected
    for text in ("", "a", "nan", "0.1, inf", "-inf", "1e400"):
        with pytest.raises(ValueError, match="field"):
            numbers(text, "field")
    for text in ("0.5", ",".join(map(str, range(40)))):
        with pytest.raises(ValueError, match="field"):
            numbers(text, "field", True)


def test_one_setting_is_swept_and_the_others_are_those_of_the_question() -> None:
    given = asked(thresholds=3, must_use=["bmi"], regularization=0.3)
    order = Order.of(given, "regularization", "0.1")
    assert order.grid == {"regularization": [0.1]}
    assert order.fixed == {"thresholds": 3, "must_use": ["bmi"]}
    assert "sensitive=['sex']" in order.code
    assert Order.of(given, "max_length", "2, 3").fixed == {**order.fixed, "regularization": 0.3}
    assert "tolerance" not in sweepable(given)
    assert "max_length" in sweepable(given)
    fair = asked(data="compas", sensitive="race", fairness="predictive_parity")
    assert "max_length" not in sweepable(fair), "no such search takes it"
    assert set(Order.at_once(fair).grid) <= set(sweepable(fair))
    assert Order.of(asked(family="falling_rule_list"), "regularization", "0.02").fixed == {}, "no error weighs more"
    assert Order.of(asked(family="least_gap", criterion="demographic_parity"), "min_accuracy", "0.6").fixed == {
        "criterion": "demographic_parity"
    }


def test_tolerances_are_swept_of_the_criterion_that_is_asked_for_beside_none() -> None:
    given = asked(fairness="equalized_odds", max_conditions=1)
    assert list(sweepable(given))[:2] == ["regularization", "tolerance"]
    order = Order.of(given, "tolerance", "0.1, 0.2")
    assert order.grid == {"fairness": [None, rl.EqualizedOdds(0.1, 0.1), rl.EqualizedOdds(0.2, 0.2)]}
    assert "fairness" not in order.fixed
    assert Order.of(given, "regularization", "0.1").fixed["fairness"] == rl.EqualizedOdds(0.05, 0.05)


def test_methods_stand_beside_where_the_data_allow_them() -> None:
    def beside(**values: object) -> set[str]:
        return {*Order.of(asked(**values), "regularization", "0.1").baselines}

    usual = {"cart", "greedy_list", "random_forest", "logistic_regression"}
    assert beside() == beside(data="breast_cancer") == usual
    assert beside(data="compas") == usual | {"compas_score"}
    assert beside(fairness="equal_opportunity") == usual | {"exponentiated_gradient", "threshold_optimizer"}


def test_a_point_is_fitted_and_measured_on_the_rows_of_the_tab_search() -> None:
    """Counted here anew, from the search that the tab Search runs for the same question."""
    given = asked(thresholds=2, max_conditions=1, regularization=0.02, test_share=0.3)
    order = replace(Order.of(given, "regularization", "0.02"), baselines=("cart",))
    run = done(order)
    assert run.error is None
    sweep = run.started.sweeps[0]
    assert sweep.progress.total == order.n_fits == 1 + 6
    prepared = given(quiet)
    card = card_of(run.started, run.points["test"][0])
    assert set(card.rows.test) == set(prepared.test_rows)
    assert set(card.rows.split.rows().test) == set(prepared.test_rows)
    *_, last = prepared.search.steps()
    mine, its = scores.of_card(card, quiet), scores.of_card(cards.of_search(prepared.search, last, prepared), quiet)
    assert card.proof.objective == last.incumbent.objective
    for on, own, other in (("test", mine.test, its.test), ("train", mine.training, its.training)):
        point = run.points[on][0]
        assert own.counted == other.counted
        assert point.value("accuracy") == (other.counted.weight - other.counted.errors) / other.counted.weight
    view = shown(run)
    view.point = "0:0"
    assert "133 of 442 rows are kept out for the test" in html(view.details)
    assert "fold" not in html(view.details) + card.title + card.proof.scope
    view.close()
    assert made(card.code)["sweep"].plan.identity == sweep.plan.identity


def quiet(doing: str) -> None:
    """Nobody is told."""


@pytest.mark.long
def test_another_setting_has_its_usual_values_and_another_family_its_settings() -> None:
    setup = Setup()
    tab = FrontsView(lambda: question(setup))
    tab.values = "0.5"
    tab.swept = "thresholds"
    assert tab.order().grid == {"thresholds": [3, 5, 10]}
    setup.choose(family="rule_set")
    tab.swept = "max_complexity"
    assert tab.order().grid == {"max_complexity": [5, 10, 15, 20]}
    setup.choose(family="falling_rule_list")
    tab.swept = "positive_weight"
    assert tab.order().grid == {"positive_weight": [0.5, 1, 2, 4]}, "the points of an ROC curve"


@pytest.mark.long
def test_there_are_points_at_once_and_filling_the_front_adds_to_those_of_the_same_question() -> None:
    setup = Setup()
    setup.choose(thresholds=2, max_conditions=1)
    tab = FrontsView(lambda: question(setup))

    def methods() -> list[str]:
        wait_until(lambda: not tab.view.refresh())
        return [p.label for p in tab.view.points() if not p.baseline]

    assert "about" not in tab.told
    tab.begin()
    sizes = [f"Rule list, max length {k}" for k in (1, 2, 3, 4)]
    assert methods() == sizes
    assert ", about " in tab.told, "how long fits of this question take is known"
    assert {"cart", "greedy_list"} < {p.method for p in tab.view.points()}
    run = tab.view.run
    tab.begin()
    assert tab.view.run is run
    tab.values = "0.05, 0.02"
    tab.run()
    assert methods() == [*sizes, "Rule list, regularization 0.05", "Rule list, regularization 0.02"]
    assert tab.told.startswith("All of these are fitted"), "they are not offered once more"
    tab.values = "0.05"
    assert "more fits" in tab.told
    tab.values = "0.05, 0.02"
    setup.choose(test_share=0.2)
    fits = tab.order().n_fits
    assert f"{fits} fits" in tab.told
    tab.run()
    assert methods() == ["Rule list, regularization 0.05", "Rule list, regularization 0.02"]
    assert tab.view.run.started.sweeps[0].progress.total == fits == 2 + 6 + 4 + 1 + 1
    run = tab.view.run
    tab.values = "much"
    assert "Regularization" in tab.told
    tab.run()
    assert tab.view.run is run, "what cannot be read begins nothing"
    tab.view.close()


def test_the_tab_sweeps_the_question_of_the_search_and_says_why_it_cannot() -> None:
    page = Tabs(Address("?tab=Compare&values=0.05&data=tic_tac_toe"))
    fronts, setup = page.made("Compare").fronts, page.made("Search").setup
    assert fronts.order().grid == {"regularization": [0.05]}
    assert fronts.order().question.sensitive is None
    setup.choose(data="compas")
    assert fronts.order().question.sensitive == "race"
    rows = b"a,b,kind\n" + b"".join(b"%d,%d,%d\n" % (i % 7, i % 5, i % 3) for i in range(60))
    use_file(setup.table, rows, kind="target")
    setup.table.draft or use_roles(setup.table, positive=2)
    assert fronts.order().question.load().name == "mine"


CSV = (
    "colour,size,ok,side\n"
    + "".join(f"{'red' if i % 3 else 'blue'},{i % 7},{'yes' if i % 3 else 'no'},{i % 2}\n" for i in range(60))
).encode()


def test_an_uploaded_file_is_swept_and_its_code_does_the_same(tmp_path, monkeypatch) -> None:
    setup = Setup()
    use_file(setup.table, CSV, "my file.csv", positive="yes", ok="target", side="sensitive")
    run = done(replace(Order.of(question(setup), "regularization", "0.1"), baselines=("cart",)))
    assert run.error is None
    assert (run.started.data.name, run.started.data.positive, run.started.named) == ("my file", "yes", False)
    sweep = run.started.sweeps[0]
    assert sweep.groups == ("0", "1")
    assert {p.method for p in run.points["train"]} == {"rule_list", "cart"}
    (tmp_path / "my file.csv").write_bytes(CSV)
    monkeypatch.chdir(tmp_path)
    again = made(f"{run.started.codes[0]}\nsweep.wait()")["sweep"]
    assert again.plan.identity["data"] == sweep.plan.identity["data"]


def test_data_that_cannot_be_swept_are_explained(monkeypatch) -> None:
    contents = b"a,b,y\n" + b"".join(b"%d,%d,%d\n" % (i % 7, i % 5, i < 1) for i in range(40))
    for role, expected in (
        ("feature", "rarer class has only 1"),
        ("weight", "have weights; give that column another role"),
    ):
        setup = Setup()
        setup.choose(test_share=0.3)
        use_file(setup.table, contents, b=role)
        run = done(Order.of(question(setup), "regularization", "0.1"))
        assert expected in str(run.error)
        assert run.started.sweeps == ()
    monkeypatch.setattr(recipe, "MAX_CELLS", 1000)
    assert "more than the" in str(done(SMALL).error)


@pytest.fixture
def served(tmp_path):
    """A table of the server, of 600 rows in two files."""
    place = tmp_path / "secret place"
    place.mkdir()
    for k, part in enumerate((FRAME[:300], FRAME[300:])):
        part.to_parquet(place / f"trips_{k}.parquet")
    yield str(place / "trips_*.parquet")
    served_tables.offer([])


@pytest.mark.long
def test_a_table_of_the_server_is_swept_by_its_counts(served) -> None:
    served_tables.offer([served])
    setup = Setup()
    setup.table.data = "trips"
    for name, role in (("y", "target"), ("sex", "sensitive")):
        setup.table.draft.give(name, role)
    setup.table.accept()
    setup.choose(thresholds=4, max_conditions=1, test_share=0.25)
    assert "thresholds" not in sweepable(question(setup))
    order = Order.of(question(setup), "regularization", "0.05, 0.01")
    assert order.baselines == ("cart", "greedy_list", "logistic_regression")
    run = done(order)
    assert run.error is None
    sweep = run.started.sweeps[0]
    assert sweep.progress.total == order.n_fits
    assert (sweep.plan.counts.n_rows, sweep.groups) == (600, ("f", "m"))
    assert "secret" not in f"{run.started.data.notes}{run.started.codes}"
    again = made(run.started.codes[0].replace("trips_*.parquet", served) + "\nsweep.wait()")["sweep"]
    assert again.plan.identity["data"] == sweep.plan.identity["data"]
    assert again.plan.identity["rows"] == sweep.plan.identity["rows"]

    view = shown(run)
    view.point = "0:0"
    assert "25 % of the rows are kept out for the test, at random" in html(view.details)
    assert "folds" not in html(view.details)
    card = view.model.card
    assert card.parameters["test split"] == sweep.plan.split
    assert int(card.facts["test rows"]) + int(card.data["training rows"]) == 600
    view.close()


def test_a_table_with_a_target_needs_no_sheet_and_no_test_rows(served) -> None:
    served_tables.offer([served], target="y")
    setup = Setup()
    setup.choose(data="trips", max_conditions=1)
    run = done(replace(Order.of(question(setup), "regularization", "0.05"), baselines=()))
    assert run.error is None
    sweep = run.started.sweeps[0]
    assert not sweep.plan.tested
    assert set(sweep.points("train")["weight"]) == {600}
    again = made(run.started.codes[0].replace("trips_*.parquet", served) + "\nsweep.wait()")["sweep"]
    assert again.plan.identity["rows"] == sweep.plan.identity["rows"]


# what all models of a sweep have to obey, on the page: points, cards, code --------------------------------------------
@pytest.mark.long
def test_points_cards_and_code_say_what_was_asked() -> None:
    demands = {"must_use": ["age"], "max_uses": {"age": 1}, "must_not_use": ["bmi"]}
    question = asked(thresholds=2, max_conditions=1, test_share=0.4, **demands)
    order = replace(Order.of(question, "regularization", "0.05, 0.02"), baselines=("cart",))
    view = shown(Run(order))
    assert view.run.error is None
    found = {p.method: p for p in view.points()}
    words = "without bmi; use age and have at most 1 condition on age"
    assert (found["rule_list"].asked, found["cart"].asked) == (words, "")
    assert "asked" not in found["rule_list"].label
    view.point = found["rule_list"].key
    assert f"Asked of its rules: {words}." in html(view.details)
    assert words in "".join(view.boxes[0].plot.figure.select_one({"name": "points"}).data_source.data["label"])
    card = view.model.card
    assert (card.parameters["must use"], card.parameters["must not use"]) == ("age", "bmi")
    assert card.parameters["max uses"] == "age: 1"
    assert words in card.proof.scope
    assert "age" in card.model.to_text()
    script = made(card.code)
    assert script["result"].objective == card.proof.objective
    assert len(script["model"].rules) == len(card.model.rules)
    fits = view.run.fits()
    assert set(fits.loc[~fits["baseline"].astype(bool), "must_use"]) == {"['age']"}


def test_names_that_the_data_do_not_have_are_said_as_the_form_calls_them() -> None:
    run = done(Order(asked(), GRID, fixed={"must_use": ["bmii"]}))
    assert run.error == "“Must use”: 'bmii' begins with no column of diabetes; the nearest: 'bmi'"


def test_what_training_rows_do_not_have_is_told_of() -> None:
    name = cut_of(0)
    start = partial(rl.sweep, DATA, "rule_list", GRID, 2)
    sweep = start(fixed={"must_use": [name], "must_not_use": [cut_of(1)]})
    run = done(lambda report: Started((sweep,), DATA))
    (point,) = points([sweep], "test")
    assert point.proven
    said = f"no rule list over these training rows can use {name}: “Must use”: no antecedent uses {name!r}"
    assert unmet(sweep, point) == [f"“Must not use”: the training rows have nothing called {cut_of(1)!r}"]
    assert f"1 fit without a model, the first one of a rule list: {said}" in run.messages


def test_what_is_varied_is_named_as_it_is_typed() -> None:
    sweep = rl.sweep(DATA, "rule_list", {**GRID, "must_use": [["age"], None, ["age", "job"]]}, 2)
    assert sweep.wait(PATIENCE)
    assert [p.parameters for p in points([sweep], "test")] == ["must use age", "must use none", "must use age, job"]
