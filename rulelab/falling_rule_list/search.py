"""What the step-wise searches for falling rule lists share."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable
from typing import Any, ClassVar

from ..arguments import refuse_others, require
from ..data.fairness import Criterion
from ..data.problem import Problem
from ..models import FallingRuleList
from ..parameters import FREE_RULES, check_arguments
from ..snapshot import Incumbent
from ..stepping import Search
from .costs import Prepared, costs_of, prepare


class FallingSearch(Search, ABC):
    """What the searches for falling rule lists of least weighted loss share.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Cost C of one rule, 0 <= C < 1.
    positive_weight : float
        Cost w of a missed positive, where a false alarm costs 1; above 0.
    violation_penalty : float, optional
        Cost C1 of a proportion that rises by 1, at least 0: the list is softly falling. By default it must fall.
    method : str, optional
        That of the class: "exact", which certifies its list, or "monte_carlo", the paper's Algorithms FRL and softFRL.
    fairness : Criterion, optional
        Such as `rulelab.EqualOpportunity`, over the problem's groups: the list is the best of those that meet it. By
        the exact method alone, and not for softly falling lists: they may have rules that predict 0 before some that
        predict 1, so that the captured rows no longer say who is predicted positive, on which all bounds here rest.
    min_group_size : int
        Groups with fewer training rows, of the class that a rate is measured on, are left out of the criterion. 0 for
        all groups.

    Raises
    ------
    ParameterError
        When an argument is out of range; it says what is allowed.

    References
    ----------
    Chen and Rudin, "An optimization approach to learning falling rule lists", AISTATS 2018.
    """

    family: ClassVar[str] = "falling_rule_list"
    method: ClassVar[str] = "exact"
    fair: ClassVar[bool] = False
    _soft: ClassVar[bool | None] = False
    """Whether lists may rise at a price; None: with one, and without."""

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        method: str | None = None,
        fairness: Criterion | None = None,
        min_group_size: int = 0,
    ) -> None:
        super().__init__(problem)
        kind = type(self).__name__
        own = method is None or (isinstance(method, str) and method == self.method)
        require(("method", method, own, f"{self.method!r} for a {kind}"))
        FREE_RULES.check(regularization)
        check_arguments(
            positive_weight=positive_weight, violation_penalty=violation_penalty, min_group_size=min_group_size
        )
        if not self.fair:
            refuse_others(type(self), {"fairness": fairness})
        if self._soft:
            require(("violation_penalty", violation_penalty, violation_penalty is not None, f"a number for a {kind}"))
        elif self._soft is False:
            refuse_others(type(self), {"violation_penalty": violation_penalty})
        self.regularization = float(regularization)
        self.positive_weight = float(positive_weight)
        self.violation_penalty = None if violation_penalty is None else float(violation_penalty)
        self.fairness, self.min_group_size = fairness, int(min_group_size)
        costs_of(problem, self.regularization, self.positive_weight)

    @property
    def parameters(self) -> dict[str, Any]:
        of_others = () if self.fair else ("fairness", "min_group_size")
        return {name: value for name, value in super().parameters.items() if name not in of_others}

    def _prepared(self) -> Prepared:
        return prepare(self.problem, self.regularization, self.positive_weight)

    def _incumbent_of(self, antecedents: Iterable[int], found_at: tuple[float, int]) -> Incumbent:
        """The list of these antecedents of the problem."""
        model = FallingRuleList.from_problem(
            self.problem, tuple(antecedents), self.positive_weight, self.violation_penalty
        )
        return Incumbent(model, model.objective(self.regularization), model.errors, model.complexity, found_at)
