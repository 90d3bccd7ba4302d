"""Classifiers on bootstrap samples: what is drawn, which rules return, and what is refused."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest

import rulelab as rl

LIST = rl.RuleListClassifier(max_conditions=1, regularization=0.02, thresholds=4)


def made(n: int = 300, noise: float = 0.1, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.random((n, 5)), columns=list("abcde"))
    return X, ((X.a > 0.5) & (X.b > 0.4)).to_numpy() ^ (random.random(n) < noise)


@pytest.mark.parametrize(
    "classifier",
    [
        LIST,
        rl.RuleListClassifier(max_conditions=1, regularization=0.02, thresholds=4, must_use=["c"]),
        rl.FallingRuleListClassifier(max_conditions=1, thresholds=4),
        rl.RuleSetClassifier(max_complexity=3, thresholds=2),
    ],
    ids=["list", "list that obeys", "falling", "set"],
)
def test_what_returns_is_counted(classifier: rl.RuleListClassifier) -> None:
    X, y = made()
    found, fewer = (rl.stability(classifier, X, y, n_samples=n, random_state=3) for n in (3, 2))
    pd.testing.assert_frame_equal(found.fits.iloc[:3], fewer.fits)
    whole = classifier.fit(X, y)
    first = found.fits.iloc[0]
    assert (first["sample"], first.status, first.objective) == (-1, "optimal", whole.objective_)
    assert first.error_rate == np.mean(whole.predict(X) != y)
    assert np.isnan(first.unseen_error_rate)
    assert found.rules.in_reference.sum() == first.rules == first.shared_rules == len(whole.model_.rules)
    of_samples = found.fits.iloc[1:]
    assert found.rules.returns.sum() == of_samples.rules.sum()
    assert found.rules.returns[found.rules.in_reference].sum() == of_samples.shared_rules.sum()
    assert (found.rules.share == found.rules.returns / 3).all()
    assert found.rules.returns.is_monotonic_decreasing
    assert of_samples.objective.nunique() > 1


def test_equal_rows_may_be_counted_and_a_thousand_million_are_drawn_at_once() -> None:
    X, y = made(200)
    ones = rl.stability(LIST, X, y, np.ones(200), n_samples=2)
    pd.testing.assert_frame_equal(ones.fits, rl.stability(LIST, X, y, n_samples=2).fits)
    many = rl.stability(LIST, X, y, np.full(200, 6_000_000), n_samples=4)
    assert (many.rules.share == 1).all()
    assert many.fits.error_rate.std() < 1e-4 < ones.fits.error_rate.std()
    assert many.fits.unseen_error_rate[1:].to_numpy() == pytest.approx(many.fits.error_rate[0], abs=1e-3)


def test_a_third_of_the_rows_is_not_drawn_and_tells_noise() -> None:
    X, _ = made(400)
    y = np.random.default_rng(1).random(400) < 0.5  # nothing to learn: half of the unseen rows are wrong
    found = rl.stability(rl.RuleSetClassifier(max_complexity=8, time_limit=2), X, y, n_samples=4).fits
    assert found.unseen_error_rate[1:].mean() == pytest.approx(0.5, abs=0.06)
    assert (found.error_rate[1:] < found.unseen_error_rate[1:]).all()


def test_each_sample_has_both_classes_or_it_is_said_that_there_are_too_few_rows() -> None:
    X, y = pd.DataFrame({"a": [0, 1]}), np.array([0, 1])
    assert (rl.stability(LIST, X, y, n_samples=8).fits.rules == 1).all()
    X = pd.DataFrame({"a": np.arange(24) % 2})
    groups = np.repeat([f"group {k}" for k in range(12)], 2)
    with pytest.raises(ValueError, match="too few rows of a class"):
        rl.stability(LIST, X, X.a, sensitive_features=groups)


def test_a_sample_without_a_model_says_why() -> None:
    X, y = made(120)
    X["rare"] = np.arange(120) == 7  # not in a third of the samples
    obeys = rl.RuleListClassifier(max_conditions=1, regularization=0.02, min_support=0.001, must_use=["rare"])
    found = rl.stability(obeys, X, y, n_samples=6)
    lost = found.fits[found.fits.rules.isna()]
    assert 0 < len(lost) < 6
    assert lost.status.str.startswith("must_use: no antecedent uses 'rare'").all()
    assert (found.rules.share == found.rules.returns / (6 - len(lost))).all()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_samples": 0}, "n_samples must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"sample_weight": np.full(300, 0.5)}, "sample_weight must hold whole numbers"),
        ({"estimator": object()}, "estimator must be one of the classifiers"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object], said: str) -> None:
    X, y = made()
    with pytest.raises(ValueError, match=said):
        rl.stability(**{"estimator": LIST, "X": X, "y": y, **wrong})


def test_ctrl_c_gives_the_samples_so_far() -> None:
    X, y = made()
    rl.stability(LIST, X, y, n_samples=1)  # compiled
    timer = threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    found = rl.stability(LIST, X, y, n_samples=100_000)
    assert 2 <= len(found.fits) < 100_001
