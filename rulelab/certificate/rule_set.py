"""Checks a proof that a rule set has the least Hamming loss: dual values, and all rules that a better set could use.

A set of the form ``cnf`` is checked as the ``dnf`` of the other class over the negated antecedents. Costs are integers:
with the regularization P / Q per unit of complexity, Q * loss + P * complexity. Dual values t >= 0 on a grid of G units
per cost, at most G Q times a pattern's positive weight, and a price p >= 0 per unit of complexity prove for every set

    G * cost  >=  sum t - p C  +  sum over its rules of rho,    rho = (p + G P) c - sum over covered patterns of a,
    a = t - G Q * negative weight,

when no rule has rho < 0 (weak duality; c is the rule's complexity, C the largest allowed). A rule of a set that costs
less than the model has rho <= slack = G (cost of the model - 1) - sum t + p C. So the checker enumerates all rules with
rho <= slack (`rule_set_columns`), and when there are any, all sets of them that matter (`rule_set_closing`). Everything
is computed here, in exact integers; no solver's word is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..models import ModelError, RuleSet
from ..problem import Problem
from .certificate import CertificateError
from .outcome import Outcome
from .rule_set_closing import Closing
from .rule_set_columns import columns

PARAMETERS = ("max_complexity", "max_conditions", "regularization", "grid")
LARGEST = 2**62


@dataclass(frozen=True)
class Claim:
    """What a certificate speaks of, in integers: C, D, the regularization, G."""

    max_complexity: int
    max_conditions: int
    regularization: Fraction
    grid: int


def check(
    problem: Problem, model: RuleSet, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check dual values against the problem and the model."""
    found: dict[str, float] = {}
    checked: dict[str, int] = {}
    try:
        claim = read_claim(parameters)
        check_model(problem, model, claim)
        objective = model.hamming_loss + claim.regularization * model.complexity
        found["objective"] = float(objective)
        matrix, positives, negatives = mirrored(problem, model.form)
        q, p = claim.regularization.denominator, claim.regularization.numerator
        dual, price = _dual(problem, claim, arrays, claim.grid * q * positives)
        weight = dual - claim.grid * q * negatives
        bound = int(dual.sum()) - price * claim.max_complexity
        cost = int(objective * q)
        slack = claim.grid * (cost - 1) - bound
        full_price = price + claim.grid * p
        cheap = columns(matrix, weight, full_price, max(slack, -1), claim.max_conditions)
        reduced = full_price * cheap.complexity - cheap.covered @ weight
        checked.update(conjunctions=cheap.counted, columns=len(reduced), sets=0)
        if (reduced < 0).any():
            raise CertificateError("the dual values are not feasible: a rule gains more than it costs")
        found["lower_bound"] = float(Fraction(max(0, min(cost, math.ceil(Fraction(bound, claim.grid)))), q))
        if slack >= 0:
            closing = Closing(
                cheap.covered,
                cheap.complexity,
                reduced,
                dual,
                claim.grid * q * positives,
                price,
                slack,
                claim.max_complexity,
            )
            better = closing.finds_better()
            checked["sets"] = closing.nodes
            if better:
                raise CertificateError(
                    f"a rule set with an objective below {float(objective):.10g} exists; the dual values prove a lower "
                    f"bound of {found['lower_bound']:.10g} only"
                )
            found["lower_bound"] = float(objective)
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    scope = f"complexity at most {claim.max_complexity}, at most {claim.max_conditions} conditions a rule"
    return Outcome(
        valid=True,
        reason=f"no rule set has an objective below {found['lower_bound']:.10g} ({scope})",
        resolution=0.0,
        checked=checked,
        **found,
    )


def read_claim(parameters: Mapping[str, float]) -> Claim:
    """The parameters of a certificate, checked; raises CertificateError."""
    if set(parameters) != set(PARAMETERS):
        raise CertificateError(f"the parameters must be {', '.join(PARAMETERS)}, not {', '.join(sorted(parameters))}")
    whole = {name: parameters[name] for name in PARAMETERS if name != "regularization"}
    for name, value in whole.items():
        if not (math.isfinite(value) and float(value).is_integer() and 1 <= value < 2**53):
            raise CertificateError(f"the parameter {name} must be a whole number of at least 1, not {value!r}")
    regularization = parameters["regularization"]
    if not (math.isfinite(regularization) and regularization >= 0):
        raise CertificateError(f"the regularization must be at least 0, not {regularization!r}")
    return Claim(
        int(whole["max_complexity"]),
        int(whole["max_conditions"]),
        Fraction(repr(float(regularization))),
        int(whole["grid"]),
    )


def check_model(problem: Problem, model: RuleSet, claim: Claim) -> None:
    """Refuse a model that is not one of this problem and within the limits; raises CertificateError."""
    if not problem.integral:
        raise CertificateError("rule sets are certified for whole weights only")
    try:
        if RuleSet.from_problem(problem, model.clauses, model.form) != model:
            raise CertificateError("the model's rules or counts are not those of this problem")
    except ModelError as error:
        raise CertificateError(f"the model does not fit the problem: {error}") from None
    if model.complexity > claim.max_complexity:
        raise CertificateError(
            f"the model has complexity {model.complexity}, more than the {claim.max_complexity} of the certificate"
        )
    longest = max((len(clause) for clause in model.clauses), default=0)
    if longest > claim.max_conditions:
        raise CertificateError(
            f"a rule of the model has {longest} conditions, more than the {claim.max_conditions} of the certificate"
        )


def mirrored(problem: Problem, form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matrix, positives and negatives of the ``dnf`` problem that a form stands for."""
    matrix = problem.matrix()
    if form == "cnf":
        return ~matrix, problem.negatives, problem.positives
    return matrix, problem.positives, problem.negatives


def _dual(
    problem: Problem, claim: Claim, arrays: Mapping[str, np.ndarray], limit: np.ndarray
) -> tuple[np.ndarray, int]:
    """Dual values per pattern and the price per unit of complexity, both on the grid."""
    if set(arrays) != {"dual", "price"}:
        raise CertificateError(f"the certificate must hold 'dual' and 'price', not {sorted(arrays)}")
    dual, price = arrays["dual"], arrays["price"]
    if dual.dtype != np.int64 or dual.shape != (problem.n_patterns,) or price.dtype != np.int64 or price.shape != (1,):
        raise CertificateError("'dual' must be one integer for each pattern, 'price' one integer")
    units = claim.grid * claim.regularization.denominator * int(problem.total_weight)
    if units >= LARGEST or claim.grid * claim.regularization.numerator * claim.max_complexity >= LARGEST:
        raise CertificateError("the grid is too fine for exact integers")
    if (dual < 0).any() or (dual > limit).any():
        raise CertificateError("a dual value is negative, or more than its pattern's weight")
    if not 0 <= price[0] < LARGEST // claim.max_complexity:
        raise CertificateError("the price of a unit of complexity is negative or too large")
    return dual, int(price[0])
