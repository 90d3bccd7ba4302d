"""Dual values of a rule set's integer program on an integer grid, and the costs that they leave to rules and patterns.

A cost is Q * loss + P * complexity, with the regularization P / Q. Constraints ``rate of g - rate of h <= tolerance``
with multipliers gamma >= 0 add gamma times their left sides and take off gamma times their right ones: a unit of wanted
weight of group g that is left out costs L(g) then, a unit of its unwanted weight V(g) for each rule that covers it.
Rounded down to a grid of G units per cost they still bound the cost of every set that meets the constraints. With
``times`` = the number of rules that cover a pattern, at most M,

    L >= 0:  mass L [times = 0]  =   t - t times + t max(times - 1, 0) + (mass L - t) [times = 0]
    L < 0:   mass L [times = 0]  =   mass L + mass f times + mass (|L| [times > 0] - f times),     f = floor(|L| / M)

for any 0 <= t <= mass L. The first terms make the bound, the terms in ``times`` the weight that rules gain, and the
rest, never negative, what sets of rules cost above them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...kernels import bits
from ..certificate import CertificateError
from .columns import EXACT
from .parity import Parity, Sides


class RangePrice(NamedTuple):
    """A multiplier of ``rate of the group <= bound``, for the sign 1, or ``>= bound``, for the sign -1."""

    parity: Parity
    group: int
    sign: int
    bound: Fraction
    price: Fraction


@dataclass(frozen=True, eq=False)
class DualValues:
    """What dual values make of a problem; all int64 arrays have the shape (n_patterns,)."""

    total: int  # bound on the cost of every set that meets the constraints, before what its rules gain
    price: int  # of a unit of complexity
    weight: np.ndarray  # int64: what a rule gains by covering a pattern
    # taken, missed (int64): the values t, and what is left of their limits
    taken: np.ndarray
    missed: np.ndarray
    # hidden, forced (int64): of the groups with L < 0 the sums of mass |L| and of mass f
    hidden: np.ndarray
    forced: np.ndarray


def in_order(problem: Problem, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with their dual values, of the last axis, in the order of the patterns of `Problem.in_order`."""
    order = bits.order(problem.words)
    return {name: each[..., order] if name in ("dual", "part_dual") else each for name, each in arrays.items()}


def read_dual(
    sides: Sides,
    constraints: Sequence[Parity],
    arrays: Mapping[str, np.ndarray],
    grid: int,
    per_loss: int,
    max_complexity: int,
    ranges: Sequence[RangePrice] = (),
) -> DualValues:
    """Dual values of a certificate, as `rulelab.certificate.rule_set.proof.prove_rule_set` says, checked.

    ``grid``, ``per_loss``: G and Q. ``ranges``: of a part of the sets, in which rates are within ranges. Raises
    CertificateError when values are out of range or too large for exact sums.
    """
    expected = {"dual", "price", "multipliers"} if constraints else {"dual", "price"}
    if set(arrays) != expected:
        raise CertificateError(f"the certificate must hold {sorted(expected)}, not {sorted(arrays)}")
    dual, price = arrays["dual"], arrays["price"]
    shape = sides.wanted.shape if constraints else sides.wanted.shape[1:]
    n_groups = len(sides.wanted)
    if dual.dtype != np.int64 or dual.shape != shape or price.dtype != np.int64 or price.shape != (1,):
        raise CertificateError(
            "'dual' must be one integer for each pattern, and each group where groups are compared; 'price' one integer"
        )
    dual = dual.reshape(-1, shape[-1])
    dual = np.vstack(
        [dual, np.zeros((n_groups - len(dual), shape[-1]), dtype=np.int64)]
    )  # others are worth less than 0
    leave, cover, offset = _costs(sides, constraints, arrays, per_loss, ranges)
    leave_on, cover_on = ([math.floor(grid * x) for x in values] for values in (leave, cover))
    masses = zip(
        leave_on, cover_on, sides.wanted.sum(axis=1).tolist(), sides.unwanted.sum(axis=1).tolist(), strict=True
    )
    if sum(abs(x) * w + abs(y) * u for x, y, w, u in masses) >= EXACT or abs(offset * grid) >= EXACT:
        raise CertificateError("the grid is too fine, or the multipliers are too large, for exact sums")
    if not 0 <= price[0] < EXACT // max_complexity:
        raise CertificateError("the price of a unit of complexity is negative or too large")
    limit = sides.wanted * np.array(leave_on, dtype=np.int64)[:, None]
    hidden = np.maximum(-limit, 0)
    limit = np.maximum(limit, 0)
    if (dual < 0).any() or (dual > limit).any():
        raise CertificateError("a dual value is negative, or more than its pattern's weight")
    shares = np.array([max(0, -x) // max(1, max_complexity // 2) for x in leave_on], dtype=np.int64)
    forced = sides.wanted * shares[:, None]
    gained = dual - forced - sides.unwanted * np.array(cover_on, dtype=np.int64)[:, None]
    return DualValues(
        total=math.floor(offset * grid) + int(dual.sum()) - int(hidden.sum()),
        price=int(price[0]),
        weight=gained.sum(axis=0),
        taken=dual.sum(axis=0),
        missed=(limit - dual).sum(axis=0),
        hidden=hidden.sum(axis=0),
        forced=forced.sum(axis=0),
    )


def _costs(
    sides: Sides,
    constraints: Sequence[Parity],
    arrays: Mapping[str, np.ndarray],
    per_loss: int,
    ranges: Sequence[RangePrice],
) -> tuple[list[Fraction], list[Fraction], Fraction]:
    """L and V of each group, and what the constraints' right sides take off the cost."""
    n_groups = len(sides.wanted)
    leave = [Fraction(per_loss * each) for each in sides.worth or (1,) * n_groups]
    cover, offset = [Fraction(per_loss)] * n_groups, Fraction(per_loss * sides.constant)
    if not constraints:
        return leave, cover, offset
    multipliers, n_groups = arrays["multipliers"], len(constraints[0].left_out)
    if multipliers.dtype != np.float64 or multipliers.shape != (len(constraints), n_groups, n_groups):
        raise CertificateError("'multipliers' must be one number for each rate and each two groups")
    if not np.isfinite(multipliers).all() or (multipliers < 0).any():
        raise CertificateError("a multiplier of a constraint is negative or not finite")
    if np.signbit(multipliers).any() or multipliers[:, np.arange(n_groups), np.arange(n_groups)].any():
        raise CertificateError("a multiplier is a negative zero, or of a group and itself")
    for parity, prices in zip(constraints, multipliers, strict=True):
        left_out, values = np.delete(np.arange(n_groups), parity.compared), prices.tolist()
        exact = [[Fraction(x) for x in row] for row in values]
        if prices[left_out].any() or prices[:, left_out].any():
            raise CertificateError("a multiplier is of a group that is left out of the constraint")
        offset -= parity.tolerance * sum(map(sum, exact), Fraction(0))
        for g in range(n_groups):
            net = sum(exact[g], Fraction(0)) - sum((row[g] for row in exact), Fraction(0))
            leave[g] += net * parity.left_out[g]
            cover[g] += net * parity.covered[g]
            if parity.uncovered:
                leave[n_groups + g] += net * parity.uncovered[g]
            offset += net * parity.offset[g]
    for parity, g, sign, bound, price in ranges:
        leave[g] += sign * price * parity.left_out[g]
        cover[g] += sign * price * parity.covered[g]
        if parity.uncovered:
            leave[n_groups + g] += sign * price * parity.uncovered[g]
        offset += sign * price * (parity.offset[g] - bound)
    return leave, cover, offset
