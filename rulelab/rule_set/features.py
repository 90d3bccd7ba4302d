"""What pricing knows about the conditions: packed patterns, nested and equal conditions, the columns they came from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..data.conditions import Condition
from ..data.problem import Problem
from ..kernels import bits
from ..kernels.bit_words import transposed
from ..kernels.jit import ctz, kernel
from ..sharing import Shared

Rule = tuple[int, ...]  # a conjunction: ascending indices of conditions
_AT_ONCE = 1 << 24  # cells of a table of rules and patterns
_RELATIONS = ("related", "_implies")
_FEW = 4  # rules, up to which a kernel is not worth its call


def sparse_rows(hits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and indices (int64) of the true cells of each row of a bool matrix."""
    start = np.concatenate([[0], np.cumsum(np.count_nonzero(hits, axis=1))]).astype(np.int64)
    index = np.empty(start[-1], dtype=np.int64)
    _find(hits, index)
    return start, index


@kernel
def _find(hits, index):
    e = 0
    for i in range(hits.shape[0]):
        for j in range(hits.shape[1]):
            if hits[i, j]:
                index[e] = j
                e += 1


@kernel
def packed_sums(words, rows, weight, out):
    """The sum of int64 weights over the set bits of some packed rows."""
    for i in range(rows.size):
        total = np.int64(0)
        for w in range(words.shape[1]):
            word = words[rows[i], w]
            while word:
                total += weight[(w << 6) + ctz(word)]
                word &= word - np.uint64(1)
        out[i] = total


@kernel
def intersections(words, members, out):
    """For each row of ``members``, filled up with -1, what the packed rows that it names have in common."""
    for i in range(members.shape[0]):
        for k in range(members.shape[1]):
            j = members[i, k]
            if j < 0:
                break
            for w in range(words.shape[1]):
                if k == 0:
                    out[i, w] = words[j, w]
                else:
                    out[i, w] &= words[j, w]


@kernel
def signatures(hits, keys, out):
    """Add the key of each row to the entities that it covers."""
    for i in range(hits.shape[0]):
        for j in range(hits.shape[1]):
            if hits[i, j]:
                out[j] += keys[i]


@kernel
def row_sums(start, index, weight, rows, out):
    """The sum of int64 weights over the cells of some rows."""
    for i in range(rows.size):
        total = np.int64(0)
        for e in range(start[rows[i]], start[rows[i] + 1]):
            total += weight[index[e]]
        out[i] = total


