"""What leaves the page and comes back: scripts, saved cards, the report, files that are no models."""

import json
from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from live import alert, made, soup, tags
from model_cards import HOSTILE, QUICK, hostile_card, pinned, recipe

import rulelab as rl
from rulelab.falling_rule_list import BOUNDS, FallingBounds
from rulelab.views.cards import card as cards
from rulelab.views.cards import card_file as kept
from rulelab.views.cards import html as card_html
from rulelab.views.cards import scores
from rulelab.views.cards.card_file import MAX_UPLOAD_BYTES, parse
from rulelab.views.cards.differences import ELSE, joined, lines
from rulelab.views.cards.report import report
from rulelab.views.cards.view import ModelCard
from rulelab.views.compare.view import CompareView

FEW = {"bounds": rl.engines.RuleListBounds(lookahead=False, deletion=False)}
CAPPED = {"bounds": FallingBounds(**{name: name == "density_cap" for name in BOUNDS})}


def boolean_data() -> rl.datasets.Dataset:
    frame = pd.DataFrame({"a": [True, False, True, True] * 10, "b": [False, False, True, False] * 10})
    return rl.datasets.from_frame(frame.assign(y=frame["a"] & ~frame["b"]), "y", name="flags")


@pytest.mark.parametrize(
    ("recipe", "work"),
    [
        (QUICK, None),
        (replace(recipe(regularization=0.02, policy="curiosity", more=FEW), test_share=0.0), None),
        (recipe(regularization=0.005, max_conditions=2, by_class=True, max_antecedents=5, beam_width=0), 7),
        (recipe("falling_rule_list", CAPPED, positive_weight=2.0, iterations=50), None),
        (recipe("falling_rule_list", method="monte_carlo", iterations=50), None),
        (recipe("rule_set", max_complexity=4, max_conditions=2), None),
        (replace(recipe("rule_set", max_complexity=4, fairness=rl.EqualOpportunity(0.05)), sensitive="sex"), 3),
        (replace(recipe("rule_set", max_complexity=4, fairness=rl.EqualizedOdds(0.05)), sensitive="sex"), None),
        (replace(QUICK, load=partial(boolean_data), load_code="boolean_data()"), None),
    ],
)
def test_the_python_script_makes_the_model_again(recipe, work) -> None:
    card = pinned(recipe, work)
    script = made(card.code, boolean_data=boolean_data)
    assert script["model"] == card.model
    assert script["last"].lower_bound == card.proof.lower_bound


def test_a_saved_card_is_a_model_and_comes_back_with_its_texts(card, tmp_path) -> None:
    less = "rules have at most 1 condition, not 2: there are more than 1000"
    noted = replace(cards.annotated(card, "teaching\nonly", "x" * 5000), fewer=less)
    path = tmp_path / "model.json"
    path.write_text(noted.to_json())
    assert rl.load_model(path) == card.named
    again = parse(path.read_bytes(), "model.json")
    assert (again.title, again.target, again.made, again.fewer) == (card.title, card.target, card.made, less)
    assert (again.parameters, again.data) == (card.parameters, card.data)
    assert (again.proof, again.intended_use) == (card.proof, "teaching\nonly")
    assert len(again.limits) == cards.MAX_NOTE
    assert "nothing of this was checked" in card_html.head(again)
    assert 'class="state proven"' not in card_html.head(again), "a file's word is no proof"


BAD_CARDS = {
    "entry is text": "x",
    "numbers": {"title": 5, "data": [1], "parameters": {"a": 1}, "labels": [1], "proof": {"objective": 10**400}},
    "nested": {"data": {"a": {"b": 1}}, "labels": {"a": 1}, "proof": [], "limits": None},
    "many": {"data": {str(i): "x" for i in range(1000)}},
    "infinite": {"proof": {"objective": "inf", "lower_bound": True, "proven": "yes"}},
}


@pytest.mark.parametrize("entry", BAD_CARDS.values(), ids=BAD_CARDS)
def test_nonsense_in_the_card_of_a_file_is_left_out(card, entry) -> None:
    contents = json.dumps({**card.model.to_dict(), "card": entry}).encode()
    found = parse(contents, "x.json")
    assert found.model == card.model
    assert found.proof is None
    assert len(found.data) <= 60
    assert all(isinstance(value, str) for value in (*found.data.values(), found.title, found.limits))
    assert "<table" in card_html.rules(found).html


def test_a_file_that_is_no_model_is_explained() -> None:
    view = CompareView()
    for contents, expected in (
        (b"", "JSON"),
        (b"{}", "format"),
        (b'{"format": "rulelab model", "schema_version": 1, "family": "<b>"}', "family"),
        (b"\xff\xfe", "x.json"),
        (b"[" * 100_000, "nested"),
        (b" " * (MAX_UPLOAD_BYTES + 1), "bytes"),
    ):
        view.take(contents, "x.json")
        assert expected in alert(view).phase
        assert view.cards == ()


ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "style", "scope", "colspan", "rowspan", "open"),
    *("type", "hidden"),
    *("role", "title", "aria-label", "aria-hidden", "viewbox", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r"),
}


