"""Ranges over all near-optimal lists, from passes over the states: of antecedents, columns, people and groups.

What adds up along a list, such as the weight that some rules decide, has a largest value among the lists of each number
of rules and errors; these are found from the last state to the first, as the lists are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd

from ...data.groups import Groups
from ...data.problem import Problem
from .state import LIMB
from .tables import Counted, Walk, completed

_MOST = 1 << 61
_FINE = 1 << 50

_OF_RATE: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]] = {
    "true_positive_rate": lambda p, n: (p, 0 * n, p),
    "false_positive_rate": lambda p, n: (n, 0 * n, n),
    "selection_rate": lambda p, n: (p + n, 0 * n, p + n),
    "accuracy": lambda p, n: (p - n, n, p + n),
}
"""For each rate, from the positives and the negatives of a pattern: what it gains when the pattern is predicted
positive, what it has otherwise, and what it counts."""


def importance(problem: Problem, counted: Counted, n_lists: int, optimum: float) -> pd.DataFrame:
    """See `NearOptimalCount.importance`."""
    states, costs, passing = counted.states, counted.costs, counted.passing
    m, store = len(counted.representatives), states.store
    rule = store.edge_rule[: states.n_edges]
    lists = _sums(passing.through, rule, m)
    used = np.asarray(passing.through.any(axis=1))
    cheapest, least, most = (
        np.full(m, np.iinfo(np.int64).max),
        np.full(m, np.iinfo(np.int64).max),
        np.zeros(m, np.int64),
    )
    np.minimum.at(cheapest, rule[used], passing.cheapest[used])
    weights = _weights(counted)
    total = int(weights.sum())
    for part, captured, _ in states.rules():
        decided = captured @ weights
        chosen: np.ndarray = used[part]
        np.minimum.at(least, rule[part][chosen], decided[chosen])
        np.maximum.at(most, rule[part][chosen], decided[chosen])
    best = counted.walk.number(*_cheapest(counted), 0)
    occurs = [a for a in range(m) if lists[a]]
    index = counted.representatives[occurs]
    groups = counted.groups
    base = states.constant * states.limits.per_error
    frame = pd.DataFrame(
        {
            "name": [problem.names[j] for j in index.tolist()],
            "lists": pd.Series([lists[a] for a in occurs], dtype=object),
            "share": [lists[a] / n_lists for a in occurs],
            "objective": [(base + int(cheapest[a])) * costs.unit for a in occurs],
            "without": [_without(counted, a) if a in best else optimum for a in occurs],
            "least": [least[a] / total if lists[a] == n_lists else 0.0 for a in occurs],
            "most": [most[a] / total for a in occurs],
            "aliases": [tuple(k for k in np.flatnonzero(groups == groups[j]).tolist() if k != j) for j in index],
        }
    )
    frame.index = pd.Index(index, name="antecedent")
    order = sorted(range(len(occurs)), key=lambda i: (-lists[occurs[i]], cheapest[occurs[i]]))
    return frame.iloc[order]


def disagreement(problem: Problem, counted: Counted, n_lists: int) -> pd.DataFrame:
    """See `NearOptimalCount.disagreement`."""
    states, passing = counted.states, counted.passing
    sums = np.zeros((len(counted.slots), states.limbs), dtype=np.uint64)
    for part, captured, label in states.rules():
        sums += captured[label].T.astype(np.uint64) @ passing.through[part][label].astype(np.uint64)
    for chosen, at_edge, captured, label in states.ends():
        ending = passing.through if at_edge else passing.ending
        sums += captured[label].T.astype(np.uint64) @ ending[chosen[label]].astype(np.uint64)
    positive: list[int] = [0] * problem.n_patterns
    for slot, pattern in enumerate(counted.slots.tolist()):
        if pattern >= 0:
            positive[pattern] = _number(sums[slot])
    share = np.array([n / n_lists for n in positive], dtype=np.float64)
    return pd.DataFrame(
        {
            "positives": problem.positives,
            "negatives": problem.negatives,
            "lists": pd.Series(positive, dtype=object),
            "share": share,
            "disagreement": np.minimum(share, 1 - share),
        },
        index=pd.RangeIndex(problem.n_patterns, name="pattern"),
    )


def columns(problem: Problem, counted: Counted) -> pd.DataFrame:
    """See `NearOptimalCount.column_ranges`."""
    of = [{name} for name in problem.names]
    if problem.conditions is not None:
        of = [{condition.column for condition in conditions} for conditions in problem.conditions]
    states, weights = counted.states, _weights(counted)
    decided = np.zeros(states.n_edges, dtype=np.int64)
    for part, captured, _ in states.rules():
        decided[part] = captured @ weights
    rule = counted.representatives[states.store.edge_rule[: states.n_edges]]
    rows = []
    for column in dict.fromkeys(name for names in of for name in sorted(names)):
        has = np.array([column in names for names in of])
        least, most = (abs(value) for value, _ in _range(counted, decided * has[rule], np.zeros(states.n, np.int64)))
        rows.append((column, least / int(weights.sum()), most / int(weights.sum())))
    frame = pd.DataFrame(rows, columns=["column", "least", "most"]).set_index("column")
    return frame.sort_values(["most", "least"], ascending=False, kind="stable")


def gaps(problem: Problem, counted: Counted, rates: tuple[str, ...]) -> pd.DataFrame:
    """See `NearOptimalCount.gap_ranges`."""
    assert problem.groups is not None
    rows = []
    for rate in rates:
        for g, h in combinations(range(len(problem.groups.names)), 2):
            weights = _difference(problem.groups, rate, g, h)
            if weights is None:
                continue
            gain, base, scale = weights
            at_slots = np.where(counted.slots >= 0, gain[counted.slots], 0)
            (low, first), (high, last) = _range(counted, *counted.states.values(at_slots))
            names = problem.groups.names[g], problem.groups.names[h]
            rows.append((rate, *names, (low + base) / scale, (high + base) / scale, first, last))
    return pd.DataFrame(rows, columns=["rate", "group", "other", "least", "greatest", "least_list", "greatest_list"])


def _difference(groups: Groups, rate: str, g: int, h: int) -> tuple[np.ndarray, int, int] | None:
    """The difference of two groups' rates in integers: what each pattern adds when it is predicted positive, what there
    is otherwise, and what 1 is; None when a group does not have the rate.
    """
    parts = [_OF_RATE[rate](groups.positives[k], groups.negatives[k]) for k in (g, h)]
    counts = [part[2].sum() for part in parts]
    if not all(counts):
        return None
    (gain, base, _), (other_gain, other_base, _) = parts
    if groups.positives.dtype.kind == "i" and 4 * int(counts[0]) * int(counts[1]) < _MOST:
        mine, others = int(counts[1]), int(counts[0])
        return gain * mine - other_gain * others, int(base.sum()) * mine - int(other_base.sum()) * others, mine * others
    fine = np.rint(_FINE * (gain / counts[0] - other_gain / counts[1])).astype(np.int64)
    return fine, round(_FINE * float(base.sum() / counts[0] - other_base.sum() / counts[1])), _FINE


def _range(
    counted: Counted, by_rule: np.ndarray, by_end: np.ndarray
) -> tuple[tuple[int, tuple[int, ...]], tuple[int, tuple[int, ...]]]:
    """The least and the largest sum of values along any list, each with a list that has it."""
    found = []
    for sign in (-1, 1):
        tables = completed(counted.states, sign * by_rule, sign * by_end)
        value, rules = Walk(counted.states, tables, sign * by_rule).largest()
        found.append((sign * value, tuple(counted.representatives[list(rules)].tolist())))
    return found[0], found[1]


def _without(counted: Counted, a: int) -> float:
    """The least objective of a near-optimal list without an antecedent; nan when there is none."""
    states = counted.states
    uses = -(states.store.edge_rule[: states.n_edges] == a).astype(np.int64)
    tables = completed(states, uses, np.zeros(states.n, dtype=np.int64))
    part = slice(int(tables.first[0]), int(tables.last[0]))
    free = tables.values[part] == 0
    if not free.any():
        return float("nan")
    limits = states.limits
    cost = limits.per_rule * tables.rules[part][free].astype(np.int64) + limits.per_error * tables.errors[part][free]
    return (int(cost.min()) + limits.per_error * states.constant) * counted.costs.unit


def _cheapest(counted: Counted) -> tuple[int, int]:
    """Rules and errors of an optimal list."""
    tables, limits = counted.ended, counted.states.limits
    part = slice(int(tables.first[0]), int(tables.last[0]))
    cost = limits.per_rule * tables.rules[part].astype(np.int64) + limits.per_error * tables.errors[part]
    j = part.start + int(np.argmin(cost))
    return int(tables.rules[j]), int(tables.errors[j])


def _weights(counted: Counted) -> np.ndarray:
    """Training weight, on the grid, of the pattern at each bit."""
    total = counted.costs.positives + counted.costs.negatives
    return np.where(counted.slots >= 0, total[counted.slots], 0)


def _sums(limbs: np.ndarray, of: np.ndarray, n: int) -> list[int]:
    """The sum of numbers in words for each of n kinds."""
    sums = np.zeros((n, limbs.shape[1]), dtype=np.uint64)
    np.add.at(sums, of, limbs.astype(np.uint64))
    return [_number(row) for row in sums]


def _number(words: np.ndarray) -> int:
    """The number that sums of words make, each of which may be larger than a word."""
    return sum(word << (LIMB * k) for k, word in enumerate(words.tolist()))
