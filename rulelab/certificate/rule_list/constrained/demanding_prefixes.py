"""Going through all prefixes of lists that obey, and are fair where they have to be: none on the way may cost less.

A list costs no less than it does in the relaxation: its prefix, and what completing the rest costs without demands, the
default alone or the table's value of one rule or more. A rule that meets a demand gets no more right in the relaxation
than it captures of the rest, and a list costs what it would without the rule, the price of the rule, less what it gets
right. A rule may capture all that is left, or predict what the default does, where that is what meets a demand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....data.directions import NEGATIVE, POSITIVE
from ...certificate import CertificateError
from .prefixes import LeftSet, Waiting, walk
from .space import FairSpace


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
    demands: Demands
    cost: int
    most: int
    majority: bool

    def no_worse(self, one: _Prefix, other: _Prefix) -> bool:
        """Whether a prefix costs no more than another, and whatever completes the other one's demands completes its."""
        room = self.demands.longest is None or one.length <= other.length
        return one.cost <= other.cost and room and not ((one.used > other.used).any() or (one.met < other.met).any())


def meets_nothing_cheaper(
    space: FairSpace, demands: Demands, cost: int, majority: bool, value: Callable[[bytes], int]
) -> int:
    """Show that no list that obeys, and is fair, costs less; returns how many prefixes were extended.

    Raises CertificateError when there is a cheaper list that is fair and obeys, or when the bounds cut too little.
    ``cost``, ``majority`` and ``value`` are those of `rulelab.certificate.rule_list.constrained.prefixes`.
    """
    asked = _Asked(space, demands, cost, space.scaled(cost - 1), majority)
    none = np.zeros(len(demands.meets), dtype=bool)
    start = _Prefix(0, space.base, np.zeros(len(space.d), dtype=np.int64), none, np.zeros_like(demands.most), 0)
    totals = space.wrong.sum(axis=1)
    for label in range(2):
        allowed = demands.first is None and none.all() and _fits(asked, space.net.sum(), label)
        if allowed and totals[label] < cost and space.is_fair(space.d.sum(axis=1) * label):
            raise CertificateError(f"the list without rules that predicts class {label} obeys, is fair and costs less")
    return walk(
        len(space.inside),
        start,
        lambda mask, key, prefixes, waiting: _Set(space, mask, key, value).extend(asked, prefixes, waiting),
    )


def _fits(asked: _Asked, net: np.ndarray, label: int) -> np.ndarray:
    """Whether what weighs so much more positive than negative may be predicted so."""
    return ~np.bool_(asked.majority) | ((net > 0) == bool(label))


class _Set(LeftSet):
    """A set of patterns that prefixes leave, and how these go on."""

    def extend(self, asked: _Asked, prefixes: list[_Prefix], waiting: Waiting) -> int:
        """Try every rule after every prefix; returns how many prefixes were extended."""
        demands, L, done = asked.demands, self.space.relaxed_rule, 0
        size = self.space.inside[self.mask].sum(axis=0)
        may = [demands.labels & label > 0 for label in (NEGATIVE, POSITIVE)]
        saved = np.maximum(0, L - np.where(may, self.captured, 0).max(axis=0))
        for prefix in prefixes:
            allowed = (size > 0) & (prefix.used[:, None] + demands.uses <= demands.most[:, None]).all(axis=0)
            more = self._missing(demands, prefix, allowed, saved)
            if more is None or prefix.relaxed + max(self.bound, self.least + more) > asked.most:
                continue
            if demands.longest is not None:
                allowed &= prefix.length < demands.longest
            if prefix.length == 0 and demands.first is not None:
                allowed &= np.arange(len(allowed)) == demands.first
            done += 1
            for label in range(2):
                self._try(asked, prefix, allowed & may[label] & _fits(asked, self.net, label), label, waiting)
        return done

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
        """Every rule of a label that may follow a prefix: lists that end with it, and what goes on."""
        space, demands, cost, most, _ = asked
        L = space.relaxed_rule
        tried = allowed & (prefix.relaxed + self.least + L - self.captured[label] <= most)
        spent = prefix.cost + space.per_rule + self.wrong[label]
        rest = self.all_wrong[:, None] - self.wrong
        met = prefix.met[:, None] | demands.meets
        added = self.d if label else np.zeros_like(self.d)
        for default in range(2):
            ends = tried & met.all(axis=0) & (spent + rest[default] < cost)
            ends &= _fits(asked, self.all_net - self.net, default)
            for a in np.flatnonzero(ends):
                after = (self.all_d - self.d[:, a]) * default
                if space.is_fair(prefix.sums + added[:, a] + after):
                    raise CertificateError("there is a list that obeys, is fair and costs less than the model")
        relaxed = prefix.relaxed + L + self.captured[1 - label]
        goes_on = tried & self.useful & (spent + space.per_rule < cost) & (relaxed + L <= most)
        for a in np.flatnonzero(goes_on):
            new = _Prefix(
                cost=int(spent[a]),
                relaxed=int(relaxed[a]),
                sums=prefix.sums + added[:, a],
                met=met[:, a],
                used=prefix.used + demands.uses[:, a],
                length=prefix.length + 1,
            )
            self.enter(int(a), new, most, waiting, asked.no_worse)
