"""A process that has searches in hand, in turn, for the process that began it; run as a module, this is it.

It imports nothing of the page, and ends at once when the other process is gone, whatever it is doing.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any

from ... import falling_rule_list, rule_list, rule_set
from ...recording import Course
from ...search import Search
from .held import Held
from .trimming import give_back
from .wire import Part, pack, receive, send, unpack

ENGINES = (falling_rule_list, rule_list, rule_set)
"""Imported before there is a second thread, which could meet a module that is imported in part."""
ROUND_SECONDS = 0.3
"""In which each search has a turn."""
_LEAST_SECONDS, _MOST_SECONDS = 0.01, 0.1
_NICENESS = 10
Asked = tuple[int, str, str]
"""The number of a question, the search it is for, and a method of `Hosting`."""


class Hosting:
    """Answers one question after the other.

    Parameters
    ----------
    stream : binary file
        For the answers.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._held: dict[str, Held] = {}
        self._questions: queue.SimpleQueue[tuple[Asked, list[Part]]] = queue.SimpleQueue()
        self._writing = threading.Lock()

    def run(self, asking: IO[bytes]) -> None:
        """Until the other process is gone."""
        threading.Thread(target=self._listen, args=(asking,), daemon=True).start()
        send(self._stream, [])  # it is ready
        while True:
            asked, parts = self._questions.get()
            if asked[2] in ("compile", "warm"):  # some seconds, in which others go on
                threading.Thread(target=self._answer, args=(asked, parts), daemon=True).start()
            else:
                self._answer(asked, parts)
            del parts

    def _listen(self, asking: IO[bytes]) -> None:
        try:
            while True:
                first, *parts = receive(asking)
                self._questions.put((pickle.loads(first), parts))
        except (EOFError, OSError):
            os._exit(0)

    def _answer(self, asked: Asked, parts: list[Part]) -> None:
        number, key, method = asked
        ask: Callable[..., Any] = getattr(self, method)
        try:
            arguments = unpack(parts, self._known(key))
            shared = self._shared(key)
            found = ask(key, *arguments)
            sent = pack((True, found), shared or self._shared(key))
            del arguments, shared, found, ask
        except BaseException as error:  # noqa: BLE001 - raised where it was asked
            sent = _told(error)
        try:
            with self._writing:
                sent.insert(0, pickle.dumps(number))
                send(self._stream, sent)
        except OSError:
            os._exit(0)

    def _shared(self, key: str) -> dict[str, Any]:
        """What is at both ends."""
        held = self._held.get(key)
        return {} if held is None else {"problem": held.search.problem}

    def _known(self, key: str) -> dict[str, Any]:
        """What has a name in a question."""
        held = self._held.get(key)
        return {} if held is None else {"course": held.course, **self._shared(key)}

    def hold(self, key: str, search: Search, course: Course) -> bool:
        """Take a search; whether its kernels are ready."""
        self._held[key] = Held(search, course)
        return self._held[key].is_compiled()

    def compile(self, key: str) -> None:
        """See `Held.compile`."""
        self._held[key].compile()

    def warm(self, _: str, family: str) -> None:
        """Make the kernels of a family ready, before there is a search of it."""
        from ...warming import warm_up

        warm_up(family)

    def advance(self, key: str, units: int) -> Any:
        """See `Held.advance`; for as long as leaves time for those who wait."""
        round_of = self._questions.qsize() + 1
        return self._held[key].advance(units, min(_MOST_SECONDS, max(_LEAST_SECONDS, ROUND_SECONDS / round_of)))

    def limit(self, key: str, most: int) -> None:
        """Let a search hold so many bytes, if it is here."""
        if key in self._held:
            self._held[key].search.__dict__["memory_limit"] = most

    def see(self, key: str, look: Callable[[Search], Any]) -> Any:
        """See `Held.see`."""
        return self._held[key].see(look)

    def give(self, key: str, last: bool) -> tuple[Search, Course | None]:
        """The search as it is, and its course; with ``last`` they are not here any more."""
        held = self._held.pop(key) if last else self._held[key]
        return held.search, held.course

    def drop(self, key: str) -> None:
        """Let go of a search, and of its memory."""
        self._held.pop(key, None)
        gc.collect()
        give_back()


def _told(error: BaseException) -> list[Part]:
    """What went wrong, to be raised at the other end, with where it was."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        sent = pack((False, error))
        unpack(sent)
    except Exception:  # noqa: BLE001 - it is told in words
        sent = pack((False, RuntimeError("".join(traceback.format_exception(error)))))
    return sent


def main() -> None:
    """Answer until the other process is gone."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what is printed is no answer
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the process that began this one hears them, too, and ends it
    if sys.platform != "win32":
        os.nice(_NICENESS)
    Hosting(out).run(sys.stdin.buffer)


if __name__ == "__main__":
    main()
