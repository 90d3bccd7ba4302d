"""The state of a search for fair falling rule lists as flat arrays: what kernels read and write, and Python grows."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ...data.rate_constraints import Constraints
from ...kernels import bits
from ...kernels.by_reference import by_reference
from ...kernels.growing import Group, table_size
from ...kernels.queue import N_HEAP, N_NODES, N_QUEUED  # noqa: F401 one is for others
from ..costs import Prepared

# positions in Store.numbers, after those of all queues
BEST, BEST_COST, BEST_LENGTH, N_SETS, N_TODO = range(3, 8)
TODO_AT, STAGE, NODE, ANTECEDENT, N_ELIGIBLE, N_MEMBERS, N_TOPS = range(8, 15)
CREATED, N_EXPANDED, WORK, LOWER_BOUND = range(15, 19)
LEFT_P, LEFT_Q, COST, GAIN, ALLOWANCE, NODE_KEY = range(19, 25)
CAP_P, CAP_N = range(25, 27)
N_NUMBERS = 27

PICK, COUNT, WEIGH, AMOUNTS, CHILDREN = range(5)
"""Stages: the next prefix; the weights of its antecedents; what further rules can gain; by antecedent; its children."""

BY_FEASIBLE, BY_RELAXATION, BY_FEW_RULES, BY_ELIGIBLE, BY_DOMINANCE, BY_REACH, BY_NOTHING = range(7)
BY_NECESSARY, BY_RISING, BY_INCUMBENT, BY_LENGTH, BY_GAIN = range(7, 12)
PRUNED_NAMES = (
    "feasible prefix",
    "relaxation",
    "few rules",
    "eligible cap",
    "dominance",
    "reach",
    "always: captures nothing or all",
    "always: necessary condition",
    "always: rising proportion",
    "always: new incumbent",
    "always: length limit",
    "always: too little to gain",
)

MOST_TOPS = 12
"""Further rules that are told apart by what they can gain."""

UNKNOWN = 1 << 60
"""More than any relaxed cost."""


@by_reference
class Rules(NamedTuple):
    """What stays constant during a search.

    ``weight_p / weight_q`` is the weight of the positive class, for comparisons with the threshold; ``shift`` the
    binary digits that relaxed costs have more than costs, ``relaxed_rule`` the price of a rule in them. Where ``sure``
    is false the weights are rounded, by at most ``misplaced`` of any set, and lists have to be checked. A list has at
    most ``max_length`` rules; ``limited`` when that is asked for.
    """

    per_positive: int
    per_negative: int
    per_rule: int
    weight_p: int
    weight_q: int
    shift: int
    relaxed_rule: int
    sure: bool
    misplaced: int
    max_length: int
    limited: bool
    feasible_prefix: bool
    relaxation: bool
    few_rules: bool
    eligible_cap: bool
    dominance: bool
    reach: bool


@by_reference
class Data(NamedTuple):
    """The problem for the kernels."""

    columns: np.ndarray  # uint64, shape (m, n_words): the set of patterns that satisfy each antecedent
    full: np.ndarray  # uint64, shape (n_words,)
    positives: np.ndarray  # int64, shape (64 * n_words,)
    negatives: np.ndarray  # int64, shape (64 * n_words,)
    gains: np.ndarray  # float64, shape (64 * n_words,): relaxed cost that capturing each pattern saves
    d: np.ndarray
    """int64, shape (64 * n_words, n_constraints): what each captured pattern adds to each constraint's sum."""
    # outside, inside (int64, shape (2, n_constraints)): low and high ends of the sums, see
    # `rulelab.data.rate_constraints.Constraints`
    outside: np.ndarray
    inside: np.ndarray
    steepest: np.ndarray
    """float64, shape (n_constraints + 1,): the largest multipliers; the last one is that of the proportion."""
    price: np.ndarray
    """float64, shape (n_constraints,): of a sum outside its ends, by which prefixes are put in order at first."""


