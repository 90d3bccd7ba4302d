"""Rivals of the optimal list that one change makes of it, and how many rows have to change until one wins, in integers.

Of two lists, *for* the other are the rows that only the optimal one gets right, *against* it those that only the other
one gets right, and ``excess`` is n times the difference of their objectives. Whatever rows change, the list that is
best is compared with the other one on the rows that are there then, so that the regularization counts for as many rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ..costs import first_captures

CHANGES = ("relabelled", "removed", "added")
"""What may become of rows: another label, none of them there any more, or rows that were not there before."""


@dataclass(frozen=True)
class Measure:
    """The optimal list in numbers, what other lists are compared with it by, and what any list costs on the grid."""

    weight: int  # rows, n
    regularization: Fraction  # cost of a rule, lambda: exactly the decimal number that was given
    # errors, rules: of the optimal list
    errors: int
    rules: int
    # per_error, per_rule: the grid
    per_error: int
    per_rule: int
    inevitable: int  # rows that every list gets wrong
    longest: int  # most rules of a list

    @property
    def cost(self) -> int:
        """What the optimal list costs on the grid."""
        return self.per_error * self.errors + self.per_rule * self.rules

    def excess(self, rules: int, errors: int) -> int:
        """n times the difference of the objectives, times the denominator of the regularization."""
        p, q = self.regularization.as_integer_ratio()
        return (errors - self.errors) * q + p * self.weight * (rules - self.rules)

    def needed(self, change: str, rules: int, errors: int, differing: int) -> int | None:
        """The fewest rows that have to change, at least 1, until a list beats the optimal one; None: it never does.

        ``rules``, ``errors``: of the list, on the rows as they are. ``differing``: rows for which the two lists predict
        otherwise. Fewer for a list of less errors, and of more rows that differ.
        """
        p, q = self.regularization.as_integer_ratio()
        n, longer, worse, excess = self.weight, rules - self.rules, errors - self.errors, self.excess(rules, errors)
        if change == "relabelled":  # each row *for* the list takes 2 off the excess, any other row takes nothing off
            rows = max(1, excess // (2 * q) + 1)
            return rows if 2 * rows <= worse + differing else None
        if change == "added":  # a row that the lists differ on takes 1 - lambda * longer off, and no row takes off more
            if differing <= 0 or p * longer >= q:
                return None
            return max(1, excess // (q - p * longer) + 1)
        # any row that is removed takes lambda * longer off; one *for* the list takes 1 more, one *against* it 1 less:
        # so the rows for it go first, then those on which both agree
        wins, loses = (worse + differing) // 2, (differing - worse) // 2
        rows = max(1, excess // (q + p * longer) + 1)
        if rows <= min(wins, n - 1):
            return rows
        if longer <= 0 or loses <= 0 or p * longer >= q:
            return None
        return n - -(-loses * q // (p * longer)) + 1

    def least(self, change: str, threshold: int) -> int | None:
        """No list that costs more than this wins before so many rows have changed; None when none can win at all.

        Such a list of so many rules makes at least as many errors as are left of its cost. It may differ in all rows
        that the parity of its errors allows.
        """
        n, found = self.weight, None
        for rules in range(self.longest + 1):
            left = -(-(threshold + 1 - self.per_rule * rules) // self.per_error)
            errors = max(left, self.inevitable)
            for wrong in (errors, errors + 1):
                if wrong > n:
                    continue
                rows = self.needed(change, rules, wrong, n - (n - wrong + self.errors) % 2)
                found = rows if found is None or (rows is not None and rows < found) else found
            if left <= self.inevitable:
                break
        return found

    def threshold(self, change: str, rows: int, known: int) -> int:
        """The least threshold, at least ``known``, beyond which no list wins before so many rows have changed."""
        low, high = known, self.per_error * self.weight + self.per_rule * self.longest
        while low < high:
            middle = (low + high) // 2
            least = self.least(change, middle)
            if least is None or least >= rows:
                high = middle
            else:
                low = middle + 1
        return low


class Predicted(NamedTuple):
    """A list on the patterns of a problem; ``labels`` are those of the rules and of the default."""

    labels: tuple[int, ...]
    positive: np.ndarray  # bool, shape (n_patterns,)
    errors: int
    captures: bool  # whether each rule captures something


def predicted(
    problem: Problem,
    antecedents: Sequence[int],
    labels: Sequence[int] | None = None,
    columns: Mapping[int, np.ndarray] | None = None,
) -> Predicted:
    """What a list predicts: its labels, or the majority of what each rule captures, in a tie the negative class."""
    positive, chosen, errors, captures = np.zeros(problem.n_patterns, dtype=bool), [], 0, True
    for k, hit in enumerate(first_captures(problem, antecedents, columns)):
        captures &= k == len(antecedents) or bool(hit.any())
        counts = int(problem.negatives[hit].sum()), int(problem.positives[hit].sum())
        label = int(counts[1] > counts[0]) if labels is None else labels[k]
        chosen.append(label)
        errors += counts[1 - label]
        if label:
            positive |= hit
    return Predicted(tuple(chosen), positive, errors, captures)


class Rival(NamedTuple):
    """Another list, by its antecedents and its labels, and after how many changed rows it beats the optimal one."""

    rows: int
    antecedents: tuple[int, ...]  # indices of the problem's
    labels: tuple[int, ...]  # of the rules and of the default


def better(rivals: Mapping[str, Rival], measure: Measure, rules: int, errors: int, differing: int) -> dict[str, int]:
    """The changes by which a list wins after fewer rows than the best known one, and after how many."""
    found = {}
    for change in CHANGES:
        rows = measure.needed(change, rules, errors, differing)
        if rows is not None and (change not in rivals or rows < rivals[change].rows):
            found[change] = rows
    return found


Labelled = tuple[tuple[int, ...], tuple[int, ...]]
"""A list: its antecedents, and the labels of its rules and of the default."""


def neighbours(problem: Problem, own: Labelled) -> Iterator[tuple[tuple[int, ...], tuple[int, ...] | None]]:
    """Lists with a rule deleted, replaced or inserted, a label turned, and those that are only a default.

    Where labels are None they are those of the majorities.
    """
    antecedents, labels = own
    yield (), (0,)
    yield (), (1,)
    for k in range(len(labels)):
        yield antecedents, tuple(label ^ (i == k) for i, label in enumerate(labels))
    for k in range(len(antecedents)):
        yield (*antecedents[:k], *antecedents[k + 1 :]), None
    for a in range(problem.n_antecedents):
        for k in range(len(antecedents) + 1) if a not in antecedents else ():
            yield (*antecedents[:k], a, *antecedents[k:]), None
            if k < len(antecedents):
                yield (*antecedents[:k], a, *antecedents[k + 1 :]), None
