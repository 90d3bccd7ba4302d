"""Problems whose weights are no whole numbers, in a unit of which all are multiples."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..data.problem import Problem
from .certificate import CertificateError


def nearly(claimed: float, actual: float) -> bool:
    """Equal but for the rounding of sums, which depends on their order; a number from a file may be of any size."""
    if isinstance(claimed, float) and not math.isfinite(claimed):
        return False
    return abs(Fraction(claimed) - Fraction(actual)) <= abs(Fraction(actual)) / 10**9


def in_whole_weights_by_group(problem: Problem, any_size: bool = False) -> Problem:
    """The same rows and groups, with weights in the largest unit of which those of each group are; see `divided`."""
    return problem if problem.integral or problem.groups is None else divided(problem, True, any_size)[0]


def rounded_down(problem: Problem, most: int, by_group: bool) -> tuple[Problem, Fraction]:
    """The same rows, and groups if asked for, in weights rounded down to a unit, at most so many, and its worth."""
    whole, unit = divided(problem, by_group, any_size=True)
    groups = whole.groups if by_group else None
    given = [whole.positives, whole.negatives] if groups is None else [groups.positives, groups.negatives]
    n = max(1, -(-sum(int(side.sum()) for side in given) // most))
    positives, negatives = ((side // n).astype(np.int64) for side in given)
    if groups is not None:
        groups = replace(groups, positives=positives, negatives=negatives, summed=None)
        positives, negatives = positives.sum(axis=0), negatives.sum(axis=0)
    return replace(whole, positives=positives, negatives=negatives, groups=groups, summed=None), unit * n


def divided(problem: Problem, by_group: bool, any_size: bool = False) -> tuple[Problem, Fraction]:
    """The same rows, and groups if they are asked for, with weights in the largest common unit, and what it is worth.

    Weights of ``any_size`` are Python's integers where they need to be; else CertificateError says when there are too
    many digits for exact sums, and in any case when the groups do not add up to the problem.
    """
    groups = problem.groups if by_group else None
    masses = (problem if groups is None else groups).masses.divided()
    if not masses.fits and not any_size:
        raise CertificateError("the weights have too many digits for exact sums; round them, say to six digits in all")
    positives, negatives = masses.positives, masses.negatives
    if groups is not None:
        positives, negatives, known = positives.sum(axis=0), negatives.sum(axis=0), problem.masses
        pairs = zip([*positives.tolist(), *negatives.tolist()], [*known.positives, *known.negatives], strict=True)
        if any(x * masses.unit != int(y) * known.unit for x, y in pairs):
            raise CertificateError("the groups' weights are not those of the problem")
        groups = replace(groups, positives=masses.positives, negatives=masses.negatives, summed=None)
    whole = replace(problem, positives=positives, negatives=negatives, groups=groups, summed=None)
    return whole, masses.unit
