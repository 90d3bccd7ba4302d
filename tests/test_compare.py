"""Model cards without a browser: what they say, how they differ, the check, the baselines, the exports."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import rulelab as rl
from rulelab.metrics import wilson_interval
from rulelab.models import parse_model
from rulelab.views import baselines, card_html, scores, verifying
from rulelab.views import card as cards
from rulelab.views.card import Card, Rows
from rulelab.views.compare import differences
from rulelab.views.compare_view import CompareView
from rulelab.views.families.falling_rule_list import FallingRecipe
from rulelab.views.families.rule_list import RuleListRecipe
from rulelab.views.families.rule_set import RuleSetRecipe
from rulelab.views.job import Job, Progress
from rulelab.views.model_card import ModelCard
from rulelab.views.panes import SearchView
from rulelab.views.pool import Pool
from rulelab.views.recipe import Recipe, split
from rulelab.views.report import report
from rulelab.views.rule_tables import rule_keys, rules_table
from rulelab.views.session import Prepared
from rulelab.views.setup import Setup

HOSTILE = "<img src=x onerror=alert(1)>"
COMMON = {
    "load": partial(rl.datasets.load, "diabetes"),
    "load_code": "rl.datasets.load('diabetes')",
    "test_share": 0.3,
    "quantiles": 3,
}
QUICK = RuleListRecipe(**COMMON, max_conditions=1, regularization=0.02, beam=False)


def pinned(recipe: Recipe = QUICK, work: int | None = None) -> Card:
    """The card of a search, at its end or after some work."""
    prepared = recipe(lambda doing: None)
    return cards.of_search(prepared.search, rl.solve(prepared.search, work_limit=work), prepared)


@pytest.fixture(scope="module")
def card() -> Card:
    return pinned()


@pytest.fixture(scope="module")
def other() -> Card:
    return pinned(replace(QUICK, regularization=0.01))


def hostile_data(n: int = 80) -> rl.datasets.Dataset:
    rng = np.random.default_rng(0)
    marks = pd.Series(np.where(rng.random(n) < 0.5, HOSTILE, "</table><script>alert(2)</script>"))
    frame = pd.DataFrame({HOSTILE: marks, "b": rng.integers(0, 5, n), "<b>group</b>": rng.choice([HOSTILE, "&"], n)})
    frame["<y>"] = np.where((marks == HOSTILE) ^ (rng.random(n) < 0.1), "<yes>", "<no>")
    return rl.datasets.from_frame(
        frame, "<y>", sensitive=["<b>group</b>"], name=f"{HOSTILE} set", source=HOSTILE, notes=HOSTILE
    )


def hostile_card() -> Card:
    card = pinned(
        RuleListRecipe(hostile_data, load_code=f"rl.datasets.load({HOSTILE!r})", quantiles=2, max_conditions=1)
    )
    return cards.annotated(card, HOSTILE, "</style><script>alert(3)</script>")


# what a card says -----------------------------------------------------------------------------------------------------


def test_a_card_says_how_the_model_was_made_and_how_good_it_is(card) -> None:
    assert card.proof.proven
    assert card.proof.gap == 0
    assert card.data["data set"] == "diabetes"
    assert (card.data["training rows"], card.data["test rows"]) == ("309", "133")
    assert card.parameters["regularization"] == "0.02"
    assert card.parameters["quantile groups"] == "3"
    html = card_html.head(card, "A") + card_html.figures(card, scores.of_counts(card.model))
    assert "Proven optimal" in html
    assert f"{card.proof.objective:.4f}" in html


def test_a_card_of_an_unfinished_search_claims_no_more_than_the_gap() -> None:
    open_card = pinned(replace(QUICK, regularization=0.005), work=3)
    assert not open_card.proof.proven
    assert open_card.proof.gap > 0
    html = card_html.head(open_card)
    assert "Not proven optimal" in html
    assert f"{open_card.proof.gap:.4f}" in html


def test_a_search_without_a_model_has_no_card() -> None:
    prepared = QUICK(lambda doing: None)
    with pytest.raises(ValueError, match="no model yet"):
        cards.of_search(prepared.search, SimpleNamespace(incumbent=None), prepared)


def test_scores_are_those_of_the_training_and_of_the_test_rows(card) -> None:
    found = scores.of_card(card, lambda doing: None)
    data, test = rl.datasets.load("diabetes"), card.rows.test
    train = np.setdiff1d(np.arange(len(data.y)), test)
    for own, at in ((found.training, train), (found.test, test)):
        right = int((card.model.predict(data.X.iloc[at]) == data.y.iloc[at].to_numpy()).sum())
        assert (own.right, own.rows) == (right, len(at))
        assert own.interval == tuple(map(float, wilson_interval(right, len(at))))
    assert found.training.right == card.model.weight - card.model.errors
    assert found.on_test
    rates = rl.metrics.group_rates(
        data.y.iloc[test].to_numpy() == 1,
        card.model.predict(data.X.iloc[test]) == 1,
        data.sensitive["sex"].iloc[test].to_numpy(),
    )
    pd.testing.assert_frame_equal(found.groups["sex"].reset_index(drop=True), rates.reset_index(drop=True))


def test_groups_that_are_missing_or_too_many(card) -> None:
    labels = scores.group_labels(pd.Series([1.0, 2.0, None]))
    assert labels.tolist() == ["1", "2", "missing"]
    data = rl.datasets.load("diabetes")
    many = replace(data, sensitive=pd.DataFrame({"sex": data.sensitive["sex"], "number": np.arange(len(data.y))}))
    found = scores.of_card(replace(card, rows=Rows(many, card.rows.test)), lambda doing: None)
    assert list(found.groups) == ["sex"]
    assert "number" in found.left_out[0]
    assert "number" in card_html.groups(found)


def test_the_largest_difference_is_that_of_groups_with_enough_rows(card) -> None:
    data = rl.datasets.load("diabetes")
    thirds = np.where(np.arange(len(data.y)) < 4, "tiny", np.where(np.arange(len(data.y)) % 2, "odd", "even"))
    rows = Rows(replace(data, sensitive=pd.DataFrame({"kind": thirds})))
    found = scores.of_card(replace(card, rows=rows), lambda doing: None)
    table = found.groups["kind"]
    assert table["few"].to_dict() == {"even": False, "odd": False, "tiny": True}
    html = card_html.groups(found)
    assert "tiny*" in html
    enough = table[~table["few"]]
    spread = html.partition("largest difference without *")[2]
    for rate in scores.RATES:
        assert f">{100 * (enough[rate].max() - enough[rate].min()):.1f}<" in spread


def test_data_that_lack_the_rules_columns_are_a_message(card) -> None:
    lacking = replace(card, rows=Rows(rl.datasets.load("tic_tac_toe")))
    shown = ModelCard(lacking)
    finish(shown)
    assert "No scores" in shown._alert.phase
    assert "lacks" in shown._alert.phase


def test_the_test_share_is_stratified_and_kept_out_of_training() -> None:
    data = rl.datasets.load("diabetes")
    training, test = split(data.y, 0.3)
    assert sorted([*training, *test]) == list(range(len(data.y)))
    assert data.y.iloc[test].mean() == pytest.approx(data.y.mean(), abs=0.01)
    assert np.array_equal(split(data.y, 0.3)[1], test)
    prepared = QUICK(lambda doing: None)
    assert np.array_equal(prepared.test_rows, test)
    assert prepared.search.problem.n_rows == len(training)
    binarizer = rl.Binarizer(thresholds=3).fit(data.X.iloc[training])
    assert prepared.search.problem.names == tuple(binarizer.transform(data.X).columns)
    assert any("kept out" in note for note in prepared.notes)
    assert replace(QUICK, test_share=0.0)(lambda doing: None).test_rows is None


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_an_impossible_test_share_is_explained(share) -> None:
    setup = Setup()
    setup.test_share = share
    with pytest.raises(ValueError, match="test share"):
        setup.recipe()(lambda doing: None)


# families -------------------------------------------------------------------------------------------------------------


def tiny() -> rl.Problem:
    A = pd.DataFrame({"a": [1, 1, 1, 0, 0, 0, 0, 0], HOSTILE: [0, 0, 1, 1, 1, 0, 0, 0]}).astype(bool)
    return rl.Problem.from_arrays(A, [1, 1, 1, 1, 0, 0, 0, 0])


def test_a_falling_list_is_shown_as_strata() -> None:
    model = rl.FallingRuleList.from_problem(tiny(), [0, 1], positive_weight=2.0)
    html = rules_table(model, {0: "no", 1: "yes"}, "y")
    assert "P(y = yes)" in html
    assert "rows, %" in html
    for rule in (*model.rules, model.default):
        assert f">{rule.probability:.2f}<" in html
        assert f'<td class="num">{100 * rule.captured / 8:.1f}</td>' in html
    assert "<img" not in html
    assert len(rule_keys(model)) == 3


def test_a_softly_falling_list_shows_the_proportions_that_were_lowered() -> None:
    model = rl.FallingRuleList.from_problem(tiny(), [1, 0], violation_penalty=0.1)
    assert any(model.lowered)
    own = [f"own {p:.2f}" for p, low in zip(model.proportions, model.lowered, strict=True) if low]
    html = rules_table(model, {0: 0, 1: 1})
    assert all(text in html for text in own)


@pytest.mark.parametrize(("form", "words"), [("dnf", "if any of these hold"), ("cnf", "if all of these hold")])
def test_a_rule_set_shows_what_its_clauses_cover_in_all_and_alone(form, words) -> None:
    model = rl.models.RuleSet.from_problem(tiny(), [[0], [0, 1]], form)
    html = rules_table(model, {0: "no", 1: "yes"}, "y")
    assert words in html
    assert html.count("<tr>") == 3
    for clause in model.rules:
        counts = (clause.positives, clause.negatives, clause.alone_positives, clause.alone_negatives)
        assert "".join(f'<td class="num">{n}</td>' for n in counts) in html
    assert "<img" not in html
    assert "always no" in rules_table(rl.models.RuleSet.from_problem(tiny(), []), {0: "no", 1: "yes"})


@pytest.mark.parametrize("family", list(rl.models.loading.FAMILIES))
def test_every_family_has_a_card(family) -> None:
    model = rl.models.loading.FAMILIES[family].without_rules([0, 1], 3, 5)
    shown = ModelCard(model)
    finish(shown)
    assert parse_model(shown.as_json().getvalue()) == model
    assert shown.as_text().getvalue().strip() == str(model)
    assert "62.5" in shown._rules.object
    script: dict[str, object] = {}
    exec(shown.as_python().getvalue(), script)
    assert script["model"] == model
    assert "no certificate" in verifying.refusal(shown.card)


# differences ----------------------------------------------------------------------------------------------------------


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


# exports --------------------------------------------------------------------------------------------------------------


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
    setup.take(contents, "my file.csv")
    setup.param.update(target="ok", positive="no", test_share=0.2)
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


# the check ------------------------------------------------------------------------------------------------------------


def finish(shown: ModelCard | CompareView, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while shown.refresh():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    shown.refresh()


def test_the_check_says_valid_and_what_it_looked_at(card) -> None:
    shown = ModelCard(card)
    shown.verify()
    assert shown.busy
    finish(shown)
    assert shown.verdict.startswith("valid: ")
    assert "sets" in shown.verdict
    assert shown._status.tone == "proven"
    assert shown._verify.label == "Verify"


def test_a_model_that_is_not_the_best_is_not_valid(card, other) -> None:
    wrong = replace(card, model=rl.RuleList.from_problem(card.search.problem, []))
    verdict = verifying.check(wrong, Progress())
    assert not verdict.valid
    assert verdict.reason


def test_where_there_is_no_certificate_the_check_refuses(card) -> None:
    for lacking in (
        cards.parse(card.to_json().encode(), "x.json"),
        cards.of_model(card.model),
        pinned(replace(QUICK, regularization=0.005), work=3),
    ):
        shown = ModelCard(lacking)
        shown.verify()
        assert "No check" in shown._status.phase
        assert "certificate" in shown._status.phase
        with pytest.raises(ValueError, match="certificate"):
            verifying.check(lacking, Progress())


def test_a_check_can_be_cancelled(card) -> None:
    shown = ModelCard(card)
    finish(shown)
    shown.verify()
    began = time.monotonic()
    while "starting" not in shown._checking.standing:
        time.sleep(0.01)
    shown.verify()
    finish(shown, 5)
    assert time.monotonic() - began < 5
    assert "cancelled" in shown.verdict


def test_jobs_wait_in_line_and_report_errors() -> None:
    pool, seen = Pool(1), []

    def fail(progress: Progress) -> None:
        seen.append(progress.doing)
        raise ValueError("the reason")

    with pool.place(lambda: False):
        waiting = Job(fail, pool)
        dropped = Job(fail, pool)
        dropped.cancel()
        dropped.join(5)
        assert waiting.busy
    waiting.join(5)
    assert (waiting.result, waiting.error) == (None, "the reason")
    assert dropped.error == "cancelled"
    assert seen == ["waiting"]


# baselines ------------------------------------------------------------------------------------------------------------


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


# the view -------------------------------------------------------------------------------------------------------------


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
    end = time.monotonic() + 60
    while not view.session.state.over:
        assert time.monotonic() < end
        time.sleep(0.01)
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
