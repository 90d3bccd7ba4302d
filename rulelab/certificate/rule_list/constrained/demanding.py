"""Checks a proof that no rule list that obeys demands, and is fair, costs less: multipliers, bounds, all prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial, reduce
from itertools import product
from operator import and_
from typing import Any

import numpy as np

from ....data.directions import DIRECTIONS, NEGATIVE, POSITIVE, allowed_labels, in_words
from ....data.problem import Problem
from ....models import RuleList
from ...certificate import Certificate, CertificateError, check_arrays, check_parameters
from ...demands import LARGEST, Asked, asked_in_words, counted, names_of, read_asked
from ...outcome import LOWER_BOUND, Outcome
from ...rule_set.parity import SUFFIX, check_parities
from ...whole_weights import divided
from ..claim import Claim, read_claim
from .demanding_prefixes import Demands, meets_nothing_cheaper
from .space import FairSpace, fair_space
from .table import Through, certificate_of, check_table, kept

LABELS = "labels"
"""The array of those whose rules may not predict either class with every antecedent: see `allowed_labels`."""
FIRST, LONGEST = "first_rule", "max_length"


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]
) -> Outcome:
    """Check the table, the multipliers of a fair list, and the demands against the problem and the model."""
    found: dict[str, Any] = {}
    checked: dict[str, int] = {}
    fair = any(name.endswith(SUFFIX) for name in parameters)
    needed = ("regularization", "majority") if fair else ("regularization",)
    optional = (*(("min_group_size",) if fair else ()), "shift", FIRST, LONGEST, LOWER_BOUND)
    try:
        check_parameters(parameters, needed, "rule lists that obey", optional, SUFFIX)
        check_arrays(arrays, (*names_asked(arrays), *(("multipliers",) if fair else ()), "sets", "values"))
        demands = demands_of(problem, parameters, arrays)
        space, claim, through = _space(problem, model, parameters, demands, arrays.get("multipliers"))
        found["objective"] = float(claim.objective)
        checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    except CertificateError as error:
        return Outcome(False, str(error), checked=checked, **found)
    return claim.holds(checked, "fair rule list" if fair else "rule list", in_short(problem, demands))


def prove_demanding_rule_list(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    asked: Mapping[str, np.ndarray],
    bounds: Mapping[bytes, int],
    multipliers: np.ndarray | None = None,
) -> Certificate:
    """A proof from the bounds on completions that a search met, of which the needed ones are kept.

    Raises CertificateError when the bounds do not prove it.

    Parameters
    ----------
    parameters : mapping of str to float
        ``regularization``, ``shift``, ``first_rule`` where its antecedent is given, and ``max_length`` where there is
        one. With ``lower_bound`` that is proven, and no more. Of fair lists also those of `prove_fair_rule_list`.
    asked : mapping of str to array
        ``demands``: uint8, shape (n_demands, n_antecedents), 1 where an antecedent meets a demand. Where something may
        not be used any number of times: ``uses``, uint8, shape (n_limits, n_antecedents), how often each antecedent
        uses it, and ``most_uses``, int64, shape (n_limits,), how often a list may. Where rules may not predict either
        class with every antecedent: ``labels``, see `rulelab.data.directions.allowed_labels`.
    bounds : mapping of bytes to int
        Packed sets of the problem's patterns.
    multipliers : float64 array, optional
        Of fair lists, for each rate and pair of groups.
    """
    demands = demands_of(problem, parameters, asked)
    space, _, through = _space(problem, model, parameters, demands, multipliers)
    arrays = {**kept(space, through, bounds), **asked}
    return certificate_of(problem, parameters, arrays | ({} if multipliers is None else {"multipliers": multipliers}))


def names_asked(arrays: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Which of the arrays say what is demanded of a list."""
    return (*names_of(arrays), *((LABELS,) if LABELS in arrays else ()))


