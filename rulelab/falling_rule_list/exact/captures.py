"""The multipliers of the joint capture bound, for a proof: found anew for the cost that is to be proven."""

from __future__ import annotations

import numpy as np

from ...certificate import Capture, Captures
from ..costs import Prepared
from .fixing import Fixing
from .pairing import Pairing

_PATIENCE = 3  # multipliers that drop nothing, once they are rounded


def captures(prepared: Prepared, best: int) -> Captures:
    """Multipliers that drop antecedents which no list below this cost has; it goes on with those that are sent."""
    fixing, more, known, idle = Fixing(prepared), True, len(prepared.antecedents), 0
    while more and fixing.useful and idle < _PATIENCE:
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
