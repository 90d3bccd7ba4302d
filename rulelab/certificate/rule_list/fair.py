"""Checks a proof that no fair rule list costs less: multipliers, bounds on completions, and all prefixes in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ...data.problem import Problem
from ...models import RuleList
from ..certificate import Certificate, CertificateError
from ..origin import Origin
from ..outcome import Outcome
from ..rule_set.parity import SUFFIX, check_parities
from .checker import recompute
from .fair_prefixes import meets_nothing_cheaper
from .fair_space import FairSpace, fair_space
from .fair_table import needed

Through = Callable[[Callable[[bytes], int]], int]
"""Goes through all prefixes, given a bound for each set, and returns how many; raises CertificateError."""

_CELLS = 1 << 21
_KNOWN = {"regularization", "majority", "min_group_size", "shift"}


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table and the multipliers against the problem and the model."""
    found: dict[str, Any] = {}
    checked: dict[str, int] = {}
    try:
        if "regularization" not in parameters or parameters.get("majority") not in (0, 1):
            raise CertificateError("the certificate does not say for which regularization and labels it speaks")
        if more := sorted(name for name in parameters if name not in _KNOWN and not name.endswith(SUFFIX)):
            raise CertificateError(f"the certificate has parameters that rule lists do not have: {', '.join(more)}")
        if set(arrays) != {"multipliers", "sets", "values"}:
            raise CertificateError(f"it must hold 'multipliers', 'sets' and 'values', not {sorted(arrays)}")
        space, objective, cost = _space(problem, model, parameters, arrays["multipliers"])
        found["objective"] = float(objective)
        majority = parameters["majority"] == 1
        through = partial(meets_nothing_cheaper, space, cost, majority)
        checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
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
        ``regularization``, ``majority``, ``min_group_size``, ``shift`` and the tolerances of rates.
    multipliers : float64 array
        Of each rate and pair of groups.
    bounds : mapping of bytes to int
        Packed sets of the problem's patterns.

    Raises
    ------
    CertificateError
        When the bounds do not prove it.
    """
    space, _, cost = _space(problem, model, parameters, multipliers)
    arrays = kept(space, partial(meets_nothing_cheaper, space, cost, parameters["majority"] == 1), bounds)
    arrays["multipliers"] = multipliers
    origin = None if problem.conditions is None else Origin.of(problem)
    return Certificate(RuleList.family, problem.fingerprint, dict(parameters), arrays, origin)


def check_table(space: FairSpace, through: Through, sets: np.ndarray, values: np.ndarray) -> dict[str, int]:
    """Check a table, and with its values go through all prefixes; what was counted. Raises CertificateError."""
    sets, values = _table(space, sets, values)
    table = dict(zip(map(bytes, sets), values.tolist(), strict=True))
    if len(table) < len(sets):
        raise CertificateError("a set is in the table twice")
    for part in _chunks(space, len(sets)):
        rest = needed(space, sets[part], values[part])
        for key, least in zip(map(bytes, rest.sets), rest.values.tolist(), strict=True):
            if table.get(key, 0) < least:
                raise CertificateError(f"a set of the table needs one that is worth {least}, which is not there")
    return {"sets": len(sets), "prefixes": through(_value_of(space, table))}


def kept(space: FairSpace, through: Through, bounds: Mapping[bytes, int]) -> dict[str, np.ndarray]:
    """Of bounds on completions those that going through all prefixes needs: "sets" and "values".

    Raises
    ------
    CertificateError
        When the bounds do not prove it.
    """
    used: dict[bytes, int] = {}
    value = _value_of(space, bounds)

    def noted(key: bytes) -> int:
        if key in bounds:
            used[key] = bounds[key]
        return value(key)

    through(noted)
    fresh, width = list(used), -(-len(space.inside) // 8)
    while fresh:
        sets = np.frombuffer(b"".join(fresh), dtype=np.uint8).reshape(-1, width)
        values = np.array([bounds[key] for key in fresh], dtype=np.int64)
        fresh = []
        for part in _chunks(space, len(sets)):
            for key in map(bytes, needed(space, sets[part], values[part]).sets):
                if key not in used:
                    if key not in bounds:
                        raise CertificateError("the bounds of the search do not bear each other out")
                    used[key] = bounds[key]
                    fresh.append(key)
    sets = np.frombuffer(b"".join(used), dtype=np.uint8).reshape(-1, width)
    return {"sets": sets, "values": np.array(list(used.values()), dtype=np.int64)}


def _space(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], multipliers: np.ndarray
) -> tuple[FairSpace, Fraction, int]:
    """The space, the model's objective and its cost, of a model that is as fair as the parameters say."""
    costs, objective, _ = recompute(problem, model, parameters["regularization"])
    space = fair_space(problem, costs, parameters, multipliers)
    cost = objective / costs.unit
    if cost.denominator != 1:
        raise CertificateError("the regularization has too many digits for a certificate")
    check_parities(space.sides, space.constraints, model.predicts_positive(space.inside).astype(np.int64))
    if parameters["majority"] == 1:
        for i, rule in enumerate((*model.rules, model.default)):
            if rule.captured and (rule.positives > rule.negatives) != (rule.prediction == problem.classes[1]):
                raise CertificateError(f"rule {i + 1} of the model does not predict the majority of what it captures")
    return space, objective, int(cost)


def _table(space: FairSpace, sets: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(space.inside)
    if sets.dtype != np.uint8 or sets.ndim != 2 or values.dtype != np.int64 or values.shape != sets.shape[:1]:
        raise CertificateError("'sets' and 'values' of the certificate must be bytes and one integer for each set")
    everything = np.packbits(np.ones(n, dtype=bool))
    if sets.shape[1] != len(everything) or (sets & ~everything).any():
        raise CertificateError(f"the sets of the certificate are not of the {n} patterns of this problem")
    if (values < 0).any() or (values > 1 << 61).any():
        raise CertificateError("a value of the table is negative or exceeds all costs")
    return sets, values


def _value_of(space: FairSpace, table: Mapping[bytes, int]) -> Callable[[bytes], int]:
    least = space.relaxed_rule
    return lambda key: max(least, table.get(key, least))


def _chunks(space: FairSpace, n: int) -> Iterator[slice]:
    step = max(1, _CELLS // max(1, *space.inside.shape))
    return (slice(start, start + step) for start in range(0, n, step))
