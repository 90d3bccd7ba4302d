"""Checks a proof that a rule list is optimal: a table of lower bounds that bear each other out.

Let f(S) be the least further cost once exactly the set S of patterns is uncaptured: the default rule's errors on S, or
a rule's errors on what it captures, plus the rule, plus f of what it leaves. A table gives values V(S) for sets S. If

    V(S) <= errors of the default rule on S,    and for every antecedent a that captures part of S
    V(S) <= errors of a on S + rule + V'(S minus a),    V'(T) the larger of V(T), if in the table, and h(T) <= f(T),

then V <= f on the table, by induction on the size of S, and V(all patterns) = cost of the model proves it optimal.
An antecedent whose majority weight in S does not pay for a rule is skipped: some optimal list has no such rule
(Thm 11, in context). The bound h is computed here, see `children`; sets of the table named as lemmas bound V' of other
sets, see `hints`, and so may pairs of patterns with multipliers, which can also show V(S) <= f(S) by themselves. All
sums are exact.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import Rule, RuleList
from ..certificate import CertificateError, check_parameters
from ..origin import same_conditions
from ..outcome import LOWER_BOUND, Outcome, cost_to_prove, nearly
from .children import Wanted, opened
from .hints import ARRAYS as PAIRS
from .hints import Lemmas, Separation
from .states import Grid, States, grid, read_table, states


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Check the table against the problem and the model."""
    check_parameters(parameters, ("regularization",), "rule lists", (LOWER_BOUND,))
    regularization = parameters["regularization"]
    costs, objective, value, cost = recompute(problem, model, regularization)
    space = states(problem, costs)
    found.objective = float(objective)
    if set(arrays) - {"lemmas", *PAIRS} != {"sets", "values"}:
        raise CertificateError(
            f"the certificate must hold 'sets', 'values' and maybe 'lemmas' and pairs, not {sorted(arrays)}"
        )
    sets, values = arrays["sets"], arrays["values"]
    table = read_table(sets, values, len(space.weights), space.per_error * space.total)
    root = table.get(bytes(space.everything[0]))
    if root is None:
        raise CertificateError("the table does not hold the set of all patterns, so it proves nothing about the model")
    proven = root + space.per_error * space.constant
    bound = proven * costs.unit - costs.overestimate
    if LOWER_BOUND in parameters:
        least = cost_to_prove(parameters, value, costs.unit, costs.overestimate)
        if root != max(0, least - space.per_error * space.constant):
            raise CertificateError("the table claims another bound than the certificate")
        _check_table(problem, space, arrays, table, sets, values, found.checked)
        found.prove_bound(float(bound))
        return
    if proven != value:
        raise CertificateError(
            f"the table claims the bound {float(bound):.10g}, but the model's objective is {float(objective):.10g}"
        )
    lower_bound = objective if costs.exact else bound
    found.lower_bound = float(lower_bound)
    rounding = costs.tolerance + len(model) * (costs.rule - costs.per_rule * costs.unit)
    if value < cost if costs.exact else objective - lower_bound > rounding:
        raise CertificateError("a rule of the model does not predict the majority of what it captures")
    _check_table(problem, space, arrays, table, sets, values, found.checked)
    found.resolution = float(objective - lower_bound)
    found.prove(f"no rule list has an objective below {found.lower_bound:.10g} at regularization {regularization!r}")


def _lemmas(space: States, arrays: Mapping[str, np.ndarray], sets: np.ndarray, values: np.ndarray) -> Lemmas:
    chosen = arrays.get("lemmas", np.zeros(0, dtype=np.int64))
    if chosen.dtype != np.int64 or chosen.ndim != 1 or (chosen < 0).any() or (chosen >= len(sets)).any():
        raise CertificateError("'lemmas' of the certificate must be positions of sets of its table")
    if (chosen[1:] <= chosen[:-1]).any():
        raise CertificateError("'lemmas' of the certificate must be ascending")
    return Lemmas(space, sets[chosen], values[chosen])


def _check_table(
    problem: Problem,
    space: States,
    arrays: Mapping[str, np.ndarray],
    table: dict[bytes, int],
    sets: np.ndarray,
    values: np.ndarray,
    checked: dict[str, int],
) -> None:
    """Check the inequalities of all sets; raises CertificateError for the first that does not hold."""
    checked.update(sets=len(sets), inequalities=len(sets) * (1 + len(space.antecedents)), looked_up=0)
    lemmas, separation = _lemmas(space, arrays, sets, values), Separation.read(space, arrays)
    for part in space.chunks(len(sets), len(lemmas)):
        checked["looked_up"] += check_chunk(
            problem, space, table, lemmas, separation, sets[part], values[part], part.start
        )


