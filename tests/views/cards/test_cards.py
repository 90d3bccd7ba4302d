"""Model cards without a browser: what they say in every family, and the check of the certificate."""

import math
import re
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import alert, made
from model_cards import HOSTILE, QUICK, finish, first, hostile_card, pinned, recipe
from patience import wait_until
from places import cases_beside
from sklearn.metrics import roc_auc_score

import rulelab as rl
from rulelab.data.gaps import largest_difference
from rulelab.data.metrics import FEW, RATES, Confusion, group_rates, wilson_interval
from rulelab.families.wording import adding_up
from rulelab.models import parse_model
from rulelab.shown import percent, share
from rulelab.views.cards import card as cards
from rulelab.views.cards import differences, scores, verifying
from rulelab.views.cards import html as card_html
from rulelab.views.cards.card import Card, Rows
from rulelab.views.cards.card_file import parse
from rulelab.views.cards.exports import FORMS, Exports, Source
from rulelab.views.cards.rule_tables import rules_table
from rulelab.views.cards.scores import figures
from rulelab.views.cards.view import ModelCard
from rulelab.views.live import apart
from rulelab.views.live.job import Progress
from rulelab.views.live.recipe import split
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.html import Html, Press


def test_a_card_says_how_the_model_was_made_and_how_good_it_is(card) -> None:
    assert card.proof.proven
    assert (card.proof.gap, card.data["data set"]) == (0, "diabetes")
    assert (card.data["training rows"], card.data["test rows"]) == ("309", "133")
    assert (card.parameters["regularization"], card.parameters["quantile groups"]) == ("0.02", "3")
    assert card.limits.startswith("The source codes sex")
    assert card.limits.casefold() == card.rows.data.notes.casefold()
    html = card_html.head(card, "A") + card_html.figures_of(card, scores.of_counts(card)).html
    assert "Proven optimal" in html
    assert f"{card.proof.objective:.4f}" in html


def test_a_card_of_an_unfinished_search_claims_no_more_than_the_gap() -> None:
    open_card = pinned(recipe(regularization=0.005, beam_width=0), work=3)
    assert not open_card.proof.proven
    assert open_card.proof.gap > 0
    html = card_html.head(open_card)
    assert "Not proven optimal" in html
    proof = open_card.proof
    assert f"within {adding_up(proof.objective, proof.lower_bound)[2]} of the optimum" in html


def test_a_card_of_a_least_gap_says_the_sentence_that_is_proven() -> None:
    rng = np.random.default_rng(4)
    A = pd.DataFrame(rng.random((300, 6)) < 0.5, columns=list("abcdef"))
    y = (A["a"] & A["b"]) ^ (rng.random(300) < 0.2)
    problem = rl.Problem.from_arrays(A, y, groups=np.where(A["a"] ^ (rng.random(300) < 0.3), "old", "young"))
    search = rl.LeastGapSearch(problem, rl.DemographicParity, min_accuracy=0.66, max_length=2)
    snapshot = next(each for each in search.steps(work_per_step=1) if each.incumbent is not None)
    early = cards.of_search(search, snapshot)
    assert not early.proof.proven
    those = "no rule list of at most 2 rules over these 6 antecedents with an accuracy of at least 66 % has a"
    assert early.proof.lower_bound == 0
    assert "Proven:" not in card_html.head(early), "that no gap is below 0 is no news"
    later = cards.of_search(search, replace(snapshot, lower_bound=0.00129))
    assert f"Proven: {those} gap in predicted positive below 0.129 points." in card_html.head(later)
    done = cards.of_search(search, rl.solve(search))
    said = f"Proven optimal: {those} smaller gap in predicted positive between groups than this one."
    assert said in card_html.head(done)
    kept = parse(done.to_json().encode(), "kept.json")
    assert said in card_html.head(kept)
    assert "Rule list of least gap" in card_html.head(kept)
    assert differences.default_names([kept]) == ["rule list of least gap 0.01"]
    shown = card_html.figures_of(done, scores.of_counts(done)).html
    assert "gap in predicted positive of" in shown
    assert "difference of rates" in shown
    other = rl.RuleListSearch(problem, regularization=search.regularization)
    plain_card = cards.of_search(other, rl.solve(other))
    assert not differences.comparable(done, plain_card)
    assert "A gap between groups cannot be compared" in differences.incomparable([done, plain_card])