def demands_of(problem: Problem, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]) -> Demands:
    """What a certificate demands of lists; raises CertificateError."""
    m = problem.n_antecedents
    meets, uses, most = read_asked(arrays, m)
    either = np.full(m, NEGATIVE | POSITIVE, dtype=np.uint8)
    labels: np.ndarray = arrays.get(LABELS, either)
    if labels.dtype != np.uint8 or labels.shape != (m,) or (labels > either).any():
        raise CertificateError(f"'{LABELS}' must be numbers from 0 to {NEGATIVE | POSITIVE}, one for each antecedent")
    first, longest = (parameters.get(name) for name in (FIRST, LONGEST))
    if first is not None and not (first == int(first) and 0 <= first < m):
        raise CertificateError(f"the first rule must be one of {m} antecedents, not {first!r}")
    if longest is not None and not (longest == int(longest) and 0 <= longest < LARGEST):
        raise CertificateError(f"the most rules must be a whole number, not {longest!r}")
    numbers = (None if x is None else int(x) for x in (first, longest))
    return Demands(meets, next(numbers), uses, most, next(numbers), labels)


def _space(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], demands: Demands, multipliers: np.ndarray | None
) -> tuple[FairSpace, Claim, Through]:
    """The space, what is claimed of a model that obeys and is fair, and what goes through all prefixes."""
    claim = read_claim(problem, model, parameters)
    check_obeys(problem, model, demands)
    space = fair_space(divided(problem, True, any_size=True)[0], claim.costs, parameters, multipliers)
    check_parities(space.sides, space.constraints, model.predicts_positive(space.inside).astype(np.int64))
    space = replace(space, inside=space.inside[:, demands.labels > 0])
    majority = parameters.get("majority") == 1
    return space, claim, partial(meets_nothing_cheaper, space, demands.possible, claim.cost, majority)


def check_obeys(problem: Problem, model: RuleList, demands: Demands) -> None:
    """Raise CertificateError when a model does not do what is demanded."""
    some = (rule for rule in model.rules if rule.positives + rule.negatives > 0)
    used = [rule.antecedent for rule in some if rule.antecedent is not None]
    if demands.first is not None and (not model.rules or model.rules[0].antecedent != demands.first or not used):
        raise CertificateError("the model does not begin with the first rule that it must have")
    if demands.first is not None and used[0] != demands.first:
        raise CertificateError("the first rule of the model captures nothing")
    if not demands.meets[:, used].any(axis=1).all():
        raise CertificateError("the model does not use all that it must")
    every = [rule.antecedent for rule in model.rules if rule.antecedent is not None]
    if demands.longest is not None and len(every) > demands.longest:
        raise CertificateError(f"the model has {len(every)} rules, more than the {demands.longest} of the certificate")
    if (demands.uses[:, every].sum(axis=1) > demands.most).any():
        raise CertificateError("the model uses something more often than it may")
    for rule in model.rules:
        label = POSITIVE if rule.prediction == problem.classes[1] else NEGATIVE
        if rule.antecedent is not None and not demands.labels[rule.antecedent] & label:
            raise CertificateError(f"a rule of the model may not predict what it does: {rule.name}")


def in_short(problem: Problem, demands: Demands) -> str:
    """What lists do by demand, in words."""
    return " and ".join(_in_words(problem, demands))


def _in_words(problem: Problem, demands: Demands) -> Iterable[str]:
    """What lists do by demand."""
    if demands.first is not None:
        yield f"begins with {problem.names[demands.first]}"
    yield from asked_in_words(problem, Asked(demands.meets, demands.uses, demands.most))
    if (demands.labels < NEGATIVE | POSITIVE).any():
        yield _obeyed(problem, demands.labels)
    if demands.longest is not None:
        yield f"has at most {counted(demands.longest, 'rule')}"


def _obeyed(problem: Problem, labels: np.ndarray) -> str:
    """Which directions rules obey that may predict this, each with every condition that it has."""
    found = []
    columns = dict.fromkeys(c.column for some in problem.conditions or () for c in some)
    for given in product(columns, DIRECTIONS):
        try:
            may = allowed_labels((given,), problem.conditions)
        except ValueError:
            continue
        if not (labels & ~may).any():
            found.append((given, may))
    together = reduce(and_, (may for _, may in found), np.full_like(labels, NEGATIVE | POSITIVE))
    if found and (together == labels).all():
        return f"is {in_words(tuple(given for given, _ in found))} rule by rule"
    return "predicts with each antecedent what it may"
