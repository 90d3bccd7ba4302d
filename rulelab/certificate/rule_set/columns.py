"""Every rule that a better rule set could use, found by a plain enumeration of conjunctions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..certificate import CertificateError
from .pairs import Effort, GaveUpError, HeavyRules

MOST_COLUMNS = 20_000
MOST_CELLS = 1_000_000_000_000
"""Most cells of rows and pairs of conditions that are looked at, some minutes of work."""
EXACT = 2**49
"""Sums of weights stay below it, so that floating-point sums and differences of a few of them are exact."""
_AT_ONCE = 64  # rules whose bits are unpacked in memory


@dataclass(frozen=True, eq=False)
class Columns:
    """Rules of different covered sets, for each set one of the fewest conditions."""

    packed: np.ndarray  # uint8, shape (n_columns, n_bytes): the patterns that each rule covers, as packed bits
    n_patterns: int
    # complexity, reduced (int64, shape (n_columns,)): one plus the number of conditions; the reduced cost
    complexity: np.ndarray
    reduced: np.ndarray
    counted: int  # conjunctions whose sums were looked at

    def covers(self, rules: Sequence[int] | slice = slice(None), patterns: np.ndarray | None = None) -> np.ndarray:
        """Which patterns rules cover: uint8 array, shape (n_rules, n_patterns), or of the given patterns only."""
        packed = self.packed[rules if isinstance(rules, slice) else list(rules)]
        chosen = np.arange(self.n_patterns) if patterns is None else patterns
        out = np.empty((len(packed), len(chosen)), dtype=np.uint8)
        for start in range(0, len(packed), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            out[part] = np.unpackbits(packed[part], axis=1, count=self.n_patterns)[:, chosen]
        return out

    def sums(self, weight: np.ndarray) -> np.ndarray:
        """Weight of the patterns that each rule covers: int64 array, shape (n_columns,)."""
        some = np.flatnonzero(weight)
        values, out = weight[some].astype(np.float64), np.zeros(len(self.packed), dtype=np.int64)
        for start in range(0, len(out) if len(some) else 0, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            out[part] = self.covers(part, some).astype(np.float64) @ values
        return out


def columns(
    matrix: np.ndarray, weight: np.ndarray, price: int, slack: int, max_conditions: int, n_given: int | None = None
) -> Columns:
    """All rules of at most D conditions whose reduced cost price * (1 + conditions) - weight is at most the slack.

    Parameters
    ----------
    matrix : bool array, shape (n_patterns, n_conditions)
    weight : int64 array, shape (n_patterns,)
    price, slack : int
    max_conditions : int
        D.
    n_given : int, optional
        Of the patterns so many are meant when it is asked whether a rule covers any; all by default.

    Raises
    ------
    CertificateError
        When the sums are too large to be exact.
    GaveUpError
        After `MOST_CELLS` of work, or `MOST_COLUMNS` rules.
    """
    if sum(map(abs, weight.tolist())) >= EXACT or (max_conditions + 1) * price + abs(slack) >= EXACT:
        raise CertificateError("the dual values are too large to be summed exactly; use a coarser grid")
    longest = min(max_conditions, matrix.shape[1])
    needed = [price * (1 + s) - slack for s in range(longest + 1)]
    rules = HeavyRules(matrix, weight, needed, Effort(MOST_CELLS, "the enumeration of rules"), n_given)
    found: dict[bytes, tuple[int, ...]] = {}
    for rule in rules:
        covered = np.all(matrix[:, list(rule)], axis=1)
        if not covered[:n_given].any():
            continue
        bits = np.packbits(covered).tobytes()
        if bits not in found or len(rule) < len(found[bits]):
            found[bits] = rule
        if len(found) > MOST_COLUMNS:
            raise GaveUpError(f"more than {MOST_COLUMNS} rules could be part of a better rule set")
    packed = np.frombuffer(b"".join(found), dtype=np.uint8).reshape(len(found), -(-len(matrix) // 8))
    complexity = np.array([1 + len(rule) for rule in found.values()], dtype=np.int64)
    out = Columns(packed, len(matrix), complexity, price * complexity, rules.counted)
    return replace(out, reduced=out.reduced - out.sums(weight))
