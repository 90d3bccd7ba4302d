"""Where fits are done: each runner does one at a time, for the thread that calls it."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any

from loky import ProcessPoolExecutor
from loky.process_executor import BrokenProcessPool, ShutdownExecutorError

from ..errors import SweepError
from . import worker
from .method import Stopped
from .plan import Plan
from .result import Job, Result

_LOOK_SECONDS = 5.0
_WORKERLESS_SECONDS = 60
_DEATHS = 3  # of processes, before any fit was done
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


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
    """In a process of loky's, started with the first fit and given the data once.

    A fit whose process dies has failed; the next one gets a new process.
    """

    def __init__(self, plan: Plan, stopped: Callable[[], bool]) -> None:
        self._plan = plan
        self._stopped = stopped
        self._changing = threading.Lock()
        self._ended = False
        self._worked = False
        self._deaths = 0
        self._pool = self._started()

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        try:
            result: Result = self._pool.submit(worker.run_here, job, warm_start).result()
        except (CancelledError, BrokenProcessPool, ShutdownExecutorError) as error:
            if self._stopped():
                raise Stopped from None
            self._deaths += 1
            if not self._worked and self._deaths >= _DEATHS:
                raise SweepError(
                    f"{self._deaths} worker processes of the sweep have ended before their first fit was done "
                    f"({error}); is there memory enough? Fewer n_jobs, or the backend 'threads', need less"
                ) from error
            self._renew()
            return job.failed(
                f"the worker process of this fit has ended; is there memory enough? {error}",
                worker.limits_of(self._plan),
            )
        except Exception as error:  # noqa: BLE001 - such as a result that cannot be sent
            return job.failed(worker.told(error), worker.limits_of(self._plan))
        self._worked = True
        return result

    def stop(self) -> None:
        with self._changing:
            self._ended = True
            pool = self._pool
        pool.shutdown(wait=False, kill_workers=True)

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, initializer=worker.receive, initargs=(self._plan,), env=_ONE_THREAD)

    def _renew(self) -> None:
        self._pool.shutdown(wait=False, kill_workers=True)
        with self._changing:
            if self._ended:
                raise Stopped
            self._pool = self._started()


class OnDask:
    """On a Dask cluster; ``plan`` is the future of the scattered plan, ``limits`` those of each fit.

    A fit whose worker dies, again and again, has failed.
    """

    def __init__(self, client: Any, plan: Any, limits: Mapping[str, Any], stopped: Callable[[], bool]) -> None:
        self._client = client
        self._plan = plan
        self._limits = limits
        self._stopped = stopped
        self._future: Any = None
        self._name = f"rulelab-sweep-{uuid.uuid4().hex}"

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        self._future = self._client.submit(worker.run_on_cluster, self._plan, job, warm_start, self._name, pure=False)
        if self._stopped():
            self.stop()
        try:
            result: Result = self._awaited()
        except SweepError:
            raise
        except Exception as error:
            if self._stopped():
                raise Stopped from None
            if self._future.status != "error":  # not the fit's, but the cluster's
                raise SweepError(
                    f"the Dask cluster has given up a fit of the sweep ({worker.told(error)}); are its scheduler and "
                    "its workers still there?"
                ) from error
            return job.failed(worker.told(error), self._limits)
        return result

    def _awaited(self) -> Any:
        """The result, for as long as there is a worker that could give it, or may soon be one again."""
        since = time.monotonic()
        while True:
            try:
                return self._future.result(timeout=_LOOK_SECONDS)
            except TimeoutError:
                if self._future.status != "pending" or self._stopped():
                    raise
            if self._client.ncores():
                since = time.monotonic()
            elif time.monotonic() - since > _WORKERLESS_SECONDS:
                raise SweepError(
                    f"the Dask cluster has had no worker for {_WORKERLESS_SECONDS} s; start some, and run the sweep "
                    "again: what is in its file is kept"
                )

    def stop(self) -> None:
        """Forget the fit, and tell the worker, which Dask lets go on with what it has begun."""
        from distributed import Event

        if self._future is None:
            return
        if self._future.status == "pending" and self._client.status == "running":
            with contextlib.suppress(Exception):  # of a cluster that goes in this moment
                Event(self._name, client=self._client).set()
        self._future.cancel()


Runner = Here | Process | OnDask
"""Does fits, one after another: `run` raises Stopped when the sweep was cancelled meanwhile, `stop` is called from
another thread, and again at the end."""
