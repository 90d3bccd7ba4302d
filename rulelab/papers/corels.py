"""Certifiably optimal rule lists: recidivism on COMPAS, what each bound is worth, and how many lists there are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from .. import datasets
from ..data.mining import mine_antecedents
from ..data.problem import Problem
from ..datasets import Dataset
from ..questions import near_optimal
from ..recording import Recording
from ..rule_list import CorelsBounds, CorelsSearch
from ..snapshot import Status
from ..stepping import solve
from ..sweeps import Sweep, sweep
from .figure import RAN, SOURCE, Made, drawing, installed, published, table

PAPER = "CORELS: Angelino, Larus-Stone, Alabi, Seltzer and Rudin, JMLR 18(234), 2018"
REGULARIZATION = 0.005
SUPPORT: dict[str, Any] = {"min_support": 0.005, "max_support": 0.995}
RACES = ("African-American", "Caucasian")
_RATES = ("true_positive_rate", "false_positive_rate")
_SIZES = [2, 4, 8, 16, 32]
_MEMORY = 2 * 10**9
_WORK = 20_000
"""Prefixes that a search without one of its bounds may expand, where it has to be quick; the whole one needs 56 000."""


def feature_set_a(compas: Dataset) -> Dataset:
    """The 17 categories of the paper's Table 7, on the 6 907 rows with ``days_b_screening_arrest``.

    The paper says how many rows it has, not which: these are one way to reach the number.
    """
    assert compas.extra is not None
    assert compas.sensitive is not None
    kept = compas.extra["days_b_screening_arrest"].notna().to_numpy()
    X, y, sensitive, extra = (
        each[kept].reset_index(drop=True) for each in (compas.X, compas.y, compas.sensitive, compas.extra)
    )
    juvenile = X["juv_fel_count"] + X["juv_misd_count"] + X["juv_other_count"]
    features = {
        "sex = male": X["sex"] == "Male",
        "sex = female": X["sex"] == "Female",
        **{
            f"age = {low}-{high}": X["age"].between(low, high) for low, high in ((18, 20), (21, 22), (23, 25), (26, 45))
        },
        "age > 45": X["age"] > 45,
        "priors = 0": X["priors_count"] == 0,
        "priors = 1": X["priors_count"] == 1,
        "priors = 2-3": X["priors_count"].between(2, 3),
        "priors > 3": X["priors_count"] > 3,
    }
    for name, count in (("felonies", X["juv_fel_count"]), ("misdemeanors", X["juv_misd_count"]), ("crimes", juvenile)):
        features |= {f"juvenile {name} > 0": count > 0, f"juvenile {name} = 0": count == 0}
    return replace(
        compas, X=pd.DataFrame(features), y=y, sensitive=sensitive, extra=extra, name="compas, feature set A"
    )


def problem_a() -> Problem:
    """All rows of feature set A, with one or two of its categories as antecedents."""
    data = feature_set_a(datasets.load("compas"))
    return Problem.from_antecedents(mine_antecedents(data.X, max_conditions=2, **SUPPORT), data.y)


# Accuracy, lists and rates: Figures 4, 7, 9 and 11


def compas(quick: bool) -> Made:
    """Lists and other methods on the same folds; the lists of each fold; the rates of two races on test rows."""
    data = feature_set_a(datasets.load("compas"))
    rivals, absent = installed("ripper", "c45_rules", "c50")
    found = sweep(
        data,
        grid={"regularization": [0.02, 0.01, REGULARIZATION], **{name: [value] for name, value in SUPPORT.items()}},
        cv=3 if quick else 10,
        sensitive="race",
        baselines={
            "cart": {"max_leaf_nodes": _SIZES},
            **dict.fromkeys(("greedy_list", "random_forest", "logistic_regression", *([] if quick else ["svm"]))),
            **dict.fromkeys(("adaboost", "compas_score", *rivals)),
        },
    )
    found.wait()
    return Made(
        {
            "Accuracy": table([*_accuracies(found), *absent, *published("compas")]),
            "The optimal list of each fold": table(list(_lists(found))),
            "Rates by race on test rows": table([*_rates(found), *published("rates")]),
        },
        {
            title: drawing("front", found.points(on).dropna(subset=["rules"]), x="rules", on=on)
            for title, on in (("Accuracy and size, test rows", "test"), ("Training rows", "train"))
        },
    )


def _named(found: Sweep) -> dict[int, str]:
    """Names that tell the points of a method apart."""
    names = {}
    for each in found.results:
        own = [f" {name} {value:g}" for name, value in each.parameters.items() if name not in SUPPORT]
        names[each.point] = ",".join([each.family, *own]).replace("_", " ")
    return names


def _accuracies(found: Sweep) -> list[dict[str, Any]]:
    names, trained = _named(found), found.points("train").set_index("point")["accuracy"]
    deviation = found.frame.groupby("point")["test_accuracy"].std()
    return [
        {
            SOURCE: RAN,
            "method": names[row["point"]],
            "test %": 100 * row["accuracy"],
            "sd": 100 * deviation[row["point"]],
            "training %": 100 * trained[row["point"]],
            "rules": row["rules"],
            "folds": row["folds"],
            "proven": None if row["baseline"] else row["proven"],
            "s/fit": row["seconds"],
        }
        for row in found.points().to_dict(orient="records")
    ]


def _lists(found: Sweep) -> Iterator[dict[str, Any]]:
    for each in found.results:
        if each.family == "rule_list" and each.parameters["regularization"] == REGULARIZATION:
            cells = {"objective": each.objective, "status": each.status, "list": " ".join(str(each.load()).split())}
            yield {SOURCE: RAN, "fold": each.fold + 1, **cells}


def _rates(found: Sweep) -> Iterator[dict[str, Any]]:
    names = _named(found)
    for point in found.points().itertuples():
        if point.family == "compas_score" or getattr(point, "regularization", None) == REGULARIZATION:
            for race, rates in found.rates(point.point).loc[list(RACES)].iterrows():
                row = {SOURCE: RAN, "method": names[point.point], "race": race, "rows": rates["weight"]}
                for name in _RATES:
                    words = name.replace("_", " ").removesuffix(" rate")
                    low, high = rates[f"{name}_low"], rates[f"{name}_high"]
                    row |= {f"{words} %": 100 * rates[name], f"{words}, 95 %": f"{100 * low:.1f} to {100 * high:.1f}"}
                yield row


# What each bound is worth: Tables 4 and 5, Figures 14 to 18

_PUBLISHED = CorelsBounds.published()


WHOLE = "CORELS"
VARIANTS: dict[str, dict[str, Any]] = {
    WHOLE: {"bounds": _PUBLISHED},
    "no priority queue (BFS)": {"bounds": _PUBLISHED, "policy": "breadth_first"},
    "no support bounds": {"bounds": replace(_PUBLISHED, support=False, accurate_support=False)},
    "no lookahead bound": {"bounds": replace(_PUBLISHED, lookahead=False)},
    "no symmetry-aware map": {"bounds": replace(_PUBLISHED, permutation=False)},
    "no equivalent points bound": {"bounds": replace(_PUBLISHED, equivalent_points=False)},
}
"""The search without some of its bounds, or in another order."""


def bounds(quick: bool) -> Made:
    """The paper's search with all of its bounds, and without each; a run that meets a limit has "at least" figures."""
    problem = problem_a()
    runs = {}
    for name, how in VARIANTS.items():
        run = Recording(CorelsSearch(problem, REGULARIZATION, **how, memory_limit=_MEMORY))
        began = time.process_time()
        limits = {} if name == WHOLE else {"work_limit": _WORK} if quick else {"time_limit": 60}
        for _ in run.steps(**limits):
            pass
        runs[name] = (run, time.process_time() - began)
    base, base_seconds = runs[WHOLE]
    rows: list[dict[str, Any]] = []
    for name, (run, seconds) in runs.items():
        last = run.snapshots[-1]
        assert last.incumbent is not None
        proven = last.status is Status.OPTIMAL
        times = {
            "slow-down": seconds / base_seconds,
            "times": last.counts["created"] / base.snapshots[-1].counts["created"],
        }
        rows.append(
            {
                SOURCE: RAN,
                "variant": name,
                "ended": str(last.status) if proven else f"at least: {last.limit} limit",
                # that a run which a limit ended took at least half as long says nothing
                **{title: value if proven or value >= 1 else None for title, value in times.items()},
                "CPU s": seconds,
                "million evaluations": last.counts["created"] / 1e6,
                "largest queue": last.counts["largest queue"],
                "permutations removed": last.pruned.get("permutation"),
                "longest prefix": last.counts["longest prefix"],
                "objective": last.incumbent.objective,
            }
        )
    rows += published("bounds")
    plots = {
        "Objective and lower bound (Figure 14)": drawing("convergence", base),
        "Remaining search space (Figure 14)": drawing("remaining", base),
        **{f"Queue by length (Figures 15 and 16): {name}": drawing("queue", run) for name, (run, _) in runs.items()},
    }
    return Made(
        {"Each bound removed": table(rows), "Equally good lists (draft)": table(list(_as_good(problem)))}, plots
    )


