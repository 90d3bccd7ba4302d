"""Fairness criteria: the largest difference between groups in a rate of the model, bounded by a tolerance."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from ..arguments import ParameterError, Text
from .gaps import emptied
from .groups import Groups
from .metrics import Confusion
from .problem import Problem


@dataclass(frozen=True)
class Rate:
    """A rate of each group as a sum of training errors, per weight of the group."""

    name: str  # one of `rulelab.data.metrics.RATES`, or "error"
    # on_positives, on_negatives: coefficients of the errors on positives and on negatives in the rate's numerator
    on_positives: int
    on_negatives: int
    per: str  # what the numerator is divided by: "positives", "negatives" or "rows" of the group
    base: int  # coefficient of the group's positives in the numerator
    tolerance: float  # largest difference between two groups


@dataclass(frozen=True)
class Criterion(ABC):
    """What all criteria share; use one of the classes below."""

    met_by_no_rules: ClassVar[bool] = True
    linear: ClassVar[bool] = True

    @abstractmethod
    def rates(self) -> tuple[Rate, ...]:
        """The rates that must not differ by more than their tolerances."""

    def __post_init__(self) -> None:
        for rate in self.rates():
            value = rate.tolerance
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < math.inf:
                raise ValueError(f"the tolerance of {type(self).__name__} must be a number >= 0, not {value!r}")


@dataclass(frozen=True)
class Bounded(Criterion):
    """A criterion of a tolerance."""

    tolerance: float


class EqualOpportunity(Bounded):
    """False negative rates of any two groups differ by at most ``tolerance`` (Hardt et al., 2016).

    Parameters
    ----------
    tolerance : float
        The largest difference allowed, from 0 to 1.
    """

    def rates(self) -> tuple[Rate, ...]:
        return (_false_negative(self.tolerance),)


@dataclass(frozen=True)
class EqualizedOdds(Bounded):
    """False negative rates differ by at most ``tolerance``, false positive rates by at most ``on_negatives``.

    With the Hamming loss the false positive rate is replaced by its Hamming proxy: the rules that cover the group's
    negatives, per negative (Lawless, Dash, Günlük and Wei, JMLR 2023, section 3.2). ``on_negatives`` defaults to
    ``tolerance``.

    Parameters
    ----------
    tolerance : float
        The largest difference of false negative rates allowed, from 0 to 1.
    on_negatives : float, optional
        The largest difference of false positive rates, or of their proxies, allowed; default ``tolerance``.
    """

    on_negatives: float | None = None

    def rates(self) -> tuple[Rate, ...]:
        second = self.tolerance if self.on_negatives is None else self.on_negatives
        return (_false_negative(self.tolerance), _false_positive(second))


class FalsePositiveRateParity(Bounded):
    """False positive rates of any two groups differ by at most ``tolerance``; by the proxy with the Hamming loss.

    Parameters
    ----------
    tolerance : float
        The largest difference allowed, from 0 to 1.
    """

    def rates(self) -> tuple[Rate, ...]:
        return (_false_positive(self.tolerance),)


class DemographicParity(Bounded):
    """Proportions predicted positive differ by at most ``tolerance`` between any two groups.

    With the Hamming loss a negative counts once for every rule that covers it.

    Parameters
    ----------
    tolerance : float
        The largest difference allowed, from 0 to 1.
    """

    def rates(self) -> tuple[Rate, ...]:
        return (Rate("selection_rate", -1, 1, "rows", 1, self.tolerance),)


class AccuracyParity(Bounded):
    """Error rates differ by at most ``tolerance`` between any two groups; a set without rules need not meet this.

    With the Hamming loss a negative counts once for every rule that covers it.

    Parameters
    ----------
    tolerance : float
        The largest difference allowed, from 0 to 1.
    """

    met_by_no_rules: ClassVar[bool] = False

    def rates(self) -> tuple[Rate, ...]:
        return (Rate("accuracy", 1, 1, "rows", 0, self.tolerance),)


class PredictiveParity(Bounded):
    """Of those predicted positive, the parts that are positive differ by at most ``tolerance`` between any two groups.

    For rule lists only. A group of whom nobody is predicted positive has no such rate and is not compared; a list that
    predicts nobody positive meets the criterion.

    Parameters
    ----------
    tolerance : float
        The largest difference allowed, from 0 to 1.
    """

    linear: ClassVar[bool] = False

    def rates(self) -> tuple[Rate, ...]:
        return (Rate("precision", 0, 0, "rows", 0, self.tolerance),)


def criterion_called(criterion: Any) -> tuple[str, type[Criterion]]:
    """A criterion without a tolerance, its name and its class, from either of the two; raises ValueError."""
    known = [one for one in Bounded.__subclasses__() if one.linear]
    named = {re.sub(r"\B(?=[A-Z])", "_", one.__name__).lower(): one for one in known}
    for name, one in named.items():
        if criterion is one or (isinstance(criterion, str) and criterion.replace("-", "_") == name):
            return name, one
    without = " without a tolerance, since the least is looked for" if isinstance(criterion, Criterion) else ""
    wanted = f"a class such as rulelab.EqualOpportunity{without}, or one of {', '.join(named)}"
    raise ParameterError("criterion", criterion, wanted)


_false_negative = partial(Rate, "false_negative_rate", 1, 0, "positives", 0)
_false_positive = partial(Rate, "false_positive_rate", 0, 1, "negatives", 0)


@dataclass(frozen=True)
class Parity:
    """One linear constraint: ``sum of coefficients * errors of (group, label) + offset <= tolerance``, exactly.

    ``on_positives``, ``on_negatives``: coefficients of the errors on each group's positives and negatives. ``bound``:
    tolerance minus offset.
    """

    on_positives: tuple[Fraction, ...]
    on_negatives: tuple[Fraction, ...]
    bound: Fraction


def compared(criterion: Criterion, groups: Groups, min_group_size: int) -> list[tuple[int, ...]]:
    """The groups that each rate of a criterion compares, with so many rows of its class; ValueError for one or none."""
    out, sizes = [], groups.sizes
    for rate in criterion.rates():
        large = tuple(g for g, size in enumerate(sizes[rate.per]) if size >= min_group_size)
        if len(large) < 2:
            found = ", ".join(f"{name!r} {size:g}" for name, size in zip(groups.names, sizes[rate.per], strict=True))
            text = Text(
                f"{{{type(criterion).__name__}}} has no two groups to compare: those with fewer than {{}} {{}} are "
                "left out, and the groups have {}; lower {min_group_size}, merge small groups, or leave the constraint "
                "out",
                *(min_group_size, _kind(rate), found),
            )
            raise ParameterError("min_group_size", min_group_size, "a number that two groups have", text)
        out.append(large)
    return out


def left_out(criterion: Criterion, groups: Groups, min_group_size: int) -> str:
    """Which groups are too small for a criterion, by the rows that each rate is of, in words; empty when none is."""
    sizes = groups.sizes
    parts = []
    for rate, large in zip(criterion.rates(), compared(criterion, groups, min_group_size), strict=True):
        small = [f"{groups.names[g]} ({sizes[rate.per][g]:g})" for g in range(len(groups.names)) if g not in large]
        if small:
            parts.append(f"{', '.join(small)}: fewer than {min_group_size} {_kind(rate)}")
    return f"left out of the fairness constraint: {'; '.join(parts)}" if parts else ""


def _kind(rate: Rate) -> str:
    return "training rows" if rate.per == "rows" else f"{rate.per[:-1]} training rows"


def parities(
    criterion: Criterion,
    names: tuple[str, ...],
    positives: list[int],
    negatives: list[int],
    among: Sequence[Sequence[int]],
) -> list[Parity]:
    """The constraints of a criterion on groups of these weights, for each rate and each ordered pair of its groups.

    Raises ValueError when a group has nothing that its rate could be measured on, or the criterion is not linear.
    """
    if not criterion.linear:
        text = Text(
            f"{{{type(criterion).__name__}}} is for rule lists, by RuleListSearch and RuleListClassifier: its rate is "
            "no linear function of the errors"
        )
        raise ParameterError("fairness", criterion, "a criterion of rates that are linear in the errors", text)
    out = []
    for rate, chosen in zip(criterion.rates(), among, strict=True):
        sizes = {
            "positives": positives,
            "negatives": negatives,
            "rows": [p + q for p, q in zip(positives, negatives, strict=True)],
        }[rate.per]
        for g in chosen:
            if not sizes[g]:
                text = Text(
                    f"group {{!r}} has no {rate.per}, so it has no {rate.name.replace('_', ' ')}; "
                    f"{{{type(criterion).__name__}}} needs some in every group: merge it with another or set "
                    "{min_group_size}",
                    names[g],
                )
                raise ParameterError("min_group_size", 0, "above 0 where a group has nothing to measure", text)
        tolerance = Fraction(repr(float(rate.tolerance)))
        for g, h in permutations(chosen, 2):
            per_group = [Fraction(0)] * len(names)
            per_group[g], per_group[h] = Fraction(1, sizes[g]), Fraction(-1, sizes[h])
            offset = sum((rate.base * p * share for p, share in zip(positives, per_group, strict=True)), Fraction(0))
            out.append(
                Parity(
                    tuple(rate.on_positives * share for share in per_group),
                    tuple(rate.on_negatives * share for share in per_group),
                    tolerance - offset,
                )
            )
    return out


def true_gaps(criterion: Criterion, groups: Groups, predicted: np.ndarray, min_group_size: int = 0) -> dict[str, float]:
    """The largest difference of each rate of a criterion; ``predicted`` (bool, shape (n_patterns,)): as positive."""
    counts = confusions(groups, predicted)
    out = {}
    for rate, large in zip(criterion.rates(), compared(criterion, groups, min_group_size), strict=True):
        values = [value for g in large if not math.isnan(value := counts[g].rate(rate.name))]
        out[rate.name] = max(values) - min(values) if values else 0.0
    return out


def counted_gaps(
    criterion: Criterion, groups: Groups, on_positives: np.ndarray, on_negatives: np.ndarray, min_group_size: int = 0
) -> dict[str, float]:
    """The same gaps by the errors that a constraint counts, which with the Hamming loss may be several for a negative.

    ``on_positives``, ``on_negatives`` (int array, shape (n_patterns,)): of a positive, and of a negative of a pattern.
    """
    positives, negatives = groups.positives, groups.negatives
    sizes = {"positives": positives, "negatives": negatives, "rows": positives + negatives}
    out = {}
    for rate, large in zip(criterion.rates(), compared(criterion, groups, min_group_size), strict=True):
        errors = rate.on_positives * positives @ on_positives + rate.on_negatives * negatives @ on_negatives
        shares = (errors + rate.base * positives.sum(axis=1))[list(large)] / sizes[rate.per].sum(axis=1)[list(large)]
        out[rate.name] = float(shares.max() - shares.min())
    return out


def emptied_rates(criterion: Criterion, groups: Groups, predicted: np.ndarray, min_group_size: int = 0) -> str:
    """Why rates that a criterion made equal are of no use, see `rulelab.data.gaps.emptied`; empty when they are."""
    counts = confusions(groups, predicted)
    large = {g for among in compared(criterion, groups, min_group_size) for g in among}
    return emptied({groups.names[g]: counts[g] for g in sorted(large)})


def confusions(groups: Groups, predicted: np.ndarray) -> list[Confusion]:
    """Counts of each group when these patterns are predicted positive: ``predicted`` is bool, shape (n_patterns,).

    Rows and squared weights, which are known by class, are dealt to the patterns in proportion to the weight.
    """
    out = []
    known = {"rows": groups.rows, "squares": groups.squares}
    for g, (p, q) in enumerate(zip(groups.positives, groups.negatives, strict=True)):
        hits, alarms, missed, passed = (side[at].sum().item() for at in (predicted, ~predicted) for side in (p, q))
        dealt = {}
        for name, by_class in known.items():
            if by_class is not None:
                of = (hits + missed, alarms + passed)
                each, other = (float(by_class[k, g]) / of[k] if of[k] else 0.0 for k in (0, 1))
                dealt[name] = (hits * each, alarms * other, passed * other, missed * each)
        out.append(Confusion(hits, alarms, passed, missed, **dealt))
    return out


def groups_of(problem: Problem, criterion: Criterion) -> Groups:
    """The problem's groups; a ValueError when there are none, or only one."""
    if problem.groups is None or len(problem.groups.names) < 2:
        found = "no groups" if problem.groups is None else "a single group"
        text = Text(
            f"{{{type(criterion).__name__}}} compares groups, but the problem has {found}; "
            "give Problem.from_arrays(..., groups=...) a label for each row"
        )
        raise ParameterError("fairness", criterion, "None where there are no two groups", text)
    return problem.groups
