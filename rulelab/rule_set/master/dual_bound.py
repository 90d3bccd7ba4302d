"""Lower bounds from any dual values, in integers: what a solver's floating point says is rounded, never trusted.

Take any price ``gamma_r >= 0`` for each constraint. Leaving a unit of an entity's mass uncovered then costs
``L = leave + sum gamma_r leave_r`` of its kind, each rule that covers it ``V = cover + sum gamma_r cover_r``. With
``xi >= 1 - cov`` and, as at most M rules fit, ``xi <= 1 - cov / M``, a rule set costs at least

    constant + sum t - sum gamma_r bound_r - sum over its rules of (a(S) - penalty * complexity),

where an entity with L >= 0 gives any t in [0, mass * L] and adds t - mass V to the weight a of its pattern, and one
with L < 0 gives t = mass L and adds -mass (|L| / M + V). The most that rules within the complexity bound can take off
is a knapsack of the largest sums of a per number of conditions, which exact pricing finds (Dash, Günlük and Wei,
NeurIPS 2018, Prop. 7, made sharper).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from ..program import Cost, Program, by_place

_LARGEST = 1 << 55
_LARGEST_EXACT = 1 << 47  # that certificates can be checked with, where the masses are small integers
_LARGEST_CHARGE = (1 << 57) - 1
_FINEST = 1 << 26
_DIGITS = 60  # of a price, where masses are Python integers


@dataclass(frozen=True, eq=False)
class DualPoint:
    """Dual values on an integer grid."""

    grid: int | Fraction  # grid units per unit of cost
    taken: np.ndarray  # int64, shape (n_watched,): ``t`` of the watched entities
    total: int
    """The cost of the rule set without rules, as the dual values see it: constant + sum of t - sum gamma_r bound_r."""
    weight: np.ndarray
    """int64, shape (n_patterns,): ``a``, what a rule gains by covering a pattern; at least that where it is rounded."""
    penalty: int  # of one unit of complexity; at most that where it is rounded
    gamma: np.ndarray  # float, shape (n_constraints,): prices of the constraints, as given

    def charge(self, price: int, max_conditions: int) -> np.ndarray:
        """What rules of 0, 1, ... conditions pay for their complexity at a price, int64; at most what can be summed."""
        each = min(price + self.penalty, _LARGEST_CHARGE // (max_conditions + 1))
        return each * (1 + np.arange(max_conditions + 1, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class KindPrices:
    """What leaving and covering a unit of mass costs at given prices of the constraints, rounded down to a grid."""

    grid: int | Fraction
    """Units per unit of cost: fine enough for the solver's precision, coarse enough for sums in 64 bits."""
    shift: int  # amounts are products of masses and prices, less so many binary digits
    leave: np.ndarray  # array of integers, shape (n_kinds,)
    cover: np.ndarray  # array of integers, shape (n_kinds,)
    bounds: int  # minus the constraints' bounds at their prices
    penalty: int  # of one unit of complexity

    def amounts(self, mass: np.ndarray, price: np.ndarray) -> np.ndarray:
        """Masses times prices, rounded down: int64."""
        return mass * price if not self.shift else ((mass * price) >> self.shift).astype(np.int64)

    def shares(self, share: np.ndarray, kind: np.ndarray) -> np.ndarray:
        """Dual values per unit of mass, rounded to the grid and into their box."""
        box = self.leave[kind]
        if not self.shift:
            return np.clip(np.rint(share * float(self.grid)).astype(np.int64), 0, np.maximum(box, 0))
        per_unit = float(self.grid * (1 << self.shift))
        rounded = np.array([int(x) for x in np.maximum(share * per_unit, 0.0).tolist()], dtype=object)
        return np.minimum(rounded, np.maximum(box, 0))


