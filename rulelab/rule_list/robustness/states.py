"""The sets of patterns that lists up to an exact cost can pass through."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import is_compiled
from ...rehearsal import tiny_problem
from ...search import solve
from ..exact.search import RuleListSearch
from ..near_count import expanding
from ..near_count.search import NearOptimalCounter


class NearStates(NearOptimalCounter):
    """The first half of a `NearOptimalCounter`, for a threshold on the grid: ends in the phase "expanded".

    Parameters
    ----------
    search : RuleListSearch
        With a certified optimum.
    threshold : int
        The largest cost of a list on the grid.
    memory_limit : int, optional
        Bytes.
    """

    def __init__(self, search: RuleListSearch, threshold: int, memory_limit: int | None = None) -> None:
        super().__init__(search, within=0.0, memory_limit=memory_limit)
        self.threshold = threshold

    @staticmethod
    def ready() -> bool:
        """Whether the kernels are ready in this process."""
        return bool(is_compiled(expanding.advance, expanding.rebuild_table))

    @staticmethod
    def rehearse() -> None:
        """Let a small search go through all kernels."""
        search = RuleListSearch(tiny_problem(), 0.01)
        solve(search)
        small = NearStates(search, 0)
        while small.phase != "expanded":
            small.advance(1)
        assert small.states is not None
        expanding.rebuild_table(small.states.store._replace(state_table=np.empty(64, dtype=np.int32)))

    def _threshold(self, total: int, longest: int) -> int:
        return max(self.threshold, self.best_cost)

    def _begin_counting(self) -> int:
        self.phase = "expanded"
        return expanding.DONE

    def _run(self, max_work: int) -> None:
        if self.phase == "expanding" and self._expand(self.work + max_work) == expanding.GROW:
            self._stuck = "memory"
