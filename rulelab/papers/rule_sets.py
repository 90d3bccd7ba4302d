"""Boolean rules by column generation: accuracy and complexity by nested cross-validation beside the papers' tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from .. import datasets
from ..data.binarize import Binarizer
from ..data.problem import Problem
from ..datasets import Dataset
from ..recording import Recording
from ..rule_set import RuleSetSearch
from ..stepping import solve
from ..sweeps import Sweep, mean_and_error, sweep
from .figure import RAN, SOURCE, Made, by_data, drawing, installed, needed, of_each, published, table

PAPER = "Boolean rules: Dash, Günlük and Wei, NeurIPS 2018; Lawless, Dash, Günlük and Wei, JMLR 24, 2023"
LIGHT = {"tic_tac_toe": (5, 32, 0, None, None), "breast_cancer": (10, 16, 11, 4, 300)}
"""Thresholds, complexity and Hamming loss of a set that AIX360 found; then the limits of ours."""

LOSSES = {"hamming": "Hamming loss", "zero_one": "0-1 loss"}
ABSENT = ("gas",)
COMPLEXITY, EXACT = 15, {"tic_tac_toe": 32}
"""Of the sets whose losses are compared: tic-tac-toe has an exact one."""
_BASELINES = {"cart": {"min_samples_leaf": [1, 2, 5, 10, 20, 40]}, "random_forest": {"min_samples_leaf": [1, 5]}}
_RIVALS = ("ripper", "c45_rules", "c50")
_TIES = 1e-9
_LOSS = "trained on"
_POOL = [f"{rows} %, least {loss}" for rows in ("training", "test") for loss in LOSSES.values()]


class Effort(NamedTuple):
    """Folds outside and inside, the complexities to choose from, seconds of a fit, and the data sets."""

    folds: int
    inner: int
    complexities: list[int]
    seconds: float
    data: tuple[str, ...]


QUICK = Effort(2, 2, [4, 16, 32], 0.25, ("tic_tac_toe", "heart"))
WHOLE = Effort(
    5, 2, [4, 8, 16, 32], 0.5,
    ("tic_tac_toe", "breast_cancer", "banknote", "heart", "ilpd", "ionosphere", "liver", "pima", "transfusion"),
)  # fmt: skip


def nested(quick: bool) -> Made:
    """Our rows of each data set, then the paper's."""
    effort = QUICK if quick else WHOLE
    paper = published("rule_sets")
    rows = of_each(effort.data, lambda name: _ours(name, datasets.load(name), effort))
    rows += installed(*_RIVALS)[1]
    rows += [needed("data", "not in the registry: read it from a file, and sweep it", data=name) for name in ABSENT]
    return Made(
        {"Accuracy and complexity": by_data(rows, paper), "Training loss beside BRCG-light": table(list(_light()))}
    )


def _light() -> Iterator[dict[str, Any]]:
    """Losses of our sets on the conditions and within the complexity of AIX360's; work is limited, not time."""
    for name, (thresholds, complexity, loss, max_conditions, work) in LIGHT.items():
        data = datasets.load(name)
        conditions = Binarizer(thresholds=thresholds, negations=True).fit_transform(data.X)
        problem = Problem.from_arrays(conditions, data.y)
        last = solve(RuleSetSearch(problem, complexity, max_conditions), work_limit=work)
        assert last.incumbent is not None
        shared = {"data": name, "complexity": complexity}
        yield {SOURCE: RAN, **shared, "Hamming loss": last.incumbent.objective, "lower bound": last.lower_bound}
        yield {SOURCE: "quoted: AIX360, BooleanRuleCG, on the same conditions", **shared, "Hamming loss": loss}


