"""Kernels of antecedent mining: conjunctions of packed columns judged, hashed, compared and written.

A conjunction is a row of three column indices, -1 where it has fewer. A verdict is its number of rows, or the negative
code of the reason why it and everything that contains it are left out. Its support is that number, or the weight of the
rows; the ``measure`` that decides about it is a tuple: the packed positives, uint64 (n_words,); the weight of each row,
float64 (n_rows,), or of size 0 where every row counts 1; the limits, float64. The hash is a linear form of the 32-bit
halves of the row's words, so that the hashes of a row and of its complement add up to the hash of the row of ones.
"""

from __future__ import annotations

import numpy as np

from .bit_words import mix
from .jit import ctz, kernel, popcount

REASONS = ("", "contradiction", "support below min", "redundant", "support above max", "duplicate")
CONTRADICTION, BELOW, REDUNDANT, ABOVE, DUPLICATE = range(1, 6)

# limits
MIN_SUPPORT, MAX_SUPPORT, BY_CLASS, MIN_POSITIVES, MIN_NEGATIVES = range(5)


@kernel
def weigh(first, second, third, weights):
    """Weight of the rows in all three packed rows; their number when there are no weights."""
    if not weights.size:
        count = 0
        for w in range(first.size):
            count += popcount(first[w] & second[w] & third[w])
        return np.float64(count)
    total = 0.0
    for w in range(first.size):
        x = first[w] & second[w] & third[w]
        while x:
            total += weights[64 * w + ctz(x)]
            x &= x - np.uint64(1)
    return total


@kernel
def weigh_each(words, mask, weights, out):
    """The support of each packed row within the mask: out float64 (n_rows,)."""
    for r in range(words.shape[0]):
        out[r] = weigh(words[r], mask, mask, weights)


@kernel
def judge(prefix, column, measure):
    """Number and support of the rows in both packed rows; minus the code of the reason where there are too few."""
    positives, weights, limits = measure
    count = 0
    for w in range(prefix.size):
        count += popcount(prefix[w] & column[w])
    if count == 0:
        return -CONTRADICTION, 0.0
    support = weigh(prefix, column, column, weights) if weights.size else np.float64(count)
    if support < limits[MIN_SUPPORT]:
        if not limits[BY_CLASS]:
            return -BELOW, support
        positive = weigh(prefix, column, positives, weights)
        if positive < limits[MIN_POSITIVES] and support - positive < limits[MIN_NEGATIVES]:
            return -BELOW, support
    return count, support


@kernel
def hash_both(prefix, column, multipliers):
    """Linear hash of the intersection of two packed rows; multipliers: two random words per word."""
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    h = np.uint64(0)
    for w in range(prefix.size):
        x = prefix[w] & column[w]
        h += (x & low) * multipliers[2 * w] + (x >> high) * multipliers[2 * w + 1]
    return h


@kernel
def effort_of(words, weights):
    """What judging one conjunction of two packed rows takes, in words looked at; weights are looked up row by row."""
    return words.shape[1] * (32 if weights.size else 1)


@kernel
def mine_pairs(words, measure, multipliers, counts, i, verdicts, out, dropped, effort):
    """Judge the pairs (i, j), i < j, from row ``i`` on, while the output has room for a whole row and effort is left.

    words: uint64 (n_columns, n_words). counts: int64 (n_columns,), their rows. verdicts: int32 (n_columns, n_columns),
    or of size 0, receives the verdict of each pair. out: parts int32 (capacity, 3), counts int64 and hashes uint64
    (capacity,). dropped: int64, by code of the reason. effort: int64, words until the call ends. Returns next i, pairs.
    """
    parts, out_counts, hashes = out
    most = measure[2][MAX_SUPPORT]
    n = words.shape[0]
    each = effort_of(words, measure[1])
    written = 0
    while i < n and written + n - i <= out_counts.size and effort > 0:
        effort -= (n - i) * each
        for j in range(i + 1, n):
            verdict, support = judge(words[i], words[j], measure)
            if verdict == counts[i] or verdict == counts[j]:
                verdict = -REDUNDANT
            if verdicts.size:
                verdicts[i, j] = verdict
            if verdict < 0:
                dropped[-verdict] += 1
            elif support > most:
                dropped[ABOVE] += 1
            else:
                parts[written, 0], parts[written, 1], parts[written, 2] = i, j, -1
                out_counts[written] = verdict
                hashes[written] = hash_both(words[i], words[j], multipliers)
                written += 1
        i += 1
    return i, written


