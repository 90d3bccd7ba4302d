"""Other methods on the split of the pinned cards, fitted in the background, once for each split of data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...data.metrics import confusion
from ...sweeps.baselines import BASELINES
from ...sweeps.plan import Fold, Part, Plan, make_plan
from ..cards import html as card_html
from ..cards.rows import Rows
from ..cards.scores import Score
from ..cards.view import ModelCard
from ..live.job import Job
from ..live.wording import NONE, counted

NAMES = ("cart", "random_forest", "logistic_regression", "compas_score")
"""Which baselines of a sweep are fitted here."""
_SEED = 0

Row = tuple[Score, Score | None, str]
"""Scores on the training rows and on the test rows, complexity."""


def fitted(rows: Rows, report: Callable[[str], None]) -> dict[str, Row]:
    """Fit every baseline that the data allow on the training rows; ValueError when they cannot be used."""
    report("binarizing")
    plan = make_plan(rows.data, cv=2, sensitive=None, resample=None, random_state=_SEED, time_limit=None, gap=0.0)
    fold = _fold(plan, rows)
    out = {}
    for name in NAMES:
        method = BASELINES[name]
        if name == "compas_score" and plan.score is None:
            continue
        report(f"fitting: {method.title}")
        parameters = dict(method.defaults) | ({"max_leaf_nodes": 8} if name == "cart" else {})
        found = method.fit(fold, parameters, plan, None, lambda: False)
        size = NONE if found.rules is None or found.conditions is None else _size(found.rules, found.conditions)
        test = None if rows.test is None else _score(found.test, fold.test)
        out[method.title] = (_score(found.train, fold.train), test, size)
    return out


def _fold(plan: Plan, rows: Rows) -> Fold:
    """The rows of the card; where it has no test rows, the training rows stand in for them."""
    fold_of = np.ones(len(plan.y), dtype=np.int64)
    if rows.test is not None:
        fold_of[rows.test] = 0
    fold = replace(plan, fold_of=fold_of).fold(0)
    return fold if rows.test is not None else replace(fold, test=fold.train)


def _size(rules: int, conditions: int) -> str:
    return f"{counted(rules, 'rules')}, {counted(conditions, 'conditions')}"


def _score(predicted: np.ndarray | None, part: Part) -> Score:
    assert predicted is not None
    return Score(confusion(part.y == 1, predicted == 1))


class Others:
    """The other methods, as far as they are fitted."""

    def __init__(self) -> None:
        self._fitting: dict[tuple[Any, ...], tuple[Rows, Job]] = {}

    @property
    def standing(self) -> str:
        """What is being fitted; empty: nothing."""
        return next((job.standing for _, job in self._fitting.values() if job.busy), "")

    @property
    def error(self) -> str:
        """Why a fit has failed; empty: none has."""
        return next((job.error for _, job in self._fitting.values() if not job.busy and job.error), "")

    @property
    def fitted(self) -> list[tuple[str, Row]]:
        """What is fitted, over all splits."""
        return [pair for _, job in self._fitting.values() if not job.busy and job.result for pair in job.result.items()]

    def fit(self, shown: Iterable[ModelCard]) -> None:
        """Fit them on the splits of the cards whose data are known, where that is not done."""
        for rows in (one.card.rows for one in shown):
            if rows is not None and rows.key not in self._fitting:
                self._fitting[rows.key] = rows, _job(rows)

    def forget(self, shown: Iterable[ModelCard]) -> None:
        """End and forget what is of no split of these cards."""
        kept = {one.card.rows.key for one in shown if one.card.rows is not None}
        for key in [key for key in self._fitting if key not in kept]:
            self._fitting.pop(key)[1].cancel()

    def close(self) -> None:
        """End all that is under way."""
        for _, job in self._fitting.values():
            job.cancel()

    def tables(self, shown: Sequence[ModelCard]) -> list[str]:
        """HTML tables of the cards and the other methods, one per split of data."""
        tables = []
        for key, (rows, job) in list(self._fitting.items()):
            if job.busy or job.result is None:
                continue
            own = {
                f"{one.letter} {one.title}": (
                    *(one.scores.training, one.scores.test),
                    _size(len(one.card.model.rules), one.card.model.n_conditions),
                )
                for one in shown
                if one.card.rows is not None and one.card.rows.key == key
            }
            split = "all rows" if rows.test is None else f"{len(rows.training)} training and {len(rows.test)} test rows"
            caption = f"For comparison, on the same split of {rows.data.name} ({split}), conditions at deciles"
            tables.append(card_html.comparison(own | job.result, caption))
        return tables


def _job(rows: Rows) -> Job:
    return Job(lambda progress: fitted(rows, progress.report))
