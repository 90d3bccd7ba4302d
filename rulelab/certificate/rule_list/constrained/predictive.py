"""Checks a proof that no rule list of predictive parity costs less: ranges of the least value, each with its proof.

A list is fair when the predictive values of its groups, ``TP_g / PP_g`` of those of whom anybody is predicted positive,
are within a tolerance of each other. Then the least of them, c, is at most all, and ``c + tolerance`` at least all, so
that for ``low <= c <= high`` every group has ``TP >= low PP`` and ``TP <= (high + tolerance) PP``. Ranges of c that
cover all numbers from 0 to 1 leave no fair list out; one that predicts nobody positive meets all of this. In each range
the proof is that of a fair rule list under these constraints (multipliers, bounds on completions, all prefixes in
between), but that lists which meet them are judged by the criterion itself. Prefixes that leave the same set after the
same counts have the same fair completions, so that the cheapest one is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from ....data.problem import Problem
from ....models import RuleList
from ...certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ...outcome import LOWER_BOUND, Outcome, divided
from ...rule_set.parity import SUFFIX, Sides, read_sides
from ..states import Grid
from .checker import Claim, read_claim
from .prefixes import LeftSet, Waiting, walk
from .space import FairSpace, LinearRow, Through, check_table, kept, linear_row, read_sizes, space_of

TOLERANCE = f"precision{SUFFIX}"  # the parameter that a certificate of predictive parity has

_NEARLY = 1e-9  # far more than what rounds a quotient
_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Values:
    """The criterion."""

    problem: Problem  # in whole weights, with groups
    sides: Sides
    groups: tuple[int, ...]  # those that are compared
    tolerance: Fraction
    shift: int  # of the relaxations

    @property
    def n_counts(self) -> int:
        """Of those predicted positive the positives and the negatives of each group: the last rows of a space."""
        return 2 * len(self.groups)

    def counts(self, positive: np.ndarray) -> np.ndarray:
        """Those counts when these patterns are predicted positive (bool, shape (n_patterns,))."""
        sides = self.sides.wanted, self.sides.unwanted
        return np.array([side[g, positive].sum() for g in self.groups for side in sides], dtype=sides[0].dtype)

    def fair(self, counts: np.ndarray) -> np.ndarray:
        """Which rows of counts (shape (n, n_counts)) meet the criterion; where that is close, by exact fractions."""
        right, whole = counts[:, ::2], counts[:, ::2] + counts[:, 1::2]
        share = right / np.maximum(whole, 1)
        spread = np.where(whole > 0, share, -1.0).max(axis=1) - np.where(whole > 0, share, 2.0).min(axis=1)
        out = (spread <= float(self.tolerance) + _NEARLY).astype(bool)
        for i in np.flatnonzero(out):
            pairs = zip(right[i].tolist(), whole[i].tolist(), strict=True)
            values = [Fraction(r, w) for r, w in pairs if w]
            out[i] = not values or max(values) - min(values) <= self.tolerance
        return out

    def space(self, costs: Grid, low: float, high: float, multipliers: np.ndarray) -> FairSpace:
        """The space of a range, with multipliers for each group's two ends; CertificateError if of no use."""
        wrong = costs.per_error * np.stack([costs.positives, costs.negatives])
        rows, counts = [], []
        for g in self.groups:
            sides = self.sides.wanted[g].tolist(), self.sides.unwanted[g].tolist()
            for end, sign in ((Fraction(low), 1), (Fraction(high) + self.tolerance, -1)):
                rows.append(_end(*sides, end, sign))
            counts += [LinearRow(side, 0, sum(side)) for side in sides]
        if multipliers.dtype != np.float64 or multipliers.shape != (len(rows),):
            raise CertificateError("the certificate must hold two multipliers for each group and range")
        free = np.concatenate([multipliers, np.zeros(len(counts))])
        return space_of(self.problem, wrong, costs.per_rule, [*rows, *counts], free, self.shift, self.sides, [])


def read_values(whole: Problem, parameters: Mapping[str, float]) -> Values:
    """The criterion that the parameters speak of, of a problem in whole weights; raises CertificateError."""
    tolerance = parameters[TOLERANCE]
    if not 0 <= tolerance < float("inf"):
        raise CertificateError(f"the {TOLERANCE} must be at least 0, not {tolerance!r}")
    smallest, shift = read_sizes(parameters)
    sides = read_sides(whole, "dnf", True)
    compared = tuple(g for g in range(len(sides.names)) if sum(side[g] for side in sides.rows) >= smallest)
    if len(compared) < 2:
        raise CertificateError(
            f"the certificate leaves out groups of fewer than {smallest} rows, which leaves {len(compared)} to compare"
        )
    return Values(whole, sides, compared, Fraction(repr(float(tolerance))), shift)


