"""Rule lists by their antecedents, and what a search begins with: such a list, or the best of all lists."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..arguments import ParameterError, Text
from ..data.problem import Problem
from ..models import RuleList
from ..models.base import column_of
from ..phases import RelaxedFirst
from ..snapshot import Incumbent
from .costs import Costs


def antecedents_of(start: RuleList | Sequence[int], problem: Problem) -> tuple[int, ...]:
    """Indices of a warm start's antecedents in this problem."""
    if isinstance(start, RuleList):
        index = {name: j for j, name in enumerate(problem.names)}
        unknown = [name for name in start.antecedent_names if name not in index]
        if unknown:
            text = Text("{warm_start} uses antecedents that the problem does not have, such as {!r}", unknown[0])
            raise ParameterError("warm_start", start, "of antecedents of the problem", text)
        return tuple(index[name] for name in start.antecedent_names)
    try:
        antecedents = tuple(map(int, start))
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("warm_start", start, "a RuleList or indices of antecedents") from None
    if any(not 0 <= j < problem.n_antecedents for j in antecedents):
        wanted = f"indices below {problem.n_antecedents}"
        text = Text("{warm_start} must hold {}, not {}", wanted, list(antecedents))
        raise ParameterError("warm_start", start, wanted, text)
    return antecedents


def incumbent_of(
    problem: Problem, antecedents: Sequence[int], regularization: float, found_at: tuple[float, int]
) -> Incumbent:
    """The list of these antecedents of the problem, as snapshots show it."""
    model = RuleList.from_problem(problem, antecedents)
    return Incumbent(
        model=model,
        objective=model.objective(regularization),
        errors=model.errors,
        complexity=model.complexity,
        found_at=found_at,
    )


def cost_of(antecedents: Sequence[int], problem: Problem, costs: Costs) -> int:
    """Cost of a list on the grid, counted on the problem's patterns."""
    wrong, left = 0, np.ones(problem.n_patterns, dtype=bool)
    for j in [*antecedents, None]:
        hit = left if j is None else left & column_of(problem, j)
        wrong += min(int(costs.positives[hit].sum()), int(costs.negatives[hit].sum()))
        left = left & ~hit
    return costs.per_error * wrong + costs.per_rule * len(antecedents)


_WIDEST = 100
"""Beam of the search for the best list of all."""


class RelaxedListFirst(RelaxedFirst):
    """A search for a rule list that has to obey, which looks for the best list of all first."""

    regularization: float
    beam_width: int
    _costs: Costs
    _proven: int
    _free_search: ClassVar[Any]
    """`RuleListSearch`, which imports the searches that begin with it."""

    @abc.abstractmethod
    def _try(self, rules: tuple[tuple[int, int], ...], default: int) -> None:
        """Take a list if it obeys."""

    def _without_demands(self) -> Any:
        return self._free_search(self.problem, self.regularization, beam_width=min(self.beam_width, _WIDEST))

    def _take_over(self, model: RuleList, optimal: bool) -> int:
        costs = self._costs
        place = {name: j for j, name in enumerate(self.problem.names)}
        labels = [int(rule.prediction == model.classes[-1]) for rule in (*model.rules, model.default)]
        self._try(tuple(zip((place[name] for name in model.antecedent_names), labels, strict=False)), labels[-1])
        if not (optimal and costs.exact):
            return 0
        positive = model.predicts_positive(self.problem.matrix())
        wrong = int(costs.negatives[positive].sum()) + int(costs.positives[~positive].sum())
        return costs.per_error * wrong + costs.per_rule * len(model.rules)

    def _sure(self, bound: float) -> float:
        return super()._sure(bound) - self._costs.exactness

    @property
    def _own_bound(self) -> float:
        return max(0.0, min(self._proven, self._least_known) * self._costs.unit - self._costs.slack)
