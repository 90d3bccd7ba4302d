"""How long the tests wait for what should come: only what never comes takes so long, however busy the machine is."""

import os
import time
from collections.abc import Callable

PATIENCE = float(os.environ.get("RULELAB_PATIENCE", "300"))
"""Seconds after which a test gives up; never something to be measured against. Who looks for a fault may set less."""


def wait_until(condition: Callable[[], object], pause: float = 0.01) -> None:
    """Wait until a condition holds.

    Raises
    ------
    AssertionError
        After `PATIENCE` seconds.
    """
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(pause)
