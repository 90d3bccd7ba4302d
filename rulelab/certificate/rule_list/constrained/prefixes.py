"""Going through all prefixes that a table of bounds does not cut: no list on the way may be fair, obey, and be cheaper.

Where lists have to obey demands, one costs no less than it does in the relaxation: its prefix, and what completing the
rest costs without demands, the default alone or the table's value of one rule or more. A rule that meets a demand gets
no more right in the relaxation than it captures of the rest, and a list costs what it would without the rule, the price
of the rule, less what it gets right. A rule may capture all that is left, or predict what the default does, where that
is what meets a demand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....data.directions import NEGATIVE, POSITIVE
from ...certificate import CertificateError
from .space import FairSpace, largest_sums, one_more_rule

MOST = 2_000_000  # prefixes that are looked at before a proof is refused

Waiting = dict[int, dict[bytes, list[Any]]]  # prefixes by the packed set that they leave, and these by their size


class Demands(NamedTuple):
    """What a list must use, and what it must not use too often."""

    meets: np.ndarray  # bool, shape (n_demands, n_antecedents): for each demand which antecedents meet it
    first: int | None  # the antecedent of the first rule
    uses: np.ndarray  # int64, shape (n_limits, n_antecedents): how often each antecedent uses what is limited
    most: np.ndarray  # int64, shape (n_limits,): how often a list may use it
    longest: int | None  # most rules
    labels: np.ndarray  # uint8, shape (n_antecedents,): what a rule with each antecedent may predict

    @property
    def possible(self) -> Demands:
        """The same of the antecedents with which a rule may predict something, of which the first rule must be one."""
        some = self.labels > 0
        first = None if self.first is None else int(some[: self.first].sum())
        return Demands(self.meets[:, some], first, self.uses[:, some], self.most, self.longest, self.labels[some])


class _Prefix(NamedTuple):
    """What a prefix costs, also in the relaxation, its sums of the constraints, and what it has met and used."""

    cost: int
    relaxed: int
    sums: np.ndarray
    met: np.ndarray
    used: np.ndarray
    length: int


class _Asked(NamedTuple):
    """What does not change on the way: ``cost`` is that of the model, ``most`` in the relaxation less than it."""

    space: FairSpace
    demands: Demands | None
    cost: int
    most: int
    majority: bool

    def fits(self, net: np.ndarray, label: int) -> np.ndarray:
        """Whether what weighs so much more positive than negative may be predicted so."""
        return ~np.bool_(self.majority) | ((net > 0) == bool(label))

    def no_worse(self, one: _Prefix, other: _Prefix) -> bool:
        """Whether a prefix costs no more than another, and whatever completes the other one's demands completes its."""
        if one.cost > other.cost or self.demands is None:
            return one.cost <= other.cost
        room = self.demands.longest is None or one.length <= other.length
        return room and not ((one.used > other.used).any() or (one.met < other.met).any())


