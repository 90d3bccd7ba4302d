"""What is read from and written to the store, in one thread beside all pages of this process; nothing of Panel."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

from ...store import Store
from ..live.job import THREAD_NAME, Job, Pool, lower_priority

MOST_WAITING = 1000
"""Tasks in the line; more are refused."""
PROOFS = Pool(1)
"""The line of what takes long to be made before it is kept."""
_LOG = logging.getLogger(__name__)


class Task:
    """Something that is done with the store."""

    def __init__(self, work: Callable[[Store], Any]) -> None:
        self.work = work
        self.result: Any = None  # once it is done
        self.error = ""  # why there is no result; empty where there is one
        self._done = threading.Event()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until it is done; whether it is."""
        return self._done.wait(timeout)

    def carry_out(self, store: Store) -> None:
        """Do it; what goes wrong is kept in words."""
        try:
            self.result = self.work(store)
        except (ValueError, OSError, MemoryError) as error:
            self.error = str(error) or "not enough memory"
        except Exception:  # noqa: BLE001 the thread has to go on, for all pages
            _LOG.exception("the store: an unexpected error")
            self.error = "it stopped on an unexpected error; the log of the server has the details"
        finally:
            self._done.set()

    def refuse(self, reason: str) -> None:
        """Let it be done with an error."""
        self.error = reason
        self._done.set()


class Keeper:
    """A store and the thread that has it in hand."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._line: queue.Queue[Task | None] = queue.Queue(MOST_WAITING)
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=f"{THREAD_NAME} store", daemon=True)
        self._thread.start()

    def do(self, work: Callable[[Store], Any]) -> Task:
        """Let something be done; returns at once."""
        task = Task(work)
        self._put(task)
        return task

    def do_after(self, make: Callable[[], Any], work: Callable[[Store, Any], Any]) -> Task:
        """Let something be made beside the store, which others use meanwhile, and then be done with it."""
        made: list[Any] = []
        task = Task(lambda store: work(store, made[0]))

        def beside(_progress: Any) -> None:
            reason = "it stopped on an unexpected error; the log of the server has the details"
            try:
                made.append(make())
            except (ValueError, MemoryError, TimeoutError) as error:
                reason = str(error) or "not enough memory"
            finally:
                if made:
                    self._put(task)
                else:
                    task.refuse(reason)

        Job(beside, PROOFS)
        return task

    def _put(self, task: Task) -> None:
        try:
            if self._closed:
                raise queue.Full
            self._line.put_nowait(task)
        except queue.Full:
            task.refuse("the store has too much to do; try again later")

    def close(self, timeout: float = 10.0) -> None:
        """Do what is in the line, and let go of the store."""
        if not self._closed:
            self._closed = True
            self._line.put(None)
            self._thread.join(timeout)
            self.store.close()

    def _work(self) -> None:
        lower_priority()
        while (task := self._line.get()) is not None:
            task.carry_out(self.store)
