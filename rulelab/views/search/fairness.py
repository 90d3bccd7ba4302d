"""Rates of groups under a rule set, with and without a fairness constraint; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.fairness import compared
from ...data.problem import Problem
from ...models import RuleSet
from ...rule_set import Criterion, confusions


@dataclass(frozen=True)
class GroupRate:
    """One rate of all groups, as a rule set predicts the training rows."""

    name: str
    groups: tuple[str, ...]
    values: tuple[float, ...]  # per group, with a 95 % interval
    low: tuple[float, ...]
    high: tuple[float, ...]
    tolerance: float  # largest difference that the criterion allows
    compared: tuple[int, ...]  # the groups that are large enough for the constraint
    # largest difference of what the constraint counts; with the Hamming loss a row counts once per rule
    proxy_gap: float

    @property
    def gap(self) -> float:
        """Largest true difference between two groups that are compared."""
        values = [self.values[g] for g in self.compared]
        return max(values) - min(values)


def group_rates(
    model: RuleSet, problem: Problem, matrix: np.ndarray, criterion: Criterion, loss: str, min_group_size: int = 0
) -> list[GroupRate]:
    """The rates that the criterion names.

    `problem`: with groups. `matrix`: the problem's `matrix`. `loss`: whose errors the constraint counts.
    `min_group_size`: of the search.
    """
    groups = problem.groups
    assert groups is not None
    decided = model.fired(matrix)
    times = (decided if model.form == "dnf" else ~decided).sum(axis=1)
    predicted = (times > 0) == (model.form == "dnf")
    on_positives, on_negatives = _errors_counted(times, model.form, loss)
    counts = confusions(groups, predicted)
    out = []
    for rate, large in zip(criterion.rates(), compared(criterion, groups, min_group_size), strict=True):
        low, high = zip(*(each.interval(rate.name) for each in counts), strict=True)
        sizes = {
            "positives": groups.positives,
            "negatives": groups.negatives,
            "rows": groups.positives + groups.negatives,
        }
        counted = (
            rate.on_positives * groups.positives @ on_positives
            + rate.on_negatives * groups.negatives @ on_negatives
            + rate.base * groups.positives.sum(axis=1)
        )[list(large)] / sizes[rate.per].sum(axis=1)[list(large)]
        out.append(
            GroupRate(
                name=rate.name,
                groups=groups.names,
                values=tuple(each.rate(rate.name) for each in counts),
                low=low,
                high=high,
                tolerance=rate.tolerance,
                compared=large,
                proxy_gap=float(counted.max() - counted.min()),
            )
        )
    return out


def _errors_counted(times: np.ndarray, form: str, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """Errors on the positives and on the negatives of each pattern, as the constraint counts them."""
    wrongly, missed = (times if loss == "hamming" else np.minimum(times, 1)), (times == 0).astype(times.dtype)
    return (missed, wrongly) if form == "dnf" else (wrongly, missed)
