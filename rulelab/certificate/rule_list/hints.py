"""Hints for a proof: sets with a least cost that somebody found, and pairs with multipliers; nothing is taken on trust.

Lemmas: a labelled list makes at most as many errors on fewer patterns, so with f(S) the least further cost on the set
S, f(B) <= f(T) for B within T; patterns of B outside T add at most their weight W. Hence f(T) >= f(B) - W(B - T), and a
value V(B) <= f(B) shows that T costs at least V(B) - W(B - T). In an induction over the sizes of sets this may be used
for a child T of S when B is smaller than S.

Pairs: of a positive and a negative pattern that are both uncaptured one is wrong in the end, or some rule that follows
is the first to capture either and captures one of them alone, with that one's label. So let pairs have multipliers
u >= 0 with

    for each pattern,  the sum of u over its pairs  <=  what its errors cost,    and
    for each antecedent and label,  the sum of u over the pairs of which it holds for the one of that label alone
                                                    <=  what a rule costs.

Then the errors and rules of any completion of a set cost at least the sum of u over the pairs within the set: each of
these pairs is paid for by an error or by a rule, and none of them pays more than it costs. The sums are checked here,
exactly; where the multipliers come from does not matter. They are whole numbers of parts of a unit of cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..certificate import CertificateError
from ..parts import column_sums, parts, product, select
from .states import States

_BLOCK = 256
_CELLS = 1 << 21
_ROUNDED = 4  # sums of weights in `States.dtype` that are too large to be exact are not further off
_KEPT = 1 << 25  # numbers that are kept of lemmas; beyond them they are made anew each time
_TRIED = 32  # lemmas that are tried for each set before its children are looked at
_LARGEST_SINGLE, _LARGEST_DOUBLE = 1 << 21, 1 << 51
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
    """int64, shape (k,): of the pairs, see `Separation`, in parts of a unit of cost."""
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
    """Packed sets (uint8, (n, n_bytes)) and values (int64) that they cost at least, the most useful ones first."""

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

        ``sets`` (uint8 array, shape (n, n_bytes)). ``required``, ``below`` (int64 arrays, shape (n,)): only lemmas of
        fewer patterns than ``below``, and only those from ``start`` to ``stop``, may be used.
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

        What a rule a leaves of S lacks at most W(B - S) + W(B in a) of a lemma B. The value of S is kept where ``V(B) -
        V(S) + rule >= per_error * (W(B - S) + W(B in a) - wrong)``. For each set this is tried with a few lemmas of
        fewer patterns, each the one of its group that has most to spare. Weights are exact; values are rounded to
        weights such that less is shown.

        ``may`` (bool array, shape (n, n_antecedents)): which rules may bring a set below its value; changed in place.
        ``sets`` (uint8 array, shape (n, n_bytes)). ``values`` (int64 array, shape (n,)). ``wrong`` (array, shape (n,
        n_antecedents)): weight that each rule gets wrong.
        """
        space, total = self.space, self.space.total
        rows = np.flatnonzero(may.any(axis=1))
        sizes = np.bitwise_count(sets[rows]).sum(axis=1, dtype=np.int64)
        smaller = np.flatnonzero(self._sizes[: len(self._weighted)] < sizes.max(initial=0))
        if total > _LARGEST_DOUBLE or not len(smaller):
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


ARRAYS = ("pairs", "multipliers", "parts")
_LARGEST = _FREE = 1 << 61
MOST_CELLS = 1 << 26  # pairs, times antecedents: half a gigabyte that a check holds


