"""All rule lists within a gap of the optimum: counted, grouped by what they predict, and enumerated best first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ... import preparing
from ...arguments import is_number, is_whole
from ...data.problem import Problem
from ...kernels import bits
from ...kernels.bit_words import transposed
from ...kernels.growing import affordable, resized, table_size
from ...kernels.jit import is_compiled
from ...models import Model
from ...rehearsal import tiny_problem
from ...search import Incumbent, Search, Snapshot, Status, solve, standing
from ..costs import Costs, costs_of
from ..counting import Layout, children_per_work, layout
from ..exact.search import RuleListSearch
from . import kernels, state
from .result import NearOptimal
from .summary import Enumerated, nothing, summarise

WITHIN = 0.01
"""How far above the optimum an objective may be, where nothing is said."""

_LONGEST = int(np.iinfo(np.int16).max) - 1
_MOST_MODELS = 1 << 62


@dataclass(frozen=True)
class NearOptimalProgress(Snapshot):
    """An enumeration at one moment: a `rulelab.Snapshot` of the best list, and how far the others are found.

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

    count: int = 0
    states: int = 0
    optimum: float = math.nan
    covered: float = math.nan
    threshold: float = math.nan

    @property
    def truncated(self) -> str | None:
        """Why it ended early: "limit" (of the number of models), "memory", "time", "work" or "gap"."""
        return None if self.phase == "finished" else self.limit


