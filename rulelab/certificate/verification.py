"""Checking a certificate with the checker that its family has, and how a proof rules out a model of one's choice.

A proof about all models, of one that obeys, says what it obeys beside the proof, as it would stand in a proof about
models that obey: no model is better, so none that obeys, and that it does is counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..data.directions import in_words
from ..data.multiclass import MultiClassProblem
from ..data.problem import Problem
from ..models import FallingRuleList, Model, MultiClassRuleList, RuleList, RuleSet
from .certificate import Certificate, CertificateError, check_arrays, check_parameters, is_plain
from .demands import DEMANDS
from .falling_rule_list import checker as falling_rule_list
from .falling_rule_list import fair as fair_falling_rule_list
from .falling_rule_list import soft
from .falling_rule_list.fair import MAX_LENGTH
from .falling_rule_list.soft import PENALTY
from .multiclass import MultiClassCertificate
from .origin import other_origin
from .outcome import Outcome, Verification, divided
from .parts import within
from .rule_list import checker as rule_list
from .rule_list.constrained import checker as constrained
from .rule_list.constrained import least_gap, predictive
from .rule_list.constrained.checker import (
    FIRST,
    LONGEST,
    check_majority,
    check_obeys,
    demands_of,
    in_short,
    names_asked,
)
from .rule_list.constrained.predictive import TOLERANCE, check_values
from .rule_list.constrained.space import read_sizes
from .rule_list.exclusion import Exclusion, exclude
from .rule_set import checker as rule_set
from .rule_set import least_gap as least_gap_of_sets
from .rule_set.checker import sides_of, times_covered
from .rule_set.claim import MIN_GROUP_SIZE, check_model, read_claim
from .rule_set.parity import GAP, SUFFIX, check_parities, parities, read_sides, read_tolerances

OF_ALL = "of_all"  # the parameter that only these certificates have
_MAJORITY = "majority"
_LISTS = (MIN_GROUP_SIZE, FIRST, LONGEST, _MAJORITY)
_BESIDE: dict[str, tuple[str, ...]] = {
    RuleList.family: _LISTS,
    FallingRuleList.family: (MIN_GROUP_SIZE, MAX_LENGTH),
    RuleSet.family: (MIN_GROUP_SIZE,),
}
"""What is obeyed, besides tolerances, as parameters."""


def of_all(
    certificate: Certificate, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray] | None = None
) -> Certificate:
    """A proof about all models with what its own obeys: such as tolerances of rates, and arrays of demands."""
    together = {**certificate.parameters, **parameters, OF_ALL: 1.0}
    return replace(certificate, parameters=together, arrays={**certificate.arrays, **(arrays or {})})


def about_all(certificate: Certificate) -> Certificate:
    """The proof about all models, without what its own obeys."""
    if OF_ALL not in certificate.parameters:
        return certificate
    beside = {OF_ALL, *_BESIDE[certificate.family]}
    demanded = names_asked(certificate.arrays) if certificate.family == RuleList.family else ()
    return replace(
        certificate,
        parameters={k: v for k, v in certificate.parameters.items() if k not in beside and not k.endswith(SUFFIX)},
        arrays={name: array for name, array in certificate.arrays.items() if name not in demanded},
    )


def _obeyed(problem: Problem, model: Model, certificate: Certificate) -> Iterator[str]:
    """What a model is found to obey, in words; raises CertificateError where it does not."""
    parameters = certificate.parameters
    if parameters[OF_ALL] != 1:
        raise CertificateError(f"the {OF_ALL} of a certificate must be 1, not {parameters[OF_ALL]!r}")
    of_rates = {name: value for name, value in parameters.items() if name.endswith(SUFFIX)}
    if isinstance(model, RuleSet):
        claim = read_claim({k: v for k, v in parameters.items() if k != OF_ALL})
        check_model(problem, model, claim)
        sides, compared = sides_of(divided(problem, bool(of_rates), True)[0], model.form, claim)
        check_parities(sides, compared, times_covered(sides.matrix, model))
    elif isinstance(model, RuleList) and TOLERANCE in of_rates:
        check_parameters(of_rates, (TOLERANCE,), "lists of predictive parity")
        check_values(problem, model, parameters)
    elif of_rates:
        whole, _ = divided(problem, True, True)
        sides = read_sides(whole, "dnf", True)
        compared = parities(sides, "dnf", read_tolerances(parameters), read_sizes(parameters)[0])
        check_parities(sides, compared, model.predicts_positive(whole.matrix()).astype(np.int64))
    for name, value in sorted(of_rates.items()):
        yield f"keeps the {name.removesuffix(SUFFIX).replace('_', ' ')} of groups at most {value:.10g} apart"
    if isinstance(model, FallingRuleList) and MAX_LENGTH in parameters:
        longest = parameters[MAX_LENGTH]
        if len(model) > longest:
            raise CertificateError(f"the model has {len(model)} rules, more than the {longest:g} of the certificate")
        yield f"has at most {longest:g} rule{'' if longest == 1 else 's'}"
    if isinstance(model, RuleList) and _MAJORITY in parameters:
        check_majority(problem, model)
        yield "predicts majorities"
    if isinstance(model, RuleList) and (DEMANDS in certificate.arrays or {FIRST, LONGEST} & set(parameters)):
        check_arrays(certificate.arrays, {*certificate.arrays, *names_asked(certificate.arrays)})
        demands = demands_of(problem, parameters, certificate.arrays)
        check_obeys(problem, model, demands)
        yield in_short(problem, demands)


Checker = Callable[..., None]
"""Is given a problem, a model, and parameters and arrays of a certificate, and says what it finds to an `Outcome`."""
_CHECKERS: dict[str, tuple[type[Model], Checker]] = {
    RuleList.family: (RuleList, rule_list.check),
    FallingRuleList.family: (FallingRuleList, falling_rule_list.check),
    RuleSet.family: (RuleSet, rule_set.check),
}

_FAIR: dict[type[Model], Checker] = {RuleList: constrained.check, FallingRuleList: fair_falling_rule_list.check}

_LEAST_GAPS: dict[type[Model], Checker] = {RuleList: least_gap.check, RuleSet: least_gap_of_sets.check}


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
    found = Outcome()
    try:
        checker = _checker(problem, model, certificate, regularization)
        if OF_ALL in certificate.parameters:
            words = " and ".join(filter(None, _obeyed(problem, model, certificate)))
            found = _check(problem, model, about_all(certificate), None)
            if found.valid and words:  # no words: demands that ask for nothing
                among = " and ".join(filter(None, (found.among, words)))
                found.prove(f"{found.reason}; this one {words}, counted on the rows", among)
            return found
        checker(problem, model, certificate.parameters, certificate.arrays, found)
    except CertificateError as error:
        found.valid, found.reason = False, str(error)
    return found


def _checker(problem: Problem, model: Model, certificate: Certificate, regularization: float | None) -> Checker:
    """What checks a certificate; raises CertificateError when it is of something else."""
    parameters = certificate.parameters
    if certificate.family not in _CHECKERS:
        raise CertificateError(f"there is no checker for certificates of the family {certificate.family!r}")
    kind, checker = _CHECKERS[certificate.family]
    if not isinstance(model, kind):
        raise CertificateError(
            f"the certificate is of the family {certificate.family!r}, the model of {model.family!r}"
        )
    if certificate.fingerprint != problem.fingerprint:
        raise CertificateError("the certificate was made for other data: the fingerprints of the problems differ")
    for name, value in parameters.items():
        if not is_plain(value):
            raise CertificateError(
                f"the parameter {name} of the certificate must be finite and no negative zero, not {value!r}"
            )
    if certificate.origin is not None and (wrong := other_origin(certificate.origin, problem)):
        raise CertificateError(wrong)
    claimed = parameters.get("regularization")
    if regularization is not None and claimed != regularization:
        raise CertificateError(f"the certificate is for the regularization {claimed!r}, not {regularization!r}")
    if kind is RuleList and TOLERANCE in parameters:
        return predictive.check
    if any(name.endswith(GAP) for name in parameters) and kind in _LEAST_GAPS:
        return _LEAST_GAPS[kind]
    if kind is RuleList and DEMANDS in certificate.arrays:
        return constrained.check
    if kind is FallingRuleList and PENALTY in parameters:
        return soft.check
    if kind in _FAIR and any(name.endswith(SUFFIX) for name in parameters):
        return _FAIR[kind]
    return checker


def explain_proof(
    problem: Problem, model: Model, certificate: Certificate, asked: RuleList, time_limit: float | None = None
) -> Exclusion:
    """The lines of a proof that show why a list of one's choice is no better than the proven one.

    The proof is checked first. Then the list is followed through its table: the cost of the rules so far and the least
    cost of what they leave never add up to less than the optimum, up to the line that ends the question.

    Parameters
    ----------
    problem : Problem
        The training data.
    model : RuleList
        The model that the certificate proves optimal.
    certificate : Certificate
        Of a rule list without further constraints.
    asked : RuleList
        Any other list over the same antecedents, with labels of its own or without.
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
    if not isinstance(asked, RuleList):
        raise CertificateError(f"explain_proof asks about a RuleList, not about {type(asked).__name__}")
    checked = verify(problem, model, certificate, time_limit=time_limit)
    if not checked:
        raise CertificateError(f"the proof is not valid: {checked.reason}")
    certificate = about_all(certificate)
    plain = set(certificate.parameters) == {"regularization"} and {"sets", "values"} <= set(certificate.arrays)
    if not (isinstance(model, RuleList) and plain):
        beside = ", ".join(sorted(set(certificate.parameters) - {"regularization"}))
        this = f"this one is of a {model.family}{f' with {beside}' if beside else ''}".replace("_", " ")
        raise CertificateError(f"only proofs of rule lists without further constraints can be explained; {this}")
    return exclude(problem, model, certificate.parameters["regularization"], certificate.arrays, asked)
