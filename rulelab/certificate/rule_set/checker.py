"""Checks a proof that a rule set has the least loss: dual values, and all rules that a better set could use.

A set of the form ``cnf`` is checked as the ``dnf`` of the other class over the negated antecedents. Costs are integers:
with the regularization P / Q per unit of complexity, Q * loss + P * complexity, the loss in units of which all weights
are multiples. Where P / Q has too many digits it stands for a simpler fraction that puts all sets into the same order
(`rulelab.data.exact_weights`), so that the set of least cost has the least objective. Dual values on a grid of G units
per cost (`dual`) and a price p >= 0 per unit of complexity prove for every set that meets the constraints

    G * cost  >=  total - p C  +  sum over its rules of rho,    rho = (p + G P) c - sum of weight over covered patterns,

when no rule has rho < 0 (weak duality; c is the rule's complexity, C the largest allowed). A rule of a set that costs
less than the model has rho <= slack = G (next smaller cost - total) + p C. So the checker enumerates all rules with
rho <= slack (`columns`), and when there are any, all sets of them that matter (`closing`); sets of
rules that cover different rows are meant, which says something only where constraints make covering twice worth its
cost. What sets must use, and how often they may, are constraints of the same kind (`demands`). Everything is
computed here, in exact integers; no solver's word is taken.

Where weights have too many digits for that, weights and the price of complexity are rounded down, so that no set costs
more than it does. A set that is better than the model then costs less than the model does exactly, rounded up; whether
one of those that are left is better is told without rounding. Where rates are compared, they are those of the rounded
weights, and may differ by as much more as rounding can hide; what is proven is that no set costs less than the model
but for what rounding can hide, which is the ``resolution`` of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.exact_weights import order_preserving
from ...data.problem import Problem
from ...models import RuleSet
from ..certificate import CertificateError
from ..outcome import Outcome, divided, rounded_down
from .claim import Claim, check_model, read_claim
from .closing import Closing, SetCosts
from .columns import Columns, GaveUpError, columns
from .demands import Counts, DemandPrices, Demands, nothing_asked, read_demands
from .dual import DualValues, RangePrice, read_dual
from .parity import Parity, Sides, check_parities, parities, read_sides
from .partition import PART_RANGES, prove_parts

LARGEST = 2**62
_LARGEST_OBJECTIVE = 10**300  # of what is shown as a double
_LARGEST_TOTAL = 1 << 40  # of all weights, times the denominator of what complexity costs
_LARGEST_ROUNDED, _PARTS = 1 << 32, 10  # of all weights that are rounded, and the same denominator then


def check(
    problem: Problem, model: RuleSet, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Check dual values against the problem and the model."""
    claim = read_claim(parameters)
    demands, priced, others = read_demands(problem, arrays)
    check_model(problem, model, claim)
    found.among = demands.words
    case = Case(problem, model, claim, demands, priced)
    try:
        if PART_RANGES in others:
            prove_parts(case, least_cost, prove, others, found)
        else:
            prove(case, others, found)
    except GaveUpError as error:
        if found.lower_bound is None:
            raise
        raise CertificateError(f"{error}; a lower bound of {found.lower_bound:.10g} is proven") from None
    scope = f"complexity at most {claim.max_complexity}, at most {claim.max_conditions} conditions a rule"
    for name, tolerance in claim.tolerances.items():
        scope += f", {name.replace('_', ' ')} of groups at most {float(tolerance):.10g} apart"
    scope += ", training errors as the loss" if claim.zero_one else ""
    scope += ", of rules that cover different rows" if claim.tolerances and not claim.zero_one else ""
    if claim.min_group_size:
        scope += f", groups of fewer than {claim.min_group_size} rows left out"
    among = f" that {demands.words}" if demands.words else ""
    found.resolution = float(case.resolution)
    found.prove(f"no rule set{among} has an objective below {found.lower_bound:.10g} ({scope})")


