"""Checks a proof that is made part by part: the rates of groups are within some ranges in each part.

The rate of a group is ``n / size`` and a constant, where n, a sum of whole weights, is a multiple of their greatest
common divisor. The parts have to hold every set that meets the constraints, or whose errors, as its rates have them,
cost less than the model: boxes of n are cut along the ranges of the parts, and tightened by the constraints, until each
is empty, or costs too much, or is inside a part. In each part the sets are bounded by dual values of its own, which may
price its ranges, as any constraints.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..certificate import CertificateError
from ..outcome import Outcome
from .columns import Effort, GaveUpError
from .demands import PART_PRICES, PRICES
from .dual import RangePrice
from .parity import Parity

PART_RANGES = "part_ranges"
PART_ENDED = "part_ended"
MOST_PARTS = 10_000
MOST_BOXES = 100_000
_ROUNDS = 100  # of tightening; every one is right, so that fewer prove less
_LARGEST = 1 << 53

Box = tuple[tuple[int, int], ...]  # the least and the largest n of each rate of each group that is compared


class Space:
    """The rates of a case. ``places`` (list of (int, int)): which rate and which group each number of a box is of."""

    def __init__(self, case: Any) -> None:
        self.case = case
        self.places = [(r, g) for r, parity in enumerate(case.parities) for g in parity.compared]
        self._signs = [
            tuple(map(_sign, (case.parities[r].left_out[g], case.parities[r].on_unwanted[g]))) for r, g in self.places
        ]
        self._shares = [share_of(case.parities[r], g) for r, g in self.places]
        wanted, unwanted = case.sides.wanted, case.sides.unwanted
        self._most = max(1, case.claim.max_complexity // 2)
        if case.claim.zero_one:
            (wanted, unwanted), self._most = np.split(wanted, 2), 1
        self._masses = [side.sum(axis=1).tolist() for side in (wanted, unwanted)]
        self._steps = []
        for (_, g), signs in zip(self.places, self._signs, strict=True):
            used = [side[g] for side, sign in zip((wanted, unwanted), signs, strict=True) if sign]
            self._steps.append(max(1, int(np.gcd.reduce(np.concatenate(used)))))

    @property
    def whole(self) -> Box:
        """What the weights allow."""
        (wanted, unwanted), out = self._masses, []
        for (_, g), (on_wanted, on_unwanted) in zip(self.places, self._signs, strict=True):
            ends = (on_wanted * wanted[g], on_unwanted * unwanted[g] * self._most)
            out.append((sum(min(0, x) for x in ends), sum(max(0, x) for x in ends)))
        return tuple(out)

    def forms(self, n_parts: int, n_demands: int) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        """Type and shape of the arrays of so many parts, and demands and limits."""
        whole, real, n_groups = np.dtype(np.int64), np.dtype(np.float64), len(self.case.sides.names)
        n_rates = len(self.case.parities) * n_groups
        out = {
            PART_RANGES: (whole, (n_parts, n_rates, 2)),
            "part_range_prices": (real, (n_parts, n_rates, 2)),
            "part_dual": (whole, (n_parts, *self.case.sides.wanted.shape)),
            "part_multipliers": (real, (n_parts, n_rates, n_groups)),
            "part_price": (whole, (n_parts,)),
            "part_grid": (whole, (n_parts,)),
            PART_PRICES: (whole, (n_parts, n_demands)),
        }
        return out if n_demands else {name: form for name, form in out.items() if name != PART_PRICES}

    def tightened(self, box: Box) -> Box | None:
        """What the constraints leave of a box; None for nothing."""
        low, high = [a for a, _ in box], [b for _, b in box]
        for _ in range(_ROUNDS):
            before = (tuple(low), tuple(high))
            for r, parity in enumerate(self.case.parities):
                own = [k for k, place in enumerate(self.places) if place[0] == r]
                most = min(self._rate(k, high[k]) for k in own) + parity.tolerance
                least = max(self._rate(k, low[k]) for k in own) - parity.tolerance
                for k in own:
                    step, each = self._steps[k], self._steps[k] * self._shares[k]
                    constant = self._rate(k, 0)
                    low[k] = step * math.ceil(max(Fraction(low[k], step), (least - constant) / each))
                    high[k] = step * math.floor(min(Fraction(high[k], step), (most - constant) / each))
            if any(a > b for a, b in zip(low, high, strict=True)):
                return None
            if before == (tuple(low), tuple(high)):
                break
        return tuple(zip(low, high, strict=True))

    def _rate(self, k: int, n: int) -> Fraction:
        r, g = self.places[k]
        return n * self._shares[k] + self.case.parities[r].offset[g]

    def least_cost(self, box: Box) -> int:
        """What the errors that the rates of one side alone say cost at least."""
        errors: dict[tuple[int, int], int] = {}
        for (_, g), signs, (low, high) in zip(self.places, self._signs, box, strict=True):
            if 0 in signs:
                side = 0 if signs[0] else 1
                least, most = (low, high) if signs[side] > 0 else (-high, -low)
                wrong = self._masses[side][g] - most if side and self.case.claim.zero_one else least
                errors[side, g] = max(errors.get((side, g), 0), wrong)
        return self.case.per_loss * sum(errors.values())


def share_of(parity: Parity, group: int) -> Fraction:
    """What a unit of weight is of a group's rate."""
    return max(abs(parity.left_out[group]), abs(parity.on_unwanted[group]))


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