def kind_prices(program: Program, gamma: np.ndarray) -> KindPrices:
    """Prices per kind for any prices of the constraints, in scaled cost; negative ones count as 0."""
    prices = [Fraction(max(0.0, float(g))) / program.scale for g in gamma]
    leave, cover = [Fraction(int(x)) for x in program.leave], [Fraction(int(x)) for x in program.cover]
    for price, constraint in zip(prices, program.constraints, strict=True):
        leave = [x + price * y for x, y in zip(leave, constraint.leave, strict=True)]
        cover = [x + price * y for x, y in zip(cover, constraint.cover, strict=True)]
    kind_mass = program.kind_mass.tolist()
    largest = sum(((abs(x) + abs(y)) * w for x, y, w in zip(leave, cover, kind_mass, strict=True)), Fraction(1))
    finest = (_LARGEST_EXACT if program.exact else _LARGEST) / (largest + program.penalty)
    grid: int | Fraction = min(_FINEST, floor(finest))
    shift = 0
    if not program.exact or not grid:
        grid = Fraction(2) ** (floor(finest).bit_length() - 1 if finest >= 1 else -floor(1 / finest).bit_length())
        most = max([abs(x) for x in (*leave, *cover)])
        shift = max(1, _DIGITS - floor(most * grid).bit_length())
    fine, dtype = grid * (1 << shift), object if shift else np.int64
    return KindPrices(
        grid=grid,
        shift=shift,
        leave=np.array([floor(x * fine) for x in leave], dtype=dtype),
        cover=np.array([floor(x * fine) for x in cover], dtype=dtype),
        bounds=sum(
            floor(-price * constraint.bound * grid)
            for price, constraint in zip(prices, program.constraints, strict=True)
        ),
        penalty=floor(program.penalty * grid),
    )


def dual_point(program: Program, share: np.ndarray, gamma: np.ndarray) -> DualPoint:
    """Round dual values per unit of mass of the watched entities to the grid, inside their box.

    ``gamma``: prices of the constraints, in scaled cost; negative ones count as 0.
    """
    prices = kind_prices(program, gamma)
    watched = program.watched
    kind, whole = program.kind[watched], program.whole[watched]
    box = prices.leave[kind]
    pays = np.asarray(box >= 0, dtype=bool)
    taken = prices.amounts(whole, np.where(pays, prices.shares(share, kind), box))
    per_entity = -prices.amounts(program.whole, prices.cover[program.kind])
    forced = (-box) // max(1, program.most_rules)
    per_entity[watched] += np.where(pays, taken, -prices.amounts(whole, forced))
    return DualPoint(
        grid=prices.grid,
        taken=taken,
        total=floor(program.constant * prices.grid) + prices.bounds + int(taken.sum()),
        weight=by_place(per_entity, program.pattern, program.n_patterns),
        penalty=prices.penalty,
        gamma=gamma,
    )


def price_on_grid(program: Program, price: float, grid: int | Fraction) -> int:
    """A price of a unit of complexity in scaled cost, in grid units."""
    return max(0, floor(Fraction(price) / program.scale * grid))


def knapsack(best: np.ndarray, penalty: int, max_complexity: int) -> int:
    """The most that rules can take off: ``max sum n_s (best_s - penalty (1 + s))`` with ``sum n_s (1 + s)`` bounded.

    ``best`` (int array, shape (D + 1,)): ``best[s]`` is at least the sum of weights of every rule of s conditions. Of
    any k rules some, but not none, have a total size that k divides. Those can become rules of size k, so that where
    that is the size of the largest gain per unit, an optimum has at most k - 1 others: beyond the room for them, the
    rest is filled with rules of size k.
    """
    gains: list[tuple[int, int]] = []
    for s in range(1, min(len(best), max_complexity)):
        gain = int(best[s]) - penalty * (s + 1)
        if gain > max([0, *(gain for _, gain in gains[-1:])]):  # larger for more only
            gains.append((s + 1, gain))
    if not gains:
        return 0
    densest, per_rule = max(gains, key=lambda entry: Fraction(entry[1], entry[0]))
    filled = max(0, (max_complexity - densest * gains[-1][0]) // densest)
    room = max_complexity - filled * densest
    most = [0] * (room + 1)
    for used in range(2, room + 1):
        most[used] = max([most[used - 1], *(most[used - size] + gain for size, gain in gains if size <= used)])
    return most[room] + filled * per_rule


def bound(program: Program, point: DualPoint, best: np.ndarray) -> Cost:
    """The least cost that a rule set can have, from the largest sums of weights per number of conditions."""
    left = point.total - knapsack(best, point.penalty, program.max_complexity)
    return program.round_up(Fraction(left) / point.grid)


def price_of(point: DualPoint, best: np.ndarray) -> int:
    """The least price of a unit of complexity at which no rule gains: with it the dual values are feasible."""
    ratios = [-(-int(best[s]) // (1 + s)) - point.penalty for s in range(1, len(best))]
    return max([0, *ratios])
