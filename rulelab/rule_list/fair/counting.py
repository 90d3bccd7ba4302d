"""Sums over the patterns of a set, for all antecedents at once, and the table of sets."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import ctz, inlined, inner
from .state import N_ENTRIES


@inner
def count(data, chosen, out):
    """Relaxed weight that every antecedent captures of a set, by the cheaper label; returns the set's own two."""
    m = out.shape[1]
    for a in range(m):
        out[0, a] = 0
        out[1, a] = 0
    minus, plus = 0, 0
    for w in range(chosen.size):
        x = chosen[w]
        while x != 0:
            u = w * 64 + ctz(x)
            x &= x - np.uint64(1)
            weight, row = data.weight[u], data.members[u]
            if data.side[u]:
                plus += weight
                line = out[1]
            else:
                minus += weight
                line = out[0]
            for a in range(m):
                line[a] += weight & row[a]
    return minus, plus


@inner
def count_amounts(data, chosen, out, totals):
    """The amounts that every antecedent captures of a set, and the set's own."""
    m = out.shape[1]
    for k in range(totals.size):
        line, amounts = out[k], data.amounts[k]
        for a in range(m):
            line[a] = 0
        total = 0
        for w in range(chosen.size):
            x = chosen[w]
            while x != 0:
                u = w * 64 + ctz(x)
                x &= x - np.uint64(1)
                amount = amounts[u]
                if amount != 0:
                    total += amount
                    row = data.members[u]
                    for a in range(m):
                        line[a] += amount & row[a]
        totals[k] = total


@inner
def span(data, chosen, out):
    """Least and largest sums of the constraints over a set, whatever its patterns' labels; returns the set's size."""
    n = 0
    for k in range(out.shape[1]):
        out[0, k] = 0
        out[1, k] = 0
    for w in range(chosen.size):
        x = chosen[w]
        while x != 0:
            u = w * 64 + ctz(x)
            x &= x - np.uint64(1)
            n += 1
            for k in range(out.shape[1]):
                amount = data.amounts[2 + k, u]
                out[np.int64(amount > 0), k] += amount
    return n


@inlined
def new_entry(store, chosen, slot, bound):
    """Enter a set with a bound on its relaxed completions; there must be room."""
    entry = store.numbers[N_ENTRIES]
    store.numbers[N_ENTRIES] += 1
    for w in range(chosen.size):
        store.sets[entry, w] = chosen[w]
    store.bound[entry] = bound
    store.final[entry] = 0
    store.node[entry] = -1
    store.table[slot] = entry
    return entry
