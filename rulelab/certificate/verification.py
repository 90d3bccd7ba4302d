"""Checking a certificate: what a check answers, and which checker a family has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..data.directions import in_words
from ..data.multiclass import MultiClassProblem
from ..data.problem import Problem
from ..models import FallingRuleList, Model, MultiClassRuleList, RuleList, RuleSet
from ..shown import Fact, Shown
from .agreement import other_origin
from .certificate import Certificate, CertificateError, is_plain
from .demands import DEMANDS
from .falling_rule_list import checker as falling_rule_list
from .falling_rule_list import fair as fair_falling_rule_list
from .falling_rule_list import soft
from .outcome import Outcome
from .rule_list import checker as rule_list
from .rule_list.constrained import demanding, fair_and_demanding, least_gap, predictive
from .rule_list.constrained import fair as fair_rule_list
from .rule_list.constrained.value_space import TOLERANCE
from .rule_set import checker as rule_set
from .rule_set import least_gap as least_gap_of_sets
from .rule_set.parity import GAP, SUFFIX

if TYPE_CHECKING:
    from ..multiclass import MultiClassCertificate

_STATES = {"optimal": "proven optimal", "bound": "only a bound is proven", "refused": "refused: nothing is proven"}


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The answer of `verify`; true as a condition when the proof holds.

    Attributes
    ----------
    valid : bool
        The model is proven optimal for this problem and these parameters.
    reason : str
        What was proven, or the first thing that is wrong.
    state : str
        ``"optimal"``: the model is proven optimal (``valid``). ``"bound"``: only ``lower_bound`` is proven, and the
        model may be optimal or not. ``"refused"``: nothing is proven.
    parameters : mapping of str to float
        For which the certificate speaks, such as ``regularization``.
    objective, lower_bound : float or None
        The model's objective, recomputed, and the bound that the table claims; None where an earlier check failed.
    resolution : float or None
        The proven difference of the two before they are rounded to floats: 0 where all costs are exact.
    checked : mapping of str to int
        Counts of what was checked.
    seconds : float
        Wall time of the check.
    among : str
        What the model must do, as all do that it is proven to be the best of; empty: anything.
    """

    valid: bool
    reason: str
    state: str = "refused"
    parameters: Mapping[str, float] = field(default_factory=dict)
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    among: str = ""

    def __bool__(self) -> bool:
        return self.valid

    def _title(self) -> str:
        return f"Verification, {_STATES.get(self.state, self.state)}"

    def _facts(self) -> Iterator[Fact]:
        yield "reason", self.reason
        yield "among those of which each", self.among or None
        yield "objective", self.objective
        yield "lower bound", self.lower_bound
        yield "resolution", self.resolution or None
        yield from ((name.replace("_", " "), value) for name, value in self.parameters.items())
        yield "checked", tuple(f"{n} {name.replace('_', ' ')}" for name, n in self.checked.items())
        yield "seconds", round(self.seconds, 3)


_CHECKERS: dict[str, tuple[type[Model], Callable[..., Outcome]]] = {
    RuleList.family: (RuleList, rule_list.check),
    FallingRuleList.family: (FallingRuleList, falling_rule_list.check),
    RuleSet.family: (RuleSet, rule_set.check),
}

_FAIR: dict[type[Model], Callable[..., Outcome]] = {
    RuleList: fair_rule_list.check,
    FallingRuleList: fair_falling_rule_list.check,
}

_LEAST_GAPS: dict[type[Model], Callable[..., Outcome]] = {
    RuleList: least_gap.check,
    RuleSet: least_gap_of_sets.check,
}


