"""Going through all prefixes that a table of bounds does not cut, for predictive parity: none may be fair and cheaper.

Lists that meet the constraints of a range and not the criterion are met and judged by the criterion itself. Prefixes
that leave the same set after the same counts have the same fair completions, so that the cheapest one is enough.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...certificate import CertificateError
from .prefixes import MOST, LeftSet
from .space import FairSpace
from .value_space import Values

_CELLS = 1 << 20


class _Prefixes(NamedTuple):
    """What some prefixes of one set cost, also in the relaxation, and their sums of the constraints, row by row."""

    cost: np.ndarray
    relaxed: np.ndarray
    sums: np.ndarray

    def only(self, chosen: np.ndarray | slice) -> _Prefixes:
        return _Prefixes(*(array[chosen] for array in self))


_Waiting = dict[int, dict[bytes, list[_Prefixes]]]


def meets_nothing_cheaper(
    space: FairSpace, values: Values, cost: int, majority: bool, value: Callable[[bytes], int]
) -> int:
    """Show that no fair list of a range costs less; returns how many prefixes were extended.

    Parameters
    ----------
    space : FairSpace
        Of the range.
    values : Values
    cost : int
        Below which no fair list is said to be.
    majority : bool
        Whether rules must have the label of most of what they capture, negative where both weigh the same.
    value : callable
        Of a packed set: a bound on its relaxed completions by one rule or more; the price of a rule at least.

    Raises
    ------
    CertificateError
        When there is a cheaper fair list, or when the bounds cut too little.
    """
    n, most = len(space.inside), space.scaled(cost - 1)
    totals = space.wrong.sum(axis=1)
    for label in range(2):
        allowed = not majority or label == int(space.net.sum() > 0)
        counts = space.d.sum(axis=1)[None, -values.n_counts :] * label
        if allowed and totals[label] < cost and values.fair(counts).any():
            raise CertificateError(f"the list without rules that predicts class {label} is fair and {space.better}")
    waiting: _Waiting = {size: defaultdict(list) for size in range(n + 1)}
    zero = np.zeros(1, dtype=np.int64)
    start = _Prefixes(zero, zero + space.base, np.zeros((1, len(space.d)), dtype=np.int64))
    waiting[n][np.packbits(np.ones(n, dtype=bool)).tobytes()].append(start)
    extended = 0
    for size in range(n, 0, -1):
        for key, blocks in waiting.pop(size).items():
            mask = np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=n).astype(bool)
            cheapest = _cheapest(blocks, values.n_counts)
            extended += _Open(space, mask, key, value).extend(cheapest, values, cost, most, majority, waiting)
            if extended > MOST:
                raise CertificateError(f"the table leaves more than {MOST} prefixes to look at")
    return extended


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
        self, prefixes: _Prefixes, values: Values, cost: int, most: int, majority: bool, waiting: _Waiting
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
        self, prefixes: _Prefixes, label: int, values: Values, cost: int, most: int, majority: bool, waiting: _Waiting
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

    def _enter(self, a: int, prefixes: _Prefixes, most: int, waiting: _Waiting) -> None:
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
            waiting[size][key].append(prefixes.only(kept))
