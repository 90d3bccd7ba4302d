"""Checks a proof that no fair rule list costs less: multipliers, bounds on completions, and all prefixes in between."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ...data.problem import Problem
from ...models import RuleList
from ..bound import LOWER_BOUND, bounded, cost_to_prove
from ..certificate import Certificate, CertificateError
from ..contents import check_arrays, check_parameters
from ..outcome import Outcome
from ..rule_set.parity import SUFFIX, check_parities
from ..whole_weights import in_whole_weights, in_whole_weights_by_group
from .checker import check_rules, recompute
from .fair_prefixes import meets_nothing_cheaper
from .fair_space import FairSpace, fair_space
from .prefix_table import certificate_of, check_table, kept


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table and the multipliers against the problem and the model."""
    found: dict[str, Any] = {}
    checked: dict[str, int] = {}
    try:
        check_parameters(
            parameters, ("regularization", "majority"), "rule lists", ("min_group_size", "shift", LOWER_BOUND), SUFFIX
        )
        check_arrays(arrays, ("multipliers", "sets", "values"))
        if parameters["majority"] not in (0, 1):
            raise CertificateError("the certificate does not say for which labels it speaks")
        space, objective, cost, unit = _space(problem, model, parameters, arrays["multipliers"])
        found["objective"] = float(objective)
        majority = parameters["majority"] == 1
        least = cost_to_prove(parameters, cost, unit)
        through = partial(meets_nothing_cheaper, space, least, majority)
        checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    if LOWER_BOUND in parameters:
        return bounded(float(least * unit), found, checked)
    reason = f"no fair rule list has an objective below {float(objective):.10g}"
    return Outcome(True, reason, lower_bound=found["objective"], resolution=0.0, checked=checked, **found)


def prove_fair_rule_list(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    multipliers: np.ndarray,
    bounds: Mapping[bytes, int],
) -> Certificate:
    """A proof from multipliers and bounds on completions that a search met, of which the needed ones are kept.

    Parameters
    ----------
    problem : Problem
    model : RuleList
    parameters : mapping of str to float
        ``regularization``, ``majority``, ``min_group_size``, ``shift`` and the tolerances of rates. With
        ``lower_bound`` that is proven, and no more.
    multipliers : float64 array
        Of each rate and pair of groups.
    bounds : mapping of bytes to int
        Packed sets of the problem's patterns.

    Raises
    ------
    CertificateError
        When the bounds do not prove it.
    """
    space, _, cost, unit = _space(problem, model, parameters, multipliers)
    least = cost_to_prove(parameters, cost, unit)
    through = partial(meets_nothing_cheaper, space, least, parameters["majority"] == 1)
    return certificate_of(problem, parameters, {**kept(space, through, bounds), "multipliers": multipliers})


def _space(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], multipliers: np.ndarray
) -> tuple[FairSpace, Fraction, int, Fraction]:
    """The space, objective and cost of a model that is as fair as the parameters say, and what a unit is worth."""
    whole = in_whole_weights(problem)
    costs, objective, _ = recompute(problem, model, parameters["regularization"], whole)
    space = fair_space(in_whole_weights_by_group(problem), costs, parameters, multipliers)
    cost = objective / costs.unit
    if cost.denominator != 1:
        raise CertificateError("the regularization has too many digits for a certificate")
    check_parities(space.sides, space.constraints, model.predicts_positive(space.inside).astype(np.int64))
    if parameters["majority"] == 1:
        every = (*model.rules, model.default)
        for i, (rule, captured) in enumerate(zip(every, check_rules(problem, model), strict=True)):
            more = int(whole.positives[captured].sum()) > int(whole.negatives[captured].sum())
            if captured.any() and more != (rule.prediction == problem.classes[1]):
                raise CertificateError(f"rule {i + 1} of the model does not predict the majority of what it captures")
    return space, objective, int(cost), costs.unit
