"""Other methods on the split of the pinned cards: trees, forests, logistic regression, the COMPAS score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...data.metrics import confusion
from ...sweeps.baselines import BASELINES
from ...sweeps.plan import Fold, Part, Plan, make_plan
from ..cards.rows import Rows
from ..cards.scores import Score
from ..live.wording import NONE, counted

NAMES = {
    "cart": "CART",
    "random_forest": "Random forest",
    "logistic_regression": "Logistic regression",
    "compas_score": "COMPAS score",
}
"""Which baselines of a sweep are fitted here, and what they are called."""
_SEED = 0

Row = tuple[Score, Score | None, str]
"""Scores on the training rows and on the test rows, complexity."""


def fitted(rows: Rows, report: Callable[[str], None]) -> dict[str, Row]:
    """Fit every baseline that the data allow on the training rows.

    Raises
    ------
    ValueError
        When the data cannot be used; the message is for the user.
    """
    report("binarizing")
    plan = make_plan(rows.data, cv=2, sensitive=None, resample=None, random_state=_SEED, time_limit=None, gap=0.0)
    fold = _fold(plan, rows)
    out = {}
    for name, shown in NAMES.items():
        method = BASELINES[name]
        if name == "compas_score" and plan.score is None:
            continue
        report(f"fitting: {shown}")
        parameters = dict(method.defaults) | ({"max_leaf_nodes": 8} if name == "cart" else {})
        found = method.fit(fold, parameters, plan, None, lambda: False)
        size = NONE if found.rules is None or found.conditions is None else _size(found.rules, found.conditions)
        test = None if rows.test is None else _score(found.test, fold.test)
        out[shown] = (_score(found.train, fold.train), test, size)
    return out


def _fold(plan: Plan, rows: Rows) -> Fold:
    """The rows of the card; where it has no test rows, the training rows stand in for them."""
    fold_of = np.ones(len(plan.y), dtype=np.int64)
    if rows.test is None:
        training = replace(plan, fold_of=fold_of).fold(0).train
        return Fold(0, training, training)
    fold_of[rows.test] = 0
    return replace(plan, fold_of=fold_of).fold(0)


def _size(rules: int, conditions: int) -> str:
    return f"{counted(rules, 'rules')}, {counted(conditions, 'conditions')}"


def _score(predicted: np.ndarray | None, part: Part) -> Score:
    assert predicted is not None
    return Score(confusion(part.y == 1, predicted == 1))
