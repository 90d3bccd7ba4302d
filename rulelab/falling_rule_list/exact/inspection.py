"""Looking into an exact search for falling rule lists: what becomes of the children of a prefix."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...prefixes import Children, Places, Replay, path_to
from . import kernels, state
from .layout import Layout

CUTS = state.PRUNED_NAMES
BOUNDING = frozenset(
    CUTS[which]
    for which in (
        state.BY_PREFIX,
        state.BY_POINTS,
        state.BY_DENSITY,
        state.BY_ELIGIBLE,
        state.BY_VIOLATIONS,
        state.BY_EXCEPTIONS,
        state.BY_JOINT,
        state.BY_COST,
        state.BY_INCUMBENT,
    )
)
_PLACES = Places.of(state, purged=state.BY_INCUMBENT)


def children(arrays: Layout, rules: state.Rules, store: state.Store, prefix: tuple[int, ...] | None) -> Children:
    """What becomes of the children of a prefix of the distinct antecedents; None: of the one expanded last.

    Raises ValueError when lists have to fall, and the proportions of the prefix rise.
    """
    if prefix is None:
        prefix = path_to(store, int(store.numbers[state.LAST_NODE]))
    replay = Replay(store, _PLACES, arrays.by_antecedent.shape[0], prefix)
    node, more = replay.stored()
    for a in more:
        node = _add(arrays, rules, replay, prefix, node, a)

    kernel = kernels.advance_soft if rules.soft else kernels.advance

    def advance(store: state.Store, work: int, effort: int, without: int) -> int:
        return int(kernel(arrays, rules, store, work, effort))

    return replay.expand(node, advance)


def _add(arrays: Layout, rules: state.Rules, replay: Replay, prefix: tuple[int, ...], node: int, a: int) -> int:
    copy = replay.store
    length = int(copy.length[node])
    left = arrays.full.copy()
    for before in prefix[:length]:
        left &= ~arrays.by_antecedent[before]
    captured = left & arrays.by_antecedent[a]
    p = _weight(arrays.positive_word, arrays.positive_mask, arrays.positive_digit, captured)
    q = _weight(arrays.negative_word, arrays.negative_mask, arrays.negative_digit, captured)
    n, misplaced = p + q, rules.misplaced
    least, share = max(p - misplaced, 0), p + misplaced  # of the positives, see `state.Rules`
    least_p, least_n = int(copy.ratio_p[node]), int(copy.ratio_n[node])
    cost = int(copy.cost[node]) + rules.per_rule + min(rules.per_positive * p, rules.per_negative * q)
    rises = least * least_n > least_p * (least + q + misplaced)
    if rises and not rules.soft:
        raise ValueError(f"prefix: rule {length + 1} has a larger proportion of positives than the one before")
    if rises:
        cost += int(rules.penalty * float(Fraction(p, n) - Fraction(least_p, least_n)))
    return replay.add(
        cost=cost,
        key=cost,
        left_positive=copy.left_positive[node] - p,
        left_negative=copy.left_negative[node] - q,
        ratio_p=least_p if rises or not n else share,
        ratio_n=least_n if rises or not n else share + max(q - misplaced, 0),
        parent=node,
        rule=a,
        length=length + 1,
    )


def _weight(word: np.ndarray, mask: np.ndarray, digit: np.ndarray, chosen: np.ndarray) -> int:
    return int((np.bitwise_count(chosen[word] & mask).astype(np.int64) << digit).sum())
