"""What a search for a falling rule list does beside expanding prefixes: better lists, and fewer antecedents.

After some thousand prefixes without a proof, local searches look for a better incumbent (see `climb`), and the
antecedents are dropped that the joint capture bound rules out (see `Fixing`). That may take about as long as expanding
the prefixes took and expanding the queue would take, and longer while it gets on; then prefixes are expanded again,
and several times as many as before where the bound gets no better.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.bit_words import at_most
from ...kernels.jit import inlined, inner, kernel
from . import kernels, state
from .expansion import count_antecedents
from .fixing import Fixing
from .state import Store

_STARTS = 24
_REMOVED, _ADDED = 0.3, 3
_MOST_STEPS = 200
_MOST_WORDS = 1 << 25
_LATER = 8  # times as many prefixes, where the bound gets no better
_SHRUNK = 0.8  # of the antecedents, when local searches among them are worth while
_PER_FOLLOWER = 360  # words
_SHARE = 1  # of the words that the queue would take
LEAST_QUEUE = 1 << 27  # words that the queue takes where it is worth while
_ITERATIONS = 40  # or what so many of them take, when some were made


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


class Reducing:
    """Better lists, and antecedents dropped by the joint capture bound.

    ``patience``: prefixes that are expanded before. ``after`` (float): the work after which it goes on; infinite where
    there is no more to try.
    """

    def __init__(self, search: Any, patience: int) -> None:
        self._search, self._patience = search, max(patience, 1)
        self.after: float = search.work + patience if len(search._data.antecedents) > 1 else np.inf
        self._since = search.work
        self._goes_on = False
        self._allowance = 0
        self._needed = LEAST_QUEUE
        self._fixing = Fixing(search._data)
        self._climbs = 0  # local searches left: the first from the incumbent, others from what is left of it at random
        self._rng: np.random.Generator
        self._scratch: Store | None = None
        self._climbed: float = np.inf  # antecedents that local searches had
        self._rounds = 0
        self._tried = -1  # the incumbent's cost for which the bound gets no better

    @property
    def has_dropped(self) -> bool:
        """Whether antecedents were."""
        return not self._fixing.allowed.all()

    @property
    def memory_bytes(self) -> int:
        return self._fixing.memory_bytes

    def advance(self, target: int) -> bool:
        """Go on up to so much work; whether this is at an end for now."""
        search = self._search
        if not self._goes_on:
            self._allowance += (search.work - self._since) * self._per_prefix()
            self._goes_on = self._queue() >= self._needed
            if not self._goes_on:
                self.after = search.work + self._patience
        while search.work < target and self._goes_on:
            self._goes_on = self._step(self._fixing)
        self._since = search.work
        return not self._goes_on

    def _per_prefix(self) -> int:
        """Words that a prefix takes to be expanded; what follows it takes time, too."""
        numbers = self._search._store.numbers
        followers = int(numbers[state.CREATED]) // max(1, int(numbers[state.EXPANDED]))
        return int(self._search._layout.by_word.size) + _PER_FOLLOWER * followers

    def _queue(self) -> int:
        """Words that it would take to expand what is queued."""
        return int(self._search._store.numbers[state.N_QUEUED]) * self._per_prefix()

    def _step(self, fixing: Fixing) -> bool:
        """A unit of work; whether more are promising."""
        search = self._search
        left = len(search._layout.kept)
        if not self._climbs and search.iterations and 1 < left < _SHRUNK * self._climbed:
            self._climbed, self._climbs = left, _STARTS
            self._rounds += 1
            self._rng = np.random.default_rng((search.random_state or 0) + self._rounds)
            store = search._store
            self._scratch = store._replace(counts=np.zeros_like(store.counts), sets=np.zeros_like(store.sets))
        search.work += 1
        best = int(search._store.numbers[state.BEST])
        if self._climbs:
            self._allowance -= self._climb()
            return True
        if best == self._tried:
            return self._end()
        more = fixing.iterate(best, search._free)
        self._allowance -= fixing.effort
        if not more:
            fixing.rest()
            self._drop(fixing.allowed, min(best, fixing.least))
            self._tried = best
            again = fixing.useful and search.iterations and 1 < len(search._layout.kept) < _SHRUNK * self._climbed
            return True if again else self._end()
        if fixing.stalls and self._allowance + _SHARE * self._queue() < 0:
            self.after = search.work + self._patience
            self._needed = min(LEAST_QUEUE, _ITERATIONS * fixing.effort)
            return False
        if fixing.is_stale:
            self._drop(fixing.allowed, min(best, fixing.least))
        return True

    def _end(self) -> bool:
        self._patience *= _LATER
        self.after = self._search.work + self._patience if self._fixing.useful else np.inf
        return False

    def _climb(self) -> int:
        """One local search; returns the words that it looked at."""
        search, store, layout = self._search, self._scratch, self._search._layout
        antecedents, m = search._data.antecedents, len(layout.by_antecedent)
        place = {antecedent: a for a, antecedent in enumerate(antecedents.tolist())}
        member, path = np.zeros(m, dtype=bool), np.zeros(m + 1, dtype=np.int64)
        member[[place[each] for each in search._best.antecedents if each in place]] = True
        if self._climbs < _STARTS:
            member &= self._rng.random(m) >= _REMOVED
            member[self._rng.choice(layout.kept, min(_ADDED, len(layout.kept)))] = True
        self._climbs -= 1
        effort = int(climb(layout, search._rules, store, member))
        found = path[: put_in_order(layout, search._rules, store, member, path)]
        search._consider(tuple(antecedents[found].tolist()), search.work)
        numbers = search._store.numbers
        numbers[state.BEST] = min(search._best.cost, numbers[state.BEST])
        if not self._climbs:
            self._scratch = None
            kernels.drop(layout, search._store, 0)
        return effort

    def _drop(self, allowed: np.ndarray, least: int) -> None:
        search = self._search
        kept = np.flatnonzero(allowed)
        if len(kept) < len(search._layout.kept):
            by_word = np.ascontiguousarray(search._layout.by_antecedent[kept].T)
            search._layout = search._layout._replace(by_word=by_word, kept=kept, allowed=allowed.copy())
        kernels.drop(search._layout, search._store, least)
