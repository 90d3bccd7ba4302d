"""Checks a proof that no fair rule list that obeys demands costs less: multipliers, bounds, and all prefixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ....data.problem import Problem
from ....models import RuleList
from ...bound import LOWER_BOUND, bounded
from ...certificate import Certificate, CertificateError
from ...contents import check_arrays, check_parameters
from ...outcome import Outcome
from ...rule_set.parity import SUFFIX, check_parities
from ...whole_weights import in_whole_weights_by_group
from ..claim import Claim, read_claim
from .demanding import FIRST, LONGEST, check_obeys, demands_of, in_short, names_asked
from .demanding_prefixes import Demands
from .fair_and_demanding_prefixes import meets_nothing_cheaper
from .prefix_table import Through, certificate_of, check_table, kept
from .space import FairSpace, fair_space


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table, the multipliers and the demands against the problem and the model."""
    found: dict[str, Any] = {}
    checked: dict[str, int] = {}
    try:
        optional = ("min_group_size", "shift", FIRST, LONGEST, LOWER_BOUND)
        check_parameters(parameters, ("regularization", "majority"), "rule lists", optional, SUFFIX)
        check_arrays(arrays, (*names_asked(arrays), "multipliers", "sets", "values"))
        demands = demands_of(problem, parameters, arrays)
        space, claim, through = _space(problem, model, parameters, arrays["multipliers"], demands)
        found["objective"] = float(claim.objective)
        checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    among = in_short(problem, demands)
    if not claim.optimal:
        return bounded(claim.bound, found, checked, among)
    reason = f"no fair rule list{among and f' that {among}'} has an objective below {claim.bound:.10g}"
    return Outcome(True, reason, among=among, lower_bound=claim.bound, resolution=0.0, checked=checked, **found)


def prove_fair_demanding_rule_list(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    asked: Mapping[str, np.ndarray],
    multipliers: np.ndarray,
    bounds: Mapping[bytes, int],
) -> Certificate:
    """A proof from multipliers and bounds on completions that a search met, of which the needed ones are kept.

    Parameters
    ----------
    problem : Problem
    model : RuleList
    parameters : mapping of str to float
        As of `prove_fair_rule_list`, with ``first_rule`` and ``max_length`` as of `prove_demanding_rule_list`.
    asked : mapping of str to array
        The demands, as of `prove_demanding_rule_list`.
    multipliers : float64 array
        Of each rate and pair of groups.
    bounds : mapping of bytes to int
        Packed sets of the problem's patterns.

    Raises
    ------
    CertificateError
        When the bounds do not prove it.
    """
    demands = demands_of(problem, parameters, asked)
    space, _, through = _space(problem, model, parameters, multipliers, demands)
    return certificate_of(problem, parameters, {**kept(space, through, bounds), **asked, "multipliers": multipliers})


def _space(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    multipliers: np.ndarray,
    demands: Demands,
) -> tuple[FairSpace, Claim, Through]:
    """The space, what is claimed of a model that is fair and obeys, and what goes through all prefixes."""
    claim = read_claim(problem, model, parameters)
    check_obeys(problem, model, demands)
    space = fair_space(in_whole_weights_by_group(problem), claim.costs, parameters, multipliers)
    check_parities(space.sides, space.constraints, model.predicts_positive(space.inside).astype(np.int64))
    space = replace(space, inside=space.inside[:, demands.labels > 0])
    majority = parameters["majority"] == 1
    return space, claim, partial(meets_nothing_cheaper, space, demands.possible, claim.cost, majority)