def losses(quick: bool) -> Made:
    """Sets of least Hamming loss beside sets of fewest errors, and how far apart they can be."""
    folds, seconds = (2, 0.5) if quick else (5, 2.0)
    tested = {}
    for table_of, make in (("hamming_loss", _both), ("pool", _chosen_from_pool)):
        paper = published(table_of)
        names = QUICK.data if quick else dict.fromkeys(row["data"] for row in paper)
        tested[table_of] = by_data(of_each(names, partial(make, folds=folds, seconds=seconds)), paper)
    apart = [each for d in ((6, 8) if quick else (6, 8, 10)) for each in _apart(d)]
    tables = {
        "Hamming loss beside 0-1 loss": tested["hamming_loss"],
        "Theorem 4: how far apart they can be": table(apart),
        "The best by 0-1 loss of all sets met (Table 10)": tested["pool"],
    }
    return Made(tables, {"Theorem 4: errors by rows": drawing("curves", pd.DataFrame(apart), "rows", "errors", _LOSS)})


def _chosen_from_pool(name: str, folds: int, seconds: float) -> Iterator[dict[str, Any]]:
    means = np.mean(list(_pool(datasets.load(name), folds, seconds)), axis=0)
    yield {SOURCE: RAN, "data": name, **dict(zip(_POOL, means, strict=True))}


def _pool(data: Dataset, folds: int, seconds: float) -> Iterator[list[float]]:
    """Of each fold, the accuracies of the set of least Hamming loss, and of the least 0-1 loss of those before it."""
    y = np.asarray(data.y)
    for rows in StratifiedKFold(folds, shuffle=True, random_state=0).split(data.X, y):
        binarizer = Binarizer().fit(_rows(data.X, rows[0]))
        A = [binarizer.transform(_rows(data.X, some)).to_numpy() for some in rows]
        search = RuleSetSearch(Problem.from_arrays(A[0], y[rows[0]]), EXACT.get(data.name, COMPLEXITY))
        met = [each.incumbent for each in search.steps(work_per_step=1, time_limit=seconds) if each.incumbent]
        sets = (met[-1].model, min(met, key=lambda one: one.errors).model)
        yield [
            100 * float((one.predicts_positive(A[part]) == y[some].astype(bool)).mean())
            for part, some in enumerate(rows)
            for one in sets
        ]


# How the bound rises while rules are priced: Proposition 7, Appendix D


def generation(quick: bool) -> Made:
    """The search of tic-tac-toe's exact set, and the four rows on which column generation can cycle."""
    data = datasets.load("tic_tac_toe")
    whole = Problem.from_arrays(Binarizer(negations=True).fit_transform(data.X), data.y)
    cycling = Problem.from_arrays(np.array([[1, 0], [1, 0], [0, 1], [0, 0]], dtype=bool), np.array([1, 1, 1, 0]))
    rows, plots = [], {}
    for name, problem, complexity in (("tic_tac_toe", whole, 32), ("four rows of Appendix D", cycling, 4)):
        search = RuleSetSearch(problem, complexity)
        run = Recording(search)
        *_, last = run.steps(work_per_step=1, time_limit=20)
        assert last.incumbent is not None
        sizes = {"complexity": complexity, "rules": len(last.incumbent.model.rules), "rules priced": len(search.pool())}
        ended = {"Hamming loss": last.incumbent.objective, "bound": last.lower_bound, "status": str(last.status)}
        rows.append({SOURCE: RAN, "data": name, **sizes, **ended})
        if problem is whole:
            plots["Loss and lower bound (Proposition 7)"] = drawing("convergence", run)
            plots["Rules by reduced cost"] = drawing("column_pool", search.pool())
    return Made({"Rules priced until none has a negative reduced cost": table(rows)}, plots)


