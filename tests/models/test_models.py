"""Rule lists against a loop over rows; reading them back; every table they are asked to predict on."""

import html
import json
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import calls_in
from places import cases_beside
from test_estimators import people
from test_shown import html_of

import rulelab as rl
from rulelab.models import ModelError, RuleList, parse_model
from rulelab.results import MultiClassRuleList

HOSTILE = "<img src=x onerror=alert(1)>"
WHOLE = st.integers(0, 3)


@st.composite
def cases(draw, weights=WHOLE):
    """Rows of both classes, weights, and a list of antecedents, some of them repeated."""
    n, m = draw(st.integers(2, 30)), draw(st.integers(1, 6))
    bits = draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    weight = [1, 1, *draw(st.lists(weights, min_size=n - 2, max_size=n - 2))]
    antecedents = draw(st.lists(st.integers(0, m - 1), max_size=5))
    return np.array(bits), np.array(y), np.array(weight), antecedents


def first_rule(row, antecedents):
    return next((k for k, j in enumerate(antecedents) if row[j]), len(antecedents))


@given(cases())
def test_counts_labels_and_predictions_are_those_of_a_loop(case):
    A, y, weight, antecedents = case
    model = RuleList.from_problem(rl.Problem.from_arrays(A, y, sample_weight=weight), antecedents)
    counts = np.zeros((len(antecedents) + 1, 2), dtype=int)
    for row, label, w in zip(A, y, weight, strict=True):
        counts[first_rule(row, antecedents), label] += w
    every = (*model.rules, model.default)
    assert [(rule.negatives, rule.positives) for rule in every] == list(map(tuple, counts.tolist()))
    assert model.errors == counts.min(axis=1).sum()
    assert model.weight == weight.sum()
    assert model.objective(0.1) == pytest.approx(model.errors / weight.sum() + 0.1 * len(antecedents))
    for k, rule in enumerate(every):
        total = counts[k] if counts[k].sum() else counts[k:].sum(axis=0)
        total = total if total.sum() else counts.sum(axis=0)
        assert rule.prediction == int(total[1] > total[0])
        assert rule.probability == total[1] / total.sum()
    fired = [first_rule(row, antecedents) for row in A]
    assert model.predict(A).tolist() == [every[k].prediction for k in fired]
    assert model.predict_proba(A)[:, 1].tolist() == [every[k].probability for k in fired]
    explained = model.explain(A)
    assert explained["rule"].tolist() == fired
    assert explained["prediction"].tolist() == model.predict(A).tolist()
    assert explained["probability"].tolist() == model.predict_proba(A)[:, 1].tolist()
    scores = model.evaluate(A, y, sample_weight=weight, regularization=0.1)
    assert (scores.errors, scores.weight) == (model.errors, model.weight)
    assert scores.objective == model.objective(0.1)


@given(cases(st.floats(0, 3).map(lambda w: round(w, 3) + 0.0005)))
def test_fractional_weights(case):
    A, y, weight, antecedents = case
    model = RuleList.from_problem(rl.Problem.from_arrays(A, y, sample_weight=weight), antecedents)
    assert model.errors == pytest.approx(model.evaluate(A, y, sample_weight=weight).errors)
    assert RuleList.from_json(model.to_json()) == model


@pytest.fixture
def mined():
    X, _ = people(200)
    X["smoker"] = X["smoker"].astype(object).where(np.arange(200) % 5 > 0, None)
    y = ((X["age"] < 30) | (X["priors"] > 5)).to_numpy().astype(int)
    B = rl.Binarizer(thresholds=5).fit_transform(X)
    ants = rl.mine_antecedents(B, max_conditions=2)
    problem = rl.Problem.from_antecedents(ants, y)
    return X, B, ants, y, problem


def test_all_tables_give_the_same_predictions(mined):
    X, B, ants, _, problem = mined
    rng = np.random.default_rng(0)
    for _ in range(30):
        model = RuleList.from_problem(problem, rng.choice(len(ants), 4, replace=False))
        A = ants.matrix
        expected = model.fired(A).tolist()
        shuffled = rng.permutation(len(ants.names))
        assert model.fired(A.astype(np.int8)).tolist() == expected
        assert model.fired(A.astype(float)).tolist() == expected
        assert model.fired(pd.DataFrame(A)).tolist() == expected
        assert model.fired(pd.DataFrame(A, columns=ants.names).iloc[:, shuffled]).tolist() == expected
        assert model.fired(B).tolist() == expected
        assert model.fired(B.iloc[:, ::-1].astype(object)).tolist() == expected
        assert model.fired(X).tolist() == expected
        assert model.fired(X.iloc[:, ::-1].assign(other="x")).tolist() == expected
        assert RuleList.from_json(model.to_json()).fired(X).tolist() == expected
        assert model.explain(X.set_index(pd.Index(range(500, 700)))).index[0] == 500


