"""How much search space is left: upper bounds on the prefixes still to be evaluated, as log10."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np


def log10_coarse(queue_by_length: Sequence[int], m: int, longest: int) -> float:
    """Coarse-grained remaining search space, Proposition 9 of the CORELS paper (JMLR 2018).

    ``sum over L of q_L * sum over j = 0 .. K - L of (m - L)! / (m - L - j)!`` with K = ``longest``.

    Parameters
    ----------
    queue_by_length : sequence of int
        Queued prefixes by length.
    m : int
        Number of antecedents.
    longest : int
        Most rules of a list that can beat the incumbent.

    Returns
    -------
    float
        log10 of the bound; 0 when the queue is empty.
    """
    return _log10_sum(
        math.log(queued) + _log_permutations(m - length, j)
        for length, queued in enumerate(queue_by_length)
        if queued
        for j in range(max(min(longest, m) - length, 0) + 1)
    )


def log10_fine(queued_by_steps: np.ndarray, m: int) -> float:
    """Fine-grained remaining search space, Theorem 7 of the CORELS paper (JMLR 2018).

    ``sum over queued prefixes Q of sum over j = 0 .. f(Q) of (m - L)! / (m - L - j)!`` with L the length of Q and
    f(Q) = min(floor((R^c - b(Q)) / regularization), m - L).

    Parameters
    ----------
    queued_by_steps : int64 array, shape (n_lengths, n_steps)
        Queued prefixes by length and by floor((R^c - b) / regularization): what a search can count as it goes.
    m : int
        Number of antecedents.

    Returns
    -------
    float
        log10 of the bound; 0 when the queue is empty.
    """
    return _log10_sum(
        math.log(queued_by_steps[length, steps]) + _log_permutations(m - length, j)
        for length, steps in np.argwhere(queued_by_steps).tolist()
        for j in range(min(steps, m - length) + 1)
    )


def log10_total(m: int, longest: int) -> float:
    """All prefixes of at most ``longest`` of ``m`` antecedents, as log10: Proposition 8, ``sum m! / (m - k)!``."""
    return _log10_sum(_log_permutations(m, k) for k in range(min(longest, m) + 1))


def log10_total_symmetry_aware(m: int, longest: int) -> float:
    """The same when one order of each set is extended, Theorem 17: ``1 + sum m! / ((k - 1)! (m - k)!)``, as log10."""
    return _log10_sum(_log_permutations(m, k) - math.lgamma(max(k, 1)) for k in range(min(longest, m) + 1))


def _log_permutations(n: int, k: int) -> float:
    """Natural logarithm of n! / (n - k)!."""
    return math.lgamma(n + 1) - math.lgamma(n - k + 1)


def _log10_sum(logarithms: Iterable[float]) -> float:
    """log10 of a sum, from natural logarithms of its terms; 0 when there are none."""
    terms = list(logarithms)
    if not terms:
        return 0.0
    largest = max(terms)
    return (largest + math.log(sum(math.exp(t - largest) for t in terms))) / math.log(10)
