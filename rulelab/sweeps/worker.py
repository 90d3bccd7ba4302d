"""Doing one fit: in a thread, in a process of its own, or on a machine elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from .baselines import BASELINES
from .families import FAMILIES
from .method import Fitted, Method
from .plan import Fold, Plan
from .result import FAILED, Job, Result

METHODS: dict[str, Method] = {**FAMILIES, **BASELINES}

_here = threading.local()


def never() -> bool:
    """For a fit that is not told when the sweep is cancelled."""
    return False


def run(plan: Plan, job: Job, warm_start: Mapping[str, Any] | None, stopped: Callable[[], bool] = never) -> Result:
    """Fit one configuration on one fold; what this thread made of the fold before is used again.

    An error of value in the fit becomes the result.

    Raises
    ------
    Stopped
    """
    fold = _fold(plan, job.fold)
    method = METHODS[job.method]
    start = None if warm_start is None else dict(warm_start)
    try:
        fitted = method.fit(fold, job.parameters, plan, start, stopped)
    except ValueError as error:
        fitted = Fitted(FAILED, None, None, 0.0, message=str(error))
    limits = {"time_limit": plan.time_limit, "gap": plan.gap}
    return job.result(fitted, fold.train, fold.test, limits)


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
