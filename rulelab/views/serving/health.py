"""How the server stands: ``/health`` for who keeps it running, ``/metrics`` for Prometheus."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from collections import Counter, deque
from typing import Any

import psutil
from tornado.web import RequestHandler

from ... import __version__
from ..live.hands import HANDS
from ..live.pool import POOL
from ..live.session import OPEN, RUNS
from .guarded import PROXIED

_BEAT_SECONDS = 0.05
WINDOW_SECONDS = 60.0


class Standing:
    """What is known of a server that runs.

    Attributes
    ----------
    stopping : bool
        Whether it is about to end, and takes nobody in any more.
    server : object
        Set once it is made.
    others : list of dict
        What the other processes of this server have reported last, see `report`.
    """

    def __init__(self) -> None:
        self.stopping = False
        self.server: Any = None
        self.others: list[dict[str, Any]] = []
        self._began = time.monotonic()
        self._process = psutil.Process()
        self._stalls: deque[tuple[float, float]] = deque()
        self._watching: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """Measure from now on how long the server's loop is held; called in the loop."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_BEAT_SECONDS)
            now = time.monotonic()
            late = now - began - _BEAT_SECONDS
            while self._stalls and self._stalls[-1][1] <= late:
                self._stalls.pop()  # a later and longer one says all that is asked of it
            self._stalls.append((now, late))

    def longest_stall(self, seconds: float = WINDOW_SECONDS) -> float:
        """Seconds that the loop was held at most in the last ones, a minute at most."""
        now = time.monotonic()
        while self._stalls and self._stalls[0][0] < now - WINDOW_SECONDS:
            self._stalls.popleft()
        all_stalls = [self._stalls, *(other["stalls"] for other in self.others)]
        return max(next((late for at, late in each if at >= now - seconds), 0.0) for each in all_stalls)

    @property
    def sessions(self) -> int:
        """How many pages are open, or were a moment ago."""
        if self.server is None:
            return 0
        contexts = self.server._tornado.applications.values()
        return sum(len(context._sessions) for context in contexts)

    @property
    def runs(self) -> Counter[str]:
        """How many runs have ended, by how."""
        return sum((Counter(other["runs"]) for other in self.others), Counter(RUNS))

    def report(self) -> dict[str, Any]:
        """What the other processes of this server are to know; clocks of one machine are the same for all."""
        return {"figures": self._own_figures(), "runs": dict(RUNS), "stalls": list(self._stalls)}

    def figures(self, seconds: float = WINDOW_SECONDS) -> dict[str, float]:
        """Numbers by name, with their units in it, of all processes; bytes are resident, of child processes, too.

        Parameters
        ----------
        seconds : float
            Of which the longest stall is asked for.
        """
        out = self._own_figures()
        for other in self.others:
            out |= {name: out[name] + other["figures"][name] for name in out if name != "uptime_seconds"}
        return out | {"loop_stall_seconds": max(0.0, self.longest_stall(seconds))}

    def _own_figures(self) -> dict[str, float]:
        used = self._process.cpu_times()
        searches = [each.state for each in list(OPEN)]
        return {
            "uptime_seconds": time.monotonic() - self._began,
            "sessions": self.sessions,
            "searches": sum(state.busy for state in searches),
            "searches_waiting": POOL.waiting + HANDS.waiting(),
            "memory_bytes": resident(self._process),
            "cpu_seconds_total": used.user + used.system,
            "threads": self._process.num_threads(),
            "workers": 1,
        }


def resident(process: psutil.Process) -> int:
    """Resident memory of a process and its children, in bytes.

    A child that was forked and is not yet another program has the memory of its parent, and its command line: it is
    not counted.
    """
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
    """Whether the server takes visitors; how much it has to do is told to this machine alone.

    With ``?seconds=20`` the longest stall is that of the last twenty.

    Parameters
    ----------
    standing : Standing
    shown : bool
        Whether everybody is told the figures.
    """

    def initialize(self, standing: Standing, shown: bool) -> None:
        """See the class."""
        self._standing, self._shown = standing, shown

    def get(self) -> None:
        """Status 200, or 503 when the server is being stopped."""
        self._standing.watch()
        stopping = self._standing.stopping
        self.set_status(503 if stopping else 200)
        told: dict[str, Any] = {"status": "stopping" if stopping else "ok"}
        if self._shown or _near(self):
            figures = self._standing.figures(_seconds(self))
            told |= {"version": __version__, **{name: round(value, 3) for name, value in figures.items()}}
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        self.write(json.dumps(told) + "\n")

    head = get


_HELP = {
    "uptime_seconds": "since the server began",
    "sessions": "pages that are open",
    "searches": "searches that run, or wait for a processor",
    "searches_waiting": "searches that wait for a processor",
    "memory_bytes": "resident memory, with child processes",
    "cpu_seconds_total": "processor time, without child processes",
    "threads": "of all processes",
    "workers": "processes that have pages",
    "loop_stall_seconds": "longest time in the last minute in which no page was answered",
}


class MetricsHandler(HealthHandler):
    """The same figures, and the runs that have ended, as Prometheus reads them; not for strangers."""

    def get(self) -> None:
        """The figures as text."""
        self._standing.watch()
        if not (self._shown or _near(self)):
            self.send_error(403, reason="figures are for this machine alone; see rulelab serve --open-metrics")
            return
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        lines = []
        for name, value in self._standing.figures().items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [
                f"# HELP rulelab_{name} {_HELP[name]}",
                f"# TYPE rulelab_{name} {kind}",
                f"rulelab_{name} {value:.12g}",
            ]
        lines += ["# HELP rulelab_runs_total runs that have ended, by how", "# TYPE rulelab_runs_total counter"]
        lines += [f'rulelab_runs_total{{end="{end}"}} {count}' for end, count in sorted(self._standing.runs.items())]
        lines += ["# HELP rulelab_info the version", "# TYPE rulelab_info gauge"]
        lines += [f'rulelab_info{{version="{__version__}"}} 1']
        self.write("\n".join(lines) + "\n")

    head = get


def _seconds(handler: RequestHandler) -> float:
    """How far back the longest stall is asked for."""
    try:
        asked = float(handler.get_query_argument("seconds", ""))
    except ValueError:
        return WINDOW_SECONDS
    return asked if 0 <= asked <= WINDOW_SECONDS else WINDOW_SECONDS


def _near(handler: RequestHandler) -> bool:
    """Whether somebody on this machine asks, and not through a proxy."""
    try:
        near = ipaddress.ip_address(handler.request.remote_ip or "").is_loopback
    except ValueError:
        near = False
    return near and not any(name in handler.request.headers for name in PROXIED)
