"""Where fits are done: each runner does one at a time, for the thread that calls it."""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

from ..arguments import SweepError, text_of
from .baselines import BASELINES
from .families import FAMILIES
from .plan import Fold, Plan
from .result import Job, Method, Result, Stopped

METHODS: dict[str, Method] = {**FAMILIES, **BASELINES}

_ASK_SECONDS = 0.3
LOOK_SECONDS = 5.0  # until a fit that is waited for is asked about
WORKERLESS_SECONDS = 60  # that a cluster without a worker is waited for
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}

_here = threading.local()
_received: list[Plan] = []


def run(
    plan: Plan, job: Job, warm_start: Mapping[str, Any] | None, stopped: Callable[[], bool] = lambda: False
) -> Result:
    """Fit one configuration on one fold; an error in the fit, of whatever kind, becomes the result. Raises Stopped."""
    start = None if warm_start is None else dict(warm_start)
    try:
        fold = _fold(plan, job.fold)
        fitted = METHODS[job.method].fit(fold, job.parameters, plan, start, stopped)
        return job.result(fitted, fold.train, fold.test, plan.limits)
    except Stopped:
        raise
    except Exception as error:  # noqa: BLE001 - one fit must not end the sweep
        if not isinstance(error, ValueError):
            _here.fold = _here.at = None  # it may be half made, or what the memory is full of
        return job.failed(told(error), plan.limits)


def told(error: BaseException) -> str:
    """An error in words: a ValueError has its own; of any other one, which is a defect, the kind and the place too."""
    if isinstance(error, ValueError) and str(error):
        return text_of(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" (line {frames[-1].lineno} of {frames[-1].filename})" if frames else ""
    return f"{type(error).__name__}{place}" + (f": {error}" if str(error) else "")


def _fold(plan: Plan, index: int) -> Fold:
    """The fold this thread works on; only one is kept."""
    if getattr(_here, "at", None) != (plan.token, index):
        _here.fold = None
        _here.fold, _here.at = plan.fold(index), (plan.token, index)
    return _here.fold


class Here:
    """In the calling thread: the kernels do not hold the interpreter's lock, so threads share the processors."""

    def __init__(self, plan: Plan, stopped: Callable[[], bool]) -> None:
        self._plan = plan
        self._stopped = stopped

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        return run(self._plan, job, warm_start, self._stopped)

    def stop(self) -> None:
        pass


def receive(plan: Plan) -> None:
    """Keep the plan in this process."""
    _received.append(plan)


def run_received(job: Job, warm_start: Mapping[str, Any] | None) -> Result:
    """`run` with the plan that this process was given."""
    return run(_received[-1], job, warm_start)


class Process:
    """In a process of loky's, which is given the data once; when it dies the fit has failed, and there is a new one."""

    def __init__(self, plan: Plan, stopped: Callable[[], bool]) -> None:
        self._plan = plan
        self._stopped = stopped
        self._changing = threading.Lock()
        self._ended = False
        self._pool = self._started()

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        try:
            return self._pool.submit(run_received, job, warm_start).result()
        except (CancelledError, BrokenProcessPool, ShutdownExecutorError) as error:
            if self._stopped():
                raise Stopped from None
            self._renew()
            more = "is there memory enough? Fewer n_jobs, or the backend 'threads', need less"
            return job.failed(f"the worker process of this fit has ended; {more}: {error}", self._plan.limits)
        except Exception as error:  # noqa: BLE001 - such as a result that cannot be sent
            return job.failed(told(error), self._plan.limits)

    def stop(self) -> None:
        with self._changing:
            self._ended = True
            pool = self._pool
        pool.shutdown(wait=False, kill_workers=True)

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, initializer=receive, initargs=(self._plan,), env=_ONE_THREAD)

    def _renew(self) -> None:
        self._pool.shutdown(wait=False, kill_workers=True)
        with self._changing:
            if self._ended:
                raise Stopped
            self._pool = self._started()


def run_on_cluster(plan: Plan, job: Job, warm_start: Mapping[str, Any] | None, name: str) -> Result:
    """`run` on a worker of a Dask cluster, until the event of this name is set there."""
    from distributed import Event

    event, asked, over = Event(name), time.monotonic(), False

    def stopped() -> bool:
        nonlocal asked, over
        if not over and time.monotonic() - asked > _ASK_SECONDS:
            over, asked = event.is_set(), time.monotonic()
        return over

    return run(plan, job, warm_start, stopped)


class OnDask:
    """On a Dask cluster, where ``scattered`` is the future of the plan; a fit whose worker dies again has failed."""

    def __init__(self, client: Any, scattered: Any, plan: Plan, stopped: Callable[[], bool]) -> None:
        self._client = client
        self._scattered = scattered
        self._limits = plan.limits
        self._stopped = stopped
        self._future: Any = None
        self._name = f"rulelab-sweep-{uuid.uuid4().hex}"

    def run(self, job: Job, warm_start: Mapping[str, Any] | None) -> Result:
        self._future = self._client.submit(run_on_cluster, self._scattered, job, warm_start, self._name, pure=False)
        if self._stopped():
            self.stop()
        try:
            return self._awaited()
        except SweepError:
            raise
        except Exception as error:
            if self._stopped():
                raise Stopped from None
            if self._future.status != "error":  # not the fit's, but the cluster's
                raise SweepError(
                    f"the Dask cluster has given up a fit of the sweep ({told(error)}); are its scheduler and its "
                    "workers still there?"
                ) from error
            return job.failed(told(error), self._limits)

    def _awaited(self) -> Any:
        """The result, for as long as there is a worker that could give it, or may soon be one again."""
        since = time.monotonic()
        while True:
            try:
                return self._future.result(timeout=LOOK_SECONDS)
            except TimeoutError:
                if self._future.status != "pending" or self._stopped():
                    raise
            if self._client.ncores():
                since = time.monotonic()
            elif time.monotonic() - since > WORKERLESS_SECONDS:
                raise SweepError(
                    f"the Dask cluster has had no worker for {WORKERLESS_SECONDS} s; start some, and run the sweep "
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
