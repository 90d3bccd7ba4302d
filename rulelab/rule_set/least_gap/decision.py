"""Whether there is a rule set within a gap that costs less than some number, by a search that is cut off; the proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...certificate import Certificate, prove_least_gap_rule_set, prove_least_gap_rule_set_in_parts
from ...certificate.rule_set.least_gap import smaller_gaps
from ...data.fairness import Criterion, compared, groups_of, parities
from ...data.problem import Problem
from ...sharing import Shared
from ..generation import ColumnGeneration
from ..partition_proof import arrays_of_parts
from ..pool import Clause
from ..program import Cost, Program, make_program
from ..proof import counted, dual_values, multipliers_of
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

    Raises ValueError when there are no two groups to compare, or a group has nothing that its rate could be measured
    on.

    Parameters
    ----------
    loss, form : str
        As for `rulelab.RuleSetSearch`.
    min_group_size : int
        Groups with fewer rows are left out of the criterion.
    per_complexity : Fraction
        What a unit of complexity costs besides the loss, in units of the weights.
    rates : str, optional
        As for `make_program`.
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


class Proven(NamedTuple):
    """What has shown that no set of a program costs less than some number.

    Attributes
    ----------
    program : Program
    generation : ColumnGeneration or None
        Which bounded their cost; None where nothing had to.
    parts : tuple of Part, or None
        Where rates were searched part by part; the program is that of the last one then.
    """

    program: Program
    generation: ColumnGeneration | None = None
    parts: tuple[Part, ...] | None = None


def prove_least_gap(
    problem: Problem,
    model: RuleSet,
    proven: Proven,
    gap: Fraction,
    criterion: Criterion,
    conditions: int,
    min_accuracy: float,
    min_group_size: int,
    zero_one: bool,
    rounded: Problem | None = None,
) -> Certificate:
    """The certificate that no set of this accuracy has a smaller gap than the model.

    Raises CertificateError when there are too many parts, the numbers are too large for exact sums, or the proof would
    not be accepted.

    Parameters
    ----------
    proven : Proven
        That all sets of a smaller gap lose more; nothing when the model's gap is 0.
    gap : Fraction
        The largest one that the program allows: the next smaller one than the model's, or 0.
    criterion : Criterion
        With the tolerance 0.
    conditions : int
        D.
    zero_one : bool
        Whether accuracy and rates are those of the predictions.
    rounded : Problem, optional
        The one that ``proven`` speaks of, where not this one: in weights of fewer digits.
    """
    parts = proven.parts
    whole, program = counted(rounded or problem, proven.program, True)
    limits = program.max_complexity, conditions, min_accuracy
    if parts is not None:
        names = [rate.name for rate in criterion.rates()]

        def certificate(arrays: dict[str, np.ndarray]) -> Certificate:
            return prove_least_gap_rule_set_in_parts(problem, model, arrays, *limits, names, min_group_size, zero_one)

        case = smaller_gaps(problem, model, *limits, names, min_group_size, zero_one)
        return certificate(arrays_of_parts(rounded or problem, model, case, parts, criterion, min_group_size, gap))
    n_groups = len(groups_of(problem, criterion).names)
    dual, price, grid, gamma = dual_values(whole, program, proven.generation, n_groups)
    multipliers = multipliers_of(whole, model.form, program, criterion, gamma, min_group_size, gap)
    return prove_least_gap_rule_set(problem, model, dual, price, grid, *limits, multipliers, min_group_size, zero_one)


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

    It ends with one, or with the proof that there is none.

    Parameters
    ----------
    gap : Fraction or None
        That the program allows; None for any.
    settings : dict
        The other arguments of `RuleSetSearch`.
    criterion : Criterion
        Which the program's constraints are of.
    offers : sequence of sets of rules
        To begin with.
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
