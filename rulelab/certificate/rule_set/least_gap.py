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

import numpy as np

from ...data.problem import Problem
from ...models import RuleSet
from ..certificate import Certificate, CertificateError, certificate_of
from ..outcome import Outcome, divided
from .checker import Case, least_cost, prove, times_covered
from .claim import MIN_GROUP_SIZE, ZERO_ONE, Claim, check_model, read_claim, read_group_size
from .dual import in_order
from .parity import GAP, Parity, Sides, check_gaps, most_wrong, parities, read_gaps, read_sides
from .partition import PART_RANGES, prove_parts
from .proof import require_readable

_ACCURACY = "min_accuracy"


def check(
    problem: Problem, model: RuleSet, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Check dual values against the problem and the model."""
    case = Smaller(problem, model, parameters)
    found.objective, of_dual = float(case.gap), Outcome(checked=found.checked)
    if case.least and PART_RANGES in arrays:
        prove_parts(case, least_cost, prove, arrays, of_dual)
    elif case.least:
        prove(case, arrays, of_dual)
    claim, named = case.claim, " and ".join(name.replace("_", " ") for name in case.claim.tolerances)
    left_out = f", groups of fewer than {claim.min_group_size} rows left out" if claim.min_group_size else ""
    apart = "" if claim.zero_one else ", of rules that cover different rows"
    found.lower_bound, found.resolution = float(case.least), float(case.gap - case.least)
    found.prove(
        f"no rule set of complexity at most {claim.max_complexity}, of at most {claim.max_conditions} conditions a "
        f"rule{apart}, with an accuracy of at least {parameters[_ACCURACY]!r} has a gap in {named} below "
        f"{found.lower_bound:.10g}, {_counted(claim)} both{left_out}"
    )


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
    smallest = read_group_size(own)
    claim = read_claim({**own, "regularization": 0.0}) if "regularization" not in own else None
    if claim is None or claim.bound_only or claim.tolerances:
        raise CertificateError("a certificate of a least gap has no regularization or tolerances, and proves no bound")
    return replace(claim, min_group_size=int(smallest))


def _least_difference(sides: Sides, constraints: Sequence[Parity]) -> Fraction:
    """1 / L."""
    common = int(np.gcd.reduce(np.concatenate([sides.wanted, sides.unwanted], axis=None)))
    shares = (x.denominator for each in constraints for x in (*each.left_out, *each.covered) if x)
    return Fraction(1, math.lcm(*(size // common for size in shares)))


def prove_least_gap_rule_set(
    problem: Problem,
    model: RuleSet,
    claim: Claim,
    min_accuracy: float,
    rates: Collection[str],
    arrays: Mapping[str, np.ndarray],
) -> Certificate:
    """A certificate that no rule set of this accuracy within the limits of a claim has a smaller gap in the rates.

    ``arrays``: as for `prove_rule_set`, of the program of the sets of a smaller gap, the largest of which is the
    tolerance. Raises CertificateError when the model does not fit the problem or the limits.
    """
    parameters = _parameters(problem, model, claim, min_accuracy, rates)
    require_readable(Smaller(problem, model, parameters), arrays)
    return certificate_of(problem, model.family, parameters, in_order(problem, arrays), in_order=True)


def smaller_gaps(
    problem: Problem, model: RuleSet, claim: Claim, min_accuracy: float, rates: Collection[str]
) -> Smaller:
    """What a certificate of a least gap has to prove; see `prove_least_gap_rule_set`."""
    return Smaller(problem, model, _parameters(problem, model, claim, min_accuracy, rates))


def _parameters(
    problem: Problem, model: RuleSet, claim: Claim, min_accuracy: float, rates: Collection[str]
) -> dict[str, float]:
    """Those of a certificate, with the gap of the model in each rate."""
    sides = read_sides(divided(problem, True, any_size=True)[0], model.form, True)
    times = times_covered(sides.matrix, model)
    measured = sides.measure(np.minimum(times, 1) if claim.zero_one else times)
    limits = {name: float(getattr(claim, name)) for name in ("max_complexity", "max_conditions", "grid")}
    out = {**limits, _ACCURACY: float(min_accuracy) + 0.0}
    out |= {name: float(value) for name in (ZERO_ONE, MIN_GROUP_SIZE) if (value := getattr(claim, name))}
    for parity in parities(sides, model.form, dict.fromkeys(sorted(rates), Fraction(0)), claim.min_group_size):
        known = [parity.rates(*measured)[g] for g in parity.compared]
        out[f"{parity.name}{GAP}"] = float(max(known) - min(known))
    return out
