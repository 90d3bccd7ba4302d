"""Integer costs: the objective ``errors / n + regularization * rules`` on a grid where comparisons are exact.

And lists by their antecedents: what searches begin with, and what they cost on the grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..arguments import ParameterError, Text, require
from ..data.exact_weights import order_preserving
from ..data.problem import Problem
from ..models import RuleList
from ..models.base import column_of
from ..parameters import REGULARIZATION
from ..snapshot import Incumbent

_LARGEST_COST = 1 << 61
_GRID_TOTAL = 1 << 50


@dataclass(frozen=True)
class Costs:
    """Costs on the grid, int64: of a unit of net pattern weight, and of a rule; no list costs more than 2^61."""

    # positives, negatives (int64, shape (n_patterns,)): the weights on the grid
    positives: np.ndarray
    negatives: np.ndarray
    per_error: int
    per_rule: int
    unit: float  # what one unit of cost is worth in the objective
    exact: bool
    """True when costs put all lists into the order of their objectives. ``per_rule`` can stand for a regularization of
    many digits all the same, see `rulelab.data.exact_weights`."""
    slack: float
    """The largest amount by which a cost on the grid can exceed the objective it stands for; subtracted from every
    lower bound. 0 when exact, but for some regularizations of many digits."""

    @property
    def exactness(self) -> float:
        """What a proof is sure to tell apart, in units of the objective; 0 when exact."""
        return 0.0 if self.exact else float(self.unit + 2 * self.slack)


def costs_of(problem: Problem, regularization: float, longest: int | None = None) -> Costs:
    """The grid of a problem: exact for weights that are multiples of a common unit, where these are not too many.

    ``longest`` is the length of the longest list that matters, where the default rule alone may be no solution.
    """
    m = problem.n_antecedents
    if not problem.integral:
        masses = problem.masses.divided()
        if masses.fits:
            costs = integer_costs(masses.positives, masses.negatives, regularization, m, longest)
            if costs.exact:
                return costs
    return integer_costs(problem.positives, problem.negatives, regularization, m, longest)


def integer_costs(
    positives: np.ndarray,
    negatives: np.ndarray,
    regularization: float,
    n_antecedents: int = 1 << 15,
    longest: int | None = None,
) -> Costs:
    """The grid for weights (int64 or float64) and a regularization, read as the decimal number that Python shows.

    With integer weights of total n and ``regularization * n = P / Q`` in lowest terms a list costs
    ``Q * errors + P * rules``, exactly; where Q is too large, another fraction takes the place of P / Q that keeps the
    order of all lists. Where there is none, or weights are not integers, weights are rounded to a grid of 2^50 units in
    all and the rule's cost is rounded down, and ``slack`` bounds what the rounding can hide. ``longest``: most rules of
    a list that matters; by default, of one that may cost less than the default rule.
    """
    fraction = Fraction(repr(float(regularization)))
    integral = positives.dtype.kind == "i"
    if integral:
        total = int(positives.sum()) + int(negatives.sum())
        most = min(n_antecedents, int(1 / (2 * fraction)) + 2)  # a list of more rules costs more than the default rule
        largest = total
        if longest is not None:
            most, largest = longest, int(total * (1 + fraction * longest)) + 1
        penalty = order_preserving(fraction * total, most, total, (_LARGEST_COST - 1) // largest)
        if penalty is not None:
            excess = max(Fraction(0), penalty / total - fraction)
            per_error, per_rule = penalty.denominator, penalty.numerator
            unit = float(Fraction(1, per_error * total))
            return Costs(positives, negatives, per_error, per_rule, unit, True, float(excess * most))
        scale = max(1, _GRID_TOTAL // total)
        per_rule = int(fraction * total * scale)
        return Costs(positives, negatives, scale, per_rule, float(Fraction(1, scale * total)), False, 0.0)
    per_weight = _GRID_TOTAL / float(positives.sum() + negatives.sum())
    pos, neg = (np.rint(w * per_weight).astype(np.int64) for w in (positives, negatives))
    per_rule = int(fraction * _GRID_TOTAL)
    rounding = 0.5 * (np.count_nonzero(positives) + np.count_nonzero(negatives))
    return Costs(pos, neg, 1, per_rule, 1.0 / _GRID_TOTAL, False, (rounding + 1.0) / _GRID_TOTAL)


def largest_cost(costs: Costs, problem: Problem, regularization: float, below: int) -> int:
    """The cost of every row wrong and every antecedent a rule; raises ParameterError unless it is ``below`` that."""
    largest = costs.per_error * int(costs.positives.sum() + costs.negatives.sum())
    largest += costs.per_rule * problem.n_antecedents
    if largest >= below:
        text = Text(
            "{regularization} {} has too many digits for {} antecedents and a weight of {:g}; round it",
            *(repr(regularization), problem.n_antecedents, problem.total_weight),
        )
        raise ParameterError("regularization", regularization, "a number of fewer digits", text)
    return largest


def require_regularization(problem: Problem, regularization: Any) -> None:
    """Refuse a regularization that is no number between 0 and 1, or too small to cost anything on the grid."""
    REGULARIZATION.check(regularization)
    costs = costs_of(problem, regularization)
    accepted = costs.per_rule > 0
    require(("regularization", regularization, accepted, f"at least {1.01 * costs.unit:.3g} for this problem"))


def antecedents_of(start: RuleList | Sequence[int], problem: Problem) -> tuple[int, ...]:
    """Indices of a warm start's antecedents in this problem."""
    if isinstance(start, RuleList):
        index = {name: j for j, name in enumerate(problem.names)}
        unknown = [name for name in start.antecedent_names if name not in index]
        if unknown:
            text = Text("{warm_start} uses antecedents that the problem does not have, such as {!r}", unknown[0])
            raise ParameterError("warm_start", start, "of antecedents of the problem", text)
        return tuple(index[name] for name in start.antecedent_names)
    try:
        antecedents = tuple(map(int, start))
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("warm_start", start, "a RuleList or indices of antecedents") from None
    if any(not 0 <= j < problem.n_antecedents for j in antecedents):
        wanted = f"indices below {problem.n_antecedents}"
        text = Text("{warm_start} must hold {}, not {}", wanted, list(antecedents))
        raise ParameterError("warm_start", start, wanted, text)
    return antecedents


