"""The searches of the page on a Dask cluster: each is an actor on a worker, asked for a fifth of a second of work.

Dask lets the actors of a worker work in turn, each in one thread: so many searches go on at once as there are workers.
What is not told is not known: of a search whose worker dies the snapshots stay, with their models and their bounds, and
the search itself is gone.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any

from ... import __version__
from ...recording import Course
from ...search import Search
from ...snapshot import Incumbent, Snapshot
from .hands import HANDS, Hand, Here, LostError
from .held import Held, unpacked
from .pool import Pool
from .prepared import Unwanted

_LOOK_SECONDS = 0.1
_CHECK_SECONDS = 1.0
"""How often the cluster is asked which workers it has, by a search that waits."""
_PATIENCE_SECONDS = 5.0
"""For a slice of work to end that is not wanted any more."""
_RETURN_SECONDS = 60.0
"""For a search to come back."""
_MOST_UNITS = 1 << 20
_GONE = ("error", "lost", "cancelled")

LOST = "The worker of the cluster that searched was lost"
OVER = "the Dask cluster of this server does not answer any more; the server has to be started again"
SILENT = "The worker of the cluster did not answer"


class Cluster:
    """What this process knows of the workers.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._lock = threading.Lock()
        self._searches: Counter[str] = Counter()

    @property
    def answers(self) -> bool:
        """Whether there is a connection; where there is none, asking would wait for it."""
        return bool(self.client.status == "running")

    @property
    def over(self) -> bool:
        """Whether the scheduler is gone for good."""
        return self.client.status in ("closing", "closed")

    @property
    def workers(self) -> list[str]:
        """Their addresses; none, too, when the scheduler does not answer."""
        if not self.answers:
            return []
        try:
            return list(self.client.ncores())
        except Exception:  # noqa: BLE001 - whatever it is, there are none to be had
            return []

    def choose(self) -> str | None:
        """The worker that has the fewest searches of this process; None where there is no worker."""
        workers = self.workers
        with self._lock:
            chosen = min(workers, key=lambda each: (self._searches[each], random.random()), default=None)
            if chosen is not None:
                self._searches[chosen] += 1
        return chosen

    def leave(self, worker: str) -> None:
        """Have one search less on a worker."""
        with self._lock:
            self._searches[worker] -= 1

    def hold(self, search: Search, worker: str) -> Any:
        """The future of an actor that holds a search."""
        sent = self.client.scatter(search, workers=[worker], hash=False)
        key = f"rulelab-search-{uuid.uuid4().hex}"
        return self.client.submit(Held, sent, key=key, actor=True, workers=[worker], pure=False)


