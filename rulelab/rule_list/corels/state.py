"""The state of a `CorelsSearch` as flat arrays: what the kernels read and write, and Python grows and pickles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...kernels import bits
from ...kernels.bit_words import bit_planes, entries, transposed
from ...kernels.by_reference import by_reference
from ...kernels.growing import table_size
from ..costs import Costs
from ..exact import state
from .bounds import CORELS_BOUNDS, LIMITING, CorelsBounds

# positions in Store.numbers, after those that all rule list searches have
COUNTED, INSERTED, LARGEST_QUEUE, LONGEST, CREATED_AT_BEST, N_CLOSED = range(state.N_NUMBERS, state.N_NUMBERS + 6)
N_NUMBERS = state.N_NUMBERS + 6

# positions in Store.pruned, whose names are CORELS_BOUNDS
(
    BY_HIERARCHICAL,
    BY_POINTS,
    BY_LOOKAHEAD,
    BY_A_PRIORI_LENGTH,
    BY_INCUMBENT_LENGTH,
    BY_PREFIX_LENGTH,
    BY_SUPPORT,
    BY_ACCURATE_SUPPORT,
    BY_EXCESSIVE_SUPPORT,
    BY_PROPAGATION,
    BY_DOMINANCE,
    BY_COMMUTING,
    BY_PERMUTATION,
    BY_SAME_SET,
    BY_SIMILAR,
) = range(len(CORELS_BOUNDS))

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
class Store(NamedTuple):
    """Stored prefixes (nodes), the queue over them, two memos, counters and scratch space.

    A node is a prefix for good: when a cheaper one takes its place in a memo it is ``superseded``, and with it all that
    starts with it. ``sets`` are the uncaptured patterns, ``points`` their minority weight, ``key`` bounds the cost of
    every longer list. ``rejected`` has a bit for each antecedent that a support bound rejects after the node,
    ``settled`` for each one such that no list beats the incumbent that starts with both; a node is ``closed`` when none
    that starts with it does. ``by_antecedents`` and ``by_set`` map hashes to nodes, ``-1`` where empty.
    ``queued_by_steps`` counts the queued prefixes by length and by how many more rules the incumbent pays for.
    """

    sets: np.ndarray
    antecedents: np.ndarray
    rejected: np.ndarray
    settled: np.ndarray
    cost: np.ndarray
    points: np.ndarray
    key: np.ndarray
    parent: np.ndarray
    rule: np.ndarray
    length: np.ndarray
    fate: np.ndarray
    superseded: np.ndarray
    closed: np.ndarray
    heap_priority: np.ndarray
    heap_node: np.ndarray
    bound_key: np.ndarray
    bound_node: np.ndarray
    by_antecedents: np.ndarray
    by_set: np.ndarray
    numbers: np.ndarray
    pruned: np.ndarray
    queued_by_steps: np.ndarray
    path: np.ndarray
    prefix: np.ndarray
    remembered: np.ndarray
    remembered_weight: np.ndarray
    scratch_set: np.ndarray
    scratch_bits: np.ndarray


NODE_ARRAYS = (
    "sets",
    "antecedents",
    "rejected",
    "settled",
    "cost",
    "points",
    "key",
    "parent",
    "rule",
    "length",
    "fate",
    "superseded",
    "closed",
    *state.HEAP_ARRAYS,
)


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

    def integers(n: int, dtype: type = np.int64) -> np.ndarray:
        return np.zeros(n, dtype=dtype)

    def words_of(n: int, width: int) -> np.ndarray:
        return np.zeros((n, width), dtype=np.uint64)

    return Store(
        sets=words_of(room, words),
        antecedents=words_of(room, chosen),
        rejected=words_of(room, chosen),
        settled=words_of(room, chosen),
        cost=integers(room),
        points=integers(room),
        key=integers(room),
        parent=integers(room, np.int32),
        rule=integers(room, np.int32),
        length=integers(room, np.int32),
        fate=integers(room, np.uint8),
        superseded=integers(room, np.uint8),
        closed=integers(room, np.uint8),
        heap_priority=integers(room),
        heap_node=integers(room, np.int32),
        bound_key=integers(1 if best_first else room),
        bound_node=integers(1 if best_first else room, np.int32),
        by_antecedents=np.full(table_size(room), -1, dtype=np.int32),
        by_set=np.full(table_size(room), -1, dtype=np.int32),
        numbers=integers(N_NUMBERS),
        pruned=integers(len(CORELS_BOUNDS)),
        queued_by_steps=np.zeros((lengths, longest + 1), dtype=np.int64),
        path=integers(m + 1),
        prefix=integers(m + 1),
        remembered=integers(REMEMBERED, np.int32),
        remembered_weight=integers(REMEMBERED),
        scratch_set=words_of(2, words),
        scratch_bits=words_of(2, chosen),
    )


def arrays_to_grow(store: Store) -> tuple[str, ...]:
    """The arrays with one entry per node; the second heap only where it is used."""
    return NODE_ARRAYS if len(store.bound_key) == 1 else (*NODE_ARRAYS, *state.BOUND_HEAP_ARRAYS)


def bytes_with(store: Store, capacity: int) -> int:
    """Bytes of all arrays with room for so many nodes."""
    growing = arrays_to_grow(store)
    fixed = sum(a.nbytes for name, a in store._asdict().items() if name not in (*growing, "by_antecedents", "by_set"))
    per_node = sum(getattr(store, name)[:1].nbytes for name in growing)
    tables = 2 * max(table_size(capacity), len(store.by_set)) * store.by_set.itemsize
    return fixed + capacity * per_node + tables
