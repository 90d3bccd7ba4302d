"""The one door to fronts."""

from __future__ import annotations

from typing import Any

from ..arguments import check_choice, require
from ..data.problem import Problem
from ..models import FallingRuleList, RuleList, RuleSet
from ..rule_list import FrontierSearch
from ..search import Search
from .gap import GapFrontier
from .tolerance import ToleranceFrontier

BY: dict[str, tuple[str, ...]] = {
    "rules": (RuleList.family, RuleSet.family),
    "tolerance": (RuleList.family, FallingRuleList.family, RuleSet.family),
    "gap": (RuleList.family, RuleSet.family),
}
"""What a front is drawn by, and the families of models that it is searched for."""


def frontier(problem: Problem, by: str = "rules", model: str = RuleList.family, **parameters: Any) -> Search:
    """A search for a front, every point of which is certified or has its bound.

    Parameters
    ----------
    problem : Problem
    by : {"rules", "tolerance", "gap"}
        "rules": the fewest errors of rule lists of at most 0, 1, ... rules, or the least loss of rule sets of each
        complexity. "tolerance": the best model at each tolerance of a fairness constraint. "gap": the least gap between
        groups at each accuracy.
    model : {"rule_list", "falling_rule_list", "rule_set"}
        The family of models; see `BY` for those that there are.
    **parameters
        Of `rulelab.FrontierSearch`, `ToleranceFrontier` or `GapFrontier`, and of the searches that they begin.

    Returns
    -------
    Search
        For `rulelab.solve` or its `steps`; what is known is in its ``frame``.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that a criterion could be measured on.
    """
    require(("problem", problem, isinstance(problem, Problem), "a rulelab.Problem"))
    check_choice("by", by, BY)
    require(("model", model, model in BY[by], f"{' or '.join(BY[by])} where a front is drawn by {by}"))
    if by == "gap":
        return GapFrontier(problem, model=model, **parameters)
    if by == "tolerance":
        return ToleranceFrontier(problem, model=model, **parameters)
    if model == RuleSet.family:
        return ToleranceFrontier(problem, criterion=None, model=model, **parameters)
    return FrontierSearch(problem, **parameters)
