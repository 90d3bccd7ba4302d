"""The falling rule list problem as a certificate's checker sees it, made from the definition and without any engine.

A rule, or the else, that captures p positives and q negatives costs ``min(A p, B q)``, A / B being the weight of the
positive class, and is above the threshold tau when A p > B q; every rule costs R. All are integers, so that the cost of
a list is exactly a multiple of its objective. "Thm", "Prop" and "Cor" refer to Chen and Rudin, AISTATS 2018.

Where weights have too many digits for that, they are rounded down, so that no list costs more than before. In truth a
set then has P positives, p <= P <= p + e, and Q negatives, q <= Q <= q + e, for the e units that rounding misplaces at
most: its proportion lies between p / (p + q + e) and (p + e) / (p + q + e), and all lists are looked at that may fall.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...data.exact_weights import of_few_digits, order_preserving
from ...data.problem import Problem
from ..certificate import CertificateError
from ..outcome import Outcome, divided, rounded_down
from ..parts import PatternSets, product, select, unique_rows, weighted

_LARGEST_COST, _FINE_COST = 1 << 60, 1 << 46
_FLOATS = 1 << 26  # of smaller totals different proportions are different floats
_PRODUCTS = 1 << 31  # of smaller totals products of weights are int64
_KNOTS = 96
MOST_ROUNDED = 1 << 46  # units of all weights together, where they are rounded


@dataclass(frozen=True, eq=False)
class FallingStates(PatternSets):
    """Patterns in falling order of their proportion of positives, and the distinct antecedents."""

    inside: np.ndarray  # bool, shape (n_patterns, n_antecedents): which antecedents hold for which patterns
    positives: np.ndarray  # int64, shape (n_patterns,)
    negatives: np.ndarray  # int64, shape (n_patterns,)
    antecedents: np.ndarray  # int64, shape (n_antecedents,): indices among the problem's
    # per_positive, per_negative, per_rule: A, B and R
    per_positive: int
    per_negative: int
    per_rule: int
    rule: Fraction  # what a rule is worth in the objective
    over: Fraction  # by how much a cost can exceed the objective
    unit: Fraction  # what one unit of cost is worth in the objective
    patterns: np.ndarray  # int64, shape (n_patterns,): their indices among the problem's; empty where they are merged
    hidden: int = 0  # by how many units a list can cost more than one that is no better, where something is rounded
    misplaced: int = 0  # e: by how much rounding lowers the positives, or negatives, of any set at most

    @cached_property
    def total(self) -> int:  # type: ignore[override]
        return int(self.positives.sum()) + int(self.negatives.sum())

    def chunks(self, n: int, beside: int = 0) -> Iterator[slice]:
        return super().chunks(n, len(self.knots) + beside)

    def bound(self, cost: int) -> float:
        """What no objective is below when no cost is below this one."""
        return float(max(Fraction(0), cost * self.unit - self.over))

    def claim(self, least: int, objective: Fraction, found: Outcome) -> None:
        """Say the bound, and its distance from the model's objective, when no cost is below this one."""
        bound = max(Fraction(0), least * self.unit - self.over) if self.hidden else objective
        found.lower_bound, found.resolution = float(bound), float(objective - bound)

    @cached_property
    def knots(self) -> np.ndarray:
        """Numbers of first patterns: those above tau, and some more up to all that have positives."""
        above = int(np.count_nonzero(self.per_positive * self.positives > self.per_negative * self.negatives))
        head = int(np.count_nonzero(self.positives))
        return np.unique(np.linspace(above, head, _KNOTS).astype(np.int64))

    @cached_property
    def thresholds(self) -> tuple[np.ndarray, np.ndarray]:
        """Positives and size of the first pattern after each knot, 0 and 1 after all with positives."""
        last = self.knots >= np.count_nonzero(self.positives)
        i = np.where(last, 0, np.minimum(self.knots, len(self.positives) - 1))
        return np.where(last, 0, self.positives[i]), np.where(last, 1, self.positives[i] + self.negatives[i])

    @cached_property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Positives and negatives in the antecedents, in everything, and in the patterns before each knot."""
        n = len(self.positives)
        beside = np.column_stack([np.ones(n, dtype=bool), np.arange(n)[:, None] < self.knots])
        positive, negative = (weighted(self.inside, beside, w, self.dtype) for w in (self.positives, self.negatives))
        return positive, negative

    def weights(self, sets: np.ndarray) -> tuple[Counted, Counted]:
        """Positives and negatives in packed sets."""
        m = self.inside.shape[1]
        positive, negative = (Counted(each[:, :m], each[:, m], each[:, m + 1 :]) for each in self._sums(sets, 0))
        return positive, negative

    def totals(self, sets: np.ndarray) -> tuple[Counted, Counted]:
        """As `weights`, without the antecedents."""
        none = np.zeros((len(sets), 0), dtype=np.int64)
        positive, negative = (Counted(none, each[:, 0], each[:, 1:]) for each in self._sums(sets, self.inside.shape[1]))
        return positive, negative

    def _sums(self, sets: np.ndarray, first: int) -> list[np.ndarray]:
        """Positives and negatives in packed sets, for the columns from the first on."""
        members: np.ndarray = np.unpackbits(sets, axis=1, count=len(self.inside)).astype(self.dtype)
        return [product(members, each[:, first:]).astype(np.int64) for each in self._weighted]


@dataclass(frozen=True, eq=False)
class Counted:
    """Weights in n sets: of each antecedent, shape (n, n_antecedents), in all, (n,), before each knot, (n, n_knots)."""

    captured: np.ndarray
    total: np.ndarray
    first: np.ndarray


def falling_space(
    problem: Problem, regularization: float, positive_weight: float
) -> tuple[FallingStates, Problem, Problem]:
    """The states of weights of any digits, and the problem in the weights of these, and in whole ones of any size."""
    whole, size = (problem, Fraction(1)) if problem.integral else divided(problem, False, any_size=True)
    if whole.positives.dtype != object:
        with suppress(CertificateError):
            return falling_states(whole, regularization, positive_weight), whole, whole
    a, b, _ = in_parts(whole, regularization, positive_weight)  # what is out of range is said as it is
    grid, unit, _ = on_grid(problem, Fraction(a, b))
    total = (int(whole.positives.sum()) + int(whole.negatives.sum())) * size / unit
    return falling_states(grid, regularization, positive_weight, total=total, misplaced=grid.n_patterns), grid, whole


def on_grid(problem: Problem, positive_weight: Fraction) -> tuple[Problem, Fraction, Fraction]:
    """Weights rounded down, what a unit of them is worth, and a positive weight for which costs leave room."""
    worth = of_few_digits(positive_weight, MOST_ROUNDED)
    most = min(MOST_ROUNDED, _LARGEST_COST // (2 * max(worth.numerator, worth.denominator)))
    return *rounded_down(problem, max(1, most), False), worth


def falling_states(
    problem: Problem, regularization: float, positive_weight: float, total: Fraction | None = None, misplaced: int = 0
) -> FallingStates:
    """Costs as integers, patterns in order, equal antecedents once, of a problem of whole weights.

    A regularization of many digits stands for a simpler fraction that puts all lists into the same order, see
    `rulelab.data.exact_weights`: no list has more rules than antecedents, for one that repeats an antecedent captures
    nothing with it. A positive weight of too many digits is rounded. ``total``: what all weighs in truth, in the
    problem's unit, where weights are rounded down, by ``misplaced`` units of any set at most. Raises CertificateError.
    """
    n_positive = int(problem.positives.sum())
    n = n_positive + int(problem.negatives.sum())
    total = Fraction(n) if total is None else total
    a, b, exact = in_parts(problem, regularization, positive_weight, total)
    given = Fraction(a, b)
    if max(a, b) * n >= _LARGEST_COST:
        rounded = of_few_digits(given, n)
        a, b, exact = rounded.numerator, rounded.denominator, exact / given.denominator * rounded.denominator
    more = (Fraction(a, b) - given) * n_positive / total  # in the objective, what rounding adds at most
    room = (_LARGEST_COST - 1) // (max(a, b) * max(n, 1))
    simple = order_preserving(exact, problem.n_antecedents, max(a, b) * n, room)
    if not room or not n:
        raise CertificateError("weights or the positive weight have too many digits for a proof; round them to six")
    # what is hidden is some units, which are made small
    inexact = bool(more or misplaced or simple is None)
    simple = Fraction(int(exact * room), room) if simple is None else simple
    scale = simple.denominator * (max(1, _FINE_COST // (max(a, b) * simple.denominator * n)) if inexact else 1)
    unit = Fraction(1, b * scale) / total
    found = states_of(problem, regularization, a * scale, b * scale, int(simple * scale), unit)
    if not inexact:
        return found
    hidden = abs(more) / unit + abs(simple - exact) * scale * problem.n_antecedents + (a + b) * scale * misplaced
    return replace(found, over=found.over + max(Fraction(0), more), hidden=math.ceil(hidden), misplaced=misplaced)


def in_parts(
    problem: Problem, regularization: float, positive_weight: float, total: Fraction | None = None
) -> tuple[int, int, Fraction]:
    """What a positive, a negative and a rule cost, up to a common factor; raises CertificateError."""
    if not 0 <= regularization < 1:
        raise CertificateError(f"the regularization must be at least 0 and below 1, not {regularization!r}")
    if not 0 < positive_weight < float("inf"):
        raise CertificateError(f"the positive weight must be above 0, not {positive_weight!r}")
    w = Fraction(repr(float(positive_weight)))
    total = Fraction(int(problem.positives.sum()) + int(problem.negatives.sum())) if total is None else total
    return w.numerator, w.denominator, Fraction(repr(float(regularization))) * total * w.denominator


def states_of(
    problem: Problem, regularization: float, per_positive: int, per_negative: int, per_rule: int, unit: Fraction
) -> FallingStates:
    """The states of these costs."""
    positives, negatives, rule = problem.positives, problem.negatives, Fraction(repr(float(regularization)))
    order = falling_order(positives, negatives)
    inside = select(problem.matrix(), order)
    antecedents = np.sort(unique_rows(inside.T)[1])
    return FallingStates(
        inside=select(inside, np.arange(len(inside)), antecedents),
        positives=positives[order].copy(),
        negatives=negatives[order].copy(),
        antecedents=antecedents,
        per_positive=per_positive,
        per_negative=per_negative,
        per_rule=per_rule,
        rule=rule,
        over=max(Fraction(0), per_rule * unit - rule) * problem.n_antecedents,
        unit=unit,
        patterns=order,
    )


def falling_order(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """Places of patterns in falling order of their proportions of positives."""
    sizes = np.maximum(positives + negatives, 1)  # of what rounding leaves without weight
    if int(sizes.sum()) < _FLOATS:
        return np.argsort(-positives / sizes, kind="stable")
    p, n = positives.tolist(), sizes.tolist()
    return np.array(sorted(range(len(p)), key=lambda u: Fraction(-p[u], n[u])), dtype=np.int64)


def at_most(p: Any, n: Any, p_of: Any, n_of: Any, total: int) -> np.ndarray:
    """Whether ``p / n <= p_of / n_of``, exactly, of weights that are no more than a total."""
    if total >= _PRODUCTS:
        p, n, p_of, n_of = (np.asarray(each).astype(object) for each in (p, n, p_of, n_of))
    return np.asarray(p * n_of <= p_of * n, dtype=bool)


def in_order(
    states: FallingStates, inside: np.ndarray, positives: np.ndarray, negatives: np.ndarray, antecedents: np.ndarray
) -> FallingStates:
    """The same costs for other patterns and antecedents; the patterns are brought into falling order."""
    order = falling_order(positives, negatives)
    return replace(
        states,
        inside=select(inside, order),
        positives=positives[order].copy(),
        negatives=negatives[order].copy(),
        antecedents=antecedents,
        patterns=order[:0],
    )


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
    proven, least = np.zeros(len(parent), dtype=bool), entries.values[parent] - 2 * rule
    for part in space.chunks(len(parent)):
        proven[part] = loss_reaches(space, (positive, negative), parent[part], p[part], n[part], least[part])
    parent, j, p, n, required = (each[~proven] for each in (parent, j, p, n, required))
    left = entries.sets[parent] & space.outside[j]
    proven = np.zeros(len(left), dtype=bool)
    for part in space.chunks(len(left)):
        of = np.arange(part.stop - part.start)
        proven[part] = loss_reaches(space, space.totals(left[part]), of, p[part], n[part], required[part] - rule)
    parent, j, left, p, n, required = (each[~proven] for each in (parent, j, left, p, n, required))
    return Children(np.flatnonzero(exceeded), parent, j, Entries(left, p, n, required))


def loss_reaches(
    space: FallingStates,
    weights: tuple[Counted, Counted],
    of: np.ndarray,
    cap_p: np.ndarray,
    cap_n: np.ndarray,
    required: np.ndarray,
) -> np.ndarray:
    """Where every completion by rules of proportions up to ``cap_p / cap_n`` loses at least so much in a set.

    The sets are those of these weights at the places ``of``.

    Let T be what these rules capture, a = p_a / n_a the cap: p(T) <= a |T| + e, if rounding misplaces e. For any l >= 0
    the gain A p(T) - B q(T) is at most the sum over the set of the positive parts of A p_u - B q_u - l (p_u - a n_u),
    and l e. With l = 0 these are the patterns above tau. For a threshold t = p_t / n_t < a, t <= tau and
    l = (B - (A + B) t) / (a - t) they are the patterns of proportion above t, of P' positives and N' rows, and

        gain <= A P' - B (N' - P') - (B n_t - (A + B) p_t) ((P' - e) n_a - p_a N') / (p_a n_t - p_t n_a).

    The threshold is chosen with floats, and the inequality decided with integers of any size.
    """
    a, b = space.per_positive, space.per_negative
    total, (first_positive, first_negative) = weights[0].total[of], (side.first[of] for side in weights)
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
