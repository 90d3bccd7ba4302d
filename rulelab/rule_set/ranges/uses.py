"""How often rule sets near the optimum use a column, at least and at most, each side proven by searches for a set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import RuleSet
from ...snapshot import Snapshot, Status
from ..demands import Demands
from ..search import RuleSetSearch

Until = Callable[[RuleSetSearch], Snapshot | None]
"""Takes a search to where it is clear whether there is a near set, or to the limit; None: it is too late to begin."""


class Uses(NamedTuple):
    """Conditions on a column in near sets.

    Attributes
    ----------
    fewest, most : int
        Of near sets that were met.
    at_least, at_most : int
        Proven of all.
    """

    fewest: int
    most: int
    at_least: int
    at_most: int


class LimitedUse(RuleSetSearch):
    """The best rule set whose conditions of a kind are so many at most, or at least.

    Parameters
    ----------
    problem : Problem
    uses : int64 array, shape (n_antecedents,)
        What each antecedent counts.
    bound : int
    at_least : bool
        Whether the bound is from below.
    settings : dict
        Of the search.
    """

    def __init__(
        self, problem: Problem, uses: np.ndarray, bound: int, at_least: bool, settings: dict[str, Any]
    ) -> None:
        self._counted = uses, bound, at_least
        super().__init__(problem, **settings)

    def _demanded(self) -> Demands:
        uses, bound, at_least = self._counted
        sign = -1 if at_least else 1
        return replace(
            super()._demanded(),
            meets=(uses > 0)[None] if at_least else np.zeros((0, len(uses)), dtype=bool),
            uses=sign * uses[None],
            most=np.array([sign * bound], dtype=np.int64),
        )


def uses_of_column(problem: Problem, name: str) -> np.ndarray:
    """Conditions on a column that each antecedent has; without known columns whether it is the one of that name."""
    if problem.conditions is None:
        return np.array([each == name for each in problem.names], dtype=np.int64)
    return np.array([sum(c.column == name for c in joined) for joined in problem.conditions], dtype=np.int64)


def range_of_uses(
    search: RuleSetSearch,
    uses: np.ndarray,
    known: list[int],
    threshold: float,
    settings: dict[str, Any],
    until: Until,
    all_use: bool,
) -> Uses:
    """The least and the greatest count of conditions of a kind among all near sets.

    Parameters
    ----------
    search : RuleSetSearch
    uses : int64 array, shape (n_antecedents,)
        What each antecedent counts; near sets may use one that counts.
    known : list of int
        Counts of near sets that were met, at least one.
    threshold : float
        The largest objective of near sets.
    settings : dict
        Of a search for near sets.
    until : callable
        Its search ends where a near set is found, or none can be, or at the limit.
    all_use : bool
        Whether it is proven that no near set is without.
    """
    problem = search.problem
    fewest, most = min(known), max(known)
    at_least, at_most = int(all_use), _most_possible(search, uses)
    while at_least < fewest:
        found = until(LimitedUse(problem, uses, at_least, False, settings))
        if found is None:
            break
        if (met := near(found, threshold)) is not None:
            fewest = count(met, uses)
        elif _is_ruled_out(found, threshold):
            at_least += 1
        else:
            break
    while most < at_most:
        found = until(LimitedUse(problem, uses, most + 1, True, settings))
        if found is None:
            break
        if (met := near(found, threshold)) is not None:
            most = count(met, uses)
        elif _is_ruled_out(found, threshold):
            at_most = most
        else:
            break
    return Uses(fewest, most, at_least, at_most)


def count(model: RuleSet, uses: np.ndarray) -> int:
    """Conditions of a kind in all clauses of a set."""
    return int(sum(uses[list(clause)].sum() for clause in model.clauses))


def near(found: Snapshot, threshold: float) -> RuleSet | None:
    """The set that a search has found, where it is near the optimum."""
    best = found.incumbent
    return best.model if best is not None and best.objective <= threshold else None  # type: ignore[return-value]


def uses_in_words(row: Any) -> str:
    """How many conditions on a column near sets have, of a graded row of ranges; where an end is not met, what was."""
    proven, met = _from_to(row.at_least, row.at_most), _from_to(row.fewest, row.most)
    return proven if proven == met else f"{proven}, met {met}"


def _from_to(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


def _is_ruled_out(found: Snapshot, threshold: float) -> bool:
    return found.status is Status.INFEASIBLE or found.lower_bound > threshold


def _most_possible(search: RuleSetSearch, uses: np.ndarray) -> int:
    """What the complexity allows: a rule of d conditions costs 1 + d, and of each antecedent it has one."""
    counted = np.sort(uses[uses > 0])[::-1].tolist()
    sums = [0, *(sum(counted[:d]) for d in range(1, min(search.conditions, len(counted)) + 1))]
    best = [0] * (search.max_complexity + 1)
    for complexity in range(2, len(best)):
        best[complexity] = max(
            (best[complexity - 1 - d] + sums[d] for d in range(1, min(len(sums), complexity))), default=0
        )
        best[complexity] = max(best[complexity], best[complexity - 1])
    return best[-1]
