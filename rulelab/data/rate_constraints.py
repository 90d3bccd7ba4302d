"""Fairness of a model as bounds on sums of whole numbers: one for each rate and each pair of groups.

Predictive parity is that among those predicted positive, the same part is positive in every group. The rate's
denominator depends on the model, so that no linear constraint says what is fair. But all groups' values are within
``tolerance`` of each other if and only if some number c is at most all of them while c + tolerance is at least all of
them, and ``c PP <= TP <= (c + tolerance) PP`` is linear for a given c. Where c is only known to be between two ends,
the constraint of the lower end on the left and that of the upper end on the right hold for all fair models, and for
some others, which the exact criterion then refuses. A group of whom nobody is predicted positive has no value, and
meets all of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from .exact_weights import Masses
from .fairness import Criterion, Parity, PredictiveParity, compared, groups_of, parities
from .groups import Groups
from .problem import Problem

_LARGEST_SUM = 1 << 58
_NEVER = 1 << 59


@dataclass(frozen=True, eq=False)
class Constraints:
    """``low <= sum of d[j, u] over the patterns u that are predicted positive <= high`` for every constraint j.

    Where the weights have too many digits for 64 bits, ``d`` is rounded. Then a list is surely fair when all sums are
    between ``low_inside`` and ``high_inside``, surely unfair when one is not between ``low`` and ``high``, and else
    `is_fair` tells.
    """

    d: np.ndarray  # int64, shape (n_constraints, n_patterns)
    low: np.ndarray  # int64, shape (n_constraints,)
    high: np.ndarray  # int64, shape (n_constraints,)
    low_inside: np.ndarray  # int64, shape (n_constraints,)
    high_inside: np.ndarray  # int64, shape (n_constraints,)
    parities: list[Parity]
    # positives, negatives (array of integers, shape (n_groups, n_patterns)): weights of the groups, in a common unit
    positives: np.ndarray
    negatives: np.ndarray
    of: list[tuple[str, int, int]]  # the rate of each constraint, and its two groups
    shifts: list[int]  # by how many binary digits the sums of each constraint are rounded

    def is_fair(self, predicted: np.ndarray) -> bool:
        """Whether predicting these patterns positive (bool, shape (n_patterns,)) meets the criterion, exactly."""
        return all(excess <= 0 for excess in self.excesses(predicted))

    def excesses(self, predicted: np.ndarray) -> Iterator[Fraction]:
        """By how much each difference of two groups' rates exceeds its tolerance; negative where it does not."""
        missed, alarms = _sums(self.positives[:, ~predicted]), _sums(self.negatives[:, predicted])
        for parity in self.parities:
            yield _dot(parity.on_positives, missed) + _dot(parity.on_negatives, alarms) - parity.bound


def constraints_of(problem: Problem, criterion: Criterion, min_group_size: int) -> Constraints:
    """The constraints of a criterion over the problem's groups, but for what every list meets; raises ValueError."""
    groups = groups_of(problem, criterion)
    masses = groups.masses.divided()
    found, between = parities_of(criterion, groups, masses, min_group_size)
    rows: list[Row] = []
    names: list[tuple[str, int, int]] = []
    for row, name in between:
        if not row.holds and row not in rows:
            rows.append(row)
            names.append(name)
    return assembled(rows, [(row.low, row.high) for row in rows], problem.n_patterns, found, masses, names)


def unbound(problem: Problem) -> Constraints:
    """No constraint at all: of lists that need not be fair."""
    d, ends = np.zeros((0, problem.n_patterns), dtype=np.int64), np.zeros(0, dtype=np.int64)
    return Constraints(d, ends, ends, ends, ends, [], d, d, [], [])


@dataclass(frozen=True)
class Row:
    """A linear constraint in exact numbers, ``low <= sum of d over the patterns that are predicted positive <= high``.

    ``per``: by how much each end moves outwards when the tolerance grows by 1.
    """

    d: tuple[int, ...]
    low: Fraction
    high: Fraction
    per: Fraction

    @property
    def span(self) -> tuple[int, int]:
        """The least and the largest sum of any patterns."""
        return sum(x for x in self.d if x < 0), sum(x for x in self.d if x > 0)

    @property
    def shift(self) -> int:
        """Binary digits by which sums are rounded to fit in 64 bits; 0 when they are not."""
        least, most = self.span
        return max(0, (most - least).bit_length() - _LARGEST_SUM.bit_length() + 1)

    @property
    def holds(self) -> bool:
        """Whether every list meets it."""
        least, most = self.span
        return self.low <= least and most <= self.high


def parities_of(
    criterion: Criterion, groups: Groups, masses: Masses, min_group_size: int
) -> tuple[list[Parity], list[tuple[Row, tuple[str, int, int]]]]:
    """What a criterion asks for: its parities, and a row for each of its rates and each pair of groups."""
    among = compared(criterion, groups, min_group_size)
    found = parities(criterion, groups.names, _sums(masses.positives), _sums(masses.negatives), among)
    pairs = [
        (rate.name, g, h) for rate, of in zip(criterion.rates(), among, strict=True) for g, h in permutations(of, 2)
    ]
    between = []
    for (one, name), (other, _) in combinations(list(zip(found, pairs, strict=True)), 2):
        opposite = [-x for x in (*other.on_positives, *other.on_negatives)]
        if [*one.on_positives, *one.on_negatives] == opposite:
            between.append((_row(one, other, masses.positives, masses.negatives), name))
    return found, between


