"""What is read from and written to the store, in one thread beside all pages of this process; nothing of Panel."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ...store import Store
from ..live.job import THREAD_NAME, Job, Pool, Progress, lower_priority

PROOFS = Pool(1)
"""The line of what takes long to be made before it is kept."""
_LOG = logging.getLogger(__name__)
_SAID = (ValueError, OSError, MemoryError)


class Keeper:
    """A store and the thread that has it in hand."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, f"{THREAD_NAME} store", lower_priority)

    def do(self, work: Callable[[Store], Any]) -> Future[Any]:
        """Let something be done with the store; returns at once."""
        try:
            return self._thread.submit(self._done, work)
        except RuntimeError:  # it is shut down
            return _failed(ValueError("the store is closed"))

    def do_after(self, make: Callable[[], Any], work: Callable[[Store, Any], Any]) -> Future[Any]:
        """Let something be made beside the store, which others use meanwhile, and then be done with it."""
        out: Future[Any] = Future()

        def beside(_progress: Progress) -> None:
            try:
                made = make()
                out.set_result(self.do(lambda store: work(store, made)).result())
            except Exception as error:  # noqa: BLE001 who waits is told
                out.set_exception(error)

        Job(beside, PROOFS)
        return out

    def close(self) -> None:
        """Do what is in the line, and let go of the store."""
        self._thread.shutdown()
        self.store.close()

    def _done(self, work: Callable[[Store], Any]) -> Any:
        try:
            return work(self.store)
        except _SAID:
            raise
        except Exception:
            _LOG.exception("the store: an unexpected error")
            raise


def error_of(task: Future[Any]) -> str:
    """Why something that is done has no result, in words; empty where it has one."""
    error = task.exception()
    if error is None:
        return ""
    if isinstance(error, _SAID):
        return str(error) or "not enough memory"
    return "it stopped on an unexpected error; the log of the server has the details"


def _failed(error: Exception) -> Future[Any]:
    out: Future[Any] = Future()
    out.set_exception(error)
    return out
