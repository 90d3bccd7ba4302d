"""Whether there is a rule set within a gap that costs less than some number, by a search that is cut off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from ...data.fairness import Criterion, compared, groups_of, parities
from ...data.problem import Problem
from ...sharing import Shared
from ..pool import Clause
from ..program import Cost, Program, make_program
from ..search import RuleSetSearch


@dataclass(frozen=True, eq=False)
class Gaps(Shared):
    """What is measured of rule sets.

    ``program``: of the sets whose rates are equal; a set costs its loss. ``step``: gaps are multiples of this.
    """

    program: Program
    step: Fraction

    @cached_property
    def total(self) -> int:
        """The weight of all rows."""
        return int(self.program.kind_mass.sum())

    def gap(self, uncovered: np.ndarray, covers: np.ndarray) -> Fraction:
        """The largest difference of a rate between two groups, for what `Program.is_fair` takes."""
        left = uncovered.tolist()
        excess = (sum(map(mul, c.leave, left), c.of_covers(covers)) - c.bound for c in self.program.constraints)
        return max(excess, default=Fraction(0))

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
) -> Gaps:
    """What a criterion compares over the problem's groups; raises ValueError where there is nothing to compare.

    ``per_complexity``: what a unit of complexity costs besides the loss, in units of the weights.
    """
    exact = criterion(0.0)  # type: ignore[call-arg]
    program = make_program(problem, max_complexity, loss, form, exact, 0.0, min_group_size)
    if per_complexity:
        price = float(per_complexity * program.unit)
        program = make_program(problem, max_complexity, loss, form, exact, price, min_group_size)
    names, hit = groups_of(problem, exact).names, 0 if form == "dnf" else 1
    mass = program.kind_mass.tolist()
    positives, negatives = ([mass[2 * g + side] for g in range(len(names))] for side in (hit, 1 - hit))
    found = parities(exact, names, positives, negatives, compared(exact, groups_of(problem, exact), min_group_size))
    shares = (x.denominator for one in found for x in (*one.on_positives, *one.on_negatives))
    return Gaps(program, Fraction(1, math.lcm(*shares)))


class Met(NamedTuple):
    """A rule set that a search has met, and its measures, as `Pool.measure` has them."""

    rules: tuple[Clause, ...]
    uncovered: np.ndarray
    covers: np.ndarray
    complexity: int


class Decision(RuleSetSearch):
    """The search for the cheapest rule set of a program among those that cost less than ``below``.

    It ends with one, or with the proof that there is none. ``gap``: that the program allows; None for any.
    ``settings``: the other arguments of `RuleSetSearch`. ``criterion``: which the program's constraints are of.
    ``offers``: sets of rules to begin with.
    """

    def __init__(
        self,
        problem: Problem,
        program: Program,
        below: Cost,
        gap: Fraction | None,
        settings: dict[str, Any],
        criterion: Criterion,
        offers: Sequence[Sequence[Clause]] = (),
    ) -> None:
        self.gap = gap
        self._offers = tuple(offers)
        self.met: list[Met] = []
        self._given = program
        super().__init__(problem, max_complexity=program.max_complexity, fairness=criterion, **settings)
        self._best.cost = min(self._best.cost, below)

    def _new_program(self) -> Program:
        return self._given

    def _prepare(self) -> None:
        super()._prepare()
        for rules in self._offers if self._features.n_used else ():
            if all(len(rule) <= self.conditions for rule in rules):
                self._offer(rules)
        self._settle()

    def _offer(self, rules: Sequence[Clause]) -> None:
        chosen = list(dict.fromkeys(self._pool.find(rule) for rule in rules))
        uncovered, covers, complexity = self._pool.measure(chosen)
        if complexity <= self._program.max_complexity:
            self.met.append(Met(tuple(self._pool.rules[k] for k in chosen), uncovered, covers, complexity))
        super()._offer(rules)

    def unit(self) -> int:
        """At most one unit of work; how many were done."""
        before = self.work
        self._advance(1)
        return self.work - before

    @property
    def has_found(self) -> bool:
        """Whether a set was found."""
        return self._best.rules is not None

    @property
    def ended(self) -> bool:
        """Whether the cheapest set is found, or it is proven that there is none."""
        return self._phase in ("certified", "infeasible")

    @property
    def limit(self) -> str | None:
        """Why it cannot go on; None while it can."""
        return None if self.ended else self._limit
