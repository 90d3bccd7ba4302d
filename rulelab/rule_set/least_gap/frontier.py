"""What accuracy costs in fairness: the least gap of rule sets at each of many accuracies, certified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...data.problem import Problem
from ...gap_frontier.search import GapFrontier
from ...models import RuleSet
from .search import LeastGapRuleSetSearch


class GapFrontierRuleSetSearch(GapFrontier):
    """Step-wise search for the rule sets of least gap between groups at each of many accuracies.

    One `LeastGapRuleSetSearch` for each accuracy, the smallest first. A set that is found at one serves all that it is
    accurate enough for, a bound serves all larger accuracies, and a proven set of more accuracy than was asked for
    proves all points up to its own. Points that take long are put off and taken up again with twice the work.

    Between sets of the same gap nothing is decided, other than by a `LeastGapRuleSetSearch`.

    The incumbent and the lower bound are those of the smallest accuracy; the points are in `points` and `frame`. The
    status is OPTIMAL when every point is proven, or proven to be infeasible, and LIMIT when no open point can go on.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class
        As for `LeastGapRuleSetSearch`.
    accuracies : sequence of float, optional
        From 0 to 1; by default steps of one percent from the accuracy of the default rule alone.
    max_complexity, max_conditions, loss, form, column_limit, memory_limit, random_state, min_group_size
        As for `LeastGapRuleSetSearch`.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    family: ClassVar[str] = "rule_set"
    _shown: ClassVar[tuple[str, ...]] = ("gaps_tried", "masters", "pricing_nodes", "branching_nodes")

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        accuracies: Sequence[float] | None = None,
        max_complexity: int = 20,
        max_conditions: int | None = None,
        loss: str = "hamming",
        form: str = "dnf",
        column_limit: int = 20_000,
        memory_limit: int | None = None,
        random_state: int | None = None,
        min_group_size: int = 0,
    ) -> None:
        own = (max_complexity, max_conditions, loss, form, column_limit, memory_limit, random_state, min_group_size)
        made = LeastGapRuleSetSearch(problem, criterion, 0.0, *own)  # which refuses what is wrong
        self.criterion, self.max_complexity, self.max_conditions = made.criterion, made.max_complexity, max_conditions
        self.loss, self.form, self.column_limit = loss, form, made.column_limit
        self.random_state, self.min_group_size = random_state, made.min_group_size
        super().__init__(problem, accuracies, made, memory_limit)

    @property
    def parameters(self) -> dict[str, Any]:
        names = ("criterion", "accuracies", "max_complexity", "max_conditions", "loss", "form", "column_limit")
        return {name: getattr(self, name) for name in (*names, "memory_limit", "random_state", "min_group_size")}

    @property
    def conditions(self) -> int:
        """D: the most conditions of a rule that bounds speak of."""
        return self._new(0.0, ()).conditions

    def _new(self, accuracy: float, known: tuple[RuleSet, ...]) -> LeastGapRuleSetSearch:
        return LeastGapRuleSetSearch(
            self.problem,
            self.criterion,
            accuracy,
            self.max_complexity,
            self.max_conditions,
            self.loss,
            self.form,
            self.column_limit,
            self.memory_limit,
            self.random_state,
            self.min_group_size,
            known,
        )

    def _hand_on(self, search: Any) -> None:
        super()._hand_on(search)
        search.column_limit = self.column_limit
