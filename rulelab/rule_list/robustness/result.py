"""How many rows may change before another rule list is better than the optimal one, and a list that then is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...models import RuleList
from .neighbours import CHANGES, Labelled, predicted

_MANY = {
    "relabelled": "any {} of {} labels are wrong",
    "removed": "any {} of {} rows are removed",
    "added": "any {} rows like training rows are added to {}",
}
_ONE = {
    "relabelled": "any one of {1} labels is wrong",
    "removed": "any one of {1} rows is removed",
    "added": "any one row like a training row is added to {1}",
}
_CHOSEN = {"relabelled": "wrong label", "removed": "removed row", "added": "added row"}


@dataclass(frozen=True, eq=False)
class RobustnessTo:
    """How many rows may change in one way.

    Attributes
    ----------
    change : str
        "relabelled": rows take the other label. "removed": rows are not there any more. "added": there are more rows,
        of any label, each of which satisfies the same antecedents as some training row.
    withstands : int
        Whatever so many rows change, or fewer, no rule list over the same antecedents has a smaller objective.
    breaks : int or None
        So many rows can change so that ``rival`` has a smaller objective; None while no such list is known.
    rival : RuleList or None
        That list, with its counts on the rows as they are.
    rows : DataFrame
        Which rows to change: ``pattern`` (index of the problem's), ``label`` (the class of the rows, before they
        change) and ``rows`` (how many of these).
    """

    change: str
    withstands: int
    breaks: int | None
    rival: RuleList | None
    rows: pd.DataFrame

    @property
    def exact(self) -> bool:
        """Whether no more rows can be withstood; otherwise ``withstands`` is a lower bound."""
        return self.breaks == self.withstands + 1

    def changed(self, problem: Problem) -> Problem:
        """The problem with these rows changed, on which ``rival`` is better than the optimal list.

        ``problem``: the one whose robustness this is. Raises ValueError while no rival is known.
        """
        if self.rival is None:
            raise ValueError("no list is known yet that is better after some rows have changed; go on with the search")
        counts = np.stack([problem.negatives, problem.positives]).astype(np.int64)
        for pattern, label, rows in self.rows.itertuples(index=False):
            side = problem.classes.index(label)
            if self.change == "added":
                counts[side, pattern] += rows
                continue
            counts[side, pattern] -= rows
            if self.change == "relabelled":
                counts[1 - side, pattern] += rows
        kept = counts.sum(axis=0) > 0
        return replace(
            problem,
            words=problem.words[kept],
            negatives=counts[0][kept],
            positives=counts[1][kept],
            n_rows=int(counts.sum()),
            row_pattern=None,
            groups=None,
            summed=None,
        )

    def sentence(self, weight: int) -> str:
        """Such as "it stays optimal if any 12 of 7214 labels are wrong; 13 chosen ones let another list win"."""
        chosen = _CHOSEN[self.change]
        if not self.withstands:
            return f"one {chosen} lets another list win" if self.exact else f"nothing is proven yet of a {chosen}"
        stays = (_ONE if self.withstands == 1 else _MANY)[self.change].format(self.withstands, weight)
        if self.exact:
            return f"it stays optimal if {stays}; {self.breaks} chosen ones let another list win"
        known = "" if self.breaks is None else f", and {self.breaks} chosen ones let another list win"
        return f"it stays optimal if {stays}: that is proven, and it may stand more{known}"


@dataclass(frozen=True, eq=False)
class Robustness:
    """What is known of how many rows may change before another rule list is better than the optimal one.

    Attributes
    ----------
    problem : Problem
    regularization : float
    model : RuleList
        The optimal list, certified.
    objective : float
    ties : int or None
        Rule lists, of any labels, that have the same objective and predict otherwise for some training row; of
        antecedents that hold for the same rows one counts. None while that is not known.
    relabelled, removed, added : RobustnessTo
    """

    problem: Problem
    regularization: float
    model: RuleList
    objective: float
    ties: int | None
    relabelled: RobustnessTo
    removed: RobustnessTo
    added: RobustnessTo

    @property
    def exact(self) -> bool:
        """Whether all three numbers are."""
        return all(each.exact for each in self.changes)

    @property
    def changes(self) -> tuple[RobustnessTo, ...]:
        """The three ways in which rows can change."""
        return tuple(getattr(self, change) for change in CHANGES)

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each way in which rows can change.

        Returns
        -------
        DataFrame
            change, withstands, breaks, exact, share (withstands / rows), rival (the names of its antecedents) and
            rival_objective (on the rows as they are).
        """
        rows: list[dict[str, Any]] = []
        for each in self.changes:
            rival = each.rival
            rows.append(
                {
                    "change": each.change,
                    "withstands": each.withstands,
                    "breaks": each.breaks,
                    "exact": each.exact,
                    "share": each.withstands / self.problem.total_weight,
                    "rival": () if rival is None else rival.antecedent_names,
                    "rival_objective": None if rival is None else rival.objective(self.regularization),
                }
            )
        return pd.DataFrame(rows).astype({"breaks": "Int64", "rival_objective": float})

    def __str__(self) -> str:
        return "\n".join(each.sentence(int(self.problem.total_weight)) for each in self.changes)


def rows_to_change(problem: Problem, best: Labelled, rival: Labelled, change: str, rows: int) -> pd.DataFrame:
    """So many rows that let a list win, as `RobustnessTo.rows`: those for it first, the patterns of most rows first."""
    own, other = (predicted(problem, *each).positive for each in (best, rival))
    counts = np.stack([problem.negatives, problem.positives]).astype(np.int64)
    if change == "added":
        pattern = np.array([np.argmax(np.where(own != other, counts.sum(axis=0), -1))])
        label, taken = other[pattern].astype(int), np.array([rows])
    else:
        label, pattern = (each.ravel() for each in np.indices(counts.shape))
        wins, agree = (own != other)[pattern] & (label == own[pattern]), (own == other)[pattern]
        left = np.where(wins | agree, counts.ravel(), 0)
        order = np.lexsort((pattern, -left, np.where(wins, 0, 1 + label)))
        before = left[order].cumsum() - left[order]
        taken = np.clip(rows - before, 0, left[order])
        some, taken = order[taken > 0], taken[taken > 0]
        label, pattern = label[some], pattern[some]
    names = pd.Series([problem.classes[k] for k in label.tolist()], dtype=object)
    return pd.DataFrame({"pattern": pattern.astype(np.int64), "label": names, "rows": taken.astype(np.int64)})
