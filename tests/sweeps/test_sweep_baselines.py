"""Baselines of a sweep against the same classifiers fitted by hand; sizes of trees against their own rules."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from c50py import C5Classifier, C5RulesClassifier
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import seeds
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, export_text
from test_sweep import DATA, waited
from wittgenstein import RIPPER

import rulelab as rl
from rulelab.papers.figure import installed
from rulelab.sweeps import BASELINES
from rulelab.sweeps.baselines import tree_size
from rulelab.sweeps.plan import make_plan

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:fairlearn")

PLAN = make_plan(DATA, 3, "group", None, 5, None, 0.0)
BY_HAND = {
    "cart": ({"max_leaf_nodes": [5]}, DecisionTreeClassifier(max_leaf_nodes=5, random_state=5)),
    "random_forest": ({"n_estimators": [20]}, RandomForestClassifier(20, random_state=5)),
    "logistic_regression": ({"C": [0.5]}, LogisticRegression(C=0.5, max_iter=1000)),
    "svm": ({"C": [0.5]}, SVC(C=0.5)),
    "adaboost": ({"n_estimators": [10]}, AdaBoostClassifier(n_estimators=10, random_state=5)),
}


@pytest.fixture(scope="module")
def sweep() -> rl.Sweep:
    grids = {name: grid for name, (grid, _) in BY_HAND.items()}
    fair = {"exponentiated_gradient": {"criterion": ["equalized_odds"], "eps": [0.05]}, "threshold_optimizer": None}
    grid = {"regularization": [0.1], "thresholds": [4]}
    out = waited(rl.sweep(DATA, grid=grid, cv=3, sensitive="group", baselines=grids | fair, random_state=5))
    assert out.progress.failed == 0
    return out


def conditions(fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the training and of the test rows, with the thresholds that the grid holds fixed."""
    train, test = (np.flatnonzero(rows) for rows in (fold != PLAN.fold_of, fold == PLAN.fold_of))
    binarizer = rl.Binarizer(thresholds=4).fit(DATA.X.iloc[train])
    return tuple(binarizer.transform(DATA.X.iloc[rows]).to_numpy(float) for rows in (train, test))


def only(sweep: rl.Sweep, name: str, fold: int) -> pd.Series:
    """The row of a baseline with one configuration."""
    (at,) = np.flatnonzero((sweep.frame["family"] == name) & (sweep.frame["fold"] == fold))
    return sweep.frame.iloc[at]


@pytest.mark.long
@pytest.mark.parametrize("name", BY_HAND)
def test_baselines_are_scikit_learns_on_the_same_folds(sweep, name):
    for fold in range(3):
        train, test = conditions(fold)
        here = fold == PLAN.fold_of
        model = BY_HAND[name][1].fit(train, PLAN.y[~here])
        row = only(sweep, name, fold)
        assert row.baseline
        assert row.status == "fitted"
        assert row.test_accuracy == accuracy_score(PLAN.y[here], model.predict(test))
        assert row.train_accuracy == accuracy_score(PLAN.y[~here], model.predict(train))


@pytest.mark.long
def test_fair_baselines_are_fairlearns(sweep):
    train, test = conditions(0)
    here = PLAN.fold_of == 0
    y, groups = PLAN.y.astype(int), PLAN.groups
    tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=5)
    reduced = ExponentiatedGradient(tree, EqualizedOdds(difference_bound=0.05))
    reduced.fit(train, y[~here], sensitive_features=groups[~here])
    thresholds = ThresholdOptimizer(
        estimator=LogisticRegression(max_iter=1000),
        constraints="true_positive_rate_parity",
        predict_method="predict_proba",
    ).fit(train, y[~here], sensitive_features=groups[~here])
    predicted = {
        "exponentiated_gradient": reduced.predict(test, random_state=5),
        "threshold_optimizer": thresholds.predict(test, sensitive_features=groups[here], random_state=5),
    }
    for name, expected in predicted.items():
        assert only(sweep, name, 0).test_accuracy == accuracy_score(y[here], expected)


