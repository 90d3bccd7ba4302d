"""Random fits of the classifiers, judged as searches are: by the rules of the model and exact numbers."""

import warnings
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from crossed import Judge, Outcome
from crossed_cases import Case, case_of, criterion
from random_problems import Rows, weights_as_read
from sklearn.exceptions import ConvergenceWarning

import rulelab as rl
from rulelab.snapshot import Status

_BASES = ("rule_set", "rule_list", "rule_set", "falling", "rule_set", "softly_falling")
_RESOLUTION = 1e-9
"""Of lists; a classifier does not tell the one of its search."""


def fit_of(seed: int) -> tuple[Case, bool]:
    """A case whose weights are those that a classifier is to count with, and whether it balances the classes."""
    balanced = seed // len(_BASES) % 2 == 0
    case = case_of(_BASES[seed % len(_BASES)], seed // 2)
    options = {name: value for name, value in case.options.items() if name != "bounds"}
    if case.family != "rule_set":
        options.pop("max_length", None)
    return replace(case, options=options), balanced


def outcome_of_fit(seed: int) -> Outcome:
    """Fit a classifier and tell what is wrong."""
    case, balanced = fit_of(seed)
    rows = case.rows
    given = rows.weight
    if balanced:
        case = case.with_rows(replace(rows, weight=_balanced(rows), kind=f"{rows.kind}, balanced"))
    judge = Judge(case)
    estimator = _estimator(case, "balanced" if balanced else None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
            estimator.fit(rows.A, rows.y, sample_weight=given, sensitive_features=rows.group)
    except Exception as error:  # noqa: BLE001 - whatever a fit raises is a finding, unless nothing can be found
        if isinstance(error, ValueError) and "cannot meet its constraints" in str(error):
            judge.judge_end(SimpleNamespace(status=Status.INFEASIBLE, limit=None))
            return judge.outcome()
        return judge.outcome([f"{type(estimator).__name__}.fit: {type(error).__name__}: {error}"])
    last: Any = SimpleNamespace(
        status=estimator.status_,
        limit=None if estimator.status_ is Status.OPTIMAL else "exactness",
        work=0,
        gap=estimator.gap_,
        lower_bound=estimator.lower_bound_,
        incumbent=SimpleNamespace(objective=estimator.objective_, model=_in_columns(estimator, case)),
        detail={"resolution": _RESOLUTION},
    )
    judge.look_at(last)
    judge.judge_end(last)
    return judge.outcome()


def _balanced(rows: Rows) -> np.ndarray:
    """The weights times those of the classes, as fractions: rounded, a rate may exceed a tolerance that it meets."""
    counted = np.bincount(rows.y[rows.counted].astype(int), minlength=2)
    share = [Fraction(int(counted.sum()), 2 * int(n)) for n in counted]
    return np.array([w * share[int(y)] for w, y in zip(weights_as_read(rows.weight), rows.y, strict=True)])


def _estimator(case: Case, class_weight: str | None) -> Any:
    if case.family == "rule_set":
        options = case.options | {"fairness": criterion(case.options["fairness"])}
        return rl.RuleSetClassifier(**options, class_weight=class_weight)
    kind = rl.RuleListClassifier if case.family == "rule_list" else rl.FallingRuleListClassifier
    return kind(**case.options, class_weight=class_weight, max_conditions=1, min_support=0.0, max_support=1.0)


class _Rules(SimpleNamespace):
    """A model's rules as columns of the table."""

    def __len__(self) -> int:
        return len(self.antecedents)


def _in_columns(estimator: Any, case: Case) -> Any:
    model = estimator.model_
    if case.family == "rule_set":
        return model
    names = [f"x{j}" for j in range(case.rows.A.shape[1])]
    known = estimator.antecedents_
    return _Rules(antecedents=[names.index(known.names[a]) for a in model.antecedents] if len(model) else [])
