"""Fairness constraints of rule sets, in exact fractions: which rates of two groups may differ by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ..certificate import CertificateError

SUFFIX = "_tolerance"  # of the parameters that name a rate and the largest difference between two groups


GAP = "_gap"  # of the parameters that name a rate and what the model's largest difference between two groups is in it

_ROUNDING = Fraction(1, 1 << 52)


class Rate(NamedTuple):
    """A rate of a group: errors on its positives and on its negatives, and its positives, times these, per weight."""

    on_positives: int
    on_negatives: int
    per: str
    base: int


RATES = {
    "accuracy": Rate(1, 1, "rows", 0),
    "false_negative_rate": Rate(1, 0, "positives", 0),
    "false_positive_rate": Rate(0, 1, "negatives", 0),
    "selection_rate": Rate(-1, 1, "rows", 1),
}
"""Of each the differences between groups are meant, so that errors stand for accuracy."""


@dataclass(frozen=True, eq=False)
class Sides:
    """A problem as the ``dnf`` that a form stands for."""

    matrix: np.ndarray  # bool, shape (n_patterns, n_conditions)
    # wanted, unwanted (int64, shape (n_groups, n_patterns)): weights of the rows that rules should cover, and that they
    # should not; one group where none are compared
    wanted: np.ndarray
    unwanted: np.ndarray
    names: tuple[str, ...]  # of the groups
    rows: tuple[tuple[int, ...], ...] = ()
    """How many positive and how many negative rows each group has; empty where no groups are compared."""
    worth: tuple[int, ...] = ()
    """What it costs to leave a unit of each group's wanted weight uncovered, in units of the loss; 1 if empty."""
    constant: int = 0  # what each set loses beside that

    def loss(self, times: np.ndarray) -> int:
        """What a set of rules loses that cover the patterns so many times each."""
        left_out, covered = self.measure(times)
        worth = self.worth or (1,) * len(left_out)
        return self.constant + sum(each * x for each, x in zip(worth, left_out, strict=True)) + sum(covered)

    def once(self) -> Sides:
        """The training errors as a loss, for one group: what is unwanted and covered counts once.

        The two sides of a pattern are netted. What is left of the unwanted one is as much to be lost if it is covered,
        and so a gain if it is not: it becomes a second group, whose wanted weight is worth -1.
        """
        net = self.wanted - self.unwanted
        wanted = np.vstack([np.maximum(net, 0), np.maximum(-net, 0)])
        constant = int(self.unwanted.sum())
        return replace(self, wanted=wanted, unwanted=np.zeros_like(wanted), worth=(1, -1), constant=constant)

    def once_by_group(self) -> Sides:
        """The same of each group, nothing netted: the unwanted weight of group g of n becomes a group n + g."""
        n, wanted = len(self.wanted), np.vstack([self.wanted, self.unwanted])
        worth, constant = (1,) * n + (-1,) * n, int(self.unwanted.sum())
        return replace(self, wanted=wanted, unwanted=np.zeros_like(wanted), worth=worth, constant=constant)

    def measure(self, times: np.ndarray) -> tuple[list[int], list[int]]:
        """Of each group the wanted weight that no rule covers, and the unwanted weight, once for each covering rule."""
        return self.wanted[:, times == 0].sum(axis=1).tolist(), (self.unwanted @ times).tolist()


@dataclass(frozen=True)
class Parity:
    """A rate that no two groups may differ in by more than the tolerance.

    The rate of group g is ``left_out[g]`` times its wanted weight that is not covered, plus ``covered[g]`` times its
    unwanted weight, once for every rule that covers it, plus ``offset[g]``. Where the loss is the training errors, it
    has ``uncovered[g]`` times the unwanted weight that is not covered instead, see `Sides.once_by_group`. Only the
    groups in ``compared`` are meant; of others all are 0.
    """

    name: str
    tolerance: Fraction
    compared: tuple[int, ...]
    left_out: tuple[Fraction, ...]
    covered: tuple[Fraction, ...]
    offset: tuple[Fraction, ...]
    uncovered: tuple[Fraction, ...] = ()

    @property
    def on_unwanted(self) -> tuple[Fraction, ...]:
        """What a unit of unwanted weight is of each group's rate, covered or not."""
        return self.uncovered or self.covered

    def once(self, unwanted: Sequence[int]) -> Parity:
        """The same of the training errors, for the groups' unwanted weights."""
        constant = (c + x * w for c, x, w in zip(self.offset, self.covered, unwanted, strict=True))
        nothing = tuple(0 * x for x in self.covered)
        return replace(self, covered=nothing, offset=tuple(constant), uncovered=tuple(-x for x in self.covered))

    def rates(self, left_out: Sequence[int], covered: Sequence[int]) -> list[Fraction]:
        """The groups' rates for what `Sides.measure` says."""
        n = len(self.left_out)
        on_unwanted = left_out[n:] if self.uncovered else covered
        parts = zip(self.left_out, left_out[:n], self.on_unwanted, on_unwanted, self.offset, strict=True)
        return [a * x + b * y + c for a, x, b, y, c in parts]

    def holds(self, left_out: Sequence[int], covered: Sequence[int]) -> bool:
        """Whether the rates of the groups that are compared differ by at most the tolerance."""
        known = self.rates(left_out, covered)
        rates = [known[g] for g in self.compared]
        return max(rates) - min(rates) <= self.tolerance


def read_tolerances(parameters: Mapping[str, float]) -> dict[str, Fraction]:
    """The tolerance of each rate among the parameters, by name; raises CertificateError."""
    out = {}
    for key in sorted(key for key in parameters if key.endswith(SUFFIX)):
        name, value = key.removesuffix(SUFFIX), parameters[key]
        if name not in RATES:
            raise CertificateError(f"no rate is called {name!r}; known: {', '.join(RATES)}")
        if not 0 <= value < float("inf"):
            raise CertificateError(f"the {key} must be at least 0, not {value!r}")
        out[name] = Fraction(repr(float(value)))
    return out


