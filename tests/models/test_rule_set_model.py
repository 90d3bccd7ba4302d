"""Rule sets as models: counts, predictions, text, Python source, JSON."""

import json

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rulelab as rl


@st.composite
def problems_and_clauses(draw) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[int, ...]]]:
    m = draw(st.integers(1, 5))
    n = draw(st.integers(2, 12))
    A = np.array(draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n)))
    y = np.array([True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))])
    weight = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    clause = st.sets(st.integers(0, m - 1), min_size=1).map(lambda c: tuple(sorted(c)))
    return A, y, weight, draw(st.lists(clause, max_size=4, unique=True))


def frame() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"age": rng.integers(18, 80, 120), "sex": rng.choice(["f", "m"], 120), "n": rng.normal(size=120)})
    X.loc[::11, "n"] = np.nan
    return X, np.where((X.age > 50) | (X.sex == "m"), "yes", "no")


def trained(form: str = "dnf") -> tuple[rl.RuleSet, pd.DataFrame, pd.DataFrame, np.ndarray]:
    X, y = frame()
    B = rl.Binarizer(thresholds=4).fit_transform(X)
    names = list(B.columns)
    old = next(j for j, name in enumerate(names) if name.startswith("age >"))
    few = next(j for j, name in enumerate(names) if name.startswith("n <="))
    clauses = [(old, few), (names.index("sex == m"),)]
    return rl.RuleSet.from_problem(rl.Problem.from_arrays(B, y), clauses, form), X, B, y


@settings(max_examples=60)
@given(problems_and_clauses())
def test_dnf_counts_are_those_of_the_definition(case):
    A, y, weight, clauses = case
    model = rl.RuleSet.from_problem(rl.Problem.from_arrays(A, y, sample_weight=weight), clauses)
    w = weight.tolist()
    assert model.hamming_loss == naive.hamming_loss(A, y, w, clauses)
    assert model.errors == naive.zero_one_loss(A, y, w, clauses)
    assert model.complexity == naive.rule_set_complexity(clauses)
    times = np.array(naive.times_covered(A, clauses))
    assert (model.predicts_positive(A) == (times > 0)).all()
    for clause, rule in zip(clauses, model.rules, strict=True):
        rows = naive.clause_rows(A, clause)
        alone = [i for i in rows if times[i] == 1]
        assert (rule.positives, rule.negatives) == (weight[rows][y[rows]].sum(), weight[rows][~y[rows]].sum())
        assert rule.alone_positives == weight[alone][y[alone]].sum()
        assert rule.alone_negatives == weight[alone][~y[alone]].sum()


@settings(max_examples=60)
@given(problems_and_clauses())
def test_cnf_is_the_dnf_of_negated_labels_and_columns(case):
    A, y, weight, clauses = case
    model = rl.RuleSet.from_problem(rl.Problem.from_arrays(A, y, sample_weight=weight), clauses, "cnf")
    mirror = rl.RuleSet.from_problem(rl.Problem.from_arrays(~A, ~y, sample_weight=weight), clauses)
    assert (model.predicts_positive(A) == ~mirror.predicts_positive(~A)).all()
    assert (model.hamming_loss, model.errors) == (mirror.hamming_loss, mirror.errors)
    assert model.complexity == mirror.complexity
    assert [(c.positives, c.negatives, c.alone_positives) for c in model.rules] == [
        (c.negatives, c.positives, c.alone_negatives) for c in mirror.rules
    ]


@settings(max_examples=40)
@given(problems_and_clauses(), st.sampled_from(["dnf", "cnf"]), st.sampled_from(["hamming", "zero_one"]))
def test_evaluation_on_the_training_rows_gives_the_training_objective(case, form, loss):
    A, y, weight, clauses = case
    model = rl.RuleSet.from_problem(rl.Problem.from_arrays(A, y, sample_weight=weight), clauses, form)
    scored = model.evaluate(A, y, sample_weight=weight, regularization=0.5, loss=loss)
    assert (scored.objective, scored.errors) == (model.objective(loss, 0.5), model.errors)
    assert scored.complexity == model.complexity
    assert model.evaluate(A, y).objective is None


def test_probabilities_are_the_proportions_among_rows_of_the_same_answer():
    model, X, _, y = trained()
    predicted = model.predict(X)
    probability = model.predict_proba(X)
    assert probability.shape == (len(X), 2)
    for answer in ("no", "yes"):
        assert np.allclose(probability[predicted == answer, 1], (y[predicted == answer] == "yes").mean())
    assert np.allclose(probability.sum(axis=1), 1)


