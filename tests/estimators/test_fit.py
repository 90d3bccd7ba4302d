"""From a file, a frame or a name to a fitted classifier, and what it says of its proof."""

import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from places import ROOT
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import rulelab as rl
from rulelab.fitting import CLASSIFIERS

EASY = {
    "rule_list": {"regularization": 0.02, "max_conditions": 1},
    "falling_rule_list": {"regularization": 0.02, "max_conditions": 1},
    "rule_set": {"max_complexity": 4, "max_conditions": 2},
}


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    age, job = rng.integers(18, 70, 200), rng.choice(["a", "b", "c"], 200)
    paid = ((age > 40) & (job != "c")) ^ (rng.random(200) < 0.1)
    sex = rng.choice(["f", "m"], 200)
    return pd.DataFrame({"age": age, "job": job, "sex": sex, "n": rng.integers(1, 4, 200), "paid": paid})


@pytest.mark.parametrize("model", EASY)
def test_a_file_and_its_table_give_the_same_model_whose_proof_is_checked(model, people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    given = {"target": "paid", "model": model, "sensitive": "sex", "weight": "n", **EASY[model]}
    of_file, of_frame = rl.fit(tmp_path / "people.csv", **given), rl.fit(people, **given)
    assert (of_file.model_, of_file.group_rates_.index.tolist()) == (of_frame.model_, ["f", "m"])
    answer = of_file.verify()
    assert answer.valid, answer.reason
    assert answer.objective == pytest.approx(of_file.objective_)
    assert of_file.search_.frame["objective"][0] == of_file.objective_
    assert rl.verify(of_frame.search_.problem, of_frame.model_, of_file.certificate_).valid


def test_the_names_of_a_classifier_are_listed_without_a_proof(people, monkeypatch):
    """Completion in a notebook lists them; a proof may take long, and there may be none."""
    monkeypatch.setattr(rl.RuleListSearch, "certificate", lambda self, **more: pytest.fail("a proof was made"))
    clf = rl.RuleListClassifier(**EASY["rule_list"])
    assert not {"certificate_", "search_", "model_"} & {*dir(clf)}
    fitted = rl.fit(people, "paid", **EASY["rule_list"])
    assert {"certificate_", "search_", "model_", "fit"} < {*dir(fitted)}
    assert "certificate_" not in dir(pickle.loads(pickle.dumps(fitted))), "the search is not kept in a pickle"


def test_a_known_data_set_is_named_and_near_models_are_found(people):
    fitted = rl.fit("tic_tac_toe", **EASY["rule_list"])
    again = rl.fit(rl.datasets.load("tic_tac_toe"), **EASY["rule_list"])
    assert fitted.model_ == again.model_
    near = fitted.near(within=0.005)
    assert near.complete
    assert near.models[0] == fitted.model_
    assert all(model.objective(0.02) <= fitted.objective_ + 0.005 + 1e-12 for model in near.models)
    of_sets = rl.fit(people, "paid", "rule_set", **EASY["rule_set"])
    assert of_sets.near(within=2).models[0].objective() == of_sets.objective_


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("rule_list", {"gap": 0.1, "regularization": 0.005}),
        ("falling_rule_list", {"gap": 0.1, "regularization": 0.005}),
        ("rule_set", {"gap": 30, "max_complexity": 12}),
    ],
)
def test_what_a_limit_ended_has_the_proof_of_its_bound(model, given):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((300, 6)), columns=list("abcdef"))
    frame["paid"] = (frame["a"] > 0.5) ^ (frame["b"] * frame["c"] > 0.3) ^ (rng.random(300) < 0.2)
    with pytest.warns(ConvergenceWarning, match="proven to be within"):
        fitted = rl.fit(frame, "paid", model, **given)
    answer = fitted.verify()
    assert answer.state == "bound"
    assert 0 < answer.lower_bound <= fitted.objective_


