"""What a page looks at in a search while it runs: frames taken by the thread that searches, between units of work."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...search import Search

MOST_SHARE = 0.03
"""Of the time of a search, for each thing that is watched."""


@dataclass
class _Watch:
    """One thing that is looked at; what it shows is of the step, or of none yet."""

    see: Callable[[Search], Any]
    every: float
    frame: Any = None
    step: int = -1
    due: float = 0.0


class Watching:
    """The things that are looked at, by name.

    Wanted and dropped by the page, taken by whoever has the search in hand. Looking at a thing costs at most
    `MOST_SHARE` of the time while the search goes on; at rest it is seen at once.
    """

    def __init__(self) -> None:
        self._wanted: dict[str, _Watch] = {}

    def want(self, name: str, see: Callable[[Search], Any], every: float) -> None:
        """Look at a thing from now on, in place of what had its name.

        `see` gives the frame; must change nothing, neither in the search nor in the page. `every`: seconds between two
        looks, at least.
        """
        self._wanted[name] = _Watch(see, every)

    def drop(self, name: str) -> None:
        """Look at it no more."""
        self._wanted.pop(name, None)

    def frame(self, name: str) -> Any:
        """What was seen last; None: nothing yet."""
        watch = self._wanted.get(name)
        return None if watch is None else watch.frame

    def behind(self, step: int) -> bool:
        """Whether something has not been seen as it is at this step."""
        return any(watch.step != step for watch in list(self._wanted.values()))

    def take(self, search: Search, step: int, rests: bool) -> None:
        """Look at what is due, or, where the search rests, at all that has changed."""
        for name, watch in list(self._wanted.items()):
            began = time.monotonic()
            if watch.step == step or not (rests or began >= watch.due):
                continue
            try:
                watch.frame = watch.see(search)
            except Exception:  # a search of an hour does not end because it cannot be drawn
                logging.getLogger(__name__).exception("%s cannot be shown", name)
            now = time.monotonic()
            watch.step, watch.due = step, now + max(watch.every, (now - began) / MOST_SHARE)
