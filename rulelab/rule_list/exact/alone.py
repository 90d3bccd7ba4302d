"""An exact search by one worker: the kernel is called until the work is done, and what it asks for is done between."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...slices import effort_of
from ..core_pool import Cores
from ..counting import EFFORT_PER_WORK, Layout
from . import kernels, state
from .learning import Learning


class Alone:
    """An exact search by one worker; it begins where the empty prefix is in the queue.

    Parameters
    ----------
    arrays : Layout
    rules : Rules
    store : Store
    learning : Learning

    Attributes
    ----------
    store : Store
    nbytes : int
        Bytes that are taken beside the store.
    """

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
        """Do at most so many units of work: DONE, PAUSED, or GROW where memory does not allow to go on.

        Parameters
        ----------
        most : int
        free : callable
            Gives the bytes that may be taken yet; None: any number.
        """
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
