"""What a search for a falling rule list does beside expanding prefixes: better lists, and fewer antecedents.

After some thousand prefixes without a proof, local searches look for a better incumbent (see `Climbing`), and the
antecedents are dropped that the joint capture bound rules out (see `Fixing`), in turn as long as that helps. Then
prefixes are expanded again, several times as many as before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernels, state
from .climbing import Climbing
from .fixing import Fixing

_LATER = 8  # times as many prefixes, where the bound gets no better
_SHRUNK = 0.8  # of the antecedents, when local searches among them are worth while


class Reducing:
    """Better lists, and antecedents dropped by the joint capture bound.

    Parameters
    ----------
    search : ExactSearch
    patience : int
        Prefixes that are expanded before.

    Attributes
    ----------
    after : int
        The work after which it goes on.
    """

    def __init__(self, search: Any, patience: int) -> None:
        self._search, self._patience = search, max(patience, 1)
        self.after = search.work + patience
        self._fixing: Fixing | None = None
        self._climbing: Climbing | None = None
        self._tried: float = np.inf
        self._rounds = 0
        self._over = len(search._data.antecedents) < 2

    @property
    def memory_bytes(self) -> int:
        return 0 if self._fixing is None else self._fixing.memory_bytes

    def is_due(self) -> bool:
        """Whether enough prefixes have been expanded."""
        return not self._over and self._search.work >= self.after

    def advance(self, target: int) -> bool:
        """Go on up to so much work; whether this is at an end for now."""
        search = self._search
        if self._fixing is None:
            limit = search.memory_limit
            self._fixing = Fixing(search._data, None if limit is None else max(0, limit - search.memory_bytes))
        fixing = self._fixing
        while search.work < target:
            left = len(search._layout.kept)
            if self._climbing is None and search.iterations and 1 < left < _SHRUNK * self._tried:
                self._tried = left
                self._rounds += 1
                seed = (search.random_state or 0) + self._rounds
                self._climbing = Climbing(search._layout, search._rules, search._store, seed)
            search.work += 1
            best = int(search._store.numbers[state.BEST])
            if self._climbing is not None:
                self._climb(self._climbing)
            elif not fixing.iterate(best):
                fixing.rest()
                self._drop(fixing.allowed, min(best, fixing.least))
                again = fixing.useful and search.iterations and 1 < len(search._layout.kept) < _SHRUNK * self._tried
                if not again:
                    self._over = not fixing.useful
                    self._patience *= _LATER
                    self.after = search.work + self._patience
                    return True
        return False

    def _climb(self, climbing: Climbing) -> None:
        search, numbers = self._search, self._search._store.numbers
        antecedents = search._data.antecedents
        place = {antecedent: a for a, antecedent in enumerate(antecedents.tolist())}
        found = climbing.go_on(tuple(place[each] for each in search._best.antecedents if each in place))
        search._consider(tuple(antecedents[list(found)].tolist()), search.work)
        numbers[state.BEST] = min(search._best.cost, numbers[state.BEST])
        if climbing.left == 0:
            self._climbing = None
            kernels.drop(search._layout, search._store, 0)

    def _drop(self, allowed: np.ndarray, least: int) -> None:
        search = self._search
        kept = np.flatnonzero(allowed)
        if len(kept) < len(search._layout.kept):
            by_word = np.ascontiguousarray(search._layout.by_antecedent[kept].T)
            search._layout = search._layout._replace(by_word=by_word, kept=kept, allowed=allowed.copy())
        kernels.drop(search._layout, search._store, least)
