"""Packed rows of conjunctions: written, and weighed, in parts between which Python can be interrupted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..kernels import bits
from ..kernels import mining as mk

EFFORT = 1 << 26
"""Words that a kernel looks at between two moments at which Python can be interrupted."""


def supports(words: np.ndarray, mask: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows of each packed row within the mask, or their weight."""
    if not weights.size:
        return bits.counts(words & mask)
    out = np.empty(len(words))
    for start, stop in slices(words, factor=32):
        mk.weigh_each(words[start:stop], mask, weights, out[start:stop])
    return out


def slices(words: np.ndarray, factor: int = 1) -> Iterator[tuple[int, int]]:
    """Ranges of packed rows of which each takes a kernel well below half a second."""
    size = max(1, EFFORT // (factor * max(1, words.shape[1])))
    return ((start, min(start + size, len(words))) for start in range(0, len(words), size))


def fill(words: np.ndarray, parts: np.ndarray, out: np.ndarray) -> None:
    """Write the packed rows of the conjunctions."""
    for start, stop in slices(out, factor=16):
        mk.fill(words, parts[start:stop], out[start:stop])
