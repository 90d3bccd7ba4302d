"""What became of the stored prefixes of a search, and when: looks at them while it goes on, asked for by its steps."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

from ..kernels.growing import EXPANDED
from ..prefixes import PrefixSearch
from ..snapshot import Snapshot, Status
from ..stepping import Search

MAX_LOOKS = 4000
"""When there are more, every second one is left out."""
LOOKING_SHARE, MANY_PREFIXES = 0.02, 20_000
"""Of the time, for looks at so many prefixes."""
NOT_YET = 255
"""The fate of a prefix that was not stored at that time."""
Look = tuple[np.ndarray, np.ndarray]
"""The prefixes (int32) whose fate had changed, and their new fates (uint8)."""
NO_CHANGE: Look = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8))


class Course:
    """The fates of stored prefixes, look by look, with the steps at which these were taken."""

    def __init__(self, looks: Iterable[Look] = (), steps: Iterable[int] = ()) -> None:
        self._looks, self._steps = list(looks), list(steps)
        self._now = np.zeros(0, dtype=np.uint8)
        self._due = 0.0

    def look(self, search: Search, snapshot: Snapshot) -> None:
        """Note what has become of the prefixes of a search; of very many in a fiftieth of the time at most."""
        began = time.perf_counter()
        if not isinstance(search, PrefixSearch) or (began < self._due and snapshot.status is Status.RUNNING):
            return
        fates = search.fates()
        if not len(fates):
            return
        before = np.full(len(fates), NOT_YET, dtype=np.uint8)
        before[: len(self._now)] = self._now
        changed = np.flatnonzero(before != fates)
        self._now = fates.astype(np.uint8, copy=True)
        self._looks.append((changed.astype(np.int32), self._now[changed]))
        self._steps.append(snapshot.step)
        if len(fates) > MANY_PREFIXES:
            self._due = began + (time.perf_counter() - began) / LOOKING_SHARE
        if len(self._steps) > MAX_LOOKS:
            for k in range(len(self._steps) // 2):  # of a pair the later one stays
                self._looks[k : k + 2] = [_together(self._looks[k : k + 2])]
                del self._steps[k]

    def fates(self, step: int, n: int) -> np.ndarray:
        """The fates of the first ``n`` prefixes at the last look that is not after a step; `NOT_YET` of later ones."""
        out = np.full(n, NOT_YET, dtype=np.uint8)
        for nodes, fates in self._looks[: bisect_right(self._steps, step)]:
            inside = nodes < n
            out[nodes[inside]] = fates[inside]
        return out

    def expanded_last(self, step: int, n: int) -> int:
        """Of the first ``n`` prefixes one of those expanded at the last look, not after a step, at which any was."""
        for nodes, fates in reversed(self._looks[: bisect_right(self._steps, step)]):
            found = nodes[(fates == EXPANDED) & (nodes < n)]
            if len(found):
                return int(found[-1])
        return 0

    def along(self, steps: Sequence[int]) -> list[Look]:
        """The changes from each of these steps, which ascend, to the next one."""
        looks, begin = [], 0
        for step in steps:
            end = bisect_right(self._steps, step)
            looks.append(_together(self._looks[begin:end]))
            begin = max(begin, end)
        return looks


def _together(looks: Sequence[Look]) -> Look:
    """Looks one after the other as a single one: of each prefix its last fate."""
    if len(looks) < 2:
        return looks[0] if looks else NO_CHANGE
    nodes, fates = (np.concatenate(each) for each in zip(*reversed(looks), strict=True))
    changed, last = np.unique(nodes, return_index=True)
    return changed, fates[last]


def only(looks: Sequence[Look], kept: np.ndarray) -> list[Look]:
    """Those of the prefixes with these numbers, which are numbered anew in their order."""
    place = np.full(int(kept.max(initial=-1)) + 1, -1, dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    out = []
    for nodes, fates in looks:
        inside = nodes < len(place)
        where = place[nodes[inside]]
        out.append((where[where >= 0], fates[inside][where >= 0]))
    return out