def of_sets() -> Card:
    return pinned(recipe("rule_set", max_complexity=4, max_conditions=2))


@pytest.mark.parametrize(("family", "parameters", "said"), cases_beside(__file__))
def test_parameters_on_a_card_have_the_words_of_the_form(family, parameters, said) -> None:
    made = pinned(recipe(family, **parameters))
    html = card_html.facts(made).html
    for name, value in said.items():
        assert f'<span role="rowheader">{name}</span><span role="cell">{value}</span>' in html
    assert not [name for name in ("max conditions", "max complexity", "policy", "min support") if f">{name}<" in html]
    assert {"max conditions", "max complexity", "policy"} & set(made.parameters), "files keep the library's names"
    both = [made, first() if family == "rule_set" else of_sets()]
    place, _ = card_html.places(both, [scores.of_counts(each) for each in both])
    beside = card_html.facts(made, place)
    for name in ("set complexity C", "order of the queue", "memory limit", "width of the beam search (0: none)"):
        assert f'<span role="rowheader">{name}' in beside.html, "of the other card too"


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
        assert (own.counted.weight - own.counted.errors, own.counted.weight) == (right, len(at))
        assert own.interval("accuracy") == tuple(map(float, wilson_interval(right, len(at))))
        likely = card.model.predict_proba(data.X.iloc[at])[:, 1]
        assert own.auc == pytest.approx(roc_auc_score(data.y.iloc[at], likely), abs=1e-12)
    assert found.training.counted.errors == card.model.errors
    assert found.on_test
    rates = group_rates(
        data.y.iloc[test].to_numpy() == 1,
        card.model.predict(data.X.iloc[test]) == 1,
        data.sensitive["sex"].iloc[test].to_numpy(),
    )
    pd.testing.assert_frame_equal(found.groups["sex"].reset_index(drop=True), rates.reset_index(drop=True))


def test_scores_count_weights(card) -> None:
    data, rng = rl.datasets.load("diabetes"), np.random.default_rng(0)
    weight = rng.integers(0, 4, len(data.y))
    rows = Rows(data, card.rows.test, weight=weight)
    found = scores.of_card(replace(card, rows=rows), lambda doing: None)
    at = rows.test
    assert found.test.counted.weight == weight[at].sum()
    likely = card.model.predict_proba(data.X.iloc[at])[:, 1]
    expected = roc_auc_score(data.y.iloc[at], likely, sample_weight=weight[at])
    assert found.test.auc == pytest.approx(expected, abs=1e-12)
    shown = ModelCard(card.model, data=data, test_rows=at, sample_weight=weight)
    plain = ModelCard(card.model, data=data, test_rows=at)
    tables = [each.parts["rules"].object for each in (shown, plain)]
    assert [("interval" in table, ", by weight" in table) for table in tables] == [(False, True), (True, False)]
    finish(shown)
    assert shown.scores.test == found.test


def test_what_a_model_remembers_is_what_it_scores_on_its_training_rows() -> None:
    problem = first().search.problem
    for model in (
        rl.RuleList.from_problem(problem, [0, 5]),
        rl.FallingRuleList.from_problem(problem, [0, 5], positive_weight=3.0),
        rl.models.RuleSet.from_problem(problem, [[0, 5], [3]]),
    ):
        card = replace(first(), model=model)
        remembered, counted = scores.of_counts(card).training, scores.of_card(card, lambda doing: None).training
        assert remembered.counted == counted.counted
        assert remembered.auc == pytest.approx(counted.auc, abs=1e-12)


