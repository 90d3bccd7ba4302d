"""One job at a time for a part of the page, which is shown on every beat and taken once it has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .job import SIDE_WORK, Job, Progress
from .pool import Pool
from .ticker import Beat


class Work:
    """What a part of the page has done beside it; what is begun ends what was under way.

    `tell` takes, on every beat, what is being done and for how long. `start` starts the beat of a part that looks at
    more than this work, and calls its `refresh` itself; by default the work has a beat of its own.
    """

    def __init__(
        self,
        tell: Callable[[str], Any] = lambda doing: None,
        pool: Pool = SIDE_WORK,
        start: Callable[[], Any] | None = None,
    ) -> None:
        self._tell, self._pool = tell, pool
        self._beat = Beat(self.refresh)
        self._start = start or self._beat.start
        self._job: Job | None = None
        self._then: Callable[[Job], Any] = lambda job: None

    @property
    def busy(self) -> bool:
        """Whether something is done, or has been done and is not taken yet."""
        return self._job is not None

    @property
    def standing(self) -> str:
        """What is being done, and for how long; empty: nothing."""
        return "" if self._job is None else self._job.standing

    def begin(self, work: Callable[[Progress], Any], then: Callable[[Job], Any]) -> None:
        """Do something, see `Job`; ``then`` takes the job when it has ended, also where it was cancelled."""
        self.cancel()
        self._job, self._then = Job(work, self._pool), then
        self._start()

    def cancel(self) -> None:
        """Let what is under way end as soon as it can; what it has found by then is taken."""
        if self._job is not None:
            self._job.cancel()

    def forget(self) -> None:
        """Cancel, and take nothing."""
        self.cancel()
        self._job = None

    def close(self) -> None:
        """Cancel; nothing is shown any more."""
        self.cancel()
        self._beat.stop()

    def refresh(self) -> bool:
        """Tell how far it is, or take what was done; True while there is something to wait for."""
        job = self._job
        if job is not None and job.busy:
            self._tell(job.standing)
        elif job is not None:
            self._job = None
            self._then(job)
        return self._job is not None


class Working:
    """A part of the page that has one `Work`."""

    _work: Work

    def refresh(self) -> bool:
        """Show what is new; True while more may come."""
        return self._work.refresh()

    def close(self) -> None:
        """End what is under way."""
        self._work.close()
