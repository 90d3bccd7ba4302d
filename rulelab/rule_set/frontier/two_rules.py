"""A complexity of at most 5 leaves room for two rules: all such sets, where there are not too many to look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernels import bits
from ..pool import Clause, Pool, covered, table_of
from ..pricing.enumeration import enumerate_rules
from .cells import Found

LARGEST = 5
"""The complexity from which on three rules fit is one more."""

_MOST_SETS = 200_000
_MOST_CELLS = 200_000_000  # sets times patterns: some tenths of a second
_LARGEST_SUM = 1 << 62


class TwoRules:
    """Every set of at most two rules within a complexity.

    Parameters
    ----------
    pool : Pool
        Of the features and weights; nothing is added to it.
    max_complexity : int
        At most `LARGEST`.
    max_conditions : int
        D.

    Attributes
    ----------
    complete : bool
        False when there are too many of them; then none is held.
    """

    def __init__(self, pool: Pool, max_complexity: int, max_conditions: int) -> None:
        self._program = pool.program
        widest = min(max_conditions, max_complexity - 1)
        zeros = np.zeros(pool.program.n_patterns, dtype=np.int64)
        most = min(_MOST_SETS, _MOST_CELLS // max(1, pool.program.n_patterns))
        found = enumerate_rules(pool.features, zeros, np.zeros(widest + 1, dtype=np.int64), widest, most)
        self.complete = found.complete
        self._rules: Sequence[Clause] = found.rules
        size = np.array([1 + len(rule) for rule in found.rules], dtype=np.int64)
        firsts, seconds = np.flatnonzero(size <= max_complexity // 2), np.flatnonzero(size <= max_complexity - 2)
        if not self.complete or len(firsts) * len(seconds) > most:
            self.complete = False
            return
        own = Pool(pool.program, pool.features)
        own.add(found.rules)
        weights = table_of(pool.program, pool.program.whole)
        members, complexity = [np.column_stack([np.arange(len(size))] * 2)], [size]
        union, covers = [own.kind_whole], [own.kind_whole]
        for k in firsts.tolist():
            with_k = seconds[(seconds > k) | (size[seconds] > max_complexity // 2)]
            with_k = with_k[size[with_k] + size[k] <= max_complexity]
            hit = bits.unpack(own.covers[with_k] | own.covers[k], pool.program.n_patterns)
            members.append(np.column_stack([np.full(len(with_k), k), with_k]))
            complexity.append(size[with_k] + size[k])
            union.append(hit @ weights if pool.program.exact else covered(hit, weights))
            covers.append(own.kind_whole[with_k] + own.kind_whole[k])
        self._members, self._complexity = np.concatenate(members), np.concatenate(complexity)
        self._uncovered, self._covers = pool.program.kind_mass - np.concatenate(union), np.concatenate(covers)

    def best(self, pool: Pool, constraints: Sequence, max_complexity: int) -> Found | None:
        """A set of least cost that meets the constraints; None when none does."""
        program = self._program
        penalty = program.penalty * self._complexity.astype(np.int64 if program.exact else object)
        cost = self._uncovered @ program.leave + self._covers @ program.cover + penalty
        allowed = self._complexity <= max_complexity
        for constraint in constraints:
            leave, cover, bound = constraint.whole
            largest = max(map(abs, [*leave, *cover, 1])) * int(program.kind_mass.sum()) * (program.most_rules + 2)
            exact = np.int64 if largest < _LARGEST_SUM else object
            used = self._uncovered.astype(exact) @ np.array(leave, exact) + self._covers.astype(exact) @ np.array(
                cover, exact
            )
            allowed &= np.asarray(used <= bound, dtype=bool)
        if not allowed.any():
            return None
        k = int(np.flatnonzero(allowed)[np.argmin(cost[allowed])])
        rules = tuple(self._rules[i] for i in dict.fromkeys(self._members[k].tolist()))
        return Found.measured(program, pool, rules)