def test_what_is_not_defined_has_a_reason(card) -> None:
    never = replace(card, model=rl.RuleList.without_rules([0, 1], 3, 5))
    (found,) = (f for f in figures(never, scores.of_counts(never)) if f.name == "precision")
    assert found.values[0].small == "nobody is predicted positive"
    alone = cards.of_model(card.model)
    by_name = {f.name: f for f in figures(alone, scores.of_counts(alone))}
    assert by_name["objective"].values[0].small == "not known"
    assert by_name["accuracy"].values[1].small == "rows not known"
    whole = replace(card, rows=Rows(card.rows.data))
    assert figures(whole, scores.of_counts(whole))[3].values[1].small == "no test rows"


def test_the_price_of_a_constraint_and_a_model_of_no_use() -> None:
    fair = recipe("rule_set", max_complexity=4, max_conditions=None, fairness=rl.EqualOpportunity(0.01))
    card = pinned(replace(fair, sensitive="sex"))
    assert "equal opportunity" in card.fairness
    assert "groups of sex" in card.fairness
    found = scores.of_card(card, lambda doing: None)
    free = rl.solve(rl.RuleSetSearch(card.search.problem, **{**card.search.parameters, "fairness": None}))
    assert found.free[0].counted == free.incumbent.model.training
    html = card_html.fairness(card, found)
    assert f"{100 * found.free[0].rate('accuracy'):.1f}" in html
    assert "equal because" not in card_html.doubts(card, found)
    assert parse(card.to_json().encode(), "x.json").unconstrained == card.unconstrained
    missed = replace(found, training=scores.Score(Confusion(2, 1, 99, 98)))
    assert "equal because nearly everyone is missed, true positive rates 2 %" in card_html.doubts(card, missed)
    everyone = replace(found, training=scores.Score(Confusion(100, 99, 1, 0)))
    assert "nearly everyone is taken for positive, false positive rates 99 %" in card_html.doubts(card, everyone)
    good = replace(found, training=scores.Score(Confusion(99, 2, 98, 1)))
    assert "equal because" not in card_html.doubts(card, good), "a rate near 1 is no fault of a model that is right"
    assert card_html.fairness(first(), missed) == ""


def test_groups_that_are_too_many(card) -> None:
    data = rl.datasets.load("diabetes")
    many = replace(data, sensitive=pd.DataFrame({"sex": data.sensitive["sex"], "number": np.arange(len(data.y))}))
    found = scores.of_card(replace(card, rows=Rows(many, card.rows.test)), lambda doing: None)
    assert list(found.groups) == ["sex"]
    assert "number" in found.left_out[0]
    assert "number" in card_html.groups(card, found).html


def test_the_largest_difference_is_that_of_groups_with_enough_rows_and_says_which(card) -> None:
    data = rl.datasets.load("diabetes")
    thirds = np.where(np.arange(len(data.y)) < 4, "tiny", np.where(np.arange(len(data.y)) % 2, "odd", "even"))
    rows = Rows(replace(data, sensitive=pd.DataFrame({"kind": thirds})))
    table = scores.of_card(replace(card, rows=rows), lambda doing: None).groups["kind"]
    html = card_html.group_table("kind", table)
    for rate in RATES:
        enough = table[f"{rate}_rows"] >= FEW
        found = largest_difference(table, rate)
        assert found.few == (enough.sum() < 2)
        known = table.loc[enough | found.few, rate]
        assert found.groups == (known.idxmax(), known.idxmin())
        assert found.value == pytest.approx(known.max() - known.min())
        assert found.low <= found.value <= found.high
        assert found.ratio == pytest.approx(known.min() / known.max())
        assert f">{percent(found.value)}{'*' * found.few}<span" in html
        assert RATES[rate].short in html


def test_headline_and_row_round_the_gap_up_and_the_bound_down(card) -> None:
    proof = replace(card.proof, objective=0.35074, lower_bound=0.34319, proven=False)
    rows = {f.name: f.values[0].text for f in figures(replace(card, proof=proof), scores.of_counts(card))}
    assert (rows["objective"], rows["lower bound"], rows["gap"]) == ("0.3507", "0.3431", "0.0076")
    assert "within 0.0076 of the optimum" in card_html.head(replace(card, proof=proof))


