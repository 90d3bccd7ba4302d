"""Proofs that a softly falling list is optimal: a table of prefixes, each with what must still follow it.

The first entry is the empty prefix, and what follows it costs at least the model's objective: that is the claim. Any
other entry follows an earlier one by an antecedent, and claims what is left of the claim: less the rule, its loss and
its rise. In the notation below the claim V of an entry for (S, m) holds if

    V <= cost of the else on S,   and for every antecedent a that captures a part of S, with m' the least proportion
    after it,   V - rule - cost of a on S <= f(S minus a, m'),

the latter by a bound that is computed here, or since an entry for S minus a and some least proportion of at least m'
claims as much: f falls as m grows. So all claims hold, by induction on the size of S. A certificate has no numbers of
costs that could be wrong: those of all entries follow from the model. All sums that decide are exact fractions.

Let f(S, m) be the least further cost once exactly the set S is uncaptured and m is the least proportion so far. A
piece, a rule or the else, that captures p positives and q negatives costs ``min(A p, B q)`` and, for the rise,
K max(0, p / (p + q) - m). Of any further pieces let c be the largest proportion of those above tau. The piece of
largest proportion pays for the rise to it, and that is at least c, and at least the proportion of S; what the pieces
above tau capture has at most the proportion c. So one further rule, and all that follows, costs at least

    R + min over c of (K max(0, max(c, proportion of S) - m) + loss in S of any rules of proportions up to c),

which is decided on intervals of c, in integers: costs are rounded against the claim, and what is not decided so is
left to the table, whose sums are exact fractions. Where weights have too many digits for integers, these are of weights
that are rounded down, as in `states`, and proportions are as small or as large as that leaves them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ..outcome import LOWER_BOUND, Outcome, cost_to_prove, divided, for_bound
from .checker import NEEDED, pieces, require_counts, sets_of
from .proof import Step, closed_table
from .states import MOST_ROUNDED, Counted, Entries, FallingStates, at_most, in_parts, loss_reaches, on_grid, states_of

_FINE_COST, _LARGEST_COST, _LARGEST_RISE = 1 << 48, 1 << 60, 1 << 58
_GRAIN = 1 << 24
_STEPS, _CLOSE = 16, 40
_ROUNDING = 2.0**-50
_BELOW = 1 - 2.0**-45


@dataclass(frozen=True, eq=False)
class SoftStates:
    """The costs and sets of `FallingStates` on a fine grid, and what a proportion costs that rises by 1."""

    states: FallingStates  # of which the price of a rule is rounded down
    # rule, penalty: R and K, in units of cost
    rule: Fraction
    penalty: Fraction
    # per_positive, per_negative: A and B, for whole weights
    per_positive: int | Fraction
    per_negative: int | Fraction
    whole: Problem  # its weights are not rounded, and Python's integers where they need to be
    # over, hidden: by how many units costs in integers can exceed exact ones, and a list one that a search takes as
    # equally good
    over: int
    hidden: int

    def piece(self, p: int, q: int, lowest: Fraction) -> Fraction:
        """What a rule or an else costs, without the price of a rule, exactly."""
        loss = Fraction(min(self.per_positive * p, self.per_negative * q))
        return loss + self.penalty * max(Fraction(0), Fraction(p, p + q) - lowest) if p + q else loss

    def rises(self, p: np.ndarray, n: np.ndarray, lowest_p: np.ndarray, lowest_n: np.ndarray) -> np.ndarray:
        """Lower bounds on what proportions p / n cost after least ones, in integers; 0 where they do not rise."""
        n = n + self.states.misplaced
        rises = ~at_most(p, n, lowest_p, lowest_n, max(self.states.total, MOST_ROUNDED * (self.states.misplaced > 0)))
        return np.where(rises, self.at_least(p / np.maximum(n, 1) - lowest_p / lowest_n), 0)

    def weigh(self, sets: np.ndarray) -> np.ndarray:
        """Positives and negatives of packed sets in whole weights, shape (n, 2)."""
        if not self.states.misplaced:
            return np.column_stack([side.total for side in self.states.totals(sets & self.states.everything)])
        order = self.states.patterns
        members = np.unpackbits(sets, axis=1, count=len(order)).astype(bool)
        both = np.column_stack([self.whole.positives, self.whole.negatives]).astype(object)[order]
        return np.array([both[each].sum(axis=0) for each in members], dtype=object).reshape(len(sets), 2)

    def not_below(self, share: Fraction) -> tuple[int, int]:
        """A proportion, or one of integers that fit and is not smaller."""
        if not self.states.misplaced:
            return share.numerator, share.denominator
        return math.ceil(share * MOST_ROUNDED), MOST_ROUNDED

    def at_least(self, rise: np.ndarray) -> np.ndarray:
        """An integer not above what such rises cost, which may be rounded."""
        cost = np.maximum(0.0, rise - _ROUNDING) * float(self.penalty) * _BELOW
        return np.floor(np.minimum(cost, _LARGEST_RISE)).astype(np.int64)


class SoftChildren(NamedTuple):
    """What is left to show for some entries, after the bounds that need no table."""

    stops: tuple[np.ndarray, ...]
    """Tuple of int64: where the else may cost less than an entry says: positions, antecedents of the one rule before it
    (-1: none), what this captures and what it leaves, positives and negatives of both, shape (n, 2)."""
    # parent, antecedent (int64): positions of entries, and the rule that may lead to something cheaper, ...
    parent: np.ndarray
    antecedent: np.ndarray
    captured: np.ndarray
    """Array of integers, shape (n, 2): ... the positives and negatives that it captures, in whole weights, ..."""
    left: np.ndarray  # ... and the packed sets that it leaves


def soft_states(problem: Problem, regularization: float, positive_weight: float, penalty: float) -> SoftStates:
    """Costs as integers on a fine grid; CertificateError where they do not fit, or a parameter is out of range."""
    whole, size = (problem, Fraction(1)) if problem.integral else divided(problem, False, any_size=True)
    if not 0 <= penalty < float("inf"):
        raise CertificateError(f"the violation penalty must be at least 0, not {penalty!r}")
    a, b, rule = in_parts(whole, regularization, positive_weight)
    total = int(whole.positives.sum()) + int(whole.negatives.sum())
    price, largest = Fraction(repr(float(penalty))), max(a, b) * total
    if largest <= _LARGEST_COST and whole.positives.dtype != object:
        fine = 1 << max(1, (_FINE_COST // largest).bit_length()) - 1
        unit = Fraction(1, b * fine * total)
        states = states_of(whole, regularization, a * fine, b * fine, int(rule * fine), unit)
        return SoftStates(states, rule * fine, price / unit, a * fine, b * fine, whole, 0, 0)
    grid, of_grid, worth = on_grid(problem, Fraction(a, b))
    e, n = grid.n_patterns, int(grid.positives.sum()) + int(grid.negatives.sum())
    fine = _LARGEST_COST // (2 * max(worth.numerator, worth.denominator) * max(n, 1))
    if not fine:
        raise CertificateError("weights or the positive weight have too many digits for a proof; round them to six")
    per_positive, per_negative = worth.numerator * fine, worth.denominator * fine
    over = math.ceil(max(Fraction(0), worth - Fraction(a, b)) * per_negative * n)
    unit = of_grid / size / (per_negative * total)
    rule = Fraction(repr(float(regularization))) / unit
    states = replace(states_of(grid, regularization, per_positive, per_negative, int(rule), unit), misplaced=e)
    hidden = (per_positive + per_negative) * e + 2 * over + math.ceil(price / unit / (1 << _CLOSE))
    exact = per_negative * size / of_grid
    return SoftStates(states, rule, price / unit, Fraction(a, b) * exact, exact, whole, over, hidden)


def soft_children(space: SoftStates, entries: Entries) -> SoftChildren:
    """The states that the table must bound, if entries of these least proportions are to keep their values."""
    states = space.states
    a, b, rule = states.per_positive, states.per_negative, states.per_rule
    positive, negative = states.weights(entries.sets)
    everything = positive.total + negative.total
    alone = np.minimum(a * positive.total, b * negative.total)
    alone += space.rises(positive.total, everything, entries.p, entries.n)
    at_once = np.flatnonzero(entries.values > alone)
    n, e = positive.captured + negative.captured, states.misplaced
    parent, j = np.nonzero((n + e > 0) & (n < everything[:, None] + e))
    p, q, n = positive.captured[parent, j], negative.captured[parent, j], n[parent, j]
    lowest_p, lowest_n = entries.p[parent], entries.n[parent]
    rise = space.rises(p, n, lowest_p, lowest_n)
    required = entries.values[parent] - rule - np.minimum(a * p, b * q) - rise
    falls = at_most(p + e, n + e, lowest_p, lowest_n, max(states.total + e, MOST_ROUNDED * (e > 0)))
    lowest_p, lowest_n = np.where(falls, p + e, lowest_p), np.where(falls, n + e, lowest_n)
    rest = positive.total[parent] - p, negative.total[parent] - q
    after = space.rises(rest[0], rest[0] + rest[1], lowest_p, lowest_n)
    stop = np.flatnonzero(required > np.minimum(a * rest[0], b * rest[1]) + after)
    at, by = np.append(at_once, parent[stop]), np.append(np.full(len(at_once), -1), j[stop])
    outside = np.where(by[:, None] < 0, np.uint8(255), states.outside[by])
    stops = (at, by, *(space.weigh(entries.sets[at] & each) for each in (~outside, outside)))
    largest = rest[0] / np.maximum(rest[0] + rest[1], 1)
    above = np.where(a * (p + e) > b * q, (p + e) / (n + e), 0.0)
    keep = required - rule > after
    cap, lowest, least = np.maximum(above, largest), lowest_p / lowest_n, entries.values[parent] - 2 * rule - rise
    keep[keep] = ~_reached(space, (positive, negative), parent[keep], cap[keep], lowest[keep], after[keep], least[keep])
    parent, j, p, q, lowest, after, required, largest = (
        each[keep] for each in (parent, j, p, q, lowest, after, required, largest)
    )
    left = entries.sets[parent] & states.outside[j]
    open_ = np.zeros(len(left), dtype=bool)
    for part in states.chunks(len(left)):
        weights, of = states.totals(left[part]), np.arange(part.stop - part.start)
        open_[part] = ~_reached(space, weights, of, largest[part], lowest[part], after[part], required[part] - rule)
    parent, j, left = (each[open_] for each in (parent, j, left))
    captured = space.weigh(entries.sets[parent] & ~left) if e else np.column_stack([p, q])[open_]
    some = captured.sum(axis=1) > 0
    return SoftChildren(stops, *(each[some] for each in (parent, j, captured, left)))


def _reached(
    space: SoftStates,
    weights: tuple[Counted, Counted],
    of: np.ndarray,
    cap: np.ndarray,
    lowest: np.ndarray,
    rise: np.ndarray,
    required: np.ndarray,
) -> np.ndarray:
    """Where loss and rise of every completion, of the sets of these weights at the places ``of``, reach so much.

    ``cap`` (float array): pieces of a proportion up to this, or up to ``lowest``, the least one before, need not rise
    further than ``rise`` (int64 array) says, which every completion pays.
    """
    cap = np.maximum(cap, lowest)
    penalty = float(space.penalty)
    furthest = np.ones(len(cap))
    if penalty > 0:  # beyond it the rise alone is as much
        furthest = np.minimum(1.0, lowest + np.maximum(required, 0) / penalty * (1 + 2.0**-40) + 2.0**-40)
    reached = np.ones(len(cap), dtype=bool)
    low = cap
    for k in range(_STEPS + 1):
        high = np.maximum(cap, cap + (furthest - cap) * (k / _STEPS) ** 2)
        paid = rise if k == 0 else np.maximum(rise, space.at_least(low - lowest))
        rows = np.flatnonzero(reached & ((k == 0) | (high > low)))
        for part in space.states.chunks(len(rows)):
            chosen = rows[part]
            grains = np.minimum(np.ceil(high[chosen] * _GRAIN).astype(np.int64) + 1, _GRAIN)
            whole, left = np.full(len(chosen), _GRAIN), required[chosen] - paid[chosen]
            reached[chosen] = loss_reaches(space.states, weights, of[chosen], grains, whole, left)
        low = high
    return reached


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
    found.objective, checked = float(value * space.states.unit), found.checked
    least = claimed(parameters, value, space)
    lower_bound = float(least * space.states.unit)
    if LOWER_BOUND not in parameters:
        found.lower_bound, found.resolution = lower_bound, float((value - least) * space.states.unit)
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
    return Fraction(cost_to_prove(parameters, math.floor(value), space.states.unit))


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
