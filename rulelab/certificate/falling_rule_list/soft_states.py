"""Softly falling lists as a certificate's checker sees them: what is left to show of many prefixes at once.

Let f(S, m) be the least further cost once exactly the set S is uncaptured and m is the least proportion so far. A
piece, a rule or the else, that captures p positives and q negatives costs ``min(A p, B q)`` and, for the rise,
K max(0, p / (p + q) - m). Of any further pieces let c be the largest proportion of those above tau. The piece of
largest proportion pays for the rise to it, and that is at least c, and at least the proportion of S; what the pieces
above tau capture has at most the proportion c. So one further rule, and all that follows, costs at least

    R + min over c of (K max(0, max(c, proportion of S) - m) + loss in S of any rules of proportions up to c),

which is decided on intervals of c, in integers: costs are rounded against the claim, and what is not decided so is
left to the table, whose sums are exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError
from .children import chunks, loss_reaches
from .states import FallingStates, at_most, in_parts, states_of

_FINE_COST, _LARGEST_COST, _LARGEST_RISE = 1 << 48, 1 << 60, 1 << 58
_GRAIN = 1 << 24
_STEPS = 16
_ROUNDING = 2.0**-50
_BELOW = 1 - 2.0**-45


@dataclass(frozen=True, eq=False)
class SoftStates:
    """The costs and sets of `FallingStates` on a fine grid, and what a proportion costs that rises by 1.

    Attributes
    ----------
    states : FallingStates
        Of which the price of a rule is rounded down.
    rule, penalty : Fraction
        R and K, in units of cost.
    """

    states: FallingStates
    rule: Fraction
    penalty: Fraction

    @property
    def unit(self) -> Fraction:
        """What one unit of cost is worth in the objective."""
        return self.states.unit

    def piece(self, p: int, q: int, lowest: Fraction) -> Fraction:
        """What a rule or an else costs, without the price of a rule, exactly."""
        loss = Fraction(min(self.states.per_positive * p, self.states.per_negative * q))
        return loss + self.penalty * max(Fraction(0), Fraction(p, p + q) - lowest) if p + q else loss

    def rises(self, p: np.ndarray, n: np.ndarray, lowest_p: np.ndarray, lowest_n: np.ndarray) -> np.ndarray:
        """Lower bounds on what proportions p / n cost after least ones, in integers; 0 where they do not rise."""
        rises = ~at_most(p, n, lowest_p, lowest_n, self.states.total)
        return np.where(rises, self.at_least(p / np.maximum(n, 1) - lowest_p / lowest_n), 0)

    def at_least(self, rise: np.ndarray) -> np.ndarray:
        """An integer not above what such rises cost, which may be rounded."""
        cost = np.maximum(0.0, rise - _ROUNDING) * float(self.penalty) * _BELOW
        return np.floor(np.minimum(cost, _LARGEST_RISE)).astype(np.int64)


class SoftEntries(NamedTuple):
    """States of a table: packed sets, least proportions ``p / n``, and what follows costs at least, rounded up."""

    sets: np.ndarray
    p: np.ndarray
    n: np.ndarray
    values: np.ndarray

    def part(self, chosen: slice) -> SoftEntries:
        return SoftEntries(*(each[chosen] for each in self))


class SoftChildren(NamedTuple):
    """What is left to show for some entries, after the bounds that need no table.

    Attributes
    ----------
    stops : tuple of int64 arrays
        Where the else may cost less than an entry says: positions, antecedents of the one rule before it (-1: none),
        what this captures and what it leaves, positives and negatives of both.
    parent, antecedent : int64 arrays
        Positions of entries, and the rule that may lead to something cheaper, ...
    captured : int64 array, shape (n, 2)
        ... the positives and negatives that it captures, ...
    left : array
        ... the packed sets that it leaves ...
    p, n : int64 arrays
        ... and the least proportion from then on.
    """

    stops: tuple[np.ndarray, ...]
    parent: np.ndarray
    antecedent: np.ndarray
    captured: np.ndarray
    left: np.ndarray
    p: np.ndarray
    n: np.ndarray


def soft_states(problem: Problem, regularization: float, positive_weight: float, penalty: float) -> SoftStates:
    """Costs as integers on a fine grid.

    Raises
    ------
    CertificateError
        When a parameter is out of range, or the costs are not integers that fit.
    """
    if not 0 <= penalty < float("inf"):
        raise CertificateError(f"the violation penalty must be at least 0, not {penalty!r}")
    a, b, rule = in_parts(problem, regularization, positive_weight)
    total = int(problem.positives.sum()) + int(problem.negatives.sum())
    largest = max(a, b) * total
    if largest > _LARGEST_COST:
        raise CertificateError("weights or the positive weight have too many digits for a proof; round them to six")
    fine = 1 << max(1, (_FINE_COST // largest).bit_length()) - 1
    unit = Fraction(1, b * fine * total)
    states = states_of(problem, regularization, a * fine, b * fine, int(rule * fine), unit)
    return SoftStates(states, rule * fine, Fraction(repr(float(penalty))) / unit)


def soft_children(space: SoftStates, entries: SoftEntries) -> SoftChildren:
    """The states that the table must bound, if the entries are to keep their values."""
    states = space.states
    a, b, rule = states.per_positive, states.per_negative, states.per_rule
    positive, negative = states.weights(entries.sets)
    everything = positive.total + negative.total
    alone = np.minimum(a * positive.total, b * negative.total)
    alone += space.rises(positive.total, everything, entries.p, entries.n)
    at_once = np.flatnonzero(entries.values > alone)
    n = positive.captured + negative.captured
    parent, j = np.nonzero((n > 0) & (n < everything[:, None]))
    p, q, n = positive.captured[parent, j], negative.captured[parent, j], n[parent, j]
    lowest_p, lowest_n = entries.p[parent], entries.n[parent]
    rise = space.rises(p, n, lowest_p, lowest_n)
    required = entries.values[parent] - rule - np.minimum(a * p, b * q) - rise
    falls = at_most(p, n, lowest_p, lowest_n, states.total)
    lowest_p, lowest_n = np.where(falls, p, lowest_p), np.where(falls, n, lowest_n)
    rest = positive.total[parent] - p, negative.total[parent] - q
    after = space.rises(rest[0], rest[0] + rest[1], lowest_p, lowest_n)
    stop = np.flatnonzero(required > np.minimum(a * rest[0], b * rest[1]) + after)
    none = np.zeros(len(at_once), dtype=np.int64)
    stops = tuple(
        np.concatenate(pair)
        for pair in (
            (at_once, parent[stop]),
            (none - 1, j[stop]),
            (none, p[stop]),
            (none, q[stop]),
            (positive.total[at_once], rest[0][stop]),
            (negative.total[at_once], rest[1][stop]),
        )
    )
    largest = rest[0] / (rest[0] + rest[1])
    above = np.where(a * p > b * q, p / n, 0.0)
    keep = required - rule > after
    keep[keep] = ~_reached(
        space,
        positive.total[parent][keep],
        (positive.first, negative.first),
        parent[keep],
        np.maximum(above, largest)[keep],
        (lowest_p / lowest_n)[keep],
        after[keep],
        (entries.values[parent] - 2 * rule - rise)[keep],
    )
    parent, j, p, q, lowest_p, lowest_n, after, required, largest = (
        each[keep] for each in (parent, j, p, q, lowest_p, lowest_n, after, required, largest)
    )
    left = entries.sets[parent] & states.outside[j]
    open_ = np.zeros(len(left), dtype=bool)
    for part in chunks(states, len(left)):
        positive, negative = states.totals(left[part])
        open_[part] = ~_reached(
            space,
            positive.total,
            (positive.first, negative.first),
            np.arange(len(positive.total)),
            largest[part],
            (lowest_p / lowest_n)[part],
            after[part],
            required[part] - rule,
        )
    captured = np.column_stack([p, q])
    rows = (each[open_] for each in (parent, j, captured, left, lowest_p, lowest_n))
    return SoftChildren(stops, *rows)


def _reached(
    space: SoftStates,
    total: np.ndarray,
    first: tuple[np.ndarray, np.ndarray],
    of: np.ndarray,
    cap: np.ndarray,
    lowest: np.ndarray,
    rise: np.ndarray,
    required: np.ndarray,
) -> np.ndarray:
    """Where loss and rise of every completion reach so much.

    Parameters
    ----------
    total : int64 array
        Positives of the sets.
    first : tuple of arrays
        Positives and negatives before each knot, of the sets at the places ``of``.
    of : int64 array
    cap : float array
        Pieces of a proportion up to this, or up to ``lowest``, need not rise further than ``rise`` says.
    lowest : float array
        The least proportion before.
    rise : int64 array
        What every completion pays for rises.
    required : int64 array
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
        for part in chunks(space.states, len(rows)):
            chosen = rows[part]
            grains = np.minimum(np.ceil(high[chosen] * _GRAIN).astype(np.int64) + 1, _GRAIN)
            where = of[chosen]
            reached[chosen] = loss_reaches(
                space.states,
                total[chosen],
                first[0][where],
                first[1][where],
                grains,
                np.full(len(chosen), _GRAIN),
                required[chosen] - paid[chosen],
            )
        low = high
    return reached
