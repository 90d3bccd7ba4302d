"""Lists of several classes: the optimum of an enumeration, changed proofs are refused, the classifier."""

import json
import pickle
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import with_arrays
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_exchange import SPACE, a_row_each, checker, damaged, in_pmml
from test_exchange import cases as tables_and_conditions

import rulelab as rl
from rulelab.models import parse_model


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, np.array(data.target_names)[data.target]


@pytest.fixture(scope="module")
def solved(iris):
    X, y = iris
    problem = rl.MultiClassProblem.from_arrays(rl.Binarizer(thresholds=3).fit_transform(X), y)
    search = rl.engines.MultiClassRuleListSearch(problem, 0.02)
    return problem, search, rl.solve(search).incumbent.model


@pytest.mark.long
def test_pairs_of_conditions_of_iris_are_certified(iris):
    """Rows of a class that no label is left for are wrong: without that the search took ten times as long."""
    X, y = iris
    clf = rl.RuleListClassifier(several_classes="one list", time_limit=None).fit(X, y)
    assert clf.status_ is rl.Status.OPTIMAL
    assert clf.objective_ == pytest.approx(5 / 150 + 3 * 0.01)


def test_changed_proofs_and_models_are_refused(solved):
    problem, search, model = solved
    proof = search.certificate()
    assert proof.check(problem, model)
    raised = replace(proof, values=(proof.values[0] + 1, *proof.values[1:]))
    assert not raised.check(problem, model)
    for k in range(1, len(proof.values)):
        values = list(proof.values)
        values[k] = proof.values[0] + 1
        assert "less than" in replace(proof, values=tuple(values)).check(problem, model).reason
    nothing_left = replace(proof, sets=proof.sets[1:2] & False, values=(proof.values[0],))
    assert "does not claim" in nothing_left.check(problem, model).reason
    swapped = replace(model, rules=(replace(model.rules[0], prediction="virginica"), *model.rules[1:]))
    assert "predicts, or counts, otherwise" in proof.check(problem, swapped).reason
    strange = replace(model, rules=(replace(model.rules[0], antecedent=99), *model.rules[1:]))
    assert "do not have" in proof.check(problem, strange).reason
    fewer = rl.MultiClassProblem.from_arrays(problem.matrix[1:], np.argmax(problem.counts[1:], axis=1))
    assert "other data" in proof.check(fewer, model).reason
    assert not replace(proof, sets=proof.sets[:, 1:]).check(problem, model)
    assert not replace(proof, regularization=0.019).check(problem, model)


def test_one_list_of_several_classes_is_fitted_to_a_table(iris):
    X, y = iris
    classifier = rl.RuleListClassifier(0.02, thresholds=3, max_conditions=1, several_classes="one list").fit(X, y)
    model = classifier.model_
    assert classifier.models_ == (model,)
    assert classifier.status_ is rl.Status.OPTIMAL
    assert classifier.gap_ == 0
    assert {rule.prediction for rule in (*model.rules, model.default)} == set(classifier.classes_)
    predicted = classifier.predict(X)
    assert (predicted != y).sum() == model.errors
    assert classifier.objective_ == model.errors / len(y) + 0.02 * len(model)
    proba = classifier.predict_proba(X)
    assert proba.shape == (150, 3)
    assert (classifier.classes_[proba.argmax(axis=1)] == predicted).all()
    assert (classifier.explain(X)["prediction"] == predicted).all()
    source: dict[str, Any] = {}
    exec(model.to_python(), source)
    assert [source["predict"](row) for row in X.to_dict(orient="records")] == predicted.tolist()
    assert "certified optimal" in str(classifier)
    apart = rl.RuleListClassifier(0.02, thresholds=3, max_conditions=1).fit(X, y)
    assert len(apart.models_) == 3


def test_weights_are_repeated_rows_and_classes_may_have_none(iris):
    X, y = iris
    asked = {"regularization": 0.02, "thresholds": {"petal width (cm)": [0.8, 1.7]}, "max_conditions": 1}
    weight = np.arange(150) % 3 + 1
    weighted = rl.RuleListClassifier(**asked, several_classes="one list").fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(150), weight)
    repeated = rl.RuleListClassifier(**asked, several_classes="one list").fit(X.iloc[rows], y[rows])
    assert weighted.model_ == repeated.model_
    without = rl.RuleListClassifier(**asked, several_classes="one list").fit(X, y, sample_weight=(y != "setosa") * 1)
    assert "setosa" not in without.predict(X)
    assert without.predict_proba(X)[:, 0].max() == 0
    two = rl.RuleListClassifier(**asked, several_classes="one list").fit(X, y == "setosa")
    assert isinstance(two.model_, rl.RuleList)


