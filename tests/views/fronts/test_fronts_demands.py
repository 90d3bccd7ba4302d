"""What all models of a sweep have to obey, on the page: points, cards, code."""

from dataclasses import replace
from functools import partial

import pytest
from doors import html, made
from patience import PATIENCE
from test_sweep import DATA
from test_sweep_demands import GRID, cut_of
from test_views_fronts import asked, done, shown

import rulelab as rl
from rulelab.views.fronts.order import Order
from rulelab.views.fronts.points import points, unmet
from rulelab.views.fronts.run import Run, Started


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
