"""Cards side by side without a browser: what differs, other methods beside them, the view."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from model_cards import HOSTILE, QUICK, finish, first, second
from patience import wait_until
from sklearn.linear_model import LogisticRegression

import rulelab as rl
from rulelab.views.cards import html as card_html
from rulelab.views.cards.card import Card, Rows
from rulelab.views.cards.differences import differences
from rulelab.views.cards.rule_tables import rule_keys
from rulelab.views.compare import baselines
from rulelab.views.compare.view import CompareView
from rulelab.views.live.session import Prepared
from rulelab.views.search.view import SearchView


@pytest.fixture(scope="module")
def card() -> Card:
    return first()


@pytest.fixture(scope="module")
def other() -> Card:
    return second()


def test_what_differs_is_marked_and_what_does_not_is_not(card, other) -> None:
    first, second = differences([card, other])
    keys = [rule_keys(c.model) for c in (card, other)]
    for marked, own, others, name in ((first, keys[0], keys[1], "B"), (second, keys[1], keys[0], "A")):
        assert marked.rules == tuple("" if key in others else f"not in {name}" for key in own)
        assert marked.parameters == {"regularization"}
        assert not marked.data
    assert any(first.rules)
    assert any(not mark for mark in first.rules + second.rules)
    html = card_html.rules(card, first) + card_html.facts(card, first)
    assert html.count("not in B") == sum(map(bool, first.rules))
    assert html.count(">differs<") == 1


def test_equal_cards_and_a_card_alone_have_no_marks(card) -> None:
    for marked in [*differences([card, card]), *differences([card])]:
        assert not any(marked.rules)
        assert not marked.parameters
        assert not marked.data


def test_a_rule_that_several_cards_lack(card, other) -> None:
    empty = replace(card, model=rl.RuleList.without_rules([0, 1], 1, 2))
    assert differences([other, empty, empty])[0].rules[0] == "not in B or C"


def test_baselines_are_scikit_learns_on_the_same_split(card) -> None:
    found = baselines.fitted(card.rows, lambda doing: None)
    assert list(found) == ["CART", "Random forest", "Logistic regression"]
    data, test = card.rows.data, card.rows.test
    train = card.rows.training
    binarizer = rl.Binarizer(thresholds=10)
    fitted = LogisticRegression(max_iter=1000).fit(binarizer.fit_transform(data.X.iloc[train]), data.y.iloc[train])
    predicted = fitted.predict(binarizer.transform(data.X.iloc[test]))
    assert found["Logistic regression"][1].right == int((predicted == data.y.iloc[test]).sum())
    assert "rules" in found["CART"][2]


def test_a_score_in_the_data_is_a_baseline_and_without_a_split_there_is_no_test() -> None:
    data = rl.datasets.load("diabetes")
    score = np.where(data.X["bmi"] > 28, "High", "Low")
    found = baselines.fitted(Rows(replace(data, extra=pd.DataFrame({"score_text": score}))), lambda doing: None)
    right = int(((score == "High") == (data.y == 1)).sum())
    assert (found["COMPAS score"][0].right, found["COMPAS score"][0].rows) == (right, len(data.y))
    assert {test for _, test, _ in found.values()} == {None}


@pytest.fixture
def view() -> Iterator[CompareView]:
    view = CompareView()
    yield view
    view.close()


def test_four_cards_and_no_more(view, card, other) -> None:
    assert [view.pin(c) for c in (card, other, card, other)] == list("ABCD")
    with pytest.raises(ValueError, match="remove one"):
        view.pin(card)
    view.remove(view.cards[0])
    assert [shown.letter for shown in view.cards] == list("ABC")
    assert view.cards[0].card.model == other.model
    assert len(view._grid.objects) == 3
    assert view.pin(card) == "D"


def test_texts_written_on_a_card_are_in_its_exports(view, card) -> None:
    view.pin(card)
    shown = view.cards[0]
    shown.param.update(intended_use=f"only {HOSTILE}", limits="none known")
    assert json.loads(shown.as_json().getvalue())["card"]["intended_use"] == f"only {HOSTILE}"
    html = view.as_report().getvalue()
    assert "only &lt;img" in html
    assert "none known" in html


def test_baselines_stand_beside_the_cards_of_their_split(view, card, other) -> None:
    view.pin(card)
    view.pin(other)
    assert view.comparisons() == []
    view.fit_baselines()
    for shown in view.cards:
        finish(shown)
    finish(view)
    (table,) = view.comparisons()
    for name in ("A: diabetes", "B: diabetes", "CART", "Random forest", "Logistic regression"):
        assert name in table
    assert table in view.as_report().getvalue()
    view.remove(view.cards[0])
    view.remove(view.cards[0])
    assert view.comparisons() == []
    assert view._others_box.visible is False


def test_the_search_view_pins_what_it_shows() -> None:
    pinned_cards: list[Card] = []

    def pin(card: Card) -> str:
        if pinned_cards:
            raise ValueError("full")
        pinned_cards.append(card)
        return "A"

    A = np.random.default_rng(0).random((200, 8)) < 0.4
    search = rl.RuleListSearch(rl.Problem.from_arrays(A, A[:, 0] & ~A[:, 1]), beam_width=0)
    view = SearchView(search, speed="full speed")
    assert not view._pin.visible
    view.on_pin = pin
    assert view._pin.visible
    view.run()
    wait_until(lambda: view.session.state.over)
    view.refresh()
    view.pin()
    assert pinned_cards[0].model == view.session.snapshot.incumbent.model
    assert "pinned as A" in view._pinned.object
    view.pin()
    assert view._alert.phase == "full"
    view.close()


def test_a_card_in_a_notebook_takes_the_search_and_the_data() -> None:
    prepared: Prepared = QUICK(lambda doing: None)
    last = rl.solve(prepared.search)
    model = last.incumbent.model
    shown = rl.views.ModelCard(
        model, data=prepared.data, test_rows=prepared.test_rows, search=prepared.search, snapshot=last
    )
    finish(shown)
    assert shown.scores.test.rows == len(prepared.test_rows)
    assert shown.card.proof.proven
    assert "sex" in shown._more.object
    with pytest.raises(ValueError, match="another"):
        rl.views.ModelCard(rl.RuleList.without_rules([0, 1], 1, 2), search=prepared.search, snapshot=last)
