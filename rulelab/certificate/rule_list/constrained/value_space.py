"""Rule lists of predictive parity in whole numbers: what holds where the least predictive value is between two ends.

A list is fair when the predictive values of its groups, ``TP_g / PP_g`` of those of whom anybody is predicted positive,
are within a tolerance of each other. Then the least of them, c, is at most all, and ``c + tolerance`` at least all, so
that for ``low <= c <= high`` every group has ``TP >= low PP`` and ``TP <= (high + tolerance) PP``. Ranges of c that
cover all numbers from 0 to 1 leave no fair list out; one that predicts nobody positive meets all of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ....data.problem import Problem
from ...certificate import CertificateError
from ...rule_set.parity import SUFFIX, Sides, read_sides
from ..states import Grid
from .space import FairSpace, LinearRow, linear_row, read_sizes, space_of

TOLERANCE = f"precision{SUFFIX}"
"""The parameter that a certificate of predictive parity has."""

_NEARLY = 1e-9  # far more than what rounds a quotient


@dataclass(frozen=True, eq=False)
class Values:
    """The criterion.

    Attributes
    ----------
    problem : Problem
        In whole weights, with groups.
    sides : Sides
    groups : tuple of int
        Those that are compared.
    tolerance : Fraction
    shift : int
        Of the relaxations.
    """

    problem: Problem
    sides: Sides
    groups: tuple[int, ...]
    tolerance: Fraction
    shift: int

    @property
    def n_counts(self) -> int:
        """Of those predicted positive the positives and the negatives of each group: the last rows of a space."""
        return 2 * len(self.groups)

    def counts(self, positive: np.ndarray) -> np.ndarray:
        """Those counts when these patterns are predicted positive (bool, shape (n_patterns,))."""
        sides = self.sides.wanted, self.sides.unwanted
        return np.array([side[g, positive].sum() for g in self.groups for side in sides], dtype=sides[0].dtype)

    def fair(self, counts: np.ndarray) -> np.ndarray:
        """Which rows of counts (shape (n, n_counts)) meet the criterion; where that is close, by exact fractions."""
        right, whole = counts[:, ::2], counts[:, ::2] + counts[:, 1::2]
        share = right / np.maximum(whole, 1)
        spread = np.where(whole > 0, share, -1.0).max(axis=1) - np.where(whole > 0, share, 2.0).min(axis=1)
        out = (spread <= float(self.tolerance) + _NEARLY).astype(bool)
        for i in np.flatnonzero(out):
            pairs = zip(right[i].tolist(), whole[i].tolist(), strict=True)
            values = [Fraction(r, w) for r, w in pairs if w]
            out[i] = not values or max(values) - min(values) <= self.tolerance
        return out

    def space(self, costs: Grid, low: float, high: float, multipliers: np.ndarray) -> FairSpace:
        """The space of a range, with a multiplier for each group's lower and upper end.

        Raises
        ------
        CertificateError
            Where these are of no use.
        """
        wrong = costs.per_error * np.stack([costs.positives, costs.negatives])
        rows, counts = [], []
        for g in self.groups:
            sides = self.sides.wanted[g].tolist(), self.sides.unwanted[g].tolist()
            for end, sign in ((Fraction(low), 1), (Fraction(high) + self.tolerance, -1)):
                rows.append(_end(*sides, end, sign))
            counts += [LinearRow(side, 0, sum(side)) for side in sides]
        if multipliers.dtype != np.float64 or multipliers.shape != (len(rows),):
            raise CertificateError("the certificate must hold two multipliers for each group and range")
        free = np.concatenate([multipliers, np.zeros(len(counts))])
        return space_of(self.problem, wrong, costs.per_rule, [*rows, *counts], free, self.shift, self.sides, [])


def read_values(whole: Problem, parameters: Mapping[str, float]) -> Values:
    """The criterion that the parameters speak of, of a problem in whole weights; raises CertificateError."""
    tolerance = parameters[TOLERANCE]
    if not 0 <= tolerance < float("inf"):
        raise CertificateError(f"the {TOLERANCE} must be at least 0, not {tolerance!r}")
    smallest, shift = read_sizes(parameters)
    sides = read_sides(whole, "dnf", True)
    compared = tuple(g for g in range(len(sides.names)) if sum(side[g] for side in sides.rows) >= smallest)
    if len(compared) < 2:
        raise CertificateError(
            f"the certificate leaves out groups of fewer than {smallest} rows, which leaves {len(compared)} to compare"
        )
    return Values(whole, sides, compared, Fraction(repr(float(tolerance))), shift)


def _end(positives: list[int], negatives: list[int], end: Fraction, sign: int) -> LinearRow:
    """That the right positives are at least (for sign -1 at most) this part of those predicted positive."""
    part, whole = end.numerator, end.denominator
    d = [sign * ((whole - part) * p - part * q) for p, q in zip(positives, negatives, strict=True)]
    return linear_row(d, Fraction(0), Fraction(sum(x for x in d if x > 0)))
