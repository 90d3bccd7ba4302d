"""All rule lists within a gap of the optimum, counted over sets of uncaptured patterns instead of listed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels.growing import nbytes, with_room
from ...kernels.jit import is_compiled
from ...models import Model, RuleList
from ...rehearsal import tiny_problem
from ...snapshot import Snapshot
from ...stepping import solve
from ..core_pool import Cores, new_cores
from ..cores import Learner, learn
from ..counting import children_per_work
from ..exact.search import RuleListSearch
from ..near_optimal.base import NearSearch
from . import kernels, state
from .result import NearOptimalCount
from .tables import Counted, Making, States, compacted, completing

LEARN_AFTER = 200  # states: cores pay when the count is long


@dataclass(frozen=True)
class NearOptimalCountProgress(Snapshot):
    """A count at one moment: a `rulelab.results.Snapshot` of the best list, and how far the counting is.

    The status is OPTIMAL when all near-optimal lists are counted. The phase is "optimum" while the optimum is being
    certified, then, on a large table, "preparing", then "expanding" (the states are found), "counting" (the lists of
    each), and "finished".

    Attributes
    ----------
    n_lists : int
        Near-optimal lists: exactly when finished, before that a lower bound.
    states : int
        Sets of uncaptured patterns that near-optimal lists may pass through.
    optimum, threshold : float
        The optimum's objective (of the incumbent in the first phase); lists up to ``threshold`` are counted.
    """

    n_lists: int = 0
    states: int = 0
    optimum: float = math.nan
    threshold: float = math.nan


class NearOptimalCounter(NearSearch):
    """Step-wise count of all rule lists within a gap of the optimum.

    The lists are those of `rulelab.NearOptimalSearch`: sequences of antecedents each of which captures, as the rule at
    its place, some training weight; antecedents that hold for the same training rows count once. They are not listed
    but counted over the sets of patterns that their prefixes leave uncaptured, so that numbers of lists beyond all
    listing are exact. From what is counted, any list can be made: the best ones, or random ones.

    Parameters
    ----------
    search, regularization, within, ratio, max_length, memory_limit
        As of `rulelab.NearOptimalSearch`.

    Raises
    ------
    ValueError
        When an argument is out of range.

    Notes
    -----
    A state is left out only when a bound of all its completions exceeds what they may cost; the separation bound is
    used when the search uses it (`RuleListBounds.separation`). Numbers of lists are sums
    and products of words of 32 bits, as many as the number of all lists of that length needs: they cannot overflow.
    Weights that are not integers are rounded to a fine grid, as in `rulelab.NearOptimalSearch`; where hardly two lists
    cost the same then, the tables of costs become large.

    Examples
    --------
    >>> import numpy as np, rulelab as rl
    >>> A = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> counter = rl.NearOptimalCounter(rl.Problem.from_arrays(A, [1, 1, 0, 0]), 0.1, 0.1)
    >>> rl.solve(counter).n_lists
    2
    """

    kind: ClassVar[str] = "near_optimal_count"

    def __init__(
        self,
        search: RuleListSearch | Problem,
        regularization: float | None = None,
        within: float | None = None,
        *,
        ratio: float | None = None,
        max_length: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        super().__init__(search, regularization, within, ratio, max_length, memory_limit)
        self.states: States
        self._cores: Cores
        self._learner = Learner()
        self._making: Making | None = None

    @property
    def _own_compiled(self) -> bool:
        return is_compiled(kernels.advance, kernels.merge, learn)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the states and of the tables."""
        states = nbytes(self.states.store) + self._multipliers.nbytes if self.prepared else 0
        return states + (0 if self._making is None else self._making.memory_bytes)

    @property
    def n_lists(self) -> int:
        """Near-optimal lists: exactly when finished, before that a lower bound."""
        return self.result().n_lists

    @property
    def frame(self) -> pd.DataFrame:
        """The lists by their objective, best first, as in `NearOptimalCount.by_objective`; no row before the end."""
        return self.result().by_objective

    def _models(self) -> list[Model | None]:
        return [RuleList.from_problem(self.problem, antecedents) for antecedents in self.result().examples()]

    def result(self) -> NearOptimalCount:
        """What is counted."""
        counted = None
        if self.phase == "finished":
            assert self._making is not None
            known = self.costs, self.representatives, self.groups, self.slots
            counted = Counted(self.states, self._making.tables, *known)
        return NearOptimalCount(
            problem=self.problem,
            regularization=self.regularization,
            optimum=self.optimum,
            threshold=self.threshold,
            truncated=None if counted else self._stuck or self.stopped_by or "stopped",
            work=self.work,
            at_least=int(self.states.store.numbers[state.N_ENDS]) if self.prepared else 0,
            counted=counted,
        )

    def _rehearse(self) -> None:
        self.search.compile()
        small = NearOptimalCounter(tiny_problem(), 0.01, 0.1)
        small._SEPARATE_AFTER = 0
        solve(small)
        kernels.rebuild_table(small.states.store._replace(state_table=np.empty(64, dtype=np.int32)))
        small.result().importance()
        small.result().column_ranges()

    def _begin(self) -> None:
        m = len(self.representatives)
        net = np.zeros(len(self.slots), dtype=np.int64)
        placed = self.slots >= 0
        net[placed] = (self.costs.positives - self.costs.negatives)[self.slots[placed]]
        self.states = States(
            store=state.new_store(self._sets, self.limits),
            sets=self._sets,
            net=net,
            limits=self.limits,
            constant=self.constant,
            limbs=state.limbs_for(m, self.limits.max_length),
        )
        self._cores = new_cores(self._layout, room=kernels.MOST_CORES)
        self._rules = state.Rules(self.limits.per_error, self.limits.per_rule, LEARN_AFTER)
        kernels.start(self._layout, self._sets, self.limits, self.states.store, self.constant)
        self.phase = "expanding"

    def _run(self, max_work: int) -> None:
        target = self.work + max_work
        while self.phase != "finished" and self.work < target:
            outcome = self._expand(target) if self.phase == "expanding" else self._count(target)
            if outcome == kernels.GROW:
                self._stuck = "memory"
            if outcome != kernels.DONE:
                return

    def _expand(self, target: int) -> int:
        """Find states; returns the outcome."""
        while True:
            left = target - self.work
            learning = self._cores, self._learner.address or self._find_learner()
            bounding = self._multipliers.separation, self._multipliers.separator.address
            given = self._layout, self._sets, self.limits, self._rules, self.states.store, *learning, *bounding
            outcome = int(kernels.advance(*given, left, left * children_per_work(self._layout)))
            self.work = self._work_done()
            if outcome == kernels.DONE:
                return self._begin_counting()
            if outcome == kernels.SEPARATE:
                self._multipliers.find(int(self.states.store.numbers[state.WORK]), self._free)
            elif outcome != kernels.GROW or not self._grow():
                return outcome

    def _find_learner(self) -> int:
        chosen = self.states.store.sets[0, : self._sets.weighted]
        return self._learner.find(self._layout, self._rules, self._cores, chosen, 1)

    def _begin_counting(self) -> int:
        self._making = Making(self.states, completing(self.states), self.states.order[::-1])
        if self._free is not None and self._free < 0:
            self._making = None
            return kernels.GROW
        self.phase = "counting"
        return kernels.DONE

    def _count(self, target: int) -> int:
        """Make the tables of states; returns the outcome."""
        assert self._making is not None
        outcome = self._making.advance(target - self.work, lambda: self._free)
        self.work = self._work_done()
        if outcome == kernels.DONE:
            self.states, self._making.tables = compacted(self._making.states, self._making.tables)
            self._making.states, self._making.links = self.states, completing(self.states)
            self.phase = "finished"
        return outcome

    def _work_done(self) -> int:
        made = 0 if self._making is None else int(self._making.tables.numbers[state.MADE])
        return self.search.work + int(self.states.store.numbers[state.WORK]) + made

    def _grow(self) -> bool:
        """Make room for one more expansion; False when the memory limit does not allow it."""
        m = len(self.representatives)
        room = (state.STATES, m), (state.EDGES, m)
        store, enough = with_room(self.states.store, room, self._free, kernels.rebuild_table)
        self.states = self.states._replace(store=store)
        return enough

    def _snapshot(self) -> NearOptimalCountProgress:
        states = edges = expanded = 0
        if self.prepared:
            places = [state.N_STATES, state.N_EDGES, state.EXPANDED]
            states, edges, expanded = self.states.store.numbers[places].tolist()
        return NearOptimalCountProgress(
            **self._standing(),
            counts={"states": states, "rules": edges, "queued": states - expanded},
            n_lists=self.n_lists,
            states=states,
            optimum=self.optimum,
            threshold=self.threshold,
        )
