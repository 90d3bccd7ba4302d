"""What became of the stored prefixes of a search, and when: the differences from one look to the next."""

from __future__ import annotations

import numpy as np

NOT_YET = 255
"""The fate of a prefix that was not stored at that time."""
NO_CHANGE = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8))
"""Of a look."""


class Events:
    """Changes of the fates of nodes, look by look.

    Attributes
    ----------
    looks : list of pair of arrays
        The nodes (int32) whose fate had changed, and their new fates (uint8).
    """

    def __init__(self, looks: list[tuple[np.ndarray, np.ndarray]] | None = None) -> None:
        self.looks = [] if looks is None else looks
        self._now = np.zeros(0, dtype=np.uint8)

    def look(self, fate: np.ndarray) -> None:
        """Note the fates of all nodes as they are now."""
        now = np.full(len(fate), NOT_YET, dtype=np.uint8)
        now[: len(self._now)] = self._now
        changed = np.flatnonzero(now != fate)
        self._now = fate.astype(np.uint8, copy=True)
        self.looks.append((changed.astype(np.int32), self._now[changed]))

    def merge(self, look: int) -> None:
        """Let the look after this one stand for both."""
        (nodes, fates), (later, then) = self.looks[look : look + 2]
        both, first = np.unique(np.concatenate([later, nodes]), return_index=True)
        self.looks[look : look + 2] = [(both, np.concatenate([then, fates])[first])]

    def fates(self, look: int, n: int) -> np.ndarray:
        """The fates of ``n`` nodes at a look."""
        out = np.full(n, NOT_YET, dtype=np.uint8)
        for nodes, fates in self.looks[: look + 1]:
            inside = nodes < n
            out[nodes[inside]] = fates[inside]
        return out

    def of(self, kept: np.ndarray) -> Events:
        """Those of the nodes with these numbers, which are numbered anew in their order."""
        place = np.full(int(kept.max(initial=-1)) + 1, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        looks = []
        for nodes, fates in self.looks:
            inside = nodes < len(place)
            where = place[nodes[inside]]
            looks.append((where[where >= 0], fates[inside][where >= 0]))
        return Events(looks)