@pytest.mark.parametrize("model", EASY)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_proof_is_checked_on_rows_that_are_given_anew(people, model, class_weight):
    X, y, weight = people.drop(columns=["paid", "sex"]), people["paid"], np.arange(len(people)) % 3
    classifier = CLASSIFIERS[model](**EASY[model], class_weight=class_weight).fit(X, y, weight, people["sex"])
    assert classifier.verify(X, y, weight, people["sex"]).valid
    assert classifier.verify(X, y, weight, people["sex"].replace({"f": 0, "m": 1})).valid, "groups bind nothing"
    refused = classifier.verify(X, y)
    assert (refused.valid, "other data" in refused.reason) == (False, True)
    if model != "falling_rule_list":
        copy = pickle.loads(pickle.dumps(classifier))
        assert copy.near(X, y, weight, within=0.001).models[0] == classifier.near(within=0.001).models[0]


def test_without_its_search_a_classifier_says_so(people):
    fitted = rl.fit(people, "paid", **EASY["rule_list"])
    with pytest.raises(AttributeError, match="not kept in a pickle: fit again"):
        pickle.loads(pickle.dumps(fitted)).verify()
    with pytest.raises(AttributeError, match="no rules"):
        rl.RuleListClassifier().fit(people[["age"]], np.zeros(200)).verify()
    with pytest.raises(AttributeError, match="3 classes, each with a search of its own"):
        rl.RuleListClassifier(**EASY["rule_list"]).fit(people[["age"]], np.arange(200) % 3).verify()
    with pytest.raises(AttributeError, match="3 classes, each with a search of its own"):
        rl.RuleListClassifier(**EASY["rule_list"]).near(people[["age"]], np.arange(200) % 3)
    with pytest.raises(ValueError, match=r"a classifier of rule lists or rule sets.*not a FallingRuleListSearch"):
        rl.fit(people, "paid", "falling_rule_list", **EASY["falling_rule_list"]).near()


@pytest.mark.parametrize("model", EASY)
def test_the_rules_are_a_table(model, people):
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


def test_one_list_of_several_classes_is_proven_and_a_table(people):
    lists = rl.RuleListClassifier(several_classes="one list", regularization=0.05, max_conditions=1)
    fitted = lists.fit(people[["age", "sex"]], people["job"])
    assert fitted.verify().valid
    frame = fitted.models_[0].to_frame()
    assert frame[["rows of a", "rows of b", "rows of c"]].to_numpy().sum() == len(people)
    short = lists.set_params(max_length=1).fit(people[["age", "sex"]], people["job"])
    with pytest.raises(rl.errors.CertificateError, match="no certificate with max_length"):
        short.verify()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda people: rl.fit("tic_tac_toe", "class"), "'tic_tac_toe' is a known data set: leave target out"),
        (lambda people: rl.fit("people.csv"), "target must name the column"),
        (lambda people: rl.fit("people.csv", "paid"), "there is no file people.csv"),
        (lambda people: rl.fit(3, "paid"), "data must be a DataFrame, a file, a Dataset or the name of one, not 3"),
        (lambda people: rl.fit(people, "paid", people), "model must be one of rule_list"),
        (lambda people: rl.frontier(people, people["paid"]), "problem must be a rulelab.Problem, not"),
        (lambda people: rl.doubts(people, people["paid"]), "data must be a Dataset, not"),
    ],
)
def test_what_cannot_be_meant_is_told_by_the_name_of_the_argument(people, call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call(people)


@pytest.mark.long
def test_a_fitted_classifier_has_its_type(tmp_path):
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


# scikit-learn's callbacks ---------------------------------------------------------------------------------------------
callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")


class Noted:
    """Writes down the tasks; answers True at the state of this number."""

    def __init__(self, ends_at: int | None = None) -> None:
        self.ends_at, self.told, self.scores = ends_at, [], []

    def setup(self, estimator, context) -> None:
        self.told.append("setup")

    def teardown(self, estimator, context) -> None:
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context) -> None:
        self.told.append(f"{context.task_name} begins")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None) -> bool:
        self.told.append(f"{context.task_name} ends")
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return self.ends_at is not None and context.task_name == "state" and context.task_id == self.ends_at


def rows(classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 5))
    return X, (X[:, 0] + X[:, 1] > 8).astype(int) + (classes > 2) * (X[:, 2] > 6)


