"""Puts the dual values that a search ended with into a certificate for a rule set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...data.problem import Problem
from ...models import RuleSet
from ..certificate import Certificate
from ..origin import Origin
from .checker import BOUND_ONLY, MIN_GROUP_SIZE, ZERO_ONE, Case, check_model, read_claim, read_linear
from .demands import read_demands
from .dual import in_order
from .parity import SUFFIX
from .partition import ENDED, PART_RANGES, Parts


def prove_rule_set(
    problem: Problem,
    model: RuleSet,
    dual: np.ndarray,
    price: int,
    grid: int,
    max_complexity: int,
    max_conditions: int,
    regularization: float = 0.0,
    tolerances: Mapping[str, float] | None = None,
    multipliers: Mapping[str, np.ndarray] | None = None,
    bound_only: bool = False,
    min_group_size: int = 0,
    demands: Mapping[str, np.ndarray] | None = None,
    zero_one: bool = False,
) -> Certificate:
    """A certificate that no rule set within the limits has a smaller loss.

    `rulelab.verify` says whether the dual values prove the model optimal; it enumerates the rules that they leave.
    Raises CertificateError when the model does not fit the problem or the limits.

    Parameters
    ----------
    problem : Problem
        With whole weights; with groups where rates are compared.
    model : RuleSet
        An optimal set, of either form.
    dual : int array, shape (n_patterns,), or (n_groups, n_patterns) with tolerances, of both if ``zero_one``
        Dual value of each pattern's covering constraint times the pattern's weight (in the group), in units of
        1 / (grid * Q) rows, where Q is the denominator of the regularization; for the form ``cnf`` those of the
        negatives' constraints.
    price : int
        Dual value of a unit of complexity in the same units, so large that no rule gains.
    grid : int
        At least 1.
    max_complexity, max_conditions : int
        Which rule sets are meant.
    regularization : float
        Cost of a unit of complexity, in rows.
    tolerances : mapping of str to float, optional
        By how much rates may differ between two groups: "false_negative_rate", "false_positive_rate", "selection_rate"
        or "accuracy". Negatives (for ``cnf`` positives) count once for every rule that covers them, as in the Hamming
        loss. Only rule sets that meet this are meant.
    multipliers : mapping of str to float array, shape (n_groups, n_groups), optional
        For each of these rates the dual values of ``rate of group g - rate of group h <= tolerance``, at least 0, in
        units of 1 / Q rows.
    bound_only : bool
        The dual values are to prove a bound on all rule sets; that the model meets it is not claimed.
    min_group_size : int
        Groups with fewer rows of the kind that a rate is measured on are left out of its constraint; their multipliers
        are 0.
    demands : mapping of str to array, optional
        What only such sets are meant that obey it. ``demands``: uint8, shape (n_demands, n_antecedents), 1 where an
        antecedent meets a demand. Where something may not be used any number of times: ``uses``, uint8, shape
        (n_limits, n_antecedents), how often each antecedent uses it, and ``most_uses``, int64, shape (n_limits,), how
        often a set may. ``demand_prices``: int64, shape (n_demands + n_limits,), the dual values, at least 0, in the
        same units as ``dual``.
    zero_one : bool
        The loss is the training errors, not the Hamming loss, and so are the rates. The dual values are those of the
        patterns in which the class that rules should cover prevails, by what it does; with tolerances those of what
        rules should cover in each group, and behind them those of what they should not.
    """
    parameters = _parameters(max_complexity, max_conditions, regularization, grid)
    arrays = {"dual": np.array(dual, dtype=np.int64), "price": np.array([price], dtype=np.int64), **(demands or {})}
    if bound_only:
        parameters[BOUND_ONLY] = 1.0
    if zero_one:
        parameters[ZERO_ONE] = 1.0
    if tolerances and multipliers:
        parameters |= _compared(tolerances, min_group_size)
        arrays["multipliers"] = np.array([multipliers[name] for name in sorted(tolerances)], dtype=np.float64)
    return _certificate(problem, model, parameters, arrays)


def prove_rule_set_in_parts(
    problem: Problem,
    model: RuleSet,
    parts: Mapping[str, np.ndarray],
    max_complexity: int,
    max_conditions: int,
    regularization: float,
    tolerances: Mapping[str, float],
    min_group_size: int = 0,
    demands: Mapping[str, np.ndarray] | None = None,
    bound_only: bool = False,
    zero_one: bool = False,
) -> Certificate:
    """A certificate that no rule set whose rates are alike has a smaller loss, with dual values for each part.

    Raises CertificateError when the model does not fit the problem or the limits.

    Parameters
    ----------
    problem : Problem
        With whole weights and groups.
    model : RuleSet
        An optimal set, of either form.
    parts : mapping of str to array
        See `rulelab.certificate.rule_set.partition.prove_parts` and `bound_parts` beside it; the rates are in the order
        of their names.
    max_complexity, max_conditions, regularization, tolerances, min_group_size
        As for `prove_rule_set`.
    demands : mapping of str to array, optional
        As for `prove_rule_set`, but for the prices.
    bound_only, zero_one : bool
        As for `prove_rule_set`.
    """
    parameters = _parameters(max_complexity, max_conditions, regularization, 1)
    parameters |= _compared(tolerances, min_group_size)
    if bound_only:
        parameters[BOUND_ONLY] = 1.0
    if zero_one:
        parameters[ZERO_ONE] = 1.0
    return _certificate(problem, model, parameters, {**parts, **(demands or {})})


def _parameters(max_complexity: int, max_conditions: int, regularization: float, grid: int) -> dict[str, float]:
    return {
        "max_complexity": float(max_complexity),
        "max_conditions": float(max_conditions),
        "regularization": float(regularization) + 0.0,
        "grid": float(grid),
    }


def _compared(tolerances: Mapping[str, float], min_group_size: int) -> dict[str, float]:
    least = {MIN_GROUP_SIZE: float(min_group_size)} if min_group_size else {}
    return least | {name + SUFFIX: float(tolerances[name]) + 0.0 for name in sorted(tolerances)}


def _certificate(
    problem: Problem, model: RuleSet, parameters: dict[str, float], arrays: dict[str, np.ndarray]
) -> Certificate:
    check_model(problem, model, read_claim(parameters))
    return Certificate(
        family=model.family,
        fingerprint=problem.fingerprint,
        parameters=parameters,
        arrays=in_order(problem, arrays),
        origin=Origin.of(problem),
        in_order=True,
    )


def require_checkable(problem: Problem, model: RuleSet, certificate: Certificate) -> None:
    """Refuse dual values that `rulelab.verify` would not read, such as those too large for exact sums.

    Raises CertificateError.
    """
    problem = problem.in_order()
    claim = read_claim(certificate.parameters)
    demands, priced, others = read_demands(problem, certificate.arrays)
    case = Case(problem, model, claim, demands, priced)
    if PART_RANGES not in others:
        read_linear(case, others)
        return
    parts = Parts(case, others, ENDED if claim.bound_only else None)
    for k in range(len(parts)):
        read_linear(parts.case(k), parts.arrays(k))
