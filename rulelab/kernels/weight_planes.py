"""Bit planes of the patterns' weights: what every antecedent captures of a set, by population counts.

A plane holds the places whose weight has one binary digit. The antecedents lie side by side for each word of the set,
so that the loop over them vectorises.
"""

from __future__ import annotations

import numpy as np

from . import bits
from .jit import inner, popcount


def bit_planes(weights: np.ndarray) -> np.ndarray:
    """Row ``d``, packed: the places whose weight has the binary digit ``d``.

    Parameters
    ----------
    weights : int64 array, shape (n_places,)

    Returns
    -------
    uint64 array, shape (n_digits, bits.n_words(n_places))
    """
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
