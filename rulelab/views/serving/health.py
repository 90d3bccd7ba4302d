"""How the server stands: ``/health``, its memory, which the largest search gives back, and its end."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import threading
import time
from typing import Any

import psutil
from tornado.web import RequestHandler

from ... import __version__
from ...sweeps.families import share_by
from ..allowance import ALLOWED, SHARES, Share
from ..live.job import POOL
from ..live.session import OPEN, SearchSession
from ..live.state import TICK_SECONDS
from ..live.ticker import tell_all
from .guarded import PROXIED
from .settings import is_loopback

SAID = "This server is being stopped. The search was ended with what it has proven; save what you need now."
_STEP_SECONDS = 0.02
LOOK_SECONDS = 0.25
_RESERVE = 0.05  # of the memory, that is not dealt out: for arrays that are copied when they grow, and for pages
_GROWN = 1.02
_LOG = logging.getLogger(__name__)


class Standing:
    """What is known of a server that runs, and its end: when the process is told to (SIGTERM)."""

    def __init__(self) -> None:
        self.stopping = False  # whether it is about to end, and takes nobody in any more
        self.server: Any = None  # set once it is made
        self._began = time.monotonic()
        self._process = psutil.Process()
        self._ending: asyncio.Task[None] | None = None

    @property
    def sessions(self) -> int:
        """How many pages are open, or were a moment ago."""
        if self.server is None:
            return 0
        return sum(len(context._sessions) for context in self.server._tornado.applications.values())

    def figures(self) -> dict[str, float]:
        """Numbers by name, with their units in it; bytes are resident, of child processes, too."""
        used = self._process.cpu_times()
        searches = [each.state for each in list(OPEN)]
        return {
            "uptime_seconds": time.monotonic() - self._began,
            "sessions": self.sessions,
            "searches": sum(state.busy for state in searches),
            "searches_waiting": POOL.waiting,
            "memory_bytes": resident(self._process),
            "cpu_seconds_total": used.user + used.system,
            "threads": self._process.num_threads(),
        }

    def end_when_told(self, grace: float) -> None:
        """Wait for the signal, in the main thread; searches have ``grace`` seconds, at the second time none."""

        def begin() -> None:
            if self._ending is None:
                self._ending = asyncio.get_running_loop().create_task(self._end(grace))
            else:
                self.server.io_loop.stop()

        signal.signal(signal.SIGTERM, lambda *_: self.server.io_loop.asyncio_loop.call_soon_threadsafe(begin))

    async def _end(self, grace: float) -> None:
        """Tell, wait and stop."""
        try:
            self.stopping = True
            self.server._http.stop()  # takes no new connections
            searches = [search for search in list(OPEN) if search.alive]
            _LOG.info("the server is being stopped: %d pages, %d searches", self.sessions, len(searches))
            for search in searches:
                search.stop()
            tell_all(SAID)
            latest = time.monotonic() + grace
            while any(search.alive for search in searches) and time.monotonic() < latest:
                await asyncio.sleep(_STEP_SECONDS)
            if self.sessions:
                await asyncio.sleep(2 * TICK_SECONDS)  # the last state of each search goes to its page
            left = sum(search.alive for search in searches)
            _LOG.info("the server has stopped; %d searches did not end in %g s", left, grace)
        finally:
            self.server.io_loop.stop()


def resident(process: psutil.Process) -> int:
    """Resident memory of a process and its children, in bytes, but of those that were forked and still are as it is."""
    total, lines = 0, {process.pid: process.cmdline()}
    for each in [process, *process.children(recursive=True)]:
        try:
            parent, line, held = each.ppid(), each.cmdline(), each.memory_info().rss
        except psutil.Error:
            continue  # it has just ended
        lines[each.pid] = line
        if each is process or line != lines.get(parent):
            total += held
    return total


class HealthHandler(RequestHandler):
    """Whether the server takes visitors; how much it has to do is told to this machine alone."""

    def initialize(self, standing: Standing, shown: bool) -> None:
        self._standing, self._shown = standing, shown

    def get(self) -> None:
        """Status 200, or 503 when the server is being stopped."""
        stopping = self._standing.stopping
        self.set_status(503 if stopping else 200)
        told: dict[str, Any] = {"status": "stopping" if stopping else "ok"}
        proxied = any(name in self.request.headers for name in PROXIED)
        if self._shown or (is_loopback(self.request.remote_ip or "") and not proxied):
            figures = {name: round(value, 3) for name, value in self._standing.figures().items()}
            told |= {"version": __version__, **figures}
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        self.write(json.dumps(told) + "\n")

    head = get


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
        largest = max(running, key=lambda run: run.held, default=None)
        if largest is not None:
            self._before = used
            largest.end_at("memory")
            said = {"run": largest.run_id, "memory_bytes": used, "budget": self.budget}
            _LOG.warning("a run ends for want of memory", extra={"fields": said})
        return largest

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            self.look()
