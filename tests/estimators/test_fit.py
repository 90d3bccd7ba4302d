"""From a file, a frame or a name to a fitted classifier, and what it says of its proof."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from places import ROOT
from sklearn.exceptions import ConvergenceWarning

import rulelab as rl

EASY = {
    "rule_list": {"regularization": 0.02, "max_conditions": 1},
    "falling_rule_list": {"regularization": 0.02, "max_conditions": 1},
    "rule_set": {"max_complexity": 4, "max_conditions": 2},
}


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, job = rng.integers(18, 70, 200), rng.choice(["a", "b", "c"], 200)
    paid = ((age > 40) & (job != "c")) ^ (rng.random(200) < 0.1)
    sex = rng.choice(["f", "m"], 200)
    return pd.DataFrame({"age": age, "job": job, "sex": sex, "n": rng.integers(1, 4, 200), "paid": paid})


@pytest.mark.parametrize("model", EASY)
def test_a_file_and_its_table_give_the_same_model_whose_proof_is_checked(
    model: str, people: pd.DataFrame, tmp_path: Path
) -> None:
    people.to_csv(tmp_path / "people.csv", index=False)
    given = {"target": "paid", "model": model, "sensitive": "sex", "weight": "n", **EASY[model]}
    of_file, of_frame = rl.fit(tmp_path / "people.csv", **given), rl.fit(people, **given)
    assert of_file.model_ == of_frame.model_
    assert of_file.group_rates_.index.tolist() == ["f", "m"]
    answer = of_file.verify()
    assert answer.valid, answer.reason
    assert answer.objective == pytest.approx(of_file.objective_)
    assert of_file.search_.frame["objective"][0] == of_file.objective_
    assert rl.verify(of_frame.search_.problem, of_frame.model_, of_file.certificate_).valid


def test_the_names_of_a_classifier_are_listed_without_a_proof(people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch):
    """Completion in a notebook lists them; a proof may take long, and there may be none."""
    monkeypatch.setattr(rl.RuleListSearch, "certificate", lambda self, **more: pytest.fail("a proof was made"))
    clf = rl.RuleListClassifier(**EASY["rule_list"])
    assert not {"certificate_", "search_", "model_"} & {*dir(clf)}
    fitted = rl.fit(people, "paid", **EASY["rule_list"])
    assert {"certificate_", "search_", "model_", "fit"} < {*dir(fitted)}
    assert "certificate_" not in dir(pickle.loads(pickle.dumps(fitted))), "the search is not kept in a pickle"


def test_a_known_data_set_is_named() -> None:
    fitted = rl.fit("tic_tac_toe", **EASY["rule_list"])
    again = rl.fit(rl.datasets.load("tic_tac_toe"), **EASY["rule_list"])
    assert fitted.model_ == again.model_
    near = fitted.near(0.005)
    assert near.complete
    assert near.models[0] == fitted.model_
    assert all(model.objective(0.02) <= fitted.objective_ + 0.005 + 1e-12 for model in near.models)


def test_near_optimal_rule_sets_of_a_classifier(people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", "rule_set", **EASY["rule_set"])
    assert fitted.near(2).models[0].objective() == fitted.objective_


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("rule_list", {"gap": 0.1, "regularization": 0.005}),
        ("falling_rule_list", {"gap": 0.1, "regularization": 0.005}),
        ("rule_set", {"gap": 30, "max_complexity": 12}),
    ],
)
def test_what_a_limit_ended_has_the_proof_of_its_bound(model: str, given: dict[str, float]) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((300, 6)), columns=list("abcdef"))
    frame["paid"] = (frame["a"] > 0.5) ^ (frame["b"] * frame["c"] > 0.3) ^ (rng.random(300) < 0.2)
    with pytest.warns(ConvergenceWarning, match="proven to be within"):
        fitted = rl.fit(frame, "paid", model, **given)
    answer = fitted.verify()
    assert answer.state == "bound"
    assert 0 < answer.lower_bound <= fitted.objective_


def test_without_its_search_a_classifier_says_so(people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", **EASY["rule_list"])
    with pytest.raises(AttributeError, match="not kept in a pickle: fit again"):
        pickle.loads(pickle.dumps(fitted)).verify()
    with pytest.raises(AttributeError, match="no rules"):
        rl.RuleListClassifier().fit(people[["age"]], np.zeros(200)).verify()
    with pytest.raises(AttributeError, match="3 classes, each with a search of its own"):
        rl.RuleListClassifier(**EASY["rule_list"]).fit(people[["age"]], np.arange(200) % 3).verify()
    with pytest.raises(ValueError, match=r"a classifier of rule lists or rule sets.*not a FallingRuleListSearch"):
        rl.fit(people, "paid", "falling_rule_list", **EASY["falling_rule_list"]).near()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"data": "tic_tac_toe", "target": "class"}, "'tic_tac_toe' is a known data set: leave target out"),
        ({"data": "people.csv"}, "target must name the column"),
        ({"data": "people.csv", "target": "paid"}, "there is no file people.csv"),
        ({"data": "people.csv", "target": "paid", "model": "tree"}, "model must be one of rule_list"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rl.fit(**given)


@pytest.mark.parametrize("model", EASY)
def test_the_rules_are_a_table(model: str, people: pd.DataFrame) -> None:
    fitted = rl.fit(people, "paid", model, **EASY[model]).model_
    frame = fitted.to_frame()
    assert len(frame) == len(fitted.rules) + (model != "rule_set")
    if model == "rule_set":
        assert frame["conditions"].sum() + len(frame) == fitted.complexity
        assert (frame["alone_positives"] <= frame["positives"]).all()
        return
    assert frame["positives"].sum() + frame["negatives"].sum() == len(people)
    assert frame["rule"].tolist() == [*(rule.name for rule in fitted.rules), ""]
    assert frame["conditions"].tolist() == [*(len(rule.conditions) for rule in fitted.rules), 0]


def test_one_list_of_several_classes_is_proven_and_a_table(people: pd.DataFrame) -> None:
    lists = rl.RuleListClassifier(several_classes="one list", regularization=0.05, max_conditions=1)
    fitted = lists.fit(people[["age", "sex"]], people["job"])
    assert fitted.verify().valid
    frame = fitted.models_[0].to_frame()
    assert frame[["rows of a", "rows of b", "rows of c"]].to_numpy().sum() == len(people)
    short = lists.set_params(max_length=1).fit(people[["age", "sex"]], people["job"])
    with pytest.raises(rl.CertificateError, match="no certificate with max_length"):
        short.verify()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda people: rl.fit(3, "paid"), "data must be a DataFrame, a file, a Dataset or the name of one, not 3"),
        (lambda people: rl.watch([1, 2], "paid"), "data must be a DataFrame, a file"),
        (lambda people: rl.fit(people, "paid", people), "model must be one of rule_list"),
        (lambda people: rl.frontier(people, people["paid"]), "problem must be a rulelab.Problem, not"),
        (lambda people: rl.doubts(people, people["paid"]), "data must be a Dataset, not"),
        (lambda people: rl.plots.cuts(3), "snapshot must be a search, its snapshots or"),
    ],
)
def test_what_cannot_be_meant_is_told_by_the_name_of_the_argument(people: pd.DataFrame, call, said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        call(people)


@pytest.mark.long
def test_a_fitted_classifier_has_its_type(tmp_path: Path) -> None:
    classifiers = ("RuleListClassifier", "FallingRuleListClassifier", "RuleSetClassifier")
    script = tmp_path / "script.py"
    lines = [f"reveal_type(rl.{name}().fit(X, y))" for name in classifiers]
    script.write_text(
        "\n".join(["import numpy as np", "import rulelab as rl", "X, y = np.zeros((3, 2)), np.zeros(3)", *lines])
    )
    options = ("--ignore-missing-imports", "--no-site-packages", "--cache-dir", str(tmp_path / "cache"))
    done = subprocess.run(
        (sys.executable, "-m", "mypy", *options, str(script)), cwd=ROOT, capture_output=True, text=True, check=False
    )
    for name in classifiers:
        assert f'Revealed type is "{getattr(rl, name).__module__}.{name}"' in done.stdout, done.stdout + done.stderr
