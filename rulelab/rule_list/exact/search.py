"""Certifiably optimal rule lists by best-first search over the sets of patterns that are still uncaptured."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ... import slices
from ...arguments import bounds_of, check_choice, refuse_others
from ...certificate import Certificate, CertificateError, prove_rule_list
from ...certificate.parts import look
from ...data.problem import Problem
from ...kernels.growing import nbytes
from ...kernels.jit import is_compiled
from ...models import RuleList
from ...parameters import check_arguments
from ...prefixes import WORTHLESS, Best, Children, Places, PrefixSearch, Scale, children
from ...proving import Proving
from ...rehearsal import tiny_problem
from ...snapshot import Incumbent, Snapshot, counted
from ...stepping import solve
from .. import beam as beams
from ..bounds import RuleListBounds
from ..constrained.search import ConstrainedRuleListSearch
from ..core_pool import GIVEN_UP, known_sets
from ..cores import inequality, learn
from ..costs import Costs, antecedents_of, cost_of, costs_of, incumbent_of, require_regularization
from ..counting import Layout, layout, weigh
from ..fair.search import FairRuleListSearch
from ..pair_bound import separation_of
from ..pair_multipliers import adapt, settle
from ..reduction import Reducing, Reduction
from . import kernels, state
from .parallel.rounds import Rounds, check_jobs, workers_of
from .sequential import Learning, Sequential

EFFORT_OF_A_LONG_SEARCH = 1_000_000_000
_OTHERS = {"accurate support", "equivalent support", "deletion", "always: captures nothing", "always: length limit"}
_BOUNDING = frozenset(state.PRUNED_NAMES) - _OTHERS
"""What cuts because no list that goes on costs less than the best one."""
_PLACES = Places(state, state.NODES, state.HEAP, purged=state.BY_INCUMBENT)
_SWITCHES = {state.BY_CORE: "cores", state.BY_DELETION: "deletion", state.BY_SEPARATION: "separation"}
"""The bounds that are tried on a prefix when it is taken off the queue."""
POLICIES = {
    "lower_bound": state.LOWER_BOUND_FIRST,
    "objective": state.OBJECTIVE,
    "curiosity": state.CURIOSITY,
    "breadth_first": state.BREADTH_FIRST,
    "depth_first": state.DEPTH_FIRST,
    "random": state.RANDOM_ORDER,
}
_UNLIMITED_LENGTH = int(np.iinfo(np.int16).max)


class RuleListSearch(PrefixSearch, Proving):
    """Step-wise exact search for the rule list of least ``errors / n + regularization * rules``.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Cost of one rule, 0 < regularization < 1: a rule must correct at least this fraction of the weight.
    policy : str
        Order of the queue: "lower_bound" (best first), "objective", "curiosity", "breadth_first", "depth_first" or
        "random". All certify the same optimum; best first expands fewest prefixes.
    bounds : RuleListBounds, optional
        Which bounds are used; all by default.
    max_length : int, optional
        Most rules in a list, not counting the default rule.
    memory_limit : int, optional
        Bytes that the stored prefixes may take. When they are used up the search stops with status LIMIT and a valid
        lower bound; raise ``memory_limit`` and call `advance` again to go on.
    random_state : int, optional
        Seed of the policy "random".
    beam_width : int
        Width of the beam search that finds the first incumbent; 0 starts from the default rule alone. At most what
        some gigabytes hold.
    warm_start : RuleList or sequence of int, optional
        A list to begin with, such as the optimum at another regularization: a model, whose antecedents are found by
        name, or indices of the problem's antecedents.
    n_jobs : int, optional
        Threads that search at once; None is one, -1 as many as this process has cores. The optimum is the same, and
        with the same number the same list; of several equally good lists another number can find another one. See
        `rulelab.rule_list.exact.parallel.rounds`.
    **others
        What only other searches take is refused: `rulelab.search` makes those for ``fairness`` and ``must_use``.

    Raises
    ------
    ParameterError
        When an argument is out of range; it says what is allowed.

    References
    ----------
    Angelino, Larus-Stone, Alabi, Seltzer and Rudin, "Learning certifiably optimal rule lists for categorical data",
    JMLR 18 (2018). Every captured set is stored once, with its cheapest prefix (Thm 15), which makes the search a
    shortest path over sets.
    """

    family: ClassVar[str] = "rule_list"
    _LEARN_AFTER: ClassVar[int] = 500  # expansions; before that cores cost more than they save
    _LEARN_WHERE: ClassVar[float] = 2  # inequality of weights; where patterns weigh alike cores fit no other set
    _SEPARATE_AFTER: ClassVar[int] = 2500  # prefixes stored; before that multipliers cost more than they save
    _cores_must_pay = True

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        policy: str = "lower_bound",
        bounds: RuleListBounds | None = None,
        max_length: int | None = None,
        memory_limit: int | None = None,
        random_state: int | None = None,
        beam_width: int = 500,
        warm_start: RuleList | Sequence[int] | None = None,
        *,
        n_jobs: int | None = None,
        **others: Any,
    ) -> None:
        super().__init__(problem)
        refuse_others(type(self), others)
        check_choice("policy", policy, POLICIES)
        check_arguments(max_length=max_length, memory_limit=memory_limit, random_state=random_state)
        check_jobs(n_jobs)
        require_regularization(problem, regularization)
        beams.check_width(problem, beam_width, 0.5 / regularization)
        self.warm_start = None if warm_start is None else antecedents_of(warm_start, problem)
        self.regularization = float(regularization)
        self.policy = policy
        self.bounds = bounds_of(RuleListBounds, bounds)
        self.max_length = max_length
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.beam_width = int(beam_width)
        self.n_jobs = n_jobs
        self._phase = "reducing"
        self._best = Best(0)
        self._costs: Costs
        self._reducing: Reducing | None = None
        self._reduction: Reduction
        self._layout: Layout
        self._rules: state.Rules
        self._beam: beams.Beam | None = None
        self._store: state.Store
        self._learning: Learning
        self._running: Sequential | Rounds

    @property
    def compiled(self) -> bool:
        ready = is_compiled(kernels.advance) and (not self.beam_width or is_compiled(beams.advance))
        separates = not self.bounds.separation or is_compiled(adapt, settle, separation_of)
        return ready and separates and (not self._learns or is_compiled(learn))

    @property
    def _learns(self) -> bool:
        """Whether cores are learnt once the search is long."""
        return self.bounds.cores and (not self._cores_must_pay or self._inequality >= self._LEARN_WHERE)

    @cached_property
    def _inequality(self) -> float:
        return inequality(self.problem)

    @property
    def _rehearsed_as(self) -> tuple[object, ...]:
        return type(self), self._learns, workers_of(self.n_jobs) > 1

    def _rehearse(self) -> None:
        small = RuleListSearch(
            tiny_problem(), 0.01, bounds=RuleListBounds(cores=self._learns), beam_width=2, n_jobs=self.n_jobs
        )
        small._LEARN_AFTER = small._LEARN_WHERE = small._SEPARATE_AFTER = 0  # type: ignore[misc]
        solve(small)
        if isinstance(small._running, Rounds):
            small._running.rehearse()

    def _certificate(self, bound: float | None) -> Certificate:
        return self.certificate_of(self._make_incumbent().model, bound)

    def certificate_of(self, model: RuleList, bound: float | None = None) -> Certificate:
        """The proof that a list is one of the best, or with ``bound`` that none is below that.

        It is made from the cores that the search learnt, without its bounds on paths; a long search that did without
        cores is repeated with them, for which the proof is much smaller.

        Parameters
        ----------
        model : RuleList
        bound : float, optional
            An objective.
        """
        price, objective = self.regularization, model.objective(self.regularization)
        if self.max_length is not None and bound is None and (self.max_length + 1) * price > objective * (1 + 1e-9):
            # no longer list is as good, so that the best one of all is one of the best
            best = RuleListSearch(self.problem, self.regularization, warm_start=model, n_jobs=self.n_jobs)
            for _ in best.steps():
                look()
            return best.certificate_of(model)
        if self.max_length is not None:
            return self._certificate_of_limited(model, bound)
        learner, known = self, None
        if self._did_without_cores and self.work * self._layout.effort > EFFORT_OF_A_LONG_SEARCH:
            learner = RuleListSearch(self.problem, self.regularization, warm_start=model, n_jobs=self.n_jobs)
            learner._cores_must_pay = False
            for _ in learner.steps(work_limit=None if bound is None else self.work):
                look()
        if learner._searches:
            learnt = learner._learning
            known = known_sets(learnt.cores, learner._layout, learner._reduction, learner._costs, learnt.separation)
        return prove_rule_list(self.problem, model, self.regularization, known, bound)

    @property
    def _did_without_cores(self) -> bool:
        """Whether prefixes were searched without cores, or these were given up in the end."""
        if not self._searches:
            return False
        return any(pool.numbers[GIVEN_UP] for pool in self._running.pools) or (self.bounds.cores and not self._learns)

    def _certificate_of_limited(self, model: RuleList, bound: float | None) -> Certificate:
        """The proof that no list of at most ``max_length`` rules is better: of another search, which is run for it."""
        if bound is not None:
            raise CertificateError(
                "certificates of a bound need max_length=None: that of this search holds for its length alone; "
                "ConstrainedRuleListSearch with the same max_length has one"
            )
        options: dict[str, Any] = {"max_length": self.max_length, "memory_limit": self.memory_limit}
        learner = ConstrainedRuleListSearch(self.problem, self.regularization, **options, warm_start=model)
        for _ in learner.steps():
            look()
        if not learner.certified:
            raise CertificateError("the memory limit does not allow to prove lists of limited length")
        return learner.certificate_of(model)

    def _advance(self, max_work: int) -> None:
        target = self.work + max_work
        if self._phase == "reducing":
            self._prepare()
            if slices.is_large(self.problem):
                return
        if self._phase == "incumbent":  # a call ends with the beam: a unit of work takes longer from then on
            self._run_beam(target)
        elif self._phase == "searching":
            self._run_search(target)

    def _prepare(self) -> None:
        """Reduce the problem and arrange it; a part of that where it is large."""
        problem = self.problem
        if self._reducing is None:
            self._costs = costs_of(problem, self.regularization)
            self._reducing = Reducing(problem, self._costs, drop_unsupported=self.bounds.accurate_support)
        if (reduction := self._reducing.advance()) is None:
            return
        costs, self._reducing = self._costs, None
        m = len(reduction.antecedents)
        constant_cost = costs.per_error * reduction.constant
        default_cost = costs.per_error * reduction.default_errors
        longest = min((default_cost - constant_cost) // costs.per_rule, m)
        limit = self.max_length
        self._reduction = reduction
        self._layout = layout(reduction.patterns, reduction.net, m)
        self._rules = state.Rules(
            per_error=costs.per_error,
            per_rule=costs.per_rule,
            constant=reduction.constant,
            max_length=_UNLIMITED_LENGTH if limit is None or limit >= longest else limit,
            policy=POLICIES[self.policy],
            learn_after=self._LEARN_AFTER,
            separate_after=self._SEPARATE_AFTER,
            **{**self.bounds.to_dict(), "cores": self._learns},
        )
        self._best = Best(default_cost)
        if self.warm_start is not None and len(self.warm_start) <= self._rules.max_length:
            cost = cost_of(self.warm_start, problem, costs)
            if cost < default_cost:
                self._best = Best(cost, self.warm_start)
        self._store = state.new_store(self._layout, longest, second_heap=self.policy != "lower_bound")
        if self.beam_width:
            self._beam = beams.new_beam(self._layout, self.beam_width, longest, self._best.cost, constant_cost)
            self._phase = "incumbent"
        else:
            self._start_search()

    def _run_beam(self, target: int) -> None:
        beam = self._beam
        assert beam is not None
        ended = beams.advance(self._layout, self._rules, beam, target - self.work)
        self.work = int(beam.numbers[beams.WORK])
        if beam.best[0] < self._best.cost:
            length, at = beam.numbers[[beams.PATH_LENGTH, beams.FOUND_AT]].tolist()
            self._best = Best(int(beam.best[0]), self._named(beam.path[:length]), at, self.seconds)
        if ended:
            self._start_search()

    def _start_search(self) -> None:
        numbers = self._store.numbers
        numbers[state.BEST] = self._best.cost
        numbers[state.WORK] = self.work
        numbers[state.RANDOM] = np.random.default_rng(self.random_state).integers(1, 1 << 62)
        self._learning = Learning(self._layout, self._rules, self._cores_must_pay)
        self._beam = None
        self._phase = "searching"
        given = self._layout, self._rules, self._store, self._learning
        kernels.advance(*given[:3], *self._learning.handed, 0, 0)
        n = workers_of(self.n_jobs)
        self._running = Sequential(*given) if n == 1 else Rounds(n, *given, self._cores_must_pay)

    def _run_search(self, target: int) -> None:
        numbers = self._store.numbers
        improved = int(numbers[state.IMPROVED])
        outcome = self._running.advance(target - self.work, lambda: self._free)
        self._out_of_memory = outcome == kernels.GROW
        self._store, self.work = self._running.store, self._running.work
        if outcome == kernels.DONE:
            self._phase = "certified"
        if numbers[state.IMPROVED] > improved:
            path = self._named(self._store.path[: numbers[state.PATH_LENGTH]])
            self._best = Best(int(numbers[state.BEST]), path, int(numbers[state.FOUND_AT]), self.seconds)

    def _named(self, path: np.ndarray) -> tuple[int, ...]:
        """Reduced antecedents as indices of the problem's."""
        return tuple(self._reduction.antecedents[path].tolist())

    @property
    def _searches(self) -> bool:
        """Whether the first list was found and prefixes are stored."""
        return self._phase in ("searching", "certified")

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""
        if self._phase == "reducing":
            return 0
        if self._searches:
            return nbytes(self._running.store, self._layout) + self._learning.nbytes + self._running.nbytes
        return nbytes(self._store, self._layout, self._beam or ())

    def _snapshot(self) -> Snapshot:
        if self._phase == "reducing":
            first = self._incumbent_of((), (0.0, 0))
            return slices.preparing_snapshot(self.problem, first, self._phase, state.COUNTS, state.PRUNED_NAMES)
        numbers, pruned, by_length = self._store.numbers, self._store.pruned, None
        if self._searches:
            numbers, pruned, by_length = self._running.tally()
        reduction, costs, rules = self._reduction, self._costs, self._rules
        spare = max(0, self._best.cost - rules.per_error * rules.constant)
        longest = min(rules.max_length, spare // rules.per_rule)  # Thm 4, sharpened by the inevitable errors
        detail = {
            "antecedents": len(reduction.antecedents),
            "patterns": len(reduction.net),
            "inevitable_errors": reduction.constant * costs.per_error * costs.unit,
            "dropped": dict(reduction.dropped),
            "resolution": costs.exactness,
            "longest": longest,
        }
        cut = dict(zip(state.PRUNED_NAMES, pruned.tolist(), strict=True))
        counts = counted(numbers, state.COUNTS)
        return self._state(costs.exact, self._lower_bound(), counts, cut, by_length, longest, detail)

    def _stored(self) -> tuple[Any, int]:
        return self._running.stored(), int(self._store.numbers[state.N_NODES])

    def _scale(self) -> Scale | None:
        if not self._searches:
            return None
        own, costs = self._reduction.antecedents, self._costs
        return Scale(self.problem, own, state.PRUNED_NAMES, _BOUNDING, costs, costs.per_error, costs.per_error)

    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        self._learning.find_learner(self._store)
        self._learning.find_separator()
        arrays, learnt = self._layout, self._learning
        learner, separator = learnt.learner.address, learnt.separator.address
        cores, separation = (type(found)(*map(np.array, found)) for found in (learnt.cores, learnt.separation))
        rules = self._rules._replace(separate_after=np.iinfo(np.int64).max)

        def extended(store: state.Store, node: int, a: int) -> dict[str, Any]:
            captured = store.sets[node] & arrays.by_antecedent[a]
            cost = int(store.cost[node]) + rules.per_error * min(weigh(arrays, captured)) + rules.per_rule
            return {"sets": store.sets[node] & ~captured, "cost": cost, "key": cost}

        def advance(store: state.Store, work: int, effort: int, without: int) -> int:
            used = rules._replace(**{_SWITCHES[without]: False}) if without >= 0 else rules
            return int(kernels.advance(arrays, used, store, cores, learner, separation, separator, work, effort))

        m = len(self._reduction.antecedents)
        return children(self._store, _PLACES, m, prefix, extended, advance, WORTHLESS)

    def _lower_bound(self) -> float:
        """The proven bound in the objective's units."""
        if self._searches:
            cost = int(self._store.numbers[state.LOWER_BOUND])
        else:
            rules = self._rules
            least = rules.per_rule if rules.lookahead else 0
            cost = min(self._best.cost, rules.per_error * rules.constant + least)
        return max(0.0, cost * self._costs.unit - self._costs.slack)

    def _incumbent_of(self, antecedents: tuple[int, ...], found_at: tuple[float, int]) -> Incumbent:
        return incumbent_of(self.problem, antecedents, self.regularization, found_at)


FairRuleListSearch._free_search = RuleListSearch
