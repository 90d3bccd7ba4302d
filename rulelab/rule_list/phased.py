"""Searches that go through phases, of which a call of `advance` ends with the one that it began in."""

from __future__ import annotations

import abc
import copy
from collections.abc import Sized
from typing import Any, ClassVar, Self

from ..certificate import Certificate
from ..models import RuleList
from ..proving import Proving
from ..search import Search, solve
from ..snapshot import Status
from .costs import Costs

_MOST_EFFORT = 1 << 30
"""Words looked at by the search for the best list of all, about, before it is given up: some seconds."""
_WIDEST = 100  # its beam
_SHARE = 4  # of the memory, it takes one
_PATIENCE, _SECONDS = 2000, 5.0  # units of work and seconds that a proof of its own is looked for


class PhasedSearch(Proving):
    """A search that is prepared first, and then does units of work until its phase ends or memory is used up."""

    _out_of_memory: bool

    @abc.abstractmethod
    def _prepare(self) -> None:
        """Leave the phase "reducing"."""

    @abc.abstractmethod
    def _unit(self, phase: str) -> bool:
        """At most one unit of work of a phase; False when it has none."""

    def _advance(self, max_work: int) -> None:
        if self._phase == "reducing":
            self._prepare()
        phase, pace, target = self._phase, self.pace, self.work + max_work
        self._out_of_memory = False
        while self.work < target and self.pace == pace and not self._out_of_memory:
            if not self._unit(phase):
                return


class RelaxedFirst(PhasedSearch):
    """A search for a list that has to obey, which looks for the best list of all first, and hands on what it finds.

    No list that obeys costs less, and where the best one obeys, nothing is left to do. The search for it is given up
    where it takes long; what it has proven holds.
    """

    regularization: float
    memory_limit: int | None
    beam_width: int
    _costs: Costs
    _proven: int
    _free_search: ClassVar[Any]
    """`RuleListSearch`, which imports the searches that begin with it."""
    _relaxation: Any = None
    _floor = 0.0
    """What no list has an objective below."""
    _relaxed = 0
    """What no list costs less than on the grid, once that is proven exactly."""
    _relaxes = True
    _relaxing = False
    _left_in = ""
    """The phase that the proof of the other search has ended."""

    @property
    @abc.abstractmethod
    def _least_known(self) -> int:
        """Cost of the best list so far."""

    @abc.abstractmethod
    def _try(self, rules: tuple[tuple[int, int], ...], default: int) -> None:
        """Take a list if it obeys."""

    def _advance(self, max_work: int) -> None:
        if self._phase == "reducing":
            self._prepare()
            self._relaxing = self._relaxes and self._phase in ("incumbent", "searching")
        if self._relaxing:
            self._relax(max_work)
        else:
            super()._advance(max_work)
        if self._phase in ("incumbent", "searching") and self._relaxed >= self._least_known:
            self._left_in, self._phase, self._relaxing = self._phase, "certified", False
        if self._proven > self._relaxed and self._own_bound > self._floor and not self._relaxing:
            self._relaxation = None

    def without_relaxation(self) -> Self:
        """The same search, not begun yet, that looks at once for lists that obey: to have its own kernels compiled."""
        self._relaxes = False
        return self

    def _within(self) -> Search | None:
        return self._relaxation if self._relaxing else None

    def _relax(self, max_work: int) -> None:
        """Look for the best list of all."""
        problem, costs = self.problem, self._costs
        if self._relaxation is None:
            width = min(self.beam_width, _WIDEST)
            self._relaxation = self._free_search(problem, self.regularization, beam_width=width)
        relaxation, before = self._relaxation, self._relaxation.work
        relaxation.memory_limit = None if self.memory_limit is None else max(1, self.memory_limit // _SHARE)
        most = 1 + _MOST_EFFORT // (problem.n_antecedents + 1) // (1 + problem.n_patterns // 64)
        last = relaxation.advance(min(max_work, most - before))
        self.work += relaxation.work - before
        bound = last.lower_bound * (1 - 2.0**-45) - costs.exactness  # what a proof is sure of, sums being rounded
        self._floor = max(self._floor, bound)
        if last.status is Status.RUNNING and relaxation.work < most:
            return
        self._relaxing = False
        model = last.incumbent.model
        place = {name: j for j, name in enumerate(problem.names)}
        labels = [int(rule.prediction == model.classes[-1]) for rule in (*model.rules, model.default)]
        self._try(tuple(zip((place[name] for name in model.antecedent_names), labels, strict=False)), labels[-1])
        if last.status is Status.OPTIMAL and costs.exact:
            positive = model.predicts_positive(problem.matrix())
            wrong = int(costs.negatives[positive].sum()) + int(costs.positives[~positive].sum())
            self._relaxed = costs.per_error * wrong + costs.per_rule * len(model.rules)

    @property
    def _own_bound(self) -> float:
        """What is proven without the search for the best list of all."""
        return max(0.0, min(self._proven, self._least_known) * self._costs.unit - self._costs.slack)

    def _cut(self, pruned: dict[str, int], queue: Sized) -> dict[str, int]:
        """What bounds have cut: all that waits, where the other search has ended this one."""
        return pruned | {"always: threshold": pruned["always: threshold"] + (len(queue) if self._left_in else 0)}

    def _other_proof(self, bound_only: bool) -> Certificate | None:
        bound = self._to_prove(bound_only)
        if self._relaxation is None or (self._own_bound >= self._floor if bound else not self._left_in):
            return None
        incumbent = self._snapshot().incumbent
        assert incumbent is not None
        return self._proof_of(incumbent.model, bound)

    def _proof_of(self, model: RuleList, bound: float | None) -> Certificate:
        """Of a list that is the best of all: a proof that says that it obeys, if found soon, else the other one's."""
        if bound is None:
            own: Any = copy.deepcopy(self, {id(self.problem): self.problem})
            own._phase, own._left_in, own._relaxed = self._left_in, "", 0
            if solve(own, work_limit=_PATIENCE, time_limit=_SECONDS).status is Status.OPTIMAL:
                return own.certificate()  # type: ignore[no-any-return]
        return self._relaxation.certificate_of(model, bound)  # type: ignore[no-any-return]
