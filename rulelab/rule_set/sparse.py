"""Sums over the entities that columns cover, in compressed rows."""

from __future__ import annotations

import numpy as np

from ..kernels.jit import ctz, kernel


def sparse_rows(hits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and indices (int64) of the true cells of each row of a bool matrix."""
    start = np.concatenate([[0], np.cumsum(np.count_nonzero(hits, axis=1))]).astype(np.int64)
    index = np.empty(start[-1], dtype=np.int64)
    _find(hits, index)
    return start, index


@kernel
def _find(hits, index):
    e = 0
    for i in range(hits.shape[0]):
        for j in range(hits.shape[1]):
            if hits[i, j]:
                index[e] = j
                e += 1


@kernel
def packed_sums(words, rows, weight, out):
    """The sum of int64 weights over the set bits of some packed rows."""
    for i in range(rows.size):
        total = np.int64(0)
        for w in range(words.shape[1]):
            word = words[rows[i], w]
            while word:
                total += weight[(w << 6) + ctz(word)]
                word &= word - np.uint64(1)
        out[i] = total


@kernel
def intersections(words, members, out):
    """For each row of ``members``, filled up with -1, what the packed rows that it names have in common."""
    for i in range(members.shape[0]):
        for k in range(members.shape[1]):
            j = members[i, k]
            if j < 0:
                break
            for w in range(words.shape[1]):
                if k == 0:
                    out[i, w] = words[j, w]
                else:
                    out[i, w] &= words[j, w]


@kernel
def signatures(hits, keys, out):
    """Add the key of each row to the entities that it covers."""
    for i in range(hits.shape[0]):
        for j in range(hits.shape[1]):
            if hits[i, j]:
                out[j] += keys[i]


@kernel
def row_sums(start, index, weight, rows, out):
    """The sum of int64 weights over the cells of some rows."""
    for i in range(rows.size):
        total = np.int64(0)
        for e in range(start[rows[i]], start[rows[i] + 1]):
            total += weight[index[e]]
        out[i] = total
