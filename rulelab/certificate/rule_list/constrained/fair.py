"""Checks a proof that no fair rule list costs less: multipliers, bounds on completions, and all prefixes in between."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ....data.problem import Problem
from ....models import RuleList
from ...certificate import Certificate, CertificateError, check_arrays, check_parameters
from ...outcome import LOWER_BOUND, Outcome
from ...rule_set.parity import SUFFIX, check_parities
from ...whole_weights import divided
from ..claim import Claim, read_claim
from .prefixes import meets_nothing_cheaper
from .space import FairSpace, fair_space
from .table import certificate_of, check_table, kept


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table and the multipliers against the problem and the model."""
    found: dict[str, Any] = {}
    checked: dict[str, int] = {}
    try:
        optional = ("min_group_size", "shift", LOWER_BOUND)
        check_parameters(parameters, ("regularization", "majority"), "rule lists", optional, SUFFIX)
        check_arrays(arrays, ("multipliers", "sets", "values"))
        space, claim = _space(problem, model, parameters, arrays["multipliers"])
        found["objective"] = float(claim.objective)
        through = partial(meets_nothing_cheaper, space, claim.cost, parameters["majority"] == 1)
        checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    return claim.holds(checked)


def prove_fair_rule_list(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    multipliers: np.ndarray,
    bounds: Mapping[bytes, int],
) -> Certificate:
    """A proof from multipliers and bounds on completions that a search met, of which the needed ones are kept.

    Raises CertificateError when the bounds do not prove it.

    Parameters
    ----------
    parameters : mapping of str to float
        ``regularization``, ``majority``, ``min_group_size``, ``shift``, the tolerances of rates and maybe
        ``lower_bound``, where only that is to be proven.
    multipliers : float64 array
        Of each rate and pair of groups.
    bounds : mapping of bytes to int
        Packed sets of the problem's patterns.
    """
    space, claim = _space(problem, model, parameters, multipliers)
    through = partial(meets_nothing_cheaper, space, claim.cost, parameters["majority"] == 1)
    return certificate_of(problem, parameters, {**kept(space, through, bounds), "multipliers": multipliers})


def _space(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], multipliers: np.ndarray
) -> tuple[FairSpace, Claim]:
    """The space, and what is claimed of a model that is as fair as the parameters say."""
    claim = read_claim(problem, model, parameters)
    space = fair_space(divided(problem, True, any_size=True)[0], claim.costs, parameters, multipliers)
    check_parities(space.sides, space.constraints, model.predicts_positive(space.inside).astype(np.int64))
    return space, claim