def _row(upper: Parity, lower: Parity, positives: np.ndarray, negatives: np.ndarray) -> Row:
    """A parity and its opposite."""
    scale = math.lcm(*(x.denominator for x in (*upper.on_positives, *upper.on_negatives)))
    d = [0] * positives.shape[1]
    constant = 0
    for g, (p, n) in enumerate(zip(upper.on_positives, upper.on_negatives, strict=True)):
        on_positives, on_negatives = int(p * scale), int(n * scale)
        if on_positives or on_negatives:
            weights = zip(positives[g].tolist(), negatives[g].tolist(), strict=True)
            d = [x + on_negatives * w - on_positives * v for x, (v, w) in zip(d, weights, strict=True)]
            constant += on_positives * sum(positives[g].tolist())
    low, high = -(lower.bound * scale + constant), upper.bound * scale - constant
    common = math.gcd(*d) or 1
    return Row(tuple(x // common for x in d), low / common, high / common, Fraction(scale, common))


def assembled(
    rows: Sequence[Row],
    ends: Sequence[tuple[Fraction, Fraction]],
    n_patterns: int,
    found: list[Parity],
    masses: Masses,
    names: list[tuple[str, int, int]],
) -> Constraints:
    """The constraints of some rows, with these ends in place of their own, in 64 bits."""
    fitted = [in_64_bits(row, low, high) for row, (low, high) in zip(rows, ends, strict=True)]
    d = np.array([row[0] for row in fitted], dtype=np.int64).reshape(len(rows), n_patterns)
    low, high, inner_low, inner_high = (np.array([row[k] for row in fitted], dtype=np.int64) for k in range(1, 5))
    shifts = [row.shift for row in rows]
    return Constraints(d, low, high, inner_low, inner_high, found, masses.positives, masses.negatives, names, shifts)


def in_64_bits(row: Row, low: Fraction, high: Fraction) -> tuple[Sequence[int], int, int, int, int]:
    """A row with these ends: ``d``, ``low``, ``high`` and the two inside; rounded where there are too many digits."""
    least, most = row.span
    shift = row.shift
    if not shift:
        ends = max(math.ceil(low), least - 1), min(math.floor(high), most + 1)
        return row.d, *ends, *ends
    rounded = [round(Fraction(x, 1 << shift)) for x in row.d]
    slack = sum(1 for x, r in zip(row.d, rounded, strict=True) if x != r << shift) // 2 + 1
    low, high = low / (1 << shift), high / (1 << shift)
    edge = _LARGEST_SUM << 1
    inside = max(math.ceil(low) + slack, -edge), min(math.floor(high) - slack, edge)
    return rounded, max(math.floor(low) - slack, -edge), min(math.ceil(high) + slack, edge), *inside


def _sums(weights: np.ndarray) -> list[int]:
    return [sum(row) for row in weights.tolist()]


def _dot(coefficients: Sequence[Fraction], values: Sequence[int]) -> Fraction:
    return sum((c * v for c, v in zip(coefficients, values, strict=True) if c), Fraction(0))


@dataclass(frozen=True, eq=False)
class ValueConstraints(Constraints):
    """What holds for every model that is fair with c between two ends, and the exact criterion.

    The last rows are the positives, and the negatives, of each group that are predicted positive. They bound nothing.
    Where the weights have too many digits for 64 bits they are rounded, and only `is_fair` tells what is fair.

    ``groups``: those that are compared. ``n_counted``: groups whose rows are exact: all that are compared, or 0.
    """

    tolerance: Fraction
    groups: tuple[int, ...]
    n_counted: int

    def is_fair(self, predicted: np.ndarray) -> bool:
        values = []
        for g in self.groups:
            right, wrong = (sum(side[g, predicted].tolist()) for side in (self.positives, self.negatives))
            if right + wrong:
                values.append(Fraction(right, right + wrong))
        return not values or max(values) - min(values) <= self.tolerance


def value_constraints(
    problem: Problem, criterion: PredictiveParity, min_group_size: int, low: Fraction, high: Fraction
) -> ValueConstraints:
    """The constraints for a least predictive value between two ends; raises ValueError for fewer than two groups."""
    groups = groups_of(problem, criterion)
    (among,) = compared(criterion, groups, min_group_size)
    masses = groups.masses.divided()
    tolerance = Fraction(repr(float(criterion.tolerance)))
    rows, names = [], []
    for g in among:
        positives, negatives = (side[g].tolist() for side in (masses.positives, masses.negatives))
        for end, sign in ((low, 1), (high + tolerance, -1)):
            if 0 < end < 1:
                rows.append(_value_row(positives, negatives, end, sign))
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


def _value_row(positives: list[int], negatives: list[int], end: Fraction, sign: int) -> Row:
    """That the true positives are at least (for sign -1 at most) this part of those predicted positive."""
    part, whole = end.numerator, end.denominator
    d = [sign * ((whole - part) * p - part * q) for p, q in zip(positives, negatives, strict=True)]
    common = math.gcd(*d) or 1
    d = [x // common for x in d]
    return Row(tuple(d), Fraction(0), Fraction(sum(x for x in d if x > 0)), Fraction(0))
