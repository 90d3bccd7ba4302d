"""Whether there is a rule set within a gap that costs less than some number, by a search that is cut off; the proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...certificate import Certificate, prove_least_gap_rule_set
from ...certificate.rule_set.checker import Claim
from ...certificate.rule_set.least_gap import smaller_gaps
from ...data.fairness import Criterion, compared, groups_of, parities
from ...data.problem import Problem
from ...sharing import Shared
from ..generation import ColumnGeneration
from ..pool import Clause
from ..program import Cost, Program, make_program
from ..proof import arrays_of_parts, counted, dual_values, multipliers_of
from ..rate_parts import Part
from ..search import RuleSetSearch
from ..snapshot_detail import counts

if TYPE_CHECKING:
    from ...models import RuleSet


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
    rates: str | None = None,
) -> Gaps:
    """What a criterion compares over the problem's groups.

    ``min_group_size``: groups with fewer rows are left out. ``per_complexity``: what a unit of complexity costs besides
    the loss, in units of the weights. The rest as for `make_program`. Raises ValueError when there are no two groups to
    compare, or a group has nothing that its rate could be measured on.
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


class Proven(NamedTuple):
    """What has shown that no set of a program costs less than some number.

    ``generation``: which bounded their cost; None where nothing had to. ``parts``: where rates were searched part by
    part; the program is that of the last one then.
    """

    program: Program
    generation: ColumnGeneration | None = None
    parts: tuple[Part, ...] | None = None


def prove_least_gap(
    problem: Problem,
    model: RuleSet,
    claim: Claim,
    min_accuracy: float,
    proven: Proven,
    gap: Fraction,
    criterion: Criterion,
    rounded: Problem,
) -> Certificate:
    """The certificate that no set of this accuracy has a smaller gap than the model.

    ``proven``: that all sets of a smaller gap lose more; nothing when the model's gap is 0. ``gap``: the largest one
    that the program allows, the next smaller one than the model's, or 0. ``criterion``: with the tolerance 0.
    ``rounded``: the problem that ``proven`` speaks of, in weights of fewer digits where a check rounds them. Raises
    CertificateError when there are too many parts, the numbers are too large for exact sums, or the proof would not be
    accepted.
    """
    rates = [rate.name for rate in criterion.rates()]
    if proven.parts is not None:
        case = smaller_gaps(problem, model, claim, min_accuracy, rates)
        arrays = arrays_of_parts(rounded, model, case, proven.parts, criterion, gap)
        return prove_least_gap_rule_set(problem, model, claim, min_accuracy, rates, arrays)
    whole, program = counted(rounded, proven.program, True)
    n_groups = len(groups_of(problem, criterion).names)
    dual, price, grid, gamma = dual_values(whole, program, proven.generation, n_groups)
    multipliers = multipliers_of(whole, model.form, program, criterion, gamma, claim.min_group_size, gap)
    arrays = {"dual": dual, "price": np.array([price], dtype=np.int64), "multipliers": multipliers}
    return prove_least_gap_rule_set(problem, model, replace(claim, grid=grid), min_accuracy, rates, arrays)


@dataclass(frozen=True, eq=False)
class Met:
    """A rule set that a search has met.

    ``uncovered``, ``covers`` (array, shape (n_kinds,)): as `Pool.measure` has them.
    """

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

    @property
    def proof(self) -> Proven:
        """What shows, when it has ended without a set, that there is none."""
        parts = tuple(self._parts) if self._by_value else None
        return Proven(self._program, getattr(self, "_generation", None), parts)

    def counted(self) -> dict[str, int]:
        """The counts of its snapshots."""
        known = 0 if self._phase == "reducing" else len(self._pool)
        return counts(known, getattr(self, "_generation", None), self._closing, self.ended)