def verify(
    problem: Problem | MultiClassProblem,
    model: Model | MultiClassRuleList,
    certificate: Certificate | MultiClassCertificate,
    regularization: float | None = None,
) -> Verification:
    """Check a proof of optimality without the search that made it.

    Parameters
    ----------
    problem : Problem or MultiClassProblem
        The training data.
    model : Model or MultiClassRuleList
        The model that is claimed to be optimal.
    certificate : Certificate or MultiClassCertificate
    regularization : float, optional
        What the certificate must speak for; by default whatever it says (see `Verification.parameters`).

    Returns
    -------
    Verification
        A wrong proof is an answer, not an error: ``valid`` is False and ``reason`` says what failed.

    Raises
    ------
    CertificateError
        When an argument is of the wrong type.
    """
    started = time.perf_counter()
    if isinstance(problem, MultiClassProblem):
        return _of_classes(problem, model, certificate, regularization)
    if not (isinstance(problem, Problem) and isinstance(model, Model) and isinstance(certificate, Certificate)):
        raise _wrong_type((problem, Problem), (model, Model), (certificate, Certificate))
    outcome = _check(problem, model, certificate, regularization)
    aside = f", without {', '.join(problem.left_out)}" if outcome.valid and problem.left_out else ""
    ways = in_words(problem.directions) if outcome.valid else ""
    aside += f", all conditions {ways}" if ways else ""
    return Verification(
        valid=outcome.valid,
        reason=outcome.reason + aside,
        state="optimal" if outcome.valid else "bound" if outcome.bounded else "refused",
        parameters=dict(certificate.parameters),
        objective=outcome.objective,
        lower_bound=outcome.lower_bound,
        resolution=outcome.resolution,
        checked=outcome.checked,
        seconds=time.perf_counter() - started,
        among=outcome.among,
    )


def _of_classes(
    problem: MultiClassProblem, model: object, certificate: object, regularization: float | None
) -> Verification:
    """As `verify`, of a list of several classes, whose proof may be as it is loaded from a file."""
    from ..multiclass import MultiClassCertificate

    if isinstance(certificate, Certificate):
        try:
            certificate = MultiClassCertificate.of(certificate)
        except CertificateError as error:
            return Verification(False, str(error))
    if not (isinstance(model, MultiClassRuleList) and isinstance(certificate, MultiClassCertificate)):
        raise _wrong_type((model, MultiClassRuleList), (certificate, MultiClassCertificate))
    answer = certificate.check(problem, model)
    if answer and regularization not in (None, certificate.regularization):
        reason = f"the certificate is for the regularization {certificate.regularization!r}, not {regularization!r}"
        answer = replace(answer, valid=False, state="refused", reason=reason, lower_bound=None)
    return answer


def _wrong_type(*given: tuple[object, type]) -> CertificateError:
    value, kind = next((value, kind) for value, kind in given if not isinstance(value, kind))
    return CertificateError(f"verify needs a {kind.__name__}, not a {type(value).__name__}")


def _check(problem: Problem, model: Model, certificate: Certificate, regularization: float | None) -> Outcome:
    def refuse(reason: str) -> Outcome:
        return Outcome(False, reason)

    if certificate.family not in _CHECKERS:
        return refuse(f"there is no checker for certificates of the family {certificate.family!r}")
    kind, checker = _CHECKERS[certificate.family]
    if not isinstance(model, kind):
        return refuse(f"the certificate is of the family {certificate.family!r}, the model of {model.family!r}")
    if certificate.fingerprint != problem.fingerprint:
        return refuse("the certificate was made for other data: the fingerprints of the problems differ")
    for name, value in certificate.parameters.items():
        if not is_plain(value):
            return refuse(f"the parameter {name} of the certificate must be finite and no negative zero, not {value!r}")
    if certificate.origin is not None and (wrong := other_origin(certificate.origin, problem)):
        return refuse(wrong)
    claimed = certificate.parameters.get("regularization")
    if regularization is not None and claimed != regularization:
        return refuse(f"the certificate is for the regularization {claimed!r}, not {regularization!r}")
    is_fair = any(name.endswith(SUFFIX) for name in certificate.parameters)
    if kind is RuleList and TOLERANCE in certificate.parameters:
        checker = predictive.check
    elif kind is RuleList and DEMANDS in certificate.arrays and is_fair:
        checker = fair_and_demanding.check
    elif kind is FallingRuleList and soft.PENALTY in certificate.parameters:
        checker = soft.check
    elif kind in _FAIR and is_fair:
        checker = _FAIR[kind]
    elif any(name.endswith(GAP) for name in certificate.parameters) and kind in _LEAST_GAPS:
        checker = _LEAST_GAPS[kind]
    elif kind is RuleList and DEMANDS in certificate.arrays:
        checker = demanding.check
    return checker(problem, model, certificate.parameters, certificate.arrays)
