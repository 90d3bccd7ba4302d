"""Fair rule sets: what a bound on the difference between groups costs, on test rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from .. import datasets
from ..data.fairness import EqualizedOdds, EqualOpportunity
from ..data.metrics import group_rates
from ..data.problem import Problem
from ..datasets import Dataset
from ..estimators import RuleSetClassifier, stability
from ..rule_set import RuleSetSearch
from ..stepping import solve
from ..sweeps import Sweep, sweep
from .figure import RAN, SOURCE, Made, by_data, drawing, installed, of_each, published, table
from .rule_sets import LOSSES

PAPER = "Fair rule sets: Lawless, Dash, Günlük and Wei, JMLR 24, 2023"
SENSITIVE = {"compas": "race", "adult": "sex", "default": "SEX"}
TOLERANCES = (0.01, 0.05, 0.1, 0.15, 0.2)
COMPLEXITY = 15
_FAIRLEARN = ("exponentiated_gradient", "threshold_optimizer")


def two_races(compas: Dataset) -> Dataset:
    """The 5 278 African-American or Caucasian people who were scored within 30 days of their arrest."""
    assert compas.extra is not None
    assert compas.sensitive is not None
    near = compas.extra["days_b_screening_arrest"].abs() <= 30
    kept = (near & compas.sensitive["race"].isin(["African-American", "Caucasian"])).to_numpy()
    X, y, sensitive = (each[kept].reset_index(drop=True) for each in (compas.X, compas.y, compas.sensitive))
    return replace(compas, X=X, y=y, sensitive=sensitive, extra=None, name="compas, two races")


def costs(quick: bool) -> Made:
    """Accuracy and gap at each tolerance beside other methods, and the rates of each group against the tolerance."""
    rates: dict[str, pd.DataFrame] = {}

    def ours(name: str) -> Iterator[dict[str, Any]]:
        found = _sweep(name, "equal opportunity", quick)
        rates[name] = _rates(found)
        yield from _ours(name, "equal opportunity", found)
        if not quick:
            yield from _ours(name, "equalized odds", _sweep(name, "equalized odds", quick))

    rows = of_each(["compas"] if quick else SENSITIVE, ours)
    rows += installed(*_FAIRLEARN)[1]
    tables = {"Accuracy and gap on test rows": by_data(rows, published("fair_rule_sets"))}
    for name, frame in rates.items():
        tables[f"True positive rates by group, {name}"] = frame.assign(**{SOURCE: RAN})[[SOURCE, *frame.columns]]
    drawn = {f"Rates and tolerance, {name}": drawing("rates_by_tolerance", frame) for name, frame in rates.items()}
    return Made(tables, drawn)


def _sweep(name: str, criterion: str, quick: bool, losses: Sequence[str] = ("hamming",), seconds: float = 1) -> Sweep:
    data = datasets.load(name)
    tolerances = TOLERANCES[::2] if quick else TOLERANCES
    found = sweep(
        two_races(data) if name == "compas" else data,
        "rule_set",
        {
            "max_complexity": [COMPLEXITY],
            "loss": list(losses),
            "fairness": [None, *(_within(criterion, each) for each in tolerances)],
        },
        cv=2 if quick else 10 if name == "compas" and len(losses) == 1 else 3,
        sensitive=SENSITIVE[name],
        baselines=[*(installed(*_FAIRLEARN)[0] if criterion == "equal opportunity" else []), "logistic_regression"],
        time_limit=0.5 if quick else seconds,
    )
    found.wait()
    return found


def _within(criterion: str, tolerance: float) -> EqualOpportunity | EqualizedOdds:
    return EqualOpportunity(tolerance) if criterion == "equal opportunity" else EqualizedOdds(tolerance, tolerance)


def _tolerance(found: Sweep, point: int) -> float | None:
    """That of a configuration; None where it need not be fair."""
    own = found.parameters_of(point)
    fair = own.get("fairness")
    return own.get("eps") if fair is None else fair.rates()[0].tolerance


def _ours(name: str, criterion: str, found: Sweep) -> Iterator[dict[str, Any]]:
    gap = f"{criterion.replace(' ', '_')}_gap"
    trained = found.points("train").set_index("point")[gap]
    deviation = found.frame.groupby("point")[["test_accuracy", f"test_{gap}"]].std() * 100
    for row in found.points().to_dict(orient="records"):
        point = row["point"]
        yield {
            SOURCE: RAN,
            "data": name,
            "method": row["family"].replace("_", " "),
            "criterion": criterion,
            "tolerance": _tolerance(found, point),
            "accuracy %": 100 * row["accuracy"],
            "sd": deviation.loc[point, "test_accuracy"],
            "gap %": 100 * row[gap],
            "sd of it": deviation.loc[point, f"test_{gap}"],
            "gap of all folds %": 100 * row[f"{gap}_pooled"],
            "training gap %": 100 * trained[point],
            "complexity": row["complexity"],
            "proven": "" if row["baseline"] else f"{row['proven']} of {row['folds']}",
            "s/fit": row["seconds"],
        }


def _rates(found: Sweep) -> pd.DataFrame:
    """The true positive rate of each group at each tolerance, on training and test rows of all folds."""
    rows = []
    for point in dict.fromkeys(each.point for each in found.results if not each.baseline):
        tolerance = _tolerance(found, point)
        for on in ("train", "test"):
            for group, rates in found.rates(point, on).iterrows():
                shown = {"tolerance": 1.0 if tolerance is None else tolerance, "group": group, "rows": on}
                rows.append({**shown, "true_positive_rate": rates["true_positive_rate"]})
    return pd.DataFrame(rows).sort_values(["group", "rows", "tolerance"], ignore_index=True)


# Figure 3 and Theorem 5: the gap that the Hamming loss stands for


def proxies(quick: bool) -> Made:
    """Gaps of sets under the constraint as the Hamming loss counts it, and as it is; how far apart the two can be."""
    found = _sweep("compas", "equalized odds", quick, tuple(LOSSES), seconds=3)
    rows, drawn = [], []
    for on in ("train", "test"):
        for row in found.points(on).query("not baseline").to_dict(orient="records"):
            loss, gap = LOSSES[row["loss"]], 100 * row["equalized_odds_gap"]
            cells = {"constraint by": loss, "tolerance": _tolerance(found, row["point"]), "rows": on, "gap %": gap}
            rows.append({SOURCE: RAN, **cells, "accuracy %": 100 * row["accuracy"]})
            if cells["tolerance"] is not None:
                drawn.append(cells)
    apart = [_far_apart(n) for n in (2, 4, 8, 16)]
    tables = {"Gaps by tolerance": table(rows), "Theorem 5: how far apart they can be": table(apart)}
    picture = drawing("curves", pd.DataFrame(drawn), "tolerance", "gap %", "constraint by", "rows")
    return Made(tables, {"Gap by tolerance (Figure 3)": picture})


def _far_apart(n: int) -> dict[str, Any]:
    """Each rule is right for three positive rows, wrong for one of "a", and all of them for the same one of "b"."""
    kinds = ((np.repeat(np.eye(n), 6, axis=0), 1, "ab"), (np.eye(n), 0, "a"), (np.ones((1, n)), 0, "b"))
    hits = np.vstack([*(kind for kind, _, _ in kinds), np.zeros((n - 1, n))]).astype(bool)
    label = np.repeat([1, 0], [6 * n, 2 * n])
    groups = np.array([*"ab" * (3 * n), *"a" * n, *"b" * n])
    problem = Problem.from_arrays(hits, label, groups=groups)
    last = solve(RuleSetSearch(problem, 2 * n, 1, fairness=EqualizedOdds(0, 0)), time_limit=20)
    assert last.incumbent is not None
    wrong = last.incumbent.model.predicts_positive(hits)[6 * n :]
    rates = [100 * float(wrong[groups[6 * n :] == group].mean()) for group in "ab"]
    gap = {"false positives of a %": rates[0], "of b %": rates[1], "gap %": rates[0] - rates[1], "as counted %": 0.0}
    return {SOURCE: RAN, "rules": n, "rows": 8 * n, **gap, "status": str(last.status)}


# Section 5.4 and Appendix N: groups that cross, and other rows


def crossing(quick: bool) -> Made:
    """Rates of races and sexes together, under constraints on races alone and on both; and which rules return."""
    data = two_races(datasets.load("compas"))
    assert data.sensitive is not None
    y = np.asarray(data.y).astype(bool)
    race, both = data.sensitive["race"], data.sensitive["race"] + ", " + data.sensitive["sex"].str.lower()
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=0, stratify=y)
    rows, learner = [], RuleSetClassifier(max_complexity=COMPLEXITY, time_limit=1.0 if quick else 10.0)
    for words, groups in (("nobody", None), ("races", race), ("races and sexes", both)):
        own = clone(learner).set_params(fairness=None if groups is None else EqualizedOdds(0.05, 0.05))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the column says it
            own.fit(data.X.iloc[train], y[train], sensitive_features=None if groups is None else groups.iloc[train])
        predicted = own.predict(data.X.iloc[test])
        rates = group_rates(y[test], predicted, both.iloc[test].to_numpy())
        for group, one in rates.iterrows():
            cells = {"alike for": words, "accuracy %": 100 * float((predicted == y[test]).mean()), "group": group}
            shown = {f"{in_words} %": 100 * one[in_words.replace(" ", "_") + "_rate"] for in_words in _SHOWN}
            rows.append({SOURCE: RAN, **cells, **shown, "rows": one["weight"], "status": str(own.status_)})
    again = stability(clone(learner).set_params(max_complexity=30), data.X, y, n_samples=5 if quick else 20)
    rules = again.rules.head(12).assign(**{SOURCE: RAN})
    tables = {
        "Groups that cross (section 5.4), test rows": table(rows),
        "Rules that return on bootstrap samples (Appendix N)": rules[[SOURCE, *again.rules.columns]],
    }
    return Made(tables, {"Rules that return (Appendix N)": drawing("stability", again.rules)})


_SHOWN = ("true positive", "false positive")
FIGURES = {"fair-rule-sets": costs, "hamming-gap": proxies, "crossed-groups": crossing}
