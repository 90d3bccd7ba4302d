"""The problem of falling rule lists in integers: costs, and the distinct antecedents as packed columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from ..arguments import ParameterError, Text
from ..data.exact_weights import of_few_digits, order_preserving
from ..data.problem import Problem
from ..kernels import bits
from ..kernels.bit_words import transposed
from ..kernels.by_reference import by_reference
from ..models.base import column_of

_LARGEST_COST = 1 << 60
_GRID = 1 << 50


@dataclass(frozen=True)
class Costs:
    """Units in which a search adds up losses and rules.

    A rule, or the else, that captures p positives and q negatives costs ``min(per_positive * p, per_negative * q)``;
    it is above the threshold when ``per_positive * p > per_negative * q``. A whole list costs less than 2^61.
    """

    # positives, negatives (int64, shape (n_patterns,)): the weights on the grid; the counts themselves where they are
    # integers
    positives: np.ndarray
    negatives: np.ndarray
    per_positive: int
    per_negative: int
    per_rule: int
    unit: float  # what one unit of cost is worth in the objective
    exact: bool
    """Whether costs put all lists into the order of their objectives. ``per_rule`` can stand for a regularization of
    many digits all the same, see `rulelab.data.exact_weights`."""
    slack: float
    """The largest amount by which ``cost * unit`` can exceed the objective it stands for; 0 when exact, but for some
    regularizations of many digits. To be subtracted from lower bounds."""
    weights_exact: bool = True  # whether the weights are not rounded, so that proportions can be compared
    exactness: float = 0.0  # what a proof is sure to tell apart, in units of the objective; 0 when exact
    misplaced: int = 0  # by how much rounding changes the weight of any set of patterns at most, on the grid


def costs_of(problem: Problem, regularization: float, positive_weight: float) -> Costs:
    """The grid of a problem: exact for weights that are multiples of a common unit, where these are not too many."""
    m = problem.n_antecedents
    if not problem.integral:
        masses, w = problem.masses.divided(), Fraction(repr(float(positive_weight)))
        if masses.fits and max(w.numerator, w.denominator) * masses.total < _LARGEST_COST:
            return integer_costs(masses.positives, masses.negatives, regularization, positive_weight, m)
    return integer_costs(problem.positives, problem.negatives, regularization, positive_weight, m)


def integer_costs(
    positives: np.ndarray,
    negatives: np.ndarray,
    regularization: float,
    positive_weight: float,
    n_antecedents: int = 1 << 15,
) -> Costs:
    """Choose the grid for weights, a regularization and the weight of the positive class; no list has more rules.

    With integer weights of total n, positive weight ``a / b`` and regularization ``P / Q`` a list costs
    ``Q * (a * p + b * q) + P * n * b * rules``, exactly. Where that overflows, another rule's cost takes its place that
    keeps the order of all lists, or, where there is none, the rule's cost is rounded down; where
    weights are not integers they are rounded to at most 2^50 units in all; a positive weight of too many digits is
    replaced by the nearest fraction of a smaller denominator. ``slack`` bounds what this can hide.
    """
    w, per_rule = Fraction(repr(float(positive_weight))), Fraction(repr(float(regularization)))
    integral = positives.dtype.kind == "i"
    n = int(positives.sum()) + int(negatives.sum()) if integral else _GRID
    slack, as_given, misplaced = 0.0, True, 0
    if max(w.numerator, w.denominator) * n >= _LARGEST_COST:
        nearest, as_given = of_few_digits(w, n), False
        slack += float(abs(nearest - w))
        w = nearest
    if not integral:
        n = min(n, (_LARGEST_COST - 1) // max(w.numerator, w.denominator))
        per_weight = n / float(positives.sum() + negatives.sum())
        rounded = 0.5 * (np.count_nonzero(positives) + np.count_nonzero(negatives))  # those that become 0, too
        positives, negatives = (np.rint(each * per_weight).astype(np.int64) for each in (positives, negatives))
        slack += max(1.0, float(w)) * (rounded + 1.0) / n
        misplaced = int(rounded) + 2  # the weights come in doubles
    a, b = w.numerator, w.denominator
    largest = max(a, b) * n
    if largest >= _LARGEST_COST:
        text = Text(
            "a {positive_weight} of {:g} and a total weight of {} are too large to be counted together; divide the "
            "weights by a common factor",
            *(positive_weight, n),
        )
        raise ParameterError("positive_weight", positive_weight, "smaller for these weights", text)
    exact_rule = per_rule * n * b
    scale = (_LARGEST_COST - 1) // largest
    simple = order_preserving(exact_rule, n_antecedents, largest, scale)
    exact = simple is not None
    if simple is not None:
        slack += float(max(Fraction(0), simple - exact_rule) * n_antecedents / (n * b))
        exact_rule, scale = simple, simple.denominator
    rule = int(exact_rule * scale)
    common = gcd(a * scale, b * scale, rule)
    unit = float(Fraction(common, n * b * scale))
    told_apart = 2 * slack + (0.0 if exact and integral else unit)  # all costs are exact but for the positive weight
    exact = exact and integral and as_given
    return Costs(
        positives=positives,
        negatives=negatives,
        per_positive=a * scale // common,
        per_negative=b * scale // common,
        per_rule=min(rule // common, _LARGEST_COST),
        unit=unit,
        exact=exact,
        slack=slack,
        weights_exact=integral,
        exactness=0.0 if exact else told_apart,
        misplaced=misplaced,
    )


def captured(problem: Problem, antecedents: Iterable[int]) -> Iterator[np.ndarray]:
    """The patterns that each rule of a list captures, then those that the else does."""
    left = np.ones(problem.n_patterns, dtype=bool)
    for j in antecedents:
        hit = left & column_of(problem, j)
        yield hit
        left = left & ~hit
    yield left


def predicted(problem: Problem, antecedents: Iterable[int], positive_weight: float) -> np.ndarray | None:
    """Which patterns a falling list predicts positive (bool), by the weights as they were given; None: it rises."""
    masses, w = problem.masses, Fraction(repr(float(positive_weight)))
    positive = np.zeros(problem.n_patterns, dtype=bool)
    last_p, last_n = 1, 1
    for hit in captured(problem, antecedents):
        p, q = sum(masses.positives[hit].tolist()), sum(masses.negatives[hit].tolist())
        if p * last_n > last_p * (p + q):
            return None
        if p + q:
            last_p, last_n = p, p + q
        positive |= hit & (p * w > q)
    return positive


@by_reference
class Data(NamedTuple):
    """What kernels read: the antecedents over the patterns, and what each pattern costs.

    Patterns are in falling order of negatives, then positives; places after the last are padding of weight 0.
    """

    columns: np.ndarray  # uint64, shape (m, n_words): the set of patterns that satisfy each antecedent
    full: np.ndarray  # uint64, shape (n_words,): the set of all patterns
    positives: np.ndarray  # int64, shape (64 * n_words,)
    negatives: np.ndarray  # int64, shape (64 * n_words,)
    # per_positive, per_negative, per_rule: see `Costs`
    per_positive: int
    per_negative: int
    per_rule: int


@dataclass(frozen=True, eq=False)
class Prepared:
    """A problem made ready for the engines."""

    data: Data
    costs: Costs
    antecedents: np.ndarray  # int64, shape (m,): the problem's index of each column of ``data``
    patterns: np.ndarray  # int64, shape (n_patterns,): the problem's pattern at each place of ``data``
    dropped: dict[str, int]  # antecedents left out, by reason


def prepare(problem: Problem, regularization: float, positive_weight: float) -> Prepared:
    """Keep one of equal antecedents and none that holds nowhere or everywhere, and pack them over the patterns.

    An antecedent that holds for all that is left does what the else does, at the cost of a rule. Raises ValueError when
    the weights are too large to be counted exactly.
    """
    costs = costs_of(problem, regularization, positive_weight)
    order = np.lexsort((-costs.positives, -costs.negatives))
    columns = transposed(problem.words[order], problem.n_antecedents)
    _, first = bits.group_equal_rows(columns)
    held = bits.counts(columns[first])
    kept = first[(held > 0) & (held < problem.n_patterns)]
    places = columns.shape[1] * bits.WORD
    weights = np.zeros((2, places), dtype=np.int64)
    weights[0, : len(order)], weights[1, : len(order)] = costs.positives[order], costs.negatives[order]
    present = np.zeros((1, places), dtype=bool)
    present[0, : len(order)] = True
    data = Data(
        columns=columns[kept],
        full=bits.pack(present)[0],
        positives=weights[0],
        negatives=weights[1],
        per_positive=costs.per_positive,
        per_negative=costs.per_negative,
        per_rule=costs.per_rule,
    )
    dropped = {
        "equal to another": problem.n_antecedents - len(first),
        "holds nowhere": int(np.count_nonzero(held == 0)),
        "holds everywhere": int(np.count_nonzero(held == problem.n_patterns)),
    }
    return Prepared(data, costs, kept.astype(np.int64), order.astype(np.int64), dropped)
