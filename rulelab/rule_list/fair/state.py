"""The state of a search for fair rule lists as flat arrays: what the kernels read and write, and Python grows."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...data.rate_constraints import Constraints
from ...kernels import bits
from ...kernels.bit_words import transposed
from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size
from ...kernels.jit import ctz, inlined, inner
from ..bounds import LARGEST_TAIL
from .relaxation import Reduced, Relaxed

# positions in Store.numbers
BEST, BEST_LENGTH, IMPROVED, N_DOUBTS = range(4)
THRESHOLD, SIZE, STAGE, NODE, LABEL, ANTECEDENT, DEPTH = range(4, 11)
N_ENTRIES, N_NODES, N_LABELS, CREATED, EXPANDED, COUNTED, N_WAITING = range(11, 18)
LEAST, SKIPPED, PLUS, MINUS, TAIL = range(18, 23)
N_NUMBERS = 23

# positions in a row of Store.frames
ENTRY, BUDGET, VALUE, NEXT, FRAME_PLUS, FRAME_MINUS, EDGE, FRAME_TAIL = range(8)

START, PICK, PROVE, EXPAND = range(4)
"""Stages: a new pass, the next captured set, its least relaxed completion, its prefixes."""

BY_THRESHOLD, BY_COMPLETIONS, BY_ONE_MORE_RULE, BY_WEAK_RULE, BY_SAME_SET, BY_REACH = range(6)
PRUNED_NAMES = ("always: threshold", "completions", "one more rule", "weak rule", "same set", "reach")

MOST_DOUBTS = 64
UNKNOWN = 1 << 61
"""More than any cost."""


@by_reference
class Rules(NamedTuple):
    """What stays constant during a search; one rule costs ``per_rule``, and ``relaxed_rule`` in the relaxation.

    ``doubt`` is by how much costs of positives and negatives may differ for the majority to be unsure. Of ``values``
    groups the last sums are the positives and the negatives that are predicted positive, whose parts may differ by
    ``tolerance``.
    """

    per_rule: int
    relaxed_rule: int
    base: int
    shift: int
    majority: bool
    doubt: int
    completions: bool
    one_more_rule: bool
    weak_rule: bool
    same_set: bool
    reach: bool
    values: int = 0
    tolerance: float = 0.0


@by_reference
class Data(NamedTuple):
    """The relaxed problem for the kernels.

    ``weight`` is the relaxed cost of the wrong label of each pattern, ``side`` the cheaper label, ``members`` -1 where
    an antecedent holds for a pattern, else 0; ``inside`` and ``outside`` are low and high ends, see `Constraints`. The
    first ``supported`` antecedents get more right in the relaxation than a rule costs.
    """

    by_antecedent: np.ndarray
    members: np.ndarray
    full: np.ndarray
    weight: np.ndarray
    side: np.ndarray
    amounts: np.ndarray
    outside: np.ndarray
    inside: np.ndarray
    supported: int
    effort: int


@by_reference
class Store(
    namedtuple(
        "Store",
        "sets bound final node table node_entry node_head node_link node_span first_of_size cost relaxed sums parent "
        "rule link numbers pruned best_rules doubt_cost doubt_length doubt_rules frames frame_sets frame_counts "
        "frame_sums node_counts node_amounts node_totals node_sums scratch_set scratch_sums",
    )
):
    """Captured sets with what is proven of them, the prefixes of the present pass, the stack of a proof, the incumbent.

    An entry is a set of uncaptured patterns: ``bound`` on its relaxed completions by one rule or more, whether that is
    ``final``, and its ``node`` in the present pass, or -1. A node has a list of labels, which are prefixes: ``cost``,
    ``relaxed`` cost, constraints' ``sums``, ``parent`` and last ``rule`` (twice the antecedent, plus its label).
    """


ENTRIES = Group(
    N_ENTRIES, {np.uint64: "sets", np.int64: "bound", np.uint8: "final", np.int32: "node"}, tables=("table",)
)
NODES = Group(N_NODES, {np.int32: "node_entry node_head node_link", np.int64: "node_span"})
LABELS = Group(N_LABELS, {np.int64: "cost relaxed sums", np.int32: "parent rule link"})


def data_of(problem: Reduced, relaxation: Relaxed, constraints: Constraints, relaxed_rule: int) -> Data:
    """Arrange a reduced problem, whose supported antecedents come first, and its relaxation."""
    m, n = len(problem.antecedents), len(problem.patterns)
    present = np.ones((1, n), dtype=bool)
    return Data(
        by_antecedent=transposed(problem.patterns, m),
        members=-bits.unpack(problem.patterns, m).astype(np.int64),
        full=bits.pack(present)[0],
        weight=relaxation.wrong.max(axis=0),
        side=(relaxation.wrong[0] > 0).astype(np.int64),
        amounts=problem.amounts,
        outside=np.stack([constraints.low, constraints.high]),
        inside=np.stack([constraints.low_inside, constraints.high_inside]),
        supported=int((support(problem, relaxation) > relaxed_rule).sum()),
        effort=max(1, m * n),
    )


def support(problem: Reduced, relaxation: Relaxed) -> np.ndarray:
    """The relaxed weight that each antecedent alone gets right with its better label."""
    held = bits.unpack(problem.patterns, len(problem.antecedents)).astype(np.int64)
    return (relaxation.wrong @ held).max(axis=0)


def new_store(data: Data, longest: int, best: int, doubts: int = MOST_DOUBTS) -> Store:
    """An empty store; no list that is looked for has more than ``longest`` rules, or costs ``best``.

    Kernels stop to have lists checked when there may be no room for four more in ``doubts``, which is 4 at least.
    """
    m, words = data.by_antecedent.shape
    width, n = data.amounts.shape
    entries, labels = 64, 4 * m + 64

    def whole(*shape: int, fill: int = 0, dtype: type = np.int64) -> np.ndarray:
        return np.full(shape, fill, dtype=dtype)

    store = Store(
        **ENTRIES.new(entries, sets=(words,)),
        **NODES.new(entries, node_span=(2, width - 2)),
        **LABELS.new(labels, sums=(width - 2,)),
        table=whole(table_size(entries), fill=-1, dtype=np.int32),
        first_of_size=whole(n + 1, fill=-1, dtype=np.int32),
        numbers=whole(N_NUMBERS),
        pruned=whole(len(PRUNED_NAMES)),
        best_rules=whole(m + 2, dtype=np.int32),
        doubt_cost=whole(doubts),
        doubt_length=whole(doubts),
        doubt_rules=whole(doubts, m + 2, dtype=np.int32),
        frames=whole(longest + 2, 8),
        frame_sets=np.zeros((longest + 2, words), dtype=np.uint64),
        frame_counts=whole(longest + 2, 2, data.supported),
        frame_sums=whole(longest + 2, 2, LARGEST_TAIL + 1),
        node_counts=whole(2, m),
        node_amounts=whole(width, m),
        node_totals=whole(width),
        node_sums=whole(2, LARGEST_TAIL + 1),
        scratch_set=np.zeros((2, words), dtype=np.uint64),
        scratch_sums=whole(2, width - 2),
    )
    store.numbers[BEST], store.numbers[DEPTH] = best, -1
    return store


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
