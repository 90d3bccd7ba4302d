"""Progress by bars of tqdm, where it is asked for; and Ctrl-C, which takes effect where a search is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def bar(verbose: Any, what: str, total: int | None = None, unit: str = "it") -> Iterator[Any]:
    """A bar on stderr, or in the cell of a notebook, that ends with the block; None where none is asked for."""
    check(verbose)
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc=what, total=total, unit=unit) as shown:
        yield shown


def check(verbose: Any) -> None:
    """Refuse what neither asks for progress nor declines it: ValueError."""
    if not (isinstance(verbose, bool) or (isinstance(verbose, int) and verbose >= 0)):
        from .arguments import ParameterError  # with numpy, which the command line begins without

        raise ParameterError("verbose", verbose, "True, False or a whole number")


@contextmanager
def noted() -> Iterator[list[int]]:
    """A list that Ctrl-C fills, in the main thread and where no other handler is; pressed again, it interrupts."""
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
