"""The optimum that lists made by hand are compared with: searched for once, however many play the same game."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...search import Search
from ...snapshot import Snapshot, Status
from ..live.job import Progress
from ..live.pool import POOL
from .family import Editable, bench_of
from .hand import Best

_MOST_KEPT = 50
_LOOK_SECONDS = 0.2


class _Found:
    """What one search has come to; whoever searches holds the lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.snapshot: Snapshot | None = None
        self.seconds = 0.0


_known: OrderedDict[tuple[str, str], _Found] = OrderedDict()
_lock = threading.Lock()


def find_best(search: Editable, seconds: float, progress: Progress) -> Best:
    """Bring a copy of a search to its proof, or to the time limit; the search itself may run in another thread.

    A class that plays one game searches once: who comes later waits for the result of the first.

    Parameters
    ----------
    search : search of `rulelab.views.what_if.family.Editable`
    seconds : float
        Time limit.
    progress : Progress
        May be cancelled; another who waits then searches instead.
    """
    found = _found(search)
    with _held(found, progress):
        if search.certified:
            found.snapshot = search.advance(1)
        elif not _enough(found, seconds):
            found.snapshot, found.seconds = _searched(search, seconds, progress), seconds
        snapshot = found.snapshot
    assert snapshot is not None
    assert snapshot.incumbent is not None
    bench = bench_of(search)
    edited = bench.of(snapshot.incumbent.model)
    return Best(snapshot, edited, bench.objective(edited))


def _enough(found: _Found, seconds: float) -> bool:
    """Whether nothing is to be gained by searching for so long."""
    last = found.snapshot
    return last is not None and (last.status is Status.OPTIMAL or last.limit == "exactness" or found.seconds >= seconds)


def _searched(search: Editable, seconds: float, progress: Progress) -> Snapshot:
    new: type[Any] = type(search)
    copy: Search = new(search.problem, **search.parameters)
    progress.report("the optimizer searches")
    steps, last = copy.steps(time_limit=seconds), None
    while True:
        with POOL.place(lambda: progress.cancelled) as granted:
            snapshot = next(steps, None) if granted else None
        progress.report("the optimizer searches")
        if snapshot is None:
            assert last is not None
            return last
        last = snapshot


def _found(search: Editable) -> _Found:
    parameters = sorted(search.parameters.items(), key=lambda item: item[0])
    key = search.problem.fingerprint, f"{search.family} {parameters!r}"
    with _lock:
        found = _known.setdefault(key, _Found())
        _known.move_to_end(key)
        while len(_known) > _MOST_KEPT:
            _known.popitem(last=False)
        return found


@contextmanager
def _held(found: _Found, progress: Progress) -> Iterator[None]:
    while not found.lock.acquire(timeout=_LOOK_SECONDS):
        progress.report("the optimizer searches for another player of this game")
    try:
        yield
    finally:
        found.lock.release()
