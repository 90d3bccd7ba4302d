"""Rivals of the optimal list that one change makes of it, and how many rows have to change until one wins, in integers.

Of two lists, *for* the other are the rows that only the optimal one gets right, *against* it those that only the other
one gets right, and ``excess`` is n times the difference of their objectives. Whatever rows change, the list that is
best is compared with the other one on the rows that are there then, so that the regularization counts for as many rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models.base import column_of

CHANGES = ("relabelled", "removed", "added")
"""What may become of rows: another label, none of them there any more, or rows that were not there before."""


@dataclass(frozen=True)
class Measure:
    """The optimal list in numbers, and what other lists are compared with it by."""

    weight: int  # rows, n
    regularization: Fraction  # cost of a rule, lambda: exactly the decimal number that was given
    # errors, rules: of the optimal list
    errors: int
    rules: int

    def excess(self, rules: int, errors: int) -> int:
        """n times the difference of the objectives, times the denominator of the regularization."""
        p, q = self.regularization.as_integer_ratio()
        return (errors - self.errors) * q + p * self.weight * (rules - self.rules)

    def needed(self, change: str, rules: int, errors: int, differing: int) -> int | None:
        """The fewest rows that have to change until a list has a smaller objective than the optimal one.

        ``change``: one of `CHANGES`. ``rules``, ``errors``: of the list, on the rows as they are. ``differing``: rows
        for which the two lists predict otherwise. At least 1. None when no change of this kind lets that list win.
        Fewer for a list of less errors, and of more rows that differ.
        """
        return _NEEDED[change](self, rules - self.rules, errors - self.errors, differing)


def _relabelled(measure: Measure, longer: int, worse: int, differing: int) -> int | None:
    """Each row *for* the list that takes the other label takes 2 off the excess, any other row takes nothing off."""
    p, q = measure.regularization.as_integer_ratio()
    rows = max(1, (worse * q + p * measure.weight * longer) // (2 * q) + 1)
    return rows if 2 * rows <= worse + differing else None


def _removed(measure: Measure, longer: int, worse: int, differing: int) -> int | None:
    """Any row takes lambda * (difference in rules) off the excess; a row *for* the list takes 1 more, a row *against*
    it 1 less: so the rows for it go first, then those on which both agree."""
    p, q = measure.regularization.as_integer_ratio()
    n = measure.weight
    wins, loses = (worse + differing) // 2, (differing - worse) // 2
    rows = max(1, (worse * q + p * n * longer) // (q + p * longer) + 1)
    if rows <= min(wins, n - 1):
        return rows
    if longer <= 0 or loses <= 0 or p * longer >= q:
        return None
    return n - -(-loses * q // (p * longer)) + 1


def _added(measure: Measure, longer: int, worse: int, differing: int) -> int | None:
    """Each row like one that differs, with the label that the list gives it, takes 1 - lambda * (difference in rules)
    off the excess, and no row takes off more."""
    p, q = measure.regularization.as_integer_ratio()
    if differing <= 0 or p * longer >= q:
        return None
    return max(1, (worse * q + p * measure.weight * longer) // (q - p * longer) + 1)


_NEEDED: dict[str, Callable[[Measure, int, int, int], int | None]] = {
    "relabelled": _relabelled,
    "removed": _removed,
    "added": _added,
}


@dataclass(frozen=True)
class Outside:
    """The lists whose cost on the grid exceeds a threshold: from how many rows on one of them could win."""

    measure: Measure
    # per_error, per_rule: the grid
    per_error: int
    per_rule: int
    inevitable: int  # rows that every list gets wrong
    longest: int  # most rules of a list

    def least(self, change: str, threshold: int) -> int | None:
        """No list that costs more than this wins before so many rows have changed; None when none can win at all.

        Such a list of so many rules makes at least as many errors as are left of its cost. It may differ in all rows
        that the parity of its errors allows.
        """
        n, found = self.measure.weight, None
        for rules in range(self.longest + 1):
            left = -(-(threshold + 1 - self.per_rule * rules) // self.per_error)
            errors = max(left, self.inevitable)
            for wrong in (errors, errors + 1):
                if wrong > n:
                    continue
                differing = n - (n - wrong + self.measure.errors) % 2
                rows = self.measure.needed(change, rules, wrong, differing)
                found = rows if found is None or (rows is not None and rows < found) else found
            if left <= self.inevitable:
                break
        return found

    def threshold(self, change: str, rows: int, known: int) -> int:
        """The least threshold, at least ``known``, beyond which no list wins before so many rows have changed."""
        low, high = known, self.per_error * self.measure.weight + self.per_rule * self.longest
        while low < high:
            middle = (low + high) // 2
            least = self.least(change, middle)
            if least is None or least >= rows:
                high = middle
            else:
                low = middle + 1
        return low


class Predicted(NamedTuple):
    """A list on the patterns of a problem.

    ``labels``: of the rules and of the default. ``positive`` (bool array, shape (n_patterns,)).
    """

    labels: tuple[int, ...]
    positive: np.ndarray
    errors: int


def predicted(problem: Problem, columns: Sequence[np.ndarray], labels: Sequence[int] | None = None) -> Predicted | None:
    """What a list predicts: its labels, or the majority of what each rule captures, in a tie the negative class.

    None where a rule captures nothing.
    """
    left, positive = np.ones(problem.n_patterns, dtype=bool), np.zeros(problem.n_patterns, dtype=bool)
    chosen, errors = [], 0
    for k, holds in enumerate((*columns, None)):
        hit = left if holds is None else left & holds
        if holds is not None and not hit.any():
            return None
        counts = int(problem.negatives[hit].sum()), int(problem.positives[hit].sum())
        label = int(counts[1] > counts[0]) if labels is None else labels[k]
        chosen.append(label)
        errors += counts[1 - label]
        if label:
            positive |= hit
        if holds is not None:
            left = left & ~holds
    return Predicted(tuple(chosen), positive, errors)


class Rival(NamedTuple):
    """Another list, and after how many changed rows it is better than the optimal one."""

    rows: int
    antecedents: tuple[int, ...]  # indices of the problem's
    labels: tuple[int, ...]  # of the rules and of the default
    # rules, errors, differing: errors, and rows predicted otherwise than by the optimal list, on the rows as they are
    rules: int
    errors: int
    differing: int


def better(rivals: Mapping[str, Rival], measure: Measure, rules: int, errors: int, differing: int) -> dict[str, int]:
    """The changes by which a list wins after fewer rows than the best known one, and after how many."""
    found = {}
    for change in CHANGES:
        rows = measure.needed(change, rules, errors, differing)
        if rows is not None and (change not in rivals or rows < rivals[change].rows):
            found[change] = rows
    return found


Change = tuple[tuple[int, ...], tuple[int, ...] | None]


class Neighbours:
    """Step by step: lists with a rule deleted, replaced or inserted, a label turned, and those that are only a default.

    ``others`` are the antecedents that may be inserted; ``rivals`` are replaced by better ones.
    """

    def __init__(
        self,
        problem: Problem,
        antecedents: tuple[int, ...],
        labels: tuple[int, ...],
        others: np.ndarray,
        measure: Measure,
        rivals: dict[str, Rival],
        longest: int,
    ) -> None:
        self.problem, self.measure, self.rivals = problem, measure, rivals
        self.work = 0
        self.done = False
        self._list, self._labels, self._longest = antecedents, labels, longest
        self._others = [int(a) for a in others if a not in antecedents]
        self._columns = {a: column_of(problem, a) for a in antecedents}
        best = predicted(problem, list(self._columns.values()), labels)
        assert best is not None
        self._positive = best.positive
        self._at = 0

    def advance(self, max_work: int) -> None:
        """Look at no more than so many lists."""
        few = list(self._few())
        positions = 2 * len(self._list) + 1
        for _ in range(max_work):
            if self._at == len(few) + positions * len(self._others):
                self.done = True
                return
            index = self._at - len(few)
            self._at += 1
            self.work += 1
            if index < 0:
                self._look(*few[index])
                continue
            antecedent, position = self._others[index // positions], index % positions
            place = position // 2
            changed = (*self._list[:place], antecedent, *self._list[place + position % 2 :])
            if len(changed) <= self._longest:
                self._look(changed, None)

    def _few(self) -> Iterator[Change]:
        yield (), (0,)
        yield (), (1,)
        for k in range(len(self._labels)):
            yield self._list, tuple(label ^ (i == k) for i, label in enumerate(self._labels))
        for k in range(len(self._list)):
            yield (*self._list[:k], *self._list[k + 1 :]), None

    def _look(self, antecedents: tuple[int, ...], labels: tuple[int, ...] | None) -> None:
        known = self._columns
        made = predicted(
            self.problem, [known[a] if a in known else column_of(self.problem, a) for a in antecedents], labels
        )
        if made is not None:
            differs = made.positive != self._positive
            differing = int((self.problem.positives + self.problem.negatives)[differs].sum())
            numbers = (len(antecedents), made.errors, differing)
            for change, rows in better(self.rivals, self.measure, *numbers).items():
                self.rivals[change] = Rival(rows, antecedents, made.labels, *numbers)
