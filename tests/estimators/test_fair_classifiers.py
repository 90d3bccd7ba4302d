"""Rule sets with fairness constraints as classifiers: every criterion, kinds of weights, groups, and no fair set."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import rulelab as rl

CRITERIA = [
    rl.EqualOpportunity(0.1),
    rl.EqualizedOdds(0.1, 0.1),
    rl.DemographicParity(0.1),
    rl.FalsePositiveRateParity(0.1),
    rl.AccuracyParity(0.1),
]
WEIGHTS = {
    "unit": {},
    "balanced": {"class_weight": "balanced"},
    "half": {"sample_weight": np.where(np.arange(60) % 3 == 0, 1.5, 1.0)},
}
SMALL = {"min_group_size": 0, "max_complexity": 5, "max_conditions": 2, "time_limit": 20.0}


def rows(groups: int, n: int = 60) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(groups)
    matrix = rng.random((n, 4)) < 0.5
    y = (matrix[:, 0] ^ (rng.random(n) < 0.25)).astype(int)
    return pd.DataFrame(matrix, columns=list("abcd")), y, np.array(list("xyz"))[np.arange(n) % groups]


def difference(model: rl.RuleSetClassifier, X: pd.DataFrame, y: np.ndarray, groups: np.ndarray, weight: np.ndarray):
    """Largest difference in accuracy between two groups, and in how often each class is predicted positive."""
    predicted = model.predict(X)
    shares = []
    for values, of in ((predicted == y, y >= 0), (predicted == 1, y == 1), (predicted == 1, y == 0)):
        each = [np.average(values[of & (groups == g)], weights=weight[of & (groups == g)]) for g in np.unique(groups)]
        shares.append(max(abs(a - b) for a, b in itertools.combinations(each, 2)))
    return shares


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("weights", ["unit", "balanced", "half"])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: type(criterion).__name__)
def test_every_criterion(criterion, weights, n_groups):
    X, y, groups = rows(n_groups)
    options = dict(WEIGHTS[weights])
    weight = options.pop("sample_weight", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = rl.RuleSetClassifier(fairness=criterion, **SMALL, **options).fit(
            X, y, sample_weight=weight, sensitive_features=groups
        )
    assert model.status_ in (rl.Status.OPTIMAL, rl.Status.LIMIT)
    assert model.objective_ >= model.lower_bound_
    assert model.gap_ == model.objective_ - model.lower_bound_
    last = model.trace_.iloc[-1]
    assert last["objective"] == model.objective_
    known = model.trace_["objective"].notna()
    assert known.cummax().equals(known)
    used = np.ones(len(y)) if weight is None else weight
    if options:
        used = used * len(y) / (2 * np.bincount(y)[y])
    accuracy, positives, negatives = difference(model, X, y, groups, used)
    if isinstance(criterion, rl.AccuracyParity):
        assert accuracy <= 0.1 + 1e-9
    if isinstance(criterion, rl.EqualOpportunity | rl.EqualizedOdds):
        assert positives <= 0.1 + 1e-9
    if isinstance(criterion, rl.FalsePositiveRateParity | rl.EqualizedOdds) and model.max_conditions == 1:
        assert negatives <= 0.1 + 1e-9


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
    assert not unknown.iloc[-1]
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
