"""What compiled searches do with 64-bit words: a hash, and the transposition of a block of bits."""

from __future__ import annotations

import numpy as np

from .jit import inlined


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