def test_problems_made_from_tables_know_their_conditions(mined):
    X, B, _, y, _ = mined
    chosen = B[[*B.columns[7:2:-1]]].assign(old=(X["age"] > 60).to_numpy())
    problem = rl.Problem.from_arrays(chosen, y)
    model = RuleList.from_problem(problem, [5, 0, 3])
    expected = model.fired(chosen.to_numpy()).tolist()
    assert model.rules[0].conditions == (rl.Condition("old", "==", True),)
    assert [rule.conditions[0].column for rule in model.rules[1:]] == ["age", "age"]
    assert model.fired(chosen.iloc[:, ::-1]).tolist() == expected
    assert model.fired(X.assign(old=chosen["old"])).tolist() == expected
    counted = rl.Problem.from_counts(chosen, y, 1 - y)
    assert counted.conditions == problem.conditions
    assert rl.Problem.from_arrays(chosen.to_numpy(), y).conditions is None
    for foreign in ("sunny", 5, {"a": [1]}, (1, 2)):
        plain = pd.DataFrame(chosen.to_numpy(), columns=chosen.columns)
        plain.attrs = dict.fromkeys((*chosen.attrs, "conditions"), foreign)
        again = rl.Problem.from_arrays(plain, y)
        assert again.fingerprint == problem.fingerprint
        assert RuleList.from_problem(again, [5, 0, 3]).fired(plain).tolist() == expected


def small() -> RuleList:
    A = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    return RuleList.from_problem(rl.Problem.from_arrays(A, [1, 1, 0, 0, 1, 0], names=["one", "two", "a third"]), [0, 2])


def test_text():
    assert str(small()).splitlines() == [
        "if      one     then 1   (right for 2 of 2, 100.0 %)",
        "else if a third then 0   (right for 1 of 2,  50.0 %)",
        "else                 0   (right for 2 of 2, 100.0 %)",
    ]
    assert "then two_year_recid = 1 " in small().to_text(target="two_year_recid")
    weighed = rl.Problem.from_arrays([[1], [0]], [1, 0], sample_weight=[2805817.25, 0.125])
    for line in ("(right for 2805817 of 2805817, 100.0 %)", "(right for   0.125 of   0.125, 100.0 %)"):
        assert line in str(RuleList.from_problem(weighed, [0]))
    assert repr(small()) == "RuleList(2 rules, 1 errors in 6)"
    assert str(RuleList.without_rules((0, 1), 1, 3)) == "always 0   (right for 3 of 4, 75.0 %)"


def test_names_stay_text_and_on_one_line():
    problem = rl.Problem.from_arrays([[1], [0]], [HOSTILE, "z\u202e"], names=[HOSTILE + "\n\x1b[31m\u202e"])
    for make, rules in ((RuleList, [0]), (rl.FallingRuleList, [0]), (rl.RuleSet, [[0]])):
        model = make.from_problem(problem, rules)
        assert len(str(model).splitlines()) == 2
        assert str(model).replace("\n", "").isprintable()
        assert "<img" not in html_of(model)
        assert html.escape(HOSTILE) in html_of(model)


def test_labels_keep_their_type():
    for labels in ((0, 1), ("bad", "good"), (False, True), (-1.0, 1.0)):
        model = RuleList.from_problem(rl.Problem.from_arrays([[1], [0]], labels[::-1]), [0])
        predicted = model.predict([[1], [0]])
        assert predicted.tolist() == list(labels[::-1])
        assert type(predicted.tolist()[0]) is type(labels[0])
        assert type(RuleList.from_json(model.to_json()).classes[0]) is type(labels[0])


