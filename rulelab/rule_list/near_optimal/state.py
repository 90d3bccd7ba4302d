"""The state of an enumeration of near-optimal lists as flat arrays: partial classifiers, classifiers and the queue."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size

# positions in Store.numbers
N_STATES, N_CLASSES, N_EDGES, N_HEAP, N_EMITTED, WORK = range(6)
OPEN_NODE, OPEN_CHILD, OPEN_KEY, OPEN_SEPARATED = range(6, 10)
N_NUMBERS = 10

LARGEST_TAIL = 12
"""Completions of more rules than this are bounded by their rules alone."""

NEVER = np.iinfo(np.int64).max

MOST_LISTS = 1 << 62
"""Numbers of lists are exact below this, and stop here."""


@by_reference
class Sets(NamedTuple):
    """Sets of patterns: the words of the patterns with a net weight, then those of the patterns without."""

    captures: np.ndarray  # uint64, shape (m, words)
    full: np.ndarray  # uint64, shape (words,)
    weighted: int  # words of the patterns with a net weight, which come first


@by_reference
class Limits(NamedTuple):
    """Costs of errors and rules, the largest cost of a list that counts, the most rules, and whether pairs of patterns
    bound costs once so many states are stored."""

    per_error: int
    per_rule: int
    threshold: int
    max_length: int
    separation: bool
    separate_after: int


@by_reference
class Store(
    namedtuple(
        "Store",
        "states cost stop class_of length parent rule classes class_cost class_state is_emitted emitted edge_from "
        "edge_to edge_rule heap_key heap_item state_table class_table numbers scratch_counts scratch_sums "
        "scratch_state scratch_class",
    )
):
    """States, classes, edges between states, and the queue of what is still to be looked at.

    ``states[i]`` is the uncaptured set, then the set predicted positive; ``stop[i]`` the cost of stopping there,
    ``class_of[i]`` the classifier that this makes, -1 when it exceeds the threshold. The queue holds states and, as
    ``-1 - class``, classes; ``emitted`` lists the classes in the order of their cost. An expansion can be left
    half-way: ``numbers`` has the open state, or -1, the antecedent it is to go on with, a bound of all lists through
    it, and whether there are multipliers for what it leaves.
    """


STATES = Group(
    N_STATES,
    {np.uint64: "states", np.int64: "cost stop", np.int16: "length", np.int32: "class_of parent rule"},
    tables=("state_table",),
)
CLASSES = Group(
    N_CLASSES,
    {np.uint64: "classes", np.int64: "class_cost", np.int32: "class_state emitted", np.uint8: "is_emitted"},
    tables=("class_table",),
)
EDGES = Group(N_EDGES, {np.int32: "edge_from edge_to edge_rule"})
HEAP = Group(N_HEAP, {np.int64: "heap_key heap_item"})


def new_store(sets: Sets, limits: Limits) -> Store:
    """An empty store with room for one expansion."""
    m, words = sets.captures.shape
    room = 4 * (m + 1)

    numbers = np.zeros(N_NUMBERS, dtype=np.int64)
    numbers[OPEN_NODE] = -1
    tail = max(1, min(LARGEST_TAIL, limits.max_length))
    return Store(
        **STATES.new(room, states=(2 * words,)),
        **CLASSES.new(room, classes=(words,)),
        **EDGES.new(room),
        **HEAP.new(2 * room),
        state_table=np.full(table_size(room), -1, dtype=np.int32),
        class_table=np.full(table_size(room), -1, dtype=np.int32),
        numbers=numbers,
        scratch_counts=np.zeros((4, m), dtype=np.int64),
        scratch_sums=np.zeros((4, tail + 1), dtype=np.int64),
        scratch_state=np.zeros(2 * words, dtype=np.uint64),
        scratch_class=np.zeros(words, dtype=np.uint64),
    )


def emitted_of(store: Store, best_cost: int) -> np.ndarray:
    """The classes that were found, in the order of their cost; before any is, the optimum's, as soon as it is known."""
    n = int(store.numbers[N_EMITTED])
    costs = store.class_cost[: store.numbers[N_CLASSES]]
    if n or not len(costs) or costs.min() > best_cost:
        return store.emitted[:n]
    return np.argsort(costs, kind="stable")[:1]
