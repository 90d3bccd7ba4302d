"""A function that is called again and again while there is something to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from panel.io.callbacks import PeriodicCallback

from ..notebook import keep_stills, one_at_a_time
from .session import TICK_SECONDS


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
            self._callback = PeriodicCallback(callback=self._beat, period=period, background=True, log=False)
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
