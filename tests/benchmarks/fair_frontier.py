"""The frontier of fair rule sets on COMPAS: two criteria, seven tolerances, five complexities; what is proven."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from _measure import Table, needed_instances, parser, user_seconds
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import rulelab as rl
from rulelab.data.metrics import confusion, wilson_interval

PAPER = (("paper: rule set", 67.6, 23.8), ("paper: Hardt", 65.9, 23.7), ("paper: Fairlearn", 65.8, 21.7))
"""Without constraints: test accuracy and equality-of-opportunity gap. Lawless et al., JMLR 24 (2023), table 4."""

SENSITIVE = "African-American"
CRITERIA = {"EqualOpportunity": rl.EqualOpportunity, "EqualizedOdds": rl.EqualizedOdds}
COMPARED = (0.01, 0.05, 0.1)
COLUMNS = (
    "method:-24 | criterion:-16 | C:3 | eps:5g | status:-10 | H:6.1f | bound:7.1f | train gap %:11.1f | "
    "accuracy %:10.1f | 95 % interval:-13 | test gap %:10.1f | +-:4.1f"
)
NOTES = """
One line for each cell; H and bound are means over the folds, status counts the folds (p proven, o open).
train gap: the largest true gap on training rows. accuracy and test gap are those of the test predictions of all folds
pooled, +- is 1.96 standard errors of the difference of two proportions. The gap of a single fold has a noise of
several points."""

Key = tuple[str, str, int | None, float | None]
"""Method, criterion, complexity, tolerance."""


def main(argv: list[str]) -> int:
    """Print the frontier; status 1 when a rule set breaks its constraint on the training rows."""
    options = parser("fair-frontier", __doc__ or "", repeats=1)
    options.add_argument("--folds", type=int, default=1, help="of 10, from the first (%(default)s)")
    options.add_argument(
        "--work", type=int, default=20_000, help="units of work for a criterion and fold (%(default)s)"
    )
    args = options.parse_args(argv)
    module = needed_instances()
    A, y, names = module.load("compas_24")
    groups = np.where(A[:, names.index(SENSITIVE)], SENSITIVE, "Caucasian")
    _warm_up(A, y, groups)
    strata = y + 2 * (groups == SENSITIVE)
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(A, strata))[: max(1, args.folds)]
    cells: dict[tuple[str, int, float], list[rl.FrontPoint]] = {}
    predicted: dict[Key, list[np.ndarray]] = {}
    seconds, broken = [], 0
    for train, test in folds:
        problem = rl.Problem.from_arrays(A[train], y[train], names=names, groups=groups[train])
        began = user_seconds()
        found = [(name, point) for name, kind in CRITERIA.items() for point in _front(problem, kind, args.work)]
        seconds.append(user_seconds() - began)
        for name, point in found:
            eps, complexity = point.place["tolerance"], int(point.place["max_complexity"])
            cells.setdefault((name, complexity, eps), []).append(point)
            assert point.model is not None
            key = ("rule set", name, complexity, eps)
            predicted.setdefault(key, []).append(point.model.predicts_positive(A[test]))
            broken += _broken(problem, point, CRITERIA[name](eps))
        for key, prediction in _fairlearn(A[train], y[train], groups[train], A[test], groups[test]):
            predicted.setdefault(key, []).append(prediction)
    tests = np.concatenate([test for _, test in folds])
    table = Table(COLUMNS)
    for key, parts in sorted(predicted.items(), key=_place):
        _show(table, key, cells.get(key[1:]), np.concatenate(parts), y[tests], groups[tests])
    for name, accuracy, gap in PAPER:
        table.add(name, "EqualOpportunity", None, None, "", None, None, None, accuracy, "", gap, None)
    print(NOTES)
    statuses = Counter(cell.status for of_cell in cells.values() for cell in of_cell)
    print(f"{dict(statuses)} in {len(folds)} folds; user CPU s/fold: {', '.join(f'{s:.1f}' for s in seconds)}")
    table.save(args.json)
    return min(broken, 1)


def _place(item: tuple[Key, list[np.ndarray]]) -> tuple[bool, str, str, int, float]:
    """Rule sets first; then by criterion, complexity, and from the loosest tolerance to the tightest."""
    method, name, complexity, eps = item[0]
    return method != "rule set", method, name, complexity or 0, -(eps or 0)


def _warm_up(A: np.ndarray, y: np.ndarray, groups: np.ndarray) -> None:
    """Compile what is not cached yet."""
    problem = rl.Problem.from_arrays(A[:500], y[:500], groups=groups[:500])
    _front(problem, rl.EqualOpportunity, 50)


def _front(problem: rl.Problem, criterion: type[rl.Criterion], work: int) -> tuple[rl.FrontPoint, ...]:
    search = rl.frontier(problem, "tolerance", "rule_set", criterion=criterion)
    rl.solve(search, work_limit=work)
    return search.points


def _broken(problem: rl.Problem, point: rl.FrontPoint, criterion: rl.Criterion) -> bool:
    """Whether a rule set breaks its constraint: it may not begin a search under it then."""
    start = rl.RuleSetSearch(problem, int(point.place["max_complexity"]), fairness=criterion, warm_start=point.model)
    return start.advance(1).incumbent.objective > point.value


def _fairlearn(
    A: np.ndarray, y: np.ndarray, groups: np.ndarray, seen: np.ndarray, seen_groups: np.ndarray
) -> Iterator[tuple[Key, np.ndarray]]:
    """Test predictions of the methods of the fairlearn package, when it is installed."""
    if importlib.util.find_spec("fairlearn") is None:
        return
    from fairlearn.postprocessing import ThresholdOptimizer
    from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient, TruePositiveRateParity

    X, Z = A.astype(float), seen.astype(float)
    constraints: dict[str, tuple[Callable[..., object], str]] = {
        "EqualOpportunity": (TruePositiveRateParity, "true_positive_rate_parity"),
        "EqualizedOdds": (EqualizedOdds, "equalized_odds"),
    }
    for name, (moment, words) in constraints.items():
        for eps in COMPARED:
            tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0)
            fitted = ExponentiatedGradient(tree, moment(difference_bound=eps)).fit(
                X, y.astype(int), sensitive_features=groups
            )
            yield ("exponentiated gradient", name, None, eps), np.asarray(fitted.predict(Z, random_state=0), dtype=bool)
        optimizer = ThresholdOptimizer(
            estimator=LogisticRegression(max_iter=1000), constraints=words, predict_method="predict_proba"
        ).fit(X, y.astype(int), sensitive_features=groups)
        found = optimizer.predict(Z, sensitive_features=seen_groups, random_state=0)
        yield ("threshold optimizer", name, None, None), np.asarray(found, dtype=bool)


def _show(
    table: Table,
    key: Key,
    cells: list[rl.FrontPoint] | None,
    predicted: np.ndarray,
    actual: np.ndarray,
    groups: np.ndarray,
) -> None:
    method, name, complexity, eps = key
    low, high = wilson_interval([int((predicted == actual).sum())], [len(actual)])
    gap, noise = _pooled_gap(predicted, actual, groups, name)
    figures: list[float | str | None] = ["", None, None, None]
    if cells is not None:
        counts = Counter(cell.status[0] for cell in cells)
        figures = [
            cells[0].status if len(cells) == 1 else " ".join(f"{n}{s}" for s, n in counts.items()),
            float(np.mean([cell.value for cell in cells])),
            float(np.mean([cell.lower_bound for cell in cells])),
            100 * max(cell.true_gap for cell in cells),
        ]
    table.add(
        method, name, complexity, eps, *figures, 100 * float(np.mean(predicted == actual)),
        f"{100 * low[0]:.1f} .. {100 * high[0]:.1f}", 100 * gap, 100 * noise,
    )  # fmt: skip


def _pooled_gap(predicted: np.ndarray, actual: np.ndarray, groups: np.ndarray, criterion: str) -> tuple[float, float]:
    """The largest difference of the criterion's rates between the two groups, and 1.96 standard errors of it."""
    counts = [confusion(actual[groups == g], predicted[groups == g]) for g in np.unique(groups)]
    gaps = []
    for rate in ("false_negative_rate", "false_positive_rate")[: 1 + (criterion == "EqualizedOdds")]:
        values = [count.rate(rate) for count in counts]
        sizes = [
            count.true_positive + count.false_negative
            if rate == "false_negative_rate"
            else count.true_negative + count.false_positive
            for count in counts
        ]
        variance = sum(v * (1 - v) / n for v, n in zip(values, sizes, strict=True))
        gaps.append((abs(values[0] - values[1]), 1.96 * variance**0.5))
    return max(gaps)