class Case:
    """A problem, a model and a claim, in integers; the model is refused when it breaks a constraint.

    ``problem``: in whole weights, which may be ``rounded``. ``matrix`` (bool, shape (n_patterns + n_rows,
    n_conditions)): what conjunctions hold for: its patterns, and behind them the rows of the demands. ``unit``,
    ``price`` (Fraction): what a unit of loss is worth, and what one of complexity costs in units of loss. ``cost``:
    what no set that meets the constraints is to cost less than, in these units. ``worth``, ``resolution`` (Fraction):
    the model's objective, and how much more that is than what is to be proven: 0 but where rates of rounded weights are
    compared, which may differ by ``loosened`` more than by the tolerances.
    """

    ranges: Sequence[RangePrice] = ()  # multipliers of the ranges of rates, in a part of the sets
    resolution = loosened = Fraction(0)
    # where weights are rounded: not rounded, and 1's worth
    _exactly: tuple[Sides, list[Parity], Fraction] | None = None

    def __init__(
        self,
        problem: Problem,
        model: RuleSet,
        claim: Claim,
        demands: Demands | None = None,
        priced: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.claim = claim
        given, (problem, self.unit, self.price, self.rounded) = problem, in_digits(problem, claim)
        self.problem, self.per_loss, self.per_unit = problem, self.price.denominator, self.price.numerator
        if claim.regularization * claim.max_complexity > _LARGEST_OBJECTIVE:
            raise CertificateError("the regularization is too large for a certificate")
        if int(problem.total_weight) * claim.max_complexity * self.per_loss >= LARGEST:
            raise CertificateError("the weights are too large for exact sums")
        self.demands = nothing_asked(problem) if demands is None else demands
        self.prices: DemandPrices = self.demands.prices(priced or {})
        self.sides, self.parities = sides_of(problem, model.form, claim)
        self.n_given = len(self.sides.matrix)
        self.matrix = np.vstack([self.sides.matrix, self.demands.rows])
        weights = np.concatenate([self.sides.wanted, self.sides.unwanted], axis=None)
        masses = np.gcd(np.gcd.reduce(weights), self.sides.constant)
        self.step = max(1, math.gcd(self.per_loss * int(masses), self.per_unit))
        times = times_covered(self.matrix, model)
        self.demands.check(model, self.sides.matrix, times[self.n_given :])
        if self.rounded:
            whole, unit = divided(given, bool(claim.tolerances), any_size=True)
            self._exactly, self.step = (*sides_of(whole, model.form, claim), unit), 1
        sides, same, _ = self._exactly or (self.sides, self.parities, self.unit)
        check_parities(sides, same, times[: self.n_given])
        self.worth = self._worth(times[: self.n_given], model.complexity)
        self.cost = self.cost_of(times[: self.n_given], model.complexity)
        if self.rounded and claim.tolerances:
            self._loosen(sides)
        elif self.rounded:  # what costs less than the model costs less than this
            self.cost = math.ceil(self.worth / self.unit * self.per_loss)
        self._to_prove = self.cost

    def _loosen(self, exact: Sides) -> None:
        """Take off the cost, and add to the tolerances, what rounding down can make of sets that meet them.

        Of n weights of a group, each counted up to ``most`` times, a sum loses less than ``most * n`` units; a rate of
        them, whose divisor of ``size`` units loses less than n, changes by less than ``most * n / size``.
        """
        claim, n_groups = self.claim, len(self.sides.names)
        most = 1 if claim.zero_one else max(1, claim.max_complexity // 2)
        n_weights = (exact.wanted != 0).sum(axis=1) + (exact.unwanted != 0).sum(axis=1)
        by_group = n_weights.reshape(-1, n_groups).sum(axis=0).tolist()
        shares = [(by_group[g], p.left_out[g], p.on_unwanted[g]) for p in self.parities for g in p.compared]
        self.loosened = 2 * most * max(n * max(abs(a), abs(b)) for n, a, b in shares)
        self.parities = [replace(each, tolerance=each.tolerance + self.loosened) for each in self.parities]
        self.cost -= self.per_loss * most * sum(by_group) + claim.max_complexity
        self.resolution = min(self.worth, self.worth - self.cost * self.unit / self.per_loss)

    @property
    def refuted(self) -> str:
        """What is said when a better set is found."""
        return f"a rule set with an objective below {self.objective(self.cost):.10g} exists"

    def _worth(self, times: np.ndarray, complexity: int) -> Fraction:
        """The objective of a set of rules."""
        sides, _, unit = self._exactly or (self.sides, self.parities, self.unit)
        return int(sides.loss(times)) * unit + self.claim.regularization * complexity

    def cost_of(self, times: np.ndarray, complexity: int) -> int:
        """Cost of a set of rules; it is a multiple of ``step``."""
        return self.per_loss * self.sides.loss(times) + self.per_unit * complexity

    def is_better(self, covered: np.ndarray, complexity: int) -> bool:
        """Whether rules that cover these patterns, and rows, cost less than the model and meet the constraints."""
        times, counting = np.split(covered.sum(axis=0, dtype=np.int64), [self.n_given])
        if self.cost_of(times, complexity) >= self.cost or not self.demands.hold(counting):
            return False
        if self._exactly is not None and self._worth(times, complexity) >= self.worth:
            return False
        sides, parities, _ = self._exactly or (self.sides, self.parities, self.unit)
        measured = sides.measure(times)
        return all(parity.holds(*measured) for parity in parities)

    def objective(self, cost: int | Fraction) -> float:
        """What no objective is below when no cost is below this one; of the model's cost its objective."""
        if cost == self._to_prove:
            return float(self.worth - self.resolution)
        excess = max(Fraction(0), self.price * self.unit - self.claim.regularization)
        return float(max(Fraction(0), Fraction(cost) * self.unit / self.per_loss - excess * self.claim.max_complexity))


def sides_of(problem: Problem, form: str, claim: Claim) -> tuple[Sides, list[Parity]]:
    """What a set loses, and what is asked of its rates; raises CertificateError."""
    sides = read_sides(problem, form, bool(claim.tolerances))
    compared = parities(sides, form, claim.tolerances, claim.min_group_size)
    if not claim.zero_one:
        return sides, compared
    once = [parity.once(sides.unwanted.sum(axis=1).tolist()) for parity in compared]
    return sides.once_by_group() if compared else sides.once(), once


def in_digits(problem: Problem, claim: Claim) -> tuple[Problem, Fraction, Fraction, bool]:
    """The problem in whole weights, what 1 is worth, what complexity costs in them, and whether they are rounded."""
    if rounds(problem, claim):
        whole, unit = rounded_down(problem, _LARGEST_ROUNDED, bool(claim.tolerances))
        return whole, unit, Fraction(math.floor(claim.regularization / unit * _PARTS), _PARTS), True
    whole, unit = divided(problem, bool(claim.tolerances))
    exact = claim.regularization / unit
    simple = _simple(whole, exact, claim.max_complexity)
    if counts_as_given(problem, bool(claim.tolerances)) and simple == exact:
        return problem, Fraction(1), claim.regularization, False
    assert simple is not None
    return whole, unit, simple, False


def counts_as_given(problem: Problem, by_group: bool) -> bool:
    """Whether weights are counted as they are, and not in multiples of a common divisor of theirs."""
    return problem.integral and not (by_group and int(problem.total_weight) > _LARGEST_TOTAL)


def rounds(problem: Problem, claim: Claim) -> bool:
    """Whether a check has to round weights."""
    fair = bool(claim.tolerances)
    if not (problem.groups if fair and problem.groups is not None else problem).masses.divided().fits:
        return True
    whole, unit = divided(problem, fair)
    large = fair and int(whole.total_weight) > _LARGEST_TOTAL
    return large or _simple(whole, claim.regularization / unit, claim.max_complexity) is None


def _simple(whole: Problem, price: Fraction, most: int) -> Fraction | None:
    total = int(whole.total_weight)
    return order_preserving(price, most, total * max(1, most // 2), _LARGEST_TOTAL // total)


def times_covered(matrix: np.ndarray, model: RuleSet) -> np.ndarray:
    """How many rules hold for each row of a matrix of conditions: int64 array, shape (n_rows,)."""
    times = np.zeros(len(matrix), dtype=np.int64)
    for clause in model.clauses:
        times += matrix[:, list(clause)].all(axis=1)
    return times


class Linear(NamedTuple):
    """What dual values say.

    ``bound``: on the cost of every set that meets the constraints, if no rule gains more than it costs, on the grid.
    ``priced``: the arguments of `columns` that say what rules gain.
    """

    dual: DualValues
    bound: int
    priced: tuple[np.ndarray, np.ndarray, int]

    def least(self, case: Case) -> int:
        """The least cost that the bound leaves, if it is less than the model's."""
        steps = math.ceil(Fraction(self.bound, case.claim.grid * case.step))
        return max(0, min(case.cost, steps * case.step))


def read_linear(case: Case, arrays: Mapping[str, np.ndarray]) -> Linear:
    """The dual values of a certificate, or of a part of it; raises CertificateError."""
    claim = case.claim
    dual = read_dual(case.sides, case.parities, arrays, claim.grid, case.per_loss, claim.max_complexity, case.ranges)
    bound = dual.total + case.prices.total - dual.price * claim.max_complexity
    price = dual.price + claim.grid * case.per_unit
    return Linear(dual, bound, (case.matrix, np.append(dual.weight, case.prices.weight), price))


def least_cost(case: Case, arrays: Mapping[str, np.ndarray], found: Outcome) -> int:
    """What every set costs at least, as dual values alone show; raises CertificateError where they do not."""
    linear = read_linear(case, arrays)
    _require_feasible(case, linear, -1, found)
    return linear.least(case)


def prove(case: Case, arrays: Mapping[str, np.ndarray], found: Outcome) -> None:
    """Say what is proven; raises CertificateError where the proof fails."""
    claim = case.claim
    found.objective = float(case.worth)
    linear = read_linear(case, arrays)
    slack = claim.grid * (case.cost - case.step) - linear.bound
    lower_bound = case.objective(linear.least(case))
    if claim.bound_only:
        _require_feasible(case, linear, -1, found)
        if slack >= 0:
            found.prove_bound(lower_bound, found.among)
            raise CertificateError(found.reason)
        found.lower_bound = lower_bound
        return
    try:
        cheap = _require_feasible(case, linear, max(slack, -1), found)
    except GaveUpError:
        _require_feasible(case, linear, -1, found)
        found.bounded, found.lower_bound = True, lower_bound
        raise
    found.bounded, found.lower_bound = True, lower_bound
    if slack < 0:
        return
    costs, most = set_costs(case, linear.dual, cheap, slack)
    closing = Closing(
        *_where_it_costs(case, cheap, costs),
        most,
        lambda rules: case.is_better(cheap.covers(rules), int(cheap.complexity[list(rules)].sum())),
    )
    better = closing.finds_better()
    found.checked["sets"] = closing.sets
    if better:
        raise CertificateError(f"{case.refuted}; the dual values prove a lower bound of {lower_bound:.10g} only")
    found.lower_bound = case.objective(case.cost)


def _require_feasible(case: Case, linear: Linear, slack: int, found: Outcome) -> Columns:
    """The rules within the slack; raises CertificateError when one of them gains more than it costs."""
    cheap = columns(*linear.priced, slack, case.claim.max_conditions, case.n_given)
    found.checked.update(conjunctions=cheap.counted, columns=len(cheap.reduced), sets=0)
    if (cheap.reduced < 0).any():
        raise CertificateError("the dual values are not feasible: a rule gains more than it costs")
    return cheap


def _where_it_costs(case: Case, cheap: Columns, costs: SetCosts) -> tuple[np.ndarray, SetCosts]:
    """What rules cover of the patterns that have costs, and of demands with a price which rules meet them."""
    relevant = np.flatnonzero((costs.missed != 0) | (costs.first != 0) | (costs.again != 0))
    paid = case.prices.demands > 0
    again = case.prices.demands[paid]
    nothing = np.zeros_like(again)
    covers = np.hstack([cheap.covers(patterns=relevant), _counts(case, cheap).met[:, paid].astype(np.uint8)])
    return covers, replace(
        costs,
        missed=np.append(costs.missed[relevant], nothing),
        first=np.append(costs.first[relevant], nothing),
        again=np.append(costs.again[relevant], again),
    )


def _counts(case: Case, cheap: Columns) -> Counts:
    """What each rule meets and uses."""
    rows = np.arange(case.n_given, len(case.matrix))
    return case.demands.counts(cheap.covers(patterns=rows).astype(np.int64))


def set_costs(case: Case, dual: DualValues, cheap: Columns, slack: int) -> tuple[SetCosts, int]:
    """What sets of some rules cost above the bound, and the most that a better set does, given the slack.

    Where a group's L is negative, covering a pattern again may gain ``forced - taken``. That part of what was forced is
    put back into the pattern's first cover, and the slack is raised by what the rules' reduced costs fall below 0.
    Where the loss is the training errors, the whole of ``hidden`` less the forced parts is left out: it is at least 0.
    """
    forced = np.zeros_like(dual.taken) if case.claim.zero_one else np.minimum(dual.forced, dual.taken)
    reduced, first = cheap.reduced, np.zeros_like(dual.taken)
    if not case.claim.zero_one:
        reduced, first = reduced - cheap.sums(dual.forced - forced), dual.hidden - forced
        slack -= min(0, int(reduced.min(initial=0))) * (case.claim.max_complexity // 2)
    costs = SetCosts(
        prices=np.append(dual.price, case.prices.limits),
        room=np.append(case.claim.max_complexity, case.demands.asked.most),
        reduced=np.maximum(reduced, 0),
        sizes=np.column_stack([cheap.complexity, _counts(case, cheap).used]),
        missed=dual.missed,
        first=first,
        again=dual.taken - forced,
    )
    return costs, slack
