"""What is proven of all rule sets near the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ...data.problem import Problem
from ...results import in_numbers, written


@dataclass(frozen=True, eq=False)
class RuleSetRanges:
    """What is proven of all rule sets with an objective up to a threshold.

    Attributes
    ----------
    problem : Problem
    optimum, threshold : float
        The least objective, and the largest that counts as near it; in rows, or weight.
    columns : DataFrame
        By column (antecedent, when the problem does not know the columns): ``used_by`` ("all", "some" or "none" of the
        sets, "not known" at a limit); ``objective`` and ``bound`` of the best set that uses it, ``without`` and
        ``without_bound`` of the best one that does not. Searches end when the answer is clear, so that an objective may
        not be the least. A rule that changes nothing counts as use. With ``graded`` also ``fewest`` and ``most``
        conditions on the column of near sets that were met, and ``at_least`` and ``at_most``, which are proven of all
        near sets; of rules that cover the same rows with the same conditions on the column a set has one.
    gaps : DataFrame
        By criterion: ``least`` (no such set has a smaller gap) and ``found`` (the gap of one; ``nan`` where none is
        known), both shares. The gap is the largest difference between two groups, in what the set predicts.
    differences : DataFrame
        For each rate of the criteria and each pair of groups that have it: ``rate``, ``group``, ``other``, ``least``
        and ``greatest`` (of the group's rate - the other's, among the sets that were met; they are of near sets), and
        ``at_least`` and ``at_most``, which are proven of all near sets: where they are the same, the range is exact.
        No rows where weights have so many digits that sums do not fit in 64 bits.
    seconds : float
    parameters : mapping
        Of the search.
    """

    problem: Problem
    optimum: float
    threshold: float
    columns: pd.DataFrame
    gaps: pd.DataFrame
    differences: pd.DataFrame
    seconds: float = field(repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def frame(self) -> pd.DataFrame:
        """All of it as one table: ``of`` says whether a row is about a column, a gap or a difference.

        What is not said of a row is missing.
        """
        parts = {
            "column": self.columns.reset_index(),
            "gap": self.gaps.reset_index(),
            "difference": self.differences,
        }
        rows = [{"of": what, **row} for what, part in parts.items() for row in part.to_dict(orient="records")]
        known = dict.fromkeys(name for part in parts.values() for name in part.columns)
        return pd.DataFrame(rows, columns=["of", *known])

    def to_json(self, path: str | Path | None = None) -> str:
        """All of it as strict JSON text, also written to ``path`` when one is given; what is not finite is null.

        Parameters
        ----------
        path : str or Path, optional
            A file to write it to.
        """
        content = {
            "problem": in_numbers(self.problem),
            "parameters": self.parameters,
            **{name: getattr(self, name) for name in ("optimum", "threshold", "seconds")},
            "columns": self.columns.reset_index().to_dict(orient="records"),
            "gaps": self.gaps.reset_index().to_dict(orient="records"),
            "differences": self.differences.to_dict(orient="records"),
        }
        return written("rule_set_ranges", content, path)
