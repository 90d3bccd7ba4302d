"""The incumbent: the best list found so far, its cost counted from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.problem import Problem
from ...kernels.jit import inner
from ...models import RuleList
from ...snapshot import Incumbent
from ..costs import Costs
from ..counting import weigh
from .state import BEST, FOUND_AT, IMPROVED, PATH_LENGTH, WORK


@dataclass
class Best:
    """The incumbent: its cost on the grid and its antecedents, as indices of the problem's."""

    cost: int
    antecedents: tuple[int, ...] = ()
    work: int = 0
    seconds: float = 0.0


@inner
def improve(arrays, rules, store, node, a, b):
    """Make the list that extends ``node`` by ``a`` (and by ``b`` when >= 0) the incumbent."""
    numbers = store.numbers
    length = 0
    ancestor = node
    while store.parent[ancestor] >= 0:
        length += 1
        ancestor = store.parent[ancestor]
    ancestor = node
    for i in range(length - 1, -1, -1):
        store.path[i] = store.rule[ancestor]
        ancestor = store.parent[ancestor]
    store.path[length] = a
    length += 1
    if b >= 0:
        store.path[length] = b
        length += 1
    numbers[BEST] = list_cost(arrays, rules, store, length)
    numbers[PATH_LENGTH] = length
    numbers[FOUND_AT] = numbers[WORK]
    numbers[IMPROVED] += 1


@inner
def list_cost(arrays, rules, store, length):
    """Cost of the list whose rules are ``store.path[:length]``, counted from scratch."""
    left, captured = store.scratch_set[1], store.scratch_set[0]
    for w in range(left.size):
        left[w] = arrays.full[w]
    wrong = rules.constant
    for i in range(length):
        for w in range(left.size):
            captured[w] = left[w] & arrays.by_antecedent[store.path[i], w]
            left[w] &= ~captured[w]
        positive, negative = weigh(arrays, captured)
        wrong += min(positive, negative)
    positive, negative = weigh(arrays, left)
    return rules.per_error * (wrong + min(positive, negative)) + rules.per_rule * length


def incumbent_of(
    problem: Problem, antecedents: Sequence[int], regularization: float, found_at: tuple[float, int]
) -> Incumbent:
    """The list of these antecedents of the problem, as snapshots show it."""
    model = RuleList.from_problem(problem, antecedents)
    return Incumbent(
        model=model,
        objective=model.objective(regularization),
        errors=model.errors,
        complexity=model.complexity,
        found_at=found_at,
    )


def cost_of(antecedents: Sequence[int], problem: Problem, costs: Costs) -> int:
    """Cost of a list on the grid, counted on the problem's patterns."""
    wrong, left = 0, np.ones(problem.n_patterns, dtype=bool)
    for j in [*antecedents, None]:
        hit = left
        if j is not None:
            hit = left & (problem.words[:, j >> 6] >> np.uint64(j & 63) & np.uint64(1)).astype(bool)
        wrong += min(int(costs.positives[hit].sum()), int(costs.negatives[hit].sum()))
        left = left & ~hit
    return costs.per_error * wrong + costs.per_rule * len(antecedents)
