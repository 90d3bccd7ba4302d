"""The pool of cores, and finding in it one that cuts a set, by what the set is missing.

Cores of like value stand together in blocks of 64. For each position of a pattern a block has a word of the cores that
contain it, so that one operation rules out all those that miss a pattern too heavy for what their values leave to
spare. What a block has left is looked at core by core.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..certificate import KnownSets
from ..kernels import bits
from ..kernels.by_reference import by_reference
from ..kernels.jit import ctz, inlined, inner
from .costs import Costs
from .counting import Layout
from .pair_bound import SCALE, Separation
from .reduction import Reduction

# positions in Cores.numbers
N_CORES, WORK, LEARNT, FAILED, SCANNED, HITS, TRUST, GIVEN_UP, PASSES, N_BLOCKS, N_HOT, NEXT, N_REFUTED = range(13)

WITHIN_RULES = 4
"""Cores are learnt for costs of at most so many rules."""

DEEPEST = 6
"""Most rules of a completion that a proof looks at."""

EFFORT_ON_TRUST = 500_000_000  # before cores have to pay; it does not depend on the machine
LEVELS = 16  # of value, for which there are blocks of their own
_HOT = 16  # cores that cut last, looked at first
ROOM = 4096  # cores, unless it is said
_BLOCK = 64
_REFUTED = 64  # completions that are remembered
_LATEST = 64  # cores that are remembered to be the last that were learnt


@by_reference
class Cores(NamedTuple):
    """The pool of cores and scratch space for proofs."""

    masks: np.ndarray  # uint64, shape (room, n_words)
    value: np.ndarray  # int64, shape (room,): proven least cost of each core
    used: np.ndarray  # int64, shape (room,): the number of cuts that there were when each core cut last
    holders: np.ndarray  # uint64, shape (room / 64, 64 * n_words): the cores of each block that contain a position
    block: np.ndarray  # int64, shape (room / 64, 2): the largest value within each block, and how many cores it holds
    open_block: np.ndarray
    """int64, shape (levels,): the block that takes the next core of each level of value; -1: none."""
    hot: np.ndarray  # int64: cores that cut last
    missing: np.ndarray  # int64, shape (2, 64 * n_words): scratch space: positions that a set is missing, of each sign
    numbers: np.ndarray
    """int64: cores held, counts made by proofs, cores learnt, proofs that failed, cores scanned, sets cut by a scan,
    counts that cores may cost before they have to pay, whether they cost more, passes over all antecedents in proofs,
    blocks in use, hot cores, the core to be replaced next, completions noted."""
    # sets, counts, weights, budget, position: the stack of a proof
    sets: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    budget: np.ndarray
    position: np.ndarray
    trial: np.ndarray  # uint64, shape (3, n_words)
    # refuted, refuted_cost: completions that ended the last proofs that failed: the patterns that each has wrong, the
    # cost of its rules
    refuted: np.ndarray
    refuted_cost: np.ndarray
    latest: np.ndarray  # int64: the cores that were learnt last, in turn


def new_cores(arrays: Layout, must_pay: bool = True, room: int | None = None) -> Cores:
    """An empty pool, which is given up when it does not pay, unless it is wanted for itself."""
    m, words = arrays.by_antecedent.shape
    blocks = -(-(ROOM if room is None else room) // _BLOCK) + LEVELS
    room = blocks * _BLOCK
    numbers = np.zeros(13, dtype=np.int64)
    numbers[TRUST] = EFFORT_ON_TRUST // arrays.effort if must_pay else 1 << 60
    return Cores(
        masks=np.zeros((room, words), dtype=np.uint64),
        value=np.zeros(room, dtype=np.int64),
        used=np.zeros(room, dtype=np.int64),
        holders=np.zeros((blocks, words * bits.WORD), dtype=np.uint64),
        block=np.zeros((blocks, 2), dtype=np.int64),
        open_block=np.full(LEVELS, -1, dtype=np.int64),
        hot=np.zeros(_HOT, dtype=np.int64),
        missing=np.zeros((2, words * bits.WORD), dtype=np.int64),
        numbers=numbers,
        sets=np.zeros((DEEPEST + 1, words), dtype=np.uint64),
        counts=np.zeros((DEEPEST + 1, 2, m), dtype=np.int64),
        weights=np.zeros((DEEPEST + 1, 2), dtype=np.int64),
        budget=np.zeros(DEEPEST + 1, dtype=np.int64),
        position=np.zeros(DEEPEST + 1, dtype=np.int64),
        trial=np.zeros((3, words), dtype=np.uint64),
        refuted=np.zeros((_REFUTED, words), dtype=np.uint64),
        refuted_cost=np.zeros(_REFUTED, dtype=np.int64),
        latest=np.zeros(_LATEST, dtype=np.int64),
    )


def known_sets(
    cores: Cores, arrays: Layout, reduction: Reduction, costs: Costs, separation: Separation | None = None
) -> KnownSets:
    """The pool as hints for a proof, the cores that were used last first, and pairs of patterns."""
    rows = bits.transpose(arrays.by_antecedent, len(arrays.weights))
    present = bits.unpack(arrays.full[None, :], len(arrays.weights))[0]
    sign = np.where(np.arange(len(arrays.weights)) < arrays.positive_words * bits.WORD, 1, -1)
    held = np.flatnonzero(cores.value)
    held = held[np.argsort(-cores.used[held], kind="stable")]
    pairs = multipliers = None
    if separation is not None:
        place = np.cumsum(present) - 1
        some = np.flatnonzero(separation.multiplier)
        pairs = place[np.stack([separation.first[some], separation.second[some]], axis=1)]
        multipliers = separation.multiplier[some]
    return KnownSets(
        antecedents=reduction.antecedents,
        patterns=bits.unpack(rows, len(reduction.antecedents))[present],
        net=(sign * arrays.weights)[present],
        per_error=costs.per_error,
        per_rule=costs.per_rule,
        sets=bits.unpack(cores.masks[held], len(arrays.weights))[:, present],
        values=cores.value[held],
        pairs=pairs,
        multipliers=multipliers,
        parts=1 if separation is None else int(separation.numbers[SCALE]),
    )


@inner
def cut_by_core(arrays, rules, cores, chosen, needed):
    """Whether some core proves that completing the set costs at least ``needed``."""
    numbers = cores.numbers
    for i in range(numbers[N_HOT]):
        if _cuts(arrays, rules, cores, chosen, needed, cores.hot[i]):
            _note(cores, cores.hot[i], i)
            return True
    if numbers[N_BLOCKS] == 0:
        return False
    n_positive, n_negative = _list_missing(arrays, cores, chosen)
    missing_positive, missing_negative = cores.missing[0, :n_positive], cores.missing[1, :n_negative]
    for b in range(numbers[N_BLOCKS]):
        spare = cores.block[b, 0] - needed
        if spare < 0:
            continue
        heavy = spare // rules.per_error  # what is heavier alone is more than there is to spare
        held = cores.block[b, 1]
        left = ~np.uint64(0) if held == _BLOCK else (np.uint64(1) << np.uint64(held)) - np.uint64(1)
        row = cores.holders[b]
        for position in missing_positive:
            if arrays.weights[position] <= heavy:
                break
            left &= ~row[position]
            if left == 0:
                break
        if left == 0:
            continue
        for position in missing_negative:
            if arrays.weights[position] <= heavy:
                break
            left &= ~row[position]
            if left == 0:
                break
        while left != 0:
            c = b * _BLOCK + ctz(left)
            if _cuts(arrays, rules, cores, chosen, needed, c):
                _note(cores, c, -1)
                return True
            left &= left - np.uint64(1)
    numbers[SCANNED] += numbers[N_BLOCKS]
    return False


@inlined
def _list_missing(arrays, cores, chosen):
    """List the positions that the set is missing; returns how many there are of each sign, the heavy ones first."""
    n_positive, n_negative = 0, 0
    for w in range(chosen.size):
        missing = arrays.full[w] & ~chosen[w]
        if w < arrays.positive_words:
            while missing != 0:
                cores.missing[0, n_positive] = w * 64 + ctz(missing)
                n_positive += 1
                missing &= missing - np.uint64(1)
        else:
            while missing != 0:
                cores.missing[1, n_negative] = w * 64 + ctz(missing)
                n_negative += 1
                missing &= missing - np.uint64(1)
    return n_positive, n_negative


@inner
def _cuts(arrays, rules, cores, chosen, needed, c):
    """Whether a core proves that completing the set costs at least ``needed``."""
    spare = cores.value[c] - needed
    if spare < 0:
        return False
    cores.numbers[SCANNED] += 1
    for w in range(chosen.size):
        missing = cores.masks[c, w] & ~chosen[w]
        while missing != 0:
            spare -= rules.per_error * arrays.weights[w * 64 + ctz(missing)]
            if spare < 0:
                return False
            missing &= missing - np.uint64(1)
    return True


@inlined
def _note(cores, c, i):
    """Put a core that has cut in front of the hot ones, among which it was the ``i``-th, or none."""
    numbers = cores.numbers
    cores.used[c] = numbers[HITS] + 1
    last = i
    if i < 0:
        last = min(numbers[N_HOT], cores.hot.size - 1)
        numbers[N_HOT] = last + 1
    for j in range(last, 0, -1):
        cores.hot[j] = cores.hot[j - 1]
    cores.hot[0] = c


@inlined
def keep(rules, cores, kept, value):
    """Put a core into the pool, in place of one that has not cut for long where there is no room; returns where."""
    numbers = cores.numbers
    level = min(cores.open_block.size - 1, (value - 1) * cores.open_block.size // (WITHIN_RULES * rules.per_rule))
    b = cores.open_block[level]
    c = np.int64(-1)
    if b < 0 or cores.block[b, 1] == _BLOCK:
        if numbers[N_BLOCKS] < cores.block.shape[0]:
            b = numbers[N_BLOCKS]
            numbers[N_BLOCKS] += 1
            cores.open_block[level] = b
        else:
            c = _least_used(cores)
            b = c // _BLOCK
    if c < 0:
        c = b * _BLOCK + cores.block[b, 1]
        cores.block[b, 1] += 1
        numbers[N_CORES] += 1
    bit = np.uint64(1) << np.uint64(c % _BLOCK)
    for w in range(kept.size):
        changed = cores.masks[c, w] ^ kept[w]
        while changed != 0:
            cores.holders[b, w * 64 + ctz(changed)] ^= bit
            changed &= changed - np.uint64(1)
        cores.masks[c, w] = kept[w]
    cores.value[c] = value
    cores.block[b, 0] = max(cores.block[b, 0], value)
    cores.used[c] = numbers[HITS]
    return c


@inlined
def _least_used(cores):
    """Of the next few cores in turn, the one that cut least lately."""
    first = cores.numbers[NEXT]
    n = cores.value.size
    found = first
    for i in range(first, first + 16):
        if cores.block[(i % n) // _BLOCK, 1] == _BLOCK and cores.used[i % n] < cores.used[found]:
            found = i % n
    cores.numbers[NEXT] = (first + 16) % n
    return found
