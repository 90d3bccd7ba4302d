"""Groups of people within a problem: what each weighs in every pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..sharing import Shared
from .exact_weights import Masses, as_given, masses_of, summed_by_place
from .metrics import group_labels
from .problem_arguments import ProblemError


@dataclass(frozen=True, eq=False)
class Groups(Shared):
    """Weights of the positives and negatives of each pattern within each group of people.

    Attributes
    ----------
    names : tuple of str
    positives, negatives : int64 or float64 array, shape (n_groups, n_patterns)
    summed : Masses or None
        Weights that are not integers, summed over the rows without rounding; see `masses`.
    rows : int64 array, shape (2, n_groups), or None
        How many positive and how many negative rows of positive weight each group has; None: as many as they weigh.
    squares : float64 array, shape (2, n_groups), or None
        The sums of their squared weights; None: as many as they weigh.
    """

    names: tuple[str, ...]
    positives: np.ndarray
    negatives: np.ndarray
    summed: Masses | None = field(default=None, repr=False)
    rows: np.ndarray | None = field(default=None, repr=False)
    squares: np.ndarray | None = field(default=None, repr=False)

    @cached_property
    def masses(self) -> Masses:
        """The weights in integers, exactly as the rows had them."""
        return self.summed or masses_of(self.positives, self.negatives)

    @property
    def by_class(self) -> np.ndarray:
        """How many positive and how many negative rows each group has, whatever they weigh: shape (2, n_groups)."""
        if self.rows is not None:
            return self.rows
        return np.stack([self.positives.sum(axis=1), self.negatives.sum(axis=1)])

    @property
    def sizes(self) -> dict[str, list[int]]:
        """How many "positives", "negatives" and "rows" each group has: rows, whatever they weigh."""
        rows = self.by_class
        return {"positives": rows[0].tolist(), "negatives": rows[1].tolist(), "rows": rows.sum(axis=0).tolist()}

    def some(self, chosen: Sequence[int]) -> Groups:
        """A selection of the groups."""
        taken, masses = list(chosen), self.masses
        return Groups(
            tuple(self.names[g] for g in taken),
            self.positives[taken],
            self.negatives[taken],
            None if self.summed is None else Masses(masses.positives[taken], masses.negatives[taken], masses.unit),
            *(None if known is None else known[:, taken] for known in (self.rows, self.squares)),
        )

    def merged(self, group: np.ndarray, n_patterns: int) -> Groups:
        """Over fewer patterns: those of the same number in ``group`` become one."""
        summed = self.masses.merged(group, n_patterns)
        return Groups(self.names, *as_given(summed, self.positives), self.rows, self.squares)


def weights_of_groups(
    groups: Any,
    n: int,
    kept: np.ndarray,
    pattern: np.ndarray,
    weight: np.ndarray,
    is_positive: np.ndarray,
    n_patterns: int,
    unit: Fraction,
) -> Groups:
    try:
        labels = group_labels(groups, n)[kept]
    except (ValueError, TypeError) as error:
        raise ProblemError(f"groups: {error}") from None
    codes, names = pd.factorize(labels, sort=True)
    summed = summed_by_place(
        (codes, pattern),
        np.where(is_positive, weight, 0),
        np.where(is_positive, 0, weight),
        (len(names), n_patterns),
        unit,
    )
    sides = (is_positive, ~is_positive)
    rows = np.stack([np.bincount(codes[side], minlength=len(names)) for side in sides])
    real = weight.astype(np.float64) * float(unit)
    squares = np.stack([np.bincount(codes[side], real[side] ** 2, len(names)) for side in sides])
    return Groups(tuple(map(str, names)), *as_given(summed, weight), rows, squares)
