"""How far groups of people are treated differently: the largest difference of a rate over all pairs of groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from ..shown import difference, percent
from .metrics import FEW, Confusion, difference_interval

CRITERIA: dict[str, tuple[str, ...]] = {
    "equal_opportunity": ("true_positive_rate",),
    "predictive_equality": ("false_positive_rate",),
    "equalized_odds": ("true_positive_rate", "false_positive_rate"),
    "demographic_parity": ("selection_rate",),
    "accuracy_parity": ("accuracy",),
}
"""The rates that must be equal in all groups under each criterion, if they are per rows of a kind of each group."""
CONSTRAINED = {"predictive_equality": "false_positive_rate_parity"}
"""What the constraint on a gap is called, where it is called otherwise than the gap."""
MEASURED = CRITERIA | {"predictive_parity": ("precision",)}
"""The same with that whose rows depend on the model: of those predicted positive."""
NEAR = 0.15
"""Rates this near to 0, or to 1, in all groups are equal for want of anything to differ in."""


@dataclass(frozen=True)
class Gap:
    """The largest difference of a criterion's rates over pairs of groups."""

    criterion: str  # one of `MEASURED`
    value: float  # between 0 and 1; ``nan`` when fewer than two groups have the rate
    # low, high: interval of this pair's difference, by the score method without continuity correction (Newcombe,
    # Statistics in Medicine 17, 1998, method 10). It does not account for the pair being the one that differs most.
    low: float
    high: float
    rate: str | None  # the rate that differs most
    groups: tuple[str, str] | None  # the group with the higher rate, and the one with the lower
    few: bool  # whether one of these two has fewer than `FEW` rows of the kind that the rate counts
    undefined: tuple[str, ...]  # groups without a single such row, which are left out


def largest_gap(per_group: Mapping[str, Confusion], criterion: str) -> Gap:
    """Compare all pairs of groups by one of `MEASURED`; of equal differences the first. Raises ValueError."""
    if criterion not in MEASURED:
        raise ValueError(f"there is no criterion {criterion!r}; the criteria are {', '.join(MEASURED)}")
    best, rate, pair = math.nan, None, None
    undefined: set[str] = set()
    for name in MEASURED[criterion]:
        values = {group: counted.rate(name) for group, counted in per_group.items()}
        undefined |= {group for group, value in values.items() if math.isnan(value)}
        for a, b in combinations([group for group, value in values.items() if not math.isnan(value)], 2):
            difference = abs(values[a] - values[b])
            if not difference <= best:
                best, rate, pair = difference, name, (a, b) if values[a] >= values[b] else (b, a)
    low, high, few = math.nan, math.nan, False
    if rate is not None and pair is not None:
        two = [per_group[group] for group in pair]
        low, high = difference_interval(*((c.rate(rate), *c.interval(rate)) for c in two))
        few = min(c.rows_of(rate) for c in two) < FEW
    left_out = tuple(group for group in per_group if group in undefined)
    return Gap(criterion, best, low, high, rate, pair, few, left_out)


class Difference(NamedTuple):
    """The largest difference of one rate between groups, with its interval, and the ratio of the two rates."""

    value: float
    low: float
    high: float
    ratio: float
    groups: tuple[str, str]
    few: bool


def largest_difference(rates: pd.DataFrame, rate: str) -> Difference | None:
    """Compare the groups of a `rates_table` on one rate: those with `FEW` rows of its kind, where there are two.

    ``few`` says that groups of fewer rows had to be compared. None where fewer than two groups have the rate.
    """
    known = rates[rates[rate].notna()]
    enough = known[known[f"{rate}_rows"] >= FEW]
    few = len(enough) < 2
    known = known if few else enough
    if len(known) < 2:
        return None
    ends = (top := known[rate].idxmax()), known[rate].drop([top]).idxmin()  # of equal rates two groups, too
    most, least = (tuple(known.loc[group, [rate, f"{rate}_low", f"{rate}_high"]].astype(float)) for group in ends)
    ratio = least[0] / most[0] if most[0] else math.nan
    return Difference(most[0] - least[0], *difference_interval(most, least), ratio, (str(ends[0]), str(ends[1])), few)


def emptied(per_group: Mapping[str, Confusion]) -> str:
    """Why rates of groups are alike and yet of no use: nearly no positive is found, or no negative spared; or empty."""
    for rate, useless, words in (
        ("true_positive_rate", lambda value: value <= NEAR, "nearly everyone is missed"),
        ("false_positive_rate", lambda value: value >= 1 - NEAR, "nearly everyone is taken for positive"),
    ):
        values = [value for counted in per_group.values() if not math.isnan(value := counted.rate(rate))]
        if values and all(map(useless, values)):
            low, high = (percent(value, 0) for value in (min(values), max(values)))
            shown = low if low == high else f"{low} to {high}"
            return f"equal because {words}: {rate.replace('_', ' ')}s {shown} %"
    return ""


def price(accuracy: float, without: float) -> str:
    """What a constraint costs, in words, given the accuracy with it and that of the optimum without it."""
    kept, free = percent(accuracy), percent(without)
    cost = difference(free, kept).removeprefix("+")
    return f"the constraint costs {cost} points of accuracy: {kept} % right, {free} % without it"
