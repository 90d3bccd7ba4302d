"""What searches for rule lists that have to obey, or be fair, hand on from the search for the best list of all."""

from __future__ import annotations

import abc
from typing import Any, ClassVar

from ..models import RuleList
from ..phased import RelaxedFirst
from .costs import Costs

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
