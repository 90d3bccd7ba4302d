"""Bounds on what follows once a set of patterns is uncaptured and a last proportion is given, many at once.

Sets are packed; all decisions are made in integers (see `FallingStates`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..parts import parts
from .states import FallingStates, at_most

_CELLS, _BYTES = 1 << 20, 1 << 28


class Entries(NamedTuple):
    """States of a table: packed sets, last proportions ``p / n`` and lower bounds on what still follows."""

    sets: np.ndarray
    p: np.ndarray
    n: np.ndarray
    values: np.ndarray

    def part(self, chosen: slice) -> Entries:
        return Entries(*(each[chosen] for each in self))


class Children(NamedTuple):
    """What is left to show for the values of some entries, after the bounds that need no table."""

    exceeded: np.ndarray
    """int64: positions of the entries whose value the else alone undercuts, at once or after one rule."""
    parent: np.ndarray  # int64: positions of the entries that a rule may bring below their value ...
    antecedent: np.ndarray  # int64: ... by this antecedent, among those of the states, ...
    left: Entries
    """... which leaves this set, with its own proportion, unless what follows costs at least the value given."""


def children(space: FallingStates, entries: Entries) -> Children:
    """The states that the table must bound, if the entries are to keep their values."""
    a, b, rule = space.per_positive, space.per_negative, space.per_rule
    positive, negative = space.weights(entries.sets)
    everything = positive.total + negative.total
    exceeded = entries.values > np.minimum(a * positive.total, b * negative.total)
    p, q = positive.captured, negative.captured
    n = p + q
    # rules above tau (Cor 4.5), which capture something and leave something, do not rise, and fit the rest (Prop 4.2)
    e = space.misplaced
    look = (n > 0) & (n < everything[:, None]) & (a * (p + e) > b * q)
    look &= at_most(p, n + e, entries.p[:, None], entries.n[:, None], space.total + e)
    look &= at_most(positive.total[:, None] - p, everything[:, None] - n + e, p + e, n + e, space.total + e)
    parent, j = np.nonzero(look)
    p, q = p[parent, j], q[parent, j]
    required = entries.values[parent] - rule - b * q
    rest = positive.total[parent] - p, negative.total[parent] - q
    too_much = required > np.minimum(a * rest[0], b * rest[1])
    exceeded[parent[too_much]] = True
    p, n = p + e, p + q + e  # the proportion as large as it can be
    # what the rule and those after it capture of the whole set has at most its proportion
    proven = np.zeros(len(parent), dtype=bool)
    for part in chunks(space, len(parent)):
        of = parent[part]
        total, first = positive.total[of], (positive.first[of], negative.first[of])
        proven[part] = loss_reaches(space, total, *first, p[part], n[part], entries.values[of] - 2 * rule)
    parent, j, p, n, required = (each[~proven] for each in (parent, j, p, n, required))
    left = entries.sets[parent] & space.outside[j]
    proven = np.zeros(len(left), dtype=bool)
    for part in chunks(space, len(left)):
        positive, negative = space.totals(left[part])
        proven[part] = loss_reaches(
            space, positive.total, positive.first, negative.first, p[part], n[part], required[part] - rule
        )
    parent, j, left, p, n, required = (each[~proven] for each in (parent, j, left, p, n, required))
    return Children(np.flatnonzero(exceeded), parent, j, Entries(left, p, n, required))


def loss_reaches(
    space: FallingStates,
    total: np.ndarray,
    first_positive: np.ndarray,
    first_negative: np.ndarray,
    cap_p: np.ndarray,
    cap_n: np.ndarray,
    required: np.ndarray,
) -> np.ndarray:
    """Where every completion by rules of proportions up to ``cap_p / cap_n`` loses at least so much in a set.

    Let T be what these rules capture, a = p_a / n_a the cap: p(T) <= a |T| + e, if rounding misplaces e. For any l >= 0
    the gain A p(T) - B q(T) is at most the sum over the set of the positive parts of A p_u - B q_u - l (p_u - a n_u),
    and l e. With l = 0 these are the patterns above tau. For a threshold t = p_t / n_t < a, t <= tau and
    l = (B - (A + B) t) / (a - t) they are the patterns of proportion above t, of P' positives and N' rows, and

        gain <= A P' - B (N' - P') - (B n_t - (A + B) p_t) ((P' - e) n_a - p_a N') / (p_a n_t - p_t n_a).

    The threshold is chosen with floats, and the inequality decided with integers of any size.
    """
    a, b = space.per_positive, space.per_negative
    gain = a * first_positive - b * first_negative
    loss = a * total - required  # the gain that is too large
    proven = gain[:, 0] <= loss
    rows = np.flatnonzero(~proven)
    if len(rows) == 0:
        return proven
    t_p, t_n = space.thresholds
    cap, t = (cap_p[rows] / cap_n[rows])[:, None], t_p / t_n
    distance = cap - t
    size = first_positive[rows] + first_negative[rows]
    excess = first_positive[rows] - space.misplaced - cap * size
    estimate = gain[rows] - (b - (a + b) * t).clip(0) * excess / np.where(distance > 1e-9, distance, np.inf)
    best = estimate.argmin(axis=1)
    close = np.flatnonzero(estimate[np.arange(len(rows)), best] <= loss[rows] * (1 + 1e-9) + 1)
    rows, best = rows[close], best[close]
    p_t, n_t, p_a, n_a, positives, sizes, gains, most = (
        each.astype(object)
        for each in (
            t_p[best],
            t_n[best],
            cap_p[rows],
            cap_n[rows],
            first_positive[rows, best] - space.misplaced,
            size[close, best],
            gain[rows, best],
            loss[rows],
        )
    )
    divisor = p_a * n_t - p_t * n_a
    price = b * n_t - (a + b) * p_t
    holds = (divisor > 0) & (price >= 0) & ((gains - most) * divisor <= price * (positives * n_a - p_a * sizes))
    proven[rows] = holds.astype(bool)
    return proven


def chunks(space: FallingStates, n: int) -> Iterator[slice]:
    """Slices of n sets that are small enough to be worked on at once."""
    m = len(space.antecedents)
    step = max(1, min(_CELLS // (len(space.positives) + m + len(space.knots)), _BYTES // (1 + m * space.n_bytes)))
    return parts(n, 1, step)
