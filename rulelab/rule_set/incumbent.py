"""The best rule set so far, and the one of the fewest training errors among those met."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.fairness import Criterion, emptied_rates, true_gaps
from ..data.problem import Problem
from ..models import RuleSet
from ..snapshot import Incumbent
from .pool import Clause, Pool
from .program import Cost, Program


class Incumbents:
    """Takes every set that is offered and keeps the best that meets the constraints.

    Attributes
    ----------
    cost : int or Fraction
        Of the best set; more than any set costs while there is none.
    rules : tuple of rules or None
    gaps : dict of str to float, or None
        The true gaps of a fairness criterion, of the model that `incumbent` made last.
    emptied : str
        Why that model's rates are equal and yet of no use, in words; else empty.
    """

    def __init__(
        self,
        problem: Problem,
        program: Program,
        form: str,
        fairness: Criterion | None,
        min_group_size: int = 0,
    ) -> None:
        self.cost: Cost = program.worst + 1
        self.rules: tuple[Clause, ...] | None = None
        self.gaps: dict[str, float] | None = None
        self.emptied = ""
        self._problem, self._program = problem, program
        self._form, self._fairness, self._min_group_size = form, fairness, min_group_size
        self._found_at = (0.0, 0)
        self._made: Incumbent | None = None
        self._selected: tuple[int, Cost, tuple[Clause, ...]] | None = None

    def offer(self, pool: Pool, rules: Sequence[Clause], found_at: tuple[float, int]) -> None:
        """Take a set as the incumbent when it is the best that meets the constraints."""
        program = self._program
        chosen = pool.find_all(rules)  # rules that cover the same rows are one
        uncovered, covers, complexity = pool.measure(chosen)
        if complexity > program.max_complexity or not program.is_fair(uncovered, covers):
            return
        clauses = tuple(pool.rules[k] for k in chosen)
        cost = program.cost(uncovered, covers, complexity)
        wanted = program.leave > 0
        unwanted = (program.leave < 0) | (program.cover > 0)
        errors = int(uncovered[wanted].sum() + (program.kind_mass - uncovered)[unwanted].sum())
        if self._selected is None or (errors, cost) < self._selected[:2]:
            self._selected = (errors, cost, clauses)
        if cost < self.cost:
            self.cost, self.rules, self._found_at, self._made = cost, clauses, found_at, None

    def incumbent(self) -> Incumbent | None:
        """The best set as a model; None when there is none yet."""
        if self.rules is None:
            return None
        if self._made is None:
            model = RuleSet.from_problem(self._problem, self.rules, form=self._form)
            objective = self._program.objective(self.cost, model.complexity)
            self._made = Incumbent(
                model=model,
                objective=int(objective) if objective.denominator == 1 else float(objective),
                errors=model.errors,
                complexity=model.complexity,
                found_at=self._found_at,
            )
            if self._fairness is not None and self._problem.groups is not None:
                predicted = model.predicts_positive(self._problem.matrix())
                compared = self._fairness, self._problem.groups, predicted, self._min_group_size
                self.gaps, self.emptied = true_gaps(*compared), emptied_rates(*compared)
        return self._made

    def selected(self) -> RuleSet | None:
        """Of the sets met that meet the constraints, one of fewest training errors: "pool select" of the JMLR paper."""
        if self._selected is None:
            return None
        return RuleSet.from_problem(self._problem, self._selected[2], form=self._form)
