"""One search in a worker thread that can be run, paused, stepped and stopped; no widgets, nothing of Panel."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar
from weakref import WeakSet

from ...arguments import ParameterError
from ...prefixes import PrefixSearch
from ...recording import Course, Recording
from ...slices import Slices
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ..allowance import ALLOWED, NO_MEMORY, Share, take_memory
from .job import POOL, THREAD_NAME, Pool, lower_priority
from .prepared import Prepared, Source, Unwanted
from .state import FULL_SPEED, History, Limits, Pace, Pacing, State, Watching, relabelled

_LOG = logging.getLogger(__name__)
_WAIT_WORTH_SHOWING = 0.3
_MOMENT = 0.05  # seconds after which whoever waits for a step is heard


class SearchSession:
    """Drives one search from a thread of its own."""

    recorded: ClassVar[bool] = False  # whether there is but a recording, without rows

    def __init__(
        self,
        source: Source,  # makes the search; see `Source`. Called once, in the worker
        limits: Limits | None = None,
        pace: Pace = FULL_SPEED,  # may be set at any time
        pool: Pool = POOL,
        look: str = "rule_list",  # how the search is shown, see `rulelab.views.search.families.LOOKS`
        query: str | None = None,  # the address that gives the form the settings of this run; None: there is no form
        trial: bool = False,  # whether it is one of several that are compared, and is not kept
    ) -> None:
        self.limits = (limits or Limits()).within_server()
        self.look, self.query, self.trial = look, query, trial
        self.history = History()
        self.snapshot: Snapshot | None = None
        self.prepared: Prepared | None = None
        self.error: str | None = None
        self.about = ""
        self.doing = ""
        self.source = source
        self._pacing = Pacing(pace)
        self._pool = pool
        self._slices = Slices()
        self.course = Course()
        self.state = State.IDLE
        self._wanted = State.IDLE
        self._steps = 0
        self._closed = False
        self._begun_at = 0.0
        self._seen_phases: set[str] = set()
        self._waiting_since: float | None = None
        self._changed = threading.Condition()
        self._in_hand = threading.Lock()
        self.watching = Watching()  # what the page sees of it
        self._thread: threading.Thread | None = None
        self._ended_by: str | None = None
        self.run_id = uuid.uuid4().hex[:12]
        OPEN.add(self)

    @property
    def search(self) -> Search | None:
        """The search, once it is made."""
        return None if self.prepared is None else self.prepared.search

    @property
    def workshop(self) -> tuple[Prepared, Snapshot] | str | None:
        """What its models are edited with: a search of the same rows, and the end; or why not; None: not yet."""
        if not self.state.over:
            return None
        return "" if self.prepared is None or self.snapshot is None else (self.prepared, self.snapshot)

    @property
    def waiting(self) -> int:
        """How many searches of this process wait for a processor, when this one has waited for a while; else 0."""
        since = self._waiting_since
        late = since is not None and time.monotonic() - since > _WAIT_WORTH_SHOWING
        return self._pool.waiting if late else 0

    @property
    def pace(self) -> Pace:
        return self._pacing.pace

    @pace.setter
    def pace(self, pace: Pace) -> None:
        with self._changed:
            if pace != self.pace:
                self._pacing = Pacing(pace)
                self._changed.notify_all()

    @property
    def alive(self) -> bool:
        """Whether the worker thread exists."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop, and the worker has not yet."""
        return self._wanted is State.STOPPED and not self.state.over

    @property
    def goes_on(self) -> bool:
        """Whether it works until it is told otherwise; a single step ends by itself."""
        return self.state.busy and self._wanted is State.RUNNING

    @property
    def resumable(self) -> bool:
        """Whether the search has ended at a limit and may go on; where arithmetic ends, nothing is left to search."""
        last = self.snapshot if self.state is State.ENDED else None
        return last is not None and last.status is Status.LIMIT and last.limit != "exactness"

    def run(self) -> None:
        """Start, or go on after a pause or a limit."""
        self._ask(State.RUNNING)

    def step(self) -> None:
        """Do one unit of work, then pause; all that comes before the first prefix of a tree is one unit."""
        self._ask(State.PAUSED, steps=1)

    def pause(self) -> None:
        """Hold the search after the present slice (20-50 ms)."""
        with self._changed:
            if self.state.busy:
                self._wanted = State.PAUSED
                self._changed.notify_all()

    def stop(self) -> None:
        """End the search and keep what it has proven."""
        with self._changed:
            self._wanted = State.STOPPED
            if not self.alive and not self.state.over:
                self.state = State.STOPPED
            self._changed.notify_all()

    def end_at(self, limit: str) -> None:
        """End the search at a limit of the server, with what it has proven; it may go on later."""
        self._ended_by = limit

    def close(self) -> None:
        """Let the worker end; nothing is to be shown any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def watch(self, name: str, see: Callable[[Search], Any], every: float) -> None:
        """Look at something of the search between its units of work, and at once while it rests; see `Watching`."""
        with self._changed:
            self.watching.want(name, see, every)
            if self.state.over and self.search is not None and not self._closed:
                threading.Thread(target=self._look, args=(True,), name=THREAD_NAME, daemon=True).start()
            self._changed.notify_all()

    def recording(self) -> Recording:
        """The run so far, to be saved; raises ValueError before there is one."""
        if self.prepared is None:
            raise ValueError("there is nothing to record before the search is made")
        snapshots = relabelled(self.history.snapshots, self.prepared.labels)
        with self._in_hand:
            return Recording.of(self.prepared.search, snapshots, course=self.course)

    @property
    def unseen(self) -> bool:
        """Whether the search rests and something that is watched is still to be looked at."""
        rests = self.state is State.PAUSED or self.state.over
        return rests and self.search is not None and self.watching.behind(self._step)

    def join(self, timeout: float | None = None) -> None:
        """Wait until the worker has ended."""
        if self._thread is not None:
            self._thread.join(timeout)

    def _ask(self, wanted: State, steps: int = 0) -> None:
        with self._changed:
            if self._closed or (self.state.over and not self.resumable):
                return
            self._wanted = wanted
            self._steps += steps
            if not self.alive or self.state.over:
                self._start()
            elif self.state is State.PAUSED:
                self.state = State.RUNNING  # at once: a view in a notebook stops looking when nothing goes on
            self._changed.notify_all()

    def _start(self) -> None:
        self._ended_by = None
        self.state = State.PREPARING if self.search is None else State.RUNNING
        self._thread = threading.Thread(target=self._work, name=THREAD_NAME, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        lower_priority()
        end, self.error, self.about = State.FAILED, None, ""
        try:
            end = self._prepare() or self._search_on()
            self._look(rests=True)
        except (ValueError, MemoryError) as error:
            self.error = str(error) or "not enough memory; take fewer antecedents, or set a memory limit"
            self.about = error.name if isinstance(error, ParameterError) else ""
        finally:
            if end is State.FAILED and self.error is None:
                self.error = "the search stopped on an unexpected error; the log of the server has the details"
            self._note(end)
            with self._changed:
                self.state = end
            self._look(rests=True)  # at what was asked for since the search came to rest

    def _note(self, end: State) -> None:
        """Write down how the run has ended."""
        last = self.snapshot
        how = str(end if end is not State.ENDED or last is None else last.status.value)
        fields: dict[str, Any] = {"run": self.run_id, "end": how, "family": self.look}
        if last is not None:
            fields |= {"seconds": round(last.seconds, 3), "work": last.work, "gap": last.gap, "limit": last.limit}
        _LOG.info("a run has ended", extra={"fields": fields})

    def _prepare(self) -> State | None:
        if self.prepared is not None:
            return None
        with self._pool.place(self._ended) as granted:
            if granted:
                try:
                    self.prepared = self.source(self._report)
                    search: Any = self.prepared.search
                    if hasattr(search, "memory_limit"):  # no more than this server allows
                        search.memory_limit = ALLOWED.within(search.memory_limit)
                except Unwanted:
                    return State.STOPPED
        return None if granted else State.STOPPED

    def _search_on(self) -> State:
        assert self.prepared is not None
        self._begun_at = 0.0 if self.snapshot is None else self.snapshot.seconds
        self._slices = Slices()
        with Share(self.prepared.search, lambda: self.held):
            return self._slice_by_slice(self.prepared.search)

    @property
    def held(self) -> int:
        """Bytes that the search holds."""
        return 0 if self.snapshot is None else self.snapshot.memory_bytes

    def _slice_by_slice(self, search: Search) -> State:
        while self._may_go_on():
            stepping = self._take_step()
            phase = "" if self.snapshot is None else self.snapshot.phase
            known = search.compiled or phase in self._seen_phases
            self.state = State.RUNNING if known else State.COMPILING
            self._waiting_since = time.monotonic()
            with self._pool.place(self._ended) as granted:
                self._waiting_since = None
                if not granted:
                    break
                with self._in_hand:
                    found = self._slices.advance(search, 1 if stepping else self._allowed(self._slices.size))
                    if (stepping or self.pace.steady) and _opens_none(search, found):
                        found = self._until_one_is_opened(search, found, stepping)
                    self.course.look(search, found)
            self._seen_phases.add(phase)
            self.snapshot = self._limited(found)
            self.history.append(self.snapshot)
            if self.snapshot.status is not Status.RUNNING:
                return State.ENDED
            if not stepping:
                self._look(rests=False)
                if not (self.pace.steady and _opens_none(search, self.snapshot)):
                    self._rest()
        return State.STOPPED

    def _until_one_is_opened(self, search: Search, found: Snapshot, stepping: bool) -> Snapshot:
        """Go on for a moment; whatever comes before the tree is one unit with what opens the first prefix."""
        ends = time.monotonic() + _MOMENT
        while _opens_none(search, found) and time.monotonic() < ends:
            found = search.advance(1)
        if stepping and _opens_none(search, found):
            with self._changed:
                self._steps += self._wanted is State.PAUSED
        return found

    @property
    def _step(self) -> int:
        return 0 if self.snapshot is None else self.snapshot.step

    def _look(self, rests: bool) -> None:
        """Take what is watched; whoever does it has the search in hand."""
        if self.search is not None and not self._closed:
            with self._in_hand:
                self.watching.take(self.search, self._step, rests)

    def _may_go_on(self) -> bool:
        """Wait out a pause, in which what is watched is seen; False when the worker is to end."""
        while True:
            with self._changed:
                while rests := self._rests:
                    self.state = State.PAUSED  # before a look, which takes seconds where there are many prefixes
                    if self.watching.behind(self._step):
                        break
                    self._changed.wait()
            if not rests:
                return not self._ended()
            self._look(rests=True)

    @property
    def _rests(self) -> bool:
        return self._wanted is State.PAUSED and not self._steps and not self._closed

    def _take_step(self) -> bool:
        with self._changed:
            if self._wanted is not State.PAUSED:
                self._steps = 0
                return False
            self._steps -= 1
            return True

    def _allowed(self, size: int) -> int:
        with self._changed:
            return self._pacing.allowed(size)

    def _rest(self) -> None:
        """At the end of a beat's work wait for the next beat, or for a word from the user."""
        with self._changed:
            while self._wanted is State.RUNNING and not self._closed and (left := self._pacing.rest):
                self._changed.wait(left)

    def _limited(self, snapshot: Snapshot) -> Snapshot:
        if snapshot.status is not Status.RUNNING:
            return snapshot
        if self._ended_by is not None:
            return replace(snapshot, status=Status.LIMIT, limit=self._ended_by)
        return self.limits.reached(snapshot, self._begun_at)

    def _ended(self) -> bool:
        return self._closed or self._wanted is State.STOPPED

    def _report(self, doing: str) -> None:
        if self._ended():
            raise Unwanted
        if self._ended_by is not None:
            raise ValueError(NO_MEMORY)
        take_memory()
        self.doing, self.state = doing, State.PREPARING


def _opens_none(search: Search, found: Snapshot) -> bool:
    """Whether a search that goes through prefixes has opened none as yet."""
    return isinstance(search, PrefixSearch) and found.status is Status.RUNNING and not found.counts["expanded"]


OPEN: WeakSet[SearchSession] = WeakSet()
"""The runs of this process that somebody looks at."""
