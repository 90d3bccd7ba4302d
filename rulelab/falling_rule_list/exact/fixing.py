"""Dropping antecedents that no better falling list has, by pairs of patterns of the joint capture bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...certificate import Capture, Captures
from ...kernels import bits
from .. import joint_capture
from ..costs import Prepared
from ..joint_capture import BOUND, ITERATIONS, JointCapture
from .state import patterns_of

_EVERY = 20  # iterations between two bounds
_PATIENCE = 2  # bounds that drop next to nothing and hardly get better
_BETTER = 0.02  # of what the bound lacks
_FEWER = 0.95  # of the antecedents
_FIRST = 60  # iterations that a bound takes to get good
_SHRUNK = 0.8  # of the antecedents, when the patterns are merged anew
_MOST_CELLS = 1 << 23  # patterns by antecedents
_EFFORT_OF_SHARE = 5


class Fixing:
    """Antecedents that some list better than the incumbent may have: ``allowed`` (bool, shape (m,)).

    No list with a rule above the threshold, and an else that is not, costs less than ``least``. ``useful``: there is
    more to try with another incumbent. ``is_stale``: the patterns are to be merged anew. The last iteration has dropped
    some (``has_dropped``), took so many words of sets (``effort``), or hardly improved (``stalls``).
    """

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.allowed = np.ones(len(prepared.antecedents), dtype=bool)
        self.least = 0
        self.useful = len(self.allowed) > 1 and len(prepared.patterns) * len(self.allowed) <= _MOST_CELLS
        self.pairing: Pairing | None = None
        self.is_stale = False
        self.has_dropped = False
        self._built = 0
        self._idle = 0
        self.effort = 0
        self.stalls = False

    @property
    def memory_bytes(self) -> int:
        return 0 if self.pairing is None else sum(array.nbytes for array in self.pairing.pairs)

    def rest(self) -> None:
        """Forget the pairs until it goes on, maybe with a better incumbent."""
        self.pairing, self._idle = None, 0

    def go_on_with(self, allowed: np.ndarray) -> None:
        """Go on with these antecedents, whatever was dropped."""
        self.allowed[:] = allowed
        self.is_stale = True
        self.useful = bool(allowed.any())

    def iterate(self, best: int, free: int | None = None) -> bool:
        """One iteration; whether more of them are promising. ``best``: cost of the incumbent. ``free``: bytes."""
        self.effort, self.has_dropped = 0, False
        if self.pairing is None or self.is_stale:
            self._built, self.is_stale = int(self.allowed.sum()), False
            self.pairing = pair(self._prepared, self.allowed, self.pairing, free)
            if self.pairing is None:
                self.useful = False
                return False
            self.effort += self.pairing.effort
        pairs = self.pairing.pairs
        joint_capture.iterate(pairs)
        self.effort += len(pairs.by_pair) + _EFFORT_OF_SHARE * len(pairs.share)
        done = int(pairs.numbers[ITERATIONS])
        if done % _EVERY:
            return True
        promising = self._drop(pairs, best)
        parts = done // _EVERY
        if not parts & (parts - 1):  # the mean is of the later half
            pairs.share_sum[:] = pairs.rule_sum[:] = 0.0
        return promising

    def _drop(self, pairs: JointCapture, best: int) -> bool:
        data = self._prepared.data
        joint_capture.bound(pairs)
        everything = data.per_positive * int(data.positives.sum())
        before, kept = self.least, int(self.allowed.sum())
        self.least = max(before, everything - int(pairs.numbers[BOUND]))
        self.allowed &= everything - pairs.value < best
        left = int(self.allowed.sum())
        self.has_dropped = left < kept
        if left == 0 or self.least >= best:
            self.allowed[:] = False
            self.useful = False
            return False
        progress = (self.least - before) > _BETTER * (best - before)
        self.stalls = not progress and left > _FEWER * kept
        if not self.stalls or pairs.numbers[ITERATIONS] <= _FIRST:
            self._idle = 0
        else:
            self._idle += 1
        if left < _SHRUNK * self._built:
            self.is_stale = True
        elif left < kept:
            pairs.allowed[:] = self.allowed
            joint_capture.forbid(pairs)
        return self._idle < _PATIENCE


_FUTILE = 3  # multipliers that drop nothing, once they are rounded


def captures(prepared: Prepared, best: int) -> Captures:
    """Multipliers that drop antecedents which no list below this cost has; it goes on with those that are sent."""
    fixing, more, known, idle = Fixing(prepared), True, len(prepared.antecedents), 0
    while more and fixing.useful and idle < _FUTILE:
        more = fixing.iterate(best)
        if fixing.has_dropped and fixing.pairing is not None:
            left = yield _capture(prepared, fixing.pairing)
            allowed = np.isin(prepared.antecedents, left)
            idle = 0 if allowed.sum() < known else idle + 1
            known = int(allowed.sum())
            fixing.go_on_with(allowed)


def _capture(prepared: Prepared, pairing: Pairing) -> Capture:
    pairs, antecedents = pairing.pairs, prepared.antecedents
    some, rules = pairs.multiplier > 0, pairs.rule_multiplier > 0
    u, v = prepared.patterns[pairing.first_u], prepared.patterns[pairing.first_v]
    x, y = (each[each > 0].astype(float) for each in (pairs.multiplier, pairs.rule_multiplier))
    return Capture(
        pairs=(np.repeat(u, np.diff(pairs.pair_start))[some], v[pairs.other[some]], x),
        rules=(np.repeat(u, np.diff(pairs.choice_start))[rules], antecedents[pairs.choice[rules]], y),
    )


_NEAREST = 24
_ENTRIES = 2_000_000  # of pairs and antecedents
_MOST_WORDS = 1 << 28  # looked at for the nearest patterns
_MOST_BYTES = 1 << 28
_BYTES_PER_PAIR = 48
_BYTES_PER_CHOICE = 56
_SMALLEST = 1e-3  # of the shares of a pattern, that are taken over
_REST = 0.05  # of a pattern's loss, over all of its pairs


class Pairing(NamedTuple):
    """Pairs, and which patterns they are made of."""

    pairs: JointCapture
    # first_u, first_v (int64): a pattern, among those prepared, of each u and of each v
    first_u: np.ndarray
    first_v: np.ndarray
    effort: int  # what it took to make them, in words of sets about


class Summed(NamedTuple):
    """Multipliers of pairs, summed over the patterns that are merged, by places among them."""

    u: np.ndarray
    v: np.ndarray
    multiplier: np.ndarray


def pair(prepared: Prepared, allowed: np.ndarray, before: Pairing | None, free: int | None) -> Pairing | None:
    """Merge the patterns that the allowed antecedents do not tell apart, and pair them, beginning with those before."""
    data, m = prepared.data, len(allowed)
    packed = patterns_of(prepared) & bits.pack(allowed[None, :])[0]
    group, first = bits.group_equal_rows(packed)
    n = len(group)
    gains = np.zeros(len(first), dtype=np.int64)
    np.add.at(gains, group, data.per_positive * data.positives[:n] - data.per_negative * data.negatives[:n])
    packed = packed[first]
    some = bits.counts(packed) > 0
    sides = [np.flatnonzero(some & (gains > 0)), np.flatnonzero(some & (gains < 0))]
    n_u, n_v = (len(side) for side in sides)
    if min(n_u, n_v) == 0 or n_u * n_v * packed.shape[1] > _MOST_WORDS:
        return None
    held_u, held_v = (np.ascontiguousarray(packed[side]) for side in sides)
    size_u = bits.counts(held_u)
    most = max(_NEAREST, int(_ENTRIES / (n_v * size_u.mean())))
    nearest = np.zeros((n_v, min(most, n_u)), dtype=np.int32)
    by_word = np.ascontiguousarray(held_u.T)
    joint_capture.closest(
        by_word, size_u, held_v, nearest, np.zeros(n_u, dtype=np.int64), np.zeros(256, dtype=np.int64)
    )
    v, place = np.nonzero(nearest >= 0)
    key = nearest[v, place].astype(np.int64) * n_v + v
    places = np.full((2, len(first)), -1, dtype=np.int64)
    places[0, sides[0]], places[1, sides[1]] = np.arange(n_u), np.arange(n_v)
    loss = -gains[sides[1]]
    start = None
    if before is not None:
        start = _merged(before, places[0, group], places[1, group])
        start = Summed(*(each[start.multiplier > _SMALLEST * loss[start.v]] for each in start))
        key = np.concatenate([key, start.u * n_v + start.v])
    key = np.unique(key)
    u, v = key // n_v, key % n_v
    pair_start = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n_u))])
    block_start = np.concatenate([[0], np.cumsum(np.diff(pair_start) * size_u)])
    k = int(size_u.max())
    needed = 2 * int(block_start[-1]) + _BYTES_PER_PAIR * len(u) + _BYTES_PER_CHOICE * int(size_u.sum())
    needed += 8 * (m * k + packed.size)
    if needed > _MOST_BYTES or (free is not None and needed > free):
        return None
    choice = np.nonzero(bits.unpack(held_u, m))[1].astype(np.int32)
    largest = float(gains.max())
    of_choices = ("choice_log", "choice_weight", "choice_last", "rule_log", "rule_share", "rule_last", "rule_sum")
    pairs = JointCapture(
        **{name: np.zeros(len(choice), dtype=np.float32) for name in of_choices},
        **{name: np.zeros(len(u), dtype=np.float32) for name in ("share_log", "share", "share_last", "share_sum")},
        gain=gains[sides[0]],
        loss=loss,
        gain_share=(gains[sides[0]] / largest).astype(np.float32),
        loss_share=(loss / largest).astype(np.float32),
        held_u=by_word,
        held_v=held_v,
        choice_start=np.concatenate([[0], np.cumsum(size_u)]),
        choice=choice,
        pair_start=pair_start,
        other=v.astype(np.int32),
        start_of_v=np.concatenate([[0], np.cumsum(np.bincount(v, minlength=n_v))]),
        pair_of_v=np.argsort(v, kind="stable").astype(np.int32),
        block_start=block_start,
        by_pair=np.zeros(block_start[-1], dtype=np.uint8),
        by_choice=np.zeros(block_start[-1], dtype=np.uint8),
        allowed=allowed.copy(),
        whole=gains @ bits.unpack(packed, m) - data.per_rule,
        start_of_rule=np.concatenate([[0], np.cumsum(np.bincount(choice, minlength=m))]),
        entry_of_rule=np.argsort(choice, kind="stable").astype(np.int32),
        rule_multiplier=np.zeros(len(choice), dtype=np.int64),
        rule=np.full(m, data.per_rule, dtype=np.int64),
        rule_part=np.full(m, data.per_rule / largest, dtype=np.float32),
        multiplier=np.zeros(len(u), dtype=np.int64),
        value=np.zeros(m, dtype=np.int64),
        sums=np.zeros(max(k, int(np.diff(pair_start).max())), dtype=np.float32),
        totals=np.zeros(k, dtype=np.int64),
        shared=np.zeros((m, k), dtype=np.int64),
        touched=np.zeros(m, dtype=np.uint8),
        numbers=np.zeros(2, dtype=np.int64),
    )
    joint_capture.fill_blocks(pairs)
    if before is not None and start is not None:
        _begin(pairs, key, start, before, places[0, group])
    effort = n_u * n_v * packed.shape[1]
    return Pairing(pairs, first[sides[0]], first[sides[1]], effort)


def _merged(before: Pairing, place_u: np.ndarray, place_v: np.ndarray) -> Summed:
    """The former multipliers by the new places of the patterns."""
    pairs = before.pairs
    u = np.repeat(place_u[before.first_u], np.diff(pairs.pair_start))
    v = place_v[before.first_v][pairs.other]
    kept = (u >= 0) & (v >= 0) & (pairs.multiplier > 0)
    n_v = int(place_v.max()) + 1
    key, at = np.unique(u[kept] * n_v + v[kept], return_inverse=True)
    multiplier = np.zeros(len(key), dtype=np.int64)
    np.add.at(multiplier, at, pairs.multiplier[kept])
    return Summed(key // n_v, key % n_v, multiplier)


def _begin(pairs: JointCapture, key: np.ndarray, start: Summed, before: Pairing, place_u: np.ndarray) -> None:
    """Begin the iteration where the former pairs ended."""
    n_v, m = len(pairs.loss), len(pairs.allowed)
    part = np.zeros(len(key))
    part[np.searchsorted(key, start.u * n_v + start.v)] = start.multiplier / pairs.loss[start.v]
    rest = _REST / np.maximum(np.diff(pairs.start_of_v), 1)
    pairs.share_log[:] = np.log(part + rest[pairs.other])
    old = before.pairs
    u = np.repeat(place_u[before.first_u], np.diff(old.choice_start))
    gain = np.repeat(old.gain_share, np.diff(old.choice_start)).astype(float)
    kept = (u >= 0) & pairs.allowed[old.choice]
    at = u[kept] * m + old.choice[kept]
    of = np.repeat(np.arange(len(pairs.gain)), np.diff(pairs.choice_start)) * m + pairs.choice
    places = np.searchsorted(of, at)
    weight = np.bincount(places, (old.choice_weight * gain)[kept], len(of))
    gains = np.bincount(places, gain[kept], len(of))
    mean: np.ndarray = weight / np.maximum(gains, 1e-30)
    sums = np.add.reduceat(mean, pairs.choice_start[:-1])
    none = np.repeat(np.maximum(1 - sums, 0), np.diff(pairs.choice_start))
    pairs.choice_log[:] = np.log((mean + _REST / 10) / (none + _REST / 10))
    if pairs.rule[0] > 0:
        share = np.bincount(places, old.rule_multiplier[kept].astype(float), len(of)) / pairs.rule[pairs.choice]
        rest = _REST / np.maximum(np.diff(pairs.start_of_rule), 1)
        pairs.rule_log[:] = np.log(share + rest[pairs.choice])
