"""The memory of the server: measured as it is, and given back by the largest search before there is too much."""

from __future__ import annotations

import logging
import threading

import psutil

from ...sweeps.families import share_by
from ..allowance import ALLOWED, SHARES, Share
from ..live.session import OPEN, SearchSession
from .health import resident

LOOK_SECONDS = 0.25
_RESERVE = 0.05
"""Of the budget, that is not dealt out: for arrays that are copied when they grow, and for pages."""
_GROWN = 1.02
_LOG = logging.getLogger(__name__)


class MemoryWatch:
    """Ends the largest search when the server, with its child processes, holds more than it may.

    What is left, but for what files that are read may take, is dealt out to all searches and fits of sweeps that go on,
    in equal parts, so that each can grow until there is nothing left, and then ends by itself, with what it has proven.
    What a search has stored stays as long as its page is open, for its proof. Where that is not enough, for want of
    memory for something else, the largest search is ended; another one only when still more memory is taken, and none
    begins meanwhile.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._process = psutil.Process()
        self._before = 0.0
        self._over = threading.Event()

    def start(self) -> None:
        """Look from now on, in a thread of its own."""
        share_by(Share)
        threading.Thread(target=self._watch, name="rulelab memory", daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        share_by(None)
        ALLOWED.full, ALLOWED.left = False, None

    def look(self) -> SearchSession | None:
        """Measure once; the search that was ended, if one was."""
        used = resident(self._process)
        ALLOWED.full = used >= self.budget
        shares = list(SHARES)
        ALLOWED.left = max(0, int((1 - _RESERVE) * self.budget) - used)
        spare = max(0, ALLOWED.left - ALLOWED.promised)
        for share in shares:
            share.deal(spare // len(shares))
        if not ALLOWED.full:
            self._before = 0.0
            return None
        if used < _GROWN * self._before:
            return None
        running = [each for each in list(OPEN) if each.alive and each.state.busy]
        largest = max(running, key=_held, default=None)
        if largest is not None:
            self._before = used
            largest.end_at("memory")
            said = {"run": largest.run_id, "memory_bytes": used, "budget": self.budget}
            _LOG.warning("a run ends for want of memory", extra={"fields": said})
        return largest

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            self.look()


def _held(run: SearchSession) -> int:
    return 0 if run.snapshot is None else run.snapshot.memory_bytes
