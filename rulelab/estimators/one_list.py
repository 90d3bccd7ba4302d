"""One list of several classes, as a classifier fits it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..data.antecedents import Antecedents
from ..data.multiclass import MultiClassProblem
from ..data.problem_arguments import ProblemError
from ..models import MultiClassRuleList, Provenance
from ..multiclass import MultiClassRuleListSearch
from ..snapshot import Snapshot, Status
from .base import ONE_CLASS, _Fit
from .callbacks import DEEPER
from .draining import COUNTS, drained, warn_of_open


def one_list(
    features: Any,
    y: np.ndarray,
    weight: np.ndarray | None,
    why: str,
    asked: Any,
    ends: Callable[[Snapshot], bool],
) -> _Fit:
    """The list of least errors / n + regularization * rules, where each rule predicts one of all classes.

    Parameters
    ----------
    features : Antecedents or None
        None where there is nothing to search.
    y : array, shape (n_rows,)
    weight : array of whole numbers, shape (n_rows,), or None
    why : str
        Why there is nothing to search, if there is nothing.
    asked : RuleListClassifier
        Its parameters are taken.
    ends : callable
        See `drained`.

    Raises
    ------
    ValueError
        When weights are no whole numbers.
    """
    if weight is not None and weight.dtype.kind != "i":
        raise ProblemError("a list of several classes takes whole numbers as sample_weight")
    labels, codes = np.unique(y, return_inverse=True)
    if features is None or len(labels) < 2:
        whole = np.bincount(codes, weights=weight, minlength=len(labels)).astype(np.int64)
        model: Any = MultiClassRuleList.without_rules(labels.tolist(), whole.tolist())
        objective = model.objective(asked.regularization)
        row = {"seconds": 0.0, "work": 0, "objective": objective, "lower_bound": objective, "gap": 0.0}
        trace = pd.DataFrame([row | {"errors": model.errors, "complexity": 0, **dict.fromkeys(COUNTS, 0)}])
        model = model.proven(Provenance.of_no_other(objective))
        return _Fit(model, objective, objective, 0.0, Status.OPTIMAL, trace, why if features is None else ONE_CLASS)
    made = MultiClassProblem.from_antecedents if isinstance(features, Antecedents) else MultiClassProblem.from_arrays
    problem = made(features, y, sample_weight=weight)
    search = MultiClassRuleListSearch(problem, asked.regularization, asked.max_length, asked.memory_limit)
    snapshot, trace = drained(search, asked.time_limit, asked.gap, ends, bool(asked.verbose))
    warn_of_open(snapshot, stacklevel=5 + DEEPER)
    best = snapshot.incumbent
    assert best is not None
    status = Status.LIMIT if snapshot.status is Status.RUNNING else snapshot.status
    model = best.model.proven(Provenance.of(snapshot, problem))
    return _Fit(model, best.objective, snapshot.lower_bound, snapshot.gap, status, trace, search=search)
