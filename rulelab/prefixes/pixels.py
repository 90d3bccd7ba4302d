"""All stored prefixes in one picture, however many: a pixel shows the prefix that stands at its middle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .nodes import Nodes

NOBODY = -1
"""In a pixel that no prefix stands at."""


@dataclass(frozen=True)
class Pixels:
    """The tree as an icicle: a row per length, children below their parent in the order in which they were stored.

    Each prefix is as wide as many are stored below it, and itself.

    Attributes
    ----------
    node : int64 array, shape (rows, columns)
        The prefix that stands at the middle of each pixel, or `NOBODY`.
    fate : uint8 array, shape (rows, columns)
        What has become of it, see `rulelab.kernels.fates`; 255 of nobody.
    """

    node: np.ndarray
    fate: np.ndarray

    @classmethod
    def of(cls, nodes: Nodes, columns: int) -> Pixels:
        """The picture of a tree that has at least the empty prefix."""
        wide, left = nodes.descendants + 1, np.zeros(len(nodes), dtype=np.int64)
        middle = (np.arange(columns) + 0.5) * (len(nodes) / columns)
        rows = []
        for k, level in enumerate(nodes.levels):
            if k:
                above = nodes.parent[level]
                order = np.lexsort((level, left[above]))
                level, above = level[order], above[order]
                ends = np.cumsum(wide[level])
                first = np.flatnonzero(np.diff(above, prepend=-1))
                begun = (ends - wide[level])[first]
                left[level] = left[above] + ends - wide[level] - np.repeat(begun, np.diff(first, append=len(level)))
            at = np.searchsorted(left[level], middle, side="right") - 1
            node = level[np.maximum(at, 0)]
            inside = (at >= 0) & (middle < left[node] + wide[node])
            rows.append(np.where(inside, node, NOBODY))
        found = np.stack(rows)
        return cls(found, np.where(found == NOBODY, 255, nodes.fate[found]).astype(np.uint8))

    @cached_property
    def shown(self) -> np.ndarray:
        """The prefixes that have a pixel, in ascending order: with each its parent."""
        return np.setdiff1d(self.node, [NOBODY])

    def span(self, node: int) -> tuple[int, int, int] | None:
        """Row, first column, and the column after the last one, of a prefix; None where it has no pixel."""
        row, column = np.nonzero(self.node == node)
        return (int(row[0]), int(column[0]), int(column[-1]) + 1) if len(row) else None
