"""Certified Boolean rule sets by column generation, set search and an exact closing step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..arguments import is_whole, require
from ..certificate import Certificate, CertificateError
from ..certificate.parts import look
from ..certificate.rule_set.checker import Case, rounds
from ..certificate.rule_set.claim import Claim
from ..data.exact_weights import rounded_down
from ..data.fairness import Criterion, EqualOpportunity, groups_of, left_out
from ..data.naming import as_names, limits_of
from ..data.problem import Problem
from ..kernels.jit import is_compiled
from ..models import RuleSet
from ..parameters import COMPLEXITY_COST
from ..phases import SHARE, RelaxedFirst
from ..proving import asked_of, kept_for_its_model
from ..rehearsal import grouped_problem, noisy_problem
from ..snapshot import Snapshot, Status
from ..stepping import Search, solve
from .demands import check_arguments_of_sets, clauses_of, demanding, demands_of
from .generation import comes_near
from .master.constrained_proximal import ConstrainedProximalMaster
from .master.proximal import ProximalMaster
from .phases import Incumbents, Phases
from .pool import Clause
from .pricing import conjunctions
from .program import Cost, Program, make_program
from .proof import Writer, known_rates
from .snapshot_detail import POOL_COLUMNS, pool_frame, price_frame

_REHEARSED = 200
_MOST_RELAXED = 200
"""Units of work of the search without the fairness constraint, and, where single errors count, of the one by the
Hamming loss; what columns they find are handed on."""


class RuleSetSearch(RelaxedFirst, Phases):
    """Step-wise search for the rule set of least loss within a complexity, with a certified bound.

    A rule is a conjunction of the problem's antecedents; its complexity is 1 + its number of conditions. The objective
    is ``loss + regularization * complexity``, in rows (or weight). The rules of a set cover different rows: where a row
    counts for every rule that covers it, under fairness with the Hamming loss, a rule said twice could make a set fair.

    Parameters
    ----------
    problem : Problem
        Its antecedents are the conditions.
    max_complexity : int
        C: most complexity of the set, the sum over its rules.
    max_conditions : int, optional
        D: most conditions of a rule; any number by default. Bounds and certificates hold for rules of at most D.
    loss : str
        "hamming": positives that no rule covers plus, over negatives, the rules that cover them. "zero_one": training
        errors; its bound is weaker.
    form : str
        "dnf": positive when any rule holds. "cnf": positive when all clauses (disjunctions) hold.
    fairness : Criterion, optional
        Such as `rulelab.EqualOpportunity`, over the problem's groups.
    regularization : float
        Cost of a unit of complexity, beside the bound.
    min_group_size : int
        Groups with fewer training rows (rows, whatever they weigh; of the class that a rate is measured on, such as
        positives for equal opportunity) are left out of the criterion. The snapshots say which, in
        ``detail["left_out"]``. 0 for all groups.
    column_limit : int
        Most rules that the closing step enumerates (never more than 5000 where a table of them would exceed 64 MB).
        When there are more, the search stops with status LIMIT and its proven gap; raise ``column_limit`` and call
        `advance` again to go on.
    memory_limit : int, optional
        Bytes that the search may take: the columns, the tables of pricing, the rules enumerated and the open nodes.
        When they are used up it stops with status LIMIT and a valid lower bound; raise ``memory_limit`` and call
        `advance` again to go on.
    must_use : sequence of str, optional
        Columns and conditions that some rule of the set has to use each; a rule that covers no row (of a CNF: rejects
        none) uses nothing, and is in no set then. INFEASIBLE where no set does.
    max_uses : mapping of str to int, optional
        Most conditions on a column in the whole set.
    random_state : int, optional
        Seed of the set search; 0 by default.
    warm_start : RuleSet, or sequence of rules, optional
        Rules to begin with: those of a model, whose antecedents are found by name, or sequences of antecedents, such as
        ``columns`` of another search on this problem. Where they are within the complexity, they are the first set.
        Rules that cover the same rows are one, the shortest of them.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.

    References
    ----------
    Dash, Günlük and Wei, "Boolean decision rules via column generation", NeurIPS 2018. Lawless, Dash, Günlük and Wei,
    "Interpretable and fair Boolean rule sets via column generation", JMLR 24 (2023).
    """

    family: ClassVar[str] = "rule_set"
    _loosened = Fraction(0)  # by how much more than by the tolerances rates may differ
    _by_hamming: RuleSetSearch | None = None
    """The search whose sets are the first ones where single errors count: its linear programme finds them sooner."""

    def __init__(
        self,
        problem: Problem,
        max_complexity: int = 20,
        max_conditions: int | None = None,
        loss: str = "hamming",
        form: str = "dnf",
        fairness: Criterion | None = None,
        regularization: float = 0.0,
        column_limit: int = 20_000,
        memory_limit: int | None = None,
        random_state: int | None = None,
        warm_start: RuleSet | Sequence[Sequence[int]] | None = None,
        min_group_size: int = 0,
        must_use: Sequence[str] | None = None,
        max_uses: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(problem)
        check_arguments_of_sets(
            loss,
            form,
            max_complexity,
            max_conditions=max_conditions,
            min_group_size=min_group_size,
            column_limit=column_limit,
            memory_limit=memory_limit,
            random_state=random_state,
        )
        known = fairness is None or isinstance(fairness, Criterion)
        require(("fairness", fairness, known, "a criterion such as rulelab.EqualOpportunity(0.05), or None"))
        COMPLEXITY_COST.check(regularization)
        self.max_complexity = int(max_complexity)
        self.max_conditions = max_conditions
        self.loss = loss
        self.form = form
        self.fairness = fairness
        self.min_group_size = int(min_group_size)
        self.regularization = float(regularization)
        self.column_limit = int(column_limit)
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.warm_start = None if warm_start is None else clauses_of(warm_start, problem, form)
        self.must_use = as_names(must_use, "must_use") or None
        self.max_uses = limits_of(max_uses) or None
        self._demands = demands_of(problem, self.must_use, self.max_uses)
        self._relaxes = fairness is not None
        self._borrows = loss == "zero_one"
        program = self._new_program()
        self._begin(program, self._demands, Incumbents(problem, program, form, fairness, self.min_group_size))

    proves_bounds = True
    """Whether ``certificate(bound_only=True)`` proves a bound of a search that has not ended."""

    @property
    def compiled(self) -> bool:
        return is_compiled(conjunctions.advance)

    @property
    def selected(self) -> RuleSet | None:
        """Of the sets met that meet the constraints, one of fewest training errors; None when none was met."""
        return self._best.selected()

    @property
    def columns(self) -> tuple[Clause, ...]:
        """The rules met so far, as antecedents: a warm start for another search on this problem."""
        shown = self._generating
        return () if shown._phase == "reducing" else tuple(shown._pool.rules)

    def pool(self, most: int = 600) -> pd.DataFrame:
        """The rules met so far, with their prices at the last solution of the linear programme.

        Parameters
        ----------
        most : int
            Rules at most: those of the best set, those that the linear programme uses, then those of least reduced
            cost.

        Returns
        -------
        DataFrame
            rule; complexity; rows: the weight of what a rule covers, or a clause of a CNF rejects; reduced_cost: what a
            unit of it would change the value of the linear programme by, in rows (nan: no price yet); use: how much of
            it the linear programme takes, from 0; chosen: whether it is in the best set. ``attrs["pool"]`` counts all.

        Raises
        ------
        ValueError
            When ``most`` is not a positive integer.
        """
        require(("most", most, is_whole(most, 1), "a positive integer"))
        shown, best = self._generating, self._best.incumbent()
        if shown._phase == "reducing":
            return pd.DataFrame(columns=list(POOL_COLUMNS))
        generation = getattr(shown, "_generation", None)
        return pool_frame(self.problem, self.form, shown._pool, generation, best.model if best else None, most)

    def prices(self, most: int = 600) -> pd.DataFrame:
        """What it is worth to the linear programme that the rows are covered: its dual values at the last solution.

        Parameters
        ----------
        most : int
            Groups of equal rows at most: those of the highest prices.

        Returns
        -------
        DataFrame
            A row per group of equal rows that has a price: conditions, those that hold for it; rows, its weight;
            wanted, the weight of those that a rule should cover, or a clause of a CNF reject; price, of the whole
            group, in rows; cost, what a rule loses that covers it; covered, whether the best set does. The reduced cost
            of a rule is a price for its complexity, more for a longer one, less the sum of price - cost over all groups
            that it covers.
            ``attrs`` has how many groups are "priced", and the "total" of the prices. Empty before there are any.

        Raises
        ------
        ValueError
            When ``most`` is not a positive integer.
        """
        require(("most", most, is_whole(most, 1), "a positive integer"))
        best, generation = self._best.incumbent(), getattr(self._generating, "_generation", None)
        return price_frame(self.problem, self.form, generation, best.model if best else None, most)

    @property
    def conditions(self) -> int:
        """D: the most conditions of a rule that bounds and certificates speak of."""
        widest = min(self.max_complexity - 1, self.problem.n_antecedents)
        return widest if self.max_conditions is None else min(widest, self.max_conditions)

    @property
    def _generating(self) -> RuleSetSearch:
        """The search whose rules and prices there are to be seen: that for the best set of all, or this one."""
        other: RuleSetSearch | None = self._relaxation
        return other if other is not None and (self._relaxing or self._left_in) else self

    @property
    def _rehearsed_as(self) -> object:
        return type(self), self._prices_constraints

    @property
    def _prices_constraints(self) -> bool:
        """Whether the proximal master has constraints, whose kernels are for large problems alone."""
        return bool(self._program.constraints) and comes_near(self._program)

    def _rehearse(self) -> None:
        small = RuleSetSearch(noisy_problem(), max_complexity=10, max_conditions=3)
        solve(small, work_limit=_REHEARSED)
        sets = small._new_sets(2, rebuilds=True)  # which only searches with very many rules come to
        while not sets.done:
            sets.advance()
        near = ProximalMaster(small._program, small._pool)  # which only large problems come to
        near.solve(np.arange(len(small._pool)), 1.0)
        if self._prices_constraints:
            fair = RuleSetSearch(grouped_problem(), 6, 2, fairness=EqualOpportunity(0.1)).without_relaxation()
            solve(fair, work_limit=1)
            fair._pool.add([(0,), (1,), (2,), (0, 1)])
            ConstrainedProximalMaster(fair._program, fair._pool).solve(np.arange(len(fair._pool)), 1.0)

    def without_relaxation(self) -> Self:
        self._borrows = False
        return super().without_relaxation()

    def _run_greedy(self) -> None:
        """A unit of the search by the Hamming loss, which hands on its sets and rules, then of the first search."""
        if not self._borrows:
            super()._run_greedy()
            return
        if self._by_hamming is None:
            by_hamming = {"loss": "hamming", "warm_start": None}
            self._by_hamming = RuleSetSearch(self.problem, **{**self.parameters, **by_hamming})
        other = self._by_hamming
        other.memory_limit = None if self.memory_limit is None else max(1, self.memory_limit // SHARE)
        last = other.advance(1)
        if last.incumbent is not None:
            self._offer(clauses_of(last.incumbent.model, self.problem, self.form))
        if last.status is not Status.RUNNING or other.work >= _MOST_RELAXED:
            self._pool.add(list(other.columns))
            self._borrows, self._by_hamming = False, None

    def _within(self) -> Search | None:
        return super()._within() or self._by_hamming

    @property
    def _own_bytes(self) -> int:
        return super()._own_bytes + (0 if self._by_hamming is None else self._by_hamming.memory_bytes)

    @kept_for_its_model
    def certificate(self, bound_only: bool = False) -> Certificate:
        """The proof that the set is optimal for rules of at most ``conditions`` conditions, for `rulelab.verify`.

        Parameters
        ----------
        bound_only : bool
            Of a search that has not ended: prove the best bound of the linear programme so far, which can be less than
            ``lower_bound``: much less while longer rules are priced at a surcharge. Where rates are searched part by
            part, that is the least bound of any part that has not ended. `rulelab.verify` answers with the state
            "bound".

        Raises
        ------
        CertificateError
            When the search has not ended with status OPTIMAL (with ``bound_only``: when it has no bound yet), and for
            what is not certified: with ``bound_only`` weights whose digits do not fit, and rows in no group under
            fairness constraints.
        """
        other = self._other_proof(bound_only)
        if other is not None:
            return other
        kinds = self._program.n_kinds - len(self._demands.rows)
        if self.fairness is not None and kinds > 2 * len(groups_of(self.problem, self.fairness).names):
            raise CertificateError("some rows are in no group, which certificates do not cover")
        incumbent = self._best.incumbent()
        bounded = bound_only and (self._proven.point is not None or self.by_value)
        if incumbent is None or not (bounded or self._phase == "certified"):
            raise CertificateError("the search has not proven its rule set optimal yet; let it finish first")
        return self.certificate_of(incumbent.model, self._best.cost if bound_only else None)

    def certificate_of(self, model: RuleSet, bound: Cost | float | None = None) -> Certificate:
        """The proof that a set is one of the best, or with ``bound`` the best bound of the linear programme so far.

        Parameters
        ----------
        model : RuleSet
        bound : int, Fraction or float, optional
            Where rates are searched part by part the cost that parts have ended at, else any number.
        """
        rates = () if self.fairness is None else known_rates(self.fairness)
        claim = Claim(
            self.max_complexity,
            self.conditions,
            Fraction(repr(self.regularization)),
            tolerances={rate.name: Fraction(repr(float(rate.tolerance))) for rate in rates},
            min_group_size=self.min_group_size,
            zero_one=self.loss == "zero_one",
        )
        source, rounded = self, rounds(self.problem, claim)
        if rounded and bound is None:
            case = Case(self.problem, model, claim)
            source = _Rounded(case, self, model).without_relaxation()
            for _ in source.steps():
                look()
            if source.by_value and source._best.cost < case.cost:  # its parts hold only what costs less than that
                raise CertificateError(
                    "the weights have too many digits for a certificate in parts: rounded, they let in sets that break "
                    "the constraint by less than rounding hides; round them, say to six digits in all"
                )
        elif self._program.exactness:
            raise CertificateError(
                "the weights have too many digits for a certificate; round them, say to six digits in all"
            )
        claim = replace(claim, bound_only=bound is not None)
        smallest, loosened = claim.min_group_size, source._loosened
        writer = Writer(source.problem, model.form, self.fairness, smallest, loosened, self._demands)
        return writer.prove(self.problem, model, claim, source._proven, bound)

    def _without_demands(self) -> RuleSetSearch:
        other = {"fairness": None, "min_group_size": 0, "warm_start": None}
        return RuleSetSearch(self.problem, **{**self.parameters, **other}).without_relaxation()

    @property
    def _most_relaxed(self) -> int:
        return _MOST_RELAXED

    def _take_over(self, model: RuleSet, optimal: bool) -> Cost:
        self._pool.add(list(self._relaxation.columns))
        rules = clauses_of(model, self.problem, self.form)
        self._offer(rules)
        return self._program.cost(*self._pool.measure(self._pool.find_all(rules))) if optimal else 0

    def _obeyed(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        assert self.fairness is not None
        known_rates(self.fairness)
        return asked_of(self.fairness, self.min_group_size), {}

    def _sure(self, bound: float) -> float:
        return bound if float(bound).is_integer() else super()._sure(bound)

    @property
    def _own_bound(self) -> float:
        return rounded_down(self._program.bound(self._lower))

    def _new_program(self) -> Program:
        """The integer program that this search solves."""
        program = make_program(
            self.problem,
            self.max_complexity,
            self.loss,
            self.form,
            self.fairness,
            self.regularization,
            self.min_group_size,
        )
        return demanding(program.loosened(self._loosened), self._demands)

    @property
    def left_out(self) -> str:
        """Which groups are too small for the fairness constraint, in words; empty when none is."""
        if self.fairness is None:
            return ""
        return left_out(self.fairness, groups_of(self.problem, self.fairness), self.min_group_size)

    def _snapshot(self) -> Snapshot:
        incumbent, shown = self._best.incumbent(), self._generating
        generation = getattr(shown, "_generation", None)
        ended = self._phase in ("certified", "infeasible")
        status = Status.RUNNING if self._limit is None else Status.LIMIT
        if ended:
            status = Status.OPTIMAL if self._phase == "certified" else Status.INFEASIBLE
        lower = max(self._own_bound, self._floor)
        if incumbent is not None:
            lower = incumbent.objective if self._phase == "certified" else min(lower, incumbent.objective)
        program = shown._program
        detail: dict[str, Any] = {
            "conditions": self.conditions,
            "patterns": program.n_patterns,
            "resolution": float(program.exactness),
        }
        if generation is not None:
            detail["least_reduced_cost"] = generation.least_reduced_cost
            detail["columns_in_master"] = len(generation.working)
            if not shown._by_value:  # else no linear programme is that of all
                detail["master_value"] = generation.value * float(program.unit / program.scale / program.per_loss)
        if self.fairness is not None:
            detail["left_out"] = self.left_out
            if incumbent is not None:
                detail |= {"true_gaps": self._best.gaps, "emptied": self._best.emptied}
        return Snapshot(
            **self._figures,
            status=status,
            incumbent=incumbent,
            lower_bound=lower,
            counts=shown._counts | ({"queued": 0} if ended else {}),
            log10_remaining=0.0 if ended else math.inf,
            phase=self._phase,
            limit=None if ended else self._limit,
            detail=detail,
        )


class _Rounded(RuleSetSearch):
    """A search in the weights that a check rounds, from the best set on, with rates as far apart as rounding allows."""

    def __init__(self, case: Case, search: RuleSetSearch, best: RuleSet) -> None:
        self._loosened = case.loosened
        rounded = {"regularization": float(case.price), "warm_start": best}
        super().__init__(case.problem, **{**search.parameters, **rounded})
