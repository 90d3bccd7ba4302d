"""What lists predict for the patterns of a problem, from packed columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem


class Predicted(NamedTuple):
    """A list on the patterns of a problem.

    Attributes
    ----------
    labels : tuple of int
        Of the rules and of the default.
    positive : bool array, shape (n_patterns,)
    errors : int
    """

    labels: tuple[int, ...]
    positive: np.ndarray
    errors: int


def column(problem: Problem, antecedent: int) -> np.ndarray:
    """The patterns that satisfy an antecedent: bool array, shape (n_patterns,)."""
    bit = np.uint64(antecedent & 63)
    return (problem.words[:, antecedent >> 6] >> bit & np.uint64(1)).astype(bool)


def predicted(problem: Problem, columns: Sequence[np.ndarray], labels: Sequence[int] | None = None) -> Predicted | None:
    """What a list predicts: its labels, or the majority of what each rule captures, in a tie the negative class.

    Returns
    -------
    Predicted or None
        None where a rule captures nothing.
    """
    left, positive = np.ones(problem.n_patterns, dtype=bool), np.zeros(problem.n_patterns, dtype=bool)
    chosen, errors = [], 0
    for k, holds in enumerate((*columns, None)):
        hit = left if holds is None else left & holds
        if holds is not None and not hit.any():
            return None
        counts = int(problem.negatives[hit].sum()), int(problem.positives[hit].sum())
        label = int(counts[1] > counts[0]) if labels is None else labels[k]
        chosen.append(label)
        errors += counts[1 - label]
        if label:
            positive |= hit
        if holds is not None:
            left = left & ~holds
    return Predicted(tuple(chosen), positive, errors)
