"""The state of an exact falling rule list search as flat arrays: what kernels read and write, and Python grows.

Its memo of captured sets is an open-addressing table from sets to stored prefixes, which are compared in full. The
bounds need, for a set of patterns, the positives and negatives in patterns above a threshold: in falling order of their
proportion of positives these are prefix sums over words, which a few vectorised population counts give.
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...kernels import bits
from ...kernels.bit_words import at_most, bit_planes, entries, transposed, turned
from ...kernels.by_reference import by_reference
from ...kernels.growing import CUT, OPEN, Group, table_size
from ...kernels.jit import inlined, inner, popcount
from ...kernels.queue import N_HEAP, N_NODES, N_QUEUED, cut_off
from ..bounds import FEW, INTERVALS
from ..costs import Prepared


@by_reference
class Layout(NamedTuple):
    """What the kernels read.

    Patterns come in three blocks, each starting a new word: those above the threshold tau in falling order of their
    proportion, the others with positives in the same order, and those without positives in falling order of negatives.
    """

    by_word: np.ndarray
    """uint64, shape (n_words, m): word ``w`` of the pattern sets of the antecedents that are ``kept``, these
    contiguous."""
    kept: np.ndarray  # int64: antecedents that may be in a better list; all at first
    allowed: np.ndarray  # bool, shape (m,): the same
    by_antecedent: np.ndarray  # uint64, shape (m, n_words)
    full: np.ndarray  # uint64, shape (n_words,): the set of all patterns
    # positive_word, positive_digit (int64), positive_mask (uint64): bit planes of the positives: word, binary
    # digit, and which places have it
    positive_word: np.ndarray
    positive_digit: np.ndarray
    positive_mask: np.ndarray
    # negative_word, negative_digit, negative_mask: the same of the negatives
    negative_word: np.ndarray
    negative_digit: np.ndarray
    negative_mask: np.ndarray
    # head_positives, head_negatives (uint64, shape (n_digits, n_head)): the bit planes of the words with positives, by
    # digit
    head_positives: np.ndarray
    head_negatives: np.ndarray
    above: int  # words of the first block
    # upper, lower (float64, shape (n_head,)): the largest and the smallest threshold between the patterns of the word,
    # and those before it, and what follows
    upper: np.ndarray
    lower: np.ndarray


def patterns_of(prepared: Prepared) -> np.ndarray:
    """The prepared patterns, packed over the antecedents."""
    return transposed(prepared.data.columns, len(prepared.patterns))


def layout(prepared: Prepared, patterns: np.ndarray) -> Layout:
    """Arrange a problem, whose antecedents and weights are prepared, and its `patterns_of` for the kernels."""
    data = prepared.data
    m, n = len(data.columns), len(prepared.patterns)
    positives, negatives = data.positives[:n], data.negatives[:n]
    group, first = bits.group_equal_rows(patterns) if m else (np.zeros(n, dtype=np.int64), np.zeros(1, int))
    merged = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(merged[0], group, positives)
    np.add.at(merged[1], group, negatives)
    patterns, (positives, negatives) = patterns[first], merged
    proportion = positives / (positives + negatives).clip(1)
    is_above = data.per_positive * positives > data.per_negative * negatives  # both products are below 2^61
    blocks = [
        np.flatnonzero(is_above),
        np.flatnonzero(~is_above & (positives > 0)),
        np.flatnonzero((positives == 0) & (negatives > 0)),
    ]
    orders = [block[np.argsort(-proportion[block], kind="stable")] for block in blocks[:2]]
    orders.append(blocks[2][np.argsort(-negatives[blocks[2]], kind="stable")])
    sizes = [-(-len(block) // bits.WORD) for block in orders]
    words = max(1, sum(sizes))
    starts = np.cumsum([0, *sizes])[:3] * bits.WORD
    slots = np.concatenate([start + np.arange(len(block)) for start, block in zip(starts, orders, strict=True)])
    order = np.concatenate(orders)
    placed = np.zeros((words * bits.WORD, patterns.shape[1]), dtype=np.uint64)
    placed[slots] = patterns[order]
    weights = np.zeros((2, words * bits.WORD), dtype=np.int64)
    weights[0, slots], weights[1, slots] = positives[order], negatives[order]
    present = np.zeros((1, words * bits.WORD), dtype=bool)
    present[0, slots] = True
    by_antecedent = transposed(placed, m) if m else np.zeros((0, words), dtype=np.uint64)
    planes = bit_planes(weights[0]), bit_planes(weights[1])
    head, above = sizes[0] + sizes[1], sizes[0]
    tau = data.per_negative / (data.per_positive + data.per_negative)
    upper, lower = _separators([proportion[order] for order in orders[:2]], tau)
    return Layout(
        by_word=turned(by_antecedent),
        kept=np.arange(m),
        allowed=np.ones(m, dtype=bool),
        by_antecedent=by_antecedent,
        full=bits.pack(present)[0],
        **dict(zip(("positive_word", "positive_digit", "positive_mask"), entries(planes[0]), strict=True)),
        **dict(zip(("negative_word", "negative_digit", "negative_mask"), entries(planes[1]), strict=True)),
        head_positives=np.ascontiguousarray(planes[0][:, :head]),
        head_negatives=np.ascontiguousarray(planes[1][:, :head]),
        above=above,
        upper=upper,
        lower=lower,
    )


def _separators(proportions: list[np.ndarray], tau: float) -> tuple[np.ndarray, np.ndarray]:
    """The largest threshold that the patterns after each word of the blocks do not exceed, and the smallest."""
    upper, lower = [], []
    for k, falling in enumerate(proportions):
        ends = np.append(np.arange(bits.WORD, len(falling), bits.WORD), len(falling))[: -(-len(falling) // bits.WORD)]
        following = next((each[0] for each in proportions[k + 1 :] if len(each)), 0.0)
        upper.append(falling[ends - 1])
        lower.append(np.append(falling, following)[ends])
    if len(upper[0]):
        upper[0][-1] = tau
    return np.concatenate(upper), np.concatenate(lower)


@inner
def sum_head(planes, chosen, out):
    """``out[w]``: weight of the set in the words up to ``w``, from the bit planes of the words with positives."""
    for w in range(out.size):
        out[w] = 0
    for d in range(planes.shape[0]):
        row = planes[d]
        for w in range(out.size):
            out[w] += popcount(chosen[w] & row[w]) << d
    for w in range(1, out.size):
        out[w] += out[w - 1]


# positions in Store.numbers, after those of all queues
BEST, LOWER_BOUND, PATH_LENGTH, FOUND_AT = range(3, 7)
CREATED, EXPANDED, WORK, IMPROVED, REOPENED, TABLE_IS_STALE = range(7, 13)
OPEN_NODE, OPEN_CHILD, OPEN_BEST, LAST_NODE = range(13, 17)
N_NUMBERS = 17

# positions in Store.pruned, with the names that snapshots show: first those of switches, then what is always on
BY_FEASIBLE, BY_NECESSARY, BY_PREFIX, BY_POINTS, BY_DENSITY, BY_ELIGIBLE, BY_DOMINANCE = range(7)
BY_VIOLATIONS, BY_EXCEPTIONS, BY_JOINT, BY_NOTHING, BY_RISING, BY_COST, BY_INCUMBENT, BY_LENGTH = range(7, 15)
COUNTS = {"created": CREATED, "expanded": EXPANDED, "queued": N_QUEUED, "stored": N_NODES, "reopened": REOPENED}
"""Where the counts of a snapshot are."""

PRUNED_NAMES = (
    "feasible prefix",
    "necessary condition",
    "prefix bound",
    "equivalent points",
    "density cap",
    "eligible cap",
    "dominance",
    "violations",
    "exceptions",
    "joint capture",
    "always: captures nothing or all",
    "always: rising proportion",
    "always: hierarchical",
    "always: new incumbent",
    "always: length limit",
)
HEAP = Group(N_HEAP, {np.int64: "heap_key", np.int32: "heap_node"})
NODES = Group(
    N_NODES,
    {
        np.int64: "key cost left_positive left_negative ratio_p ratio_n",
        np.uint64: "hash",
        np.int32: "parent rule length",
        np.uint8: "fate",
    },
    tables=("table",),
    beside=HEAP.names,
    filled=0.5,
)
_PER_NODE = 300  # words that are counted while a node is entered into a table


@by_reference
class Rules(NamedTuple):
    """What stays constant during a search: costs and switches.

    ``penalty``: cost of a rise by 1, when ``soft``; ``misplaced``: see `Costs`, 0 when ``soft``. Where it is not 0,
    which lists fall is not certain on the grid: all are looked at that may, by proportions as small, or large, as
    rounding leaves them (`least_share`, `largest_share`), so that none of those that fall is left out.
    """

    per_positive: int
    per_negative: int
    per_rule: int
    penalty: float
    soft: bool
    max_length: int
    limited: bool
    feasible_prefix: bool
    necessary_condition: bool
    prefix_bound: bool
    equivalent_points: bool
    density_cap: bool
    eligible_cap: bool
    dominance: bool
    violations: bool
    exceptions: bool
    joint_capture: bool
    misplaced: int


@by_reference
class Store(
    namedtuple(
        "Store",
        "key cost left_positive left_negative ratio_p ratio_n hash parent rule length fate heap_key heap_node table "
        "numbers pruned queue_by_length path salt counts sets sums losses above gains largest",
    )
):
    """Stored prefixes (nodes), the queue over them, the table of captured sets, counters and scratch space.

    Arrays of nodes have one entry per stored prefix: lower bound on every list that extends it (``key``), its cost, the
    weight that it leaves (``left_positive``, ``left_negative``), the proportion ``ratio_p / ratio_n`` (of its last
    rule, as large as rounding leaves it; of softly falling lists the least one), the hash of the set that it leaves,
    the rule that ended it, its parent and length. The set itself is made from the rules. ``table`` maps a hash to a
    node, ``-1`` where empty; prefixes of one set that do not dominate each other have a slot each.
    """


def new_store(arrays: Layout, longest: int) -> Store:
    """An empty store with room for a few expansions; ``longest`` is the length no useful prefix exceeds."""
    m, words = arrays.by_antecedent.shape
    room = 4 * (m + 1)
    rng = np.random.default_rng(20180409)  # any odd numbers will do

    def integers(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Store(
        **NODES.new(room),
        **HEAP.new(room),
        table=np.full(table_size(room, NODES.filled), -1, dtype=np.int32),
        numbers=integers(N_NUMBERS),
        pruned=integers(len(PRUNED_NAMES)),
        queue_by_length=integers(longest + 2),
        path=integers(longest + 3),
        salt=np.asarray(rng.integers(0, 1 << 63, words, dtype=np.uint64)) * 2 + 1,
        counts=integers(2, m),
        sets=np.zeros((3, words), dtype=np.uint64),
        sums=integers(4, arrays.head_positives.shape[1]),
        losses=integers(INTERVALS),
        above=integers(2, m),
        gains=np.zeros((2, m)),
        largest=np.zeros(FEW),
    )


@inner
def set_of(arrays, store, node, out):
    """The set that a prefix leaves uncaptured, from its rules."""
    for w in range(out.size):
        out[w] = arrays.full[w]
    while store.parent[node] >= 0:
        row = arrays.by_antecedent[store.rule[node]]
        for w in range(out.size):
            out[w] &= ~row[w]
        node = store.parent[node]


@inlined
def hash_of(store, chosen):
    """A 64-bit hash of a set whose high bits are well mixed: products with odd numbers, summed."""
    h = np.uint64(0)
    for w in range(chosen.size):
        h += (chosen[w] ^ (chosen[w] >> np.uint64(32))) * store.salt[w]
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(29))


@inlined
def rebuild_table(store, most):
    """Go on entering all nodes into a new table, for about ``most`` units of effort; returns how many it took.

    ``TABLE_IS_STALE`` is 1 before it is emptied, then one more than the next node.
    """
    numbers, mask = store.numbers, np.uint64(store.table.size - 1)
    first = numbers[TABLE_IS_STALE] - 1
    if first == 0:
        for i in range(store.table.size):
            store.table[i] = -1
    last = min(numbers[N_NODES], first + 1 + max(most, 0) // _PER_NODE)
    for node in range(first, last):
        slot = np.int64(store.hash[node] & mask)
        while store.table[slot] >= 0:
            slot = (slot + 1) & np.int64(mask)
        store.table[slot] = node
    numbers[TABLE_IS_STALE] = last + 1 if last < numbers[N_NODES] else 0
    return (last - first) * _PER_NODE


@inner
def find_slot(arrays, rules, store, chosen, h, cost, length, left_positive, ratio_p, ratio_n):
    """Where a new prefix goes in the table; -1 when a stored one with the same set dominates it.

    Two prefixes that leave the same set have the same completions, as far as their proportions allow: a falling list
    may go on with any proportion up to the last one, and a softly falling list pays for a rise above the least one. A
    stored prefix is taken off the queue when the new one dominates it, and its slot may be used again.
    """
    mask = np.int64(store.table.size - 1)
    slot = np.int64(h & np.uint64(mask))
    free = np.int64(-1)
    other = store.sets[2]
    while True:
        node = np.int64(store.table[slot])
        if node < 0:
            return free if free >= 0 else slot
        if store.hash[node] == h and store.left_positive[node] == left_positive:
            set_of(arrays, store, node, other)
            same = True
            for w in range(chosen.size):
                if chosen[w] != other[w]:
                    same = False
                    break
            if same:
                if (
                    (store.length[node] <= length or not rules.limited)
                    and store.cost[node] <= cost
                    and at_most(ratio_p, ratio_n, store.ratio_p[node], store.ratio_n[node])
                ):
                    return np.int64(-1)
                if (
                    (store.length[node] >= length or not rules.limited)
                    and store.cost[node] >= cost
                    and at_most(store.ratio_p[node], store.ratio_n[node], ratio_p, ratio_n)
                ):
                    if store.fate[node] == OPEN:
                        cut_off(store, node, BY_DOMINANCE)
                    elif store.fate[node] != CUT + BY_DOMINANCE:  # else it has been superseded before
                        store.numbers[REOPENED] += 1
                        store.fate[node] = CUT + BY_DOMINANCE
                    if free < 0:
                        free = slot
        slot = (slot + 1) & mask
