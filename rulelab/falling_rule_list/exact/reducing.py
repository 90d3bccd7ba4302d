"""What a search for a falling rule list does beside expanding prefixes: it drops antecedents, and tries lists of the rest.

After some thousand prefixes without a proof the antecedents are looked at that the joint capture bound rules out, see
`Fixing`; then random lists are made of those that are left, as for the first incumbent, and antecedents dropped anew
where one is better. Then prefixes are expanded again, twice as many as before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..costs import Prepared
from ..monte_carlo import engine as monte_carlo
from . import kernels, state
from .fixing import Fixing

if TYPE_CHECKING:
    from .search import ExactSearch

_SHRUNK = 0.8  # of the antecedents, when random lists of them are worth trying


class Reducing:
    """Antecedents dropped by the joint capture bound, and lists of those that are left.

    Attributes
    ----------
    after : int
        The work after which antecedents are looked at next.
    """

    def __init__(self, search: ExactSearch, patience: int) -> None:
        self._search, self._patience = search, patience
        self.after = search.work + patience
        self._fixing: Fixing | None = None
        self._lists: monte_carlo.MonteCarlo | None = None
        self._rest: Prepared | None = None
        self._tried = len(search._data.antecedents)
        self._rounds = 0
        self._better = True
        self._over = len(search._data.antecedents) < 2

    @property
    def memory_bytes(self) -> int:
        return sum(0 if each is None else each.memory_bytes for each in (self._fixing, self._lists))

    def is_due(self) -> bool:
        """Whether enough prefixes have been expanded."""
        return not self._over and self._search.work >= self.after

    def advance(self, target: int) -> bool:
        """Go on up to so much work; whether this is at an end for now."""
        search = self._search
        if self._fixing is None:
            limit = search.memory_limit
            self._fixing = Fixing(search._data, None if limit is None else max(0, limit - search.memory_bytes))
        while search.work < target:
            if self._lists is not None:
                self._make_lists(target)
            elif not self._better or not self._fix(self._fixing):
                self._better = True
                self._over = not self._fixing.useful
                self._patience *= 2
                self.after = search.work + self._patience
                return True
        return False

    def _fix(self, fixing: Fixing) -> bool:
        """One iteration on the multipliers; whether anything is left to do."""
        search = self._search
        best = int(search._store.numbers[state.BEST])
        search.work += 1
        if fixing.iterate(best):
            return True
        fixing.rest()
        left = int(fixing.allowed.sum())
        self._drop(fixing.allowed, min(best, fixing.least))
        if fixing.useful and search.iterations and 1 < left < _SHRUNK * self._tried:
            self._tried = left
            self._rounds += 1
            self._rest = _only(search._data, fixing.allowed)
            self._lists = monte_carlo.MonteCarlo(self._rest, None, (search.random_state or 0) + self._rounds)
            self._better = False
            return True
        return False

    def _make_lists(self, target: int) -> None:
        search, lists, rest = self._search, self._lists, self._rest
        assert lists is not None and rest is not None
        done = lists.work
        improved = lists.advance(min(search.iterations - done, target - search.work))
        search.work += lists.work - done
        if improved:
            search._consider(tuple(rest.antecedents[list(lists.best)].tolist()), search.work)
            numbers = search._store.numbers
            self._better |= search._best.cost < numbers[state.BEST]
            numbers[state.BEST] = min(search._best.cost, numbers[state.BEST])
        if lists.work >= search.iterations:
            self._lists = self._rest = None
            kernels.drop(search._layout, search._store, 0)

    def _drop(self, allowed: np.ndarray, least: int) -> None:
        search = self._search
        kept = np.flatnonzero(allowed)
        by_word = np.ascontiguousarray(search._layout.by_antecedent[kept].T)
        search._layout = search._layout._replace(by_word=by_word, kept=kept, allowed=allowed.copy())
        kernels.drop(search._layout, search._store, least)


def _only(prepared: Prepared, allowed: np.ndarray) -> Prepared:
    """The problem with these antecedents alone."""
    data = prepared.data._replace(columns=prepared.data.columns[allowed])
    return replace(prepared, data=data, antecedents=prepared.antecedents[allowed])
