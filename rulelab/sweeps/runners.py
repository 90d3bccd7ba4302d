"""Where fits are done: each runner does one at a time, for the thread that calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any, Protocol

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

from . import worker
from .errors import SweepError
from .method import Stopped
from .plan import Plan
from .result import Job, Result

_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


class Runner(Protocol):
    """Does fits, one after another."""

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        """Do one fit; raises Stopped when the sweep was cancelled meanwhile."""

    def stop(self) -> None:
        """End the fit that is going on; called from another thread, and again at the end."""


class Here:
    """In the calling thread: the kernels do not hold the interpreter's lock, so threads share the processors."""

    def __init__(self, plan: Plan, stopped: Callable[[], bool]) -> None:
        self._plan = plan
        self._stopped = stopped

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        return worker.run(self._plan, job, warm_start, self._stopped)

    def stop(self) -> None:
        pass


class Process:
    """In a process of joblib's (loky), started with the first fit and given the data once."""

    def __init__(self, plan: Plan, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped
        self._pool = ProcessPoolExecutor(1, initializer=worker.receive, initargs=(plan,), env=_ONE_THREAD)

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        try:
            return self._pool.submit(worker.run_here, job, warm_start).result()
        except (CancelledError, BrokenProcessPool, ShutdownExecutorError) as error:
            if self._stopped():
                raise Stopped from None
            raise SweepError(f"a worker process of the sweep has ended ({error}); was there memory enough?") from error

    def stop(self) -> None:
        self._pool.shutdown(wait=False, kill_workers=True)


class OnDask:
    """On a Dask cluster; ``plan`` is the future of the scattered plan."""

    def __init__(self, client: Any, plan: Any, stopped: Callable[[], bool]) -> None:
        self._client = client
        self._plan = plan
        self._stopped = stopped
        self._future: Any = None

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        self._future = self._client.submit(worker.run, self._plan, job, warm_start, pure=False)
        if self._stopped():
            self._future.cancel()
        try:
            return self._future.result()
        except CancelledError:
            if self._stopped():
                raise Stopped from None
            raise

    def stop(self) -> None:
        if self._future is not None:
            self._future.cancel()