@by_reference
class Store(
    namedtuple(
        "Store",
        "key score parent rule length ratio_p ratio_n left link fate refined multipliers heap_key heap_node sets "
        "head table todo numbers pruned queue_by_length path members adjusted weights counts amounts eligible tops "
        "totals reached scratch whole",
    )
):
    """Stored prefixes (nodes), the sets that they leave, the queue, and scratch space for the open prefix.

    Arrays of nodes: the lower bound on every list that extends it (``key``), its rank among prefixes of its length
    (``score``), ``parent``, last ``rule``, ``length``, the proportion of its last rule, as large as it may be, the
    set that it leaves (``left``), the next node of the same set (``link``), its ``fate``, its bound's ``multipliers``.
    ``head`` is the first node of each of the ``sets``, which ``table`` finds. ``totals`` and ``reached`` have the
    constraints' sums: of what the open prefix has captured; of what is left, the negative and the positive ones.
    """


NODES = Group(
    N_NODES,
    {
        np.int64: "key ratio_p ratio_n",
        np.float64: "score multipliers",
        np.int32: "parent rule length left link",
        np.uint8: "fate refined",
    },
)
HEAP = Group(N_HEAP, {np.int64: "heap_key", np.int32: "heap_node"})
SETS = Group(N_SETS, {np.uint64: "sets", np.int32: "head"}, tables=("table",))


def data_of(prepared: Prepared, constraints: Constraints, shift: int) -> Data:
    """Arrange a problem and its constraints."""
    data, costs = prepared.data, prepared.costs
    places, n = len(data.positives), len(prepared.patterns)
    d = np.zeros((places, len(constraints.d)), dtype=np.int64)
    d[:n] = constraints.d[:, prepared.patterns].T
    gains = (costs.per_positive * data.positives - costs.per_negative * data.negatives) * 2.0**shift
    most = 16 * max(1.0, float(np.abs(gains).sum()))
    spans = np.maximum(np.abs(d.astype(float)).sum(axis=0), 1.0)
    weight = float(data.positives.sum()) + float(data.negatives.sum())
    return Data(
        columns=data.columns,
        full=data.full,
        positives=data.positives,
        negatives=data.negatives,
        gains=gains,
        d=d,
        outside=np.stack([constraints.low, constraints.high]),
        inside=np.stack([constraints.low_inside, constraints.high_inside]),
        steepest=np.append(most / spans, most / max(1.0, weight)),
        price=most / 8 / spans,
    )


def new_store(data: Data, width: int) -> Store:
    """An empty store; at most ``width`` prefixes of a length are expanded at first."""
    m, words = data.columns.shape
    k, nodes = data.d.shape[1], 4 * (m + 1)

    def whole(*shape: int, fill: int = 0, dtype: type = np.int64) -> np.ndarray:
        return np.full(shape, fill, dtype=dtype)

    return Store(
        **NODES.new(nodes, multipliers=(k + 1,)),
        **HEAP.new(nodes),
        **SETS.new(nodes, sets=(words,)),
        table=whole(table_size(nodes), fill=-1, dtype=np.int32),
        todo=whole(max(1, width), dtype=np.int32),
        numbers=whole(N_NUMBERS),
        pruned=whole(len(PRUNED_NAMES)),
        queue_by_length=whole(m + 2),
        path=whole(m + 2, dtype=np.int32),
        members=whole(words * bits.WORD, dtype=np.int32),
        adjusted=whole(words * bits.WORD, dtype=np.float64),
        weights=whole(words * bits.WORD),
        counts=whole(2, m),
        amounts=whole(m, 1 + 2 * k),
        eligible=whole(m, dtype=np.uint8),
        tops=whole(MOST_TOPS + 1),
        totals=whole(k),
        reached=whole(2, k),
        scratch=whole(k),
        whole=whole(2, words, dtype=np.uint64),
    )
