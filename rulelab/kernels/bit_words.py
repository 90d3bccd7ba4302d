"""What compiled searches do with 64-bit words: hashes, tables of sets, transpositions, ratios, sums by bit planes."""

from __future__ import annotations

import numpy as np

from . import bits
from .jit import inlined, inner, kernel, popcount

_TILE = 8  # words of a cache line


@inlined
def mix(h, x):
    """Fold the word ``x`` into the 64-bit hash ``h`` (the finalizer of splitmix64)."""
    h = (h ^ x) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(29))


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


def transposed(words: np.ndarray, n_bits: int) -> np.ndarray:
    """`bits.transpose` in a tenth of the time: for searches, which prepare large tables within a unit of work."""
    out = np.zeros((n_bits, bits.n_words(len(words))), dtype=np.uint64)
    _transpose(np.ascontiguousarray(words), out, np.zeros(bits.WORD, dtype=np.uint64))
    return out


def turned(words: np.ndarray) -> np.ndarray:
    """A contiguous copy of the transposed matrix of words: uint64 array, shape (n, m) from (m, n)."""
    out = np.zeros(words.shape[::-1], dtype=np.uint64)
    _turn(np.ascontiguousarray(words), out)
    return out


@kernel
def _transpose(words, out, block):
    n_rows, width = words.shape
    n_bits = out.shape[0]
    for tile in range(0, width, _TILE):
        for part in range((n_rows + 63) // 64):
            rows = min(64, n_rows - 64 * part)
            for w in range(tile, min(tile + _TILE, width)):
                for i in range(rows):
                    block[i] = words[64 * part + i, w]
                for i in range(rows, 64):
                    block[i] = 0
                transpose_64(block)
                for i in range(min(64, n_bits - 64 * w)):
                    out[64 * w + i, part] = block[i]


@kernel
def _turn(words, out):
    m, n = words.shape
    for first in range(0, m, _TILE):
        for tile in range(0, n, _TILE):
            for w in range(tile, min(tile + _TILE, n)):
                for a in range(first, min(first + _TILE, m)):
                    out[w, a] = words[a, w]


_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@inner
def at_most(a, b, c, d):
    """Whether a / b <= c / d, that is a * d <= c * b, for integers of 0 to 2^63 - 1; true when b is 0."""
    if a < 0x7FFFFFFF and b < 0x7FFFFFFF and c < 0x7FFFFFFF and d < 0x7FFFFFFF:
        return a * d <= c * b
    left_high, left_low = _product(np.uint64(a), np.uint64(d))
    right_high, right_low = _product(np.uint64(c), np.uint64(b))
    return left_high < right_high or (left_high == right_high and left_low <= right_low)


@inner
def _product(x, y):
    """The product of two 64-bit words: its high and its low word."""
    x_low, x_high, y_low, y_high = x & _LOW, x >> _HALF, y & _LOW, y >> _HALF
    low = x_low * y_low
    middle = x_high * y_low + (low >> _HALF)
    carried = x_low * y_high + (middle & _LOW)
    high = x_high * y_high + (middle >> _HALF) + (carried >> _HALF)
    return high, x * y


@inner
def is_same(sets, entry, chosen):
    """Whether a row of ``sets`` is the chosen set."""
    for w in range(chosen.size):  # noqa: SIM110 - kernels have no generators
        if sets[entry, w] != chosen[w]:
            return False
    return True


@inner
def slot_of(table, sets, chosen):
    """The table slot of a set: of the entry whose row of ``sets`` is this very set, or the free one to fill."""
    mask = np.uint64(table.size - 1)
    h = np.uint64(0)
    for w in range(chosen.size):
        h = mix(h, chosen[w])
    slot = np.int64(h & mask)
    while True:
        entry = table[slot]
        if entry < 0 or is_same(sets, entry, chosen):
            return slot
        slot = (slot + 1) & np.int64(mask)


@inner
def slot_at_length(table, sets, lengths, chosen, length):
    """The same of a set and a length of prefix; a ``length`` of 0 lets any length do."""
    mask = np.uint64(table.size - 1)
    h = np.uint64(length)
    for w in range(chosen.size):
        h = mix(h, chosen[w])
    slot = np.int64(h & mask)
    while True:
        entry = table[slot]
        if entry < 0 or ((length == 0 or lengths[entry] == length) and is_same(sets, entry, chosen)):
            return slot
        slot = (slot + 1) & np.int64(mask)


def bit_planes(weights: np.ndarray) -> np.ndarray:
    """uint64, shape (n_digits, n_words): which of the int64 weights have each binary digit, packed."""
    digits = np.arange(max(1, int(weights.max(initial=0)).bit_length()))
    return bits.pack(((weights[None, :] >> digits[:, None]) & 1).astype(bool))


def entries(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The words of planes that are not empty, in the order of words: their word, their digit and their mask."""
    word, digit = np.nonzero(planes.T)
    return word.astype(np.int64), digit.astype(np.int64), planes[digit, word]


@inner
def count(word, digit, mask, by_word, chosen, out):
    """Weight that every antecedent captures of the set ``chosen``; ``by_word`` is of shape (n_words, m)."""
    for a in range(out.size):
        out[a] = 0
    for e in range(word.size):
        x = chosen[word[e]] & mask[e]
        if x != 0:
            shift = digit[e]
            row = by_word[word[e]]
            for a in range(out.size):
                out[a] += popcount(x & row[a]) << shift
