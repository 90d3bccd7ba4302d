"""CORELS as the papers describe it: branch and bound over prefixes, every bound a switch, for ablation and teaching."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from ... import remaining
from ...arguments import bounds_of, check_choice
from ...certificate import Certificate, prove_rule_list
from ...data.problem import Problem
from ...kernels import bits
from ...kernels.growing import nbytes
from ...kernels.jit import is_compiled
from ...parameters import check_arguments
from ...prefixes import WORTHLESS, Best, Children, Places, PrefixSearch, Scale, children
from ...proving import Proving
from ...rehearsal import tiny_problem
from ...snapshot import Incumbent, Snapshot
from ...stepping import solve
from ..costs import Costs, costs_of, incumbent_of, require_regularization
from ..counting import weigh
from ..exact import state as at
from ..exact.search import POLICIES
from . import expansion, state
from .bounds import CORELS_BOUNDS, LIMITING, CorelsBounds

_BOUNDING = frozenset((*CORELS_BOUNDS[:6], CORELS_BOUNDS[state.BY_SIMILAR]))
_PLACES = Places(at, state.NODES, at.HEAP, purged=None, lengths="queued_by_steps")
EFFORT_PER_WORK = 100_000_000  # words and weights that a unit of work looks at, about: a tenth of a second


class CorelsSearch(PrefixSearch, Proving):
    """The search of the CORELS papers over prefixes, for ablation and teaching; `RuleListSearch` is the fast one.

    It visits prefixes, not captured sets, tests the antecedents in their order, starts from the default rule alone, and
    weighs the patterns as they are: no presolve, no net weights, no beam. Each bound of the papers is a switch with a
    counter in `Snapshot.pruned`. Without the strongest of them a search may need hours and all memory that it gets.

    Parameters
    ----------
    problem, regularization, policy, memory_limit, random_state
        As of `rulelab.RuleListSearch`.
    bounds : CorelsBounds, optional
        Which bounds are used; all by default. `CorelsBounds.published` are those that the JMLR paper measures.

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
        self._best = Best(0)
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
        return 0 if self._phase == "preparing" else nbytes(self._store)

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
        advance = partial(expansion.advance, self._arrays, self._rules)
        if self._go_on(advance, _PLACES, self.problem.n_antecedents, EFFORT_PER_WORK, target):
            numbers = self._store.numbers
            path = tuple(self._store.path[: numbers[at.PATH_LENGTH]].tolist())
            self._best = Best(int(numbers[at.BEST]), path, int(numbers[at.FOUND_AT]), self._seconds)

    def _snapshot(self) -> Snapshot:
        store, numbers, costs, m = self._store, self._store.numbers, self._costs, self.problem.n_antecedents
        queue = np.trim_zeros(store.queued_by_steps.sum(axis=1), "b")
        a_priori = state.longest_a_priori(costs, m)
        longest = min(int(numbers[at.BEST]) // costs.per_rule, m)
        counts = {
            "counted": int(numbers[state.COUNTED]),
            "created": int(numbers[at.CREATED]),
            "expanded": int(numbers[at.EXPANDED]),
            "queued": int(numbers[at.N_QUEUED]),
            "stored": int(numbers[at.N_NODES]),
            "inserted": int(numbers[state.INSERTED]),
            "largest queue": int(numbers[state.LARGEST_QUEUE]),
            "longest prefix": int(numbers[state.LONGEST]),
        }
        detail = {
            "antecedents": m,
            "patterns": self.problem.n_patterns,
            "created at incumbent": int(numbers[state.CREATED_AT_BEST]),
            "resolution": costs.exactness,
            "longest": longest,
            "log10_remaining_fine": remaining.log10_fine(store.queued_by_steps, m),
            "log10_remaining_coarse": remaining.log10_coarse(queue.tolist(), m, longest),
            "log10_total_naive": remaining.log10_total(m, a_priori),
            "log10_total_symmetry_aware": remaining.log10_total_symmetry_aware(m, a_priori),
        }
        bound = max(0.0, int(numbers[at.LOWER_BOUND]) * costs.unit - costs.slack)
        cut = dict(zip(CORELS_BOUNDS, store.pruned.tolist(), strict=True))
        return self._state(costs.exact, bound, counts, cut, queue, longest, detail)

    def _stored(self) -> tuple[Any, int]:
        return self._store, int(self._store.numbers[at.N_NODES])

    def _scale(self) -> Scale | None:
        if self._phase == "preparing":
            return None
        own, each = np.arange(self.problem.n_antecedents), self._costs.per_error
        return Scale(self.problem, own, CORELS_BOUNDS, _BOUNDING, self._costs, each, each)

    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        arrays, rules, m = self._arrays, self._rules, self.problem.n_antecedents

        def extended(store: state.Store, node: int, a: int) -> dict[str, Any]:
            captured = store.sets[node] & arrays.by_antecedent[a]
            cost = int(store.cost[node]) + rules.per_error * min(weigh(arrays.classes, captured)) + rules.per_rule
            return {
                "sets": store.sets[node] & ~captured,
                "antecedents": store.antecedents[node] | bits.pack(np.arange(m)[None, :] == a)[0],
                "cost": cost,
                "points": store.points[node] - weigh(arrays.minority, captured)[0],
                "key": cost,
            }

        def advance(store: state.Store, work: int, effort: int, without: int) -> int:
            used = rules._replace(**{CORELS_BOUNDS[without]: False}) if without >= 0 else rules
            return int(expansion.advance(arrays, used, store, work, effort))

        return children(self._store, _PLACES, m, prefix, extended, advance, WORTHLESS)

    def _incumbent_of(self, antecedents: tuple[int, ...], found_at: tuple[float, int]) -> Incumbent:
        return incumbent_of(self.problem, antecedents, self.regularization, found_at)
