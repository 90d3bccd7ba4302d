"""What a list that is changed by hand costs, exactly, and which single change is best.

Labels are kept, so that a rule put in at a place changes the label of the patterns that it is the first to capture
there and of no others. What that costs is a sum over those patterns, for all antecedents, places and labels at once a
product of matrices of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..data.problem import Problem
from ..kernels import bits
from .edited import EditedList

DELETE, FLIP, MOVE, REPLACE, INSERT = KINDS = ("delete", "flip", "move", "replace", "insert")
"""Of single changes; of those that cost the same the first is preferred."""
_EXACT = 1 << 53
_LIMB = 24
_WORD = 64


@dataclass(frozen=True)
class Change:
    """One change of a list.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    place : int
        Of the rule that is changed, or put in.
    result : EditedList
    objective : Fraction
        Of the result.
    to : int or None
        Where the rule comes to stand, when it is moved.
    """

    kind: str
    place: int
    result: EditedList
    objective: Fraction
    to: int | None = None


class Bench:
    """A problem and a price of rules, under which lists are changed.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Read as the decimal number that Python shows, as searches do.
    """

    def __init__(self, problem: Problem, regularization: float) -> None:
        self.problem = problem
        self.price = Fraction(repr(float(regularization)))
        masses = problem.masses.divided()
        self._total = masses.total
        self._wrong = np.stack([masses.positives, masses.negatives])
        """What each label costs each pattern, shape (2, n_patterns)."""

    def objective(self, edited: EditedList) -> Fraction:
        """Share of the rows that are wrong, and the price of the rules; without rounding."""
        return self._worth(int(self._costs(edited, self._decides(edited)).sum()), len(edited))

    def predicts_positive(self, edited: EditedList) -> np.ndarray:
        """Which patterns are given the positive label: bool array, shape (n_patterns,)."""
        return np.array(edited.labels, dtype=bool)[self._decides(edited)]

    def best_label(self, edited: EditedList, place: int, antecedent: int) -> int:
        """The label of least errors for a rule put in at this place; the default's where it would capture nothing."""
        caught = self._column(antecedent) & (self._decides(edited) >= place)
        negative, positive = (int(self._wrong[label, caught].sum()) for label in (0, 1))
        return edited.labels[-1] if not negative + positive else int(positive < negative)

    def best_changes(self, edited: EditedList, check: Callable[[], Any] = lambda: None) -> list[Change]:
        """The best change of each kind that there is, the best of all first.

        Antecedents that the list has already are not put in once more.

        Parameters
        ----------
        edited : EditedList
        check : callable
            Called now and then; may raise to end the work.
        """
        best: dict[str, Change] = {}
        for change in (*self._direct(edited), *self._with_others(edited, check)):
            if change.kind not in best or change.objective < best[change.kind].objective:
                best[change.kind] = change
        return sorted(best.values(), key=lambda change: (change.objective, KINDS.index(change.kind)))

    def _direct(self, edited: EditedList) -> Iterator[Change]:
        """Deletions, label flips and moves, all of them."""
        decides, n = self._decides(edited), len(edited)
        costs = self._costs(edited, decides)
        errors = int(costs.sum())
        labels = np.array(edited.labels)[decides]
        flips = self._per_place(self._wrong[1 - labels, np.arange(len(labels))] - costs, decides, n)
        for place, more in enumerate(flips):
            yield Change(FLIP, place, edited.flipped(place), self._worth(errors + int(more), n))
        for place in range(n):
            rest = edited.deleted(place)
            decides = self._decides(rest)
            costs = self._costs(rest, decides)
            errors = int(costs.sum())
            yield Change(DELETE, place, rest, self._worth(errors, n - 1))
            more = (self._wrong[edited.labels[place]] - costs) * self._column(edited.antecedents[place])
            inserted = np.cumsum(self._per_place(more, decides, n - 1)[::-1])[::-1]
            for to in range(n):
                if to != place:
                    worth = self._worth(errors + int(inserted[to]), n)
                    yield Change(MOVE, place, edited.moved(place, to), worth, to)

    def _with_others(self, edited: EditedList, check: Callable[[], Any]) -> Iterator[Change]:
        """The best insertion and the best replacement at each place with each label."""
        n, m = len(edited), self.problem.n_antecedents
        others = np.setdiff1d(np.arange(m), edited.antecedents)
        if not len(others):
            return
        ways: list[tuple[str, int, int, int]] = []
        columns: list[np.ndarray] = []
        for kind, places in ((INSERT, range(n + 1)), (REPLACE, range(n))):
            for place in places:
                check()
                base = edited.deleted(place) if kind == REPLACE else edited
                decides = self._decides(base)
                costs = self._costs(base, decides)
                for label in (0, 1):
                    ways.append((kind, place, label, int(costs.sum())))
                    columns.append((self._wrong[label] - costs) * (decides >= place))
        more = self._over_antecedents(np.stack(columns), check)[:, others]
        for (kind, place, label, errors), row in zip(ways, more, strict=True):
            best = int(np.argmin(row))
            change = edited.inserted if kind == INSERT else edited.replaced
            result = change(place, int(others[best]), label)
            yield Change(kind, place, result, self._worth(errors + int(row[best]), len(result)))

    def _worth(self, errors: int, n_rules: int) -> Fraction:
        return Fraction(errors, self._total) + self.price * n_rules

    def _column(self, antecedent: int) -> np.ndarray:
        """Which patterns satisfy the antecedent."""
        word = self.problem.words[:, antecedent >> 6] >> np.uint64(antecedent & 63)
        return (word & np.uint64(1)).astype(bool)

    def _decides(self, edited: EditedList) -> np.ndarray:
        """The place of the rule that decides each pattern; that of the default is the number of rules."""
        out = np.full(self.problem.n_patterns, len(edited))
        for place in reversed(range(len(edited))):
            out[self._column(edited.antecedents[place])] = place
        return out

    def _costs(self, edited: EditedList, decides: np.ndarray) -> np.ndarray:
        """The wrong weight of each pattern."""
        return self._wrong[np.array(edited.labels)[decides], np.arange(len(decides))]

    @staticmethod
    def _per_place(values: np.ndarray, decides: np.ndarray, n_rules: int) -> np.ndarray:
        out = np.zeros(n_rules + 1, dtype=values.dtype)
        np.add.at(out, decides, values)
        return out

    def _over_antecedents(self, columns: np.ndarray, check: Callable[[], Any]) -> np.ndarray:
        """Sums of values of patterns over those that satisfy each antecedent.

        Parameters
        ----------
        columns : array of integers, shape (n_columns, n_patterns)
        check : callable

        Returns
        -------
        array of integers, shape (n_columns, n_antecedents)
        """
        words, m = self.problem.words, self.problem.n_antecedents
        limbs = list(_limbs(columns))
        out = []
        for k in range(0, m, _WORD):
            check()
            table = bits.unpack(np.ascontiguousarray(words[:, k // _WORD, None]), min(_WORD, m - k)).astype(np.float64)
            parts = [((limb @ table).astype(np.int64), shift) for limb, shift in limbs]
            out.append(parts[0][0] if len(parts) == 1 else sum(part.astype(object) << shift for part, shift in parts))
        return np.hstack(out)


def _limbs(columns: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Integers as sums of float64 times powers of two, of so few digits that all sums of them are exact."""
    if np.abs(columns).sum(axis=1).max() < _EXACT:
        yield columns.astype(np.float64), 0
        return
    sign, left, shift = np.where(columns < 0, -1.0, 1.0), np.abs(columns.astype(object)), 0
    while left.any():
        yield sign * (left % (1 << _LIMB)).astype(np.float64), shift
        left, shift = left >> _LIMB, shift + _LIMB
