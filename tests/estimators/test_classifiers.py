"""The classifiers: scikit-learn's checks, and what they add to the searches."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_estimators import EASY, flowers, people

import rulelab as rl

FALLING = {"regularization": 0.03, "thresholds": 3, "max_conditions": 1}
SET = {"max_complexity": 6, "max_conditions": 2, "thresholds": 3}


@parametrize_with_checks(
    [
        rl.RuleListClassifier(),
        rl.FallingRuleListClassifier(max_conditions=1, thresholds=4),
        rl.FallingRuleListClassifier(max_conditions=1, thresholds=4, method="monte_carlo", iterations=100),
        rl.RuleSetClassifier(max_complexity=6, max_conditions=2, thresholds=4),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "model",
    [
        rl.RuleListClassifier(**EASY),
        rl.FallingRuleListClassifier(**FALLING, positive_weight=3),
        rl.FallingRuleListClassifier(**FALLING, violation_penalty=0.5),
        rl.RuleSetClassifier(**SET),
        rl.RuleSetClassifier(**SET, form="cnf"),
    ],
    ids=["rule list", "falling", "softly falling", "rule set", "cnf"],
)
def test_a_certified_model_of_a_table(model):
    X, y = people()
    fitted = clone(model).fit(X, y, sensitive_features=X["smoker"])
    assert fitted.status_ is rl.Status.OPTIMAL
    assert fitted.gap_ == 0
    assert fitted.objective_ == fitted.lower_bound_
    trace = fitted.trace_
    assert (trace["objective"].diff().dropna() <= 0).all()
    assert (trace["lower_bound"].diff().dropna() >= 0).all()
    assert (trace["work"].diff().dropna() > 0).all()
    assert np.allclose(trace["gap"], trace["objective"] - trace["lower_bound"])
    last = trace.iloc[-1]
    assert (last["objective"], last["errors"]) == (fitted.objective_, fitted.model_.errors)
    assert last["complexity"] == fitted.model_.complexity > 0
    assert (fitted.classes_.tolist(), fitted.feature_names_in_.tolist()) == (["no", "yes"], list(X.columns))
    assert (fitted.predict(X) == y).mean() == 1 - fitted.model_.errors / len(y) > 0.7
    assert np.allclose(fitted.predict_proba(X).sum(axis=1), 1)
    assert fitted.explain(X)["prediction"].tolist() == fitted.predict(X).tolist()
    assert fitted.group_rates_["weight"].sum() == len(X)
    assert cross_val_score(model, X, y, cv=3).min() > 0.6


def test_the_paper_s_search_proves_nothing_and_does_not_warn(recwarn):
    X, y = people()
    fitted = rl.FallingRuleListClassifier(**FALLING, method="monte_carlo", iterations=50, random_state=0).fit(X, y)
    assert fitted.status_ is rl.Status.LIMIT
    assert fitted.gap_ > 0
    assert not [w for w in recwarn if issubclass(w.category, ConvergenceWarning)]
    exact = rl.FallingRuleListClassifier(**FALLING).fit(X, y)
    assert exact.objective_ <= fitted.objective_


@pytest.mark.parametrize("make", [rl.RuleListClassifier, rl.FallingRuleListClassifier])
def test_supports_count_within_a_class_when_asked(make):
    X, y = people()
    options = {**FALLING, "min_support": 0.3}
    plain, by_class = (make(**options, by_class=choice).fit(X, y) for choice in (False, True))
    mined = rl.mine_antecedents(plain.binarizer_.transform(X), max_conditions=1, min_support=0.3, y=y)
    assert by_class.antecedents_.names == mined.names
    assert set(plain.antecedents_.names) < set(by_class.antecedents_.names)
    assert by_class.objective_ <= plain.objective_
    weight = np.arange(len(y)) % 3
    weighted = make(**options, by_class=True).fit(X, y, sample_weight=weight)
    repeated = make(**options, by_class=True).fit(X.loc[X.index.repeat(weight)], y.loc[y.index.repeat(weight)])
    assert weighted.antecedents_.names == repeated.antecedents_.names
    with pytest.raises(ValueError, match="y has 3"):
        make(**options, by_class=True).fit(*flowers())
    with pytest.raises(ValueError, match="by_class must be"):
        make(**options, by_class="yes").fit(X, y)


OF_NOISE = "it asks for what limits of leaves give, which it sets where there are some: trees without them fail, too"


@pytest.mark.long
@parametrize_with_checks(
    [rl.RuleSetClassifier()], expected_failed_checks=lambda _: {"check_class_weight_classifiers": OF_NOISE}
)
def test_scikit_learn_checks_of_default_sets(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("classes", "n"), [(2, 50), pytest.param(3, 24, marks=pytest.mark.long)])
def test_class_weights_are_kept_to_on_the_training_rows(classes, n):
    """With the default complexity; `check_class_weight_classifiers` asks for it of other rows, which are noise."""
    X, y = make_blobs(centers=classes, random_state=0, cluster_std=20)
    weight = {0: 1000} | dict.fromkeys(range(1, classes), 0.0001)
    model = rl.RuleSetClassifier(class_weight=weight).fit(X[:n], y[:n])
    heavy = y[:n] == 0
    assert np.all(model.predict(X[:n])[heavy] == 0)
    assert np.any(model.predict(X[:n])[~heavy] == y[:n][~heavy])


# rule sets with fairness constraints as classifiers -------------------------------------------------------------------


def unfair_to_begin_with() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table on which the set without rules is not fair: all positives are of one group."""
    y = np.array([1] * 10 + [0] * 90)
    X = pd.DataFrame({"a": np.arange(100) % 7, "b": y ^ (np.arange(100) % 10 == 0)})
    return X, y, np.array(["x"] * 20 + ["y"] * 80)


def test_the_trace_has_no_objective_before_the_first_fair_set():
    X, y, groups = unfair_to_begin_with()
    model = rl.RuleSetClassifier(6, fairness=rl.AccuracyParity(0.05), min_group_size=0).fit(
        X, y, sensitive_features=groups
    )
    assert model.status_ is rl.Status.OPTIMAL
    trace = model.trace_
    unknown = trace["objective"].isna()
    assert unknown.iloc[0]
    assert unknown.cummin().equals(unknown)
    assert trace["objective"].iloc[-1] == model.objective_
    assert trace.loc[unknown, ["errors", "complexity", "gap"]].isna().all(axis=None)
    assert trace["lower_bound"].notna().all()


def test_a_limit_before_the_first_fair_set_says_what_to_do():
    X, y, groups = unfair_to_begin_with()
    model = rl.RuleSetClassifier(6, fairness=rl.AccuracyParity(0.05), time_limit=0.0, min_group_size=0)
    with pytest.raises(ValueError, match=r"time limit of 0 s .* AccuracyParity.*: loosen it, or raise the limit"):
        model.fit(X, y, sensitive_features=groups)


def test_a_constraint_that_no_set_meets_is_refused():
    y = np.array([1, 0, 1, 1, 0, 0])
    groups = np.array(["x", "x", "y", "y", "y", "y"])
    X = pd.DataFrame({"a": groups == "x", "b": [True, False, True, True, True, True]})
    models = [rl.RuleSetClassifier(4, fairness=rl.AccuracyParity(limit), min_group_size=0) for limit in (0.0, 1.0)]
    y = np.array([1, 1, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="cannot meet its constraints"):
        models[0].fit(X[["b"]], y, sensitive_features=groups)
    assert models[1].fit(X[["b"]], y, sensitive_features=groups).status_ is rl.Status.OPTIMAL
