"""What a search knows when it has ended, as a certificate that `rulelab.verify` checks without it."""

from __future__ import annotations

import operator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from ..certificate import Certificate, CertificateError, prove_rule_set, require_checkable
from ..certificate.rule_set.checker import counts_as_given
from ..certificate.rule_set.parity import RATES
from ..certificate.whole_weights import divided
from ..data.fairness import Criterion, Rate, compared, groups_of, parities
from .demands import Demands
from .generation import ColumnGeneration
from .master.dual_bound import DualPoint
from .program import Program

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..models import RuleSet

_LARGEST_SUM = 48  # binary digits
_LARGEST = 60  # the same, of a number
_LARGEST_COSTS = 48  # the same, of all weights on the grid, which a check adds up


def prove(
    problem: Problem,
    model: RuleSet,
    program: Program,
    generation: ColumnGeneration | None,
    conditions: int,
    fairness: Criterion | None,
    regularization: float,
    bound_only: bool,
    min_group_size: int = 0,
    demands: Demands | None = None,
    zero_one: bool = False,
    rounded: Problem | None = None,
    loosened: Fraction = Fraction(0),
) -> Certificate:
    """The certificate of an optimal rule set, or of the best linear bound so far.

    Parameters
    ----------
    problem, model, program
    generation : ColumnGeneration, optional
        None when the search ended before it began.
    conditions : int
        D.
    fairness : Criterion, optional
    regularization : float
    bound_only : bool
    min_group_size : int
        Of the criterion.
    demands : Demands, optional
        What sets must obey.
    zero_one : bool
        Whether the loss is the training errors.
    rounded : Problem, optional
        The one that the program and what was generated are of, where not this one: in weights of fewer digits.
    loosened : Fraction
        By which the program's tolerances are larger than those of the criterion then.

    Raises
    ------
    CertificateError
        When the criterion has rates that certificates do not know, or the numbers are too large for exact sums.
    """
    n_groups = 1 if fairness is None else len(groups_of(problem, fairness).names)
    whole, program = counted(rounded or problem, program, fairness is not None)
    dual, price, grid, gamma = dual_values(whole, program, generation, n_groups)
    tolerances, multipliers = None, None
    if fairness is not None:
        tolerances = {rate.name: rate.tolerance for rate in fairness.rates()}
        multipliers = multipliers_of(whole, model.form, program, fairness, gamma, min_group_size, loosened)
    asked = {}
    if demands:
        asked = {**demands.arrays, "demand_prices": demands.prices(program, _given(program, generation), grid)}
    if asked and fairness is None:  # whose prices are rounded on the grid
        dual, price, grid, asked = _coarser(dual, price, grid, asked)
    certificate = prove_rule_set(
        problem,
        model,
        dual if fairness is not None else dual[0],
        price,
        grid,
        program.max_complexity,
        conditions,
        regularization,
        tolerances,
        multipliers,
        bound_only,
        min_group_size,
        asked,
        zero_one,
    )
    require_checkable(problem, model, certificate)
    return certificate


def counted(problem: Problem, program: Program, by_group: bool) -> tuple[Problem, Program]:
    """The problem and its program as a certificate counts: in units of weight that are 1, and costs as they are."""
    if counts_as_given(problem, by_group) and program.is_literal:
        return problem, program
    whole, _ = divided(problem, by_group)
    return whole, replace(program, unit=Fraction(1), regularization=Fraction(program.penalty) / program.per_loss)


