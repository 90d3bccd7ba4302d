"""The table of a proof that goes through prefixes: bounds on what completing a set costs, checked and chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from ....data.problem import Problem
from ....kernels import bits
from ....models import RuleList
from ...certificate import Certificate, CertificateError
from ...origin import Origin
from ...parts import look, parts
from .space import FairSpace
from .table import needed

Through = Callable[[Callable[[bytes], int]], int]
"""Goes through all prefixes, given a bound for each set, and returns how many; raises CertificateError."""

_CELLS = 1 << 21


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


def kept(space: FairSpace, through: Through, bounds: Mapping[bytes, int]) -> dict[str, np.ndarray]:
    """Of bounds on completions those that going through all prefixes needs: "sets" and "values".

    Raises
    ------
    CertificateError
        When the bounds do not prove it.
    """
    used: dict[bytes, int] = {}
    value = _value_of(space, bounds)

    def noted(key: bytes) -> int:
        if key in bounds:
            used[key] = bounds[key]
        return value(key)

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
    return {"sets": sets, "values": np.array(list(used.values()), dtype=np.int64)}


def certificate_of(problem: Problem, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]) -> Certificate:
    """The certificate of a rule list with these parameters and arrays."""
    origin = None if problem.conditions is None else Origin.of(problem)
    members = np.unpackbits(arrays["sets"], axis=1, count=problem.n_patterns)
    arrays = {**arrays, "sets": np.packbits(members[:, bits.order(problem.words)], axis=1)}
    return Certificate(RuleList.family, problem.fingerprint, dict(parameters), arrays, origin, in_order=True)


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
