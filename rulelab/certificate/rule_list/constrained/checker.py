"""Checks a proof that no rule list that is fair, or obeys demands, costs less: multipliers, bounds, all prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from operator import and_

import numpy as np

from ....data.directions import DIRECTIONS, NEGATIVE, POSITIVE, allowed_labels, in_words
from ....data.problem import Problem
from ....models import RuleList
from ...certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ...demands import DEMANDS, LARGEST, Asked, asked_in_words, counted, names_of, read_asked
from ...outcome import LOWER_BOUND, Outcome, cost_to_prove, divided
from ...rule_set.parity import SUFFIX, check_parities
from ..checker import check_rules, recompute
from ..states import Grid
from .prefixes import Demands, meets_nothing_cheaper
from .space import FairSpace, Through, check_table, fair_space, kept

LABELS = "labels"
"""The array of those whose rules may not predict either class with every antecedent: see `allowed_labels`."""
FIRST, LONGEST = "first_rule", "max_length"


@dataclass(frozen=True, eq=False)
class Claim:
    """What a certificate of fair lists claims: none costs less than ``cost`` units, ``bound`` in the objective.

    ``objective``: of the model. ``optimal``: whether that is the model's cost, less what rounding can hide.
    """

    costs: Grid
    objective: Fraction
    cost: int
    bound: Fraction
    optimal: bool

    def holds(self, found: Outcome, lists: str = "fair rule list", among: str = "") -> None:
        """Say what is proven by a check in which nothing cheaper was met."""
        bound = float(self.bound)
        if not self.optimal:
            found.prove_bound(bound, among)
            return
        found.lower_bound, found.resolution = bound, float(self.objective - self.bound)
        which = f" that {among}" if among else ""
        found.prove(f"no {lists}{which} has an objective below {bound:.10g}", among)


def check_majority(problem: Problem, model: RuleList) -> None:
    """Refuse a model that predicts otherwise than most of what a rule captures; the negative class where both tie."""
    every = (*model.rules, model.default)
    for i, (rule, captured) in enumerate(zip(every, check_rules(problem, model), strict=True)):
        more = int(problem.masses.positives[captured].sum()) > int(problem.masses.negatives[captured].sum())
        if captured.any() and more != (rule.prediction == problem.classes[1]):
            raise CertificateError(f"rule {i + 1} of the model does not predict the majority of what it captures")


def read_claim(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> Claim:
    """What the parameters claim of a model, which is checked rule by rule; CertificateError if that is not so."""
    majority = parameters.get("majority", 0)
    if majority not in (0, 1):
        raise CertificateError("the certificate does not say for which labels it speaks")
    costs, objective, _, cost = recompute(problem, model, parameters["regularization"], problem.n_antecedents)
    if majority == 1:
        check_majority(problem, model)
    optimal = LOWER_BOUND not in parameters
    least = cost_to_prove(parameters, cost, costs.unit, costs.overestimate, costs.hidden)
    bound = objective if optimal and costs.exact else max(Fraction(0), least * costs.unit - costs.overestimate)
    return Claim(costs, objective, least, bound, optimal)


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Check the table, the multipliers of a fair list, and the demands against the problem and the model."""
    fair = any(name.endswith(SUFFIX) for name in parameters)
    obeys = DEMANDS in arrays
    needed = ("regularization", "majority") if fair else ("regularization",)
    optional = (*(("min_group_size",) if fair else ()), *((FIRST, LONGEST) if obeys else ()), "shift", LOWER_BOUND)
    check_parameters(parameters, needed, "rule lists that obey" if obeys else "rule lists", optional, SUFFIX)
    names = names_asked(arrays) if obeys else ()
    check_arrays(arrays, (*names, *(("multipliers",) if fair else ()), "sets", "values"))
    demands = demands_of(problem, parameters, arrays) if obeys else None
    space, claim, through = _space(problem, model, parameters, demands, arrays.get("multipliers"))
    found.objective = float(claim.objective)
    found.checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    among = "" if demands is None else in_short(problem, demands)
    claim.holds(found, "fair rule list" if fair else "rule list", among)


def prove_constrained_rule_list(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    bounds: Mapping[bytes, int],
    multipliers: np.ndarray | None = None,
    asked: Mapping[str, np.ndarray] | None = None,
) -> Certificate:
    """A proof from the bounds on completions that a search met, of which the needed ones are kept.

    ``parameters``: ``regularization``, ``shift``, and maybe ``lower_bound``, where only that is to be proven; of fair
    lists ``majority``, ``min_group_size`` and the tolerances of rates; of lists that obey maybe ``first_rule`` (its
    antecedent) and ``max_length``. ``bounds``: by packed sets of the problem's patterns. ``multipliers`` (float64
    array): of fair lists, for each rate and pair of groups. ``asked``, of lists that obey: ``demands``, uint8, shape
    (n_demands, n_antecedents), 1 where an antecedent meets a demand; where something may not be used any number of
    times ``uses``, uint8, shape (n_limits, n_antecedents), how often each antecedent uses it, and ``most_uses``, int64,
    shape (n_limits,), how often a list may; where rules may not predict either class with every antecedent ``labels``,
    see `rulelab.data.directions.allowed_labels`. Raises CertificateError when the bounds do not prove it.
    """
    demands = demands_of(problem, parameters, asked) if asked else None
    space, _, through = _space(problem, model, parameters, demands, multipliers)
    arrays = {**kept(problem, space, through, bounds), **(asked or {})}
    if multipliers is not None:
        arrays["multipliers"] = multipliers
    return certificate_of(problem, model.family, parameters, arrays, in_order=True)


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
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    demands: Demands | None,
    multipliers: np.ndarray | None,
) -> tuple[FairSpace, Claim, Through]:
    """The space, what is claimed of a model that is fair and obeys, and what goes through all prefixes."""
    claim = read_claim(problem, model, parameters)
    if demands is not None:
        check_obeys(problem, model, demands)
    space = fair_space(divided(problem, True, any_size=True)[0], claim.costs, parameters, multipliers)
    check_parities(space.sides, space.constraints, model.predicts_positive(space.inside).astype(np.int64))
    majority = parameters.get("majority") == 1
    if demands is not None:
        space, demands = replace(space, inside=space.inside[:, demands.labels > 0]), demands.possible
    return space, claim, partial(meets_nothing_cheaper, space, demands, claim.cost, majority)


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
