"""Checks a proof that no rule set of some accuracy and complexity has a smaller gap between groups.

The proof is that of a fair rule set: of those whose gap is smaller than the model's, all lose more than the accuracy
allows. Gaps are multiples of 1 / L, where L is a common multiple of what the groups' rates are divided by, so that a
smaller gap is one of at most the model's less 1 / L. Where their rates were searched part by part, the parts hold these
sets, and in each part all lose too much. Rates of weights that are rounded, see `rulelab.certificate.rule_set.checker`,
prove that no gap is smaller by more than what rounding can hide.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...data.problem import Problem
from ...models import RuleSet
from ..certificate import Certificate, CertificateError
from ..origin import Origin
from ..outcome import Outcome
from ..whole_weights import divided
from .checker import MIN_GROUP_SIZE, ZERO_ONE, Case, Claim, check_model, prove, read_claim, read_linear, times_covered
from .dual import in_order, read_dual
from .pairs import GaveUpError
from .parity import GAP, Parity, Sides, check_gaps, most_wrong, parities, read_gaps, read_sides
from .partition import PART_RANGES, Parts, prove_parts

_ACCURACY = "min_accuracy"


def check(
    problem: Problem, model: RuleSet, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check dual values against the problem and the model."""
    checked: dict[str, int] = {}
    found: dict[str, Any] = {}
    try:
        case = Smaller(problem, model, parameters)
        found["objective"] = float(case.gap)
        if case.least and PART_RANGES in arrays:
            prove_parts(case, prove, arrays, {}, checked)
        elif case.least:
            prove(case, arrays, {}, checked)
    except GaveUpError as error:
        reason = f"the check was given up, nothing is known to be wrong: {error}"
        return Outcome(False, reason, checked=checked, **found)
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    claim, named = case.claim, " and ".join(name.replace("_", " ") for name in case.claim.tolerances)
    left_out = f", groups of fewer than {claim.min_group_size} rows left out" if claim.min_group_size else ""
    apart = "" if claim.zero_one else ", of rules that cover different rows"
    reason = (
        f"no rule set of complexity at most {claim.max_complexity}, of at most {claim.max_conditions} conditions a "
        f"rule{apart}, with an accuracy of at least {parameters[_ACCURACY]!r} has a gap in {named} below "
        f"{float(case.least):.10g}, {_counted(claim)} both{left_out}"
    )
    resolution = float(case.gap - case.least)
    return Outcome(True, reason, lower_bound=float(case.least), resolution=resolution, checked=checked, **found)


