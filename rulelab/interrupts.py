"""Ctrl-C while a search runs: it takes effect where the search is whole, so that it can go on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def noted() -> Iterator[list[int]]:
    """A list that is filled when Ctrl-C is pressed; pressed again, it interrupts at once.

    Only in the main thread, where alone signals arrive, and only where Ctrl-C would raise KeyboardInterrupt: a program
    with a handler of its own keeps it.
    """
    caught: list[int] = []

    def note(number: int, frame: Any) -> None:
        caught.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    with _handled(note):
        yield caught


@contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt at the end of the block; pressed again, it interrupts at once."""
    with noted() as caught:
        yield
    if caught:
        raise KeyboardInterrupt


@contextmanager
def at_once() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt at once, where blocks within would have noted it."""
    with _handled(lambda number, frame: signal.default_int_handler(number, frame)):
        yield


@contextmanager
def _handled(handler: Callable[[int, Any], None]) -> Iterator[None]:
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
