"""A function that is called again and again while there is something to show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakKeyDictionary

from panel.io.callbacks import PeriodicCallback

from ..notebook import keep_stills, one_at_a_time
from .session import TICK_SECONDS

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def in_turn(tick: Callable[[], Any]) -> Callable[[], Awaitable[None]]:
    """The beat of a page, alone in its turn of the loop.

    Those that are due at the same time would be called one after the other before any page is answered.
    """

    async def beat() -> None:
        async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            tick()
            await asyncio.sleep(0)

    return beat


class Beat:
    """Calls a function every 250 ms, on the server's loop, until it says that nothing more will come.

    Parameters
    ----------
    tick : callable
        Says whether to go on.
    """

    def __init__(self, tick: Callable[[], bool]) -> None:
        self._tick = tick
        self._callback: Any = None

    def start(self) -> None:
        """Begin, unless it beats already."""
        if self._callback is None:
            period = int(1000 * TICK_SECONDS)
            self._callback = PeriodicCallback(callback=in_turn(self._beat), period=period, background=True, log=False)
            self._callback.start()

    def stop(self) -> None:
        """End now."""
        if self._callback is not None:
            self._callback.stop()
            self._callback = None
            keep_stills()

    @one_at_a_time
    def _beat(self) -> None:
        if not self._tick():
            self.stop()
