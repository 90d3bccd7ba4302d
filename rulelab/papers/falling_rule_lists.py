"""Falling rule lists: rates on unseen rows over the weight of a missed positive, beside methods with the same costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from .. import datasets, questions
from ..data.binarize import Binarizer
from ..data.metrics import confusion
from ..data.mining import mine_antecedents
from ..data.problem import Problem
from ..falling_rule_list import FallingRuleListSearch
from ..recording import Recording
from ..snapshot import Snapshot
from ..stepping import solve
from .figure import RAN, SOURCE, Made, drawing, table

PAPER = "Falling rule lists: Chen and Rudin, AISTATS 2018"
TRAINING_SHARE = 0.8
REGULARIZATION = 1e-6
"""Of the paper: small enough that no accuracy is given up for fewer rules."""
PENALTIES = {"falling rule list": None, "softly falling rule list": 0.5}
ITERATIONS = 3000

Fit = Callable[[np.ndarray, np.ndarray, float, int], Any]
"""Fits Boolean antecedents (rows, antecedents) and labels, by the weight of a missed positive and a seed."""


def roc(quick: bool) -> Made:
    """Rates of each method and weight, the means over random splits."""
    problem, y = _bank()
    A = problem.matrix()[problem.row_pattern]
    some = np.random.default_rng(0).permutation(len(y))[: 3000 if quick else 20_000]
    A, y = A[some], y[some]
    weights, splits = ([1, 5], 1) if quick else ([1, 3, 5, 7, 10], 3)
    rows = []
    for name, fit in _methods(500 if quick else 3000, 10 if quick else 20).items():
        for w in weights:
            means = pd.DataFrame([_on_test(fit, A, y, w, split) for split in range(splits)]).mean(skipna=False)
            rows.append({SOURCE: RAN, "method": name, "w": w, **means.to_dict()})
    shown = table(rows)
    rates = shown[["method"]].assign(**{_column(name): shown[f"{name} %"] / 100 for name in _RATES})
    return Made({"Rates on test rows": shown}, {"ROC over the weight": drawing("roc", rates, by="method")})


def _bank() -> tuple[Problem, np.ndarray]:
    """All rows of bank-full with its single conditions as antecedents, and the labels."""
    data = datasets.load("bank_full")
    conditions = Binarizer(thresholds=10).fit_transform(data.X)
    antecedents = mine_antecedents(conditions, max_conditions=1, min_support=0.01)
    return Problem.from_antecedents(antecedents, data.y), np.asarray(data.y, dtype=bool)


def searches(quick: bool) -> Made:
    """What the Monte-Carlo searches consider, how their loss falls, and the lists; beside the certified optimum."""
    problem, _ = _bank()
    rows, lists, considered, plots = [], [], [], {}
    for w in (1, 7) if quick else (1, 3, 5, 7):
        for kind, penalty in PENALTIES.items():
            run = Recording(_monte_carlo(problem, w, penalty, ITERATIONS, seed=1))
            *_, last = run.steps(work_limit=ITERATIONS)
            rows += [
                {SOURCE: RAN, "method": kind, "w": w, "place in the list": k, "antecedents considered": mean}
                for k, mean in enumerate(last.detail["considered_mean"], start=1)
            ]
            considered += [(f"{kind}, w = {w}", i, sum(counts)) for i, counts in last.detail["considered"]]
            lists.append(_found(kind, w, last))
            plots[f"Loss over time: {kind}, w = {w} (Figure 9)"] = drawing("incumbents", run, x="seconds")
        lists.append(_found("certified falling rule list", w, solve(FallingRuleListSearch(problem, REGULARIZATION, w))))
    frame = pd.DataFrame(considered, columns=["search", "iteration", "antecedents considered"])
    drawn = drawing("curves", frame, "iteration", "antecedents considered", "search")
    tables = {"Antecedents considered, by place in the list": table(rows), "Lists": table(lists)}
    return Made(tables, {"Antecedents considered in an iteration (Figure 4)": drawn, **plots})


def _found(kind: str, w: float, last: Snapshot) -> dict[str, Any]:
    assert last.incumbent is not None
    cells = {"loss": last.incumbent.objective, "lower bound": last.lower_bound, "status": str(last.status)}
    return {SOURCE: RAN, "method": kind, "w": w, **cells, "list": " ".join(str(last.incumbent.model).split())}


_RATES = ("true positive rate", "false positive rate")


def _column(words: str) -> str:
    return words.replace(" ", "_")


def _on_test(fit: Fit, A: np.ndarray, y: np.ndarray, w: float, split: int) -> dict[str, float]:
    order = np.random.default_rng(split).permutation(len(y))
    train, test = np.split(order, [round(TRAINING_SHARE * len(y))])
    began = time.process_time()
    model = fit(A[train], y[train], w, split)
    seconds = time.process_time() - began
    counts = confusion(y[test], np.asarray(model.predict(A[test]), dtype=bool))
    return {
        **{f"{name} %": 100 * counts.rate(_column(name)) for name in _RATES},
        "weighted loss": (w * counts.false_negative + counts.false_positive) / len(test),
        "rules": float(len(model)) if hasattr(model, "rules") else np.nan,
        "CPU s": seconds,
    }


def _monte_carlo(problem: Problem, w: float, penalty: float | None, iterations: int, seed: int) -> Any:
    return questions.search(
        problem,
        "falling_rule_list",
        regularization=REGULARIZATION,
        positive_weight=w,
        violation_penalty=penalty,
        method="monte_carlo",
        iterations=iterations,
        random_state=seed,
    )


def _methods(iterations: int, trees: int) -> dict[str, Fit]:
    def falling(penalty: float | None) -> Fit:
        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            found = solve(_monte_carlo(Problem.from_arrays(A, y), w, penalty, iterations, seed)).incumbent
            assert found is not None
            return found.model

        return fit

    def learner(make: Callable[[int], Any]) -> Fit:
        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            return make(seed).fit(*_distinct(A, y, w))

        return fit

    return {
        **{kind: falling(penalty) for kind, penalty in PENALTIES.items()},
        "CART": learner(lambda seed: DecisionTreeClassifier(max_leaf_nodes=50, random_state=seed)),
        "random forest": learner(lambda seed: RandomForestClassifier(trees, max_leaf_nodes=200, random_state=seed)),
        "AdaBoost on trees": learner(
            lambda seed: AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=trees, random_state=seed)
        ),
        "logistic regression": learner(lambda seed: LogisticRegression(max_iter=500)),
    }


def _distinct(A: np.ndarray, y: np.ndarray, w: float) -> Iterator[np.ndarray]:
    """Features, labels and weights of distinct rows: to these learners, one with their weight is as good as all."""
    problem = Problem.from_arrays(A, y)
    weight = np.concatenate([w * problem.positives, problem.negatives])
    kept = weight > 0
    yield np.tile(problem.matrix().astype(np.float32), (2, 1))[kept]
    yield np.repeat([True, False], problem.n_patterns)[kept]
    yield weight[kept]


FIGURES = {"falling-roc": roc, "falling-search": searches}
