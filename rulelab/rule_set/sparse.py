"""Sums over the entities that columns cover, in compressed rows."""

from __future__ import annotations

import numpy as np

from ..jit import kernel


def sparse_rows(hits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and indices (int64) of the true cells of each row of a bool matrix."""
    rows, index = np.nonzero(hits)
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(hits)))])
    return start.astype(np.int64), index.astype(np.int64)


@kernel
def row_sums(start, index, weight, rows, out):
    """The sum of int64 weights over the cells of some rows."""
    for i in range(rows.size):
        total = np.int64(0)
        for e in range(start[rows[i]], start[rows[i] + 1]):
            total += weight[index[e]]
        out[i] = total