class NearOptimalSearch(Search):
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
    gap : float, optional
        The same as ``within``.
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
    are not used: they would lose lists. Weights that are not integers are rounded to a fine grid, and lists are
    included up to its resolution above the threshold; where classes tie, rounding may decide the label.
    """

    family: ClassVar[str] = "rule_list"
    kind: ClassVar[str] = "near_optimal"

    def __init__(
        self,
        search: RuleListSearch | Problem,
        regularization: float | None = None,
        within: float | None = None,
        *,
        ratio: float | None = None,
        gap: float | None = None,
        limit: int = 10_000,
        max_length: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        if within is None and ratio is None and gap is None:
            within = WITHIN
        _check(search, regularization, within, gap, ratio, limit, max_length, memory_limit)
        if isinstance(search, Problem):
            search = RuleListSearch(search, regularization, max_length=max_length)  # type: ignore[arg-type]
        super().__init__(search.problem)
        self.search = search
        self.work = search.work
        self.regularization = search.regularization
        self.gap, self.ratio, self.limit = within if gap is None else gap, ratio, min(int(limit), _MOST_MODELS)
        self.memory_limit = memory_limit
        self.phase = "optimum"
        self._stuck: str | None = None
        self._best: Incumbent | None = None
        self._lower_bound = 0.0
        self.optimum = math.nan
        self.best_cost = self.constant = 0
        self.representatives: np.ndarray
        self.groups: np.ndarray
        self.weights: np.ndarray
        self.costs: Costs
        self.limits: state.Limits
        self.store: state.Store | None = None
        self._layout: Layout
        self._sets: state.Sets

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "regularization": self.regularization,
            "within": self.gap,
            "ratio": self.ratio,
            "limit": self.limit,
            "max_length": self.search.max_length,
            "memory_limit": self.memory_limit,
        }

    @property
    def compiled(self) -> bool:
        return self.search.compiled and is_compiled(kernels.advance)

    @property
    def truncated(self) -> str | None:
        """Why it has ended early: "limit" (of the number of models), "memory", "time", "work" or "gap"."""
        return None if self.phase == "finished" else self._stuck or self.stopped_by

    @property
    def frame(self) -> pd.DataFrame:
        """What has been found so far, best first: a row for each model, as in `NearOptimal.frame`."""
        return self.result().frame()

    def _models(self) -> list[Model | None]:
        return list(self.result().models)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the enumeration."""
        return 0 if self.store is None else sum(array.nbytes for array in self.store)

    @property
    def covered_cost(self) -> int:
        """The cost, on the grid, below which every list has been found."""
        if self.store is None:
            return self.best_cost
        if self.phase == "finished" and self.truncated is None:
            return self.limits.threshold + 1
        numbers = self.store.numbers
        if numbers[state.OPEN_NODE] < 0:
            return int(self.store.heap_key[0])
        open_key = int(numbers[state.OPEN_KEY])
        return min(open_key, int(self.store.heap_key[0])) if numbers[state.N_HEAP] else open_key

    def _advance(self, max_work: int) -> None:
        self._stuck = None
        if self.phase == "optimum":
            snapshot = self.search.advance(max_work)
            self.work = snapshot.work
            assert snapshot.incumbent is not None
            self._best, self._lower_bound = snapshot.incumbent, snapshot.lower_bound
            self.optimum = snapshot.incumbent.objective
            if self.search.certified:
                self.phase = "preparing"
                if not preparing.is_large(self.problem):
                    self._prepare()
            elif snapshot.status is Status.LIMIT:
                self._stuck = snapshot.limit
        elif self.phase == "preparing":
            self._prepare()
        elif self.phase == "enumerating":
            self._run(max_work)

    def result(self) -> NearOptimal:
        """What has been found so far."""
        finished = self.phase == "finished"
        truncated = None if finished else self.truncated or "stopped"
        if self.store is None:
            return nothing(self.problem, self.regularization, self.optimum, truncated, self.work)
        return summarise(
            Enumerated(
                problem=self.problem,
                regularization=self.regularization,
                optimum=self.optimum,
                best_cost=self.best_cost,
                covered_cost=self.covered_cost,
                costs=self.costs,
                limits=self.limits,
                store=self.store,
                representatives=self.representatives,
                groups=self.groups,
                weights=self.weights,
                finished=finished,
                truncated=truncated,
                work=self.work,
            )
        )

    def _rehearse(self) -> None:
        self.search.compile()
        small = NearOptimalSearch(tiny_problem(), 0.01, 0.1)
        solve(small)
        small.result()
        assert small.store is not None
        kernels.rebuild_tables(small.store)

    def _prepare(self) -> None:
        assert self._best is not None
        optimum, problem = self._best.model.antecedents, self.problem
        costs = costs_of(problem, self.regularization)
        columns = transposed(problem.words, problem.n_antecedents)
        self.groups, first = bits.group_equal_rows(columns)
        self.representatives = first[bits.counts(columns[first]) > 0]
        net = costs.positives - costs.negatives
        self.constant = int(np.minimum(costs.positives, costs.negatives).sum())
        columns = columns[self.representatives]
        rows = transposed(columns, problem.n_patterns)
        m = len(columns)
        self._layout = layout(rows, net, m)
        balanced = rows[net == 0]
        extra = transposed(balanced, m) if len(balanced) else np.zeros((m, 0), dtype=np.uint64)
        all_balanced = bits.pack(np.ones((1, len(balanced)), dtype=bool))[0] if len(balanced) else extra[:0].ravel()
        self._sets = state.Sets(
            captures=np.hstack([self._layout.by_antecedent, extra]),
            full=np.concatenate([self._layout.full, all_balanced]),
            weighted=len(self._layout.full),
        )
        self.weights = self._slot_weights(rows, net)
        self.costs = costs
        self.best_cost = self._cost(optimum)
        self.limits = self._make_limits(m)
        self.store = state.new_store(self._sets, self.limits)
        kernels.start(self._layout, self._sets, self.limits, self.store, self.constant)
        self.phase = "enumerating"

    def _make_limits(self, m: int) -> state.Limits:
        costs = self.costs
        per_objective = costs.per_error * int(costs.positives.sum() + costs.negatives.sum())
        if self.gap is not None:
            threshold = self.best_cost + math.floor(Fraction(repr(float(self.gap))) * per_objective)
        else:
            threshold = math.floor(self.best_cost * (1 + Fraction(repr(float(self.ratio)))))  # type: ignore[arg-type]
        threshold += math.ceil(2 * costs.slack * per_objective)
        worst = costs.per_error * int(costs.positives.sum() + costs.negatives.sum()) + m * costs.per_rule
        longest = m if self.search.max_length is None else min(m, self.search.max_length)
        if costs.per_rule:
            longest = min(longest, (threshold - costs.per_error * self.constant) // costs.per_rule)
        return state.Limits(costs.per_error, costs.per_rule, min(threshold, worst), min(longest, _LONGEST))

    def _slot_weights(self, rows: np.ndarray, net: np.ndarray) -> np.ndarray:
        """Training weight of the pattern at each bit of the sets."""
        total = self.problem.positives + self.problem.negatives
        of_pattern = {row.tobytes(): weight for row, weight in zip(rows, total.tolist(), strict=True)}
        weighted = bits.unpack(self._layout.full[None], len(self._layout.weights))[0]
        placed = transposed(np.ascontiguousarray(self._layout.by_antecedent), len(weighted))
        out = np.zeros(bits.WORD * len(self._sets.full), dtype=total.dtype)
        for slot in np.flatnonzero(weighted).tolist():
            out[slot] = of_pattern[placed[slot].tobytes()]
        balanced = total[net == 0]
        out[len(weighted) : len(weighted) + len(balanced)] = balanced
        return out

    def _cost(self, antecedents: tuple[int, ...]) -> int:
        """Cost of a list on the grid."""
        costs, left, wrong = self.costs, np.ones(self.problem.n_patterns, dtype=bool), 0
        for j in (*antecedents, None):
            hit = left.copy()
            if j is not None:
                hit &= (self.problem.words[:, j >> 6] >> np.uint64(j & 63) & np.uint64(1)).astype(bool)
            wrong += min(int(costs.positives[hit].sum()), int(costs.negatives[hit].sum()))
            left &= ~hit
        return costs.per_error * wrong + costs.per_rule * len(antecedents)

    def _run(self, max_work: int) -> None:
        assert self.store is not None
        target = self.work + max_work
        while True:
            left = max(target - self.work, 0)
            outcome = kernels.advance(
                self._layout,
                self._sets,
                self.limits,
                self.store,
                self.limit,
                left,
                max(left, 1) * children_per_work(self._layout),
            )
            self.work = self.search.work + int(self.store.numbers[state.WORK])
            if outcome == kernels.DONE:
                self.phase = "finished"
            elif outcome == kernels.FULL:
                self._stuck = "limit"
            elif outcome == kernels.GROW:
                if self._grow():
                    continue
                self._stuck = "memory"
            return

    def _grow(self) -> bool:
        """Make room for one more expansion; False when the memory limit does not allow it."""
        store = self.store
        assert store is not None
        m = len(self.representatives)
        for counter, names in state.GROUPS.items():
            used, capacity = int(store.numbers[counter]), len(getattr(store, names[0]))
            needed = used + (2 * m if counter == state.N_HEAP else m)
            if needed <= capacity:
                continue
            free = None if self.memory_limit is None else self.memory_limit - self.memory_bytes
            wanted = affordable(capacity, needed, free, partial(state.bytes_to_grow, store, counter))
            if wanted < needed:
                return False
            store = resized(store, names, wanted)
            table = state.TABLES.get(counter)
            if table is not None and table_size(wanted) > len(getattr(store, table)):
                store = store._replace(**{table: np.empty(table_size(wanted), dtype=np.int32)})
                kernels.rebuild_tables(store)
            self.store = store
        return True

    def _snapshot(self) -> NearOptimalProgress:
        numbers = np.zeros(state.N_NUMBERS, dtype=np.int64) if self.store is None else self.store.numbers
        prepared, finished = self.store is not None, self.phase == "finished"
        status, limit = standing(finished, not prepared or self.costs.exact, self._stuck)
        queued = 0 if finished else int(numbers[state.N_HEAP])
        return NearOptimalProgress(
            step=0,
            work=self.work,
            seconds=0.0,
            status=status,
            incumbent=self._best,
            lower_bound=self._lower_bound,
            counts={
                "models": int(numbers[state.N_EMITTED]),
                "states": int(numbers[state.N_STATES]),
                "queued": queued,
            },
            log10_remaining=0.0 if finished else math.inf,
            memory_bytes=self.memory_bytes,
            phase=self.phase,
            limit=limit,
            count=int(numbers[state.N_EMITTED]),
            states=int(numbers[state.N_STATES]),
            optimum=self.optimum,
            covered=self.covered_cost * self.costs.unit if prepared else self.optimum,
            threshold=self.limits.threshold * self.costs.unit if prepared else math.nan,
        )


def near_optimal(
    search: RuleListSearch | Problem,
    regularization: float | None = None,
    *,
    gap: float | None = None,
    ratio: float | None = None,
    limit: int = 10_000,
    time_limit: float | None = None,
    max_length: int | None = None,
    memory_limit: int | None = None,
    work_limit: int | None = None,
) -> NearOptimal:
    """All rule lists within a gap of the optimum; the arguments are those of `NearOptimalSearch`.

    Parameters
    ----------
    time_limit : float, optional
        Wall-clock seconds, for certifying the optimum and enumerating.
    work_limit : int, optional
        Prefixes to expand, for certifying the optimum and enumerating.

    Raises
    ------
    ValueError
        When an argument is out of range; for a search that has not certified its optimum when there is neither a
        time limit nor a work limit.

    Returns
    -------
    NearOptimal
        When a limit ended the enumeration early, ``complete`` is False and ``covered`` says up to which objective
        everything has been found.

    Examples
    --------
    >>> import numpy as np, rulelab as rl
    >>> from rulelab.rule_list.near_optimal.search import near_optimal
    >>> A = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> problem = rl.Problem.from_arrays(A, [1, 1, 0, 0])
    >>> near_optimal(problem, 0.1, gap=0.1).count
    1
    """
    if gap is None and ratio is None:
        raise ValueError("give either gap (absolute, in the objective's units) or ratio (relative to the optimum)")
    enumeration = NearOptimalSearch(
        search, regularization, gap=gap, ratio=ratio, limit=limit, max_length=max_length, memory_limit=memory_limit
    )
    states = enumeration.steps(time_limit=time_limit, work_limit=work_limit)
    if isinstance(search, RuleListSearch) and time_limit is None and work_limit is None and not search.certified:
        raise ValueError(
            "the search has not certified its optimum yet, which can take any time; let it finish first "
            "(rulelab.solve), or give a time_limit or a work_limit"
        )
    for _ in states:
        pass
    return enumeration.result()


def _check(
    search: Any, regularization: Any, within: Any, gap: Any, ratio: Any, limit: Any, max_length: Any, memory_limit: Any
) -> None:
    if isinstance(search, RuleListSearch):
        if regularization is not None or max_length is not None:
            raise ValueError("regularization and max_length are the search's own; give them only with a problem")
    elif not isinstance(search, Problem):
        raise ValueError(f"search must be a RuleListSearch or a Problem, not {search!r}")
    elif regularization is None:
        raise ValueError("with a problem, give the regularization too")
    if sum(value is not None for value in (within, gap, ratio)) > 1:
        raise ValueError(
            "give one of within and gap, which are the same (absolute, in the objective's units), and ratio (relative "
            "to the optimum)"
        )
    for name, value in (("within", within), ("gap", gap), ("ratio", ratio)):
        if value is not None and not (is_number(value) and value >= 0):
            raise ValueError(f"{name} must be a finite number >= 0, not {value!r}")
    for name, value in (("limit", limit), ("memory_limit", memory_limit)):
        if value is None and name == "memory_limit":
            continue
        if not is_whole(value, 1):
            raise ValueError(f"{name} must be an integer >= 1, not {value!r}")
