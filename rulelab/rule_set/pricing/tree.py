"""The state of the branch and bound over conjunctions as flat arrays, conditions packed over the patterns of a node.

A *level* holds the patterns that the conjunction of one node covers, in *slots*: patterns of equal weight stand
together in a section of whole words, where a sum of weights is a popcount; the others are looked up byte by byte in
tables of partial sums. A node whose conjunction covers few of the slots gets a level of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels import bits
from ...kernels.bit_words import transpose_64
from ...kernels.by_reference import by_reference
from ...kernels.jit import ctz, inlined, inner, popcount
from ..features import Features

SMALLEST_SECTION = 24  # patterns of equal weight; fewer are looked up in tables

MOST_LEVELS = 5

# positions in Levels.numbers
N_SECTIONS, FIRST_HELPING, FIRST_HURTING, N_WORDS = range(4)


@by_reference
class Levels(NamedTuple):
    """The levels on the path of the search; the first axis is the level.

    columns: (n_levels, n_conditions, words); pattern: the pattern in each slot, -1 in an empty one; section_first,
    section_words and section_weight: the sections of equal weight; table: 8 x 256 sums per word of slots from
    FIRST_HELPING on; numbers: as named above.
    """

    columns: np.ndarray
    pattern: np.ndarray
    section_first: np.ndarray
    section_words: np.ndarray
    section_weight: np.ndarray
    table: np.ndarray
    numbers: np.ndarray
    block: np.ndarray
    order: np.ndarray


def new_levels(words: np.ndarray, weight: np.ndarray, n_conditions: int, n_levels: int) -> Levels:
    """Room for levels over the patterns ``words`` (row-major, of these conditions) with sorted ``weight``."""
    n = len(weight)
    runs = np.unique(weight, return_counts=True)[1]
    large = runs[runs >= SMALLEST_SECTION]
    n_sections = len(large) + 1
    loose = int(runs[runs < SMALLEST_SECTION].sum()) + len(large) * (SMALLEST_SECTION - 1)
    table_words = bits.n_words(loose) + 2
    n_words = int((large // bits.WORD + 1).sum()) + table_words
    return Levels(
        columns=np.zeros((n_levels, n_conditions, n_words), dtype=np.uint64),
        pattern=np.zeros((n_levels, n_words * bits.WORD), dtype=np.int32),
        section_first=np.zeros((n_levels, n_sections), dtype=np.int32),
        section_words=np.zeros((n_levels, n_sections), dtype=np.int32),
        section_weight=np.zeros((n_levels, n_sections), dtype=np.int64),
        table=np.zeros((n_levels, table_words * 8 * 256), dtype=np.int64),
        numbers=np.zeros((n_levels, 4), dtype=np.int64),
        block=np.zeros(bits.WORD, dtype=np.uint64),
        order=np.zeros(n, dtype=np.int32),
    )


@inner
def build(levels, level, words, weight, n_patterns):
    """Lay out the patterns ``levels.order[:n_patterns]``, which are sorted by weight, as a level."""
    pattern = levels.pattern[level]
    order = levels.order
    n_sections = 0
    slot = 0
    for part in range(3):  # sections, loose helping patterns, loose hurting patterns
        if part > 0:
            levels.numbers[level, part] = slot >> 6
        i = 0
        while i < n_patterns:
            value = weight[order[i]]
            j = i + 1
            while j < n_patterns and weight[order[j]] == value:
                j += 1
            large = j - i >= SMALLEST_SECTION or value == 0
            if (part == 0 and large) or (not large and ((part == 1 and value > 0) or (part == 2 and value < 0))):
                if part == 0:
                    levels.section_first[level, n_sections] = slot >> 6
                    levels.section_words[level, n_sections] = (j - i + 63) >> 6
                    levels.section_weight[level, n_sections] = value
                    n_sections += 1
                for k in range(i, j):
                    pattern[slot] = order[k]
                    slot += 1
                if part == 0:
                    while slot & 63:
                        pattern[slot] = -1
                        slot += 1
            i = j
        while slot & 63:
            pattern[slot] = -1
            slot += 1
    levels.numbers[level, N_SECTIONS] = n_sections
    levels.numbers[level, N_WORDS] = slot >> 6
    _fill_columns(levels, level, words)
    _fill_tables(levels, level, weight)


@inner
def _fill_columns(levels, level, words):
    columns, pattern, block = levels.columns[level], levels.pattern[level], levels.block
    for w in range(levels.numbers[level, N_WORDS]):
        for condition_word in range(words.shape[1]):
            for i in range(64):
                p = pattern[w * 64 + i]
                block[i] = words[p, condition_word] if p >= 0 else np.uint64(0)
            transpose_64(block)
            for j in range(min(64, columns.shape[0] - condition_word * 64)):
                columns[condition_word * 64 + j, w] = block[j]


@inner
def _fill_tables(levels, level, weight):
    table, pattern = levels.table[level], levels.pattern[level]
    first = levels.numbers[level, FIRST_HELPING]
    for octet in range((levels.numbers[level, N_WORDS] - first) * 8):
        at = octet << 8
        table[at] = 0
        for k in range(8):
            p = pattern[(first << 6) + (octet << 3) + k]
            value = abs(weight[p]) if p >= 0 else 0
            for x in range(1 << k):
                table[at + (1 << k) + x] = table[at + x] + value


@inlined
def lookup(table, octet, word):
    """Sum of the weights of the patterns in a word of slots."""
    total = np.int64(0)
    at = octet << 8
    while word:
        total += table[at + np.int64(word & np.uint64(255))]
        word >>= np.uint64(8)
        at += 256
    return total


@inlined
def count(levels, level, slots, condition, out):
    """Helping and hurting weight and patterns of weight 0 of the slots that satisfy a condition, into ``out``."""
    numbers, column = levels.numbers[level], levels.columns[level, condition]
    helping, hurting, unweighted = np.int64(0), np.int64(0), np.int64(0)
    for s in range(numbers[N_SECTIONS]):
        first = levels.section_first[level, s]
        last = first + levels.section_words[level, s]
        a, b = slots[first:last], column[first:last]
        n = np.int64(0)
        for w in range(a.size):
            n += popcount(a[w] & b[w])
        value = levels.section_weight[level, s]
        if value > 0:
            helping += n * value
        elif value < 0:
            hurting -= n * value
        else:
            unweighted += n
    table, first = levels.table[level], numbers[FIRST_HELPING]
    for w in range(first, numbers[FIRST_HURTING]):
        helping += lookup(table, (w - first) << 3, slots[w] & column[w])
    for w in range(numbers[FIRST_HURTING], numbers[N_WORDS]):
        hurting += lookup(table, (w - first) << 3, slots[w] & column[w])
    out[0] = helping
    out[1] = hurting
    out[2] = unweighted


@inlined
def count_hurting(levels, level, slots, condition):
    """Hurting weight of the slots that satisfy a condition."""
    numbers, column = levels.numbers[level], levels.columns[level, condition]
    total = np.int64(0)
    for s in range(numbers[N_SECTIONS]):
        value = levels.section_weight[level, s]
        if value >= 0:
            continue
        first = levels.section_first[level, s]
        last = first + levels.section_words[level, s]
        a, b = slots[first:last], column[first:last]
        n = np.int64(0)
        for w in range(a.size):
            n += popcount(a[w] & b[w])
        total -= n * value
    table, first = levels.table[level], numbers[FIRST_HELPING]
    for w in range(numbers[FIRST_HURTING], numbers[N_WORDS]):
        total += lookup(table, (w - first) << 3, slots[w] & column[w])
    return total


@inner
def keep_covered(levels, level, slots):
    """Put the patterns in some slots of a level into ``levels.order``, sorted by weight; returns their number."""
    n = 0
    pattern = levels.pattern[level]
    order = levels.order
    for w in range(levels.numbers[level, N_WORDS]):
        left = slots[w]
        while left:
            order[n] = pattern[(w << 6) + ctz(left)]
            n += 1
            left &= left - np.uint64(1)
    return n


@inner
def fill_slots(levels, level, slots):
    """The bits of all slots of a level that hold a pattern."""
    pattern = levels.pattern[level]
    for w in range(levels.numbers[level, N_WORDS]):
        word = np.uint64(0)
        for i in range(64):
            if pattern[(w << 6) + i] >= 0:
                word |= np.uint64(1) << np.uint64(i)
        slots[w] = word


MOST_BOUNDED = 9  # conditions more than this are bounded by the helping weight alone

N_PASSES = 2  # conditions that are taken away for nothing, for the sake of a bound

# positions in Tree.numbers
DEPTH, NODES, N_EMITTED, MOST_CONDITIONS, ENUMERATES, TO_OPEN, TO_LAY_OUT, WORK = range(8)


@by_reference
class Tree(NamedTuple):
    """The path of the search. The first axis of most arrays is the number of conditions of the node.

    slots, level, total (P, N, patterns of weight 0), chosen: the node. candidate, counted, bound, n_candidates,
    position: the conditions that may extend it, what they leave, bounds on rules with 2, 3, ... conditions more, and
    the next of them. target: what a rule of s conditions must exceed. pool_*: the best rule found that has each
    condition. emitted_*: rules of an enumeration. order, tops, top_chain, taken, beyond, scratch: scratch
    space, for `bounds` mostly.
    """

    slots: np.ndarray
    level: np.ndarray
    total: np.ndarray
    chosen: np.ndarray
    candidate: np.ndarray
    counted: np.ndarray
    bound: np.ndarray
    n_candidates: np.ndarray
    position: np.ndarray
    target: np.ndarray
    pool_value: np.ndarray
    pool_sum: np.ndarray
    pool_rule: np.ndarray
    charge: np.ndarray
    emitted_rule: np.ndarray
    emitted_sum: np.ndarray
    order: np.ndarray
    tops: np.ndarray
    top_chain: np.ndarray
    taken: np.ndarray
    beyond: np.ndarray
    scratch: np.ndarray
    numbers: np.ndarray


@by_reference
class Relations(NamedTuple):
    """Which conditions imply each other; see `Features`."""

    related: np.ndarray
    chain_start: np.ndarray
    chain_member: np.ndarray
    chain_of: np.ndarray


def relations(features: Features) -> Relations:
    """The relations as the kernels read them."""
    start, member = features.chains
    chain_of = np.empty(features.n_used, dtype=np.int32)
    chain_of[member] = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return Relations(features.related, start, member, chain_of)


def new_tree(
    features: Features, weight: np.ndarray, target: np.ndarray, charge: np.ndarray, room: int
) -> tuple[np.ndarray, np.ndarray, Levels, Tree]:
    """Everything a search starts from: packed patterns, their weights, levels and the empty conjunction.

    ``weight`` (int64 array, shape (n_patterns,)). ``target``, ``charge`` (int64 array, shape (D + 1,)). ``room``: rules
    that an enumeration may emit before `advance` returns FULL; 0 when pricing, which leaves out the patterns of weight
    0.
    """
    kept = np.argsort(-weight, kind="stable")
    if not room:
        kept = kept[weight[kept] != 0]
    words, weight = features.words[kept], np.ascontiguousarray(weight[kept])
    m, depth = features.n_used, len(target) - 1
    levels = new_levels(words, weight, m, min(MOST_LEVELS, depth))
    levels.order[:] = np.arange(len(weight))
    n_words = levels.columns.shape[2]
    more = max(1, min(depth, MOST_BOUNDED) - 1)

    def integers(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    tree = Tree(
        slots=np.zeros((depth, n_words), dtype=np.uint64),
        level=integers(depth),
        total=integers(depth, 3),
        chosen=integers(depth + 1),
        candidate=np.zeros((depth, m + 1), dtype=np.int32),
        counted=integers(depth, m + 1, 3 + N_PASSES),
        bound=integers(depth, m, more),
        n_candidates=integers(depth),
        position=integers(depth),
        target=target.copy(),
        pool_value=integers(m),
        pool_sum=integers(m),
        pool_rule=np.full((m, depth), -1, dtype=np.int32),
        charge=charge,
        emitted_rule=np.full((room, depth), -1, dtype=np.int32),
        emitted_sum=integers(room),
        order=integers(m),
        tops=integers(more + 1, MOST_BOUNDED),
        top_chain=np.zeros((more + 1, MOST_BOUNDED), dtype=np.int64),
        taken=np.zeros(n_words, dtype=np.uint64),
        beyond=integers(N_PASSES),
        scratch=integers(3),
        numbers=np.array([0, 0, 0, depth, room > 0, 1, len(weight), 0], dtype=np.int64),
    )
    tree.total[0] = weight[weight > 0].sum(), -weight[weight < 0].sum(), (weight == 0).sum()
    tree.candidate[0, :m] = np.arange(m)
    tree.n_candidates[0] = m
    return words, weight, levels, tree
