"""Gap and loss of rule sets in exact numbers, and the programs of sets that have less of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...data.fairness import Criterion, compared, groups_of, parities
from ...data.problem import Problem
from ...sharing import Shared
from ..program import Cost, Program, make_program


@dataclass(frozen=True, eq=False)
class Gaps(Shared):
    """What is measured of rule sets.

    Attributes
    ----------
    program : Program
        Of the sets whose rates are equal; a set costs its loss.
    step : Fraction
        Gaps are multiples of this.
    """

    program: Program
    step: Fraction

    @cached_property
    def total(self) -> int:
        """The weight of all rows."""
        return int(self.program.kind_mass.sum())

    def gap(self, uncovered: np.ndarray, covers: np.ndarray) -> Fraction:
        """The largest difference of a rate between two groups, for what `Program.is_fair` takes."""
        x, y = uncovered.tolist(), covers.tolist()
        sides = (
            (zip(c.leave, x, strict=True), zip(c.cover, y, strict=True), c.bound) for c in self.program.constraints
        )
        return max(
            (sum((a * b for pair in (left, right) for a, b in pair), -bound) for left, right, bound in sides),
            default=Fraction(0),
        )

    def loss(self, uncovered: np.ndarray, covers: np.ndarray) -> int:
        """The loss, in units of the weights."""
        return int(self.program.cost(uncovered, covers, 0))

    def within(self, gap: Fraction | None) -> Program:
        """The program of the sets whose gap is at most this; None: of all."""
        return replace(self.program, constraints=()) if gap is None else self.program.loosened(gap)


def gaps_of(
    problem: Problem,
    criterion: type[Criterion],
    max_complexity: int,
    loss: str,
    form: str,
    min_group_size: int,
    per_complexity: Fraction = Fraction(0),
    rates: str | None = None,
) -> Gaps:
    """What a criterion compares over the problem's groups.

    Parameters
    ----------
    problem : Problem
    criterion : type of Criterion
    max_complexity : int
    loss, form : str
        As for `rulelab.RuleSetSearch`.
    min_group_size : int
        Groups with fewer rows are left out of the criterion.
    per_complexity : Fraction
        What a unit of complexity costs besides the loss, in units of the weights.
    rates : str, optional
        As for `make_program`.

    Raises
    ------
    ValueError
        When there are no two groups to compare, or a group has nothing that its rate could be measured on.
    """
    exact = criterion(0.0)  # type: ignore[call-arg]
    program = make_program(problem, max_complexity, loss, form, exact, 0.0, min_group_size, rates)
    if per_complexity:
        price = float(per_complexity * program.unit)
        program = make_program(problem, max_complexity, loss, form, exact, price, min_group_size, rates)
    names, hit = groups_of(problem, exact).names, 0 if form == "dnf" else 1
    mass = program.kind_mass.tolist()
    positives, negatives = ([mass[2 * g + side] for g in range(len(names))] for side in (hit, 1 - hit))
    found = parities(exact, names, positives, negatives, compared(exact, groups_of(problem, exact), min_group_size))
    shares = (x.denominator for one in found for x in (*one.on_positives, *one.on_negatives))
    return Gaps(program, Fraction(1, math.lcm(*shares)))


def cutoff(program: Program, most_loss: int) -> Cost:
    """What sets cost less than that have no larger loss; the program's complexity costs nothing."""
    return program.per_loss * (most_loss + 1)
