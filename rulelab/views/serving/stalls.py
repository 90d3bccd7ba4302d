"""Where the loop of the server was held: a thread looks on, and writes each time that it was into the log."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

SAID = "no page was answered for a while"
_BEAT_SECONDS = 0.02
_MOST_FRAMES = 80
_OUTER, _INNER = 6, 4
_OWN = ("rulelab.views", "bokeh.server", "panel.io")
_LOOP = ("asyncio", "tornado", "runpy")
_LOG = logging.getLogger(__name__)


class StallLog:
    """Writes where the loop of this thread was, each time that it answered nobody for so long.

    Of the time it is said how much the loop computed, how much it waited for a processor (Linux tells), and how much
    was neither, which is waiting for the interpreter while other threads had it; and how much of all that went into
    collecting garbage.

    Parameters
    ----------
    seconds : float
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._thread = threading.get_ident()
        self._schedule = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._began = (time.monotonic(), self._used())
        self._collecting, self._collected = 0.0, 0.0
        self._beating: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """From now on; called in the loop."""
        gc.callbacks.append(self._collects)
        self._beating = asyncio.get_running_loop().create_task(self._beat())
        threading.Thread(target=self._watch, name="rulelab stalls", daemon=True).start()

    async def _beat(self) -> None:
        while True:
            self._began = (time.monotonic(), self._used())
            await asyncio.sleep(_BEAT_SECONDS)

    def _watch(self) -> None:
        while not self._over:
            time.sleep(_BEAT_SECONDS)
            began = self._began
            if time.monotonic() - began[0] - _BEAT_SECONDS > self._seconds / 2:
                self._follow(began)
        gc.callbacks.remove(self._collects)

    @property
    def _over(self) -> bool:
        return self._beating is None or self._beating.done()

    def _follow(self, began: tuple[float, tuple[float, float]]) -> None:
        """Look where the loop is until it goes on."""
        places: Counter[str] = Counter()
        collected = self._collected
        while self._began is began:
            if self._over:
                return
            places[_place(sys._current_frames().get(self._thread))] += 1
            time.sleep(_BEAT_SECONDS)
        now, used = self._began
        late = now - began[0] - _BEAT_SECONDS
        if late < self._seconds:
            return
        computed, waited = (b - a for a, b in zip(began[1], used, strict=True))
        fields: dict[str, Any] = {
            "seconds": late,
            "computing": computed,
            "waiting_for_processor": waited,
            "neither": max(0.0, late - computed - waited),
            "garbage": self._collected - collected,
        }
        fields = {name: round(value, 3) for name, value in fields.items()}
        fields["where"] = [name for name, _ in places.most_common(2)]
        _LOG.warning(SAID, extra={"fields": fields})

    def _used(self) -> tuple[float, float]:
        """Seconds that the loop's thread has computed, and waited for a processor."""
        with suppress(OSError, ValueError):
            ran, waited, *_ = self._schedule.read_text().split()
            return int(ran) / 1e9, int(waited) / 1e9
        return time.thread_time(), 0.0

    def _collects(self, phase: str, _: dict[str, int]) -> None:
        now = time.monotonic()
        if phase == "start":
            self._collecting = now
        else:
            self._collected += now - self._collecting


def _place(frame: FrameType | None) -> str:
    """The outermost functions that are of the server or of a page, and the innermost of all."""
    names = [name for name in _names(frame) if not name.startswith(_LOOP)][::-1]
    outer = [name for name in names[:-_INNER] if name.startswith(_OWN)]
    return " > ".join([*outer[:_OUTER], "...", *names[-_INNER:]])


def _names(frame: FrameType | None) -> Iterator[str]:
    """Modules and functions, from the innermost outwards."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield f"{frame.f_globals.get('__name__', '?')}:{frame.f_code.co_qualname}"
        frame = frame.f_back
