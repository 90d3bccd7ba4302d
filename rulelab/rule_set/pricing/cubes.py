"""Exact pricing on histograms over tuples of columns, for numeric and mixed data and few conditions."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from ..features import Features, Rule
from . import cube_kernels
from .cube_kernels import N_COLUMNS, N_POOL, N_TUPLES, UPDATES
from .selectors import Selectors, selectors

MOST_CONDITIONS = 5
LARGEST_CUBE = 2**22
_ROOM = 200


class CubeSearch:
    """Branch and bound inside the data cubes of all tuples of at most D columns.

    Parameters
    ----------
    features : Features
    parts : Selectors
    weight, target, charge
        As for `rulelab.rule_set.pricing.bitset_search.BitsetSearch`.
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

    @property
    def updates(self) -> int:
        """Updates of cells by patterns so far."""
        return int(self._cubes.numbers[UPDATES])

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
