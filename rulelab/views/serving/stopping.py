"""The end of a server that is asked to stop: pages are told, searches keep what they have proven."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from typing import Any

from ..live.sending import tell_all
from ..live.session import OPEN
from ..live.state import TICK_SECONDS
from .health import Standing

SAID = "This server is being stopped. The search was ended with what it has proven; save what you need now."
_STEP_SECONDS = 0.02
_LOG = logging.getLogger(__name__)


class Stopping:
    """Ends a server when the process is told to (SIGTERM); at the second time at once."""

    def __init__(self, standing: Standing, grace: float) -> None:
        self._standing = standing
        self._grace = grace
        self._task: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Wait for the signal; in the main thread."""
        signal.signal(signal.SIGTERM, self._asked)

    def _asked(self, *_: Any) -> None:
        self._standing.server.io_loop.asyncio_loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self.end())
        else:
            self._standing.server.io_loop.stop()

    async def end(self) -> None:
        """Tell, wait and stop."""
        try:
            await self._close_down()
        finally:
            self._standing.server.io_loop.stop()

    async def _close_down(self) -> None:
        standing = self._standing
        standing.stopping = True
        standing.server._http.stop()  # takes no new connections
        searches = [search for search in list(OPEN) if search.alive]
        _LOG.info("the server is being stopped: %d pages, %d searches", standing.sessions, len(searches))
        for search in searches:
            search.stop()
        tell_all(SAID)
        latest = time.monotonic() + self._grace
        while any(search.alive for search in searches) and time.monotonic() < latest:
            await asyncio.sleep(_STEP_SECONDS)
        if standing.sessions:
            await asyncio.sleep(2 * TICK_SECONDS)  # the last state of each search goes to its page
        left = sum(search.alive for search in searches)
        _LOG.info("the server has stopped; %d searches did not end in %g s", left, self._grace)
