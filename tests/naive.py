"""Definitions from the papers, written slowly and in exact arithmetic. Nothing here imports an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np


def rule_list_objective(
    A: np.ndarray, y: np.ndarray, weight: Sequence[int], regularization: Fraction, antecedents: Sequence[int]
) -> Fraction:
    """R(d) = errors / n + regularization * rules; each rule and the default predict the majority they capture."""
    errors, n = 0, sum(weight)
    left = list(range(len(y)))
    for a in antecedents:
        errors += _minority([i for i in left if A[i, a]], y, weight)
        left = [i for i in left if not A[i, a]]
    return Fraction(errors + _minority(left, y, weight), n) + regularization * len(antecedents)


def _minority(rows: Sequence[int], y: np.ndarray, weight: Sequence[int]) -> int:
    positive = sum(weight[i] for i in rows if y[i])
    return min(positive, sum(weight[i] for i in rows) - positive)


def all_rule_lists(m: int, max_length: int) -> Iterator[tuple[int, ...]]:
    """Every ordered choice of at most ``max_length`` of ``m`` antecedents."""
    for length in range(max_length + 1):
        yield from permutations(range(m), length)


def best_rule_list_by_enumeration(
    A: np.ndarray, y: np.ndarray, weight: Sequence[int], regularization: Fraction, max_length: int
) -> Fraction:
    """The least objective of any list of at most ``max_length`` rules."""
    return min(rule_list_objective(A, y, weight, regularization, d) for d in all_rule_lists(A.shape[1], max_length))


def best_rule_list(
    A: np.ndarray, y: np.ndarray, weight: Sequence[int], regularization: Fraction, max_length: int | None = None
) -> Fraction:
    """The least objective by the recursion over sets of uncaptured rows, without any bound."""
    n, m = sum(weight), A.shape[1]
    captured = [frozenset(np.flatnonzero(A[:, a]).tolist()) for a in range(m)]

    @cache
    def least(left: frozenset[int], rules: int) -> Fraction:
        best = Fraction(_minority(sorted(left), y, weight), n)
        if rules == 0:
            return best
        for rows in captured:
            hit = left & rows
            if hit:
                errors = Fraction(_minority(sorted(hit), y, weight), n)
                best = min(best, errors + regularization + least(left - hit, rules - 1))
        return best

    return least(frozenset(range(len(y))), m if max_length is None else max_length)
