"""Certifiably optimal rule lists under fairness constraints, by a Lagrangian relaxation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...arguments import bounds_of, check_choice, require
from ...certificate import Certificate, prove_constrained_rule_list
from ...certificate.outcome import for_bound
from ...data.fairness import Criterion
from ...data.problem import Problem
from ...data.rate_constraints import Constraints, constraints_of, unbound
from ...models import RuleList
from ...parameters import check_arguments
from ...phases import RelaxedFirst
from ...proving import FairSearch
from ...rehearsal import grouped_problem
from ...snapshot import Incumbent, Snapshot
from ...stepping import solve
from ..bounds import FairRuleListBounds
from ..costs import Costs, antecedents_of, costs_of, first_captures, labels_of, largest_cost, require_regularization
from . import passes, state
from .passes import GROWING, LabelSetting, Multipliers, list_of, predicted, proven_of_sets
from .relaxation import reduced, scaled, shift_of

LABELS = ("free", "majority")
_LARGEST_COST = 1 << 62
_WIDEST = 100  # beam of the search for the best list of all


@dataclass(frozen=True)
class _Best:
    """The best list so far: what it costs on the grid, how it is shown, and what is told of its groups' rates."""

    cost: int
    incumbent: Incumbent | None = None
    notes: dict[str, Any] = field(default_factory=dict)


