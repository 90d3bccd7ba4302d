"""Predictive parity: among those predicted positive, the same part is positive in every group.

The rate's denominator depends on the model, so that no linear constraint says what is fair. But all groups' values are
within ``tolerance`` of each other if and only if some number c is at most all of them while c + tolerance is at least
all of them, and ``c PP <= TP <= (c + tolerance) PP`` is linear for a given c. Where c is only known to be between two
ends, the constraint of the lower end on the left and that of the upper end on the right hold for all fair models, and
for some others, which the exact criterion then refuses. A group of whom nobody is predicted positive has no value, and
meets all of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from .fairness import PredictiveParity, compared, groups_of
from .problem import Problem
from .rate_constraints import Constraints, Row, assembled

_NEVER = 1 << 59


@dataclass(frozen=True, eq=False)
class ValueConstraints(Constraints):
    """What holds for every model that is fair with c between two ends, and the exact criterion.

    The last rows are the positives, and the negatives, of each group that are predicted positive. They bound nothing.
    Where the weights have too many digits for 64 bits they are rounded, and only `is_fair` tells what is fair.

    Attributes
    ----------
    tolerance : Fraction
    groups : tuple of int
        Those that are compared.
    n_counted : int
        Groups whose rows are exact: all that are compared, or 0.
    """

    tolerance: Fraction
    groups: tuple[int, ...]
    n_counted: int

    def is_fair(self, predicted: np.ndarray) -> bool:
        """Whether predicting these patterns positive (bool, shape (n_patterns,)) meets the criterion, exactly."""
        values = []
        for g in self.groups:
            right, wrong = (sum(side[g, predicted].tolist()) for side in (self.positives, self.negatives))
            if right + wrong:
                values.append(Fraction(right, right + wrong))
        return not values or max(values) - min(values) <= self.tolerance


def value_constraints(
    problem: Problem, criterion: PredictiveParity, min_group_size: int, low: Fraction, high: Fraction
) -> ValueConstraints:
    """The constraints for a least predictive value between two ends.

    Raises
    ------
    ValueError
        When there are no two groups to compare.
    """
    groups = groups_of(problem, criterion)
    (among,) = compared(criterion, groups, min_group_size)
    masses = groups.masses.divided()
    tolerance = Fraction(repr(float(criterion.tolerance)))
    rows, names = [], []
    for g in among:
        positives, negatives = (side[g].tolist() for side in (masses.positives, masses.negatives))
        for end, sign in ((low, 1), (high + tolerance, -1)):
            if 0 < end < 1:
                rows.append(_row(positives, negatives, end, sign))
                names.append(("precision", g, g))
    counts = [
        Row(tuple(side[g].tolist()), Fraction(0), Fraction(sum(side[g].tolist())), Fraction(0))
        for g in among
        for side in (masses.positives, masses.negatives)
    ]
    rows += counts
    names += [("precision", g, g) for g in among for _ in range(2)]
    made = assembled(rows, [(row.low, row.high) for row in rows], problem.n_patterns, [], masses, names)
    exact = not any(made.shifts)
    if not exact:
        never = np.full(len(rows), _NEVER)
        made = replace(made, low_inside=never, high_inside=-never)
    return ValueConstraints(**vars(made), tolerance=tolerance, groups=among, n_counted=len(among) if exact else 0)


def _row(positives: list[int], negatives: list[int], end: Fraction, sign: int) -> Row:
    """That the true positives are at least (for sign -1 at most) this part of those predicted positive."""
    part, whole = end.numerator, end.denominator
    d = [sign * ((whole - part) * p - part * q) for p, q in zip(positives, negatives, strict=True)]
    common = math.gcd(*d) or 1
    d = [x // common for x in d]
    return Row(tuple(d), Fraction(0), Fraction(sum(x for x in d if x > 0)), Fraction(0))
