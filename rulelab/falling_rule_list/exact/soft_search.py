"""Certifiably optimal softly falling rule lists, warm-started by the optimal list that falls."""

from __future__ import annotations

from dataclasses import replace

from ... import slices
from ...kernels.jit import is_compiled
from ...rehearsal import tiny_problem
from ...stepping import solve
from ..costs import Costs
from . import kernels
from .search import FallingRuleListSearch

_LARGEST_COST = 1 << 59
MOST_HARD_WORK = 300_000  # units, after which the search goes on whether or not the best list that falls is proven
_DIFFERENCE = 2.0**-50


class SoftSearch(FallingRuleListSearch):
    """Step-wise exact search for the softly falling rule list of least loss and violations (Program 5.1).

    It first looks for the best list that falls, which costs the same as a softly falling one; after 300 000 prefixes
    without a proof it goes on with the best one found.

    Parameters
    ----------
    problem, regularization, positive_weight, violation_penalty, method
        See `FallingSearch`.
    bounds, max_length, memory_limit, random_state, iterations
        As for `FallingRuleListSearch`.

    Raises
    ------
    ValueError
        When an argument is out of range; the message says what is allowed.

    Notes
    -----
    Unlike in lists that fall, a rule at or below the threshold can be of use, as an exception to a later one. The
    penalty is rounded down to a grid; lists whose objectives differ by less than ``detail["resolution"]`` are taken as
    equally good.
    """

    _soft = True
    _hard: FallingRuleListSearch | None = None
    _kernel = staticmethod(kernels.advance_soft)

    @property
    def compiled(self) -> bool:
        return super().compiled and is_compiled(kernels.advance_soft)

    def _rehearse(self) -> None:
        solve(SoftSearch(tiny_problem(), regularization=0.0, violation_penalty=0.1, iterations=2))

    def _grid(self, costs: Costs) -> Costs:
        """A grid as fine as fits: the penalty is a multiple of nothing."""
        largest = max(
            costs.per_positive * int(costs.positives.sum()),
            costs.per_negative * int(costs.negatives.sum()),
            costs.per_rule,
        )
        scale = 1 << max(0, (_LARGEST_COST // largest).bit_length() - 1)
        return replace(
            costs,
            per_positive=costs.per_positive * scale,
            per_negative=costs.per_negative * scale,
            per_rule=costs.per_rule * scale,
            unit=costs.unit / scale,
            exactness=costs.exactness and 2 * costs.slack + costs.unit / scale,
        )

    def _begin(self) -> None:
        self._hard = FallingRuleListSearch(
            self.problem,
            self.regularization,
            self.positive_weight,
            bounds=self.bounds,
            max_length=self.max_length,
            memory_limit=self.memory_limit,
            random_state=self.random_state,
            iterations=self.iterations,
        )
        self._hard._data, self._hard._layout = self._data, self._layout  # which are the same
        self._phase = "hard optimum"

    def _advance(self, max_work: int) -> None:
        if self._phase == "preparing":
            self._prepare()
            if slices.is_large(self.problem):
                return
        if self._phase == "hard optimum":
            self._run_hard(max_work)
        else:
            super()._advance(max_work)

    def _run_hard(self, max_work: int) -> None:
        """Go on with the search for a list that falls; a call ends with it, or within one of its prefixes."""
        hard, target = self._hard, self.work + max_work
        assert hard is not None
        most = self.iterations + MOST_HARD_WORK
        while self.work < target:
            before = hard.work
            hard._advance(min(target, most) - hard.work)
            self.work = hard.work
            self._consider(hard._best.antecedents, hard._best.work)
            if hard._phase == "certified" or hard._out_of_memory or hard.work >= most:
                self._hard = None
                super()._begin()
                return
            if hard.work == before:
                return

    @property
    def memory_bytes(self) -> int:
        return super().memory_bytes + (0 if self._hard is None else self._hard.memory_bytes)

    @property
    def _resolution(self) -> float:
        return super()._resolution + self._pieces * (self._costs.unit + self._rounded)

    def _in_units(self, cost: int) -> float:
        """A lower bound in the objective's units, less by what differences of proportions may be rounded."""
        return max(0.0, super()._in_units(cost) - self._pieces * self._rounded)

    @property
    def _pieces(self) -> int:
        """Most rules of a list that is better, and the else."""
        return min(len(self._data.antecedents), self._best.cost // max(1, self._costs.per_rule)) + 1

    @property
    def _rounded(self) -> float:
        """What a piece's rise may be rounded by: two proportions, each as doubles are and by a unit for each pattern.

        A piece of patterns that are rounded to 0 alone can go: without it no other one rises further.
        """
        weights = self._costs.positives + self._costs.negatives
        some = weights[weights > 0]
        share = 0.0 if self._costs.weights_exact else 2 * (1 + len(weights) - len(some)) / int(some.min())
        assert self.violation_penalty is not None
        return 2 * self.violation_penalty * (_DIFFERENCE + min(1.0, share))
