"""Certifiably optimal rule lists by best-first search over the sets of patterns that are still uncaptured."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from ... import preparing, remaining
from ...arguments import is_whole, require
from ...certificate import Certificate, CertificateError, prove_rule_list
from ...data.fairness import Criterion, PredictiveParity
from ...data.problem import Problem
from ...kernels.growing import affordable, bytes_to_resize, resized, table_size
from ...kernels.jit import is_compiled
from ...models import RuleList
from ...prefixes import Children, PrefixSearch, Scale
from ...proving import Proving, kept
from ...rehearsal import tiny_problem
from ...search import solve
from ...slices import effort_of
from ...snapshot import Incumbent, Snapshot, Status, bound_shown, counted, standing
from .. import beam as beams
from ..bounds import RuleListBounds
from ..constrained.fair_search import FairConstrainedRuleListSearch
from ..constrained.search import ConstrainedRuleListSearch
from ..core_pool import GIVEN_UP, Cores, known_sets
from ..cores import Learner, inequality, learn, new_cores
from ..costs import Costs, costs_of, require_regularization
from ..counting import EFFORT_PER_WORK, Layout, layout
from ..fair.predictive import PredictiveParitySearch
from ..fair.search import FairRuleListSearch, check_labels
from ..reduction import Reducing, Reduction
from ..separating import Separating, descend, settle
from ..separation import NEXT, Separation, Separator, is_ready, least_cost, no_separation, separation_of
from ..start import antecedents_of
from . import kernels, looking, state
from .incumbent import incumbent_of

POLICIES = {
    "lower_bound": state.LOWER_BOUND_FIRST,
    "objective": state.OBJECTIVE,
    "curiosity": state.CURIOSITY,
    "breadth_first": state.BREADTH_FIRST,
    "depth_first": state.DEPTH_FIRST,
    "random": state.RANDOM_ORDER,
}

_PARAMETERS = (
    *("problem", "regularization", "policy", "bounds", "max_length"),
    *("memory_limit", "random_state", "beam_width", "warm_start"),
)
_NOT_FAIR = {"policy": "lower_bound", "max_length": None}
_DEMANDS = ("must_use", "first_rule", "max_uses", "monotone")
_EFFORT_OF_A_LONG_SEARCH = 1_000_000_000
_EXPANDED_BETWEEN = 8  # prefixes, while multipliers are found: a call does some work whatever it finds
_UNLIMITED_LENGTH = int(np.iinfo(np.int16).max)


@dataclass
class _Best:
    """The incumbent: its cost on the grid and its antecedents, as indices of the problem's."""

    cost: int
    antecedents: tuple[int, ...] = ()
    work: int = 0
    seconds: float = 0.0


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
    fairness : Criterion, optional
        Such as `rulelab.EqualOpportunity`, over the problem's groups. What is made then is a `FairRuleListSearch`, with
        ``labels`` and ``min_group_size`` as it has them; it knows no other policy. With ``max_length``, or any of the
        demands below, a `FairConstrainedRuleListSearch`.
    labels : str
        "free" or "majority". Without a criterion the best list predicts majorities in any case.
    min_group_size : int
    must_use, first_rule, max_uses, monotone : optional
        What a list has to use, and to obey: then a `ConstrainedRuleListSearch` is made, which knows no other policy, no
        switches for its bounds.

    Raises
    ------
    ValueError
        When an argument is out of range; the message says what is allowed.

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

    def __new__(cls, *arguments: Any, fairness: Criterion | None = None, **parameters: Any) -> Any:
        demands = {name: value for name in _DEMANDS if not _is_nothing(value := parameters.pop(name, None))}
        if fairness is None and not demands:
            return super().__new__(cls)
        named = dict(zip(_PARAMETERS, arguments, strict=False)) | parameters
        if fairness is not None and (demands or named.get("max_length") is not None):
            return _constrained({**named, **demands, "fairness": fairness})
        if demands:
            return _constrained({**named, **demands})
        for name, only in _NOT_FAIR.items():
            if (given := named.pop(name, only)) != only:
                raise ValueError(f"{name} must be {only!r} where a list has to be fair, not {given!r}")
        if isinstance(bounds := named.get("bounds"), RuleListBounds):
            if bounds != RuleListBounds():
                raise ValueError(
                    "bounds of other rule lists cannot be left out where a list has to be fair; its own can, see "
                    "FairRuleListBounds"
                )
            del named["bounds"]
        named.pop("random_state", None)  # of the policy "random" alone
        kind = PredictiveParitySearch if isinstance(fairness, PredictiveParity) else FairRuleListSearch
        return kind(fairness=fairness, **named)

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
        fairness: None = None,
        labels: str = "free",
        min_group_size: int = 0,
        must_use: None = None,
        first_rule: None = None,
        max_uses: None = None,
        monotone: None = None,
    ) -> None:
        super().__init__(problem)
        check_labels(labels, min_group_size)
        _check(problem, regularization, policy, bounds, max_length, memory_limit, random_state, beam_width)
        self.warm_start = None if warm_start is None else antecedents_of(warm_start, problem)
        self.regularization = float(regularization)
        self.policy = policy
        self.bounds = RuleListBounds() if bounds is None else bounds
        self.max_length = max_length
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.beam_width = int(beam_width)
        self._phase = "reducing"
        self._out_of_memory = False
        self._best = _Best(0)
        self._incumbent: Incumbent | None = None
        self._costs: Costs
        self._reducing: Reducing | None = None
        self._reduction: Reduction
        self._layout: Layout
        self._rules: state.Rules
        self._beam: beams.Beam | None = None
        self._store: state.Store
        self._cores: Cores
        self._learner = Learner()
        self._separation: Separation
        self._separating: Separating | None = None
        self._separator = Separator()

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "regularization": self.regularization,
            "policy": self.policy,
            "bounds": None if self.bounds == RuleListBounds() else self.bounds,
            "max_length": self.max_length,
            "memory_limit": self.memory_limit,
            "random_state": self.random_state,
            "beam_width": self.beam_width,
            "warm_start": self.warm_start,
        }

    @property
    def compiled(self) -> bool:
        ready = is_compiled(kernels.advance) and (not self.beam_width or is_compiled(beams.advance))
        separates = not self.bounds.separation or is_compiled(descend, settle, separation_of)
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
        return type(self), self._learns

    def _rehearse(self) -> None:
        small = RuleListSearch(tiny_problem(), 0.01, bounds=RuleListBounds(cores=self._learns), beam_width=2)
        small._LEARN_AFTER = small._LEARN_WHERE = small._SEPARATE_AFTER = 0  # type: ignore[misc]
        solve(small)

    @kept
    def certificate(self, bound_only: bool = False) -> Certificate:
        """The proof that the list is optimal, for `rulelab.verify`, to save and to hand on.

        It is made from the list and the cores that the search learnt, without its bounds on paths, so that an
        independent check can follow it. A long search that did without cores is repeated with them: they cost it time,
        but make the proof much smaller. With ``max_length`` it is the proof of a `ConstrainedRuleListSearch`, which is
        run for it.

        Parameters
        ----------
        bound_only : bool
            Of a search that has not ended: prove its lower bound. `rulelab.verify` answers with the state "bound".

        Raises
        ------
        CertificateError
            When the search has not ended with status OPTIMAL; for its bound when it has a length limit.
        """
        bound = self._to_prove(bound_only)
        model = self._make_incumbent().model
        if self.max_length is not None:
            return self._certificate_of_limited(model, bound)
        if bound is not None and self._phase != "searching":
            return prove_rule_list(self.problem, model, self.regularization, lower_bound=bound)
        learner = self
        did_without = self._cores.numbers[GIVEN_UP] or (self.bounds.cores and not self._learns)
        if did_without and self.work * self._layout.effort > _EFFORT_OF_A_LONG_SEARCH:
            learner = RuleListSearch(self.problem, self.regularization, warm_start=model)
            learner._cores_must_pay = False
            solve(learner, work_limit=None if bound is None else self.work)
        if bound is not None and learner._phase not in ("searching", "certified"):
            return prove_rule_list(self.problem, model, self.regularization, lower_bound=bound)
        known = known_sets(learner._cores, learner._layout, learner._reduction, learner._costs, learner._separation)
        return prove_rule_list(self.problem, model, self.regularization, known, bound)

    def _certificate_of_limited(self, model: RuleList, bound: float | None) -> Certificate:
        """That no list of at most ``max_length`` rules is better."""
        if bound is not None:
            raise CertificateError(
                "certificates of a bound need max_length=None: that of this search holds for its length alone; "
                "ConstrainedRuleListSearch with the same max_length has one"
            )
        learner = ConstrainedRuleListSearch(
            self.problem,
            self.regularization,
            max_length=self.max_length,
            memory_limit=self.memory_limit,
            warm_start=model,
        )
        if solve(learner).status is not Status.OPTIMAL:
            raise CertificateError("the memory limit does not allow to prove lists of limited length")
        return learner.certificate_of(model)

    def _advance(self, max_work: int) -> None:
        target = self.work + max_work
        if self._phase == "reducing":
            self._prepare()
            if preparing.is_large(self.problem):
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
        while self._reducing.reduction is None:
            self._reducing.advance()
            if preparing.is_large(problem):
                return
        costs, reduction, self._reducing = self._costs, self._reducing.reduction, None
        m = len(reduction.antecedents)
        positive = int(reduction.net[reduction.net > 0].sum())
        negative = int(-reduction.net[reduction.net < 0].sum())
        constant_cost = costs.per_error * reduction.constant
        default_cost = constant_cost + costs.per_error * min(positive, negative)
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
        self._best = _Best(default_cost)
        if self.warm_start is not None and len(self.warm_start) <= self._rules.max_length:
            cost = _cost_of(self.warm_start, problem, costs)
            if cost < default_cost:
                self._best = _Best(cost, self.warm_start)
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
            self._best = _Best(int(beam.best[0]), self._named(beam.path[:length]), at, self.seconds)
        if ended:
            self._start_search()

    def _start_search(self) -> None:
        numbers = self._store.numbers
        numbers[state.BEST] = self._best.cost
        numbers[state.WORK] = self.work
        numbers[state.RANDOM] = np.random.default_rng(self.random_state).integers(1, 1 << 62)
        self._cores = new_cores(self._layout, self._cores_must_pay)
        self._separation = no_separation()
        self._beam = None
        self._phase = "searching"
        kernels.advance(self._layout, self._rules, self._store, *self._learnt, 0, 0)

    def _run_search(self, target: int) -> None:
        numbers = self._store.numbers
        self._out_of_memory = False
        improved = int(numbers[state.IMPROVED])
        if numbers[state.OPEN_NODE] >= 0 and numbers[state.EXPANDED] >= self._rules.learn_after:
            self._find_learner()  # a prefix left half-way in another process is gone on with as it would be there
        while self.work < target:
            left = target - self.work
            outcome = kernels.advance(
                self._layout, self._rules, self._store, *self._learnt, left, effort_of(left, EFFORT_PER_WORK)
            )
            self.work = int(numbers[state.WORK])
            if outcome == kernels.DONE:
                self._phase = "certified"
            if outcome == kernels.LEARN:
                self._find_learner()
                continue
            if outcome == kernels.SEPARATE:
                self._separate()
                continue
            if outcome != kernels.GROW:
                break
            if not self._grow():
                self._out_of_memory = True
                break
        if numbers[state.IMPROVED] > improved:
            path = self._named(self._store.path[: numbers[state.PATH_LENGTH]])
            self._best = _Best(int(numbers[state.BEST]), path, int(numbers[state.FOUND_AT]), self.seconds)

    @property
    def _learnt(self) -> tuple[Cores, int, Separation, int]:
        """What kernels are handed beside the prefixes."""
        return self._cores, self._learner.address, self._separation, self._separator.address

    def _find_learner(self) -> None:
        if self._learner.address == 0 and self._learns:
            self._learner.find(self._layout, self._rules, self._cores, self._store.scratch_set[0], 1)

    def _find_separator(self) -> None:
        if self._separator.address == 0 and is_ready(self._separation):
            chosen, counts = self._store.scratch_set[0], self._store.scratch_counts[0]
            self._separator.find(self._layout, self._rules, self._separation, chosen, counts, counts)

    def _separate(self) -> None:
        """Go on to find pairs of patterns and multipliers, which bound what all lists cost."""
        numbers = self._store.numbers
        if not is_ready(self._separation):
            if self._separating is None:
                self._separating = Separating(self._layout, self._rules.per_error, self._rules.per_rule, self._free)
            self._separating.advance()
            if self._separating.found is None:
                self._separation.numbers[NEXT] = int(numbers[state.EXPANDED]) + _EXPANDED_BETWEEN
                return
            self._separation, self._separating = self._separating.found, None
        self._find_separator()
        least = min(int(self._store.cost[0]) + least_cost(self._separation), int(numbers[state.BEST]))
        numbers[state.LOWER_BOUND] = max(int(numbers[state.LOWER_BOUND]), least)

    def _named(self, path: np.ndarray) -> tuple[int, ...]:
        """Reduced antecedents as indices of the problem's."""
        return tuple(self._reduction.antecedents[path].tolist())

    def _grow(self) -> bool:
        """Make room for more prefixes; False when the memory limit does not allow it."""
        store, m = self._store, len(self._reduction.antecedents)
        needed = int(store.numbers[state.N_NODES]) + m
        capacity = len(store.cost)
        if needed > capacity:
            wanted = affordable(capacity, needed, self._free, partial(state.bytes_to_grow, store))
            if wanted < needed:
                return False
            store = resized(store, state.NODE_ARRAYS, wanted)
            table = table_size(wanted)
            if table > len(store.table):
                store = store._replace(table=np.empty(table, dtype=np.int32))
                store.numbers[state.TABLE_IS_STALE] = 1
            self._store = store
        for names, used in ((state.HEAP_ARRAYS, state.N_HEAP), (state.BOUND_HEAP_ARRAYS, state.N_BOUND_HEAP)):
            needed = int(store.numbers[used]) + m
            capacity = len(getattr(store, names[0]))
            if needed > capacity and capacity > 1:
                wanted = affordable(capacity, needed, self._free, partial(bytes_to_resize, store, names))
                if wanted < needed:
                    return False
                self._store = store = resized(store, names, wanted)
        return True

    @property
    def _free(self) -> int | None:
        """Bytes that the memory limit leaves; None without one."""
        return None if self.memory_limit is None else self.memory_limit - self.memory_bytes

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""
        if self._phase == "reducing":
            return 0
        beam = 0 if self._beam is None else sum(array.nbytes for array in self._beam)
        separation = sum(a.nbytes for a in self._separation) if self._phase in ("searching", "certified") else 0
        separation += 0 if self._separating is None else self._separating.nbytes
        layout = sum(a.nbytes for a in self._layout if isinstance(a, np.ndarray))
        return state.memory_bytes(self._store) + layout + beam + separation

    def _snapshot(self) -> Snapshot:
        if self._phase == "reducing":
            first = incumbent_of(self.problem, (), self.regularization, (0.0, 0))
            return preparing.snapshot(self.problem, first, self._phase, state.COUNTS, state.PRUNED_NAMES)
        store, numbers = self._store, self._store.numbers
        incumbent = self._make_incumbent()
        memory = "memory" if self._out_of_memory else None
        status, limit = standing(self._phase == "certified", self._costs.exact, memory)
        searching = self._phase in ("searching", "certified")
        queue = tuple(np.trim_zeros(store.queue_by_length, "b").tolist())
        m = len(self._reduction.antecedents)
        longest = _longest(self._best.cost, self._rules)
        return Snapshot(
            step=0,
            work=self.work,
            seconds=0.0,
            status=status,
            incumbent=incumbent,
            lower_bound=bound_shown(incumbent.objective, self._lower_bound(), status, limit, self._costs.exactness),
            counts=counted(numbers, state.COUNTS),
            pruned=dict(zip(state.PRUNED_NAMES, store.pruned.tolist(), strict=True)),
            queue_by_length=queue,
            log10_remaining=remaining.log10_coarse(queue if searching else (1,), m, longest),
            memory_bytes=self.memory_bytes,
            phase=self._phase,
            limit=limit,
            detail={
                "antecedents": m,
                "patterns": len(self._reduction.net),
                "inevitable_errors": self._reduction.constant * self._costs.per_error * self._costs.unit,
                "dropped": dict(self._reduction.dropped),
                "resolution": self._costs.exactness,
                "longest": longest,
            },
        )

    def _stored(self) -> tuple[Any, int]:
        return self._store, int(self._store.numbers[state.N_NODES])

    def _scale(self) -> Scale | None:
        if self._phase not in ("searching", "certified"):
            return None
        costs = self._costs
        return Scale(
            self.problem,
            self._reduction.antecedents,
            looking.CUTS,
            looking.BOUNDING,
            costs,
            costs.per_error,
            costs.per_error,
        )

    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        self._find_learner()
        self._find_separator()
        return looking.children(self._layout, self._rules, self._store, self._learnt, prefix)

    def _lower_bound(self) -> float:
        """The proven bound in the objective's units."""
        if self._phase in ("searching", "certified"):
            cost = int(self._store.numbers[state.LOWER_BOUND])
        else:
            rules = self._rules
            least = rules.per_rule if rules.lookahead else 0
            cost = min(self._best.cost, rules.per_error * rules.constant + least)
        return max(0.0, cost * self._costs.unit - self._costs.slack)

    def _make_incumbent(self) -> Incumbent:
        best = self._best
        if self._incumbent is None or self._incumbent.model.antecedents != best.antecedents:
            found_at = (best.seconds, best.work)
            self._incumbent = incumbent_of(self.problem, best.antecedents, self.regularization, found_at)
        return self._incumbent


