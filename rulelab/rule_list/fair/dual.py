"""Finding the multipliers of the relaxation, and fair lists on the way: beams as the oracle of cutting planes."""

from __future__ import annotations

import numpy as np

from ...data.rate_constraints import Constraints
from ...kernels.growing import nbytes
from . import beam as beams
from . import state
from .gap import GapDual
from .relaxation import FIRST_RATE, Dual, Reduced, Relaxed, relaxed, scaled

_WIDTH = 100
_ITERATIONS = 30
_NEAR = 1e-4  # of a rule's cost: how far the multipliers of least cost may be from the best
_AROUND = (1.0, 1.15, 0.85)


class Multipliers:
    """One beam after another until the multipliers are good, then wide beams around them.

    ``best``: the multipliers of the largest bound, as far as the beams can tell, ``value`` their least relaxed cost,
    which is no proof, ``worth`` what that bounds: the cost, or the gap.
    """

    def __init__(
        self,
        problem: Reduced,
        constraints: Constraints,
        rules: state.Rules,
        width: int,
        best: int,
        dual: Dual | GapDual | None = None,
    ) -> None:
        self._problem, self._constraints, self._rules, self._width = problem, constraints, rules, width
        size = np.maximum(np.abs(problem.amounts[FIRST_RATE:]).sum(axis=1).astype(float), 1.0)
        ends = constraints.low.astype(float), constraints.high.astype(float)
        near = _NEAR * rules.relaxed_rule * 2.0**-rules.shift
        self._dual = dual or Dual(float(problem.amounts[:FIRST_RATE].sum()), size, *ends, near)
        for label in range(2):
            sums = problem.amounts[FIRST_RATE:].sum(axis=1) * label
            self._dual.add(float(problem.amounts[label].sum()), sums.astype(float))
        self.best = np.zeros(len(size))
        self.value, self.worth = -state.UNKNOWN, -np.inf
        self.done = not len(problem.antecedents)
        self._iteration, self._final = 0, 0
        self._now = self.best
        self.store: state.Store
        self._begin(best)

    def _begin(self, best: int) -> None:
        """A new beam at the present multipliers."""
        problem, constraints, rules = self._problem, self._constraints, self._rules
        relaxation = relaxed(problem, constraints.low, constraints.high, self._now, rules.shift)
        self._data = state.data_of(problem, relaxation, constraints, rules.relaxed_rule)
        self._base, self._ends = relaxation.base, (constraints.low.astype(float), constraints.high.astype(float))
        if not self._iteration and not self._final:
            self.store = state.new_store(self._data, 0, best)
            self.store.numbers[state.THRESHOLD] = state.UNKNOWN
        self._stop = self._base + int(min(relaxation.wrong.sum(axis=1)))
        most = scaled(int(self.store.numbers[state.BEST]), rules.shift)
        longest = longest_of(most, self._base, rules, len(problem.antecedents))
        width = max(1, self._width if self._final else min(_WIDTH, self._width))
        self._beam = beams.new_beam(self._data, width, longest, self._base)

    def tighten(self, constraints: Constraints) -> None:
        """From now on look for lists that meet these constraints, whose rows are the same."""
        self._constraints = constraints
        self._data.outside[:] = constraints.low, constraints.high

    def advance(self, effort: int) -> bool:
        """Go on with the present beam; whether it has ended. Then the next one begins."""
        rules = self._rules
        if not beams.advance(self._data, rules, self.store, self._beam, effort):
            return False
        met = self._beam.met_value < state.UNKNOWN
        value = min(self._stop, int(self._beam.met_value.min()))
        for cost, sums in zip(self._beam.met_cost[met], self._beam.met_sums[met], strict=True):
            self._dual.add(float(cost), sums.astype(float))
        if self._final:
            self._final += 1
        else:
            worth = self._dual.worth(value * 2.0**-rules.shift, self._now, *self._ends)
            if worth > self.worth:
                self.best, self.value, self.worth = self._now, value, worth
            self._iteration += 1
            self._now, most = self._dual.best() if len(self.best) else (self.best, 0.0)
            if not len(self.best) or self._iteration == _ITERATIONS or most <= self.worth + self._dual.near:
                self._final = 1
        if self._final > (len(_AROUND) if len(self.best) else 1):
            self.done = True
            return True
        if self._final:
            self._now = self.best * _AROUND[self._final - 1]
        self._begin(int(self.store.numbers[state.BEST]))
        return True

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return nbytes(self.store, self._beam)


def longest_of(most: int, base: int, rules: state.Rules, m: int) -> int:
    """Most rules of a list whose relaxed cost is at most this."""
    return max(0, min(m, (most - base) // max(1, rules.relaxed_rule)))


def arranged(
    problem: Reduced, constraints: Constraints, rules: state.Rules, multipliers: np.ndarray
) -> tuple[Reduced, state.Data, Relaxed]:
    """The problem with its supported antecedents first, for the kernels, at the multipliers."""
    first = relaxed(problem, constraints.low, constraints.high, multipliers, rules.shift)
    ordered = problem.only(np.argsort(-state.support(problem, first), kind="stable"))
    relaxation = relaxed(ordered, constraints.low, constraints.high, multipliers, rules.shift)
    return ordered, state.data_of(ordered, relaxation, constraints, rules.relaxed_rule), relaxation
