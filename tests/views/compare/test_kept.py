"""Pinned cards that survive that the page is loaded again, without a browser."""

import json
from dataclasses import asdict, replace
from functools import partial

import numpy as np
import pytest
from live import alert
from model_cards import HOSTILE, QUICK, finish, pinned
from patience import PATIENCE
from places import cases_beside

import rulelab as rl
from rulelab.views.cards import card as cards
from rulelab.views.cards import card_file as kept
from rulelab.views.cards import html as card_html
from rulelab.views.cards import scores, verifying
from rulelab.views.cards.card import Card
from rulelab.views.cards.differences import LETTERS
from rulelab.views.compare.view import CompareView
from rulelab.views.fronts.points import card_of
from rulelab.views.fronts.run import Run
from rulelab.views.fronts.tab import Order
from rulelab.views.search.setup import Setup


def quiet(doing: str) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def card() -> Card:
    return cards.annotated(pinned(), "teaching", HOSTILE)


@pytest.fixture(scope="module")
def of_point() -> Card:
    setup = Setup()
    setup.choose(family="rule_set", test_share=0.3, thresholds=3)
    question = replace(setup.recipe(), sensitive="sex")
    run = Run(replace(Order.of(question, "max_complexity", "3"), baselines=()))
    run.join(PATIENCE)
    return card_of(run.started, run.points["test"][0])


def test_cards_come_back_with_their_rows_and_texts(card, of_point) -> None:
    found, complaints = kept.read(kept.written([card, of_point]), quiet)
    assert complaints == []
    for before, after in zip([card, of_point], found, strict=True):
        assert after.model == before.named
        assert (after.title, after.parameters, after.data) == (before.title, before.parameters, before.data)
        assert (after.intended_use, after.limits) == (before.intended_use, before.limits)
        assert np.array_equal(after.rows.test, before.rows.test)
        assert after.rows.key == before.rows.key
        assert after.proof == before.proof
        first, again = (scores.of_card(one, quiet) for one in (before, after))
        assert (again.training, again.test) == (first.training, first.test)
        assert list(again.groups) == ["sex"]
        assert 'class="state proven"' not in card_html.head(after), "nobody has checked the proof"
        assert "loaded again" in verifying.refusal(after)
    assert kept.read(kept.written(found), quiet)[0][1].rows.split == of_point.rows.split
    split = {**asdict(card.rows.split), "folds": 0, "fold": 0, "seed": 0}  # beside folds that were none
    (before,), complaints = kept.read(json.dumps([{"model": json.loads(card.to_json()), "split": split}]), quiet)
    assert complaints == []
    assert np.array_equal(before.rows.test, card.rows.test)
    own = replace(QUICK, load=partial(rl.datasets.load, "diabetes"), load_code="rl.datasets.read('diabetes.csv')")
    uploaded = pinned(own)
    assert uploaded.rows.split is None
    (back,), complaints = kept.read(kept.written([uploaded]), quiet)
    assert (back.rows, complaints) == (None, [])


def test_nonsense_about_the_rows_leaves_the_model(card) -> None:
    splits = cases_beside(__file__)
    for split in (*splits["bad"], *splits["unusable"]):
        entry = {"model": json.loads(card.to_json()), "split": split}
        (found,), complaints = kept.read(json.dumps([entry]), quiet)
        assert found.model == card.model
        assert found.rows is None, split
        assert len(complaints) == any(split is one for one in splits["unusable"]), split


def test_something_else_is_ignored_and_said(card) -> None:
    huge = '"' + "x" * (2 * kept.MAX_CHARACTERS)
    for text in ("", "{", "null", "5", "{}", "[5]", "[{}]", '[{"split": {}}]', "[" * 100_000, huge):
        found, complaints = kept.read(text, quiet)
        assert found == [], text[:20]
        assert len(complaints) == 1, text[:20]
    good = {"model": json.loads(card.to_json()), "split": None}
    bad = {"model": {"format": "rulelab model", "schema_version": 1, "family": HOSTILE}}
    found, complaints = kept.read(json.dumps([bad, good, {"model": None}]), quiet)
    assert [one.model for one in found] == [card.model], "beside damaged ones the others come back"
    assert len(complaints) == 2
    assert "family" in complaints[0]
    assert len(kept.read(json.dumps([good] * 150), quiet)[0]) == len(LETTERS), "no more than there are places"


def test_the_page_keeps_what_is_pinned_and_brings_it_back(card, of_point, monkeypatch) -> None:
    view = CompareView()
    view.pin(card)
    assert view.kept.kept == "", "not before the browser has said what it holds"
    view.kept.found = ""
    assert [entry["split"] for entry in json.loads(view.kept.kept)] == [asdict(card.rows.split)]
    view.pin(of_point)
    view.cards[1].limits = "none known"
    text = view.kept.kept
    assert json.loads(text)[1]["model"]["card"]["limits"] == "none known"
    view.remove(view.cards[0])
    assert len(json.loads(view.kept.kept)) == 1
    view.remove(view.cards[0])
    assert view.kept.kept == ""
    view.close()

    again = CompareView()
    again.kept.found = text
    again.pin(card)
    finish(again)
    assert [shown.card.title for shown in again.cards] == [card.title, card.title, of_point.title]
    assert again.cards[2].card.limits == "none known"
    assert len(json.loads(again.kept.kept)) == 3
    again.kept.found = "[]"
    assert not again.refresh(), "it comes back once"
    again.kept.problem = "QuotaExceededError"
    assert "QuotaExceededError" in alert(again).phase
    again.close()
    assert kept.written([]) == ""
    monkeypatch.setattr(kept, "MAX_CHARACTERS", 100)
    with pytest.raises(ValueError, match="too large"):
        kept.written([card])
