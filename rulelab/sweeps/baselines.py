"""Other classifiers on the same folds and the same conditions, to compare with."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ..arguments import SweepError
from ..data.conditions import NothingFound
from ..data.problem import Problem
from ..files import load_tables
from ..models import RuleList
from .families import BINARIZING, FAMILIES, PREPARING, Certified, conditions_of
from .plan import Fold, Part, Plan
from .result import Fitted, Method

_ITERATIONS = 1000  # of logistic regression


@dataclass(eq=False)
class Classifier(Method):
    """A classifier of scikit-learn's kind, of the conditions."""

    name: str
    title: str
    make: Callable[[dict[str, Any], int], Any]  # makes one that is not fitted, of its own parameters and a seed
    own: Mapping[str, Any]  # its own parameters with their defaults, those of binarizing not among them
    grid: Mapping[str, Sequence[Any]]
    of_counts: bool = False
    packages: tuple[str, ...] = ("scikit-learn",)
    size: Callable[[Any], tuple[int | None, int | None]] = lambda fitted: (None, None)  # rules and conditions
    cells: Callable[[np.ndarray], Any] = lambda X: X  # what it takes in the place of the conditions as float32
    for_fit: Callable[[Part, Plan], dict[str, Any]] = lambda part, plan: {"sample_weight": part.weight}
    for_predict: Callable[[Part, Plan], dict[str, Any]] = lambda part, plan: {}
    criteria: tuple[str, ...] = ()  # of a fair one, which is told the groups of people

    baseline = True

    def __post_init__(self) -> None:
        self.defaults = {**self.own, **BINARIZING}

    @property
    def installed(self) -> bool:
        return self.packages[-1] == "scikit-learn" or importlib.util.find_spec(self.packages[-1]) is not None

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        if self.criteria and plan.groups is None:
            raise SweepError(f"the baseline {self.name} needs the groups of people; give sensitive=...")
        if self.criteria and parameters["criterion"] not in self.criteria:
            raise SweepError(
                f"{self.name} knows no criterion {parameters['criterion']!r}, but {', '.join(self.criteria)}"
            )
        if plan.counts is not None and not self.of_counts:
            fit = ", ".join(name for name, method in BASELINES.items() if method.of_counts)
            raise SweepError(f"the baseline {self.name} needs the rows one by one; of counted rows there are {fit}")
        if plan.counts is not None and parameters.get("min_samples_leaf", 1) != 1:
            raise SweepError(f"min_samples_leaf of {self.name} counts rows, which counted rows are not; leave it at 1")
        if not self.installed:
            raise SweepError(
                f"the baseline {self.name} needs the package {self.packages[-1]}; install it, or leave it out"
            )
        X = np.array([[0.0], [1.0]] * 4, dtype=np.float32)
        y = np.array([False, True] * 3 + [True, True])  # one is wrong: where none is, fairlearn goes on for seconds
        groups = np.repeat(np.array(plan.compared[:2] or ("a", "b"), dtype=object), 4)
        self._trained(X, Part(plan.X, y, groups, np.arange(8)), parameters, plan)

    def fit(self, fold: Fold, parameters: Mapping[str, Any], plan: Plan, *unused: Any) -> Fitted:
        train, test = self._features(fold, parameters)
        began = time.perf_counter()
        fitted = self._trained(train, fold.train, parameters, plan)
        seconds = time.perf_counter() - began

        def predicted(X: np.ndarray, part: Part) -> np.ndarray:
            return np.asarray(fitted.predict(self.cells(X), **self.for_predict(part, plan)), dtype=bool)

        tested = predicted(test, fold.test) if len(test) else None
        rules, conditions = self.size(fitted)
        trained = predicted(train, fold.train)
        return Fitted("fitted", trained, tested, seconds, rules=rules, conditions=conditions)

    def _trained(self, X: np.ndarray, part: Part, parameters: Mapping[str, Any], plan: Plan) -> Any:
        own = {name: value for name, value in parameters.items() if name not in BINARIZING}
        y = part.y.astype(int) if self.criteria else part.y
        made = self.make(own, plan.random_state)
        made.fit(self.cells(X), y, **self.for_fit(part, plan))
        return made

    def _features(self, fold: Fold, parameters: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """The conditions of both parts as numbers."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            table, binarizer = conditions_of(fold, parameters)
            if fold.test.counts is not None:
                return table.to_numpy(dtype=np.float32), fold.test.counts.frame.to_numpy(dtype=np.float32)
            test = fold.test.X if binarizer is None or not len(fold.test.y) else binarizer.transform(fold.test.X)
            return table.to_numpy(dtype=np.float32), test.to_numpy(dtype=np.float32)

        return fold.cached("features", repr({name: parameters[name] for name in BINARIZING}), make)


def _named(X: np.ndarray) -> pd.DataFrame:
    """Whole numbers, which RIPPER takes as they are; it puts fractions into bins of its own."""
    return pd.DataFrame(X.astype(np.int64), columns=[f"c{i}" for i in range(X.shape[1])])


def _groups(part: Part, plan: Plan) -> dict[str, Any]:
    """The groups that are compared; the rows of all others make one group."""
    assert part.groups is not None
    return {"sensitive_features": np.where(np.isin(part.groups, plan.compared), part.groups, "(others)")}


def tree_size(tree: DecisionTreeClassifier) -> tuple[int, int]:
    """Rules and conditions of a fitted tree of two classes (Dash, Günlük and Wei, NeurIPS 2018, section 4).

    Each leaf of one class is a rule with the tests on its path as conditions; the class is that which makes them fewer.
    """
    nodes = tree.tree_
    leaf, depth = nodes.children_left < 0, nodes.compute_node_depths() - 1
    label = nodes.value[:, 0, :].argmax(axis=1)
    sizes = [(int((leaf & (label == c)).sum()), int(depth[leaf & (label == c)].sum())) for c in (0, 1)]
    return min(sizes, key=sum)


def _size_of_c50(fitted: Any) -> tuple[int, int]:
    """As `tree_size`."""
    sides: dict[str, list[int]] = {}
    for rule in fitted.export_rules():
        path, _, predicted = rule.rpartition("=> ")
        sides.setdefault(predicted, []).append(path.count(" AND ") + bool(path.strip()))
    return min(((len(paths), sum(paths)) for paths in sides.values()), key=sum) if len(sides) > 1 else (0, 0)


def _c50py(name: str) -> Callable[[dict[str, Any], int], Any]:
    return lambda own, seed: getattr(importlib.import_module("c50py"), name)(**own)


_CONSTRAINTS = {
    "equal_opportunity": ("TruePositiveRateParity", "true_positive_rate_parity"),
    "predictive_equality": ("FalsePositiveRateParity", "false_positive_rate_parity"),
    "equalized_odds": ("EqualizedOdds", "equalized_odds"),
    "demographic_parity": ("DemographicParity", "demographic_parity"),
}
"""What fairlearn calls each criterion, in its reductions and in its postprocessing."""


def _reduced(own: dict[str, Any], seed: int) -> Any:
    reductions = importlib.import_module("fairlearn.reductions")
    constraints = getattr(reductions, _CONSTRAINTS[own["criterion"]][0])
    tree = DecisionTreeClassifier(max_leaf_nodes=own["max_leaf_nodes"], random_state=seed)
    return reductions.ExponentiatedGradient(tree, constraints(difference_bound=own["eps"]))


def _with_thresholds(own: dict[str, Any], seed: int) -> Any:
    return importlib.import_module("fairlearn.postprocessing").ThresholdOptimizer(
        estimator=LogisticRegression(C=own["C"], max_iter=_ITERATIONS),
        constraints=_CONSTRAINTS[own["criterion"]][1],
        predict_method="predict_proba",
    )


_FAIR: dict[str, Any] = {"for_fit": _groups, "criteria": tuple(_CONSTRAINTS)}
_MADE: dict[str, dict[str, Any]] = {
    "cart": {"make": lambda own, seed: DecisionTreeClassifier(**own, random_state=seed), "size": tree_size},
    "random_forest": {"make": lambda own, seed: RandomForestClassifier(**own, random_state=seed)},
    "logistic_regression": {"make": lambda own, seed: LogisticRegression(**own, max_iter=_ITERATIONS)},
    "svm": {"make": lambda own, seed: SVC(**own)},
    "adaboost": {"make": lambda own, seed: AdaBoostClassifier(**own, random_state=seed)},
    "ripper": {
        "make": lambda own, seed: importlib.import_module("wittgenstein").RIPPER(**own, random_state=seed),
        "size": lambda fitted: (len(fitted.ruleset_.rules), sum(len(rule.conds) for rule in fitted.ruleset_.rules)),
        "cells": _named,
        "for_fit": lambda part, plan: {"pos_class": True},
    },
    "c45_rules": {
        "make": _c50py("C5RulesClassifier"),
        "size": lambda fitted: (len(fitted.rules_), sum(len(rule.conditions) for rule in fitted.rules_)),
    },
    "c50": {"make": _c50py("C5Classifier"), "size": _size_of_c50},
    "exponentiated_gradient": {
        "make": _reduced,
        "for_predict": lambda part, plan: {"random_state": plan.random_state},
        **_FAIR,
    },
    "threshold_optimizer": {
        "make": _with_thresholds,
        # scores keep the precision of these cells, as thresholds are written exactly
        "cells": lambda X: X.astype(np.float64),
        "for_predict": lambda part, plan: {**_groups(part, plan), "random_state": plan.random_state},
        **_FAIR,
    },
}
"""What makes a classifier of each kind, and what else is particular about it."""


def _classifiers() -> Iterator[Classifier]:
    for name, told in load_tables(Path(__file__).with_suffix(".toml")).items():
        told["own"] = {key: None if value == "none" else value for key, value in told["own"].items()}
        yield Classifier(name, **told, **_MADE[name])


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
    """Rule lists made rule by rule, of antecedents of certified ones: each rule makes stopping cost least."""

    name, title = "greedy_list", "Greedy rule list"
    baseline = True
    defaults = {"max_length": 4, **PREPARING}
    grid = {"max_length": [1, 2, 3, 4]}

    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        self._lists.check({**self._lists.defaults, **parameters}, plan)

    def fit(self, fold: Fold, parameters: Mapping[str, Any], plan: Plan, *unused: Any) -> Fitted:
        chosen = {**self._lists.defaults, **parameters}
        try:
            problem = fold.cached("problem of a greedy list", repr(chosen), lambda: self._lists.problem(fold, chosen))
        except NothingFound:
            model, _ = self._lists.without_rules(fold.train, chosen)
            began = time.perf_counter()
        else:
            began = time.perf_counter()
            model = RuleList.from_problem(problem, greedily_chosen(problem, chosen["max_length"]))
        return Fitted.by(model, fold, "fitted", time.perf_counter() - began)

    @property
    def _lists(self) -> Certified:
        return FAMILIES[RuleList.family]


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


_CART, *_OTHERS = _classifiers()
BASELINES: dict[str, Method] = {method.name: method for method in (_CART, GreedyList(), *_OTHERS, CompasScore())}
