"""Tables of sets of bits: open addressing by a hash, in which nothing but the sets themselves decides what is equal."""

from __future__ import annotations

import numpy as np

from .bit_words import mix
from .jit import inner


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
