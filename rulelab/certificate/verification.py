"""Checking a certificate: what a check answers, and which checker a family has."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..data.directions import in_words
from ..data.multiclass import MultiClassProblem
from ..data.problem import Problem
from ..models import FallingRuleList, Model, MultiClassRuleList, RuleList, RuleSet
from .certificate import Certificate, CertificateError, is_plain
from .demands import DEMANDS
from .falling_rule_list import checker as falling_rule_list
from .falling_rule_list import fair as fair_falling_rule_list
from .falling_rule_list import soft
from .multiclass import MultiClassCertificate
from .obeying import OF_ALL, check_of_all
from .origin import other_origin
from .outcome import Outcome, Verification
from .parts import within
from .rule_list import checker as rule_list
from .rule_list.constrained import demanding, least_gap, predictive
from .rule_list.constrained import fair as fair_rule_list
from .rule_list.constrained.value_space import TOLERANCE
from .rule_set import checker as rule_set
from .rule_set import least_gap as least_gap_of_sets
from .rule_set.parity import GAP, SUFFIX

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
    time_limit: float | None = None,
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
    time_limit : float, optional
        Seconds that the check may take, looked at between its parts.

    Returns
    -------
    Verification
        A wrong proof is an answer, not an error: ``valid`` is False and ``reason`` says what failed.

    Raises
    ------
    CertificateError
        When an argument is of the wrong type.
    TimeoutError
        At the time limit: then nothing is known.
    """
    with within(time_limit, "the check"):
        return _verify(problem, model, certificate, regularization)


def _verify(problem: object, model: object, certificate: object, regularization: float | None) -> Verification:
    started = time.perf_counter()
    if isinstance(problem, MultiClassProblem):
        return _of_classes(problem, model, certificate, regularization)
    if not (isinstance(problem, Problem) and isinstance(model, Model) and isinstance(certificate, Certificate)):
        raise _wrong_type((problem, Problem), (model, Model), (certificate, Certificate))
    if certificate.in_order:
        problem = problem.in_order()
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
    if OF_ALL in certificate.parameters:
        return check_of_all(problem, model, certificate, lambda given: _check(problem, model, given, None))
    is_fair = any(name.endswith(SUFFIX) for name in certificate.parameters)
    if kind is RuleList and TOLERANCE in certificate.parameters:
        checker = predictive.check
    elif any(name.endswith(GAP) for name in certificate.parameters) and kind in _LEAST_GAPS:
        checker = _LEAST_GAPS[kind]
    elif kind is RuleList and DEMANDS in certificate.arrays:
        checker = demanding.check
    elif kind is FallingRuleList and soft.PENALTY in certificate.parameters:
        checker = soft.check
    elif kind in _FAIR and is_fair:
        checker = _FAIR[kind]
    return checker(problem, model, certificate.parameters, certificate.arrays)
