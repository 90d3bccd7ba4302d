"""Rivals of the optimal list that one change makes of it, with the changed rows after which they are known to win."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from .changes import CHANGES, Measure


class Predicted(NamedTuple):
    """A list on the patterns of a problem.

    ``labels``: of the rules and of the default. ``positive`` (bool array, shape (n_patterns,)).
    """

    labels: tuple[int, ...]
    positive: np.ndarray
    errors: int


def column(problem: Problem, antecedent: int) -> np.ndarray:
    """The patterns that satisfy an antecedent: bool array, shape (n_patterns,)."""
    bit = np.uint64(antecedent & 63)
    return (problem.words[:, antecedent >> 6] >> bit & np.uint64(1)).astype(bool)


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

    ``work`` (int): lists looked at. ``done`` (bool).

    Parameters
    ----------
    antecedents, labels : tuple of int
        The optimal list: of its rules, and of its rules and its default.
    others : int array
        Antecedents that may be inserted.
    rivals : dict of str to Rival
        The best list that is known, by what becomes of rows; replaced by better ones.
    longest : int
        Most rules of a list.
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
        self._columns = {a: column(problem, a) for a in antecedents}
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
            self.problem, [known[a] if a in known else column(self.problem, a) for a in antecedents], labels
        )
        if made is not None:
            differs = made.positive != self._positive
            differing = int((self.problem.positives + self.problem.negatives)[differs].sum())
            numbers = (len(antecedents), made.errors, differing)
            for change, rows in better(self.rivals, self.measure, *numbers).items():
                self.rivals[change] = Rival(rows, antecedents, made.labels, *numbers)
