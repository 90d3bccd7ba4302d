"""The largest difference between two groups of any rule set near the optimum: one integer program, certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from ...data.fairness import AccuracyParity, groups_of
from ...data.problem import Problem
from ..least_gap.search import LeastGapRuleSetSearch
from ..pool import Clause
from ..program import Constraint, Program, make_program
from ..search import RuleSetSearch

_LARGEST = 1 << 40
_OF_RATE = {
    "true_positive_rate": (1, 0),
    "false_positive_rate": (0, 1),
    "selection_rate": (1, 1),
    "accuracy": (1, -1),
}
"""What a positive, and a negative, that is predicted positive adds to a rate."""


class LeastTrueGap(LeastGapRuleSetSearch):
    """The least gap as sets predict, among those of some accuracy as the Hamming loss counts it; not certified."""

    _rates = "zero_one"


class GreatestDifference(RuleSetSearch):
    """The search for the largest difference of a rate between two groups, of sets whose loss is not above a number.

    A set costs one less the difference, times ``scale``, in integers.

    Parameters
    ----------
    problem : Problem
        With groups, and weights that are integers or multiples of a unit.
    rate : str
        One of the rates of `rulelab.data.gaps.CRITERIA`.
    group, other : int
        The difference is of the first one's rate less the other's.
    most_loss : float
        Of the sets that count, by the Hamming loss, in rows (or weight).
    offers : sequence of sets of rules
        To begin with; one of them, at least, has no larger loss.
    settings : dict
        Arguments of `RuleSetSearch`.

    Raises
    ------
    ValueError
        When a group does not have the rate, or the weights have too many digits for sums of 64 bits.
    """

    def __init__(
        self,
        problem: Problem,
        rate: str,
        group: int,
        other: int,
        most_loss: float,
        offers: Sequence[Sequence[Clause]],
        settings: dict[str, Any],
    ) -> None:
        self._of = rate, group, other, most_loss
        self._offers = tuple(offers)
        self.scale = 1
        super().__init__(problem, **settings)

    def _new_program(self) -> Program:
        rate, group, other, most_loss = self._of
        equal = AccuracyParity(0.0)
        base = make_program(self.problem, self.max_complexity, "hamming", self.form, equal)
        mass, signs, rows = base.kind_mass.tolist(), _OF_RATE[rate], []
        wanted = (0, 1) if self.form == "dnf" else (1, 0)
        for g in (group, other):
            sides = [mass[2 * g + k] for k in wanted]  # positives, negatives
            rows.append(sum(side for side, sign in zip(sides, signs, strict=True) if sign))
        if not all(rows):
            names = groups_of(self.problem, equal).names
            raise ValueError(f"{' or '.join(names[g] for g in (group, other))} has no {rate.replace('_', ' ')}")
        self.scale = math.lcm(*rows)
        leave, constant = np.zeros(base.n_kinds, dtype=np.int64), self.scale
        for g, n, sign in zip((group, other), rows, (1, -1), strict=True):
            for k, each in zip(wanted, signs, strict=True):
                worth = sign * each * (self.scale // n)  # of a row that is predicted positive
                leave[2 * g + k] = worth if self.form == "dnf" else -worth
                constant -= worth * mass[2 * g + k] if self.form == "dnf" else 0
            if rate == "accuracy":
                constant -= sign * (self.scale // n) * mass[2 * g + wanted[1]]
        if not base.exact or sum(mass) * max(1, int(np.abs(leave).max())) > _LARGEST:
            raise ValueError("the weights have too many digits for sums of 64 bits")
        left, covered = (tuple(Fraction(int(x), base.per_loss) for x in side) for side in (base.leave, base.cover))
        loss = Constraint(left, covered, Fraction(math.floor(Fraction(most_loss) / base.unit)))
        return replace(
            base,
            leave=leave,
            cover=np.zeros_like(base.cover),
            penalty=0,
            constraints=(loss,),
            constant=constant,
            per_loss=1,
            unit=Fraction(1),
            regularization=Fraction(0),
            step=1,
        )

    def _prepare(self) -> None:
        super()._prepare()
        for rules in self._offers if self._features.n_used else ():
            self._offer(rules)
        self._settle()

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return self._phase in ("certified", "infeasible") or self._limit is not None

    @property
    def found(self) -> tuple[Fraction, tuple[Clause, ...]] | None:
        """The largest difference met, and the rules of its set; None before there is one."""
        if self._best.rules is None:
            return None
        return 1 - Fraction(self._best.cost) / self.scale, self._best.rules

    @property
    def most(self) -> Fraction:
        """No set has a larger difference."""
        return 1 - Fraction(self._lower) / self.scale


def pairs(problem: Problem) -> list[tuple[int, int]]:
    """Ordered pairs of the problem's groups; the two orders of a pair one after the other."""
    n = len(groups_of(problem, AccuracyParity(0.0)).names)
    return sorted(permutations(range(n), 2), key=lambda pair: (min(pair), max(pair), pair))