def test_the_report_asks_for_nothing_and_runs_the_check_of_its_proofs_alone(card, other) -> None:
    both = [hostile_card(), card, other]
    found = [scores.of_card(c, lambda doing: None) for c in both]
    table = card_html.comparison({HOSTILE: (found[0].training, None, HOSTILE)}, HOSTILE)
    html = report(both, found, [HOSTILE, "", ""], [table])
    page, text = tags(html), soup(html).get_text()
    assert not {"img", "link", "iframe", "object", "base", "form", "b0"} & set(page)
    assert [each.get("type") for each in soup(html).find_all("script")] == ["application/json"] * 3 + [None]
    assert {name for each in soup(html).find_all(True) for name in each.attrs} <= ATTRIBUTES
    for address in ("http:", "https:", "//", "url(", "@import", "src="):
        assert address not in html.replace("onerror", "").replace("&lt;img src=x", ""), address
    assert html.count(":host") == 0
    assert text.count(HOSTILE) >= 6
    assert "alert(3)" in text
    assert "Robustness: " not in html
    assert "prefers-color-scheme: dark" in html
    assert "default-src 'none'" in html
    assert rl.__version__ in text
    assert "What these figures mean" in text
    noted = cards.annotated(card, "teaching", f"{'race is left out; ' * 100}really", "mine")
    withstood = f"it stays optimal if any 5 of 300 labels are wrong {HOSTILE}"
    html = report([noted, other], [scores.of_counts(each) for each in (noted, other)], withstood=[withstood, ""])
    text = soup(html).get_text()
    asked = "On diabetes predict high_progression = 1 by the rule list with the fewest errors, a rule costing 0.02"
    for part in (asked, "133 kept to test", card.model.provenance.data, "END AS probability", "page keeps no runs"):
        assert part in text
    assert all(text.count(part) == 2 for part in ("Greedy rule list", "one answer for everybody", "CART"))
    assert "really" in text, "notes are whole"
    assert "A mine" in text
    assert html.count("Robustness: it stays optimal if any 5 of 300 labels are wrong") == 1
    assert HOSTILE not in html


FAMILIES = {
    "rule list": QUICK,
    "falling rule list": recipe("falling_rule_list", iterations=50),
    "rule set": recipe("rule_set", max_complexity=4),
}


@pytest.mark.parametrize("recipe", FAMILIES.values(), ids=FAMILIES)
def test_class_names_leave_by_every_door_and_come_back(recipe, tmp_path) -> None:
    data = replace(rl.datasets.load("diabetes"), positive="yes", negative="no")
    card = pinned(replace(recipe, load=lambda: data))
    shown, path = ModelCard(card), tmp_path / "model.json"
    path.write_text(shown.exports.text("Model (JSON)").getvalue())
    model, named = rl.load_model(path), card.named
    assert (model, model.classes) == (named, ("no", "yes"))
    predicted = card.model.predict(data.X) == 1
    assert ((model.predict(data.X) == "yes") == predicted).all()
    for text in (shown.exports.text("Rules (text)").getvalue(), report([card], [shown.scores])):
        assert "yes" in text
        assert "no" in text
    assert shown.exports.text("Rules (text)").getvalue() == f"{named.to_text('high_progression')}\n"
    assert made(cards.of_model(card.model, data).code)["model"] == named
    view = CompareView()
    view.take(path.read_bytes(), "model.json")
    (back,), complaints = kept.read(kept.written([card]), lambda doing: None)
    assert complaints == []
    for again in (view.cards[0].card, back):
        assert again.model == named
        assert json.loads(again.to_json()) == json.loads(card.to_json())
    old = {**card.model.to_dict(), "card": {**json.loads(card.to_json())["card"], "labels": ["no", "yes"]}}
    before = parse(json.dumps(old).encode(), "old.json")
    assert (before.model, before.named) == (card.model, named)
    shown.close()
    view.close()


def test_a_label_that_json_cannot_hold_is_written_as_text(card) -> None:
    odd = replace(card, labels=(np.int64(3), (1, 2)))
    assert parse(odd.to_json().encode(), "x.json").model.classes == (3, "(1, 2)")