@pytest.mark.long
def test_only_trees_have_a_complexity_and_no_baseline_has_a_model(sweep):
    baselines = sweep.frame[sweep.frame["baseline"]]
    assert set(baselines.loc[baselines["complexity"].notna(), "family"]) == {"cart"}
    assert baselines["model"].isna().all()
    assert set(sweep.pareto()["family"]) == {"rule_list"}
    best = sweep.points()["accuracy"].max()
    assert sweep.pareto("accuracy", "equalized_odds_gap", baselines=True)["accuracy"].max() == best


@settings(max_examples=30)
@given(seeds, st.integers(2, 12))
def test_the_size_of_a_tree_is_that_of_the_rules_of_one_class(seed, leaves):
    rng = np.random.default_rng(seed)
    X, y = rng.random((40, 5)) < 0.5, rng.random(40) < 0.4
    y[0], y[1] = True, False
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    depths = {"True": [], "False": []}
    for line in export_text(tree, max_depth=100).splitlines():
        path, _, label = line.partition("class: ")
        if label:
            depths[label].append(path.count("|   "))
    assert tree_size(tree) == min(((len(found), sum(found)) for found in (depths["False"], depths["True"])), key=sum)


@pytest.mark.long
def test_rivals_are_those_of_their_packages_and_their_rules_are_counted():
    grid = {"regularization": [0.1], "thresholds": [4]}
    rivals = ["ripper", "c45_rules", "c50"]
    one = waited(rl.sweep(DATA, grid=grid, cv=3, sensitive="group", baselines=rivals, random_state=5))
    here = PLAN.fold_of == 0
    train, test = (part.astype(int) for part in conditions(0))
    names = [f"c{i}" for i in range(train.shape[1])]
    ripper = RIPPER(k=2, random_state=5)
    ripper.fit(pd.DataFrame(train, columns=names), PLAN.y[~here], pos_class=True)
    rules = C5RulesClassifier().fit(train.astype(np.float32), PLAN.y[~here])
    expected = {
        "ripper": (ripper.predict(pd.DataFrame(test, columns=names)), ripper.ruleset_.rules, "conds"),
        "c45_rules": (rules.predict(test.astype(np.float32)), rules.rules_, "conditions"),
    }
    for name, (predicted, found, of_rule) in expected.items():
        row = only(one, name, 0)
        assert (row.test_accuracy, row.rules) == (accuracy_score(PLAN.y[here], predicted), len(found))
        assert row.complexity == len(found) + sum(len(getattr(rule, of_rule)) for rule in found)
    tree, row = C5Classifier().fit(train.astype(np.float32), PLAN.y[~here]), only(one, "c50", 0)
    assert row.test_accuracy == accuracy_score(PLAN.y[here], tree.predict(test.astype(np.float32)))
    ends = pd.DataFrame(leaves(tree.tree_), columns=["label", "depth"]).groupby("label")["depth"].agg(["size", "sum"])
    assert (row.rules, row.complexity) == min((n, n + conditions) for n, conditions in ends.itertuples(index=False))


def leaves(node: Any, depth: int = 0) -> list[tuple[Any, int]]:
    """Label and depth of each."""
    if node.is_leaf:
        return [(node.predicted_class, depth)]
    children = node.children.values() if isinstance(node.children, dict) else node.children
    return [leaf for child in children for leaf in leaves(child, depth + 1)]


@pytest.mark.parametrize("name", ["ripper", "c45_rules", "c50", "threshold_optimizer"])
def test_what_a_package_is_needed_for_says_so(monkeypatch, name):
    monkeypatch.setattr("importlib.util.find_spec", lambda package: None)
    with pytest.raises(rl.sweeps.SweepError, match=f"{name} needs the package {BASELINES[name].packages[-1]}"):
        rl.sweep(DATA, cv=3, sensitive="group", baselines=[name])
    there, rows = installed(name)  # what the figures of papers do with a baseline, and what they say they need
    assert (there, [row["source"] for row in rows]) == ([], [f"needs: {BASELINES[name].packages[-1]}"])


