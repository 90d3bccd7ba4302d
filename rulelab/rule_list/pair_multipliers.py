"""Finding pairs of patterns and good multipliers for the separation bound, a bounded amount at a time.

The descent of multipliers is by one thread or several: each changes those of its part of the pairs, by prices of all.
The prices of a pass follow from what all pairs ask for, so that threads meet once in each pass. What they ask for is
added up part by part: by so many threads the same is found each time, and by another number the same but for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..kernels import bits
from ..kernels.jit import kernel, popcount
from .counting import Layout
from .pair_bound import (
    N_HELD,
    NEXT,
    READY,
    SCALE,
    Separation,
    Separator,
    given_up,
    is_ready,
    no_separation,
    pay,
    with_pairs,
)

Together = Callable[[Sequence[Callable[[], Any]]], list[Any]]
"""Makes calls at once and returns what they return."""


def parts_of(sizes: np.ndarray, n: int) -> list[slice]:
    """At most ``n`` stretches of about equal total size, none of them empty."""
    ends = np.searchsorted(np.cumsum(sizes), np.arange(1, n) * sizes.sum() / n, side="right")
    borders = np.unique(np.concatenate([[0], ends, [len(sizes)]]))
    return [slice(first, last) for first, last in pairwise(borders)]


def descend(
    arrays: Layout,
    draft: Separation,
    active: np.ndarray,
    u: np.ndarray,
    costs: tuple[int, int],
    steepness: float,
    step: float,
    passes: int,
    n: int,
    together: Together,
) -> np.ndarray:
    """Change the multipliers ``u`` (float64) of the active pairs (int32) in some passes; the pairs that stay active.

    A pattern or a rule that is asked for all that it costs has the price 1 for another unit, less where it is asked for
    less; the multiplier of a pair grows while its prices add up to less than 1. ``costs``: of a unit of weight that is
    wrong, and of a rule. ``n``: threads.
    """
    if not len(active):
        return active
    parts = [active[part] for part in parts_of(draft.start[active + 1] - draft.start[active] + 1, n)]
    error_loads = np.zeros((len(parts), len(draft.error_left)))
    rule_loads = np.zeros((len(parts), len(draft.rule_left)))
    error_price, rule_price = np.zeros(len(draft.error_left)), np.zeros(len(draft.rule_left))
    own = list(zip(error_loads, rule_loads, strict=True))
    for k in range(passes + 1):  # the first changes nothing, and adds up what is asked for
        if k:
            set_prices(arrays, error_loads, rule_loads, error_price, rule_price, *costs, steepness)
        given = arrays, draft, u, error_price, rule_price, costs[0], step if k else 0.0
        kept = together([partial(adapt, *given, part, *loads) for part, loads in zip(parts, own, strict=True)])
        parts = [part[:stay] for part, stay in zip(parts, kept, strict=True)]
    return np.concatenate(parts)


def rehearse(arrays: Layout, draft: Separation) -> None:
    """Call the kernels on nothing, so that they are compiled."""
    rows, active, u = np.zeros((0, 1), dtype=np.uint64), np.zeros(0, dtype=np.int32), np.zeros(0)
    loads = np.zeros((1, 0))
    measure(rows, rows, np.zeros((0, 0), dtype=np.float32))
    set_prices(arrays, loads, loads, u, u, 1, 1, 1.0)
    adapt(arrays, draft, u, u, u, 1, 0.1, active, loads[0], loads[0])


def nearest(some: np.ndarray, others: np.ndarray, k: int) -> np.ndarray:
    """The ``k`` of ``others`` nearest to each of ``some`` rows of bits, one row's after another's."""
    distance = np.empty((len(some), len(others)), dtype=np.float32)
    measure(some, others, distance)
    return np.argpartition(distance, k - 1, axis=1)[:, :k].ravel()


@kernel
def measure(some, others, distance):
    """How far each of ``some`` is from each of ``others``, less the size of the former."""
    for i in range(some.shape[0]):
        for j in range(others.shape[0]):
            size, both = np.uint64(0), np.uint64(0)
            for w in range(some.shape[1]):
                size += popcount(others[j, w])
                both += popcount(some[i, w] & others[j, w])
            distance[i, j] = np.float32(np.int64(size) - 2 * np.int64(both))


@kernel
def set_prices(arrays, error_loads, rule_loads, error_price, rule_price, per_error, per_rule, steepness):
    """The prices of patterns and rules by what all parts ask them for."""
    for i in range(error_price.size):
        load = 0.0
        for p in range(error_loads.shape[0]):
            load += error_loads[p, i]
        error_price[i] = 0.0
        if load > 0.0:
            most = np.float64(per_error * arrays.weights[i])
            error_price[i] = math.exp(min(10.0, steepness * (load / most - 1.0)))
    for i in range(rule_price.size):
        load = 0.0
        for p in range(rule_loads.shape[0]):
            load += rule_loads[p, i]
        rule_price[i] = math.exp(min(10.0, steepness * (load / np.float64(per_rule) - 1.0)))


@kernel
def adapt(arrays, separation, u, error_price, rule_price, per_error, step, active, error_load, rule_load):
    """Change the multipliers of a part and add up what it asks for then; how many stay active, which come first."""
    start, rule = separation.start, separation.rule
    for i in range(error_load.size):
        error_load[i] = 0.0
    for i in range(rule_load.size):
        rule_load[i] = 0.0
    kept = 0
    for j in range(active.size):
        i = active[j]
        price = error_price[separation.first[i]] + error_price[separation.second[i]]
        for k in range(start[i], start[i + 1]):
            price += rule_price[rule[k]]
        u[i] *= 1.0 + step * max(-2.0, 1.0 - price)
        if u[i] > 1e-4 * per_error * arrays.weights[separation.first[i]]:
            active[kept] = i
            kept += 1
            error_load[separation.first[i]] += u[i]
            error_load[separation.second[i]] += u[i]
            for k in range(start[i], start[i + 1]):
                rule_load[rule[k]] += u[i]
    return kept


_NEAREST = 10
_ENTRIES = 1_500_000
_MOST_PATTERNS = 10_000
_MOST_CELLS = 1 << 25
_LARGEST_COST = 1 << 56  # sums of multipliers do not overflow
_STAGES = ((10.0, 0.1, 40), (20.0, 0.1, 60), (40.0, 0.05, 250))
_FINEST = 1 << 10  # parts of an error that multipliers are whole numbers of
_EFFORT = 30_000_000  # entries of pairs that are looked at in some hundredths of a second
_PRODUCTS_PER_ENTRY = 20  # bits that are compared in the same time
_BYTES_PER_PAIR, _BYTES_PER_ENTRY = 64, 4
ENTRIES_TO_SHARE = 100_000  # for fewer, threads wait for each other longer than a pass takes one
_EXPANDED_BETWEEN = 8  # prefixes, while multipliers are found: a call does some work whatever it finds


class Multipliers:
    """The multipliers of a search, found once it wants them, and the address of what adapts them to a set."""

    def __init__(self, arrays: Layout, rules: Any) -> None:
        self.separation = no_separation()
        self.separator = Separator()
        self._arrays, self._rules = arrays, rules
        self._separating: Separating | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the multipliers."""
        finding = 0 if self._separating is None else self._separating.nbytes
        return finding + sum(array.nbytes for array in self.separation)

    def find_separator(self) -> None:
        """Compile what bounds sets by the multipliers, where there are some."""
        if self.separator.address == 0 and is_ready(self.separation):
            chosen, counts = self._arrays.full, np.zeros(self._arrays.by_antecedent.shape[0], dtype=np.int64)
            self.separator.find(self._arrays, self._rules, self.separation, chosen, counts, counts)

    def find(self, expanded: int, free: int | None, n: int = 1, together: Together | None = None) -> bool:
        """Go on, by ``n`` threads whose calls ``together`` makes, to find multipliers; whether they are found."""
        if not is_ready(self.separation):
            if self._separating is None:
                self._separating = Separating(self._arrays, self._rules.per_error, self._rules.per_rule, free, n)
            self._separating.advance(together)
            if self._separating.found is None:
                self.separation.numbers[NEXT] = expanded + _EXPANDED_BETWEEN
                return False
            self.separation, self._separating = self._separating.found, None
        self.find_separator()
        return True