class FairRuleListSearch(RelaxedFirst, LabelSetting, FairSearch):
    """Step-wise exact search for the rule list of least ``errors / n + regularization * rules`` that is fair.

    `rulelab.search` makes one when it is given a criterion.

    Parameters
    ----------
    problem : Problem
        With groups.
    regularization, memory_limit
        As of `rulelab.RuleListSearch`.
    fairness : Criterion
        Such as `rulelab.EqualOpportunity`, over the problem's groups.
    labels : str
        "free": each rule and the default may predict either class, whichever makes the list best. "majority": each
        predicts the class that most of what it is the first to capture has, and the negative one when both weigh the
        same.
    bounds : FairRuleListBounds, optional
        Which bounds are used; all by default.
    beam_width : int
        Width of the beam searches for the first lists.
    min_group_size : int
        Groups with fewer training rows, of the class that a rate is measured on, are left out of the criterion. 0 for
        all groups.
    warm_start : RuleList or sequence of int, optional
        A list to begin with, if it is fair: a model, whose antecedents are found by name, or indices of the problem's
        antecedents, whose rules predict the majority.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    family: ClassVar[str] = "rule_list"
    _has_to_be_fair = True
    _free_search: ClassVar[Any]
    """`RuleListSearch`, which imports the searches that begin with the best list of all."""

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        fairness: Criterion | None = None,
        labels: str = "free",
        bounds: FairRuleListBounds | None = None,
        memory_limit: int | None = None,
        beam_width: int = 400,
        min_group_size: int = 0,
        warm_start: RuleList | Sequence[int] | None = None,
    ) -> None:
        super().__init__(problem)
        known = isinstance(fairness, Criterion) or (fairness is None and not self._has_to_be_fair)
        require(("fairness", fairness, known, "a criterion such as rulelab.EqualOpportunity(0.05)"))
        check_choice("labels", labels, LABELS)
        check_arguments(memory_limit=memory_limit, beam_width=beam_width, min_group_size=min_group_size)
        require_regularization(problem, regularization)
        self.regularization = float(regularization)
        self.fairness = fairness
        self.labels = labels
        self.bounds = bounds_of(FairRuleListBounds, bounds)
        self.memory_limit = memory_limit
        self.beam_width = int(beam_width)
        self.min_group_size = int(min_group_size)
        self.warm_start = None if warm_start is None else antecedents_of(warm_start, problem)
        self._first_labels: list[int] | None = None
        if isinstance(warm_start, RuleList):
            self._first_labels = labels_of(warm_start)
        self._constraints = self._asked_of_sums()
        self._costs: Costs = costs_of(problem, self.regularization, problem.n_antecedents)
        self._worst = largest_cost(self._costs, problem, self.regularization, _LARGEST_COST)
        self._best = _Best(self._worst + 1)
        self._phase = "reducing"
        self._proven, self._stop = 0, 0
        self._chosen = np.zeros(len(self._constraints.of))
        self._step = 0
        self._out_of_memory = False

    def _asked_of_sums(self) -> Constraints:
        fair = self.fairness is not None
        return constraints_of(self.problem, self._criterion, self.min_group_size) if fair else unbound(self.problem)

    def _certificate(self, bound: float | None) -> Certificate:
        parameters, multipliers = self._claim(bound), self._multipliers_of_pairs()
        bounds = proven_of_sets(self.problem, self._problem, self._store) if hasattr(self, "_store") else {}
        return prove_constrained_rule_list(self.problem, self._best_model(), parameters, bounds, multipliers)

    def _claim(self, bound: float | None) -> dict[str, float]:
        """What the parameters of a certificate say: of the optimum, or with ``bound`` of that."""
        fair = {} if self.fairness is None else {"majority": float(self.labels == "majority"), **self._asked()}
        shift = float(shift_of(self._worst))
        return {"regularization": self.regularization, "shift": shift, **fair, **for_bound(bound)}

    def _multipliers_of_pairs(self) -> np.ndarray:
        """Of each rate and pair of groups, where the search has chosen one: float64."""
        chosen = np.ldexp(self._chosen, -np.asarray(self._constraints.shifts, dtype=np.int64))  # of the rounded sums
        known = dict(zip(self._constraints.of, chosen.tolist(), strict=True))
        return np.array([known.get(one, 0.0) for one in self._pairs()], dtype=np.float64)

    def _best_model(self) -> RuleList:
        assert self._best.incumbent is not None
        model: RuleList = self._best.incumbent.model
        return model

    def _rehearse(self) -> None:
        self._free_search(self.problem, self.regularization).compile()
        solve(FairRuleListSearch(grouped_problem(), 0.01, self.fairness, beam_width=2).without_relaxation())

    def _unit(self, phase: str, most: int) -> bool:
        if phase == "incumbent":
            self._run_beam()
            self._look(self._multipliers.store)
            if self._multipliers.done:
                self._start_search()
        elif phase == "searching":
            self._search()
        return phase in ("incumbent", "searching")

    def _prepare(self) -> None:
        """Reduce the problem and try the lists without rules."""
        problem, costs, constraints = self.problem, self._costs, self._constraints
        shift = shift_of(self._worst)
        doubt = self.labels == "majority" and not costs.exact
        switches = self.bounds.to_dict() | ({"same_set": False} if doubt else {})
        self._rules = state.Rules(
            per_rule=costs.per_rule,
            relaxed_rule=scaled(costs.per_rule, shift),
            base=0,
            shift=shift,
            majority=self.labels == "majority",
            doubt=2 * problem.n_patterns * costs.per_error if doubt else 0,
            **switches,
            **self._more_rules(),
        )
        wrong = costs.per_error * np.stack([costs.positives, costs.negatives])
        self._problem = reduced(problem, wrong, constraints)
        for label in range(2):
            self._offer((), label, int(self._problem.amounts[label].sum()))
        if self.warm_start is not None:
            self._try_first(self.warm_start)
        self._multipliers = Multipliers(self._problem, constraints, self._rules, self.beam_width, self._best.cost)
        self._phase = "incumbent"

    @property
    def _own_bound(self) -> float:
        return max(0.0, min(self._proven, self._least_known) * self._costs.unit - self._costs.slack)

    def _sure(self, bound: float) -> float:
        return super()._sure(bound) - self._costs.exactness

    def _without_demands(self) -> Any:
        return self._free_search(self.problem, self.regularization, beam_width=min(self.beam_width, _WIDEST))

    def _take_over(self, model: RuleList, optimal: bool) -> int:
        *labels, default = labels_of(model)
        rules = tuple(zip(antecedents_of(model, self.problem), labels, strict=True))
        self._try(rules, default)
        return self._cost_of(rules, default) if optimal and self._costs.exact else 0

    def _try_first(self, antecedents: tuple[int, ...]) -> None:
        """Try the list to begin with."""
        labels = self._first_labels or self._majority(antecedents)
        self._try(tuple(zip(antecedents, labels, strict=False)), labels[-1])

    def _try(self, rules: tuple[tuple[int, int], ...], default: int) -> None:
        self._offer(rules, default, self._cost_of(rules, default))
        if hasattr(self, "_multipliers"):
            numbers = self._multipliers.store.numbers
            numbers[state.BEST] = min(int(numbers[state.BEST]), self._best.cost)

    def _obeyed(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        fair = {} if self.fairness is None else self._asked()
        return fair | ({"majority": 1.0} if fair and self.labels == "majority" else {}), {}

    def _more_rules(self) -> dict[str, Any]:
        """What else the kernels have to know."""
        return {}

    def _start_search(self) -> None:
        """Arrange the problem at the best multipliers and begin the first pass."""
        multipliers, rules = self._multipliers, self._rules
        if not len(self._problem.antecedents):
            self._finish()
            return
        relaxation = self._arrange(self._constraints)
        self._rules = rules._replace(base=relaxation.base)
        self._stop = int(relaxation.wrong.sum(axis=1).min())
        most = scaled(self._best.cost, rules.shift)
        self._start_passes(most, relaxation.base, self._best.cost, max(multipliers.value, relaxation.base))

    def _search(self) -> None:
        """One unit of work of the present pass."""
        outcome = self._pass()
        store, numbers = self._store, self._store.numbers
        self._look(store)
        if outcome in GROWING:
            return
        self.work += 1
        self._prove(self._rules.base + min(self._stop, int(store.bound[0])))  # of the set that has all patterns
        if outcome == passes.DONE:
            proven = int(numbers[state.THRESHOLD]) + 1
            self._prove(proven)
            if self._proven >= self._best.cost:
                self._finish()
                return
            self._step += 1
            further = self._rules.relaxed_rule << self._step >> 3
            last = scaled(self._best.cost - 1, self._rules.shift)
            numbers[state.THRESHOLD] = min(proven + further, last)
            numbers[state.STAGE] = state.START

    def _prove(self, least: int) -> None:
        """No fair list has a relaxed cost below this."""
        shift = self._rules.shift
        self._proven = max(self._proven, -(-least >> shift) if shift >= 0 else least << -shift)

    def _finish(self) -> None:
        self._phase = "infeasible" if self._best.incumbent is None else "certified"

    def _look(self, store: state.Store) -> None:
        """Take over a better list, and settle which doubtful lists are fair."""
        numbers = store.numbers
        for i in range(int(numbers[state.N_DOUBTS])):
            cost, length = int(store.doubt_cost[i]), int(store.doubt_length[i])
            if cost < numbers[state.BEST]:
                self._take(store.doubt_rules[i], length, cost)
                numbers[state.BEST] = min(int(numbers[state.BEST]), self._best.cost)
        numbers[state.N_DOUBTS] = 0
        if numbers[state.BEST] < self._best.cost:
            self._take(store.best_rules, int(numbers[state.BEST_LENGTH]), int(numbers[state.BEST]))

    def _take(self, codes: np.ndarray, length: int, cost: int) -> None:
        """Offer a list as the kernels write it."""
        rules, default = list_of(self._problem, codes, length)
        self._offer(rules, default, cost)

    def _offer(self, rules: tuple[tuple[int, int], ...], default: int, cost: int) -> None:
        """Make a list the incumbent when it is better, fair, and labelled as it should be."""
        if cost >= self._best.cost:
            return
        positive = predicted(self.problem, rules, default)
        if not self._constraints.is_fair(positive):
            return
        antecedents, labels = [a for a, _ in rules], [*(label for _, label in rules), default]
        if self.labels == "majority" and labels != self._majority(antecedents):
            return
        model = RuleList.from_problem(self.problem, antecedents, labels)
        objective, found_at = model.objective(self.regularization), (self._seconds, self.work)
        incumbent = Incumbent(model, objective, model.errors, model.complexity, found_at)
        self._best = _Best(cost, incumbent, {} if self.fairness is None else self._told_of(positive))

    def _cost_of(self, rules: Sequence[tuple[int, int]], default: int) -> int:
        positive, costs = predicted(self.problem, rules, default), self._costs
        wrong = int(costs.negatives[positive].sum()) + int(costs.positives[~positive].sum())
        return costs.per_error * wrong + costs.per_rule * len(rules)

    def _majority(self, antecedents: Sequence[int]) -> list[int]:
        """The labels of most of the weight that each rule, and the default, is the first to capture."""
        masses, hits = self.problem.masses, first_captures(self.problem, antecedents)
        return [int(sum(masses.positives[hit].tolist()) > sum(masses.negatives[hit].tolist())) for hit in hits]

    def _snapshot(self) -> Snapshot:
        incumbent, costs = self._best.incumbent, self._costs
        ended = self._phase in ("certified", "infeasible")
        counts, pruned = self._counted()
        detail: dict[str, Any] = {
            "antecedents": self.problem.n_antecedents,
            "patterns": self.problem.n_patterns,
            "resolution": costs.exactness,
        }
        if self.fairness is not None:
            detail |= {"labels": self.labels, "left_out": self.left_out}
        return Snapshot(
            **self._standing(costs.exact, incumbent, max(self._own_bound, self._floor)),
            counts=counts | ({"queued": 0} if ended else {}),
            pruned=pruned,
            detail=detail | self._best.notes,
        )
