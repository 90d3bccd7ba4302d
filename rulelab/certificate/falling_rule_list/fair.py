"""Checks a proof that no fair falling list costs less: prefixes, each with multipliers that rule out what is left out.

An entry is a prefix: that of an earlier entry and one more antecedent. Each child of an entry is ruled out by the
bound below, or some entry captures the same patterns with no more rules and a last proportion that is no smaller: it
has all completions that the child has, none of them dearer. By induction on the number of patterns that are left, no
list that begins with an entry, the first of which is the empty prefix, is fair and costs less.

All rules are above the threshold and the else is not, so that a list is fair, or not, by the patterns that its rules
capture: for every constraint the sum of ``d`` over them lies between ``low`` and ``high``. The list without rules is
the only other one. Costs are those of `states.FallingStates`, in units of ``2 ** -DIGITS``. Where these round weights
down, every rule is looked at that may be above the threshold and fall; what it leads to is judged by whole weights.

Let S be what a prefix leaves, v its sums, and a a rule that may come next. Lists that go on after a gain at most

    min(sum over S minus a of g, sum of g over the r rules for which it is largest) - r R + sum of max(mu (low - v_a),
    mu (high - v_a)),    g = max(0, A p - B q - mu d - l (p - c n)),

by r further rules, for any multipliers mu and any l >= 0, where c is the largest proportion of the rules that may come
next: further rules have no larger one. Of rounded weights they exceed it by e units at most, and gain l c e more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ..demands import counted
from ..outcome import LOWER_BOUND, Outcome, cost_to_prove, in_whole_weights_by_group
from ..parts import unique_rows
from ..rule_list.constrained.space import LinearRow, in_digits, rows_of
from ..rule_set.parity import SUFFIX, Parity, Sides, check_parities, parities, read_sides, read_tolerances
from .checker import NEEDED, Table, falling_value, prefixes_of
from .states import FallingStates, at_most, falling_space

_MOST_DIGITS, _FINE = 20, 40
_LARGEST, LARGEST_COST, _DIGITS = 1 << 61, 1 << 60, 57
_NEAR = 1 - 2.0**-50
LONGEST = 12  # further rules that are told apart
MAX_LENGTH = "max_length"


class Prefix(NamedTuple):
    """What a prefix leaves (bool, of the patterns), its last rule's proportion in whole weights, and its length."""

    left: np.ndarray
    p: int
    n: int
    length: int