def test_each_state_is_a_task_and_has_its_model():
    X, y = rows()
    noted, classifier = Noted(), rl.RuleListClassifier()
    classifier.set_callbacks(noted).fit(X, y)
    assert (noted.told[:2], noted.told[-2:]) == (["setup", "fit begins"], ["fit ends", "teardown"])
    states = noted.told[2:-2]
    assert states
    assert states == ["state begins", "state ends"] * (len(states) // 2)
    assert noted.scores[-1] == classifier.score(X, y) == max(noted.scores)
    assert classifier.model_ == rl.RuleListClassifier().fit(X, y).model_


def test_a_callback_ends_the_search_as_a_limit_does_and_nothing_is_left_of_it():
    X, y = rows()
    noted = Noted(ends_at=0)
    with pytest.warns(ConvergenceWarning, match="before a proof"):
        classifier = rl.RuleListClassifier(regularization=1e-4).set_callbacks(noted).fit(X, y)
    assert (noted.told.count("state ends"), noted.told[-1]) == (1, "teardown")
    assert classifier.status_ is rl.Status.LIMIT
    assert not [name for name in vars(classifier) if "callback_fit" in name or "teardown" in name]
    again = clone(classifier).set_params(regularization=0.05).set_callbacks().fit(X, y)
    assert again.status_ is rl.Status.OPTIMAL
    assert noted.told.count("setup") == 1


def test_with_several_classes_each_has_a_search():
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


def test_a_fit_that_is_refused_tears_down_what_was_set_up():
    X, y = rows()
    noted = Noted()
    with pytest.raises(ValueError, match="sensitive_features"):
        rl.RuleListClassifier(fairness=rl.EqualOpportunity(0.1)).set_callbacks(noted).fit(X, y)
    assert noted.told.count("setup") == noted.told.count("teardown")


# classifiers on bootstrap samples -------------------------------------------------------------------------------------
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
def test_what_returns_is_counted(classifier):
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


def test_equal_rows_may_be_counted_and_a_thousand_million_are_drawn_at_once():
    X, y = made(200)
    ones = rl.stability(LIST, X, y, np.ones(200), n_samples=2)
    pd.testing.assert_frame_equal(ones.fits, rl.stability(LIST, X, y, n_samples=2).fits)
    many = rl.stability(LIST, X, y, np.full(200, 6_000_000), n_samples=4)
    assert (many.rules.share == 1).all()
    assert many.fits.error_rate.std() < 1e-4 < ones.fits.error_rate.std()
    assert many.fits.unseen_error_rate[1:].to_numpy() == pytest.approx(many.fits.error_rate[0], abs=1e-3)


def test_a_third_of_the_rows_is_not_drawn_and_tells_noise():
    X, _ = made(400)
    y = np.random.default_rng(1).random(400) < 0.5  # nothing to learn: half of the unseen rows are wrong
    found = rl.stability(rl.RuleSetClassifier(max_complexity=8, time_limit=0.3), X, y, n_samples=4).fits
    assert found.unseen_error_rate[1:].mean() == pytest.approx(0.5, abs=0.06)
    assert (found.error_rate[1:] < found.unseen_error_rate[1:]).all()


def test_each_sample_has_both_classes_or_it_is_said_that_there_are_too_few_rows():
    X, y = pd.DataFrame({"a": [0, 1]}), np.array([0, 1])
    assert (rl.stability(LIST, X, y, n_samples=8).fits.rules == 1).all()
    X = pd.DataFrame({"a": np.arange(24) % 2})
    groups = np.repeat([f"group {k}" for k in range(12)], 2)
    with pytest.raises(ValueError, match="too few rows of a class"):
        rl.stability(LIST, X, X.a, sensitive_features=groups)


def test_a_sample_without_a_model_says_why():
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
def test_what_cannot_be_is_refused(wrong, said):
    X, y = made()
    with pytest.raises(ValueError, match=said):
        rl.stability(**{"estimator": LIST, "X": X, "y": y, **wrong})


@pytest.mark.long
def test_ctrl_c_gives_the_samples_so_far():
    X, y = made()
    rl.stability(LIST, X, y, n_samples=1)  # compiled
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    found = rl.stability(LIST, X, y, n_samples=100_000)
    assert 2 <= len(found.fits) < 100_001
