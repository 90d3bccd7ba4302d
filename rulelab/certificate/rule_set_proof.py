"""Puts the dual values that a search ended with into a certificate for a rule set."""

from __future__ import annotations

import numpy as np

from ..models import RuleSet
from ..problem import Problem
from .certificate import Certificate
from .origin import Origin
from .rule_set import check_model, read_claim


def prove_rule_set(
    problem: Problem,
    model: RuleSet,
    dual: np.ndarray,
    price: int,
    grid: int,
    max_complexity: int,
    max_conditions: int,
    regularization: float = 0.0,
) -> Certificate:
    """A certificate that no rule set within the limits has a smaller Hamming loss.

    Parameters
    ----------
    problem : Problem
        With whole weights.
    model : RuleSet
        An optimal set, of either form.
    dual : int array, shape (n_patterns,)
        Dual value of each pattern's covering constraint times the pattern's weight, in units of 1 / (grid * Q) rows,
        where Q is the denominator of the regularization; for the form ``cnf`` those of the negatives' constraints.
    price : int
        Dual value of a unit of complexity in the same units, so large that no rule gains.
    grid : int
        At least 1.
    max_complexity, max_conditions : int
        Which rule sets are meant.
    regularization : float
        Cost of a unit of complexity, in rows.

    Returns
    -------
    Certificate
        `rulelab.verify` says whether the dual values prove the model optimal; it enumerates the rules that they leave.

    Raises
    ------
    CertificateError
        When the model does not fit the problem or the limits.
    """
    parameters = {
        "max_complexity": float(max_complexity),
        "max_conditions": float(max_conditions),
        "regularization": float(regularization),
        "grid": float(grid),
    }
    check_model(problem, model, read_claim(parameters))
    return Certificate(
        family=model.family,
        fingerprint=problem.fingerprint,
        parameters=parameters,
        arrays={"dual": np.array(dual, dtype=np.int64), "price": np.array([price], dtype=np.int64)},
        origin=Origin.of(problem),
    )