def meets_nothing_cheaper(
    space: FairSpace, demands: Demands | None, cost: int, majority: bool, value: Callable[[bytes], int]
) -> int:
    """Show that no list that is fair, and obeys where something is demanded, costs less.

    ``cost``: of the list that is claimed to be optimal. ``majority``: whether rules must have the label of most of what
    they capture, negative where both weigh the same. ``value``: of a packed set: a bound on its relaxed completions by
    one rule or more; the price of a rule at least. Returns how many prefixes were extended. Raises CertificateError
    when there is a cheaper list, or when the bounds cut too little.
    """
    asked = _Asked(space, demands, cost, space.scaled(cost - 1), majority)
    none = np.zeros(0 if demands is None else len(demands.meets), dtype=bool)
    unused = np.zeros(0 if demands is None else len(demands.most), dtype=np.int64)
    totals = space.wrong.sum(axis=1)
    for label in range(2):
        allowed = (demands is None or demands.first is None) and none.all() and asked.fits(space.net.sum(), label)
        if allowed and totals[label] < cost and space.is_fair(space.d.sum(axis=1) * label):
            cheaper = f"is fair and {space.better}" if demands is None else "obeys, is fair and costs less"
            raise CertificateError(f"the list without rules that predicts class {label} {cheaper}")
    return walk(
        len(space.inside),
        _Prefix(0, space.base, np.zeros(len(space.d), dtype=np.int64), none, unused, 0),
        lambda mask, key, prefixes, waiting: _Set(space, mask, key, value).extend(asked, prefixes, waiting),
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
    """A set of patterns (``mask``; ``key``: packed) that prefixes leave, with everything counted."""

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

    def extend(self, asked: _Asked, prefixes: list[_Prefix], waiting: Waiting) -> int:
        """Try every rule after every prefix; returns how many prefixes were extended."""
        demands, done = asked.demands, 0
        self.rest = self.all_wrong[:, None] - self.wrong
        self.fitting_rest = [asked.fits(self.all_net - self.net, default) for default in range(2)]
        may = [self.useful, self.useful]
        if demands is not None:
            may = [demands.labels & label > 0 for label in (NEGATIVE, POSITIVE)]
            size = self.space.inside[self.mask].sum(axis=0)
            saved = np.maximum(0, self.space.relaxed_rule - np.where(may, self.captured, 0).max(axis=0))
        may = [may[label] & asked.fits(self.net, label) for label in range(2)]
        for prefix in prefixes:
            if demands is not None:
                allowed = self._allowed(demands, asked.most, prefix, size > 0, saved)
            else:
                allowed = None if prefix.relaxed + self.bound > asked.most else self.useful
            if allowed is None:
                continue
            done += 1
            for label in range(2):
                self._try(asked, prefix, allowed & may[label], label, waiting)
        return done

    def _allowed(
        self, demands: Demands, most: int, prefix: _Prefix, captures: np.ndarray, saved: np.ndarray
    ) -> np.ndarray | None:
        """The rules that may follow a prefix, as far as what is demanded tells; None: it is cut."""
        allowed = captures & (prefix.used[:, None] + demands.uses <= demands.most[:, None]).all(axis=0)
        more = self._missing(demands, prefix, allowed, saved)
        if more is None or prefix.relaxed + max(self.bound, self.least + more) > most:
            return None
        if demands.longest is not None:
            allowed &= prefix.length < demands.longest
        if prefix.length == 0 and demands.first is not None:
            allowed &= np.arange(len(allowed)) == demands.first
        return allowed

    def _missing(self, demands: Demands, prefix: _Prefix, allowed: np.ndarray, saved: np.ndarray) -> int | None:
        """What the demands that are not met yet cost on top at least; None: they cannot be met."""
        apart = int(demands.meets.sum(axis=0).max(initial=0)) <= 1
        extra = []
        for meets in demands.meets[~prefix.met]:
            some = meets & allowed
            if not some.any():
                return None
            extra.append(int(saved[some].min()))
        needed = len(extra) if apart else min(1, len(extra))
        if demands.longest is not None and prefix.length + needed > demands.longest:
            return None
        return sum(extra) if apart else max(extra, default=0)

    def _try(self, asked: _Asked, prefix: _Prefix, allowed: np.ndarray, label: int, waiting: Waiting) -> None:
        """Lists that end with a rule of a label (without demands not the default's) after a prefix; what goes on."""
        space, demands, cost, most, _ = asked
        L = space.relaxed_rule
        tried = allowed & (prefix.relaxed + self.least + L - self.captured[label] <= most)
        spent = prefix.cost + space.per_rule + self.wrong[label]
        met = None if demands is None else prefix.met[:, None] | demands.meets
        for default in range(2) if demands is not None else (1 - label,):
            ends = tried & (spent + self.rest[default] < cost) & self.fitting_rest[default]
            if met is not None:
                ends &= met.all(axis=0)
            for a in np.flatnonzero(ends).tolist():
                after = (self.all_d - self.d[:, a]) * default
                if space.is_fair(prefix.sums + self.d[:, a] * label + after):
                    obeys = "list that obeys, is fair and costs less than the model"
                    raise CertificateError(f"there is a {obeys if demands else f'fair list that {space.better}'}")
        relaxed = prefix.relaxed + L + self.captured[1 - label]
        further = self.further if demands is None else L
        goes_on = tried & self.useful & (spent + space.per_rule < cost) & (relaxed + further <= most)
        for a in np.flatnonzero(goes_on).tolist():
            new = prefix._replace(
                cost=int(spent[a]),
                relaxed=int(relaxed[a]),
                sums=prefix.sums + self.d[:, a] * label,
                length=prefix.length + 1,
            )
            if demands is not None and met is not None:
                new = new._replace(met=met[:, a], used=prefix.used + demands.uses[:, a])
            self.enter(a, new, most, waiting, asked.no_worse)
