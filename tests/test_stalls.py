"""What the log says when no page was answered for a while: where the server was, and what the time went into."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time

import pytest
from patience import PATIENCE, wait_until

from rulelab.views.serving.stalls import SAID, StallLog


def hold_up(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        sum(range(1000))


def test_the_log_says_where_the_loop_was_held(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "rulelab")

    def told() -> list[logging.LogRecord]:
        return [each for each in caplog.records if each.getMessage() == SAID and "hold_up" in str(each.fields["where"])]

    async def serve() -> None:
        StallLog(0.1).begin()
        await asyncio.sleep(0.1)
        hold_up(0.5)
        late = time.monotonic() + PATIENCE
        while not told() and time.monotonic() < late:
            await asyncio.sleep(0.05)

    asyncio.run(serve())
    fields = told()[0].fields
    parts = [fields[name] for name in ("computing", "waiting_for_processor", "neither")]
    assert 0.1 <= fields["seconds"] <= sum(parts) + 0.1
    assert fields["computing"] > 0
    assert "test_stalls:hold_up" in fields["where"][0]
    wait_until(lambda: not any(thread.name == "rulelab stalls" for thread in threading.enumerate()))
    assert not any(getattr(each, "__self__", None).__class__ is StallLog for each in gc.callbacks)
