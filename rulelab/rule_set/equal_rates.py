"""Tolerance 0: rates that must be equal can take few values, and each value is a program of its own.

A rate of group g is a whole number of errors over the size S_g. If it is the same in all groups, its denominator in
lowest terms divides every S_g, so it is a multiple of 1 / gcd(S_1, S_2, ..). With sizes that have no common divisor a
false negative rate is 0 or 1: linear programs do not see this, and the bound of a program with the constraint that two
rates are equal stays far below its optimum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from .program import Constraint, Cost, Program

_MOST_PARTS = 24
_MOST_VALUES = 5000  # of a rate, looked at one by one

Vector = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
"""Coefficients of ``leave`` and ``cover``, per kind."""


@dataclass(frozen=True, eq=False)
class Part:
    """One choice of the values of the equal rates.

    Attributes
    ----------
    program : Program
        With the rates fixed at these values.
    least : int or Fraction
        No rule set of this part costs less.
    """

    program: Program
    least: Cost


def parts(program: Program, upper: Cost) -> tuple[Part, ...]:
    """Programs one of which holds every feasible rule set that costs less than ``upper``; the program itself if many.

    Parameters
    ----------
    program : Program
    upper : int or Fraction
        Cost of a known rule set.
    """
    known = {(c.leave, c.cover) for c in program.constraints if c.bound == 0}
    rates: dict[tuple[int, ...], dict[int, Vector]] = {}
    for leave, cover in known:
        if _negated((leave, cover)) in known:
            _enter(leave, cover, rates)
    chosen: list[list[tuple[tuple[int, ...], Fraction]]] = []
    for name, groups in sorted(rates.items()):
        possible = _values(program, groups)
        if len(possible) > _MOST_VALUES:
            continue
        values = [t for t in possible if _least(program, [(groups, t)]) < upper]
        if math.prod(map(len, chosen)) * len(values) <= _MOST_PARTS:
            chosen.append([(name, t) for t in values])
    if not chosen:
        return (Part(program, program.least),)
    out = []
    for choice in product(*chosen):
        fixed = [(rates[name], t) for name, t in choice]
        least = _least(program, fixed)
        if least < upper:
            out.append(Part(_fixed(program, fixed), least))
    return tuple(sorted(out, key=lambda part: part.least))


def _negated(vector: Vector) -> Vector:
    leave, cover = vector
    return tuple(-x for x in leave), tuple(-x for x in cover)


def _less(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _enter(leave: tuple[Fraction, ...], cover: tuple[Fraction, ...], rates: dict[tuple[int, ...], dict[int, Vector]]):
    """Split a difference of two groups' rates into the rates; a rate is named by where its coefficients are."""
    found: list[tuple[tuple[int, ...], int, Vector]] = []
    for g in range(len(leave) // 2):
        inside = [k // 2 == g for k in range(len(leave))]
        vector = (
            tuple(x * i for x, i in zip(leave, inside, strict=True)),
            tuple(x * i for x, i in zip(cover, inside, strict=True)),
        )
        values = [*vector[0][2 * g : 2 * g + 2], *vector[1][2 * g : 2 * g + 2]]
        first = next((x for x in values if x), None)
        if first is not None:
            signs = tuple((x * first > 0) - (x * first < 0) for x in values)
            found.append((signs, g, vector if first > 0 else _negated(vector)))
    if len(found) == 2 and found[0][0] == found[1][0]:
        for signs, g, vector in found:
            rates.setdefault(signs, {})[g] = vector


def _values(program: Program, groups: dict[int, Vector]) -> Sequence[Fraction]:
    """The values that the rate can take in all groups; more than ``_MOST_VALUES`` of them are not counted out."""
    common = math.gcd(*(math.lcm(*(x.denominator for part in vector for x in part)) for vector in groups.values()))
    mass = program.kind_mass.tolist()
    most = min(
        sum((max(a, program.most_rules * b, 0) * w for a, b, w in zip(*vector, mass, strict=True)), Fraction(0))
        for vector in groups.values()
    )
    least = max(
        sum((min(a, program.most_rules * b, 0) * w for a, b, w in zip(*vector, mass, strict=True)), Fraction(0))
        for vector in groups.values()
    )
    first, last = math.ceil(least * common), math.floor(most * common)
    return [Fraction(k, common) for k in range(first, min(last, first + _MOST_VALUES) + 1)]


def _least(program: Program, fixed: list[tuple[dict[int, Vector], Fraction]]) -> Cost:
    """What rule sets with these rates cost at least, from the kinds whose errors the rates determine."""
    cost = Fraction(program.least)
    for groups, value in fixed:
        for leave, cover in groups.values():
            of_leave, of_cover = np.flatnonzero([x != 0 for x in leave]), np.flatnonzero([x != 0 for x in cover])
            if len(of_leave) == 1 and not len(of_cover):
                k = int(of_leave[0])
                cost += int(program.leave[k]) * value / leave[k] - min(int(program.leave[k]), 0) * int(
                    program.kind_mass[k]
                )
            elif len(of_cover) == 1 and not len(of_leave):
                k = int(of_cover[0])
                cost += int(program.cover[k]) * value / cover[k]
    return program.round_up(cost)


def _fixed(program: Program, fixed: list[tuple[dict[int, Vector], Fraction]]) -> Program:
    """The program with the rates at these values, instead of the constraints that they are equal."""
    done: set[Vector] = set()
    rows: list[Constraint] = []
    for groups, value in fixed:
        for vector in groups.values():
            rows += [Constraint(*vector, value), Constraint(*_negated(vector), -value)]
        for a in groups.values():
            for b in groups.values():
                done.add((_less(a[0], b[0]), _less(a[1], b[1])))
    others = [c for c in program.constraints if c.bound != 0 or (c.leave, c.cover) not in done]
    return replace(program, constraints=(*others, *rows))
