"""A search that is advanced beside the page by a job, with its share of the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .job import Progress
from .share import Share


def run(search: Any, seconds: float, progress: Progress, said: Callable[[Any], str], what: str) -> Any:
    """Advance a search, with its share of the memory, until it ends or is cancelled; its last snapshot.

    Parameters
    ----------
    search : Search
    seconds : float
        Its time limit; compiling is not counted.
    progress : Progress
    said : callable
        Says of a snapshot what is being done.
    what : str
        The search, while it is compiled.
    """
    if not search.compiled:
        progress.report(f"compiling {what}: once per machine, some seconds")
        search.compile()
    snapshot: Any = None
    with Share(search, lambda: 0 if snapshot is None else snapshot.memory_bytes):
        for snapshot in search.steps(time_limit=seconds):
            progress.doing = said(snapshot)
            if progress.cancelled:
                break
    return snapshot