@dataclass(frozen=True, eq=False)
class Separation:
    """Pairs of positions of patterns, the positive one first, with multipliers."""

    space: States
    pairs: np.ndarray  # int64, shape (n, 2)
    multipliers: np.ndarray  # int64, shape (n,)
    parts: int  # of a unit of cost

    @classmethod
    def none(cls, space: States) -> Separation:
        return cls(space, np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), 1)

    @classmethod
    def of(cls, space: States, known: KnownSets | None) -> Separation:
        """Known pairs as positions of the states' patterns; none when these are other patterns."""
        orders = None if known is None or known.pairs is None else order_of(space, known)
        if known is None or known.pairs is None or known.multipliers is None or orders is None:
            return cls.none(space)
        if len(known.pairs) * len(space.antecedents) > MOST_CELLS:
            return cls.none(space)
        place = np.empty(len(space.weights), dtype=np.int64)
        place[orders[0]] = orders[1]
        found = cls(space, place[known.pairs], known.multipliers, known.parts)
        found.check()
        return found

    @classmethod
    def read(cls, space: States, arrays: Mapping[str, np.ndarray]) -> Separation:
        """Those of a certificate; raises CertificateError unless they pay no more than errors and rules cost."""
        if not set(ARRAYS) & set(arrays):
            return cls.none(space)
        if not set(ARRAYS) <= set(arrays):
            raise CertificateError(f"a certificate that holds one of {', '.join(ARRAYS)} must hold all of them")
        pairs, multipliers, scale = (arrays[name] for name in ARRAYS)
        if any(array.dtype != np.int64 for array in (pairs, multipliers, scale)):
            raise CertificateError("the pairs of the certificate and their multipliers must be integers")
        if pairs.shape != (len(multipliers), 2) or multipliers.ndim != 1 or scale.shape != (1,):
            raise CertificateError("the certificate must hold two positions and one multiplier for each pair")
        if len(pairs) * len(space.antecedents) > MOST_CELLS:
            raise CertificateError(
                f"the certificate holds {len(pairs)} pairs; for {len(space.antecedents)} antecedents at most "
                f"{MOST_CELLS // len(space.antecedents)} are checked"
            )
        border, end = space.n_positive, len(space.weights)
        first, second = pairs[:, 0], pairs[:, 1]
        if ((first < 0) | (first >= border) | (second < border) | (second >= end)).any():
            raise CertificateError("a pair of the certificate is not of a positive and a negative pattern")
        found = cls(space, pairs, multipliers, int(scale[0]))
        found.check()
        return found

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """For a certificate."""
        return {"pairs": self.pairs, "multipliers": self.multipliers, "parts": np.array([self.parts], dtype=np.int64)}

    def __len__(self) -> int:
        return len(self.multipliers)

    def check(self) -> None:
        """Raise CertificateError when some multipliers add up to more than an error or a rule costs."""
        space, u = self.space, self.multipliers
        largest = self.parts * max(space.per_rule, space.per_error * space.total)
        if self.parts < 1 or largest >= _LARGEST or (u < 0).any() or float(u.sum(dtype=np.float64)) >= _LARGEST:
            raise CertificateError("a multiplier of the certificate is negative or exceeds all costs")
        asked = np.zeros(len(space.weights), dtype=np.int64)
        np.add.at(asked, self.pairs.ravel(), np.repeat(u, 2))
        if (asked > self.parts * space.per_error * space.weights).any():
            raise CertificateError("the pairs of a pattern have multipliers of more than its errors cost")
        by_rule = np.zeros((2, len(space.antecedents)), dtype=np.int64)
        for part in parts(len(u), len(space.antecedents)):
            positive = select(space.inside, self.pairs[part, 0])
            negative = select(space.inside, self.pairs[part, 1])
            by_rule[0] += column_sums(positive & ~negative, u[part])
            by_rule[1] += column_sums(negative & ~positive, u[part])
        if (by_rule > self.parts * space.per_rule).any():
            raise CertificateError("the pairs that a rule tells apart have multipliers of more than a rule costs")

    def least(self, sets: np.ndarray) -> np.ndarray:
        """What completions of packed sets cost at least, rounded up to whole costs."""
        out = np.zeros(len(sets), dtype=np.int64)
        for part in self._chunks(len(sets)):
            out[part] = self.in_costs(self.within(sets[part]).sum(axis=1))
        return out

    def close(self, may: np.ndarray, sets: np.ndarray, values: np.ndarray, wrong: np.ndarray) -> bool:
        """Take from ``may`` the rules that leave pairs which show that the sets cost enough; whether there are some.

        The parameters are those of `Lemmas.close`.
        """
        space, closed = self.space, False
        rows = np.flatnonzero(may.any(axis=1)) if len(self) else np.zeros(0, dtype=np.int64)
        for part in self._chunks(len(rows)):
            here = rows[part]
            within = self.within(sets[here])
            left = self.in_costs(within.sum(axis=1)[:, None] - within @ self.hit)
            still = left < (values[here] - space.per_rule)[:, None] - space.cost_of(wrong[here])
            closed = closed or bool((may[here] & ~still).any())
            may[here] &= still
        return closed

    def _chunks(self, n: int) -> Iterator[slice]:
        return parts(n if len(self) else 0, len(self.space.weights) + 3 * len(self) + len(self.space.antecedents))

    def within(self, sets: np.ndarray) -> np.ndarray:
        """The multipliers of the pairs within packed sets, 0 of the others; in a type in which their sums are exact."""
        members = self.space.unpack(sets)
        both: np.ndarray = members[:, self.pairs[:, 0]] & members[:, self.pairs[:, 1]]
        return both * self.multipliers.astype(self.dtype)

    def in_costs(self, sums: np.ndarray) -> np.ndarray:
        """Parts, rounded up to whole costs."""
        return -(-sums.astype(np.int64) // self.parts)

    @cached_property
    def hit(self) -> np.ndarray:
        """Of which pairs an antecedent captures a pattern, or both."""
        out: np.ndarray = np.empty((len(self), len(self.space.antecedents)), dtype=self.dtype)
        for part in parts(*out.shape):
            first, second = (select(self.space.inside, self.pairs[part, side]) for side in (0, 1))
            out[part] = first | second
        return out

    @cached_property
    def dtype(self) -> type:
        """A type in which sums of multipliers, which pay no more than all errors cost, are exact; floats are faster."""
        return np.float64 if self.parts * self.space.per_error * self.space.total < 1 << 53 else np.int64

    def after(self, sets: np.ndarray, owner: np.ndarray, antecedent: np.ndarray) -> np.ndarray:
        """What completions of what a rule leaves of a packed set cost at least, by multipliers raised for the set.

        ``sets`` (uint8 array, shape (n_sets, n_bytes)). ``owner`` (int array, shape (n,)): the position of the set that
        each rule is about. ``antecedent`` (int array, shape (n,)): of the rule, among those of the states. Returns
        int64 array, shape (n,).
        """
        space = self.space
        out = np.zeros(len(owner), dtype=np.int64)
        if len(self):
            for part in parts(len(sets), 2 * (len(space.weights) + len(space.antecedents)) + 3 * len(self)):
                of_these = np.flatnonzero((owner >= part.start) & (owner < part.stop))
                raised: np.ndarray = self._raised(sets[part]).astype(self.dtype)
                left = raised.sum(axis=1)[:, None] - raised @ self.hit
                out[of_these] = self.in_costs(left[owner[of_these] - part.start, antecedent[of_these]])
        return out

    def _raised(self, sets: np.ndarray) -> np.ndarray:
        """The multipliers for each packed set: int64, shape (n_sets, n_pairs)."""
        space = self.space
        captured = np.concatenate(space.net_weights(sets)[:2], axis=1).T
        rule = np.where(space.cost_of(captured) > space.per_rule, self.parts * space.per_rule, _FREE)
        error = np.where(space.unpack(sets).T, (self.parts * space.per_error * space.weights)[:, None], 0)
        multipliers = self.within(sets).astype(np.int64).T
        for i in np.flatnonzero(multipliers.any(axis=1)).tolist():
            some = np.flatnonzero(multipliers[i])
            self._pay(error, rule, i, some, multipliers[i, some])
        for i, (first, second) in enumerate(self.pairs.tolist()):
            left = np.minimum(error[first], error[second])
            some = np.flatnonzero(left)
            if len(some) and len(self._rules[i]):
                left[some] = np.minimum(left[some], rule[np.ix_(self._rules[i], some)].min(axis=0))
                some = some[left[some] > 0]
            if len(some):
                self._pay(error, rule, i, some, left[some])
                multipliers[i, some] += left[some]
        return multipliers.T

    def _pay(self, error: np.ndarray, rule: np.ndarray, i: int, some: np.ndarray, parts_of_cost: np.ndarray) -> None:
        """Take what a pair is given in some of the sets from what its patterns, and the rules, can pay yet."""
        first, second = self.pairs[i]
        error[first, some] -= parts_of_cost
        error[second, some] -= parts_of_cost
        rule[np.ix_(self._rules[i], some)] -= parts_of_cost

    @cached_property
    def _rules(self) -> list[np.ndarray]:
        """What tells each pair apart: antecedents with the positive label, then with the negative one."""
        space, pairs, out = self.space, self.pairs, []
        for part in parts(len(pairs), 2 * len(space.antecedents)):
            positive, negative = (select(space.inside, pairs[part, side]) for side in (0, 1))
            row, rule = np.nonzero(np.concatenate([positive & ~negative, negative & ~positive], axis=1))
            out += np.split(rule, np.searchsorted(row, np.arange(1, len(positive))))
        return out
