"""Whether there is a rule set within a gap that costs less than some number: the search for rule sets, cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...data.fairness import Criterion
from ...data.problem import Problem
from ..pool import Clause
from ..program import Cost, Program
from ..search import RuleSetSearch
from ..snapshot_detail import counts
from .proof import Proven


@dataclass(frozen=True, eq=False)
class Met:
    """A rule set that a search has met.

    Attributes
    ----------
    rules : tuple of rules
    uncovered, covers : array, shape (n_kinds,)
        As `Pool.measure` has them.
    complexity : int
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
    problem : Problem
    program : Program
    below : int or Fraction
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
