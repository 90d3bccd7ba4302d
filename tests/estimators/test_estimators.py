"""The scikit-learn face: the tables people have, and the cases other tools get wrong."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import rulelab as rl

SMALL = {"max_conditions": 1, "thresholds": 4}
EASY = {"regularization": 0.04, "thresholds": 4}
ONES = np.ones((6, 2), dtype=bool)


def people(n: int = 240) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n).astype(float),
            "sex": rng.choice(["Male", "Female"], n),
            "smoker": rng.choice([True, False], n),
            "priors": rng.integers(0, 9, n),
            "city": pd.Categorical(rng.choice(["A", "B", "C"], n)),
            "visits": pd.array(rng.integers(0, 4, n), dtype="Int64"),
        }
    )
    y = pd.Series(np.where((X["age"] < 30) & (X["sex"] == "Male") | (X["priors"] > 6), "yes", "no"), name="again")
    X.loc[::7, "age"] = np.nan
    X.loc[::9, "sex"] = None
    X.loc[::11, "visits"] = pd.NA
    return X, y


@pytest.fixture(scope="module")
def fitted():
    X, y = people()
    return rl.RuleListClassifier(**EASY).fit(X, y, sensitive_features=X["smoker"])


def test_group_rates_are_reported_and_not_used(fitted):
    X, y = people()
    rates = fitted.group_rates_
    assert list(rates.index) == ["False", "True"]
    assert rates["errors"].sum() == fitted.model_.errors
    without = clone(fitted).fit(X, y)
    assert (without.model_, without.group_rates_) == (fitted.model_, None)


def test_columns_that_are_numbered_are_read_by_their_numbers():
    X, y = people()
    numbered = X.set_axis(range(6), axis=1)
    model = rl.RuleListClassifier(**EASY).fit(numbered, y)
    assert model.predict(numbered.iloc[:, ::-1]).tolist() == model.predict(numbered).tolist()
    with pytest.raises(ValueError, match="lacks 'x0'"):
        model.predict(numbered.drop(columns=0))


def test_a_table_and_its_array_give_the_same():
    data = load_breast_cancer(as_frame=True)
    X, y = data.data.iloc[:, :6], data.target
    of_frame = rl.RuleListClassifier(regularization=0.03, **SMALL).fit(X, y)
    of_array = rl.RuleListClassifier(regularization=0.03, **SMALL).fit(X.to_numpy(), y.to_numpy())
    assert of_frame.objective_ == of_array.objective_
    assert of_frame.predict(X).tolist() == of_array.predict(X.to_numpy()).tolist()
    with pytest.warns(UserWarning, match="feature names"):
        assert of_frame.predict(X.to_numpy()).tolist() == of_frame.predict(X).tolist()
    with pytest.warns(UserWarning, match="feature names"):
        assert of_array.predict(X).tolist() == of_frame.predict(X).tolist()


def test_boolean_columns_are_used_as_they_are():
    X, y = people()
    B = rl.Binarizer(thresholds=4).fit_transform(X)
    of_frame = rl.RuleListClassifier(**EASY).fit(B, y)
    of_array = rl.RuleListClassifier(**EASY).fit(B.to_numpy(), y)
    assert of_frame.binarizer_ is None
    assert of_frame.objective_ == of_array.objective_
    assert of_array.predict(B.to_numpy()).tolist() == of_frame.predict(B).tolist()
    assert of_frame.predict(B.iloc[:, ::-1]).tolist() == of_frame.predict(B).tolist()
    assert of_frame.model_.predict(X).tolist() == of_frame.predict(B).tolist()


@pytest.mark.parametrize("make", [rl.RuleListClassifier, rl.FallingRuleListClassifier, rl.RuleSetClassifier])
@pytest.mark.parametrize("label", [0, 1, "only", True])
def test_one_class_gives_a_default_only_model(make, label):
    X, _ = people(30)
    model = make().fit(X, [label] * 30)
    assert (len(model.model_), (model.objective_, model.lower_bound_, model.gap_)) == (0, (0, 0, 0))
    assert model.status_ is rl.Status.OPTIMAL
    assert model.predict(X).tolist() == [label] * 30
    assert (model.predict_proba(X).tolist(), model.trace_["objective"].tolist()) == ([[1.0]] * 30, [0])
    assert model.nothing_found_ == "the rows hold a single class"


def test_a_class_of_weight_zero():
    X, y = people(30)
    model = rl.RuleListClassifier().fit(X, y, sample_weight=(y == "yes").astype(float))
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) == {"yes"}
    assert model.predict_proba(X).tolist() == [[0.0, 1.0]] * 30
    assert set(rl.RuleListClassifier(class_weight={"yes": 0, "no": 1}).fit(X, y).predict(X)) == {"no"}


@pytest.mark.parametrize(
    "X", [pd.DataFrame({"a": [1.0] * 6, "b": ["x"] * 6}), np.zeros((6, 3)), ONES, pd.DataFrame({"a": [np.nan] * 6})]
)
@pytest.mark.parametrize("make", [rl.RuleListClassifier, rl.FallingRuleListClassifier, rl.RuleSetClassifier])
def test_constant_columns_give_a_default_only_model(make, X):
    y, of_sets = [1, 1, 0, 1, 0, 1], make is rl.RuleSetClassifier
    with pytest.warns(UserWarning, match="only its default: no (column|conjunction)"):
        model = make().fit(X * 1 if of_sets and X is ONES else X, y)  # sets take Boolean columns as they are
    assert len(model.model_) == 0
    assert model.status_ is rl.Status.OPTIMAL
    assert model.objective_ == model.lower_bound_ == (2 if of_sets else 2 / 6)
    assert model.predict(X).tolist() == [1] * 6
    assert model.predict_proba(X)[:, 1] == pytest.approx(4 / 6)


def test_no_antecedent_within_the_limits_gives_a_default_only_list():
    X, y = people()
    with pytest.warns(UserWarning, match="only its default: no conjunction .* lower min_support"):
        model = rl.RuleListClassifier(min_support=0.95, max_support=0.97).fit(X, y, sample_weight=(y == "no") + 0.5)
    assert "lower min_support" in model.nothing_found_
    assert model.status_ is rl.Status.OPTIMAL
    assert model.antecedents_ is None
    counts = y.value_counts()
    assert (model.model_.default.negatives, model.model_.default.positives) == (1.5 * counts["no"], 0.5 * counts["yes"])
    assert set(model.predict(X)) == {"no"}
    assert rl.RuleListClassifier(**EASY).fit(X, y).nothing_found_ is None


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.eye(4), [1] * 4),
        (np.eye(4) > 0, ["a"] * 4),
        (np.ones((4, 2)), [0, 1] * 2),
        (np.ones((4, 2)) > 0, [0, 1] * 2),
    ],
)
@pytest.mark.parametrize("name", ["regularization", "max_length", "time_limit", "max_conditions", "thresholds"])
def test_parameters_are_checked_even_when_there_is_nothing_to_search(X, y, name):
    with pytest.raises(ValueError, match=f"{name} must be"):
        rl.RuleListClassifier(**{name: -1}).fit(X, y)


def test_limits_warn_and_tell_the_gap():
    X, _ = people()
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    with pytest.warns(ConvergenceWarning, match="time limit was reached"):
        model = rl.RuleListClassifier(0.005, time_limit=0.0, beam_width=0).fit(X, noise)
    assert model.status_ is rl.Status.LIMIT
    assert model.gap_ > 0
    assert model.lower_bound_ < model.objective_ == model.model_.objective(0.005)
    with pytest.warns(ConvergenceWarning, match="gap limit was reached"):
        model = rl.RuleListClassifier(0.005, gap=0.44, beam_width=0, **SMALL).fit(X, noise)
    assert 0 < model.gap_ <= 0.44


def test_pipeline_grid_search_and_cross_validation():
    data = load_breast_cancer()
    X, y = data.data[:, :5].copy(), data.target
    X[::13, 2] = np.nan
    pipeline = make_pipeline(SimpleImputer(), rl.RuleListClassifier(**SMALL))
    scores = cross_val_score(pipeline, X, y, cv=3)
    assert scores.min() > 0.8
    grid = GridSearchCV(rl.RuleListClassifier(**SMALL), {"regularization": [0.02, 0.3]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"regularization": 0.02}
    assert grid.best_estimator_.status_ is rl.Status.OPTIMAL


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (np.eye(4), [0, 1, 1, 0], {"class_weight": {0: -1, 1: 1}}, "class_weight"),
        (np.eye(4), [0, 1, 1, 0], {"class_weight": {0: 0, 1: 0}}, "class_weight is zero"),
        (np.eye(4), [0, 1, 1, 0], {"class_weight": "even"}, "class_weight"),
        (np.eye(4), [0.1, 0.2, 0.3, 0.4], {}, "continuous"),
        (np.eye(4), [0, 1, np.nan, 0], {}, "NaN"),
        (np.eye(4), [0, 1, 0], {}, "inconsistent numbers of samples"),
        (np.array([[np.inf], [1.0], [0.0], [2.0]]), [0, 1, 0, 1], {}, "infinity"),
        (pd.DataFrame({"a": [np.inf, 1, 0, 2]}), [0, 1, 0, 1], {}, "'a' is infinite in row 0"),
        (pd.DataFrame(np.eye(4)[:, :2], columns=["a", "a"]), [0, 1, 0, 1], {}, "unique column names, got:\n- 'a'"),
        (np.eye(4) > 0, [0, 1, 0, 1], {"max_conditions": 7}, "max_conditions"),
    ],
)
def test_bad_input_is_refused(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        rl.RuleListClassifier(**options).fit(X, y)


def test_bad_weights_and_groups():
    X, y = np.eye(4) > 0, [0, 1, 0, 1]
    for weight, message in (([1, 1, 1], "shape"), ([1, 1, -1, 1], "Negative"), ([0, 0, 0, 0], "zero")):
        with pytest.raises(ValueError, match=message):
            rl.RuleListClassifier().fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="inconsistent"):
        rl.RuleListClassifier().fit(X, y, sensitive_features=["a"])


def flowers() -> tuple[pd.DataFrame, pd.Series]:
    data = load_iris(as_frame=True)
    return data.data, pd.Series(data.target_names[data.target], name="kind")


def test_several_classes_have_an_optimal_list_each():
    X, y = flowers()
    model = rl.RuleListClassifier(regularization=0.02, thresholds=4).fit(X, y, sensitive_features=X.iloc[:, 0] > 6)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.status_ is rl.Status.OPTIMAL
    assert model.gap_.tolist() == [0, 0, 0]
    for k, label in enumerate(model.classes_):
        alone = rl.RuleListClassifier(regularization=0.02, thresholds=4).fit(X, y == label)
        assert model.models_[k].antecedents == alone.model_.antecedents
        assert model.objective_[k] == alone.objective_
        assert model.trace_[model.trace_["class"] == label]["objective"].iloc[-1] == alone.objective_
        expected = alone.predict_proba(X)[:, 1]
        others = np.column_stack([m.predict_proba(X)[:, 1] for m in model.models_]).sum(axis=1)
        assert np.allclose(model.predict_proba(X)[:, k] * others, expected)
    assert model.score(X, y) > 0.9
    assert (model.predict(X) == model.classes_[model.predict_proba(X).argmax(axis=1)]).all()
    assert model.group_rates_.index.names == ["class", "group"]
    because = model.explain(X)
    assert because["class"].tolist() == model.predict(X).tolist()
    assert because.index.tolist() == X.index.tolist()
    with pytest.raises(AttributeError, match="models_"):
        _ = model.model_


def test_a_class_of_several_without_weight_is_never_predicted():
    X, y = flowers()
    weight = (y != "setosa").astype(int)
    model = rl.RuleListClassifier(regularization=0.02, thresholds=4).fit(X, y, sample_weight=weight)
    assert set(model.predict(X)) == {"versicolor", "virginica"}
    assert model.predict_proba(X)[:, 0].max() == 0


def test_class_weights_are_sample_weights():
    X, y = people()
    options = {"regularization": 0.03, "thresholds": 4}
    by_class = rl.RuleListClassifier(**options, class_weight={"yes": 3, "no": 1}).fit(X, y)
    antecedents = by_class.antecedents_
    search = rl.RuleListSearch(
        rl.Problem.from_antecedents(antecedents, y, sample_weight=np.where(y == "yes", 3, 1)), regularization=0.03
    )
    assert by_class.objective_ == rl.solve(search).incumbent.objective
    assert by_class.antecedents_.names == rl.RuleListClassifier(**options).fit(X, y).antecedents_.names
    balanced = rl.RuleListClassifier(**options, class_weight="balanced").fit(X, y)
    assert balanced.model_.default.positives + sum(r.positives for r in balanced.model_.rules) == pytest.approx(120)
    assert balanced.status_ is rl.Status.OPTIMAL


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
@pytest.mark.parametrize("estimator", [rl.RuleListClassifier, rl.FallingRuleListClassifier, rl.RuleSetClassifier])
def test_any_dataframe_gives_the_same_model_by_name(make, estimator):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 70, 120), "sex": rng.choice(["f", "m", None], 120)})
    X["score"] = np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120))
    y = ((X.age > 40) ^ (rng.random(120) < 0.1)).astype(int)
    known = estimator(time_limit=20).fit(X, y, sensitive_features=X.sex)
    other = estimator(time_limit=20).fit(make(X), y, sensitive_features=make(X[["sex"]]))
    pd.testing.assert_frame_equal(other.group_rates_, known.group_rates_)
    assert list(other.feature_names_in_) == list(X.columns)
    assert other.model_.to_text() == known.model_.to_text()
    assert (other.predict(make(X)) == known.predict(X)).all()
    assert (other.predict(make(X[["score", "sex", "age"]])) == known.predict(X)).all()


def test_rows_given_as_lists_keep_the_types_of_their_cells():
    X, y = people()
    X = X.dropna()
    y = y.loc[X.index]
    known = rl.RuleListClassifier(**EASY).fit(X, y)
    rows = X.to_numpy(dtype=object).tolist()
    for asked in (rows, list(map(tuple, rows)), np.array(rows, dtype=object)):
        found = rl.RuleListClassifier(**EASY).fit(asked, y)
        assert found.objective_ == known.objective_
        assert (found.predict(asked) == known.predict(X)).all()
        numbered = [f"x{k}" for k in range(X.shape[1])]
        assert found.binarizer_.conditions_ == rl.Binarizer(4).fit(X.set_axis(numbered, axis=1)).conditions_


@pytest.mark.parametrize(
    "make", [lambda X: X.astype("str"), lambda X: X.to_numpy(dtype=str), lambda X: X.astype(str).values.tolist()]
)
def test_numbers_written_as_text_are_taken_for_categories_and_this_is_said(make):
    X, y = pd.DataFrame({"a": np.arange(60) % 7, "code": ["01", "02", "10"] * 20}), np.arange(60) % 2
    with pytest.warns(UserWarning, match="column '(a|x0)' holds numbers written as text") as heard:
        rl.RuleListClassifier(regularization=0.1).fit(make(X), y)
    assert len(heard) == 1


def in_order(gaps: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows that are positive from the third of five levels on, in the second half of a year."""
    rng = np.random.default_rng(0)
    codes, days = rng.integers(0, 5, 300), rng.integers(0, 365, 300)
    grade = pd.Categorical.from_codes(codes, list("edcba"), ordered=True)
    when = pd.Series(pd.Timestamp("2024-01-01 10:00") + pd.to_timedelta(days, "D"))
    X = pd.DataFrame({"grade": grade, "when": when, "noise": rng.random(300)})
    y = (codes >= 2) & (when.dt.month.to_numpy() > 6)
    return (X.mask(rng.random(X.shape) < 0.05) if gaps else X), y


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    "classifier",
    [
        rl.RuleListClassifier(thresholds={"when: month": [6]}, regularization=0.01),
        rl.FallingRuleListClassifier(thresholds={"when: month": [6]}, regularization=0.01),
        rl.RuleSetClassifier(thresholds={"when: month": [6]}, max_complexity=4),
    ],
)
def test_dates_have_parts_and_categories_in_an_order_are_cut_along_it(classifier, gaps):
    X, y = in_order(gaps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(classifier).fit(X, y)
    assert all(name in str(model.model_) for name in ("grade: at most d", "when: month"))
    assert model.n_features_in_ == 3
    said = model.predict(X)
    assert (said == y).mean() == (1 if not gaps else pytest.approx(1, abs=0.08))
    as_text = X.assign(grade=X["grade"].astype(object), when=X["when"].dt.strftime("%Y-%m-%d %H:%M:%S"))
    assert (model.predict(as_text) == said).all(), "as in a file"
    assert (model.predict(X.iloc[[7]]) == said[7]).all(), "a row at a time"
    assert (pickle.loads(pickle.dumps(model)).predict(X[["noise", "when", "grade"]]) == said).all()
    assert rl.stability(clone(classifier), X, y, n_samples=1).rules["returns"].max() == 1
    with pytest.raises(ValueError, match="column 'grade' holds 'f' in row 0, which is none of e, d, c, b, a"):
        model.predict(X.assign(grade="f"))
    with pytest.raises(ValueError, match="column 'when' held dates or times when fitted"):
        model.predict(X.assign(when=1.5))
    with pytest.raises(ValueError, match="it could be the month"):
        model.predict(X.assign(when="05/01/2024 10:00"))
    with pytest.raises(ValueError, match="'when: year' is there already beside 'when'"):
        clone(classifier).fit(X.assign(**{"when: year": 1}), y)


def test_columns_that_no_rule_uses_may_be_missing():
    X, y = people()
    for model in (
        rl.RuleListClassifier(**EASY).fit(X, y),
        rl.RuleListClassifier(**EASY).fit(X, y.map(str) + X["sex"].eq("Male").map(str)),
    ):
        used = {c.column for one in model.models_ for rule in one.rules for c in rule.conditions}
        assert 0 < len(used) < X.shape[1]
        few = X[sorted(used, reverse=True)]
        assert (model.predict(few) == model.predict(X)).all()
        assert (model.predict_proba(few.assign(new=1)) == model.predict_proba(X)).all()
        assert model.explain(few).equals(model.explain(X))
        with pytest.raises(rl.errors.ModelError, match=f"lacks '{min(used)}'"):
            model.predict(few.drop(columns=min(used)))


@pytest.mark.parametrize("make", [lambda X: X, lambda X: X.to_numpy(dtype=object)])
def test_no_rows_have_no_predictions(make):
    X, y = people()
    X, y = X.dropna(), y[X.notna().all(axis=1)]
    for model in (
        rl.RuleListClassifier(**EASY),
        rl.FallingRuleListClassifier(**EASY),
        rl.RuleSetClassifier(max_complexity=4, **SMALL),
    ):
        model.fit(make(X), y)
        assert model.predict(make(X)[:0]).shape == (0,)
        assert (model.predict_proba(make(X)[:0]).shape, len(model.explain(make(X)[:0]))) == ((0, 2), 0)
        assert model.binarizer_.transform(make(X)[:0]).shape == (0, len(model.binarizer_.conditions_))


def test_groups_may_be_named_by_columns():
    X, y = people()
    fair = {**EASY, "fairness": rl.DemographicParity(0.2), "min_group_size": 0}
    known = rl.RuleListClassifier(**fair).fit(X.drop(columns="sex"), y, sensitive_features=X["sex"])
    for named in ("sex", ["sex"]):
        found = rl.RuleListClassifier(**fair).fit(X, y, sensitive_features=named)
        assert found.model_ == known.model_
        assert found.group_rates_.equals(known.group_rates_)
        assert (found.predict(X) == known.predict(X)).all()
        assert "sex" not in found.feature_names_in_
    both = rl.RuleListClassifier(**EASY).fit(X, y, sensitive_features=["sex", "smoker"])
    assert "Male, True" in both.group_rates_.index
    with pytest.raises(ValueError, match="sensitive_features is 'sexx', but X has the columns 'age', 'sex'"):
        rl.RuleListClassifier(**EASY).fit(X, y, sensitive_features="sexx")
    with pytest.raises(ValueError, match="X has no named columns"):
        rl.RuleListClassifier(**EASY).fit(X.to_numpy(dtype=object), y, sensitive_features="sex")
    with pytest.raises(ValueError, match="sensitive_features holds a single one: 'a'"):
        rl.RuleListClassifier(**fair).fit(X, y, sensitive_features=["a"] * len(X))


def test_rounding_alone_is_no_warning():
    X, y = people()
    weight = np.random.default_rng(0).random(len(X)) / 3
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        AdaBoostClassifier(rl.RuleListClassifier(**EASY), n_estimators=4).fit(rl.Binarizer(4).fit_transform(X), y)
        model = rl.RuleListClassifier(**EASY).fit(X, y, sample_weight=weight)
    assert model.gap_ < 1e-9
