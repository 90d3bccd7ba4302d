"""From a file or a frame to a search that is watched, and the search of a fitted classifier."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from patience import wait_until

import rulelab as rl
from rulelab.views.live.state import State


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, job = rng.integers(18, 70, 300), rng.choice(["a", "b", "c"], 300)
    paid = np.where(((age > 40) & (job != "c")) ^ (rng.random(300) < 0.1), "yes", "no")
    groups = {"sex": rng.choice(["f", "m"], 300), "n": rng.integers(1, 4, 300)}
    return pd.DataFrame({"age": age, "job": job, **groups, "paid": paid})


def ended(view: rl.views.SearchView) -> rl.Snapshot:
    wait_until(lambda: view.session.state.over)
    view.refresh()
    view.close()
    assert view.session.error is None
    assert view.snapshot is not None
    return view.snapshot


ASKED: list[dict[str, Any]] = [
    {"regularization": 0.02},
    {"model": "falling_rule_list", "regularization": 0.02, "max_conditions": 1, "weight": "n"},
    {"model": "rule_set", "max_complexity": 4, "fairness": rl.EqualOpportunity(0.05), "sensitive": "sex"},
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.get("model", "rule_list"))
def test_what_is_watched_is_what_would_be_fitted(asked: dict[str, Any], people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", **asked)
    view = rl.watch(people, "paid", **asked)
    last = ended(view)
    assert last.incumbent.objective == fitted.objective_
    assert last.status is rl.Status.OPTIMAL
    assert view.session.prepared.labels == ("no", "yes")
    assert view.model == last.incumbent.model


def test_a_fitted_classifier_shows_the_end_of_its_search(people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", regularization=0.02)
    view = rl.views.SearchView(fitted)
    assert ended(view).incumbent.objective == fitted.objective_
    assert view.status is State.ENDED
    with pytest.raises(AttributeError, match="no rules"):
        rl.views.SearchView(rl.RuleListClassifier().fit(people[["age"]], np.zeros(300)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"regularization": 0}, "regularization must be"),
        ({"thresholds": -1}, "thresholds must be"),
        ({"class_weight": "balanced"}, "class_weight must be None to watch"),
        ({"fairness": rl.EqualOpportunity(0.1)}, "sensitive must be the column of groups"),
    ],
)
def test_what_cannot_be_watched_is_refused_at_once(given: dict[str, Any], words: str, people: pd.DataFrame) -> None:
    with pytest.raises(rl.ParameterError, match=words):
        rl.watch(people.drop(columns="sex"), "paid", **given)
