"""The integer program of a rule set, in integers: what covering and not covering costs, and the fairness constraints.

Every loss and every criterion is a sum over *entities*, the rows of one pattern that are of one kind (label, and group
where a criterion asks). With ``xi`` = 1 for an entity that no rule covers and ``cov`` the number of rules that do:

    minimise    constant + sum of mass (leave[kind] xi + cover[kind] cov) + penalty * complexity
    subject to  sum of mass (leave_r[kind] xi + cover_r[kind] cov) <= bound_r for every constraint r,
                complexity <= max_complexity.

Hamming loss: positives have leave = 1, negatives cover = 1. 0-1 loss: positives have leave = 1, negatives leave = -1
and the negatives' weight is the constant; without fairness the two labels of a pattern are netted.

Sets are compared and constraints are checked on the masses as they were given, without rounding: every double is an
integer over a power of two. Bounds come from 64-bit arithmetic that is rounded in the safe direction. Where the masses
are small integers it is exact, and a bound is met when it comes next to a cost; else the last sets within the rounding
are told apart one by one.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..data.exact_weights import order_preserving
from ..data.fairness import Criterion, compared, groups_of, parities
from ..sharing import Shared

if TYPE_CHECKING:
    from ..data.problem import Problem

LOSSES = ("hamming", "zero_one")
FORMS = ("dnf", "cnf")

Cost = int | Fraction
"""An exact cost; a Fraction only where a penalty of many digits meets weights that are not integers."""

_LARGEST_TOTAL = 1 << 40
_SCALED_TOTAL = 1 << 38
_RESOLUTION = 1 << 30
"""Where weights are not small integers, the 64-bit bounds are good to about this part of the total weight."""


@dataclass(frozen=True)
class Constraint(Shared):
    """``sum of mass (leave[kind] xi + cover[kind] cov) <= bound``."""

    leave: tuple[Fraction, ...]
    cover: tuple[Fraction, ...]
    bound: Fraction

    @cached_property
    def whole(self) -> tuple[list[int], list[int], int]:
        """The same in integers, when the masses are integers: leave, cover and bound times the common denominator."""
        scale = math.lcm(*(x.denominator for x in (*self.leave, *self.cover)))
        leave, cover = ([int(x * scale) for x in side] for side in (self.leave, self.cover))
        return leave, cover, math.floor(self.bound * scale)

    def of_covers(self, covers: np.ndarray) -> Fraction:
        """What covered masses per kind take of the bound."""
        return sum(map(operator.mul, self.cover, covers.tolist()), Fraction(0))


@dataclass(frozen=True, eq=False)
class Program(Shared):
    """See the module's docstring."""

    pattern: np.ndarray  # int64, shape (n_entities,)
    kind: np.ndarray  # int64, shape (n_entities,)
    whole: np.ndarray
    """Array of integers, shape (n_entities,): the masses, exactly: int64, or Python integers in an object array."""
    mass: np.ndarray
    """array, shape (n_entities,): for linear programs and heuristics: ``whole`` where that is int64 and small, else
    ``whole * scale`` in float64."""
    scale: Fraction  # 1 where ``mass`` is ``whole``
    leave: np.ndarray  # int64, shape (n_kinds,)
    cover: np.ndarray  # int64, shape (n_kinds,)
    penalty: Cost  # cost of one unit of complexity
    constraints: tuple[Constraint, ...]  # over ``whole``
    constant: int
    max_complexity: int
    n_patterns: int
    per_loss: int  # cost of a unit of loss, of which ``leave`` and ``cover`` are multiples
    unit: Fraction  # what a unit of loss is worth
    regularization: Fraction
    """What a unit of complexity is worth. ``penalty`` puts sets into the same order, but can be another number."""
    step: Cost  # costs of rule sets differ by multiples of this
    exact: bool  # whether ``mass`` is ``whole``, so that a bound within ``step`` of a cost has met it

    @property
    def n_kinds(self) -> int:
        return len(self.leave)

    @property
    def most_rules(self) -> int:
        """Rules that fit into the complexity; each takes at least 2."""
        return self.max_complexity // 2

    @cached_property
    def total(self) -> int:
        """Total ``mass``, rounded."""
        return int(self.mass.sum())

    @cached_property
    def kind_mass(self) -> np.ndarray:
        """Exact mass of each kind: integers, as ``whole``."""
        return by_place(self.whole, self.kind, self.n_kinds)

    @cached_property
    def watched(self) -> np.ndarray:
        """Entities whose being uncovered matters to the cost or to a constraint: their indices."""
        matters = self.leave != 0
        for constraint in self.constraints:
            matters = matters | np.array([share != 0 for share in constraint.leave])
        return np.flatnonzero(matters[self.kind])

    @property
    def least(self) -> int:
        """No rule set costs less: what every entity costs at least."""
        return self.constant + int((np.minimum(self.leave, 0) * self.kind_mass).sum())

    @cached_property
    def worst(self) -> Cost:
        """No rule set costs more than this."""
        leave = int((np.maximum(self.leave, 0) * self.kind_mass).sum())
        cover = int((self.cover * self.kind_mass).sum()) * self.most_rules
        return self.constant + leave + cover + self.penalty * self.max_complexity

    @cached_property
    def resolution(self) -> Cost:
        """Bounds that are less than this below a cost cannot be told from it by 64-bit arithmetic; 0 when exact."""
        return 0 if self.exact else Fraction(self.per_loss * int(self.kind_mass.sum()), _RESOLUTION)

    @cached_property
    def exactness(self) -> Fraction:
        """``resolution`` in units of the objective: what a proof is sure to tell apart; 0 when exact."""
        return self.resolution * self.unit / self.per_loss

    @cached_property
    def is_literal(self) -> bool:
        """Whether costs are the objective but for a factor: the penalty is the regularization itself."""
        return self.penalty * self.unit == self.regularization * self.per_loss

    @property
    def denominator(self) -> int:
        """What a unit of cost is in parts of 1 / Q of the objective, Q the denominator of the regularization."""
        return int(self.regularization.denominator * self.unit / self.per_loss)

    @cached_property
    def fine(self) -> float:
        """Differences of ``mass`` costs below this are not worth a linear program."""
        return max(float(self.step * self.scale), 0.0 if self.exact else float(self.resolution * self.scale))

    @cached_property
    def scaled_penalty(self) -> float:
        """``penalty`` in units of ``mass`` costs."""
        return float(self.penalty * self.scale)

    def cost(self, uncovered: np.ndarray, covers: np.ndarray, complexity: int) -> Cost:
        """Cost of a rule set from its exact mass per kind: uncovered, and summed over the covering rules."""
        loss = int((self.leave * uncovered).sum()) + int((self.cover * covers).sum())
        return self.constant + loss + self.penalty * complexity

    def is_fair(self, uncovered: np.ndarray, covers: np.ndarray) -> bool:
        """Whether all constraints hold, exactly."""
        x, y = uncovered.tolist(), covers.tolist()
        for constraint in self.constraints:
            leave, cover, bound = constraint.whole
            if sum(map(operator.mul, leave, x)) + sum(map(operator.mul, cover, y)) > bound:
                return False
        return True

    def loosened(self, by: Fraction) -> Program:
        """The same where rates may differ by so much more."""
        return (
            replace(self, constraints=tuple(replace(c, bound=c.bound + by) for c in self.constraints)) if by else self
        )

    def round_up(self, cost: Cost) -> Cost:
        """The least cost that a rule set can have and that is not below this one."""
        return self.constant + -((self.constant - cost) // self.step) * self.step

    def below(self, cost: Cost) -> Cost:
        """The largest cost that a rule set can have and that is below this one."""
        return self.round_up(cost) - self.step

    def objective(self, cost: Cost, complexity: int) -> Fraction:
        """The objective of a rule set of this cost and complexity."""
        return (cost - self.penalty * complexity) * self.unit / self.per_loss + self.regularization * complexity

    def bound(self, cost: Cost) -> Fraction:
        """What no objective is below, when no cost is below ``cost``."""
        least = cost * self.unit / self.per_loss
        excess = self.penalty * self.unit / self.per_loss - self.regularization
        return max(Fraction(0), least - max(Fraction(0), excess * self.max_complexity))


def by_place(values: np.ndarray, place: np.ndarray, n_places: int) -> np.ndarray:
    """Sums of values by place, exact for integers."""
    out = np.zeros(n_places, dtype=values.dtype)
    np.add.at(out, place, values)
    return out


def make_program(
    problem: Problem,
    max_complexity: int,
    loss: str = "hamming",
    form: str = "dnf",
    fairness: Criterion | None = None,
    regularization: float = 0.0,
    min_group_size: int = 0,
) -> Program:
    """The program of a problem; of the form "cnf" the same with the labels exchanged.

    ``regularization``: added to the loss for each unit of complexity; read as the decimal number that Python shows.
    """
    most_rules = int(max_complexity) // 2
    names, by_group, unit = _weights(problem, fairness)
    total = sum(int(side.sum()) for pair in by_group for side in pair)
    value = Fraction(repr(float(regularization)))
    largest_loss = total * max(1, most_rules)
    simple = order_preserving(value / unit, int(max_complexity), largest_loss, _LARGEST_TOTAL // total)
    exact = total <= _LARGEST_TOTAL and simple is not None
    fraction = simple if exact and simple is not None else min(value / unit, Fraction(largest_loss + 1))
    per_loss = fraction.denominator if exact else 1
    penalty: Cost = int(fraction * per_loss) if exact or fraction.denominator == 1 else fraction
    hit = 0 if form == "dnf" else 1  # which label the rules should cover
    zero_one = loss == "zero_one"
    if zero_one and fairness is None:
        wanted, unwanted = by_group[0][hit], by_group[0][1 - hit]
        net = wanted - unwanted
        parts = [(np.maximum(net, 0), 1, 0), (np.maximum(-net, 0), -1, 0)]
        constant = int(unwanted.sum())
    else:
        parts, constant = [], 0
        for pair in by_group:
            parts.append((pair[hit], 1, 0))
            parts.append((pair[1 - hit], -1 if zero_one else 0, 0 if zero_one else 1))
            constant += int(pair[1 - hit].sum()) if zero_one else 0
    present = [np.flatnonzero(weight) for weight, _, _ in parts]
    whole = np.concatenate([weight[where] for where, (weight, _, _) in zip(present, parts, strict=True)])
    constraints: tuple[Constraint, ...] = ()
    if fairness is not None:
        among = compared(fairness, groups_of(problem, fairness), min_group_size)
        constraints = _constraints(fairness, names, by_group, hit, zero_one, among)
    kind_mass = [int(weight.sum()) for weight, _, _ in parts]
    leave = np.array([part[1] * per_loss for part in parts], dtype=np.int64)
    cover = np.array([part[2] * per_loss for part in parts], dtype=np.int64)
    common = Fraction(math.gcd(*(per_loss * m for m in whole.tolist())))
    whole = whole.astype(np.int64 if exact else object)
    return Program(
        pattern=np.concatenate(present).astype(np.int64),
        kind=np.repeat(np.arange(len(parts)), [len(where) for where in present]),
        whole=whole,
        mass=whole if exact else np.array([(m * _SCALED_TOTAL) / total for m in whole.tolist()]),
        scale=Fraction(1) if exact else Fraction(_SCALED_TOTAL, total),
        leave=leave,
        cover=cover,
        penalty=penalty,
        constraints=tuple(c for c in constraints if _can_be_broken(c, kind_mass, most_rules)),
        constant=constant * per_loss,
        max_complexity=int(max_complexity),
        n_patterns=problem.n_patterns,
        per_loss=per_loss,
        unit=unit,
        regularization=value,
        step=_step(common, Fraction(penalty), exact),
        exact=exact,
    )


def _weights(
    problem: Problem, fairness: Criterion | None
) -> tuple[tuple[str, ...], list[tuple[np.ndarray, np.ndarray]], Fraction]:
    """Names of the groups, weights of positives and negatives of each, and what 1 is worth.

    Without fairness all rows are one group; with it, rows that are in no group come last, without a name.
    """
    masses = problem.masses
    if fairness is None:
        return (), *_divided([(masses.positives, masses.negatives)], masses.unit)
    groups = groups_of(problem, fairness)
    unit = min(masses.unit, groups.masses.unit)
    of_groups, masses = groups.masses.finer(unit), masses.finer(unit)
    by_group = list(zip(of_groups.positives, of_groups.negatives, strict=True))
    rest = masses.positives - of_groups.positives.sum(axis=0), masses.negatives - of_groups.negatives.sum(axis=0)
    if any(side.any() for side in rest):
        by_group.append(rest)
    return groups.names, *_divided(by_group, unit)


def _divided(
    by_group: list[tuple[np.ndarray, np.ndarray]], unit: Fraction
) -> tuple[list[tuple[np.ndarray, np.ndarray]], Fraction]:
    """Weights divided by their greatest common divisor."""
    common = math.gcd(*(int(np.gcd.reduce(side)) for pair in by_group for side in pair))
    return [(p // common, q // common) for p, q in by_group], unit * common


def _step(loss: Fraction, penalty: Fraction, exact: bool) -> Cost:
    """The greatest common divisor of what a unit of loss and one of complexity cost; 1 where all sets cost the same."""
    common = math.lcm(loss.denominator, penalty.denominator)
    step = Fraction(math.gcd(int(loss * common), int(penalty * common)) or common, common)
    return int(step) if exact else step


def _can_be_broken(constraint: Constraint, kind_mass: list[int], most_rules: int) -> bool:
    """Whether errors and covers that are possible kind by kind exceed the bound."""
    largest = (
        mass * max(leave, most_rules * cover, Fraction(0))
        for mass, leave, cover in zip(kind_mass, constraint.leave, constraint.cover, strict=True)
    )
    return sum(largest, Fraction(0)) > constraint.bound


def _constraints(
    fairness: Criterion,
    names: tuple[str, ...],
    by_group: list[tuple[np.ndarray, np.ndarray]],
    hit: int,
    zero_one: bool,
    among: list[tuple[int, ...]],
) -> tuple[Constraint, ...]:
    """Parities in terms of the entities: kind 2 g is what the rules should cover of group g, kind 2 g + 1 what not."""
    weights = [[int(side.sum()) for side in pair] for pair in by_group[: len(names)]]
    out = []
    for parity in parities(fairness, names, [w[0] for w in weights], [w[1] for w in weights], among):
        leave, cover, bound = [], [], parity.bound
        for g, shares in enumerate(zip(parity.on_positives, parity.on_negatives, strict=True)):
            wanted, unwanted = shares[hit], shares[1 - hit]
            leave += [wanted, -unwanted if zero_one else Fraction(0)]
            cover += [Fraction(0), Fraction(0) if zero_one else unwanted]
            if zero_one:
                bound -= unwanted * weights[g][1 - hit]
        others = (Fraction(0),) * (2 * len(by_group) - len(leave))
        out.append(Constraint((*leave, *others), (*cover, *others), bound))
    return tuple(out)
