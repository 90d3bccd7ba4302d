"""Looking into a search of the CORELS papers: what becomes of the children of a prefix."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from ...prefixes import WORTHLESS, Children, Places, Replay, path_to
from ..exact import state as common
from . import kernels, state
from .bounds import CORELS_BOUNDS

CUTS = CORELS_BOUNDS
BOUNDING = frozenset((*CUTS[:6], CUTS[state.BY_SIMILAR]))
_PLACES = Places(
    nodes=common.N_NODES,
    queued=common.N_QUEUED,
    heap=common.N_HEAP,
    best=common.BEST,
    open_node=common.OPEN_NODE,
    open_child=common.OPEN_CHILD,
    last_node=common.LAST_NODE,
    stale=common.TABLE_IS_STALE,
    purged=None,
    node_arrays=state.NODE_ARRAYS,
    heap_arrays=common.HEAP_ARRAYS,
    lengths="queued_by_steps",
    tables=("by_antecedents", "by_set"),
)


def children(arrays: state.Arrays, rules: state.Rules, store: state.Store, prefix: tuple[int, ...] | None) -> Children:
    """What becomes of the children of a prefix; None: of the one expanded last."""
    m = arrays.by_antecedent.shape[0]
    if prefix is None:
        prefix = path_to(store, int(store.numbers[common.LAST_NODE]))
    replay = Replay(store, _PLACES, m, prefix)
    node, more = replay.stored()
    copy = replay.store
    for a in more:
        captured = copy.sets[node] & arrays.by_antecedent[a]
        cost = int(copy.cost[node]) + rules.per_error * min(_weights(arrays.classes, captured)) + rules.per_rule
        chosen = bits.pack(np.arange(m)[None, :] == a)[0]
        node = replay.add(
            sets=copy.sets[node] & ~captured,
            antecedents=copy.antecedents[node] | chosen,
            cost=cost,
            points=copy.points[node] - _weights(arrays.minority, captured)[0],
            key=cost,
            parent=node,
            rule=a,
            length=copy.length[node] + 1,
        )

    def advance(store: state.Store, work: int, effort: int, without: int) -> int:
        used = rules._replace(**{CUTS[without]: False}) if without >= 0 else rules
        return int(kernels.advance(arrays, used, store, work, effort))

    return replay.expand(node, advance, WORTHLESS)


def _weights(planes: state.Planes, chosen: np.ndarray) -> tuple[int, int]:
    counts = np.bitwise_count(chosen[planes.entry_word] & planes.entry_mask).astype(np.int64) << planes.entry_digit
    return int(counts[: planes.positive_entries].sum()), int(counts[planes.positive_entries :].sum())
