"""How a session stands, how long it may go on and how fast, and what a page sees of it: its history, and frames."""

from __future__ import annotations

import enum
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ...recording.recording import trace_row
from ...snapshot import Snapshot, Status
from ...stepping import Search
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


MAX_POINTS = 4000
MOST_SHARE = 0.03
"""Of the time of a search, for each thing that is watched."""
Mark = tuple[int, int]
"""How much of a history a reader has seen: how often it was thinned before, and how many were kept then."""
NOTHING_SEEN: Mark = (-1, 0)


class History:
    """Snapshots in the order of the search, safe to append to in one thread and to read in another.

    Beyond ``limit`` every second one goes, and later ones are as sparse; new incumbents and the end are always kept.
    """

    def __init__(self, limit: int = MAX_POINTS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: list[tuple[Snapshot, bool]] = []  # whether each has to be kept
        self._stride = 1
        self._skipped = 0
        self._generation = 0
        self._objective: float | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def append(self, snapshot: Snapshot) -> None:
        """Add a snapshot, or leave it out when the history is thinned and nothing new happened."""
        objective = None if snapshot.incumbent is None else snapshot.incumbent.objective
        improved = objective is not None and (self._objective is None or objective < self._objective)
        notable = improved or snapshot.status is not Status.RUNNING
        self._skipped += 1
        if not notable and self._skipped < self._stride:
            return
        self._skipped = 0
        self._objective = objective
        with self._lock:
            self._kept.append((snapshot, notable))
            if len(self._kept) > self._limit:  # thin it
                self._kept = [each for i, each in enumerate(self._kept) if each[1] or i % 2 == 0][-self._limit :]
                self._stride *= 2
                self._generation += 1

    @property
    def snapshots(self) -> list[Snapshot]:
        """All that are kept."""
        with self._lock:
            return [snapshot for snapshot, _ in self._kept]

    def since(self, mark: Mark) -> tuple[list[Snapshot], Mark, bool]:
        """What came after ``mark``, the next mark, and whether it is the whole history, which was thinned or is new."""
        with self._lock:
            thinned, seen = mark
            whole = thinned != self._generation
            snapshots = [snapshot for snapshot, _ in self._kept[0 if whole else seen :]]
            return snapshots, (self._generation, len(self._kept)), whole

    def frame(self) -> pd.DataFrame:
        """One row per kept snapshot: time, work, objective, bound, counts, pruned per bound, queue by length."""
        return pd.DataFrame([trace_row(snapshot) for snapshot in self.snapshots])


def relabelled(snapshots: Sequence[Snapshot], labels: tuple[Any, Any] | None) -> list[Snapshot]:
    """Snapshots with models that have the labels of the data; equal models are one, as before."""
    known: dict[int, Any] = {}
    out = []
    for each in snapshots:
        best = each.incumbent
        if best is not None and labels is not None:
            key = id(best.model)
            known[key] = known[key] if key in known else best.model.relabelled(labels)
            each = replace(each, incumbent=replace(best, model=known[key]))
        out.append(each)
    return out


@dataclass
class _Watch:
    """One thing that is looked at; what it shows is of the step, or of none yet."""

    see: Callable[[Search], Any]
    every: float
    frame: Any = None
    step: int = -1
    due: float = 0.0


class Watching:
    """Things that the page wants to see, by name; the worker looks at each in at most `MOST_SHARE` of the time."""

    def __init__(self) -> None:
        self._wanted: dict[str, _Watch] = {}

    def want(self, name: str, see: Callable[[Search], Any], every: float) -> None:
        """Look at a thing every so many seconds, under its name; ``see`` gives a frame of it, and changes nothing."""
        self._wanted[name] = _Watch(see, every)

    def drop(self, name: str) -> None:
        """Look at it no more."""
        self._wanted.pop(name, None)

    def frame(self, name: str) -> Any:
        """What was seen last; None: nothing yet."""
        watch = self._wanted.get(name)
        return None if watch is None else watch.frame

    def behind(self, step: int) -> bool:
        """Whether something has not been seen as it is at this step."""
        return any(watch.step != step for watch in list(self._wanted.values()))

    def take(self, search: Search, step: int, rests: bool) -> None:
        """Look at what is due, or, where the search rests, at all that has changed."""
        for name, watch in list(self._wanted.items()):
            began = time.monotonic()
            if watch.step == step or not (rests or began >= watch.due):
                continue
            try:
                watch.frame = watch.see(search)
            except Exception:  # a search of an hour does not end because it cannot be drawn
                logging.getLogger(__name__).exception("%s cannot be shown", name)
            now = time.monotonic()
            watch.step, watch.due = step, now + max(watch.every, (now - began) / MOST_SHARE)
