"""The gap of a criterion and the errors of a list in exact numbers, and the constraints that bound them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np

from ...data.exact_weights import Masses
from ...data.fairness import Criterion, compared, groups_of
from ...data.problem import Problem
from ...data.rate_constraints import Constraints, Row, assembled, parities_of
from .gap_dual import GapDual


@dataclass(frozen=True, eq=False)
class Gaps:
    """What is measured of a list, for given predictions.

    Attributes
    ----------
    masses : Masses
        Weights of all patterns; `errors` are in their unit.
    rows : list of Row
        The first one counts errors, less those of predicting all negative; an error more moves its upper end by
        ``per``. The others are differences of rates, which are 0 at both ends.
    names : list of (str, int, int)
        Of the others: the rate and the two groups.
    """

    masses: Masses
    rows: list[Row]
    names: list[tuple[str, int, int]]
    _unbound: Constraints
    _ordered: list[str]

    def gap(self, predicted: np.ndarray) -> Fraction:
        """The largest difference of a rate between two groups, when these patterns are predicted positive."""
        return max(self.by_rate(predicted).values())

    def by_rate(self, predicted: np.ndarray) -> dict[str, Fraction]:
        """The same of each rate."""
        found: dict[str, Fraction] = {}
        for name, difference in zip(self._ordered, self._unbound.excesses(predicted), strict=True):
            found[name] = max(found.get(name, difference), difference)
        return found

    def errors(self, predicted: np.ndarray) -> int:
        """The weight of the wrong predictions."""
        return _sum(self.masses.positives[~predicted]) + _sum(self.masses.negatives[predicted])

    def constraints(self, gap: Fraction, strictly: bool, most_errors: int) -> Constraints:
        """What all lists meet whose gap is at most this, or less than this, and that make no more errors.

        With weights of too many digits some others meet it, too.
        """
        errors, *differences = self.rows
        ends = [(errors.low, errors.high + most_errors * errors.per)]
        for row in differences:
            low, high = row.low - gap * row.per, row.high + gap * row.per
            if strictly:
                low, high = Fraction(math.floor(low) + 1), Fraction(math.ceil(high) - 1)
            ends.append((low, high))
        return assembled(
            self.rows, ends, len(errors.d), self._unbound.parities, self._masses, [("errors", 0, 0), *self.names]
        )

    @property
    def _masses(self) -> Masses:
        return Masses(self._unbound.positives, self._unbound.negatives, Fraction(1))

    def dual(self, most_rules: int, most_errors: int) -> GapDual:
        """Cutting planes for the multipliers of these constraints."""
        errors, *differences = self.rows
        return GapDual(
            most_rules=most_rules,
            most_wrong=float((errors.high + most_errors * errors.per) / (1 << errors.shift)),
            size=float(max(1, errors.span[1] - errors.span[0]) / (1 << errors.shift)),
            middle=np.array([float(row.low / (1 << row.shift)) for row in differences]),
            gap_per_sum=np.array([float((1 << row.shift) / row.per) for row in differences]),
        )


def gaps_of(problem: Problem, criterion: type[Criterion], min_group_size: int) -> Gaps:
    """What a criterion compares over the problem's groups.

    Raises
    ------
    ValueError
        When there are no two groups to compare, or a group has nothing that its rate could be measured on.
    """
    exact = criterion(0.0)  # type: ignore[call-arg]
    groups = groups_of(problem, exact)
    of_groups, masses = groups.masses.divided(), problem.masses.divided()
    found, between = parities_of(exact, groups, of_groups, min_group_size)
    wrong = tuple(n - p for p, n in zip(masses.positives.tolist(), masses.negatives.tolist(), strict=True))
    all_negative = _sum(masses.positives)
    common = math.gcd(*wrong) or 1
    least = sum(x for x in wrong if x < 0)
    errors = Row(
        tuple(x // common for x in wrong),
        Fraction(least, common) - 1,
        -Fraction(all_negative, common),
        Fraction(1, common),
    )
    rows = [errors, *(row for row, _ in between)]
    unbound = assembled([], [], problem.n_patterns, found, of_groups, [])
    among = zip(exact.rates(), compared(exact, groups, min_group_size), strict=True)
    ordered = [rate.name for rate, of in among for _ in permutations(of, 2)]
    return Gaps(masses, rows, [name for _, name in between], unbound, ordered)


def _sum(weights: np.ndarray) -> int:
    return sum(weights.tolist())