def test_a_star_is_for_the_rates_of_few_rows_alone_and_one_group_has_no_largest_difference() -> None:
    """Ten positives and many negatives: the false positive rate is one of many rows."""
    actual = np.repeat([True, False], [20, 3000])
    groups = np.tile(["a", "b"], 1510)
    table = group_rates(actual, np.arange(3020) % 7 == 0, groups)
    cells = card_html.group_table("group", table).partition("<tbody>")[2].partition("</tr>")[0]
    assert cells.count("*") == cells.count('class="num few"') == 1
    assert largest_difference(table, "true_positive_rate").few
    assert not largest_difference(table, "false_positive_rate").few
    groups = np.repeat(["blue", "red"], 40)  # only the second has positives, only the first has negatives
    found = {rate: largest_difference(group_rates(groups == "red", groups == "red", groups), rate) for rate in RATES}
    assert found["true_positive_rate"] is found["false_positive_rate"] is None
    assert (found["selection_rate"].value, found["accuracy"].value) == (1, 0)


@pytest.mark.parametrize("weights", [(0.25, 2), (1, 3)])
def test_a_weighted_card_that_comes_back_without_its_rows_speaks_of_weight(card, weights) -> None:
    data = rl.datasets.load("diabetes")
    weighted = replace(QUICK, load=lambda: replace(data, weight=pd.Series(weights * 221)), weighted=True, test_share=0)
    for of, said in ((pinned(weighted), "weight"), (card, "rows")):
        back = parse(of.to_json().encode(), "kept.json")
        found = scores.of_counts(back)
        assert f">{said} by outcome" in card_html.figures_of(back, found).html
        assert math.isnan(found.training.interval("accuracy")[0]) == (said == "weight")


def test_differences_are_of_the_same_data_and_the_same_split(card) -> None:
    data = rl.datasets.load("diabetes")
    tested = np.arange(100)
    same, other = (replace(card, rows=Rows(data, np.arange(k, 100 + k))) for k in (0, 7))
    first_, second_, third = (replace(each, rows=Rows(each.rows.data, tested)) for each in (card, same, other))
    assert differences.same_rows(first_, second_)
    assert differences.same_rows(first_, third)
    for far in (other, replace(card, rows=Rows(data, None))):
        assert not differences.same_rows(first_, far)
        assert "different rows" in differences.incomparable([first_, far])
        place = card_html.Place(beside=card_html.Beside("B", far, scores.of_card(far, lambda doing: None)))
        own = scores.of_card(first_, lambda doing: None)
        assert "against B" not in card_html.groups(first_, own, place).html
        rates = card_html.figures_of(first_, own, place).html.partition("accuracy")[2].partition(">rules<")[0]
        assert "against B" not in rates


def test_data_that_lack_the_rules_columns_are_a_message(card) -> None:
    lacking = replace(card, rows=Rows(rl.datasets.load("tic_tac_toe")))
    shown = ModelCard(lacking)
    finish(shown)
    assert "No scores" in alert(shown).phase
    assert "lacks" in alert(shown).phase


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
    for kept in (-0.1, 1.0, float("nan")):
        with pytest.raises(ValueError, match=r"test_share.*0"):
            Setup().table.test_share = kept
        with pytest.raises(ValueError, match=r"test share must lie between 0 and 0\.9"):
            replace(QUICK, test_share=kept)(lambda doing: None)


def tiny() -> rl.Problem:
    A = pd.DataFrame({"a": [1, 1, 1, 0, 0, 0, 0, 0], HOSTILE: [0, 0, 1, 1, 1, 0, 0, 0]}).astype(bool)
    return rl.Problem.from_arrays(A, [1, 1, 1, 1, 0, 0, 0, 0])