def _coarser(
    dual: np.ndarray, price: int, grid: int, asked: dict[str, np.ndarray]
) -> tuple[np.ndarray, int, int, dict[str, np.ndarray]]:
    """The same on a grid on which the prices of demands can be summed exactly; no rule gains more.

    Where what must be used may be used as often only, the prices of both can be as large as one likes.
    """
    prices, n = asked["demand_prices"].tolist(), len(asked["demands"])
    limits = zip(asked.get("uses", ()), asked.get("most_uses", ()), strict=True)
    often = [1] * n + [int(uses.sum()) + int(most) for uses, most in limits]
    shift = max(0, (2 * sum(map(operator.mul, prices, often))).bit_length() - _LARGEST_SUM)
    shift = min(shift, grid.bit_length() - 1)
    if not shift:
        return dual, price, grid, asked
    coarse, whole = grid >> shift, grid
    down = [value * coarse // whole for value in prices[:n]]
    up = [-(-value * coarse // whole) for value in prices[n:]]
    fewer = np.array([[value * coarse // whole for value in row] for row in dual.tolist()], dtype=np.int64)
    rounded = {**asked, "demand_prices": np.array([*down, *up], dtype=np.int64)}
    return fewer, -(-price * coarse // whole), coarse, rounded


def _given(program: Program, generation: ColumnGeneration | None) -> np.ndarray:
    """The prices of the program's constraints at its best dual point, in its own units; 0 where there is none."""
    if generation is None or generation.closing_point is None:
        return np.zeros(len(program.constraints))
    return generation.closing_point[0].gamma


def dual_values(
    problem: Problem, program: Program, generation: ColumnGeneration | None, n_groups: int
) -> tuple[np.ndarray, int, int, np.ndarray]:
    """Dual values of the patterns by group, the price of complexity, their grid, and the prices of the constraints.

    Raises CertificateError when the grid is too coarse for the prices of the constraints.
    """
    if generation is None or generation.closing_point is None:
        return _no_duals(problem, program, n_groups), 0, 1, np.zeros(len(program.constraints))
    return values_of_point(problem, program, *generation.closing_point, n_groups)


def values_of_point(
    problem: Problem, program: Program, point: DualPoint, price: int, n_groups: int
) -> tuple[np.ndarray, int, int, np.ndarray]:
    """The same of a dual point and its price."""
    if not isinstance(point.grid, int):
        raise CertificateError("the prices of the constraints are too large for a certificate")
    scale = program.denominator  # the program counts in multiples of the weights' common divisor
    grid, price, exact = point.grid, price * scale, [max(0, int(x)) * scale for x in point.taken.tolist()]
    costs = grid * program.regularization.denominator * int(problem.total_weight)
    too_long = max(max(price, *exact, 0).bit_length() - _LARGEST, costs.bit_length() - _LARGEST_COSTS)
    if too_long > 0:
        if too_long >= grid.bit_length():
            raise CertificateError("the weights are too large for a certificate")
        coarse = grid >> too_long
        grid, price, exact = coarse, -(-price * coarse // grid), [x * coarse // grid for x in exact]
    taken = np.array(exact, dtype=np.int64)
    dual, watched = _no_duals(problem, program, n_groups), program.watched
    if program.unit != 1 and (program.constraints or (program.leave < 0).any()):
        # a check rounds down what a unit of weight costs, not what a divisor does: by less than 1 for each unit
        taken = np.maximum(taken - program.whole[watched] * int(program.unit), 0)
        price += int(problem.total_weight)
    kind = program.kind[watched]
    rows = kind // 2 + (n_groups * (kind % 2) if _is_zero_one(program) else 0)
    np.add.at(dual, (rows, program.pattern[watched]), taken)
    return dual, price, grid, point.gamma * scale


def _is_zero_one(program: Program) -> bool:
    """Whether the loss is the training errors."""
    return bool((program.leave < 0).any())


def _no_duals(problem: Problem, program: Program, n_groups: int) -> np.ndarray:
    """Dual values of 0: of what rules should cover in each group, and where it has any of what they should not."""
    sides = 2 if _is_zero_one(program) else 1
    return np.zeros((sides * n_groups, problem.n_patterns), dtype=np.int64)


def known_rates(fairness: Criterion) -> tuple[Rate, ...]:
    """The rates of a criterion, where certificates know them; raises CertificateError."""
    rates = fairness.rates()
    for rate in rates:
        if RATES.get(rate.name) != (rate.on_positives, rate.on_negatives, rate.per, rate.base):
            raise CertificateError(f"certificates do not know the rate {rate.name!r} of {type(fairness).__name__}")
    return rates


def multipliers_of(
    problem: Problem,
    form: str,
    program: Program,
    fairness: Criterion,
    gamma: np.ndarray,
    min_group_size: int,
    loosened: Fraction = Fraction(0),
) -> dict[str, np.ndarray]:
    """The prices of the constraints ``rate of g - rate of h <= tolerance``, float of shape (n_groups, n_groups).

    ``gamma`` (float array, shape (n_constraints,)). ``loosened``: by which the program's tolerances are larger than
    those of the criterion.
    """
    rates = known_rates(fairness)
    groups = groups_of(problem, fairness)
    n = len(groups.names)
    scale = int(program.unit)
    positives, negatives = (
        [int(group.sum()) // scale for group in side] for side in (groups.positives, groups.negatives)
    )
    among = compared(fairness, groups, min_group_size)
    pairs = [(rate.name, g, h) for rate, large in zip(rates, among, strict=True) for g, h in permutations(large, 2)]
    out = {rate.name: np.zeros((n, n)) for rate in rates}
    hit, zero_one = 0 if form == "dnf" else 1, _is_zero_one(program)
    unwanted = (positives, negatives)[1 - hit]
    places = {}
    for place, parity in zip(pairs, parities(fairness, groups.names, positives, negatives, among), strict=True):
        sides = parity.on_positives, parity.on_negatives
        bound = parity.bound + loosened
        if zero_one:  # what is not covered is counted, and taken off
            bound -= sum(map(operator.mul, sides[1 - hit], unwanted), Fraction(0))
        places[sides[hit], sides[1 - hit], bound] = place
    kinds = 2 * n
    for value, constraint in zip(gamma.tolist(), program.constraints, strict=True):
        on_unwanted = tuple(-x for x in constraint.leave[1:kinds:2]) if zero_one else constraint.cover[1:kinds:2]
        shares = constraint.leave[:kinds:2], on_unwanted
        if value and any(map(any, shares)):  # else it is a demand, of other rows
            name, g, h = places[*shares, constraint.bound]
            out[name][g, h] += max(0.0, value)
    return out
