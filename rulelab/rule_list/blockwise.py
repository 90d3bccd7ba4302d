"""The descent of multipliers, by one thread or several: each changes those of its part of the pairs, by prices of all.

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

from ..kernels.jit import kernel, popcount
from .counting import Layout
from .pair_bound import Separation

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
    """The ``k`` of ``others`` nearest to each of ``some`` rows of bits, one row's after another's.

    A matrix product, which one thread finds them by, has threads of its own, which others' would wait for.
    """
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