Prove = Callable[[Any, Mapping[str, np.ndarray], Outcome], None]  # checks the dual values of a case
LeastCost = Callable[[Any, Mapping[str, np.ndarray], Outcome], int]  # what the dual values of a case alone show


def prove_parts(
    case: Any, least_cost: LeastCost, prove: Prove, arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Say what is proven; raises CertificateError where the proof fails, or is for less than the model's cost.

    ``arrays``, with a first axis for the parts: ``part_ranges``, int64 of shape (n_rates * n_groups, 2), the least and
    the largest n of each rate; ``part_range_prices``, float64 of the same shape, their multipliers; ``part_dual``,
    int64 of shape (n_groups, n_patterns); ``part_multipliers``, float64 of shape (n_rates * n_groups, n_groups);
    ``part_price`` and ``part_grid``, an int64 each. Where sets must use something, or may only so often,
    ``part_demand_prices``, int64 of shape (n_demands + n_limits,). Of a bound ``part_ended``, uint8: 1 for parts that
    the search has ended, which are proven to cost at least what the dual values of all others show.
    """
    found.objective = float(case.worth)
    parts = Parts(case, arrays)
    parts.require_all()
    bounds, least = [-1] * len(parts), case.cost
    if case.claim.bound_only:
        ended = arrays[PART_ENDED]
        if (ended > 1).any():
            raise CertificateError("whether a part has ended must be 0 or 1")
        bounds = [parts.bound(k, least_cost, found) for k in range(len(parts))]
        least = min([least, *(bound for bound, done in zip(bounds, ended, strict=True) if not done)])
    for k, bound in enumerate(bounds):
        if bound < least:
            part = parts.case(k)
            part.cost, part.claim = least, replace(part.claim, bound_only=False)
            try:
                with parts.counting(k, found) as counts:
                    prove(part, parts.arrays(k), counts)
            except GaveUpError:
                if not case.claim.bound_only:
                    raise
                least = bound
    found.checked.setdefault("parts", 0)
    found.lower_bound = case.objective(least)
    if least < case.cost:
        found.prove_bound(found.lower_bound, found.among)
        raise CertificateError(found.reason)


class Parts:
    """The parts of a certificate, with ``boxes``, the ranges of each.

    ``arrays``: as `prove_parts` takes them. Raises CertificateError when one has not the form that it must have.
    """

    def __init__(self, case: Any, arrays: Mapping[str, np.ndarray]) -> None:
        if not case.parities:
            raise CertificateError("parts are of rates of groups that are compared")
        self.space, self._arrays = Space(case), arrays
        self.boxes = _read(self.space, arrays)
        self._shape = len(case.parities), len(case.sides.names)

    def __len__(self) -> int:
        return len(self.boxes)

    def case(self, k: int) -> Any:
        """The case of the sets of a part."""
        whole, space = self.space.case, self.space
        part = copy.copy(whole)
        part.claim = replace(whole.claim, grid=int(self._arrays["part_grid"][k]))
        prices = self._arrays["part_range_prices"][k].reshape(*self._shape, 2).tolist()
        part.ranges = [
            RangePrice(
                whole.parities[r],
                g,
                sign,
                whole.parities[r].offset[g] + self.boxes[k][place][end] * share_of(whole.parities[r], g),
                Fraction(prices[r][g][end]),
            )
            for place, (r, g) in enumerate(space.places)
            for end, sign in ((0, -1), (1, 1))
            if prices[r][g][end]
        ]
        if PART_PRICES in self._arrays:
            part.prices = whole.demands.prices({PRICES: self._arrays[PART_PRICES][k]})
        return part

    def arrays(self, k: int) -> dict[str, np.ndarray]:
        """The dual values of a part."""
        return {
            "dual": self._arrays["part_dual"][k],
            "price": self._arrays["part_price"][k : k + 1],
            "multipliers": self._arrays["part_multipliers"][k].reshape(*self._shape, -1),
        }

    @contextmanager
    def counting(self, k: int, found: Outcome) -> Iterator[Outcome]:
        """What a check of a part finds, the counts of which are added to those of all."""
        of_part, counts = Outcome(), found.checked
        try:
            yield of_part
        finally:
            for name, n in of_part.checked.items():
                counts[name] = counts.get(name, 0) + n
            counts["parts"] = max(k + 1, counts.get("parts", 0))

    def bound(self, k: int, least_cost: LeastCost, found: Outcome) -> int:
        """What sets of a part cost at least, by its dual values and by its rates alone."""
        case, within = self.space.case, self.space.tightened(self.boxes[k])
        with self.counting(k, found) as counts:
            linear = least_cost(self.case(k), self.arrays(k), counts)
        return min(case.cost, max(linear, case.cost if within is None else self.space.least_cost(within)))

    def require_all(self) -> None:
        """Refuse parts that leave out a set that could be better; raises CertificateError."""
        effort, space = Effort(MOST_BOXES, "the check that the parts hold all sets"), self.space
        stack = [space.whole]
        while stack:
            effort.spend(1)
            box = space.tightened(stack.pop())
            if box is None or space.least_cost(box) > space.case.cost - space.case.step:
                continue
            meeting = [part for part in self.boxes if all(_meet(a, b) for a, b in zip(part, box, strict=True))]
            if not meeting:
                stack += _halves(box)
                continue
            if any(all(_inside(b, a) for a, b in zip(part, box, strict=True)) for part in meeting):
                continue
            ends = enumerate(zip(meeting[0], box, strict=True))
            k, (low, high) = next((k, a) for k, (a, b) in ends if not _inside(b, a))
            first, last = box[k]
            pieces = ((first, min(last, low - 1)), (max(first, low), min(last, high)), (max(first, high + 1), last))
            stack += [(*box[:k], piece, *box[k + 1 :]) for piece in pieces if piece[0] <= piece[1]]


def _read(space: Space, arrays: Mapping[str, np.ndarray]) -> list[Box]:
    """The parts' ranges; raises CertificateError when an array has not the form that it must have."""
    n_parts, n_rates = len(arrays[PART_RANGES]), len(space.case.parities) * len(space.case.sides.names)
    asked = space.case.demands.asked
    forms = space.forms(n_parts, len(asked.meets) + len(asked.most))
    if space.case.claim.bound_only:
        forms[PART_ENDED] = np.dtype(np.uint8), (n_parts,)
    if set(arrays) != set(forms):
        raise CertificateError(f"a certificate in parts must hold {sorted(forms)}, not {sorted(arrays)}")
    if n_parts > MOST_PARTS:
        raise CertificateError(f"a certificate may have {MOST_PARTS} parts, not {n_parts}")
    for name, (dtype, shape) in sorted(forms.items()):
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            raise CertificateError(f"'{name}' must be {dtype} of shape {shape}")
    ranges, prices, grids = arrays[PART_RANGES], arrays["part_range_prices"], arrays["part_grid"]
    if (grids < 1).any() or (grids >= _LARGEST).any():
        raise CertificateError("the grid of a part must be a whole number of at least 1")
    if not np.isfinite(prices).all() or np.signbit(prices).any():
        raise CertificateError("a multiplier of a range is negative or not finite")
    apart, at = np.ones(n_rates, dtype=bool), [r * len(space.case.sides.names) + g for r, g in space.places]
    apart[at] = False
    if ranges[:, apart].any() or prices[:, apart].any():
        raise CertificateError("a range is of a group that is left out of the constraint")
    if (ranges < -_LARGEST).any() or (ranges > _LARGEST).any() or (ranges[..., 0] > ranges[..., 1]).any():
        raise CertificateError("a range is empty or too large")
    return [tuple((low, high) for low, high in part[at].tolist()) for part in ranges]


def _halves(box: Box) -> list[Box]:
    """A box that no part meets, cut in two: it may be empty, which tightening has not shown; else CertificateError."""
    k = min((k for k, (low, high) in enumerate(box) if low < high), key=lambda k: box[k][1] - box[k][0], default=None)
    if k is None:
        raise CertificateError("the parts of the certificate leave out some rates of the groups")
    low, high = box[k]
    middle = (low + high) // 2
    return [(*box[:k], piece, *box[k + 1 :]) for piece in ((low, middle), (middle + 1, high))]


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def _inside(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return b[0] <= a[0] and a[1] <= b[1]
