"""Pairs of patterns of different labels: what telling them apart, or getting one of them wrong, costs at least.

Of a positive and a negative pattern that are both uncaptured one is wrong in the end, or some rule that follows is the
first to capture either and captures one of them alone, with that one's label. So let pairs have multipliers u >= 0 with

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
from ..parts import column_sums, parts, select
from .lemmas import KnownSets, order_of
from .states import States

ARRAYS = ("pairs", "multipliers", "parts")
_LARGEST = 1 << 61
_MOST = 1 << 26
"""Pairs, times antecedents: half a gigabyte that a check holds."""


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
        if len(known.pairs) * len(space.antecedents) > _MOST:
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
        if len(pairs) * len(space.antecedents) > _MOST:
            raise CertificateError(
                f"the certificate holds {len(pairs)} pairs; for {len(space.antecedents)} antecedents at most "
                f"{_MOST // len(space.antecedents)} are checked"
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

        Parameters
        ----------
        may : bool array, shape (n, n_antecedents)
            Which rules may bring a set below its value; changed in place.
        sets : uint8 array, shape (n, n_bytes)
        values : int64 array, shape (n,)
        wrong : array, shape (n, n_antecedents)
            Weight that each rule gets wrong.
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


_FREE = 1 << 61


class Adapted:
    """Raises multipliers, many sets at once."""

    def __init__(self, separation: Separation) -> None:
        self.separation = separation

    def after(self, sets: np.ndarray, owner: np.ndarray, antecedent: np.ndarray) -> np.ndarray:
        """What completions of what a rule leaves of a packed set cost at least.

        ``sets`` (uint8 array, shape (n_sets, n_bytes)). ``owner`` (int array, shape (n,)): the position of the set that
        each rule is about. ``antecedent`` (int array, shape (n,)): of the rule, among those of the states. Returns
        int64 array, shape (n,).
        """
        separation, space = self.separation, self.separation.space
        out = np.zeros(len(owner), dtype=np.int64)
        if len(separation):
            for part in parts(len(sets), 2 * (len(space.weights) + len(space.antecedents)) + 3 * len(separation)):
                of_these = np.flatnonzero((owner >= part.start) & (owner < part.stop))
                raised: np.ndarray = self._raised(sets[part]).astype(separation.dtype)
                left = raised.sum(axis=1)[:, None] - raised @ separation.hit
                out[of_these] = separation.in_costs(left[owner[of_these] - part.start, antecedent[of_these]])
        return out

    def _raised(self, sets: np.ndarray) -> np.ndarray:
        """The multipliers for each packed set: int64, shape (n_sets, n_pairs)."""
        separation, space = self.separation, self.separation.space
        captured = np.concatenate(space.net_weights(sets)[:2], axis=1).T
        rule = np.where(space.cost_of(captured) > space.per_rule, separation.parts * space.per_rule, _FREE)
        error = np.where(space.unpack(sets).T, (separation.parts * space.per_error * space.weights)[:, None], 0)
        multipliers = separation.within(sets).astype(np.int64).T
        for i in np.flatnonzero(multipliers.any(axis=1)).tolist():
            some = np.flatnonzero(multipliers[i])
            self._pay(error, rule, i, some, multipliers[i, some])
        for i, (first, second) in enumerate(separation.pairs.tolist()):
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
        first, second = self.separation.pairs[i]
        error[first, some] -= parts_of_cost
        error[second, some] -= parts_of_cost
        rule[np.ix_(self._rules[i], some)] -= parts_of_cost

    @cached_property
    def _rules(self) -> list[np.ndarray]:
        """What tells each pair apart: antecedents with the positive label, then with the negative one."""
        space, pairs, out = self.separation.space, self.separation.pairs, []
        for part in parts(len(pairs), 2 * len(space.antecedents)):
            positive, negative = (select(space.inside, pairs[part, side]) for side in (0, 1))
            row, rule = np.nonzero(np.concatenate([positive & ~negative, negative & ~positive], axis=1))
            out += np.split(rule, np.searchsorted(row, np.arange(1, len(positive))))
        return out
