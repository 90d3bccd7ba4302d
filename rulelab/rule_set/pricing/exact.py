"""Exact pricing: the rules whose covered patterns weigh most, proven, or all that weigh enough."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..features import Features, Rule
from .bitset_search import BitsetSearch, CubeSearch, cube_parts, cubes_work
from .conjunctions import NO_LIMIT

MOST_RULES = 60
_BITSET_SHARE = 0.125
"""Of the estimated work of the data cubes: when the branch and bound has done so much, the cubes take over."""

LARGEST_SUM = 2**57
METHODS = ("auto", "bitset", "cubes")
_ROOM = 1024
_RULE_BYTES = 400


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

    ``weight`` (int64 array, shape (n_patterns,)): what a rule gains by covering each pattern; the sum of absolute
    values must stay below 2**57. ``charge`` (int64 array, shape (D + 1,)): what a rule of s conditions costs,
    non-decreasing; or a price p for ``p * (1 + s)``. ``max_conditions``: D; None for no limit. ``seeds``: known rules,
    which are returned among the others; the search does not look for less than they give. ``method``: "bitset", branch
    and bound over conjunctions on packed patterns, or "cubes", inside data cubes (at most 5 conditions); "auto": the
    former, and where the latter is possible, it takes over when the former has done an eighth of the estimated work,
    which is counted, not timed. ``least`` (int64 array, shape (D + 1,)): non-decreasing, at least the charges: only
    rules whose sum exceeds ``least[s]`` are looked for; others that gain are returned when they are met. Raises
    ValueError.
    """

    def __init__(
        self,
        features: Features,
        weight: np.ndarray,
        charge: int | np.ndarray,
        max_conditions: int | None = None,
        seeds: Sequence[Rule] = (),
        method: str = "auto",
        least: np.ndarray | None = None,
    ) -> None:
        weight, self._charge = check(features, weight, charge, max_conditions)
        if method not in METHODS:
            raise ValueError(f"method is one of {', '.join(METHODS)}, not {method!r}")
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


def check(
    features: Features, weight: np.ndarray, charge: int | np.ndarray, max_conditions: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """The weights and the charges per number of conditions (0 to D) as int64 arrays; ValueError for bad arguments."""
    weight = np.asarray(weight)
    if weight.shape != (features.n_patterns,) or weight.dtype != np.int64:
        raise ValueError(
            f"the weights must be int64, one for each of {features.n_patterns} patterns; found {weight.dtype} of shape "
            f"{weight.shape}"
        )
    if sum(int(np.abs(part).sum()) for part in np.array_split(weight, 1 + len(weight) // 2**20)) >= LARGEST_SUM:
        raise ValueError("the weights must sum to less than 2**57 in absolute value; use a coarser grid")
    if max_conditions is not None and max_conditions < 1:
        raise ValueError(f"max_conditions must be at least 1, not {max_conditions}")
    depth = features.n_conditions if max_conditions is None else min(max_conditions, features.n_conditions)
    if np.ndim(charge) == 0:
        out = np.array([int(charge) * (1 + s) for s in range(depth + 1)], dtype=np.int64)
    else:
        out = np.array(charge)
        if out.shape != (depth + 1,) or out.dtype != np.int64:
            raise ValueError(f"the charges must be int64 of shape ({depth + 1},), not {out.dtype} of {out.shape}")
    out[0] = out[1]
    if (np.diff(out) < 0).any():
        raise ValueError("the charges must not fall with the number of conditions")
    if np.abs(out).max() >= LARGEST_SUM:
        raise ValueError("the charges must be less than 2**57; use a coarser grid")
    return weight, out


def _best_rules(found: Iterable[tuple[Rule, int]], charge: np.ndarray) -> tuple[tuple[Rule, ...], np.ndarray]:
    """Different rules of positive value, and their values."""
    values = {rule: total - int(charge[len(rule)]) for rule, total in found if len(rule) < len(charge)}
    rules = sorted((rule for rule in values if values[rule] > 0), key=lambda rule: (-values[rule], len(rule), rule))
    rules = rules[:MOST_RULES]
    return tuple(rules), np.array([values[rule] for rule in rules], dtype=np.int64)


class Enumerator:
    """An enumeration that can be continued: advance it in slices, pickle it in between; the result is the same.

    ``weight``, ``max_conditions``: as for `Pricer`. ``threshold`` (int64 array, shape (D + 1,), non-decreasing): rules
    of s conditions whose sum of weight is at least ``threshold[s]`` are wanted. ``limit``: most covered sets, beyond
    which it ends (``overflow``).

    Two rules that cover the same patterns are the same column of every master problem but for their complexity, also
    under fairness constraints, so the shorter one is enough. Sets are compared over all patterns, those of weight 0
    included: a pattern with dual value 0 has its say in the integer program. No rule is left out for its weights.
    """

    def __init__(
        self, features: Features, weight: np.ndarray, threshold: np.ndarray, max_conditions: int | None, limit: int
    ) -> None:
        weight, threshold = check(features, weight, threshold, max_conditions)
        self._features = features
        self._weight = weight
        self._limit = int(limit)
        self._search = BitsetSearch(features, weight, threshold - 1, threshold, room=_ROOM)
        self._found: dict[bytes, list[Rule]] = {}
        self._n_found = 0
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
        return self._search.nbytes + _RULE_BYTES * self._n_found

    def advance(self, max_nodes: int, max_batches: int | None = None) -> bool:
        """Search at most so many nodes more, for so many batches of rules; returns whether the enumeration is done."""
        last, batches = self.nodes + max_nodes, 0
        while not self.done and batches != max_batches:
            batches += 1
            self._search.advance(last - self.nodes)
            for rule, _ in self._search.emitted():
                self._enter(rule)
            self.overflow = self._n_found > self._limit
            if not self._search.full:
                break
        return self.done

    @property
    def rules(self) -> tuple[Rule, ...]:
        """For each covered set found so far one of the rules of fewest conditions that cover it."""
        return tuple(sorted(rule for known in self._found.values() for rule in known))

    def _enter(self, rule: Rule) -> None:
        """Keep the rule unless a rule that is not longer covers the same patterns; a digest finds the candidates."""
        cover = self._features.covers([rule])[0]
        known = self._found.setdefault(hashlib.blake2b(cover.tobytes(), digest_size=16).digest(), [])
        for k, other in enumerate(known):
            if np.array_equal(self._features.covers([other])[0], cover):
                known[k] = min(other, rule, key=lambda r: (len(r), r))
                return
        known.append(rule)
        self._n_found += 1
