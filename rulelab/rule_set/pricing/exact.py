"""Exact pricing: the rules whose covered patterns weigh most, proven, or all that weigh enough."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from ..features import Features, Rule
from . import conjunctions, cube_kernels
from .conjunctions import NO_LIMIT
from .cube_kernels import N_COLUMNS, N_POOL, N_TUPLES
from .selectors import Selectors, selectors
from .tree import N_EMITTED, NODES, WORK, new_tree, relations

MOST_RULES = 60
LARGEST_SUM = 2**57
MOST_CONDITIONS, LARGEST_CUBE = 5, 2**22  # of data cubes
_CUBE_ROOM, _ROOM = 200, 1024  # for rules of cubes, and for those enumerated at once
_BITSET_SHARE = 0.125
"""Of the estimated work of the data cubes: when the branch and bound has done so much, the cubes take over."""
_RULE_BYTES = 400


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
        self.full = self.done = False  # full: `emitted` must be called before the search can go on

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
    def work(self) -> int:
        """Words of packed patterns counted, or what takes the time of so many."""
        return int(self._state[3].numbers[WORK])

    def advance(self, max_nodes: int, max_work: int = NO_LIMIT) -> bool:
        """Open at most so many conjunctions, none after so much work in all; returns whether the search is done."""
        self.full = False
        if not self.done:
            status = conjunctions.advance(*self._state, self._relations, max_nodes, max_work)
            self.full = status == conjunctions.FULL
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
    """Branch and bound inside the data cubes of all tuples of at most D columns; see `BitsetSearch`."""

    def __init__(
        self, features: Features, parts: Selectors, weight: np.ndarray, target: np.ndarray, charge: np.ndarray
    ) -> None:
        kept = np.flatnonzero(weight)
        self._used = features.used
        self._parts = parts._replace(codes=np.ascontiguousarray(parts.codes[:, kept]))
        self._helping = weight[weight > 0].sum()
        self._cubes = cube_kernels.new_cubes(self._parts, weight[kept], target, charge, _CUBE_ROOM)
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


@dataclass(frozen=True, eq=False)
class Pricing:
    """The answer of a pricing call."""

    best: np.ndarray
    """int64, shape (D + 1,): ``best[s]``: at least the sum of weight of every rule of at most s conditions, so it never
    falls in s; equal to the largest such sum where it exceeds ``charge[s]``, or ``least[s]``, and the call is complete.
    ``best[0]`` is 0."""
    rules: tuple[Rule, ...]  # different rules of positive value, the largest value first, at most `MOST_RULES`
    values: np.ndarray  # int64, shape (len(rules),): sum of weight - charge[number of conditions]
    complete: bool  # whether nothing is left to search


class Pricer:
    """A pricing call that can be continued: advance it in slices, pickle it in between; the result is the same.

    A rule gains ``weight`` by covering each pattern, and costs ``charge[s]`` if it has s conditions, which does not
    fall. ``seeds``: known rules, which are returned among the others. ``method``: "bitset", "cubes" (at most 5
    conditions), or "auto": the former, until it has done an eighth of the estimated work of the latter. ``least`` (at
    least the charges): only rules whose sum exceeds ``least[s]`` are looked for; others that gain are returned when
    they are met.
    """

    def __init__(
        self,
        features: Features,
        weight: np.ndarray,
        charge: np.ndarray,
        seeds: Sequence[Rule] = (),
        method: str = "auto",
        least: np.ndarray | None = None,
    ) -> None:
        self._charge = checked(weight, charge)
        sums = features.sums(seeds, weight)
        self._seeds = [(rule, total) for rule, total in zip(seeds, sums.tolist(), strict=True)]
        target = self._charge.copy() if least is None else np.maximum(self._charge, least)
        for rule, total in self._seeds:
            if len(rule) < len(target):
                target[len(rule) :] = np.maximum(target[len(rule) :], total)
        self._parts = None if method == "bitset" else cube_parts(features, len(target) - 1)
        if method == "cubes" and self._parts is None and features.n_used:
            raise ValueError("the data cubes of these conditions are too large; use the method 'bitset'")
        self._problem = features, weight
        self._max_work = NO_LIMIT
        if self._parts is not None:
            share = _BITSET_SHARE if method == "auto" else 0
            self._max_work = int(share * cubes_work(self._parts, features.n_patterns, len(target) - 1))
        self._bitset = BitsetSearch(features, weight, target, self._charge)
        self._cubes: CubeSearch | None = None

    @property
    def method(self) -> str:
        """What the search is at: "bitset" or "cubes"."""
        return "bitset" if self._cubes is None else "cubes"

    @property
    def nbytes(self) -> int:
        """Bytes of the packed patterns, the levels and the cubes."""
        return self._bitset.nbytes + (0 if self._cubes is None else self._cubes.nbytes)

    @property
    def done(self) -> bool:
        return self._bitset.done or (self._cubes is not None and self._cubes.done)

    @property
    def nodes(self) -> int:
        return self._bitset.nodes + (0 if self._cubes is None else self._cubes.nodes)

    def advance(self, max_nodes: int) -> bool:
        """Search at most so many nodes more; returns whether the search is done."""
        last = self.nodes + max_nodes
        if self._cubes is None and self._bitset.work < self._max_work:
            self._bitset.advance(max_nodes, self._max_work)
        if self._cubes is None and not self.done and self._bitset.work >= self._max_work:
            assert self._parts is not None
            features, weight = self._problem
            self._cubes = CubeSearch(features, self._parts, weight, self._bitset.target, self._charge)
        if self._cubes is not None:
            self._cubes.advance(last - self.nodes)
        return self.done

    def result(self) -> Pricing:
        """What is proven and found so far."""
        best, found = self._bitset.bounds(), [*self._seeds, *self._bitset.pool()]
        if self._cubes is not None:
            best = np.minimum(best, self._cubes.bounds())
            found += self._cubes.pool()
        best[0] = 0
        return Pricing(best, *_best_rules(found, self._charge), self.done)


def checked(weight: np.ndarray, charge: np.ndarray) -> np.ndarray:
    """The charges, of which that of no condition is as that of one; ValueError where sums of weights may overflow."""
    if sum(int(np.abs(part).sum()) for part in np.array_split(weight, 1 + len(weight) // 2**20)) >= LARGEST_SUM:
        raise ValueError("the weights must sum to less than 2**57 in absolute value; use a coarser grid")
    if np.abs(charge).max() >= LARGEST_SUM:
        raise ValueError("the charges must be less than 2**57; use a coarser grid")
    return np.append(charge[1], charge[1:])


def _best_rules(found: Iterable[tuple[Rule, int]], charge: np.ndarray) -> tuple[tuple[Rule, ...], np.ndarray]:
    """Different rules of positive value, and their values."""
    values = {rule: total - int(charge[len(rule)]) for rule, total in found if len(rule) < len(charge)}
    rules = sorted((rule for rule in values if values[rule] > 0), key=lambda rule: (-values[rule], len(rule), rule))
    rules = rules[:MOST_RULES]
    return tuple(rules), np.array([values[rule] for rule in rules], dtype=np.int64)


class Enumerator:
    """An enumeration that can be continued: advance it in slices, pickle it in between; the result is the same.

    Wanted are rules of s conditions whose sum of weight is at least ``threshold[s]``, which does not fall; beyond
    ``limit`` covered sets it ends (``overflow``). Of rules that cover the same patterns, those of weight 0 included,
    the shorter one is enough: they are the same column of every master problem but for their complexity.
    """

    def __init__(self, features: Features, weight: np.ndarray, threshold: np.ndarray, limit: int) -> None:
        threshold = checked(weight, threshold)
        self._features = features
        self._limit = int(limit)
        self._search = BitsetSearch(features, weight, threshold - 1, threshold, room=_ROOM)
        self._found: dict[bytes, Rule] = {}  # by a digest of what they cover
        self.overflow = False

    @property
    def done(self) -> bool:
        return self.overflow or self._search.done

    @property
    def nodes(self) -> int:
        return self._search.nodes

    @property
    def nbytes(self) -> int:
        """Bytes of the search and, about, of the rules found."""
        return self._search.nbytes + _RULE_BYTES * len(self._found)

    def advance(self, max_nodes: int, max_batches: int | None = None) -> bool:
        """Search at most so many nodes more, for so many batches of rules; returns whether the enumeration is done."""
        last, batches = self.nodes + max_nodes, 0
        while not self.done and batches != max_batches:
            batches += 1
            self._search.advance(last - self.nodes)
            for rule, _ in self._search.emitted():
                cover = self._features.covers([rule])[0]
                key = hashlib.blake2b(cover.tobytes(), digest_size=16).digest()
                self._found[key] = min(self._found.get(key, rule), rule, key=lambda r: (len(r), r))
            self.overflow = len(self._found) > self._limit
            if not self._search.full:
                break
        return self.done

    @property
    def rules(self) -> tuple[Rule, ...]:
        """For each covered set found so far one of the rules of fewest conditions that cover it."""
        return tuple(sorted(self._found.values()))