class OnCluster(Hand):
    """On a worker of a cluster; see `Hand`."""

    where = "on the cluster"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._cluster = cluster
        self._search: Search | None = None
        self._worker: str | None = None
        self._future: Any = None
        self._actor: Any = None
        self._best: Incumbent | None = None
        self._checked = 0.0

    def begin(self, search: Search, course: Course | None, report: Callable[[str], None]) -> None:
        self._search, self._best = search, None
        while self._worker is None:
            report("waiting for a worker of the cluster")
            self._worker = self._cluster.choose()
            if self._cluster.over:
                raise ValueError(OVER)
            if self._worker is None:
                time.sleep(_LOOK_SECONDS)
        sending = partial(report, "handing the search to the cluster")
        compiling = partial(report, "compiling the search on the cluster: once per machine, some seconds")
        try:
            sending()
            self._future = self._cluster.hold(search, self._worker)
            self._actor = self._held(sending)
            if not self._answer(self._asked("is_compiled"), sending):
                compiling()
                self._answer(self._asked("compile"), compiling)
        except (Unwanted, ValueError):
            raise
        except Exception as error:
            raise ValueError(f"the cluster did not take the search: {error}") from error

    @property
    def compiled(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return _MOST_UNITS

    def waiting(self, late: bool) -> int:
        return 0

    def place(self, ended: Callable[[], bool]) -> AbstractContextManager[bool]:
        return contextlib.nullcontext(not ended())

    def advance(self, units: int, ended: Callable[[], bool]) -> tuple[Sequence[Snapshot], int]:
        found, left = self._answer(self._asked("advance", units), self._patient(ended, _PATIENCE_SECONDS))
        return [self._known(each) for each in found], left

    def see(self, look: Callable[[Search], Any], ended: Callable[[], bool]) -> Any:
        if self._actor is None:
            assert self._search is not None
            return look(self._search)
        return self._answer(self._asked("see", look), self._patient(ended, _PATIENCE_SECONDS))

    def bring_back(self, ended: Callable[[], bool], last: bool = False) -> None:
        if self._actor is not None and self._search is not None:
            raw = self._answer(self._asked("packed"), self._patient(lambda: True, _RETURN_SECONDS, ended))
            self._search.__dict__ = unpacked(raw, self._search.problem).__dict__

    def release(self) -> None:
        if self._worker is not None:
            self._cluster.leave(self._worker)
        future, self._worker, self._future, self._actor = self._future, None, None, None
        if future is not None and self._cluster.answers:
            with contextlib.suppress(Exception):  # of a cluster that goes in this moment
                future.cancel()

    def _held(self, wanted: Callable[[], Any]) -> Any:
        """The actor, once it is there."""
        there = threading.Event()
        self._future.add_done_callback(lambda _: there.set())
        while not there.wait(_LOOK_SECONDS):
            wanted()
            self._check()
        return self._future.result(timeout=_PATIENCE_SECONDS)

    def _asked(self, method: str, *arguments: Any) -> Any:
        """The future of what a method of the actor gives."""
        try:
            return getattr(self._actor, method)(*arguments)
        except RuntimeError as error:  # so says Dask where it knows already that the worker is gone
            raise LostError(LOST) from error

    def _answer(self, asked: Any, wanted: Callable[[], Any]) -> Any:
        """What a future gives; ``wanted`` raises where nobody waits for it any more."""
        while True:
            try:
                return asked.result(timeout=_LOOK_SECONDS)
            except TimeoutError:
                wanted()
                self._check()
            except OSError as error:
                raise LostError(LOST) from error

    def _patient(
        self, over: Callable[[], bool], seconds: float, gone: Callable[[], bool] = lambda: False
    ) -> Callable[[], None]:
        """Raises where the answer is ``seconds`` late once it is ``over``, and at once where everybody is ``gone``."""
        since: list[float] = []

        def look() -> None:
            if over() and not since:
                since.append(time.monotonic())
            if gone() or (since and time.monotonic() - since[0] > seconds):
                raise LostError(SILENT)

        return look

    def _check(self) -> None:
        """Raise where no answer can come any more."""
        if self._future.status in _GONE:
            raise LostError(LOST)
        if time.monotonic() - self._checked > _CHECK_SECONDS:
            self._checked = time.monotonic()
            if self._worker not in self._cluster.workers:
                raise LostError(LOST)

    def _known(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with the very model that came before, where it is still the best one."""
        best = snapshot.incumbent
        if best is None or self._best is None or best.found_at != self._best.found_at:
            self._best = best
            return snapshot
        return replace(snapshot, incumbent=self._best)


def differing(client: Any) -> list[str]:
    """What is wrong with the workers of a cluster: no rulelab, or another version of it; in words, none twice."""
    found = client.run(version, "rulelab", on_error="return")
    wrong = {
        "no rulelab is installed there" if isinstance(each, Exception) else f"rulelab {each} is installed there"
        for each in found.values()
        if each != __version__
    }
    return sorted(wrong)


def search_on(client: Any) -> None:
    """Let all searches and sweeps of pages that begin in this process from now on be on a cluster.

    Parameters
    ----------
    client : distributed.Client or None
        None: in this process, as before.
    """
    HANDS.make, HANDS.client = Here if client is None else _maker(Cluster(client)), client
    HANDS.elsewhere = client is not None


def _maker(cluster: Cluster) -> Callable[[Pool], Hand]:
    return lambda pool: OnCluster(cluster)
