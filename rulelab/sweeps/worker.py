"""Doing one fit: in a thread, in a process of its own, or on a machine elsewhere."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from ..arguments import text_of
from .baselines import BASELINES
from .families import FAMILIES
from .method import Method, Stopped
from .plan import Fold, Plan
from .result import Job, Result

METHODS: dict[str, Method] = {**FAMILIES, **BASELINES}

_LOOK_SECONDS = 0.3

_here = threading.local()


def never() -> bool:
    """For a fit that is not told when the sweep is cancelled."""
    return False


def run(plan: Plan, job: Job, warm_start: Mapping[str, Any] | None, stopped: Callable[[], bool] = never) -> Result:
    """Fit one configuration on one fold; what this thread made of the fold before is used again.

    An error in the fit, of whatever kind, becomes the result.

    Raises Stopped.
    """
    limits = limits_of(plan)
    start = None if warm_start is None else dict(warm_start)
    try:
        fold = _fold(plan, job.fold)
        fitted = METHODS[job.method].fit(fold, job.parameters, plan, start, stopped)
        return job.result(fitted, fold.train, fold.test, limits)
    except Stopped:
        raise
    except Exception as error:  # noqa: BLE001 - one fit must not end the sweep
        if not isinstance(error, ValueError):
            _here.fold = _here.at = None  # it may be half made, or what the memory is full of
        return job.failed(told(error), limits)


def run_on_cluster(plan: Plan, job: Job, warm_start: Mapping[str, Any] | None, name: str) -> Result:
    """`run` on a worker of a Dask cluster, until the event of this name is set there."""
    from distributed import Event

    event, looked, over = Event(name), time.monotonic(), False

    def stopped() -> bool:
        nonlocal looked, over
        if not over and time.monotonic() - looked > _LOOK_SECONDS:
            over, looked = event.is_set(), time.monotonic()
        return over

    return run(plan, job, warm_start, stopped)


def limits_of(plan: Plan) -> dict[str, Any]:
    """The limits of each fit, as results have them."""
    return {"time_limit": plan.time_limit, "gap": plan.gap}


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


_plan: Plan | None = None


def receive(plan: Plan) -> None:
    """Keep the plan in this process."""
    global _plan
    _plan = plan


def run_here(job: Job, warm_start: Mapping[str, Any] | None) -> Result:
    """`run` with the plan that was received."""
    assert _plan is not None
    return run(_plan, job, warm_start)
