"""How much search space is left: upper bounds on the prefixes still to be evaluated, as log10."""

from __future__ import annotations

import math
from collections.abc import Sequence


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
    terms: list[float] = []
    for length, queued in enumerate(queue_by_length):
        if queued:
            free = max(m - length, 0)
            terms.extend(
                math.log(queued) + math.lgamma(free + 1) - math.lgamma(free - j + 1)
                for j in range(min(max(longest - length, 0), free) + 1)
            )
    if not terms:
        return 0.0
    largest = max(terms)
    return (largest + math.log(sum(math.exp(t - largest) for t in terms))) / math.log(10)
