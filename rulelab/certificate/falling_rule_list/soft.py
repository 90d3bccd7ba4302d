"""Proofs that a softly falling list is optimal: a table of prefixes, each with what must still follow it.

The first entry is the empty prefix, and what follows it costs at least the model's objective: that is the claim. Any
other entry follows an earlier one by an antecedent, and claims what is left of the claim: less the rule, its loss and
its rise. In the notation of `soft_states` the claim V of an entry for (S, m) holds if

    V <= cost of the else on S,   and for every antecedent a that captures a part of S, with m' the least proportion
    after it,   V - rule - cost of a on S <= f(S minus a, m'),

the latter by a bound that is computed here, or since an entry for S minus a and some least proportion of at least m'
claims as much: f falls as m grows. So all claims hold, by induction on the size of S. A certificate has no numbers of
costs that could be wrong: those of all entries follow from the model. All sums that decide are exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ..outcome import LOWER_BOUND, Outcome, cost_to_prove, for_bound
from .checker import NEEDED, pieces, require_counts, sets_of
from .proof import Step, closed_table
from .soft_states import SoftChildren, SoftStates, soft_children, soft_states
from .states import Entries

PENALTY = "violation_penalty"
ARRAYS = {"parents", "antecedents"}
_LARGEST_SETS = 1 << 32
_LARGEST_VALUE = 1 << 60


class Claim(NamedTuple):
    """What an entry claims: the least cost of what follows, and the least proportion so far."""

    value: Fraction
    lowest: Fraction


def check(
    problem: Problem,
    model: FallingRuleList,
    parameters: Mapping[str, float],
    arrays: Mapping[str, np.ndarray],
    found: Outcome,
) -> None:
    """Check the prefixes against the problem and the model."""
    check_parameters(parameters, (*NEEDED, PENALTY), "softly falling rule lists", (LOWER_BOUND,))
    check_arrays(arrays, ARRAYS)
    regularization, positive_weight, penalty = (parameters[name] for name in (*NEEDED, PENALTY))
    space, value = space_of(problem, model, regularization, positive_weight, penalty)
    found.objective, checked = float(value * space.unit), found.checked
    least = claimed(parameters, value, space)
    lower_bound = float(least * space.unit)
    if LOWER_BOUND not in parameters:
        found.lower_bound, found.resolution = lower_bound, float((value - least) * space.unit)
    sets, claims = entries_of(space, arrays, least)
    table: dict[bytes, list[Claim]] = {}
    for key, claim in zip(map(bytes, sets), claims, strict=True):
        table.setdefault(key, []).append(claim)
    checked.update(sets=len(table), entries=len(claims), looked_up=0)
    checked["inequalities"] = len(claims) * (1 + len(space.states.antecedents))
    for first, below in _parts(space, sets, claims):
        for k, antecedent in _undercut(space, claims, first, below):
            after = f" after the rule {_name(problem, space, antecedent)}" if antecedent >= 0 else ""
            raise CertificateError(f"what follows entry {k} would cost more than the else does{after}")
        for step in _open(space, claims, first, below):
            checked["looked_up"] += 1
            if not any(covers(claim, step.claim) for claim in table.get(step.left, ())):
                raise CertificateError(
                    f"entry {step.parent} may be followed by the rule {_name(problem, space, step.antecedent)}, and "
                    "the certificate does not rule out that this leads to a list that costs less"
                )
    if LOWER_BOUND in parameters:
        found.prove_bound(lower_bound)
        return
    found.prove(
        f"no softly falling rule list has an objective below {lower_bound:.10g} at regularization "
        f"{regularization!r}, positive weight {positive_weight!r} and violation penalty {penalty!r}"
    )


def prove_soft_falling_rule_list(
    problem: Problem, model: FallingRuleList, regularization: float, lower_bound: float | None = None
) -> Certificate:
    """Prove that no softly falling rule list, of any length, has a smaller objective than the model, or the bound.

    Raises CertificateError when the model does not fit the problem, or a better list exists, by however little.
    """
    if model.violation_penalty is None:
        raise CertificateError("the model must fall; softly falling lists have a violation penalty")
    penalty = model.violation_penalty
    space, value = space_of(problem, model, regularization, model.positive_weight, penalty)
    parents, antecedents = _table(space, claimed(for_bound(lower_bound), value, space))
    given = zip((*NEEDED, PENALTY), (regularization, model.positive_weight, penalty), strict=True)
    parameters = {name: float(value) + 0.0 for name, value in given} | for_bound(lower_bound)
    arrays = {"parents": parents, "antecedents": antecedents}
    return certificate_of(problem, model.family, parameters, arrays)


def space_of(
    problem: Problem, model: FallingRuleList, regularization: float, positive_weight: float, penalty: float
) -> tuple[SoftStates, Fraction]:
    """The costs, and what the model costs by counts that are made anew."""
    space = soft_states(problem, regularization, positive_weight, penalty)
    require_counts(problem, model, positive_weight, penalty)
    cost, lowest = space.rule * len(model.rules), Fraction(1)
    for p, q in pieces(model, space.whole):
        cost += space.piece(p, q, lowest)
        lowest = min(lowest, Fraction(p, p + q)) if p + q else lowest
    if cost >= _LARGEST_VALUE:
        raise CertificateError("the violation penalty is too large for a certificate: the model costs too much")
    return space, cost


def claimed(parameters: Mapping[str, float], value: Fraction, space: SoftStates) -> Fraction:
    """What no list may cost less than: the model's cost less what is hidden, or the one that the certificate is for."""
    if LOWER_BOUND not in parameters:
        return max(Fraction(0), value - space.hidden)
    return Fraction(cost_to_prove(parameters, math.floor(value), space.unit))


