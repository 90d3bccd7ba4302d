"""The sets of patterns that lists up to an exact cost can pass through."""

from __future__ import annotations

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

    def _threshold(self, total: int, longest: int) -> int:
        return max(self.threshold, self.best_cost)

    def _begin_counting(self) -> int:
        self.phase = "expanded"
        return expanding.DONE

    def _run(self, max_work: int) -> None:
        if self.phase == "expanding" and self._expand(self.work + max_work) == expanding.GROW:
            self._stuck = "memory"
