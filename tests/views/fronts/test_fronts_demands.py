"""What all models of a sweep have to obey, on the page: fields, refusals at them, points, cards, code, the address."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from live import HOSTILE
from patience import PATIENCE, wait_until
from test_sweep import DATA
from test_sweep_demands import GRID, cut_of

import rulelab as rl
from rulelab.sweeps import SweepError
from rulelab.views.forms.address import Address
from rulelab.views.fronts import card as front_cards
from rulelab.views.fronts.asked import ASKED
from rulelab.views.fronts.model import ALL_ROWS
from rulelab.views.fronts.order import Order
from rulelab.views.fronts.points import points, unmet
from rulelab.views.fronts.run import Run, Started
from rulelab.views.fronts.setup import SweepSetup
from rulelab.views.fronts.tab import FrontsView

SMALL = {
    "list_grid": "0.05, 0.02",
    "set_grid": "4",
    "sweep_folds": 2,
    "sweep_quantiles": 2,
    "sweep_baselines": ["cart"],
    "set_conditions": 2,
}


def ended(tab: FrontsView) -> None:
    wait_until(lambda: not tab.view.run.busy)
    tab.view.refresh()


def test_what_is_typed_is_asked_of_every_family_that_can_have_it() -> None:
    setup = SweepSetup(sweep_families=["rule_list", "rule_set"], **SMALL)
    setup.param.update(sweep_must_use='bmi, "a, b"', sweep_max_uses="age: 1", sweep_monotone="bmi: increasing")
    asked = setup.order().asked
    assert asked == {"must_use": ["bmi", "a, b"], "max_uses": {"age": 1}, "monotone": {"bmi": "increasing"}}
    assert SweepSetup(**SMALL).order().asked == {}


@pytest.mark.parametrize(
    ("families", "texts", "said"),
    [
        (["rule_list"], {"sweep_must_use": f'age, "{HOSTILE}'}, 'Must use: “"<'),
        (
            ["rule_list"],
            {"sweep_max_uses": "age"},
            "Conditions on a column, at most: “age” is not a column and a number",
        ),
        (
            ["rule_list", "falling_rule_list"],
            {"sweep_must_use": "age"},
            "Must use: that cannot be asked of a falling rule",
        ),
        (
            ["least_gap"],
            {"sweep_max_uses": "age: 1"},
            "at most: that cannot be asked of a rule list of least gap; leave",
        ),
        (["rule_set"], {"sweep_first_rule": "age > 3"}, "take “Rule set” out of the families"),
        (
            ["rule_list", "rule_set"],
            {"sweep_must_use": "age", "set_fairness": "predictive_parity"},
            "Must use: that and predictive parity cannot be asked of a rule list together; leave this field empty",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_words_of_the_form(
    families: list[str], texts: dict[str, str], said: str
) -> None:
    tab = FrontsView()
    tab.setup.param.update(sweep_families=families, **SMALL, **texts)
    tab.run()
    assert tab.view.run is None
    with pytest.raises(ValueError, match=said[:20]) as error:
        tab.setup.order()
    assert said in str(error.value)


def test_lists_and_sets_may_be_fair_and_asked_and_every_family_may_leave_columns_out() -> None:
    setup = SweepSetup(sweep_families=["rule_set"], set_fairness="equal_opportunity", sweep_must_use="age", **SMALL)
    assert setup.order().asked == {"must_use": ["age"]}
    setup = SweepSetup(sweep_families=["rule_list"], set_fairness="equal_opportunity", sweep_must_use="age", **SMALL)
    assert setup.order().asked == {"must_use": ["age"]}
    setup = SweepSetup(set_fairness="equal_opportunity", sweep_must_not_use="age", **SMALL)
    setup.sweep_families = setup.param.sweep_families.objects
    assert setup.order().asked == {"must_not_use": ["age"]}


def test_points_cards_and_code_say_what_was_asked() -> None:
    tab = FrontsView()
    tab.setup.param.update(
        sweep_families=["rule_list", "rule_set"], sweep_must_use="age", sweep_max_uses="age: 1", **SMALL
    )
    tab.setup.sweep_must_not_use = "bmi"
    tab.run()
    ended(tab)
    assert tab.view.run.error is None
    found = {p.method: p for p in tab.view.points()}
    words = "without bmi; use age and have at most 1 condition on age"
    assert (found["rule_list"].asked, found["rule_set"].asked, found["cart"].asked) == (words, words, "")
    assert "asked" not in found["rule_list"].label
    tab.view.point = found["rule_list"].key
    assert f"Asked of its rules: {words}." in tab.view._summary.object
    assert words in "".join(tab.view._plots[0]._points.data["label"])
    card = tab.view._model.card
    assert card.parameters["must use"] == "age"
    assert card.parameters["must not use"] == "bmi"
    assert card.parameters["max uses"] == "age: 1"
    assert words in card.proof.scope
    assert "age" in card.model.to_text()
    script: dict = {}
    exec(card.code, script)
    assert script["result"].objective == card.proof.objective
    assert len(script["model"].rules) == len(card.model.rules)
    tab.view._model.fold = ALL_ROWS
    wait_until(lambda: not tab.view._model.refresh())
    whole = tab.view._model.card
    assert "among the lists that use age" in whole.proof.scope
    assert "bmi" not in whole.model.to_text()
    fits = tab.view.run.fits()
    assert set(fits.loc[~fits["baseline"].astype(bool), "must_use"]) == {"['age']"}


def test_names_that_the_data_do_not_have_are_said_as_the_form_calls_them() -> None:
    run = Run(Order("diabetes", {"rule_list": GRID}, folds=2, asked={"must_use": ["bmii"]}))
    run.join(PATIENCE)
    assert run.error == "“Must use”: 'bmii' begins with no column of diabetes; the nearest: 'bmi'"


def test_a_fold_without_a_model_is_told_of() -> None:
    name = cut_of(0)
    start = partial(rl.sweep, DATA, "rule_list", GRID, 2)
    sweep = start(fixed={"must_use": [name], "must_not_use": [cut_of(1)]})
    run = Run(lambda report: Started((sweep,), DATA))
    run.join(PATIENCE)
    (point,) = points([sweep], "test")
    assert (point.folds, point.proven) == (1, 1)
    said = f"no rule list over these training rows can use {name}: “Must use”: no antecedent uses {name!r}"
    first, second = unmet(sweep, point)
    assert first.startswith(f"1 fold without a model: {said}")
    assert second == f"“Must not use”: the training rows have nothing called {cut_of(1)!r}"
    assert f"1 fit without a model, the first one of a rule list: {said}" in run.messages
    never = start(fixed={"must_use": ["age <= 1"]})
    assert never.wait(PATIENCE)
    with pytest.raises(ValueError, match="must_use: no antecedent uses 'age <= 1'"):
        front_cards.refitted(never, 0, DATA, lambda doing: None)


def test_what_is_varied_is_named_as_it_is_typed() -> None:
    sweep = rl.sweep(DATA, "rule_list", {**GRID, "must_use": [["age"], None, ["age", "job"]]}, 2)
    assert sweep.wait(PATIENCE)
    assert [p.parameters for p in points([sweep], "test")] == ["must use age", "must use none", "must use age, job"]


def test_the_address_keeps_the_texts() -> None:
    shown: list[str] = []
    address = Address("?sweep_must_use=age&sweep_max_uses=age%3A+1", lambda query, step: shown.append(query))
    tab = FrontsView(address)
    assert not tab.complaints
    assert (tab.setup.sweep_must_use, tab.setup.sweep_max_uses) == ("age", "age: 1")
    tab.setup.sweep_first_rule = "age > 40"
    assert "sweep_first_rule=age+%3E+40" in shown[-1]


def test_every_demand_of_a_family_has_a_field() -> None:
    from rulelab.families import NAMING, OFFERED

    known = {each.name for family in OFFERED.values() for each in family.parameters if each.kind in NAMING}
    assert {each.name for each in ASKED.values()} == known


def test_an_order_without_demands_says_nothing_of_them() -> None:
    order = Order("diabetes", {"rule_list": GRID}, folds=2)
    assert "fixed" not in order.code("rule_list")
    assert "fixed={'must_use': ['age']}" in replace(order, asked={"must_use": ["age"]}).code("rule_list")
    with pytest.raises(SweepError, match="choose at least one family"):
        Order("diabetes", {})(lambda doing: None)
