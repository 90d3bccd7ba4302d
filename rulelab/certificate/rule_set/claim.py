"""What a certificate of a rule set speaks of: its parameters, written and read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ...data.problem import Problem
from ...models import ModelError, RuleSet
from ..certificate import CertificateError
from ..origin import same_conditions
from .parity import SUFFIX, read_tolerances

PARAMETERS = ("max_complexity", "max_conditions", "regularization", "grid")
BOUND_ONLY = "bound_only"  # a parameter of certificates whose dual values are not meant to prove the model optimal
ZERO_ONE = "zero_one"  # a parameter of certificates whose loss is the training errors, not the Hamming loss
MIN_GROUP_SIZE = "min_group_size"
"""A parameter of certificates whose constraints leave out groups of fewer rows; without it none are."""


@dataclass(frozen=True)
class Claim:
    """What a certificate speaks of: its parameters."""

    max_complexity: int
    max_conditions: int
    regularization: Fraction = Fraction(0)
    grid: int = 1  # units of a dual value, per unit of cost
    tolerances: Mapping[str, Fraction] = field(default_factory=dict)  # of rates, by name
    bound_only: bool = False
    min_group_size: int = 0  # rows of a group that is compared, at least
    zero_one: bool = False  # whether the loss is the training errors

    @property
    def parameters(self) -> dict[str, float]:
        """As a certificate has them, and `read_claim` reads them."""
        out = {name: float(getattr(self, name)) for name in PARAMETERS}
        out |= {name: 1.0 for name in (BOUND_ONLY, ZERO_ONE) if getattr(self, name)}
        if self.tolerances and self.min_group_size:
            out[MIN_GROUP_SIZE] = float(self.min_group_size)
        return out | {name + SUFFIX: float(self.tolerances[name]) for name in sorted(self.tolerances)}


def read_claim(parameters: Mapping[str, float]) -> Claim:
    """The parameters of a certificate, checked; raises CertificateError."""
    named = {name: value for name, value in parameters.items() if not name.endswith(SUFFIX)}
    flags = {name: named.pop(name, 0.0) for name in (BOUND_ONLY, ZERO_ONE)}
    for name, value in flags.items():
        if value not in (0.0, 1.0):
            raise CertificateError(f"the parameter {name} must be 0 or 1, not {value!r}")
    least = read_group_size(named)
    if MIN_GROUP_SIZE in parameters and not any(name.endswith(SUFFIX) for name in parameters):
        raise CertificateError(f"the parameter {MIN_GROUP_SIZE} is {least!r}, but no rates of groups are compared")
    if set(named) != set(PARAMETERS):
        raise CertificateError(f"the parameters must be {', '.join(PARAMETERS)}, not {', '.join(sorted(named))}")
    regularization = named.pop("regularization")
    for name, value in named.items():
        if not (math.isfinite(value) and float(value).is_integer() and 1 <= value < 2**53):
            raise CertificateError(f"the parameter {name} must be a whole number of at least 1, not {value!r}")
    if not (math.isfinite(regularization) and regularization >= 0):
        raise CertificateError(f"the regularization must be at least 0, not {regularization!r}")
    return Claim(
        int(named["max_complexity"]),
        int(named["max_conditions"]),
        Fraction(repr(float(regularization))),
        int(named["grid"]),
        read_tolerances(parameters),
        bool(flags[BOUND_ONLY]),
        int(least),
        bool(flags[ZERO_ONE]),
    )


def read_group_size(named: dict[str, float]) -> float:
    """Take the least rows of a group from the parameters; raises CertificateError."""
    least = named.pop(MIN_GROUP_SIZE, 0.0)
    if not (math.isfinite(least) and float(least).is_integer() and 0 <= least < 2**53):
        raise CertificateError(f"the parameter {MIN_GROUP_SIZE} must be a whole number of at least 0, not {least!r}")
    return least


def check_model(problem: Problem, model: RuleSet, claim: Claim) -> None:
    """Refuse a model that is not one of this problem and within the limits; raises CertificateError."""
    try:
        again = RuleSet.from_problem(problem, model.clauses, model.form)
        said, known = ([x.conditions for rule in each.rules for x in rule.literals] for each in (model, again))
        if again != model or not all(map(same_conditions, said, known)):
            raise CertificateError("the model's rules or counts are not those of this problem")
    except (ModelError, TypeError) as error:
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
