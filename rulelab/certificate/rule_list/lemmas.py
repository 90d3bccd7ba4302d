"""Lemmas: sets of the table that also bound the costs of other sets.

A labelled list makes at most as many errors on fewer patterns, so with f(S) the least further cost on the set S,
f(B) <= f(T) for B within T; patterns of B outside T add at most their weight W. Hence f(T) >= f(B) - W(B - T), and a
value V(B) <= f(B) shows that T costs at least V(B) - W(B - T). In an induction over the sizes of sets this may be used
for a child T of S when B is smaller than S.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .states import States

_BLOCK = 256
_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class KnownSets:
    """Sets with a least further cost that somebody found, as hints for a proof; nothing is taken on trust.

    Attributes
    ----------
    antecedents : int array, shape (m,)
        Indices among the problem's.
    patterns : bool array, shape (n_patterns, m)
        Which of these antecedents hold for each pattern.
    net : int64 array, shape (n_patterns,)
        Signed net weights.
    per_error, per_rule : int
    sets : bool array, shape (n, n_patterns)
    values : int64 array, shape (n,)
        What each set costs at least.
    """

    antecedents: np.ndarray
    patterns: np.ndarray
    net: np.ndarray
    per_error: int
    per_rule: int
    sets: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Lemmas:
    """Packed sets and the values they are known to cost at least, the most useful ones first.

    Attributes
    ----------
    sets : uint8 array, shape (n, n_bytes)
    values : int64 array, shape (n,)
    """

    sets: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(cls, space: States, known: KnownSets | None) -> Lemmas:
        """Known sets in the order of the states' patterns; none when these are other patterns."""
        none = cls(np.zeros((0, space.n_bytes), dtype=np.uint8), np.zeros(0, dtype=np.int64))
        if known is None or (known.per_error, known.per_rule) != (space.per_error, space.per_rule):
            return none
        if not np.array_equal(known.antecedents, space.antecedents) or len(known.net) != len(space.weights):
            return none
        order = np.lexsort((*known.patterns.T, known.net > 0))
        states_order = np.lexsort((*space.inside.T, np.arange(len(space.weights)) < space.n_positive))
        signed = np.where(np.arange(len(space.weights)) < space.n_positive, space.weights, -space.weights)
        if not np.array_equal(known.patterns[order], space.inside[states_order]):
            return none
        if not np.array_equal(known.net[order], signed[states_order]):
            return none
        sets = np.zeros((len(known.sets), len(space.weights)), dtype=bool)
        sets[:, states_order] = known.sets[:, order]
        return cls(space.pack(sets), known.values)

    def proving(self, space: States, sets: np.ndarray, required: np.ndarray, below: np.ndarray) -> np.ndarray:
        """The first lemma that shows for each packed set that it costs what is required; -1 where none does.

        Parameters
        ----------
        sets : uint8 array, shape (n, n_bytes)
        required : int64 array, shape (n,)
        below : int64 array, shape (n,)
            Only lemmas of fewer patterns than this may be used.
        """
        found = np.full(len(sets), -1, dtype=np.int64)
        sizes = np.bitwise_count(self.sets).sum(axis=1, dtype=np.int64)
        for start in range(0, len(self), _BLOCK):
            block = slice(start, start + _BLOCK)
            weighted = (space.unpack(self.sets[block]) * space.weights).astype(space.dtype).T
            for rows in _parts(np.flatnonzero(found < 0), _CELLS // max(1, len(space.weights))):
                missing = (~space.unpack(sets[rows])).astype(space.dtype) @ weighted
                spare = self.values[block] - required[rows, None]
                good = (space.cost_of(missing) <= spare) & (sizes[block] < below[rows, None])
                hit = good.any(axis=1)
                found[rows[hit]] = start + good[hit].argmax(axis=1)
        return found


def _parts(rows: np.ndarray, size: int) -> Sequence[np.ndarray]:
    return [rows[i : i + max(1, size)] for i in range(0, len(rows), max(1, size))]
