"""How a session stands, how long it may go on, and how fast: so many units of work in each beat of the page."""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass, replace

from ...snapshot import Snapshot, Status
from ..allowance import ALLOWED

TICK_SECONDS = 0.25
"""How often a view looks at its session; the beat of slow motion."""


@dataclass(frozen=True)
class Pace:
    """How fast to go."""

    units: int | None = None  # units of work per beat of `TICK_SECONDS`; None: as fast as possible
    growth: int = 1  # how many times the work of the beat before each beat does

    @property
    def steady(self) -> bool:
        """Whether each beat does the same, so that one can follow it."""
        return self.units is not None and self.growth == 1


FULL_SPEED = Pace()


class Pacing:
    """What a session may do in the present beat; whoever calls it holds the lock of the session."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._units = pace.units  # of the next beat
        self._left = 0
        self._ends = 0.0

    def allowed(self, size: int) -> int:
        """Units for the next slice: ``size``, or what the beat still has; a new beat begins when it has nothing."""
        if self._units is None:
            return size
        if not self._left:
            self._left = self._units
            self._ends = time.monotonic() + TICK_SECONDS
            self._units *= self.pace.growth
        units = min(size, self._left)
        self._left -= units
        return units

    @property
    def rest(self) -> float:
        """Seconds until the next beat, where this one has done its work; else 0."""
        if self._left or not self.pace.units:
            return 0.0
        return max(0.0, self._ends - time.monotonic())


class State(enum.StrEnum):
    """How a session stands."""

    IDLE = "idle"
    PREPARING = "preparing"
    COMPILING = "compiling"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    ENDED = "ended"
    FAILED = "failed"

    @property
    def busy(self) -> bool:
        """Whether the worker has something to do."""
        return self in (State.PREPARING, State.COMPILING, State.RUNNING)

    @property
    def over(self) -> bool:
        """Whether the worker has ended."""
        return self in (State.STOPPED, State.ENDED, State.FAILED)


@dataclass(frozen=True)
class Limits:
    """When to end by oneself."""

    seconds: float | None = None  # time of search, pauses not counted, since it was started or went on after a limit
    gap: float = 0.0  # largest gap that is good enough

    def within_server(self) -> Limits:
        """Those that this server allows."""
        most = [seconds for seconds in (self.seconds, ALLOWED.seconds) if seconds is not None]
        return replace(self, seconds=min(most, default=None))

    def reached(self, snapshot: Snapshot, begun_at: float) -> Snapshot:
        """A moment of a run that began or went on at ``begun_at``; its last one where a limit is reached."""
        if snapshot.status is Status.RUNNING:
            if self.gap > 0 and snapshot.gap <= self.gap:
                return replace(snapshot, status=Status.LIMIT, limit="gap")
            if self.seconds is not None and snapshot.seconds - begun_at >= self.seconds:
                return replace(snapshot, status=Status.LIMIT, limit="time")
        return snapshot
