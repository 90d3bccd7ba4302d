"""How much search space is left: upper bounds on the prefixes still to be evaluated, as log10."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

_TERMS = 30  # of a sum of permutations, from the largest on: the rest adds less than a part in 30!


def log10_coarse(queue_by_length: Sequence[int], m: int, longest: int) -> float:
    """Coarse-grained remaining search space, Proposition 9 of the CORELS paper (JMLR 2018).

    ``sum over L of q_L * sum over j = 0 .. K - L of (m - L)! / (m - L - j)!`` with K = ``longest``.

    ``queue_by_length``: queued prefixes by length. ``m``: number of antecedents. ``longest``: most rules of a list that
    can beat the incumbent. log10 of the bound; 0 when the queue is empty.
    """
    lengths = np.flatnonzero(queue_by_length)
    queued = np.asarray(queue_by_length, dtype=float)[lengths]
    return _log10_sum(np.log(queued) + _log_permutations(m - lengths, np.maximum(min(longest, m) - lengths, 0)))


def log10_fine(queued_by_steps: np.ndarray, m: int) -> float:
    """Fine-grained remaining search space, Theorem 7 of the CORELS paper (JMLR 2018).

    ``sum over queued prefixes Q of sum over j = 0 .. f(Q) of (m - L)! / (m - L - j)!`` with L the length of Q and
    f(Q) = min(floor((R^c - b(Q)) / regularization), m - L).

    ``queued_by_steps`` (int64 array, shape (n_lengths, n_steps)): queued prefixes by length and by floor((R^c - b) /
    regularization): what a search can count as it goes. ``m``: number of antecedents. log10 of the bound; 0 when the
    queue is empty.
    """
    lengths, steps = np.nonzero(queued_by_steps)
    queued = queued_by_steps[lengths, steps].astype(float)
    return _log10_sum(np.log(queued) + _log_permutations(m - lengths, np.minimum(steps, m - lengths)))


def log10_total(m: int, longest: int, labels: int = 1) -> float:
    """All prefixes of at most ``longest`` of ``m`` antecedents, as log10: Proposition 8, ``sum m! / (m - k)!``.

    With so many ``labels`` for each rule and the default, ``sum labels^(k + 1) m! / (m - k)!``.
    """
    return _log10_sum(_log_permutations(np.array([m]), np.array([min(longest, m)]), labels))


def log10_total_symmetry_aware(m: int, longest: int) -> float:
    """The same when one order of each set is extended, Theorem 17: ``1 + sum m! / ((k - 1)! (m - k)!)``, as log10."""
    table, k = _log_factorials(m), np.arange(min(longest, m) + 1)
    return _log10_sum(table[m] - table[m - k] - table[np.maximum(k - 1, 0)])


def _log_permutations(n: np.ndarray, most: np.ndarray, labels: int = 1) -> np.ndarray:
    """Natural logarithm of the sum of labels^(k + 1) n! / (n - k)! over k = 0 .. most <= n, elementwise."""
    if not len(n):
        return np.zeros(0)
    table, left = _log_factorials(int(n.max())), n - most
    total = term = np.ones(len(n))
    for t in range(1, min(int(most.max()), _TERMS) + 1):
        term = np.where(t <= most, term / (labels * (left + t)), 0.0)
        total = total + term
    return table[n] - table[left] + np.log(total) + (most + 1) * math.log(labels)


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> np.ndarray:
    """Natural logarithms of 0!, 1!, .. n!."""
    table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    table.flags.writeable = False
    return table


def _log10_sum(logarithms: np.ndarray) -> float:
    """log10 of a sum, from natural logarithms of its terms; 0 when there are none."""
    if not len(logarithms):
        return 0.0
    largest = float(logarithms.max())
    return (largest + math.log(float(np.exp(logarithms - largest).sum()))) / math.log(10)
