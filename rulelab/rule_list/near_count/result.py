"""What a count of near-optimal rule lists says: exact numbers, lists on demand, and ranges over all of them.

What adds up along a list, such as the weight that some rules decide, has a largest value among the lists of each number
of rules and errors; these are found from the last state to the first, as the lists are counted.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, combinations

import numpy as np
import pandas as pd

from ...data.gaps import CRITERIA
from ...data.groups import Groups
from ...data.problem import Problem
from ...near_models import at_least_one
from .state import whole
from .tables import Counted, Walk, completed

_MOST = 1 << 61
_FINE = 1 << 50

_OF_RATE: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]] = {
    "true_positive_rate": lambda p, n: (p, 0 * n, p),
    "false_positive_rate": lambda p, n: (n, 0 * n, n),
    "selection_rate": lambda p, n: (p + n, 0 * n, p + n),
    "accuracy": lambda p, n: (p - n, n, p + n),
}
"""For each rate, from the positives and the negatives of a pattern: what it gains when the pattern is predicted
positive, what it has otherwise, and what it counts."""

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
        yield from map(self._at, range(max(start, 0), sum(self._numbers)))

    def top(self, n: int = 10) -> pd.DataFrame:
        """The best lists: ``rules``, ``errors``, ``objective``, ``gap``, ``list`` and ``antecedents`` (their names).

        Parameters
        ----------
        n : int
            How many.
        """
        return self._frame(range(min(at_least_one(n), sum(self._numbers))))

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
        return self._frame([rng.randrange(self.n_lists) for _ in range(at_least_one(n))])

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
        states, costs, passing = counted.states, counted.costs, counted.passing
        m, store = len(counted.representatives), states.store
        rule = store.edge_rule[: states.n_edges]
        lists = _sums(passing.through, rule, m)
        used = np.asarray(passing.through.any(axis=1))
        cheapest, least = np.full((2, m), np.iinfo(np.int64).max)
        most = np.zeros(m, dtype=np.int64)
        np.minimum.at(cheapest, rule[used], passing.cheapest[used])
        np.minimum.at(least, rule[used], counted.decided[used])
        np.maximum.at(most, rule[used], counted.decided[used])
        total = int(counted.weights.sum())
        best = counted.walk.number(*self._kinds[0], 0)
        occurs = [a for a in range(m) if lists[a]]
        index = counted.representatives[occurs]
        groups = counted.groups
        base = states.constant * states.limits.per_error
        frame = pd.DataFrame(
            {
                "name": [self.problem.names[j] for j in index.tolist()],
                "lists": pd.Series([lists[a] for a in occurs], dtype=object),
                "share": [lists[a] / self.n_lists for a in occurs],
                "objective": [(base + int(cheapest[a])) * costs.unit for a in occurs],
                "without": [_without(counted, a) if a in best else self.optimum for a in occurs],
                "least": [least[a] / total if lists[a] == self.n_lists else 0.0 for a in occurs],
                "most": [most[a] / total for a in occurs],
                "aliases": [tuple(k for k in np.flatnonzero(groups == groups[j]).tolist() if k != j) for j in index],
            }
        )
        frame.index = pd.Index(index, name="antecedent")
        order = sorted(range(len(occurs)), key=lambda i: (-lists[occurs[i]], cheapest[occurs[i]]))
        return frame.iloc[order]

    def disagreement(self) -> pd.DataFrame:
        """What the near-optimal lists predict for each training pattern.

        Returns
        -------
        DataFrame
            By pattern of the problem (``problem.row_pattern`` has that of each row): ``positives``, ``negatives``
            (training weight), ``lists`` (that predict positive), ``share`` of all lists, ``disagreement`` (the share of
            the lists that predict otherwise than most of them, at most a half).
        """
        counted, problem = self._needs_all(), self.problem
        states, passing = counted.states, counted.passing
        sums = np.zeros((len(counted.slots), states.limbs), dtype=np.uint64)
        for part, captured, label in states.rules():
            sums += captured[label].T.astype(np.uint64) @ passing.through[part][label].astype(np.uint64)
        for chosen, at_edge, captured, label in states.ends():
            ending = passing.through if at_edge else passing.ending
            sums += captured[label].T.astype(np.uint64) @ ending[chosen[label]].astype(np.uint64)
        positive: list[int] = [0] * problem.n_patterns
        for slot, pattern in enumerate(counted.slots.tolist()):
            if pattern >= 0:
                positive[pattern] = whole(sums[slot])
        share = np.array([n / self.n_lists for n in positive], dtype=np.float64)
        return pd.DataFrame(
            {
                "positives": problem.positives,
                "negatives": problem.negatives,
                "lists": pd.Series(positive, dtype=object),
                "share": share,
                "disagreement": np.minimum(share, 1 - share),
            },
            index=pd.RangeIndex(problem.n_patterns, name="pattern"),
        )

    def column_ranges(self) -> pd.DataFrame:
        """How much the lists use each column: certified ranges over all of them.

        Returns
        -------
        DataFrame
            By column (antecedent, when the problem does not know the columns): ``least`` and ``most``, the share of the
            training weight that is decided by rules with a condition on the column.
        """
        counted, problem = self._needs_all(), self.problem
        of = [{name} for name in problem.names]
        if problem.conditions is not None:
            of = [{condition.column for condition in conditions} for conditions in problem.conditions]
        states, total = counted.states, int(counted.weights.sum())
        rule = counted.representatives[states.store.edge_rule[: states.n_edges]]
        rows = []
        for column in dict.fromkeys(name for names in of for name in sorted(names)):
            has = np.array([column in names for names in of])
            found = _range(counted, counted.decided * has[rule], np.zeros(states.n, dtype=np.int64))
            rows.append((column, *(abs(value) / total for value, _ in found)))
        frame = pd.DataFrame(rows, columns=["column", "least", "most"]).set_index("column")
        return frame.sort_values(["most", "least"], ascending=False, kind="stable")

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
        groups = self.problem.groups
        if groups is None:
            raise ValueError("the problem has no groups: give them when it is made, Problem.from_arrays(.., groups=..)")
        counted = self._needs_all()
        rows = []
        for rate in CRITERIA[criterion]:
            for g, h in combinations(range(len(groups.names)), 2):
                weights = _difference(groups, rate, g, h)
                if weights is None:
                    continue
                gain, base, scale = weights
                at_slots = np.where(counted.slots >= 0, gain[counted.slots], 0)
                (low, first), (high, last) = _range(counted, *counted.states.values(at_slots))
                names = groups.names[g], groups.names[h]
                rows.append((rate, *names, (low + base) / scale, (high + base) / scale, first, last))
        head = ["rate", "group", "other", "least", "greatest", "least_list", "greatest_list"]
        return pd.DataFrame(rows, columns=head)

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

    @cached_property
    def _ends(self) -> list[int]:
        """How many lists there are up to each kind."""
        return list(accumulate(self._numbers))

    def _at(self, number: int) -> tuple[int, ...]:
        k = bisect_right(self._ends, number)
        return self._list(*self._kinds[k], number - (self._ends[k] - self._numbers[k]))

    def _list(self, rules: int, errors: int, number: int) -> tuple[int, ...]:
        counted = self._needs_all()
        return tuple(counted.representatives[list(counted.walk.number(rules, errors, number))].tolist())

    def _frame(self, numbers: Sequence[int]) -> pd.DataFrame:
        rows = self.by_objective.iloc[[bisect_right(self._ends, number) for number in numbers]]
        lists = [self._at(number) for number in numbers]
        names = self.problem.names
        frame = rows[["rules", "errors", "objective", "gap"]].reset_index(drop=True)
        frame["list"] = pd.Series(lists, dtype=object)
        frame["antecedents"] = pd.Series([tuple(names[j] for j in chosen) for chosen in lists], dtype=object)
        return frame


def _difference(groups: Groups, rate: str, g: int, h: int) -> tuple[np.ndarray, int, int] | None:
    """The difference of two groups' rates in integers: what a positive pattern adds, what is otherwise, what 1 is."""
    parts = [_OF_RATE[rate](groups.positives[k], groups.negatives[k]) for k in (g, h)]
    counts = [part[2].sum() for part in parts]
    if not all(counts):
        return None
    (gain, base, _), (other_gain, other_base, _) = parts
    if groups.positives.dtype.kind == "i" and 4 * int(counts[0]) * int(counts[1]) < _MOST:
        mine, others = int(counts[1]), int(counts[0])
        return gain * mine - other_gain * others, int(base.sum()) * mine - int(other_base.sum()) * others, mine * others
    fine = np.rint(_FINE * (gain / counts[0] - other_gain / counts[1])).astype(np.int64)
    return fine, round(_FINE * float(base.sum() / counts[0] - other_base.sum() / counts[1])), _FINE


