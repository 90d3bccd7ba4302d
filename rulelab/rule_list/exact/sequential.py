"""An exact search by one worker: the kernel is called until the work is done, and what it asks for is done between."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...slices import effort_of
from ..core_pool import Cores, new_cores
from ..cores import Learner
from ..counting import EFFORT_PER_WORK, Layout
from ..pair_bound import Separation, least_cost
from ..pair_multipliers import Multipliers, Together
from . import kernels, state


class Learning(Multipliers):
    """Cores and multipliers, and what learns them; ``must_pay``: whether cores are given up when they do not."""

    def __init__(self, arrays: Layout, rules: state.Rules, must_pay: bool) -> None:
        super().__init__(arrays, rules)
        self.cores = new_cores(arrays, must_pay)
        self.learner = Learner()

    @property
    def handed(self) -> tuple[Cores, int, Separation, int]:
        """What kernels are handed beside the prefixes."""
        return self.cores, self.learner.address, self.separation, self.separator.address

    def go_on(self, store: state.Store) -> None:
        """Find the learner where a prefix was left half-way elsewhere: it is gone on with as it would be there."""
        numbers = store.numbers
        if numbers[state.OPEN_NODE] >= 0 and numbers[state.OPENED] >= self._rules.learn_after:
            self.find_learner(store)

    def find_learner(self, store: state.Store) -> None:
        """Compile what learns cores, where they are learnt."""
        if self.learner.address == 0 and self._rules.cores:
            self.learner.find(self._arrays, self._rules, self.cores, store.scratch_set[0], 1)

    def separate(self, store: state.Store, free: int | None, n: int = 1, together: Together | None = None) -> None:
        """Go on to find pairs of patterns and multipliers, which bound what all lists cost; by ``n`` threads."""
        numbers = store.numbers
        if self.find(int(numbers[state.OPENED]), free, n, together):
            least = min(int(store.cost[0]) + least_cost(self.separation), int(numbers[state.BEST]))
            numbers[state.LOWER_BOUND] = max(int(numbers[state.LOWER_BOUND]), least)


class Sequential:
    """An exact search by one worker; it begins where the empty prefix is in the queue."""

    nbytes = 0

    def __init__(self, arrays: Layout, rules: state.Rules, store: state.Store, learning: Learning) -> None:
        self.store = store
        self._arrays, self._rules, self._learning = arrays, rules, learning

    @property
    def work(self) -> int:
        """Prefixes expanded, and what was done before."""
        return int(self.store.numbers[state.WORK])

    @property
    def pools(self) -> list[Cores]:
        """The cores."""
        return [self._learning.cores]

    def advance(self, most: int, free: Callable[[], int | None]) -> int:
        """As `Rounds.advance` of several workers."""
        target, outcome = self.work + most, kernels.PAUSED
        self._learning.go_on(self.store)
        while (left := target - self.work) > 0:
            given = self._rules, self.store, *self._learning.handed
            outcome = kernels.advance(self._arrays, *given, left, effort_of(left, EFFORT_PER_WORK))
            if outcome == kernels.LEARN:
                self._learning.find_learner(self.store)
            elif outcome == kernels.SEPARATE:
                self._learning.separate(self.store, free())
            elif outcome == kernels.GROW:
                self.store, enough = state.enlarged(self.store, self.store.scratch_counts.shape[1], free())
                if not enough:
                    break
            else:
                break
        return outcome

    def tally(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The numbers, what was pruned by each bound, and the queue by length."""
        return self.store.numbers, self.store.pruned, self.store.queue_by_length

    def stored(self) -> state.Store:
        """The store as it is to be shown."""
        return self.store
