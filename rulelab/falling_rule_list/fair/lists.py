"""Lists in the exact weights of a problem: whether they fall, and what they predict."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...data.problem import Problem


def predicted(problem: Problem, antecedents: Sequence[int], positive_weight: float) -> np.ndarray | None:
    """Which patterns a falling list predicts positive; None when the list does not fall.

    Parameters
    ----------
    problem : Problem
    antecedents : sequence of int
    positive_weight : float

    Returns
    -------
    bool array, shape (n_patterns,), or None
    """
    masses, words = problem.masses, problem.words
    w = Fraction(repr(float(positive_weight)))
    left = np.ones(problem.n_patterns, dtype=bool)
    positive = np.zeros(problem.n_patterns, dtype=bool)
    last_p, last_n = 1, 1
    for j in (*antecedents, None):
        hit = left if j is None else left & (words[:, j >> 6] >> np.uint64(j & 63) & np.uint64(1)).astype(bool)
        p, q = sum(masses.positives[hit].tolist()), sum(masses.negatives[hit].tolist())
        if p * last_n > last_p * (p + q):
            return None
        if p + q:
            last_p, last_n = p, p + q
        positive |= hit & (p * w > q)
        left = left & ~hit
    return positive
