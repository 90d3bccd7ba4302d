"""Looking into an exact search for rule lists: its stored prefixes, and what becomes of the children of one."""

from __future__ import annotations

import numpy as np

from ...prefixes import WORTHLESS, Children, Places, Replay, path_to
from ..core_pool import Cores
from ..counting import Layout
from ..pair_bound import Separation
from . import kernels, state

CUTS = state.PRUNED_NAMES
BOUNDING = frozenset(
    CUTS[which]
    for which in (
        state.BY_LOOKAHEAD,
        state.BY_ONE_MORE_RULE,
        state.BY_PAIR,
        state.BY_GRID,
        state.BY_CORE,
        state.BY_SEPARATION,
        state.BY_COST,
        state.BY_INCUMBENT,
    )
)
_PLACES = Places.of(state, purged=state.BY_INCUMBENT)
_SWITCHES = {state.BY_CORE: "cores", state.BY_DELETION: "deletion", state.BY_SEPARATION: "separation"}
"""The bounds that are tried on a prefix when it is taken off the queue."""


def children(
    arrays: Layout,
    rules: state.Rules,
    store: state.Store,
    learnt: tuple[Cores, int, Separation, int],
    prefix: tuple[int, ...] | None,
) -> Children:
    """What becomes of the children of a prefix of the reduced antecedents; None: of the one expanded last."""
    if prefix is None:
        prefix = path_to(store, int(store.numbers[state.LAST_NODE]))
    replay = Replay(store, _PLACES, arrays.by_antecedent.shape[0], prefix)
    cores, separation = (type(found)(*(np.array(array) for array in found)) for found in (learnt[0], learnt[2]))
    learner, separator = learnt[1], learnt[3]
    rules = rules._replace(separate_after=np.iinfo(np.int64).max)
    node, more = replay.stored()
    copy = replay.store
    for a in more:
        captured = copy.sets[node] & arrays.by_antecedent[a]
        wrong = min(_weights(arrays, captured))
        cost = int(copy.cost[node]) + rules.per_error * wrong + rules.per_rule
        node = replay.add(
            sets=copy.sets[node] & ~captured, cost=cost, key=cost, parent=node, rule=a, length=copy.length[node] + 1
        )

    def advance(store: state.Store, work: int, effort: int, without: int) -> int:
        used = rules._replace(**{_SWITCHES[without]: False}) if without >= 0 else rules
        return int(kernels.advance(arrays, used, store, cores, learner, separation, separator, work, effort))

    return replay.expand(node, advance, WORTHLESS)


def _weights(arrays: Layout, chosen: np.ndarray) -> tuple[int, int]:
    counts = np.bitwise_count(chosen[arrays.entry_word] & arrays.entry_mask).astype(np.int64) << arrays.entry_digit
    return int(counts[: arrays.positive_entries].sum()), int(counts[arrays.positive_entries :].sum())
