"""Problems whose weights are no whole numbers, in a unit of which all are multiples."""

from __future__ import annotations

from dataclasses import replace

from ..data.problem import Problem
from .certificate import CertificateError


def in_whole_weights(problem: Problem) -> Problem:
    """The same rows, of no groups, with weights in the largest unit of which they are multiples.

    Raises
    ------
    CertificateError
        When there are too many digits for exact sums.
    """
    if problem.integral:
        return problem
    masses = problem.masses.divided()
    if not masses.fits:
        raise CertificateError("the weights have too many digits for exact sums")
    return replace(problem, positives=masses.positives, negatives=masses.negatives, groups=None, summed=None)


def in_whole_weights_by_group(problem: Problem) -> Problem:
    """The same rows and groups, with weights in the largest unit of which those of each group are multiples.

    Raises
    ------
    CertificateError
        When there are too many digits for exact sums, or the groups do not add up to the problem.
    """
    groups = problem.groups
    if problem.integral or groups is None:
        return problem
    of_groups, masses = groups.masses.divided(), problem.masses
    if not of_groups.fits:
        raise CertificateError("the groups' weights have too many digits for exact sums")
    positives, negatives = of_groups.positives.sum(axis=0), of_groups.negatives.sum(axis=0)
    pairs = zip((positives, negatives), (masses.positives, masses.negatives), strict=True)
    if any(
        a * of_groups.unit != b * masses.unit for x, y in pairs for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ):
        raise CertificateError("the groups' weights are not those of the problem")
    whole = replace(groups, positives=of_groups.positives, negatives=of_groups.negatives, summed=None)
    return replace(problem, positives=positives, negatives=negatives, groups=whole, summed=None)