def test_a_falling_list_is_shown_as_strata_and_a_soft_one_with_the_proportions_that_were_lowered() -> None:
    model = rl.FallingRuleList.from_problem(tiny(), [0, 1], positive_weight=2.0)
    html = rules_table(model, {0: "no", 1: "yes"}, "y")
    assert "P(<wbr>y = yes)" in html
    assert "rows, %" in html
    for rule in (*model.rules, model.default):
        assert f">{rule.probability:.2f}<" in html
        assert f'<td class="num">{100 * rule.captured / 8:.1f}</td>' in html
    assert "<img" not in html
    assert "interval" not in html, "of weights nobody knows how many rows they are"
    counted = rules_table(model, {0: "no", 1: "yes"}, "y", counted=True)
    assert "</i>95&nbsp;% interval</" in counted, "what the mark under a chance means"
    for rule in (*model.rules, model.default):
        low, high = wilson_interval(rule.positives, rule.captured)
        assert f'title="95 % interval {share(float(low))} to {share(float(high))}"' in counted
    soft = rl.FallingRuleList.from_problem(tiny(), [1, 0], violation_penalty=0.1)
    assert any(soft.lowered)
    own = [f"own {p:.2f}" for p, low in zip(soft.proportions, soft.lowered, strict=True) if low]
    html = rules_table(soft, {0: 0, 1: 1})
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


@pytest.mark.parametrize("family", ["rule_list", "falling_rule_list", "rule_set"])
def test_a_rule_unfolds_how_its_columns_are_spread(family) -> None:
    card = pinned(recipe(family))
    X, y = (each.iloc[card.rows.training] for each in (card.rows.data.X, card.rows.data.y == 1))
    unfolded = card_html.rules(card).html.split("<details")[1:]
    assert len(unfolded) == len(card.model.rules) > 0
    for html, rule in zip(unfolded, card.model.rules, strict=True):
        literals = rule.literals if family == "rule_set" else (rule,)
        conditions = [each for literal in literals for each in literal.conditions]
        for column in {each.column for each in conditions}:
            met = np.all([each.evaluate(X[column]) for each in conditions if each.column == column], axis=0)
            assert f"{percent(met.mean())}&nbsp;% of all training rows; {percent(y[met].mean())}&nbsp;%" in html
            assert f"of the others {percent(y[~met].mean())}&nbsp;%" in html
        assert html.count("<figure>") == len({each.column for each in conditions})


def test_columns_and_values_under_a_rule_are_text() -> None:
    html = card_html.rules(hostile_card()).html
    assert "<figure>" in html
    assert "<img" not in html


def test_what_a_language_cannot_hold_is_said_and_not_saved() -> None:
    problem = rl.Problem.from_arrays(np.array([[True], [False]]), [1, 0], names=["a\x01"])
    exports = Exports(lambda: (rl.RuleList.from_problem(problem, [0]), Source("y")))
    exports.button.clicks += 1
    offered = {each.label: each.filename for each in exports.menu.select(pn.widgets.FileDownload)}
    assert (offered["SQL (DuckDB)"], offered["Python function"]) == ("model.sql", "model.py")
    assert "PMML" not in offered
    assert any("No PMML: " in each.object and "control character" in each.object for each in exports.menu.select(Html))


@pytest.mark.parametrize("family", sorted(rl.models.Model.families))
def test_every_family_has_a_card(family) -> None:
    model = rl.models.Model.families[family].without_rules([0, 1], 3, 5)
    shown = ModelCard(model)
    finish(shown)
    assert parse_model(shown.exports.text("Model (JSON)").getvalue()) == model
    assert shown.exports.text("Rules (text)").getvalue().strip() == str(model)
    assert "62.5" in shown.parts["figures"].object
    assert made(shown.exports.text("Python script").getvalue())["model"] == model
    assert {*FORMS} < {*shown.exports.offered()[0]}
    for form in FORMS:
        assert shown.exports.text(form).getvalue().strip()
    assert shown.exports.text("PMML").getvalue() == model.to_pmml()
    assert "no certificate" in verifying.refusal(shown.card)


