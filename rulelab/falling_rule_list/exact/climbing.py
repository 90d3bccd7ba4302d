"""Better first lists: antecedents whose union gains most, by local search, brought into an order that falls."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import at_most
from ...kernels.jit import inlined, inner, kernel
from .expansion import count_antecedents
from .layout import Layout
from .state import Rules, Store

_STARTS = 24
_REMOVED, _ADDED = 0.3, 3
_MOST_STEPS = 200
_MOST_WORDS = 1 << 25


@kernel
def climb(arrays, rules, store, member):
    """Add, remove or exchange antecedents while the gain of their union less the cost of the rules grows.

    ``member``, of shape (m,), says which there are. Returns the words that were looked at.
    """
    counts, spent = store.counts, 0
    for _ in range(_MOST_STEPS):
        best, out, new = np.int64(0), -1, -1
        for b in range(-1, member.size):
            if b >= 0 and not member[b]:
                continue
            _uncaptured(arrays, store, member, b)
            count_antecedents(arrays, store)
            spent += arrays.by_word.size
            start = np.int64(0) if b < 0 else rules.per_rule - _gain(rules, counts, b)
            if start > best:
                best, out, new = start, b, -1
            for a in arrays.kept:
                if not member[a]:
                    now = start + _gain(rules, counts, a) - rules.per_rule
                    if now > best:
                        best, out, new = now, b, a
        if best == 0 or spent > _MOST_WORDS:
            break
        if out >= 0:
            member[out] = False
        if new >= 0:
            member[new] = True
    return spent


@kernel
def put_in_order(arrays, rules, store, member, path):
    """Of the antecedents, always the one of the largest proportion that does not rise; returns how many there are."""
    counts, length = store.counts, 0
    last_p, last_n = np.int64(1), np.int64(1)
    left = store.sets[0]
    for w in range(left.size):
        left[w] = arrays.full[w]
    while length < rules.max_length:
        count_antecedents(arrays, store)
        best, best_p, best_n = -1, np.int64(0), np.int64(1)
        for a in range(member.size):
            p, n = counts[0, a], counts[0, a] + counts[1, a]
            above = rules.per_positive * p > rules.per_negative * (n - p)
            if member[a] and above and at_most(p, n, last_p, last_n) and not at_most(p, n, best_p, best_n):
                best, best_p, best_n = a, p, n
        if best < 0:
            break
        path[length] = best
        length += 1
        last_p, last_n = best_p, best_n
        row = arrays.by_antecedent[best]
        for w in range(left.size):
            left[w] &= ~row[w]
    return length


@inlined
def _gain(rules, counts, a):
    return rules.per_positive * counts[0, a] - rules.per_negative * counts[1, a]


@inner
def _uncaptured(arrays, store, member, without):
    """The set that all antecedents but one leave."""
    left = store.sets[0]
    for w in range(left.size):
        left[w] = arrays.full[w]
    for a in range(member.size):
        if member[a] and a != without:
            row = arrays.by_antecedent[a]
            for w in range(left.size):
                left[w] &= ~row[w]


class Climbing:
    """Local searches, the first of them from the incumbent, the others from what is left of it at random.

    Parameters
    ----------
    arrays : Layout
    rules : Rules
    store : Store
        For its scratch space.
    seed : int
    """

    def __init__(self, arrays: Layout, rules: Rules, store: Store, seed: int) -> None:
        m = len(arrays.by_antecedent)
        self._arrays, self._rules, self._store = (
            arrays,
            rules,
            store._replace(counts=np.zeros_like(store.counts), sets=np.zeros_like(store.sets)),
        )
        self._rng = np.random.default_rng(seed)
        self._path = np.zeros(m + 1, dtype=np.int64)
        self.left = _STARTS
        self._first = True
        self.effort = 0

    def go_on(self, best: tuple[int, ...]) -> tuple[int, ...]:
        """A list made from the incumbent, both by the antecedents of the search."""
        kept = self._arrays.kept
        member = np.zeros(len(self._arrays.by_antecedent), dtype=bool)
        member[list(best)] = True
        if not self._first:
            member &= self._rng.random(len(member)) >= _REMOVED
            member[self._rng.choice(kept, min(_ADDED, len(kept)))] = True
        self._first = False
        self.left -= 1
        self.effort = climb(self._arrays, self._rules, self._store, member)
        return tuple(self._path[: put_in_order(self._arrays, self._rules, self._store, member, self._path)].tolist())
