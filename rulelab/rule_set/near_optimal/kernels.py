"""All sets of given rules whose cost is within a bound, depth first, in integers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.jit import kernel

DEPTH, N_FOUND, NODES, DONE = range(4)  # places in ``Walk.numbers``


@by_reference
class Table(NamedTuple):
    """Rules, by ascending reduced cost, and what they cover; costs are on the grid of the dual values."""

    reduced: np.ndarray  # int64, shape (n_rules,): reduced costs, none negative
    own: np.ndarray  # int64, shape (n_rules,): what a rule costs for what it covers and for its complexity
    complexity: np.ndarray  # int64, shape (n_rules,)
    # start, entities (int64): the watched entities that each rule covers, in compressed rows
    start: np.ndarray
    entities: np.ndarray
    covers: np.ndarray  # uint64, shape (n_rules, n_words): the patterns that each rule covers, packed
    leave: np.ndarray  # int64, shape (n_entities,): what it costs that no rule covers an entity
    taken: np.ndarray  # int64, shape (n_entities,): dual values; 0 where leaving costs less than nothing


@by_reference
class Walk(NamedTuple):
    """Where the search stands: the set that is looked at, one rule per level."""

    # chosen, following (int64, shape (n_levels,)): the rule of each level, and the one to try next there
    chosen: np.ndarray
    following: np.ndarray
    # bound, cost, room (int64, shape (n_levels + 1,)): of the set of the levels above: what any set that holds it costs
    # at least, what it costs, complexity left
    bound: np.ndarray
    cost: np.ndarray
    room: np.ndarray
    # union, several (uint64, shape (n_levels + 1, n_words)): patterns that some rule covers, and that more than one
    # does
    union: np.ndarray
    several: np.ndarray
    times: np.ndarray  # int32, shape (n_entities,): rules that cover each entity
    sets: np.ndarray  # int64, shape (n_room, n_levels): sets found, filled up with -1
    costs: np.ndarray  # int64, shape (n_room,)
    covered: np.ndarray  # uint64, shape (n_room, n_words): what each covers
    numbers: np.ndarray  # int64: see `DEPTH` and those after it


def new_walk(table: Table, bound: int, cost: int, max_complexity: int, n_room: int) -> Walk:
    """At the set without rules.

    ``bound``: no set costs less. ``cost``: of the set without rules. ``n_room``: sets that are found at once.
    """
    levels, words = max(1, max_complexity // 2), table.covers.shape[1]
    walk = Walk(
        chosen=np.zeros(levels, dtype=np.int64),
        **{name: np.zeros(levels + 1, dtype=np.int64) for name in ("following", "bound", "cost", "room")},
        union=np.zeros((levels + 1, words), dtype=np.uint64),
        several=np.zeros((levels + 1, words), dtype=np.uint64),
        times=np.zeros(len(table.leave), dtype=np.int32),
        sets=np.full((n_room, levels), -1, dtype=np.int64),
        costs=np.zeros(n_room, dtype=np.int64),
        covered=np.zeros((n_room, words), dtype=np.uint64),
        numbers=np.zeros(4, dtype=np.int64),
    )
    walk.bound[0], walk.cost[0], walk.room[0] = bound, cost, max_complexity
    return walk


@kernel
def advance(table, walk, most, max_nodes):
    """Look at up to so many rules more; ends early where there is no room for another set.

    A set is cut with all that hold it where the reduced costs of its rules, and the dual values of entities for each
    rule but the first that covers them, are too much; or where a rule covers only what others do: what is added to it
    leaves that so.
    """
    numbers = walk.numbers
    depth = numbers[DEPTH]
    n_rules = table.reduced.size
    n_words = table.covers.shape[1]
    left = max_nodes
    while left > 0 and numbers[DONE] == 0 and numbers[N_FOUND] < walk.costs.size:
        left -= 1
        numbers[NODES] += 1
        j = walk.following[depth]
        if j >= n_rules or depth == walk.chosen.size or walk.bound[depth] + table.reduced[j] > most:
            if depth == 0:
                numbers[DONE] = 1
                break
            depth -= 1
            k = walk.chosen[depth]
            for e in range(table.start[k], table.start[k + 1]):
                walk.times[table.entities[e]] -= 1
            continue
        walk.following[depth] = j + 1
        if table.complexity[j] > walk.room[depth]:
            continue
        over = np.int64(0)
        saved = np.int64(0)
        for e in range(table.start[j], table.start[j + 1]):
            i = table.entities[e]
            if walk.times[i]:
                over += table.taken[i]
            else:
                saved += table.leave[i]
        bound = walk.bound[depth] + table.reduced[j] + over
        if bound > most:
            continue
        below = depth + 1
        for w in range(n_words):
            word = table.covers[j, w]
            walk.several[below, w] = walk.several[depth, w] | (walk.union[depth, w] & word)
            walk.union[below, w] = walk.union[depth, w] | word
        walk.chosen[depth] = j
        needed = True
        for d in range(below):
            k = walk.chosen[d]
            alone = False
            for w in range(n_words):
                if table.covers[k, w] & ~walk.several[below, w]:
                    alone = True
                    break
            if not alone:
                needed = False
                break
        if not needed:
            continue
        for e in range(table.start[j], table.start[j + 1]):
            walk.times[table.entities[e]] += 1
        cost = walk.cost[depth] + table.own[j] - saved
        walk.bound[below] = bound
        walk.cost[below] = cost
        walk.room[below] = walk.room[depth] - table.complexity[j]
        walk.following[below] = j + 1
        depth = below
        if cost <= most:
            at = numbers[N_FOUND]
            for d in range(walk.chosen.size):
                walk.sets[at, d] = walk.chosen[d] if d < depth else -1
            for w in range(n_words):
                walk.covered[at, w] = walk.union[depth, w]
            walk.costs[at] = cost
            numbers[N_FOUND] += 1
    numbers[DEPTH] = depth