def test_an_answer_that_no_training_row_got_has_the_base_rate():
    A = np.array([[False, True], [False, True], [False, False]])
    model = rl.RuleSet.from_problem(rl.Problem.from_arrays(A, [1, 0, 0]), [(0,)])
    assert model.predict_proba(np.array([[True, True]]))[0, 1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_explain_names_the_clauses_that_decide(form):
    model, X, _, _ = trained(form)
    told = model.explain(X)
    fired = model.fired(X)
    assert (told.index == X.index).all()
    assert (told.prediction == model.predict(X)).all()
    assert np.allclose(told.probability, model.predict_proba(X)[:, 1])
    for rules, holds, prediction in zip(told.rules, fired, told.prediction, strict=True):
        assert rules == tuple(np.flatnonzero(holds if form == "dnf" else ~holds))
        assert (len(rules) > 0) == (prediction == ("yes" if form == "dnf" else "no"))
    assert told.because[told.rules == (1,)].unique().tolist() == ["sex == m" if form == "dnf" else "fails: sex == m"]


def test_text_says_what_the_form_means():
    dnf, cnf = trained()[0], trained("cnf")[0]
    names = dnf.rules[0].names
    assert dnf.formula() == f"({names[0]} and {names[1]}) or sex == m"
    assert cnf.formula() == f"({names[0]} or {names[1]}) and sex == m"
    first, *clauses = dnf.to_text(target="ill").splitlines()
    assert (first, len(clauses)) == ("ill = yes if any of these hold, else ill = no:", 2)
    assert "covers" in clauses[0]
    assert "rejects" in str(cnf)
    assert "complexity 5" in repr(dnf)


@pytest.mark.parametrize(("form", "answer", "formula"), [("dnf", "no", "never"), ("cnf", "yes", "always")])
def test_without_clauses_the_form_decides(form, answer, formula):
    X, y = frame()
    problem = rl.Problem.from_arrays(rl.Binarizer(thresholds=4).fit_transform(X), y)
    model = rl.RuleSet.from_problem(problem, [], form)
    assert set(model.predict(X)) == {answer}
    assert (str(model), model.formula(), model.complexity) == (f"always {answer}", formula, 0)
    assert (model.hamming_loss, rl.RuleSet.from_dict(model.to_dict())) == (model.errors, model)


@pytest.mark.parametrize(("classes", "weights"), [((1,), (5, 0)), ((0, 1), (2, 3)), ((0, 1), (3, 2))])
def test_a_set_without_a_problem_predicts_the_majority(classes, weights):
    model = rl.RuleSet.without_rules(classes, *weights)
    A = np.zeros((4, 0))
    majority = classes[-1] if weights[0] > weights[1] else classes[0]
    assert model.predict(A).tolist() == [majority] * 4
    assert model.errors == min(weights)
    assert np.allclose(model.predict_proba(A)[:, -1], weights[0] / 5)


@pytest.mark.parametrize(
    ("clauses", "form", "message"),
    [
        ([()], "dnf", "no antecedents"), ([(0, 9)], "dnf", "no antecedent 9"), ([(-1,)], "dnf", "no antecedent -1"),
        ([(0, 1), (1, 0)], "dnf", "twice"), ([(0,)], "both", "'dnf' or 'cnf'"),
    ],
)  # fmt: skip
def test_bad_clauses_are_refused(clauses, form, message):
    problem = rl.Problem.from_arrays(np.array([[True, False], [False, True]]), [1, 0])
    with pytest.raises(rl.errors.ModelError, match=message):
        rl.RuleSet.from_problem(problem, clauses, form)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(form="xor"), "'dnf' or 'cnf'"),
        (lambda d: d.update(n_antecedents=1), "below 1"),
        (lambda d: d.update(n_antecedents=-1), "cannot be negative"),
        (lambda d: d.update(classes=["a", "a"]), "two different"),
        (lambda d: d["rules"][0].update(antecedents=[]), "at least one"),
        (lambda d: d["rules"][0].update(positives=-1), "cannot be negative"),
        (lambda d: d["rules"][0].update(alone_positives=10**6), "more alone"),
        (lambda d: d["rules"].append(d["rules"][0]), "twice"),
        (lambda d: d.update(training=dict.fromkeys(d["training"], 0)), "counts no rows"),
    ],
)
def test_damaged_files_are_refused_by_name(change, message):
    data = json.loads(trained()[0].to_json())
    change(data)
    with pytest.raises(rl.errors.ModelError, match=message):
        rl.RuleSet.from_dict(data)
    with pytest.raises(rl.errors.ModelError, match="zero_one"):
        trained()[0].objective("log")
