"""Net weights of all antecedents on one set of patterns: the inner loop of the search.

Patterns are sorted by sign, then by weight, each sign starting a new word. Two kernels give the same sums:

*bit planes*: for each word and each binary digit of the weights, ``popcount(set & plane & antecedent) << digit``, with
the antecedents contiguous so that the loop over them vectorises; its cost grows with the number of binary digits;
*rows*: for each pattern of the set, its weight is added to the antecedents that hold for it; its cost grows with the
number of patterns but not with their weights.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from ..kernels import bits
from ..kernels.bit_words import bit_planes, entries, transposed, turned
from ..kernels.by_reference import by_reference
from ..kernels.jit import inlined, inner, kernel, popcount

EFFORT_PER_WORK = 150_000_000
"""Words and weights that a unit of work looks at, about: less than a fifth of a second."""

_LARGEST_ROWS = 1 << 24  # entries; in larger tables rows are never faster, and take gigabytes


@by_reference
class Layout(NamedTuple):
    """The reduced problem as flat arrays for the kernels."""

    by_word: np.ndarray
    """uint64, shape (n_words, m): word ``w`` of every antecedent's pattern set, antecedents contiguous."""
    by_antecedent: np.ndarray  # uint64, shape (m, n_words)
    full: np.ndarray  # uint64, shape (n_words,): the set of all patterns
    weights: np.ndarray  # int64, shape (64 * n_words,): absolute net weight of each position; 0 for padding
    members: np.ndarray
    """int64, shape (64 * n_words, m): -1 where the antecedent holds for the pattern, else 0: a mask for weights. Empty
    unless ``use_rows``."""
    positive_words: int  # words of the positive patterns; the negative ones follow
    # entry_word, entry_digit (int64), entry_mask (uint64): the bit planes
    entry_word: np.ndarray
    entry_digit: np.ndarray
    entry_mask: np.ndarray
    positive_entries: int  # planes of the positive patterns; the negative ones follow
    use_rows: bool
    effort: int
    """Operations of one count with bit planes: what bounds the work between two looks at the clock, and learning. It
    does not depend on which kernel was found to be faster, so that two runs do the same."""


def layout(patterns: np.ndarray, net: np.ndarray, m: int, use_rows: bool | None = None) -> Layout:
    """Arrange packed patterns (uint64, shape (n_patterns, bits.n_words(m))) and signed net weights for the kernels.

    ``use_rows``: which kernel counts; by default the one that takes less time for a millisecond. The sums are the same.
    """
    order = np.argsort(-np.abs(net), kind="stable")
    positive, negative = order[net[order] > 0], order[net[order] < 0]
    positive_words = bits.n_words(len(positive))
    words = positive_words + bits.n_words(len(negative))
    slots = np.concatenate([np.arange(len(positive)), positive_words * bits.WORD + np.arange(len(negative))])
    chosen = np.concatenate([positive, negative])
    rows = np.zeros((words * bits.WORD, patterns.shape[1]), dtype=np.uint64)
    rows[slots] = patterns[chosen]
    weights = np.zeros(words * bits.WORD, dtype=np.int64)
    weights[slots] = np.abs(net[chosen])
    present = np.zeros((1, words * bits.WORD), dtype=bool)
    present[0, slots] = True
    by_antecedent = transposed(rows, m)
    entry_word, entry_digit, entry_mask = entries(bit_planes(weights))
    result = Layout(
        by_word=turned(by_antecedent),
        by_antecedent=by_antecedent,
        full=bits.pack(present)[0],
        weights=weights,
        members=np.zeros((0, m), dtype=np.int64),
        positive_words=positive_words,
        entry_word=entry_word,
        entry_digit=entry_digit,
        entry_mask=entry_mask,
        positive_entries=int(np.count_nonzero(entry_word < positive_words)),
        use_rows=False,
        effort=max(1, m * len(entry_word)),
    )
    if use_rows is False or (use_rows is None and len(weights) * m > _LARGEST_ROWS):
        return result
    with_rows = result._replace(members=-bits.unpack(rows, m).astype(np.int64), use_rows=True)
    if use_rows or _seconds(with_rows) < _seconds(result):
        return with_rows
    return result


