"""Other classifiers on the same folds and the same conditions, to compare with."""

from __future__ import annotations

import abc
import importlib
import importlib.util
import time
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ..data.conditions import NothingFound
from ..data.problem import Problem
from ..errors import SweepError
from ..models import RuleList
from .families import BINARIZING, FAMILIES, PREPARING, Certified, conditions_of
from .method import Fitted, Method
from .plan import Fold, Part, Plan

_ITERATIONS = 1000  # of logistic regression


class _Classifier(Method):
    """A scikit-learn classifier of the conditions; its own parameters are those in `defaults` but not in BINARIZING."""

    baseline = True
    packages: tuple[str, ...] = ("scikit-learn",)
    of_counts = False

    @abc.abstractmethod
    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        """A new classifier."""

    def own(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in parameters.items() if name not in BINARIZING}

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        self._check_counted(parameters, plan)
        X, y = np.array([[0.0], [1.0]] * 4, dtype=np.float32), np.array([False, True] * 4)
        groups = np.repeat(np.array(plan.compared[:2] or ("a", "b"), dtype=object), 4)
        self.train(X, Part(plan.X, y, groups, np.arange(8)), parameters, plan)

    def fit(self, fold: Fold, parameters: Mapping[str, Any], plan: Plan, *unused: Any) -> Fitted:
        train, test = self._features(fold, parameters)
        began = time.perf_counter()
        fitted = self.train(train, fold.train, parameters, plan)
        seconds = time.perf_counter() - began
        rules, conditions = self.size(fitted)
        return Fitted(
            status="fitted",
            train=self.predict(fitted, train, fold.train, plan),
            test=self.predict(fitted, test, fold.test, plan) if len(test) else None,
            seconds=seconds,
            rules=rules,
            conditions=conditions,
        )

    def train(self, X: np.ndarray, part: Part, parameters: Mapping[str, Any], plan: Plan) -> Any:
        return self.estimator(self.own(parameters), plan.random_state).fit(X, part.y, sample_weight=part.weight)

    def predict(self, fitted: Any, X: np.ndarray, part: Part, plan: Plan) -> np.ndarray:
        return np.asarray(fitted.predict(X), dtype=bool)

    def size(self, fitted: Any) -> tuple[int | None, int | None]:
        return None, None

    def _features(self, fold: Fold, parameters: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """The conditions of both parts as numbers."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            table, binarizer = conditions_of(fold, parameters)
            if fold.test.counts is not None:
                return table.to_numpy(dtype=np.float32), fold.test.counts.frame.to_numpy(dtype=np.float32)
            test = fold.test.X if binarizer is None or not len(fold.test.y) else binarizer.transform(fold.test.X)
            return table.to_numpy(dtype=np.float32), test.to_numpy(dtype=np.float32)

        return fold.cached("features", repr({name: parameters[name] for name in BINARIZING}), make)

    def _check_counted(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        if plan.counts is None:
            return
        if not self.of_counts:
            fit = ", ".join(name for name, method in BASELINES.items() if method.of_counts)
            raise SweepError(f"the baseline {self.name} needs the rows one by one; of counted rows there are {fit}")
        if parameters.get("min_samples_leaf", 1) != 1:
            raise SweepError(f"min_samples_leaf of {self.name} counts rows, which counted rows are not; leave it at 1")


class Cart(_Classifier):
    """Decision trees. Size: the leaves of the class that makes it less are rules, their paths the conditions.

    Dash, Günlük and Wei (NeurIPS 2018, section 4) count them so, for a rough comparison.
    """

    name, title = "cart", "CART"
    of_counts = True
    defaults = {"max_leaf_nodes": None, "min_samples_leaf": 1, "max_depth": None, "ccp_alpha": 0.0, **BINARIZING}
    grid = {"max_leaf_nodes": [2, 3, 4, 6, 8, 12, 16, 24]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        return DecisionTreeClassifier(**parameters, random_state=seed)

    def size(self, fitted: Any) -> tuple[int | None, int | None]:
        return tree_size(fitted)


class RandomForest(_Classifier):
    """Random forests of 100 trees."""

    name, title = "random_forest", "Random forest"
    defaults = {"n_estimators": 100, "min_samples_leaf": 1, "max_depth": None, **BINARIZING}
    grid = {"n_estimators": [100]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        return RandomForestClassifier(**parameters, random_state=seed)


class Logistic(_Classifier):
    """Logistic regression with an L2 penalty."""

    name, title = "logistic_regression", "Logistic regression"
    of_counts = True
    defaults = {"C": 1.0, **BINARIZING}
    grid = {"C": [1.0]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        return LogisticRegression(**parameters, max_iter=_ITERATIONS)


class SupportVectors(_Classifier):
    """A support vector machine with a radial kernel."""

    name, title = "svm", "SVM"
    of_counts = True
    defaults = {"C": 1.0, **BINARIZING}
    grid = {"C": [1.0]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        return SVC(**parameters)


class AdaBoost(_Classifier):
    """AdaBoost of stumps."""

    name, title = "adaboost", "AdaBoost"
    of_counts = True
    defaults = {"n_estimators": 50, "learning_rate": 1.0, **BINARIZING}
    grid = {"n_estimators": [50]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        return AdaBoostClassifier(**parameters, random_state=seed)


class _Packaged(_Classifier):
    """A method of a package that is not needed otherwise, the last one of `packages`."""

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        self._check_counted(parameters, plan)
        if not self.installed:
            raise SweepError(
                f"the baseline {self.name} needs the package {self.packages[-1]}; install it, or leave it out"
            )
        super().check(parameters, plan)

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.packages[-1]) is not None


class Ripper(_Packaged):
    """RIPPER (Cohen, ICML 1995) of the package wittgenstein: rules of the positive class, made and pruned greedily."""

    name, title = "ripper", "RIPPER"
    packages = ("wittgenstein",)
    defaults = {"k": 2, **BINARIZING}
    grid = {"k": [2]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> Any:
        return importlib.import_module("wittgenstein").RIPPER(**parameters, random_state=seed)

    def train(self, X: np.ndarray, part: Part, parameters: Mapping[str, Any], plan: Plan) -> Any:
        ripper = self.estimator(self.own(parameters), plan.random_state)
        ripper.fit(self._named(X), part.y, pos_class=True)
        return ripper

    def predict(self, fitted: Any, X: np.ndarray, part: Part, plan: Plan) -> np.ndarray:
        return np.asarray(fitted.predict(self._named(X)), dtype=bool)

    def size(self, fitted: Any) -> tuple[int | None, int | None]:
        rules = fitted.ruleset_.rules
        return len(rules), sum(len(rule.conds) for rule in rules)

    @staticmethod
    def _named(X: np.ndarray) -> pd.DataFrame:
        """Whole numbers, which it takes as they are; it puts fractions into bins of its own."""
        return pd.DataFrame(X.astype(np.int64), columns=[f"c{i}" for i in range(X.shape[1])])


class C45Rules(_Packaged):
    """The rules of a C4.5 tree (Quinlan, 1993) by the package c50py; those that hold vote."""

    name, title = "c45_rules", "C4.5 rules"
    packages = ("scikit-learn", "c50py")
    defaults = {"cf": 0.25, "min_samples_leaf": 2, **BINARIZING}
    grid = {"cf": [0.25]}

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> Any:
        return importlib.import_module("c50py").C5RulesClassifier(**parameters)

    def size(self, fitted: Any) -> tuple[int | None, int | None]:
        return len(fitted.rules_), sum(len(rule.conditions) for rule in fitted.rules_)


class C50(C45Rules):
    """A C5.0 tree by the same package, with the same parameters; its size is counted as CART's."""

    name, title = "c50", "C5.0 tree"

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> Any:
        return importlib.import_module("c50py").C5Classifier(**parameters)

    def size(self, fitted: Any) -> tuple[int | None, int | None]:
        sides: dict[str, list[int]] = {}
        for rule in fitted.export_rules():
            path, _, predicted = rule.rpartition("=> ")
            sides.setdefault(predicted, []).append(path.count(" AND ") + bool(path.strip()))
        return min(((len(paths), sum(paths)) for paths in sides.values()), key=sum) if len(sides) > 1 else (0, 0)


class _Fairlearn(_Packaged):
    """A method of the fairlearn package; it is told the groups of the training rows."""

    packages = ("scikit-learn", "fairlearn")
    criteria: ClassVar[Mapping[str, str]]

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        if plan.groups is None:
            raise SweepError(f"the baseline {self.name} needs the groups of people; give sensitive=...")
        if parameters["criterion"] not in self.criteria:
            raise SweepError(
                f"{self.name} knows no criterion {parameters['criterion']!r}, but {', '.join(self.criteria)}"
            )
        super().check(parameters, plan)


class ExponentiatedGradient(_Fairlearn):
    """Decision trees made fair by reductions (Agarwal et al., ICML 2018); predictions are drawn at random."""

    name, title = "exponentiated_gradient", "Exponentiated gradient"
    defaults = {"criterion": "equal_opportunity", "eps": 0.02, "max_leaf_nodes": 16, **BINARIZING}
    grid = {"eps": [0.01, 0.05, 0.1]}
    criteria = {
        "equal_opportunity": "TruePositiveRateParity",
        "predictive_equality": "FalsePositiveRateParity",
        "equalized_odds": "EqualizedOdds",
        "demographic_parity": "DemographicParity",
    }

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        reductions = importlib.import_module("fairlearn.reductions")
        constraints = getattr(reductions, self.criteria[parameters["criterion"]])
        tree = DecisionTreeClassifier(max_leaf_nodes=parameters["max_leaf_nodes"], random_state=seed)
        return reductions.ExponentiatedGradient(tree, constraints(difference_bound=parameters["eps"]))

    def train(self, X: np.ndarray, part: Part, parameters: Mapping[str, Any], plan: Plan) -> Any:
        groups = _groups(part, plan)
        return self.estimator(parameters, plan.random_state).fit(X, part.y.astype(int), sensitive_features=groups)

    def predict(self, fitted: Any, X: np.ndarray, part: Part, plan: Plan) -> np.ndarray:
        return np.asarray(fitted.predict(X, random_state=plan.random_state), dtype=bool)


class ThresholdOptimizer(_Fairlearn):
    """Logistic regression with thresholds by group (Hardt, Price and Srebro, NeurIPS 2016); partly drawn at random."""

    name, title = "threshold_optimizer", "Threshold optimizer"
    defaults = {"criterion": "equal_opportunity", "C": 1.0, **BINARIZING}
    grid = {"criterion": ["equal_opportunity"]}
    criteria = {
        "equal_opportunity": "true_positive_rate_parity",
        "predictive_equality": "false_positive_rate_parity",
        "equalized_odds": "equalized_odds",
        "demographic_parity": "demographic_parity",
    }

    def estimator(self, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
        postprocessing = importlib.import_module("fairlearn.postprocessing")
        return postprocessing.ThresholdOptimizer(
            estimator=LogisticRegression(C=parameters["C"], max_iter=_ITERATIONS),
            constraints=self.criteria[parameters["criterion"]],
            predict_method="predict_proba",
        )

    def train(self, X: np.ndarray, part: Part, parameters: Mapping[str, Any], plan: Plan) -> Any:
        estimator, groups = self.estimator(parameters, plan.random_state), _groups(part, plan)
        return estimator.fit(_exact(X), part.y.astype(int), sensitive_features=groups)

    def predict(self, fitted: Any, X: np.ndarray, part: Part, plan: Plan) -> np.ndarray:
        predicted = fitted.predict(_exact(X), sensitive_features=_groups(part, plan), random_state=plan.random_state)
        return np.asarray(predicted, dtype=bool)


class CompasScore(Method):
    """The COMPAS score that comes with the data: medium or high is a positive prediction."""

    name, title = "compas_score", "COMPAS score"
    baseline = True
    of_counts = False
    defaults: Mapping[str, Any] = {}
    grid: Mapping[str, Any] = {}

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        if plan.score is None:
            raise SweepError("the baseline compas_score needs a data set with the COMPAS scores: its extra.score_text")

    def fit(self, fold: Fold, parameters: Mapping[str, Any], plan: Plan, *unused: Any) -> Fitted:
        assert plan.score is not None
        return Fitted("fitted", plan.score[fold.train.rows], plan.score[fold.test.rows], 0.0)


class GreedyList(Method):
    """Rule lists made rule by rule: each is the one after which stopping costs least, and none is changed later.

    Their antecedents are those of the certified lists.
    """

    name, title = "greedy_list", "Greedy rule list"
    baseline = True
    defaults = {"max_length": 4, **PREPARING}
    grid = {"max_length": [1, 2, 3, 4]}

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        self._lists.check(self._of_lists(parameters), plan)

    def fit(self, fold: Fold, parameters: Mapping[str, Any], plan: Plan, *unused: Any) -> Fitted:
        chosen = self._of_lists(parameters)
        try:
            problem = fold.cached("problem of a greedy list", repr(chosen), lambda: self._lists.problem(fold, chosen))
        except NothingFound:
            model, _ = self._lists.without_rules(fold.train, chosen)
            began = time.perf_counter()
        else:
            began = time.perf_counter()
            model = RuleList.from_problem(problem, greedily_chosen(problem, chosen["max_length"]))
        return Fitted(
            status="fitted",
            train=model.predicts_positive(fold.train.X),
            test=model.predicts_positive(fold.test.X),
            seconds=time.perf_counter() - began,
            rules=len(model.rules),
            conditions=model.n_conditions,
        )

    @property
    def _lists(self) -> Certified:
        return FAMILIES[RuleList.family]

    def _of_lists(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {**self._lists.defaults, **parameters}


def greedily_chosen(problem: Problem, most: int | None) -> list[int]:
    """The antecedents of a greedy list, in its order, up to the rule that leaves the fewest errors; at most so many.

    Of rules that leave as few, the one with the fewest errors of its own is taken, then the one that captures most.
    """
    matrix, of_class = problem.matrix(), np.stack([problem.positives, problem.negatives]).astype(float)
    chosen: list[int] = []
    own, errors = 0.0, [of_class.sum(axis=1).min()]
    for _ in range(matrix.shape[1] if most is None else min(most, matrix.shape[1])):
        captured = of_class @ matrix
        wrong, rest = captured.min(axis=0), of_class.sum(axis=1, keepdims=True) - captured
        stopped = own + wrong + rest.min(axis=0)
        best = int(np.lexsort((-captured.sum(axis=0), wrong, stopped))[0])
        if not captured[:, best].any():  # nothing is left
            break
        chosen.append(best)
        own += wrong[best]
        errors.append(stopped[best])
        of_class[:, matrix[:, best]] = 0
    return chosen[: int(np.argmin(errors))]


def _groups(part: Part, plan: Plan) -> np.ndarray:
    """The groups that are compared; the rows of all others make one group."""
    assert part.groups is not None
    return np.where(np.isin(part.groups, plan.compared), part.groups, "(others)")


def _exact(X: np.ndarray) -> np.ndarray:
    """Scores keep the precision of what they are made of, and fairlearn writes thresholds between them."""
    return X.astype(np.float64)


def tree_size(tree: DecisionTreeClassifier) -> tuple[int, int]:
    """Rules and conditions of a fitted tree of two classes.

    Each leaf of one class is a rule with the tests on its path as conditions; the class is the one that makes rules and
    conditions fewer. The other one is what is predicted when no rule holds.
    """
    nodes = tree.tree_
    depth = np.zeros(nodes.node_count, dtype=np.int64)
    for node in range(nodes.node_count):  # a node's children have larger numbers
        for child in (nodes.children_left[node], nodes.children_right[node]):
            if child >= 0:
                depth[child] = depth[node] + 1
    leaf = nodes.children_left < 0
    label = nodes.value[:, 0, :].argmax(axis=1)
    sizes = [(int((leaf & (label == c)).sum()), int(depth[leaf & (label == c)].sum())) for c in (0, 1)]
    return min(sizes, key=sum)


BASELINES: dict[str, Method] = {
    method.name: method
    for method in (
        Cart(),
        GreedyList(),
        RandomForest(),
        Logistic(),
        SupportVectors(),
        AdaBoost(),
        Ripper(),
        C45Rules(),
        C50(),
        ExponentiatedGradient(),
        ThresholdOptimizer(),
        CompasScore(),
    )
}
