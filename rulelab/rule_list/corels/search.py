"""CORELS as the papers describe it: branch and bound over prefixes, every bound a switch, for ablation and teaching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import remaining
from ...arguments import bounds_of, check_choice
from ...certificate import Certificate, prove_rule_list
from ...data.problem import Problem
from ...kernels import bits
from ...kernels.growing import affordable, resized, table_size
from ...kernels.jit import is_compiled
from ...parameters import check_arguments
from ...prefixes import WORTHLESS, Children, Places, PrefixSearch, Replay, Scale, path_to
from ...proving import Proving
from ...rehearsal import tiny_problem
from ...search import solve
from ...slices import effort_of
from ...snapshot import Incumbent, Snapshot, bound_shown, standing
from ..costs import Costs, costs_of, require_regularization
from ..exact import state as at
from ..exact import state as common
from ..exact.incumbent import incumbent_of
from ..exact.search import POLICIES
from . import expansion, state
from .bounds import CORELS_BOUNDS, LIMITING, CorelsBounds

CUTS = CORELS_BOUNDS
BOUNDING = frozenset((*CUTS[:6], CUTS[state.BY_SIMILAR]))
_PLACES = Places.of(common, None, "queued_by_steps", node_arrays=state.NODE_ARRAYS, tables=("by_antecedents", "by_set"))


def children(arrays: state.Arrays, rules: state.Rules, store: state.Store, prefix: tuple[int, ...] | None) -> Children:
    """What becomes of the children of a prefix; None: of the one expanded last."""
    m = arrays.by_antecedent.shape[0]
    if prefix is None:
        prefix = path_to(store, int(store.numbers[common.LAST_NODE]))
    replay = Replay(store, _PLACES, m, prefix)
    node, more = replay.stored()
    copy = replay.store
    for a in more:
        captured = copy.sets[node] & arrays.by_antecedent[a]
        cost = int(copy.cost[node]) + rules.per_error * min(_weights(arrays.classes, captured)) + rules.per_rule
        chosen = bits.pack(np.arange(m)[None, :] == a)[0]
        node = replay.add(
            sets=copy.sets[node] & ~captured,
            antecedents=copy.antecedents[node] | chosen,
            cost=cost,
            points=copy.points[node] - _weights(arrays.minority, captured)[0],
            key=cost,
            parent=node,
            rule=a,
            length=copy.length[node] + 1,
        )

    def advance(store: state.Store, work: int, effort: int, without: int) -> int:
        used = rules._replace(**{CUTS[without]: False}) if without >= 0 else rules
        return int(expansion.advance(arrays, used, store, work, effort))

    return replay.expand(node, advance, WORTHLESS)


def _weights(planes: state.Planes, chosen: np.ndarray) -> tuple[int, int]:
    counts = np.bitwise_count(chosen[planes.entry_word] & planes.entry_mask).astype(np.int64) << planes.entry_digit
    return int(counts[: planes.positive_entries].sum()), int(counts[planes.positive_entries :].sum())


_EFFORT_PER_WORK = 100_000_000  # words and weights that a unit of work looks at, about: a tenth of a second


@dataclass
class _Best:
    """The incumbent: its antecedents, and where the search was when it found them."""

    antecedents: tuple[int, ...] = ()
    work: int = 0
    created: int = 0
    seconds: float = 0.0


class CorelsSearch(PrefixSearch, Proving):
    """The search of the CORELS papers over prefixes, for ablation and teaching; `RuleListSearch` is the fast one.

    It visits prefixes, not captured sets, tests the antecedents in their order, starts from the default rule alone, and
    weighs the patterns as they are: no presolve, no net weights, no beam. Each bound of the papers is a switch with a
    counter in `Snapshot.pruned`. Without the strongest of them a search may need hours and all memory that it gets.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Cost of one rule, 0 < regularization < 1.
    policy : str
        Order of the queue: "lower_bound" (best first), "objective", "curiosity" (section 5.6), "breadth_first",
        "depth_first" or "random".
    bounds : CorelsBounds, optional
        Which bounds are used; all by default. `CorelsBounds.published` are those that the JMLR paper measures.
    memory_limit : int, optional
        Bytes that the stored prefixes may take. When they are used up the search stops with status LIMIT and a valid
        lower bound; raise ``memory_limit`` and call `advance` again to go on.
    random_state : int, optional
        Seed of the policy "random".

    Raises
    ------
    ValueError
        When an argument is out of range; the message says what is allowed.

    Notes
    -----
    ``Snapshot.counts`` has the prefixes whose last rule was counted, those of which the support bounds left the lower
    bound to compute ("created"), those expanded, queued now, stored and ever inserted into the queue, the largest queue
    and the longest prefix created. ``Snapshot.detail`` has the bounds on the
    evaluations that remain, as log10: fine (Thm 7) and coarse (Prop 9), and in all: naive (Prop 8) and with one order
    of each set of antecedents (Thm 17).

    References
    ----------
    Angelino, Larus-Stone, Alabi, Seltzer and Rudin, "Learning certifiably optimal rule lists for categorical data",
    JMLR 18 (2018).
    """

    family: ClassVar[str] = "rule_list"
    kind: ClassVar[str] = "corels"

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        policy: str = "lower_bound",
        bounds: CorelsBounds | None = None,
        memory_limit: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(problem)
        check_choice("policy", policy, POLICIES)
        check_arguments(memory_limit=memory_limit, random_state=random_state)
        require_regularization(problem, regularization)
        self.regularization = float(regularization)
        self.policy = policy
        self.bounds = bounds_of(CorelsBounds, bounds)
        self.memory_limit = memory_limit
        self.random_state = random_state
        self._phase = "preparing"
        self._out_of_memory = False
        self._best = _Best()
        self._incumbent: Incumbent | None = None
        self._costs: Costs
        self._arrays: state.Arrays
        self._rules: state.Rules
        self._store: state.Store

    @property
    def compiled(self) -> bool:
        return is_compiled(expansion.advance)

    def _rehearse(self) -> None:
        solve(CorelsSearch(tiny_problem(), regularization=0.01))

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""
        return 0 if self._phase == "preparing" else sum(array.nbytes for array in self._store)

    def _certificate(self, bound: float | None) -> Certificate:
        return prove_rule_list(self.problem, self._make_incumbent().model, self.regularization, lower_bound=bound)

    def _advance(self, max_work: int) -> None:
        if self._phase == "preparing":
            self._prepare()
        if self._phase == "searching":
            self._run(self.work + max_work)

    def _prepare(self) -> None:
        problem = self.problem
        costs = costs_of(problem, self.regularization)
        total = int(costs.positives.sum() + costs.negatives.sum())
        limited = any(getattr(self.bounds, name) for name in LIMITING)
        if not limited and costs.per_error * total + problem.n_antecedents * costs.per_rule >= 1 << 62:
            raise ValueError(
                f"without any of the bounds {', '.join(LIMITING)} the costs of {problem.n_antecedents} rules at "
                f"regularization {self.regularization!r} do not fit; give it fewer digits, or use one of the bounds"
            )
        self._costs, self._arrays = costs, state.new_arrays(problem, costs)
        self._rules = state.Rules(
            per_error=costs.per_error,
            per_rule=costs.per_rule,
            total=total,
            policy=POLICIES[self.policy],
            **self.bounds.to_dict(),
        )
        self._store = state.new_store(self._arrays, costs, self.bounds, self.policy == "lower_bound")
        self._store.numbers[at.RANDOM] = np.random.default_rng(self.random_state).integers(1, 1 << 62)
        self._phase = "searching"

    def _run(self, target: int) -> None:
        numbers = self._store.numbers
        self._out_of_memory = False
        improved = int(numbers[at.IMPROVED])
        while self.work < target:
            left = target - self.work
            outcome = expansion.advance(self._arrays, self._rules, self._store, left, effort_of(left, _EFFORT_PER_WORK))
            self.work = int(numbers[at.WORK])
            if outcome == expansion.DONE:
                self._phase = "certified"
            if outcome != expansion.GROW:
                break
            if not self._grow():
                self._out_of_memory = True
                break
        if numbers[at.IMPROVED] > improved:
            path = tuple(self._store.path[: numbers[at.PATH_LENGTH]].tolist())
            self._best = _Best(path, int(numbers[at.FOUND_AT]), int(numbers[state.CREATED_AT_BEST]), self._seconds)

    def _grow(self) -> bool:
        """Make room for more prefixes; False when the memory limit does not allow it."""
        store, capacity = self._store, len(self._store.cost)
        needed = int(store.numbers[at.N_NODES]) + self.problem.n_antecedents
        taken = self.memory_bytes
        free = None if self.memory_limit is None else self.memory_limit - taken
        wanted = affordable(capacity, needed, free, lambda n: state.bytes_with(store, n) - taken)
        if wanted < needed:
            return False
        store = resized(store, state.arrays_to_grow(store), wanted)
        size = table_size(wanted)
        if size > len(store.by_set):
            store = store._replace(by_set=np.empty(size, dtype=np.int32), by_antecedents=np.empty(size, dtype=np.int32))
            store.numbers[at.TABLE_IS_STALE] = 1
        self._store = store
        return True

    def _snapshot(self) -> Snapshot:
        store, numbers, m = self._store, self._store.numbers, self.problem.n_antecedents
        incumbent = self._make_incumbent()
        memory = "memory" if self._out_of_memory else None
        status, limit = standing(self._phase == "certified", self._costs.exact, memory)
        bound = max(0.0, int(numbers[at.LOWER_BOUND]) * self._costs.unit - self._costs.slack)
        queue = tuple(np.trim_zeros(store.queued_by_steps.sum(axis=1), "b").tolist())
        a_priori = state.longest_a_priori(self._costs, m)
        longest = min(int(numbers[at.BEST]) // self._costs.per_rule, m)
        return Snapshot(
            **self._figures,
            status=status,
            incumbent=incumbent,
            lower_bound=bound_shown(incumbent.objective, bound, status),
            counts={
                "counted": int(numbers[state.COUNTED]),
                "created": int(numbers[at.CREATED]),
                "expanded": int(numbers[at.EXPANDED]),
                "queued": int(numbers[at.N_QUEUED]),
                "stored": int(numbers[at.N_NODES]),
                "inserted": int(numbers[state.INSERTED]),
                "largest queue": int(numbers[state.LARGEST_QUEUE]),
                "longest prefix": int(numbers[state.LONGEST]),
            },
            pruned=dict(zip(CORELS_BOUNDS, store.pruned.tolist(), strict=True)),
            queue_by_length=queue,
            log10_remaining=remaining.log10_coarse(queue, m, longest),
            phase=self._phase,
            limit=limit,
            detail={
                "antecedents": m,
                "patterns": self.problem.n_patterns,
                "created at incumbent": self._best.created,
                "resolution": self._costs.exactness,
                "longest": longest,
                "log10_remaining_fine": remaining.log10_fine(store.queued_by_steps, m),
                "log10_remaining_coarse": remaining.log10_coarse(queue, m, longest),
                "log10_total_naive": remaining.log10_total(m, a_priori),
                "log10_total_symmetry_aware": remaining.log10_total_symmetry_aware(m, a_priori),
            },
        )

    def _stored(self) -> tuple[Any, int]:
        return self._store, int(self._store.numbers[at.N_NODES])

    def _scale(self) -> Scale | None:
        if self._phase == "preparing":
            return None
        own, each = np.arange(self.problem.n_antecedents), self._costs.per_error
        return Scale(self.problem, own, CUTS, BOUNDING, self._costs, each, each)

    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        return children(self._arrays, self._rules, self._store, prefix)

    def _make_incumbent(self) -> Incumbent:
        best = self._best
        if self._incumbent is None or self._incumbent.model.antecedents != best.antecedents:
            found_at = (best.seconds, best.work)
            self._incumbent = incumbent_of(self.problem, best.antecedents, self.regularization, found_at)
        return self._incumbent
