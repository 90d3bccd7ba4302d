"""Calls side by side: the kernels run without Python's global lock, so that threads of one process do."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

from ....arguments import is_whole, require

MOST_JOBS = 256
"""Threads of one search: what each holds costs memory, and meetings take longer with each."""

T = TypeVar("T")


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads as `workers_of` takes it. Raises ValueError."""
    known = n_jobs is None or (is_whole(n_jobs, -1) and n_jobs != 0 and n_jobs <= MOST_JOBS)
    require(("n_jobs", n_jobs, known, f"a number of threads from 1 to {MOST_JOBS}, -1 for all cores, or None"))


def workers_of(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` asks for: None is one, -1 as many as this process has cores.

    Returns
    -------
    int
    """
    if n_jobs is None:
        return 1
    return min(MOST_JOBS, cores()) if n_jobs == -1 else int(n_jobs)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What the calls return, each made in a thread of its own, the first in this one."""
    first, *others = calls
    if not others:
        return [first()]
    pool = _pool(os.getpid())
    begun = [pool.submit(call) for call in others]
    try:
        return [first(), *(each.result() for each in begun)]
    finally:
        for each in begun:  # an exception does not leave threads at work on arrays that are changed next
            each.exception()


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of a process, which wait for all searches in it; a forked one has its own."""
    return ThreadPoolExecutor(max_workers=4 * MOST_JOBS, thread_name_prefix="rulelab")
