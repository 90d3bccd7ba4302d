"""Packed bit matrices: rows of 64-bit words, bit ``j`` of a row in word ``j // 64`` at position ``j % 64``.

Plain numpy: problems are made of this, and a check of a proof should not have to trust compiled code.
"""

from __future__ import annotations

import numpy as np

WORD = 64
WORDS_AT_ONCE = 1 << 20
"""Words that are worked on at once."""


def n_words(n_bits: int) -> int:
    """Words needed for ``n_bits`` bits; at least one, so that kernels never meet an empty row."""
    return max(1, -(-n_bits // WORD))


def pack(matrix: np.ndarray) -> np.ndarray:
    """Pack the rows of a bool matrix: uint64, shape (n_rows, n_words(n_bits)); unused high bits are zero."""
    matrix = np.ascontiguousarray(matrix, dtype=bool)
    n_rows, n_bits = matrix.shape
    packed = np.zeros((n_rows, n_words(n_bits) * 8), dtype=np.uint8)
    for part in _parts(n_rows, n_bits):
        packed[part, : -(-n_bits // 8)] = np.packbits(matrix[part], axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Boolean matrix of shape (n_rows, n_bits) from packed rows; the inverse of `pack`."""
    octets = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    out = np.empty((len(words), n_bits), dtype=bool)
    for part in _parts(len(words), n_bits):
        out[part] = np.unpackbits(octets[part], axis=1, count=n_bits, bitorder="little")
    return out


def counts(words: np.ndarray) -> np.ndarray:
    """Number of set bits of each packed row, int64."""
    return np.bitwise_count(words).sum(axis=1, dtype=np.int64)


def transpose(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Transpose a packed matrix of ``n_bits`` columns without unpacking it."""
    n_rows, width = words.shape
    out = np.zeros((n_bits, n_words(n_rows)), dtype=np.uint64)
    for part in _parts(-(-n_rows // WORD), WORD * width):
        rows = words[part.start * WORD : part.stop * WORD]
        blocks = np.zeros((part.stop - part.start, WORD, width), dtype=np.uint64)
        blocks.reshape(-1, width)[: len(rows)] = rows
        _transpose_blocks(blocks)
        out[:, part] = blocks.transpose(2, 1, 0).reshape(WORD * width, -1)[:n_bits]
    return out


def group_equal_rows(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group equal packed rows, comparing the rows in full (a hash only finds the candidates).

    Returns ``group`` (int64 array, shape (n_rows,)): index of each row's group; groups are numbered by first
    appearance. ``first`` (int64 array, shape (n_groups,)): the first row of each group.
    """
    first, group = _grouped(hashes(words))
    parts = _parts(len(words), words.shape[1])
    if not all(np.array_equal(words[part], words[first[group[part]]]) for part in parts):
        first, group = _grouped(np.ascontiguousarray(words).view(f"V{8 * words.shape[1]}").ravel())
    return group, first


def order(words: np.ndarray) -> np.ndarray:
    """Indices that sort packed rows by their words, the first one first; the rows must differ."""
    keys = np.ascontiguousarray(words).astype(">u8")  # bytes in the order of their worth compare as the words do
    return np.argsort(keys.view(f"S{8 * words.shape[1]}").ravel(), kind="stable")


def _grouped(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First row and group of each row, by equal keys; groups are numbered by first appearance."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return first[order].astype(np.int64, copy=False), number[group.ravel()]


def hashes(words: np.ndarray) -> np.ndarray:
    """A 64-bit hash of each row: a sum of mixed words, each times a number of its own; sums wrap around."""
    factors = np.random.default_rng(0).integers(0, 1 << 64, words.shape[1], dtype=np.uint64)
    out = np.empty(len(words), dtype=np.uint64)
    for part in _parts(len(words), words.shape[1]):
        mixed = words[part] * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
        out[part] = mixed @ factors
    return out


def _transpose_blocks(blocks: np.ndarray) -> None:
    """Transpose blocks of 64 x 64 bits in place by swapping ever smaller off-diagonal squares.

    ``blocks`` (uint64 array, shape (n, 64, m)): one block is ``blocks[i, :, j]``.
    """
    n, _, m = blocks.shape
    mask, width = np.uint64(0x00000000FFFFFFFF), WORD // 2
    while width:
        shift, pairs = np.uint64(width), blocks.reshape(n, WORD // (2 * width), 2, width, m)
        upper, lower = pairs[:, :, 0], pairs[:, :, 1]
        swap = ((upper >> shift) ^ lower) & mask
        upper ^= swap << shift
        lower ^= swap
        width //= 2
        mask ^= mask << np.uint64(width)


def _parts(n: int, width: int) -> list[slice]:
    """Slices of n rows of that many words or cells each."""
    step = max(1, WORDS_AT_ONCE // max(1, width))
    return [slice(start, min(n, start + step)) for start in range(0, n, step)]
