"""Searches that go through phases, of which a call of `advance` ends with the one that it began in."""

from __future__ import annotations

import abc

from ..proving import Proving


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
