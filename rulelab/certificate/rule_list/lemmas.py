"""Lemmas: sets of the table that also bound the costs of other sets.

A labelled list makes at most as many errors on fewer patterns, so with f(S) the least further cost on the set S,
f(B) <= f(T) for B within T; patterns of B outside T add at most their weight W. Hence f(T) >= f(B) - W(B - T), and a
value V(B) <= f(B) shows that T costs at least V(B) - W(B - T). In an induction over the sizes of sets this may be used
for a child T of S when B is smaller than S.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..parts import parts, product
from .states import States

_BLOCK = 256
_CELLS = 1 << 21
_ROUNDED = 4
"""Sums of weights in `States.dtype` that are too large to be exact are not further off."""
_KEPT = 1 << 25
"""Numbers that are kept of lemmas; beyond them they are made anew each time."""
_TRIED = 32
"""Lemmas that are tried for each set before its children are looked at."""
_LARGEST_SINGLE, _LARGEST = 1 << 21, 1 << 51
"""Four times so much weight is exact in single and in double precision."""


@dataclass(frozen=True, eq=False)
class KnownSets:
    """Sets with a least further cost that somebody found, as hints for a proof; nothing is taken on trust."""

    antecedents: np.ndarray  # int, shape (m,): indices among the problem's
    patterns: np.ndarray  # bool, shape (n_patterns, m): which of these antecedents hold for each pattern
    net: np.ndarray  # int64, shape (n_patterns,): signed net weights
    per_error: int
    per_rule: int
    sets: np.ndarray  # bool, shape (n, n_patterns)
    values: np.ndarray  # int64, shape (n,): what each set costs at least
    pairs: np.ndarray | None = None  # int64, shape (k, 2): positions of a positive and of a negative pattern
    multipliers: np.ndarray | None = None
    """int64, shape (k,): of the pairs, see `separation`, in parts of a unit of cost."""
    parts: int = 1  # how many these are


def order_of(space: States, known: KnownSets) -> tuple[np.ndarray, np.ndarray] | None:
    """In which order the known patterns and those of the states are the same; None when they are not."""
    if (known.per_error, known.per_rule) != (space.per_error, space.per_rule):
        return None
    if not np.array_equal(known.antecedents, space.antecedents) or len(known.net) != len(space.weights):
        return None
    order = np.lexsort((*known.patterns.T, known.net > 0))
    states_order = np.lexsort((*space.inside.T, np.arange(len(space.weights)) < space.n_positive))
    signed = np.where(np.arange(len(space.weights)) < space.n_positive, space.weights, -space.weights)
    if not np.array_equal(known.patterns[order], space.inside[states_order]):
        return None
    return (order, states_order) if np.array_equal(known.net[order], signed[states_order]) else None


@dataclass(frozen=True, eq=False)
class Lemmas:
    """Packed sets and the values they are known to cost at least, the most useful ones first.

    ``sets`` (uint8 array, shape (n, n_bytes)). ``values`` (int64 array, shape (n,)).
    """

    space: States
    sets: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(cls, space: States, known: KnownSets | None) -> Lemmas:
        """Known sets in the order of the states' patterns; none when these are other patterns."""
        none = cls(space, np.zeros((0, space.n_bytes), dtype=np.uint8), np.zeros(0, dtype=np.int64))
        orders = None if known is None else order_of(space, known)
        if known is None or orders is None:
            return none
        order, states_order = orders
        sets = np.zeros((len(known.sets), len(space.weights)), dtype=bool)
        sets[:, states_order] = known.sets[:, order]
        return cls(space, space.pack(sets), known.values)

    def among(self, chosen: np.ndarray) -> Lemmas:
        """Those at these positions."""
        few = Lemmas(self.space, self.sets[chosen], self.values[chosen])
        kept = chosen[chosen < len(self._weighted)]
        if len(kept) == len(chosen):
            few.__dict__.update(_weighted=self._weighted[kept], _captured=self._captured[kept])
        return few

    def proving(
        self, sets: np.ndarray, required: np.ndarray, below: np.ndarray, start: int = 0, stop: int | None = None
    ) -> np.ndarray:
        """The first lemma that shows for each packed set that it costs what is required; -1 where none does.

        Parameters
        ----------
        sets : uint8 array, shape (n, n_bytes)
        required : int64 array, shape (n,)
        below : int64 array, shape (n,)
            Only lemmas of fewer patterns than this may be used.
        start, stop : int, optional
            Positions of the lemmas that are tried; all by default.
        """
        space, found = self.space, np.full(len(sets), -1, dtype=np.int64)
        end = len(self) if stop is None else min(stop, len(self))
        least: np.ndarray = (-(-required // space.per_error)).astype(space.dtype)
        most: np.ndarray = (self.values // space.per_error + _ROUNDED).astype(space.dtype)
        for part in parts(len(sets), len(space.weights) + _BLOCK, _CELLS):
            rows, at = np.arange(part.start, part.stop), start
            outside: np.ndarray = (~space.unpack(sets[part])).astype(space.dtype)
            while at < end and len(rows):
                block = slice(at, min(at + _BLOCK, end))
                missing = outside @ self._weights_of(block).T
                likely = missing <= most[block] - least[rows, None]
                row, k = np.divmod(np.flatnonzero(likely), block.stop - at)
                good = space.cost_of(missing[row, k]) <= self.values[at + k] - required[rows[row]]
                good &= self._sizes[at + k] < below[rows[row]]
                row, first = np.unique(row[good], return_index=True)
                if len(row):
                    found[rows[row]] = at + k[good][first]
                    left = found[rows] < 0
                    rows, outside = rows[left], outside[left]
                at = block.stop
        return found

    def close(self, may: np.ndarray, sets: np.ndarray, values: np.ndarray, wrong: np.ndarray) -> None:
        """Take from ``may`` the rules after which a lemma shows, without looking at the child, that it costs enough.

        What a rule a leaves of S lacks at most W(B - S) + W(B in a) of a lemma B. The value of S is kept where
        ``V(B) - V(S) + rule >= per_error * (W(B - S) + W(B in a) - wrong)``. For each set this is tried with a few
        lemmas of fewer patterns, each the one of its group that has most to spare. Weights are exact; values are
        rounded to weights such that less is shown.

        Parameters
        ----------
        may : bool array, shape (n, n_antecedents)
            Which rules may bring a set below its value; changed in place.
        sets : uint8 array, shape (n, n_bytes)
        values : int64 array, shape (n,)
        wrong : array, shape (n, n_antecedents)
            Weight that each rule gets wrong.
        """
        space, total = self.space, self.space.total
        rows = np.flatnonzero(may.any(axis=1))
        sizes = np.bitwise_count(sets[rows]).sum(axis=1, dtype=np.int64)
        smaller = np.flatnonzero(self._sizes[: len(self._weighted)] < sizes.max(initial=0))
        if total > _LARGEST or not len(smaller):
            return
        largest = self._sizes[smaller].max()
        dtype = np.float32 if total < _LARGEST_SINGLE else np.float64
        weights, captured = self._weighted[smaller], self._captured[smaller].astype(dtype, copy=False)
        spare = np.minimum(self.values[smaller] // space.per_error, total).astype(dtype)
        paid = ((space.per_rule - values[rows]) // space.per_error).clip(-2 * total - 2, total).astype(dtype)
        for part in parts(len(rows), len(smaller) + len(space.weights), _CELLS):
            here, every = rows[part], np.arange(part.stop - part.start)
            left = spare + paid[part, None] - (~space.unpack(sets[here])).astype(space.dtype) @ weights.T
            if sizes[part].min() <= largest:
                left[self._sizes[smaller] >= sizes[part, None]] = -4 * total - 4
            still, error = may[here], wrong[here]
            for some in parts(len(smaller), 1, -(-len(smaller) // _TRIED)):
                most = left[:, some].argmax(axis=1)
                still &= error - captured[some][most] < -left[every, some.start + most, None]
            may[here] = still

    @cached_property
    def _sizes(self) -> np.ndarray:
        return np.bitwise_count(self.sets).sum(axis=1, dtype=np.int64)

    @cached_property
    def _weighted(self) -> np.ndarray:
        """Of the first lemmas the weights of their patterns."""
        return self._weights(slice(0, _KEPT // (1 + len(self.space.weights) + len(self.space.antecedents))))

    @cached_property
    def _captured(self) -> np.ndarray:
        """Of the first lemmas the weight that each antecedent captures of them."""
        return product(self._weighted, self.space.inside.astype(self.space.dtype))

    def _weights_of(self, block: slice) -> np.ndarray:
        return self._weighted[block] if block.stop <= len(self._weighted) else self._weights(block)

    def _weights(self, block: slice) -> np.ndarray:
        return (self.space.unpack(self.sets[block]) * self.space.weights).astype(self.space.dtype)
