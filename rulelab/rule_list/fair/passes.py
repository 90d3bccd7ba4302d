"""What the searches of fair lists have in common: lists in words of the problem, room for a pass, and its counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ...data.problem import Problem
from ...kernels import bits
from ...kernels.bit_words import mix
from ...kernels.growing import affordable, resized, table_size
from ...kernels.jit import kernel
from ...snapshot import counted as counted_at
from . import state
from .completions import effort_of_a_count, prove
from .label_setting import begin_pass, expand, pick, start_proof
from .relaxation import Reduced
from .state import DEPTH, N_ENTRIES, N_LABELS, N_NODES, PICK, PROVE, STAGE, START
from .stopping import is_full

MORE, DONE, GROW_ENTRIES, GROW_NODES, GROW_LABELS, CHECK = range(6)
"""Work is left; the pass is done; there is no room for sets, for sets with prefixes, for prefixes; lists to check."""
_COUNTS = {
    "created": state.CREATED,
    "expanded": state.EXPANDED,
    "queued": state.N_WAITING,
    "stored": state.N_ENTRIES,
    "sets_counted": state.COUNTED,
}


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


def holds(problem: Problem, antecedent: int) -> np.ndarray:
    """The patterns for which an antecedent holds: bool, shape (n_patterns,)."""
    word, bit = problem.words[:, antecedent >> 6], np.uint64(antecedent & 63)
    return (word >> bit & np.uint64(1)).astype(bool)


def predicted(problem: Problem, rules: Sequence[tuple[int, int]], default: int) -> np.ndarray:
    """Which patterns a list predicts positive."""
    positive = np.full(problem.n_patterns, bool(default))
    for a, label in reversed(rules):
        positive[holds(problem, a)] = bool(label)
    return positive


def list_of(problem: Reduced, codes: np.ndarray, length: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """The rules and the default of a list as the kernels write it."""
    found = codes[: length + 1].tolist()
    return tuple((int(problem.antecedents[code // 2]), code % 2) for code in found[:-1]), found[-1]


def grown(store: state.Store, outcome: int, m: int, free: int | None) -> state.Store | None:
    """More room, of what the kernels ask for, within so many bytes; None when these are too few."""
    names, used, more = {
        GROW_ENTRIES: (state.ENTRY_ARRAYS, state.N_ENTRIES, m + 1),
        GROW_NODES: (state.NODE_ARRAYS, state.N_NODES, m),
        GROW_LABELS: (state.LABEL_ARRAYS, state.N_LABELS, 2 * m),
    }[outcome]
    capacity, needed = len(getattr(store, names[0])), int(store.numbers[used]) + more
    wanted = affordable(capacity, needed, free, partial(state.bytes_to_grow, store, names))
    if wanted < needed:
        return None
    store = resized(store, names, wanted)
    if names == state.ENTRY_ARRAYS and table_size(wanted) > len(store.table):
        table = np.full(table_size(wanted), -1, dtype=np.int32)
        enter_all(store.sets, int(store.numbers[state.N_ENTRIES]), table)
        store = store._replace(table=table)
    return store


def counted(store: state.Store | None) -> tuple[dict[str, int], dict[str, int]]:
    """Counts of a search, and of what each bound has cut; zeros without a store."""
    numbers = np.zeros(state.N_NUMBERS, dtype=np.int64) if store is None else store.numbers
    pruned = [0] * len(state.PRUNED_NAMES) if store is None else store.pruned.tolist()
    return counted_at(numbers, _COUNTS), dict(zip(state.PRUNED_NAMES, pruned, strict=True))


def proven_of_sets(problem: Problem, ordered: Reduced, store: state.Store) -> dict[bytes, int]:
    """What is proven of completing each set of the problem's patterns, packed."""
    n = int(store.numbers[state.N_ENTRIES])
    return in_patterns(problem, ordered, store.sets[:n], store.bound[:n])


def in_patterns(problem: Problem, ordered: Reduced, sets: np.ndarray, bounds: np.ndarray) -> dict[bytes, int]:
    """Bounds on completing sets of a reduced problem's patterns, by packed sets of the problem's."""
    rows = bits.pack(problem.matrix()[:, ordered.antecedents])
    place = {row.tobytes(): u for u, row in enumerate(rows)}
    columns = np.argsort([place[row.tobytes()] for row in ordered.patterns])
    packed = np.packbits(bits.unpack(sets, len(columns))[:, columns], axis=1)
    return dict(zip(map(bytes, packed), bounds.tolist(), strict=True))
