"""Going through all prefixes that a table of bounds does not cut: no list on the way may obey and cost less.

A list costs its prefix, what every list gets wrong of the rest, and what completing the rest costs without demands: the
default alone, or the table's value of one rule or more. A rule that meets a demand gets no more right than it captures
of the rest, and a list costs what it would without the rule, the price of the rule, less what it gets right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....data.directions import NEGATIVE, POSITIVE
from ...certificate import CertificateError
from .space import FairSpace

_NEVER = 1 << 61
_MOST = 2_000_000
"""Prefixes that are looked at before a proof is refused."""


class Demands(NamedTuple):
    """What a list must use, and what it must not use too often.

    Attributes
    ----------
    meets : bool array, shape (n_demands, n_antecedents)
        For each demand which antecedents meet it.
    first : int or None
        The antecedent of the first rule.
    uses : int64 array, shape (n_limits, n_antecedents)
        How often each antecedent uses what is limited.
    most : int64 array, shape (n_limits,)
        How often a list may use it.
    longest : int or None
        Most rules.
    labels : uint8 array, shape (n_antecedents,)
        What a rule with each antecedent may predict.
    """

    meets: np.ndarray
    first: int | None
    uses: np.ndarray
    most: np.ndarray
    longest: int | None
    labels: np.ndarray

    @property
    def possible(self) -> Demands:
        """The same of the antecedents with which a rule may predict something, of which the first rule must be one."""
        some = self.labels > 0
        first = None if self.first is None else int(some[: self.first].sum())
        return Demands(self.meets[:, some], first, self.uses[:, some], self.most, self.longest, self.labels[some])

    def of_labels(self, amounts: np.ndarray) -> np.ndarray:
        """Amounts of predicting negative, and positive, with each antecedent; too much where it may not."""
        never = [self.labels & label == 0 for label in (NEGATIVE, POSITIVE)]
        return np.where(never, _NEVER, amounts)


class _Prefix(NamedTuple):
    """What a prefix costs, which demands it meets, what it uses how often, and its number of rules."""

    cost: int
    met: np.ndarray
    used: np.ndarray
    length: int


def meets_nothing_cheaper(space: FairSpace, demands: Demands, cost: int, value: Callable[[bytes], int]) -> int:
    """Show that no list that obeys costs less; returns how many prefixes were extended.

    Parameters
    ----------
    space : FairSpace
        Without constraints.
    demands : Demands
    cost : int
        Of the list that is claimed to be optimal.
    value : callable
        Of a packed set: a bound on completions by one rule or more; the price of a rule at least.

    Raises
    ------
    CertificateError
        When there is a cheaper list that obeys, or when the bounds cut too little.
    """
    n = len(space.inside)
    waiting: dict[int, dict[bytes, list[_Prefix]]] = {size: {} for size in range(n + 1)}
    everything = np.ones(n, dtype=bool)
    none = _Prefix(0, np.zeros(len(demands.meets), dtype=bool), np.zeros_like(demands.most), 0)
    if demands.first is None:
        if none.met.all() and space.wrong.sum(axis=1).min() < cost:
            raise CertificateError("the list without rules obeys and costs less than the model")
        waiting[n][np.packbits(everything).tobytes()] = [none]
    else:
        hit = space.inside[:, demands.first].astype(bool)
        in_first = demands.of_labels(space.wrong[:, hit].sum(axis=1)[:, None])[:, demands.first]
        spent = space.per_rule + int(in_first.min())
        start = _Prefix(spent, demands.meets[:, demands.first], demands.uses[:, demands.first], 1)
        if start.met.all() and spent + int(space.wrong[:, ~hit].sum(axis=1).min()) < cost:
            raise CertificateError("the list of the first rule alone obeys and costs less than the model")
        waiting[int((~hit).sum())][np.packbits(~hit).tobytes()] = [start]
    extended = 0
    for size in range(n, 0, -1):
        for key, prefixes in waiting.pop(size).items():
            extended += _extend(space, demands, key, prefixes, cost, value, waiting)
            if extended > _MOST:
                raise CertificateError(f"the table leaves more than {_MOST} prefixes to look at")
    return extended


def _extend(
    space: FairSpace,
    demands: Demands,
    key: bytes,
    prefixes: list[_Prefix],
    cost: int,
    value: Callable[[bytes], int],
    waiting: dict[int, dict[bytes, list[_Prefix]]],
) -> int:
    """Try every rule after the prefixes that leave a set; returns how many were extended."""
    mask, L = np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=len(space.inside)).astype(bool), space.per_rule
    inside = space.inside[mask].astype(np.int64)
    wrong, weight = space.wrong[:, mask], space.weight[:, mask]
    size, in_rule, right = inside.sum(axis=0), wrong @ inside, weight @ inside
    avoidable, inevitable = weight.sum(axis=1), int(wrong.min(axis=0).sum())
    after = (wrong.sum(axis=1)[:, None] - in_rule).min(axis=0)  # what stopping after each rule gets wrong
    unavoided = inevitable - wrong.min(axis=0) @ inside
    saved = np.maximum(0, L + demands.of_labels(-right).min(axis=0))
    apart, least, done = int(demands.meets.sum(axis=0).max(initial=0)) <= 1, None, 0
    for prefix in prefixes:
        allowed = (size > 0) & (prefix.used[:, None] + demands.uses <= demands.most[:, None]).all(axis=0)
        if demands.longest is not None:
            allowed &= prefix.length < demands.longest
        extra = [0]
        for meets in demands.meets[~prefix.met]:
            some = meets & allowed
            extra.append(int(saved[some].min()) if some.any() else cost)
        more = sum(extra) if apart else max(extra)
        needed = len(extra) - 1 if apart else min(1, len(extra) - 1)
        if demands.longest is not None and prefix.length + needed > demands.longest:
            continue
        if least is None:
            least = min(int(avoidable.min()), value(key))
        below = prefix.cost + inevitable + least
        if below + more >= cost:
            continue
        done += 1
        spent = prefix.cost + L + demands.of_labels(in_rule).min(axis=0)
        met = prefix.met[:, None] | demands.meets
        if (allowed & met.all(axis=0) & (spent + after < cost)).any():
            raise CertificateError("there is a list that obeys and costs less than the model")
        stop = after - unavoided
        goes_on = allowed & (spent + unavoided + np.minimum(stop, L) < cost) & (below + saved < cost)
        for a in np.flatnonzero(goes_on):
            child = mask & ~space.inside[:, a].astype(bool)
            others = waiting[int(child.sum())].setdefault(np.packbits(child).tobytes(), [])
            new = _Prefix(int(spent[a]), met[:, a], prefix.used + demands.uses[:, a], prefix.length + 1)
            if not any(_outdoes(one, new, demands) for one in others):
                others[:] = [one for one in others if not _outdoes(new, one, demands)] + [new]
    return done


def _outdoes(one: _Prefix, other: _Prefix, demands: Demands) -> bool:
    """Whether a prefix costs no more than another, meets all that the other one meets, and leaves as much room."""
    room = (one.used <= other.used).all() and (demands.longest is None or one.length <= other.length)
    return one.cost <= other.cost and bool((one.met >= other.met).all() and room)
