"""What treats groups differently among all rule sets near the optimum, read from their list, where that is short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...snapshot import Status
from ..near_optimal.result import NearOptimalRuleSets
from ..near_optimal.search import NearOptimalRuleSetSearch
from ..search import RuleSetSearch

MOST = 10_000
"""Models of a list that is short."""
_UNITS = 300
"""Of work: a short list is found in a second or two."""
DIFFERENCES = ["rate", "group", "other", "least", "greatest", "at_least", "at_most"]


def listed(
    search: RuleSetSearch,
    problem: Problem,
    within: float | None,
    ratio: float | None,
    late: Callable[[], bool],
) -> NearOptimalRuleSets | None:
    """All sets near the optimum; None where there are too many to be listed in passing, or exact sums are too long.

    Parameters
    ----------
    search : RuleSetSearch
        Certified.
    problem : Problem
        Its problem, with the groups that are asked about.
    within, ratio : float or None
        See `NearOptimalRuleSetSearch`.
    late : callable
        Whether it is to end.
    """
    try:
        near = NearOptimalRuleSetSearch(search, within, ratio=ratio, limit=MOST)
    except ValueError:
        return None
    near.compile()
    until = near.work + _UNITS
    while near.advance(1).status is Status.RUNNING and near.work < until and not late():
        pass
    found = near.result()
    return replace(found, problem=problem) if found.complete else None


def least_gap(sets: NearOptimalRuleSets, rates: tuple[str, ...]) -> float:
    """The least of the sets' largest differences between two groups."""
    gaps = np.zeros(sets.count)
    for values in sets.rates_of_groups(rates).values():
        known = values[:, ~np.isnan(values).any(axis=0)]
        if known.shape[1]:
            gaps = np.maximum(gaps, known.max(axis=1) - known.min(axis=1))
    return float(gaps.min())


def differences(sets: NearOptimalRuleSets, rates: tuple[str, ...]) -> pd.DataFrame:
    """The range of each rate's difference between each two groups that have it; see `RuleSetRanges`."""
    assert sets.problem.groups is not None
    names, rows = sets.problem.groups.names, []
    for rate, values in sets.rates_of_groups(rates).items():
        for g, h in combinations(range(len(names)), 2):
            difference = values[:, g] - values[:, h]
            if not np.isnan(difference).any():
                ends = float(difference.min()), float(difference.max())
                rows.append((rate, names[g], names[h], *ends, *ends))
    return pd.DataFrame(rows, columns=DIFFERENCES)
