"""Searches that go through phases, of which a call of `advance` ends with the one that it began in."""

from __future__ import annotations

import abc
from dataclasses import replace
from typing import Any, Self

import numpy as np

from .certificate import Certificate, of_all
from .models import Model
from .proving import Proving
from .snapshot import CUT_BY, FIRST, Snapshot, Status
from .stepping import Search

_MOST_EFFORT = 1 << 30
"""Words looked at by the search for the best model of all, about, before it is given up: some seconds."""
SHARE = 4
"""Of the memory, a search whose models are handed on takes one part."""
_WAITING, _ENDED = ("preparing", "reducing"), ("certified", "infeasible")


class Phased(Search):
    """A search that is prepared in its first phase."""

    _phase: str

    @abc.abstractmethod
    def _prepare(self) -> None:
        """Leave the first phase."""

    @property
    @abc.abstractmethod
    def _own_bytes(self) -> int:
        """Bytes of what it stores itself."""

    @property
    def memory_bytes(self) -> int:
        """Bytes of what is stored, also by a search for the best model of all while that is of use."""
        return self._own_bytes


class PhasedSearch(Phased, Proving):
    """A search that is prepared first, and then does units of work until its phase ends or memory is used up."""

    _out_of_memory: bool

    @abc.abstractmethod
    def _unit(self, phase: str, most: int) -> bool:
        """One unit of work of a phase, or up to so many; False when it has none, or not now."""

    def _advance(self, max_work: int) -> None:
        if self._phase in _WAITING:
            self._prepare()
        phase, pace, target = self._phase, self.pace, self.work + max_work
        self._out_of_memory = False
        while self.work < target and self.pace == pace and not self._out_of_memory:
            if not self._unit(phase, target - self.work):
                return


class RelaxedFirst(Phased):
    """A search for a model that has to obey, which looks for the best one of all first, and hands on what it finds.

    No model that obeys costs less, and where the best one obeys, nothing is left to do. The search for it is given up
    where it takes long; what it has proven holds.
    """

    memory_limit: int | None
    _best: Any
    _relaxation: Any = None
    _floor = 0.0  # what no model has an objective below
    _relaxed: Any = 0  # what no model costs less than on the grid, once that is proven exactly
    _relaxes = True
    _relaxing = False
    _left_in = ""  # the phase that the proof of the other search has ended
    _suffices = False  # whether that was as soon as the other search had ended
    _last_relaxed: Snapshot | None = None  # the last state of the search for the best model of all

    @property
    def _least_known(self) -> Any:
        """Cost of the best model so far."""
        return self._best.cost

    @property
    @abc.abstractmethod
    def _own_bound(self) -> float:
        """What is proven without the search for the best model of all."""

    @abc.abstractmethod
    def _without_demands(self) -> Any:
        """The search for the best model of all."""

    @abc.abstractmethod
    def _take_over(self, model: Any, optimal: bool) -> Any:
        """Take a model if it obeys; its cost, where it is ``optimal`` of all and costs are exact, else 0."""

    @abc.abstractmethod
    def _obeyed(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        """What the model obeys, as parameters and arrays of a certificate."""

    def _advance(self, max_work: int) -> None:
        if self._relaxes and self._phase in _WAITING:
            self._prepare()
            self._relaxing = self._phase not in _ENDED
        relaxed = self._relaxing
        if relaxed:
            self._relax(max_work)
        else:
            super()._advance(max_work)  # type: ignore[safe-super]  # of the class that stands beside this one
        if self._relaxation is None or self._relaxing or self._phase in _ENDED:
            return
        if self._relaxed >= self._least_known:
            self._left_in, self._phase, self._suffices = self._phase, "certified", relaxed
        elif self._own_bound > self._floor:
            self._relaxation, self._relaxed = None, 0

    def without_relaxation(self) -> Self:
        """The same search, not begun yet, that looks at once for models that obey: to have its own kernels compiled."""
        self._relaxes = False
        return self

    def _within(self) -> Search | None:
        return self._relaxation if self._relaxing else None

    def _relax(self, max_work: int) -> None:
        """Look for the best model of all."""
        if self._relaxation is None:
            self._relaxation = self._without_demands()
        relaxation, before, most = self._relaxation, self._relaxation.work, self._most_relaxed
        relaxation.memory_limit = None if self.memory_limit is None else max(1, self.memory_limit // SHARE)
        last = self._last_relaxed = relaxation.advance(min(max_work, most - before))
        self.work += relaxation.work - before
        self._floor = max(self._floor, self._sure(last.lower_bound))
        if last.status is Status.RUNNING and relaxation.work < most:
            return
        self._relaxing = False
        if last.incumbent is not None:
            self._relaxed = self._take_over(last.incumbent.model, last.status is Status.OPTIMAL)

    def _now(self) -> Snapshot:
        """The present state, with what the search for the best model of all has counted."""
        now, first = super()._now(), self._last_relaxed
        if first is None:
            return now
        counts = {**first.counts, "cut": sum(first.pruned.values())}
        counts |= {f"{CUT_BY}{name}": n for name, n in first.pruned.items() if n}
        counts |= {"running": int(self._relaxing), "suffices": int(self._suffices)}
        return replace(now, detail={**now.detail, **{FIRST + name: n for name, n in counts.items()}})

    @property
    def _most_relaxed(self) -> int:
        """Units of work of the search for the best model of all."""
        problem = self.problem
        return 1 + _MOST_EFFORT // (problem.n_antecedents + 1) // (1 + problem.n_patterns // 64)

    def _sure(self, bound: float) -> float:
        """What a proof is sure of, of a bound of the search for the best model of all: sums may be rounded."""
        return bound * (1 - 2.0**-45)

    @property
    def memory_bytes(self) -> int:
        return super().memory_bytes + (0 if self._relaxation is None else int(self._relaxation.memory_bytes))

    def _cut(self, pruned: dict[str, int], bound: str, waiting: int) -> dict[str, int]:
        """What bounds have cut: this one all that waits, where the other search has ended this one."""
        return pruned | {bound: pruned[bound] + (waiting if self._left_in else 0)}

    def _other_proof(self, bound_only: bool) -> Certificate | None:
        """The proof of the search for the best model of all, where that has proven what there is to prove."""
        if self._left_in:
            model = self._best_model()
            return of_all(self._relaxation.certificate_of(model), *self._obeyed())
        if not bound_only or self._phase in _ENDED or self._relaxation is None or self._own_bound >= self._floor:
            return None
        now = self._snapshot()
        return None if now.incumbent is None else self._relaxation.certificate_of(now.incumbent.model, now.lower_bound)

    def _best_model(self) -> Model:
        incumbent = self._snapshot().incumbent
        assert incumbent is not None
        return incumbent.model