def _both(name: str, folds: int, seconds: float) -> Iterator[dict[str, Any]]:
    grid: dict[str, list[Any]] = {"max_complexity": [EXACT.get(name, COMPLEXITY)], "loss": list(LOSSES)}
    found = sweep(datasets.load(name), "rule_set", grid, cv=folds, time_limit=seconds)
    found.wait()
    trained = found.points("train").set_index("point")["accuracy"]
    for row in found.points().to_dict(orient="records"):
        yield {
            SOURCE: RAN,
            "data": name,
            _LOSS: LOSSES[row["loss"]],
            "training %": 100 * trained[row["point"]],
            "test %": 100 * row["accuracy"],
            "s/fit": row["seconds"],
            "proven": f"{row['proven']} of {row['folds']}",
        }


def _apart(d: int) -> Iterator[dict[str, Any]]:
    """Each rule is right for one positive row of its own and wrong for the same two negative rows, at 2 each."""
    n = math.comb(d - 2, d // 2)
    hits = np.vstack([np.eye(n, dtype=bool), np.ones((2, n), dtype=bool)])
    problem = Problem.from_arrays(hits, np.arange(n + 2) < n)
    for loss, words in LOSSES.items():
        last = solve(RuleSetSearch(problem, 2 * n, 1, loss=loss), time_limit=20)
        assert last.incumbent is not None
        cells = {"d": d, "rows": n + 2, _LOSS: words, "errors": last.incumbent.errors}
        yield {SOURCE: RAN, **cells, "rules": len(last.incumbent.model.rules), "status": str(last.status)}


def _ours(name: str, data: Dataset, effort: Effort) -> Iterator[dict[str, Any]]:
    results = pd.DataFrame(chosen(data, effort))
    for method, own in results.groupby("method", sort=False):
        means = mean_and_error(own, ["method"], ["accuracy", "complexity", "seconds"]).iloc[0]
        times = own["parameter"].value_counts().sort_index().items()
        yield {
            SOURCE: RAN,
            "data": name,
            "method": str(method).replace("_", " "),
            "accuracy %": 100 * means["accuracy"],
            "se": 100 * means["accuracy_se"],
            "complexity": means["complexity"],
            "se of it": means["complexity_se"],
            "chosen": ", ".join(f"{value}: {n}" for value, n in times),
            "proven": f"{int(own['proven'].sum())} of {len(own)}" if method == "rule_set" else "",
            "s/fit": means["seconds"],
        }


def chosen(data: Dataset, effort: Effort) -> Iterator[dict[str, Any]]:
    """A row for each method and fold: the result of the configuration that the training rows chose."""
    outer = _sweep(data, effort.folds, effort)
    results = {(result.point, result.fold): result for result in outer.results}
    for fold in range(effort.folds):
        rows = np.flatnonzero(outer.plan.fold_of != fold)
        train = replace(data, X=_rows(data.X, rows), y=_rows(data.y, rows), sensitive=None, extra=None)
        points = _sweep(train, effort.inner, effort).points()
        for method, own in points.groupby("family", sort=False):
            best = own[own["accuracy"] >= own["accuracy"].max() - _TIES]
            result = results[int(best.sort_values("complexity", kind="stable")["point"].iloc[0]), fold]
            assert result.test is not None
            yield {
                "method": method,
                "accuracy": 1 - result.test.whole.errors / result.test.whole.weight,
                "complexity": np.nan if result.complexity is None else result.complexity,
                "parameter": next(iter(result.parameters.values())),
                "proven": result.status == "optimal",
                "seconds": result.seconds,
            }


def _sweep(data: Dataset, cv: int, effort: Effort) -> Sweep:
    """All methods on the folds of some rows; a point has the same number whatever the rows."""
    grid = {"max_complexity": effort.complexities}
    baselines = {**_BASELINES, **dict.fromkeys(installed(*_RIVALS)[0])}
    found = sweep(data, "rule_set", grid, cv=cv, baselines=baselines, time_limit=effort.seconds)
    found.wait()
    return found


def _rows(frame: Any, rows: np.ndarray) -> Any:
    return frame.iloc[rows].reset_index(drop=True)


FIGURES = {"rule-sets": nested, "hamming-loss": losses, "column-generation": generation}
