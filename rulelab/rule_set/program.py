"""The integer program of a rule set, in integers: what covering and not covering costs, and the fairness constraints.

Every loss and every criterion is a sum over *entities*, the rows of one pattern that are of one kind (label, and group
where a criterion asks). With ``xi`` = 1 for an entity that no rule covers and ``cov`` the number of rules that do:

    minimise    constant + sum of mass (leave[kind] xi + cover[kind] cov) + penalty * complexity
    subject to  sum of mass (leave_r[kind] xi + cover_r[kind] cov) <= bound_r for every constraint r,
                complexity <= max_complexity.

Hamming loss: positives have leave = 1, negatives cover = 1. 0-1 loss: positives have leave = 1, negatives leave = -1
and the negatives' weight is the constant; without fairness the two labels of a pattern are netted.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .fairness import Criterion, groups_of, parities

if TYPE_CHECKING:
    from ..problem import Problem

LOSSES = ("hamming", "zero_one")
FORMS = ("dnf", "cnf")

_LARGEST_TOTAL = 1 << 40
_GRID_TOTAL = 1 << 38


@dataclass(frozen=True)
class Constraint:
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

    @cached_property
    def cover_shares(self) -> np.ndarray:
        """``cover`` in floating point, for linear programs."""
        return np.array([float(x) for x in self.cover])


@dataclass(frozen=True, eq=False)
class Program:
    """See the module's docstring; all costs in integers, ``unit`` of the objective each.

    Attributes
    ----------
    pattern, kind, mass : int64 array, shape (n_entities,)
    leave, cover : int64 array, shape (n_kinds,)
    penalty : int
        Cost of one unit of complexity.
    constraints : tuple of Constraint
    constant : int
    max_complexity : int
    n_patterns : int
    unit : float
        What a cost of 1 is worth in the objective.
    step : int
        Costs of rule sets differ by multiples of this.
    slack : float
        The largest amount, in the objective, by which a cost can exceed what it stands for. 0 when exact.
    exact : bool
        Whether costs represent the objective without rounding.
    """

    pattern: np.ndarray
    kind: np.ndarray
    mass: np.ndarray
    leave: np.ndarray
    cover: np.ndarray
    penalty: int
    constraints: tuple[Constraint, ...]
    constant: int
    max_complexity: int
    n_patterns: int
    unit: float
    step: int
    slack: float
    exact: bool

    @property
    def n_kinds(self) -> int:
        return len(self.leave)

    @property
    def most_rules(self) -> int:
        """Rules that fit into the complexity; each takes at least 2."""
        return self.max_complexity // 2

    @cached_property
    def total(self) -> int:
        """Total mass."""
        return int(self.mass.sum())

    @cached_property
    def kind_mass(self) -> np.ndarray:
        """Mass of each kind, int64."""
        out = np.zeros(self.n_kinds, dtype=np.int64)
        np.add.at(out, self.kind, self.mass)
        return out

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
    def worst(self) -> int:
        """No rule set costs more than this."""
        leave = int((np.maximum(self.leave, 0) * self.kind_mass).sum())
        cover = int((self.cover * self.kind_mass).sum()) * self.most_rules
        return self.constant + leave + cover + self.penalty * self.max_complexity

    def cost(self, uncovered: np.ndarray, covers: np.ndarray, complexity: int) -> int:
        """Cost of a rule set from its mass per kind: uncovered, and summed over the covering rules."""
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

    def round_up(self, cost: Fraction | int) -> int:
        """The least cost that a rule set can have and that is not below this one."""
        return self.constant + -((self.constant - cost) // self.step) * self.step

    def objective(self, cost: int) -> float:
        """A cost in the objective's units."""
        return cost * self.unit


