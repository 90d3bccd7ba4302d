"""Sets that have to cost so much: what rules leave of the sets of a table, each once, and what shows it of them."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ...kernels.bits import WORD, group_equal_rows
from .children import Opened, completions_below
from .lemmas import Lemmas
from .states import States

_FEW = 256
"""Lemmas that are tried before the bounds on completions, which take as long."""


class Wanted(NamedTuple):
    """Packed sets with what has to be shown of them.

    Attributes
    ----------
    sets : uint8 array, shape (n, n_bytes)
    required : int64 array, shape (n,)
        What each set has to cost.
    several : bool array, shape (n,)
        Whether completions of more than one rule have to be looked at, too.
    below : int64 array, shape (n,)
        Only lemmas of fewer patterns than this may be used.
    """

    sets: np.ndarray
    required: np.ndarray
    several: np.ndarray
    below: np.ndarray

    @classmethod
    def after(cls, space: States, sets: np.ndarray, rules: Opened) -> Self:
        """What rules leave of packed sets; one for each rule."""
        sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
        left = sets[rules.parent] & space.outside[rules.antecedent]
        return cls(left, rules.required, rules.several, sizes[rules.parent])

    def take(self, rows: np.ndarray) -> Self:
        return type(self)(*(column[rows] for column in self))

    def once(self) -> tuple[Self, np.ndarray]:
        """Each set once, with the most that is asked of it, and which of them each of these sets is."""
        words = np.zeros((len(self.sets), -(-self.sets.shape[1] * 8 // WORD) * 8), dtype=np.uint8)
        words[:, : self.sets.shape[1]] = self.sets
        group, first = group_equal_rows(words.view(np.uint64))
        strictest = self.take(first)
        np.maximum.at(strictest.required, group, self.required)
        np.maximum.at(strictest.several, group, self.several)
        np.minimum.at(strictest.below, group, self.below)
        return strictest, group

    def unproven(self, space: States, lemmas: Lemmas) -> np.ndarray:
        """Positions of the sets of which no lemma or bound on completions shows that they cost enough."""
        rows = np.arange(len(self.sets))
        for start, stop in ((0, _FEW), (_FEW, None)):
            left = self.take(rows)
            rows = rows[lemmas.proving(left.sets, left.required, left.below, start, stop) < 0]
            if start == 0:
                left = self.take(rows)
                rows = rows[completions_below(space, left.sets, left.required, left.several)]
        return rows