class Smaller(Case):
    """The sets of a smaller gap than the model's; as its cost stands the least one that is too much.

    ``gap``, ``least`` (Fraction): the model's, and what no gap is to be smaller than.
    """

    def __init__(self, problem: Problem, model: RuleSet, parameters: Mapping[str, float]) -> None:
        accuracy = parameters.get(_ACCURACY, math.nan)
        if not 0 <= accuracy <= 1:
            raise CertificateError(f"the accuracy of the certificate must be from 0 to 1, not {accuracy!r}")
        claimed, claim = read_gaps(parameters), _claim(parameters)
        check_model(problem, model, claim)
        sides = read_sides(divided(problem, True, any_size=True)[0], model.form, True)
        times = times_covered(sides.matrix, model)
        once = np.minimum(times, 1) if claim.zero_one else times
        self.gap = self.least = check_gaps(sides, model.form, claimed, claim.min_group_size, once)
        super().__init__(problem, model, replace(claim, tolerances=dict.fromkeys(claimed, self.gap)))
        counted, _, unit = self._exactly or (self.sides, None, self.unit)
        total, lost = int(counted.wanted.sum()) + int(counted.unwanted.sum()), int(counted.loss(times))  # in one unit
        most = most_wrong(accuracy, total)
        if lost > most:
            raise CertificateError(
                f"the model's accuracy, {_counted(claim)} it, is {float(1 - Fraction(lost, total))!r}, "
                f"below {accuracy!r}"
            )
        self.cost = (math.floor(most * unit / self.unit) // self.step + 1) * self.step
        if self._exactly is None:
            same = parities(sides, model.form, dict.fromkeys(claimed, self.gap), claim.min_group_size)
            smaller = self.gap - _least_difference(sides, same)
        else:  # rounding can hide so much of this gap, and as much of a smaller one
            smaller, self._exactly = self.gap - 2 * self.loosened, None
            self.least = max(Fraction(0), smaller - self.loosened)
        self.parities = [replace(parity, tolerance=smaller) for parity in self.parities]

    @property
    def refuted(self) -> str:
        """What is said when a set of a smaller gap is found."""
        return "a rule set of this accuracy that has a smaller gap than the model exists"


def _counted(claim: Claim) -> str:
    return f"as the {'training errors count' if claim.zero_one else 'Hamming loss counts'}"


def _claim(parameters: Mapping[str, float]) -> Claim:
    """What is said of the sets that are meant, checked; raises CertificateError."""
    own = {name: value for name, value in parameters.items() if name != _ACCURACY and not name.endswith(GAP)}
    smallest = own.pop(MIN_GROUP_SIZE, 0.0)
    claim = read_claim({**own, "regularization": 0.0}) if "regularization" not in own else None
    if claim is None or claim.bound_only or claim.tolerances:
        raise CertificateError("a certificate of a least gap has no regularization or tolerances, and proves no bound")
    if not (math.isfinite(smallest) and float(smallest).is_integer() and 0 <= smallest < 2**53):
        raise CertificateError(f"the parameter {MIN_GROUP_SIZE} must be a whole number of at least 0, not {smallest!r}")
    return replace(claim, min_group_size=int(smallest))


def _least_difference(sides: Sides, constraints: Sequence[Parity]) -> Fraction:
    """1 / L."""
    common = int(np.gcd.reduce(np.concatenate([sides.wanted, sides.unwanted], axis=None)))
    shares = (x.denominator for each in constraints for x in (*each.left_out, *each.covered) if x)
    return Fraction(1, math.lcm(*(size // common for size in shares)))


def prove_least_gap_rule_set(
    problem: Problem,
    model: RuleSet,
    dual: np.ndarray,
    price: int,
    grid: int,
    max_complexity: int,
    max_conditions: int,
    min_accuracy: float,
    multipliers: Mapping[str, np.ndarray],
    min_group_size: int = 0,
    zero_one: bool = False,
) -> Certificate:
    """A certificate that no rule set of this accuracy within the limits has a smaller gap.

    Raises CertificateError when the model does not fit the problem or the limits.

    Parameters
    ----------
    problem : Problem
        With groups.
    model : RuleSet
        Of the least gap.
    dual : int array, shape (n_groups, n_patterns)
    price, grid : int
        As for `prove_rule_set`, of the program of the sets of a smaller gap.
    max_complexity, max_conditions : int
        Which rule sets are meant.
    min_accuracy : float
        Of these those whose loss is at most 1 - min_accuracy of the weight.
    multipliers : mapping of str to float array, shape (n_groups, n_groups)
        For each rate of the gap the dual values of ``rate of group g - rate of group h <= the next smaller gap``.
    min_group_size : int
        Groups with fewer rows of the kind that a rate is measured on are left out.
    zero_one : bool
        Accuracy and rates are those of the predictions, not of the Hamming loss.
    """
    parameters = _parameters(
        problem, model, grid, max_complexity, max_conditions, min_accuracy, multipliers, min_group_size, zero_one
    )
    arrays = {
        "dual": np.array(dual, dtype=np.int64),
        "price": np.array([price], dtype=np.int64),
        "multipliers": np.array([multipliers[name] for name in sorted(multipliers)], dtype=np.float64),
    }
    case = Smaller(problem, model, parameters)
    read_dual(case.sides, case.parities, arrays, grid, case.per_loss, max_complexity)
    arrays = in_order(problem, arrays)
    return Certificate(model.family, problem.fingerprint, parameters, arrays, Origin.of(problem), in_order=True)


def prove_least_gap_rule_set_in_parts(
    problem: Problem,
    model: RuleSet,
    parts: Mapping[str, np.ndarray],
    max_complexity: int,
    max_conditions: int,
    min_accuracy: float,
    rates: Collection[str],
    min_group_size: int = 0,
    zero_one: bool = False,
) -> Certificate:
    """The same with dual values for each part of the rates.

    Raises CertificateError when the model does not fit the problem or the limits.

    Parameters
    ----------
    parts : mapping of str to array
        See `rulelab.certificate.rule_set.partition.prove_parts`; the rates are in the order of their names.
    max_complexity, max_conditions, min_accuracy
        As for `prove_least_gap_rule_set`.
    rates : collection of str
        Of the gap.
    min_group_size, zero_one
        As for `prove_least_gap_rule_set`.
    """
    limits = max_complexity, max_conditions, min_accuracy
    case = smaller_gaps(problem, model, *limits, rates, min_group_size, zero_one)
    parameters = _parameters(problem, model, 1, *limits, rates, min_group_size, zero_one)
    if parts:
        known = Parts(case, parts)
        for k in range(len(known)):
            read_linear(known.case(k), known.arrays(k))
    arrays = in_order(problem, parts)
    return Certificate(model.family, problem.fingerprint, parameters, arrays, Origin.of(problem), in_order=True)


def smaller_gaps(
    problem: Problem,
    model: RuleSet,
    max_complexity: int,
    max_conditions: int,
    min_accuracy: float,
    rates: Collection[str],
    min_group_size: int,
    zero_one: bool,
) -> Smaller:
    """What a certificate of a least gap has to prove; see `prove_least_gap_rule_set_in_parts`."""
    limits = max_complexity, max_conditions, min_accuracy
    return Smaller(problem, model, _parameters(problem, model, 1, *limits, rates, min_group_size, zero_one))


def _parameters(
    problem: Problem,
    model: RuleSet,
    grid: int,
    max_complexity: int,
    max_conditions: int,
    min_accuracy: float,
    rates: Collection[str],
    min_group_size: int,
    zero_one: bool,
) -> dict[str, float]:
    """Those of a certificate, with the gap of the model in each rate."""
    sides = read_sides(divided(problem, True, any_size=True)[0], model.form, True)
    times = times_covered(sides.matrix, model)
    measured = sides.measure(np.minimum(times, 1) if zero_one else times)
    out = {
        "max_complexity": float(max_complexity),
        "max_conditions": float(max_conditions),
        "grid": float(grid),
        _ACCURACY: float(min_accuracy) + 0.0,
    }
    if zero_one:
        out[ZERO_ONE] = 1.0
    if min_group_size:
        out[MIN_GROUP_SIZE] = float(min_group_size)
    for parity in parities(sides, model.form, dict.fromkeys(sorted(rates), Fraction(0)), min_group_size):
        known = [parity.rates(*measured)[g] for g in parity.compared]
        out[f"{parity.name}{GAP}"] = float(max(known) - min(known))
    return out
