"""A certificate for a lower bound alone: no model costs less than that, whether or not the given one is the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .certificate import CertificateError
from .outcome import Outcome

LOWER_BOUND = "lower_bound"
"""The parameter that only these certificates have: what no objective is below."""
_ROUNDED_DOWN = 1 - Fraction(1, 10**12)
"""Of a bound that is a double."""


def for_bound(lower_bound: float | None) -> dict[str, float]:
    """The parameters of a certificate for this bound; none for one that a model is optimal."""
    return {} if lower_bound is None else {LOWER_BOUND: float(lower_bound) + 0.0}


def cost_to_prove(parameters: Mapping[str, float], value: int, unit: Fraction, over: Fraction = Fraction(0)) -> int:
    """What no list may cost less than: the model's cost, or the one that the certificate is for.

    Parameters
    ----------
    parameters : mapping of str to float
    value : int
        The model's cost.
    unit : Fraction
        What one unit of cost is worth in the objective.
    over : Fraction
        By how much costs can exceed the objective.

    Raises
    ------
    CertificateError
        When the bound is none, or above the model's objective.
    """
    if LOWER_BOUND not in parameters:
        return value
    claimed = parameters[LOWER_BOUND]
    if not 0 < claimed <= 1e300:
        raise CertificateError(f"the {LOWER_BOUND} of a certificate must be above 0, not {claimed!r}")
    cost = math.ceil((Fraction(claimed) * _ROUNDED_DOWN + over) / unit)
    if not 0 < cost <= value:
        raise CertificateError(f"the certificate is for the bound {claimed:.10g}, which is above the model's objective")
    return cost


def bounded(lower_bound: float, found: Mapping[str, Any], checked: dict[str, int], among: str = "") -> Outcome:
    """What is answered where the bound is proven."""
    reason = f"the certificate is for a bound: {lower_bound:.10g} is proven, and no more"
    rest = {name: value for name, value in found.items() if name != "lower_bound"}
    return Outcome(False, reason, bounded=True, among=among, lower_bound=lower_bound, checked=checked, **rest)