def check_chunk(
    problem: Problem,
    space: States,
    table: dict[bytes, int],
    lemmas: Lemmas,
    separation: Separation,
    sets: np.ndarray,
    values: np.ndarray,
    start: int,
) -> int:
    """Check the inequalities of some sets; how many children were looked up. What several rules leave comes once."""
    place = np.flatnonzero(separation.least(sets) < values)  # pairs alone show it of the others
    sets, values = sets[place], values[place]
    rules = opened(space, sets, values, lemmas, separation)

    def refuse(parent: int, what: str, most: str) -> None:
        size = int(np.bitwise_count(sets[parent]).sum())
        raise CertificateError(
            f"set {start + place[parent]} of the table ({size} of {len(space.weights)} patterns) claims that what "
            f"follows costs at least {values[parent]}, but {what} {most}"
        )

    for parent in rules.exceeded[:1]:
        refuse(parent, "the default rule alone", "costs less")
    each = Wanted.after(space, sets, rules)
    once, group = each.once()
    known = np.array([table.get(bytes(child), -1) for child in once.sets], dtype=np.int64)
    doubtful = np.zeros(len(known), dtype=bool)
    rows = np.flatnonzero(known < once.required)
    doubtful[rows[once.take(rows).unproven(space, lemmas)]] = True
    rows = np.flatnonzero(doubtful[group])
    rows = rows[known[group[rows]] < each.required[rows]]
    rows = rows[each.take(rows).unproven(space, lemmas)]
    place_of, owner = np.unique(rules.parent[rows], return_inverse=True)
    rows = rows[separation.after(sets[place_of], owner, rules.antecedent[rows]) < rules.required[rows]]
    for row in rows[:1]:
        name = problem.names[space.antecedents[rules.antecedent[row]]]
        found = "is not in the table" if known[group[row]] < 0 else f"has {known[group[row]]} in the table"
        refuse(
            rules.parent[row],
            f"the rule {name!r} leaves a set that would have to cost {rules.required[row]} and",
            found,
        )
    return len(known)


class Recomputed(NamedTuple):
    """What a list costs: its objective, and on the grid, by the majority's labels and by its own."""

    costs: Grid
    objective: Fraction
    by_majority: int
    cost: int


def recompute(problem: Problem, model: RuleList, regularization: float, longest: int | None = None) -> Recomputed:
    """What a model costs by its own predictions, on the `grid`; CertificateError if it does not fit the problem."""
    if not 0 < regularization < 1:
        raise CertificateError(f"the regularization must be above 0 and below 1, not {regularization!r}")
    captures, costs = check_rules(problem, model), grid(problem, regularization, longest)
    errors = on_grid = least = 0
    masses = problem.masses
    for captured, rule in zip(captures, (*model.rules, model.default), strict=True):
        wrong = [int(side[captured].sum()) for side in (costs.positives, costs.negatives)]
        positive = rule.prediction == problem.classes[1]
        errors += int((masses.negatives if positive else masses.positives)[captured].sum())
        on_grid, least = on_grid + wrong[positive], least + min(wrong)
    of_rules = costs.per_rule * len(model)
    objective = Fraction(errors, masses.total) + costs.rule * len(model)
    return Recomputed(costs, objective, costs.per_error * least + of_rules, costs.per_error * on_grid + of_rules)


def check_rules(problem: Problem, model: RuleList) -> list[np.ndarray]:
    """The patterns that each rule, and the default, captures first; CertificateError if the model does not fit."""
    if model.n_antecedents != problem.n_antecedents:
        raise CertificateError(
            f"the model was made for {model.n_antecedents} antecedents, but the problem has {problem.n_antecedents}"
        )
    if tuple(model.classes) != tuple(problem.classes):
        raise CertificateError(
            f"the model has the classes {_listed(model.classes)}, but the problem has {_listed(problem.classes)}"
        )
    for i, rule in enumerate((*model.rules, model.default)):
        malformed = rule.prediction not in problem.classes or (rule.antecedent is None) != (i == len(model))
        if malformed or not 0 <= (rule.antecedent or 0) < problem.n_antecedents:
            raise CertificateError(f"rule {i + 1} of the model has no antecedent or no class of the problem")
    inside, left, captures = problem.matrix(), np.ones(problem.n_patterns, dtype=bool), []
    for i, rule in enumerate((*model.rules, model.default)):
        captured = left if rule.antecedent is None else left & inside[:, rule.antecedent]
        where = f"rule {i + 1} of the model" if rule is not model.default else "the default rule of the model"
        _check_rule(problem, rule, where, left, captured)
        captures.append(captured)
        left = left & ~captured
    return captures


def _check_rule(problem: Problem, rule: Rule, where: str, left: np.ndarray, captured: np.ndarray) -> None:
    """Refuse a rule whose words, conditions or numbers are not those of its antecedent on the patterns left."""
    name, known = "", None
    if rule.antecedent is not None:
        name = problem.names[rule.antecedent]
        known = None if problem.conditions is None else problem.conditions[rule.antecedent]
    if rule.name != name:
        raise CertificateError(f"{where} is named {rule.name!r}, but its antecedent of the problem is {name!r}")
    if not same_conditions(rule.conditions, known):
        said = " and ".join(map(str, rule.conditions or ())) or "nothing"
        no_words = rule.antecedent is not None and known is None
        tests = "has no conditions: make the problem of a DataFrame" if no_words else f"is {name!r}"
        raise CertificateError(f"{where} tests {said!r}, but its antecedent of the problem {tests}")
    everything = np.ones(problem.n_patterns, dtype=bool)
    weights = [
        (problem.positives[patterns].sum().item(), problem.negatives[patterns].sum().item())
        for patterns in (captured, left, everything)
    ]
    counts = weights[0]
    agree = operator.eq if problem.integral else nearly
    if not (agree(rule.positives, counts[0]) and agree(rule.negatives, counts[1])):
        raise CertificateError(
            f"{where} claims to capture {rule.positives} positive and {rule.negatives} negative, "
            f"but captures {counts[0]} and {counts[1]}"
        )
    if not agree(rule.correct, counts[0 if rule.prediction == problem.classes[1] else 1]):
        raise CertificateError(f"{where} claims to predict {rule.correct} correctly, which its own counts do not say")
    positives, negatives = next(pair for pair in weights if sum(pair) > 0)  # a rule that captures nothing: of the rest
    if not nearly(rule.probability, positives / (positives + negatives)):
        raise CertificateError(
            f"{where} claims the probability {rule.probability}, but it is {positives / (positives + negatives):.10g}"
        )


def _listed(labels: Sequence[Any]) -> str:
    return " and ".join(map(repr, labels))
