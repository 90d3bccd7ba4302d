"""Exact pricing on packed patterns: the branch and bound of `conjunctions` as an object that is advanced."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from ..features import Features, Rule
from . import conjunctions, cube_kernels
from .conjunctions import NO_LIMIT
from .cube_kernels import N_COLUMNS, N_POOL, N_TUPLES
from .selectors import Selectors, selectors
from .tree import N_EMITTED, NODES, WORK, new_tree, relations

MOST_CONDITIONS = 5
LARGEST_CUBE = 2**22
_ROOM = 200


class BitsetSearch:
    """Branch and bound over conjunctions of at most D conditions, for categorical or small data and any D.

    ``target``, ``charge`` (int64 arrays, shape (D + 1,), non-decreasing): only rules whose sum exceeds ``target[s]``, s
    their number of conditions, are looked for; those whose sum exceeds ``charge[s]`` are remembered. ``room``: 0 when
    pricing; else rules are enumerated, so many before they must be taken out with `emitted`.
    """

    def __init__(
        self, features: Features, weight: np.ndarray, target: np.ndarray, charge: np.ndarray, room: int = 0
    ) -> None:
        self._used = features.used
        self._relations = relations(features)
        helping = weight[weight > 0].sum()
        depth = max(1, min(features.n_used, int((target[1:] < helping).sum())))
        self._beyond = target[depth + 1 :]
        self._state = new_tree(
            features, weight, target[: depth + 1], charge[: depth + 1], room + features.n_used if room else 0
        )
        self._full = False
        self.done = False

    @property
    def nodes(self) -> int:
        """Conjunctions whose extensions have been counted."""
        return int(self._state[3].numbers[NODES])

    @property
    def nbytes(self) -> int:
        """Bytes of the packed patterns, the levels and the path."""
        words, weight, levels, tree = self._state
        return words.nbytes + weight.nbytes + sum(part.nbytes for part in (*levels, *tree))

    @property
    def target(self) -> np.ndarray:
        """When pricing: the largest sum found of rules of at most s conditions, or what it was at the start."""
        return np.maximum.accumulate(np.concatenate([self._state[3].target, self._beyond]))

    @property
    def full(self) -> bool:
        """Whether `emitted` must be called before the search can go on."""
        return self._full

    @property
    def work(self) -> int:
        """Words of packed patterns counted, or what takes the time of so many."""
        return int(self._state[3].numbers[WORK])

    def advance(self, max_nodes: int, max_work: int = NO_LIMIT) -> bool:
        """Open at most so many conjunctions, none after so much work in all; returns whether the search is done."""
        self._full = False
        if not self.done:
            status = conjunctions.advance(*self._state, self._relations, max_nodes, max_work)
            self._full = status == conjunctions.FULL
            self.done = status == conjunctions.DONE
        return self.done

    def bounds(self) -> np.ndarray:
        """Upper bound on the sum of rules of at most s conditions, at any time: int64 array, shape (D + 1,)."""
        tree, out = self._state[3], self.target
        if not self.nodes:
            out = np.maximum(out, tree.total[0, 0])
        elif not self.done:
            conjunctions.open_bounds(tree, out)
        return np.maximum.accumulate(out)

    def pool(self) -> Iterator[tuple[Rule, int]]:
        """For each condition the best rule of positive value that has it, with its sum; some come several times."""
        tree = self._state[3]
        for c in np.flatnonzero(tree.pool_value):
            yield self._rule(tree.pool_rule[c]), int(tree.pool_sum[c])

    def emitted(self) -> Iterator[tuple[Rule, int]]:
        """Take out the rules that have been enumerated since the last call."""
        tree = self._state[3]
        n = int(tree.numbers[N_EMITTED])
        tree.numbers[N_EMITTED] = 0
        for k in range(n):
            yield self._rule(tree.emitted_rule[k]), int(tree.emitted_sum[k])

    def _rule(self, conditions: np.ndarray) -> Rule:
        return tuple(sorted(self._used[conditions[conditions >= 0]].tolist()))


class CubeSearch:
    """Branch and bound inside the data cubes of all tuples of at most D columns.

    ``weight``, ``target``, ``charge``: as for `rulelab.rule_set.pricing.bitset_search.BitsetSearch`.
    """

    def __init__(
        self, features: Features, parts: Selectors, weight: np.ndarray, target: np.ndarray, charge: np.ndarray
    ) -> None:
        kept = np.flatnonzero(weight)
        self._used = features.used
        self._parts = parts._replace(codes=np.ascontiguousarray(parts.codes[:, kept]))
        self._helping = weight[weight > 0].sum()
        self._cubes = cube_kernels.new_cubes(self._parts, weight[kept], target, charge, _ROOM)
        self.done = False

    @property
    def nodes(self) -> int:
        """Tuples of columns searched."""
        return int(self._cubes.numbers[N_TUPLES])

    @property
    def nbytes(self) -> int:
        """Bytes of the cells and of the cell numbers of the patterns."""
        return self._parts.codes.nbytes + sum(part.nbytes for part in self._cubes)

    def advance(self, max_nodes: int) -> bool:
        """Search at most so many tuples; returns whether the search is done."""
        if not self.done:
            self.done = cube_kernels.advance(self._parts, self._cubes, max_nodes) == cube_kernels.DONE
        return self.done

    def bounds(self) -> np.ndarray:
        """Upper bound on the sum of rules of at most s conditions, at any time: int64 array, shape (D + 1,)."""
        out = self._cubes.target.copy()
        if not self.done:
            open_from = int(self._cubes.numbers[N_COLUMNS])
            out[open_from:] = np.maximum(out[open_from:], self._helping)
        return np.maximum.accumulate(out)

    def pool(self) -> Iterator[tuple[Rule, int]]:
        """The best rules of different tuples of columns, with their sums."""
        cubes = self._cubes
        for k in range(int(cubes.numbers[N_POOL])):
            chosen = cubes.pool_rule[k]
            conditions = self._parts.conditions[chosen[chosen >= 0]].ravel()
            yield tuple(sorted(self._used[conditions[conditions >= 0]].tolist())), int(cubes.pool_sum[k])


def cube_parts(features: Features, depth: int) -> Selectors | None:
    """The selectors of a table whose cubes are of bearable size; None where there are none. Found once per depth."""
    if depth > MOST_CONDITIONS or not features.n_used:
        return None
    if depth not in features.parts:
        parts = selectors(features, depth)
        if parts is not None and np.prod(np.sort(parts.n_cells)[::-1][:depth].astype(np.float64)) > LARGEST_CUBE:
            parts = None
        features.parts[depth] = parts
    return features.parts[depth]


def cubes_work(parts: Selectors, n_patterns: int, depth: int) -> float:
    """Estimate of the work of a whole search: updates of cells, and cells."""
    p = len(parts.n_cells)
    mean = [1.0]  # of the products of k cell counts: elementary symmetric polynomials
    for n in parts.n_cells:
        mean = [1.0] + [
            (mean[k] if k < len(mean) else 0.0) + n * mean[k - 1] for k in range(1, min(len(mean), depth) + 1)
        ]
    return sum(comb(p, k) * n_patterns + 3 * mean[k] for k in range(1, min(depth, p) + 1))
