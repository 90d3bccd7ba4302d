"""The least gap between groups of any rule set of some accuracy and complexity, certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...certificate import Certificate, CertificateError, prove_least_gap_rule_set
from ...certificate.parts import look
from ...certificate.rule_set.claim import Claim
from ...certificate.rule_set.least_gap import smaller_gaps
from ...data.exact_weights import most_errors
from ...data.fairness import groups_of
from ...data.problem import Problem
from ...least_gap import SIMPLE, LeastGap
from ...models import RuleSet
from ...proving import kept_for_its_model
from ...rehearsal import grouped_problem
from ...snapshot import Snapshot
from ...stepping import solve
from ..demands import check_arguments_of_sets, clauses_of
from ..generation import comes_near
from ..program import Cost
from ..proof import Proven, Writer
from ..search import RuleSetSearch
from .decision import Decision, Gaps, Met, gaps_of

_HALVES = 4  # proofs that half of what is open is not reached, before the one that is to decide
_GRAIN = 1 << 20  # the gaps that are tried are multiples of this part
_SETTINGS = ("max_conditions", "loss", "form", "column_limit", "memory_limit", "random_state", "min_group_size")
_KEPT = ("columns", "closing_columns")
_COUNTS = ("masters", "simplex_iterations", "pricing_nodes", "branching_nodes")


@dataclass(frozen=True, eq=False)
class FoundSet:
    """A rule set that a search of the least gap has found."""

    gap: Fraction
    errors: int  # its loss, in units of the weights
    met: Met
    model: RuleSet
    found_at: tuple[float, int]  # seconds of search and units of work

    @property
    def cost(self) -> tuple[int, int]:
        """What decides between sets of the same gap."""
        return self.errors, self.met.complexity


class LeastGapRuleSetSearch(LeastGap):
    """Step-wise exact search for the rule set of least gap between groups among those of some accuracy and complexity.

    What it proves: no set of rules of at most ``max_conditions`` conditions that cover different rows, of complexity at
    most ``max_complexity`` and an accuracy of at least ``min_accuracy`` has a smaller gap. The gap is the largest
    difference between two groups in a rate of the criterion, an exact fraction in `least`; the objective is its nearest
    float. Of the sets of least gap the search then finds one of least loss, and of least complexity among these, and
    proves that, too.

    The loss says how accuracy and rates are counted. "hamming": a negative (for ``cnf`` a positive) counts once for
    every rule that covers it, in both. That is never less than the errors, so the set is at least as accurate as was
    asked for; false negative rates of a DNF do not depend on it. "zero_one": as the set predicts, which has weaker
    bounds.

    Parameters
    ----------
    problem : Problem
        With groups; its antecedents are the conditions.
    criterion, min_group_size
        As of `rulelab.LeastGapSearch`.
    min_accuracy : float, optional
        From 0 to 1: 1 - loss / weight of the rows is at least this, to within 2^-52; by default it is a tenth
        of the way from what one answer for everybody gets right to 1, or what a few simple rules get right, where
        that is less.
    max_complexity : int
        C: most complexity of the set, the sum over its rules of 1 + their conditions.
    max_conditions : int, optional
        D: most conditions of a rule; any number by default.
    loss, form : str
        As for `rulelab.RuleSetSearch`.
    column_limit : int
        Most rules that a closing step enumerates. Where there are more, the search stops with status LIMIT and its
        proven bound; raise ``column_limit`` and call `advance` again to go on.
    memory_limit : int, optional
        Bytes that the search may take; at this limit it stops as at the other.
    random_state : int, optional
        Seed of the set search; 0 by default.
    warm_start : RuleSet or sequence of RuleSet, optional
        Sets to begin with, where they are accurate and simple enough; their antecedents are found by name.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    family: ClassVar[str] = "rule_set"
    _MODEL = RuleSet

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        min_accuracy: float | None = None,
        max_complexity: int = 20,
        max_conditions: int | None = None,
        loss: str = "hamming",
        form: str = "dnf",
        column_limit: int = 20_000,
        memory_limit: int | None = None,
        random_state: int | None = None,
        min_group_size: int = 0,
        warm_start: RuleSet | Sequence[RuleSet] | None = None,
    ) -> None:
        check_arguments_of_sets(
            loss,
            form,
            max_complexity,
            max_conditions=max_conditions,
            column_limit=column_limit,
            memory_limit=memory_limit,
            random_state=random_state,
        )
        widest = min(2, max_complexity - 1, max_conditions or 2)
        simple = form == "dnf", form == "cnf", min(SIMPLE, max_complexity // (1 + widest)), widest
        super().__init__(problem, criterion, min_accuracy, min_group_size, warm_start, simple)
        self.max_complexity = int(max_complexity)
        self.max_conditions, self.loss, self.form = max_conditions, loss, form
        self.column_limit, self.memory_limit, self.random_state = int(column_limit), memory_limit, random_state
        self._starts = [clauses_of(one, problem, form) for one in self.warm_start or ()]
        chosen = problem, self._made, self.max_complexity, loss, form, self.min_group_size
        self._gaps = gaps_of(*chosen)
        each = Fraction(1, 1 << (self.max_complexity + 1).bit_length())
        self._ties = gaps_of(*chosen, each)
        self._most_loss = self.most_errors(self.min_accuracy)
        self._limit: str | None = None
        self._best: FoundSet | None = None
        self._strictly = False
        self._halves = _HALVES
        self._decision: Decision | None = None
        self._proof: Proven | None = None
        self._counted = dict.fromkeys(("gaps_tried", *_COUNTS), 0)
        self._kept: dict[str, int] = {}

    @property
    def compiled(self) -> bool:
        return RuleSetSearch(self.problem).compiled

    @property
    def _rehearsed_as(self) -> object:
        return type(self), comes_near(self._gaps.program)

    def _rehearse(self) -> None:
        # under constraints: where the problem is large, their prices have kernels of their own
        RuleSetSearch(self.problem, fairness=self._fairness, min_group_size=self.min_group_size).compile()
        tiny = LeastGapRuleSetSearch(grouped_problem(), self.criterion, min_accuracy=0.5, max_complexity=4)
        solve(tiny, work_limit=50)

    @property
    def conditions(self) -> int:
        """D: the most conditions of a rule that bounds and certificates speak of."""
        widest = min(self.max_complexity - 1, self.problem.n_antecedents)
        return widest if self.max_conditions is None else min(widest, self.max_conditions)

    @property
    def found(self) -> FoundSet | None:
        """The best set; None while there is none."""
        return self._best

    def most_errors(self, accuracy: float) -> int:
        """The largest loss of a set of this accuracy, in units of the weights.

        Parameters
        ----------
        accuracy : float
            Share of the weight, from 0 to 1.
        """
        return most_errors(accuracy, self._gaps.total)

    @kept_for_its_model
    def certificate(self) -> Certificate:
        """The proof that no set of this accuracy and complexity has a smaller gap, for `rulelab.verify`.

        It does not speak of the choice between sets of the same gap.

        Raises
        ------
        CertificateError
            When the least gap is not proven, and for what is not certified: rows in no group.
        """
        best = self._best
        if not self._gap_proven or best is None:
            raise CertificateError("the search has not proven the least gap yet; let it finish first")
        if self._gaps.program.n_kinds > 2 * len(groups_of(self.problem, self._fairness).names):
            raise CertificateError("some rows are in no group, which certificates do not cover")
        source = self._rounded(best.model) or self
        assert source._best is not None
        gap, proven, claim = source._best.gap, source._proof or Proven(source._gaps.program), self._claim
        gap = gap - source._gaps.step if gap else gap  # the largest one that the program allows
        rates = [rate.name for rate in self._fairness.rates()]
        writer = Writer(source.problem, self.form, self._fairness, self.min_group_size, gap)
        if proven.parts is None:
            arrays, grid = writer.of_whole(proven)
            claim = replace(claim, grid=grid)
        else:
            case = smaller_gaps(self.problem, best.model, claim, self.min_accuracy, rates)
            arrays = writer.of_parts(case, proven.parts)
        return prove_least_gap_rule_set(self.problem, best.model, claim, self.min_accuracy, rates, arrays)

    @property
    def _claim(self) -> Claim:
        """What a certificate says of the sets that are meant, besides their accuracy."""
        limits = self.max_complexity, self.conditions
        return Claim(*limits, min_group_size=self.min_group_size, zero_one=self.loss == "zero_one")

    def _rounded(self, model: RuleSet) -> LeastGapRuleSetSearch | None:
        """The search that has proven the least gap in the weights that a check rounds; None where it rounds none."""
        rates = [rate.name for rate in self._fairness.rates()]
        case = smaller_gaps(self.problem, model, self._claim, self.min_accuracy, rates)
        if not case.rounded:
            return None
        accuracy = max(0.0, 1 - (case.cost + 1) / int(case.problem.total_weight))
        search = type(self)(case.problem, **{**self.parameters, "min_accuracy": accuracy, "warm_start": model})
        for _ in search.steps():
            look()
            if search._gap_proven:
                break
        return search

    def _advance(self, max_work: int) -> None:
        if self._phase == "reducing":
            self._prepare()
        target, pace = self.work + max_work, self.pace
        self._limit = None
        while self.work < target and self.pace == pace and self._limit is None and self._decision is not None:
            decision = self._decision
            decision.column_limit, decision.memory_limit = self.column_limit, self.memory_limit
            done = decision.unit()
            self.work += done
            self._take(decision)
            self._settle(decision)
            if not done:  # it was prepared, in a call that is for one unit
                pace = self.pace

    def _within(self) -> Decision | None:
        return self._decision

    def _prepare(self) -> None:
        """Begin with the question whether any set is as accurate."""
        self._phase = "incumbent"
        self._decide(None)

    def _decide(self, gap: Fraction | None) -> None:
        """Begin to look for a set whose gap is at most this; with ties for a cheaper one."""
        gaps: Gaps = self._gaps
        below: Cost = gaps.program.per_loss * (self._most_loss + 1)  # complexity costs nothing
        if self._phase == "ties":
            assert self._best is not None
            gaps = self._ties
            below = gaps.program.cost(*self._best.met[1:])
        known = () if self._decision is None else self._decision.columns
        self._add_up()
        self._counted["gaps_tried"] += 1
        settings = {name: getattr(self, name) for name in _SETTINGS} | {"warm_start": list(known) or None}
        offers = [*self._starts, *(() if self._best is None else (self._best.met.rules,))]
        decision = Decision(self.problem, gaps.within(gap), below, gap, settings, self._fairness, offers)
        self._decision = decision.without_relaxation()  # the cheapest set of all is known already

    def _take(self, decision: Decision) -> None:
        """Make the best set that was met the incumbent."""
        for met in decision.met:
            loss = self._gaps.loss(met.uncovered, met.covers)
            if loss <= self._most_loss:
                self._offer(met, loss)
        decision.met.clear()

    def _offer(self, met: Met, loss: int) -> None:
        gap = self._gaps.gap(met.uncovered, met.covers)
        if self._best is None or (gap, loss, met.complexity) < (self._best.gap, *self._best.cost):
            model = RuleSet.from_problem(self.problem, met.rules, form=self.form)
            self._best = FoundSet(gap, loss, met, model, (self._seconds, self.work))

    def _settle(self, decision: Decision) -> None:
        """Draw the conclusion of a question that is answered, and ask the next one."""
        best, phase = self._best, self._phase
        if phase == "ties" and decision.ended:
            self._end()
        elif phase == "incumbent" and best is not None:
            self._phase = "searching"
            self._go_on()
        elif phase == "incumbent" and decision.ended:
            self._phase, self._decision = "infeasible", None
        elif phase == "searching" and decision.has_found:
            self._go_on()
        elif phase == "searching" and decision.ended:
            assert best is not None
            assert decision.gap is not None
            self._lower = max(self._lower, decision.gap)
            self._halves -= 1
            if self._strictly:
                self._lower, self._proof = best.gap, decision._proven
            self._go_on()
        else:
            self._limit = decision.limit

    def _go_on(self) -> None:
        """Look for a smaller gap, or for a cheaper set of this gap when there is none."""
        best = self._best
        assert best is not None
        if self._lower >= best.gap:
            self._lower, self._gap_proven = best.gap, True
            self._phase = "ties"
            self._decide(best.gap)
            return
        half = Fraction(math.floor((self._lower + best.gap) / 2 * _GRAIN), _GRAIN)
        self._strictly = not (self._halves > 0 and self._lower < half < best.gap)
        self._decide(best.gap - self._gaps.step if self._strictly else half)

    def _add_up(self) -> None:
        """Keep what was done for the last question, before another one is asked."""
        if self._decision is not None:
            counts = self._decision._counts
            for name in _COUNTS:
                self._counted[name] += counts[name]
            self._kept = {name: counts[name] for name in _KEPT}

    def _end(self) -> None:
        self._add_up()
        self._phase, self._decision = "certified", None

    @property
    def memory_bytes(self) -> int:
        """Bytes of the conditions, columns and tables of the search under way."""
        return 0 if self._decision is None else self._decision.memory_bytes

    @property
    def counts(self) -> dict[str, int]:
        """Questions asked, and what was done for their answers."""
        now = self._kept if self._decision is None else self._decision._counts
        out = {name: n + now.get(name, 0) for name, n in self._counted.items()}
        return {**out, **{name: now.get(name, 0) for name in (*_KEPT, "queued")}}

    def _snapshot(self) -> Snapshot:
        return self._told(self._limit, self.counts, {}, {"conditions": self.conditions})

    def _predicted(self) -> np.ndarray:
        assert self._best is not None
        return self._best.model.predicts_positive(self.problem.matrix())