def _end(positives: list[int], negatives: list[int], end: Fraction, sign: int) -> LinearRow:
    """That the right positives are at least (for sign -1 at most) this part of those predicted positive."""
    part, whole = end.numerator, end.denominator
    d = [sign * ((whole - part) * p - part * q) for p, q in zip(positives, negatives, strict=True)]
    return linear_row(d, Fraction(0), Fraction(sum(x for x in d if x > 0)))


class _Prefixes(NamedTuple):
    """What some prefixes of one set cost, also in the relaxation, and their sums of the constraints, row by row."""

    cost: np.ndarray
    relaxed: np.ndarray
    sums: np.ndarray

    def only(self, chosen: np.ndarray | slice) -> _Prefixes:
        return _Prefixes(*(array[chosen] for array in self))


def has_nothing_cheaper(
    space: FairSpace, values: Values, cost: int, majority: bool, value: Callable[[bytes], int]
) -> int:
    """Show that no fair list of a range costs less; returns how many prefixes were extended.

    Raises CertificateError when there is a cheaper fair list, or when the bounds cut too little.
    ``space`` is that of the range; the rest as of `prefixes.meets_nothing_cheaper`.
    """
    most = space.scaled(cost - 1)
    totals = space.wrong.sum(axis=1)
    for label in range(2):
        allowed = not majority or label == int(space.net.sum() > 0)
        counts = space.d.sum(axis=1)[None, -values.n_counts :] * label
        if allowed and totals[label] < cost and values.fair(counts).any():
            raise CertificateError(f"the list without rules that predicts class {label} is fair and {space.better}")
    zero = np.zeros(1, dtype=np.int64)
    start = _Prefixes(zero, zero + space.base, np.zeros((1, len(space.d)), dtype=np.int64))
    return walk(
        len(space.inside),
        start,
        lambda mask, key, blocks, waiting: _Open(space, mask, key, value).extend(
            _cheapest(blocks, values.n_counts), values, cost, most, majority, waiting
        ),
    )


def _cheapest(blocks: list[_Prefixes], n_counts: int) -> _Prefixes:
    """The cheapest prefix of each row of counts."""
    every = _Prefixes(*map(np.concatenate, zip(*blocks, strict=True)))
    counts = every.sums[:, -n_counts:]
    order = np.lexsort((every.cost, *counts.T))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (counts[order[1:]] != counts[order[:-1]]).any(axis=1)
    return every.only(order[fresh])


