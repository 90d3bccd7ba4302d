"""The states of a count as flat arrays: sets of uncaptured patterns, the rules between them, and tables of lists."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import bytes_to_resize, table_size
from ..near_optimal.state import LARGEST_TAIL, Limits, Sets

# positions in Store.numbers
N_STATES, N_EDGES, N_ENDS, EXPANDED, BUCKET, OPEN_STATE, OPEN_CHILD, OPEN_SEPARATED, WORK = range(9)
N_NUMBERS = 9

LIMB = 32
"""Bits of a count in one word: numbers of lists are sums of words, as long as the largest number needs."""


@by_reference
class Rules(NamedTuple):
    """What proofs of cores ask for: costs, and how many states are expanded before any core is learnt."""

    per_error: int
    per_rule: int
    learn_after: int


@by_reference
class Store(NamedTuple):
    """States, and the edges that rules make between them.

    ``sets[i]`` is what the prefixes of state i leave uncaptured, ``least[i]`` the cost of the cheapest of them,
    ``shortest[i]`` the length of the shortest, ``stop[i]`` the errors of the default rule. States wait by the size of
    their sets, in ``heads[size]`` and ``following``; ``order`` is the order in which they were expanded, the largest
    first. The edges of a state lie in a row, ``first_edge[i]`` to ``last_edge[i]``; ``edge_to`` is -1 where the list
    must end after the rule, and ``edge_errors`` has the errors of the default rule too then.
    """

    sets: np.ndarray
    least: np.ndarray
    shortest: np.ndarray
    stop: np.ndarray
    following: np.ndarray
    order: np.ndarray
    first_edge: np.ndarray
    last_edge: np.ndarray
    edge_from: np.ndarray
    edge_to: np.ndarray
    edge_rule: np.ndarray
    edge_errors: np.ndarray
    heads: np.ndarray
    state_table: np.ndarray
    numbers: np.ndarray
    scratch_counts: np.ndarray
    scratch_sums: np.ndarray
    scratch_state: np.ndarray


GROUPS = {
    N_STATES: ("sets", "least", "shortest", "stop", "following", "order", "first_edge", "last_edge"),
    N_EDGES: ("edge_from", "edge_to", "edge_rule", "edge_errors"),
}
"""The arrays that grow together, by the number of entries in use."""


def new_store(sets: Sets, limits: Limits) -> Store:
    """An empty store with room for one expansion."""
    m, words = sets.captures.shape
    room = 4 * (m + 1)
    numbers = np.zeros(N_NUMBERS, dtype=np.int64)
    numbers[OPEN_STATE] = -1
    numbers[BUCKET] = 64 * words
    return Store(
        sets=np.zeros((room, words), dtype=np.uint64),
        **{
            name: np.zeros(room, dtype=np.int64) for name in ("least", "stop", "first_edge", "last_edge", "edge_errors")
        },
        **{
            name: np.zeros(room, dtype=np.int32) for name in ("following", "order", "edge_from", "edge_to", "edge_rule")
        },
        shortest=np.zeros(room, dtype=np.int16),
        heads=np.full(64 * words + 1, -1, dtype=np.int32),
        state_table=np.full(table_size(room), -1, dtype=np.int32),
        numbers=numbers,
        scratch_counts=np.zeros((4, m), dtype=np.int64),
        scratch_sums=np.zeros((4, max(1, min(LARGEST_TAIL, limits.max_length)) + 1), dtype=np.int64),
        scratch_state=np.zeros(words, dtype=np.uint64),
    )


def bytes_to_grow(store: Store, counter: int, capacity: int) -> int:
    """Bytes that room for so many entries of a group takes more than now, with their hash table."""
    more = bytes_to_resize(store, GROUPS[counter], capacity)
    if counter == N_STATES:
        more += max(0, table_size(capacity) - len(store.state_table)) * store.state_table.itemsize
    return more


@by_reference
class Tables(NamedTuple):
    """For each state the lists, or parts of lists, by their number of rules and their errors.

    The entries of state i are ``first[i]`` to ``last[i]``. ``counts[j]`` is a number in words of `LIMB` bits, the least
    first, or has no word; ``values[j]`` is the largest value of such a list, or there are none. ``slots`` finds an
    entry of the state that is being made. ``numbers``: entries, states made, and the room that the next one needs.
    """

    first: np.ndarray
    last: np.ndarray
    rules: np.ndarray
    errors: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    slots: np.ndarray
    numbers: np.ndarray


@by_reference
class Links(NamedTuple):
    """What the tables of states are made from."""

    # first, last (int64, shape (n_states,)): the links of each state, as positions in ``edge``
    first: np.ndarray
    last: np.ndarray
    edge: np.ndarray  # int32: the edge of each link
    other: np.ndarray
    """int32, shape (n_edges,): the neighbour at the other end; -1: no list goes on there, and the edge is an entry
    itself."""
    errors: np.ndarray  # int64, shape (n_edges,)
    own_errors: np.ndarray
    """int64, shape (n_states,): errors of the list without a rule that a state starts with, -1 for none."""
    # budget, rules_left (int64, shape (n_states,)): what a list of the state may cost, and its most rules
    budget: np.ndarray
    rules_left: np.ndarray
    value: np.ndarray  # int64, shape (n_edges,), or empty
    own_value: np.ndarray  # int64, shape (n_states,), or empty
    one: np.ndarray  # uint32: the number 1 in words


@by_reference
class Passing(NamedTuple):
    """Lists through each edge, and ending in each state, as words; the cost of the cheapest through each edge."""

    through: np.ndarray
    ending: np.ndarray
    cheapest: np.ndarray
    sum: np.ndarray


ENTRIES = ("rules", "errors", "counts", "values")
N_ENTRIES, MADE, NEEDED = range(3)


def new_tables(n_states: int, limbs: int, with_values: bool = False, room: int = 64) -> Tables:
    """No entry yet; counts of so many words, and largest values if wanted."""
    return Tables(
        first=np.zeros(n_states, dtype=np.int64),
        last=np.zeros(n_states, dtype=np.int64),
        rules=np.zeros(room, dtype=np.int16),
        errors=np.zeros(room, dtype=np.int64),
        counts=np.zeros((room, limbs), dtype=np.uint32),
        values=np.zeros(room if with_values else 0, dtype=np.int64),
        slots=np.full(table_size(room), -1, dtype=np.int64),
        numbers=np.zeros(3, dtype=np.int64),
    )


def limbs_for(m: int, longest: int) -> int:
    """Words that the number of all lists of at most so many of ``m`` antecedents fits in, and so every sum and product
    that a count takes.
    """
    most = sum(math.perm(m, k) for k in range(min(m, longest) + 1))
    return most.bit_length() // LIMB + 1


def whole(limbs: np.ndarray) -> int:
    """The number that some words make."""
    return int.from_bytes(np.ascontiguousarray(limbs, dtype="<u4").tobytes(), "little")