def _range(
    counted: Counted, by_rule: np.ndarray, by_end: np.ndarray
) -> tuple[tuple[int, tuple[int, ...]], tuple[int, tuple[int, ...]]]:
    """The least and the largest sum of values along any list, each with a list that has it."""
    found = []
    for sign in (-1, 1):
        tables = completed(counted.states, sign * by_rule, sign * by_end)
        value, rules = Walk(counted.states, tables, sign * by_rule).largest()
        found.append((sign * value, tuple(counted.representatives[list(rules)].tolist())))
    return found[0], found[1]


def _without(counted: Counted, a: int) -> float:
    """The least objective of a near-optimal list without an antecedent; nan when there is none."""
    states = counted.states
    uses = -(states.store.edge_rule[: states.n_edges] == a).astype(np.int64)
    tables = completed(states, uses, np.zeros(states.n, dtype=np.int64))
    part = slice(int(tables.first[0]), int(tables.last[0]))
    free = tables.values[part] == 0
    if not free.any():
        return float("nan")
    limits = states.limits
    cost = limits.per_rule * tables.rules[part][free].astype(np.int64) + limits.per_error * tables.errors[part][free]
    return (int(cost.min()) + limits.per_error * states.constant) * counted.costs.unit


def _sums(limbs: np.ndarray, of: np.ndarray, n: int) -> list[int]:
    """The sum of numbers in words for each of n kinds."""
    sums = np.zeros((n, limbs.shape[1]), dtype=np.uint64)
    np.add.at(sums, of, limbs.astype(np.uint64))
    return [whole(row) for row in sums]