def _longest(best: int, rules: state.Rules) -> int:
    """Most rules of a list that beats the incumbent (Thm 4, sharpened by the inevitable errors)."""
    return min(rules.max_length, max(0, best - rules.per_error * rules.constant) // rules.per_rule)


def _cost_of(antecedents: Sequence[int], problem: Problem, costs: Costs) -> int:
    """Cost of a list on the grid, counted on the problem's patterns."""
    wrong, left = 0, np.ones(problem.n_patterns, dtype=bool)
    for j in [*antecedents, None]:
        hit = left
        if j is not None:
            hit = left & (problem.words[:, j >> 6] >> np.uint64(j & 63) & np.uint64(1)).astype(bool)
        wrong += min(int(costs.positives[hit].sum()), int(costs.negatives[hit].sum()))
        left = left & ~hit
    return costs.per_error * wrong + costs.per_rule * len(antecedents)


def _is_nothing(demand: Any) -> bool:
    return demand is None or (isinstance(demand, str | list | tuple | Mapping) and not demand)


def _constrained(named: dict[str, Any]) -> ConstrainedRuleListSearch | FairConstrainedRuleListSearch:
    """The search of lists with demands; refuses what it does not know."""
    policy, bounds = named.pop("policy", "lower_bound"), named.pop("bounds", None)
    if policy != "lower_bound":
        raise ValueError(f"policy must be 'lower_bound' where a list has to use something, not {policy!r}")
    if bounds not in (None, RuleListBounds()):
        raise ValueError("bounds have no switches where a list has to use something: leave them out")
    named.pop("random_state", None)  # of the policy "random" alone
    if "fairness" in named:
        return FairConstrainedRuleListSearch(**named)
    check_labels(named.pop("labels", "free"), named.pop("min_group_size", 0))
    return ConstrainedRuleListSearch(**named)


def _as_called() -> inspect.Signature:
    """What calling the class takes: that of its ``__init__``, which ``__new__`` only looks at for fairness."""
    signature = inspect.signature(RuleListSearch.__init__)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


RuleListSearch.__signature__ = _as_called()  # type: ignore[attr-defined]


def _check(
    problem: Any,
    regularization: Any,
    policy: Any,
    bounds: Any,
    max_length: Any,
    memory_limit: Any,
    random_state: Any,
    beam_width: Any,
) -> None:
    require(
        ("problem", problem, isinstance(problem, Problem), "a rulelab.Problem"),
        ("policy", policy, isinstance(policy, str) and policy in POLICIES, f"one of {', '.join(POLICIES)}"),
        ("bounds", bounds, bounds is None or isinstance(bounds, RuleListBounds), "a RuleListBounds or None"),
        ("max_length", max_length, max_length is None or is_whole(max_length, 0), "an integer >= 0 or None"),
        ("memory_limit", memory_limit, memory_limit is None or is_whole(memory_limit, 1), "bytes > 0 or None"),
        ("random_state", random_state, random_state is None or is_whole(random_state, 0), "an integer or None"),
        ("beam_width", beam_width, is_whole(beam_width, 0), "an integer >= 0"),
    )
    require_regularization(problem, regularization)
    widest = beams.widest(problem, 0.5 / regularization)
    require(("beam_width", beam_width, beam_width <= widest, f"at most {widest} for this problem"))
