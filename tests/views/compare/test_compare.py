"""Cards side by side without a browser: what differs, other methods beside them, the view."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import alert, send, status
from model_cards import HOSTILE, QUICK, finish
from patience import PATIENCE, wait_until
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

import rulelab as rl
from rulelab.shown import percent as shown_percent
from rulelab.views.cards import html as card_html
from rulelab.views.cards import scores
from rulelab.views.cards.card import Card, Rows
from rulelab.views.cards.differences import LETTERS, default_names, incomparable, lines
from rulelab.views.cards.scores import Value, change, figures
from rulelab.views.cards.view import ModelCard
from rulelab.views.compare import table as models
from rulelab.views.compare.table import row
from rulelab.views.compare.view import CompareView
from rulelab.views.forms.address import Address
from rulelab.views.fronts.view import FrontView
from rulelab.views.live.prepared import Prepared
from rulelab.views.pages.tabs import CompareTab


def pinned(view: CompareView, *cards: Card) -> tuple[ModelCard, ...]:
    """Cards side by side, with all that is known of them."""
    for card in cards:
        view.pin(card)
    for shown in view.cards:
        finish(shown)
    finish(view)
    return view.cards


def places(*cards: Card, only: bool = False) -> list[card_html.Place]:
    """Of cards side by side."""
    return card_html.places(cards, [scores.of_counts(card) for card in cards], only=only)


def test_what_differs_is_marked_and_what_does_not_is_not(card, other) -> None:
    first, second = places(card, other)
    asked = [[line.meaning for line in lines(c.model)] for c in (card, other)]
    for marked, own, others, name in ((first, *asked, "B"), (second, *asked[::-1], "A")):
        found = [remark.startswith(f"not in {name}") for remark in marked.remarks]
        assert found == [meaning not in others for meaning in own]
        assert marked.differing == {"regularization"}
    assert any(first.remarks)
    assert any(not mark for mark in first.remarks + second.remarks)
    html = card_html.rules(card, first).html + card_html.facts(card, first).html
    assert html.count("not in B") == sum(map(bool, first.remarks))
    assert html.count(">differs<") == 1
    for marked in [*places(card, card), *places(card)]:
        assert not any(marked.remarks)
        assert not marked.differing
    empty = replace(card, model=rl.RuleList.without_rules([0, 1], 1, 2))
    assert places(other, empty, empty)[0].remarks[0] == "not in B or C"
    assert places(other, empty, empty, empty)[0].remarks[0] == "only here"
    turned = [
        replace(card, model=rl.RuleList.from_problem(card.search.problem, rules)) for rules in ([0, 5, 9], [9, 5, 0])
    ]
    assert [place.remarks[0] for place in places(*turned)] == [f"in another order in {letter}" for letter in "BA"]
    assert places(*[turned[0]] * 2)[0].remarks == ("",) * 4


def test_what_another_family_does_not_have_is_no_difference(card, other) -> None:
    falling = rl.FallingRuleList.from_problem(card.search.problem, card.model.antecedents, positive_weight=3.0)
    same = {"regularization": "0.02", "positive weight": "3"}
    alone = replace(card, parameters={"regularization": "0.02", "policy": "curiosity"})
    across = replace(card, model=falling, parameters=same)
    first, second = places(alone, across)
    assert not first.differing | second.differing
    assert [remark for remark in first.remarks if "not in" in remark] == []
    of_rows = replace(card, model=rl.models.RuleSet.without_rules([0, 1], 1, 2), parameters={"regularization": "3"})
    assert places(alone, of_rows)[0].differing == frozenset(), "a cost in rows is no share of them"
    unset = replace(alone, parameters={**alone.parameters, "max length": "3"})
    assert all("max length" in marked.differing for marked in places(alone, unset))
    assert places(alone, unset, only=True)[0].facts == ("max length",)


def test_names_tell_cards_apart(card, other) -> None:
    assert default_names([card, other]) == ["rule list 0.02", "rule list 0.01"]
    assert default_names([replace(card, parameters={})]) == ["rule list"]
    fewer = replace(card, data={**card.data, "test rows": "99"})
    assert default_names([card, fewer]) == [f"rule list 0.02, test rows {n}" for n in (card.data["test rows"], 99)]
    elsewhere = replace(fewer, data={**fewer.data, "data set": "compas", "training rows": "1"})
    assert default_names([card, elsewhere, other]) == [
        "rule list 0.02, diabetes",
        "rule list 0.02, compas",
        "rule list 0.01",
    ]
    both = (
        replace(fewer, data={**card.data, "training rows": "1"}),
        replace(elsewhere, data=fewer.data | {"training rows": "1"}),
    )
    assert default_names([card, fewer, *both])[3] == "rule list 0.02, test rows 99, training rows 1"
    longer = replace(card, parameters={**card.parameters, "max length": "3"})
    assert default_names([card, longer]) == ["rule list 0.02", "rule list 0.02, rules, at most 3"]
    assert default_names([card, card, other, card])[::3] == ["rule list 0.02", "rule list 0.02 (3)"]
    for several in ([card, other, fewer] * 3, [card] * 9, [fewer, card, fewer]):
        assert len(set(default_names(several))) == len(several)


def test_objectives_that_cannot_be_compared_have_a_sentence_and_no_difference(card, other) -> None:
    assert incomparable([card, card]) == ""
    assert "different costs" in incomparable([card, other])
    falling = replace(card, model=rl.FallingRuleList.from_problem(card.search.problem, [0]))
    assert "different families" in incomparable([card, falling])
    elsewhere = replace(card, model=rl.RuleList.without_rules([0, 1], 1, 2))
    assert "different rows" in incomparable([card, elsewhere])
    found = {f.name: f.compared for f in figures(card, scores.of_counts(card), other)}
    assert not found["objective"]
    assert found["accuracy"]
    assert not any(f.compared for f in figures(card, scores.of_counts(card), elsewhere)[:7])


def test_a_difference_has_the_digits_of_both() -> None:
    for value, other, said in (
        (Value(0.0, "0"), Value(0.092, "0.0920"), "−0.0920"),
        (Value(0.092, "0.0920"), Value(0.0, "0"), "+0.0920"),
        (Value(2.0, "2"), Value(1.0, "1"), "+1"),
        (Value(0.5, "50.0"), Value(0.25, "25.0"), "+25.0"),
        (Value(0.5, "50.0"), Value(0.5, "50.0"), "="),
        (Value(0.5, "50.0"), Value(), ""),
        (Value(0.66350, "66.4"), Value(0.67449, "67.4"), "−1.0"),  # -1.099: what is shown adds up
        (Value(1200.5, "1\u202f200.5"), Value(7.0, "7"), "+1193.5"),
    ):
        assert change(value, other) == said


def test_baselines_are_scikit_learns_on_the_same_split(card) -> None:
    found = models.fitted(card.rows, lambda doing: None, models.METHODS)
    assert list(found) == ["CART", "Random forest", "Logistic regression"]
    data, test = card.rows.data, card.rows.test
    train = card.rows.training
    binarizer = rl.Binarizer(thresholds=5)
    fitted = LogisticRegression(max_iter=1000).fit(binarizer.fit_transform(data.X.iloc[train]), data.y.iloc[train])
    predicted = fitted.predict(binarizer.transform(data.X.iloc[test]))
    assert found["Logistic regression"][1].counted.errors == int((predicted != data.y.iloc[test]).sum())
    assert "rules" in found["CART"][2]
    data = rl.datasets.load("diabetes")
    score = np.where(data.X["bmi"] > 28, "High", "Low")
    scored = Rows(replace(data, extra=pd.DataFrame({"score_text": score})))
    found = models.fitted(scored, lambda doing: None, models.METHODS)
    right = int(((score == "High") == (data.y == 1)).sum())
    counted = found["COMPAS score"][0].counted
    assert (counted.weight - counted.errors, counted.weight) == (right, len(data.y)), "a score in the data is one, too"
    assert {test for _, test, _ in found.values()} == {None}, "without a split there is no test"


@pytest.fixture
def view() -> Iterator[CompareView]:
    view = CompareView()
    yield view
    view.close()


def test_as_many_cards_as_there_are_letters(view, card, other, monkeypatch) -> None:
    assert len(set(LETTERS)) == len(LETTERS) == 100
    assert (LETTERS[:2], LETTERS[25:28]) == (("A", "B"), ("Z", "AA", "AB"))
    monkeypatch.setattr("rulelab.views.compare.view.LETTERS", LETTERS[:6])
    assert [view.pin(c) for c in [card, other] * 3] == list(LETTERS[:6])
    with pytest.raises(ValueError, match="remove one"):
        view.pin(card)
    view.remove(view.cards[0])
    assert [shown.letter for shown in view.cards] == list(LETTERS[:5])
    assert view.cards[0].card.model == other.model
    assert len(pn.panel(view).select(lambda part: "rl-model" in part.css_classes)) == 5
    assert view.pin(card) == LETTERS[5]


def test_cards_are_renamed_and_compared_with_a_chosen_one(view, card, other) -> None:
    for one in (card, other, card):
        view.pin(one)
    first, second, third = view.cards
    assert view.base is first
    assert "against A" not in first.parts["figures"].object
    assert "against A" in second.parts["figures"].object
    third.called = f" my\n{HOSTILE} "
    assert third.title == third.card.name == f"my {HOSTILE}"
    assert "&lt;img" in third.parts["head"].object
    third.called = ""
    assert third.title == "rule list 0.02 (2)"
    view.remove(first)
    assert view.base is second
    view.against = "none"
    assert "against" not in third.parts["figures"].object
    view.remove(third)


@pytest.mark.long
def test_the_address_says_what_is_compared_and_the_cards_that_come_back_are_compared_so(card, other) -> None:
    def opened(query: str) -> tuple[CompareView, list[str]]:
        queries = [query]
        tab = CompareTab(Address(query, lambda query, step: queries.append(query)))
        assert tab.complaints == []
        return tab.view, queries

    view, queries = opened("")
    for one in (card, other, card):
        view.pin(one)
    assert queries[-1] == ""
    view.against, view.only = "B", True
    assert parse_qs(queries[-1][1:]) == {"against": ["B"], "only": ["true"]}
    view.kept.found = ""
    for query, place in ((queries[-1], 1), ("?against=F", 0)):
        again, then = opened(query)
        again.kept.found = view.kept.kept
        finish(again)
        assert again.base is again.cards[place]
        assert again.only == ("only" in query)
        assert bool(pn.panel(again).select(pn.widgets.CheckBoxGroup)[0].value) is again.only
        assert parse_qs(then[-1][1:]) == ({} if query == "?against=F" else parse_qs(query[1:]))
        assert alert(again).phase.startswith("there is no card F") == (query == "?against=F")
        again.close()
    view.close()
    assert "against = ZZ" in CompareTab(Address("?against=ZZ")).complaints[0]


def test_lines_that_are_equal_are_pale_or_left_out(view, card, other) -> None:
    first, second = pinned(view, card, other)
    assert "against" not in first.parts["groups"].object
    spreads = [
        [100 * (t["accuracy"].max() - t["accuracy"].min()) for t in s.scores.groups.values()] for s in view.cards
    ]
    difference = f"{spreads[1][0] - spreads[0][0]:+.1f}".replace("-", "−")
    assert difference in second.parts["groups"].object or 'class="same"' in second.parts["groups"].object
    assert second.parts["groups"].object.count('class="base"') == first.parts["groups"].object.count('class="at"')
    for text in (first.parts["figures"].object, second.parts["figures"].object):
        assert re.search(r"\d–\d", text), "intervals"
    pale = first.parts["facts"].object.count('line wide quiet"')
    assert pale > 5
    view.only = True
    assert "quiet" not in first.parts["facts"].object + first.parts["figures"].object
    assert first.parts["figures"].object.count('role="row"') == second.parts["figures"].object.count('role="row"')
    same, _ = card_html.places([card, card], [first.scores] * 2, only=True)
    assert len(same.alike) == len(figures(card, first.scores))
    assert "accuracy" not in card_html.figures_of(card, first.scores, same).html
    assert f"{len(card.model.rules)} rules that all cards have" in card_html.rules(card, same).html


def test_the_table_has_a_row_of_each_card_and_asks_for_what_is_pressed_in_it(view, card, other) -> None:
    pinned(view, card, other)
    first, _ = view.table.more
    left = view.cards[1]
    score = view.cards[0].scores.test
    assert (first["letter"], first["title"]) == ("A", view.cards[0].title)
    assert first["figures"][0].startswith(shown_percent(score.rate("accuracy")))
    assert first["sort"][0] == score.rate("accuracy")
    training = view.cards[0].scores.training
    assert first["figures"][1].startswith(shown_percent(training.rate("accuracy")))
    assert first["figures"][4] == "optimal"
    view.points = [row("0:1", HOSTILE, "sweep", [], tick="pin")]
    asked: list[tuple[str, str]] = []
    view.on_tick = lambda key: asked.append(("tick", key))
    view.on_choose = lambda key: asked.append(("choose", key))
    for act, key in (("pin", "0:1"), ("choose", "0:1"), ("pin", "9:9"), ("remove", "Z"), ("remove", 3), ("drop", "A")):
        send(view.table, {"act": act, "hashes": [key]})
    assert asked == [("tick", "0:1"), ("choose", "0:1")]
    assert [one["title"] for one in view.table.more][-1] == HOSTILE, "texts are as they are: the browser shows them so"
    send(view.table, {"act": "remove", "hashes": ["A"]})
    assert view.cards == (left,)
    assert [one["key"] for one in view.table.more] == ["A", "0:1"]


def test_a_card_has_the_gap_of_the_point_that_it_is_of(view) -> None:
    """Between the groups which the front compares, however few of them are among the test rows, with its interval."""
    data = rl.datasets.load("compas")
    kept_out = StratifiedShuffleSplit(1, test_size=0.3, random_state=0)
    grid = {"max_length": [1, 2], "max_conditions": [1]}
    sweep = rl.sweep(data, grid=grid, cv=kept_out, sensitive="race")
    front = FrontView(sweep, data, on_pin=view.pin)
    assert sweep.wait(PATIENCE)
    wait_until(lambda: not front.refresh())
    front.pin("0:1")
    (shown,) = view.cards
    finish(shown)
    finish(view)
    assert len(shown.scores.groups) == data.sensitive.shape[1]
    for criterion in front.param.criterion.objects:
        front.criterion = criterion
        view.param.update(points=front.table.more, criterion=front.measured, attribute=front.attribute)
        pinned, point = (next(one for one in view.table.more if one["key"] == key) for key in ("A", "0:1"))
        for place in (0, 2, 3):
            assert pinned["figures"][place] == point["figures"][place]
        assert "–" in pinned["figures"][2]
    assert view.table.gap == "Gap by race %"
    view.attribute = ""
    assert view.table.gap == f"Gap by {data.sensitive.columns[0]} %", "the first that the cards have"


def test_baselines_stand_beside_the_cards_of_their_split_and_texts_are_in_exports(view, card, other) -> None:
    view.pin(card)
    view.pin(other)
    shown = view.cards[0]
    shown.param.update(intended_use=f"only {HOSTILE}", limits="none known")
    assert json.loads(shown.exports.text("Model (JSON)").getvalue())["card"]["intended_use"] == f"only {HOSTILE}"
    assert view.comparisons() == []
    view.fit_baselines()
    for shown in view.cards:
        finish(shown)
    finish(view)
    (table,) = view.comparisons()
    assert "conditions of 5 groups per number" in table, "as in sweeps"
    for name in ("A rule list 0.02", "B rule list 0.01", "CART", "Random forest", "Logistic regression"):
        assert name in table
    report = view.as_report().getvalue()
    for part in (table, "only &lt;img", "none known"):
        assert part in report
    done = "3 other methods fitted on the same rows: they stand in the table"
    assert (status(view).tone, status(view).phase) == ("idle", done)
    cart = view.table.more[2]
    assert [one["title"] for one in view.table.more[2:]] == ["CART", "Random forest", "Logistic regression"]
    view.points = [{**cart, "key": "0:9", "title": "CART, max leaf nodes 8"}]
    assert cart not in view.table.more, "the same fit stands once"
    view.points = []
    view.remove(view.cards[0])
    view.remove(view.cards[0])
    assert view.comparisons() == []
    assert view.table.more == []
    assert status(view).phase == ""


def test_a_card_in_a_notebook_takes_the_search_and_the_data() -> None:
    prepared: Prepared = QUICK(lambda doing: None)
    last = rl.solve(prepared.search)
    model = last.incumbent.model
    shown = rl.views.ModelCard(
        model, data=prepared.data, test_rows=prepared.test_rows, search=prepared.search, snapshot=last
    )
    finish(shown)
    assert shown.scores.test.counted.weight == len(prepared.test_rows)
    assert shown.card.proof.proven
    assert "sex" in shown.parts["groups"].object
    with pytest.raises(ValueError, match="another"):
        rl.views.ModelCard(rl.RuleList.without_rules([0, 1], 1, 2), search=prepared.search, snapshot=last)
