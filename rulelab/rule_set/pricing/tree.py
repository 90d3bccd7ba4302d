"""The state of the branch and bound over conjunctions as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ..features import Features
from .node_conditions import MOST_LEVELS, Levels, new_levels

MOST_BOUNDED = 9
"""Conditions more than this are bounded by the helping weight alone."""

N_PASSES = 2
"""Conditions that are taken away for nothing, for the sake of a bound."""

# positions in Tree.numbers
DEPTH, NODES, N_EMITTED, MOST_CONDITIONS, ENUMERATES, TO_OPEN, TO_LAY_OUT, WORK = range(8)


@by_reference
class Tree(NamedTuple):
    """The path of the search. The first axis of most arrays is the number of conditions of the node.

    slots, level, total (P, N, patterns of weight 0), chosen: the node. candidate, counted, bound, n_candidates,
    position: the conditions that may extend it, what they leave, bounds on rules with 2, 3, ... conditions more, and
    the next of them. target: what a rule of s conditions must exceed. pool_*: the best rule found that has each
    condition. emitted_*: rules of an enumeration. order, tops, top_chain, taken, beyond, scratch: scratch
    space, for `bounds` mostly.
    """

    slots: np.ndarray
    level: np.ndarray
    total: np.ndarray
    chosen: np.ndarray
    candidate: np.ndarray
    counted: np.ndarray
    bound: np.ndarray
    n_candidates: np.ndarray
    position: np.ndarray
    target: np.ndarray
    pool_value: np.ndarray
    pool_sum: np.ndarray
    pool_rule: np.ndarray
    charge: np.ndarray
    emitted_rule: np.ndarray
    emitted_sum: np.ndarray
    order: np.ndarray
    tops: np.ndarray
    top_chain: np.ndarray
    taken: np.ndarray
    beyond: np.ndarray
    scratch: np.ndarray
    numbers: np.ndarray


@by_reference
class Relations(NamedTuple):
    """Which conditions imply each other; see `Features`."""

    related: np.ndarray
    chain_start: np.ndarray
    chain_member: np.ndarray
    chain_of: np.ndarray


def relations(features: Features) -> Relations:
    """The relations as the kernels read them."""
    start, member = features.chains
    chain_of = np.empty(features.n_used, dtype=np.int32)
    chain_of[member] = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return Relations(features.related, start, member, chain_of)


def new_tree(
    features: Features, weight: np.ndarray, target: np.ndarray, charge: np.ndarray, room: int
) -> tuple[np.ndarray, np.ndarray, Levels, Tree]:
    """Everything a search starts from: packed patterns, their weights, levels and the empty conjunction.

    ``weight`` (int64 array, shape (n_patterns,)). ``target``, ``charge`` (int64 array, shape (D + 1,)). ``room``: rules
    that an enumeration may emit before `advance` returns FULL; 0 when pricing, which leaves out the patterns of weight
    0.
    """
    kept = np.argsort(-weight, kind="stable")
    if not room:
        kept = kept[weight[kept] != 0]
    words, weight = features.words[kept], np.ascontiguousarray(weight[kept])
    m, depth = features.n_used, len(target) - 1
    levels = new_levels(words, weight, m, min(MOST_LEVELS, depth))
    levels.order[:] = np.arange(len(weight))
    n_words = levels.columns.shape[2]
    more = max(1, min(depth, MOST_BOUNDED) - 1)

    def integers(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    tree = Tree(
        slots=np.zeros((depth, n_words), dtype=np.uint64),
        level=integers(depth),
        total=integers(depth, 3),
        chosen=integers(depth + 1),
        candidate=np.zeros((depth, m + 1), dtype=np.int32),
        counted=integers(depth, m + 1, 3 + N_PASSES),
        bound=integers(depth, m, more),
        n_candidates=integers(depth),
        position=integers(depth),
        target=target.copy(),
        pool_value=integers(m),
        pool_sum=integers(m),
        pool_rule=np.full((m, depth), -1, dtype=np.int32),
        charge=charge,
        emitted_rule=np.full((room, depth), -1, dtype=np.int32),
        emitted_sum=integers(room),
        order=integers(m),
        tops=integers(more + 1, MOST_BOUNDED),
        top_chain=np.zeros((more + 1, MOST_BOUNDED), dtype=np.int64),
        taken=np.zeros(n_words, dtype=np.uint64),
        beyond=integers(N_PASSES),
        scratch=integers(3),
        numbers=np.array([0, 0, 0, depth, room > 0, 1, len(weight), 0], dtype=np.int64),
    )
    tree.total[0] = weight[weight > 0].sum(), -weight[weight < 0].sum(), (weight == 0).sum()
    tree.candidate[0, :m] = np.arange(m)
    tree.n_candidates[0] = m
    return words, weight, levels, tree
