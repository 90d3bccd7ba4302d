"""Checks a bound on rule sets whose rates are searched part by part: the least that any part shows.

Of a part that the search has not ended, dual values show what its sets cost at least, and so do its rates alone. No
more than the least of these bounds can be proven. Of a part that has ended, dual values may show less: there the rules
that they leave are enumerated, and all sets of them, to see that none costs less than that bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..certificate import CertificateError
from .effort import GaveUpError
from .parted import Parts

ENDED = {"part_ended": np.dtype(np.uint8)}
"""The array that says which parts the search has ended: 0 or 1 for each."""


def bound_parts(
    case: Any,
    least_cost: Callable[[Any, Mapping[str, np.ndarray], dict[str, int]], int],
    prove: Callable[[Any, Mapping[str, np.ndarray], dict[str, Any], dict[str, int]], None],
    arrays: Mapping[str, np.ndarray],
    found: dict[str, Any],
    checked: dict[str, int],
) -> None:
    """Fill in what is found; raises CertificateError where the proof fails, or is for less than the model's cost.

    Parameters
    ----------
    case : Case of `rulelab.certificate.rule_set.checker`
    least_cost : callable
        What the dual values of a part alone show.
    prove : callable
        What checks that no set of a part costs less than its case.
    arrays : mapping of str to array
        As for `rulelab.certificate.rule_set.parted.prove_parts`, and ``part_ended``.
    """
    found["objective"] = float(case.worth)
    parts = Parts(case, arrays, ENDED)
    (ended,) = (arrays[name] for name in ENDED)
    if (ended > 1).any():
        raise CertificateError("whether a part has ended must be 0 or 1")
    parts.require_all()
    bounds = []
    for k, box in enumerate(parts.boxes):
        with parts.counting(k, checked) as counts:
            linear = least_cost(parts.case(k), parts.arrays(k), counts)
        within = parts.space.tightened(box)
        by_rates = case.cost if within is None else parts.space.least_cost(within)
        bounds.append(min(case.cost, max(linear, by_rates)))
    least = min([case.cost, *(bound for bound, done in zip(bounds, ended, strict=True) if not done)])
    for k, bound in enumerate(bounds):
        if ended[k] and bound < least:
            part = parts.case(k)
            part.cost = least
            try:
                with parts.counting(k, checked) as counts:
                    prove(_proven(part), parts.arrays(k), {}, counts)
            except GaveUpError:
                least = bound
    checked.setdefault("parts", 0)
    found["lower_bound"] = case.objective(least)
    if least < case.cost:
        raise CertificateError(for_a_bound(found["lower_bound"]))


def _proven(part: Any) -> Any:
    """The case of a part, all of which is to be proven."""
    part.claim = replace(part.claim, bound_only=False)
    return part


def for_a_bound(lower_bound: float) -> str:
    """What is said of a certificate that proves a bound only."""
    return f"the certificate is for a bound: {lower_bound:.10g} is proven, and no more"