def entries_of(space: SoftStates, arrays: Mapping[str, np.ndarray], least: Fraction) -> tuple[np.ndarray, list[Claim]]:
    """The sets and claims of the entries, made from what leads to them."""
    (sets, captured), parents = sets_of(space.states, arrays), arrays["parents"][1:]
    if space.states.misplaced:
        captured = np.append(captured[:1], space.weigh(sets[parents] & ~sets[1:]), axis=0)
    claims = [Claim(least, Fraction(1))]
    for parent, (p, q) in zip(parents.tolist(), captured[1:].tolist(), strict=True):
        if p + q == 0:
            raise CertificateError("an entry follows by an antecedent that captures nothing")
        claims.append(what_is_left(space, claims[parent], p, q))
    return sets, claims


def what_is_left(space: SoftStates, claim: Claim, p: int, q: int) -> Claim:
    """What is left of a claim after a rule that captures p positives and q negatives."""
    value = claim.value - space.rule - space.piece(p, q, claim.lowest)
    return Claim(value, min(claim.lowest, Fraction(p, p + q) if p + q else claim.lowest))


def covers(known: Claim, asked: Claim) -> bool:
    """Whether a claim about a set implies another one about it."""
    return known.value >= asked.value and known.lowest >= asked.lowest


def _parts(space: SoftStates, sets: np.ndarray, claims: list[Claim]) -> Iterator[tuple[int, SoftChildren]]:
    """What is left to show, for some entries at a time: the first of them, and that."""
    for part in space.states.chunks(len(claims)):
        some = claims[part]
        p, n = zip(*(space.not_below(claim.lowest) for claim in some), strict=True)
        values = [math.ceil(max(claim.value, Fraction(-1))) + space.over for claim in some]
        numbers = (np.array(each, dtype=np.int64) for each in (p, n, values))
        yield part.start, soft_children(space, Entries(sets[part], *numbers))


def _undercut(space: SoftStates, claims: list[Claim], first: int, below: SoftChildren) -> Iterator[tuple[int, int]]:
    """Entries that the else undercuts, at once (-1) or after one rule of this antecedent, decided exactly."""
    for k, antecedent, (p, q), (rest_p, rest_q) in zip(*(each.tolist() for each in below.stops), strict=True):
        claim = claims[first + k]
        if antecedent >= 0:
            claim = what_is_left(space, claim, p, q)
        if claim.value > space.piece(rest_p, rest_q, claim.lowest):
            yield first + k, antecedent


def _open(space: SoftStates, claims: list[Claim], first: int, below: SoftChildren) -> Iterator[Step]:
    rows = zip(
        below.parent.tolist(), below.antecedent.tolist(), map(bytes, below.left), below.captured.tolist(), strict=True
    )
    for parent, antecedent, left, (p, q) in rows:
        yield Step(first + parent, antecedent, left, what_is_left(space, claims[first + parent], p, q))


def _table(space: SoftStates, least: Fraction) -> tuple[list[int], list[int]]:
    """Parent and antecedent of every entry of the closed table."""
    states = space.states

    def follow(kept: list[Step], first: int) -> Iterator[Step]:
        if (first + len(kept)) * states.n_bytes > _LARGEST_SETS:
            raise CertificateError(f"the certificate's sets of rows take more than {_LARGEST_SETS} bytes")
        claims = [step.claim for step in kept]
        sets = np.frombuffer(b"".join(step.left for step in kept), dtype=np.uint8).reshape(-1, states.n_bytes)
        for start, below in _parts(space, sets, claims):
            if next(_undercut(space, claims, start, below), None) is not None:
                raise CertificateError("the model is not optimal for these parameters: a better list exists")
            for step in _open(space, claims, start, below):
                yield step._replace(parent=first + step.parent)

    root = Step(-1, -1, bytes(states.everything[0]), Claim(least, Fraction(1)))
    steps = closed_table(len(states.positives), root, follow, covers)
    return [step.parent for step in steps], [step.antecedent for step in steps]


def _name(problem: Problem, space: SoftStates, antecedent: int) -> str:
    return repr(problem.names[space.states.antecedents[antecedent]])
