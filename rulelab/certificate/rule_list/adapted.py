"""Multipliers of pairs raised for a set of their own: what others are out of, or cannot pay, is left for those within.

Multipliers of all patterns (see `separation`) hold for every set, but within one many of the pairs are gone, and errors
and rules can pay more for the others. A rule of some label that does not pay for itself in the set is one that some
optimal completion does without, here and on all that other rules leave of the set (Thm 11), so nothing is asked of it.
What each pair can still be given is added in the order of the pairs. Any order does: what is given is never more than
what is left, so that no sum exceeds what an error or a rule costs.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..parts import parts, select
from .separation import Separation

_FREE = 1 << 61


class Adapted:
    """Raises multipliers, many sets at once.

    Parameters
    ----------
    separation : Separation
    """

    def __init__(self, separation: Separation) -> None:
        self.separation = separation

    def after(self, sets: np.ndarray, owner: np.ndarray, antecedent: np.ndarray) -> np.ndarray:
        """What completions of what a rule leaves of a packed set cost at least.

        Parameters
        ----------
        sets : uint8 array, shape (n_sets, n_bytes)
        owner : int array, shape (n,)
            The position of the set that each rule is about.
        antecedent : int array, shape (n,)
            Of the rule, among those of the states.

        Returns
        -------
        int64 array, shape (n,)
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