@kernel
def mine_triples(words, measure, multipliers, verdicts, i, j, prefix, out, dropped, effort):
    """Judge the triples (i, j, k), i < j < k, from the pair (i, j) on; as `mine_pairs`, returns next i, j, written.

    A triple that contains a pair left out is left out for the same reason, without being formed.
    prefix: uint64 (n_words,), scratch.
    """
    parts, out_counts, hashes = out
    most = measure[2][MAX_SUPPORT]
    n = words.shape[0]
    each = effort_of(words, measure[1])
    written = 0
    while i < n - 2:
        if written + n - j > out_counts.size or effort <= 0:
            return i, j, written
        both = verdicts[i, j]
        effort -= 1
        if both < 0:
            dropped[-both] += n - 1 - j
        else:
            effort -= (n - j) * each
            for w in range(prefix.size):
                prefix[w] = words[i, w] & words[j, w]
            for k in range(j + 1, n):
                verdict = verdicts[j, k]
                support = 0.0
                if verdicts[i, k] < 0:
                    verdict = verdicts[i, k]
                if verdict >= 0:
                    verdict, support = judge(prefix, words[k], measure)
                    if verdict == both or verdict == verdicts[i, k] or verdict == verdicts[j, k]:
                        verdict = -REDUNDANT
                if verdict < 0:
                    dropped[-verdict] += 1
                elif support > most:
                    dropped[ABOVE] += 1
                else:
                    parts[written, 0], parts[written, 1], parts[written, 2] = i, j, k
                    out_counts[written] = verdict
                    hashes[written] = hash_both(prefix, words[k], multipliers)
                    written += 1
        j += 1
        if j >= n - 1:
            i += 1
            j = i + 1
    return i, j, written


@kernel
def same_rows(words, first, second):
    """Whether two conjunctions hold on the same rows, compared in full."""
    for w in range(words.shape[1]):
        a = words[first[0], w]
        b = words[second[0], w]
        for p in range(1, 3):
            if first[p] >= 0:
                a &= words[first[p], w]
            if second[p] >= 0:
                b &= words[second[p], w]
        if a != b:
            return False
    return True


@kernel
def keep_distinct(words, new, n_new, table, kept, n_kept):
    """Append those of ``n_new`` conjunctions whose rows no kept one has; returns the new number of kept ones.

    table: int64, open addressing by hash, a power of two long, at least twice the rows of ``kept``; -1 is free.
    """
    new_parts, new_counts, new_hashes = new
    parts, counts, hashes = kept
    mask = np.uint64(table.size - 1)
    for r in range(n_new):
        h = new_hashes[r]
        slot = mix(np.uint64(0), h) & mask
        duplicate = False
        while table[slot] >= 0:
            g = table[slot]
            if hashes[g] == h and counts[g] == new_counts[r] and same_rows(words, parts[g], new_parts[r]):
                duplicate = True
                break
            slot = (slot + np.uint64(1)) & mask
        if not duplicate:
            table[slot] = n_kept
            for p in range(3):
                parts[n_kept, p] = new_parts[r, p]
            counts[n_kept] = new_counts[r]
            hashes[n_kept] = h
            n_kept += 1
    return n_kept


@kernel
def rebuild(table, hashes, n_kept):
    """Enter the kept conjunctions, known to be distinct, into an empty table."""
    mask = np.uint64(table.size - 1)
    for g in range(n_kept):
        slot = mix(np.uint64(0), hashes[g]) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = g


@kernel
def fill(words, parts, out):
    """Write the packed rows of the conjunctions: out uint64 (n_conjunctions, n_words)."""
    for r in range(parts.shape[0]):
        for w in range(words.shape[1]):
            out[r, w] = words[parts[r, 0], w]
        for p in range(1, 3):
            if parts[r, p] >= 0:
                for w in range(words.shape[1]):
                    out[r, w] &= words[parts[r, p], w]


@kernel
def find_complements(words, ones, hash_of_ones, hashes, table, partner, start, stop):
    """For packed rows start .. stop - 1 the later one that is its negation: partner int64, -1 where there is none."""
    mask = np.uint64(table.size - 1)
    for r in range(start, stop):
        partner[r] = -1
        h = hash_of_ones - hashes[r]
        slot = mix(np.uint64(0), h) & mask
        while table[slot] >= 0:
            g = table[slot]
            if g > r and hashes[g] == h:
                exact = True
                for w in range(words.shape[1]):
                    if words[r, w] ^ words[g, w] != ones[w]:
                        exact = False
                        break
                if exact:
                    partner[r] = g
                    break
            slot = (slot + np.uint64(1)) & mask
