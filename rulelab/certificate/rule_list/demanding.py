"""Checks a proof that no rule list that uses what it must costs less: bounds on completions, and all prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...data.naming import users
from ...data.problem import Problem
from ...models import RuleList
from ..certificate import Certificate, CertificateError
from ..contents import check_arrays, check_parameters
from ..outcome import Outcome
from ..rule_set.parity import read_sides
from .checker import recompute
from .demanding_prefixes import Demands, meets_nothing_cheaper
from .fair_space import FairSpace
from .prefix_table import certificate_of, check_table, kept

DEMANDS = "demands"
"""The array that only these certificates have: for each demand, which antecedents meet it."""
FIRST = "first_rule"
_MOST = 62
_LARGEST = 1 << 60


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table against the problem, the model and what the model must use."""
    found: dict[str, Any] = {}
    checked: dict[str, int] = {}
    try:
        check_parameters(parameters, ("regularization",), "lists that must use something", (FIRST,))
        check_arrays(arrays, (DEMANDS, "sets", "values"))
        demands = _demands(problem, parameters, arrays[DEMANDS])
        space, cost, found["objective"] = _space(problem, model, parameters["regularization"], demands)
        through = partial(meets_nothing_cheaper, space, demands, cost)
        checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    among = " and ".join(_in_words(problem, demands))
    reason = f"no rule list that {among} has an objective below {found['objective']:.10g}"
    return Outcome(True, reason, among=among, lower_bound=found["objective"], resolution=0.0, checked=checked, **found)


def prove_demanding_rule_list(
    problem: Problem,
    model: RuleList,
    regularization: float,
    demands: np.ndarray,
    first_rule: int | None,
    bounds: Mapping[bytes, int],
) -> Certificate:
    """A proof from the bounds on completions that a search met, of which the needed ones are kept.

    Parameters
    ----------
    problem : Problem
    model : RuleList
    regularization : float
    demands : uint8 array, shape (n_demands, n_antecedents)
        1 where an antecedent meets a demand.
    first_rule : int or None
        The antecedent of the first rule.
    bounds : mapping of bytes to int
        Packed sets of the problem's patterns.

    Raises
    ------
    CertificateError
        When the bounds do not prove it.
    """
    parameters = {"regularization": regularization, **({} if first_rule is None else {FIRST: float(first_rule)})}
    asked = _demands(problem, parameters, demands)
    space, cost, _ = _space(problem, model, regularization, asked)
    arrays = kept(space, partial(meets_nothing_cheaper, space, asked, cost), bounds)
    return certificate_of(problem, parameters, {**arrays, DEMANDS: demands})


def _demands(problem: Problem, parameters: Mapping[str, float], array: np.ndarray) -> Demands:
    m = problem.n_antecedents
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != m or len(array) > _MOST or (array > 1).any():
        raise CertificateError(f"'{DEMANDS}' must be rows of 0 and 1, one for each of {m} antecedents")
    first = parameters.get(FIRST)
    if first is not None and not (first == int(first) and 0 <= first < m):
        raise CertificateError(f"the first rule must be one of {m} antecedents, not {first!r}")
    return Demands(array.astype(bool), None if first is None else int(first))


def _space(problem: Problem, model: RuleList, regularization: float, demands: Demands) -> tuple[FairSpace, int, float]:
    """The space, the model's cost and its objective, of a model that uses what it must."""
    costs, objective, _ = recompute(problem, model, regularization)
    if not problem.integral:
        raise CertificateError("lists that must use something are certified for weights that are whole numbers")
    cost = objective / costs.unit
    if cost.denominator != 1:
        raise CertificateError("the regularization has too many digits for a certificate")
    some = (rule for rule in model.rules if rule.positives + rule.negatives > 0)
    used = [rule.antecedent for rule in some if rule.antecedent is not None]
    if demands.first is not None and (not model.rules or model.rules[0].antecedent != demands.first or not used):
        raise CertificateError("the model does not begin with the first rule that it must have")
    if demands.first is not None and used[0] != demands.first:
        raise CertificateError("the first rule of the model captures nothing")
    if not demands.meets[:, used].any(axis=1).all():
        raise CertificateError("the model does not use all that it must")
    wrong = costs.per_error * np.stack([problem.positives, problem.negatives])
    if int(wrong.astype(object).sum()) + 16 * costs.per_rule >= _LARGEST:
        raise CertificateError("the regularization has too many digits for exact sums")
    least, nothing = wrong.min(axis=0), np.zeros(0, dtype=np.int64)
    space = FairSpace(
        inside=problem.matrix(),
        wrong=wrong,
        d=np.zeros((0, problem.n_patterns), dtype=np.int64),
        low=nothing,
        high=nothing,
        weight=wrong[::-1] - least,
        base=int(least.sum()),
        per_rule=costs.per_rule,
        relaxed_rule=costs.per_rule,
        shift=0,
        sides=read_sides(problem, "dnf", False),
        constraints=[],
    )
    return space, int(cost), float(objective)


def _in_words(problem: Problem, demands: Demands) -> Iterable[str]:
    """What each demand is called: the column, condition or antecedent that stands for just its antecedents."""
    if demands.first is not None:
        yield f"begins with {problem.names[demands.first]}"
    joined = [c for some in problem.conditions or () for c in some]
    known = dict.fromkeys([*(c.column for c in joined), *map(str, joined), *problem.names])
    for row in demands.meets:
        fitting = (name for name in known if (users(name, problem.names, problem.conditions) == row).all())
        some = " or ".join(problem.names[j] for j in np.flatnonzero(row))
        yield f"uses {next(fitting, some)}"