def read_sides(problem: Problem, form: str, fair: bool) -> Sides:
    """Matrix and weights of a problem; by group when rates are compared. Raises CertificateError."""
    matrix = problem.matrix()
    names: tuple[str, ...] = ("all",)
    rows: tuple[tuple[int, ...], ...] = ()
    positives, negatives = problem.positives[None], problem.negatives[None]
    if fair:
        groups = problem.groups
        if groups is None or len(groups.names) < 2:
            raise CertificateError(
                "the certificate speaks of rates of groups, but the problem has no groups; "
                "give Problem.from_arrays(..., groups=...) a label for each row"
            )
        if (groups.positives.sum(axis=0) != problem.positives).any():
            raise CertificateError("the groups' positives are not those of the problem")
        if (groups.negatives.sum(axis=0) != problem.negatives).any():
            raise CertificateError("the groups' negatives are not those of the problem")
        names, positives, negatives = groups.names, groups.positives, groups.negatives
        counted = (positives.sum(axis=1), negatives.sum(axis=1)) if groups.rows is None else groups.rows
        rows = tuple(tuple(map(int, side)) for side in counted)
        if len(rows) != 2 or any(len(side) != len(names) for side in rows):
            raise CertificateError("the rows of the groups must be counted for both classes and every group")
    if form == "cnf":
        return Sides(~matrix, negatives, positives, names, rows)
    return Sides(matrix, positives, negatives, names, rows)


def parities(sides: Sides, form: str, tolerances: Mapping[str, Fraction], min_group_size: int = 0) -> list[Parity]:
    """The constraints, in the order of the tolerances, between groups of at least so many rows that a rate is about."""
    positives, negatives = sides.wanted.sum(axis=1).tolist(), sides.unwanted.sum(axis=1).tolist()
    if form == "cnf":
        positives, negatives = negatives, positives
    sizes = {
        "positives": positives,
        "negatives": negatives,
        "rows": [p + q for p, q in zip(positives, negatives, strict=True)],
    }
    out = []
    for name, tolerance in tolerances.items():
        rate = RATES[name]
        rows = [{"positives": p, "negatives": q, "rows": p + q}[rate.per] for p, q in zip(*sides.rows, strict=True)]
        compared = tuple(g for g in range(len(rows)) if rows[g] >= min_group_size)
        if len(compared) < 2:
            raise CertificateError(
                f"the certificate leaves out groups of fewer than {min_group_size} {rate.per}, which leaves "
                f"{len(compared)} to compare the {name} of"
            )
        share = [Fraction(0)] * len(rows)
        for g in compared:
            if not sizes[rate.per][g]:
                raise CertificateError(f"the group {sides.names[g]!r} has no {rate.per}, so it has no {name}")
            share[g] = Fraction(1, sizes[rate.per][g])
        on_wanted, on_unwanted = rate.on_positives, rate.on_negatives
        if form == "cnf":
            on_wanted, on_unwanted = on_unwanted, on_wanted
        out.append(
            Parity(
                name,
                tolerance,
                compared,
                tuple(on_wanted * x for x in share),
                tuple(on_unwanted * x for x in share),
                tuple(rate.base * p * x for p, x in zip(positives, share, strict=True)),
            )
        )
    return out


def read_gaps(parameters: Mapping[str, float]) -> dict[str, float]:
    """The model's gap in each rate among the parameters, by name; raises CertificateError."""
    claimed = {name.removesuffix(GAP): value for name, value in sorted(parameters.items()) if name.endswith(GAP)}
    if unknown := sorted(set(claimed) - set(RATES)):
        raise CertificateError(f"no rate is called {unknown[0]!r}; known: {', '.join(RATES)}")
    return claimed


def most_wrong(accuracy: float, total: int) -> int:
    """The largest errors, of so much weight, that leave an accuracy, but for what the rounding of a double hides."""
    return math.floor((1 - Fraction(repr(float(accuracy))) + _ROUNDING) * total)


def check_gaps(
    sides: Sides, form: str, claimed: Mapping[str, float], min_group_size: int, times: np.ndarray
) -> Fraction:
    """The largest of a model's gaps, exactly, when they are those that are claimed; raises CertificateError."""
    measured, gaps = sides.measure(times), {}
    for parity in parities(sides, form, dict.fromkeys(claimed, Fraction(0)), min_group_size):
        rates = [parity.rates(*measured)[g] for g in parity.compared]
        gaps[parity.name] = max(rates) - min(rates)
        if float(gaps[parity.name]) != claimed[parity.name]:
            raise CertificateError(
                f"the model's gap in the {parity.name} is {float(gaps[parity.name])!r}, not {claimed[parity.name]!r}"
            )
    return max(gaps.values())


def check_parities(sides: Sides, constraints: Sequence[Parity], times: np.ndarray) -> None:
    """Refuse a set of rules that breaks a constraint; raises CertificateError."""
    left_out, covered = sides.measure(times)
    for parity in constraints:
        if not parity.holds(left_out, covered):
            rates = parity.rates(left_out, covered)
            most, least = (pick(parity.compared, key=rates.__getitem__) for pick in (max, min))
            raise CertificateError(
                f"the model breaks a constraint: the {parity.name} of the groups {sides.names[most]!r} and "
                f"{sides.names[least]!r} differs by {float(rates[most] - rates[least]):.6g}, more than "
                f"{float(parity.tolerance):.6g}"
            )
