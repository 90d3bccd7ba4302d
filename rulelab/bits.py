"""Packed bit matrices: rows of 64-bit words, bit ``j`` of a row in word ``j // 64`` at position ``j % 64``."""

from __future__ import annotations

import numpy as np

from .jit import inlined, kernel

WORD = 64


def n_words(n_bits: int) -> int:
    """Words needed for ``n_bits`` bits; at least one, so that kernels never meet an empty row."""
    return max(1, -(-n_bits // WORD))


def pack(matrix: np.ndarray) -> np.ndarray:
    """Pack the rows of a Boolean matrix.

    Parameters
    ----------
    matrix : bool array, shape (n_rows, n_bits)

    Returns
    -------
    uint64 array, shape (n_rows, n_words(n_bits)); unused high bits are zero.
    """
    matrix = np.ascontiguousarray(matrix, dtype=bool)
    n_rows, n_bits = matrix.shape
    packed = np.zeros((n_rows, n_words(n_bits) * 8), dtype=np.uint8)
    packed[:, : -(-n_bits // 8)] = np.packbits(matrix, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Boolean matrix of shape (n_rows, n_bits) from packed rows; the inverse of `pack`."""
    octets = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_bits, bitorder="little").astype(bool)


def counts(words: np.ndarray) -> np.ndarray:
    """Number of set bits of each packed row, int64."""
    return np.bitwise_count(words).sum(axis=1, dtype=np.int64)


def transpose(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Transpose a packed matrix of ``n_bits`` columns without unpacking it."""
    out = np.zeros((n_bits, n_words(words.shape[0])), dtype=np.uint64)
    _transpose(_read_only(words), out, np.zeros(WORD, dtype=np.uint64))
    return out


def group_equal_rows(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group equal packed rows, comparing the rows in full (a hash only finds the candidates).

    Returns
    -------
    group : int64 array, shape (n_rows,)
        Index of each row's group; groups are numbered by first appearance.
    first : int64 array, shape (n_groups,)
        The first row of each group.
    """
    n_rows = words.shape[0]
    capacity = 16
    while capacity < 2 * n_rows:
        capacity *= 2
    group = np.empty(n_rows, dtype=np.int64)
    first = np.empty(n_rows, dtype=np.int64)
    n_groups = _group_equal_rows(_read_only(words), np.full(capacity, -1, dtype=np.int64), group, first)
    return group, first[:n_groups].copy()


@inlined
def mix(h, x):
    """Fold the word ``x`` into the 64-bit hash ``h`` (the finalizer of splitmix64)."""
    h = (h ^ x) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(29))


def _read_only(words: np.ndarray) -> np.ndarray:
    """A view that cannot be written, whether the rows can or not: kernels are compiled for one type of array."""
    view = np.ascontiguousarray(words).view()
    view.flags.writeable = False
    return view


@kernel
def _group_equal_rows(words, table, group, first):
    mask = np.uint64(table.size - 1)
    n_groups = 0
    for i in range(words.shape[0]):
        h = np.uint64(0)
        for k in range(words.shape[1]):
            h = mix(h, words[i, k])
        slot = h & mask
        while True:
            g = table[slot]
            if g < 0:
                table[slot] = n_groups
                first[n_groups] = i
                group[i] = n_groups
                n_groups += 1
                break
            same = True
            for k in range(words.shape[1]):
                if words[i, k] != words[first[g], k]:
                    same = False
                    break
            if same:
                group[i] = g
                break
            slot = (slot + np.uint64(1)) & mask
    return n_groups


@kernel
def _transpose(words, out, block):
    n_rows, n_bits = words.shape[0], out.shape[0]
    for row_word in range((n_rows + 63) // 64):
        for column_word in range((n_bits + 63) // 64):
            for i in range(64):
                row = row_word * 64 + i
                block[i] = words[row, column_word] if row < n_rows else np.uint64(0)
            transpose_64(block)
            for j in range(min(64, n_bits - column_word * 64)):
                out[column_word * 64 + j, row_word] = block[j]


@inlined
def transpose_64(block):
    """Transpose a 64 x 64 bit block in place by swapping ever smaller off-diagonal squares."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        i = 0
        while i < 64:
            swap = ((block[i] >> shift) ^ block[i + width]) & mask
            block[i] ^= swap << shift
            block[i + width] ^= swap
            i = (i + width + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)
