"""Bootstrap samples of a problem: how often each pattern and class is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...data.groups import Groups
from ...data.problem import Problem
from ...data.problem_arguments import ProblemError

_TRIES = 100


class Sample(NamedTuple):
    """A bootstrap sample, and the rows that it left out.

    Attributes
    ----------
    problem : Problem
        The rows drawn; patterns without one are left out.
    unseen_positives, unseen_negatives : int64 array, shape (n_patterns,)
        Rows of each pattern of the whole problem that were never drawn.
    """

    problem: Problem
    unseen_positives: np.ndarray
    unseen_negatives: np.ndarray


class Bootstrap:
    """Draws as many rows as a problem has, with replacement.

    Rows are exchangeable within a *cell*: a pattern, a class, and a group of people where the problem has groups.

    Parameters
    ----------
    problem : Problem
        Its weights must be integers, which count rows.

    Raises
    ------
    ProblemError
        When a weight is not an integer.
    """

    def __init__(self, problem: Problem) -> None:
        if not problem.integral:
            raise ProblemError(
                "a bootstrap sample draws rows, but this problem's weights are not integers; make the problem without "
                "sample_weight, or with whole numbers that count equal rows"
            )
        self._problem = problem
        whole = np.stack([problem.positives, problem.negatives])
        parts = [whole]
        if problem.groups is not None:
            grouped = np.stack([problem.groups.positives, problem.groups.negatives], axis=1)
            parts = [*grouped, whole - grouped.sum(axis=0)]
        self._counts = np.stack(parts)  # shape (groups and the rows of no group, 2 classes, n_patterns)
        self._cell = np.repeat(np.arange(self._counts.size), self._counts.ravel())
        self._needed = self._counts.sum(axis=2) > 0

    def draw(self, random: np.random.Generator) -> Sample:
        """A sample that has rows of either class, in every group of people that has some.

        Raises
        ------
        ProblemError
            When a hundred samples had none, because there are too few of them to draw from.
        """
        n = len(self._cell)
        for _ in range(_TRIES):
            times = np.bincount(random.integers(n, size=n), minlength=n)
            drawn = np.bincount(self._cell, times, minlength=self._counts.size).astype(np.int64)
            drawn = drawn.reshape(self._counts.shape)
            if (drawn.sum(axis=2) > 0)[self._needed].all():
                left = np.bincount(self._cell[times == 0], minlength=self._counts.size).reshape(self._counts.shape)
                return Sample(self._sampled(drawn), *left.sum(axis=0))
        group, label = np.argwhere(self._needed & (self._counts.sum(axis=2) == self._fewest()))[0]
        groups = self._problem.groups
        where = "" if groups is None or group >= len(groups.names) else f" in the group {groups.names[group]!r}"
        raise ProblemError(
            f"there are too few rows of the class {self._problem.classes[1 - label]!r}{where} for bootstrap samples "
            f"that have both classes: {self._fewest()}"
        )

    def _fewest(self) -> int:
        return int(self._counts.sum(axis=2)[self._needed].min())

    def _sampled(self, drawn: np.ndarray) -> Problem:
        problem, (positives, negatives) = self._problem, drawn.sum(axis=0)
        kept = positives + negatives > 0
        groups = problem.groups
        if groups is not None:
            k = len(groups.names)
            groups = Groups(groups.names, drawn[:k, 0][:, kept], drawn[:k, 1][:, kept], rows=groups.rows)
        return replace(
            problem,
            words=problem.words[kept],
            positives=positives[kept],
            negatives=negatives[kept],
            n_rows=len(self._cell),
            row_pattern=None,
            groups=groups,
        )
