"""Rates of groups that must be alike, searched part by part: each part holds a range of the values of each rate.

A rate is a linear function of what is left uncovered and of what is covered, in whole weights: its values are multiples
of a step. Where rates may differ by little, a group of few rows decides much: a false negative rate of a group with one
positive is 0 or 1, and all others are near it. If rates have to be equal, their denominator in lowest terms divides the
size of every group. Linear programs do not see this, and their bound stays far below the optimum. A part fixes the rate
of the group with the fewest values, and what the limits leave to the others is rounded to multiples of their steps. No
rule set that meets the constraints is lost: its rate has one of the values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ..sharing import Shared
from .master.dual_bound import DualPoint
from .program import Constraint, Cost, Program

MOST_PARTS = 24  # of the values of rates, each searched by itself
_MOST_VALUES = 5000  # of a rate, looked at one by one
_PIECES = 4  # of a range of more values than there may be parts
_ROUNDS = 50  # of tightening, which may go step by step where sizes have no common divisor

Vector = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]  # coefficients of ``leave`` and ``cover``, per kind
Range = tuple[int, int]  # the least and the largest value, in steps of the rate


@dataclass(frozen=True, eq=False)
class Rates(Shared):
    """The rates that a program's constraints compare."""

    program: Program
    vectors: tuple[Vector, ...]
    unit: int  # steps and limits are in parts of 1, so many
    steps: tuple[int, ...]  # values of each rate are multiples of its step
    limits: Mapping[tuple[int, int], int]  # ``rate g - rate h <= limit``
    whole: tuple[Range, ...]  # what the masses, and the constraints on a single rate, allow
    others: tuple[Constraint, ...]  # constraints that compare no rates and limit none

    @property
    def are_equal(self) -> bool:
        """Whether all rates that are compared have to be equal."""
        return all(limit == 0 == self.limits.get((h, g)) for (g, h), limit in self.limits.items())

    def tightened(self, ranges: Sequence[Range]) -> tuple[Range, ...] | None:
        """What the limits leave of the ranges; None when nothing does for some rate."""
        low, high = [r[0] for r in ranges], [r[1] for r in ranges]
        steps, changed = self.steps, True
        for _ in range(_ROUNDS):
            if any(a > b for a, b in zip(low, high, strict=True)):
                return None
            if not changed:
                break
            changed = False
            for (g, h), limit in self.limits.items():
                most = (high[h] * steps[h] + limit) // steps[g]
                least = -((limit - low[g] * steps[g]) // steps[h])
                if most < high[g]:
                    high[g], changed = most, True
                if least > low[h]:
                    low[h], changed = least, True
        return tuple(zip(low, high, strict=True))

    def is_implied(self, pair: tuple[int, int], ranges: Sequence[Range]) -> bool:
        """Whether the ranges alone keep a limit."""
        g, h = pair
        return ranges[g][1] * self.steps[g] - ranges[h][0] * self.steps[h] <= self.limits[pair]

    def values(self, k: int, ranges: Sequence[Range]) -> list[int]:
        """The values of a rate in its range that leave some to every other one that it is compared with."""
        low, high = ranges[k]
        out = []
        for value in range(low, high + 1):
            at, fits = value * self.steps[k], True
            for h in self._compared[k]:
                step = self.steps[h]
                most, least = self.limits.get((h, k)), self.limits.get((k, h))
                last = ranges[h][1] if most is None else min(ranges[h][1], (at + most) // step)
                first = ranges[h][0] if least is None else max(ranges[h][0], -((least - at) // step))
                fits = fits and first <= last
            if fits:
                out.append(value)
        return out

    @cached_property
    def _compared(self) -> dict[int, list[int]]:
        out: dict[int, set[int]] = {}
        for g, h in self.limits:
            out.setdefault(g, set()).add(h)
            out.setdefault(h, set()).add(g)
        return {k: sorted(found) for k, found in out.items()}

    def least_cost(self, ranges: Sequence[Range]) -> Cost:
        """What rule sets with these rates cost at least, from the kinds whose errors a rate alone determines."""
        program = self.program
        by_kind: dict[tuple[int, int], Fraction] = {}
        for vector, step, (low, high) in zip(self.vectors, self.steps, ranges, strict=True):
            places = [(side, k) for side in (0, 1) for k, x in enumerate(vector[side]) if x]
            if len(places) != 1:
                continue
            side, k = places[0]
            each = int((program.cover if side else program.leave)[k])
            value = Fraction((low if each > 0 else high) * step, self.unit)
            known = 0 if side else min(each, 0) * int(program.kind_mass[k])  # in the program's own least cost
            cost = each * value / vector[side][k] - known
            by_kind[side, k] = max(by_kind.get((side, k), Fraction(0)), cost)
        return program.round_up(Fraction(program.least) + sum(by_kind.values(), Fraction(0)))


class Shown(NamedTuple):
    """A program, and dual values of it with the price of complexity that makes them feasible."""

    program: Program
    point: DualPoint
    price: int


@dataclass(frozen=True, eq=False)
class Part(Shared):
    """The rule sets whose rates are within some ranges."""

    rates: Rates
    ranges: tuple[Range, ...]
    least: Cost  # no rule set of this part costs less
    whole: bool = False  # whether it holds all rule sets that meet the constraints
    shown: Shown | None = None  # dual values of a part that holds this one

    @cached_property
    def program(self) -> Program:
        """The program with the ranges as constraints, instead of the limits that they imply."""
        rates, program = self.rates, self.rates.program
        if self.whole:
            return program
        rows = list(rates.others)
        for vector, step, (low, high) in zip(rates.vectors, rates.steps, self.ranges, strict=True):
            least, most = Fraction(low * step, rates.unit), Fraction(high * step, rates.unit)
            rows += [Constraint(*vector, most), Constraint(*_negated(vector), -least)]
        for pair, limit in rates.limits.items():
            if not rates.is_implied(pair, self.ranges):
                g, h = (rates.vectors[k] for k in pair)
                rows.append(Constraint(*_difference(g, h), Fraction(limit, rates.unit)))
        return replace(program, constraints=tuple(rows))

    def at_least(self, cost: Cost, shown: Shown | None) -> Part:
        """The same part where no set is known to cost less than ``cost``, which ``shown`` shows."""
        return replace(self, least=max(cost, self.least), shown=shown)


def parts(program: Program, upper: Cost, cuts: bool = True) -> tuple[Part, ...]:
    """Parts one of which holds every feasible rule set that costs less than ``upper``, the cheapest first.

    Where there is nothing to divide, the only part is the whole. ``cuts``: whether a range of too many values for a
    part each is cut into pieces; else there is nothing to divide then.
    """
    rates = rates_of(program)
    ranges = rates.tightened(rates.whole)
    if ranges is None:
        return ()
    found = _divided(Part(rates, ranges, rates.least_cost(ranges), whole=True), upper, cuts)
    while rates.are_equal and len(found) > 1:
        following = [part for each in found for part in _divided(each, upper, cuts)]
        if len(following) <= len(found) or len(following) > MOST_PARTS:
            break
        found = following
    return tuple(sorted(found, key=lambda part: part.least))


def _divided(part: Part, upper: Cost, cuts: bool) -> list[Part]:
    """The parts of a part that may hold a set that costs less than ``upper``; itself where no rate is left to fix."""
    rates, ranges = part.rates, part.ranges
    apart = {k for pair in rates.limits if not rates.is_implied(pair, ranges) for k in pair}
    open_ = [k for k in sorted(apart) if ranges[k][0] < ranges[k][1]]
    if not open_:
        return [part]
    k = min(open_, key=lambda k: ranges[k][1] - ranges[k][0])
    low, high = ranges[k]
    ends = [low + (high + 1 - low) * i // _PIECES for i in range(_PIECES + 1)]
    pieces = [(first, after - 1) for first, after in pairwise(ends) if first < after]
    values = rates.values(k, ranges) if high - low < _MOST_VALUES else None
    if values is not None and len(values) <= MOST_PARTS:
        pieces = [(value, value) for value in values]
    elif not cuts:
        return [part]
    out = []
    for piece in pieces:
        tighter = rates.tightened([*ranges[:k], piece, *ranges[k + 1 :]])
        if tighter is not None:
            least = max(part.least, rates.least_cost(tighter))
            if least < upper:
                out.append(Part(rates, tighter, least))
    return out


def rates_of(program: Program) -> Rates:
    """Read the rates of groups, which have two kinds each, from the constraints; what only demands count is no rate."""
    costs = (program.leave != 0) | (program.cover != 0)
    number: dict[Vector, int] = {}
    limits: dict[tuple[int, int], Fraction] = {}
    least: dict[int, Fraction] = {}
    most: dict[int, Fraction] = {}
    others: list[Constraint] = []
    for constraint in program.constraints:
        found = _by_group(constraint)
        used = [k for side in (constraint.leave, constraint.cover) for k, x in enumerate(side) if x]
        if not costs[used].all():
            others.append(constraint)
        elif len(found) == 1:
            ((vector, sign),) = found
            k = number.setdefault(vector, len(number))
            if sign > 0:
                most[k] = min(constraint.bound, most.get(k, constraint.bound))
            else:
                least[k] = max(-constraint.bound, least.get(k, -constraint.bound))
        elif len(found) == 2 and found[0][1] != found[1][1]:
            g, h = (number.setdefault(vector, len(number)) for vector, _ in sorted(found, key=lambda each: -each[1]))
            limits[g, h] = min(constraint.bound, limits.get((g, h), constraint.bound))
        else:
            others.append(constraint)
    vectors = tuple(number)
    steps = [_step(program, vector) for vector in vectors]
    unit = math.lcm(*(x.denominator for x in (*steps, *limits.values())))
    ranges = []
    for k, (vector, step) in enumerate(zip(vectors, steps, strict=True)):
        low, high = _extremes(program, vector)
        low, high = max(low, least.get(k, low)), min(high, most.get(k, high))
        ranges.append((math.ceil(low / step), math.floor(high / step)))
    return Rates(
        program,
        vectors,
        unit,
        tuple(int(step * unit) for step in steps),
        {pair: int(limit * unit) for pair, limit in limits.items()},
        tuple(ranges),
        tuple(others),
    )


def _by_group(constraint: Constraint) -> list[tuple[Vector, int]]:
    """A constraint's parts of each group, each with the sign that makes its first coefficient positive."""
    out = []
    n = len(constraint.leave)
    for first in range(0, n, 2):
        inside = range(first, min(first + 2, n))
        values = [side[k] for side in (constraint.leave, constraint.cover) for k in inside]
        leading = next((x for x in values if x), None)
        if leading is not None:
            leave, cover = (
                tuple(x if k in inside else Fraction(0) for k, x in enumerate(side))
                for side in (constraint.leave, constraint.cover)
            )
            vector = leave, cover
            out.append((vector, 1) if leading > 0 else (_negated(vector), -1))
    return out


def _step(program: Program, vector: Vector) -> Fraction:
    """The greatest number that all values of a rate are multiples of."""
    used = [(k, abs(x)) for side in vector for k, x in enumerate(side) if x]
    each = [x * math.gcd(*program.whole[program.kind == k].tolist()) for k, x in used]
    common = math.lcm(*(x.denominator for x in each))
    return Fraction(math.gcd(*(int(x * common) for x in each)) or 1, common)


def _extremes(program: Program, vector: Vector) -> tuple[Fraction, Fraction]:
    """The least and the largest value that the masses allow, kind by kind."""
    mass, sides = program.kind_mass.tolist(), zip(vector, (1, program.most_rules), strict=True)
    terms = [x * w * most for side, most in sides for x, w in zip(side, mass, strict=True)]
    return sum((min(x, 0) for x in terms), Fraction(0)), sum((max(x, 0) for x in terms), Fraction(0))


def _negated(vector: Vector) -> Vector:
    leave, cover = vector
    return tuple(-x for x in leave), tuple(-x for x in cover)


def _difference(g: Vector, h: Vector) -> Vector:
    leave, cover = (tuple(x - y for x, y in zip(a, b, strict=True)) for a, b in zip(g, h, strict=True))
    return leave, cover
