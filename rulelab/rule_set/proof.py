"""What a search knows when it has ended, as a certificate that `rulelab.verify` checks without it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..certificate import Certificate, CertificateError, prove_rule_set, require_checkable
from ..certificate.outcome import divided
from ..certificate.rule_set.checker import Case, counts_as_given
from ..certificate.rule_set.claim import Claim, check_model, read_claim
from ..certificate.rule_set.demands import PART_PRICES
from ..certificate.rule_set.parity import RATES
from ..certificate.rule_set.partition import PART_ENDED, PART_RANGES, Space, share_of
from ..data.fairness import Criterion, Rate, compared, groups_of, parities
from .demands import Demands
from .master.dual_bound import DualPoint
from .program import Cost, Program
from .rate_parts import Part, Shown, Vector

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..models import RuleSet

_LARGEST_SUM = 48  # binary digits
_LARGEST = 60  # the same, of a number
_LARGEST_COSTS = 48  # the same, of all weights on the grid, which a check adds up
MOST_PARTS = 500


class Proven(NamedTuple):
    """What has shown that no set of a program costs less than some number.

    ``point``: the dual values and the price of complexity that bound their cost; None where nothing had to. ``parts``:
    where rates were searched part by part, those that were searched, or shown to cost too much; others cost too much by
    their rates alone.
    """

    program: Program
    point: tuple[DualPoint, int] | None = None
    parts: tuple[Part, ...] | None = None


@dataclass(frozen=True, eq=False)
class Writer:
    """Puts what is proven into the arrays of a certificate.

    Raises CertificateError when there are too many parts, or the numbers are too large for exact sums.
    """

    problem: Problem  # that is proven, in weights of fewer digits where a check rounds them
    form: str
    fairness: Criterion | None
    min_group_size: int
    loosened: Fraction  # by how much tolerances are larger than those of the criterion
    demands: Demands | None = None

    @cached_property
    def n_groups(self) -> int:
        return 1 if self.fairness is None else len(groups_of(self.problem, self.fairness).names)

    def prove(
        self, problem: Problem, model: RuleSet, claim: Claim, proven: Proven, bound: Cost | float | None = None
    ) -> Certificate:
        """The certificate of an optimal rule set, or of a bound, the cost that parts have ended at."""
        if proven.parts is None or self.fairness is None:
            arrays, grid = self.of_whole(proven)
            claim = replace(claim, grid=grid)
        else:
            check_model(problem, model, claim)
            arrays = self.of_parts(Case(problem, model, read_claim(claim.parameters)), proven.parts)
            if bound is not None:
                ended = [part.least >= bound for part in proven.parts if part.shown is not None]
                arrays[PART_ENDED] = np.array(ended, dtype=np.uint8)
        demanded = self.demands.arrays if self.demands else {}
        certificate = prove_rule_set(problem, model, claim, {**demanded, **arrays})
        require_checkable(problem, model, certificate)
        return certificate

    def of_whole(self, proven: Proven) -> tuple[dict[str, np.ndarray], int]:
        """The arrays of the dual values of one program, and their grid."""
        whole, program = counted(self.problem, proven.program, self.fairness is not None)
        dual, price, grid, gamma = dual_values(whole, program, proven.point, self.n_groups)
        asked = {}
        if self.demands:
            given = gamma if proven.point is None else proven.point[0].gamma  # in the program's own units
            asked = {**self.demands.arrays, "demand_prices": self.demands.prices(program, given, grid)}
        if self.fairness is not None:
            asked["multipliers"] = self._multipliers(whole, program, self.fairness, gamma)
        elif asked:  # whose prices are rounded on the grid
            dual, price, grid, asked = _coarser(dual, price, grid, asked)
        arrays = {"dual": dual if self.fairness is not None else dual[0], "price": np.array([price], dtype=np.int64)}
        return arrays | asked, grid

    def of_parts(self, case: Case, parts: Sequence[Part]) -> dict[str, np.ndarray]:
        """The arrays of parts, see `rulelab.certificate.rule_set.partition.prove_parts`."""
        if len(parts) > MOST_PARTS:
            raise CertificateError(f"certificates are for at most {MOST_PARTS} parts of the rates, not {len(parts)}")
        space = Space(case)
        columns = [self._of_part(space, part, part.shown) for part in parts if part.shown is not None]
        forms = space.forms(len(columns), len(self.demands.bounds) if self.demands else 0)
        return {
            name: np.array([column[name] for column in columns], dtype=dtype).reshape(shape)
            for name, (dtype, shape) in forms.items()
        }

    def _of_part(self, space: Space, part: Part, shown: Shown) -> dict[str, np.ndarray | int]:
        assert self.fairness is not None
        problem, program = counted(self.problem, shown.program, True)
        n_rates, n_groups = len(space.case.parities), self.n_groups
        dual, price, grid, gamma = dual_values(problem, program, (shown.point, shown.price), n_groups)
        single, known = _singles(space, int(program.unit)), part.rates
        ranges, prices = np.zeros((n_rates, n_groups, 2), dtype=np.int64), np.zeros((n_rates, n_groups, 2))
        for (r, g), (low, high) in zip(space.places, space.whole, strict=True):
            ranges[r, g] = low, high
        for vector, step, (low, high) in zip(known.vectors, known.steps, part.ranges, strict=True):
            place, sign = single[_of_groups(*vector, n_groups)]
            r, g = space.places[place]
            each = step / (share_of(space.case.parities[r], g) * known.unit)
            ends = sorted(sign * value * each for value in (low, high))
            if any(end.denominator != 1 for end in ends):
                raise CertificateError("a range of a rate is not one of whole weights")
            ranges[r, g] = [int(end) for end in ends]
        of_pairs = gamma.copy()
        for k, constraint in enumerate(program.constraints):
            found = single.get(_of_groups(constraint.leave, constraint.cover, n_groups))
            if found is not None:
                place, sign = found
                r, g = space.places[place]
                prices[r, g, 1 if sign > 0 else 0] += max(0.0, float(gamma[k]))
                of_pairs[k] = 0.0
        return {
            PART_RANGES: ranges.reshape(-1, 2),
            "part_range_prices": prices.reshape(-1, 2),
            "part_dual": dual,
            "part_multipliers": self._multipliers(problem, program, self.fairness, of_pairs).reshape(-1, n_groups),
            "part_price": price,
            "part_grid": grid,
            PART_PRICES: self.demands.prices(program, shown.point.gamma, grid) if self.demands else 0,
        }

    def _multipliers(self, problem: Problem, program: Program, fairness: Criterion, gamma: np.ndarray) -> np.ndarray:
        """The prices of ``rate of g - rate of h <= tolerance``: float, shape (n_rates by name, n_groups, n_groups)."""
        rates, groups, n = known_rates(fairness), groups_of(problem, fairness), self.n_groups
        sides = groups.positives, groups.negatives
        positives, negatives = ([int(group.sum()) // int(program.unit) for group in side] for side in sides)
        among = compared(fairness, groups, self.min_group_size)
        pairs = [(rate.name, g, h) for rate, large in zip(rates, among, strict=True) for g, h in permutations(large, 2)]
        out = {rate.name: np.zeros((n, n)) for rate in rates}
        hit, zero_one = 0 if self.form == "dnf" else 1, _is_zero_one(program)
        unwanted = (positives, negatives)[1 - hit]
        places = {}
        for place, parity in zip(pairs, parities(fairness, groups.names, positives, negatives, among), strict=True):
            on = parity.on_positives, parity.on_negatives
            bound = parity.bound + self.loosened
            if zero_one:  # what is not covered is counted, and taken off
                bound -= sum(map(operator.mul, on[1 - hit], unwanted), Fraction(0))
            places[on[hit], on[1 - hit], bound] = place
        kinds = 2 * n
        for value, constraint in zip(gamma.tolist(), program.constraints, strict=True):
            on_unwanted = tuple(-x for x in constraint.leave[1:kinds:2]) if zero_one else constraint.cover[1:kinds:2]
            shares = constraint.leave[:kinds:2], on_unwanted
            if value and any(map(any, shares)):  # else it is a demand, of other rows
                name, g, h = places[*shares, constraint.bound]
                out[name][g, h] += max(0.0, value)
        return np.array([out[name] for name in sorted(out)])


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


def dual_values(
    problem: Problem, program: Program, known: tuple[DualPoint, int] | None, n_groups: int
) -> tuple[np.ndarray, int, int, np.ndarray]:
    """Dual values of the patterns by group, the price of complexity, their grid, and the prices of the constraints.

    ``known``: a dual point and its price; None where nothing had to be priced. The dual values are of what rules should
    cover in each group, and where the loss is the training errors of what they should not.
    """
    sides = 2 if _is_zero_one(program) else 1
    dual = np.zeros((sides * n_groups, problem.n_patterns), dtype=np.int64)
    if known is None:
        return dual, 0, 1, np.zeros(len(program.constraints))
    point, price = known
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
    taken, watched = np.array(exact, dtype=np.int64), program.watched
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


def known_rates(fairness: Criterion) -> tuple[Rate, ...]:
    """The rates of a criterion, where certificates know them; raises CertificateError."""
    rates = fairness.rates()
    for rate in rates:
        if RATES.get(rate.name) != (rate.on_positives, rate.on_negatives, rate.per, rate.base):
            raise CertificateError(f"certificates do not know the rate {rate.name!r} of {type(fairness).__name__}")
    return rates


def _of_groups(leave: tuple[Fraction, ...], cover: tuple[Fraction, ...], n_groups: int) -> Vector:
    """Coefficients without those of the rows that only demands count."""
    return leave[: 2 * n_groups], cover[: 2 * n_groups]


def _singles(space: Space, unit: int) -> dict[Vector, tuple[int, int]]:
    """Which rate of which group a vector of coefficients is, and with which sign."""
    out: dict[Vector, tuple[int, int]] = {}
    kinds = 2 * len(space.case.sides.names)
    for place, (r, g) in enumerate(space.places):
        parity = space.case.parities[r]
        for sign in (1, -1):
            leave, cover = ([0 * parity.tolerance] * kinds for _ in range(2))
            leave[2 * g] = sign * parity.left_out[g] * unit
            (leave if parity.uncovered else cover)[2 * g + 1] = sign * parity.on_unwanted[g] * unit
            out[tuple(leave), tuple(cover)] = place, sign
    return out