@dataclass(frozen=True, eq=False)
class Rows:
    """``low <= sum of d over the patterns that are predicted positive <= high`` for every constraint.

    ``d`` (array of integers, shape (n_constraints, n_patterns)): int64, or Python's integers where sums need them.
    ``low``, ``high`` (array of integers, shape (n_constraints,)).
    """

    d: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[LinearRow], n_patterns: int) -> Rows:
        """Those of some constraints."""
        kind = np.int64 if all(sum(map(abs, row.d)) < _LARGEST for row in rows) else object
        d = np.array([row.d for row in rows], dtype=kind).reshape(len(rows), n_patterns)
        return cls(d, np.array([row.low for row in rows], dtype=kind), np.array([row.high for row in rows], dtype=kind))

    def sums(self, left: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """Of the patterns that are not left, and of those that each rule captures of the left ones."""
        return self.d[:, ~left].sum(axis=1)[:, None] + self.d[:, left] @ inside

    def holds(self, sums: np.ndarray) -> np.ndarray:
        """Of each list whether its sums, shape (n_constraints, n), are between the ends."""
        return np.all((self.low[:, None] <= sums) & (sums <= self.high[:, None]), axis=0)


@dataclass(frozen=True, eq=False)
class FairFallingSpace:
    """The problem and its constraints."""

    costs: FallingStates
    inside: np.ndarray  # bool, shape (n_patterns, m): of the distinct antecedents
    antecedents: np.ndarray  # int64, shape (m,)
    # grid, whole: in the weights that costs are counted in, and in weights that are not rounded
    grid: Problem
    whole: Problem
    worth: Fraction  # the weight of the positive class
    exactly: Rows  # the constraints
    relaxed: Rows  # the same, or where weights have many digits rounded ones that every fair list meets, too
    shifts: list[int]  # by how many binary digits each of these is rounded
    sides: Sides
    constraints: list[Parity]
    digits: int
    least: int  # what all costs are multiples of
    longest: int | None  # most rules of a list

    @property
    def everything(self) -> Prefix:
        """The empty prefix."""
        return Prefix(np.ones(self.grid.n_patterns, dtype=bool), 1, 1, 0)

    def after(self, prefix: Prefix, antecedent: int) -> Prefix | None:
        """The prefix with one more rule; None where this captures nothing or rises."""
        hit = prefix.left & self.inside[:, antecedent]
        p, n = self.share(hit)
        return Prefix(prefix.left & ~hit, p, n, prefix.length + 1) if n and p * prefix.n <= prefix.p * n else None

    def _stops(self, prefix: Prefix) -> bool:
        """Whether the else can follow a prefix, at or below the threshold."""
        p, n = self.share(prefix.left)
        return p * prefix.n <= prefix.p * n and p * self.worth <= n - p

    def share(self, chosen: np.ndarray) -> tuple[int, int]:
        """Positives and all of some patterns, in whole weights."""
        p = int(self.whole.positives[chosen].sum())
        return p, p + int(self.whole.negatives[chosen].sum())

    def _above(self, p: Any, q: Any) -> np.ndarray:
        """Whether so many positives and negatives are above the threshold."""
        a, b = self.worth.numerator, self.worth.denominator
        return ~at_most(a, b, q, p, max(a, b, self.costs.total + self.costs.misplaced))

    def look(self, prefix: Prefix, multipliers: np.ndarray, value: int) -> list[tuple[int, Prefix]]:
        """The antecedents, and what comes of them, that may lead a prefix to fair lists that cost less than ``value``.

        ``multipliers`` (float64 array, shape (n_constraints + 1,)): in units of the objective; the last one is that of
        the proportion. Raises CertificateError when a fair list costs less.
        """
        a, b, rule = self.costs.per_positive, self.costs.per_negative, self.costs.per_rule
        left, e = prefix.left, self.costs.misplaced
        paid = b * int(self.grid.negatives[~left].sum()) + rule * prefix.length
        if prefix.length == self.longest or paid + rule >= value:
            return []
        inside, p_u, q_u = self.inside[left], self.grid.positives[left], self.grid.negatives[left]
        total_p, total_q = int(p_u.sum()), int(q_u.sum())
        p, q = p_u @ inside, q_u @ inside
        n, everything = p + q, total_p + total_q
        rest_p, rest_q = total_p - p, total_q - q
        look = (n + e > 0) & (n < everything + e) & self._above(p + e, q)
        look &= at_most(p, n + e, prefix.p, prefix.n, self.costs.total + e)
        look &= at_most(rest_p, everything - n + e, p + e, n + e, self.costs.total + e)
        chosen = np.flatnonzero(look)
        if not len(chosen):
            return []
        stopped = paid + rule + a * rest_p[chosen] + b * q[chosen]
        ends = ~self._above(rest_p, rest_q + e)[chosen]
        better = chosen[ends & (stopped < value)]
        better = better[self.exactly.holds(self.exactly.sums(left, inside[:, better]))] if len(better) else better
        if any(map(self._stops, filter(None, (self.after(prefix, j) for j in better.tolist())))):
            raise CertificateError("the model is not optimal for these parameters: a fair list that costs less exists")
        share = (p[chosen] + e) / (n[chosen] + e)
        near = chosen[share >= share.max() * _NEAR]
        c = max(zip((p[near] + e).tolist(), (n[near] + e).tolist(), strict=True), key=lambda pair: Fraction(*pair))
        rows = self.relaxed
        d_u, sums = rows.d[:, left], rows.sums(left, inside[:, chosen])
        gains, mu, more = self._gains(p_u, q_u, d_u, multipliers, c)
        gained, total = gains @ inside, int(gains.sum())
        largest = (-np.sort(-gained)[:LONGEST]).tolist()
        ordered = list(accumulate(largest, lambda x, y: min(x + y, total), initial=0))
        ordered += [total] * (LONGEST + 2 - len(ordered))
        prices = np.array([min(r * rule, LARGEST_COST) << self.digits for r in range(len(ordered))])
        left_over = (total - gained[chosen])[:, None]
        net = (np.minimum(left_over, ordered) - prices)[:, 1:].max(axis=1) + more
        allowed = np.maximum(mu[:, None] * (rows.low[:, None] - sums), mu[:, None] * (rows.high[:, None] - sums))
        least = (stopped << self.digits) - net - allowed.sum(axis=0)
        rising = np.where(d_u > 0, d_u, 0), np.where(d_u < 0, d_u, 0)
        highest, lowest = (sums + (x.sum(axis=1)[:, None] - x @ inside[:, chosen]) for x in rising)
        reached = ((highest >= rows.low[:, None]) & (lowest <= rows.high[:, None])).all(axis=0)
        most = (value - 1) // self.least * self.least  # of what costs less
        needed = chosen[reached & (rest_p[chosen] + e > 0) & (least <= most << self.digits)].tolist()
        return [(j, after) for j in needed if (after := self.after(prefix, j)) is not None]

    def _gains(
        self, p: np.ndarray, q: np.ndarray, d: np.ndarray, multipliers: np.ndarray, c: tuple[int, int]
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """What capturing each pattern gains at most, the multipliers in whole numbers, and l c e."""
        unit, e = (1 << self.digits) / float(self.costs.unit), self.costs.misplaced
        fine = _FINE if e else 0  # digits more of the price, for weights that are many units
        with np.errstate(over="ignore"):
            mu = np.rint(np.ldexp(multipliers[:-1], self.shifts) * unit)
            price = np.rint(max(0.0, multipliers[-1]) * unit * 2.0**fine / c[1])
        a, b = self.costs.per_positive << self.digits, self.costs.per_negative << self.digits
        rows = self.relaxed
        width = rows.high.astype(float) - rows.low + np.abs(rows.d.astype(float)).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(np.abs(mu) @ width) + 2 * price * c[1] * 2.0**-fine * float(p.sum() + q.sum() + e)
        if not largest < np.inf:
            raise CertificateError("a multiplier of the certificate is too large for exact sums")
        part = min(1.0, _LARGEST / max(largest, 1.0))  # any multipliers will do: those whose sums fit
        whole, falling = (mu * part).astype(np.int64), int(price * part)
        x, n = (each.astype(object) if e else each for each in (p, p + q))
        lost = falling * (x * c[1] - c[0] * n) >> fine
        gains = a * p - b * q - whole @ d - lost.astype(np.int64)
        return np.maximum(gains, 0), whole, -(-falling * c[0] * e >> fine)


def fair_falling_space(problem: Problem, parameters: Mapping[str, float]) -> FairFallingSpace:
    """The space of a certificate's parameters; raises CertificateError where they are of no use."""
    worth = parameters["positive_weight"]
    costs, grid, whole = falling_space(problem, parameters["regularization"], worth)
    smallest = parameters.get("min_group_size", 0)
    if smallest != int(smallest) or smallest < 0:
        raise CertificateError("the least group of the certificate must be a whole number")
    longest = parameters.get(MAX_LENGTH)
    if longest is not None and not (longest == int(longest) and longest >= 0):
        raise CertificateError("the most rules of the certificate must be a whole number")
    sides = read_sides(in_whole_weights_by_group(problem, True), "dnf", True)
    constraints = parities(sides, "dnf", read_tolerances(parameters), int(smallest))
    rows = rows_of(sides, constraints)
    fitted = [in_digits(row) for row in rows]
    inside = problem.matrix()
    antecedents = np.sort(unique_rows(inside.T)[1])
    a, b, rule = costs.per_positive, costs.per_negative, costs.per_rule
    most = int(grid.positives.sum()) * a + int(grid.negatives.sum()) * b + rule * LONGEST
    return FairFallingSpace(
        costs=costs,
        inside=inside[:, antecedents],
        antecedents=antecedents,
        grid=grid,
        whole=whole,
        worth=Fraction(repr(float(worth))),
        exactly=Rows.of(rows, problem.n_patterns),
        relaxed=Rows.of([row for row, _ in fitted], problem.n_patterns),
        shifts=[shift for _, shift in fitted],
        sides=sides,
        constraints=constraints,
        digits=max(0, min(_MOST_DIGITS, _DIGITS - most.bit_length())),
        least=gcd(a, b, rule),
        longest=None if longest is None else int(longest),
    )


ARRAYS = {"parents", "antecedents", "multipliers"}
_MOST_ENTRIES = 200_000


def check(
    problem: Problem,
    model: FallingRuleList,
    parameters: Mapping[str, float],
    arrays: Mapping[str, np.ndarray],
    found: Outcome,
) -> None:
    """Check the prefixes and the multipliers against the problem and the model."""
    check_parameters(parameters, NEEDED, "falling rule lists", ("min_group_size", MAX_LENGTH, LOWER_BOUND), SUFFIX)
    check_arrays(arrays, ARRAYS)
    space, objective, least = _space(problem, model, parameters)
    found.objective = float(objective)
    prefixes, multipliers = _entries(space, arrays)
    table: Table = {}
    for prefix in prefixes:
        _enter(table, prefix)
    found.checked.update(sets=len(table), entries=len(prefixes), looked_up=0)
    for k, prefix in enumerate(prefixes):
        for antecedent, child in space.look(prefix, multipliers[k], least):
            found.checked["looked_up"] += 1
            if not _covered(table, child):
                name = problem.names[space.antecedents[antecedent]]
                raise CertificateError(
                    f"entry {k} may be followed by the rule {name!r}, and the certificate does not rule out that "
                    "this leads to a fair list that costs less"
                )
    most = parameters.get(MAX_LENGTH)
    among = "" if most is None else f"has at most {counted(int(most), 'rule')}"
    if LOWER_BOUND in parameters:
        found.prove_bound(space.costs.bound(least), among)
        return
    space.costs.claim(least, objective, found)
    which = f" that {among}" if among else ""
    found.prove(f"no fair falling rule list{which} has an objective below {found.lower_bound:.10g}", among)


def prove_fair_falling_rule_list(
    problem: Problem, model: FallingRuleList, parameters: Mapping[str, float], multipliers: Mapping[bytes, np.ndarray]
) -> Certificate:
    """A proof from the multipliers that a search has chosen for the sets that it has met.

    ``parameters``: ``regularization``, ``positive_weight``, ``min_group_size``, the tolerances of rates, and maybe
    ``max_length`` and ``lower_bound``, where only that is to be proven. ``multipliers`` (float64 arrays, shape
    (n_constraints + 1,)): by packed sets of the problem's patterns: of each rate, in the order of their names, and pair
    of groups, and of the proportion, as a share of all weight; in units of the objective. Raises CertificateError when
    a fair list is better, or the multipliers do not prove that none is.
    """
    space, _, value = _space(problem, model, parameters)
    multipliers = {key: mu / np.append(np.ones(len(mu) - 1), space.costs.total) for key, mu in multipliers.items()}
    first = space.everything
    prefixes, parents, antecedents = [first], [-1], [-1]
    chosen = [multipliers.get(_key(first), np.zeros(len(space.shifts) + 1))]
    table: Table = {}
    _enter(table, first)
    waiting = deque([0])
    while waiting:
        k = waiting.popleft()
        for antecedent, child in space.look(prefixes[k], chosen[k], value):
            if _covered(table, child):
                continue
            if len(prefixes) == _MOST_ENTRIES:
                raise CertificateError(f"the proof would have more than {_MOST_ENTRIES} entries")
            _enter(table, child)
            waiting.append(len(prefixes))
            prefixes.append(child)
            parents.append(k)
            antecedents.append(antecedent)
            chosen.append(multipliers.get(_key(child), chosen[k]))
    arrays: dict[str, np.ndarray | list[int]] = {"parents": parents, "antecedents": antecedents}
    arrays["multipliers"] = np.array(chosen, dtype=np.float64)
    return certificate_of(problem, model.family, parameters, arrays)


def _space(
    problem: Problem, model: FallingRuleList, parameters: Mapping[str, float]
) -> tuple[FairFallingSpace, Fraction, int]:
    """The space, the objective of a model that is as fair as the parameters say, and the cost to be proven."""
    space = fair_falling_space(problem, parameters)
    grid, worth = space.grid, parameters["positive_weight"]
    value, objective = falling_value(problem, model, space.costs, worth, grid, space.whole)
    if space.longest is not None and len(model) > space.longest:
        raise CertificateError(f"the model has {len(model)} rules, more than the {space.longest} of the certificate")
    check_parities(space.sides, space.constraints, model.predicts_positive(problem.matrix()).astype(np.int64))
    p, n = space.share(space.everything.left)
    above = p * space.worth > n - p
    alone = space.exactly.d.sum(axis=1) * int(above)
    a, b = space.costs.per_positive, space.costs.per_negative
    cost = b * int(grid.negatives.sum()) if above else a * int(grid.positives.sum())
    least = cost_to_prove(parameters, value, space.costs.unit, space.costs.over, space.costs.hidden)
    if least << space.digits > LARGEST_COST:
        raise CertificateError("the model costs too much for exact sums: it has too many rules at this regularization")
    if cost < least and space.exactly.holds(alone[:, None])[0]:
        raise CertificateError("the model is not optimal for these parameters: the else alone is fair and costs less")
    return space, objective, least


def _entries(space: FairFallingSpace, arrays: Mapping[str, np.ndarray]) -> tuple[list[Prefix], np.ndarray]:
    """The prefixes of the certificate, made from what leads to them, and their multipliers."""
    names, m, multipliers = ("parents", "antecedents"), len(space.antecedents), arrays["multipliers"]
    parents, antecedents = prefixes_of(arrays, names, m, space.grid.n_patterns)
    if multipliers.dtype != np.float64 or multipliers.shape != (len(parents), len(space.shifts) + 1):
        raise CertificateError("'multipliers' must be numbers for each entry, rate and pair of groups, and proportion")
    if not np.isfinite(multipliers).all():
        raise CertificateError("the multipliers must be finite")
    prefixes = [space.everything]
    for parent, j in zip(parents[1:].tolist(), antecedents[1:].tolist(), strict=True):
        prefix = space.after(prefixes[parent], j)
        if prefix is None:
            raise CertificateError("an entry is a prefix that does not fall, or its last rule captures nothing")
        prefixes.append(prefix)
    return prefixes, multipliers


def _key(prefix: Prefix) -> bytes:
    return np.packbits(prefix.left).tobytes()


def _enter(table: Table, prefix: Prefix) -> None:
    table.setdefault(_key(prefix), []).append((prefix.p, prefix.n, prefix.length))


def _covered(table: Table, child: Prefix) -> bool:
    """Whether an entry makes a prefix needless."""
    found = table.get(_key(child), ())
    return any(length <= child.length and child.p * n <= p * child.n for p, n, length in found)
