"""Certifiably optimal falling rule lists by best-first search over the sets that prefixes leave uncaptured."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ... import slices
from ...arguments import bounds_of
from ...certificate import Certificate, CertificateError, prove_falling_rule_list, prove_soft_falling_rule_list
from ...data.problem import Problem
from ...kernels.growing import nbytes
from ...kernels.jit import is_compiled
from ...models import FallingRuleList
from ...parameters import ITERATIONS, check_arguments
from ...prefixes import Best, Children, Places, PrefixSearch, Scale, children, path_to
from ...proving import Proving
from ...rehearsal import tiny_problem
from ...snapshot import Snapshot, counted
from ...stepping import solve
from ..bounds import FallingBounds
from ..costs import Costs, Prepared, captured, predicted
from ..monte_carlo import search as monte_carlo
from ..search import FallingSearch
from . import kernels, state
from .fixing import captures
from .reducing import Reducing
from .state import Layout, layout, patterns_of

PATIENCE = 8192  # prefixes expanded before antecedents are looked at for the first time
_UNLIMITED = int(np.iinfo(np.int32).max)
_BEGUN = ("searching", "dropping antecedents", "certified")
EFFORT_PER_WORK = 150_000_000  # words that a unit of work looks at, about: less than a fifth of a second
_OTHERS = {"feasible prefix", "necessary condition", "dominance"}
_ALWAYS = {"always: captures nothing or all", "always: rising proportion", "always: length limit"}
_BOUNDING = frozenset(state.PRUNED_NAMES) - _OTHERS - _ALWAYS
"""What cuts because no list that goes on costs less than the best one."""
_PLACES = Places(state, state.NODES, state.HEAP, purged=state.BY_INCUMBENT)


class FallingRuleListSearch(FallingSearch, PrefixSearch, Proving):
    """Step-wise exact search for the falling rule list of least weighted loss.

    Parameters
    ----------
    problem, regularization, positive_weight, method
        See `FallingSearch`.
    violation_penalty : None
        Softly falling lists are those of a `SoftSearch`, which `rulelab.search` makes.
    bounds : FallingBounds, optional
        Which bounds are used; all by default.
    max_length, memory_limit
        As of `rulelab.RuleListSearch`.
    random_state : int, optional
        Seed of the Monte-Carlo search for the first list.
    iterations : int
        Lists that the Monte-Carlo search makes; 0 starts from the else alone.
    fairness : None
        Fair ones are those of a `FairFallingSearch`.
    min_group_size : int
        Without meaning here.

    Raises
    ------
    ValueError
        When an argument is out of range; the message says what is allowed.

    Notes
    -----
    Chen and Rudin, "An optimization approach to learning falling rule lists", AISTATS 2018, state the problem and most
    bounds (see `FallingBounds`). Every captured set is stored with the proportions and lengths that are worth having.
    All comparisons are of integers; weights without a common unit are rounded to a grid of 2^50 units, on which a list
    may fall whose proportions rise by no more than rounding hides: the bound is one for these, too.
    """

    _kernel = staticmethod(kernels.advance)

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        method: str | None = None,
        bounds: FallingBounds | None = None,
        max_length: int | None = None,
        memory_limit: int | None = None,
        random_state: int | None = None,
        iterations: int = 3000,
        *,
        fairness: None = None,
        min_group_size: int = 0,
    ) -> None:
        super().__init__(problem, regularization, positive_weight, violation_penalty, method, fairness, min_group_size)
        check_arguments(max_length=max_length, memory_limit=memory_limit, random_state=random_state)
        replace(ITERATIONS, least=0).check(iterations)
        self.bounds = bounds_of(FallingBounds, bounds)
        self.max_length = max_length
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.iterations = int(iterations)
        self._phase = "preparing"
        self._best = Best(0)
        self._first: monte_carlo.MonteCarlo | None = None
        self._reducing: Reducing | None = None
        self._trivial = 0
        self._costs: Costs
        self._data: Prepared
        self._patterns: np.ndarray | None = None
        self._layout: Layout
        self._rules: state.Rules
        self._store: state.Store

    @property
    def compiled(self) -> bool:
        return is_compiled(kernels.advance) and (not self.iterations or is_compiled(monte_carlo.kernels.advance))

    def _rehearse(self) -> None:
        solve(FallingRuleListSearch(tiny_problem(), regularization=0.0, iterations=2))

    def _to_prove(self, bound_only: bool) -> float | None:
        if self.max_length is not None:
            raise CertificateError("certificates need max_length=None: they prove optimality among lists of any length")
        return super()._to_prove(bound_only)

    def _certificate(self, bound: float | None) -> Certificate:
        return self.certificate_of(self._make_incumbent().model, bound)

    def certificate_of(self, model: FallingRuleList, bound: float | None = None) -> Certificate:
        """The proof that a list is one of the best, or with ``bound`` that none is below that.

        Parameters
        ----------
        model : FallingRuleList
        bound : float, optional
            An objective.
        """
        given = self.problem, model, self.regularization, bound
        if self.violation_penalty is not None:
            return prove_soft_falling_rule_list(*given)
        dropping = None  # what drops antecedents, where the search did so
        if self._reducing is not None and self._reducing.has_dropped:
            dropping = captures(self._data, self._best.cost if bound is None else int(bound / self._costs.unit))
        return prove_falling_rule_list(*given, dropping)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""
        if self._phase == "preparing":
            return 0
        others = (each.memory_bytes for each in (self._first, self._reducing) if each is not None)
        return nbytes(self._store, self._layout) + sum(others)

    def _advance(self, max_work: int) -> None:
        target = self.work + max_work
        if self._phase == "preparing":
            self._prepare()
            if slices.is_large(self.problem):
                return
        if self._phase == "incumbent":  # a call ends with a phase: a unit of work may take longer from then on
            self._find_first(target)
        elif self._phase == "dropping antecedents":
            assert self._reducing is not None
            if self._reducing.advance(target):
                self._phase = "searching"
            self._store.numbers[state.WORK] = self.work
        elif self._phase == "searching":
            self._run(target if self._reducing is None else int(min(target, self._reducing.after)))
            if self._reducing is not None and self._phase == "searching" and self.work >= self._reducing.after:
                self._phase = "dropping antecedents"

    def _prepare(self) -> None:
        """Pack the problem and arrange it; a part of that where it is large."""
        large = slices.is_large(self.problem)
        if not hasattr(self, "_data"):
            self._data = self._prepared()
            if large:
                return
        if self._patterns is None and not hasattr(self, "_layout"):
            self._patterns = patterns_of(self._data)
            if large:
                return
        self._costs = self._grid(self._data.costs)
        costs, m = self._costs, len(self._data.antecedents)
        if not hasattr(self, "_layout"):
            assert self._patterns is not None
            self._layout, self._patterns = layout(self._data, self._patterns), None
        positive, negative = int(costs.positives.sum()), int(costs.negatives.sum())
        alone = min(costs.per_positive * positive, costs.per_negative * negative)
        points = 0  # wrong in every list
        if self.bounds.equivalent_points:
            each = np.minimum(costs.per_positive * costs.positives, costs.per_negative * costs.negatives)
            points = int(each.sum())
        self._trivial = min(alone, points + costs.per_rule)
        self._rules = state.Rules(
            per_positive=costs.per_positive,
            per_negative=costs.per_negative,
            per_rule=costs.per_rule,
            penalty=0.0 if self.violation_penalty is None else self.violation_penalty / costs.unit,
            soft=self.violation_penalty is not None,
            max_length=_UNLIMITED if self.max_length is None else min(self.max_length, _UNLIMITED),
            limited=self.max_length is not None,
            misplaced=0 if self.violation_penalty is not None else costs.misplaced,
            **self.bounds.to_dict(),
        )
        self._best = Best(alone)
        self._store = state.new_store(self._layout, m)
        self._begin()

    def _grid(self, costs: Costs) -> Costs:
        """The costs that the kernels use."""
        return costs

    def _begin(self) -> None:
        """Enter the first phase."""
        if self.iterations and self.max_length != 0:
            self._first = monte_carlo.MonteCarlo(self._data, self.violation_penalty, self.random_state or 0)
            self._phase = "incumbent"
        else:
            self._start()

    def _find_first(self, target: int) -> None:
        first, before = self._first, self.work
        assert first is not None
        done = first.work
        while first.work < self.iterations and self.work < target:
            improved = first.advance(min(self.iterations - first.work, target - self.work))
            self.work = before + first.work - done
            if improved:
                self._consider(tuple(self._data.antecedents[list(first.best)].tolist()), self.work)
        if first.work >= self.iterations:
            self._first = None
            self._start()

    def _consider(self, antecedents: tuple[int, ...], work: int) -> None:
        """Make a list, found after so much work, the incumbent when it is better."""
        if self.max_length is not None and len(antecedents) > self.max_length:
            return
        cost = self._cost_of(antecedents)
        if cost is not None and cost < self._best.cost and self._is_allowed(antecedents):
            self._best = Best(cost, antecedents, work, self._seconds)

    def _is_allowed(self, antecedents: tuple[int, ...]) -> bool:
        """Whether the list falls, by the weights as they were given; any softly falling list is allowed."""
        if self._costs.weights_exact or self._rules.soft:
            return True
        return predicted(self.problem, antecedents, self.positive_weight) is not None

    def _cost_of(self, antecedents: tuple[int, ...]) -> int | None:
        """Cost of a list on the grid, counted on the problem's patterns; None when it is certain not to fall."""
        costs, rules, cost = self._costs, self._rules, self._costs.per_rule * len(antecedents)
        least_p, least_n = 1, 1
        for hit in captured(self.problem, antecedents):
            p, q = int(costs.positives[hit].sum()), int(costs.negatives[hit].sum())
            cost += min(costs.per_positive * p, costs.per_negative * q)
            if p * least_n > least_p * (p + q) and not rules.misplaced:
                if not rules.soft:
                    return None
                cost += int(rules.penalty * (p / (p + q) - least_p / least_n))
            elif p + q > 0:
                least_p, least_n = p, p + q
        return cost

    def _start(self) -> None:
        costs, numbers = self._costs, self._store.numbers
        numbers[state.BEST] = self._best.cost
        numbers[state.WORK] = self.work
        self._phase = "searching"
        if self.bounds.joint_capture and not self._rules.soft:
            self._reducing = Reducing(self, PATIENCE)
        self._store.left_positive[0], self._store.left_negative[0] = costs.positives.sum(), costs.negatives.sum()
        self._kernel(self._layout, self._rules, self._store, 0, 0)

    def _run(self, target: int) -> None:
        advance = partial(self._kernel, self._layout, self._rules)
        if self._go_on(advance, _PLACES, len(self._data.antecedents), EFFORT_PER_WORK, target):
            numbers = self._store.numbers
            path = self._store.path[: numbers[state.PATH_LENGTH]]
            found = tuple(self._data.antecedents[path].tolist())
            if self._is_allowed(found):
                self._best = Best(int(numbers[state.BEST]), found, int(numbers[state.FOUND_AT]), self._seconds)

    def _snapshot(self) -> Snapshot:
        if self._phase == "preparing":
            first = self._incumbent_of((), (0.0, 0))
            return slices.preparing_snapshot(self.problem, first, self._phase, state.COUNTS, state.PRUNED_NAMES)
        store, numbers, rules, m = self._store, self._store.numbers, self._rules, len(self._data.antecedents)
        begun = self._phase in _BEGUN
        longest = min(m, rules.max_length)
        if rules.per_rule:
            longest = min(longest, max(0, self._best.cost - self._trivial) // rules.per_rule + 1)
        detail = {
            "antecedents": m,
            "patterns": int(np.bitwise_count(self._layout.full).sum()),
            "dropped": dict(self._data.dropped),
            "resolution": self._resolution,
            "longest": longest,
        }
        exact = self._costs.exact or self._make_incumbent().objective == 0  # below which nothing is
        bound = self._in_units(int(numbers[state.LOWER_BOUND]) if begun else self._trivial)
        cut = dict(zip(state.PRUNED_NAMES, store.pruned.tolist(), strict=True))
        queue = store.queue_by_length if begun else None
        return self._state(exact, bound, counted(numbers, state.COUNTS), cut, queue, longest, detail)

    @property
    def _resolution(self) -> float:
        """How far two lists may lie apart that the grid does not tell apart."""
        return self._costs.exactness

    def _in_units(self, cost: int) -> float:
        """A lower bound on the grid in the objective's units."""
        return max(0.0, cost * self._costs.unit - self._costs.slack)

    def _stored(self) -> tuple[Any, int]:
        return self._store, int(self._store.numbers[state.N_NODES])

    def _scale(self) -> Scale | None:
        if self._phase not in _BEGUN:
            return None
        own, costs = self._data.antecedents, self._costs
        return Scale(self.problem, own, state.PRUNED_NAMES, _BOUNDING, costs, costs.per_positive, costs.per_negative)

    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        arrays, rules, kernel = self._layout, self._rules, self._kernel

        def extended(store: state.Store, node: int, a: int) -> dict[str, Any]:
            left = arrays.full.copy()
            for before in path_to(store, node):
                left &= ~arrays.by_antecedent[before]
            captured = left & arrays.by_antecedent[a]
            p = _weight(arrays.positive_word, arrays.positive_mask, arrays.positive_digit, captured)
            q = _weight(arrays.negative_word, arrays.negative_mask, arrays.negative_digit, captured)
            n, misplaced = p + q, rules.misplaced
            least, share = max(p - misplaced, 0), p + misplaced  # of the positives, see `state.Rules`
            least_p, least_n = int(store.ratio_p[node]), int(store.ratio_n[node])
            cost = int(store.cost[node]) + rules.per_rule + min(rules.per_positive * p, rules.per_negative * q)
            rises = least * least_n > least_p * (least + q + misplaced)
            if rises and not rules.soft:
                place = int(store.length[node]) + 1
                raise ValueError(f"prefix: rule {place} has a larger proportion of positives than the one before")
            if rises:
                cost += int(rules.penalty * float(Fraction(p, n) - Fraction(least_p, least_n)))
            return {
                "cost": cost,
                "key": cost,
                "left_positive": store.left_positive[node] - p,
                "left_negative": store.left_negative[node] - q,
                "ratio_p": least_p if rises or not n else share,
                "ratio_n": least_n if rises or not n else share + max(q - misplaced, 0),
            }

        def advance(store: state.Store, work: int, effort: int, without: int) -> int:
            return int(kernel(arrays, rules, store, work, effort))

        return children(self._store, _PLACES, len(self._data.antecedents), prefix, extended, advance)


def _weight(word: np.ndarray, mask: np.ndarray, digit: np.ndarray, chosen: np.ndarray) -> int:
    return int((np.bitwise_count(chosen[word] & mask).astype(np.int64) << digit).sum())
