"""What leaves the page and comes back: scripts, saved cards, the report, files that are no models."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from live import use_file
from model_cards import COMMON, HOSTILE, QUICK, first, hostile_card, pinned, second

import rulelab as rl
from rulelab.views.cards import card as cards
from rulelab.views.cards import html as card_html
from rulelab.views.cards import scores
from rulelab.views.cards.card import Card
from rulelab.views.cards.report import report
from rulelab.views.compare.view import CompareView
from rulelab.views.search.families.falling_rule_list import FallingRecipe
from rulelab.views.search.families.rule_set import RuleSetRecipe
from rulelab.views.search.setup import Setup


@pytest.fixture(scope="module")
def card() -> Card:
    return first()


@pytest.fixture(scope="module")
def other() -> Card:
    return second()


@pytest.mark.parametrize(
    ("recipe", "work"),
    [
        (QUICK, None),
        (replace(QUICK, test_share=0.0, beam=True, bounds=("lookahead", "grid"), policy="curiosity"), None),
        (replace(QUICK, regularization=0.005), 7),
        (FallingRecipe(**COMMON, max_conditions=1, positive_weight=2.0, bounds=("density_cap",), iterations=50), None),
        (RuleSetRecipe(**COMMON, max_complexity=4, rule_size=2), None),
        (RuleSetRecipe(**COMMON, max_complexity=4, fairness="equal_opportunity", sensitive="sex"), 3),
    ],
)
def test_the_python_script_makes_the_model_again(recipe, work) -> None:
    card = pinned(recipe, work)
    script: dict[str, object] = {}
    exec(card.code, script)
    assert script["model"] == card.model
    assert script["last"].lower_bound == card.proof.lower_bound  # type: ignore[attr-defined]


def test_the_script_of_an_uploaded_file_reads_the_file(tmp_path, monkeypatch) -> None:
    rows = "\n".join(f"{'red' if i % 3 else HOSTILE},{i % 7},{'yes' if i % 3 else 'no'}" for i in range(60))
    contents = f"colour's,size,ok\n{rows}\n".encode()
    setup = Setup()
    use_file(setup.table, contents, "my file.csv", positive="no")
    setup.choose(test_share=0.2)
    card = pinned(setup.recipe())
    (tmp_path / "my file.csv").write_bytes(contents)
    monkeypatch.chdir(tmp_path)
    script: dict[str, object] = {}
    exec(card.code, script)
    assert script["model"] == card.model
    assert card.positive == "no"


def test_a_saved_card_is_a_model_and_comes_back_with_its_texts(card, tmp_path) -> None:
    noted = cards.annotated(card, "teaching\nonly", "x" * 5000)
    path = tmp_path / "model.json"
    path.write_text(noted.to_json())
    assert rl.load_model(path) == card.model
    again = cards.parse(path.read_bytes(), "model.json")
    assert (again.title, again.target, again.made) == (card.title, card.target, card.made)
    assert (again.parameters, again.data) == (card.parameters, card.data)
    assert again.proof == card.proof
    assert again.intended_use == "teaching\nonly"
    assert len(again.limits) == cards.MAX_NOTE
    assert "nothing of this was checked" in card_html.head(again)
    assert "Not checked" not in card_html.facts(card)
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
    found = cards.parse(contents, "x.json")
    assert found.model == card.model
    assert found.proof is None
    assert len(found.data) <= 60
    assert all(isinstance(value, str) for value in (*found.data.values(), found.title, found.limits))
    assert "<table" in card_html.rules(found)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (b"", "JSON"),
        (b"{}", "format"),
        (b'{"format": "rulelab model", "schema_version": 1, "family": "<b>"}', "family"),
        (b"\xff\xfe", "x.json"),
        (b"[" * 100_000, "nested"),
        (b" " * (cards.MAX_UPLOAD_BYTES + 1), "bytes"),
    ],
)
def test_a_file_that_is_no_model_is_explained(contents, expected) -> None:
    view = CompareView()
    view.take(contents, "x.json")
    assert expected in view._alert.phase
    assert view.cards == ()


class Tags(HTMLParser):
    """All tags and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_report_asks_for_nothing_and_runs_nothing(card, other) -> None:
    both = [hostile_card(), card, other]
    found = [scores.of_card(c, lambda doing: None) for c in both]
    table = card_html.comparison({HOSTILE: (found[0].training, None, HOSTILE)}, HOSTILE)
    html = report(both, found, [HOSTILE, "", ""], [table])
    page = Tags()
    page.feed(html)
    assert not {"script", "img", "link", "iframe", "object", "base", "form", "b0"} & set(page.tags)
    assert page.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "style", "scope", "open"}
    for address in ("http:", "https:", "//", "url(", "@import", "src="):
        assert address not in html.replace("onerror", "").replace("&lt;img src=x", ""), address
    assert html.count(":host") == 0
    assert page.text.count(HOSTILE) >= 6
    assert "alert(3)" in page.text
    assert "prefers-color-scheme: dark" in html
    assert "default-src 'none'" in html
