"""All rule lists within a gap of the optimum: counted, grouped by what they predict, and enumerated best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arguments import ParameterError, is_whole
from ...data.problem import Problem
from ...kernels.growing import nbytes, with_room
from ...kernels.jit import is_compiled
from ...near_models import NearEnumeration, NearProgress
from ...rehearsal import tiny_problem
from ...stepping import solve
from ..counting import children_per_work
from ..exact.search import RuleListSearch
from . import kernels, state
from .base import NearSearch
from .prefix_graph import PrefixGraph, prefix_graph
from .summary import NearOptimal, summarise

_MOST_MODELS = 1 << 62


@dataclass(frozen=True)
class NearOptimalProgress(NearProgress):
    """An enumeration at one moment: a `rulelab.results.Snapshot` of the best list, and how far the others are found.

    The status is OPTIMAL when all near-optimal lists are found. The phase is "optimum" while the optimum is being
    certified, then, on a large table, "preparing", then "enumerating", then "finished".

    Attributes
    ----------
    count : int
        Different classifiers so far.
    states : int
        Partial classifiers stored.
    optimum, covered, threshold : float
        The optimum's objective (of the incumbent in the first phase); every list with an objective below ``covered``
        has been found; lists up to ``threshold`` are looked for.
    """

    states: int = 0


class NearOptimalSearch(NearSearch, NearEnumeration):
    """Step-wise enumeration of all rule lists within a gap of the optimum, best first.

    A list here is a sequence of antecedents each of which captures, as the rule at its place, some training weight;
    antecedents that hold for the same training rows count once, as the first of them (the others are its aliases).
    Lists that predict the same for every training pattern are one *model*: orders that make no difference and rules
    that change nothing are grouped, and the model is shown by its cheapest list.

    Parameters
    ----------
    search : RuleListSearch or Problem
        A search is advanced to its end first when it has not certified the optimum.
    regularization : float, optional
        With a problem: the cost of one rule.
    within : float, optional
        Lists with an objective at most the optimum's + ``within`` are near-optimal; or
    ratio : float, optional
        at most the optimum's * (1 + ``ratio``). Give one of the two, or neither: then it is within 0.01.
    limit : int
        Most models to find.
    max_length : int, optional
        With a problem: most rules in a list.
    memory_limit : int, optional
        Bytes that the enumeration may take.

    Raises
    ------
    ValueError
        When an argument is out of range.

    Notes
    -----
    A prefix is cut only when a bound of all its completions exceeds the threshold. Nothing is presolved but equal
    antecedents, and support bounds, dominance and the choice of one prefix per captured set, valid for one optimum,
    are not used: they would lose lists. The separation bound is used when the search uses it
    (`RuleListBounds.separation`), the others always. Weights that are not integers are rounded to a fine grid, and
    lists are included up to its resolution above the threshold; where classes tie, rounding may decide the label.
    """

    kind: ClassVar[str] = "near_optimal"

    def __init__(
        self,
        search: RuleListSearch | Problem,
        regularization: float | None = None,
        within: float | None = None,
        *,
        ratio: float | None = None,
        limit: int = 10_000,
        max_length: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        super().__init__(search, regularization, within, ratio, max_length, memory_limit, limit)
        self.limit = min(int(limit), _MOST_MODELS)
        self.store: state.Store
        self._path: list[int] = []
        self._node = 0

    @property
    def _own_compiled(self) -> bool:
        return is_compiled(kernels.advance)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the enumeration."""
        return nbytes(self.store) + self._multipliers.nbytes if self.prepared else 0

    @property
    def covered_cost(self) -> int:
        """The cost, on the grid, below which every list has been found."""
        if not self.prepared:
            return self.best_cost
        if self.phase == "finished" and self.truncated is None:
            return self.limits.threshold + 1
        numbers = self.store.numbers
        if numbers[state.OPEN_NODE] < 0:
            return max(self.best_cost, int(self.store.heap_key[0]))
        open_key = int(numbers[state.OPEN_KEY])
        return max(self.best_cost, min(open_key, int(self.store.heap_key[0])) if numbers[state.N_HEAP] else open_key)

    def result(self) -> NearOptimal:
        return summarise(self)

    def prefixes(self, most: int | None = None) -> PrefixGraph:
        """The lists found so far as a graph, for choosing rule after rule.

        Parameters
        ----------
        most : int, optional
            Most edges; where there are more, only the lists up to a lower objective are here, always the best ones.

        Raises
        ------
        ValueError
            When the optimum is not certified yet, or ``most`` is not a positive integer.
        """
        if not self.prepared:
            raise ValueError("the optimum is not certified yet, so that no list is known to be near it; go on first")
        if most is not None and not is_whole(most, 1):
            raise ParameterError("most", most, "an integer >= 1")
        return prefix_graph(self, most)

    def _rehearse(self) -> None:
        self.search.compile()
        small = NearOptimalSearch(tiny_problem(), 0.01, 0.1)
        small._SEPARATE_AFTER = 0
        solve(small)
        small.result()
        kernels.rebuild_tables(small.store)

    def _begin(self) -> None:
        self.store = state.new_store(self._sets, self.limits)
        kernels.start(self._layout, self._sets, self.limits, self.store, self.constant)
        self.phase = "enumerating"
        place = {int(group): k for k, group in enumerate(self.groups[self.representatives])}
        assert self._best is not None
        self._path = [place[int(self.groups[antecedent])] for antecedent in self._best.model.antecedents]

    def _run(self, max_work: int) -> None:
        target = self.work + max_work
        while True:
            store = self.store
            left = max(target - self.work, 0)
            units = min(left, 1) if self._path else left
            if self._path and units and store.numbers[state.OPEN_NODE] < 0:
                self._put_first(self._node)
            most = max(units, 1) * children_per_work(self._layout)
            bounding = self._multipliers.separation, self._multipliers.separator.address
            outcome = kernels.advance(self._layout, self._sets, self.limits, store, *bounding, self.limit, units, most)
            done = self.search.work + int(store.numbers[state.WORK])
            if self._path and done > self.work:
                self._follow(self._path.pop(0))
            self.work = done
            if outcome == kernels.DONE:
                self.phase = "finished"
            elif outcome == kernels.FULL:
                self._stuck = "limit"
            elif outcome == kernels.SEPARATE:
                self._multipliers.find(int(store.numbers[state.WORK]), self._free)
                continue
            elif outcome == kernels.GROW:
                m = len(self.representatives)
                room = (state.STATES, m), (state.CLASSES, m), (state.EDGES, m), (state.HEAP, 2 * m)
                self.store, enough = with_room(store, room, self._free, kernels.rebuild_tables)
                if enough:
                    continue
                self._stuck = "memory"
            elif units < left and self.work < target and store.numbers[state.OPEN_NODE] < 0:
                continue
            return

    def _put_first(self, node: int) -> None:
        """Let a state be expanded next: those that the optimum passes through, so that it is known from the start."""
        store = self.store
        n = int(store.numbers[state.N_HEAP])
        keys, items = store.heap_key[:n], store.heap_item[:n]
        keys[items == node] = -1
        order = np.lexsort((-items, keys))  # in order they are a heap
        keys[:], items[:] = keys[order], items[order]

    def _follow(self, rule: int) -> None:
        """Go on to the state that the optimum's next rule leads to."""
        store = self.store
        n = int(store.numbers[state.N_EDGES])
        edges = (store.edge_from[:n] == self._node) & (store.edge_rule[:n] == rule)
        self._node = int(store.edge_to[:n][edges][0])

    def _snapshot(self) -> NearOptimalProgress:
        states = found = queued = 0
        if self.prepared:
            numbers, found = self.store.numbers, len(state.emitted_of(self.store, self.best_cost))
            states, queued = int(numbers[state.N_STATES]), int(numbers[state.N_HEAP])
        return NearOptimalProgress(
            **self._standing(),
            counts={"models": found, "states": states, "queued": 0 if self.phase == "finished" else queued},
            count=found,
            states=states,
            optimum=self.optimum,
            covered=self.covered_cost * self.costs.unit if self.prepared else self.optimum,
            threshold=self.threshold,
        )