def incumbent_of(
    problem: Problem, antecedents: Sequence[int], regularization: float, found_at: tuple[float, int]
) -> Incumbent:
    """The list of these antecedents of the problem, as snapshots show it."""
    model = RuleList.from_problem(problem, antecedents)
    return Incumbent(model, model.objective(regularization), model.errors, model.complexity, found_at)


def first_captures(
    problem: Problem, antecedents: Sequence[int], columns: Mapping[int, np.ndarray] | None = None
) -> Iterator[np.ndarray]:
    """Which patterns each rule, and at last the default, is the first to capture; ``columns``: unpacked ones."""
    known, left = columns or {}, np.ones(problem.n_patterns, dtype=bool)
    for antecedent in antecedents:
        holds = known[antecedent] if antecedent in known else column_of(problem, antecedent)
        yield left & holds
        left = left & ~holds
    yield left


def cost_of(antecedents: Sequence[int], problem: Problem, costs: Costs) -> int:
    """Cost of a list on the grid, counted on the problem's patterns."""
    hits = first_captures(problem, antecedents)
    wrong = sum(min(int(costs.positives[hit].sum()), int(costs.negatives[hit].sum())) for hit in hits)
    return costs.per_error * wrong + costs.per_rule * len(antecedents)


def labels_of(model: RuleList) -> list[int]:
    """Whether each rule of a list, and its default, predicts the positive class."""
    return [int(rule.prediction == model.classes[-1]) for rule in (*model.rules, model.default)]
