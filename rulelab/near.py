"""All models near the optimum, of a problem, a search or a fitted classifier."""

from __future__ import annotations

from typing import Any

from .arguments import ParameterError
from .data.problem import Problem
from .questions import search_for
from .rule_list import NearOptimalCounter, NearOptimalSearch, RuleListSearch
from .rule_set import NearOptimalRuleSetSearch, RuleSetSearch
from .search import solve


def near_optimal(
    of: Any,
    within: float | None = None,
    *,
    ratio: float | None = None,
    count: bool = False,
    limit: int | None = None,
    memory_limit: int | None = None,
    time_limit: float | None = None,
    work_limit: int | None = None,
    model: str = "rule_list",
    **parameters: Any,
) -> Any:
    """All rule lists, or rule sets, within a distance of the optimum.

    Parameters
    ----------
    of : Problem, RuleListSearch, RuleSetSearch or fitted classifier
        What has not certified its optimum is advanced to it first.
    within : float, optional
        Models with an objective at most the optimum's + ``within`` are near-optimal; or
    ratio : float, optional
        at most the optimum's * (1 + ``ratio``). Give one of the two, or neither: then it is within 0.01 for lists, and
        a ratio of 0.01 for sets, whose objective is in rows.
    count : bool
        Count the lists instead of listing the models.
    limit : int, optional
        Most models to find; 10 000 by default.
    memory_limit : int, optional
        Bytes that the enumeration may take.
    time_limit : float, optional
        Wall-clock seconds, for certifying the optimum and enumerating.
    work_limit : int, optional
        Units of work, for both.
    model : {"rule_list", "rule_set"}
        With a problem: the family of models.
    **parameters
        With a problem: of the search, such as ``regularization``.

    Returns
    -------
    NearOptimal, NearOptimalRuleSets or NearOptimalCount
        The result of a `NearOptimalSearch`, a `NearOptimalRuleSetSearch` or a `NearOptimalCounter`. When a limit ended
        it early, ``complete`` is False.

    Raises
    ------
    ValueError
        When an argument is out of range, for models of which near-optimal ones are not searched for, and for a search
        that has not certified its optimum when there is neither a time limit nor a work limit.

    Examples
    --------
    >>> import numpy as np, rulelab as rl
    >>> A = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> problem = rl.Problem.from_arrays(A, [1, 1, 0, 0])
    >>> rl.near_optimal(problem, within=0.1, regularization=0.1).count
    1
    >>> rl.near_optimal(problem, within=0.1, regularization=0.1, count=True).n_lists
    2
    """
    if "gap" in parameters:
        raise TypeError("near_optimal has no option 'gap': within is the distance from the optimum")
    search = of.search_ if hasattr(type(of), "search_") else of
    asked = isinstance(of, Problem)
    if asked:
        search = search_for(of, model, **parameters)
    if not isinstance(search, RuleListSearch | RuleSetSearch):
        named = "a RuleListSearch, a RuleSetSearch, a classifier of rule lists or rule sets, or a Problem"
        raise ParameterError("of", search, named)
    if parameters and not asked:
        raise ValueError(f"{', '.join(parameters)}: the search's own; give them only with a problem")
    if not (asked or search.certified or time_limit is not None or work_limit is not None):
        raise ValueError(
            "the search has not certified its optimum yet, which can take any time; let it finish first "
            "(rulelab.solve), or give a time_limit or a work_limit"
        )
    given: dict[str, Any] = {"ratio": ratio, "memory_limit": memory_limit}
    if limit is not None:
        given["limit"] = limit
    make: Any = NearOptimalRuleSetSearch if isinstance(search, RuleSetSearch) else NearOptimalSearch
    if count:
        if limit is not None or make is NearOptimalRuleSetSearch:
            text = "count must be False for rule sets, which are listed, and with a limit"
            raise ParameterError("count", count, "False for rule sets and with a limit", text)
        make = NearOptimalCounter
    near = make(search, within=within, **given)
    solve(near, time_limit=time_limit, work_limit=work_limit)
    return near.result()
