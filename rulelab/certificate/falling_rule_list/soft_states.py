"""Softly falling lists as a certificate's checker sees them: what is left to show of many prefixes at once.

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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError
from ..whole_weights import divided
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

    @property
    def unit(self) -> Fraction:
        """What one unit of cost is worth in the objective."""
        return self.states.unit

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
