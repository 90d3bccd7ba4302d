"""Lower bounds on the relaxed cost of completing sets by at least one rule, that bear each other out.

In the relaxation every rule has the label that costs less, and a rule that gets no more right than it costs can be left
out. A value V(S) holds if completions by a single rule cost that much, and if for those by more rules either a bound
says so that counts what r rules capture at most, or for every antecedent a rule that leaves the set T costs V(S)
together with the value of T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ....data.problem import Problem
from ....kernels import bits
from ...certificate import CertificateError
from ...parts import look, parts
from ..children import times_at_most
from .space import FairSpace

_LARGEST = 1 << 62
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
        out[:, r] = np.minimum(out[:, r - 1] + out[:, r], _LARGEST)
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
    sets, values = _table(space, sets, values)
    table = dict(zip(map(bytes, sets), values.tolist(), strict=True))
    if len(table) < len(sets):
        raise CertificateError("a set is in the table twice")
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


def _table(space: FairSpace, sets: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(space.inside)
    if sets.dtype != np.uint8 or sets.ndim != 2 or values.dtype != np.int64 or values.shape != sets.shape[:1]:
        raise CertificateError("'sets' and 'values' of the certificate must be bytes and one integer for each set")
    everything = np.packbits(np.ones(n, dtype=bool))
    if sets.shape[1] != len(everything) or (sets & ~everything).any():
        raise CertificateError(f"the sets of the certificate are not of the {n} patterns of this problem")
    if (values < 0).any() or (values > 1 << 61).any():
        raise CertificateError("a value of the table is negative or exceeds all costs")
    return sets, values


def _value_of(space: FairSpace, table: Mapping[bytes, int]) -> Callable[[bytes], int]:
    least = space.relaxed_rule

    def value(key: bytes) -> int:
        look()
        return max(least, table.get(key, least))

    return value


def _chunks(space: FairSpace, n: int) -> Iterator[slice]:
    return parts(n, max(1, *space.inside.shape), _CELLS)
