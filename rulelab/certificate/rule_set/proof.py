"""Puts the dual values that a search ended with into a certificate for a rule set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...data.problem import Problem
from ...models import RuleSet
from ..certificate import Certificate, certificate_of
from .checker import Case, read_linear
from .claim import Claim, check_model, read_claim
from .demands import read_demands
from .dual import in_order
from .partition import PART_RANGES, Parts


def prove_rule_set(problem: Problem, model: RuleSet, claim: Claim, arrays: Mapping[str, np.ndarray]) -> Certificate:
    """A certificate that no rule set has a smaller loss of those that are within the limits of a claim, and obey.

    `rulelab.verify` says whether the dual values prove the model optimal; it enumerates the rules that they leave.
    ``problem``: with whole weights; with groups where rates are compared. ``claim``: with tolerances, negatives (for
    ``cnf`` positives) count once for every rule that covers them, as in the Hamming loss, in the rates, too. With
    ``bound_only`` the dual values are to prove a bound on all rule sets; that the model meets it is not claimed. Raises
    CertificateError when the model does not fit the problem or the limits. ``arrays``:

    - ``dual``: int64, shape (n_patterns,), or (n_groups, n_patterns) with tolerances: the dual value of each pattern's
    covering constraint times its weight (in the group), in units of 1 / (grid * Q) rows, where Q is the denominator of
    the regularization; for ``cnf`` those of the negatives' constraints. If ``zero_one``, of the patterns in which the
    class that rules should cover prevails, by what it does; with tolerances of what rules should cover in each group,
    and behind them of what they should not.

    - ``price``: int64, shape (1,), of a unit of complexity in the same units, so large that no rule gains.

    - ``multipliers``, with tolerances: float64, shape (n_rates, n_groups, n_groups), in the order of the rates' names,
    the dual values of ``rate of group g - rate of group h <= tolerance``, at least 0, in units of 1 / Q rows; 0 for
    groups that are left out.

    - Instead of these those of parts, see `rulelab.certificate.rule_set.partition.prove_parts`.

    - ``demands``, where sets have to obey: uint8, shape (n_demands, n_antecedents), 1 where an antecedent meets a
    demand; where something may not be used any number of times ``uses``, uint8, shape (n_limits, n_antecedents), how
    often each antecedent uses it, and ``most_uses``, int64, shape (n_limits,), how often a set may; and
    ``demand_prices``, int64, shape (n_demands + n_limits,), the dual values, at least 0, in the units of ``dual``.
    """
    check_model(problem, model, read_claim(claim.parameters))
    return certificate_of(problem, model.family, claim.parameters, in_order(problem, arrays), in_order=True)


def require_checkable(problem: Problem, model: RuleSet, certificate: Certificate) -> None:
    """Refuse dual values that `rulelab.verify` would not read, such as those too large for exact sums."""
    problem = problem.in_order()
    demands, priced, others = read_demands(problem, certificate.arrays)
    require_readable(Case(problem, model, read_claim(certificate.parameters), demands, priced), others)


def require_readable(case: Case, arrays: Mapping[str, np.ndarray]) -> None:
    """Read the dual values of a case, whole or in parts; raises CertificateError."""
    if PART_RANGES not in arrays:
        read_linear(case, arrays)
        return
    parts = Parts(case, arrays)
    for k in range(len(parts)):
        read_linear(parts.case(k), parts.arrays(k))
