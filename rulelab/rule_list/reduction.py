"""Exact reduction of a problem to net-weight patterns over the antecedents that an optimal list can use.

On any set T of patterns, ``min(P(T), N(T)) = sum of min(P_u, N_u) + min(W+(T), W-(T))`` with the net weights
``W+ = sum of max(P_u - N_u, 0)`` and ``W- = sum of max(N_u - P_u, 0)``. So every list costs a constant, the equivalent
points' errors (CORELS paper, Theorem 20), plus the net weights it gets wrong: patterns of net weight zero vanish, and
the equivalent points bound is built in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import bits
from ..data.problem import Problem
from ..kernels.jit import kernel
from .costs import Costs


@dataclass(frozen=True)
class Reduction:
    """Net-weight patterns over the surviving antecedents.

    Attributes
    ----------
    antecedents : int64 array, shape (m,)
        The surviving antecedents, as indices of the problem's.
    patterns : uint64 array, shape (n_patterns, bits.n_words(m))
        Packed patterns.
    net : int64 array, shape (n_patterns,)
        Signed net weights, none zero: positive where the positive class is the majority.
    constant : int
        Weight that every list gets wrong.
    dropped : dict of str to int
        Antecedents dropped, by reason.
    """

    antecedents: np.ndarray
    patterns: np.ndarray
    net: np.ndarray
    constant: int
    dropped: dict[str, int]


def reduce(problem: Problem, costs: Costs, drop_unsupported: bool = True) -> Reduction:
    """Merge and drop until nothing changes.

    Dropped are antecedents equal to an earlier one, antecedents that hold for every pattern (such a rule is a default
    rule that costs ``regularization``), and, with ``drop_unsupported``, antecedents whose larger net weight does not
    pay for a rule: Theorem 11 (accurate support) on net weights, for the empty prefix.
    """
    patterns = problem.words
    antecedents = np.arange(problem.n_antecedents)
    net = costs.positives - costs.negatives
    constant = int(np.minimum(costs.positives, costs.negatives).sum())
    dropped = {"equal to another": 0, "covers everything": 0, "too little support": 0}
    while True:
        patterns, net, inevitable = _merge_patterns(patterns, net)
        constant += inevitable
        columns = bits.transpose(patterns, len(antecedents))
        keep = np.zeros(len(antecedents), dtype=bool)
        keep[bits.group_equal_rows(columns)[1]] = True
        dropped["equal to another"] += int((~keep).sum())
        full = keep & (bits.counts(columns) == len(net))
        dropped["covers everything"] += int(full.sum())
        keep &= ~full
        if drop_unsupported:
            paying = _larger_net_weight(columns, net) > costs.per_rule // costs.per_error
            dropped["too little support"] += int((keep & ~paying).sum())
            keep &= paying
        if keep.all():
            return Reduction(antecedents, patterns, net, constant, dropped)
        antecedents = antecedents[keep]
        patterns = bits.transpose(columns[keep], len(net))


def _merge_patterns(patterns: np.ndarray, net: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Merge equal patterns; also returns the errors that cancelling net weights make inevitable."""
    group, first = bits.group_equal_rows(patterns)
    merged, weight = np.zeros(len(first), dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, group, net)
    np.add.at(weight, group, np.abs(net))
    inevitable = int((weight - np.abs(merged)).sum()) // 2
    keep = merged != 0
    return patterns[first[keep]], merged[keep], inevitable


def _larger_net_weight(columns: np.ndarray, net: np.ndarray) -> np.ndarray:
    out = np.zeros(len(columns), dtype=np.int64)
    _sum_larger_net_weight(columns, net, out)
    return out


@kernel
def _sum_larger_net_weight(columns, net, out):
    for a in range(columns.shape[0]):
        positive = 0
        negative = 0
        for u in range(net.size):
            if (columns[a, u >> 6] >> np.uint64(u & 63)) & np.uint64(1):
                if net[u] > 0:
                    positive += net[u]
                else:
                    negative -= net[u]
        out[a] = max(positive, negative)