@pytest.mark.parametrize("options", [{}, {"violation_penalty": None}, {"violation_penalty": 0.5}])
def test_only_one_class(options):
    family = rl.FallingRuleList if options else RuleList
    model, frame = family.without_rules(("yes",), 5, 0, **options), pd.DataFrame({"any": [1.5, None]})
    assert model.predict(frame).tolist() == ["yes", "yes"]
    assert model.predict_proba(frame).tolist() == [[1.0], [1.0]]
    assert (model.evaluate(frame, ["yes", "yes"]).errors, family.from_json(model.to_json())) == (0, model)


def test_group_rates_of_a_model():
    A = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    scores = small().evaluate(A, [1, 1, 0, 0, 1, 0], groups=["f", "m"] * 3)
    assert scores.groups.loc["f", "accuracy"] == pytest.approx(2 / 3)
    assert scores.groups.loc["m", "errors"] == 0
    assert json.loads(json.dumps(scores.to_dict()))["groups"][0]["group"] == "f"
    assert scores.accuracy == pytest.approx(5 / 6)


def test_tables_that_do_not_fit():
    for table, said in (
        (np.zeros((4, 2)), "2 columns.*3 antecedents"),
        ([1, 0, 1], "shape"),
        ([[1, 0, 0], [1, 0, 7]], "column 2, row 1 holds .*7"),
        (pd.DataFrame({"one": [1], "two": [0]}), "lacks 'a third'"),
        (pd.DataFrame({"one": [1, np.nan], "a third": [0, 0]}), "'one', row 1 holds nan"),
        (pd.DataFrame([[1, 0, 0]], columns=["one", "one", "a third"]), "2 columns named 'one'"),
    ):
        with pytest.raises(ModelError, match=said):
            small().predict(table)


def test_of_a_date_whose_parts_are_lacking_it_is_said_what_makes_them():
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=40), "y": [0, 1] * 20})
    data = rl.datasets.from_frame(frame, "y")
    mined = rl.mine_antecedents(rl.Binarizer().fit_transform(data.X), 1)
    model = RuleList.from_problem(rl.Problem.from_antecedents(mined, data.y), ["day: month == 1"])
    assert model.predict(data.X).sum() == model.predict(rl.datasets.from_frame(frame, "y").X).sum()
    with pytest.raises(ModelError, match=r"lacks 'day: month'.*from_frame makes parts of dates, as of 'day'"):
        model.predict(frame)


def test_raw_tables_that_do_not_fit(mined):
    X, _, ants, _, problem = mined
    model = RuleList.from_problem(problem, [ants.names.index("smoker"), ants.names.index("priors <= 1")])
    with pytest.raises(ModelError, match="lacks 'priors'"):
        model.predict(X.drop(columns="priors"))
    with pytest.raises(ModelError, match="'priors <= 1' cannot be evaluated on the column 'priors'"):
        model.predict(X.assign(priors="many"))
    with pytest.raises(ModelError, match=r"'smoker'.* row 0 holds 'yes'"):
        model.predict(X.assign(smoker="yes"))
    assert (model.predict(X.assign(smoker="True")) == model.predict(X.assign(smoker=True))).all()


def test_labels_and_weights_that_do_not_fit():
    A = [[1, 0, 0], [0, 0, 0]]
    for y, more, said in (
        ([0, 2], {}, "row 1 is .*2.*knows only 0 and 1"),
        ([0, 1, 1], {}, "y has shape"),
        ([0, 1], {"sample_weight": [0, 0]}, "no rows of positive weight"),
        ([0, 1], {"groups": ["a"]}, "groups has 1 rows"),
    ):
        with pytest.raises(ModelError, match=said):
            small().evaluate(A, y, **more)


def test_models_are_made_of_names_too():
    problem = rl.Problem.from_arrays([[1, 0], [0, 1], [1, 1]], [1, 0, 1], ["age > 22", "has debts"])
    several = rl.MultiClassProblem.from_arrays([[1, 0], [0, 1], [1, 1]], [1, 2, 3], ["age > 22", "has debts"])
    for model, source in ((rl.RuleList, problem), (rl.FallingRuleList, problem), (MultiClassRuleList, several)):
        by_name = model.from_problem(source, ["has debts", "age > 22"])
        assert by_name == model.from_problem(source, [1, 0]) == model.from_problem(source, ["has debts", np.int64(0)])
        for wrong, said in (
            (["age > 23"], "no antecedent is called 'age > 23'; the nearest: 'age > 22'"),
            ("age > 22", "not the text 'age > 22'"),
            ([0.5], "an index or a name, not 0.5"),
            ([None], "an index or a name, not None"),
            ([-1], "no antecedent -1"),
            ([2], "no antecedent 2"),
        ):
            with pytest.raises(ModelError, match=said):
                model.from_problem(source, wrong)
    clauses = [["has debts", "age > 22"]]
    assert rl.RuleSet.from_problem(problem, clauses) == rl.RuleSet.from_problem(problem, [[0, 1]])
    with pytest.raises(ModelError, match="no antecedent is called 'debts'; the nearest: 'has debts'"):
        rl.RuleSet.from_problem(problem, [["debts"]])


