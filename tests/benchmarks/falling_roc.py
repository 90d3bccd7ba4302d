"""ROC over the positive weight: falling rule lists beside other classifiers with the same costs, on test rows.

As in section 6 of Chen and Rudin (AISTATS 2018): bank-full with the 227 antecedents, which all methods are given as
their features; five random splits; one classifier for each method, split and weight w of the positive class.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Table, instances, user_seconds
from _roc import area, largest_lead
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import rulelab as rl

TRAINING_SHARE = 0.8
REGULARIZATION = 1e-6  # of the paper: small enough that no accuracy is given up for fewer rules
VIOLATION_PENALTY = 0.5
CLOSE = 0.01  # of the area under a curve

Fit = Callable[[np.ndarray, np.ndarray, float, int], Any]

COLUMNS = "method:-20 | w:5g | test TPR:8.4f | test FPR:8.4f | test loss:9.5f | sd:8.5f | rules:6.1f | fit user s:10.3f"
SUMMARY = "method:-20 | area:8.4f | sd:7.4f | to best:8+.4f | sd of it:8.4f | largest lead of the best:24.4f"


def main(argv: list[str]) -> int:
    """Print both tables and what they say; status 2 when the data are not there."""
    options = argparse.ArgumentParser(prog="rulelab bench falling-roc", description=__doc__)
    options.add_argument("--weights", type=float, nargs="+", default=[1, 3, 5, 7, 10], metavar="W")
    options.add_argument("--splits", type=int, default=5, help="random splits (%(default)s)")
    options.add_argument("--iterations", type=int, default=3000, help="of the Monte-Carlo search (%(default)s)")
    options.add_argument("--exact", type=float, metavar="S", help="also exact lists, at most S seconds each")
    options.add_argument("--trees", type=int, default=50, help="of random forest and AdaBoost (%(default)s)")
    options.add_argument("--rows", type=int, metavar="N", help="only so many rows, drawn at random")
    options.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = options.parse_args(argv)
    module = instances()
    if module is None:
        print("the bank-full antecedents are not beside this checkout", file=sys.stderr)
        return 2
    A, y, _ = module.load("bank_227")
    if args.rows is not None:
        rows = np.random.default_rng(0).permutation(len(y))[: args.rows]
        A, y = A[rows], y[rows]
    methods = _methods(args.iterations, args.exact, args.trees)
    for fit in methods.values():  # compiles the kernels
        fit(A[:300], y[:300], 1.0, 0)
    table = Table(COLUMNS)
    rates = {name: np.zeros((args.splits, len(args.weights), 2)) for name in methods}
    for name, fit in methods.items():
        for i, w in enumerate(args.weights):
            scores = [_score(fit, A, y, w, split) for split in range(args.splits)]
            tpr, fpr, loss, rules, seconds = np.array(scores, dtype=float).T
            rates[name][:, i] = np.column_stack([fpr, tpr])
            size = None if np.isnan(rules).any() else rules.mean()
            table.add(name, w, tpr.mean(), fpr.mean(), loss.mean(), loss.std(), size, float(np.median(seconds)))
    table.save(args.json)
    _summarise(rates)
    return 0


def _methods(iterations: int, exact: float | None, trees: int) -> dict[str, Fit]:
    """How each method is fitted to Boolean features, labels, the weight of the positive class and a seed."""

    def falling(penalty: float | None, method: str, time_limit: float | None, **options: Any) -> Fit:
        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            problem = rl.Problem.from_arrays(A, y)
            search = rl.search_for(
                problem,
                "falling_rule_list",
                regularization=REGULARIZATION,
                positive_weight=w,
                violation_penalty=penalty,
                method=method,
                random_state=seed,
                **options,
            )
            return rl.solve(search, time_limit=time_limit).incumbent.model

        return fit

    def learner(make: Callable[[int], Any]) -> Fit:
        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            return make(seed).fit(A.astype(np.float32), y, sample_weight=np.where(y, w, 1.0))

        return fit

    def merged(make: Callable[[int], Any]) -> Fit:
        """For learners to which equal rows are as good as one with their weight: they train on distinct rows."""

        def fit(A: np.ndarray, y: np.ndarray, w: float, seed: int) -> Any:
            problem = rl.Problem.from_arrays(A, y)
            features = np.tile(problem.matrix().astype(np.float32), (2, 1))
            labels = np.repeat([True, False], problem.n_patterns)
            weight = np.concatenate([w * problem.positives, problem.negatives])
            kept = weight > 0
            return make(seed).fit(features[kept], labels[kept], sample_weight=weight[kept])

        return fit

    mc = {"iterations": iterations}
    exactly = {"falling, exact": falling(None, "exact", exact)} if exact is not None else {}
    return {
        "falling": falling(None, "monte_carlo", None, **mc),
        "softly falling": falling(VIOLATION_PENALTY, "monte_carlo", None, **mc),
        **exactly,
        "CART": learner(lambda seed: DecisionTreeClassifier(min_samples_leaf=50, random_state=seed)),
        "random forest": learner(
            lambda seed: RandomForestClassifier(trees, min_samples_leaf=5, random_state=seed),
        ),
        "AdaBoost on trees": merged(
            lambda seed: AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=trees, random_state=seed)
        ),
        "logistic regression": merged(lambda seed: LogisticRegression(max_iter=500)),
    }


def _score(fit: Fit, A: np.ndarray, y: np.ndarray, w: float, split: int) -> tuple[float, ...]:
    """True and false positive rates and weighted loss on the test rows, number of rules, seconds of the fit."""
    order = np.random.default_rng(split).permutation(len(y))
    train, test = np.split(order, [round(TRAINING_SHARE * len(y))])
    start = user_seconds()
    model = fit(A[train], y[train], w, split)
    seconds = user_seconds() - start
    predicted, actual = np.asarray(model.predict(A[test]), dtype=bool), y[test]
    missed, alarms = int((actual & ~predicted).sum()), int((~actual & predicted).sum())
    rules = len(model) if isinstance(model, rl.FallingRuleList) else np.nan
    positive, negative = int(actual.sum()), int((~actual).sum())
    return 1 - missed / positive, alarms / negative, (w * missed + alarms) / len(test), rules, seconds


def _summarise(rates: dict[str, np.ndarray]) -> None:
    """Areas under the hulls of the curves, their differences on the same splits, and whether they lie close."""
    areas = {name: np.array([area(split) for split in of_method]) for name, of_method in rates.items()}
    best = max(areas, key=lambda name: areas[name].mean())
    print()
    table = Table(SUMMARY)
    for name, own in areas.items():
        behind = own - areas[best]
        lead = np.mean([largest_lead(ours, theirs) for ours, theirs in zip(rates[name], rates[best], strict=True)])
        table.add(name, own.mean(), own.std(), behind.mean(), behind.std(), float(lead))
    print()
    lists = [name for name in areas if name.endswith("falling") or name.startswith("falling")]
    for name in lists:
        behind = {other: float((areas[other] - areas[name]).mean()) for other in areas if other not in lists}
        close = [other for other, short in behind.items() if abs(short) <= CLOSE]
        apart = [f"{abs(s):.4f} {'below' if s > 0 else 'above'} {o}" for o, s in behind.items() if o not in close]
        print(f"the area of {name!r} is within {CLOSE:g} of {' and '.join(close) or 'no other'}", end="")
        print(f"; it is {', '.join(apart)}" if apart else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
