"""Fair rule lists as a certificate's checker sees them: the constraints in whole numbers, and a relaxation.

For multipliers ``mu`` of constraints ``low <= v <= high`` every fair list costs at least its relaxed cost
``cost + sum of mu v - sum of max(mu low, mu high)``, which adds up over patterns like a cost. Relaxed costs are whole
numbers of ``2 ** -shift`` units of cost, rounded down. Where weights have many digits the relaxation is that of rounded
constraints, which every fair list meets, too; whether a list is fair is always told by the exact ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ....data.problem import Problem
from ...certificate import CertificateError
from ...rule_set.parity import Parity, Sides, parities, read_sides, read_tolerances
from ..states import Grid

_DIGITS = 40  # of a multiplier
_EXACT = 1 << 53
_LARGEST = 1 << 60
_ROW_DIGITS = 58  # of a constraint of the relaxation


class LinearRow(NamedTuple):
    """``low <= sum of d over the patterns that are predicted positive <= high``."""

    d: list[int]
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class FairSpace:
    """The problem and its relaxation."""

    inside: np.ndarray  # bool, shape (n_patterns, n_antecedents)
    wrong: np.ndarray  # int64, shape (2, n_patterns): cost of predicting each pattern negative, and positive
    net: np.ndarray
    """Array of integers, shape (n_patterns,): weight of each pattern's positive rows less that of its negative ones,
    not rounded: what tells the majority."""
    d: np.ndarray
    """Array of integers, shape (n_constraints, n_patterns): int64, or Python's integers where sums need them."""
    # low, high (array of integers, shape (n_constraints,)): of the sums of ``d`` over the patterns that are predicted
    # positive
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    """int64, shape (2, n_patterns): relaxed cost of the wrong label of each pattern, in the row of its cheaper label.
    """
    base: int  # relaxed cost of what is cheapest for each pattern
    per_rule: int
    relaxed_rule: int
    shift: int
    sides: Sides
    constraints: list[Parity]
    better: str = "costs less than the model"  # what a list would have to be that refutes the proof, in words

    def count(self, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Relaxed weight by label that antecedents capture of sets, (2, n, n_antecedents), and of the sets."""
        kind = np.float64 if int(self.weight.sum()) < _EXACT else np.int64
        chosen = masks[None].astype(kind) * self.weight[:, None].astype(kind)
        return (chosen @ self.inside.astype(kind)).astype(np.int64), chosen.sum(axis=2).astype(np.int64)

    def scaled(self, cost: int) -> int:
        """The largest relaxed cost of a list of this cost."""
        return cost << self.shift if self.shift >= 0 else cost >> -self.shift

    def is_fair(self, sums: np.ndarray) -> bool:
        return bool((self.low <= sums).all() and (sums <= self.high).all())


def fair_space(
    problem: Problem, costs: Grid, parameters: Mapping[str, float], multipliers: np.ndarray | None
) -> FairSpace:
    """The space of a certificate's parameters and multipliers, of whole weights; neither: without constraints."""
    tolerances = read_tolerances(parameters)
    smallest, shift = read_sizes(parameters)
    sides = read_sides(problem, "dnf", bool(tolerances))
    constraints = parities(sides, "dnf", tolerances, smallest)
    multipliers = np.zeros(0) if multipliers is None else multipliers
    wrong = costs.per_error * np.stack([costs.positives, costs.negatives])
    rows = rows_of(sides, constraints)
    if costs.per_error >= _LARGEST:
        raise CertificateError("the weights are too large for exact sums with this regularization")
    return space_of(problem, wrong, costs.per_rule, rows, multipliers, shift, sides, constraints)


def read_sizes(parameters: Mapping[str, float]) -> tuple[int, int]:
    """The least group and the shift of a certificate; raises CertificateError."""
    smallest, shift = (parameters.get(name, 0) for name in ("min_group_size", "shift"))
    if smallest != int(smallest) or smallest < 0 or shift != int(shift) or not -64 <= shift <= 64:
        raise CertificateError("the least group and the shift of the certificate must be whole numbers")
    return int(smallest), int(shift)


def rows_of(sides: Sides, constraints: Sequence[Parity], strictly: bool = False) -> list[LinearRow]:
    """The constraints in whole numbers, for each pair of groups; ``strictly``: less than the tolerance."""
    pairs = [(parity, g, h) for parity in constraints for g, h in combinations(parity.compared, 2)]
    return [_whole(parity, sides, g, h, strictly) for parity, g, h in pairs]


def space_of(
    problem: Problem,
    wrong: np.ndarray,
    rule: int,
    rows: Sequence[LinearRow],
    multipliers: np.ndarray,
    shift: int,
    sides: Sides,
    constraints: list[Parity],
) -> FairSpace:
    """The space of these costs (of predicting each pattern negative and positive, and of a rule) and these rows.

    Raises CertificateError when the multipliers are not one finite number for each row, or sums are too large.
    """
    if multipliers.dtype != np.float64 or multipliers.shape != (len(rows),) or not np.isfinite(multipliers).all():
        raise CertificateError("the certificate must hold a finite multiplier for each rate and pair of groups")
    digits = _DIGITS + max(0, -shift)
    scale = digits + shift
    sums = [[x << scale for x in side] for side in wrong.tolist()]
    constant = 0
    for row, multiplier in zip(rows, multipliers.tolist(), strict=True):
        (d, low, high), rounded = in_digits(row)
        numerator, denominator = multiplier.as_integer_ratio()
        whole = (numerator << (scale + rounded)) // denominator
        sums[1] = [x + whole * y for x, y in zip(sums[1], d, strict=True)]
        constant += max(whole * low, whole * high)
    negative, positive = ([x >> digits for x in side] for side in sums)
    least = [min(pair) for pair in zip(negative, positive, strict=True)]
    weight = [[p - x for p, x in zip(side, least, strict=True)] for side in (positive, negative)]
    if sum(map(sum, weight)) >= _LARGEST:
        raise CertificateError("the multipliers are too large for exact sums")
    base, relaxed_rule = sum(least) + (-constant >> digits), rule << shift if shift >= 0 else rule >> -shift
    if max(abs(base), relaxed_rule << 4) >= _LARGEST:
        raise CertificateError("the shift, or the price of a rule, is too large for exact sums")
    kind = np.int64 if all(sum(map(abs, d)) < _LARGEST for d, _, _ in rows) else object
    return FairSpace(
        inside=problem.matrix(),
        wrong=wrong,
        net=problem.positives - problem.negatives,
        d=np.array([d for d, _, _ in rows], dtype=kind).reshape(len(rows), problem.n_patterns),
        low=np.array([low for _, low, _ in rows], dtype=kind),
        high=np.array([high for _, _, high in rows], dtype=kind),
        weight=np.array(weight, dtype=np.int64),
        base=base,
        per_rule=rule,
        relaxed_rule=relaxed_rule,
        shift=shift,
        sides=sides,
        constraints=constraints,
    )


def in_digits(row: LinearRow) -> tuple[LinearRow, int]:
    """A row that every list meets that meets this one, of few digits, and by how many binary digits it is rounded."""
    rounded = max(0, sum(map(abs, row.d)).bit_length() - _ROW_DIGITS)
    if not rounded:
        return row, 0
    unit = 1 << rounded
    d = [round(Fraction(x, unit)) for x in row.d]
    slack = sum(x != y * unit for x, y in zip(row.d, d, strict=True)) // 2 + 1  # half a unit for each that is rounded
    return LinearRow(d, row.low // unit - slack, -(-row.high // unit) + slack), rounded


def _whole(parity: Parity, sides: Sides, g: int, h: int, strictly: bool) -> LinearRow:
    """A row that says that the rates of two groups differ by no more than the tolerance, or by less."""
    coefficients = [parity.left_out[g], parity.covered[g], parity.left_out[h], parity.covered[h]]
    scale = math.lcm(*(x.denominator for x in coefficients))
    missed_g, alarm_g, missed_h, alarm_h = (int(x * scale) for x in coefficients)
    patterns = zip(*(side[k].tolist() for k in (g, h) for side in (sides.wanted, sides.unwanted)), strict=True)
    d, constant = [], (parity.offset[g] - parity.offset[h]) * scale
    for wanted_g, unwanted_g, wanted_h, unwanted_h in patterns:
        d.append(alarm_g * unwanted_g - missed_g * wanted_g - alarm_h * unwanted_h + missed_h * wanted_h)
        constant += missed_g * wanted_g - missed_h * wanted_h
    room = parity.tolerance * scale
    low, high = Fraction(-room - constant), Fraction(room - constant)
    if strictly:
        low, high = Fraction(math.floor(low) + 1), Fraction(math.ceil(high) - 1)
    return linear_row(d, low, high)


def linear_row(d: list[int], low: Fraction | None, high: Fraction) -> LinearRow:
    """``low <= sum of d <= high`` in lowest terms; no lower end where ``low`` is None."""
    common = math.gcd(*d) or 1
    d = [x // common for x in d]
    least, most = sum(x for x in d if x < 0), sum(x for x in d if x > 0)
    lowest = least - 1 if low is None else max(math.ceil(low / common), least - 1)
    return LinearRow(d, lowest, min(math.floor(high / common), most + 1))