class _Open(LeftSet):
    """A set that prefixes leave, and how all of these go on."""

    def extend(
        self, prefixes: _Prefixes, values: Values, cost: int, most: int, majority: bool, waiting: Waiting
    ) -> int:
        """Try every rule after every prefix; returns how many prefixes were extended."""
        prefixes = prefixes.only(prefixes.relaxed + self.bound <= most)
        self._children: dict[int, tuple[bytes, int, np.ndarray, np.ndarray]] = {}
        step = max(1, _CELLS // max(1, len(self.useful)))
        for start in range(0, len(prefixes.cost), step):
            for label in range(2):
                part = prefixes.only(slice(start, start + step))
                self._with(part, label, values, cost, most, majority, waiting)
        return len(prefixes.cost)

    def _with(
        self, prefixes: _Prefixes, label: int, values: Values, cost: int, most: int, majority: bool, waiting: Waiting
    ) -> None:
        """Every rule of a label: the lists that it ends, and the prefixes."""
        space, L = self.space, self.space.relaxed_rule
        rest = self.all_wrong[:, None] - self.wrong
        tried = self.useful & (prefixes.relaxed[:, None] + (self.least + L - self.captured[label]) <= most)
        if majority:
            tried &= (self.net > 0) == bool(label)
        spent = prefixes.cost[:, None] + (space.per_rule + self.wrong[label])
        ends = tried & (spent + rest[1 - label] < cost)
        if majority:
            ends &= (self.all_net - self.net > 0) == bool(1 - label)
        row, last = np.nonzero(ends)
        counted = slice(-values.n_counts, None)
        added = self.d[counted, last] if label else self.all_d[counted, None] - self.d[counted, last]
        if values.fair(prefixes.sums[row, counted] + added.T).any():
            raise CertificateError(f"there is a fair list that {space.better}")
        relaxed = prefixes.relaxed[:, None] + (L + self.captured[1 - label])
        goes_on = tried & (spent + space.per_rule < cost) & (relaxed + self.further <= most)
        for one in np.flatnonzero(goes_on.any(axis=0)).tolist():
            rows = np.flatnonzero(goes_on[:, one])
            sums = prefixes.sums[rows] + (self.d[:, one] if label else 0)
            self._enter(one, _Prefixes(spent[rows, one], relaxed[rows, one], sums), most, waiting)

    def _enter(self, a: int, prefixes: _Prefixes, most: int, waiting: Waiting) -> None:
        """Keep prefixes at the set that they leave, unless they are cut."""
        space = self.space
        if a not in self._children:
            child = self.mask & ~space.inside[:, a]
            part = space.d[:, child]
            span = np.minimum(part, 0).sum(axis=1), np.maximum(part, 0).sum(axis=1)
            self._children[a] = np.packbits(child).tobytes(), int(child.sum()), *span
        key, size, least, largest = self._children[a]
        kept = prefixes.relaxed + min(self.value(key), int(self.left[a])) <= most
        kept &= (prefixes.sums + largest >= space.low).all(axis=1) & (prefixes.sums + least <= space.high).all(axis=1)
        if kept.any():
            waiting[size].setdefault(key, []).append(prefixes.only(kept))


_NEEDED = ("regularization", "majority", TOLERANCE)
_MOST_RANGES = 1024


class ProvenRange(NamedTuple):
    """What a search found of the lists whose least predictive value is in a range."""

    low: float
    high: float
    multipliers: np.ndarray
    """float64, shape (2 * n_groups,): of the lower and the upper end of each group that is compared."""
    bounds: Mapping[bytes, int]  # bounds on completing packed sets of the problem's patterns, at these multipliers


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Check the table and the multipliers of each range against the problem and the model."""
    found.checked.update(ranges=0, sets=0, prefixes=0)
    check_parameters(parameters, _NEEDED, "rule lists", ("min_group_size", "shift", LOWER_BOUND))
    check_arrays(arrays, ("ends", "multipliers", "sizes", "sets", "values"))
    claim, values = _read(problem, model, parameters)
    found.objective = float(claim.objective)
    ends, sizes = _ranges(arrays)
    stops = np.cumsum(sizes)
    for i, (stop, size) in enumerate(zip(stops.tolist(), sizes.tolist(), strict=True)):
        entries = slice(stop - size, stop)
        space = values.space(claim.costs, float(ends[i]), float(ends[i + 1]), arrays["multipliers"][i])
        through = partial(has_nothing_cheaper, space, values, claim.cost, parameters["majority"] == 1)
        counted = check_table(space, through, arrays["sets"][entries], arrays["values"][entries])
        for name, number in ({"ranges": 1} | counted).items():
            found.checked[name] += number
    claim.holds(found)


def prove_predictive_parity(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], ranges: Sequence[ProvenRange]
) -> Certificate:
    """A proof from what a search found of each range, of which what is needed is kept.

    ``parameters``: ``regularization``, ``majority``, ``min_group_size``, ``shift``, ``precision_tolerance`` and maybe
    ``lower_bound``, where only that is to be proven. ``ranges``: from 0 to 1, one after another. Raises
    CertificateError when the bounds do not prove it.
    """
    claim, values = _read(problem, model, parameters)
    tables = []
    for one in ranges:
        space = values.space(claim.costs, one.low, one.high, one.multipliers)
        through: Through = partial(has_nothing_cheaper, space, values, claim.cost, parameters["majority"] == 1)
        tables.append(kept(problem, space, through, one.bounds))
    arrays = {
        "ends": np.array([one.low for one in ranges] + [ranges[-1].high], dtype=np.float64),
        "multipliers": np.stack([one.multipliers for one in ranges]),
        "sizes": np.array([len(table["values"]) for table in tables], dtype=np.int64),
        **{name: np.concatenate([table[name] for table in tables]) for name in ("sets", "values")},
    }
    _ranges(arrays)
    return certificate_of(problem, model.family, parameters, arrays, in_order=True)


def _read(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> tuple[Claim, Values]:
    """What is claimed, and the criterion, which the model meets."""
    return read_claim(problem, model, parameters), check_values(problem, model, parameters)


def check_values(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> Values:
    """The criterion of a certificate, which a model must meet; raises CertificateError."""
    whole, _ = divided(problem, True, any_size=True)
    values = read_values(whole, parameters)
    if not values.fair(values.counts(model.predicts_positive(whole.matrix()))[None]).all():
        raise CertificateError(
            "the model breaks a constraint: the predictive values of two groups differ by more than "
            f"{float(values.tolerance):.6g}"
        )
    return values


def _ranges(arrays: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the ranges, from 0 to 1, and how many entries of the table each has; raises CertificateError."""
    ends, sizes, multipliers = (arrays[name] for name in ("ends", "sizes", "multipliers"))
    n = len(ends) - 1 if ends.ndim == 1 and ends.dtype == np.float64 else 0
    if not 1 <= n <= _MOST_RANGES or ends[0] != 0 or ends[-1] != 1 or not (ends[1:] > ends[:-1]).all():
        raise CertificateError(f"the ranges of the certificate must be at most {_MOST_RANGES}, from 0 up to 1")
    if sizes.dtype != np.int64 or sizes.shape != (n,) or multipliers.ndim != 2 or len(multipliers) != n:
        raise CertificateError("the certificate must have multipliers and a number of sets for each range")
    tables = arrays["sets"], arrays["values"]
    if any(array.ndim == 0 or len(array) != sum(sizes.tolist()) for array in tables) or (sizes < 0).any():
        raise CertificateError("the sets of the certificate are not those of its ranges")
    return ends, sizes