class Features(Shared):
    """The conditions that rules are made of, evaluated on distinct patterns of rows.

    ``matrix`` (bool array, shape (n_patterns, n_conditions)), of which the first ``n_given`` patterns are those of
    rows; those behind them only count what rules use. ``conditions`` tell which test the same column of the table.

    ``used`` (int64): the conditions that pricing tries: without those that no pattern satisfies, and one of equal ones.
    ``words`` (uint64, shape (n_patterns, bits.n_words(n_used))): packed patterns over these; ``columns``: the same,
    packed along the patterns. ``sources`` (int64): number of the table column that each tests. ``parts``: what the
    search in data cubes has derived from this, by the most conditions of a rule.
    """

    def __init__(
        self, matrix: np.ndarray, conditions: Sequence[Condition] | None = None, n_given: int | None = None
    ) -> None:
        matrix = np.asarray(matrix, dtype=bool)
        self.n_patterns, self.n_conditions = matrix.shape
        self.n_given = self.n_patterns if n_given is None else n_given
        packed = transposed(bits.pack(matrix), self.n_conditions)
        _, first = bits.group_equal_rows(packed)
        self.used = first[bits.counts(packed[first]) > 0]
        self._all_columns = packed
        self.columns = packed[self.used]
        self.words = transposed(self.columns, self.n_patterns)
        keys: list[Hashable] = list(range(self.n_conditions))
        if conditions is not None:
            keys = [condition.column for condition in conditions]
        numbers: dict[Hashable, int] = {}
        self.parts: dict[int, Any] = {}
        self.sources = np.array([numbers.setdefault(keys[j], len(numbers)) for j in self.used], dtype=np.int64)

    @classmethod
    def from_problem(cls, problem: Problem, form: str = "dnf", counting: np.ndarray | None = None) -> Features:
        """The antecedents of a problem; for the form ``cnf`` negated, with rules that keep the problem's indices.

        Behind the problem's patterns come those that only count what rules use, see `rulelab.rule_set.demands`.
        """
        conditions = None
        if problem.conditions is not None and all(len(joined) == 1 for joined in problem.conditions):
            conditions = [joined[0] for joined in problem.conditions]
        matrix = problem.matrix()
        matrix = ~matrix if form == "cnf" else matrix
        if counting is not None and len(counting):
            matrix = np.vstack([matrix, counting])
        return cls(matrix, conditions, problem.n_patterns)

    @property
    def n_used(self) -> int:
        return len(self.used)

    @property
    def nbytes(self) -> int:
        """Bytes of the packed patterns and relations."""
        known = [self.words, self.columns, self._all_columns, *(self.__dict__.get(name) for name in _RELATIONS)]
        return sum(part.nbytes for part in known if part is not None)

    def covers(self, rules: Sequence[Rule]) -> np.ndarray:
        """The patterns that satisfy each rule: uint64 array, shape (len(rules), bits.n_words(n_patterns)), packed."""
        out = np.empty((len(rules), bits.n_words(self.n_patterns)), dtype=np.uint64)
        if len(rules) <= _FEW:
            for k, rule in enumerate(rules):
                out[k] = np.bitwise_and.reduce(self._all_columns[list(rule)], axis=0) if rule else self._everything
            return out
        members = np.full((len(rules), max(map(len, rules))), -1, dtype=np.int64)
        for k, rule in enumerate(rules):
            members[k, : len(rule)] = rule
        out[members[:, 0] < 0] = self._everything
        intersections(self._all_columns, members, out)
        return out

    @cached_property
    def _everything(self) -> np.ndarray:
        """The patterns that a rule without conditions covers, packed."""
        return bits.pack(np.ones((1, self.n_patterns), dtype=bool))[0]

    def covered(self, rule: Rule) -> np.ndarray:
        """The patterns that satisfy a rule: bool array, shape (n_patterns,)."""
        return bits.unpack(self.covers([rule]), self.n_patterns)[0]

    def sums(self, rules: Sequence[Rule], weight: np.ndarray) -> np.ndarray:
        """Total weight of the patterns that satisfy each rule: int64 array, shape (len(rules),)."""
        out = np.empty(len(rules), dtype=np.int64)
        at_once = max(1, _AT_ONCE // max(1, self.n_patterns))
        for start in range(0, len(rules), at_once):
            covers = self.covers(rules[start : start + at_once])
            packed_sums(covers, np.arange(len(covers)), weight, out[start : start + at_once])
        return out

    def with_rows(self, covers: np.ndarray) -> np.ndarray:
        """Which packed rows of what rules cover have a pattern of a row: bool array, shape (len(covers),)."""
        if self.n_given == self.n_patterns:
            return np.ones(len(covers), dtype=bool)
        return np.asarray((covers & bits.pack(np.arange(self.n_patterns)[None] < self.n_given)).any(axis=1))

    @cached_property
    def related(self) -> np.ndarray:
        """Packed relation, shape (n_used, bits.n_words(n_used)): of two conditions, one implies the other."""
        return bits.pack(self._implies | self._implies.T)

    @cached_property
    def chains(self) -> tuple[np.ndarray, np.ndarray]:
        """The used conditions in chains, each implied by the next, such as the thresholds of one column: int32 arrays.

        Returns where each chain begins, and the conditions of the chains from the loosest to the tightest.
        """
        order = np.argsort(-bits.counts(self.columns), kind="stable")
        chain, last = np.empty(self.n_used, dtype=np.int64), np.empty(self.n_used, dtype=np.int64)
        _chain(self._implies, order, chain, last)
        start = np.concatenate([[0], np.cumsum(np.bincount(chain))]).astype(np.int32)
        return start, order[np.argsort(chain, kind="stable")].astype(np.int32)

    @cached_property
    def _implies(self) -> np.ndarray:
        """Whether condition i implies condition j: bool array, shape (n_used, n_used), false on the diagonal."""
        out = np.zeros((self.n_used, self.n_used), dtype=np.bool_)
        _find_implied(self.columns, np.bitwise_count(self.columns).sum(axis=1, dtype=np.int64), out)
        return out


@kernel
def _chain(implies, order, chain, last):
    """The number of the chain of each condition of ``order``: the first whose last one it implies."""
    n = 0
    for i in range(order.size):
        j = order[i]
        k = 0
        while k < n and not implies[j, last[k]]:
            k += 1
        last[k] = j
        chain[i] = k
        n = max(n, k + 1)


@kernel
def _find_implied(columns, sizes, out):
    for i in range(columns.shape[0]):
        for j in range(columns.shape[0]):
            if i == j or sizes[i] > sizes[j]:
                continue
            w = 0
            while w < columns.shape[1] and not columns[i, w] & ~columns[j, w]:
                w += 1
            out[i, j] = w == columns.shape[1]
