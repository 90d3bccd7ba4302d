"""Certifiably optimal rule lists of predictive parity: a range of predictive values after another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...arguments import ParameterError
from ...certificate import Certificate, ProvenRange, prove_predictive_parity
from ...data.fairness import PredictiveParity
from ...data.rate_constraints import ValueConstraints, value_constraints
from ...rehearsal import grouped_problem
from ...stepping import Search, solve
from . import state
from .passes import counted, in_patterns
from .relaxation import Reduced
from .search import FairRuleListSearch

_NARROWEST = Fraction(1, 64)
_ENDED = ("certified", "infeasible")
_FIRST = 100
"""Units of work that the lists of all ranges are searched for a first bound."""


@dataclass(frozen=True, eq=False)
class _Found:
    """What a certificate takes of a range: ends, multipliers, and bounds on completing sets of a reduced problem."""

    low: Fraction
    high: Fraction
    multipliers: np.ndarray
    problem: Reduced | None
    sets: np.ndarray
    bounds: np.ndarray

    @property
    def nbytes(self) -> int:
        return self.sets.nbytes + self.bounds.nbytes


class _Part(FairRuleListSearch):
    """The lists whose least predictive value of a group is between two ends, and maybe others that are fair.

    "split": its multipliers promise no proof, and it can be halved. The first one is of all lists: for a bound.
    """

    def __init__(
        self, whole: PredictiveParitySearch, low: Fraction, high: Fraction, proven: int, first: _Found | None = None
    ) -> None:
        self._low, self._high, self._first, self._from_first = low, high, first, proven
        self._units = 0
        names = ("regularization", "fairness", "labels", "bounds", "beam_width", "min_group_size")
        super().__init__(whole.problem, **{name: getattr(whole, name) for name in names})
        self._proven = proven

    def _asked_of_sums(self) -> ValueConstraints:
        return value_constraints(self.problem, self.fairness, self.min_group_size, self._low, self._high)

    def _more_rules(self) -> dict[str, Any]:
        constraints = self._constraints
        assert isinstance(constraints, ValueConstraints)
        return {"values": constraints.n_counted, "tolerance": float(constraints.tolerance)}

    def _start_search(self) -> None:
        assert isinstance(self._constraints, ValueConstraints)
        best = self._multipliers.best.copy()
        best[len(best) - 2 * len(self._constraints.groups) :] = 0.0  # of the counts, which are not bounded
        self._multipliers.best = best
        value, shift = self._multipliers.value, self._rules.shift
        narrow = self._high - self._low <= max(_NARROWEST, Fraction(self.fairness.tolerance) / 2)
        if (
            narrow
            or self._first is None
            or not len(self._problem.antecedents)
            or value > (self._best.cost << shift if shift >= 0 else self._best.cost >> -shift)
        ):
            super()._start_search()
        else:
            self._phase = "split"

    @property
    def ended(self) -> bool:
        return self._phase in _ENDED

    def found(self) -> _Found:
        """What is proven so far, in as little room as it takes: of all ranges, where that is more than of this one."""
        if self._first is not None and self._proven <= self._from_first:
            return replace(self._first, low=self._low, high=self._high)
        constraints = self._constraints
        assert isinstance(constraints, ValueConstraints)
        chosen = iter(np.ldexp(self._chosen, -np.asarray(constraints.shifts, dtype=np.int64)).tolist())
        ends = self._low, self._high + constraints.tolerance
        multipliers = [next(chosen) if 0 < end < 1 else 0.0 for _ in constraints.groups for end in ends]
        given = self._low, self._high, np.array(multipliers, dtype=np.float64)
        if not hasattr(self, "_store"):
            return _Found(*given, None, np.zeros((0, 0), dtype=np.uint64), np.zeros(0, dtype=np.int64))
        n = int(self._store.numbers[state.N_ENTRIES])
        told = np.flatnonzero(self._store.bound[:n] > self._rules.relaxed_rule)  # the others need no telling
        return _Found(*given, self._problem, self._store.sets[told], self._store.bound[told])

    def go_on(self, whole: PredictiveParitySearch, free: int | None) -> None:
        """One unit of work; lists that cost no less than the best one are not looked for."""
        self.memory_limit, self._out_of_memory = free, False
        self._seconds, self.work = whole._seconds, whole.work
        if whole._best.cost < self._best.cost:
            self._best = whole._best
        if self._phase == "reducing":
            self._prepare()
        store = self._multipliers.store if self._phase == "incumbent" else self._store
        store.numbers[state.BEST] = min(int(store.numbers[state.BEST]), self._best.cost)
        self._unit(self._phase, 1)
        self._units += self._phase == "searching"
        if self._first is None and self._phase == "searching" and (self._step or self._units >= _FIRST):
            self._phase = "split"  # the bound of the relaxation is proven, or takes too long


class PredictiveParitySearch(FairRuleListSearch):
    """Step-wise exact search for the rule list of least ``errors / n + regularization * rules`` of predictive parity.

    `RuleListSearch` makes one when it is given `PredictiveParity`. All fair lists have their groups' predictive values
    between some number and that number plus the tolerance; the numbers from 0 to 1 are halved into ranges in which
    linear constraints come near enough to the criterion, and each range is searched as for other criteria. Lists that
    meet a range's constraints and not the criterion are refused one by one, in exact numbers. The lower bound is the
    least of those of all ranges; that of all lists, fair or not, is proven first, and holds in each.

    Parameters
    ----------
    problem, regularization, fairness, labels, bounds, memory_limit, beam_width, min_group_size, warm_start
        As of `FairRuleListSearch`; ``fairness`` is a `PredictiveParity`.
    """

    def _asked_of_sums(self) -> ValueConstraints:
        if not isinstance(self.fairness, PredictiveParity):
            raise ParameterError("fairness", self.fairness, "rulelab.PredictiveParity(..)")
        self._parts: list[_Part] = []
        self._part: _Part | None = None
        self._found: list[_Found] = []
        self._left = [counted(None)]  # counts of parts that are done
        return value_constraints(self.problem, self.fairness, self.min_group_size, Fraction(0), Fraction(1))

    def _certificate(self, bound: float | None) -> Certificate:
        parameters = self._claim(bound)
        found = _joined(sorted([*self._found, *(part.found() for part in self._parts)], key=lambda one: one.low))
        ranges = [
            ProvenRange(
                float(one.low),
                float(one.high),
                one.multipliers,
                {} if one.problem is None else in_patterns(self.problem, one.problem, one.sets, one.bounds),
            )
            for one in found
        ]
        return prove_predictive_parity(self.problem, self._best_model(), parameters, ranges)

    def _rehearse(self) -> None:
        self._free_search(self.problem, self.regularization).compile()
        solve(PredictiveParitySearch(grouped_problem(), 0.01, self.fairness, beam_width=2).without_relaxation())

    def _prepare(self) -> None:
        """Try the lists without rules and the one to begin with, and begin with the whole range."""
        for label in range(2):
            self._try((), label)
        if self.warm_start is not None:
            self._try_first(self.warm_start)
        self._parts = [_Part(self, Fraction(0), Fraction(1), 0)]
        self._phase = "incumbent"

    def _within(self) -> Search | None:
        return super()._within() or self._part

    def _unit(self, phase: str, most: int) -> bool:
        """One unit of the range with the least bound; first of those whose multipliers are not known yet."""
        if phase in _ENDED:
            return False
        waiting = [part for part in self._parts if part._phase in ("reducing", "incumbent")]
        if not waiting and phase == "incumbent":
            self._phase = "searching"
            return True
        part = waiting[0] if waiting else min(self._parts, key=lambda one: one._proven, default=None)
        if part is None:
            self._proven = self._best.cost
            self._finish()
            return True
        self._part = part
        free = self._free
        part.go_on(self, None if free is None else free + part.memory_bytes)
        self.work += 1
        self._out_of_memory = part._out_of_memory
        if part._best.cost < self._best.cost:
            self._best = part._best
        if part._phase == "split":
            self._split(part)
        elif part.ended or part._proven >= self._best.cost:
            self._leave(part)
        self._proven = max(self._proven, min([self._best.cost, *(one._proven for one in self._parts)]))
        return True

    def _split(self, part: _Part) -> None:
        """Its two halves in its place."""
        first = part._first or part.found()
        self._let_go(part)
        middle = (part._low + part._high) / 2
        halves = ((part._low, middle), (middle, part._high))
        self._parts = [_Part(self, *ends, part._proven, first) for ends in halves] + self._parts

    def _leave(self, part: _Part) -> None:
        """Of a range that is done what proves it is kept."""
        self._found.append(part.found())
        self._let_go(part)

    def _let_go(self, part: _Part) -> None:
        self._left.append(part._counted())
        self._parts.remove(part)

    def _counted(self) -> tuple[dict[str, int], dict[str, int]]:
        every = [*self._left, *(part._counted() for part in self._parts)]
        counts, pruned = (
            {name: sum(one[name] for one in each) for name in each[0]} for each in zip(*every, strict=True)
        )
        return counts, pruned

    @property
    def _own_bytes(self) -> int:
        """Bytes of the arrays of the search, and of what is kept for a certificate."""
        kept = {id(one.sets): one.nbytes for one in [*self._found, *(p._first for p in self._parts if p._first)]}
        return sum(kept.values()) + sum(part.memory_bytes for part in self._parts)


def _joined(found: list[_Found]) -> list[_Found]:
    """Ranges side by side of which the same is known, as one."""
    out = found[:1]
    for one in found[1:]:
        if one.sets is out[-1].sets:
            out[-1] = replace(out[-1], high=one.high)
        else:
            out.append(one)
    return out
