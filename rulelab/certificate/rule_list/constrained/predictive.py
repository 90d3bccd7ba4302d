"""Checks a proof that no rule list of predictive parity costs less: ranges of the least value, each with its proof.

The ranges must cover all numbers from 0 to 1. In each the proof is that of a fair rule list under the linear
constraints that hold there (multipliers, bounds on completions, all prefixes in between), but that lists which meet
these are judged by the criterion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ....data.problem import Problem
from ....models import RuleList
from ...certificate import Certificate, CertificateError, check_arrays, check_parameters
from ...outcome import LOWER_BOUND, Outcome
from ...whole_weights import divided
from ..claim import Claim, read_claim
from .table import Through, certificate_of, check_table, kept
from .value_space import TOLERANCE, Values, meets_nothing_cheaper, read_values

_NEEDED = ("regularization", "majority", TOLERANCE)
_MOST_RANGES = 1024


class ProvenRange(NamedTuple):
    """What a search found of the lists whose least predictive value is in a range."""

    low: float
    high: float
    multipliers: np.ndarray
    """float64, shape (2 * n_groups,): of the lower and the upper end of each group that is compared."""
    bounds: Mapping[bytes, int]  # bounds on completing packed sets of the problem's patterns, at these multipliers


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table and the multipliers of each range against the problem and the model."""
    found: dict[str, Any] = {}
    checked = {"ranges": 0, "sets": 0, "prefixes": 0}
    try:
        check_parameters(parameters, _NEEDED, "rule lists", ("min_group_size", "shift", LOWER_BOUND))
        check_arrays(arrays, ("ends", "multipliers", "sizes", "sets", "values"))
        claim, values = _read(problem, model, parameters)
        found["objective"] = float(claim.objective)
        ends, sizes = _ranges(arrays)
        stops = np.cumsum(sizes)
        for i, (stop, size) in enumerate(zip(stops.tolist(), sizes.tolist(), strict=True)):
            entries = slice(stop - size, stop)
            space = values.space(claim.costs, float(ends[i]), float(ends[i + 1]), arrays["multipliers"][i])
            through = partial(meets_nothing_cheaper, space, values, claim.cost, parameters["majority"] == 1)
            counted = check_table(space, through, arrays["sets"][entries], arrays["values"][entries])
            for name, number in ({"ranges": 1} | counted).items():
                checked[name] += number
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    return claim.holds(checked)


def prove_predictive_parity(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], ranges: Sequence[ProvenRange]
) -> Certificate:
    """A proof from what a search found of each range, of which what is needed is kept.

    ``parameters``: ``regularization``, ``majority``, ``min_group_size``, ``shift``, ``precision_tolerance`` and maybe
    ``lower_bound``, where only that is to be proven. ``ranges``: from 0 to 1, one after another. Raises
    CertificateError when the bounds do not prove it.
    """
    claim, values = _read(problem, model, parameters)
    tables = []
    for one in ranges:
        space = values.space(claim.costs, one.low, one.high, one.multipliers)
        through: Through = partial(meets_nothing_cheaper, space, values, claim.cost, parameters["majority"] == 1)
        tables.append(kept(space, through, one.bounds))
    arrays = {
        "ends": np.array([one.low for one in ranges] + [ranges[-1].high], dtype=np.float64),
        "multipliers": np.stack([one.multipliers for one in ranges]),
        "sizes": np.array([len(table["values"]) for table in tables], dtype=np.int64),
        **{name: np.concatenate([table[name] for table in tables]) for name in ("sets", "values")},
    }
    _ranges(arrays)
    return certificate_of(problem, parameters, arrays)


def _read(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> tuple[Claim, Values]:
    """What is claimed, and the criterion, which the model meets."""
    return read_claim(problem, model, parameters), check_values(problem, model, parameters)


def check_values(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> Values:
    """The criterion of a certificate, which a model must meet; raises CertificateError."""
    whole, _ = divided(problem, True, any_size=True)
    values = read_values(whole, parameters)
    if not values.fair(values.counts(model.predicts_positive(whole.matrix()))[None]).all():
        raise CertificateError(
            "the model breaks a constraint: the predictive values of two groups differ by more than "
            f"{float(values.tolerance):.6g}"
        )
    return values


def _ranges(arrays: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the ranges, from 0 to 1, and how many entries of the table each has; raises CertificateError."""
    ends, sizes, multipliers = (arrays[name] for name in ("ends", "sizes", "multipliers"))
    n = len(ends) - 1 if ends.ndim == 1 and ends.dtype == np.float64 else 0
    if not 1 <= n <= _MOST_RANGES or ends[0] != 0 or ends[-1] != 1 or not (ends[1:] > ends[:-1]).all():
        raise CertificateError(f"the ranges of the certificate must be at most {_MOST_RANGES}, from 0 up to 1")
    if sizes.dtype != np.int64 or sizes.shape != (n,) or multipliers.ndim != 2 or len(multipliers) != n:
        raise CertificateError("the certificate must have multipliers and a number of sets for each range")
    tables = arrays["sets"], arrays["values"]
    if any(array.ndim == 0 or len(array) != sum(sizes.tolist()) for array in tables) or (sizes < 0).any():
        raise CertificateError("the sets of the certificate are not those of its ranges")
    return ends, sizes