PROVEN = rl.models.Provenance("limit", 0.5, 0.25, "0f" * 32, "0.2.0")


def test_a_saved_model_says_what_is_proven_of_it(tmp_path):
    model = small().proven(PROVEN)
    model.save(tmp_path / "model.json")
    read = rl.load_model(tmp_path / "model.json")
    assert rl.load_model(str(tmp_path / "model.json")) == read
    assert (read, hash(read), read.provenance) == (small(), hash(small()), PROVEN)
    assert (read.to_json(), read.relabelled(("no", "yes")).provenance) == (model.to_json(), PROVEN)
    assert small().provenance is None
    assert "provenance" not in small().to_dict()
    assert rl.RuleList.from_dict(small().to_dict()).provenance is None, "as of older files"


@pytest.mark.parametrize(("stopped", "status"), [(False, "optimal"), (True, "limit")])
def test_models_of_estimators_say_what_is_proven_of_them(stopped, status, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 8)) < 0.5, rng.integers(0, 2, 300)
    fitted = rl.RuleListClassifier(regularization=0.02, beam_width=2, time_limit=0 if stopped else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted.fit(X, y)
    said = fitted.model_.provenance
    assert (said.status, said.objective, said.lower_bound) == (status, fitted.objective_, fitted.lower_bound_)
    assert said.version == rl.__version__
    assert said.data == rl.Problem.from_antecedents(fitted.antecedents_, y).fingerprint
    fitted.model_.save(tmp_path / "model.json")
    assert rl.load_model(tmp_path / "model.json").provenance == said
    several = rl.RuleListClassifier(several_classes="one list", max_conditions=1).fit(X, np.arange(300) % 3)
    one = rl.models.MultiClassRuleList.from_json(several.model_.to_json())
    assert (one, one.provenance) == (several.model_, several.model_.provenance)
    assert one.provenance is not None
    alone = rl.RuleListClassifier().fit(X, np.ones(300)).model_.provenance
    assert (alone.status, alone.objective, alone.data) == ("optimal", 0.0, None)


def with_entry(data, *path, value):
    """The same data with another value at a path, which is changed in place."""
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return data


def changed(*path, value):
    return with_entry(small().proven(PROVEN).to_dict(), *path, value=value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no saved model"),
        (changed("rules", 0, "probability", value=10**400), "it is too large"),
        *((changed(*path, value=value), message) for path, value, message in cases_beside(__file__)),
    ],
)
def test_malformed_models_are_refused(data, message):
    with pytest.raises(ModelError, match=message):
        parse_model(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe{", "JSON|UTF-8"),
        (b'{"format": "rulelab model", "schema_version": NaN}', "NaN"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 200_000, "200000 lists and objects"),
        (small().to_json()[:-20].encode(), "not valid JSON"),
        (small().to_json().replace('"positives": 2', '"positives": 1e999'), "positives.* finite"),
        (small().to_json().replace('"positives": 2', '"positives": ' + "9" * 5000), "not valid JSON"),
    ],
)
def test_malformed_text_is_refused(text, message):
    with pytest.raises(ModelError, match=message):
        parse_model(text)


def test_labels_json_cannot_hold():
    model = RuleList.without_rules((pd.Timestamp("2020-01-01"),), 1, 0)
    with pytest.raises(ModelError, match="class label"):
        model.to_json()


def test_building_is_fast_enough_for_every_incumbent():
    rng = np.random.default_rng(0)
    counts = []
    for rows, columns in ((50, 20), (400, 200)):
        problem = rl.Problem.from_arrays(rng.random((rows, columns)) < 0.3, rng.random(rows) < 0.5)
        RuleList.from_problem(problem, [1])
        counts.append(calls_in(partial(RuleList.from_problem, problem, range(5))))
    assert counts[0] == counts[1] < 1000