def test_what_it_cannot_do_is_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="several_classes must be 'one list each' or 'one list', not 'all'"):
        rl.RuleListClassifier(several_classes="all").fit(X, y)
    with pytest.raises(ValueError, match="cannot have class_weight"):
        rl.RuleListClassifier(several_classes="one list", class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="whole numbers"):
        rl.RuleListClassifier(several_classes="one list").fit(X, y, sample_weight=np.full(150, 0.5))
    with pytest.raises(rl.errors.ProblemError, match="missing"):
        rl.MultiClassProblem.from_arrays([[True], [False]], np.array(["a", None], dtype=object))
    with pytest.raises(rl.errors.ProblemError, match="give one label per row"):
        rl.MultiClassProblem.from_arrays([[True], [False]], [1, 2, 3])
    with pytest.raises(rl.errors.ProblemError, match="single class"):
        rl.MultiClassProblem.from_arrays([[True], [False]], [1, 1])
    problem = rl.MultiClassProblem.from_arrays([[True], [False], [True]], [1, 2, 3])
    with pytest.raises(TypeError, match="must be a MultiClassProblem, not Problem"):
        rl.engines.MultiClassRuleListSearch(rl.Problem.from_arrays([[True], [False]], [0, 1]), 0.1)
    with pytest.raises(ValueError, match=r"regularization must be a number above 0 and below 1, not 0"):
        rl.engines.MultiClassRuleListSearch(problem, 0)
    early = rl.engines.MultiClassRuleListSearch(problem, 0.1)
    with pytest.raises(rl.errors.CertificateError, match="not proven"):
        early.certificate()
    bounded = rl.engines.MultiClassRuleListSearch(problem, 0.1, max_length=1)
    rl.solve(bounded)
    with pytest.raises(rl.errors.CertificateError, match="max_length"):
        bounded.certificate()


def test_limits_end_it_and_it_goes_on(iris):
    X, y = iris
    problem = rl.MultiClassProblem.from_arrays(rl.Binarizer(thresholds=8).fit_transform(X), y)
    whole = rl.solve(rl.engines.MultiClassRuleListSearch(problem, 0.01))
    search = rl.engines.MultiClassRuleListSearch(problem, 0.01, memory_limit=2000)
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    assert stopped.lower_bound <= whole.lower_bound <= stopped.incumbent.objective
    search.memory_limit = None
    assert rl.solve(search, work_limit=3).limit == "work"
    halfway = pickle.loads(pickle.dumps(search))
    assert rl.solve(halfway).incumbent == replace(
        rl.solve(search).incumbent, found_at=halfway.advance(1).incumbent.found_at
    )
    assert halfway.advance(1).incumbent.objective == whole.incumbent.objective
    assert '"family": "multi_class_rule_list"' in whole.incumbent.model.to_json()
    assert "optimal" in halfway.to_json()


@parametrize_with_checks(
    [rl.RuleListClassifier(0.01, max_conditions=1, thresholds=4, several_classes="one list", time_limit=None)]
)
def test_scikit_learn_checks(estimator, check):
    if check.func.__name__ == "check_class_weight_classifiers":
        with pytest.raises(ValueError, match="cannot have class_weight"):
            check(estimator)
    else:
        check(estimator)


def test_saved_lists_are_read_again(iris, solved, tmp_path):
    X, _ = iris
    problem, _, model = solved
    unused = rl.results.MultiClassRuleList.from_problem(problem, [*model.antecedents, model.antecedents[0]])
    nothing = rl.results.MultiClassRuleList.without_rules([1, 2, 3], [0, 4, 2])
    for each in (model, unused, nothing):
        assert rl.results.MultiClassRuleList.from_json(each.to_json()) == each
        each.save(tmp_path / "model.json")
        assert rl.load_model(tmp_path / "model.json") == each
        checker().validate(json.loads(each.to_json()))
        with pytest.raises(rl.errors.ModelError, match="where models of two classes are taken"):
            parse_model(each.to_json())
    again = rl.results.MultiClassRuleList.from_json(model.to_json())
    assert (again.predict(X) == model.predict(X)).all()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    with pytest.raises(rl.errors.ModelError, match="of the family 'multi_class_rule_list', not 'rule_list'"):
        rl.RuleList.from_json(model.to_json())
    two = rl.RuleList.without_rules(("a", "b"), 1, 2)
    with pytest.raises(rl.errors.ModelError, match="of the family 'rule_list', not 'multi_class_rule_list'"):
        rl.results.MultiClassRuleList.from_json(two.to_json())


def test_what_is_wrong_with_a_saved_list_is_said(solved):
    _, _, model = solved
    whole = json.loads(model.to_json())
    for name, data in damaged(whole):
        with pytest.raises(rl.errors.ModelError, match=name):
            rl.results.MultiClassRuleList.from_dict(data)
        assert not checker().is_valid(data), data
    first = whole["rules"][0]
    for changed, said in (
        ({"antecedent": 99}, "but it has"),
        ({"prediction": "oak"}, "not one of its classes"),
        ({"counts": [1, 2]}, "3 whole numbers"),
        ({"counts": [1, 2, -1]}, "3 whole numbers"),
        ({"counts": [1, 2, 1.0]}, "3 whole numbers"),
    ):
        with pytest.raises(rl.errors.ModelError, match=said):
            rl.results.MultiClassRuleList.from_dict({**whole, "rules": [{**first, **changed}]})
    empty = {**whole, "rules": [], "default": {**whole["default"], "counts": [0, 0, 0]}}
    with pytest.raises(rl.errors.ModelError, match="count no row"):
        rl.results.MultiClassRuleList.from_dict(empty)
    with pytest.raises(rl.errors.ModelError, match="different labels"):
        rl.results.MultiClassRuleList.from_dict({**whole, "classes": ["a", "a", "b"]})


