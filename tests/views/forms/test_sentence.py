"""The question as a sentence: it says what is asked, and each of its parts has a field behind it."""

from typing import Any

import panel as pn
import pytest
from live import bring_file

from rulelab.families import EVERY_FAMILY, OF_SEVERAL
from rulelab.views.forms.address import Address
from rulelab.views.pages.tabs import SearchTab
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.field_cards import FieldCards


def said(setup: Setup) -> str:
    return "".join(text for text, _ in setup.sentence.parts)


def fields(setup: Setup) -> set[str]:
    """The labels of what can be set."""
    form = pn.panel(setup)
    widgets = {str(each.label) for each in form.select(pn.widgets.Widget) if each.label}
    return widgets | {each.label for cards in form.select(FieldCards) for card in cards.content for each in card.fields}


COMPAS = "On compas (7\u202f214 rows) predict two_year_recid = 1 by the "
SENTENCES: list[tuple[dict[str, Any], str]] = [
    ({}, "rule list with the fewest errors, treating race as it comes, a rule costing 0.01."),
    (
        {"fairness": "equalized_odds", "sensitive": "sex", "max_length": 3, "must_use": ["age"]},
        "rule list with the fewest errors, equalized odds within 0.05 and 0.05 between groups of sex, a rule costing "
        "0.01, at most 3 rules, using age.",
    ),
    (
        {"policy": "curiosity", "negations": False, "time_limit": 5},
        "rule list with the fewest errors, treating race as it comes, a rule costing 0.01, order of the queue "
        "curiosity, negate categories no, for 5 s at most.",
    ),
    (
        {"policy": "curiosity", "monotone": {"age": "decreasing"}},  # the search of demands has no order to choose
        "rule list with the fewest errors, treating race as it comes, a rule costing 0.01, monotone in age: "
        "decreasing.",
    ),
    (
        {"family": "rule_set", "loss": "zero_one", "max_complexity": 8},
        "rule set with the least 0-1 loss, treating race as it comes, at most 8 rules and conditions.",
    ),
    (
        {"family": "least_gap", "criterion": "demographic_parity"},
        "rule list of least gap in demographic parity between groups of race, accuracy at least 0.59, at most 3 rules, "
        "a rule costing 0.01.",
    ),
    (
        {"family": "least_gap", "min_accuracy": 0.6},
        "rule list of least gap in equal opportunity between groups of race, accuracy at least 0.6, at most 3 rules, "
        "a rule costing 0.01.",
    ),
    (
        {"family": "falling_rule_list", "positive_weight": 7},
        "falling rule list with the fewest errors, treating race as it comes, a rule costing 0.01, a missed positive "
        "counting as 7 false alarms.",
    ),
]


@pytest.mark.parametrize(("chosen", "expected"), SENTENCES)
def test_it_says_what_is_asked_and_what_is_not_as_ever(chosen: dict[str, Any], expected: str) -> None:
    setup = Setup()
    setup.choose(data="compas", **chosen)
    assert said(setup) == COMPAS + expected
    assert {label for _, label in setup.sentence.parts if label} <= fields(setup)


@pytest.mark.parametrize("data", ["compas", "diabetes"])
def test_the_accuracy_that_is_not_set_is_the_one_that_is_demanded(data: str) -> None:
    setup = Setup()
    setup.choose(family="least_gap", data=data)
    search = setup.recipe()(lambda doing: None).search
    assert f"accuracy at least {search.min_accuracy:g}," in said(setup)
    setup.choose(test_share=0.3)
    assert "accuracy at least a tenth above one answer for all," in said(setup), "the form does not know which rows"


@pytest.mark.parametrize("family", [name for name in EVERY_FAMILY if name not in OF_SEVERAL])
def test_every_part_of_every_family_has_a_field(family: str) -> None:
    setup = Setup(family=family)
    setup.choose(data="adult")
    labels = {label for _, label in setup.sentence.parts if label}
    assert {"Data set", "Model family"} < labels <= fields(setup)


def test_bounds_that_are_left_out_and_a_test_share_are_named_and_what_does_not_count_is_not() -> None:
    setup = Setup()
    setup.choose(data="diabetes", test_share=0.25)
    setup.settings.bounds = [name for name in setup.settings.bounds if name not in ("lookahead", "accurate_support")]
    assert "(442 rows, 25 % kept to test)" in said(setup)
    assert "without the bound accurate support, lookahead" in said(setup)
    setup.choose(labels="majority")
    assert "Labels of a fair list" not in {label for _, label in setup.sentence.parts}
    setup.choose(fairness="equal_opportunity")
    assert "Labels of a fair list" in {label for _, label in setup.sentence.parts}


def test_the_settings_open_where_something_is_wrong() -> None:
    tab = SearchTab(Address())
    assert not tab.setup.sentence.open
    bring_file(tab.setup.table, b"", "empty.csv")
    assert tab.setup.table.complaint
    assert tab.setup.sentence.open
