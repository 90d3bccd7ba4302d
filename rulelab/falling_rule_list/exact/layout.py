"""The patterns in falling order of their proportion of positives, as bit sets and bit planes for the exact search.

The bounds need, for a set of patterns, the positives and negatives in patterns above a threshold. In this order they
are prefix sums over words, which a few vectorised population counts give.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels import bits
from ...kernels.bit_words import bit_planes, entries, transposed, turned
from ...kernels.by_reference import by_reference
from ...kernels.jit import inner, popcount
from ..costs import Prepared


@by_reference
class Layout(NamedTuple):
    """What the kernels read.

    Patterns come in three blocks, each starting a new word: those above the threshold tau in falling order of their
    proportion, the others with positives in the same order, and those without positives in falling order of negatives.
    """

    by_word: np.ndarray
    """uint64, shape (n_words, m): word ``w`` of the pattern sets of the antecedents that are ``kept``, these
    contiguous."""
    kept: np.ndarray  # int64: antecedents that may be in a better list; all at first
    allowed: np.ndarray  # bool, shape (m,): the same
    by_antecedent: np.ndarray  # uint64, shape (m, n_words)
    full: np.ndarray  # uint64, shape (n_words,): the set of all patterns
    # positive_word, positive_digit (int64), positive_mask (uint64): bit planes of the positives: word, binary
    # digit, and which places have it
    positive_word: np.ndarray
    positive_digit: np.ndarray
    positive_mask: np.ndarray
    # negative_word, negative_digit, negative_mask: the same of the negatives
    negative_word: np.ndarray
    negative_digit: np.ndarray
    negative_mask: np.ndarray
    # head_positives, head_negatives (uint64, shape (n_digits, n_head)): the bit planes of the words with positives, by
    # digit
    head_positives: np.ndarray
    head_negatives: np.ndarray
    above: int  # words of the first block
    # upper, lower (float64, shape (n_head,)): the largest and the smallest threshold between the patterns of the word,
    # and those before it, and what follows
    upper: np.ndarray
    lower: np.ndarray


def patterns_of(prepared: Prepared) -> np.ndarray:
    """The prepared patterns, packed over the antecedents."""
    return transposed(prepared.data.columns, len(prepared.patterns))


def layout(prepared: Prepared, patterns: np.ndarray) -> Layout:
    """Arrange a problem, whose antecedents and weights are prepared, and its `patterns_of` for the kernels."""
    data = prepared.data
    m, n = len(data.columns), len(prepared.patterns)
    positives, negatives = data.positives[:n], data.negatives[:n]
    group, first = bits.group_equal_rows(patterns) if m else (np.zeros(n, dtype=np.int64), np.zeros(1, int))
    merged = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(merged[0], group, positives)
    np.add.at(merged[1], group, negatives)
    patterns, (positives, negatives) = patterns[first], merged
    proportion = positives / (positives + negatives).clip(1)
    is_above = data.per_positive * positives > data.per_negative * negatives  # both products are below 2^61
    blocks = [
        np.flatnonzero(is_above),
        np.flatnonzero(~is_above & (positives > 0)),
        np.flatnonzero((positives == 0) & (negatives > 0)),
    ]
    orders = [block[np.argsort(-proportion[block], kind="stable")] for block in blocks[:2]]
    orders.append(blocks[2][np.argsort(-negatives[blocks[2]], kind="stable")])
    sizes = [-(-len(block) // bits.WORD) for block in orders]
    words = max(1, sum(sizes))
    starts = np.cumsum([0, *sizes])[:3] * bits.WORD
    slots = np.concatenate([start + np.arange(len(block)) for start, block in zip(starts, orders, strict=True)])
    order = np.concatenate(orders)
    placed = np.zeros((words * bits.WORD, patterns.shape[1]), dtype=np.uint64)
    placed[slots] = patterns[order]
    weights = np.zeros((2, words * bits.WORD), dtype=np.int64)
    weights[0, slots], weights[1, slots] = positives[order], negatives[order]
    present = np.zeros((1, words * bits.WORD), dtype=bool)
    present[0, slots] = True
    by_antecedent = transposed(placed, m) if m else np.zeros((0, words), dtype=np.uint64)
    planes = bit_planes(weights[0]), bit_planes(weights[1])
    head, above = sizes[0] + sizes[1], sizes[0]
    tau = data.per_negative / (data.per_positive + data.per_negative)
    upper, lower = _separators([proportion[order] for order in orders[:2]], tau)
    return Layout(
        by_word=turned(by_antecedent),
        kept=np.arange(m),
        allowed=np.ones(m, dtype=bool),
        by_antecedent=by_antecedent,
        full=bits.pack(present)[0],
        **dict(zip(("positive_word", "positive_digit", "positive_mask"), entries(planes[0]), strict=True)),
        **dict(zip(("negative_word", "negative_digit", "negative_mask"), entries(planes[1]), strict=True)),
        head_positives=np.ascontiguousarray(planes[0][:, :head]),
        head_negatives=np.ascontiguousarray(planes[1][:, :head]),
        above=above,
        upper=upper,
        lower=lower,
    )


def _separators(proportions: list[np.ndarray], tau: float) -> tuple[np.ndarray, np.ndarray]:
    """The largest threshold that the patterns after each word of the blocks do not exceed, and the smallest."""
    upper, lower = [], []
    for k, falling in enumerate(proportions):
        ends = np.append(np.arange(bits.WORD, len(falling), bits.WORD), len(falling))[: -(-len(falling) // bits.WORD)]
        following = next((each[0] for each in proportions[k + 1 :] if len(each)), 0.0)
        upper.append(falling[ends - 1])
        lower.append(np.append(falling, following)[ends])
    if len(upper[0]):
        upper[0][-1] = tau
    return np.concatenate(upper), np.concatenate(lower)


@inner
def sum_head(planes, chosen, out):
    """``out[w]``: weight of the set in the words up to ``w``, from the bit planes of the words with positives."""
    for w in range(out.size):
        out[w] = 0
    for d in range(planes.shape[0]):
        row = planes[d]
        for w in range(out.size):
            out[w] += popcount(chosen[w] & row[w]) << d
    for w in range(1, out.size):
        out[w] += out[w - 1]
