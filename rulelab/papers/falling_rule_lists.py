"""Falling rule lists: rates on unseen rows over the weight of a missed positive, beside methods with the same costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from .. import datasets
from ..data.binarize import Binarizer
from ..data.metrics import confusion
from ..data.mining import mine_antecedents
from ..data.problem import Problem
from ..questions import search_for
from ..search import solve
from .figure import RAN, SOURCE, Figure, Made, drawing, table

PAPER = "Falling rule lists: Chen and Rudin, AISTATS 2018"
TRAINING_SHARE = 0.8
REGULARIZATION = 1e-6
"""Of the paper: small enough that no accuracy is given up for fewer rules."""

Fit = Callable[[np.ndarray, np.ndarray, float, int], Any]
"""Fits Boolean antecedents (rows, antecedents) and labels, by the weight of a missed positive and a seed."""


def roc(quick: bool) -> Made:
    """Rates of each method and weight, the means over random splits."""
    data = datasets.load("bank_full")
    conditions = Binarizer(thresholds=10).fit_transform(data.X)
    A, y = mine_antecedents(conditions, max_conditions=1, min_support=0.01).matrix, np.asarray(data.y, dtype=bool)
    some = np.random.default_rng(0).permutation(len(y))[: 3000 if quick else 20_000]
    A, y = A[some], y[some]
    weights, splits = ([1, 5], 1) if quick else ([1, 3, 5, 7, 10], 3)
    rows = [
        {SOURCE: RAN, "method": name, "w": w, **_means([_on_test(fit, A, y, w, split) for split in range(splits)])}
        for name, fit in _methods(500 if quick else 3000, 10 if quick else 20).items()
        for w in weights
    ]
    shown = table(rows)
    rates = shown[["method"]].assign(**{_column(name): shown[f"{name} %"] / 100 for name in _RATES})
    return Made({"Rates on test rows": shown}, {"ROC over the weight": drawing("roc", rates, by="method")})


_RATES = ("true positive rate", "false positive rate")


def _column(words: str) -> str:
    return words.replace(" ", "_")


def _means(scores: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([score[name] for score in scores])) for name in scores[0]}


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


def _methods(iterations: int, trees: int) -> dict[str, Fit]:
    def falling(penalty: float | None) -> Fit:
        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            search = search_for(
                Problem.from_arrays(A, y),
                "falling_rule_list",
                regularization=REGULARIZATION,
                positive_weight=w,
                violation_penalty=penalty,
                method="monte_carlo",
                iterations=iterations,
                random_state=seed,
            )
            found = solve(search).incumbent
            assert found is not None
            return found.model

        return fit

    def learner(make: Callable[[int], Any]) -> Fit:
        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            return make(seed).fit(*_distinct(A, y, w))

        return fit

    return {
        "falling rule list": falling(None),
        "softly falling rule list": falling(0.5),
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


FIGURES = (
    Figure(
        "falling-roc", PAPER, "Section 6, Figure 4: ROC over the weight of a missed positive, bank-full", roc,
        "The paper shows it as a figure, without numbers. Its antecedents have one or two conditions, ours one; it has "
        "five splits of all rows, ours three of 20 000. Lists are of its Monte-Carlo search, not proven optimal.",
    ),
)  # fmt: skip
