"""What a count of near-optimal rule lists says: exact numbers, lists on demand, and ranges over all of them."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from ...arguments import ParameterError, is_whole
from ...data.gaps import CRITERIA
from ...data.problem import Problem
from . import ranges
from .tables import Counted

_BY_OBJECTIVE = ("objective", "gap", "rules", "errors", "lists")


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimalCount:
    """All near-optimal rule lists, counted.

    Attributes
    ----------
    problem : Problem
    regularization : float
    optimum, threshold : float
        The least objective, and the largest that counts as near-optimal.
    truncated : str or None
        Why the count is not complete: "time", "memory" or "work"; "stopped" when it was left early.
    work : int
        Prefixes expanded by the search for the optimum, sets of patterns expanded, and tables made.
    at_least : int
        A number of near-optimal lists that is certain also when the count is not complete.
    counted : Counted or None
        The tables that lists are read from; None when the count is not complete.
    """

    problem: Problem
    regularization: float
    optimum: float
    threshold: float
    truncated: str | None
    work: int
    at_least: int
    counted: Counted | None = field(repr=False)

    def __repr__(self) -> str:
        n = f"{self.n_lists} lists" if self.complete else f"at least {self.n_lists} lists"
        return f"NearOptimalCount({n}, objectives {self.optimum:.6g} to {self.threshold:.6g})"

    @property
    def complete(self) -> bool:
        """Whether all lists are counted; otherwise ``n_lists`` is a lower bound, and there are no tables."""
        return self.counted is not None

    @property
    def n_lists(self) -> int:
        """Near-optimal lists: exactly when complete, otherwise at least so many."""
        return sum(self._numbers) if self.complete else self.at_least

    @cached_property
    def by_objective(self) -> pd.DataFrame:
        """The lists by what they cost.

        Returns
        -------
        DataFrame
            ``objective``, ``gap`` (objective - optimum), ``rules``, ``errors`` (training errors) and ``lists`` (how
            many, as Python integers), the best ones first; no row when the count is not complete.
        """
        if self.counted is None:
            return pd.DataFrame(columns=list(_BY_OBJECTIVE))
        costs, constant = self.counted.costs, self.counted.states.constant
        rules = np.array([k for k, _ in self._kinds], dtype=np.int64)
        errors: np.ndarray = np.array([e for _, e in self._kinds], dtype=np.int64) + constant
        total = self.problem.total_weight
        if self.problem.positives.dtype.kind != "i":
            errors = errors * (costs.unit * costs.per_error * total)
        objective = errors / total + self.regularization * rules
        gap = np.maximum(objective - self.optimum, 0.0)
        lists = pd.Series(self._numbers, dtype=object)
        return pd.DataFrame(dict(zip(_BY_OBJECTIVE, (objective, gap, rules, errors, lists), strict=True)))

    @property
    def by_rules(self) -> pd.DataFrame:
        """The lists by their length: ``rules``, ``lists``, ``share`` and the least ``objective``."""
        frame = self.by_objective.groupby("rules").agg(lists=("lists", "sum"), objective=("objective", "min"))
        frame.insert(1, "share", [n / self.n_lists for n in frame["lists"]])
        return frame.reset_index()

    def lists(self, start: int = 0) -> Iterator[tuple[int, ...]]:
        """All lists, each when it is asked for: the antecedents in order, the best lists first.

        Parameters
        ----------
        start : int
            Lists to leave out at the beginning.
        """
        first, number = 0, start
        for (rules, errors), n in zip(self._kinds, self._numbers, strict=True):
            for k in range(max(number - first, 0), n):
                yield self._list(rules, errors, k)
            first += n

    def top(self, n: int = 10) -> pd.DataFrame:
        """The best lists: ``rules``, ``errors``, ``objective``, ``gap``, ``list`` and ``antecedents`` (their names).

        Parameters
        ----------
        n : int
            How many.
        """
        return self._frame(list(islice(self.lists(), _at_least_one(n))), range(n))

    def sample(self, n: int = 10, random_state: int | None = None) -> pd.DataFrame:
        """Random lists, each of all near-optimal ones as likely as any other; with replacement.

        Parameters
        ----------
        n : int
        random_state : int, optional
            The same one gives the same lists.

        Returns
        -------
        DataFrame
            As of `top`, in the order in which they were drawn.
        """
        self._needs_all()
        rng = random.Random(random_state)
        numbers = [rng.randrange(self.n_lists) for _ in range(_at_least_one(n))]
        return self._frame([self._at(number) for number in numbers], numbers)

    def examples(self) -> list[tuple[int, ...]]:
        """One list for each row of `by_objective`."""
        return [self._list(rules, errors, 0) for rules, errors in self._kinds]

    def importance(self) -> pd.DataFrame:
        """What each antecedent is to the near-optimal lists: ranges over all of them, without listing them.

        Returns
        -------
        DataFrame
            By antecedent: ``name``, ``lists`` (that have it), ``share`` of all lists, ``objective`` (the least of a
            list that has it), ``without`` (the least of a list that does without; ``nan`` when no near-optimal list
            does), ``least`` and ``most`` (share of the training weight that its rule decides; ``least`` is 0 when some
            list does without), ``aliases`` (indices of antecedents that hold for the same training rows). Those that
            occur, the most frequent first.
        """
        counted = self._needs_all()
        return ranges.importance(self.problem, counted, self.n_lists, self.optimum)

    def disagreement(self) -> pd.DataFrame:
        """What the near-optimal lists predict for each training pattern.

        Returns
        -------
        DataFrame
            By pattern of the problem (``problem.row_pattern`` has that of each row): ``positives``, ``negatives``
            (training weight), ``lists`` (that predict positive), ``share`` of all lists, ``disagreement`` (the share of
            the lists that predict otherwise than most of them, at most a half).
        """
        return ranges.disagreement(self.problem, self._needs_all(), self.n_lists)

    def column_ranges(self) -> pd.DataFrame:
        """How much the lists use each column: certified ranges over all of them.

        Returns
        -------
        DataFrame
            By column (antecedent, when the problem does not know the columns): ``least`` and ``most``, the share of the
            training weight that is decided by rules with a condition on the column.
        """
        return ranges.columns(self.problem, self._needs_all())

    def gap_ranges(self, criterion: str = "demographic_parity") -> pd.DataFrame:
        """How differently the lists treat two groups: certified ranges over all near-optimal lists.

        Parameters
        ----------
        criterion : str
            One of `rulelab.data.gaps.CRITERIA`.

        Returns
        -------
        DataFrame
            For each rate of the criterion and each pair of groups that have it: ``rate``, ``group``, ``other``,
            ``least`` and ``greatest`` (of the group's rate - the other's, over all near-optimal lists), ``least_list``
            and ``greatest_list`` (the antecedents of a list that has it).

        Raises
        ------
        ValueError
            When the problem has no groups, or there is no such criterion.

        Notes
        -----
        Exact where weights are integers; otherwise a difference is rounded at the thirteenth decimal.
        """
        if criterion not in CRITERIA:
            raise ValueError(f"there is no criterion {criterion!r}; the criteria are {', '.join(CRITERIA)}")
        if self.problem.groups is None:
            raise ValueError("the problem has no groups: give them when it is made, Problem.from_arrays(.., groups=..)")
        return ranges.gaps(self.problem, self._needs_all(), CRITERIA[criterion])

    def _needs_all(self) -> Counted:
        if self.counted is None:
            raise ValueError(f"the count is not complete ({self.truncated}): let the search go on to its end first")
        return self.counted

    @cached_property
    def _kinds(self) -> list[tuple[int, int]]:
        """Rules and net errors of the lists, the cheapest first."""
        if self.counted is None:
            return []
        limits, tables = self.counted.states.limits, self.counted.ended
        part = slice(int(tables.first[0]), int(tables.last[0]))
        kinds = zip(tables.rules[part].tolist(), tables.errors[part].tolist(), strict=True)
        return sorted(kinds, key=lambda kind: (limits.per_rule * kind[0] + limits.per_error * kind[1], kind))

    @cached_property
    def _numbers(self) -> list[int]:
        return [] if self.counted is None else [self.counted.walk.count(0, *kind) for kind in self._kinds]

    def _at(self, number: int) -> tuple[int, ...]:
        ends = np.cumsum(np.array(self._numbers, dtype=object)).tolist()
        k = bisect_right(ends, number)
        return self._list(*self._kinds[k], number - (ends[k] - self._numbers[k]))

    def _list(self, rules: int, errors: int, number: int) -> tuple[int, ...]:
        counted = self._needs_all()
        return tuple(counted.representatives[list(counted.walk.number(rules, errors, number))].tolist())

    def _frame(self, lists: list[tuple[int, ...]], numbers: Any) -> pd.DataFrame:
        ends = np.cumsum(np.array(self._numbers, dtype=object)).tolist()
        rows = self.by_objective.iloc[[bisect_right(ends, number) for number in list(numbers)[: len(lists)]]]
        names = self.problem.names
        frame = rows[["rules", "errors", "objective", "gap"]].reset_index(drop=True)
        frame["list"] = pd.Series(lists, dtype=object)
        frame["antecedents"] = pd.Series([tuple(names[j] for j in chosen) for chosen in lists], dtype=object)
        return frame


def _at_least_one(n: Any) -> int:
    if not is_whole(n, 1):
        raise ParameterError("n", n, "an integer >= 1")
    return int(n)
