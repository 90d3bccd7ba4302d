"""What the checkers of all families share: weights in whole numbers, and what they, and `verify`, answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from ..data.problem import Problem
from ..shown import Fact, Shown
from .certificate import CertificateError

_STATES = {"optimal": "proven optimal", "bound": "only a bound is proven", "refused": "refused: nothing is proven"}


@dataclass
class Outcome:
    """What a checker has found so far, also where the check fails then; see `Verification`.

    ``bounded``: the lower bound is proven, whether or not the model is.
    """

    valid: bool = False
    reason: str = ""
    bounded: bool = False
    among: str = ""
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: dict[str, int] = field(default_factory=dict)

    def prove(self, reason: str, among: str = "") -> None:
        """The model is proven optimal, ``among`` those that do what this says."""
        self.valid, self.reason, self.among = True, reason, among or self.among

    def prove_bound(self, lower_bound: float, among: str = "") -> None:
        """The bound is proven, and no more."""
        self.reason = f"the certificate is for a bound: {lower_bound:.10g} is proven, and no more"
        self.bounded, self.lower_bound, self.among = True, lower_bound, among


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The answer of `verify`; true as a condition when the proof holds.

    Attributes
    ----------
    valid : bool
        The model is proven optimal for this problem and these parameters.
    reason : str
        What was proven, or the first thing that is wrong.
    state : str
        ``"optimal"``: the model is proven optimal (``valid``). ``"bound"``: only ``lower_bound`` is proven, and the
        model may be optimal or not. ``"refused"``: nothing is proven.
    parameters : mapping of str to float
        For which the certificate speaks, such as ``regularization``.
    objective, lower_bound : float or None
        The model's objective, recomputed, and the bound that the table claims; None where an earlier check failed.
    resolution : float or None
        The proven difference of the two before they are rounded to floats: 0 where all costs are exact.
    checked : mapping of str to int
        Counts of what was checked.
    seconds : float
        Wall time of the check.
    among : str
        What the model must do, as all do that it is proven to be the best of; empty: anything.
    """

    valid: bool
    reason: str
    state: str = "refused"
    parameters: Mapping[str, float] = field(default_factory=dict)
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    among: str = ""

    def __bool__(self) -> bool:
        return self.valid

    def _title(self) -> str:
        return f"Verification, {_STATES.get(self.state, self.state)}"

    def _facts(self) -> Iterator[Fact]:
        yield "", self.reason
        yield "among those of which each", self.among or None
        yield "objective", self.objective
        yield "lower bound", self.lower_bound
        yield "resolution", self.resolution or None
        yield from ((name.replace("_", " "), value) for name, value in self.parameters.items())
        yield "checked", tuple(f"{n} {name.replace('_', ' ')}" for name, n in self.checked.items())
        yield "seconds", round(self.seconds, 3)


LOWER_BOUND = "lower_bound"  # the parameter that only these certificates have: what no objective is below
_ROUNDED_DOWN = 1 - Fraction(1, 10**12)  # of a bound that is a double


def for_bound(lower_bound: float | None) -> dict[str, float]:
    """The parameters of a certificate for this bound; none for one that a model is optimal."""
    return {} if lower_bound is None else {LOWER_BOUND: float(lower_bound) + 0.0}


def cost_to_prove(
    parameters: Mapping[str, float], value: int, unit: Fraction, over: Fraction = Fraction(0), hidden: int = 0
) -> int:
    """What no list may cost less than: the model's cost, less what is hidden, or the one that the certificate is for.

    ``unit``: what one unit of cost is worth in the objective, which costs can exceed by ``over``. Raises
    CertificateError when the bound is none, or above the model's objective.
    """
    if LOWER_BOUND not in parameters:
        return max(0, value - hidden)
    claimed = parameters[LOWER_BOUND]
    if not 0 < claimed <= 1e300:
        raise CertificateError(f"the {LOWER_BOUND} of a certificate must be above 0, not {claimed!r}")
    cost = math.ceil((Fraction(claimed) * _ROUNDED_DOWN + over) / unit)
    if not 0 < cost <= value:
        raise CertificateError(f"the certificate is for the bound {claimed:.10g}, which is above the model's objective")
    return cost


def nearly(claimed: float, actual: float) -> bool:
    """Equal but for the rounding of sums, which depends on their order; a number from a file may be of any size."""
    if isinstance(claimed, float) and not math.isfinite(claimed):
        return False
    return abs(Fraction(claimed) - Fraction(actual)) <= abs(Fraction(actual)) / 10**9


def in_whole_weights_by_group(problem: Problem, any_size: bool = False) -> Problem:
    """The same rows and groups, with weights in the largest unit of which those of each group are; see `divided`."""
    return problem if problem.integral or problem.groups is None else divided(problem, True, any_size)[0]


def rounded_down(problem: Problem, most: int, by_group: bool) -> tuple[Problem, Fraction]:
    """The same rows, and groups if asked for, in weights rounded down to a unit, at most so many, and its worth."""
    whole, unit = divided(problem, by_group, any_size=True)
    groups = whole.groups if by_group else None
    given = [whole.positives, whole.negatives] if groups is None else [groups.positives, groups.negatives]
    n = max(1, -(-sum(int(side.sum()) for side in given) // most))
    positives, negatives = ((side // n).astype(np.int64) for side in given)
    if groups is not None:
        groups = replace(groups, positives=positives, negatives=negatives, summed=None)
        positives, negatives = positives.sum(axis=0), negatives.sum(axis=0)
    return replace(whole, positives=positives, negatives=negatives, groups=groups, summed=None), unit * n


def divided(problem: Problem, by_group: bool, any_size: bool = False) -> tuple[Problem, Fraction]:
    """The same rows, and groups if they are asked for, with weights in the largest common unit, and what it is worth.

    Weights of ``any_size`` are Python's integers where they need to be; else CertificateError says when there are too
    many digits for exact sums, and in any case when the groups do not add up to the problem.
    """
    groups = problem.groups if by_group else None
    masses = (problem if groups is None else groups).masses.divided()
    if not masses.fits and not any_size:
        raise CertificateError("the weights have too many digits for exact sums; round them, say to six digits in all")
    positives, negatives = masses.positives, masses.negatives
    if groups is not None:
        positives, negatives, known = positives.sum(axis=0), negatives.sum(axis=0), problem.masses
        pairs = zip([*positives.tolist(), *negatives.tolist()], [*known.positives, *known.negatives], strict=True)
        if any(x * masses.unit != int(y) * known.unit for x, y in pairs):
            raise CertificateError("the groups' weights are not those of the problem")
        groups = replace(groups, positives=masses.positives, negatives=masses.negatives, summed=None)
    whole = replace(problem, positives=positives, negatives=negatives, groups=groups, summed=None)
    return whole, masses.unit
