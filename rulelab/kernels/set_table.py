"""Tables of sets of bits: open addressing by a hash, in which nothing but the sets themselves decides what is equal."""

from __future__ import annotations

import numpy as np

from .bit_words import mix
from .jit import inner


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
        if entry < 0:
            return slot
        same = True
        for w in range(chosen.size):
            if sets[entry, w] != chosen[w]:
                same = False
                break
        if same:
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
        if entry < 0:
            return slot
        same = length == 0 or lengths[entry] == length
        if same:
            for w in range(chosen.size):
                if sets[entry, w] != chosen[w]:
                    same = False
                    break
        if same:
            return slot
        slot = (slot + 1) & np.int64(mask)
