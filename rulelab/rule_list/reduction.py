"""Exact reduction of a problem to net-weight patterns over the antecedents that an optimal list can use.

On any set T of patterns, ``min(P(T), N(T)) = sum of min(P_u, N_u) + min(W+(T), W-(T))`` with the net weights
``W+ = sum of max(P_u - N_u, 0)`` and ``W- = sum of max(N_u - P_u, 0)``. So every list costs a constant, the equivalent
points' errors (CORELS paper, Theorem 20), plus the net weights it gets wrong: patterns of net weight zero vanish, and
the equivalent points bound is built in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.problem import Problem
from ..kernels import bits
from ..kernels.bit_words import bit_planes, entries, transposed
from ..kernels.jit import kernel, popcount
from ..slices import is_large
from .costs import Costs


@dataclass(frozen=True)
class Reduction:
    """Net-weight patterns over the surviving antecedents."""

    antecedents: np.ndarray  # int64, shape (m,): the surviving antecedents, as indices of the problem's
    patterns: np.ndarray  # uint64, shape (n_patterns, bits.n_words(m)): packed patterns
    net: np.ndarray
    """int64, shape (n_patterns,): signed net weights, none zero: positive where the positive class is the majority."""
    constant: int  # weight that every list gets wrong
    dropped: dict[str, int]  # antecedents dropped, by reason

    @property
    def default_errors(self) -> int:
        """What the default rule alone gets wrong."""
        return self.constant + min(int(self.net[self.net > 0].sum()), int(-self.net[self.net < 0].sum()))


class Reducing:
    """Merges and drops, one round after another, until nothing changes.

    Dropped are antecedents equal to an earlier one, antecedents that hold for every pattern (such a rule is a default
    rule that costs ``regularization``), and, with ``drop_unsupported``, antecedents whose larger net weight does not
    pay for a rule: Theorem 11 (accurate support) on net weights, for the empty prefix.
    """

    def __init__(self, problem: Problem, costs: Costs, drop_unsupported: bool = True) -> None:
        self._reduction: Reduction | None = None
        self._large = is_large(problem)
        self._paying = costs.per_rule // costs.per_error if drop_unsupported else None
        self._patterns: np.ndarray = problem.words
        self._columns: np.ndarray | None = None  # of which the patterns are made anew
        self._antecedents = np.arange(problem.n_antecedents)
        self._net = costs.positives - costs.negatives
        self._constant = int(np.minimum(costs.positives, costs.negatives).sum())
        self._dropped = {"equal to another": 0, "covers everything": 0, "too little support": 0}

    def advance(self) -> Reduction | None:
        """The reduction; None where a large table takes another call, each of which is one round."""
        while self._reduction is None:
            self._round()
            if self._large:
                return None
        return self._reduction

    def _round(self) -> None:
        antecedents, dropped, patterns = self._antecedents, self._dropped, self._patterns
        if self._columns is not None:
            patterns = transposed(self._columns, len(self._net))
        patterns, net, inevitable = _merge_patterns(patterns, self._net)
        self._constant += inevitable
        columns = transposed(patterns, len(antecedents))
        keep = np.zeros(len(antecedents), dtype=bool)
        keep[bits.group_equal_rows(columns)[1]] = True
        dropped["equal to another"] += int((~keep).sum())
        full = keep & (bits.counts(columns) == len(net))
        dropped["covers everything"] += int(full.sum())
        keep &= ~full
        if self._paying is not None:
            paying = _larger_net_weight(columns, net) > self._paying
            dropped["too little support"] += int((keep & ~paying).sum())
            keep &= paying
        if keep.all():
            self._reduction = Reduction(antecedents, patterns, net, self._constant, dropped)
            return
        self._antecedents, self._net, self._columns = antecedents[keep], net, columns[keep]


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
    planes = entries(bit_planes(np.maximum(net, 0))), entries(bit_planes(np.maximum(-net, 0)))
    sums = np.zeros((2, len(columns)), dtype=np.int64)
    for k, (word, digit, mask) in enumerate(planes):
        _sum_weights(columns, word, digit, mask, sums[k])
    return np.maximum(sums[0], sums[1])


@kernel
def _sum_weights(columns, word, digit, mask, out):
    for a in range(columns.shape[0]):
        for e in range(word.size):
            out[a] += popcount(columns[a, word[e]] & mask[e]) << digit[e]
