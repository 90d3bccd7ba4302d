"""The certificate of a rule set whose rates were searched part by part: the ranges and dual values of every part."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..certificate import Certificate, CertificateError, prove_rule_set_in_parts, require_checkable
from ..certificate.rule_set.checker import Case, read_claim
from ..certificate.rule_set.demands import PART_PRICES
from ..certificate.rule_set.partition import ENDED, PART_RANGES, Space, share_of
from ..data.fairness import Criterion
from .demands import Demands
from .program import Cost
from .proof import counted, multipliers_of, values_of_point
from .rate_parts import Part, Vector

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..models import RuleSet

MOST_PARTS = 500


def prove_in_parts(
    problem: Problem,
    model: RuleSet,
    parts: Sequence[Part],
    max_complexity: int,
    conditions: int,
    fairness: Criterion,
    regularization: float,
    min_group_size: int,
    demands: Demands | None = None,
    bound: Cost | float | None = None,
    zero_one: bool = False,
) -> Certificate:
    """The certificate of an optimal rule set, or of a bound.

    Raises CertificateError when there are too many parts, or the numbers are too large for exact sums.

    Parameters
    ----------
    parts : sequence of Part
        Those that were searched, or shown to cost too much; others cost too much by their rates alone.
    max_complexity, conditions : int
        C and D.
    demands : Demands, optional
        What sets must obey.
    bound : int or Fraction, optional
        For a bound only: the cost that parts have ended at.
    zero_one : bool
        Whether the loss is the training errors.
    """
    tolerances = {rate.name: rate.tolerance for rate in fairness.rates()}

    asked = demands.arrays if demands else {}

    def certificate(arrays: dict[str, np.ndarray]) -> Certificate:
        limits = max_complexity, conditions, regularization
        return prove_rule_set_in_parts(
            problem, model, arrays, *limits, tolerances, min_group_size, asked, bound is not None, zero_one
        )

    case = Case(problem, model, read_claim(certificate({}).parameters))
    source = case.problem if case.rounded else problem
    arrays = arrays_of_parts(source, model, case, parts, fairness, min_group_size, case.loosened, demands)
    if bound is not None:
        ended = [part.least >= bound for part in parts if part.shown is not None]
        ((name, dtype),) = ENDED.items()
        arrays[name] = np.array(ended, dtype=dtype)
    proven = certificate(arrays)
    require_checkable(problem, model, proven)
    return proven


def arrays_of_parts(
    problem: Problem,
    model: RuleSet,
    case: Case,
    parts: Sequence[Part],
    fairness: Criterion,
    min_group_size: int,
    loosened: Fraction = Fraction(0),
    demands: Demands | None = None,
) -> dict[str, np.ndarray]:
    """What a certificate holds of parts; see `rulelab.certificate.rule_set.partition.prove_parts`.

    Raises CertificateError when there are too many parts, or the numbers are too large for exact sums.

    Parameters
    ----------
    problem : Problem
        That the parts are of.
    case : Case
        Of the sets that the parts are to hold.
    parts, fairness, min_group_size
        As for `prove_in_parts`.
    loosened : Fraction
        By which the parts' tolerances are larger than those of the criterion.
    """
    if len(parts) > MOST_PARTS:
        raise CertificateError(f"certificates are for at most {MOST_PARTS} parts of the rates, not {len(parts)}")
    space = Space(case)
    shown = [part for part in parts if part.shown is not None]
    columns = [_part(problem, model, space, part, fairness, min_group_size, loosened, demands) for part in shown]
    n_groups = len(case.sides.names)
    n = n_groups * len(case.parities)
    empty = {
        PART_RANGES: np.zeros((0, n, 2), dtype=np.int64),
        "part_range_prices": np.zeros((0, n, 2)),
        "part_dual": np.zeros((0, *case.sides.wanted.shape), dtype=np.int64),
        "part_multipliers": np.zeros((0, n, n_groups)),
        "part_price": np.zeros(0, dtype=np.int64),
        "part_grid": np.zeros(0, dtype=np.int64),
    }
    if demands:
        empty[PART_PRICES] = np.zeros((0, len(demands.bounds)), dtype=np.int64)
    return {name: np.stack([column[name] for column in columns]) if columns else none for name, none in empty.items()}


def _part(
    problem: Problem,
    model: RuleSet,
    space: Space,
    part: Part,
    fairness: Criterion,
    min_group_size: int,
    loosened: Fraction,
    demands: Demands | None,
) -> dict[str, np.ndarray]:
    """The arrays of one part."""
    assert part.shown is not None
    program, point, price = part.shown
    problem, program = counted(problem, program, True)
    names = sorted(rate.name for rate in fairness.rates())
    n_groups = len(space.case.sides.names)
    dual, price, grid, gamma = values_of_point(problem, program, point, price, n_groups)
    single, known = _singles(space, int(program.unit)), part.rates
    ranges, prices = np.zeros((len(names), n_groups, 2), dtype=np.int64), np.zeros((len(names), n_groups, 2))
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
    multipliers = multipliers_of(problem, model.form, program, fairness, of_pairs, min_group_size, loosened)
    out = {
        PART_RANGES: ranges.reshape(-1, 2),
        "part_range_prices": prices.reshape(-1, 2),
        "part_dual": dual,
        "part_multipliers": np.concatenate([multipliers[name] for name in names]),
        "part_price": np.array(price, dtype=np.int64),
        "part_grid": np.array(grid, dtype=np.int64),
    }
    if demands:
        out[PART_PRICES] = demands.prices(program, point.gamma, grid)
    return out


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