class Separating:
    """Pairs of near patterns of different labels, with multipliers for all; given up without ``free`` bytes."""

    def __init__(self, arrays: Layout, per_error: int, per_rule: int, free: int | None, n_threads: int = 1) -> None:
        self._arrays, self._per_error, self._per_rule, self._free = arrays, per_error, per_rule, free
        self.found: Separation | None = None
        m, words = arrays.by_antecedent.shape
        border = arrays.positive_words * bits.WORD
        sides = np.flatnonzero(arrays.weights[:border]), border + np.flatnonzero(arrays.weights[border:])
        n = len(sides[0]) + len(sides[1])
        self._largest = per_error * int(arrays.weights.sum())
        few = min(len(side) for side in sides) > 0 and n <= _MOST_PATTERNS and n * m <= _MOST_CELLS
        needed = 16 * n * _NEAREST + n * m // 8
        if not few or self._largest > _LARGEST_COST or (free is not None and needed > free):
            self.found = given_up()
            return
        self._sides = sides
        self._rows = bits.transpose(arrays.by_antecedent, words * bits.WORD)
        self._codes: list[np.ndarray] = []
        self._pairs = np.zeros((0, 2), dtype=np.int32)
        self._told: list[np.ndarray] = []
        self._draft: Separation
        self._active = self._multiplier = np.zeros(0)
        self._next: tuple[Any, ...] = ("_near", 0, 0)
        self._n_threads = n_threads
        self._together: Together = _in_turn

    @property
    def nbytes(self) -> int:
        """Bytes that are held meanwhile."""
        if self.found is not None:
            return 0
        held = [*self._codes, self._pairs, *self._told, self._rows, self._active, self._multiplier]
        return sum(array.nbytes for array in held)

    def advance(self, together: Together | None = None) -> None:
        """Go on for some hundredths of a second, ``together`` making the calls of several threads."""
        self._together = _in_turn if together is None else together
        effort = _EFFORT
        while self.found is None and effort > 0:
            name, *at = self._next
            effort -= getattr(self, name)(*at)
        self._together = _in_turn  # what was handed is not kept in a pickle

    def _near(self, side: int, first: int) -> int:
        """Of some patterns of a side those of the other that differ from them in fewest antecedents."""
        some, others = (self._rows[self._sides[which]] for which in (side, 1 - side))
        bits_of_others = len(others) * self._arrays.by_antecedent.shape[0]
        part = some[first : first + max(1, _EFFORT * _PRODUCTS_PER_ENTRY // (4 * bits_of_others))]
        k = min(_NEAREST, len(others))
        each = np.array_split(part, min(self._n_threads, len(part)))
        chosen = np.concatenate(self._together([partial(nearest, rows, others, k) for rows in each]))
        own = np.repeat(np.arange(first, first + len(part)), k)
        positive, negative = (own, chosen) if side == 0 else (chosen, own)
        self._codes.append(positive * len(self._sides[1]) + negative)
        last = first + len(part)
        self._next = ("_near", side, last) if last < len(some) else ("_near", 1, 0) if side == 0 else ("_choose",)
        return bits_of_others * len(part) // _PRODUCTS_PER_ENTRY + len(part) * len(others)

    def _choose(self) -> int:
        """The pairs that fewest rules tell apart."""
        codes = np.unique(np.concatenate(self._codes))
        positive, negative = self._sides
        pairs = np.stack([positive[codes // len(negative)], negative[codes % len(negative)]], axis=1).astype(np.int32)
        apart = np.zeros(len(pairs), dtype=np.int64)
        for w in range(self._rows.shape[1]):
            apart += np.bitwise_count(self._rows[pairs[:, 0], w] ^ self._rows[pairs[:, 1], w])
        order = np.argsort(apart, kind="stable")
        entries = np.cumsum(apart[order])
        n = int(np.searchsorted(entries, _ENTRIES))
        self._pairs = pairs[order[:n]]
        self._codes = []
        if self._free is not None and n * _BYTES_PER_PAIR + int(entries[n - 1]) * _BYTES_PER_ENTRY > self._free:
            self.found = given_up()
        self._next = ("_tell", 0)
        return int(codes.size * self._rows.shape[1])

    def _tell(self, first: int) -> int:
        """What tells some of the pairs apart."""
        m = self._arrays.by_antecedent.shape[0]
        part = self._pairs[first : first + max(1, _EFFORT // (8 * m))]
        p, q = self._rows[part[:, 0]], self._rows[part[:, 1]]
        tells = np.concatenate([bits.unpack(p & ~q, m), bits.unpack(q & ~p, m)], axis=1)
        pair, rule = np.nonzero(tells)
        self._told.append(np.stack([pair + first, rule]).astype(np.int32))
        last = first + len(part)
        self._next = ("_tell", last) if last < len(self._pairs) else ("_begin",)
        return 2 * tells.size

    def _begin(self) -> int:
        """The multipliers from which the descent begins."""
        pairs, weights = self._pairs, self._arrays.weights
        m, words = self._arrays.by_antecedent.shape
        told = np.concatenate(self._told, axis=1)
        start = np.zeros(len(pairs) + 1, dtype=np.int64)
        np.cumsum(np.bincount(told[0], minlength=len(pairs)), out=start[1:])
        self._draft = with_pairs(pairs, start, np.ascontiguousarray(told[1]), words * bits.WORD, m)
        self._told = []
        scale = max(1, min(_FINEST // self._per_error, _LARGEST_COST // self._largest))
        self._draft.numbers[SCALE] = scale
        per_error = scale * self._per_error
        u = np.full(len(pairs), 0.25 * per_error * max(1, int(weights.max())), dtype=np.float64)
        self._multiplier = np.minimum(u, per_error * np.minimum(weights[pairs[:, 0]], weights[pairs[:, 1]]) / 2)
        self._active = np.arange(len(pairs), dtype=np.int32)
        self._next = ("_descend", 0, _STAGES[0][2])
        return told.size

    def _descend(self, stage: int, left: int) -> int:
        """Some passes of a stage of the descent."""
        steepness, step, _ = _STAGES[stage]
        draft, active = self._draft, self._active
        entries = int((draft.start[active + 1] - draft.start[active]).sum())
        each = max(1, entries + len(active) + len(draft.rule_left))
        passes = min(left, max(1, _EFFORT // each))
        scale = int(draft.numbers[SCALE])
        costs = scale * self._per_error, scale * self._per_rule
        n_threads = self._n_threads if entries >= ENTRIES_TO_SHARE else 1
        given = active, self._multiplier, costs, steepness, step, passes, n_threads, self._together
        self._active = descend(self._arrays, draft, *given)
        if left > passes:
            self._next = ("_descend", stage, left - passes)
        elif stage + 1 < len(_STAGES):
            self._next = ("_descend", stage + 1, _STAGES[stage + 1][2])
        else:
            self._next = ("_settle",)
        return passes * each

    def _settle(self) -> int:
        scale = int(self._draft.numbers[SCALE])
        by_size = self._active[np.argsort(-self._multiplier[self._active], kind="stable")]
        costs = scale * self._per_error, scale * self._per_rule
        settle(self._arrays, self._draft, by_size, self._multiplier, *costs)
        self._draft.numbers[READY] = 1
        self.found = self._draft
        return _EFFORT


def _in_turn(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    return [call() for call in calls]


@kernel
def settle(arrays, separation, by_size, u, per_error, per_rule):
    """Whole multipliers that pay no more than errors and rules cost, near to those found, and as many more as fit."""
    multiplier, numbers = separation.multiplier, separation.numbers
    error_left, rule_left = separation.error_left, separation.rule_left
    start, rule = separation.start, separation.rule
    for i in range(error_left.size):
        error_left[i] = 0
    for i in range(rule_left.size):
        rule_left[i] = 0
    for j in range(by_size.size):
        i = by_size[j]
        x = np.int64(u[i])
        error_left[separation.first[i]] += x
        error_left[separation.second[i]] += x
        for k in range(start[i], start[i + 1]):
            rule_left[rule[k]] += x
    for j in range(by_size.size):  # each as much less as the most it asks of anything is too much
        i = by_size[j]
        over = 1.0
        over = max(over, error_left[separation.first[i]] / np.float64(per_error * arrays.weights[separation.first[i]]))
        over = max(
            over, error_left[separation.second[i]] / np.float64(per_error * arrays.weights[separation.second[i]])
        )
        for k in range(start[i], start[i + 1]):
            over = max(over, rule_left[rule[k]] / np.float64(per_rule))
        multiplier[i] = np.int64(u[i] / over)
    for i in range(error_left.size):
        error_left[i] = per_error * arrays.weights[i]
    for i in range(rule_left.size):
        rule_left[i] = per_rule
    for j in range(by_size.size):
        i = by_size[j]
        multiplier[i] = pay(separation, i, multiplier[i])
    for i in range(multiplier.size):
        multiplier[i] += pay(separation, i, np.int64(1) << 60)
    n = 0
    for i in range(multiplier.size):
        if multiplier[i] > 0:
            separation.held[n] = i
            n += 1
    numbers[N_HELD] = n
