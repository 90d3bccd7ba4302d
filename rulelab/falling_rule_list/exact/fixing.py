"""Dropping antecedents that no better falling list has, by the joint capture bound, a bounded amount at a time."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from .. import joint_capture
from ..costs import Prepared
from ..joint_capture import BOUND, ITERATIONS, JointCapture
from .layout import patterns_of

_NEAREST = 24
_ENTRIES = 3_000_000  # of pairs and antecedents
_EVERY = 20  # iterations between two bounds
_PATIENCE = 2  # bounds that drop next to nothing and hardly get better
_BETTER = 0.02  # of what the bound lacks
_FEWER = 0.95  # of the antecedents
_FIRST = 60  # iterations that a bound takes to get good
_SHRUNK = 0.8  # of the antecedents, when the patterns are merged anew
_MOST_CELLS = 1 << 23  # patterns by antecedents
_MOST_WORDS = 1 << 28  # looked at for the nearest patterns
_MOST_BYTES = 1 << 28
_BYTES_PER_PAIR = 48
_BYTES_PER_CHOICE = 56
_EFFORT_OF_SHARE = 5


class Fixing:
    """Antecedents that some list better than the incumbent may have.

    Parameters
    ----------
    prepared : Prepared

    Attributes
    ----------
    allowed : bool array, shape (m,)
    least : int
        No list with a rule above the threshold, and an else that is not, costs less.
    useful : bool
        Whether there is more to try with another incumbent.
    stalls : bool
        Whether the last bound was hardly better than the one before.
    effort : int
        What the last iteration took, in words of sets about.
    """

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.allowed = np.ones(len(prepared.antecedents), dtype=bool)
        self.least = 0
        self.useful = len(self.allowed) > 1 and len(prepared.patterns) * len(self.allowed) <= _MOST_CELLS
        self._pairs: JointCapture | None = None
        self._built = 0
        self._idle = 0
        self.effort = 0
        self.stalls = False

    @property
    def memory_bytes(self) -> int:
        return 0 if self._pairs is None else sum(array.nbytes for array in self._pairs)

    def rest(self) -> None:
        """Forget the pairs until it goes on, maybe with a better incumbent."""
        self._pairs, self._idle = None, 0

    def iterate(self, best: int, free: int | None = None) -> bool:
        """One iteration; whether more of them are promising.

        Parameters
        ----------
        best : int
            Cost of the incumbent.
        free : int or None
            Bytes that may be taken; where they do not suffice nothing more is dropped.
        """
        self.effort = 0
        if self._pairs is None:
            self._pairs = self._pair(free)
            if self._pairs is None:
                self.useful = False
                return False
        pairs = self._pairs
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
            self._pairs = None
        elif left < kept:
            pairs.allowed[:] = self.allowed
            joint_capture.forbid(pairs)
        return self._idle < _PATIENCE

    def _pair(self, free: int | None) -> JointCapture | None:
        """Merge the patterns that the allowed antecedents do not tell apart, and pair them; None where too large."""
        data, m = self._prepared.data, len(self.allowed)
        self._built = int(self.allowed.sum())
        packed = patterns_of(self._prepared) & bits.pack(self.allowed[None, :])[0]
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
        self.effort += n_u * n_v * packed.shape[1]
        held_u, held_v = (np.ascontiguousarray(packed[side]) for side in sides)
        size_u = bits.counts(held_u)
        most = max(_NEAREST, int(_ENTRIES / (n_v * size_u.mean())))
        nearest = np.zeros((n_v, min(most, n_u)), dtype=np.int32)
        by_word = np.ascontiguousarray(held_u.T)
        joint_capture.closest(
            by_word, size_u, held_v, nearest, np.zeros(n_u, dtype=np.int64), np.zeros(256, dtype=np.int64)
        )
        v, place = np.nonzero(nearest >= 0)
        u = nearest[v, place].astype(np.int64)
        pair_start = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n_u))])
        block_start = np.concatenate([[0], np.cumsum(np.diff(pair_start) * size_u)])
        order = np.argsort(u * n_v + v)
        k = int(size_u.max())
        needed = 2 * int(block_start[-1]) + _BYTES_PER_PAIR * len(u) + _BYTES_PER_CHOICE * int(size_u.sum())
        needed += 8 * (m * k + packed.size)
        if needed > _MOST_BYTES or (free is not None and needed > free):
            return None
        other = v[order]
        matrix = bits.unpack(held_u, m)
        choice = np.nonzero(matrix)[1].astype(np.int32)
        largest = float(gains.max())
        pairs = JointCapture(
            gain=gains[sides[0]],
            loss=-gains[sides[1]],
            gain_share=(gains[sides[0]] / largest).astype(np.float32),
            loss_share=(-gains[sides[1]] / largest).astype(np.float32),
            held_u=by_word,
            held_v=held_v,
            choice_start=np.concatenate([[0], np.cumsum(size_u)]),
            choice=choice,
            pair_start=pair_start,
            other=other.astype(np.int32),
            start_of_v=np.concatenate([[0], np.cumsum(np.bincount(v, minlength=n_v))]),
            pair_of_v=np.argsort(other, kind="stable").astype(np.int32),
            block_start=block_start,
            by_pair=np.zeros(block_start[-1], dtype=np.uint8),
            by_choice=np.zeros(block_start[-1], dtype=np.uint8),
            allowed=self.allowed.copy(),
            whole=gains @ bits.unpack(packed, m) - data.per_rule,
            choice_log=np.zeros(len(choice), dtype=np.float32),
            choice_weight=np.zeros(len(choice), dtype=np.float32),
            choice_last=np.zeros(len(choice), dtype=np.float32),
            share_log=np.zeros(len(u), dtype=np.float32),
            share=np.zeros(len(u), dtype=np.float32),
            share_last=np.zeros(len(u), dtype=np.float32),
            share_sum=np.zeros(len(u), dtype=np.float32),
            start_of_rule=np.concatenate([[0], np.cumsum(np.bincount(choice, minlength=m))]),
            entry_of_rule=np.argsort(choice, kind="stable").astype(np.int32),
            rule_log=np.zeros(len(choice), dtype=np.float32),
            rule_share=np.zeros(len(choice), dtype=np.float32),
            rule_last=np.zeros(len(choice), dtype=np.float32),
            rule_sum=np.zeros(len(choice), dtype=np.float32),
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
        return pairs
