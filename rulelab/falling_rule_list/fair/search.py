"""Certifiably optimal falling rule lists under fairness constraints, by best-first search over captured sets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...arguments import bounds_of, require
from ...certificate import Certificate, CertificateError, prove_fair_falling_rule_list
from ...certificate.outcome import for_bound
from ...data.fairness import Criterion
from ...data.problem import Problem
from ...data.rate_constraints import constraints_of
from ...kernels import bits
from ...kernels.growing import OPEN, nbytes, with_room
from ...kernels.jit import is_compiled
from ...models import FallingRuleList
from ...parameters import check_arguments
from ...phases import PhasedSearch, RelaxedFirst
from ...prefixes import Best
from ...proving import FairSearch
from ...rehearsal import grouped_problem
from ...slices import effort_of
from ...snapshot import Incumbent, Snapshot
from ...stepping import solve
from ..bounds import FairFallingBounds
from ..costs import Costs, Prepared, predicted
from ..exact.search import FallingRuleListSearch
from ..search import FallingSearch
from . import kernels, state

EFFORT_PER_WORK = 40_000_000  # words and weights that a unit of work looks at, about
_RELAXED_BITS, _FINEST = 49, 30
_LARGEST_WORD, _LARGEST_COST = 1 << 63, 1 << 61
_FIRST_LISTS = 50  # of the search for the best list of all, by Monte Carlo
_MOST_CELLS = 1 << 31
"""Patterns in all sets of a proof."""


class FairFallingSearch(RelaxedFirst, PhasedSearch, FallingSearch, FairSearch):
    """Step-wise exact search for the falling rule list of least weighted loss that is fair.

    Parameters
    ----------
    problem, regularization, positive_weight, violation_penalty, method, min_group_size
        See `FallingSearch`; the problem has groups.
    fairness : Criterion
        About the predictions of the list: positive above the threshold ``1 / (1 + w)``.
    bounds : FairFallingBounds, optional
        Which bounds are used; all by default.
    max_length, memory_limit
        As for `FallingRuleListSearch`.
    beam_width : int
        Prefixes of each length that are expanded first, to find good lists; 0 begins with the least bound.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.

    Notes
    -----
    In an optimal list all rules are above the threshold and the else is not, or there is no rule (Chen and Rudin,
    AISTATS 2018, Cor 4.5, which holds under constraints: what it changes changes no prediction). So a list is known by
    what it captures, its last proportion and its length, and of two prefixes that capture the same patterns one makes
    the other needless. Lower bounds add multiples of the differences of the groups' rates, see `FairFallingBounds`.
    Where the weights of rows are rounded, all prefixes are looked at that may fall, each list is judged by the weights
    as they are, and the status is LIMIT at the end: the list is the best but for what rounding changes its objective.
    """

    fair = True

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        method: str | None = None,
        fairness: Criterion | None = None,
        min_group_size: int = 0,
        bounds: FairFallingBounds | None = None,
        max_length: int | None = None,
        memory_limit: int | None = None,
        beam_width: int = 200,
    ) -> None:
        criterion = isinstance(fairness, Criterion)
        require(("fairness", fairness, criterion, "a criterion such as rulelab.EqualOpportunity(0.05)"))
        assert fairness is not None
        super().__init__(problem, regularization, positive_weight, violation_penalty, method, fairness, min_group_size)
        check_arguments(max_length=max_length, memory_limit=memory_limit, beam_width=beam_width)
        self.fairness: Criterion = fairness
        self.bounds = bounds_of(FairFallingBounds, bounds)
        self.max_length = max_length
        self.memory_limit = memory_limit
        self.beam_width = int(beam_width)
        self._constraints = constraints_of(problem, fairness, self.min_group_size)
        self._phase = "preparing"
        self._out_of_memory = False
        self._best, self._is_known = Best(0), False  # whether a list is known
        self._incumbent: Incumbent | None = None
        self._notes: dict[str, Any] = {}
        self._level = 0
        self._trivial, self._compares = 0, True
        self._costs: Costs
        self._prepared_data: Prepared
        self._data: state.Data
        self._rules: state.Rules
        self._store: state.Store

    @property
    def compiled(self) -> bool:
        return is_compiled(kernels.advance)

    def _certificate(self, bound: float | None) -> Certificate:
        incumbent = self._make_incumbent()
        assert incumbent is not None
        parameters = {
            "regularization": self.regularization + 0.0,
            "positive_weight": self.positive_weight,
            **self._obeyed()[0],
            **for_bound(bound),
        }
        return prove_fair_falling_rule_list(self.problem, incumbent.model, parameters, self._multipliers())

    def _multipliers(self) -> dict[bytes, np.ndarray]:
        """Those of the bounds of each set, packed, as a certificate has them."""
        store, every = self._store, self._pairs()
        nodes = np.flatnonzero(store.refined[: int(store.numbers[state.N_NODES])])
        if len(nodes) * self.problem.n_patterns > _MOST_CELLS:
            raise CertificateError(f"the proof would speak of {len(nodes)} sets of patterns, which is too much")
        found = np.zeros((len(nodes), len(every) + 1))
        for k, (one, shift) in enumerate(zip(self._constraints.of, self._constraints.shifts, strict=True)):
            found[:, every.index(one)] = np.ldexp(store.multipliers[nodes, k], -shift)  # of the rounded sums
        weight = int(self._costs.positives.sum()) + int(self._costs.negatives.sum())
        found[:, -1] = store.multipliers[nodes, -1] * weight
        found *= self._costs.unit * 2.0**-self._rules.shift
        sets = np.zeros((len(nodes), self.problem.n_patterns), dtype=bool)
        order = self._prepared_data.patterns
        sets[:, order] = bits.unpack(store.sets[store.left[nodes]], len(order))
        return dict(zip(map(bytes, np.packbits(sets, axis=1)), found, strict=True))

    def _rehearse(self) -> None:
        FallingRuleListSearch(self.problem).compile()
        solve(FairFallingSearch(grouped_problem(), 0.0, fairness=self.fairness, beam_width=2).without_relaxation())

    def _without_demands(self) -> FallingRuleListSearch:
        return FallingRuleListSearch(self.problem, self.regularization, self.positive_weight, iterations=_FIRST_LISTS)

    @property
    def _most_relaxed(self) -> int:
        return super()._most_relaxed >> 2  # a unit stores a proportion and a length with each set

    def _take_over(self, model: FallingRuleList, optimal: bool) -> int:
        costs, positive = self._costs, model.predicts_positive(self.problem.matrix())
        wrong = costs.per_negative * int(costs.negatives[positive].sum())
        wrong += costs.per_positive * int(costs.positives[~positive].sum())
        cost = wrong + costs.per_rule * len(model)
        if len(model) <= self._rules.max_length:
            self._offer(model.antecedents, cost)
        return cost if optimal and costs.exact and self._rules.sure else 0

    def _obeyed(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        return self._asked() | ({} if self.max_length is None else {"max_length": float(self.max_length)}), {}

    def _unit(self, phase: str, most: int) -> bool:
        if phase not in ("incumbent", "searching"):
            return False
        numbers, effort = self._store.numbers, effort_of(most, EFFORT_PER_WORK)
        done = int(numbers[state.WORK])
        outcome = kernels.advance(self._data, self._rules, self._store, most, effort, phase == "searching")
        self.work += int(numbers[state.WORK]) - done
        if outcome == kernels.CHECK:
            self._check()
        elif outcome == kernels.LEVEL:
            self._choose_level()
        elif outcome == kernels.DONE:
            self._finish()
        elif outcome != kernels.PAUSED:
            m = len(self._prepared_data.antecedents)
            room = (state.SETS, m), (state.NODES, m), (state.HEAP, m)
            free = None if self.memory_limit is None else self.memory_limit - self.memory_bytes
            self._store, enough = with_room(self._store, room, free, kernels.enter_again)
            self._out_of_memory = not enough
        return bool(outcome != kernels.PAUSED)

    def _prepare(self) -> None:
        """Pack the problem and try the list without rules."""
        prepared = self._prepared()
        costs, data = prepared.costs, prepared.data
        self._prepared_data, self._costs = prepared, costs
        m, w = len(data.columns), Fraction(repr(self.positive_weight))
        p, q = int(costs.positives.sum()), int(costs.negatives.sum())
        worst = costs.per_positive * p + costs.per_negative * q + costs.per_rule * max(1, m)
        shift = min(_FINEST, _RELAXED_BITS - worst.bit_length())
        relaxed_rule = costs.per_rule << shift if shift >= 0 else costs.per_rule >> -shift
        self._compares = fits = max(w.numerator, w.denominator) < _LARGEST_WORD
        self._rules = state.Rules(
            per_positive=costs.per_positive,
            per_negative=costs.per_negative,
            per_rule=costs.per_rule,
            weight_p=w.numerator if fits else costs.per_positive,
            weight_q=w.denominator if fits else costs.per_negative,
            shift=shift,
            relaxed_rule=relaxed_rule,
            sure=costs.weights_exact and fits,
            misplaced=costs.misplaced,
            max_length=m if self.max_length is None else min(m, self.max_length),
            limited=self.max_length is not None,
            **self.bounds.to_dict(),
        )
        points = int(np.minimum(costs.per_positive * costs.positives, costs.per_negative * costs.negatives).sum())
        self._trivial = min(costs.per_positive * p, costs.per_negative * q, points + costs.per_rule)
        self._best = Best(min(worst, _LARGEST_COST) + 1)  # of dearer lists it is not known whether one is fair
        self._data = state.data_of(prepared, self._constraints, shift)
        self._store = store = state.new_store(self._data, self.beam_width)
        store.sets[0], store.ratio_p[0], store.ratio_n[0] = self._data.full, 1, 1
        store.parent[0] = store.rule[0] = store.link[0] = -1
        store.fate[0], store.queue_by_length[0] = OPEN, 1
        for counter in (state.N_NODES, state.N_SETS, state.N_HEAP, state.N_QUEUED, state.N_TODO):
            store.numbers[counter] = 1
        kernels.enter_again(store)
        store.numbers[state.BEST] = self._best.cost
        alone = predicted(self.problem, (), self.positive_weight)
        assert alone is not None
        self._offer((), costs.per_negative * q if alone.any() else costs.per_positive * p)
        self._phase = "incumbent" if self.beam_width else "searching"
        if not self._rules.max_length:
            self._finish()

    def _choose_level(self) -> None:
        """Choose the prefixes of the next length to expand: half by bound, half by how good and fair they are."""
        store, numbers = self._store, self._store.numbers
        self._level += 1
        n = int(numbers[state.N_NODES])
        found = np.flatnonzero((store.fate[:n] == OPEN) & (store.length[:n] == self._level))
        if not len(found):
            self._phase = "searching"
            return
        if len(found) > self.beam_width:
            by_bound, by_score = (found[np.argsort(rank[found], kind="stable")] for rank in (store.key, store.score))
            half = self.beam_width // 2
            first = by_bound[:half]
            others = by_score[~np.isin(by_score, first)]
            found = np.append(first, others[: self.beam_width - half])
        store.todo[: len(found)] = found
        numbers[state.TODO_AT], numbers[state.N_TODO] = 0, len(found)

    def _check(self) -> None:
        """Take over the list that the kernel has met, if its exact weights allow it."""
        numbers = self._store.numbers
        path = self._store.path[: int(numbers[state.BEST_LENGTH])]
        found, cost = tuple(self._prepared_data.antecedents[path].tolist()), int(numbers[state.BEST_COST])
        accepted = self._offer(found, cost)
        assert accepted or numbers[state.BEST] != cost, "the kernel takes a list that is not allowed"

    def _offer(self, antecedents: tuple[int, ...], cost: int) -> bool:
        """Make a list the incumbent when it is better, falls and is fair; whether it is."""
        if cost >= self._best.cost:
            return False
        positive = predicted(self.problem, antecedents, self.positive_weight)
        if positive is None or not self._constraints.is_fair(positive):
            return False
        self._best, self._is_known = Best(cost, antecedents, self.work, self._seconds), True
        self._store.numbers[state.BEST] = cost
        return True

    def _finish(self) -> None:
        nothing = not self._is_known and self._compares and self._best.cost <= _LARGEST_COST
        self._phase = "infeasible" if nothing else "certified"

    @property
    def _own_bytes(self) -> int:
        if self._phase == "preparing":
            return 0
        return nbytes(self._store, self._data)

    def _bound(self) -> int:
        """A lower bound on the cost of every list that is allowed, on the grid."""
        if not self._compares:  # which rules are above the threshold is not certain
            return self._trivial
        if self._phase in ("certified", "infeasible") and not self._left_in:
            return self._best.cost
        least, shift = int(self._store.numbers[state.LOWER_BOUND]), self._rules.shift
        return max(self._trivial, -(-least >> shift) if shift >= 0 else least << -shift)

    @property
    def _exact(self) -> bool:
        best = self._make_incumbent()
        return (self._costs.exact and self._rules.sure) or (best is not None and best.objective == 0)

    @property
    def _exactness(self) -> float:
        return self._costs.exactness if self._costs.exactness or self._exact else float(self._costs.unit)

    @property
    def _own_bound(self) -> float:
        lower = min(self._bound(), self._best.cost) * self._costs.unit - self._costs.slack
        return max(0.0, lower if self._exact else lower - self._exactness)

    def _snapshot(self) -> Snapshot:
        incumbent, store = self._make_incumbent(), self._store
        numbers, ended = store.numbers, self._phase in ("certified", "infeasible")
        pruned = dict(zip(state.PRUNED_NAMES, store.pruned.tolist(), strict=True))
        return Snapshot(
            **self._standing(self._exact, incumbent, max(self._own_bound, self._floor)),
            counts={
                "created": int(numbers[state.CREATED]),
                "expanded": int(numbers[state.N_EXPANDED]),
                "queued": 0 if ended else int(numbers[state.N_QUEUED]),
                "stored": int(numbers[state.N_NODES]),
            },
            pruned=self._cut(pruned, "always: new incumbent", int(numbers[state.N_QUEUED])),
            queue_by_length=() if ended else tuple(np.trim_zeros(store.queue_by_length, "b").tolist()),
            detail={
                "antecedents": len(self._prepared_data.antecedents),
                "patterns": self.problem.n_patterns,
                "dropped": dict(self._prepared_data.dropped),
                "resolution": self._exactness,
                "left_out": self.left_out,
                **self._notes,
            },
        )

    def _make_incumbent(self) -> Incumbent | None:
        """The best list as a model; None when there is none yet."""
        best, known = self._best, self._incumbent
        if not self._is_known:
            return None
        if known is None or known.model.antecedents != best.antecedents:
            self._incumbent = known = self._incumbent_of(best.antecedents, (best.seconds, best.work))
            positive = predicted(self.problem, best.antecedents, self.positive_weight)
            assert positive is not None
            self._notes = self._told_of(positive)
        return known
