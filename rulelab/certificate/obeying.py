"""A proof about all models, of one that obeys: no model is better, so none that obeys, and that it does is counted.

What it obeys stands beside the proof, as it would stand in a proof about models that obey.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..data.problem import Problem
from ..models import FallingRuleList, Model, RuleList, RuleSet
from .certificate import Certificate, CertificateError, check_arrays, check_parameters
from .demands import DEMANDS
from .falling_rule_list.fair_states import MAX_LENGTH
from .outcome import Outcome
from .rule_list.claim import check_majority
from .rule_list.constrained.demanding import FIRST, LONGEST, check_obeys, demands_of, in_short, names_asked
from .rule_list.constrained.predictive import check_values
from .rule_list.constrained.space import read_sizes
from .rule_list.constrained.value_space import TOLERANCE
from .rule_set.checker import MIN_GROUP_SIZE, check_model, read_claim, sides_of, times_covered
from .rule_set.parity import SUFFIX, check_parities, parities, read_sides, read_tolerances
from .whole_weights import divided

OF_ALL = "of_all"
"""The parameter that only these certificates have."""
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
    """A proof that a model is the best of all, which says what the model obeys.

    ``certificate``: about all models. ``parameters``: such as the tolerances of rates. ``arrays`` (mapping of str to
    array): such as those of demands.
    """
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


def check_of_all(
    problem: Problem, model: Model, certificate: Certificate, check: Callable[[Certificate], Outcome]
) -> Outcome:
    """Check that the model obeys what the certificate says, then the proof about all models."""
    try:
        words = " and ".join(filter(None, _obeyed(problem, model, certificate)))
    except CertificateError as error:
        return Outcome(False, str(error))
    found = check(about_all(certificate))
    if not found.valid or not words:  # no words: demands that ask for nothing
        return found
    reason = f"{found.reason}; this one {words}, counted on the rows"
    return replace(found, reason=reason, among=" and ".join(filter(None, (found.among, words))))


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
