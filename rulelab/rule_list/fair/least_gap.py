"""The least gap between groups of any rule list of some accuracy, certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...arguments import bounds_of
from ...certificate import Certificate, CertificateError, prove_least_gap
from ...data.exact_weights import most_errors
from ...data.problem import Problem
from ...least_gap import LeastGap
from ...models import RuleList
from ...parameters import FREE_RULES, check_arguments
from ...proving import kept_for_its_model
from ...rehearsal import grouped_problem
from ...snapshot import Snapshot
from ...stepping import solve
from ..bounds import FairRuleListBounds
from ..costs import antecedents_of, labels_of
from . import passes, state
from .passes import GROWING, LabelSetting, Multipliers, list_of, predicted, proven_of_sets
from .relaxation import Gaps, allowance, gaps_of, reduced, shift_of

_ROOM = 4  # lists that are waited for in a pass before they are looked at
_FIRST = (0.5, 1 - 1e-6)  # of the multipliers' bound on the gap: what the first passes prove
_HALVES = 2  # passes up to half of what is left after them, before the one that is to decide


@dataclass(frozen=True)
class FoundList:
    """A list that a search of the least gap has found."""

    gap: Fraction
    cost: Fraction  # ``errors / n + regularization * rules``
    errors: int  # in units of the problem's weights
    rules: tuple[tuple[int, int], ...]  # the problem's antecedents, with a label for each
    default: int
    model: RuleList
    found_at: tuple[float, int]  # seconds of search and units of work


class _Aim(NamedTuple):
    """What a pass looks for: lists of at most this gap (or less than that), so many rules, and so many errors."""

    gap: Fraction
    strictly: bool
    rules: int
    errors: int


class LeastGapSearch(LabelSetting, LeastGap):
    """Step-wise exact search for the rule list of least gap between groups among those of some accuracy.

    What it proves: no rule list over these antecedents (of at most ``max_length`` rules, where that is given) with an
    accuracy of at least ``min_accuracy`` has a smaller gap. The gap is the largest difference between two groups in a
    rate of the criterion, an exact fraction in `least`; the objective is its nearest float. Of the lists of least gap
    the search then finds one of least ``errors / n + regularization * rules``, and ends with a proof of that, too.

    Parameters
    ----------
    problem : Problem
        With groups.
    criterion : str or class
        What the gap is measured in: "equal_opportunity", "equalized_odds", "false_positive_rate_parity",
        "demographic_parity" or "accuracy_parity", or its class, such as `rulelab.EqualOpportunity`.
    regularization : float
        What a rule is worth in the choice between lists of the same gap, 0 <= regularization < 1. It changes neither
        the least gap nor its proof.
    min_accuracy : float, optional
        Least share of the rows' weight that is predicted right, from 0 to 1; by default a tenth of the way from what
        one answer for everybody gets right to 1, so that no constant list is meant. It is compared to within 2^-52, so
        that ``1 - errors / n`` is reached by these errors, however it is rounded.
    max_length : int, optional
        Most rules, not counting the default; any number by default, with which larger problems are out of reach.
    bounds, memory_limit, beam_width, min_group_size
        As of `rulelab.engines.FairRuleListSearch`.
    warm_start : RuleList or sequence of RuleList, optional
        Lists to begin with, where they are accurate and short enough; their antecedents are found by name.

    Raises
    ------
    ValueError
        When an argument is out of range, or a group has nothing that the criterion could be measured on.
    """

    family: ClassVar[str] = "rule_list"
    _MODEL = RuleList

    def __init__(
        self,
        problem: Problem,
        criterion: Any = "equal_opportunity",
        regularization: float = 0.01,
        min_accuracy: float | None = None,
        max_length: int | None = None,
        bounds: FairRuleListBounds | None = None,
        memory_limit: int | None = None,
        beam_width: int = 400,
        min_group_size: int = 0,
        warm_start: RuleList | Sequence[RuleList] | None = None,
    ) -> None:
        FREE_RULES.check(regularization)
        check_arguments(max_length=max_length, memory_limit=memory_limit, beam_width=beam_width)
        super().__init__(problem, criterion, min_accuracy, min_group_size, warm_start)
        self.regularization = float(regularization)
        self.max_length = None if max_length is None else int(max_length)
        self.bounds = bounds_of(FairRuleListBounds, bounds)
        self.memory_limit = memory_limit
        self.beam_width = int(beam_width)
        self._starts = [antecedents_of(one, problem) for one in self.warm_start or ()]
        self._gaps: Gaps = gaps_of(problem, self._made, self.min_group_size)
        m = problem.n_antecedents
        self._longest = m if self.max_length is None else min(self.max_length, m)
        self._most_errors = self.most_errors(self.min_accuracy)
        self._best: FoundList | None = None
        self._targets: list[Fraction] = []
        self._halves, self._length = _HALVES, 0
        self._out_of_memory = False
        self._aim: _Aim
        self._chosen = np.zeros(len(self._gaps.rows))
        self._least = 0

    @property
    def found(self) -> FoundList | None:
        """The best list; None while there is none."""
        return self._best

    def most_errors(self, accuracy: float) -> int:
        """The largest errors of a list of this accuracy, in units of the problem's weights.

        Parameters
        ----------
        accuracy : float
            Share of the weight, from 0 to 1.
        """
        return most_errors(accuracy, self._gaps.masses.total)

    @kept_for_its_model
    def certificate(self) -> Certificate:
        """The proof that no list of this accuracy and length has a smaller gap, for `rulelab.verify`.

        It does not speak of the choice between lists of the same gap.

        Raises
        ------
        CertificateError
            When the least gap is not proven, or weights have too many digits.
        """
        incumbent, best = self._make_incumbent()[0], self._best
        if not self._gap_proven or incumbent is None or best is None:
            raise CertificateError("the search has not proven the least gap yet; let it finish first")
        order = sorted(range(len(self._gaps.names)), key=self._gaps.names.__getitem__)
        parameters = {
            "min_accuracy": self.min_accuracy,
            "max_length": float(self._longest),
            "min_group_size": float(self.min_group_size),
            "shift": float(shift_of(self._longest)),
        }
        bounds = proven_of_sets(self.problem, self._problem, self._store) if hasattr(self, "_store") else {}
        shifts = [row.shift for row in self._gaps.rows]  # of the rounded rows that the search has multiplied
        multipliers = np.ldexp(self._chosen, np.negative(shifts))[[0, *(1 + k for k in order)]]
        exact = self._gaps.by_rate(predicted(self.problem, best.rules, best.default))
        parameters |= {f"{name}_gap": float(gap) for name, gap in exact.items()}
        return prove_least_gap(self.problem, incumbent.model, parameters, multipliers, bounds)

    def _rehearse(self) -> None:
        options: dict[str, Any] = {"min_accuracy": 0.5, "beam_width": 2, "max_length": 2}
        solve(LeastGapSearch(grouped_problem(), self.criterion, **options))

    def _unit(self, phase: str, most: int) -> bool:
        if phase == "incumbent":
            self._look_for_multipliers()
        elif phase in ("searching", "ties"):
            self._search()
        return phase in ("incumbent", "searching", "ties")

    def _prepare(self) -> None:
        """Reduce the problem and try the lists without rules."""
        problem = self.problem
        nothing = np.zeros((2, problem.n_patterns), dtype=np.int64)
        for label in range(2):
            self._offer((), label)
        for start, antecedents in zip(self.warm_start or (), self._starts, strict=True):
            *labels, default = labels_of(start)
            self._offer(tuple(zip(antecedents, labels, strict=True)), default)
        constraints = self._gaps.constraints(*self._most)
        self._problem = reduced(problem, nothing, constraints)
        if not self._longest or not len(self._problem.antecedents):
            self._end()
            return
        shift = shift_of(self._longest)
        self._rules = state.Rules(
            per_rule=1, relaxed_rule=1 << shift, base=0, shift=shift, majority=False, doubt=1, **self.bounds.to_dict()
        )
        dual = self._gaps.dual(self._longest, self._most_errors)
        cost = self._longest + 1
        self._multipliers = Multipliers(self._problem, constraints, self._rules, self.beam_width, cost, dual)
        self._phase = "incumbent"

    @property
    def _most(self) -> tuple[Fraction, bool, int]:
        """The largest gap that is still of interest, whether it is one less than that, and the most errors."""
        return (
            (Fraction(1), False, self._most_errors) if self._best is None else (self._best.gap, True, self._most_errors)
        )

    def _look_for_multipliers(self) -> None:
        multipliers = self._multipliers
        ended = self._run_beam()
        numbers = multipliers.store.numbers
        if (ended or numbers[state.N_DOUBTS] + 4 > state.MOST_DOUBTS) and self._look(multipliers.store):
            multipliers.tighten(self._gaps.constraints(*self._most))
        if multipliers.done:
            self._start_search()

    def _start_search(self) -> None:
        """Arrange the problem at the best multipliers and begin the first pass."""
        worth = min(1.0, max(0.0, self._multipliers.worth))
        constraints = self._gaps.constraints(*self._most)
        self._least = self._arrange(constraints).base - self._allowed(constraints)
        ties = self._gaps.constraints(self._most[0], False, self._most_errors)  # the widest aim of all passes
        base = self._least + self._allowed(ties)
        self._start_passes(self._longest << self._rules.shift, base, self._longest + 1, state.UNKNOWN, _ROOM)
        self._targets = [Fraction(worth * share) for share in _FIRST if worth]
        self._go_on()

    def _allowed(self, constraints: Any) -> int:
        return allowance(constraints.low, constraints.high, self._chosen, self._rules.shift)

    def _go_on(self) -> None:
        """Begin the next pass for the gap, or for ties when there is nothing left to prove of the gap."""
        best = self._best
        if best is not None and self._lower >= best.gap:
            self._gap_proven = True
            self._phase = "ties"
            self._length = 1 if self.regularization else self._longest
            self._next_tie()
            return
        upper = Fraction(1) if best is None else best.gap
        target = self._targets.pop(0) if self._targets else upper
        if not self._targets and self._halves:
            self._halves -= 1
            self._targets = [(max(self._lower, target) + upper) / 2]
        strictly = best is not None and target >= best.gap
        self._begin(_Aim(upper if strictly else target, strictly, self._longest, self._most_errors))

    def _begin(self, aim: _Aim) -> None:
        """Begin a pass."""
        self._aim = aim
        constraints = self._gaps.constraints(aim.gap, aim.strictly, aim.errors)
        self._data.outside[:] = constraints.low, constraints.high
        self._data.inside[:] = constraints.low_inside, constraints.high_inside
        self._rules = self._rules._replace(base=self._least + self._allowed(constraints))
        numbers = self._store.numbers
        numbers[state.BEST], numbers[state.STAGE], numbers[state.DEPTH] = aim.rules + 1, state.START, -1

    def _search(self) -> None:
        """One unit of work of the present pass."""
        outcome, store = self._pass(), self._store
        if outcome in GROWING:
            return
        self.work += 1
        better = (outcome == passes.DONE or store.numbers[state.N_DOUBTS]) and self._look(store)
        if self._phase == "ties":
            if better or outcome == passes.DONE:
                self._length += not better
                self._next_tie()
        elif better:
            self._targets, self._halves = [], 0
            self._go_on()
        elif outcome == passes.DONE:
            self._lower = self._aim.gap
            if self._best is None and self._aim.gap >= 1:
                self._end()
            else:
                self._go_on()

    def _next_tie(self) -> None:
        """Look for a list of the same gap and less cost, of at most 1, 2, .. rules; end when there can be none."""
        best = self._best
        assert best is not None
        while self._length <= self._longest:
            share = best.cost - _decimal(self.regularization) * self._length
            errors = min(self._most_errors, math.ceil(share * self._gaps.masses.total) - 1)
            if errors < 0:
                break
            self._begin(_Aim(best.gap, False, self._length, errors))
            return
        self._end()

    def _end(self) -> None:
        self._phase = "infeasible" if self._best is None else "certified"
        if self._best is not None:
            self._lower, self._gap_proven = self._best.gap, True

    def _look(self, store: state.Store) -> bool:
        """Take over the best of the lists that the kernels have met; whether that is a better one."""
        before = self._best
        for i in range(int(store.numbers[state.N_DOUBTS])):
            self._offer(*list_of(self._problem, store.doubt_rules[i], int(store.doubt_length[i])))
        store.numbers[state.N_DOUBTS] = 0
        return self._best is not before

    def _offer(self, rules: tuple[tuple[int, int], ...], default: int) -> None:
        """Make a list the incumbent when it is short and accurate enough, and better."""
        positive = predicted(self.problem, rules, default)
        errors = self._gaps.errors(positive)
        if errors > self._most_errors or len(rules) > self._longest:
            return
        gap = self._gaps.gap(positive)
        cost = Fraction(errors, self._gaps.masses.total) + _decimal(self.regularization) * len(rules)
        if self._best is None or (gap, cost) < (self._best.gap, self._best.cost):
            labels = [label for _, label in rules] + [default]
            model = RuleList.from_problem(self.problem, [a for a, _ in rules], labels)
            self._best = FoundList(gap, cost, errors, rules, default, model, (self._seconds, self.work))

    @property
    def counts(self) -> dict[str, int]:
        """Prefixes created, expanded and queued, sets stored and counted."""
        return self._counted()[0]

    def _snapshot(self) -> Snapshot:
        counts, pruned = self._counted()
        limit = "memory" if self._out_of_memory else None
        detail = {"antecedents": self.problem.n_antecedents}
        return self._told(limit, counts, pruned, detail)

    def _predicted(self) -> np.ndarray:
        assert self._best is not None
        return predicted(self.problem, self._best.rules, self._best.default)


def _decimal(value: float) -> Fraction:
    """A parameter stands for the decimal number that it prints as."""
    return Fraction(repr(value))