def make_program(
    problem: Problem,
    max_complexity: int,
    loss: str = "hamming",
    form: str = "dnf",
    fairness: Criterion | None = None,
    regularization: float = 0.0,
) -> Program:
    """The program of a problem.

    With integer weights and ``regularization = P / Q`` in lowest terms a set costs ``Q * loss + P * complexity``,
    exactly. Where that grows too large, or weights are not integers, weights are rounded to a grid of 2^38 units in
    all, the penalty is rounded down, and ``slack`` bounds what the rounding can hide.

    Parameters
    ----------
    problem : Problem
    max_complexity : int
    loss : str
        "hamming" or "zero_one".
    form : str
        "dnf", or "cnf": the same with the labels exchanged.
    fairness : Criterion, optional
    regularization : float
        Added to the loss for each unit of complexity.
    """
    fraction = Fraction(repr(float(regularization)))
    per_loss, per_rule = fraction.denominator, fraction.numerator
    total = problem.total_weight
    exact = problem.integral and per_loss * total <= _LARGEST_TOTAL
    if exact:
        per_weight = Fraction(1)
        unit = float(Fraction(1, per_loss))
    else:
        per_weight = Fraction(_GRID_TOTAL) / Fraction(total)
        per_loss, per_rule, unit = 1, int(fraction * per_weight), float(1 / per_weight)
    sides = [problem.positives, problem.negatives]
    by_group: list[tuple[np.ndarray, np.ndarray]] = [(sides[0], sides[1])]
    names: tuple[str, ...] = ()
    if fairness is not None:
        groups = groups_of(problem, fairness)
        by_group, names = list(zip(groups.positives, groups.negatives, strict=True)), groups.names
    if not exact:
        by_group = [(_on_grid(p, per_weight), _on_grid(q, per_weight)) for p, q in by_group]
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
    pattern = np.concatenate([np.flatnonzero(weight) for weight, _, _ in parts])
    kind = np.concatenate([np.full(np.count_nonzero(weight), k) for k, (weight, _, _) in enumerate(parts)])
    mass = np.concatenate([weight[weight > 0] for weight, _, _ in parts])
    constraints: tuple[Constraint, ...] = ()
    if fairness is not None:
        constraints = _constraints(fairness, names, by_group, hit, zero_one)
    kind_mass = [int(weight.sum()) for weight, _, _ in parts]
    constraints = tuple(c for c in constraints if _can_be_broken(c, kind_mass, int(max_complexity) // 2))
    leave = np.array([part[1] * per_loss for part in parts], dtype=np.int64)
    cover = np.array([part[2] * per_loss for part in parts], dtype=np.int64)
    amounts = mass * (np.abs(leave) + cover)[kind]
    step = int(np.gcd.reduce(np.append(amounts, per_rule)))
    rounded = 0 if exact else 0.5 * (len(mass) + 1) * (max_complexity // 2)
    return Program(
        pattern=pattern.astype(np.int64),
        kind=kind.astype(np.int64),
        mass=mass.astype(np.int64),
        leave=leave,
        cover=cover,
        penalty=per_rule,
        constraints=constraints,
        constant=constant * per_loss,
        max_complexity=int(max_complexity),
        n_patterns=problem.n_patterns,
        unit=unit,
        step=step,
        slack=rounded * unit,
        exact=exact,
    )


def _can_be_broken(constraint: Constraint, kind_mass: list[int], most_rules: int) -> bool:
    """Whether errors and covers that are possible kind by kind exceed the bound."""
    largest = (
        mass * max(leave, most_rules * cover, Fraction(0))
        for mass, leave, cover in zip(kind_mass, constraint.leave, constraint.cover, strict=True)
    )
    return sum(largest, Fraction(0)) > constraint.bound


def _on_grid(weight: np.ndarray, per_weight: Fraction) -> np.ndarray:
    return np.rint(weight * float(per_weight)).astype(np.int64)


def _constraints(
    fairness: Criterion,
    names: tuple[str, ...],
    by_group: list[tuple[np.ndarray, np.ndarray]],
    hit: int,
    zero_one: bool,
) -> tuple[Constraint, ...]:
    """Parities in terms of the entities: kind 2 g is what the rules should cover of group g, kind 2 g + 1 what not."""
    weights = [[int(side.sum()) for side in pair] for pair in by_group]
    out = []
    for parity in parities(fairness, names, [w[0] for w in weights], [w[1] for w in weights]):
        leave, cover, bound = [], [], parity.bound
        for g, shares in enumerate(zip(parity.on_positives, parity.on_negatives, strict=True)):
            wanted, unwanted = shares[hit], shares[1 - hit]
            leave += [wanted, -unwanted if zero_one else Fraction(0)]
            cover += [Fraction(0), Fraction(0) if zero_one else unwanted]
            if zero_one:
                bound -= unwanted * weights[g][1 - hit]
        out.append(Constraint(tuple(leave), tuple(cover), bound))
    return tuple(out)
