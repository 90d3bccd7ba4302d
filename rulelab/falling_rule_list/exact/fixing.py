"""Dropping antecedents that no better falling list has, by the joint capture bound, for a search or in a proof."""

from __future__ import annotations

import numpy as np

from ...certificate import Capture, Captures
from .. import joint_capture
from ..costs import Prepared
from ..joint_capture import BOUND, ITERATIONS, JointCapture
from .pairing import Pairing, pair

_EVERY = 20  # iterations between two bounds
_PATIENCE = 2  # bounds that drop next to nothing and hardly get better
_BETTER = 0.02  # of what the bound lacks
_FEWER = 0.95  # of the antecedents
_FIRST = 60  # iterations that a bound takes to get good
_SHRUNK = 0.8  # of the antecedents, when the patterns are merged anew
_MOST_CELLS = 1 << 23  # patterns by antecedents
_EFFORT_OF_SHARE = 5


class Fixing:
    """Antecedents that some list better than the incumbent may have.

    Attributes
    ----------
    allowed : bool array, shape (m,)
    least : int
        No list with a rule above the threshold, and an else that is not, costs less.
    useful : bool
        Whether there is more to try with another incumbent.
    is_stale : bool
        Whether so many antecedents were dropped that the patterns are merged anew.
    has_dropped : bool
        Whether the last iteration dropped antecedents.
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
        self._pairing: Pairing | None = None
        self.is_stale = False
        self.has_dropped = False
        self._built = 0
        self._idle = 0
        self.effort = 0
        self.stalls = False

    @property
    def pairing(self) -> Pairing | None:
        """The pairs with their last multipliers."""
        return self._pairing

    @property
    def memory_bytes(self) -> int:
        return 0 if self._pairing is None else sum(array.nbytes for array in self._pairing.pairs)

    def rest(self) -> None:
        """Forget the pairs until it goes on, maybe with a better incumbent."""
        self._pairing, self._idle = None, 0

    def go_on_with(self, allowed: np.ndarray) -> None:
        """Go on with these antecedents, whatever was dropped."""
        self.allowed[:] = allowed
        self.is_stale = True
        self.useful = bool(allowed.any())

    def iterate(self, best: int, free: int | None = None) -> bool:
        """One iteration; whether more of them are promising.

        ``best``: cost of the incumbent. ``free``: bytes that may be taken; where they do not suffice nothing more is
        dropped.
        """
        self.effort, self.has_dropped = 0, False
        if self._pairing is None or self.is_stale:
            self._built, self.is_stale = int(self.allowed.sum()), False
            self._pairing = pair(self._prepared, self.allowed, self._pairing, free)
            if self._pairing is None:
                self.useful = False
                return False
            self.effort += self._pairing.effort
        pairs = self._pairing.pairs
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
    pairs = pairing.pairs
    of = np.full((2, int(prepared.patterns.max()) + 1), -1, dtype=np.int64)
    of[0, prepared.patterns], of[1, prepared.patterns] = pairing.u_of, pairing.v_of
    some, rules = pairs.multiplier > 0, pairs.rule_multiplier > 0
    u = np.arange(len(pairs.gain))
    return Capture(
        u_of=of[0],
        v_of=of[1],
        pair_u=np.repeat(u, np.diff(pairs.pair_start))[some],
        pair_v=pairs.other[some].astype(np.int64),
        pair_x=pairs.multiplier[some].astype(float),
        rule_u=np.repeat(u, np.diff(pairs.choice_start))[rules],
        rule_antecedent=prepared.antecedents[pairs.choice[rules]],
        rule_y=pairs.rule_multiplier[rules].astype(float),
    )
