"""What accuracy costs in fairness: the least gap between groups at each of many accuracies, certified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...data.problem import Problem
from ...gap_frontier.search import GapFrontier
from ...models import RuleList
from .least_gap import LeastGapSearch


class GapFrontierSearch(GapFrontier):
    """Step-wise search for the rule lists of least gap between groups at each of many accuracies.

    One `LeastGapSearch` for each accuracy, the smallest first. A list that is found at one serves all that it is
    accurate enough for, a bound serves all larger accuracies, and a proven list of more accuracy than was asked for
    proves all points up to its own. Points that take long are put off and taken up again with twice the work.

    Between lists of the same gap nothing is decided, other than by a `LeastGapSearch`.

    The incumbent and the lower bound are those of the smallest accuracy; the points are in `points` and `frame`. The
    status is OPTIMAL when every point is proven, or proven to be infeasible.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class
        As for `LeastGapSearch`.
    accuracies : sequence of float, optional
        From 0 to 1; by default steps of one percent from the accuracy of the default rule alone.
    regularization, max_length, memory_limit, beam_width, min_group_size
        As for `LeastGapSearch`.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    family: ClassVar[str] = "rule_list"
    _shown: ClassVar[tuple[str, ...]] = ("created", "expanded", "stored", "sets_counted")

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        accuracies: Sequence[float] | None = None,
        regularization: float = 0.01,
        max_length: int | None = None,
        memory_limit: int | None = None,
        beam_width: int = 400,
        min_group_size: int = 0,
    ) -> None:
        made = LeastGapSearch(  # which refuses what is wrong
            problem, criterion, regularization, 0.0, max_length, None, memory_limit, beam_width, min_group_size
        )
        self.criterion, self.regularization, self.max_length = made.criterion, made.regularization, made.max_length
        self.beam_width, self.min_group_size = made.beam_width, made.min_group_size
        super().__init__(problem, accuracies, made, memory_limit)

    @property
    def parameters(self) -> dict[str, Any]:
        names = ("criterion", "accuracies", "regularization", "max_length")
        return {name: getattr(self, name) for name in (*names, "memory_limit", "beam_width", "min_group_size")}

    def _new(self, accuracy: float, known: tuple[RuleList, ...]) -> LeastGapSearch:
        return LeastGapSearch(
            self.problem,
            self.criterion,
            self.regularization,
            accuracy,
            self.max_length,
            beam_width=self.beam_width,
            min_group_size=self.min_group_size,
            warm_start=known,
        )
