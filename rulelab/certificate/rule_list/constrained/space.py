"""Fair rule lists as a certificate's checker sees them: the constraints in whole numbers, and a relaxation.

For multipliers ``mu`` of constraints ``low <= v <= high`` every fair list costs at least its relaxed cost
``cost + sum of mu v - sum of max(mu low, mu high)``, which adds up over patterns like a cost. Relaxed costs are whole
numbers of ``2 ** -shift`` units of cost, rounded down. Where weights have many digits the relaxation is that of rounded
constraints, which every fair list meets, too; whether a list is fair is always told by the exact ones.

The table of a proof has lower bounds on the relaxed cost of completing sets by at least one rule, that bear each other
out. In the relaxation every rule has the label that costs less, and a rule that gets no more right than it costs can be
left out. A value V(S) holds if completions by a single rule cost that much, and if for those by more rules either a
bound says so that counts what r rules capture at most, or for every antecedent a rule that leaves the set T costs V(S)
together with the value of T.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ....data.problem import Problem
from ....kernels import bits
from ...certificate import CertificateError
from ...parts import look, parts
from ...rule_set.parity import Parity, Sides, parities, read_sides, read_tolerances
from ..children import times_at_most
from ..states import Grid, read_table

_DIGITS = 40  # of a multiplier
_EXACT = 1 << 53
_LARGEST = 1 << 60
_ROW_DIGITS = 58  # of a constraint of the relaxation


class LinearRow(NamedTuple):
    """``low <= sum of d over the patterns that are predicted positive <= high``."""

    d: list[int]
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class FairSpace:
    """The problem and its relaxation."""

    inside: np.ndarray  # bool, shape (n_patterns, n_antecedents)
    wrong: np.ndarray  # int64, shape (2, n_patterns): cost of predicting each pattern negative, and positive
    net: np.ndarray
    """Array of integers, shape (n_patterns,): weight of each pattern's positive rows less that of its negative ones,
    not rounded: what tells the majority."""
    d: np.ndarray
    """Array of integers, shape (n_constraints, n_patterns): int64, or Python's integers where sums need them."""
    # low, high (array of integers, shape (n_constraints,)): of the sums of ``d`` over the patterns that are predicted
    # positive
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    """int64, shape (2, n_patterns): relaxed cost of the wrong label of each pattern, in the row of its cheaper label.
    """
    base: int  # relaxed cost of what is cheapest for each pattern
    per_rule: int
    relaxed_rule: int
    shift: int
    sides: Sides
    constraints: list[Parity]
    better: str = "costs less than the model"  # what a list would have to be that refutes the proof, in words

    def count(self, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Relaxed weight by label that antecedents capture of sets, (2, n, n_antecedents), and of the sets."""
        kind = np.float64 if int(self.weight.sum()) < _EXACT else np.int64
        chosen = masks[None].astype(kind) * self.weight[:, None].astype(kind)
        return (chosen @ self.inside.astype(kind)).astype(np.int64), chosen.sum(axis=2).astype(np.int64)

    def scaled(self, cost: int) -> int:
        """The largest relaxed cost of a list of this cost."""
        return cost << self.shift if self.shift >= 0 else cost >> -self.shift

    def is_fair(self, sums: np.ndarray) -> bool:
        return bool((self.low <= sums).all() and (sums <= self.high).all())


def fair_space(
    problem: Problem, costs: Grid, parameters: Mapping[str, float], multipliers: np.ndarray | None
) -> FairSpace:
    """The space of a certificate's parameters and multipliers, of whole weights; neither: without constraints."""
    tolerances = read_tolerances(parameters)
    smallest, shift = read_sizes(parameters)
    sides = read_sides(problem, "dnf", bool(tolerances))
    constraints = parities(sides, "dnf", tolerances, smallest)
    multipliers = np.zeros(0) if multipliers is None else multipliers
    wrong = costs.per_error * np.stack([costs.positives, costs.negatives])
    rows = rows_of(sides, constraints)
    if costs.per_error >= _LARGEST:
        raise CertificateError("the weights are too large for exact sums with this regularization")
    return space_of(problem, wrong, costs.per_rule, rows, multipliers, shift, sides, constraints)


def read_sizes(parameters: Mapping[str, float]) -> tuple[int, int]:
    """The least group and the shift of a certificate; raises CertificateError."""
    smallest, shift = (parameters.get(name, 0) for name in ("min_group_size", "shift"))
    if smallest != int(smallest) or smallest < 0 or shift != int(shift) or not -64 <= shift <= 64:
        raise CertificateError("the least group and the shift of the certificate must be whole numbers")
    return int(smallest), int(shift)


def rows_of(sides: Sides, constraints: Sequence[Parity], strictly: bool = False) -> list[LinearRow]:
    """The constraints in whole numbers, for each pair of groups; ``strictly``: less than the tolerance."""
    pairs = [(parity, g, h) for parity in constraints for g, h in combinations(parity.compared, 2)]
    return [_whole(parity, sides, g, h, strictly) for parity, g, h in pairs]


def space_of(
    problem: Problem,
    wrong: np.ndarray,
    rule: int,
    rows: Sequence[LinearRow],
    multipliers: np.ndarray,
    shift: int,
    sides: Sides,
    constraints: list[Parity],
) -> FairSpace:
    """The space of these costs (of predicting each pattern negative and positive, and of a rule) and these rows.

    Raises CertificateError when the multipliers are not one finite number for each row, or sums are too large.
    """
    if multipliers.dtype != np.float64 or multipliers.shape != (len(rows),) or not np.isfinite(multipliers).all():
        raise CertificateError("the certificate must hold a finite multiplier for each rate and pair of groups")
    digits = _DIGITS + max(0, -shift)
    scale = digits + shift
    sums = [[x << scale for x in side] for side in wrong.tolist()]
    constant = 0
    for row, multiplier in zip(rows, multipliers.tolist(), strict=True):
        (d, low, high), rounded = in_digits(row)
        numerator, denominator = multiplier.as_integer_ratio()
        whole = (numerator << (scale + rounded)) // denominator
        sums[1] = [x + whole * y for x, y in zip(sums[1], d, strict=True)]
        constant += max(whole * low, whole * high)
    negative, positive = ([x >> digits for x in side] for side in sums)
    least = [min(pair) for pair in zip(negative, positive, strict=True)]
    weight = [[p - x for p, x in zip(side, least, strict=True)] for side in (positive, negative)]
    if sum(map(sum, weight)) >= _LARGEST:
        raise CertificateError("the multipliers are too large for exact sums")
    base, relaxed_rule = sum(least) + (-constant >> digits), rule << shift if shift >= 0 else rule >> -shift
    if max(abs(base), relaxed_rule << 4) >= _LARGEST:
        raise CertificateError("the shift, or the price of a rule, is too large for exact sums")
    kind = np.int64 if all(sum(map(abs, d)) < _LARGEST for d, _, _ in rows) else object
    return FairSpace(
        inside=problem.matrix(),
        wrong=wrong,
        net=problem.positives - problem.negatives,
        d=np.array([d for d, _, _ in rows], dtype=kind).reshape(len(rows), problem.n_patterns),
        low=np.array([low for _, low, _ in rows], dtype=kind),
        high=np.array([high for _, _, high in rows], dtype=kind),
        weight=np.array(weight, dtype=np.int64),
        base=base,
        per_rule=rule,
        relaxed_rule=relaxed_rule,
        shift=shift,
        sides=sides,
        constraints=constraints,
    )


def in_digits(row: LinearRow) -> tuple[LinearRow, int]:
    """A row that every list meets that meets this one, of few digits, and by how many binary digits it is rounded."""
    rounded = max(0, sum(map(abs, row.d)).bit_length() - _ROW_DIGITS)
    if not rounded:
        return row, 0
    unit = 1 << rounded
    d = [round(Fraction(x, unit)) for x in row.d]
    slack = sum(x != y * unit for x, y in zip(row.d, d, strict=True)) // 2 + 1  # half a unit for each that is rounded
    return LinearRow(d, row.low // unit - slack, -(-row.high // unit) + slack), rounded


def _whole(parity: Parity, sides: Sides, g: int, h: int, strictly: bool) -> LinearRow:
    """A row that says that the rates of two groups differ by no more than the tolerance, or by less."""
    coefficients = [parity.left_out[g], parity.covered[g], parity.left_out[h], parity.covered[h]]
    scale = math.lcm(*(x.denominator for x in coefficients))
    missed_g, alarm_g, missed_h, alarm_h = (int(x * scale) for x in coefficients)
    patterns = zip(*(side[k].tolist() for k in (g, h) for side in (sides.wanted, sides.unwanted)), strict=True)
    d, constant = [], (parity.offset[g] - parity.offset[h]) * scale
    for wanted_g, unwanted_g, wanted_h, unwanted_h in patterns:
        d.append(alarm_g * unwanted_g - missed_g * wanted_g - alarm_h * unwanted_h + missed_h * wanted_h)
        constant += missed_g * wanted_g - missed_h * wanted_h
    room = parity.tolerance * scale
    low, high = Fraction(-room - constant), Fraction(room - constant)
    if strictly:
        low, high = Fraction(math.floor(low) + 1), Fraction(math.ceil(high) - 1)
    return linear_row(d, low, high)


def linear_row(d: list[int], low: Fraction | None, high: Fraction) -> LinearRow:
    """``low <= sum of d <= high`` in lowest terms; no lower end where ``low`` is None."""
    common = math.gcd(*d) or 1
    d = [x // common for x in d]
    least, most = sum(x for x in d if x < 0), sum(x for x in d if x > 0)
    lowest = least - 1 if low is None else max(math.ceil(low / common), least - 1)
    return LinearRow(d, lowest, min(math.floor(high / common), most + 1))


_LARGEST_SUM = 1 << 62
LONGEST = 12  # completions of more rules than this are bounded by their rules alone
Through = Callable[[Callable[[bytes], int]], int]
"""Goes through all prefixes, given a bound for each set, and returns how many; raises CertificateError."""
_CELLS = 1 << 21


class Needed(NamedTuple):
    """What the table has to say of sets that rules leave: the set, packed, and its least value, by place of parent."""

    parent: np.ndarray
    sets: np.ndarray
    values: np.ndarray


def needed(space: FairSpace, sets: np.ndarray, values: np.ndarray) -> Needed:
    """What remains to be shown for the values of some packed sets; raises CertificateError for one that is wrong."""
    n, L = len(space.inside), space.relaxed_rule
    if not space.inside.shape[1]:  # there is no rule that could complete a set
        return Needed(np.zeros(0, dtype=np.int64), sets[:0], values[:0])
    masks = np.unpackbits(sets, axis=1, count=n).astype(bool)
    captured, total = space.count(masks)
    supported = captured.max(axis=0) > L
    wrong = captured.min(axis=0)
    single = L + wrong + (total[:, :, None] - captured).min(axis=0)
    if (np.where(supported, single, values[:, None]) < values[:, None]).any():
        raise CertificateError("a value of the table is above what a single rule costs")
    sums = largest_sums(captured)
    rows = np.flatnonzero(_several(space, captured, total, sums, values) < values)
    captured, total, sums, supported = captured[:, rows], total[:, rows], sums[:, :, rows], supported[rows]
    room = values[rows, None] - L - captured.min(axis=0)
    left = total[:, :, None] - captured
    short = supported & (room > L) & (one_more_rule(space, left, sums) < room)
    parent, a = np.nonzero(short)
    few = np.flatnonzero(room[parent, a] <= 2 * L)
    for part in np.array_split(few, len(few) * space.inside.shape[1] // (1 << 20) + 1):
        p, b = parent[part], a[part]
        likely = np.full(len(part), np.iinfo(np.int64).max)
        for s in range(2):
            rest = np.maximum(left[s, p, b][:, None] - captured[s, p], 0)
            damage = np.maximum(captured[1 - s, p] - captured[1 - s, p, b][:, None], 0)
            likely = np.minimum(likely, (rest + damage).min(axis=1))
        short[p, b] = L + likely < room[p, b]
    parent, a = np.nonzero(short)
    child = masks[rows[parent]] & ~space.inside.T[a]
    return Needed(rows[parent], np.packbits(child, axis=1), room[parent, a])


def largest_sums(captured: np.ndarray) -> np.ndarray:
    """``out[label, r]``: the sum of the r largest weights that antecedents capture of each set."""
    k = min(LONGEST, captured.shape[2])
    ordered = -np.sort(-captured, axis=2)[:, :, :k]
    out = np.zeros((2, LONGEST + 1, captured.shape[1]), dtype=np.int64)
    out[:, 1 : k + 1] = ordered.transpose(0, 2, 1)
    for r in range(1, LONGEST + 1):  # no more than all weight, which twice is an integer that fits
        out[:, r] = np.minimum(out[:, r - 1] + out[:, r], _LARGEST_SUM)
    return out


def one_more_rule(space: FairSpace, left: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Bound on completions by at least one rule of what antecedents leave, from what rules capture of the whole."""
    L = space.relaxed_rule
    out = np.full(left.shape[1:], (LONGEST + 1) * L, dtype=np.int64)
    for r in range(1, LONGEST + 1):
        out = np.minimum(out, r * L + np.maximum((left - sums[:, r, :, None]).min(axis=0), 0))
    return out


def _several(
    space: FairSpace, captured: np.ndarray, total: np.ndarray, sums: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Bound on completions by two rules or more, as far as the values need it.

    All weight of the label s that the default does not predict must be captured. Of ks rules for s the one that
    captures most of it captures a ks-th at least, and does its damage, but for what kd rules for the default shield.
    """
    L = space.relaxed_rule
    out = np.full(total.shape[1], (LONGEST + 1) * L, dtype=np.int64)
    plain = out.copy()
    for r in range(2, LONGEST + 1):
        plain = np.minimum(plain, r * L + np.maximum((total - sums[:, r]).min(axis=0), 0))
    rows = np.flatnonzero(plain < values)
    for s in range(2):
        for ks in range(1, LONGEST + 1):
            for kd in range(max(0, 2 - ks), LONGEST + 1 - ks):
                i = rows[(ks + kd) * L + np.maximum(total[s, rows] - sums[s, ks, rows], 0) < values[rows]]
                if len(i) == 0:
                    break
                top = times_at_most(ks, captured[s, i], sums[s, ks, i, None])
                damage = np.maximum(captured[1 - s, i] - sums[1 - s, kd, i, None], 0)
                cost = np.maximum(total[s, i, None] - top, 0) + damage
                out[i] = np.minimum(out[i], (ks + kd) * L + cost.min(axis=1))
    out[plain >= values] = plain[plain >= values]
    return np.maximum(out, 2 * L)


def check_table(space: FairSpace, through: Through, sets: np.ndarray, values: np.ndarray) -> dict[str, int]:
    """Check a table, and with its values go through all prefixes; what was counted. Raises CertificateError."""
    table = read_table(sets, values, len(space.inside), 1 << 61)
    for part in _chunks(space, len(sets)):
        rest = needed(space, sets[part], values[part])
        for key, least in zip(map(bytes, rest.sets), rest.values.tolist(), strict=True):
            if table.get(key, 0) < least:
                raise CertificateError(f"a set of the table needs one that is worth {least}, which is not there")
    return {"sets": len(sets), "prefixes": through(_value_of(space, table))}


def kept(
    problem: Problem, space: FairSpace, through: Through | None, bounds: Mapping[bytes, int]
) -> dict[str, np.ndarray]:
    """Of bounds on completions those that going ``through`` all prefixes needs; CertificateError if too few."""
    used: dict[bytes, int] = {}
    value = _value_of(space, bounds)

    def noted(key: bytes) -> int:
        if key in bounds:
            used[key] = bounds[key]
        return value(key)

    if through is not None:
        through(noted)
    fresh, width = list(used), -(-len(space.inside) // 8)
    while fresh:
        sets = np.frombuffer(b"".join(fresh), dtype=np.uint8).reshape(-1, width)
        values = np.array([bounds[key] for key in fresh], dtype=np.int64)
        fresh = []
        for part in _chunks(space, len(sets)):
            rest = needed(space, sets[part], values[part])
            for key, least in zip(map(bytes, rest.sets), rest.values.tolist(), strict=True):
                if bounds.get(key, 0) < least:
                    raise CertificateError("the bounds of the search do not bear each other out")
                if key not in used:
                    used[key] = bounds[key]
                    fresh.append(key)
    sets = np.frombuffer(b"".join(used), dtype=np.uint8).reshape(-1, width)
    members = np.unpackbits(sets, axis=1, count=problem.n_patterns)
    sets = np.packbits(members[:, bits.order(problem.words)], axis=1)
    return {"sets": sets, "values": np.array(list(used.values()), dtype=np.int64)}


def _value_of(space: FairSpace, table: Mapping[bytes, int]) -> Callable[[bytes], int]:
    least = space.relaxed_rule

    def value(key: bytes) -> int:
        look()
        return max(least, table.get(key, least))

    return value


def _chunks(space: FairSpace, n: int) -> Iterator[slice]:
    return parts(n, max(1, *space.inside.shape), _CELLS)
