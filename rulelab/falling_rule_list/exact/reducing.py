"""What a search for a falling rule list does beside expanding prefixes: better lists, and fewer antecedents.

After some thousand prefixes without a proof, local searches look for a better incumbent (see `Climbing`), and the
antecedents are dropped that the joint capture bound rules out (see `Fixing`). That may take about as long as expanding
the prefixes took and expanding the queue would take, and longer while it gets on; then prefixes are expanded again,
and several times as many as before where the bound gets no better.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernels, state
from .climbing import Climbing
from .fixing import Fixing

_LATER = 8  # times as many prefixes, where the bound gets no better
_SHRUNK = 0.8  # of the antecedents, when local searches among them are worth while
_PER_FOLLOWER = 360  # words
_SHARE = 1  # of the words that the queue would take
_LEAST = 1 << 27  # words that the queue takes where it is worth while
_ITERATIONS = 40  # or what so many of them take, when some were made


class Reducing:
    """Better lists, and antecedents dropped by the joint capture bound.

    Parameters
    ----------
    search : FallingRuleListSearch
    patience : int
        Prefixes that are expanded before.

    Attributes
    ----------
    after : float
        The work after which it goes on; infinite where there is no more to try.
    """

    def __init__(self, search: Any, patience: int) -> None:
        self._search, self._patience = search, max(patience, 1)
        self.after: float = search.work + patience if len(search._data.antecedents) > 1 else np.inf
        self._since = search.work
        self._goes_on = False
        self._allowance = 0
        self._needed = _LEAST
        self._fixing = Fixing(search._data)
        self._climbing: Climbing | None = None
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

    def is_due(self) -> bool:
        """Whether enough prefixes have been expanded."""
        return self._search.work >= self.after

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
        if self._climbing is None and search.iterations and 1 < left < _SHRUNK * self._climbed:
            self._climbed = left
            self._rounds += 1
            seed = (search.random_state or 0) + self._rounds
            self._climbing = Climbing(search._layout, search._rules, search._store, seed)
        search.work += 1
        best = int(search._store.numbers[state.BEST])
        if self._climbing is not None:
            self._allowance -= self._climb(self._climbing)
            return True
        if best == self._tried:
            return self._end()
        free = None if search.memory_limit is None else search.memory_limit - search.memory_bytes
        more = fixing.iterate(best, free)
        self._allowance -= fixing.effort
        if not more:
            fixing.rest()
            self._drop(fixing.allowed, min(best, fixing.least))
            self._tried = best
            again = fixing.useful and search.iterations and 1 < len(search._layout.kept) < _SHRUNK * self._climbed
            return True if again else self._end()
        if fixing.stalls and self._allowance + _SHARE * self._queue() < 0:
            self.after = search.work + self._patience
            self._needed = min(_LEAST, _ITERATIONS * fixing.effort)
            return False
        if fixing.is_stale:
            self._drop(fixing.allowed, min(best, fixing.least))
        return True

    def _end(self) -> bool:
        self._patience *= _LATER
        self.after = self._search.work + self._patience if self._fixing.useful else np.inf
        return False

    def _climb(self, climbing: Climbing) -> int:
        """One local search; returns the words that it looked at."""
        search, numbers = self._search, self._search._store.numbers
        antecedents = search._data.antecedents
        place = {antecedent: a for a, antecedent in enumerate(antecedents.tolist())}
        found = climbing.go_on(tuple(place[each] for each in search._best.antecedents if each in place))
        search._consider(tuple(antecedents[list(found)].tolist()), search.work)
        numbers[state.BEST] = min(search._best.cost, numbers[state.BEST])
        if climbing.left == 0:
            self._climbing = None
            kernels.drop(search._layout, search._store, 0)
        return climbing.effort

    def _drop(self, allowed: np.ndarray, least: int) -> None:
        search = self._search
        kept = np.flatnonzero(allowed)
        if len(kept) < len(search._layout.kept):
            by_word = np.ascontiguousarray(search._layout.by_antecedent[kept].T)
            search._layout = search._layout._replace(by_word=by_word, kept=kept, allowed=allowed.copy())
        kernels.drop(search._layout, search._store, least)
