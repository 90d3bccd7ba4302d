"""Bounds on the way to the longest rules: shorter ones are priced first, then all, the longer ones at a surcharge.

Pricing takes the longer, the more conditions a rule may have. Let dual values and a price be such that no rule of
s <= d conditions gains more than its charge, ``price (1 + s)``, and no longer one more than that and a surcharge. A set
within complexity C has at most ``K = C // (d + 2)`` rules of more than d conditions, hence by weak duality

    cost  >=  total - price C - K surcharge,

less by the surcharge than the linear bound that pricing without it would prove. The higher the surcharge, the fewer
conjunctions have to be looked at; it is lowered step by step until it is 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from .features import Features
from .master.dual_bound import DualPoint, floor
from .pricing.exact import LARGEST_SUM
from .program import Program

MOST_SHALLOW = 4
_WORDS = 1 << 38  # that pricing may have to count for the rules that come first
_FIRST = 0.9  # share of the linear bound that the first surcharge gives up
_LAST = 0.1  # of what all of the complexity is charged: the least that a set can be surcharged
_RATIOS = (0.5, 0.65, 0.8)  # of what a set is charged at most, from one step to the next
_LITTLE, _GROWTH = 60, 2.0  # units of a step, and times those before, up to which the next ratio is a smaller one


def first_conditions(features: Features, max_conditions: int, most: int) -> int:
    """Conditions of the rules that come first: at most ``most``, and fewer of wide data; D where none come later."""
    words = 1 + features.n_patterns // 64
    depth = 1
    while depth < min(most, max_conditions) and comb(features.n_used, depth + 1) * words <= _WORDS:
        depth += 1
    return depth


class Surcharge:
    """What longer rules are charged on top, as a share of the linear bound that may be lost.

    ``shallow``: d, the conditions of rules that are not surcharged. ``share`` (float): 0 when there is no surcharge.
    """

    def __init__(self, program: Program, shallow: int) -> None:
        self._least, self._max_complexity = program.least, program.max_complexity
        self._shallow, self._most = shallow, max(1, program.max_complexity // (shallow + 2))
        self.share, self._before = _FIRST, 0

    def __bool__(self) -> bool:
        return self.share > 0

    def targets(self, point: DualPoint, price: int, charge: np.ndarray) -> np.ndarray:
        """What rules of 0, 1, ... conditions must exceed, where they are charged ``charge``: int64."""
        out = charge.copy()
        surcharge = int(self.share * self._range(point, price)) // self._most
        longer = out[self._shallow + 1 :]
        longer += np.minimum(surcharge, LARGEST_SUM - 1 - longer)
        return out

    def lower(self, point: DualPoint, price: int, units: int) -> None:
        """Go to the next step after one that took so many units of work."""
        ratio = _RATIOS[0 if units <= _LITTLE else 1 if units <= _GROWTH * self._before else 2]
        self._before = units
        lost, charged = self._range(point, price), price * self._max_complexity
        share = (ratio * (self.share * lost + charged) - charged) / lost
        self.share = share if share * lost > _LAST * charged and share < self.share else 0.0

    def _range(self, point: DualPoint, price: int) -> int:
        """The linear bound without a surcharge above the least cost of all, on the grid."""
        return max(1, point.total - price * self._max_complexity - floor(Fraction(self._least) * point.grid))
