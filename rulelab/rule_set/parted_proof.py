"""The certificate of a rule set whose rates were searched part by part: the ranges and dual values of every part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..certificate import Certificate, CertificateError, prove_rule_set_in_parts
from ..certificate.rule_set.checker import Case, read_claim
from ..certificate.rule_set.parted import PART_RANGES, Space, share_of
from ..data.fairness import Criterion
from .proof import multipliers_of, values_of_point
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
) -> Certificate:
    """The certificate of an optimal rule set.

    Parameters
    ----------
    problem : Problem
    model : RuleSet
    parts : sequence of Part
        Those that were searched, or shown to cost too much; others cost too much by their rates alone.
    max_complexity, conditions : int
        C and D.
    fairness : Criterion
    regularization : float
    min_group_size : int

    Raises
    ------
    CertificateError
        When there are too many parts, or the numbers are too large for exact sums.
    """
    if len(parts) > MOST_PARTS:
        raise CertificateError(f"certificates are for at most {MOST_PARTS} parts of the rates, not {len(parts)}")
    tolerances = {rate.name: rate.tolerance for rate in fairness.rates()}

    def certificate(arrays: dict[str, np.ndarray]) -> Certificate:
        limits = max_complexity, conditions, regularization
        return prove_rule_set_in_parts(problem, model, arrays, *limits, tolerances, min_group_size)

    claim = read_claim(certificate({}).parameters)
    space = Space(Case(problem, model, claim))
    shown = [part for part in parts if part.shown is not None]
    columns = [_part(problem, model, space, part, fairness, min_group_size) for part in shown]
    n_groups = len(space.case.sides.names)
    n = n_groups * len(tolerances)
    empty = {
        PART_RANGES: np.zeros((0, n, 2), dtype=np.int64),
        "part_range_prices": np.zeros((0, n, 2)),
        "part_dual": np.zeros((0, n_groups, problem.n_patterns), dtype=np.int64),
        "part_multipliers": np.zeros((0, n, n_groups)),
        "part_price": np.zeros(0, dtype=np.int64),
        "part_grid": np.zeros(0, dtype=np.int64),
    }
    arrays = {name: np.stack([column[name] for column in columns]) if columns else none for name, none in empty.items()}
    return certificate(arrays)


def _part(
    problem: Problem, model: RuleSet, space: Space, part: Part, fairness: Criterion, min_group_size: int
) -> dict[str, np.ndarray]:
    """The arrays of one part."""
    assert part.shown is not None
    program, point, price = part.shown
    names = sorted(rate.name for rate in fairness.rates())
    n_groups = len(space.case.sides.names)
    dual, price, grid, gamma = values_of_point(problem, program, point, price, n_groups)
    single, known = _singles(space, int(program.unit)), part.rates
    ranges, prices = np.zeros((len(names), n_groups, 2), dtype=np.int64), np.zeros((len(names), n_groups, 2))
    for (r, g), (low, high) in zip(space.places, space.whole, strict=True):
        ranges[r, g] = low, high
    for vector, step, (low, high) in zip(known.vectors, known.steps, part.ranges, strict=True):
        place, sign = single[vector]
        r, g = space.places[place]
        each = step / (share_of(space.case.parities[r], g) * known.unit)
        ends = sorted(sign * value * each for value in (low, high))
        if any(end.denominator != 1 for end in ends):
            raise CertificateError("a range of a rate is not one of whole weights")
        ranges[r, g] = [int(end) for end in ends]
    of_pairs = gamma.copy()
    for k, constraint in enumerate(program.constraints):
        found = single.get((constraint.leave, constraint.cover))
        if found is not None:
            place, sign = found
            r, g = space.places[place]
            prices[r, g, 1 if sign > 0 else 0] += max(0.0, float(gamma[k]))
            of_pairs[k] = 0.0
    multipliers = multipliers_of(problem, model.form, program, fairness, of_pairs, min_group_size)
    return {
        PART_RANGES: ranges.reshape(-1, 2),
        "part_range_prices": prices.reshape(-1, 2),
        "part_dual": dual,
        "part_multipliers": np.concatenate([multipliers[name] for name in names]),
        "part_price": np.array(price, dtype=np.int64),
        "part_grid": np.array(grid, dtype=np.int64),
    }


def _singles(space: Space, unit: int) -> dict[Vector, tuple[int, int]]:
    """Which rate of which group a vector of coefficients is, and with which sign."""
    out: dict[Vector, tuple[int, int]] = {}
    kinds = 2 * len(space.case.sides.names)
    for place, (r, g) in enumerate(space.places):
        parity = space.case.parities[r]
        for sign in (1, -1):
            leave = [sign * parity.left_out[g] * unit if k == 2 * g else 0 * parity.tolerance for k in range(kinds)]
            cover = [sign * parity.covered[g] * unit if k == 2 * g + 1 else 0 * parity.tolerance for k in range(kinds)]
            out[tuple(leave), tuple(cover)] = place, sign
    return out