@settings(max_examples=100)
@given(tables_and_conditions(), st.sampled_from([(0, 1, 2), ("no", "<y&s>", "é"), (1.5, 2.5, 3.5)]))
def test_pmml_and_list_agree(case, classes):
    """Each answer, and each share of a class; the rules capture a row each, so that all classes are predicted."""
    table, conditions = case
    m = len(conditions)
    problem = rl.MultiClassProblem.from_arrays(a_row_each(conditions, 3), np.array(classes)[np.arange(m + 3) % 3])
    for rules in ([], list(range(m)), [0, 0]):
        model = rl.results.MultiClassRuleList.from_problem(problem, rules)
        document = model.to_pmml("kind")
        assert in_pmml([document], [table]) == [model.predict(table).tolist()], document
        whole = Xml.fromstring(document).find(".//p:RuleSet", SPACE)
        assert whole is not None
        fired, shares = model.fired(table), model.predict_proba(table)
        parts = [*whole.findall("p:SimpleRule", SPACE), whole]
        for rule, of_row in zip(fired, shares, strict=True):
            said = parts[rule].findall("p:ScoreDistribution", SPACE)
            assert [float(each.get("probability", "")) for each in said] == of_row.tolist()
    with pytest.raises(rl.errors.ModelError, match="give the target another name"):
        model.to_pmml(conditions[0].column)


def test_a_proof_is_saved_and_read_again(iris, tmp_path):
    X, y = iris
    ants = rl.mine_antecedents(rl.Binarizer(thresholds=3).fit_transform(X), 1)
    problem = rl.MultiClassProblem.from_antecedents(ants, y)
    search = rl.engines.MultiClassRuleListSearch(problem, 0.02)
    model, path = rl.solve(search).incumbent.model, tmp_path / "proof.npz"
    search.certificate().save(path)
    proof = rl.results.MultiClassCertificate.load(path)
    assert proof.check(problem, model)
    assert (proof.sets == search.certificate().sets).all()
    assert proof.origin is not None
    rows = np.random.default_rng(0).permutation(150)
    other_order = proof.origin.problem_of_classes(X.iloc[rows], y[rows])
    assert proof.check(other_order, model), "the order of the rows does not matter"
    with pytest.raises(ValueError, match="cannot have the classes"):
        proof.origin.problem(X, (y == "setosa") * 1)
    other = replace(proof.origin, classes=("oak", "setosa", "virginica"))
    assert "other antecedents or classes" in replace(proof, origin=other).check(problem, model).reason
    two = rl.Problem.from_antecedents(ants, (y == "setosa") * 1)
    of_two = rl.RuleListSearch(two, 0.02)
    best = rl.solve(of_two).incumbent.model
    three = replace(of_two.certificate(), origin=replace(proof.origin, classes=(0, 1, 2)))
    assert "other antecedents or classes" in rl.verify(two, best, three).reason
    file = rl.Certificate.load(path)
    for value in (float("nan"), float("inf"), 1e300):
        believed = replace(proof, values=(value,) * len(proof.values))
        assert "no whole number" in rl.verify(problem, model, believed).reason
        assert not rl.verify(problem, model, replace(proof, regularization=value))
    for good in (proof, file):
        assert rl.verify(problem, model, good, 0.02)
        assert "not 0.03" in rl.verify(problem, model, good, 0.03).reason
    assert not rl.verify(problem, model, replace(file, parameters={}))
    assert "of the family" in rl.verify(problem, model, of_two.certificate()).reason
    for some, said in (((two, best, proof), "Certificate"), ((problem, best, proof), "MultiClassRuleList")):
        with pytest.raises(rl.errors.CertificateError, match=f"verify needs a {said}, not a"):
            rl.verify(*some)
    for wrong in (
        replace(file, family="rule_list"),
        replace(file, parameters={}),
        with_arrays(file, more=file.arrays["values"]),
        with_arrays(file, sets=file.arrays["sets"][:, :1]),
        with_arrays(file, values=file.arrays["values"][:-1]),
        with_arrays(file, n_patterns=np.array([1 << 40])),
        with_arrays(file, n_patterns=np.array([0])),
    ):
        with pytest.raises(rl.errors.CertificateError):
            rl.results.MultiClassCertificate.of(wrong)
    fine = rl.engines.MultiClassRuleListSearch(problem, 0.02 + 1e-17 + 1e-12 / 3)
    rl.solve(fine)
    large = replace(fine.certificate(), values=(1 << 63,) * len(fine.certificate().values))
    with pytest.raises(rl.errors.CertificateError, match="too large for a file"):
        large.save(path)
    fine.certificate().save(path)
    assert rl.verify(problem, rl.solve(fine).incumbent.model, rl.Certificate.load(path), fine.regularization)
