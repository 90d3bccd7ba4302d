"""The state of a `CorelsSearch` as flat arrays: what the kernels read and write, and Python grows and pickles."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...kernels import bits
from ...kernels.bit_words import bit_planes, entries, transposed
from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size
from ..costs import Costs
from ..exact import state
from .bounds import CORELS_BOUNDS, LIMITING, CorelsBounds

# positions in Store.numbers, after those that all rule list searches have
COUNTED, INSERTED, LARGEST_QUEUE, LONGEST, CREATED_AT_BEST, N_CLOSED = range(state.N_NUMBERS, state.N_NUMBERS + 6)
N_NUMBERS = state.N_NUMBERS + 6

# positions in Store.pruned, whose names are CORELS_BOUNDS
BY_HIERARCHICAL, BY_POINTS, BY_LOOKAHEAD, BY_A_PRIORI_LENGTH, BY_INCUMBENT_LENGTH = range(5)
BY_PREFIX_LENGTH, BY_SUPPORT, BY_ACCURATE_SUPPORT, BY_EXCESSIVE_SUPPORT, BY_PROPAGATION = range(5, 10)
BY_DOMINANCE, BY_COMMUTING, BY_PERMUTATION, BY_SAME_SET, BY_SIMILAR = range(10, 15)

REMEMBERED = 128
"""How many prefixes, of which no extension beats the incumbent, are compared with others (Thm 18)."""


@by_reference
class Planes(NamedTuple):
    """Weights of patterns as bit planes, for `counting.weigh`: the first ``positive_entries`` make up its first sum."""

    entry_word: np.ndarray
    entry_digit: np.ndarray
    entry_mask: np.ndarray
    positive_entries: int


@by_reference
class Arrays(NamedTuple):
    """The problem: pattern sets of the antecedents, weights of both classes, and of the minority of each pattern."""

    by_antecedent: np.ndarray
    full: np.ndarray
    classes: Planes
    minority: Planes


@by_reference
class Rules(NamedTuple):
    """What stays constant during a search: costs, switches, policy."""

    per_error: int
    per_rule: int
    total: int
    policy: int
    hierarchical: bool
    equivalent_points: bool
    lookahead: bool
    a_priori_length: bool
    incumbent_length: bool
    prefix_length: bool
    support: bool
    accurate_support: bool
    excessive_support: bool
    rejection_propagation: bool
    dominance: bool
    commuting: bool
    permutation: bool
    equivalent_support: bool
    similar_support: bool


@by_reference
class Store(
    namedtuple(
        "Store",
        "sets antecedents rejected settled cost points key parent rule length fate superseded closed heap_priority "
        "heap_node bound_key bound_node by_antecedents by_set numbers pruned queued_by_steps path prefix remembered "
        "remembered_weight scratch_set scratch_bits",
    )
):
    """Stored prefixes (nodes), the queue over them, two memos, counters and scratch space.

    A node is a prefix for good: when a cheaper one takes its place in a memo it is ``superseded``, and with it all that
    starts with it. ``sets`` are the uncaptured patterns, ``points`` their minority weight, ``key`` bounds the cost of
    every longer list. ``rejected`` has a bit for each antecedent that a support bound rejects after the node,
    ``settled`` for each one such that no list beats the incumbent that starts with both; a node is ``closed`` when none
    that starts with it does. ``by_antecedents`` and ``by_set`` map hashes to nodes, ``-1`` where empty.
    ``queued_by_steps`` counts the queued prefixes by length and by how many more rules the incumbent pays for.
    """


NODES = Group(
    state.N_NODES,
    {
        np.uint64: "sets antecedents rejected settled",
        np.int64: "cost points key heap_priority bound_key",
        np.int32: "parent rule length heap_node bound_node",
        np.uint8: "fate superseded closed",
    },
    tables=("by_antecedents", "by_set"),
)
"""The arrays of nodes, and of the queues, which have no more entries."""


def new_arrays(problem: Problem, costs: Costs) -> Arrays:
    """The problem as it is, without any reduction but that equal rows are one pattern."""
    minority = np.minimum(costs.positives, costs.negatives)
    return Arrays(
        by_antecedent=transposed(problem.words, problem.n_antecedents),
        full=bits.pack(np.ones((1, problem.n_patterns), dtype=bool))[0],
        classes=_planes(costs.positives, costs.negatives),
        minority=_planes(minority, np.zeros_like(minority)),
    )


def _planes(first: np.ndarray, second: np.ndarray) -> Planes:
    """The planes of two weights of each pattern, one after the other."""
    word, digit, mask = zip(entries(bit_planes(first)), entries(bit_planes(second)), strict=True)
    return Planes(np.concatenate(word), np.concatenate(digit), np.concatenate(mask), len(word[0]))


def longest_a_priori(costs: Costs, m: int) -> int:
    """Most rules of an optimal list (Cor 5)."""
    total = int(costs.positives.sum() + costs.negatives.sum())
    return min(costs.per_error * total // (2 * costs.per_rule), m)


def new_store(arrays: Arrays, costs: Costs, bounds: CorelsBounds, best_first: bool) -> Store:
    """An empty store with room for a few expansions."""
    m, words = arrays.by_antecedent.shape
    longest = longest_a_priori(costs, m)
    lengths = longest + 2 if any(getattr(bounds, name) for name in LIMITING) else m + 2
    room = 2 * (m + 1)
    chosen = bits.n_words(m)

    def integers(*shape: int, dtype: type = np.int64) -> np.ndarray:
        return np.zeros(shape, dtype=dtype)

    per_node = NODES.new(room, sets=(words,), **dict.fromkeys(("antecedents", "rejected", "settled"), (chosen,)))
    if best_first:
        per_node |= {"bound_key": integers(1), "bound_node": integers(1, dtype=np.int32)}
    return Store(
        **per_node,
        by_antecedents=np.full(table_size(room), -1, dtype=np.int32),
        by_set=np.full(table_size(room), -1, dtype=np.int32),
        numbers=integers(N_NUMBERS),
        pruned=integers(len(CORELS_BOUNDS)),
        queued_by_steps=integers(lengths, longest + 1),
        path=integers(m + 1),
        prefix=integers(m + 1),
        remembered=integers(REMEMBERED, dtype=np.int32),
        remembered_weight=integers(REMEMBERED),
        scratch_set=integers(2, words, dtype=np.uint64),
        scratch_bits=integers(2, chosen, dtype=np.uint64),
    )
