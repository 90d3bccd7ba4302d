"""How a session stands, and when it ends by itself."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from ...snapshot import Snapshot, Status
from ..allowance import ALLOWED


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
    """When to end by oneself.

    Attributes
    ----------
    seconds : float or None
        Time of search, pauses not counted, since it was started or went on after a limit.
    gap : float
        Largest gap that is good enough.
    """

    seconds: float | None = None
    gap: float = 0.0

    def within_server(self) -> Limits:
        """Those that this server allows."""
        most = [seconds for seconds in (self.seconds, ALLOWED.seconds) if seconds is not None]
        return replace(self, seconds=min(most, default=None))

    def reached(self, snapshot: Snapshot, begun_at: float) -> Snapshot:
        """A moment of a run, which is its last one where a limit is reached.

        Parameters
        ----------
        snapshot : Snapshot
        begun_at : float
            Seconds of search when the run began, or went on after a limit.
        """
        if snapshot.status is Status.RUNNING:
            if self.gap > 0 and snapshot.gap <= self.gap:
                return replace(snapshot, status=Status.LIMIT, limit="gap")
            if self.seconds is not None and snapshot.seconds - begun_at >= self.seconds:
                return replace(snapshot, status=Status.LIMIT, limit="time")
        return snapshot
