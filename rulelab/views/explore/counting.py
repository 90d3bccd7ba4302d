"""All near-optimal lists counted, of any length, and what is certain of all of them; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ...data.groups import Groups
from ...data.metrics import FEW
from ...rule_list import NearOptimalCount, NearOptimalCounter, NearOptimalCountProgress
from ..live.job import Progress
from ..live.wording import count, counted
from .finding import MEMORY_BYTES, Found

_COUNTS = {"true_positive_rate": (True, False), "false_positive_rate": (False, True)}
"""Of which classes the rows are that a rate is a share of; of both where it is not said."""


@dataclass(frozen=True, eq=False)
class Total:
    """A count as it stands.

    Attributes
    ----------
    result : NearOptimalCount
    snapshot : NearOptimalCountProgress
    ratio : float
        Lists with an objective of at most the optimum's * (1 + ratio) are counted.
    """

    result: NearOptimalCount
    snapshot: NearOptimalCountProgress
    ratio: float


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of all lists.

    Attributes
    ----------
    columns : DataFrame
        See `NearOptimalCount.column_ranges`.
    gaps : DataFrame or None
        See `NearOptimalCount.gap_ranges`; pairs with a group of few rows are left out. None without groups.
    """

    columns: pd.DataFrame
    gaps: pd.DataFrame | None


def count_all(found: Found, seconds: float, progress: Progress) -> Total:
    """Count all lists within the distance of what was found; a cancelled count gives what is certain by then."""
    search: Any = found.prepared.search
    counter = NearOptimalCounter(search, ratio=found.ratio, memory_limit=search.memory_limit or MEMORY_BYTES)
    if not counter.compiled:
        progress.report("compiling the count: once per machine, some seconds")
        counter.compile()
    snapshot: Any = None
    for snapshot in counter.steps(time_limit=seconds):
        progress.doing = f"at least {counted(snapshot.n_lists, 'lists')}, {count(snapshot.states)} sets of rows"
        if progress.cancelled:
            break
    return Total(counter.result(), snapshot, found.ratio)


def ranges_of(found: Found, total: Total, attribute: str, criterion: str) -> Ranges:
    """The ranges over all lists of a complete count."""
    gaps = None
    if attribute:
        groups = _groups(found, attribute)
        problem = replace(total.result.problem, groups=groups)
        gaps = _with_enough(replace(total.result, problem=problem).gap_ranges(criterion), groups)
    return Ranges(total.result.column_ranges(), gaps)


def _groups(found: Found, attribute: str) -> Groups:
    masses = found.masses(attribute)
    whole = all((part == np.rint(part)).all() for part in (masses.positives, masses.negatives))
    kind = np.int64 if whole else np.float64
    return Groups(masses.names, masses.positives.astype(kind), masses.negatives.astype(kind))


def _with_enough(gaps: pd.DataFrame, groups: Groups) -> pd.DataFrame:
    """The pairs whose groups both have enough rows of the kind that a rate counts."""
    both = zip(groups.positives.sum(axis=1), groups.negatives.sum(axis=1), strict=True)
    weights = dict(zip(groups.names, both, strict=True))

    def is_enough(name: str, rate: str) -> bool:
        asked = _COUNTS.get(rate, (True, True))
        return sum(weight for weight, counts in zip(weights[name], asked, strict=True) if counts) >= FEW

    enough = [
        is_enough(a, rate) and is_enough(b, rate)
        for rate, a, b in zip(gaps["rate"], gaps["group"], gaps["other"], strict=True)
    ]
    return gaps[np.array(enough, dtype=bool)]


def verdict(total: Total) -> tuple[str, str]:
    """How many there are: a tone and a sentence."""
    result, within = total.result, f"within {100 * total.ratio:.4g} % of the optimum"
    if result.complete:
        rounding = "" if total.snapshot.limit is None else ", but for the rounding of the weights"
        return (
            "proven",
            f"certified{rounding}: exactly {counted(result.n_lists, 'rule lists')} of any length are {within}",
        )
    why = {"memory": "the memory limit", "time": "the time limit"}.get(result.truncated or "", "it was stopped")
    return "limit", f"not complete ({why}): at least {counted(result.n_lists, 'rule lists')} are {within}"