def test_a_check_that_fails_can_be_tried_again_and_says_what_it_looked_at(
    card, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, popen = ModelCard(card), apart.subprocess.Popen
    monkeypatch.setattr(apart.subprocess, "Popen", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    shown.verify()
    finish(shown)
    assert shown.check.button.label == "Try again"
    assert "press “Try again”" in shown.check.line.phase
    assert "unexpected" not in shown.check.line.phase
    monkeypatch.setattr(apart.subprocess, "Popen", popen)
    shown.verify()
    assert shown.busy
    finish(shown)
    assert shown.verdict.startswith("valid: ")
    assert "sets" in shown.verdict
    assert (shown.check.line.tone, shown.check.button.label) == ("proven", "Check the proof")


def test_a_model_that_is_not_the_best_is_not_valid(card, other) -> None:
    wrong = replace(card, model=rl.RuleList.from_problem(card.search.problem, []))
    verdict = verifying.check(wrong, Progress())
    assert not verdict.valid
    assert verdict.reason


def test_where_there_is_no_certificate_the_check_refuses(card) -> None:
    assert ModelCard(card).check.button.visible
    unproven = pinned(recipe(regularization=0.005, beam_width=0), work=3)
    for lacking, why in (
        (parse(card.to_json().encode(), "x.json"), "the file holds a model"),
        (cards.of_model(card.model), ""),
        (unproven, ""),
        (replace(unproven, origin=cards.KEPT), ""),
    ):
        shown = ModelCard(lacking)
        said = shown.check.line.phase
        assert (why in said, shown.check.button.visible) == (True, False)
        assert bool(said) == bool(why), "a model that is not proven says that already"
        shown.verify()
        assert "Not checked" in shown.check.line.phase
        assert "certificate" in shown.check.line.phase
        with pytest.raises(ValueError, match="certificate"):
            verifying.check(lacking, Progress())


@pytest.mark.long
def test_the_card_says_how_many_rows_its_optimum_withstands(card) -> None:
    search = rl.RobustnessSearch(card.search)
    rl.solve(search)
    shown = ModelCard(card)
    assert shown.robust.button in pn.panel(shown).select(Press)
    shown.robust.press()
    finish(shown)
    assert shown.robust.line.tone == "proven"
    for each in search.robustness.changes:
        assert each.exact
        assert f"{each.breaks} {each.change.replace('relabelled', 'wrong')}" in shown.robust.verdict
    assert shown.robust.button.label == "Robustness"


def test_where_only_weights_are_known_there_are_no_intervals_beside_those_of_others(card, other) -> None:
    unknown = replace(parse(card.to_json().encode(), "x.json"), data={**card.data, "training rows": "9"})
    both = [unknown, other]
    places = card_html.places(both, [scores.of_counts(each) for each in both])
    for each, place in zip(both, places, strict=True):
        html = card_html.figures_of(each, scores.of_counts(each), place).html
        assert "nan" not in html
        assert (re.search(r"\d–\d", html) is None) == (each is unknown)


def test_no_robustness_is_offered_where_it_cannot_be_known(card) -> None:
    weighted = replace(card.search.problem, positives=card.search.problem.positives + 0.5)
    awkward = rl.RuleListSearch(weighted, card.search.regularization)
    for lacking, why in (
        (parse(card.to_json().encode(), "x.json"), "a search on this page"),
        (replace(card, search=awkward), "not whole numbers"),
    ):
        shown = ModelCard(lacking)
        assert shown.robust.button not in pn.panel(shown).select(Press)
        with pytest.raises(ValueError, match=why):
            verifying.robustness(lacking, Progress())


def test_a_check_can_be_cancelled(card) -> None:
    shown = ModelCard(card)
    finish(shown)
    shown.verify()
    wait_until(lambda: "making" in shown.check.standing)
    shown.verify()
    finish(shown)
    assert "cancelled" in shown.verdict
