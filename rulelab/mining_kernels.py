"""Kernels of antecedent mining: conjunctions of packed columns judged, hashed, compared and written.

A conjunction is a row of three column indices, -1 where it has fewer. A verdict is its number of rows, or the negative
code of the reason why it and everything that contains it are left out. The hash is a linear form of the 32-bit halves
of the row's words, so that the hashes of a row and of its complement add up to the hash of the row of ones.
"""

from __future__ import annotations

import numpy as np

from .bits import mix
from .jit import kernel, popcount

REASONS = ("", "contradiction", "support below min", "redundant", "support above max", "duplicate")
CONTRADICTION, BELOW, REDUNDANT, ABOVE, DUPLICATE = range(1, 6)

# limits: int64 array
MIN_ROWS, MAX_ROWS, BY_CLASS, MIN_POSITIVES, MIN_NEGATIVES = range(5)


@kernel
def judge(prefix, column, positives, limits):
    """Rows in both packed rows, or minus the code of the reason why there are too few."""
    count = 0
    for w in range(prefix.size):
        count += popcount(prefix[w] & column[w])
    if count == 0:
        return -CONTRADICTION
    if count >= limits[MIN_ROWS]:
        return count
    if limits[BY_CLASS]:
        positive = 0
        for w in range(prefix.size):
            positive += popcount(prefix[w] & column[w] & positives[w])
        if positive >= limits[MIN_POSITIVES] or count - positive >= limits[MIN_NEGATIVES]:
            return count
    return -BELOW


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
def mine_pairs(words, positives, limits, multipliers, counts, i, verdicts, out, dropped):
    """Judge the pairs (i, j), i < j, from row ``i`` on, for as long as the output has room for a whole row.

    Parameters
    ----------
    words : uint64, (n_columns, n_words): the packed columns, each of which may be part of a conjunction
    counts : int64, (n_columns,): their rows
    verdicts : int32, (n_columns, n_columns), or of size 0: receives the verdict of each pair
    out : parts int32 (capacity, 3), counts int64 (capacity,), hashes uint64 (capacity,)
    dropped : int64, by code of the reason

    Returns
    -------
    next i, number of pairs written
    """
    parts, out_counts, hashes = out
    n = words.shape[0]
    written = 0
    while i < n and written + n - i <= out_counts.size:
        for j in range(i + 1, n):
            verdict = judge(words[i], words[j], positives, limits)
            if verdict == counts[i] or verdict == counts[j]:
                verdict = -REDUNDANT
            if verdicts.size:
                verdicts[i, j] = verdict
            if verdict < 0:
                dropped[-verdict] += 1
            elif verdict > limits[MAX_ROWS]:
                dropped[ABOVE] += 1
            else:
                parts[written, 0], parts[written, 1], parts[written, 2] = i, j, -1
                out_counts[written] = verdict
                hashes[written] = hash_both(words[i], words[j], multipliers)
                written += 1
        i += 1
    return i, written


@kernel
def mine_triples(words, positives, limits, multipliers, verdicts, i, j, out, dropped):
    """Judge the triples (i, j, k), i < j < k, from the pair (i, j) on; as `mine_pairs`, returns next i, j, written.

    A triple that contains a pair left out is left out for the same reason, without being formed.
    """
    parts, out_counts, hashes = out
    n = words.shape[0]
    prefix = np.empty(words.shape[1], dtype=np.uint64)
    written = 0
    while i < n - 2:
        if written + n - j > out_counts.size:
            return i, j, written
        both = verdicts[i, j]
        if both < 0:
            dropped[-both] += n - 1 - j
        else:
            for w in range(prefix.size):
                prefix[w] = words[i, w] & words[j, w]
            for k in range(j + 1, n):
                verdict = min(verdicts[i, k], verdicts[j, k])
                if verdicts[i, k] < 0:
                    verdict = verdicts[i, k]
                if verdict >= 0:
                    verdict = judge(prefix, words[k], positives, limits)
                    if verdict == both or verdict == verdicts[i, k] or verdict == verdicts[j, k]:
                        verdict = -REDUNDANT
                if verdict < 0:
                    dropped[-verdict] += 1
                elif verdict > limits[MAX_ROWS]:
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
            parts[n_kept] = new_parts[r]
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
def find_complements(words, ones, hash_of_ones, hashes, table, partner):
    """For each packed row the later one that is its exact negation: partner int64, -1 where there is none."""
    mask = np.uint64(table.size - 1)
    for r in range(words.shape[0]):
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
