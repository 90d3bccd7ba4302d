"""The states of a count as flat arrays: sets of uncaptured patterns, the rules between them, and tables of lists."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size
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
class Store(
    namedtuple(
        "Store",
        "sets least shortest stop following order first_edge last_edge edge_from edge_to edge_rule edge_errors heads "
        "state_table numbers scratch_counts scratch_sums scratch_state",
    )
):
    """States, and the edges that rules make between them.

    ``sets[i]`` is what the prefixes of state i leave uncaptured, ``least[i]`` the cost of the cheapest of them,
    ``shortest[i]`` the length of the shortest, ``stop[i]`` the errors of the default rule. States wait by the size of
    their sets, in ``heads[size]`` and ``following``; ``order`` is the order in which they were expanded, the largest
    first. The edges of a state lie in a row, ``first_edge[i]`` to ``last_edge[i]``; ``edge_to`` is -1 where the list
    must end after the rule, and ``edge_errors`` has the errors of the default rule too then.
    """


STATES = Group(
    N_STATES,
    {np.uint64: "sets", np.int64: "least stop first_edge last_edge", np.int32: "following order", np.int16: "shortest"},
    tables=("state_table",),
)
EDGES = Group(N_EDGES, {np.int64: "edge_errors", np.int32: "edge_from edge_to edge_rule"})


def new_store(sets: Sets, limits: Limits) -> Store:
    """An empty store with room for one expansion."""
    m, words = sets.captures.shape
    room = 4 * (m + 1)
    numbers = np.zeros(N_NUMBERS, dtype=np.int64)
    numbers[OPEN_STATE] = -1
    numbers[BUCKET] = 64 * words
    return Store(
        **STATES.new(room, sets=(words,)),
        **EDGES.new(room),
        heads=np.full(64 * words + 1, -1, dtype=np.int32),
        state_table=np.full(table_size(room), -1, dtype=np.int32),
        numbers=numbers,
        scratch_counts=np.zeros((4, m), dtype=np.int64),
        scratch_sums=np.zeros((4, max(1, min(LARGEST_TAIL, limits.max_length)) + 1), dtype=np.int64),
        scratch_state=np.zeros(words, dtype=np.uint64),
    )


@by_reference
class Tables(namedtuple("Tables", "first last rules errors counts values slots numbers")):
    """For each state the lists, or parts of lists, by their number of rules and their errors.

    The entries of state i are ``first[i]`` to ``last[i]``. ``counts[j]`` is a number in words of `LIMB` bits, the least
    first, or has no word; ``values[j]`` is the largest value of such a list, or there are none. ``slots`` finds an
    entry of the state that is being made. ``numbers``: entries, states made, and the room that the next one needs.
    """


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
    """Words for the number of all lists of at most so many of ``m`` antecedents, which no sum of a count exceeds."""
    most = sum(math.perm(m, k) for k in range(min(m, longest) + 1))
    return most.bit_length() // LIMB + 1


def whole(words: np.ndarray) -> int:
    """The number that words make, or sums of words, each of which may be larger than one."""
    return sum(word << (LIMB * k) for k, word in enumerate(words.tolist()))
