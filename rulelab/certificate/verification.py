"""Checking a certificate with the checker that its family has, and how a proof rules out a model of one's choice."""

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
from .exclusion import Exclusion
from .falling_rule_list import checker as falling_rule_list
from .falling_rule_list import fair as fair_falling_rule_list
from .falling_rule_list import soft, soft_exclusion
from .falling_rule_list.checker import NEEDED
from .falling_rule_list.soft import PENALTY
from .multiclass import MultiClassCertificate
from .obeying import OF_ALL, about_all, check_of_all
from .origin import other_origin
from .outcome import Outcome, Verification
from .parts import within
from .rule_list import checker as rule_list
from .rule_list.constrained import demanding, least_gap, predictive
from .rule_list.constrained import fair as fair_rule_list
from .rule_list.constrained.value_space import TOLERANCE
from .rule_list.exclusion import exclude
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

_LEAST_GAPS: dict[type[Model], Callable[..., Outcome]] = {RuleList: least_gap.check, RuleSet: least_gap_of_sets.check}


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


def explain_proof(
    problem: Problem,
    model: Model,
    certificate: Certificate,
    asked: RuleList | FallingRuleList,
    time_limit: float | None = None,
) -> Exclusion:
    """The lines of a proof that show why a list of one's choice is no better than the proven one.

    The proof is checked first. Then the list is followed through its table: the cost of the rules so far and the least
    cost of what they leave never add up to less than the optimum, up to the line that ends the question.

    Parameters
    ----------
    problem : Problem
        The training data.
    model : RuleList or FallingRuleList
        The model that the certificate proves optimal.
    certificate : Certificate
        Of a rule list without further constraints, or of a softly falling list.
    asked : RuleList or FallingRuleList
        Any other list of that kind over the same antecedents: a rule list with labels of its own or without, a softly
        falling list with the weight and the penalty of the proof.
    time_limit : float, optional
        Seconds that checking the proof may take.

    Returns
    -------
    Exclusion
        ``str()`` says it in words, ``frame`` has the lines as numbers.

    Raises
    ------
    CertificateError
        When the proof is not valid, is of another kind, or the list does not fit the problem.
    TimeoutError
        When the proof is not checked within the time limit.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, [0, 1, 1, 0] * 5)
    >>> search = rl.RuleListSearch(problem, regularization=0.1)
    >>> best = rl.solve(search).incumbent.model
    >>> asked = rl.RuleList.from_problem(problem, [1])
    >>> print(rl.explain_proof(problem, best, search.certificate(), asked).lines[-1].kind)
    rule
    """
    if not isinstance(asked, RuleList | FallingRuleList):
        raise CertificateError(f"explain_proof asks about a RuleList, not about {type(asked).__name__}")
    checked = verify(problem, model, certificate, time_limit=time_limit)
    if not checked:
        raise CertificateError(f"the proof is not valid: {checked.reason}")
    certificate = about_all(certificate)
    if isinstance(model, FallingRuleList) and set(certificate.parameters) == {*NEEDED, PENALTY}:
        if not isinstance(asked, FallingRuleList):
            raise CertificateError("the proof is of a softly falling list: ask about a FallingRuleList")
        return soft_exclusion.exclude(problem, model, certificate.parameters, certificate.arrays, asked)
    plain = set(certificate.parameters) == {"regularization"} and {"sets", "values"} <= set(certificate.arrays)
    if not (isinstance(model, RuleList) and plain):
        beside = ", ".join(sorted(set(certificate.parameters) - {"regularization"}))
        this = f"this one is of a {model.family}{f' with {beside}' if beside else ''}".replace("_", " ")
        raise CertificateError(
            "only proofs of rule lists without further constraints, and of softly falling lists, can be explained; "
            f"{this}"
        )
    if not isinstance(asked, RuleList):
        raise CertificateError("the proof is of a rule list, and the list that is asked about is a falling one")
    return exclude(problem, model, certificate.parameters["regularization"], certificate.arrays, asked)