# rules of cards are compared by what they ask, not by their words -----------------------------------------------------
TABLE = pd.DataFrame(
    {
        "n": [0, 1, 2, 3, 4, 5, None, 2.5],
        "c": ["a", "b", "c", None, "a", "3", "b", "c"],
        "f": pd.array([True, False, True, False, None, True, False, None], dtype="boolean"),
    }
)
CONDITIONS = st.one_of(
    st.builds(rl.Condition, st.just("n"), st.sampled_from(["<=", ">"]), st.sampled_from([1, 1.0, 2, 2.5, 3, 3.0])),
    st.builds(rl.Condition, st.just("n"), st.sampled_from(["==", "!="]), st.sampled_from([2, 2.0, 2.5, "2", "2.5"])),
    st.builds(rl.Condition, st.just("c"), st.sampled_from(["==", "!="]), st.sampled_from(["a", "b", "c", "3"])),
    st.builds(rl.Condition, st.just("f"), st.sampled_from(["==", "!="]), st.booleans()),
    st.builds(rl.Condition, st.sampled_from("ncf"), st.sampled_from(["is missing", "is present"])),
)
RULES = st.lists(CONDITIONS, min_size=1, max_size=4)


def holds(rule: list[rl.Condition]) -> np.ndarray:
    return np.logical_and.reduce([condition.evaluate(TABLE[condition.column]) for condition in rule])


@example([rl.Condition("c", "==", "a"), rl.Condition("c", "==", "b"), rl.Condition("c", "!=", "a")], Random(0))
@given(RULES, st.randoms(use_true_random=False))
def test_order_names_and_repetition_say_nothing(rule, random) -> None:
    other = [*rule, random.choice(rule)]
    random.shuffle(other)
    assert joined(rule, "one name") == joined(tuple(other), "another name")


@given(st.data())
def test_rules_that_are_the_same_hold_on_the_same_rows(data) -> None:
    rule = data.draw(RULES)
    other = data.draw(st.one_of(RULES, st.permutations(rule), st.just([*rule, data.draw(CONDITIONS)])))
    if joined(rule, "") == joined(other, ""):
        assert (holds(rule) == holds(other)).all()


SAME = [
    ([("n", "<=", 3)], [("n", "<=", 3.0)]),
    ([("n", "<=", 0.1 + 0.2)], [("n", "<=", 0.3)]),
    ([("n", ">", 1), ("n", ">", 2)], [("n", ">", 2)]),
    ([("n", ">", 1), ("n", "<=", 3), ("n", "<=", 5)], [("n", "<=", 3), ("n", ">", 1)]),
    ([("n", "==", 3)], [("n", "==", "3")]),
    ([("f", "!=", True)], [("f", "==", False)]),
    ([("c", "is present", None), ("c", "!=", "a")], [("c", "!=", "a")]),
    ([("c", "==", "b"), ("c", "!=", "a")], [("c", "==", "b")]),
]

OTHER = [
    ([("n", "<=", 3)], [("n", ">", 3)]),
    ([("n", "<=", 3)], [("n", "<=", 3.1)]),
    ([("f", "==", True)], [("f", "==", False)]),
    ([("c", "==", "a")], [("c", "!=", "a")]),
    ([("c", "==", "a")], [("n", "==", "a")]),
    ([("c", "is present", None)], [("c", "is missing", None)]),
]


def test_the_same_in_other_texts_is_one_rule_and_another_condition_another() -> None:
    for rule, other in SAME:
        assert joined([rl.Condition(*c) for c in rule], "") == joined([rl.Condition(*c) for c in other], "")
    for rule, other in OTHER:
        assert joined([rl.Condition(*c) for c in rule], "x") != joined([rl.Condition(*c) for c in other], "x")


def test_a_rule_is_found_again_in_other_families() -> None:
    frame = pd.DataFrame({"a": [1, 1, 0, 0, 1, 0], "b": [1, 0, 1, 0, 0, 1]}).astype(bool)
    problem = rl.Problem.from_arrays(frame, [1, 1, 1, 0, 1, 0])
    first = [line.meaning for line in lines(rl.RuleList.from_problem(problem, [0, 1]))]
    falling = [line.meaning for line in lines(rl.FallingRuleList.from_problem(problem, [0, 1]))]
    single = [line.meaning for line in lines(rl.RuleSet.from_problem(problem, [[0], [1]]))]
    assert first == falling == [*single, ELSE]
    both = lines(rl.RuleSet.from_problem(problem, [[0, 1]]))[0]
    either = lines(rl.RuleSet.from_problem(problem, [[0, 1]], "cnf"))[0]
    assert both.meaning == joined([rl.Condition("a", "==", True), rl.Condition("b", "==", True)], "")
    assert either.meaning != both.meaning
    unnamed = rl.RuleList.from_problem(
        rl.Problem.from_arrays(frame.to_numpy(), [1, 1, 1, 0, 1, 0], names=["a", "b"]), [0]
    )
    assert lines(unnamed)[0] == lines(rl.RuleList.from_problem(problem, [0]))[0]
