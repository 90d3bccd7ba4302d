"""The kernel that Python calls: it goes on with a pass until its work is done or Python has to act."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import mix
from ...kernels.jit import kernel
from .completions import effort_of_a_count, prove
from .label_setting import begin_pass, expand, pick, start_proof
from .state import DEPTH, N_ENTRIES, N_LABELS, N_NODES, PICK, PROVE, STAGE, START
from .stopping import is_full

MORE, DONE, GROW_ENTRIES, GROW_NODES, GROW_LABELS, CHECK = range(6)
"""Work is left; the pass is done; there is no room for sets, for sets with prefixes, for prefixes; lists to check."""


@kernel
def advance(data, rules, store, most):
    """Look at about ``most`` weights."""
    numbers, m = store.numbers, data.by_antecedent.shape[0]
    spent = 0
    while spent < most:
        if is_full(store):
            return CHECK
        stage = numbers[STAGE]
        if numbers[DEPTH] >= 0:
            done = prove(data, rules, store, most - spent)
            if done < 0:
                return GROW_ENTRIES
            spent += done
        elif stage == START:
            begin_pass(data, rules, store)
        elif stage == PICK:
            if not pick(data, rules, store):
                return DONE
            spent += (2 + data.amounts.shape[0]) * effort_of_a_count(data)
        elif stage == PROVE:
            start_proof(data, rules, store)
            spent += effort_of_a_count(data)
        else:
            if numbers[N_ENTRIES] + m > store.bound.size:
                return GROW_ENTRIES
            if numbers[N_NODES] + m > store.node_head.size:
                return GROW_NODES
            if numbers[N_LABELS] + 2 * m > store.cost.size:
                return GROW_LABELS
            spent += expand(data, rules, store, most - spent)
    return MORE


@kernel
def enter_all(sets, n, table):
    """Enter the first sets into an empty table."""
    mask = np.uint64(table.size - 1)
    for entry in range(n):
        h = np.uint64(0)
        for w in range(sets.shape[1]):
            h = mix(h, sets[entry, w])
        slot = np.int64(h & mask)
        while table[slot] >= 0:
            slot = (slot + 1) & np.int64(mask)
        table[slot] = entry