def _seconds(arrays: Layout) -> float:
    """Time of one count of everything, the best of a few."""
    m = arrays.by_antecedent.shape[0]
    positive, negative = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    best, spent = float("inf"), 0.0
    count(arrays, arrays.full, positive, negative)
    while spent < 5e-4:
        start = time.perf_counter()
        count(arrays, arrays.full, positive, negative)
        seconds = time.perf_counter() - start
        best, spent = min(best, seconds), spent + seconds
    return best


def children_per_work(arrays: Layout) -> int:
    """Children that one unit of work may look at: all, except where so many take seconds for a single prefix."""
    m = arrays.by_antecedent.shape[0]
    return min(m + 1, EFFORT_PER_WORK // (arrays.effort + 20 * m) + 16)


@inner
def effort_of_a_count(arrays):
    """Words and weights looked at when all antecedents are counted and their weights compared with some bounds."""
    return arrays.effort + 20 * arrays.by_antecedent.shape[0]


@kernel
def count(arrays, chosen, positive, negative):
    """Net weights W+ and W- of every antecedent within the set ``chosen``; returns the set's own W+ and W-."""
    return count_here(arrays, chosen, positive, negative)


@inlined
def count_here(arrays, chosen, positive, negative):
    """`count`, copied into an inner loop: handing on the arrays takes as long as counting few words."""
    total_positive = 0
    total_negative = 0
    for sign in range(2):
        out = negative if sign else positive
        for a in range(out.size):
            out[a] = 0
        total = 0
        if arrays.use_rows:
            words = arrays.positive_words
            for word in range(words if sign else 0, chosen.size if sign else words):
                x = chosen[word]
                while x != 0:
                    position = word * 64 + popcount((x & (~x + np.uint64(1))) - np.uint64(1))
                    weight = arrays.weights[position]
                    total += weight
                    row = arrays.members[position]
                    for a in range(out.size):
                        out[a] += weight & row[a]
                    x &= x - np.uint64(1)
        else:
            n = arrays.positive_entries
            for e in range(n if sign else 0, arrays.entry_word.size if sign else n):
                word = arrays.entry_word[e]
                x = chosen[word] & arrays.entry_mask[e]
                if x != 0:
                    digit = arrays.entry_digit[e]
                    total += popcount(x) << digit
                    row = arrays.by_word[word]
                    for a in range(out.size):
                        out[a] += popcount(x & row[a]) << digit
        if sign:
            total_negative = total
        else:
            total_positive = total
    return total_positive, total_negative


@kernel
def weigh(arrays, chosen):
    """W+ and W- of a set of patterns."""
    positive = 0
    negative = 0
    for e in range(arrays.entry_word.size):
        n = popcount(chosen[arrays.entry_word[e]] & arrays.entry_mask[e]) << arrays.entry_digit[e]
        if e < arrays.positive_entries:
            positive += n
        else:
            negative += n
    return positive, negative


@inner
def errors_of_list(arrays, path, constant, scratch):
    """What a list gets wrong, ``constant`` in any case; ``path``, shape (n_rules,): its antecedents.

    ``scratch``, shape (2, n_words), uint64, is room for two sets. Counted anew: a cheaper prefix may have taken the
    place of one that the list starts with.
    """
    captured, left = scratch[0], scratch[1]
    for w in range(left.size):
        left[w] = arrays.full[w]
    wrong = constant
    for i in range(path.size):
        for w in range(left.size):
            captured[w] = left[w] & arrays.by_antecedent[path[i], w]
            left[w] &= ~captured[w]
        positive, negative = weigh(arrays, captured)
        wrong += min(positive, negative)
    positive, negative = weigh(arrays, left)
    return wrong + min(positive, negative)
