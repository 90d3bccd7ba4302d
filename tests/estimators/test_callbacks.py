"""scikit-learn's callbacks: what they are told of a fit, and that one of them may end it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import rulelab as rl

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")


class Noted:
    """Writes down the tasks; answers True at the state of this number."""

    def __init__(self, ends_at: int | None = None) -> None:
        self.ends_at, self.told, self.scores = ends_at, [], []

    def setup(self, estimator: Any, context: Any) -> None:
        self.told.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.told.append(f"{context.task_name} begins")

    def on_fit_task_end(self, estimator: Any, context: Any, *, X=None, y=None, fitted_estimator=None) -> bool:
        self.told.append(f"{context.task_name} ends")
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return self.ends_at is not None and context.task_name == "state" and context.task_id == self.ends_at


def rows(classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 5))
    return X, (X[:, 0] + X[:, 1] > 8).astype(int) + (classes > 2) * (X[:, 2] > 6)


def test_each_state_is_a_task_and_has_its_model() -> None:
    X, y = rows()
    noted, classifier = Noted(), rl.RuleListClassifier()
    classifier.set_callbacks(noted).fit(X, y)
    assert noted.told[:2] == ["setup", "fit begins"]
    assert noted.told[-2:] == ["fit ends", "teardown"]
    states = noted.told[2:-2]
    assert states
    assert states == ["state begins", "state ends"] * (len(states) // 2)
    assert noted.scores[-1] == classifier.score(X, y) == max(noted.scores)


def test_a_callback_ends_the_search_as_a_limit_does_and_nothing_is_left_of_it() -> None:
    X, y = rows()
    noted = Noted(ends_at=0)
    with pytest.warns(ConvergenceWarning, match="before a proof"):
        classifier = rl.RuleListClassifier(regularization=1e-4).set_callbacks(noted).fit(X, y)
    assert noted.told.count("state ends") == 1
    assert noted.told[-1] == "teardown"
    assert classifier.status_ is rl.Status.LIMIT
    assert not [name for name in vars(classifier) if "callback_fit" in name or "teardown" in name]
    again = clone(classifier).set_params(regularization=0.05).set_callbacks().fit(X, y)
    assert again.status_ is rl.Status.OPTIMAL
    assert noted.told.count("setup") == 1


def test_with_several_classes_each_has_a_search() -> None:
    X, y = rows(3)
    noted = Noted()
    rl.RuleListClassifier(regularization=0.05, max_conditions=1).set_callbacks(noted).fit(X, y)
    assert [each for each in noted.told if each[0] in "012"] == [
        f"{k} {does}" for k in range(3) for does in ("begins", "ends")
    ]
    assert len(noted.scores) == 1, "only what has a model of each class can be asked"
    one = Noted()
    rl.RuleListClassifier(several_classes="one list", regularization=0.05, max_conditions=1).set_callbacks(one).fit(
        X, y
    )
    assert len(one.scores) == one.told.count("state ends") + 1


def test_a_fit_that_is_refused_tears_down_what_was_set_up() -> None:
    X, y = rows()
    noted = Noted()
    with pytest.raises(ValueError, match="sensitive_features"):
        rl.RuleListClassifier(fairness=rl.EqualOpportunity(0.1)).set_callbacks(noted).fit(X, y)
    assert noted.told.count("setup") == noted.told.count("teardown")


def test_what_a_fit_finds_does_not_hang_on_callbacks() -> None:
    X, y = rows()
    plain = rl.RuleSetClassifier(max_complexity=4).fit(X, y)
    told = rl.RuleSetClassifier(max_complexity=4).set_callbacks(Noted()).fit(X, y)
    assert plain.model_ == told.model_
    assert plain.objective_ == told.objective_