def _as_good(problem: Problem) -> Iterator[dict[str, Any]]:
    """Lists of the least objective, and of one within another half of an error in a hundred rows."""
    for regularization in (0.01, REGULARIZATION, 0.0025):
        for within in (0.0, 0.001, 0.005):
            found = near_optimal(problem, within, regularization=regularization, count=True, time_limit=20)
            least = {"regularization": regularization, "objective": found.optimum, "at most above": within}
            yield {SOURCE: RAN, **least, "lists": found.n_lists, "complete": "yes" if found.complete else "at least"}


# How many lists there are: Table 6


def brute_force(quick: bool) -> Made:
    """Prefixes that the search evaluates, and all there are up to a length, at the same seconds for each."""
    problem = problem_a()
    began = time.process_time()
    last = solve(CorelsSearch(problem, REGULARIZATION, bounds=_PUBLISHED))
    seconds = time.process_time() - began
    evaluated, m = last.counts["created"], problem.n_antecedents
    every = {length: sum(math.perm(m, k) for k in range(length + 1)) for length in (5, 10)}
    longest = math.floor(1 / (2 * REGULARIZATION))
    totals = (("Proposition 8", "naive"), ("Theorem 17", "symmetry_aware"))
    computed, paper = "computed from our run", "quoted: section 6.9"
    rows = [
        (RAN, "CORELS", last.counts["longest prefix"], evaluated, _duration(seconds)),
        *((computed, "brute force", k, n, _duration(seconds / evaluated * n)) for k, n in every.items()),
        *(
            (computed, f"all lists, {name}", longest, 10 ** last.detail[f"log10_total_{key}"], "")
            for name, key in totals
        ),
        (paper, "CORELS", 5, 28e6, "36 seconds"),
        (paper, "brute force", 5, 893 * 28e6, "9 hours"),
        (paper, "brute force", 10, None, "21 million years"),
    ]
    names = (SOURCE, "approach", "longest prefix", "prefixes", "time")
    return Made({"Brute force": table([dict(zip(names, row, strict=True)) for row in rows])})


def _duration(seconds: float) -> str:
    for unit, length in (("million years", 31557600e6), ("years", 31557600), ("hours", 3600)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} seconds"


FIGURES = {"corels-compas": compas, "corels-bounds": bounds, "corels-brute-force": brute_force}
