"""What near-optimal models do on the training patterns: how much each rule decides, and how groups fare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ...data.gaps import CRITERIA
from ...data.groups import Groups, weights_of_groups
from ...data.metrics import RATES, Confusion, confusion_from, group_labels
from ...data.problem import Problem
from ...models.base import column_of


def group_masses(problem: Problem, groups: Any, y: Any, sample_weight: Any = None) -> Groups:
    """The rows of each group (a missing one is a group of its own), counted by pattern.

    ``y`` (bool array): whether a row is of the positive class. Raises ValueError when the problem was made from counts,
    so that the pattern of each row is not known, or the lengths differ.
    """
    pattern = problem.row_pattern
    if pattern is None:
        raise ValueError("the problem was made from counts, so that the groups of its rows are not known")
    labels = group_labels(groups, len(pattern))
    weight = np.ones(len(pattern), dtype=np.int64) if sample_weight is None else np.asarray(sample_weight)
    positive, known = np.asarray(y, dtype=bool), pattern >= 0
    if not len(labels) == len(positive) == len(weight) == len(pattern):
        raise ValueError(f"groups, y and sample_weight must have {len(pattern)} rows, as the problem has")
    rows = (known, pattern[known], weight[known], positive[known])
    return weights_of_groups(groups, len(pattern), *rows, problem.n_patterns, Fraction(1))


@dataclass(frozen=True, eq=False)
class Traits:
    """What lists do, one row per list."""

    decided: tuple[np.ndarray, ...]
    """Tuple of float: for each list the share of the training weight that each of its rules decides, in their order."""
    groups: tuple[str, ...]
    confusions: tuple[Confusion, ...]  # for each group, with an array of one figure per list in each field
    rows: np.ndarray  # int, shape (2, n_groups): how many positive and how many negative rows each group has

    def gaps(self, criterion: str, least: int = 1) -> np.ndarray:
        """The largest difference of the criterion's rates between two groups, for each list; nan without two groups.

        Groups with fewer than ``least`` training rows of the kind that a rate counts are left out.
        """
        if criterion not in CRITERIA:
            raise ValueError(f"there is no criterion {criterion!r}; the criteria are {', '.join(CRITERIA)}")
        out = np.full(len(self.decided), np.nan)
        for name in CRITERIA[criterion]:
            parts = [RATES[name](counted) for counted in self.confusions]
            sizes = [Confusion(p, 0, n, 0).rows_of(name) for p, n in self.rows.T]
            rates = [np.asarray(k) / n for (k, n), size in zip(parts, sizes, strict=True) if size >= least]
            if len(rates) > 1:
                out = np.fmax(out, np.max(rates, axis=0) - np.min(rates, axis=0))
        return out


def traits_of(problem: Problem, lists: Sequence[Sequence[int]], groups: Groups | None = None) -> Traits:
    """What lists of antecedents, each predicting the majority of what it captures, do on the training patterns."""
    used = sorted({j for antecedents in lists for j in antecedents})
    columns = {j: column_of(problem, j) for j in used}
    positives, negatives = problem.positives, problem.negatives
    total = problem.total_weight
    masses = np.zeros((0, problem.n_patterns)) if groups is None else np.vstack([groups.positives, groups.negatives])
    predicted_positive = np.zeros((len(lists), len(masses)))
    decided = []
    for k, antecedents in enumerate(lists):
        left, predicted = np.ones(problem.n_patterns, dtype=bool), np.zeros(problem.n_patterns, dtype=bool)
        shares = []
        for j in antecedents:
            hit = left & columns[j]
            positive, negative = positives[hit].sum(), negatives[hit].sum()
            shares.append((positive + negative) / total)
            if positive > negative:
                predicted |= hit
            left &= ~hit
        if positives[left].sum() > negatives[left].sum():
            predicted |= left
        decided.append(np.array(shares, dtype=np.float64))
        if len(masses):
            predicted_positive[k] = masses[:, predicted].sum(axis=1)
    if groups is None:
        return Traits(tuple(decided), (), (), np.zeros((2, 0), dtype=np.int64))
    hits, alarms = predicted_positive[:, : len(groups.names)], predicted_positive[:, len(groups.names) :]
    counted = tuple(
        confusion_from(hits[:, g], alarms[:, g], groups.positives[g].sum(), groups.negatives[g].sum())
        for g in range(len(groups.names))
    )
    return Traits(tuple(decided), groups.names, counted, groups.by_class)


def reliance(problem: Problem, lists: Sequence[Sequence[int]], decided: Sequence[np.ndarray]) -> pd.DataFrame:
    """How much lists rely on each antecedent: whether it could be done without, and how much could hang on it.

    By antecedent: ``name``, ``models`` (that have it), ``least`` and ``most`` (share of the training weight that its
    rule decides; ``least`` is 0 when a list does without), the most used one first.
    """
    models: dict[int, int] = {}
    least: dict[int, float] = {}
    most: dict[int, float] = {}
    for antecedents, shares in zip(lists, decided, strict=True):
        for j, share in zip(antecedents, shares.tolist(), strict=True):
            models[j] = models.get(j, 0) + 1
            least[j] = min(least.get(j, 1.0), share)
            most[j] = max(most.get(j, 0.0), share)
    index = sorted(models, key=lambda j: (-models[j], j))
    return pd.DataFrame(
        {
            "name": [problem.names[j] for j in index],
            "models": [models[j] for j in index],
            "least": [least[j] if models[j] == len(lists) else 0.0 for j in index],
            "most": [most[j] for j in index],
        },
        index=pd.Index(index, name="antecedent"),
    )
