"""Exact pricing: the rules whose covered patterns weigh most, proven, for every number of conditions."""

from __future__ import annotations

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


@dataclass(frozen=True, eq=False)
class Pricing:
    """The answer of a pricing call."""

    best: np.ndarray
    """int64, shape (D + 1,): ``best[s]``: at least the sum of weight of every rule of at most s conditions, so it never
    falls in s; equal to the largest such sum where it exceeds ``charge[s]``, or ``least[s]``, and the call is complete.
    ``best[0]`` is 0."""
    rules: tuple[Rule, ...]  # different rules of positive value, the largest value first, at most `MOST_RULES`
    # sums, values (int64, shape (len(rules),)): the rules' sums of weight; value: sum - charge[number of conditions]
    sums: np.ndarray
    values: np.ndarray
    nodes: int  # conjunctions opened, or tuples of columns searched
    complete: bool  # whether nothing is left to search

    @property
    def value(self) -> int:
        """The largest value found; 0 when no rule has a positive one."""
        return int(self.values[0]) if len(self.values) else 0


class Pricer:
    """A pricing call that can be continued: advance it in slices, pickle it in between; the result is the same.

    Raises ValueError.

    Parameters
    ----------
    weight : int64 array, shape (n_patterns,)
        What a rule gains by covering each pattern; negative where it loses. The sum of absolute values must stay
        below 2**57.
    charge : int, or int64 array of shape (D + 1,)
        What a rule of s conditions costs: ``charge[s]``, non-decreasing; or a price p for ``p * (1 + s)``.
    max_conditions : int, optional
        D, the most conditions of a rule; None for no limit.
    seeds : sequence of tuples of int
        Known rules: they are returned among the others, and the search does not look for less than they give.
    method : "auto", "bitset" or "cubes"
        Branch and bound over conjunctions on packed patterns, or inside data cubes (at most 5 conditions). By default
        the former; where the latter is possible, it takes over when the former has done an eighth of the estimated
        work. Work is counted, not timed.
    least : int64 array, shape (D + 1,), optional
        Non-decreasing, at least the charges: only rules whose sum exceeds ``least[s]`` are looked for. Others that gain
        are returned when they are met.
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

    @property
    def updates(self) -> int:
        """Updates of the cells of data cubes so far."""
        return 0 if self._cubes is None else self._cubes.updates

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
        return Pricing(best, *_best_rules(found, self._charge), self.nodes, self.done)


def price(
    features: Features,
    weight: np.ndarray,
    charge: int | np.ndarray,
    max_conditions: int | None = None,
    seeds: Sequence[Rule] = (),
    node_limit: int | None = None,
    method: str = "auto",
) -> Pricing:
    """The rules of the largest sum of weight; the parameters are those of `Pricer`.

    ``node_limit`` ends the search early: the bounds are weaker then, but valid, and ``complete`` is False.
    """
    pricer = Pricer(features, weight, charge, max_conditions, seeds, method)
    pricer.advance(2**62 if node_limit is None else node_limit)
    return pricer.result()


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


def _best_rules(
    found: Iterable[tuple[Rule, int]], charge: np.ndarray
) -> tuple[tuple[Rule, ...], np.ndarray, np.ndarray]:
    """Different rules of positive value, their sums and values."""
    sums = {rule: total for rule, total in found if len(rule) < len(charge)}
    values = {rule: total - int(charge[len(rule)]) for rule, total in sums.items()}
    rules = sorted((rule for rule in sums if values[rule] > 0), key=lambda rule: (-values[rule], len(rule), rule))
    rules = rules[:MOST_RULES]
    return (
        tuple(rules),
        np.array([sums[rule] for rule in rules], dtype=np.int64),
        np.array([values[rule] for rule in rules], dtype=np.int64),
    )
