"""The problem of fair rule lists over fewer antecedents: patterns that these cannot tell apart are merged.

Unlike without constraints, patterns whose positives and negatives weigh the same do not vanish: the rates tell them
apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.problem import Problem
from ...data.rate_constraints import Constraints
from ...kernels import bits
from ...kernels.bit_words import transposed

WRONG_NEGATIVE, WRONG_POSITIVE, FIRST_RATE = range(3)
"""Rows of ``Reduced.amounts``: the cost of predicting a pattern negative, of predicting it positive, and ``d``."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """Patterns over some antecedents with all that is added up along a list.

    Attributes
    ----------
    antecedents : int64 array, shape (m,)
        As indices of the problem's.
    patterns : uint64 array, shape (n_patterns, bits.n_words(m))
    amounts : int64 array, shape (2 + n_constraints, n_patterns)
        Cost of predicting each pattern negative and positive, and its part in each constraint.
    """

    antecedents: np.ndarray
    patterns: np.ndarray
    amounts: np.ndarray

    def only(self, kept: np.ndarray) -> Reduced:
        """Over a selection of the antecedents (indices, in this order)."""
        columns = transposed(self.patterns, len(self.antecedents))[kept]
        return _merged(self.antecedents[kept], transposed(columns, len(self.patterns)), self.amounts)


def reduced(problem: Problem, wrong: np.ndarray, constraints: Constraints) -> Reduced:
    """All patterns, without antecedents that equal an earlier one or hold for every pattern, or for none.

    ``wrong`` is what it costs to predict each pattern negative, and positive.
    """
    columns = transposed(problem.words, problem.n_antecedents)
    held = bits.counts(columns)
    first = np.zeros(len(columns), dtype=bool)
    first[bits.group_equal_rows(columns)[1]] = True
    kept = np.flatnonzero(first & (held > 0) & (held < problem.n_patterns))
    words = transposed(columns[kept], problem.n_patterns)
    return _merged(kept, words, np.concatenate([wrong, constraints.d]))


def _merged(antecedents: np.ndarray, patterns: np.ndarray, amounts: np.ndarray) -> Reduced:
    if not len(antecedents):
        return Reduced(antecedents, np.zeros((1, 0), dtype=np.uint64), amounts.sum(axis=1, keepdims=True))
    group, first = bits.group_equal_rows(patterns)
    merged = np.zeros((len(amounts), len(first)), dtype=np.int64)
    for row, values in zip(merged, amounts, strict=True):
        np.add.at(row, group, values)
    return Reduced(antecedents, patterns[first], merged)
