"""Which rules return when a classifier is fitted again to bootstrap samples of its rows."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..arguments import is_whole, require
from ..data.binarize import GROUPS
from ..data.conditions import in_pandas
from ..models import RuleSet
from ..models.text import clause_text
from ..progress import at_once
from .base import CertifiedClassifier

_TRIES = 100


@dataclass(frozen=True, eq=False)
class Stability:
    """What bootstrap samples say of a model; `rulelab.stability` makes it.

    Attributes
    ----------
    fits : DataFrame
        A row for each fit, that to all rows first: sample (-1 for all rows), status (of one without a model: why),
        objective, lower_bound, error_rate (on the rows drawn), unseen_error_rate (on the rows not drawn), rules,
        shared_rules (how many of them the model of all rows has, too).
    rules : DataFrame
        A row for each rule of a model, those that return most often first: rule, in_reference (whether the model of all
        rows has it), returns (in how many samples), share (of the samples that have a model).
    """

    fits: pd.DataFrame
    rules: pd.DataFrame


def stability(
    estimator: CertifiedClassifier,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    *,
    n_samples: int = 20,
    random_state: int = 0,
) -> Stability:
    """Fit a classifier to all rows, then to bootstrap samples of as many rows, drawn with replacement.

    The conditions are those of all rows, so that the rules of two samples can be compared. Rows of a weight of w stand
    for w equal rows: how often they are drawn is multinomial, so that counted rows are not drawn one by one. A sample
    in which a class, or a class of a group of people, is lost is drawn again. Ctrl-C ends with the samples so far.

    Parameters
    ----------
    estimator : RuleListClassifier, FallingRuleListClassifier or RuleSetClassifier
        Is not changed. Its ``time_limit`` is that of each fit.
    X, y, sample_weight, sensitive_features
        As ``fit`` takes them; weights are whole numbers, which count equal rows.
    n_samples : int
    random_state : int
        Seed of the samples, which are numbered: more of them begin with the same ones.

    Raises
    ------
    ValueError
        When an argument is out of range, `fit` refuses the data, or there are too few rows of a class to draw from.

    References
    ----------
    Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979).
    """
    require(
        ("estimator", type(estimator), isinstance(estimator, CertifiedClassifier), "one of the classifiers of rulelab"),
        ("n_samples", n_samples, is_whole(n_samples, 1), "a whole number >= 1"),
        ("random_state", random_state, is_whole(random_state, 0), "a whole number >= 0"),
    )
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if not (np.isfinite(weight) & (weight >= 0) & (weight == np.floor(weight))).all():
        raise ValueError("sample_weight must hold whole numbers >= 0, which count the equal rows that are drawn")
    weight = weight.astype(np.int64)
    reference = clone(estimator).fit(X, y, sample_weight, sensitive_features)
    X, y = in_pandas(X), np.asarray(y)
    own = _rules(reference)
    fits: list[tuple[set[str] | None, dict[str, Any]]]
    fits = [(own, _row(-1, reference, X, y, weight, np.zeros_like(weight), own))]
    if reference.binarizer_ is not None:
        X = reference.binarizer_.transform(reference._fitted_table(X))
        estimator = clone(estimator).set_params(thresholds=GROUPS)  # cuts may name columns, which X has no more
    cells = pd.DataFrame({"label": y})
    if sensitive_features is not None:
        cells = pd.concat([cells, pd.DataFrame(in_pandas(sensitive_features)).reset_index(drop=True)], axis=1)
    cell = cells.groupby(list(cells), dropna=False).ngroup().to_numpy()
    with suppress(KeyboardInterrupt), at_once(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status says it
        for sample in range(n_samples):
            drawn = _drawn(weight, cell, np.random.default_rng([random_state, sample]))
            fitted = clone(estimator)
            try:
                fitted.fit(X, y, drawn, sensitive_features)
            except ValueError as error:  # no model meets the constraints, or none was found before a limit
                fits.append((None, {"sample": sample, "status": str(error)}))
                continue
            unseen = weight * (1 - 1 / np.maximum(weight, 1)) ** drawn  # as many as are expected, of equal rows
            fits.append((_rules(fitted), _row(sample, fitted, X, y, drawn, unseen, own)))
    models = [rules for rules, _ in fits if rules is not None]
    texts = [*dict.fromkeys(text for rules in models for text in sorted(rules))]
    returns = np.array([sum(text in rules for rules in models[1:]) for text in texts], dtype=np.int64)
    in_reference = np.array([text in own for text in texts], dtype=bool)
    share = returns / max(1, len(models) - 1)
    found = pd.DataFrame({"rule": texts, "in_reference": in_reference, "returns": returns, "share": share})
    found = found.sort_values(["returns", "in_reference", "rule"], ascending=[False, False, True], ignore_index=True)
    return Stability(pd.DataFrame([row for _, row in fits]), found)


def _drawn(weight: np.ndarray, cell: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """How often each row is drawn, in ``weight.sum()`` draws that lose no cell."""
    n, there = int(weight.sum()), np.bincount(cell, weight) > 0
    for _ in range(_TRIES):
        drawn = random.multinomial(n, weight / n)
        if (np.bincount(cell, drawn)[there] > 0).all():
            return drawn
    raise ValueError("there are too few rows of a class, or of a class of a group, for samples that have some of each")


def _rules(fitted: CertifiedClassifier) -> set[str]:
    """The rules of a fitted classifier, in words, with the class where each has a model of its own."""
    out = set()
    for model, label in zip(fitted.models_, fitted.classes_, strict=False):
        of = f"{label}: " if len(fitted.models_) > 1 else ""
        if isinstance(model, RuleSet):
            out |= {f"{of}{clause_text(clause, model.form)}" for clause in model.rules}
        else:
            out |= {f"{of}if {rule.name}: {rule.prediction}" for rule in model.rules}
    return out


def _row(
    sample: int, fitted: CertifiedClassifier, X: Any, y: Any, drawn: Any, unseen: Any, own: set[str]
) -> dict[str, Any]:
    """The figures of a fit; ``drawn`` and ``unseen`` say how often each row is in its sample, and left out of it."""
    wrong, rules = fitted.predict(X) != y, _rules(fitted)
    return {
        "sample": sample,
        "status": str(fitted.status_),
        "objective": np.sum(fitted.objective_),
        "lower_bound": np.sum(fitted.lower_bound_),
        "error_rate": np.average(wrong, weights=drawn),
        "unseen_error_rate": np.average(wrong, weights=unseen) if unseen.sum() else np.nan,
        "rules": len(rules),
        "shared_rules": len(rules & own),
    }
