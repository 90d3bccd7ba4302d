"""Going through all prefixes that a table of bounds does not cut: no list on the way may be fair and cheaper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...certificate import CertificateError
from .space import FairSpace
from .table import largest_sums, one_more_rule

MOST = 2_000_000
"""Prefixes that are looked at before a proof is refused."""

Waiting = dict[int, dict[bytes, list[Any]]]
"""Prefixes by the packed set that they leave, and these by their size."""


class _Prefix(NamedTuple):
    """What a prefix costs, also in the relaxation, and its sums of the constraints."""

    cost: int
    relaxed: int
    sums: np.ndarray


def meets_nothing_cheaper(space: FairSpace, cost: int, majority: bool, value: Callable[[bytes], int]) -> int:
    """Show that no fair list costs less; returns how many prefixes were extended.

    Raises CertificateError when there is a cheaper fair list, or when the bounds cut too little.

    Parameters
    ----------
    cost : int
        Of the list that is claimed to be optimal.
    majority : bool
        Whether rules must have the label of most of what they capture, negative where both weigh the same.
    value : callable
        Of a packed set: a bound on its relaxed completions by one rule or more; the price of a rule at least.
    """
    most = space.scaled(cost - 1)
    totals = space.wrong.sum(axis=1)
    for label in range(2):
        allowed = not majority or label == int(space.net.sum() > 0)
        if allowed and totals[label] < cost and space.is_fair(space.d.sum(axis=1) * label):
            raise CertificateError(f"the list without rules that predicts class {label} is fair and {space.better}")
    start = _Prefix(0, space.base, np.zeros(len(space.d), dtype=np.int64))
    return walk(
        len(space.inside),
        start,
        lambda mask, key, prefixes, waiting: _Set(space, mask, key, value).extend(
            prefixes, cost, most, majority, waiting
        ),
    )


def walk(n: int, start: Any, extend: Callable[[np.ndarray, bytes, list[Any], Waiting], int]) -> int:
    """Extend the prefixes of each set of the n patterns, larger sets first; returns how many were extended.

    ``extend`` is given a set as a mask and packed, its prefixes, and where to put the longer ones, which leave smaller
    sets. Raises CertificateError when there are more than `MOST`.
    """
    waiting: Waiting = {size: {} for size in range(n + 1)}
    waiting[n][np.packbits(np.ones(n, dtype=bool)).tobytes()] = [start]
    extended = 0
    for size in range(n, 0, -1):
        for key, prefixes in waiting.pop(size).items():
            mask = np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=n).astype(bool)
            extended += extend(mask, key, prefixes, waiting)
            if extended > MOST:
                raise CertificateError(f"the table leaves more than {MOST} prefixes to look at")
    return extended


class LeftSet:
    """A set of patterns that prefixes leave, with everything counted.

    Parameters
    ----------
    mask : bool array, shape (n_patterns,)
    key : bytes
        The set, packed.
    value : callable
        Of a packed set: a bound on its relaxed completions by one rule or more; the price of a rule at least.
    """

    def __init__(self, space: FairSpace, mask: np.ndarray, key: bytes, value: Callable[[bytes], int]) -> None:
        self.space, self.mask, self.value = space, mask, value
        captured, total = space.count(mask[None])
        self.captured, self.total = captured[:, 0], total[:, 0]
        left = self.total[:, None] - self.captured
        self.left = left.min(axis=0)
        self.further = one_more_rule(space, (total[:, :, None] - captured), largest_sums(captured))[0]
        inside = space.inside[mask].astype(np.int64)
        self.wrong, self.d = space.wrong[:, mask] @ inside, space.d[:, mask] @ inside
        self.net, self.all_net = space.net[mask] @ inside, space.net[mask].sum()
        self.all_wrong, self.all_d = space.wrong[:, mask].sum(axis=1), space.d[:, mask].sum(axis=1)
        size = inside.sum(axis=0)
        self.useful = (size > 0) & (size < mask.sum())
        bound, L = value(key), space.relaxed_rule
        self.least = min(int(self.total.min()), bound)
        right = self.captured.max(axis=0)
        skipped = int(right[right <= L].max(initial=-1))
        self.bound = bound if skipped < 0 else min(bound, self.least + L - skipped)

    def enter(self, a: int, prefix: Any, most: int, waiting: Waiting, no_worse: Callable[[Any, Any], bool]) -> None:
        """Keep a prefix at the set that antecedent ``a`` leaves, unless it is cut, and drop those it makes needless.

        One prefix makes another needless when it is no worse, as ``no_worse`` says of all but their sums, and every end
        that makes the other one fair makes it fair.
        """
        space = self.space
        child = self.mask & ~space.inside[:, a]
        key = np.packbits(child).tobytes()
        if prefix.relaxed + min(self.value(key), int(self.left[a])) > most:
            return
        part = space.d[:, child]
        least, largest = np.minimum(part, 0).sum(axis=1), np.maximum(part, 0).sum(axis=1)
        if (prefix.sums + largest < space.low).any() or (prefix.sums + least > space.high).any():
            return

        def outdoes(one: Any, other: Any) -> bool:
            if not no_worse(one, other):
                return False
            low, high = np.maximum(space.low - other.sums, least), np.minimum(space.high - other.sums, largest)
            return bool((space.low - one.sums <= low).all() and (space.high - one.sums >= high).all())

        others = waiting[int(child.sum())].setdefault(key, [])
        if not any(outdoes(one, prefix) for one in others):
            others[:] = [one for one in others if not outdoes(prefix, one)] + [prefix]


class _Set(LeftSet):
    """A set of patterns that prefixes leave, and how these go on."""

    def extend(self, prefixes: list[_Prefix], cost: int, most: int, majority: bool, waiting: Waiting) -> int:
        """Try every rule after every prefix; returns how many prefixes were extended."""
        space, L, done = self.space, self.space.relaxed_rule, 0
        rest = self.all_wrong[:, None] - self.wrong
        for prefix in prefixes:
            if prefix.relaxed + self.bound > most:
                continue
            done += 1
            for label in range(2):
                tried = self.useful & (prefix.relaxed + self.least + L - self.captured[label] <= most)
                if majority:
                    tried &= (self.net > 0) == bool(label)
                spent = prefix.cost + space.per_rule + self.wrong[label]
                ends = tried & (spent + rest[1 - label] < cost)
                if majority:
                    ends &= (self.all_net - self.net > 0) == bool(1 - label)
                for a in np.flatnonzero(ends):
                    sums = prefix.sums + (self.d[:, a] if label else self.all_d - self.d[:, a])
                    if space.is_fair(sums):
                        raise CertificateError(f"there is a fair list that {space.better}")
                relaxed = prefix.relaxed + L + self.captured[1 - label]
                goes_on = tried & (spent + space.per_rule < cost) & (relaxed + self.further <= most)
                for a in np.flatnonzero(goes_on):
                    sums = prefix.sums + (self.d[:, a] if label else 0)
                    self.enter(int(a), _Prefix(int(spent[a]), int(relaxed[a]), sums), most, waiting, _costs_no_more)
        return done


def _costs_no_more(one: _Prefix, other: _Prefix) -> bool:
    return one.cost <= other.cost