def greedy_by_hand(antecedents: np.ndarray, y: np.ndarray, most: int) -> tuple[int, int]:
    """Errors and rules of a greedy list, row by row."""
    free, own = np.ones(len(y), dtype=bool), 0

    def missed(rows: np.ndarray) -> int:
        return min(int(y[rows].sum()), int((~y[rows]).sum()))

    found = [(missed(free), 0)]
    for length in range(1, most + 1):
        told = [
            (own + missed(free & column) + missed(free & ~column), missed(free & column), -int((free & column).sum()))
            for column in antecedents.T
        ]
        best = told.index(min(told))
        own += missed(free & antecedents[:, best])
        free &= ~antecedents[:, best]
        found.append((told[best][0], length))
    return min(found)


def test_greedy_lists_are_made_rule_by_rule_of_the_antecedents_of_the_certified_ones():
    data, sizes = rl.datasets.load("breast_cancer"), [1, 2, 3, 4]
    grid = {"max_length": sizes, "thresholds": [3], "max_conditions": [1], "regularization": [0.0001]}
    found = waited(rl.sweep(data, grid=grid, cv=0, baselines={"greedy_list": {"max_length": sizes}}))
    assert found.progress.failed == 0
    conditions = rl.Binarizer(thresholds=3).fit_transform(data.X)
    mined = rl.mine_antecedents(conditions, max_conditions=1)
    problem, y = rl.Problem.from_antecedents(mined, data.y), data.y.to_numpy() == 1
    columns = conditions[list(problem.names)].to_numpy(bool)
    rows = found.frame.set_index(["family", "max_length"])
    for most in sizes:
        greedy, best = rows.loc[("greedy_list", most)], rows.loc[("rule_list", most)]
        assert (greedy["train_errors"], greedy["rules"]) == greedy_by_hand(columns, y, most)
        assert greedy["train_errors"] >= best["train_errors"]
        assert greedy["conditions"] == greedy["rules"]
    assert len(set(rows.loc["greedy_list"]["train_errors"])) > 2


def test_the_compas_score(shared, monkeypatch):
    monkeypatch.setenv("RULELAB_DATA_HOME", str(shared / "data"))
    data = rl.datasets.load("compas")
    plan = make_plan(data, 10, "race", None, 0, None, 0.0)
    method, positive = BASELINES["compas_score"], data.extra["decile_score"].to_numpy() >= 5
    for index in (0, 9):
        fold = plan.fold(index)
        fitted = method.fit(fold, {}, plan, None, lambda: False)
        assert np.array_equal(fitted.test, positive[fold.test.rows])
        assert np.array_equal(fitted.train, positive[fold.train.rows])


def test_groups_that_are_not_compared_are_one_group_to_fair_baselines():
    plan = make_plan(DATA, 3, "group", None, 0, None, 0.0)
    assert plan.compared == ("one", "two")
    rng = np.random.default_rng(0)
    names = rng.choice(["a", "b", "c", "d"], len(DATA.y))
    data = replace(DATA, sensitive=pd.DataFrame({"group": names}))
    asked = {"grid": {"regularization": [0.1]}, "cv": 2, "sensitive": "group", "baselines": ["threshold_optimizer"]}
    sweep = waited(rl.sweep(data, groups=["b", "a"], **asked))
    merged = replace(DATA, sensitive=pd.DataFrame({"group": np.where(np.isin(names, ["a", "b"]), names, "e")}))
    other = waited(rl.sweep(merged, **asked))
    assert sweep.progress.failed == 0
    assert sweep.frame["test_errors"].tolist() == other.frame["test_errors"].tolist()
    assert set(sweep.rates(0).index) == {"a", "b", "c", "d"}
